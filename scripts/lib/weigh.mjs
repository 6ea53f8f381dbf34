/** The size of a bundle of some of the package's exports. */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "./run.mjs";

export const kilobytes = (bytes) => (bytes / 1024).toFixed(1).padStart(5);

/**
 * Bytes of what esbuild makes of an import, minified and then gzipped, and of what it is made, by file. `from` is the package
 * as it was built, or another one that is installed.
 */
export async function weigh(names, from = "./dist/index.js") {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export ${names ? `{ ${names} }` : "*"} from "${from}";`, resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    write: false,
    metafile: true,
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const [{ contents }] = outputFiles;
  return { minified: contents.length, gzip: gzip(contents), inputs };
}

export const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;
