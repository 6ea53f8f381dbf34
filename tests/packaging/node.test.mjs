/** The published tarball, in Node and in the bundlers. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, posix } from "node:path";
import { test } from "node:test";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import webpack from "webpack";
import { app, modulesIn, parts, probe, root, runNode, tarball } from "../support/package.mjs";

const program = `import { ${probe.names} } from "genui-patch";\nconsole.log(${probe.expression});\n`;

/** A folder in which a bundle can resolve neither the package nor anything else outside itself. */
const elsewhere = () => mkdtempSync(join(tmpdir(), "genui-patch-bundle-"));

const paths = tarball.files.map((file) => file.path);

test("the tarball holds dist, the licenses and the documentation, and nothing else", () => {
  const known = /^(dist\/|docs\/|package\.json$|[A-Z]+\.md$|LICENSE-(MIT|APACHE)$)/;
  assert.deepEqual(
    paths.filter((path) => !known.test(path)),
    [],
  );
  assert.equal(paths.filter((path) => path.startsWith("LICENSE-")).length, 2);
});

test("the tarball's package.json holds nothing that works only in the repository", () => {
  const manifest = JSON.parse(readFileSync(join(app(), "node_modules/genui-patch/package.json"), "utf8"));
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  assert.deepEqual(manifest.exports, exports);
  for (const name of ["scripts", "workspaces", "devDependencies", "allowScripts"]) assert.ok(!(name in manifest), name);
  assert.ok(!manifest.files.some((path) => path.startsWith("benches")));
});

/** A page's Markdown without its listings. */
const prose = (page) => readFileSync(join(root, page), "utf8").replace(/^(`{3,}).*?^\1$/gms, "");

/** The anchors of a page's headings. */
const anchors = (page) =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

test("the tarball holds every target of its links", () => {
  const dead = [];
  for (const page of paths.filter((path) => path.endsWith(".md"))) {
    for (const [, link, anchor] of prose(page).matchAll(/\]\(([^)#:]*)(?:#([^)]*))?\)/g)) {
      const path = link ? posix.join(posix.dirname(page), link) : page;
      if (!paths.includes(path) || (anchor && !anchors(path).includes(anchor))) dead.push(`${page}: ${link}#${anchor}`);
    }
  }
  assert.deepEqual(dead, []);
});

test("the crate holds its sources and the documentation, and nothing else", () => {
  const listed = execFileSync("cargo", ["package", "--list", "--allow-dirty"], {
    cwd: root,
    encoding: "utf8",
    stdio: "pipe",
  });
  const known =
    /^(src\/.*\.rs|docs\/[a-z-]+\.md|benches\/RESULTS\.md|[A-Z]+\.md|LICENSE-\w+|Cargo\.\w+(\.orig)?|\.cargo_vcs_info\.json)$/;
  const packaged = listed.trim().split("\n");
  assert.deepEqual(
    packaged.filter((path) => !known.test(path)),
    [],
  );
  assert.ok(packaged.includes("README.md") && packaged.includes("docs/store.md"));
});

/** Decompresses as the package does. Other input gives a wrong result. */
function unpacked(unpacker, packed, size) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(unpacker));
  new Uint8Array(exports.memory.buffer, exports.input()).set(packed);
  return Buffer.from(exports.memory.buffer, exports.unpack(size), size);
}

test("the tarball holds each module once as a file and once as packed text, except in single-file builds", async () => {
  assert.deepEqual(
    paths.filter((path) => path.endsWith(".wasm")),
    ["dist/blocks.wasm", "dist/store.wasm"],
  );
  const modules = ["blocks", "store"].map((name) => [name, readFileSync(join(root, `dist/${name}.wasm`))]);
  const { unpacker } = await import(join(root, "dist/generated/unpack.js"));
  const base64 = paths.flatMap((path) => {
    const found = readFileSync(join(root, path), "utf8").match(/[\w+/]{10000,}=*/g) ?? [];
    return found.map((text) => {
      const packed = Buffer.from(text, "base64");
      return [
        path,
        modules.find(([, module]) => module.equals(unpacked(Buffer.from(unpacker, "hex"), packed, module.length)))?.[0],
      ];
    });
  });
  const files = base64.filter(([path]) => !path.startsWith("dist/standalone/"));
  assert.deepEqual(files, [
    ["dist/generated/blocks.packed.js", "blocks"],
    ["dist/generated/store.packed.js", "store"],
  ]);
  const standalone = base64.filter(([path]) => path.startsWith("dist/standalone/"));
  const embedded = standalone.map(([path, name]) => `${posix.basename(path, ".js")} holds ${name}`);
  assert.deepEqual(embedded.sort(), [
    "blocks holds blocks",
    "genui-patch holds blocks",
    "genui-patch holds store",
    "store holds store",
  ]);
});

