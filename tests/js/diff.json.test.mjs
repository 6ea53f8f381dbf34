// jsonDiff: examples, and properties of all diffs.
import assert from "node:assert/strict";
import { test } from "node:test";
import fastJsonPatch from "fast-json-patch";
import { jsonDiff, PatchStore, toJsonPatch } from "genui-patch";
import { applied } from "../../dist/core/mirror.js";
import { value } from "../support/calls.mjs";
import { random } from "../support/random.mjs";
import { thrown } from "../support/store.mjs";

const deep = (before, after, rest) => jsonDiff(before, after, { depth: "deep", ...rest });
const clone = (json) => JSON.parse(JSON.stringify(json));
const bytes = (json) => Buffer.byteLength(JSON.stringify(json));

test("shallow: fields that differ, with the sides that they are on", () => {
  const table = [
    [{}, {}, {}],
    [{ a: 1 }, { a: 1 }, {}],
    [{ a: 1 }, { a: 2 }, { a: { before: 1, after: 2 } }],
    [{ a: 1 }, {}, { a: { before: 1 } }],
    [{}, { a: null }, { a: { after: null } }],
    [{ a: undefined }, {}, {}],
    [{ a: 1 }, { a: JSON.parse("1.0") }, {}],
    [{ a: { x: 1, y: [{ p: 1, q: 2 }] } }, { a: { y: [{ q: 2, p: 1 }], x: 1 } }, {}],
    [{ a: [1, 2] }, { a: [2, 1] }, { a: { before: [1, 2], after: [2, 1] } }],
    [
      { b: 1, a: 1 },
      { c: 1, a: 2 },
      { b: { before: 1 }, a: { before: 1, after: 2 }, c: { after: 1 } },
    ],
    [null, { a: 1 }, { a: { after: 1 } }],
  ];
  for (const [before, after, expected] of table) {
    assert.deepEqual(jsonDiff(before, after), expected);
    assert.deepEqual(Object.keys(jsonDiff(before, after)), Object.keys(expected));
  }
  const fields = { fields: ["a", "z"] };
  assert.deepEqual(jsonDiff({ a: 1, b: 1 }, { a: 2, b: 2 }, fields), { a: { before: 1, after: 2 } });
  assert.deepEqual(jsonDiff({ a: 1 }, { a: 2 }, { fields: [] }), { a: { before: 1, after: 2 } });
  const odd = jsonDiff({}, JSON.parse('{"__proto__":{"x":1}}'));
  assert.deepEqual(Object.keys(odd), ["__proto__"]);
  assert.equal(Object.getPrototypeOf(odd), Object.prototype);
});

test("deep: edits, with items matched by id", () => {
  const item = (id, more) => ({ id, ...more });
  const table = [
    [1, 2, [{ kind: "set", path: [], value: 2 }]],
    [
      { a: { b: 1, c: 2 } },
      { a: { c: 3, d: 4 } },
      [
        { kind: "remove", path: ["a", "b"] },
        { kind: "set", path: ["a", "c"], value: 3 },
        { kind: "insert", path: ["a", "d"], value: 4 },
      ],
    ],
    [[1, 2, 3], [1, 9, 3], [{ kind: "set", path: [1], value: 9 }]],
    [[1, 2, 3], [0, 1, 2, 3], [{ kind: "insert", path: [0], value: 0 }]],
    [[1, 2, 3], [1, 3], [{ kind: "remove", path: [1] }]],
    [[1, 2, 3], [3, 1, 2], [{ kind: "move", from: [2], path: [0] }]],
    [[1, 1, 1], [1, 1], [{ kind: "remove", path: [2] }]],
    [
      [item("a"), item("b", { t: 1 })],
      [item("b", { t: 2 }), item("a")],
      [
        { kind: "move", from: [1], path: [0] },
        { kind: "set", path: [0, "t"], value: 2 },
      ],
    ],
    [
      [item("a")],
      [item("b")],
      [
        { kind: "remove", path: [0] },
        { kind: "insert", path: [0], value: item("b") },
      ],
    ],
    [
      {
        fields: [
          { key: "a", id: 1 },
          { key: "b", id: 1 },
        ],
      },
      { fields: [{ key: "b", id: 1 }] },
      [{ kind: "remove", path: ["fields", 0] }],
    ],
    [[{ n: 1 }, { n: 2 }], [{ n: 1 }, { n: 3 }], [{ kind: "set", path: [1, "n"], value: 3 }]],
    [{ a: 1 }, { b: 1 }, [{ kind: "set", path: [], value: { b: 1 } }]],
    [{ a: [] }, { a: {} }, [{ kind: "set", path: ["a"], value: {} }]],
  ];
  for (const [before, after, expected] of table) assert.deepEqual(deep(before, after), expected);
  const fields = { fields: ["a"] };
  assert.deepEqual(deep({ a: 1, b: 1 }, { a: 2 }, fields), [{ kind: "set", path: ["a"], value: 2 }]);
});

