/** The published tarball, in pages. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { build as esbuild } from "esbuild";
import { createServer, build as vite } from "vite";
import webpack from "webpack";
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

/** A policy without eval or other origins, which only allows compiling WebAssembly. */
const strict = {
  "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
};

async function shows(address) {
  const { page, problems } = await open(browser, address);
  await page.waitForFunction(() => document.title !== "", null, { timeout: 60_000 }).catch(() => {});
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

test("a plain page imports it from one file under a strict policy", async () => {
  const main = program.replace('"genui-patch"', '"./node_modules/genui-patch/dist/standalone/genui-patch.js"');
  await showsFolder(app({ "index.html": moduleScript, "main.js": main }), strict);
});

test("a plain page imports it by an import map", async () => {
  const imports = { "genui-patch": "/node_modules/genui-patch/dist/index.js" };
  const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
  await showsFolder(app({ "index.html": html(`${map}<script type="module">${program}</script>`) }));
});

for (const [how, load] of [
  ["from beside the package", "await Promise.all([initStore(), initBlocks()]);"],
  ["as it preloads", "await preload();"],
  ["from where it is told", `await initStore(fetch(at("store"))); await initBlocks(at("blocks"));`],
  [
    "as bytes",
    `await initStore((await fetch(at("store"))).arrayBuffer()); await initBlocks(await fetch(at("blocks")));`,
  ],
]) {
  test(`slim: a plain page loads the modules under a strict policy, ${how}`, async () => {
    const main = `
      import { initBlocks, initStore, preload, ${probe.names} } from "./node_modules/genui-patch/dist/slim.js";
      const at = (name) => \`/node_modules/genui-patch/dist/\${name}.wasm\`;
      ${load}
      ${report}
    `;
    await showsFolder(app({ "index.html": moduleScript, "main.js": main }), strict);
  });
}

test("slim: modules with the wrong content type", async () => {
  const main = `
    import { initBlocks, initStore, ${probe.names} } from "./node_modules/genui-patch/dist/slim.js";
    const octets = async (name) => {
      const response = await fetch(\`/node_modules/genui-patch/dist/\${name}.wasm\`);
      return new Response(response.body, { headers: { "content-type": "application/octet-stream" } });
    };
    await Promise.all([initStore(octets("store")), initBlocks(octets("blocks"))]);
    ${report}
  `;
  await showsFolder(app({ "index.html": moduleScript, "main.js": main }), strict);
});

test("a plain script, bundled by esbuild", async () => {
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

for (const [how, load] of [
  ["by itself", "await initStore(); await initBlocks();"],
  [
    "where it is asked for one",
    `import blocks from "genui-patch/blocks.wasm?url";
     import store from "genui-patch/store.wasm?url";
     await initStore(store); await initBlocks(blocks);`,
  ],
]) {
  test(`slim: Vite serves the modules as assets, ${how}`, async () => {
    const main = `
      import { initBlocks, initStore, ${probe.names} } from "genui-patch/slim";
      ${load}
      ${report}
    `;
    const folder = app({ "index.html": moduleScript, "main.js": main });
    await vite({ root: folder, configFile: false, logLevel: "error", build: { target: "esnext" } });
    await showsFolder(join(folder, "dist"), strict);
  });
}

test("slim: webpack emits the modules as assets", async () => {
  const main = `
    import { initBlocks, initStore, ${probe.names} } from "genui-patch/slim";
    Promise.all([initStore(), initBlocks()]).then(() => { ${report} });
  `;
  const folder = app({ "index.html": html(`<script src="/dist/out.js"></script>`), "main.js": main });
  const output = { path: join(folder, "dist"), filename: "out.js", publicPath: "/dist/" };
  const stats = await new Promise((resolve, reject) => {
    webpack({ mode: "production", context: folder, entry: "./main.js", output, performance: false }, (error, done) =>
      error ? reject(error) : resolve(done),
    );
  });
  assert.deepEqual(stats.toJson().errors, []);
  await showsFolder(folder, strict);
});

test("slim: Vite serves the modules", async () => {
  const main = `
    import { initBlocks, initStore, ${probe.names} } from "genui-patch/slim";
    await Promise.all([initStore(), initBlocks()]);
    ${report}
  `;
  const folder = app({ "index.html": moduleScript, "main.js": main });
  const server = await createServer({ root: folder, configFile: false, logLevel: "error", server: { port: 0 } });
  await server.listen();
  try {
    await shows(server.resolvedUrls.local[0]);
  } finally {
    await server.close();
  }
});

test("importing instantiates nothing", async () => {
  const closed = `
    for (const name of ["Module", "Instance", "compile", "compileStreaming", "instantiate", "instantiateStreaming"])
      WebAssembly[name] = new Proxy(WebAssembly[name], {
        apply() { throw new Error(name); },
        construct() { throw new Error(name); },
      });
  `;
  const main = `
    const entries = ["index.js", "slim.js", "standalone/genui-patch.js", "standalone/blocks.js"];
    for (const entry of entries) await import("/node_modules/genui-patch/dist/" + entry);
    document.title = ${JSON.stringify(probe.value)};
  `;
  await showsFolder(app({ "index.html": moduleScript, "main.js": closed + main }), strict);
});
