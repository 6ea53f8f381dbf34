/** The engines that package.json names: the README names them too, and the built code uses only syntax that they support. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { root } from "../support/package.mjs";

const { browserslist, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const oldest = [...browserslist, `node ${engines.node}`].map((row) => row.split(/ ?>= ?/));

test("the README names the oldest engines of package.json", () => {
  const [stated] = /(?<=^- Engines: )[^;]*(?= and newer)/m.exec(readFileSync(join(root, "README.md"), "utf8"));
  const names = oldest.map(([name, version]) => `${name[0].toUpperCase()}${name.slice(1)} ${version}`);
  assert.deepEqual(stated.split(", ").sort(), names.sort());
});

test("the build uses no syntax that those engines lack", async () => {
  const standalone = readdirSync(join(root, "dist/standalone")).filter((name) => name.endsWith(".js"));
  const entryPoints = ["index.js", "slim.js", "react/index.js", ...standalone.map((name) => `standalone/${name}`)];
  const outputs = async (target) => {
    const { outputFiles } = await build({
      entryPoints: entryPoints.map((name) => join(root, "dist", name)),
      bundle: true,
      format: "esm",
      external: ["react"],
      outdir: "out",
      write: false,
      target,
      // esbuild considers scripts of later Unicode versions new syntax.
      supported: { "regexp-unicode-property-escapes": true },
    });
    return outputFiles.map(({ text }) => text);
  };
  const asBuilt = await outputs("esnext");
  for (const [name, version] of oldest) assert.deepEqual(await outputs(`${name}${version}`), asBuilt, name);
  assert.notDeepEqual(await outputs("safari16.3"), asBuilt);
});
