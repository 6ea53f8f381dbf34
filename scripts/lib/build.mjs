/**
 * From Rust and TypeScript to dist/:
 *
 *   for each module:   cargo -> wasm-bindgen -> snip, wasm-opt -> dist/store.wasm
 *                                            \                 \-> src/js/generated/store.packed.js   the same, packed by scripts/pack, in base64
 *                                             \-> src/js/generated/store.js                      the glue
 *   scripts/facts -> src/js/generated/facts.js     the tables of the core: codes, operations, limits
 *
 *   src/js -> tsc -> dist/ -> dist/slim/, dist/workerd/    what reaches a module, once more, with other sources of modules
 *                         \-> dist/node*.js                  for Node: few files, which take a fraction of the time to import
 *                         \-> dist/standalone/              bundles for pages without a bundler
 *
 * Each step is skipped when nothing that goes into it has changed.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { modules, standalone, wasmOpt } from "../config.mjs";
import { bindgen } from "./bindgen.mjs";
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
  // What an older build left here would be published.
  const own = [
    "facts",
    "unpack",
    ...Object.keys(modules).flatMap((name) => [name, `${name}.packed`, `${name}.source`]),
  ];
  for (const file of readdirSync(generated)) {
    if (!own.includes(file.replace(/\.(d\.ts|js)$/, ""))) rmSync(join(generated, file));
  }
  const toolchain = await wasmToolchain();
  const tools = await bindgen();
  const versions = { wasmBindgen: tools.version, wasmOpt: version("binaryen") };
  say("build", `${toolchain.version}, wasm target: ${toolchain.way}; wasm-bindgen ${versions.wasmBindgen}`);
  say("build", `cargo and wasm-opt ${versions.wasmOpt} ${wasmOpt[0]}: minutes, the first time`);
  // What compiles takes one thread each.
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
    ...["build", "snip"].map((script) => readFileSync(join(root, `scripts/lib/${script}.mjs`))),
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
  // wasm-opt reads in the section `target_features` what the module may use; nothing before it may strip that.
  const snipped = join(bound, "snipped.wasm");
  await run(process.execPath, [join(root, "scripts/lib/snip.mjs"), join(bound, `${name}_bg.wasm`), snipped]);
  await run(process.execPath, [wasmOptPath, snipped, "-o", optimized(name), ...wasmOpt]);

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

/** Functions that are called for every call of a page, in which a nanosecond counts: they stay written out. */
const HOT = /^(apply(_optimistic)?|receive(_for)?|confirm|reject|set_.*|input|output)$/;

/**
 * The glue of wasm-bindgen is a module with state of its own, which comes to life as it is imported. As a function it has its
 * state anew for each instance, and nothing happens before it is called. What it writes out for each export that only passes
 * numbers on, and for texts, stands once in `src/js/core/glue.ts`: here it becomes a list of names.
 */
function writeGlue(name, bound) {
  const text = readFileSync(join(bound, `${name}_bg.js`), "utf8").replaceAll(/^ *\/\*\*[\s\S]*?\*\/\n/gm, "");
  const [, type, members] = /^export class (\w+) \{\n([\s\S]*?)^\}/m.exec(text);
  const lists = { methods: [], numbers: [], makes: [], functions: [] };
  const own = [];
  for (const [method, , isStatic, key, body] of members.matchAll(
    /^( {4})(static )?(\w+)\(.*\) \{\n([\s\S]*?)^\1\}\n/gm,
  )) {
    if (/^(__wrap|__destroy_into_raw|free|constructor)$/.test(key)) continue;
    if (isStatic) lists[body.includes(".__wrap(") ? "makes" : "numbers"].push(key);
    else if (passesOn(key, body)) lists.methods.push(key);
    else own.push(method.trimEnd());
  }
  const others = [];
  for (const [, key, args, body] of text.matchAll(/^export function (\w+)\((.*)\) \{\n([\s\S]*?)^\}\n/gm)) {
    if (key === "__wbg_set_wasm") others.push(`${key}(exports) { wasm = exports; }`);
    else if (key === "__wbindgen_init_externref_table") others.push(`${key}: begin`);
    else if (key.startsWith("__wb")) others.push(`${key}(${args}) {\n${imported(body)}}`);
    else if (passesOn(key, body)) lists.functions.push(key);
    else others.push(`${key}(${args}) {\n${body}}`);
  }
  const { methods, numbers, makes, functions } = lists;
  const names = [methods, numbers, makes, functions].map((list) => JSON.stringify(list.join(" "))).join(", ");
  const lines = [
    `import { glue } from "../core/glue.js";`,
    "export function bind() {",
    "let wasm;",
    `const { module, Class, text, write, begin } = glue("${type}", () => wasm, ${names});`,
    ...own.map((method) => `Class.prototype.${method.replace(/^\s*(\w+)(.*)/, "$1 = function $2")};`),
    `return Object.assign(module, {\n${others.join(",\n")}\n});`,
    "}",
  ];
  const written = `${lines.join("\n")}\n`;
  const unknown = /\w+(Wasm|Table|Memory)0\b|WASM_VECTOR_LEN/.exec(written);
  if (unknown) throw new Failure(`The glue of ${name} uses ${unknown[0]}, which core/glue.ts does not have.`);
  writeFileSync(join(generated, `${name}.js`), written);
  // It declares [Symbol.dispose] without saying where that comes from.
  const types = readFileSync(join(bound, `${name}.d.ts`), "utf8");
  writeFileSync(
    join(generated, `${name}.d.ts`),
    `/// <reference lib="esnext.disposable" />\n${types}\nexport declare function bind(): typeof import("./${name}.js");\n`,
  );
}

