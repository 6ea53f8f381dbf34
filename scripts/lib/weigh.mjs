/** What a bundle of some of the package's names weighs. */
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { root } from "./run.mjs";

export const kilobytes = (bytes) => (bytes / 1024).toFixed(1).padStart(5);

/** Bytes of what esbuild makes of an import, minified and then gzipped, and of what it is made, by file. */
export async function weigh(names) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export ${names ? `{ ${names} }` : "*"} from "./index.js";`, resolveDir: join(root, "dist") },
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    metafile: true,
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  return { gzip: gzipSync(outputFiles[0].contents, { level: 9 }).length, inputs };
}
