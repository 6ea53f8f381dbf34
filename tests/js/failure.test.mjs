/** The behaviour after an internal failure. No input should cause one, so the test causes it by hand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksModule } from "../../dist/core/blocks-module.js";
import { storeModule } from "../../dist/core/store-module.js";
// Imported by path: the package's name would load a bundle with modules of its own.
import { checkPath, PatchStore, ToolBlockStream } from "../../dist/index.js";

const thrown = (code) => (error) => error.name === "GenuiPatchError" && error.code === code;

function failing(module = storeModule) {
  let freed = 0;
  const handle = module.make(() => ({ free: () => freed++ }));
  const fail = () =>
    handle.call(() => {
      throw new WebAssembly.RuntimeError("unreachable");
    });
  return { handle, fail, freed: () => freed };
}

test("a handle after a failure is dead, is not freed, and others go on", () => {
  const store = new PatchStore();
  const { handle, fail, freed } = failing();
  assert.throws(fail, thrown("INTERNAL"));
  assert.throws(() => handle.call(() => 1), thrown("INTERNAL"));
  handle.dispose();
  handle.dispose();
  assert.equal(freed(), 0);
  assert.equal(store.load("page", { state: { params: {} } }).status, "success");
  assert.equal(new PatchStore().load("page", {}).status, "success");
});

test("a refusal of the module is no failure", () => {
  for (let time = 0; time < 20; time++) {
    assert.throws(() => new PatchStore({ rules: "loose" }), thrown("INVALID_ARGUMENT"));
  }
  assert.equal(new PatchStore().load("page", {}).status, "success");
});

test("after eight failures a module is given up, and all of it says so; the other one goes on", () => {
  const store = new PatchStore();
  const stream = new ToolBlockStream();
  for (let time = 1; time < 8; time++) assert.throws(failing().fail, thrown("INTERNAL"));
  assert.throws(() => new PatchStore(), thrown("INTERNAL"));
  assert.throws(() => store.apply("{}"), thrown("INTERNAL"));
  store.dispose();

  assert.deepEqual(stream.push("text"), [{ type: "text", text: "text" }]);
  assert.throws(failing(blocksModule).fail, thrown("INTERNAL"));
  assert.equal(checkPath("./a.ts").path, "a.ts");
  assert.deepEqual(new ToolBlockStream().push("more"), [{ type: "text", text: "more" }]);
});
