// Calls that cancel out: the snapshot keeps its identity, and no listener is called.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { assertMirror } from "../support/store.mjs";

const PAGE = {
  page_key: "p",
  state: {
    params: { n: 1, s: "x", flag: true, o: { a: 1, b: { c: 2 } }, l: [{ id: "a", n: 1 }, { id: "b", n: 2 }, 3], e: [] },
    runtime: {},
  },
  layout: { type: "single" },
  blocks: [
    { id: "one", type: "tabs", title: "One" },
    { id: "two", type: "tabs" },
  ],
  actions: [],
};
const L = "state.params.l";
const set = (path, value) => ({ op: "set", path, value });
const op = (op, path, rest) => ({ op, path, ...rest });

/** Patches that cancel out, by what they do. */
const PATCHES = {
  "another layout and back": [set("layout", { type: "grid", columns: 2 }), set("layout", { type: "single" })],
  "set and set back": [set("state.params.n", 2), set("state.params.n", 1)],
  "set and set back, with others between": [
    set("state.params.n", 2),
    set("state.params.s", "y"),
    set("state.params.s", "x"),
    set("state.params.n", 1),
  ],
  "up and down": [op("increment", "state.params.n"), op("decrement", "state.params.n")],
  "toggled twice": [op("toggle", "state.params.flag"), op("toggle", "state.params.flag")],
  "a new key that goes": [set("state.params.new", 1), op("remove", "state.params.new")],
  "a tree that goes": [set("state.runtime.a.b.c", 1), set("state.runtime.a.d", 2), op("remove", "state.runtime.a")],
  "the last key, gone and come": [op("remove", "state.params.o.b"), set("state.params.o.b", { c: 2 })],
  "merged and merged back": [
    op("merge", "state.params.o", { value: { a: 5 } }),
    op("merge", "state.params.o", { value: { a: 1 } }),
  ],
  "appended and taken": [op("append_to_list", L, { value: 9 }), op("remove_last", L)],
  "appended to an empty list and cleared": [
    op("append_to_list", "state.params.e", { items: [1, 2, 3] }),
    op("clear", "state.params.e"),
  ],
  "put in front and removed": [op("prepend_to_list", L, { value: { id: "f" } }), op("remove", `${L}["f"]`)],
  "an item updated and updated back": [
    op("update_list_item", L, { value: { key: "id", value: "b", updates: { n: 7 } } }),
    op("update_list_item", L, { value: { key: "id", value: "b", updates: { n: 2 } } }),
  ],
  "another id and back": [set(`${L}["a"].id`, "z"), set(`${L}["z"].id`, "a")],
  "a block that goes": [op("add", "blocks", { value: { id: "x", type: "tabs" } }), op("remove", 'blocks["x"]')],
  "a block changed within a list that is set back": [set('blocks["one"].title', "Two"), set("blocks", PAGE.blocks)],
  "all new and all old": [set("state.params", {}), set("state.params", PAGE.state.params)],
  "cleared and set": [op("clear", "state.params.o"), set("state.params.o", PAGE.state.params.o)],
};

const OPERATIONS = {
  "moved there and back": [
    { op: "move", from: "/state/params/l/0", path: "/state/params/l/2" },
    { op: "move", from: "/state/params/l/2", path: "/state/params/l/0" },
  ],
  "added and removed": [
    { op: "add", path: "/state/params/l/1", value: 7 },
    { op: "remove", path: "/state/params/l/1" },
  ],
  "copied and removed": [
    { op: "copy", from: "/state/params/o", path: "/state/params/p" },
    { op: "remove", path: "/state/params/p" },
  ],
  "the last key under another name and back": [
    { op: "move", from: "/state/params/o/b", path: "/state/params/o/longer" },
    { op: "move", from: "/state/params/o/longer", path: "/state/params/o/b" },
  ],
  "moved by way of a list": [
    { op: "move", from: "/state/params/o/b", path: "/state/params/e/-" },
    { op: "move", from: "/state/params/e/0", path: "/state/params/o/b" },
  ],
  "one item round all places": [
    { op: "move", from: "/state/params/l/0", path: "/state/params/l/2" },
    { op: "move", from: "/state/params/l/0", path: "/state/params/l/2" },
    { op: "move", from: "/state/params/l/0", path: "/state/params/l/2" },
  ],
  "replaced and replaced back": [
    { op: "replace", path: "/state/params/n", value: 2 },
    { op: "replace", path: "/state/params/n", value: 1 },
  ],
};

const call = (patches) => ({ instance_name: "p", patches });
const pushed = (patches) => ({ type: "patch", instance_name: "p", patch: patches });

function paged(options) {
  const store = new PatchStore(options);
  store.load("p", PAGE);
  const events = [];
  store.subscribe((event) => events.push(event));
  return { store, events };
}

/** Runs a step without a visible change; returns the types of its events. */
function unseen(name, { store, events }, run) {
  events.length = 0;
  const [before, revision] = [store.snapshot("p"), store.revision("p")];
  const result = run();
  if (result !== undefined) {
    assert.equal(result.status, "success", `${name}: ${JSON.stringify(result)}`);
    assert.deepEqual(result.changes, [], name);
    assert.equal(result.revision, revision, name);
    assert.equal(store.revision("p"), revision, name);
  }
  assert.equal(store.snapshot("p"), before, name);
  if (store.pending().length === 0) assertMirror(store, name);
  return events.map(({ type }) => type);
}

