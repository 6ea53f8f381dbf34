/** The tests of the JavaScript API in a page: each file of tests/js in a tab of its own. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { bundle } from "../support/bundle.mjs";
import { startEngine } from "../support/engine.mjs";
import { types } from "../support/site.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const names = readdirSync(join(root, "tests/js")).filter((name) => name.endsWith(".test.mjs"));
const scripts = await bundle(names.map((name) => join(root, "tests/js", name)));

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  const script = scripts.get(path.slice(1));
  const send = (type, body) => response.writeHead(200, { "content-type": type }).end(body);
  if (script) return send(types[".js"], script);
  if (path === "/transform") {
    return text(request).then(async (body) =>
      send("application/json", JSON.stringify(await transform(...JSON.parse(body)))),
    );
  }
  if (path.startsWith("/run/")) return send(types[".html"], page(path.slice(5)));
  const file = join(root, normalize(path));
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return send("application/json", JSON.stringify(readdirSync(file)));
  if (stat?.isFile()) return send(types[extname(path)] ?? "text/plain; charset=utf-8", readFileSync(file));
  return response.writeHead(404).end();
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => {
  server.closeAllConnections();
  server.close();
});
const browser = await startEngine();
after(() => browser.close());

const page = (name) => `<!doctype html><meta charset="utf-8"><title></title>
<script>
  onerror = (message) => { document.title = "failed"; globalThis.failure = String(message); };
  onunhandledrejection = ({ reason }) => { document.title = "failed"; globalThis.failure = String(reason) + reason?.stack; };
</script>
<script type="importmap">{ "imports": { "genui-patch/standalone/": "/dist/standalone/" } }</script>
<script type="module">
  await import("/${name}");
  document.title = "ready";
</script>`;

for (const name of scripts.keys()) {
  test(name, async (t) => {
    const tab = await browser.newPage();
    await tab.goto(`http://127.0.0.1:${server.address().port}/run/${name}`);
    await tab.waitForFunction(() => document.title !== "");
    const rows =
      (await tab.title()) === "ready"
        ? await tab.evaluate(() => globalThis.runTests())
        : assert.fail(await tab.evaluate(() => globalThis.failure));
    await tab.close();
    assert.ok(rows.length > 0);
    for (const [title, failure, missing] of rows) {
      await t.test(title, { skip: missing ?? false }, () => assert.ok(failure === null, failure));
    }
  });
}
