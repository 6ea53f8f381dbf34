/** How long an import and the first use of a part take, where nothing has run before: a new process, a new page. */
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
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

export function firstUsesInNode(times) {
  return Object.entries(uses).map(([name, use]) => {
    const text = `${program(name, use, "genui-patch")} console.log(JSON.stringify(times));`;
    const run = () =>
      JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", text], { cwd: root }));
    return measured("Node", name, Array.from({ length: times }, run));
  });
}

/** How long Chromium's own start may keep both cores busy, in milliseconds. What is timed meanwhile is that start. */
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
        // A new browser: what it compiled is not kept.
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
