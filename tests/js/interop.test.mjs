// JSON Patch and JSON Merge Patch: the public suite, the table, and conversion to changes and back.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fromJsonPatch, PatchStore, toJsonPatch } from "genui-patch";
import { assertMirror, assertSame } from "../support/store.mjs";

const require = createRequire(import.meta.url);
const { rows } = JSON.parse(readFileSync(new URL("../fixtures/interop.json", import.meta.url), "utf8"));

function load(document, rules = "open", options = {}) {
  const store = new PatchStore(options);
  assert.equal(store.load("x", document, { rules }).status, "success");
  return store;
}

for (const file of ["spec_tests", "tests"]) {
  const suite = require(`json-patch-test-suite/${file}.json`);
  for (const [index, { comment, doc, patch, expected, error, disabled }] of suite.entries()) {
    // Two disabled cases test a duplicate key in their text, which the published list has lost.
    if (disabled && error !== undefined) continue;
    test(`${file} ${index}: ${comment ?? JSON.stringify(patch)}`, () => {
      for (const operations of [patch, JSON.stringify(patch)]) {
        const store = load(JSON.stringify(doc));
        const before = store.save();
        const result = store.applyJsonPatch("x", operations);
        assert.equal(result.status, error === undefined ? "success" : "error", result.error?.message);
        if (error === undefined) assert.deepEqual(store.snapshot("x"), expected ?? doc);
        else assert.equal(store.save(), before);
        assertMirror(store);
      }
    });
  }
}

test("the table is whole", () => {
  assert.ok(rows.length >= 155);
  const known = "name document patch merge merges text rules options expected code index changes applied".split(" ");
  for (const row of rows) for (const key of Object.keys(row)) assert.ok(known.includes(key), `${row.name}: ${key}`);
});

for (const row of rows) {
  test(row.name, () => {
    const store = load(JSON.stringify(row.document), row.rules, row.options);
    const before = { text: store.save(), snapshot: store.snapshot("x") };
    const sent = row.text ?? JSON.stringify("merge" in row ? row.merge : row.patch);
    const result = "merge" in row || row.merges ? store.applyMergePatch("x", sent) : store.applyJsonPatch("x", sent);
    assertMirror(store);
    if (row.code !== undefined) {
      assert.equal(result.error?.code, row.code, result.error?.message);
      if (row.index !== undefined) assert.equal(result.error.index, row.index);
      assert.equal(store.save(), before.text);
      assert.equal(store.snapshot("x"), before.snapshot);
      return;
    }
    assert.equal(result.status, "success", result.error?.message);
    assertSame(store.snapshot("x"), row.expected);
    if (row.changes) assert.deepEqual(result.changes, row.changes);
    if (row.applied !== undefined) assert.equal(result.applied, row.applied);
    if (result.changes.length === 0) assert.equal(store.snapshot("x"), before.snapshot);
    // The result's changes, sent to another store as a JSON Patch, give the same document.
    const other = load(before.text === store.save() ? store.snapshot("x") : JSON.stringify(row.document), row.rules);
    assert.equal(other.applyJsonPatch("x", toJsonPatch(result.changes)).status, "success");
    assertSame(other.snapshot("x"), row.expected);
    if (Array.isArray(row.patch)) assertSame(fromJsonPatch(row.patch, row.document), result.changes);
  });
}

test("unchanged values stay the same objects", () => {
  const store = load({ a: { x: 1 }, b: { y: [1, { z: 1 }] }, l: [{ n: 1 }, { n: 2 }] });
  const before = store.snapshot("x");
  store.applyJsonPatch("x", [
    { op: "replace", path: "/a/x", value: 2 },
    { op: "move", from: "/l/0", path: "/l/1" },
  ]);
  const after = store.snapshot("x");
  assert.equal(after.b, before.b);
  assert.equal(after.l[1], before.l[0]);
  assert.equal(after.l[0], before.l[1]);
  assert.ok(Object.isFrozen(after.l));
});

