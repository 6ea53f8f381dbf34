/**
 * Builds dist/ from Rust and TypeScript:
 *
 *   each module:   cargo -> wasm-bindgen -> strip-panics, wasm-opt -> dist/store.wasm
 *                                       \                          \-> src/js/generated/store.packed.js  packed by scripts/pack, in base64
 *                                        \-> src/js/generated/store.js                                  the glue
 *   scripts/facts -> src/js/generated/facts.js       tables of the core: codes, operations, limits
 *
 *   src/js -> tsc -> dist/ -> dist/slim/, dist/workerd/   copies of the files that import a module, with other sources of modules
 *                         \-> dist/node*.js               bundles for Node, which imports a few files faster than many
 *                         \-> dist/standalone/            bundles for pages without a bundler
 *
 * A step is skipped when its inputs have not changed.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { modules, standalone, wasmOpt } from "../config.mjs";
import { bindgen } from "./bindgen.mjs";
import { bindFunction } from "./glue.mjs";
import { Failure, root, run, say, work } from "./run.mjs";
import { writeVariants } from "./variants.mjs";
import { wasmToolchain } from "./wasm.mjs";

const dist = join(root, "dist");
const source = join(root, "src/js");
const generated = join(source, "generated");
const stamps = join(work, "stamps.json");
const wasmOptPath = join(root, "node_modules/binaryen/bin/wasm-opt");

export async function build() {
  mkdirSync(work, { recursive: true });
  mkdirSync(generated, { recursive: true });
  // Files of an older build would be published.
  const own = [
    "facts",
    "unpack",
    "vocabulary",
    ...Object.keys(modules).flatMap((name) => [name, `${name}.packed`, `${name}.source`]),
  ];
  for (const file of readdirSync(generated)) {
    if (!own.includes(file.replace(/\.(d\.ts|js)$/, ""))) rmSync(join(generated, file));
  }
  const toolchain = await wasmToolchain();
  const tools = await bindgen();
  const versions = { wasmBindgen: tools.version, wasmOpt: version("binaryen") };
  say("build", `${toolchain.version}, wasm target: ${toolchain.way}; wasm-bindgen ${versions.wasmBindgen}`);
  say("build", `cargo and wasm-opt ${versions.wasmOpt}: minutes, the first time`);
  // Each of these uses one thread.
  await Promise.all([
    writeFacts(toolchain),
    writeUnpacker(toolchain),
    ...Object.keys(modules).map((name) => make(name, toolchain, tools, versions)),
  ]);

  const typescript = version("typescript");
  const files = readdirSync(source, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  const face = hash([
    typescript,
    version("esbuild"),
    JSON.stringify(standalone),
    readFileSync(join(root, "scripts/lib/variants.mjs")),
    readFileSync(join(root, "tsconfig.build.json")),
    readFileSync(join(root, "tsconfig.base.json")),
    ...paths.flatMap((path) => [path.slice(root.length), readFileSync(path)]),
  ]);
  if (stamp("face") !== face || !existsSync(join(dist, "index.js"))) {
    say("build", `tsc ${typescript}`);
    await assemble();
    setStamp("face", face);
  }
  sizes();
}

const optimized = (name) => join(work, `${name}.wasm`);

/** Makes one module, its glue and its text. */
async function make(name, toolchain, tools, versions) {
  const [compiled, pack] = await Promise.all([compile(name, toolchain), packer(toolchain)]);
  const made = hash([
    readFileSync(compiled),
    readFileSync(pack),
    ...Object.values(versions),
    wasmOpt.join(" "),
    JSON.stringify(modules[name]),
    ...["build", "glue", "strip-panics"].map((script) => readFileSync(join(root, `scripts/lib/${script}.mjs`))),
  ]);
  const outputs = [optimized(name), ...["", ".packed", ".source"].map((part) => join(generated, `${name}${part}.js`))];
  if (stamp(name) === made && outputs.every(existsSync)) return;
  await bind(name, compiled, tools, pack);
  setStamp(name, made);
}

/** Compiles one module and returns its path. */
function compile(name, { cargo, args, env }) {
  const flags = [env.CARGO_ENCODED_RUSTFLAGS, ...modules[name].llvm.map((arg) => `-Cllvm-args=${arg}`)].join("\x1f");
  const what = ["--profile", name, "--lib", "--features", name, ...args];
  return artifact(cargo, what, { ...env, CARGO_ENCODED_RUSTFLAGS: flags }, "genui_patch.wasm");
}

