// Sets of one scalar: `setNumber`, `setString` and `setBoolean` do what a call with one `set` does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { limits, PatchStore } from "genui-patch";
import { texts } from "../support/calls.mjs";
import { assertMirror, assertSame, page, thrown } from "../support/store.mjs";

/** Paths of sets: places that exist, places that can be created, and paths that are refused. */
const places = [
  "state.params.n",
  "state.params.s",
  "state.params.l.0",
  "state.params.l[1]",
  "state.params.l.3",
  "state.params.l.4",
  'state.params.l["a"].deep',
  'state.params.l["zz"].deep',
  "state.params.l.key",
  "state.params.o",
  "state.params.o.2",
  'state.params["o"].k',
  'state.params["a.b"]',
  'state.params."a.b"',
  "state.params.new",
  "state.params.new.deep.er",
  "state.params.s.below",
  "/state/params/n",
  "/state/params/a~1b",
  "state.runtime.x",
  "state.runtime.0",
  "blocks.0.title",
  'blocks["b"].title',
  "blocks[a].title",
  'blocks["zz"].title',
  "blocks.9.title",
  "blocks.a.title",
  "blocks-0",
  'blocks["a"].id',
  'blocks["a"].type',
  "blocks",
  "blocks+",
  'blocks-"a"',
  "layout.type",
  "layout.columns",
  "meta.pageKey",
  "meta.status",
  "page_key",
  "actions.0.label",
  'actions["go"].style',
  "state",
  "nope.a",
  "state.nope",
  "state..a",
  "state.params.__proto__",
  "state.params.a b",
  'state.params["\ud800"]',
  "state.params.😀",
  "",
];

const values = {
  setNumber: [0, -0, 1, 1.5, -1e300, 2 ** 53 + 2],
  setString: [...texts, "a", "grid", "submitted"],
  setBoolean: [true, false],
};

function paged(rules) {
  const store = new PatchStore();
  store.load("page", page(), { rules });
  const events = [];
  store.subscribe((event) => events.push(event));
  return { store, events };
}

/** A saved text without histories: what a user types in one place is one group. */
const withoutHistories = (saved) => JSON.stringify({ ...JSON.parse(saved), histories: undefined });

for (const rules of ["ui", "open"]) {
  for (const [setter, list] of Object.entries(values)) {
    test(`${setter} does what a call with one set does, rules ${rules}`, () => {
      const statuses = new Set();
      for (const path of places) {
        const typed = paged(rules);
        const called = paged(rules);
        for (const value of [...list, ...list.slice(0, 2), list[1]]) {
          const result = typed.store[setter]("page", path, value);
          const patches = [{ op: "set", path, value }];
          const message = JSON.stringify({ path, value });
          assert.deepStrictEqual(result, called.store.apply({ instance_name: "page", patches }), message);
          assert.equal(...[typed, called].map(({ store }) => withoutHistories(store.save())), message);
          assert.deepStrictEqual(typed.events, called.events, message);
          statuses.add(result.error?.code ?? result.changes.map(({ kind }) => kind).join());
        }
        assertMirror(typed.store, path);
      }
      const everywhere = ["set", "insert", "", "PATH_NOT_FOUND"];
      const wanted = rules === "ui" ? [...everywhere, "INVALID_PATH", "SCHEMA_MUTATION"] : everywhere;
      for (const status of wanted) assert.ok(statuses.has(status), `${status} is among ${[...statuses]}`);
    });
  }
}

test("setting in an instance that does not exist or was deleted is INVALID_INSTANCE", () => {
  const { store } = paged();
  for (const path of ["state.params.n", "state..a"]) {
    const result = store.setNumber("nobody", path, 1);
    assert.deepEqual([result.status, result.error.code], ["error", "INVALID_INSTANCE"]);
    assert.deepEqual(result.available_instances, ["page"]);
  }
  // A deleted instance.
  store.load("gone", page("gone"));
  store.setNumber("gone", "state.params.n", 2);
  store.apply({ instance_name: "__DELETE__", target_instance_name: "gone" });
  assert.equal(store.setNumber("gone", "state.params.n", 3).error.code, "INVALID_INSTANCE");
  // A new instance takes the slot of the deleted one.
  store.load("next", page("next"));
  assert.equal(store.setNumber("gone", "state.params.n", 4).error.code, "INVALID_INSTANCE");
  store.setNumber("next", "state.params.n", 5);
  assert.equal(store.get("next", "state.params.n"), 5);
  assertMirror(store);
});

