/** The published tarball, in Node and in the bundlers. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, posix } from "node:path";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import webpack from "webpack";
import { app, probe, root, runNode, tarball } from "../support/package.mjs";

const program = `import { ${probe.names} } from "genui-patch";\nconsole.log(${probe.expression});\n`;

/** Where a bundle cannot find the package, nor anything else that it did not take in. */
const elsewhere = () => mkdtempSync(join(tmpdir(), "genui-patch-bundle-"));

const paths = tarball.files.map((file) => file.path);

test("holds dist, the licenses and what users read, and nothing else", () => {
  const known = /^(dist\/|docs\/|package\.json$|[A-Z]+\.md$|LICENSE-(MIT|APACHE)$|benches\/RESULTS\.md$)/;
  assert.deepEqual(
    paths.filter((path) => !known.test(path)),
    [],
  );
  assert.equal(paths.filter((path) => path.startsWith("LICENSE-")).length, 2);
});

/** A page without its listings. */
const prose = (page) => readFileSync(join(root, page), "utf8").replace(/^(`{3,}).*?^\1$/gms, "");

/** The names that its headings have in links. */
const anchors = (page) =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

test("holds what its pages link to", () => {
  const dead = [];
  for (const page of paths.filter((path) => path.endsWith(".md"))) {
    for (const [, link, anchor] of prose(page).matchAll(/\]\(([^)#:]*)(?:#([^)]*))?\)/g)) {
      const path = link ? posix.join(posix.dirname(page), link) : page;
      if (!paths.includes(path) || (anchor && !anchors(path).includes(anchor))) dead.push(`${page}: ${link}#${anchor}`);
    }
  }
  assert.deepEqual(dead, []);
});

test("the crate holds its sources and what users read, and nothing else", () => {
  const listed = execFileSync("cargo", ["package", "--list", "--allow-dirty"], {
    cwd: root,
    encoding: "utf8",
    stdio: "pipe",
  });
  const known =
    /^(src\/.*\.rs|docs\/[a-z-]+\.md|benches\/RESULTS\.md|[A-Z]+\.md|LICENSE-\w+|Cargo\.\w+(\.orig)?|\.cargo_vcs_info\.json)$/;
  const held = listed.trim().split("\n");
  assert.deepEqual(
    held.filter((path) => !known.test(path)),
    [],
  );
  assert.ok(held.includes("README.md") && held.includes("docs/store.md"));
});

test("holds the module once, and once more deflated in base64", () => {
  assert.deepEqual(
    paths.filter((path) => path.endsWith(".wasm")),
    ["dist/core.wasm"],
  );
  const module = readFileSync(join(root, "dist/core.wasm"));
  const base64 = paths.flatMap((path) => {
    const [found] = readFileSync(join(root, path), "utf8").match(/[\w+/]{10000,}=*/) ?? [];
    return found ? [{ path, bytes: inflateRawSync(Buffer.from(found, "base64")) }] : [];
  });
  assert.deepEqual(base64, [{ path: "dist/generated/inline.js", bytes: module }]);
});

test("names no folder of the machine that built it", () => {
  const folders = [root, `${homedir()}/`, "/usr/src/"];
  for (const { path } of tarball.files) {
    const text = readFileSync(join(root, path), "latin1");
    for (const folder of folders) assert.ok(!text.includes(folder), `${path} names ${folder}`);
  }
});

test("is imported by Node", () => {
  assert.equal(runNode(app({ "main.js": program }), "main.js"), probe.value);
});

test("is required by Node", () => {
  const folder = app({
    "main.cjs": `const { ${probe.names} } = require("genui-patch");\nconsole.log(${probe.expression});`,
  });
  assert.equal(runNode(folder, "main.cjs"), probe.value);
});

test("slim: is given its module in Node", () => {
  const folder = app({
    "main.js": `
      import { readFile } from "node:fs/promises";
      import { init, ${probe.names} } from "genui-patch/slim";
      await init(await readFile(new URL(import.meta.resolve("genui-patch/core.wasm"))));
      console.log(${probe.expression});
    `,
  });
  assert.equal(runNode(folder, "main.js"), probe.value);
});

for (const [format, platform] of [
  ["esm", "browser"],
  ["iife", "browser"],
  ["cjs", "node"],
]) {
  test(`esbuild: ${format} for ${platform}`, async () => {
    const folder = app({ "main.js": program });
    const out = join(elsewhere(), format === "esm" ? "out.mjs" : "out.cjs");
    const options = { bundle: true, minify: true, format, platform, outfile: out, logLevel: "silent" };
    const { warnings } = await esbuild({ entryPoints: [join(folder, "main.js")], absWorkingDir: folder, ...options });
    assert.deepEqual(warnings, []);
    assert.equal(runNode(folder, out), probe.value);
  });
}

test("esbuild: what is not used is left out of slim", async () => {
  const folder = app({ "main.js": `import "genui-patch/slim";` });
  const options = { bundle: true, minify: true, format: "esm", write: false, logLevel: "silent" };
  const { outputFiles } = await esbuild({ entryPoints: [join(folder, "main.js")], absWorkingDir: folder, ...options });
  assert.equal(outputFiles[0].text.trim(), "");
});

test("Vite: a server is bundled with all that it needs", async () => {
  const folder = app({ "main.js": program });
  const outDir = elsewhere();
  const build = { ssr: "main.js", outDir, emptyOutDir: false };
  await vite({ root: folder, configFile: false, logLevel: "error", build, ssr: { noExternal: true } });
  assert.equal(
    runNode(
      outDir,
      join(
        outDir,
        readdirSync(outDir).find((name) => name.startsWith("main.")),
      ),
    ),
    probe.value,
  );
});

test("webpack: without any configuration", async () => {
  const folder = app({ "main.js": program });
  const output = { path: elsewhere(), filename: "out.cjs" };
  const stats = await new Promise((resolve, reject) => {
    webpack({ mode: "production", context: folder, entry: "./main.js", output, performance: false }, (error, done) =>
      error ? reject(error) : resolve(done),
    );
  });
  assert.deepEqual(stats.toJson().errors, []);
  assert.deepEqual(stats.toJson().warnings, []);
  assert.equal(runNode(folder, join(output.path, "out.cjs")), probe.value);
});