test("the tarball names no folder of the machine that built it", () => {
  const folders = [root, `${homedir()}/`, "/usr/src/"];
  for (const { path } of tarball.files) {
    const text = readFileSync(join(root, path), "latin1");
    for (const folder of folders) assert.ok(!text.includes(folder), `${path} names ${folder}`);
  }
});

test("Node imports the package", () => {
  assert.equal(runNode(app({ "main.js": program }), "main.js"), probe.value);
});

test("Node imports few files, by the condition node, and its entries share their classes", async () => {
  const folder = app({
    "main.js": `
      import { GenuiPatchError, SurfaceStream } from "genui-patch";
      import * as hooks from "genui-patch/react";
      import * as slim from "genui-patch/slim";
      const entries = ["", "/slim", "/react"].map((entry) => import.meta.resolve("genui-patch" + entry));
      let error;
      try { new slim.PatchStore(); } catch (thrown) { error = thrown; }
      const same = [error instanceof GenuiPatchError, slim.SurfaceStream === SurfaceStream];
      console.log(...entries.map((address) => address.split("/").at(-1)), same.join(), typeof hooks.useInstance);
    `,
  });
  symlinkSync(join(root, "node_modules/react"), join(folder, "node_modules/react"));
  const output = "node.js node.slim.js node.react.js true,true function";
  assert.equal(runNode(folder, "main.js"), output);
  const options = { bundle: true, format: "esm", platform: "node", write: false, metafile: true };
  const { metafile } = await esbuild({ entryPoints: [join(folder, "main.js")], external: ["react"], ...options });
  // The app, three entries, the chunks that they share with each other, with the components, with the server and with AG-UI's entry,
  // and two packed modules. What import() loads when it is needed does not count.
  const atOnce = new Set();
  const visit = (path) => {
    atOnce.add(path);
    for (const { path: next, kind } of metafile.inputs[path]?.imports ?? []) {
      if (kind !== "dynamic-import" && next in metafile.inputs && !atOnce.has(next)) visit(next);
    }
  };
  visit(Object.keys(metafile.inputs).find((path) => path.endsWith("/main.js")));
  assert.ok(atOnce.size > 4 && atOnce.size <= 17, [...atOnce].join());
});

/** Prints the byte lengths of the code compiled on the first use of both modules, and the probe's value. */
const compiles = `
  import { ${probe.names} } from "genui-patch";
  const lengths = [];
  WebAssembly.Module = new Proxy(WebAssembly.Module, {
    construct(target, [bytes]) {
      lengths.push(bytes.length);
      return new target(bytes);
    },
  });
  const value = ${probe.expression};
  console.log(value, lengths.join());
`;

const lengthOf = (name) => statSync(join(root, `dist/${name}.wasm`)).size;
const [storeLength, blocksLength] = ["store", "blocks"].map(lengthOf);

test("Node compiles the modules from their files, without unpacking", () => {
  const printed = runNode(app({ "main.js": compiles }), "main.js");
  assert.equal(printed, `${probe.value} ${blocksLength},${storeLength}`);
});

for (const [condition, change] of [
  ["is missing", rmSync],
  ["is another version's", (path) => writeFileSync(path, readFileSync(path).subarray(8))],
]) {
  test(`Node unpacks a module whose file ${condition}`, async () => {
    const { unpacker } = await import(join(root, "dist/generated/unpack.js"));
    const unpackerLength = Buffer.from(unpacker, "hex").length;
    const folder = app({ "main.js": compiles });
    change(join(folder, "node_modules/genui-patch/dist/store.wasm"));
    const printed = runNode(folder, "main.js");
    assert.equal(printed, `${probe.value} ${blocksLength},${unpackerLength},${storeLength}`);
  });
}

test("Node requires the package", () => {
  const folder = app({
    "main.cjs": `const { ${probe.names} } = require("genui-patch");\nconsole.log(${probe.expression});`,
  });
  assert.equal(runNode(folder, "main.cjs"), probe.value);
});

