/** The cost of having the package at all: time from import to a first use, memory, and bytes. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { budgets } from "../../scripts/config.mjs";
import { firstUsesInChromium, firstUsesInNode } from "../../scripts/lib/first-use.mjs";
import { root } from "../../scripts/lib/run.mjs";
import { gzip, weigh } from "../../scripts/lib/weigh.mjs";
import { summary } from "./measure.mjs";
import { figure, table } from "./report.mjs";

const peers = {
  immer: '(await import("immer")).produce({ a: 1 }, (draft) => { draft.a = 2; })',
  mutative: '(await import("mutative")).create({ a: 1 }, (draft) => { draft.a = 2; })',
};

/** How long `import` and a first use take in a process that has done nothing else. */
function ready(expression) {
  const program = `const start = performance.now(); ${expression}; console.log(performance.now() - start);`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd: root }));
}

/** Limits for a first use, and for an import of everything: Node always imports everything. */
const USED = { Node: 40, Chromium: 30 };
const IMPORTED = 2;

/** Why it takes longer than is asked. */
const PARSED = "Nothing runs: it is V8 that reads 320 KB of JavaScript before it links them.";
const TRIED = "What was tried is listed in docs/internals.md.";
const UNPACKED = "More than half of it unpacks the module, which the download saves a quarter of.";

/** In new processes and new browsers. */
export async function startup(processes, nodeOnly) {
  const found = [...firstUsesInNode(processes), ...(nodeOnly ? [] : await firstUsesInChromium(processes))];
  const cells = (times) => {
    const { median, least, most } = summary(times);
    return [`${figure(median)} ms`, `${figure(least)} to ${figure(most)}`];
  };
  const rows = found.map(({ where, name, imported, used }) => [
    `${name}, ${where}`,
    ...cells(imported),
    ...cells(used),
  ]);
  for (const [name, expression] of Object.entries(peers))
    rows.push([`${name}, Node`, "", "", ...cells(Array.from({ length: processes }, () => ready(expression)))]);
  const about =
    "In a fresh process, then the first use; of the peers both together. Chromium is new each time, and has started: while it " +
    "still does, both cores are busy, and everything takes a third longer.";
  return [
    ["### Import and first use", about, table(["", "import", "range", "first use", "range"], rows)].join("\n\n"),
    {
      host: "Node",
      row: "Import of everything",
      value: summary(found[0].imported).median,
      most: IMPORTED,
      unit: "ms",
      why: PARSED,
    },
    ...found.map(({ where: host, name, used }) => ({
      host,
      row: `${name}: first use`,
      value: summary(used).median,
      most: USED[host],
      unit: "ms",
      why: UNPACKED,
    })),
  ];
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
  const megabytes = (bytes) => `${figure(bytes / 2 ** 20)} MB`;
  const about = "A store with a document of 10,000 blocks, and its snapshot.";
  const rows = [
    ["JavaScript's heap", megabytes(heap)],
    ["the module's pages", megabytes(module)],
  ];
  const row = "Memory: the module's pages with 10,000 blocks";
  return [
    ["### Memory, Node", about, table(["", ""], rows)].join("\n\n"),
    { host: "Node", row, value: module / 2 ** 20, most: 24, unit: "MB" },
  ];
}

/** Other packages, whole, to compare with. */
const PEERS = ["immer", "mutative", "fast-json-patch", "@streamparser/json", "jsonriver", "partial-json"];

export async function sizes() {
  const kilobytes = (bytes) => bytes / 1024;
  const rows = [];
  const found = [];
  for (const { names, from, asked } of [...budgets, ...PEERS.map((from) => ({ from }))]) {
    const { minified, gzip } = await weigh(names, from);
    const name = `${names ?? "everything"} of ${from ?? "genui-patch"}`;
    const value = kilobytes(gzip);
    rows.push([name, `${figure(kilobytes(minified))} KB`, `${figure(value)} KB`]);
    if (asked) found.push({ host: "Node", row: `Size: ${name}`, value, most: asked, unit: "KB", why: TRIED });
  }
  for (const name of ["store.wasm", "blocks.wasm"]) {
    const module = readFileSync(join(root, "dist", name));
    rows.push([
      `${name}, before it is packed`,
      `${figure(kilobytes(module.length))} KB`,
      `${figure(kilobytes(gzip(module)))} KB`,
    ]);
  }
  const about = "What is imported, bundled and minified by esbuild.";
  return [["### Size", about, table(["", "minified", "gzip"], rows)].join("\n\n"), ...found];
}