/** Whether a function of the glue only passes numbers on, and a number or an error back. */
function passesOn(name, body) {
  const fails = /^ +if \(ret\[\d\]\) \{\n +throw .*\n +\}\n/m;
  const rest = body.replace(fails, "").replace(/^ +(const ret = )?wasm\.\w+\(.*\);\n/, "");
  return (fails.test(body) || !HOT.test(name)) && /^( +return (ret|ret\[0\]) >>> 0;\n)?$/.test(rest);
}

/** A function that a module imports: texts are read and written by `core/glue.ts`. */
function imported(body) {
  return body
    .replace(/( +)const ptr1 = passString[\s\S]*?4 \* 0, ptr1, true\);/, "$1write(arg0, ret);")
    .replaceAll("getStringFromWasm0", "text")
    .replace(/const ret = (.*);\n +write\(arg0, ret\)/, "write(arg0, $1)")
    .replace(/const ret = (.*);\n +return ret/, "return $1");
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
  const text = readFileSync(small).toString("base64");
  writeFileSync(join(generated, "unpack.js"), `export const unpacker = "${text}";\n`);
  writeFileSync(join(generated, "unpack.d.ts"), "export declare const unpacker: string;\n");
}

const ENVELOPE_KEYS =
  "The keys under which a call has its tool's name, its arguments, itself, or a list of calls: in lower case, without `_` and `-`.";
const LIMITS = "What comes from outside: over one of them the answer is `LIMIT_EXCEEDED`, and nothing has changed.";

/** Asks the core for its tables, so that codes, operations and limits are written down once, in Rust. */
async function writeFacts({ native: { cargo, args, env } }) {
  const printed = await run(cargo, ["run", "--quiet", "--package", "facts", ...args], { env, capture: true });
  const { limits: counted, types, envelopeKeys } = JSON.parse(printed);
  const limits = Object.fromEntries(Object.entries(counted).map(([name, { value }]) => [name, value]));
  const fields = Object.entries(counted).map(([name, { doc }]) => `  /** ${doc} */\n  ${name}: number;\n`);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const values = [
    ["version", "The version of the package.", "string", version],
    ["limits", "The default limits.", "Readonly<Limits>", limits],
    [
      "envelopeKeys",
      ENVELOPE_KEYS,
      'Readonly<Record<"name" | "arguments" | "call" | "calls", readonly string[]>>',
      envelopeKeys,
    ],
  ];
  const unions = Object.entries(types).map(([name, { doc, words }]) => {
    return `/** ${doc} */\nexport type ${name} = ${words.map((word) => JSON.stringify(word)).join(" | ")};\n`;
  });
  const declared = values.map(([name, doc, type]) => `/** ${doc} */\nexport declare const ${name}: ${type};\n`);
  const assigned = values.map(([name, , , value]) => {
    return `export const ${name} = /* @__PURE__ */ Object.freeze(${JSON.stringify(value)});\n`;
  });
  writeFileSync(join(generated, "facts.js"), assigned.join(""));
  writeFileSync(
    join(generated, "facts.d.ts"),
    `${declared.join("")}/** ${LIMITS} */\nexport interface Limits {\n${fields.join("")}}\n${unions.join("")}`,
  );
}

/** Puts dist/ together beside the old one and then takes its place, so that nobody sees half of it. */
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
