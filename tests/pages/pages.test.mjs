/** The published tarball, in pages. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { build as esbuild } from "esbuild";
import { createServer, build as vite } from "vite";
import { open } from "../support/browser.mjs";
import { startEngine } from "../support/engine.mjs";
import { app, probe } from "../support/package.mjs";
import { serveFolder } from "../support/site.mjs";

const browser = await startEngine();
after(() => browser.close());

const html = (script) => `<!doctype html><meta charset="utf-8"><title></title>${script}`;
const moduleScript = html(`<script type="module" src="/main.js"></script>`);
const report = `document.title = ${probe.expression};`;
const program = `import { ${probe.names} } from "genui-patch";\n${report}\n`;

/** No eval, nothing from elsewhere; only that WebAssembly may be compiled. */
const strict = {
  "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
};

async function shows(address) {
  const { page, problems } = await open(browser, address);
  await page.waitForFunction(() => document.title !== "", null, { timeout: 10_000 }).catch(() => {});
  assert.deepEqual(problems, []);
  assert.equal(await page.title(), probe.value);
  await page.close();
}

async function showsFolder(folder, headers) {
  const site = await serveFolder(folder, headers);
  try {
    await shows(site.address);
  } finally {
    site.close();
  }
}

test("a plain page imports it under a strict policy", async () => {
  const main = program.replace('"genui-patch"', '"./node_modules/genui-patch/dist/index.js"');
  await showsFolder(app({ "index.html": moduleScript, "main.js": main }), strict);
});

test("slim: a plain page fetches the module under a strict policy", async () => {
  const main = `
    import { init, ${probe.names} } from "./node_modules/genui-patch/dist/slim.js";
    await init(fetch("/node_modules/genui-patch/dist/core.wasm"));
    ${report}
  `;
  await showsFolder(app({ "index.html": moduleScript, "main.js": main }), strict);
});

test("a plain script holds it, bundled by esbuild", async () => {
  const folder = app({ "index.html": html(`<script src="/out.js"></script>`), "main.js": program });
  const options = { bundle: true, minify: true, format: "iife", outfile: join(folder, "out.js"), logLevel: "silent" };
  await esbuild({ entryPoints: [join(folder, "main.js")], absWorkingDir: folder, ...options });
  await showsFolder(folder, strict);
});

test("Vite builds it without any configuration", async () => {
  const folder = app({ "index.html": moduleScript, "main.js": program });
  await vite({ root: folder, configFile: false, logLevel: "error" });
  await showsFolder(join(folder, "dist"), strict);
});

test("Vite serves it without any configuration", async () => {
  const folder = app({ "index.html": moduleScript, "main.js": program });
  const server = await createServer({ root: folder, configFile: false, logLevel: "error", server: { port: 0 } });
  await server.listen();
  try {
    await shows(server.resolvedUrls.local[0]);
  } finally {
    await server.close();
  }
});

test("slim: Vite gives the module an address", async () => {
  const main = `
    import { init, ${probe.names} } from "genui-patch/slim";
    import address from "genui-patch/core.wasm?url";
    await init(address);
    ${report}
  `;
  const folder = app({ "index.html": moduleScript, "main.js": main });
  await vite({ root: folder, configFile: false, logLevel: "error", build: { target: "esnext" } });
  await showsFolder(join(folder, "dist"), strict);
});