const block = (place) => ({
  id: `b${place}`,
  type: "form",
  title: `Block ${place}`,
  props: { fields: [{ key: "k", label: "K" }] },
});
const blocks = () => ({ blocks: Array.from({ length: 1000 }, (_, place) => block(place)) });

test("in 1,000 blocks: one field is one set, one moved is one move, one at the front is one insertion", () => {
  const before = blocks();
  const field = blocks();
  field.blocks[500].props.fields[0].label = "L";
  const path = ["blocks", 500, "props", "fields", 0, "label"];
  assert.deepEqual(deep(before, field), [{ kind: "set", path, value: "L" }]);
  const rng = random(3);
  for (let turn = 0; turn < 50; turn++) {
    const [from, to] = [rng.below(1000), rng.below(1000)];
    const moved = blocks();
    moved.blocks.splice(to, 0, ...moved.blocks.splice(from, 1));
    const changes = deep(before, moved);
    assert.equal(changes.length, from === to ? 0 : 1);
    if (from !== to) assert.equal(changes[0].kind, "move");
    assert.deepEqual(applied(before, changes), moved);
  }
  const longer = blocks();
  longer.blocks.unshift(block(-1));
  assert.ok(bytes(deep(before, longer)) <= 1024);
  assert.equal(deep(before, longer).length, 1);
});

/** A value a few random edits away. */
function edited(rng, json, depth = 3) {
  if (Array.isArray(json)) {
    const list = json.map((item) => (rng.chance(0.3) ? edited(rng, item, depth - 1) : clone(item)));
    for (let turns = rng.below(3); turns > 0; turns--) {
      const kind = rng.below(3);
      if (kind === 0) list.splice(rng.below(list.length + 1), 0, value(rng, 1));
      else if (kind === 1) list.splice(rng.below(list.length), 1);
      else list.splice(rng.below(list.length), 0, ...list.splice(rng.below(list.length), 1));
    }
    return list;
  }
  if (typeof json === "object" && json !== null) {
    const pairs = Object.entries(json).flatMap(([key, inner]) => {
      if (rng.chance(0.1)) return [];
      return [[key, rng.chance(0.5) ? edited(rng, inner, depth - 1) : clone(inner)]];
    });
    if (rng.chance(0.2)) pairs.push([rng.pick(["new", "a", "id", "__proto__"]), value(rng, 1)]);
    if (rng.chance(0.3)) pairs.reverse();
    return Object.fromEntries(pairs);
  }
  return rng.chance(0.5) ? value(rng, depth) : json;
}

const someItem = (rng) => {
  const kind = rng.below(5);
  if (kind < 3) return { id: rng.below(8), n: rng.below(3), ...(rng.chance(0.2) && { l: value(rng, 2) }) };
  return kind === 3 ? rng.below(4) : value(rng, 2);
};

test("following the edits gives the value after, whatever the values; equal ones have none", () => {
  for (let seed = 1; seed <= 6000; seed++) {
    const rng = random(seed);
    const kind = rng.below(3);
    const before = clone(kind === 0 ? value(rng, 4) : { list: rng.list(12, () => someItem(rng)) });
    const after = clone(kind === 2 ? { list: rng.list(12, () => someItem(rng)) } : edited(rng, before));
    const changes = deep(before, after);
    assert.deepEqual(applied(before, changes), after, `seed ${seed}`);
    assert.equal(changes.length === 0, isSame(before, after), `seed ${seed}`);
    assert.deepEqual(deep(after, clone(after)), []);
    assert.deepEqual(
      jsonDiff({ x: before }, { x: after }),
      changes.length === 0 ? {} : { x: { before, after } },
      `seed ${seed}`,
    );
  }
});

test("as a JSON Patch the edits do the same in another's hands", () => {
  const { applyPatch } = fastJsonPatch;
  let applied = 0;
  for (let seed = 1; seed <= 2000; seed++) {
    const rng = random(seed);
    const before = clone({ list: rng.list(8, () => someItem(rng)), more: value(rng, 3) });
    const after = clone(edited(rng, before));
    // fast-json-patch refuses these keys.
    if (/"(__proto__|constructor|)":/.test(JSON.stringify([before, after]))) continue;
    const operations = toJsonPatch(deep(before, after));
    assert.deepEqual(applyPatch(clone(before), clone(operations), true).newDocument, after, `seed ${seed}`);
    applied += operations.length;
  }
  assert.ok(applied > 1000);
});

const isSame = (a, b) => {
  try {
    assert.deepEqual(a, b);
    return true;
  } catch {
    return false;
  }
};

