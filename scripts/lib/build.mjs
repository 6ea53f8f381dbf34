/**
 * From Rust and TypeScript to dist/:
 *
 *   cargo -> wasm-bindgen -> wasm-opt -> dist/core.wasm
 *                        \           \-> src/js/generated/inline.js   the same, deflated, in base64, once
 *                         |           \-> src/js/generated/facts.js    its tables: codes, operations, limits
 *                         \-> src/js/generated/glue.js                 -> tsc -> dist/
 *
 * Each step is skipped when nothing that goes into it has changed.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { deflation, wasmOpt } from "../config.mjs";
import { bindgen } from "./bindgen.mjs";
import { Failure, root, run, say, work } from "./run.mjs";
import { wasmToolchain } from "./wasm.mjs";

const dist = join(root, "dist");
const source = join(root, "src/js");
const generated = join(source, "generated");
const optimized = join(work, "core.wasm");
const stamps = join(work, "stamps.json");

export async function build() {
  mkdirSync(work, { recursive: true });
  const toolchain = await wasmToolchain();
  const tools = await bindgen();
  say("build", `${toolchain.version}, wasm target: ${toolchain.way}`);
  const compiled = await compile(toolchain);

  const typescript = version("typescript");
  const versions = { wasmBindgen: tools.version, wasmOpt: version("binaryen"), zopfli: version("@gfx/zopfli") };
  const module = hash([
    readFileSync(compiled),
    ...Object.values(versions),
    wasmOpt.join(" "),
    JSON.stringify(deflation),
  ]);
  if (stamp("module") !== module || !existsSync(optimized) || !existsSync(join(generated, "facts.js"))) {
    say("build", `wasm-bindgen ${versions.wasmBindgen}, wasm-opt ${versions.wasmOpt} ${wasmOpt[0]}`);
    await bind(compiled, tools);
    setStamp("module", module);
  }

  const files = readdirSync(source, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  const face = hash([
    typescript,
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

/** Runs cargo and returns the path of the module. */
async function compile({ cargo, args, env }) {
  const command = [
    "build",
    "--release",
    "--lib",
    "--features",
    "wasm",
    "--message-format=json-render-diagnostics",
    ...args,
  ];
  const messages = await run(cargo, command, { env, capture: true });
  const artifacts = messages.split("\n").filter((line) => line.includes('"compiler-artifact"'));
  const wasm = artifacts
    .flatMap((line) => JSON.parse(line).filenames)
    .find((path) => path.endsWith("genui_patch.wasm"));
  if (!wasm) throw new Failure("cargo built no module");
  return wasm;
}

/** Makes the glue, the optimized module and its base64. */
async function bind(compiled, tools) {
  const bound = join(work, "bindgen");
  rmSync(bound, { recursive: true, force: true });
  const target = ["--target", "web", "--omit-default-module-path", "--out-name", "glue", "--out-dir", bound];
  await run(tools.bindgen, [compiled, ...target]);
  // wasm-opt reads in the section `target_features` what the module may use; nothing before it may strip that.
  await run(process.execPath, [
    join(root, "node_modules/binaryen/bin/wasm-opt"),
    join(bound, "glue_bg.wasm"),
    "-o",
    optimized,
    ...wasmOpt,
  ]);

  mkdirSync(generated, { recursive: true });
  cpSync(join(bound, "glue.js"), join(generated, "glue.js"));
  // It declares [Symbol.dispose] without saying where that comes from.
  const types = readFileSync(join(bound, "glue.d.ts"), "utf8");
  writeFileSync(join(generated, "glue.d.ts"), `/// <reference lib="esnext.disposable" />\n${types}`);
  const module = readFileSync(optimized);
  const deflated = Buffer.from(await deflate(module)).toString("base64");
  writeFileSync(
    join(generated, "inline.js"),
    `export const size = ${module.length};\nexport const deflated = "${deflated}";\n`,
  );
  writeFileSync(
    join(generated, "inline.d.ts"),
    `/** Bytes of the module. */\nexport declare const size: number;\n/** The module: DEFLATE, in base64. */\nexport declare const deflated: string;\n`,
  );
  await writeFacts();
}

/** Zopfli takes ten seconds for what zlib does at once, and makes it a twentieth smaller. */
async function deflate(bytes) {
  // Not at the top: on a new machine the packages come while this runs.
  const { default: zopfli } = await import("@gfx/zopfli");
  return promisify(zopfli.deflate)(bytes, deflation);
}

/** Asks the new module for its tables, so that codes, operations and limits are written down once, in Rust. */
async function writeFacts() {
  const glue = await import(`${pathToFileURL(join(generated, "glue.js"))}?${Date.now()}`);
  const { memory } = glue.initSync({ module: readFileSync(optimized) });
  const length = glue.facts();
  const { version, limits, types } = JSON.parse(Buffer.from(memory.buffer, glue.output(), length).toString());
  const values = [
    ["version", "The version of the package.", "string", version],
    ["limits", "The default limits.", "Readonly<Limits>", limits],
  ];
  const unions = Object.entries(types).map(([name, { doc, words }]) => {
    return `/** ${doc} */\nexport type ${name} = ${words.map((word) => JSON.stringify(word)).join(" | ")};\n`;
  });
  const declared = values.map(([name, doc, type]) => `/** ${doc} */\nexport declare const ${name}: ${type};\n`);
  const assigned = values.map(([name, , , value]) => {
    return `export const ${name} = Object.freeze(${JSON.stringify(value)});\n`;
  });
  writeFileSync(join(generated, "facts.js"), assigned.join(""));
  writeFileSync(
    join(generated, "facts.d.ts"),
    `import type { Limits } from "../types.js";\n${declared.join("")}${unions.join("")}`,
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
  cpSync(optimized, join(next, "core.wasm"));
  rmSync(dist, { recursive: true, force: true });
  renameSync(next, dist);
}

function sizes() {
  for (const name of ["core.wasm", "generated/inline.js", "generated/glue.js"]) {
    const bytes = readFileSync(join(dist, name));
    say(
      "build",
      `${name.padEnd(19)} ${kilobytes(bytes.length)}, gzip ${kilobytes(gzipSync(bytes, { level: 9 }).length)}`,
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
