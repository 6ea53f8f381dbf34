/** The entries of the package: their exports, and the effects of importing them. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import * as entry from "genui-patch";
import * as slimEntry from "genui-patch/slim";
import { modules, standalone } from "../../scripts/config.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = (program) => {
  const options = { cwd: root, encoding: "utf8" };
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], options);
  assert.equal(stderr.slice(0, 2000), "");
  return stdout.trim();
};

const all = { ...entry };
const slim = { ...slimEntry };
const inits = Object.values(modules).map(({ init }) => init);

test("the slim entry has the names of the default one, and those that load", () => {
  assert.deepEqual(Object.keys(slim).sort(), [...Object.keys(all), ...inits].sort());
});

test("what needs no module is the same in both", () => {
  for (const name of ["GenuiPatchError", "jsonDiff", "textDiff", "toolDefinitions", "limits", "version", "preload"])
    assert.equal(slim[name], all[name], name);
});

test("the builds that are one file hold what they say, and nothing that is not there", async () => {
  for (const [file, names] of Object.entries(standalone)) {
    const exported = await import(`genui-patch/standalone/${file}.js`);
    assert.deepEqual(Object.keys(exported).sort(), [...(names ?? Object.keys(all))].sort(), file);
  }
});

test("nothing of the server is reached from the default entry, and a class is the same in both", async () => {
  const { metafile } = await build({
    entryPoints: ["dist/index.js"],
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    write: false,
    metafile: true,
  });
  assert.deepEqual(
    Object.keys(metafile.inputs).filter((path) => path.includes("dist/server/")),
    [],
  );
  const { createRooms } = await import("genui-patch/server");
  assert.throws(() => createRooms({}), entry.GenuiPatchError);
});

/** Makes every way to load a module throw. */
const closed = `
  for (const name of ["Module", "Instance", "compile", "compileStreaming", "instantiate", "instantiateStreaming"])
    WebAssembly[name] = new Proxy(WebAssembly[name], {
      apply() { throw new Error(name); },
      construct() { throw new Error(name); },
    });
`;

test("importing compiles and instantiates nothing", () => {
  const entries = ["genui-patch", "genui-patch/slim", "genui-patch/react", "genui-patch/server"];
  for (const file of Object.keys(standalone)) entries.push(`genui-patch/standalone/${file}.js`);
  for (const entry of entries) assert.equal(run(`${closed} await import("${entry}"); console.log("ok");`), "ok", entry);
});

test("what needs no module runs without one", () => {
  const program = `${closed}
    const { GulfWriter, SurfaceStream, jsonDiff, textDiff, toolDefinitions, toJsonPatch, fromJsonPatch, limits, version } =
      await import("genui-patch");
    const data = new GulfWriter().dataModelUpdate({ path: "a", contents: 1 });
    new SurfaceStream().push(data);
    jsonDiff({ a: 1 }, { a: 2 });
    textDiff("a", "b");
    toolDefinitions("ui", "anthropic");
    fromJsonPatch(toJsonPatch([{ kind: "set", path: ["a"], value: 1 }]));
    console.log(limits.maxDepth, version);`;
  assert.equal(run(program), `128 ${all.version}`);
});

test("the package and the crate are of one version", () => {
  const { packages } = JSON.parse(
    execFileSync("cargo", ["metadata", "--format-version=1", "--no-deps"], { cwd: root, encoding: "utf8" }),
  );
  assert.equal(packages.find(({ name }) => name === "genui-patch").version, all.version);
});

test("slim: what comes before its init says which one it needs", () => {
  const program = `
    import { checkPath, parsePath, PatchStore, ToolBlockStream } from "genui-patch/slim";
    const said = (use) => { try { use(); } catch ({ code, message }) { return code + " " + /init\\w+/.exec(message)[0]; } };
    console.log(JSON.stringify([
      () => new PatchStore(),
      () => parsePath("a"),
      () => new ToolBlockStream(),
      () => checkPath("a"),
    ].map(said)));`;
  const [store, blocks] = ["NOT_READY initStore", "NOT_READY initBlocks"];
  assert.deepEqual(JSON.parse(run(program)), [store, store, blocks, blocks]);
});

test("slim: a load that failed may be tried again, and two are one", () => {
  const program = `
    import { readFile } from "node:fs/promises";
    import { initStore, parsePath } from "genui-patch/slim";
    const failures = [];
    const failed = (cause) => failures.push(cause.constructor.name);
    await initStore(new Uint8Array(8)).catch(failed);
    await initStore(new URL("file:///nowhere.wasm")).catch(failed);
    await initStore(new Response("", { status: 404 })).catch(failed);
    await initStore(Promise.reject(new RangeError())).catch(failed);
    let compiled = 0;
    const { compile } = WebAssembly;
    WebAssembly.compile = (...args) => (compiled++, compile(...args));
    const bytes = readFile(new URL(import.meta.resolve("genui-patch/store.wasm")));
    await Promise.all([initStore(bytes), initStore(bytes), initStore()]);
    await initStore();
    console.log(failures.join(), compiled, parsePath("state.params.a").ok);`;
  assert.equal(run(program), "CompileError,Error,Error,RangeError 1 true");
});

test("slim: takes responses, whatever their type, and compiled modules", () => {
  const program = `
    import { readFile } from "node:fs/promises";
    import { checkPath, initBlocks, initStore, parsePath } from "genui-patch/slim";
    const read = (name) => readFile(new URL(import.meta.resolve("genui-patch/" + name + ".wasm")));
    await initStore(new Response(await read("store"), { headers: { "content-type": "application/wasm" } }));
    await initBlocks(new Response(await read("blocks"), { headers: { "content-type": "text/plain" } }));
    console.log(parsePath("state.params.a").ok, checkPath("a").ok);`;
  assert.equal(run(program), "true true");
  const compiled = `
    import { readFile } from "node:fs/promises";
    import { initStore, parsePath } from "genui-patch/slim";
    await initStore(new WebAssembly.Module(await readFile(new URL(import.meta.resolve("genui-patch/store.wasm")))));
    console.log(parsePath("state.params.a").ok);`;
  assert.equal(run(compiled), "true");
});

test("preload brings all modules to life, and a call that comes before it is done does not wait", () => {
  const program = `
    import { checkPath, parsePath, preload } from "genui-patch";
    const loading = preload();
    const early = parsePath("state.params.a").ok;
    await loading;
    for (const name of ["Module", "Instance"]) WebAssembly[name] = () => { throw new Error(name); };
    console.log(early, parsePath("state.params.b").ok, checkPath("a").ok);`;
  assert.equal(run(program), "true true true");
});