test("one path is set in two instances, also after its id has moved in one of them", () => {
  const { store } = paged();
  store.load("other", page("other"));
  for (const name of ["page", "other"]) store.setString(name, 'blocks["b"].title', name);
  store.apply({ instance_name: "page", patches: [{ op: "remove", path: 'blocks["a"]' }] });
  for (const name of ["page", "other"]) store.setString(name, 'blocks["b"].title', `${name} again`);
  assert.equal(store.get("page", "blocks.0.title"), "page again");
  assert.equal(store.get("other", "blocks.1.title"), "other again");
  assertMirror(store);
});

test("-0 is stored and reported as 0", () => {
  const { store, events } = paged();
  const result = store.setNumber("page", "state.params.n", -0);
  for (const found of [result.changes[0].value, events[0].changes[0].value, store.get("page", "state.params.n")]) {
    assertSame(found, 0);
  }
  assert.deepEqual(store.setNumber("page", "state.params.n", 0).changes, []);
});

test("a path may be as deep as a document may be, and no deeper", () => {
  const { store } = paged("open");
  const deep = (levels) => Array.from({ length: levels }, (_, level) => `k${level}`).join(".");
  for (const value of [1, 2]) assert.equal(store.setNumber("page", deep(100), value).status, "success");
  assert.equal(store.get("page", deep(100)), 2);
  assertMirror(store);
  const saved = store.save();
  assert.equal(store.setNumber("page", deep(200), 1).error.code, "LIMIT_EXCEEDED");
  assert.equal(store.save(), saved);
  const deeper = new PatchStore({ rules: "open", limits: { maxDepth: 300 } });
  deeper.load("page", {});
  for (const value of [1, 2]) assert.equal(deeper.setNumber("page", deep(200), value).status, "success");
  assert.equal(deeper.get("page", deep(200)), 2);
  const revisions = [];
  deeper.subscribe((event) => revisions.push(event.revision), { path: deep(200) });
  deeper.setNumber("page", deep(200), 3);
  assert.equal(revisions.length, 1);
});

test("a caller may change a result: neither the store nor later results change with it", () => {
  const { store } = paged();
  const first = store.setNumber("page", "state.params.n", 5);
  first.changes[0].path.push("spoiled");
  first.changes.push("spoiled");
  const second = store.setNumber("page", "state.params.n", 6);
  assertSame(second.changes, [{ kind: "set", path: ["state", "params", "n"], value: 6 }]);
  assertMirror(store);
});

test("a name or path that is not a string throws before anything changes", () => {
  const { store } = paged();
  for (const [name, path] of [
    [1, "state.params.n"],
    ["page", 1],
    [undefined, undefined],
  ]) {
    assert.throws(() => store.setNumber(name, path, 1), thrown("INVALID_ARGUMENT"));
  }
  assertMirror(store);
});

test("a text longer than a call may be is refused by every method", () => {
  const text = "x".repeat(limits.maxCallBytes + 1);
  const set = { instance_name: "page", patches: [{ op: "set", path: "state.params.s", value: text }] };
  const replace = [{ op: "replace", path: "/state/params/s", value: text }];
  const store = new PatchStore();
  store.load("page", page());
  const before = store.save();
  for (const result of [
    store.setString("page", "state.params.s", text),
    store.setString("page", "state.params.s", text, { optimistic: true }),
    store.apply(set),
    store.applyJsonPatch("page", replace),
  ]) {
    assert.equal(result.error?.code, "LIMIT_EXCEEDED");
  }
  assert.equal(store.save(), before);
});

test("each call reaches the instance that it names: long names and texts, and two instances in turn", () => {
  const store = new PatchStore({ rules: "open", limits: { maxCallBytes: 1 << 22 } });
  const names = ["é😀", "€".repeat(1000)];
  const long = "🙂".repeat(200_000);
  for (const name of names) store.load(name, {});
  for (const text of ["short", long]) {
    for (const name of names) {
      const operations = [{ op: "add", path: "/text", value: `${text} ${name}` }];
      assert.equal(store.applyJsonPatch(name, operations).status, "success");
    }
    for (const name of names) assert.equal(store.get(name, "text"), `${text} ${name}`);
  }
  store.load(names[0], { loaded: long });
  assertSame(store.snapshot(names[0]), { loaded: long });
  assertMirror(store);
});

test("an object with toJSON is applied as JSON.stringify writes it", () => {
  const store = new PatchStore();
  store.load("page", page());
  const patch = { op: "set", path: "state.params.n", value: 5 };
  const call = { instance_name: "page", patches: [{ ...patch, toJSON: () => ({ ...patch, value: 6 }) }] };
  store.apply(call);
  assert.equal(store.get("page", "state.params.n"), 6);
  class Call {
    instance_name = "page";
    patches = [{ ...patch, value: 7 }];
    toJSON() {
      return { instance_name: "page", patches: [{ ...patch, value: 8 }] };
    }
  }
  store.apply(new Call());
  assert.equal(store.get("page", "state.params.n"), 8);
});
