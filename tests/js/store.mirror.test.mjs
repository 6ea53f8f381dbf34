// The snapshot in JavaScript and the document in the module: properties of every sequence of calls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { call, operations, texts, value } from "../support/calls.mjs";
import { random } from "../support/random.mjs";
import { assertFrozen, assertMirror, document, page } from "../support/store.mjs";

const SEQUENCES = 250;
const CALLS = 16;

/** Runs `check` after each call of random sequences; `events` are the events of the call. */
function sequences(options, check) {
  for (let seed = 1; seed <= SEQUENCES; seed++) {
    const rng = random(seed);
    const store = new PatchStore({ onError: rng.pick(["rollback", "stop", "skip"]), ...options });
    store.load("page", page());
    store.load("other", page("other"));
    let events = [];
    store.subscribe((event) => events.push(event));
    for (let step = 0; step < CALLS; step++) {
      const next = call(rng);
      const before = new Map(store.names().map((name) => [name, store.snapshot(name)]));
      const saved = store.save();
      events = [];
      const result = store.apply(rng.chance(0.5) ? next : JSON.stringify(next));
      const message = `seed ${seed}, step ${step}: ${JSON.stringify(next)}`;
      check({ store, call: next, result, before, saved, events, message });
    }
    store.dispose();
  }
}

test("the snapshots equal the documents after any sequence, and every operation takes part", () => {
  const succeeded = new Set();
  const failed = new Set();
  sequences({}, ({ store, call, result, message }) => {
    assertMirror(store, message);
    const [only, ...more] = call.patches;
    if (only === undefined || more.length > 0) return;
    if (result.status === "error" || result.skipped.length > 0) failed.add(only.op);
    else if (result.changes.length > 0) succeeded.add(only.op);
  });
  // A lone `delete` changes nothing of its own: the sentinel does.
  assert.deepEqual([...succeeded].sort(), [...operations].sort());
  assert.deepEqual([...failed].sort(), [...operations].sort());
});

test("a snapshot changes exactly when the revision does, with one event", () => {
  sequences({}, ({ store, result, before, saved, events, message }) => {
    const changed = (result.changes ?? []).length > 0;
    for (const [name, snapshot] of before) {
      const touched = changed && name === result.instance_name;
      assert.equal(store.snapshot(name) !== snapshot, touched, message);
    }
    assert.equal(events.length, changed ? 1 : 0, message);
    if (changed) {
      assert.equal(events[0].instance_name, result.instance_name, message);
      assert.deepEqual(events[0].changes, result.changes, message);
    } else {
      assert.equal(store.save(), saved, message);
    }
  });
});

test("a call that fails whole leaves all as it was", () => {
  let count = 0;
  sequences({ onError: "rollback" }, ({ store, result, before, saved, message }) => {
    if (result.status === "success") return;
    count += 1;
    assert.equal(store.save(), saved, message);
    for (const [name, snapshot] of before) assert.equal(store.snapshot(name), snapshot, message);
  });
  assert.ok(count > SEQUENCES, `${count} calls failed`);
});

test("values that a call did not touch stay the same objects", () => {
  let kept = 0;
  sequences({}, ({ store, result, before, message }) => {
    const { instance_name: name, changes = [] } = result;
    const after = store.snapshot(name);
    if (!before.has(name) || after === undefined) return;
    kept += countKept(before.get(name), after, changes, [], message);
  });
  assert.ok(kept > SEQUENCES * CALLS, `${kept} subtrees were compared`);
});

/** Asserts that equal subtrees off the edited paths are identical, and counts them. */
function countKept(before, after, changes, path, message) {
  if (typeof before !== "object" || before === null || changes.some((change) => isMoved(change, path))) return 0;
  const inside = changes.filter((change) => isPrefix(path, change.path));
  if (inside.length === 0) {
    assert.equal(after, before, `${path.join("/")} after ${message}`);
    return 1;
  }
  return Object.keys(before).reduce((kept, key) => {
    const step = Array.isArray(before) ? Number(key) : key;
    return kept + countKept(before[key], after?.[key], changes, [...path, step], message);
  }, 0);
}

const isPrefix = (path, longer) => path.length <= longer.length && path.every((step, depth) => step === longer[depth]);

/** Whether a change replaced the value at or above a place, or moved the items of a list at it. */
function isMoved({ kind, path, from = path }, place) {
  return [path, from].some((own) => {
    if (isPrefix(own, place)) return true;
    const last = own.length - 1;
    const inList = kind !== "set" && typeof own[last] === "number";
    return inList && place.length > last && isPrefix(own.slice(0, last), place) && place[last] >= own[last];
  });
}

test("items that make room for others, or close up, are the same objects", () => {
  const store = new PatchStore();
  store.load("page", page());
  const before = store.snapshot("page");
  const patches = [
    { op: "remove", path: 'blocks["a"]' },
    { op: "prepend_to_list", path: "state.params.l", value: 0 },
  ];
  assert.equal(store.apply({ instance_name: "page", patches }).status, "success");
  const after = store.snapshot("page");
  assert.equal(after.blocks[0], before.blocks[1]);
  assert.equal(after.state.params.l[3], before.state.params.l[2]);
  assert.equal(after.state.params.o, before.state.params.o);
  assert.equal(after.actions, before.actions);
  assert.notEqual(after.blocks, before.blocks);
});

