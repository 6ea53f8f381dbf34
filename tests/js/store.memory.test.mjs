// The module's memory after stores are disposed and calls are settled.
import assert from "node:assert/strict";
import { test } from "node:test";
// The package has no public access to its memory; only this test needs it.
import { storeModule } from "../../dist/core/store-module.js";
// Imported by path: the package's name would load a bundle with a module of its own.
import { PatchStore } from "../../dist/index.js";
import { assertMirror, page, thrown } from "../support/store.mjs";

/**
 * A turn that leaks makes the memory grow in the end. Nothing large may run before it in this
 * process: memory that it frees would hide the growth.
 */
function assertFlat(turn) {
  storeModule.glue.begin;
  const { memory } = storeModule;
  const many = (count) => {
    for (let place = 0; place < count; place++) turn(place);
    return memory.buffer.byteLength;
  };
  const before = many(200);
  assert.ok(before > 0);
  assert.equal(many(10_000), before);
}

test("10,000 stores created and disposed leave the module's memory unchanged in size", () => {
  const document = page();
  assertFlat((place) => {
    const store = new PatchStore();
    store.load("page", document);
    store.apply({ instance_name: "page", patches: [{ op: "append_to_list", path: "state.params.l", value: "more" }] });
    store.setString("page", `state.params.k${place % 7}`, "a string of some length, to have something to keep");
    store.dispose();
  });
});

test("10,000 restored stores, and 10,000 that could not be restored", () => {
  const store = new PatchStore();
  store.load("page", page());
  const saved = store.save();
  assertFlat(() => PatchStore.restore(saved).dispose());
  const damaged = saved.replace('"type":"form"', '"type":"nope"');
  assertFlat(() => assert.throws(() => PatchStore.restore(damaged), thrown("INVALID_STRUCTURE")));
  assertFlat(() => assert.throws(() => new PatchStore({ nope: 1 }), thrown("INVALID_ARGUMENT")));
});

test("a store that changes and fails for long keeps what it holds, and no more", () => {
  const store = new PatchStore();
  store.load("page", page());
  const failing = {
    instance_name: "page",
    patches: [{ op: "set", path: "state.params.s", value: "y" }, { op: "nope" }],
  };
  assertFlat((place) => {
    store.setString("page", "state.params.s", `value ${place % 3}`);
    store.apply(failing);
    store.apply({ instance_name: "__CREATE__", new_instance_name: `i${place}` });
    store.apply({ instance_name: "__DELETE__", target_instance_name: `i${place}` });
    store.load("page", page());
  });
  assertMirror(store);
  store.dispose();
});
