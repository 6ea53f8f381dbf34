/** What `import "genui-patch"` costs: bundled, minified, gzipped. */
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { sizeLimit } from "./config.mjs";
import { main, root, say } from "./lib/run.mjs";

await main(async () => {
  const bundle = await build({
    entryPoints: [join(root, "dist/index.js")],
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
  });
  const size = gzipSync(bundle.outputFiles[0].contents, { level: 9 }).length;
  say("size", `default entry: ${size} bytes gzipped, limit ${sizeLimit}`);
  if (size > sizeLimit) process.exitCode = 1;
});