test("one event for a patch, with its changes", () => {
  const store = load({ a: 1, b: 2 });
  const events = [];
  store.subscribe((event) => events.push(event));
  store.applyJsonPatch("x", [
    { op: "remove", path: "/a" },
    { op: "replace", path: "/b", value: 3 },
  ]);
  store.applyMergePatch("x", { b: 3 });
  assert.equal(events.length, 1);
  assert.deepEqual(
    events[0].changes.map(({ kind }) => kind),
    ["remove", "set"],
  );
  assert.equal(events[0].origin, "apply");
});

test("an instance that is not there lists those that are", () => {
  const store = load({});
  for (const result of [store.applyJsonPatch("y", []), store.applyMergePatch("y", {})]) {
    assert.equal(result.error.code, "INVALID_INSTANCE");
    assert.deepEqual(result.available_instances, ["x"]);
  }
});

test("misuse throws", () => {
  const store = load({});
  assert.throws(() => store.applyJsonPatch(1, []), { code: "INVALID_ARGUMENT" });
  assert.throws(() => store.applyJsonPatch("x", [{ op: "add", path: "/a", value: 1n }]), { code: "INVALID_ARGUMENT" });
  assert.throws(() => toJsonPatch({}), { code: "INVALID_ARGUMENT" });
  assert.throws(() => toJsonPatch([{ kind: ["set"], path: ["a"], value: 1 }]), { code: "INVALID_ARGUMENT" });
  assert.throws(() => toJsonPatch([{ kind: "remove", path: [] }]), { code: "UNSUPPORTED" });
  assert.throws(() => fromJsonPatch({}), { code: "INVALID_ARGUMENT" });
  const noMove = { kind: "move", path: ["a"] };
  for (const change of [5, null, { kind: "set" }, noMove]) {
    assert.throws(() => toJsonPatch([change]), { code: "INVALID_ARGUMENT" });
  }
  for (const operation of [5, null]) assert.throws(() => fromJsonPatch([operation]));
  for (const operation of [
    { op: "test", path: "/a", value: 1 },
    { op: "copy", from: "/a", path: "/b" },
    { op: "add", path: "/a/-", value: 1 },
  ]) {
    assert.throws(() => fromJsonPatch([operation]), { code: "UNSUPPORTED" });
  }
  for (const op of ["add", "replace"]) {
    for (const document of [undefined, { a: 1 }]) {
      assert.throws(() => fromJsonPatch([{ op, path: "/a" }], document), { code: "MISSING_VALUE" });
    }
  }
  assert.throws(() => fromJsonPatch([{ op: "spam", path: "/a" }]), { code: "INVALID_OP" });
  assert.throws(() => fromJsonPatch([{ op: "remove", path: "a" }]), { code: "INVALID_PATH" });
  assert.throws(() => fromJsonPatch([{ op: "test", path: "/a", value: 1 }], { a: 2 }), { code: "TEST_FAILED" });
});

test("changes and JSON Patch, back and forth without a document", () => {
  const changes = [
    { kind: "set", path: [], value: {} },
    { kind: "set", path: ["a/b", "m~n", 0, ""], value: null },
    { kind: "insert", path: ["l", 3], value: [1] },
    { kind: "remove", path: ["l", 0] },
    { kind: "move", from: ["l", 0], path: ["l", 1] },
  ];
  assert.deepEqual(fromJsonPatch(toJsonPatch(changes)), changes);
});

