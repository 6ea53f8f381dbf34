/** What it costs to have the package at all: the time from import to a first use, memory, and bytes. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "../../scripts/lib/run.mjs";
import { summary } from "./measure.mjs";
import { figure, table } from "./report.mjs";

const use = {
  "genui-patch, imported alone": 'await import("genui-patch")',
  "genui-patch, a document loaded": 'new (await import("genui-patch")).PatchStore().load("page", "{}")',
  "genui-patch, a piece of a chat": 'new (await import("genui-patch")).ToolBlockStream().push("Hi")',
  "genui-patch, a line of a surface": `new (await import("genui-patch")).SurfaceStream().push('{"streamHeader":{"version":"1.0.0"}}\\n')`,
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
  const about = "In a fresh process, with the first use.";
  return ["### From import to ready, Node", about, table(["", "median", "range"], rows)].join("\n\n");
}

/** A page of 10,000 blocks: what the collector counts once it has run, and the modules' own memory. */
const MEMORY = `
  const { page } = await import("./benches/lib/documents.mjs");
  const text = JSON.stringify(page(10_000));
  const memories = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(...all) {
      super(...all);
      memories.push(this.exports.memory);
    }
  };
  gc();
  const before = process.memoryUsage().heapUsed;
  const store = new (await import("genui-patch")).PatchStore();
  store.load("page", text);
  store.snapshot("page");
  gc();
  const heap = process.memoryUsage().heapUsed - before;
  console.log(JSON.stringify([heap, memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0), store.names().length]));
`;

export function memory() {
  const args = ["--expose-gc", "--input-type=module", "--eval", MEMORY];
  const [heap, module] = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }));
  const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MB`;
  const about = "A store with a document of 10,000 blocks, and its snapshot. Asked: at most 24 MB of the module.";
  return [
    "### Memory, Node",
    about,
    table(
      ["", ""],
      [
        ["JavaScript's heap", megabytes(heap)],
        ["the module's pages", megabytes(module)],
      ],
    ),
  ].join("\n\n");
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
  const imports = [
    'export { textDiff } from "genui-patch"',
    'export { jsonDiff } from "genui-patch"',
    'export { ToolBlockStream, validateToolBlock, repairToolBlock } from "genui-patch"',
    'export { PatchStore } from "genui-patch"',
    'export { SurfaceStream } from "genui-patch"',
    ...packages.map((name) => `export * from "${name}"`),
  ];
  for (const contents of imports) {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      write: false,
    });
    rows.push([
      `\`${contents.slice("export ".length)}\``,
      plain(outputFiles[0].contents),
      gzip(outputFiles[0].contents),
    ]);
  }
  for (const name of ["store.wasm", "blocks.wasm"]) {
    const module = readFileSync(join(root, "dist", name));
    rows.push([`${name}, before base64`, plain(module), gzip(module)]);
  }
  const about = "What is imported, bundled and minified by esbuild.";
  return ["### Size", about, table(["", "minified", "gzip"], rows)].join("\n\n");
}