for (const [name, patches] of Object.entries(PATCHES)) {
  test(`patches that cancel out: ${name}`, () => {
    const page = paged();
    const { store } = page;
    assert.deepEqual(
      unseen("apply", page, () => store.apply(call(patches))),
      [],
    );
    assert.deepEqual(
      unseen("text", page, () => store.apply(JSON.stringify(call(patches)))),
      [],
    );
    assert.deepEqual(
      unseen("receive", page, () => store.receive(pushed(patches))),
      [],
    );
    assert.deepEqual(
      unseen("batch", page, () => store.batch(() => void patches.map((patch) => store.apply(call([patch]))))),
      [],
    );
    const preview = store.propose(call(patches));
    assert.ok(preview.id, JSON.stringify(preview));
    assert.deepEqual(
      unseen("approve", page, () => void store.approve(preview.id)).filter((type) => type !== "proposal"),
      [],
    );

    assert.deepEqual(
      unseen("optimistic", page, () => store.applyOptimistic(call(patches))),
      ["pending"],
    );
    const [pending] = store.pending();
    assert.deepEqual(pending.changes, []);
    assert.deepEqual(
      unseen("beneath", page, () => store.apply(call(patches))),
      [],
    );
    assert.deepEqual(
      unseen("reject", page, () => store.reject(pending.pendingId)),
      ["pending"],
    );
    store.applyOptimistic(call(patches));
    assert.deepEqual(
      unseen("confirm", page, () => store.confirm(store.pending()[0].pendingId)),
      ["pending"],
    );
    assert.equal(store.pending().length, 0);
  });
}

for (const [name, operations] of Object.entries(OPERATIONS)) {
  test(`operations that cancel out: ${name}`, () => {
    const page = paged();
    const { store } = page;
    assert.deepEqual(
      unseen("apply", page, () => store.applyJsonPatch("p", operations)),
      [],
    );
    const delta = { type: "STATE_DELTA", delta: operations };
    assert.deepEqual(
      unseen("receive", page, () => store.receive(delta, { instance: "p" })),
      [],
    );
    const each = () => void operations.map((operation) => store.applyJsonPatch("p", [operation]));
    assert.deepEqual(
      unseen("batch", page, () => store.batch(each)),
      [],
    );
  });
}

test("setting an existing value changes nothing, by every method", () => {
  const page = paged();
  const { store } = page;
  const ways = {
    load: () => store.load("p", PAGE),
    "load of a text": () => store.load("p", JSON.stringify(PAGE, null, 1)),
    "other rules": () => store.load("p", PAGE, { rules: "open" }),
    snapshot: () => store.receive({ type: "STATE_SNAPSHOT", snapshot: PAGE }, { instance: "p" }),
    schema: () => store.receive({ type: "schema_update", instance_name: "p", schema: PAGE }),
    "merge patch": () => store.applyMergePatch("p", { state: { params: { n: 1, gone: null } } }),
    replace: () => store.applyJsonPatch("p", [{ op: "replace", path: "", value: PAGE }]),
    "move to the end": () =>
      store.applyJsonPatch("p", [{ op: "move", from: "/state/params/l/2", path: "/state/params/l/-" }]),
    move: () => store.applyJsonPatch("p", [{ op: "move", from: "/state/params/l/1", path: "/state/params/l/1" }]),
  };
  for (const [name, run] of Object.entries(ways)) assert.deepEqual(unseen(name, page, run), [], name);
  store.applyOptimistic(call([set("state.params.n", 5)]));
  for (const [name, run] of Object.entries(ways)) {
    if (name.startsWith("move") || name === "merge patch") continue;
    assert.deepEqual(unseen(`${name} beneath`, page, run), [], name);
  }
});

test("a push that a pending call covers changes nothing visible", () => {
  const page = paged();
  const { store } = page;
  store.applyOptimistic(call([set("state.params.n", 5)]));
  assert.deepEqual(
    unseen("push", page, () => store.receive(pushed({ "state.params.n": 7 }))),
    [],
  );
  assert.equal(store.confirmed("p").state.params.n, 7);
});

test("a batch emits exactly its final changes", () => {
  const { store, events } = paged();
  const before = store.snapshot("p");
  store.batch(() => {
    store.setNumber("p", "state.params.n", 2);
    store.setString("p", "state.params.s", "y");
    store.batch(() => store.setNumber("p", "state.params.n", 1));
    assert.notEqual(store.snapshot("p"), before);
    store.setString("p", "state.params.s", "x");
  });
  assert.deepEqual([events.length, store.snapshot("p") === before], [0, true]);
  store.batch(() => {
    store.setNumber("p", "state.params.n", 2);
    store.setNumber("p", "state.params.n", 3);
  });
  assert.deepEqual([events.length, store.snapshot("p").state.params.n], [1, 3]);
  const silent = new PatchStore();
  silent.load("p", PAGE);
  const first = silent.snapshot("p");
  silent.batch(() => {
    silent.setNumber("p", "state.params.n", 2);
    silent.setNumber("p", "state.params.n", 1);
  });
  assert.equal(silent.snapshot("p"), first);
});

test("changes that only seem to cancel out are changes", () => {
  const changing = {
    "the first key goes to the end": [op("remove", "state.params.o.a"), set("state.params.o.a", 1)],
    "two items change places": [op("remove", `${L}.0`), op("append_to_list", L, { value: { id: "a", n: 1 } })],
    "as long as before": [set("state.params.s", "y"), set("state.params.n", 2), set("state.params.s", "z")],
  };
  for (const [name, patches] of Object.entries(changing)) {
    const { store, events } = paged();
    const before = store.snapshot("p");
    const result = store.apply(call(patches));
    assert.equal(result.status, "success", name);
    assert.ok(result.changes.length >= 2 && events.length === 1 && store.snapshot("p") !== before, name);
    assertMirror(store, name);
  }
});
