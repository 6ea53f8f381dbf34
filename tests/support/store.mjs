/** Assertions about any store. */
import assert from "node:assert/strict";
import { PatchStore } from "genui-patch";

/** A page that is valid under the structure rules. */
export const page = (name = "page") => ({
  meta: { pageKey: name },
  state: {
    params: { n: 1, s: "x", l: [1, 2, { id: "a", deep: [{}] }], o: { k: 1, 2: "two", inner: { z: null } } },
    runtime: {},
  },
  layout: { type: "single" },
  blocks: [
    {
      id: "a",
      type: "form",
      props: {
        fields: [
          { key: "n", label: "N", type: "number", value: 3 },
          { key: "s", label: "S", type: "text" },
        ],
      },
    },
    { id: "b", type: "tabs", props: { tabs: [{ id: "t", title: "T" }] } },
  ],
  actions: [{ id: "go", label: "Go", style: "primary" }],
});

/** The document of an instance as the module stores it. */
export function document(store, name) {
  return JSON.parse(store.save()).instances.find((instance) => instance.name === name)?.document;
}

/** Equal as JSON, with the same order of keys, and with -0 distinct from 0. */
export function assertSame(actual, expected, message) {
  assert.deepStrictEqual(actual, expected, message);
  assert.equal(JSON.stringify(actual), JSON.stringify(expected), message);
}

/** Asserts that the snapshots equal the module's documents, under the same names and at the same revisions. */
export function assertMirror(store, message) {
  const { active, instances } = JSON.parse(store.save());
  assert.deepEqual(
    store.names(),
    instances.map(({ name }) => name),
    message,
  );
  for (const { name, document, revision } of instances) {
    assertSame(store.snapshot(name), document, message);
    assert.equal(store.revision(name), revision, message);
  }
  assert.equal(store.active, active, message);
}

/** Asserts that the value is frozen at every depth. */
export function assertFrozen(value, message) {
  if (typeof value !== "object" || value === null) return;
  assert.ok(Object.isFrozen(value), message);
  for (const inner of Object.values(value)) assertFrozen(inner, message);
}

/** Makes a check for assert.throws of a GenuiPatchError. */
export const thrown =
  (code, message = /./) =>
  (error) => {
    assert.equal(error?.name, "GenuiPatchError", `${error?.stack ?? error}`);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  };

/** Whether a call throws a misuse error, for tests of many calls that list those that do not. */
export function throwsMisuse(call) {
  try {
    call();
    return false;
  } catch (error) {
    return error.name === "GenuiPatchError" && error.code === "INVALID_ARGUMENT" && error.message !== "";
  }
}

/** A store with that page. `kinds()` returns and clears the kinds of the events that its listeners have received. */
export function paged(options) {
  const store = new PatchStore(options);
  store.load("page", page());
  const received = [];
  store.subscribe((event) => received.push(event));
  const kinds = () => received.splice(0).map(({ type, instance_name, origin }) => `${type} ${instance_name} ${origin}`);
  return { store, received, kinds };
}
