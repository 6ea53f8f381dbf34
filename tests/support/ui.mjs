/** A page with the components, bundled and served under a strict policy: no inline style, no inline script, no eval. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A policy that allows only what a page with the components needs. */
const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self' data:; media-src 'self'";

const frame = `:root { background: var(--gp-sunken); }
body { margin: 0; }
main { display: grid; gap: 2.5rem; max-width: 56rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
main > section { min-width: 0; }`;

const html = (markup, script) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Components</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/ui.css"><link rel="stylesheet" href="/frame.css"></head>
<body><main>${markup}</main><script type="module" src="/${script}.js"></script></body></html>`;

/** Serves `/`, with the scripts of tests/ui by their names: `/?…` for the first. `markup` is the server-rendered HTML. */
export async function servePage({ scripts = ["page"], markup = "" } = {}) {
  const { outputFiles } = await build({
    entryPoints: scripts.map((name) => `${root}/tests/ui/${name}.mjs`),
    bundle: true,
    format: "esm",
    target: "esnext",
    outdir: "out",
    write: false,
    logLevel: "warning",
    define: { "process.env.NODE_ENV": '"development"' },
    nodePaths: [`${root}/node_modules`],
  });
  const files = new Map([
    ["/ui.css", [await readFile(`${root}/dist/ui.css`), "text/css"]],
    ["/frame.css", [frame, "text/css"]],
    ...outputFiles.map(({ path, contents }) => [`/${path.split(/[\\/]/).at(-1)}`, [contents, "text/javascript"]]),
  ]);
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const script = pathname === "/" ? scripts[0] : pathname.slice(1);
    const [body, type] = files.get(pathname) ?? (scripts.includes(script) ? [html(markup, script), "text/html"] : []);
    response.statusCode = body === undefined ? 404 : 200;
    if (type) response.setHeader("content-type", `${type}; charset=utf-8`);
    response.setHeader("content-security-policy", policy);
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