test("lists of distinct items: as many edits as items that come, go, or must move", () => {
  for (let seed = 1; seed <= 1500; seed++) {
    const rng = random(seed);
    const pool = Array.from({ length: 14 }, (_, id) => ({ id }));
    const some = () => pool.filter(() => rng.chance(0.6)).sort(() => rng.below(3) - 1);
    const [before, after] = [some(), some()];
    const changes = deep(before, after);
    assert.deepEqual(applied(before, changes), after, `seed ${seed}`);
    const places = after.map((item) => before.indexOf(item)).filter((place) => place >= 0);
    const rising = longestRising(places);
    assert.equal(changes.length, before.length + after.length - places.length - rising, `seed ${seed}`);
  }
});

function longestRising(list) {
  const best = list.map(() => 1);
  for (let at = 0; at < list.length; at++) {
    for (let from = 0; from < at; from++) if (list[from] < list[at]) best[at] = Math.max(best[at], best[from] + 1);
  }
  return Math.max(0, ...best);
}

test("hostile lists: the work grows as the input does", () => {
  const length = 100_000;
  const rng = random(1);
  const list = (make) => Array.from({ length }, (_, place) => make(place));
  const shuffled = list((place) => place).sort(() => rng.below(3) - 1);
  const pairs = {
    "no ids": [list((n) => ({ n })), list((n) => ({ n: n + 0.5 }))],
    "one id": [list((n) => ({ id: "x", n })), list((n) => ({ id: "x", n: length - n }))],
    shuffled: [list((id) => ({ id })), shuffled.map((id) => ({ id }))],
    reversed: [list((id) => ({ id })), list((id) => ({ id: length - id }))],
    "other kinds": [list((n) => n), list((n) => [n])],
    emptied: [list((n) => n), []],
  };
  for (const [name, [before, after]] of Object.entries(pairs)) {
    // Counted in reads of items, not in seconds.
    let reads = 0;
    const counted = new Proxy(before, { get: (target, key) => ++reads && target[key] });
    const changes = deep(counted, after);
    assert.ok(reads < 20 * length, `${name}: ${reads}`);
    assert.equal(applied(before, changes).length, after.length, name);
  }
});

test("lists inside each other cost no more than their depth allows", () => {
  let [before, after] = [1, 2];
  for (let depth = 0; depth < 150; depth++) {
    [before, after] = [
      [{ x: [before, depth] }, "a"],
      ["b", { x: [after, -depth] }],
    ];
  }
  assert.deepEqual(applied(before, deep(before, after)), after);
});

test("values that JSON cannot represent, or nested too deeply, are refused", () => {
  const refused = [NaN, 1n, () => {}, Symbol("s"), new Map()];
  for (const odd of refused) {
    assert.throws(() => jsonDiff({ a: 1 }, { a: odd }), thrown("INVALID_ARGUMENT"));
    assert.throws(() => deep({ a: 1 }, { a: odd }), thrown("INVALID_ARGUMENT"));
  }
  assert.throws(() => jsonDiff({ a: new Map() }, { a: new Set([1]) }), thrown("INVALID_ARGUMENT"));
  const around = { a: null };
  around.a = around;
  const other = { a: { a: null } };
  other.a.a = other;
  assert.throws(() => deep(around, other), thrown("LIMIT_EXCEEDED"));
  assert.throws(() => jsonDiff([], {}), thrown("INVALID_ARGUMENT", /before must be an object/));
  assert.throws(() => jsonDiff({}, "x"), thrown("INVALID_ARGUMENT"));
  assert.throws(() => jsonDiff({}, {}, { depth: "both" }), thrown("INVALID_ARGUMENT"));
  assert.throws(() => jsonDiff({}, {}, { fields: "a" }), thrown("INVALID_ARGUMENT"));
  assert.throws(() => jsonDiff({}, {}, { field: ["a"] }), thrown("INVALID_ARGUMENT"));
  assert.throws(() => deep(undefined, {}), thrown("INVALID_ARGUMENT"));
});

test("in a list undefined is null, also where items are matched by value", () => {
  const changes = deep([["a"], [null], ["b"]], [["c"], ["d"], [null]]);
  assert.deepEqual(deep([["a"], [null], ["b"]], [["c"], ["d"], [undefined]]), changes);
  assert.deepEqual(deep([["a"], [null], ["b"]], [["c"], ["d"], new Array(1)]), changes);
});

test("frozen snapshots are compared by what they share", () => {
  const store = new PatchStore({ rules: "open" });
  store.load("page", blocks());
  const before = store.snapshot("page");
  store.apply({ instance_name: "page", patches: [{ op: "set", path: "blocks.7.title", value: "T" }] });
  const changes = deep(before, store.snapshot("page"));
  assert.deepEqual(changes, [{ kind: "set", path: ["blocks", 7, "title"], value: "T" }]);
  store.dispose();
});
