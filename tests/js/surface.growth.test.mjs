// A change costs what depends on it: work is counted by how often a function of the page is asked, not by a clock.
import assert from "node:assert/strict";
import { test } from "node:test";
import { component, components, data, lines, list, open, render, v9 } from "../support/surface.mjs";

/** A surface of A2UI v0.9 whose texts are made by a function that counts. */
function counting(messages) {
  const work = { calls: 0 };
  const count = ({ value }) => {
    work.calls += 1;
    return value ?? null;
  };
  return { ...open([v9.create(), ...messages], { functions: { count } }), work };
}

const ids = (length) => Array.from({ length }, (_, at) => `c${at}`);
const counted = (path) => ({ call: "count", args: { value: { path } } });
const many = (length, path) => [
  { id: "root", component: "Column", children: ids(length) },
  ...ids(length).map((id, at) => ({ id, component: "Text", text: counted(path(at)) })),
];
const trees = (events) => events.filter(({ type }) => type === "tree");
/** What one call does at most in events of their own, and what it does once. */
const MOST = 100_000;

test("each node reads a place of its own: a message resolves one", () => {
  for (const size of [200, 800]) {
    const { push, work } = counting([v9.components(...many(size, (at) => `/v/${at}`)), v9.data("/v", ids(size))]);
    const before = work.calls;
    for (let at = 0; at < size; at++) push(v9.data(`/v/${at}`, at));
    assert.equal(work.calls - before, size);
  }
});

test("the whole model anew: who reads what differs is resolved, and nobody else", () => {
  for (const size of [200, 800]) {
    const model = { v: ids(size), other: 0 };
    const { push, work } = counting([v9.components(...many(size, (at) => `/v/${at}`)), v9.data("/", model)]);
    const before = work.calls;
    for (let at = 0; at < 100; at++) {
      model.v[at] = at;
      push(v9.data("/", { v: [...model.v], other: at }));
    }
    assert.equal(work.calls - before, 100);
    // Places that nobody has anything at are passed over.
    push(v9.data("/", {}));
    const empty = work.calls;
    for (let at = 0; at < 100; at++) push(v9.data("/", { at }));
    assert.equal(work.calls, empty);
  }
});

test("a template of a thousand items: an item is resolved, and those behind one that goes", () => {
  const items = Array.from({ length: 1000 }, (_, at) => ({ n: at }));
  const { push, work, surfaces } = counting([
    v9.components(
      { id: "root", component: "List", children: { componentId: "row", path: "/l" } },
      { id: "row", component: "Text", text: counted("n") },
    ),
    v9.data("/l", items),
  ]);
  const steps = (...messages) => {
    const before = work.calls;
    push(...messages);
    return work.calls - before;
  };
  assert.equal(steps(...Array.from({ length: 500 }, (_, at) => v9.data("/l/7/n", -1 - at))), 500);
  assert.equal(steps(v9.data("/l/998/n", "x")), 1);
  assert.equal(steps(v9.data("/l/997")), 2);
  assert.equal(steps(v9.data("/l/-", { n: "new" })), 1);
  assert.equal(surfaces.tree("s").children.length, 1000);
});

for (const [what, message] of [
  ["one path that all nodes read", (at) => v9.data("/x", at)],
  [
    "a template over one list and the other",
    (at) =>
      v9.components({ id: "root", component: "Row", children: { componentId: "c0", path: at % 2 ? "/a" : "/b" } }),
  ],
  [
    "a root that comes and goes",
    (at) => v9.components({ id: "root", component: "Row", children: at % 2 ? ids(400) : [] }),
  ],
]) {
  test(`${what}, again and again in one call: resolved a number of times, and at the end`, () => {
    const size = 400;
    const list = Array(size).fill({});
    const start = [
      v9.components(...many(size, () => "/x")),
      v9.data("/a", list),
      v9.data("/b", list),
      v9.data("/x", 0),
    ];
    const calls = [2_000, 8_000].map((times) => {
      const { push, work, surfaces } = counting(start);
      const before = work.calls;
      const events = push(...Array.from({ length: times }, (_, at) => message(at)));
      const done = work.calls - before;
      // What is there is what the last message says.
      const other = counting([...start, message(times - 2), message(times - 1)]);
      assert.deepEqual(surfaces.tree("s"), other.surfaces.tree("s"));
      assert.ok(trees(events).length < times);
      // Afterwards every message has its event again.
      assert.equal(trees(push(v9.data("/x", "last"))).length, surfaces.tree("s").children.length > 0 ? 1 : 0);
      return done;
    });
    assert.ok(calls[0] <= MOST + 2 * size, `${calls[0]} resolutions`);
    assert.ok(calls[1] <= calls[0] + 2 * size, `${calls} resolutions`);
  });
}

