/** Where contenders run: each in a process of its own, since sharing one flatters some and harms others. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root, work } from "../../scripts/lib/run.mjs";
import { launch, open } from "../../tests/support/browser.mjs";
import { serveFolder } from "../../tests/support/site.mjs";

const child = join(root, "benches/child.mjs");

export async function node() {
  return {
    name: `Node ${process.version}`,
    run(...job) {
      const args = [child, ...job.slice(0, -1).map(String), JSON.stringify(job.at(-1))];
      return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" }));
    },
    close() {},
  };
}

/** A new context for each contender, which has a renderer of its own: another process, and nothing that was compiled before. */
export async function chromium() {
  const folder = join(work, "bench");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(root, "benches/page.mjs")],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    logLevel: "warning",
  });
  writeFileSync(join(folder, "index.html"), '<!doctype html><script type="module" src="page.js"></script>');
  // Isolated pages have a clock of 5 µs instead of 100.
  const headers = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
  const site = await serveFolder(folder, headers);
  const browser = await launch();
  return {
    name: `Chromium ${browser.version()}, headless`,
    isPage: true,
    async run(...job) {
      const context = await browser.newContext();
      try {
        const { page, problems } = await open(context, site.address);
        if (problems.length > 0) throw new Error(problems.join("\n"));
        await page.waitForFunction(() => "measureContender" in globalThis);
        return await page.evaluate((job) => globalThis.measureContender(...job), job);
      } finally {
        await context.close();
      }
    },
    async close() {
      site.close();
      await browser.close();
    },
  };
}
