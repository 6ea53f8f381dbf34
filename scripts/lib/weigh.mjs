/** The size of a bundle of some of the package's exports. */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "./run.mjs";

export const kilobytes = (bytes) => (bytes / 1024).toFixed(1).padStart(5);

/**
 * Bytes of what esbuild makes of an import, minified and then gzipped, and of what it is made, by file. `from` is the package
 * as it was built, or another one that is installed. `later` are the bytes of what `import()` loads when it is needed.
 */
export async function weigh(names, from = "./dist/index.js") {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export ${names ? `{ ${names} }` : "*"} from "${from}";`, resolveDir: root },
    bundle: true,
    splitting: true,
    outdir: root,
    minify: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    write: false,
    metafile: true,
  });
  const chunks = Object.entries(metafile.outputs).map(([path, about]) => ({ path, ...about }));
  const atOnce = new Set();
  const load = (chunk) => {
    atOnce.add(chunk.path);
    for (const { path, kind } of chunk.imports) {
      const next = chunks.find((other) => other.path === path);
      if (kind === "import-statement" && next && !atOnce.has(path)) load(next);
    }
  };
  load(chunks.find(({ path }) => path.endsWith("stdin.js")));
  const isAtOnce = ({ path }) => [...atOnce].some((name) => path.endsWith(`/${name}`));
  const contents = Buffer.concat(outputFiles.filter(isAtOnce).map((file) => file.contents));
  const rest = outputFiles.filter((file) => !isAtOnce(file)).map((file) => file.contents);
  const inputs = Object.assign({}, ...chunks.filter(({ path }) => atOnce.has(path)).map(({ inputs }) => inputs));
  const later = rest.length === 0 ? 0 : gzip(Buffer.concat(rest));
  return { minified: contents.length, gzip: gzip(contents), later, inputs };
}

export const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;
