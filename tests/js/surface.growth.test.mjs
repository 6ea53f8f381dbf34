// The cost of a change depends on its dependents: work is counted as calls of a function of the page, not as time.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are templates of texts
import assert from "node:assert/strict";
import { test } from "node:test";
import { codes, component, components, data, diagnostics, lines, list, open, render, v9 } from "../support/surface.mjs";

/** A surface of A2UI v0.9 whose texts are computed by a function that counts its calls. */
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
/** After this many steps a call updates its trees only once, at its end. */
const MOST = 100_000;

test("each node reads its own place: a message resolves one node", () => {
  for (const size of [200, 800]) {
    const { push, work } = counting([v9.components(...many(size, (at) => `/v/${at}`)), v9.data("/v", ids(size))]);
    const before = work.calls;
    for (let at = 0; at < size; at++) push(v9.data(`/v/${at}`, at));
    assert.equal(work.calls - before, size);
  }
});

test("a new model resolves only the nodes that read a changed value", () => {
  for (const size of [200, 800]) {
    const model = { v: ids(size), other: 0 };
    const { push, work } = counting([v9.components(...many(size, (at) => `/v/${at}`)), v9.data("/", model)]);
    const before = work.calls;
    for (let at = 0; at < 100; at++) {
      model.v[at] = at;
      push(v9.data("/", { v: [...model.v], other: at }));
    }
    assert.equal(work.calls - before, 100);
    // Data without readers costs nothing.
    push(v9.data("/", {}));
    const empty = work.calls;
    for (let at = 0; at < 100; at++) push(v9.data("/", { at }));
    assert.equal(work.calls, empty);
  }
});

