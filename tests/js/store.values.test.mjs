// Values on their way through the module: texts, numbers, keys, depth.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { texts } from "../support/calls.mjs";
import { assertMirror, assertSame, thrown } from "../support/store.mjs";

/** A text in UTF-8: a lone surrogate becomes U+FFFD. */
const wellFormed = (text) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));

/** JSON with lone surrogates unescaped, which JSON.stringify escapes. */
const rawJson = (value) =>
  JSON.stringify(value).replace(/\\(?:u(d[89a-f]..)|.)/g, (found, hex) =>
    hex === undefined ? found : String.fromCharCode(Number.parseInt(hex, 16)),
  );

function open(document = { v: null }) {
  const store = new PatchStore({ rules: "open" });
  assert.equal(store.load("page", document).status, "success");
  return store;
}

/** All ways to pass a value to a store, as [name, what to do]. */
const ways = [
  ["load a value", (store, value) => store.load("page", { v: value })],
  ["load a text", (store, value) => store.load("page", `{"v":${JSON.stringify(value)}}`)],
  ["load a raw text", (store, value) => store.load("page", `{"v":${rawJson(value)}}`)],
  ["apply an object", (store, value) => store.apply(call(value))],
  ["apply a text", (store, value) => store.apply(JSON.stringify(call(value)))],
  ["apply a raw text", (store, value) => store.apply(rawJson(call(value)))],
];
const call = (value) => ({ instance_name: "page", patches: [{ op: "set", path: "v", value }] });

const halves = [
  "\ud83d",
  "a\ud83d",
  "\ude00b",
  "\ud83d\ud83d\ude00",
  "\ude00\ud83d",
  "😀".repeat(9),
  `${"x".repeat(30)}\ud800`,
];

for (const [name, put] of ways) {
  test(`texts: ${name}`, () => {
    for (const text of [...texts, ...halves, "\ufeff", "\ufeffa", "\ufffd", "\uffff", "\ud7ff\ue000"]) {
      const store = open();
      const result = put(store, text);
      assert.equal(result.status, "success", JSON.stringify(text));
      assert.equal(store.get("page", "v"), wellFormed(text));
      assertMirror(store);
      assertSame(PatchStore.restore(store.save(), { rules: "open" }).snapshot("page"), store.snapshot("page"));
      store.dispose();
    }
  });

  // Long texts cross the boundary in pieces, which end wherever the buffer is full.
  test(`long texts: ${name}`, () => {
    const count = 150_000;
    for (const unit of ["ab", "é", "漢", "😀", "a😀", "aa漢", "😀\ud83d"]) {
      const store = open();
      const text = unit.repeat(count) + "tail".repeat(count);
      assert.equal(put(store, text).status, "success", unit);
      assert.ok(store.get("page", "v") === wellFormed(text), unit);
      assertMirror(store);
      store.dispose();
    }
  });

  test(`keys: ${name}`, () => {
    const store = open();
    const value = JSON.parse(
      '{"b":1,"10":2,"2":3,"":4,"__proto__":5,"toJSON":6,"a.b":7,"😀":8,"-1":9,"4294967295":10,"1e3":11,"constructor":{}}',
    );
    assert.equal(put(store, value).status, "success");
    assertSame(store.get("page", "v"), value);
    assertMirror(store);
    assert.equal(put(store, { "\ud800": 1, "a\udfff": { "\ud800b": [] } }).status, "success");
    assertSame(store.get("page", "v"), { "\ufffd": 1, "a\ufffd": { "\ufffdb": [] } });
    assertMirror(store);
    // Two keys that become equal.
    assert.equal(put(store, { "\ud800": 1, "\udfff": 2, z: 3 }).status, "success");
    assertMirror(store);
  });

  test(`numbers: ${name}`, () => {
    const numbers = [0, -0, 0.1, -1.5, 1e21, 1e-7, 123456789012345680000, 2 ** 53 + 2, 5e-324, 1.7976931348623157e308];
    for (const number of numbers) {
      const store = open();
      assert.equal(put(store, [number]).status, "success");
      assertSame(store.get("page", "v"), [number === 0 ? 0 : number]);
      assertMirror(store);
    }
  });
}