test("insertions and moves of a call, as JSON Patch for another store", () => {
  const stores = [0, 1].map(() => new PatchStore({ rules: "open" }));
  for (const store of stores) store.load("x", { l: [{ id: "a" }, { id: "b" }] });
  const [store, other] = stores;
  const { changes } = store.apply({
    instance_name: "x",
    patches: [
      { op: "add", path: "l.1", value: { id: "c" } },
      { op: "move", path: 'l["a"]', to: { after: "b" } },
    ],
  });
  const operations = toJsonPatch(changes);
  assert.deepEqual(operations, [
    { op: "add", path: "/l/1", value: { id: "c" } },
    { op: "move", from: "/l/0", path: "/l/2" },
  ]);
  assert.deepEqual(fromJsonPatch(operations, { l: [{ id: "a" }, { id: "b" }] }), changes);
  assert.equal(other.applyJsonPatch("x", operations).status, "success");
  assert.deepEqual(other.snapshot("x"), store.snapshot("x"));
});

const replacements = [
  [{ a: { b: 1 }, l: [{ t: "x" }], "a/b": 0, 5: "five" }, "/a/b"],
  [{ l: [{ t: "x" }] }, "/l/0/t"],
  [{ "a/b": 0 }, "/a~1b"],
  [{ 5: "five" }, "/5"],
  [[1, 2], "/1"],
  [[1, 2], "/2"],
  [[1, 2], "/-"],
  [{ l: [1], "+": 1 }, "/l/-"],
  [{ "+": 1 }, "/-"],
  [{ "": 1 }, "/"],
  [{ "01": 1 }, "/01"],
  [[1, 2], "/01"],
  [{ a: "s" }, "/a/0"],
  [{}, "/a"],
  [{ a: {} }, "/a/b"],
  [{ a: null }, "/a"],
  [{ a: { b: 1 } }, "/a"],
  [JSON.parse('{"__proto__":1}'), "/__proto__"],
  [{ constructor: 1 }, "/constructor"],
  [{}, "/constructor"],
  [{ "a.b": 1 }, "/a.b"],
  [{ blocks: [{ id: "x" }] }, '/blocks["x"]'],
];
for (const [start, path] of replacements) {
  test(`replace at ${path} of ${JSON.stringify(start)}: often used or not, as text or not`, () => {
    const values = ["v", "v", 1, -0, true, "\ud800", null, {}, 2];
    const often = load(JSON.stringify(start));
    const plain = load(JSON.stringify(start), "open", { limits: { maxPatches: 10_000 } });
    for (const value of values) {
      const operations = [{ op: "replace", path, value }];
      const wanted = plain.applyJsonPatch("x", operations);
      assert.deepEqual(often.applyJsonPatch("x", operations), wanted);
      assert.deepEqual(often.applyJsonPatch("x", JSON.stringify(operations)), plain.applyJsonPatch("x", operations));
      assertSame(often.snapshot("x"), plain.snapshot("x"));
      assertMirror(often);
    }
  });
}

test("a replace under pending calls reads the confirmed document, not the shown one", () => {
  const store = load({ n: 1 });
  const replace = [{ op: "replace", path: "/late", value: 1 }];
  for (let turn = 0; turn < 3; turn++) assert.equal(store.applyJsonPatch("x", replace).error.code, "PATH_NOT_FOUND");
  const { pendingId } = store.applyOptimistic({ instance_name: "x", patches: [{ op: "set", path: "late", value: 0 }] });
  assert.equal(store.snapshot("x").late, 0);
  assert.equal(store.applyJsonPatch("x", replace).error.code, "PATH_NOT_FOUND");
  const result = store.applyJsonPatch("x", [{ op: "add", path: "/n", value: 2 }]);
  assert.deepEqual(result.rebased, [pendingId]);
  assert.deepEqual(store.confirmed("x"), { n: 2 });
  assert.deepEqual(store.snapshot("x"), { n: 2, late: 0 });
  const tested = store.applyJsonPatch("x", [{ op: "test", path: "/late", value: 0 }]);
  assert.equal(tested.error.code, "TEST_FAILED");
  store.applyMergePatch("x", { n: 3 });
  assert.deepEqual(store.snapshot("x"), { n: 3, late: 0 });
  store.reject(pendingId);
  assert.deepEqual(store.snapshot("x"), { n: 3 });
});