test("snapshots are deeply frozen, and old ones stay unchanged", () => {
  sequences({}, ({ store, before, saved, message }) => {
    for (const name of store.names()) assertFrozen(store.snapshot(name), message);
    for (const { name, document } of JSON.parse(saved).instances) {
      assert.deepStrictEqual(before.get(name), document, message);
    }
  });
});

test("freeze: false leaves them open, and changes nothing else", () => {
  sequences({ freeze: false }, ({ store, before, saved, message }) => {
    assertMirror(store, message);
    for (const name of store.names()) assertOpen(store.snapshot(name), message);
    for (const { name, document } of JSON.parse(saved).instances) {
      assert.deepStrictEqual(before.get(name), document, message);
    }
  });
});

function assertOpen(value, message) {
  if (typeof value !== "object" || value === null) return;
  assert.ok(Object.isExtensible(value), message);
  for (const inner of Object.values(value)) assertOpen(inner, message);
}

test("typed sets, loads and restores keep the mirror too", () => {
  for (let seed = 1; seed <= SEQUENCES; seed++) {
    const rng = random(seed);
    let store = new PatchStore({ rules: "open", freeze: rng.chance(0.5) });
    store.load("page", { a: { b: [1, { id: "x" }] } });
    for (let step = 0; step < CALLS; step++) {
      const path = rng.pick(["a.n", "a.b.0", 'a.b["x"].t', "a.b[1].t", "top", "10", "/a/b/1/u"]);
      const before = store.snapshot("page");
      const calls = [
        () => store.setString("page", path, rng.pick(texts)),
        () => store.setNumber("page", path, rng.pick([0, -0, 1.5, -1e300])),
        () => store.setBoolean("page", path, rng.chance(0.5)),
        () => store.load("page", { a: { b: [value(rng), { id: "x" }] } }),
        () => {
          const saved = store.save();
          store = PatchStore.restore(saved, { rules: "open" });
          assert.equal(store.save(), saved);
          return { changes: [0] };
        },
      ];
      const result = calls[rng.below(rng.chance(0.8) ? 3 : calls.length)]();
      const message = `seed ${seed}, step ${step}: ${path}: ${JSON.stringify(result)}`;
      assert.notEqual(result.status, "error", message);
      assertMirror(store, message);
      assert.equal(store.snapshot("page") === before, result.changes.length === 0, message);
    }
  }
});

test("a set to an equal value keeps the snapshot and emits no event", () => {
  const store = new PatchStore();
  store.load("page", page());
  const before = store.snapshot("page");
  store.subscribe(assert.fail);
  const params = page().state.params;
  const sets = [
    () => store.setNumber("page", "state.params.n", 1),
    () => store.setString("page", "state.params.s", "x"),
    () => store.apply({ instance_name: "page", patches: [{ op: "set", path: "state.params", value: params }] }),
    // Values that differ only in the order of keys are equal.
    () => {
      const value = Object.fromEntries(Object.entries(params).reverse());
      return store.apply({ instance_name: "page", patches: [{ op: "replace", path: "state.params", value }] });
    },
    () => store.apply({ instance_name: "page", patches: [{ op: "merge", path: "state.params", value: { n: 1 } }] }),
    () => store.apply({ instance_name: "page", patches: [] }),
  ];
  for (const set of sets) {
    const result = set();
    assert.deepEqual([result.status, result.changes, result.revision], ["success", [], 1], JSON.stringify(result));
    assert.equal(store.snapshot("page"), before);
  }
});

test("__proto__ in a value is an own key, and never a prototype", () => {
  const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":null}';
  const check = (store, place) => {
    const found = store.get("page", place);
    assert.deepEqual(Object.keys(found), ["__proto__", "constructor", "toString"]);
    assert.equal(Object.getPrototypeOf(found), Object.prototype);
    assert.equal(Object.getOwnPropertyDescriptor(found, "__proto__").value.polluted, 1);
    assert.equal({}.polluted, undefined);
    assertMirror(store);
  };
  for (const freeze of [true, false]) {
    const store = new PatchStore({ freeze, rules: "open" });
    const text = `{"in":{"x":${hostile},"list":[${hostile}]}}`;
    store.load("page", text);
    check(store, "in.x");
    store.load("page", JSON.parse(text));
    check(store, "in.list.0");
    // A sibling changes, so that the object is copied.
    const patches = [{ op: "set", path: "in.x.new", value: 1 }];
    assert.equal(store.apply({ instance_name: "page", patches }).status, "success");
    assert.equal(Object.getPrototypeOf(store.get("page", "in.x")), Object.prototype);
    assert.equal(store.get("page", "in.x").polluted, undefined);
    store.setNumber("page", "in.x.new", 2);
    assertMirror(store);
    store.apply(`{"instance_name":"page","patches":[{"op":"set","path":"in.x","value":${hostile}}]}`);
    check(store, "in.x");
    store.apply(`{"instance_name":"page","patches":[{"op":"merge","path":"in","value":${hostile}}]}`);
    assertMirror(store);
    assert.deepEqual(Object.keys(document(store, "page").in).slice(2), ["__proto__", "constructor", "toString"]);
    assert.equal(store.get("page", "in").polluted, undefined);
    assert.equal(PatchStore.restore(store.save(), { freeze }).get("page", "in").polluted, undefined);
  }
});