test("numbers that only text can say", () => {
  const rows = {
    "-0": 0,
    "-0.0": 0,
    "-0e7": 0,
    "0e400": 0,
    "-1e-400": 0,
    "1E2": 100,
    "9007199254740993": 9007199254740992,
    "0.1000000000000000055511151231257827": 0.1,
  };
  for (const [text, wanted] of Object.entries(rows)) {
    const loaded = open();
    assert.equal(loaded.load("page", `{"v":${text}}`).status, "success", text);
    const applied = open();
    applied.apply(`{"instance_name":"page","patches":[{"op":"set","path":"v","value":${text}}]}`);
    for (const store of [loaded, applied]) {
      assertSame(store.get("page", "v"), wanted, text);
      assertMirror(store, text);
    }
  }
});

test("keys that stand twice: the last value, in the place of the first", () => {
  const twice = '{"a":1,"b":2,"a":{"x":1,"x":2}}';
  const loaded = open();
  loaded.load("page", twice);
  const applied = open();
  applied.apply(`{"instance_name":"page","patches":[{"op":"set","path":"v","value":${twice}}]}`);
  assertSame(loaded.snapshot("page"), { a: { x: 2 }, b: 2 });
  assertSame(applied.get("page", "v"), { a: { x: 2 }, b: 2 });
  for (const store of [loaded, applied]) assertMirror(store);
});

test("values nested too deeply are refused, by every method", () => {
  const store = open();
  const saved = store.save();
  const text = "[".repeat(100_000);
  let value = [];
  for (let depth = 0; depth < 100_000; depth++) value = depth % 2 ? [value] : { a: value };
  const answers = [
    store.apply(text),
    store.apply(`{"instance_name":"page","patches":[{"op":"set","path":"v","value":${text}`),
    store.apply(call(value)),
    store.apply(value),
    store.load("page", text),
    store.load("page", value),
    store.load("new", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`),
    store.apply({ instance_name: "page", patches: [{ op: "set", path: `v${".a".repeat(100_000)}`, value: 1 }] }),
    store.setNumber("page", `v${"[0]".repeat(100_000)}`, 1),
  ];
  for (const [place, result] of answers.entries()) {
    assert.deepEqual([result.status, result.error?.code], ["error", "LIMIT_EXCEEDED"], `answer ${place}`);
  }
  assert.throws(() => PatchStore.restore(text), thrown("LIMIT_EXCEEDED"));
  assert.equal(store.save(), saved);
  assertMirror(store);
});

test("a deep cycle is no depth: it throws", () => {
  const store = open();
  const bottom = {};
  let value = bottom;
  for (let depth = 0; depth < 5000; depth++) value = [value];
  bottom.top = value;
  assert.throws(() => store.apply(call(value)), thrown("INVALID_ARGUMENT", /cycle/));
  assert.throws(() => store.load("page", value), thrown("INVALID_ARGUMENT", /cycle/));
  assertMirror(store);
});

test("the deepest document that the limit allows", () => {
  for (const maxDepth of [8, 128, 512]) {
    const store = new PatchStore({ rules: "open", limits: { maxDepth } });
    const nested = (levels) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    assert.equal(store.load("page", nested(maxDepth)).status, "success", String(maxDepth));
    assertMirror(store);
    assert.equal(store.load("page", nested(maxDepth + 1)).error.code, "LIMIT_EXCEEDED");
    assert.equal(store.load("page", JSON.parse(nested(maxDepth + 1))).error.code, "LIMIT_EXCEEDED");
    assert.equal(PatchStore.restore(store.save(), { limits: { maxDepth } }).save(), store.save());
  }
});

test("a large document", () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => ({
    id: `r${n}`,
    text: `row ${n} é 😀`,
    tags: [n, null, true],
  }));
  const store = open({ rows });
  store.setString("page", 'rows["r19999"].text', "last");
  store.apply({ instance_name: "page", patches: [{ op: "remove", path: 'rows["r0"]' }] });
  assert.equal(store.get("page", 'rows["r19999"].text'), "last");
  assertMirror(store);
  store.dispose();
});
