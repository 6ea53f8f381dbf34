/** What dist/ holds beside the output of tsc: the same for entries whose modules come from elsewhere, and bundles. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { modules, standalone } from "../config.mjs";

/** Where each entry other than the default one has a module from: the text that stands for `generated/<module>.source.js`. */
const sources = {
  slim: (name, { init }) => [
    `import { loaded } from "./core/source.js";`,
    `export const source = /* @__PURE__ */ loaded("${init}", () => new URL("./${name}.wasm", import.meta.url));`,
  ],
  workerd: (name) => [
    `import module from "./${name}.wasm";`,
    `import { given } from "./core/source.js";`,
    `export const source = /* @__PURE__ */ given(module);`,
  ],
};

export async function variants(dist) {
  const files = readdirSync(dist, { recursive: true }).map((path) => path.replaceAll("\\", "/"));
  const scripts = new Map();
  for (const path of files.filter((path) => path.endsWith(".js"))) scripts.set(path, read(dist, path));
  for (const [variant, source] of Object.entries(sources)) writeVariant(dist, scripts, variant, source);
  // Not at the top: on a new machine the packages come while this runs.
  const { build } = await import("esbuild");
  await writeNode(dist, build);
  await writeStandalone(dist, build);
}

/**
 * The files that reach a source of modules stand in a folder of their own, beside those that all entries share. The sources
 * themselves stand beside the modules, so that bundlers that know nothing of them find these beside their output.
 */
function writeVariant(dist, scripts, variant, source) {
  const places = new Map();
  const others = ["index.js", ...Object.keys(sources).map((name) => `${name}.js`)].filter((path) => {
    return placeOf(path, variant, scripts) !== `${variant}.js`;
  });
  for (const name of Object.keys(modules)) places.set(`generated/${name}.source.js`, `${variant}.${name}.js`);
  for (let size = -1; size !== places.size; ) {
    size = places.size;
    for (const [path, script] of scripts) {
      if (places.has(path) || others.includes(path)) continue;
      if (imports(script).some((to) => places.has(resolve(path, to))))
        places.set(path, placeOf(path, variant, scripts));
    }
  }
  for (const [path, place] of places) {
    const own = Object.keys(modules).find((name) => path === `generated/${name}.source.js`);
    const script = own
      ? `${source(own, modules[own]).join("\n")}\n`
      : scripts.get(path).replaceAll(IMPORT, (_, before, to) => {
          const target = resolve(path, to);
          return before + JSON.stringify(relative(place, places.get(target) ?? target));
        });
    mkdirSync(dirname(join(dist, place)), { recursive: true });
    writeFileSync(join(dist, place), script);
  }
}

/** The entries stand side by side; one without a file of its own is the default one with other sources. */
function placeOf(path, variant, scripts) {
  const entry = `${variant}.js`;
  return path === entry || (path === "index.js" && !scripts.has(entry)) ? entry : `${variant}/${path}`;
}

const IMPORT = /^((?:import|export)\b[^"';]*?(?:\bfrom )?)"(\.{1,2}\/[^"]+)"/gm;

const imports = (script) => [...script.matchAll(IMPORT)].map(([, , to]) => to);
const resolve = (from, to) => posix.join(posix.dirname(from), to);

function relative(from, to) {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

const read = (dist, path) => readFileSync(join(dist, path), "utf8");

const bundled = { bundle: true, format: "esm", target: "es2022", logLevel: "warning" };

/**
 * Node takes about as long for each file of a package as a bundle of all of them takes. Its entries share what they hold in
 * common, so that a class is the same in each; the packed modules stay files, so that there is one copy of them.
 */
async function writeNode(dist, build) {
  const entryPoints = { node: "index.js", "node.slim": "slim.js", "node.react": "react/index.js" };
  await build({
    ...bundled,
    entryPoints,
    absWorkingDir: dist,
    outdir: dist,
    splitting: true,
    chunkNames: "node.[name]-[hash]",
    external: ["react", ...Object.keys(modules).map((name) => `./generated/${name}.packed.js`)],
    // Names stay: they are what a stack trace is read for.
    minifySyntax: true,
    minifyWhitespace: true,
    // Node prints the line that an error was thrown in.
    lineLimit: 160,
  });
}

async function writeStandalone(dist, build) {
  for (const [name, names] of Object.entries(standalone)) {
    const contents = `export ${names ? `{ ${names.join(", ")} }` : "*"} from "./index.js";`;
    const outfile = join(dist, "standalone", `${name}.js`);
    await build({ ...bundled, stdin: { contents, resolveDir: dist }, outfile, minify: true });
    writeFileSync(outfile.replace(/js$/, "d.ts"), `${contents.replace("./index.js", "../index.js")}\n`);
  }
}