test("slim: Node loads the modules from the package or from a given source", () => {
  const folder = app({
    "beside.js": `
      import { initBlocks, initStore, ${probe.names} } from "genui-patch/slim";
      await Promise.all([initStore(), initBlocks()]);
      console.log(${probe.expression});
    `,
    "preload.js": `
      import { preload, ${probe.names} } from "genui-patch/slim";
      await preload();
      console.log(${probe.expression});
    `,
    "given.js": `
      import { readFile } from "node:fs/promises";
      import { initBlocks, initStore, ${probe.names} } from "genui-patch/slim";
      await initStore(readFile(new URL(import.meta.resolve("genui-patch/store.wasm"))));
      await initBlocks(import.meta.resolve("genui-patch/blocks.wasm"));
      console.log(${probe.expression});
    `,
  });
  for (const program of ["beside.js", "preload.js", "given.js"]) assert.equal(runNode(folder, program), probe.value);
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

/** One app for all unused code that bundlers must drop: each entry point uses other names. */
const uses = (from) =>
  app(
    Object.fromEntries(
      parts.map(({ names }, n) => [`use${n}.js`, `import { ${names} } from "${from}";\nconsole.log(${names});\n`]),
    ),
  );

/** The text of each bundler's output for one file, whatever the number of its chunks. */
const bundlers = {
  async esbuild(folder, entry) {
    const options = { bundle: true, minify: true, format: "esm", write: false, logLevel: "silent" };
    const entryPoints = [join(folder, entry)];
    const { outputFiles } = await esbuild({ entryPoints, absWorkingDir: folder, external: ["react"], ...options });
    return outputFiles.map(({ text }) => text).join("");
  },
  async Vite(folder, entry) {
    const build = { write: false, rollupOptions: { input: join(folder, entry) } };
    const { output } = await vite({ root: folder, configFile: false, logLevel: "error", build });
    return output.map(({ code }) => code ?? "").join("");
  },
  async webpack(folder, entry) {
    return pack(folder, `./${entry}`, elsewhere());
  },
};

for (const [name, bundle] of Object.entries(bundlers)) {
  test(`${name}: a bundle holds the modules that it uses, and no other`, async () => {
    const folder = uses("genui-patch");
    for (const [n, { names, holds }] of parts.entries()) {
      assert.deepEqual(modulesIn(await bundle(folder, `use${n}.js`)), holds, names);
    }
  });
}

test("an import without names adds nothing to a bundle", async () => {
  for (const entry of ["genui-patch", "genui-patch/slim", "genui-patch/react"]) {
    const folder = app({ "main.js": `import "${entry}";` });
    assert.equal((await bundlers.esbuild(folder, "main.js")).replace('import"react";', "").trim(), "", entry);
  }
});

test("slim: no bundle holds a module", async () => {
  const folder = uses("genui-patch/slim");
  for (const [n, { names }] of parts.entries()) {
    assert.ok((await bundlers.esbuild(folder, `use${n}.js`)).length < 150_000, names);
  }
});

test("Vite: a bundled server works without the package", async () => {
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

/** The output of webpack for a file, without any configuration. */
async function pack(folder, entry, path) {
  const output = { path, filename: "out.cjs" };
  const stats = await new Promise((resolve, reject) => {
    webpack({ mode: "production", context: folder, entry, output, performance: false }, (error, done) =>
      error ? reject(error) : resolve(done),
    );
  });
  assert.deepEqual(stats.toJson().errors, []);
  assert.deepEqual(stats.toJson().warnings, []);
  return readFileSync(join(path, "out.cjs"), "utf8");
}

test("webpack: without any configuration", async () => {
  const folder = app({ "main.js": program });
  const path = elsewhere();
  await pack(folder, "./main.js", path);
  assert.equal(runNode(folder, join(path, "out.cjs")), probe.value);
});

test("Node imports the single-file builds", async () => {
  const main = `
    import { checkPath } from "genui-patch/standalone/blocks.js";
    import { formatPath } from "genui-patch/standalone/store.js";
    import * as all from "genui-patch/standalone/genui-patch.js";
    import * as surface from "genui-patch/standalone/surface.js";
    console.log(${probe.expression}, all.version === surface.version, typeof surface.SurfaceStream);
  `;
  assert.equal(runNode(app({ "main.js": main }), "main.js"), `${probe.value} true function`);
});
