// What a hostile model, a hostile server or a careless page could send: time and memory grow with the input and no faster,
// whoever is called back finds a whole store, and what was passed in stays the page's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";

/** Far more than any of these takes, far less than what took the square of it. */
const MOST_MS = 3000;

function quickly(run) {
  const start = performance.now();
  const result = run();
  const took = performance.now() - start;
  assert.ok(took < MOST_MS, `took ${took.toFixed(0)} ms`);
  return result;
}

const many = (count, make) => Array.from({ length: count }, (_, index) => make(index));

function open(document) {
  const store = new PatchStore({ rules: "open" });
  assert.equal(store.load("page", document).status, "success");
  return store;
}

const call = (...patches) => ({ instance_name: "page", patches });

test("deep values that differ at the bottom", () => {
  const deep = (leaf) => JSON.parse('{"a":'.repeat(100) + leaf + "}".repeat(100));
  const store = open({ x: deep(1), list: [{ id: "i", v: deep(1) }] });
  quickly(() => {
    assert.equal(store.applyJsonPatch("page", [{ op: "test", path: "/x", value: deep(2) }]).error.code, "TEST_FAILED");
    store.apply(call({ op: "set", path: "x", value: deep(2) }));
    store.apply(call({ op: "remove_from_list", path: "list", value: { key: "v", value: deep(3) } }));
    store.applyMergePatch("page", { x: deep(4) });
    store.load("page", { x: deep(5) });
    store.applyOptimistic(call({ op: "set", path: "x", value: deep(6) }));
    store.receive({ type: "STATE_SNAPSHOT", snapshot: { x: deep(7) } }, { instance: "page" });
  });
});

test("conditions about large values", () => {
  const store = open({
    list: many(100_000, () => 0),
    object: Object.fromEntries(many(20_000, (index) => [`k${index}`, 0])),
  });
  for (const condition of ["list == [1]", "!object", "object == {}"]) {
    quickly(() => store.apply(call(...many(10_000, () => ({ op: "set", path: "x", value: 1, condition })))));
  }
});

test("a batch of very many operations, and a listener that makes more of them", () => {
  const store = open({ n: 0 });
  const told = [];
  store.subscribe((event) => told.push(event.changes.length));
  const first = quickly(() => {
    let result;
    store.batch(() => {
      result = store.setNumber("page", "n", 1);
      for (let n = 2; n <= 60_000; n++) store.setNumber("page", "n", n);
      for (let n = 1; n <= 10_000; n++) store.load(`p${n}`, {});
    });
    return result;
  });
  assert.equal(told[0], 60_000);
  assert.equal(told.length, 10_001);
  assert.equal(first.changes.length, 1);
});

test("a message that looks something up while it is written", () => {
  const store = new PatchStore({ rules: "open" });
  store.load("one", { list: [{ id: "a" }] });
  store.load("two", { list: [{ id: "a" }] });
  const delta = [{ op: "add", path: "/n", value: { toJSON: () => store.get("two", 'list["a"]').id } }];
  assert.equal(store.receive({ type: "STATE_DELTA", delta }, { instance: "one" }).instance_name, "one");
  assert.equal(store.get("two", "n"), undefined);
});
