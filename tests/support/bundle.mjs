/** Tests of tests/js as scripts for pages, with stand-ins for Node's modules. */
import { readFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));
const standIn = (name) => fileURLToPath(new URL(`stand-ins/${name}.mjs`, import.meta.url));
const own = { "node:test": standIn("test"), "node:assert/strict": standIn("assert"), esbuild: standIn("esbuild") };

/** Tests, and files that fetch a module, keep their address, since they read files by relative address. */
const plugin = {
  name: "stand-ins",
  setup(build) {
    build.onResolve({ filter: /^(node:.*|esbuild)$/ }, ({ path }) => ({
      path: own[path] ?? fileURLToPath(new URL("stand-ins/node.cjs", import.meta.url)),
    }));
    build.onResolve({ filter: /^happy-dom$/ }, ({ path }) => ({ path, external: true }));
    build.onLoad(
      { filter: /[\\/](tests[\\/](js|support)[\\/][^\\/]*\.mjs|dist[\\/]slim\.\w+\.js)$/ },
      async ({ path }) => {
        const address = `new URL(${JSON.stringify(`/${relative(root, path)}`)}, location.href).href`;
        return { contents: (await readFile(path, "utf8")).replaceAll("import.meta.url", address) };
      },
    );
  },
};

/** One script for each file, by its name. */
export async function bundle(files) {
  const { outputFiles } = await build({
    entryPoints: files,
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    target: "esnext",
    outdir: "out",
    entryNames: "[name]",
    write: false,
    logLevel: "warning",
    define: { "process.env.NODE_ENV": '"development"' },
    inject: [standIn("globals")],
    plugins: [plugin],
  });
  return new Map(outputFiles.map(({ path, contents }) => [path.split(/[\\/]/).at(-1).replace(/js$/, "mjs"), contents]));
}