test("a template of a thousand items: only the changed item is resolved", () => {
  const items = Array.from({ length: 999 }, (_, at) => ({ n: at }));
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
  assert.equal(steps(v9.data("/l/997")), 1);
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
  test(`${what}, many times in one call: the number of resolutions is bounded, and the last message counts`, () => {
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
      // The tree is that of the last message.
      const other = counting([...start, message(times - 2), message(times - 1)]);
      assert.deepEqual(surfaces.tree("s"), other.surfaces.tree("s"));
      assert.ok(trees(events).length < times);
      // After the call every message emits its event again.
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
  const received = [];
  surfaces.subscribe((event) => received.push(event));
  for (let at = 1; at <= 500; at++) {
    assert.deepEqual(surfaces.setData("main", "/x", at), [
      { type: "data", surfaceId: "main" },
      { type: "tree", surfaceId: "main", nodes: ["d100"] },
    ]);
  }
  assert.equal(received.length, 1000);
  assert.equal(surfaces.tree("c3"), surfaces.tree("c3"));
});

test("a call with more events than an engine takes as arguments", () => {
  const { surfaces } = open();
  let received = 0;
  surfaces.subscribe(() => {
    received += 1;
  });
  const text = lines([data("x", 0), data("x", 1)]).repeat(100_000);
  assert.equal(surfaces.push(text).length, received);
  assert.equal(received, 200_001);
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

/** The limits are small, so that a tree far over them is still small. */
const small = { limits: { maxTreeBytes: 1 << 20 } };
const rows = (length) => Array.from({ length }, (_, at) => at);
const over = (events) => diagnostics(events).filter(({ code }) => code === "LIMIT_EXCEEDED");

/** The approximate number of characters and members that the nodes of a stream hold. */
function sizeOf(surfaces) {
  const seen = new Set();
  const sum = (value) => {
    if (typeof value === "string") return value.length;
    if (typeof value !== "object" || value === null || seen.has(value)) return 1;
    seen.add(value);
    return Object.entries(value).reduce((size, [, inner]) => size + 1 + sum(inner), 0);
  };
  return surfaces.ids().reduce((size, id) => size + sum(surfaces.tree(id)), 0);
}

const long = "k".repeat(10_000);
const fields = (count) => Object.fromEntries(rows(count).map((at) => [`f${at}`, at]));
/** A chain of components, each of which has the next one as a child twice. */
const twice = (length) =>
  v9.components(
    ...rows(length).map((at) => ({
      id: at === 0 ? "root" : `c${at}`,
      component: "Row",
      children: [`c${at + 1}`, `c${at + 1}`],
    })),
  );
const forEach = (item, path = "/l") => [
  { id: "root", component: "List", children: { componentId: "item", path } },
  { id: "item", ...item },
];
for (const [what, messages] of [
  ["children that are named twice, again and again", [twice(16)]],
  ["items with many properties", [v9.components(...forEach({ component: "T", ...fields(1_000), text: { path: "" } }))]],
  [
    "items with many bindings",
    [v9.components(...forEach({ component: "T", x: rows(1_000).map(() => ({ path: "" })) }))],
  ],
  ["items in which a long path is read", [v9.components(...forEach({ component: "T", text: { path: `/${long}` } }))]],
  [
    "items below a long key",
    [v9.data(`/${long}`, rows(1_000)), v9.components(...forEach({ component: "T", text: { path: "" } }, `/${long}`))],
  ],
  [
    "a long text in each item",
    [v9.components(...forEach({ component: "T", text: { call: "formatString", args: { value: "${/t}" } } }))],
  ],
  [
    "a long text of many short ones",
    [
      v9.components(
        ...forEach({ component: "T", text: { call: "formatString", args: { value: "${/s}".repeat(1_000) } } }),
      ),
    ],
  ],
]) {
  test(`${what}: at most the memory that the trees of a stream may take`, () => {
    const { surfaces, push } = open(
      [v9.create(), v9.data("/l", rows(1_000)), v9.data("/t", long), v9.data("/s", "s".repeat(100))],
      small,
    );
    const events = push(...messages);
    assert.ok(over(events).length > 0, "nothing is refused");
    assert.ok(sizeOf(surfaces) < 1 << 20, `${sizeOf(surfaces)}`);
    // The tree reaches the limit, and the stream continues.
    assert.ok(surfaces.tree("s").children.length > 0);
    push(v9.components({ id: "root", component: "Text", text: { path: "/s" } }));
    assert.equal(surfaces.tree("s").props.text.length, 100);
    // The default limit has room for the tree.
    const other = open([v9.create(), v9.data("/l", rows(10)), v9.data("/t", long), v9.data("/s", "s")]);
    assert.deepEqual(
      over(
        other
          .push(v9.data(`/${long}`, rows(10)), ...messages.slice(-1))
          .filter(({ message }) => !/nodes/.test(message)),
      ),
      [],
    );
  });
}

test("surfaces share the memory limit, and a deleted one frees its part", () => {
  const { surfaces, push } = open([], small);
  const named = (id, message) => JSON.parse(JSON.stringify(message).replace('"s"', JSON.stringify(id)));
  const begin = (id) => push(named(id, v9.create()), named(id, twice(9)));
  let made = 0;
  while (over(begin(`s${made}`)).length === 0) made += 1;
  assert.ok(made > 1 && made < 10, `${made} surfaces`);
  push(named(`s${made}`, v9.delete()), named("s0", v9.delete()));
  for (let time = 0; time < 20; time++) {
    assert.deepEqual(over(begin("again")), []);
    // The tree is the same however often it was made before.
    assert.deepEqual(
      over(push(named("again", v9.components({ id: "root", component: "Row" })), named("again", twice(9)))),
      [],
    );
    push(named("again", v9.delete()));
  }
  assert.ok(over(push(named(`s${made}`, v9.create()), named(`s${made}`, twice(10)))).length > 0);
  assert.equal(surfaces.tree("s1").children.length, 2);
});

test("an action's context counts for the memory limit", () => {
  const own = { event: { name: "go", context: { text: { call: "formatString", args: { value: "${/t}" } } } } };
  const { surfaces, push } = open([v9.create(), v9.data("/t", long)], { limits: { maxTreeBytes: 10_000 } });
  push(v9.components({ id: "root", component: "Button", action: own }));
  assert.equal(surfaces.action("s", "root").action.context.text, null);
  assert.equal(over(push(v9.data("/x", 1))).length, 1);
});

test("the text of formatString is bounded, whatever its template", () => {
  const text = (value, limits) => {
    const call = { call: "formatString", args: { value } };
    const { surfaces, events } = open(
      [v9.create(), v9.data("/t", "t".repeat(30)), v9.components({ id: "root", component: "T", text: call })],
      { limits },
    );
    return [surfaces.tree("s").props.text, diagnostics(events).map(({ code }) => code)];
  };
  assert.deepEqual(text("${/t}${/t}", { maxFunctionText: 60 }), ["t".repeat(60), []]);
  assert.deepEqual(text("${/t}${/t}", { maxFunctionText: 59 }), [null, ["FUNCTION_FAILED"]]);
  for (const expression of [`'${"\\'".repeat(100_000)}`, `f(a: '${"a".repeat(100_000)}`, `1${" ".repeat(100_000)}x`])
    assert.deepEqual(text(`$\{${expression}}`), [null, ["FUNCTION_FAILED"]]);
  assert.deepEqual(text(`$\{${"1".repeat(100_000)}x}`), ["", []]);
  assert.deepEqual(text(`$\{'${"\\'".repeat(100_000)}'}`), ["'".repeat(100_000), []]);
});

test("a path that is longer than data can be deep leads nowhere", () => {
  const path = "a/".repeat(200);
  const { surfaces, events } = open([
    v9.create(),
    v9.data("/l", [{}]),
    v9.components(...forEach({ component: "T", text: { path } })),
  ]);
  assert.deepEqual(codes(events), ["INVALID_PATH"]);
  assert.equal(surfaces.tree("s").children[0].props.text, null);
});

test("many bad lines in a row: the first are reported, and after a message again", () => {
  for (const bad of ["x", "{", "{}", "null", '{"a":', '{"version":"v0.9","createSurface":{}}']) {
    for (const partial of [false, true]) {
      const { surfaces } = open([], { partial, limits: { maxIssues: 3 } });
      const lined = (count) => `${bad}\n`.repeat(count);
      const whole = `${JSON.stringify(v9.create())}\n${lined(3)}${JSON.stringify(v9.data("/x", 1))}\n${lined(50)}${JSON.stringify(v9.data("/x", 2))}\n${lined(1)}`;
      const events = surfaces.push(whole);
      const received = diagnostics(events).map(({ code, line }) => [line, code === "LIMIT_EXCEEDED"]);
      assert.deepEqual(
        received,
        [
          [2, false],
          [3, false],
          [4, false],
          [6, false],
          [7, false],
          [8, false],
          [9, true],
          [57, false],
        ],
        bad,
      );
      assert.deepEqual(surfaces.dataModel("s"), { x: 2 });
      const pieces = open([], { partial, limits: { maxIssues: 3 } }).surfaces;
      assert.deepEqual(
        [...whole].flatMap((char) => pieces.push(char)),
        events,
      );
    }
  }
});