test("a component that is redefined thousands of times, a text with many bindings, an object with many keys", () => {
  const value = ids(1000)
    .map((id) => `\${count(value: \${/f/${id}})}`)
    .join("");
  const model = Object.fromEntries(ids(1000).map((id) => [id, 1]));
  const start = [
    v9.components(
      { id: "root", component: "Row", children: ["a", "b", "c"] },
      { id: "a", component: "Text", text: { call: "formatString", args: { value } } },
      { id: "b", component: "Text", text: counted("/f") },
      { id: "c", component: "List", children: { componentId: "d", path: "/f" } },
      { id: "d", component: "Text", text: counted("") },
    ),
    v9.data("/f", model),
  ];
  const calls = [1_000, 4_000].map((times) => {
    const { push, work, surfaces } = counting(start);
    const before = work.calls;
    push(...Array.from({ length: times }, (_, at) => v9.data("/f/c7", at)));
    push(...Array.from({ length: times }, (_, at) => v9.data(`/f/new${at}`, at)));
    push(
      ...Array.from({ length: times }, (_, at) => v9.components({ id: "d", component: `T${at}`, text: counted("") })),
    );
    assert.equal(surfaces.tree("s").children[2].children[7].type, `T${times - 1}`);
    return work.calls - before;
  });
  assert.ok(calls[1] <= calls[0] + 10_000, `${calls} resolutions`);
});

test("many surfaces, deep trees, inputs in a loop", () => {
  const chain = Array.from({ length: 100 }, (_, at) => component(`d${at}`, "Card", { child: `d${at + 1}` }));
  const own = component("d100", "Text", { text: { path: "/x" } });
  const { surfaces, push } = open([components(...chain, own), data("x", 0), render("d0")]);
  const v8 = (id) => [
    { surfaceUpdate: { surfaceId: id, components: [{ id: "r", component: { Row: list("t") } }] } },
    { beginRendering: { surfaceId: id, root: "r" } },
  ];
  push(...ids(60).flatMap(v8));
  const told = [];
  surfaces.subscribe((event) => told.push(event));
  for (let at = 1; at <= 500; at++) {
    assert.deepEqual(surfaces.setData("main", "/x", at), [
      { type: "data", surfaceId: "main" },
      { type: "tree", surfaceId: "main", nodes: ["d100"] },
    ]);
  }
  assert.equal(told.length, 1000);
  assert.equal(surfaces.tree("c3"), surfaces.tree("c3"));
});

test("a call with more events than an engine takes as arguments", () => {
  const { surfaces } = open();
  let told = 0;
  surfaces.subscribe(() => {
    told += 1;
  });
  const text = lines([data("x", 0), data("x", 1)]).repeat(100_000);
  assert.equal(surfaces.push(text).length, told);
  assert.equal(told, 200_001);
});

test("literals of A2UI v0.8 that bring along the data of others, one after the other", () => {
  const size = 6000;
  const at = (place) => ({ path: `/p${place}/x`, literalString: "made" });
  const all = ids(size).flatMap((id, place) => [
    { id, component: { List: { children: { template: { componentId: `${id}-item`, dataBinding: `/p${place}` } } } } },
    { id: `${id}-item`, component: { Text: { text: at(place + 1) } } },
  ]);
  const { surfaces } = open([
    {
      surfaceUpdate: {
        surfaceId: "s",
        components: [{ id: "root", component: { Column: list(...ids(size)) } }, ...all],
      },
    },
    { beginRendering: { surfaceId: "s", root: "root" } },
    { dataModelUpdate: { surfaceId: "s", path: "/p0", contents: [{ key: "x", valueString: "sent" }] } },
  ]);
  assert.deepEqual(surfaces.dataModel("s")[`p${size}`], { x: "made" });
});
