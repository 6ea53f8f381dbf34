// The size of each component on top of React and the package's root entry: minified by esbuild, gzipped.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

const withoutRoot = {
  name: "without what the root entry has",
  setup: (build) =>
    build.onResolve({ filter: /^\.\.?\/.*\/(?:core\/|approval\/|document\/describe\.js)/ }, ({ path }) => ({
      path,
      external: true,
    })),
};

async function weigh(names) {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${names} } from "./dist/react/ui/index.js";`, resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    external: ["react"],
    plugins: [withoutRoot],
    write: false,
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

function assertAtMost(bytes, kilobytes) {
  const over = bytes - kilobytes * 1024;
  assert.ok(over <= 0, `${bytes} bytes, ${over} too many: what has grown in src/js/react is written shorter`);
}

for (const [names, most] of Object.entries({ PageView: 9, ProposalList: 5, SurfaceView: 9, useField: 3.5 })) {
  test(`${names} weighs ${most} KB at most`, async () => {
    assertAtMost(await weigh(names), most);
  });
}

test("the style sheet weighs 6 KB at most", () => {
  assertAtMost(gzipSync(readFileSync(`${root}/dist/ui.css`), { level: 9 }).length, 6);
});