/** Runs cargo and returns the path of a file that it made. */
async function artifact(cargo, args, env, name) {
  const command = ["build", "--quiet", "--message-format=json-render-diagnostics", ...args];
  const messages = await run(cargo, command, { env, capture: true });
  const artifacts = messages.split("\n").filter((line) => line.includes('"compiler-artifact"'));
  const found = artifacts.flatMap((line) => JSON.parse(line).filenames).find((path) => path.endsWith(`/${name}`));
  if (!found) throw new Failure(`cargo made no ${name}`);
  return found;
}

/** From the compiled module to its glue, the optimized module, and its text. */
async function bind(name, compiled, tools, pack) {
  const bound = join(work, name);
  rmSync(bound, { recursive: true, force: true });
  await run(tools.bindgen, [compiled, "--target", "bundler", "--out-name", name, "--out-dir", bound]);
  // wasm-opt reads the section `target_features`; nothing before it may strip that section.
  const stripped = join(bound, "stripped.wasm");
  await run(process.execPath, [join(root, "scripts/lib/strip-panics.mjs"), join(bound, `${name}_bg.wasm`), stripped]);
  await run(process.execPath, [wasmOptPath, stripped, "-o", optimized(name), ...modules[name].wasmOpt, ...wasmOpt]);

  writeGlue(name, bound);
  const module = readFileSync(optimized(name));
  const packed = join(bound, "packed");
  await run(pack, [optimized(name), packed]);
  const text = readFileSync(packed).toString("base64");
  writeFileSync(join(generated, `${name}.packed.js`), `export const packed = "${text}";\n`);
  const lines = [
    `import { inlined } from "../core/source.js";`,
    `import { packed } from "./${name}.packed.js";`,
    `export const source = /* @__PURE__ */ inlined(packed, ${module.length});`,
  ];
  writeFileSync(join(generated, `${name}.source.js`), `${lines.join("\n")}\n`);
  writeFileSync(
    join(generated, `${name}.source.d.ts`),
    `import type { Source } from "../core/source.js";\nexport declare const source: Source;\n`,
  );
}

function writeGlue(name, bound) {
  const glue = readFileSync(join(bound, `${name}_bg.js`), "utf8");
  // What the module asks of JavaScript beside its globals.
  const imports = glue.includes("hostChecks.") ? 'import { hostChecks } from "../core/host-checks.js";\n' : "";
  writeFileSync(join(generated, `${name}.js`), imports + bindFunction(glue));
  // wasm-bindgen declares [Symbol.dispose] without the library that defines it.
  const types = readFileSync(join(bound, `${name}.d.ts`), "utf8");
  writeFileSync(
    join(generated, `${name}.d.ts`),
    `/// <reference lib="esnext.disposable" />\n${types}\nexport declare function bind(): typeof import("./${name}.js");\n`,
  );
}

/** Makes the program that packs modules, and returns its path. */
function packer({ native: { cargo, args, env } }) {
  return artifact(cargo, ["--package", "pack", ...args], env, "pack");
}

/** Makes the module that unpacks the others. */
async function writeUnpacker({ cargo, args, env }) {
  const compiled = await artifact(cargo, ["--profile", "unpack", "--package", "unpack", ...args], env, "unpack.wasm");
  const small = join(work, "unpack.wasm");
  const strip = wasmOpt.filter((option) => option.startsWith("--strip"));
  await run(process.execPath, [wasmOptPath, compiled, "-o", small, "-Oz", ...strip]);
  // Nothing has compressed it: gzip finds repetition in hexadecimal digits that base64 hides.
  const text = readFileSync(small).toString("hex");
  writeFileSync(join(generated, "unpack.js"), `export const unpacker = "${text}";\n`);
  writeFileSync(join(generated, "unpack.d.ts"), "export declare const unpacker: string;\n");
}

const ENVELOPE_KEYS =
  "The keys under which a call has its tool's name, its arguments, itself, or a list of calls: in lower case, without `_` and `-`.";
const CHANGE_KINDS =
  "The kinds of changes by the numbers that cross from the module, each with the parts after its path.";
const CHANGE_KINDS_TYPE =
  'readonly { kind: "set" | "insert" | "remove" | "move"; parts: readonly ("value" | "from" | "index" | "next")[] }[]';
