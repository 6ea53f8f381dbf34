/** The time of an import and of the first use of a part, in a new process or a new page, where no code has run before. */
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { build } from "esbuild";
import { browser, chromiumFlags } from "./browser.mjs";
import { root } from "./run.mjs";

const uses = {
  PatchStore: `new PatchStore().load("page", "{}")`,
  ToolBlockStream: `new ToolBlockStream().push("text")`,
  repairToolBlock: `repairToolBlock("{a: 1}")`,
  SurfaceStream: `new SurfaceStream().push("")`,
};

/** The module that each use needs. */
const moduleOf = { PatchStore: "store", ToolBlockStream: "blocks", repairToolBlock: "blocks" };

/** Several runs of one program: milliseconds of the import, and of the first use. */
const measured = (where, name, runs) => ({
  where,
  name,
  imported: runs.map(([time]) => time),
  used: runs.map(([, time]) => time),
});

const program = (name, use, from) => `
  const start = performance.now();
  const { ${name} } = await import(${JSON.stringify(from)});
  const imported = performance.now();
  ${use};
  const times = [imported - start, performance.now() - imported];
`;

/** Prints `times`: milliseconds of compiling a module, without reading it. */
const compiling = (module) => `
  import { readFileSync } from "node:fs";
  const bytes = readFileSync(${JSON.stringify(join(root, `dist/${module}.wasm`))});
  const start = performance.now();
  new WebAssembly.Module(bytes);
  console.log(JSON.stringify(performance.now() - start));
`;

/**
 * Runs each program in a new process, taking turns, so that a slow moment of the machine affects all of them. `compiled`:
 * milliseconds of compiling the part's module alone.
 */
export function firstUsesInNode(times) {
  const run = (text) =>
    JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", text], { cwd: root }));
  const rows = Object.keys(uses).map((name) => ({ where: "Node", name, imported: [], used: [], compiled: [] }));
  for (let time = 0; time < times; time++) {
    for (const { name, imported, used, compiled } of rows) {
      const text = `${program(name, uses[name], "genui-patch")} console.log(JSON.stringify(times));`;
      const [importTime, useTime] = run(text);
      imported.push(importTime);
      used.push(useTime);
      if (moduleOf[name]) compiled.push(run(compiling(moduleOf[name])));
    }
  }
  return rows;
}

/** Milliseconds after which Chromium's own start no longer uses the processor, which would be measured, too. */
const STARTING = 1500;

export async function firstUsesInChromium(times) {
  const { chrome } = await browser();
  const { chromium } = await import("playwright-core");
  const bundles = new Map();
  for (const name of Object.keys(uses)) {
    const stdin = { contents: `export { ${name} } from "genui-patch";`, resolveDir: root };
    const { outputFiles } = await build({ stdin, bundle: true, minify: true, format: "esm", write: false });
    bundles.set(`/${name}.js`, outputFiles[0].contents);
  }
  const server = createServer((request, response) => {
    const script = bundles.get(request.url);
    response
      .writeHead(200, { "content-type": script ? "text/javascript" : "text/html" })
      .end(script ?? "<title></title>");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}`;
  const rows = [];
  try {
    for (const [name, use] of Object.entries(uses)) {
      const runs = [];
      for (let time = 0; time < times; time++) {
        // A new browser, without compiled code in its cache.
        const engine = await chromium.launch({ executablePath: chrome, args: chromiumFlags });
        const page = await engine.newPage();
        await page.goto(address);
        await setTimeout(STARTING);
        runs.push(await page.evaluate(`(async () => { ${program(name, use, `/${name}.js`)} return times; })()`));
        await engine.close();
      }
      rows.push(measured("Chromium", name, runs));
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return rows;
}
