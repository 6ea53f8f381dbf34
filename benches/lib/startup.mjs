/** What it costs to have the package at all: the time from import to a store that works, and bytes. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "../../scripts/lib/run.mjs";
import { summary } from "./measure.mjs";
import { figure, table } from "./report.mjs";

const use = {
  "genui-patch": 'new (await import("genui-patch")).PatchStore().load("page", "{}")',
  immer: '(await import("immer")).produce({ a: 1 }, (draft) => { draft.a = 2; })',
  mutative: '(await import("mutative")).create({ a: 1 }, (draft) => { draft.a = 2; })',
};

/** How long `import` and a first use take in a process that has done nothing else. */
function ready(expression) {
  const program = `const start = performance.now(); ${expression}; console.log(performance.now() - start);`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd: root }));
}

export function startup(samples) {
  const rows = Object.entries(use).map(([name, expression]) => {
    const { median, least, most } = summary(Array.from({ length: samples }, () => ready(expression)));
    return [name, `${figure(median)} ms`, `${figure(least)} to ${figure(most)}`];
  });
  const about = "In a fresh process, with the first use: a document loaded, a draft finished.";
  return ["### From import to ready, Node", about, table(["", "median", "range"], rows)].join("\n\n");
}

const packages = [
  "genui-patch",
  "immer",
  "mutative",
  "fast-json-patch",
  "@streamparser/json",
  "jsonriver",
  "partial-json",
];

export async function sizes() {
  const gzip = (bytes) => `${(gzipSync(bytes, { level: 9 }).length / 1024).toFixed(1)} KB`;
  const plain = (bytes) => `${(bytes.length / 1024).toFixed(1)} KB`;
  const rows = [];
  for (const name of packages) {
    const contents = `export * from "${name}";`;
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      write: false,
    });
    rows.push([name, plain(outputFiles[0].contents), gzip(outputFiles[0].contents)]);
  }
  const modules = ["store.wasm", "blocks.wasm"].map((name) => {
    const module = readFileSync(join(root, "dist", name));
    return [`of it ${name}, before base64`, plain(module), gzip(module)];
  });
  rows.splice(1, 0, ...modules);
  const about = "All that a package exports, bundled and minified by esbuild.";
  return ["### Size", about, table(["", "minified", "gzip"], rows)].join("\n\n");
}