const TOOL_ALIASES = "By file tool: what models call it, in any letter case, with or without `_` and `-`.";
const DEFAULT_MAX_BLOCK_BYTES =
  "The default of `limits.maxBlockBytes`, by itself, so that bundles of tool blocks leave out the table of limits.";
const LIMITS = "What comes from outside: over one of them the answer is `LIMIT_EXCEEDED`, and nothing has changed.";

/** Asks the core for its tables, so that codes, operations and limits are written down once, in Rust. */
async function writeFacts({ native: { cargo, args, env } }) {
  const printed = await run(cargo, ["run", "--quiet", "--package", "facts", ...args], { env, capture: true });
  const {
    limits: counted,
    types,
    envelopeKeys,
    changeKinds,
    toolAliases,
    blockAnswer,
    words,
    shapes,
  } = JSON.parse(printed);
  const limits = Object.fromEntries(Object.entries(counted).map(([name, { value }]) => [name, value]));
  const fields = Object.entries(counted).map(([name, { doc }]) => `  /** ${doc} */\n  ${name}: number;\n`);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const values = [
    ["version", "The version of the package.", "string", version],
    ["limits", "The default limits.", "Readonly<Limits>", limits],
    ["defaultMaxBlockBytes", DEFAULT_MAX_BLOCK_BYTES, "number", limits.maxBlockBytes],
    [
      "envelopeKeys",
      ENVELOPE_KEYS,
      'Readonly<Record<"name" | "arguments" | "call" | "calls", readonly string[]>>',
      envelopeKeys,
    ],
    ["changeKinds", CHANGE_KINDS, CHANGE_KINDS_TYPE, changeKinds],
    [
      "fieldKinds",
      "The kind of value that each type of fields takes.",
      "Readonly<Record<FieldType, string>>",
      Object.fromEntries(words.fields.map(({ name, kind }) => [name, kind])),
    ],
    [
      "pageWords",
      "The known types of blocks and actions.",
      'Readonly<Record<"blocks" | "actions", readonly string[]>>',
      Object.fromEntries(["blocks", "actions"].map((list) => [list, words[list].map(({ name }) => name)])),
    ],
    ["toolAliases", TOOL_ALIASES, "Readonly<Record<string, readonly string[]>>", toolAliases],
    [
      "blockAnswer",
      "The kinds and the length of the module's answer to a piece of text: see `src/block/answer.rs`.",
      'Readonly<Record<"text" | "delta" | "records" | "lengthShift", number>>',
      blockAnswer,
    ],
  ];
  const unions = Object.entries(types).map(([name, { doc, words }]) => {
    return `/** ${doc} */\nexport type ${name} = ${words.map((word) => JSON.stringify(word)).join(" | ")};\n`;
  });
  const declared = values.map(([name, doc, type]) => `/** ${doc} */\nexport declare const ${name}: ${type};\n`);
  const assigned = values.map(([name, , , value]) => {
    const text = JSON.stringify(value);
    return `export const ${name} = ${typeof value === "object" ? `/* @__PURE__ */ Object.freeze(${text})` : text};\n`;
  });
  writeVocabulary(words, shapes);
  writeFileSync(join(generated, "facts.js"), assigned.join(""));
  writeFileSync(
    join(generated, "facts.d.ts"),
    `${declared.join("")}/** ${LIMITS} */\nexport interface Limits {\n${fields.join("")}}\n${unions.join("")}`,
  );
}

const VOCABULARY_TYPES = `import type { ActionStyle, ActionType, BlockType, FieldType, LayoutType, PageStatus } from "./facts.js";
import type { Json, PatchOp, PatchOperation } from "../types.js";

/** A word of the structure rules, or one that a catalog adds. */
type Word<Known extends string> = Known | (string & Record<never, never>);

/** Further properties are the page's own. */
interface Open {
  [property: string]: unknown;
}

/** A word of the vocabulary, and what it is for. */
export interface VocabularyWord {
  name: string;
  english: string;
  chinese: string;
}

type WordList = "blocks" | "fields" | "layouts" | "actions" | "styles" | "statuses";

export interface VocabularyProperty {
  name: string;
  type: string;
  required: boolean;
  need: string;
  types: readonly string[];
  default: string;
  english: string;
  chinese: string;
}

export interface VocabularyShape {
  name: string;
  english: string;
  chinese: string;
  properties: readonly VocabularyProperty[];
}

export declare const words: Readonly<Record<WordList, readonly VocabularyWord[]>>;
/** A whole block, field, layout or action of each type. */
export declare const examples: Readonly<Record<WordList, Readonly<Record<string, { [property: string]: Json }>>>>;
/** By type of fields: the properties that few other types have. */
export declare const fieldProperties: Readonly<Record<string, readonly string[]>>;
export declare const shapes: readonly VocabularyShape[];
`;

