/** The files of dist/ that tsc does not write: entries that get their modules from elsewhere, and bundles. */
import { statSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { modules, standalone } from "../config.mjs";

/**
 * Where an entry gets a module from: the text of the file that replaces `generated/<module>.source.js`, the default. It is in the
 * folder of the `.wasm` files, so that the address is also right in a bundle that has those files in its own folder.
 */
const sources = {
  slim: (name) => [
    `import { loaded } from "./core/source.js";`,
    `const address = () => new URL("./${name}.wasm", import.meta.url);`,
    `export const source = /* @__PURE__ */ loaded("${modules[name].init}", address);`,
  ],
  workerd: (name) => [
    `import module from "./${name}.wasm";`,
    `import { given } from "./core/source.js";`,
    `export const source = /* @__PURE__ */ given(module);`,
  ],
  node: (name, size) => [
    `import { fileOrInlined } from "./core/source.js";`,
    `import { packed } from "./generated/${name}.packed.js";`,
    `const address = () => new URL("./${name}.wasm", import.meta.url);`,
    `export const source = /* @__PURE__ */ fileOrInlined(address, packed, ${size});`,
  ],
};

const bundled = { bundle: true, format: "esm", target: "es2022", logLevel: "warning" };

/** Writes them into `dist`, which holds the output of tsc. */
export async function writeVariants(dist) {
  // Imported here, not at the top: `npm ci` may run after this file is loaded.
  const { build } = await import("esbuild");
  const run = (options) => build({ ...bundled, absWorkingDir: dist, ...options });
  const imports = await importGraph(run);
  await writeCopies(dist, run, imports, "slim", "slim.js");
  await writeCopies(dist, run, imports, "workerd", "index.js");
  await writeNode(dist, run);
  await writeStandalone(dist, run);
}

/** The files that each file imports, as `Map(path -> paths)`. */
async function importGraph(run) {
  const { metafile } = await run({ entryPoints: ["slim.js"], outdir: ".", write: false, metafile: true });
  return new Map(Object.entries(metafile.inputs).map(([path, { imports }]) => [path, imports.map((to) => to.path)]));
}

/**
 * An entry that a bundler may take apart needs single files. Those that import a module, directly or not, are copied to
 * `dist/<variant>/`, where they import the variant's sources; all other files are shared with the default entry.
 */
async function writeCopies(dist, run, imports, variant, entry) {
  const places = new Map();
  for (const name of Object.keys(modules)) {
    const place = `${variant}.${name}.js`;
    writeFileSync(join(dist, place), `${sources[variant](name).join("\n")}\n`);
    places.set(`generated/${name}.source.js`, place);
  }
  const copied = importers(imports, [...places.keys()]).filter((path) => path !== "slim.js");
  for (const path of copied) places.set(path, `${variant}/${path}`);
  places.set(entry, `${variant}.js`);
  await Promise.all(
    [...new Set([...copied, entry])].map((path) => {
      const from = posix.dirname(places.get(path));
      // Each file alone: every import stays an import, of the place where its file stands now.
      const resolved = ({ kind, path: specifier }) => {
        if (kind === "entry-point") return undefined;
        const target = posix.join(posix.dirname(path), specifier);
        const relative = posix.relative(from, places.get(target) ?? target);
        return { path: relative.startsWith(".") ? relative : `./${relative}`, external: true };
      };
      const plugin = { name: "places", setup: (build) => build.onResolve({ filter: /./ }, resolved) };
      return run({ entryPoints: [path], outfile: places.get(path), plugins: [plugin], allowOverwrite: true });
    }),
  );
}

/** The files that import one of these, directly or through others. */
function importers(imports, targets) {
  const found = new Set(targets);
  for (let size = 0; size !== found.size; ) {
    size = found.size;
    for (const [path, paths] of imports) if (paths.some((to) => found.has(to))) found.add(path);
  }
  return [...found].filter((path) => !targets.includes(path));
}

/**
 * Node takes about as long for each file that it imports as for a bundle of all of them. Its entries share chunks, so that a
 * class is the same in each of them.
 */
async function writeNode(dist, run) {
  const entryPoints = {
    node: "index.js",
    "node.slim": "slim.js",
    "node.react": "react/index.js",
    "node.ui": "react/ui/index.js",
    "node.server": "server/index.js",
    "node.ag-ui": "ag-ui/index.js",
    "node.ai-sdk": "ai-sdk/index.js",
  };
  const chosen = {
    name: "sources",
    setup(build) {
      build.onResolve({ filter: /\/generated\/\w+\.source\.js$/ }, ({ path }) => ({ path, namespace: "source" }));
      build.onLoad({ filter: /./, namespace: "source" }, ({ path }) => {
        const name = posix.basename(path, ".source.js");
        const { size } = statSync(join(dist, `${name}.wasm`));
        return { contents: sources.node(name, size).join("\n"), resolveDir: dist };
      });
      // One copy of the packed text, which other entries import too.
      build.onResolve({ filter: /\.packed\.js$/ }, ({ path }) => ({ path, external: true }));
    },
  };
  await run({
    entryPoints,
    outdir: ".",
    splitting: true,
    chunkNames: "node.[name]-[hash]",
    external: ["react", "node:*"],
    plugins: [chosen],
    // Names stay, for stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    // Node prints the line of an error that is not caught.
    lineLimit: 160,
  });
}

async function writeStandalone(dist, run) {
  for (const [name, names] of Object.entries(standalone)) {
    const contents = `export ${names ? `{ ${names.join(", ")} }` : "*"} from "./index.js";`;
    const outfile = `standalone/${name}.js`;
    await run({ stdin: { contents, resolveDir: dist }, outfile, minify: true });
    writeFileSync(join(dist, outfile.replace(/js$/, "d.ts")), `${contents.replace("./index.js", "../index.js")}\n`);
  }
}