/** A property that so many types have is named at none of them, nor one that the type's sentence names. */
const SHARED = 5;

/** The vocabulary of a page: its sentences as values, for those who ask for them, and its shapes as types. */
function writeVocabulary(words, shapes) {
  const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
  const types = shapes.map(({ name, english, properties }) => {
    const lines = properties.map((property) => {
      const { types, default: otherwise } = property;
      const about = types.length > 0 ? ` For ${types.map((type) => `\`${type}\``).join(", ")}.` : "";
      const without = otherwise === "" ? "" : ` Default \`${otherwise}\`.`;
      const isNeeded = property.required && types.length === 0;
      return `  /** ${sentence(property.english)}${about}${without} */\n  ${property.name}${isNeeded ? "" : "?"}: ${property.type};\n`;
    });
    return `/** ${sentence(english)} */\nexport interface ${name} extends Open {\n${lines.join("")}}\n`;
  });
  const lists = Object.entries(words);
  const written = {
    words: lists.map(([list, known]) => [
      list,
      known.map(({ name, english, chinese }) => ({ name, english, chinese })),
    ]),
    examples: lists.map(([list, known]) => [
      list,
      Object.fromEntries(known.flatMap(({ name, example }) => (example ? [[name, JSON.parse(example)]] : []))),
    ]),
    fieldProperties: words.fields.flatMap(({ name }) => {
      const properties = shapes.find((shape) => shape.name === "Field").properties;
      const { english } = words.fields.find((word) => word.name === name);
      const isOwn = ({ name: own, types }) => types.includes(name) && types.length < SHARED && !english.includes(own);
      const own = properties.filter(isOwn).map((property) => property.name);
      return own.length === 0 ? [] : [[name, own]];
    }),
  };
  const made = Object.entries(written).map(([name, entries]) => [name, Object.fromEntries(entries)]);
  const values = [...made, ["shapes", shapes]].map(([name, value]) => {
    return `export const ${name} = /* @__PURE__ */ Object.freeze(${JSON.stringify(value)});\n`;
  });
  writeFileSync(join(generated, "vocabulary.js"), values.join(""));
  writeFileSync(join(generated, "vocabulary.d.ts"), `${VOCABULARY_TYPES}${types.join("")}`);
}

/** Assembles the new dist/ elsewhere and moves it into place, so that no other process sees an incomplete one. */
async function assemble() {
  const next = join(work, "dist");
  rmSync(next, { recursive: true, force: true });
  await run(process.execPath, [
    join(root, "node_modules/typescript/bin/tsc"),
    "-p",
    "tsconfig.build.json",
    "--outDir",
    next,
  ]);
  cpSync(generated, join(next, "generated"), { recursive: true });
  for (const name of Object.keys(modules)) cpSync(optimized(name), join(next, `${name}.wasm`));
  cpSync(join(source, "react/ui/ui.css"), join(next, "ui.css"));
  // TypeScript asks of an import what it is, also of one that has no names.
  writeFileSync(join(next, "ui.css.d.ts"), "export {};\n");
  await writeVariants(next);
  rmSync(dist, { recursive: true, force: true });
  renameSync(next, dist);
}

function sizes() {
  const made = Object.keys(modules).flatMap((name) => [`${name}.wasm`, `generated/${name}.packed.js`]);
  for (const name of made) {
    const bytes = readFileSync(join(dist, name));
    say(
      "build",
      `${name.padEnd(27)} ${kilobytes(bytes.length)}, gzip ${kilobytes(gzipSync(bytes, { level: 9 }).length)}`,
    );
  }
}

const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1).padStart(6)} KB`;

const version = (name) => JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version;

function hash(parts) {
  const digest = createHash("sha256");
  for (const part of parts) digest.update(part).update("\0");
  return digest.digest("hex");
}

const readStamps = () => (existsSync(stamps) ? JSON.parse(readFileSync(stamps, "utf8")) : {});
const stamp = (name) => readStamps()[name];
const setStamp = (name, value) => writeFileSync(stamps, JSON.stringify({ ...readStamps(), [name]: value }));
