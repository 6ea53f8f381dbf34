// Surfaces: trees, node by node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SurfaceStream } from "genui-patch";
import { assertFrozen, thrown, throwsMisuse } from "../support/store.mjs";
import {
  assertTree,
  codes,
  component,
  components,
  data,
  diagnostics,
  lines,
  list,
  nodesOf,
  open,
  render,
  renewed,
  template,
  text,
  v9,
} from "../support/surface.mjs";

test("a GULF stream, progressively", () => {
  const { surfaces, push } = open([{ streamHeader: { version: "1.0.0" } }]);
  assert.deepEqual(surfaces.ids(), []);
  push(components(component("root", "Column", list("title", "body"), { weight: 2 })), data("title", "Hello"));
  assert.deepEqual(surfaces.ids(), ["main"]);
  assert.equal(surfaces.tree("main"), undefined);
  assert.deepEqual(surfaces.info("main"), { protocol: "gulf", rendering: false });
  const events = push(render("root", { font: "Inter" }));
  assert.deepEqual(events, [
    { type: "surface", surfaceId: "main" },
    { type: "tree", surfaceId: "main", nodes: ["root", "title", "body"] },
  ]);
  assertTree(surfaces, "main", ["root", {}, ["title (pending)", {}], ["body (pending)", {}]]);
  assert.deepEqual(surfaces.info("main"), {
    protocol: "gulf",
    rendering: true,
    root: "root",
    styles: { font: "Inter" },
  });
  const more = push(components(component("title", "Heading", { ...text("title"), level: "1" })));
  assert.deepEqual(more, [{ type: "tree", surfaceId: "main", nodes: ["title"] }]);
  assert.deepEqual(surfaces.tree("main"), {
    id: "root",
    componentId: "root",
    type: "Column",
    weight: 2,
    props: {},
    state: "ready",
    dataPath: "",
    children: [
      {
        id: "title",
        componentId: "title",
        type: "Heading",
        props: { text: "Hello", level: "1" },
        bindings: { text: "/title" },
        state: "ready",
        dataPath: "",
        slot: "children",
        children: [],
      },
      {
        id: "body",
        componentId: "body",
        type: "",
        props: {},
        state: "pending",
        dataPath: "",
        slot: "children",
        children: [],
      },
    ],
  });
  assertFrozen(surfaces.tree("main"));
});

test("a change creates new nodes only where something depends on it, and for their parents", () => {
  const { surfaces, push } = open([
    components(
      component("root", "Column", list("a", "row")),
      component("a", "Text", text("a")),
      component("row", "Row", list("b", "c")),
      component("b", "Text", text("/o/b")),
      component("c", "Text", text("/o/c")),
    ),
    render("root"),
  ]);
  const step = (message) => {
    const before = surfaces.tree("main");
    const events = push(message);
    return [renewed(before, surfaces.tree("main")), events.find((event) => event.type === "tree")?.nodes];
  };
  assert.deepEqual(step(data("a", 1)), [["root", "a"], ["a"]]);
  assert.deepEqual(step(data("a", 1)), [[], undefined]);
  assert.deepEqual(step(data("o", { b: 1, c: 2 })), [
    ["root", "row", "b", "c"],
    ["b", "c"],
  ]);
  assert.deepEqual(step(data("o.b", 3)), [["root", "row", "b"], ["b"]]);
  assert.deepEqual(step(data("o", { b: 3, c: 4 })), [["root", "row", "c"], ["c"]]);
  assert.deepEqual(step(data("unread", 1)), [[], undefined]);
  assert.deepEqual(step(components(component("c", "Text", text("/o/c")))), [[], undefined]);
  assert.deepEqual(step(components(component("c", "Heading", text("/o/c")))), [["root", "row", "c"], ["c"]]);
  assert.deepEqual(step(components(component("row", "Row", list("c", "b")))), [["root", "row"], ["row"]]);
  assertTree(surfaces, "main", ["root", {}, ["a", { text: 1 }], ["row", {}, ["c", { text: 4 }], ["b", { text: 3 }]]]);
});

test("templates make a node for each item, and follow their list", () => {
  const { surfaces, push } = open([
    components(
      component("root", "List", template("row", "/items")),
      component("row", "Row", list("name", "all")),
      component("name", "Text", text("name")),
      component("all", "Text", text("/title")),
    ),
    data(undefined, { title: "T", items: [{ name: "a" }, { name: "b" }] }),
    render("root"),
  ]);
  const row = (index, name) => [`row:${index}`, {}, [`name:${index}`, { text: name }], [`all:${index}`, { text: "T" }]];
  assertTree(surfaces, "main", ["root", {}, row(0, "a"), row(1, "b")]);
  assert.equal(surfaces.tree("main").children[1].dataPath, "/items/1");
  assert.deepEqual(surfaces.tree("main").children[1].children[0].bindings, { text: "/items/1/name" });
  const before = surfaces.tree("main");
  push(data("items[2]", { name: "c" }));
  assert.deepEqual(renewed(before, surfaces.tree("main")), ["root", "row:2", "name:2", "all:2"]);
  push(data("items[0].name", "A"));
  push(data("items", [{ name: "x" }]));
  assertTree(surfaces, "main", ["root", {}, row(0, "x")]);
  push(data("items", []));
  assertTree(surfaces, "main", ["root", {}]);
  push(data("items", "none"), data("items", null));
  assertTree(surfaces, "main", ["root", {}]);
});

test("items of a list, other children, and the items once more", () => {
  const items = component("root", "Row", template("row", "/l"));
  const other = component("root", "Row", list("a", "b"));
  const { surfaces, push } = open([components(items), data("l", [1, 2, 3]), render("root")]);
  const ids = () => surfaces.tree("main").children.map(({ id }) => id);
  assert.deepEqual(ids(), ["row:0", "row:1", "row:2"]);
  push(components(other));
  assert.deepEqual(ids(), ["a", "b"]);
  push(components(items));
  assert.deepEqual(ids(), ["row:0", "row:1", "row:2"]);
});

test("a template over nothing, over a scalar, over an object", () => {
  const { surfaces, push, events } = open([
    components(component("root", "List", template("row", "rows")), component("row", "Text", text("n"))),
    render("root"),
  ]);
  assert.deepEqual(codes(events), []);
  assertTree(surfaces, "main", ["root", {}]);
  assert.deepEqual(codes(push(data("rows", 7))), ["INVALID_PATH"]);
  assertTree(surfaces, "main", ["root", {}]);
  push(data("rows", { one: { n: 1 }, two: { n: 2 } }));
  assertTree(surfaces, "main", ["root", {}, ["row:one", { text: 1 }], ["row:two", { text: 2 }]]);
});

test("templates inside templates, and items that are values themselves", () => {
  const { surfaces } = open([
    v9.create(),
    v9.components(
      { id: "root", component: "Column", children: { componentId: "group", path: "/groups" } },
      { id: "group", component: "Row", children: { componentId: "cell", path: "cells" } },
      { id: "cell", component: "Text", text: { path: "" } },
    ),
    v9.data("/groups", [{ cells: ["a", "b"] }, { cells: ["c"] }]),
  ]);
  assertTree(surfaces, "s", [
    "root",
    {},
    ["group:0", {}, ["cell:0:0", { text: "a" }], ["cell:0:1", { text: "b" }]],
    ["group:1", {}, ["cell:1:0", { text: "c" }]],
  ]);
});

test("a template inside itself: data that are a tree, and one list in which there is no end", () => {
  const comment = (...replies) => ({ name: `c${replies.length}`, replies });
  const thread = comment(comment(comment()), comment());
  const shown = ["root", {}];
  const of = ({ name, replies }, id) => [id, { text: name }, ...replies.map((one, at) => of(one, `${id}:${at}`))];
  shown.push(of(thread, "comment:0"));
  const nine = open([
    v9.create(),
    v9.components(
      { id: "root", component: "Column", children: { componentId: "comment", path: "/thread" } },
      {
        id: "comment",
        component: "Card",
        text: { path: "name" },
        children: { componentId: "comment", path: "replies" },
      },
    ),
    v9.data("/thread", [thread]),
  ]);
  assert.deepEqual(codes(nine.events), []);
  assertTree(nine.surfaces, "s", shown);
  const gulf = open([
    components(
      component("root", "Column", template("comment", "thread")),
      component("comment", "Card", { ...text("name"), child: "replies" }),
      component("replies", "Column", template("comment", "replies")),
    ),
    data("", { thread: [thread] }),
    render("root"),
  ]);
  assert.deepEqual(codes(gulf.events), []);
  assert.equal([...nodesOf(gulf.surfaces.tree("main"))].filter(({ type }) => type === "Card").length, 4);
  nine.push(v9.components({ id: "comment", component: "Card", children: { componentId: "comment", path: "/thread" } }));
  assertTree(nine.surfaces, "s", ["root", {}, ["comment:0", {}, ["comment:0:0 (cyclic)", {}]]]);
});

test("an item deleted from a list leaves null in its place", () => {
  const { surfaces, push } = open([
    v9.create(),
    v9.components(
      { id: "root", component: "Column", children: { componentId: "row", path: "/l" } },
      { id: "row", component: "Text", text: { path: "n" } },
    ),
    v9.data("/l", [{ n: 1 }, { n: 2 }, { n: 3 }]),
  ]);
  push({ version: "v0.9", updateDataModel: { surfaceId: "s", path: "/l/0" } });
  assertTree(surfaces, "s", ["root", {}, ["row:0", { text: null }], ["row:1", { text: 2 }], ["row:2", { text: 3 }]]);
  assert.deepEqual(push({ version: "v0.9", updateDataModel: { surfaceId: "s", path: "/l/0" } }), []);
});

test("absolute paths of GULF are read from the item where they lead nowhere else, with one warning", () => {
  const { surfaces, events } = open([
    components(component("root", "List", template("row", "/l")), component("row", "Text", text("/n"))),
    data("l", [{ n: 1 }, { n: 2 }]),
    render("root"),
  ]);
  assert.deepEqual(codes(events), ["PATH_FALLBACK"]);
  assertTree(surfaces, "main", ["root", {}, ["row:0", { text: 1 }], ["row:1", { text: 2 }]]);
  assert.deepEqual(surfaces.tree("main").children[1].bindings, { text: "/l/1/n" });
  surfaces.push(lines([data("n", 0)]));
  assertTree(surfaces, "main", ["root", {}, ["row:0", { text: 0 }], ["row:1", { text: 0 }]]);
  assert.deepEqual(surfaces.tree("main").children[1].bindings, { text: "/n" });
});

/** A surface of A2UI v0.8 with these components and contents. */
function eight(components, contents) {
  return open([
    {
      surfaceUpdate: {
        surfaceId: "e",
        components: components.map(([id, type, props]) => ({ id, component: { [type]: props } })),
      },
    },
    { dataModelUpdate: { surfaceId: "e", contents } },
    { beginRendering: { surfaceId: "e", root: "root" } },
  ]);
}

test("in a template `/name` and `./name` mean the item's, where the root has none", () => {
  const rows = [
    { key: "rows", valueMap: [0, 1].map((n) => ({ key: `${n}`, valueMap: [{ key: "n", valueNumber: n }] })) },
  ];
  const props = { absolute: { path: "/n" }, dotted: { path: "./n" }, plain: { path: "n" }, none: { path: "/nowhere" } };
  const { surfaces, events } = eight(
    [
      ["root", "List", template("row", "./rows")],
      ["row", "Row", { ...props, ...template("cell", "/cells") }],
      ["cell", "Text", text("/x")],
    ],
    rows,
  );
  assert.deepEqual(
    diagnostics(events).map(({ code, severity }) => [code, severity]),
    [["PATH_FALLBACK", "warning"]],
  );
  const row = (n) => [`row:${n}`, { absolute: n, dotted: n, plain: n, none: null }];
  assertTree(surfaces, "e", ["root", {}, row(0), row(1)]);
  assert.equal(surfaces.tree("e").children[1].bindings.absolute, "/rows/1/n");
  // Templates inside an item find their lists in that item too.
  surfaces.setData("e", "/rows/1/cells", [{ x: "a" }]);
  assertTree(surfaces, "e", ["root", {}, row(0), [...row(1), ["cell:1:0", { text: "a" }]]]);
  // Data of the root has priority.
  surfaces.setData("e", "/n", "root");
  assert.equal(surfaces.tree("e").children[0].props.absolute, "root");
  assert.equal(surfaces.tree("e").children[0].props.dotted, 0);
});

test("in A2UI v0.9 an absolute path is the root's", () => {
  const { surfaces, events } = open([
    v9.create(),
    v9.components(
      { id: "root", component: "List", children: { componentId: "row", path: "/l" } },
      { id: "row", component: "Text", text: { path: "/n" }, more: { path: "./n" } },
    ),
    v9.data("/l", [{ n: 1 }]),
  ]);
  assert.deepEqual(codes(events), []);
  assertTree(surfaces, "s", ["root", {}, ["row:0", { text: null, more: 1 }]]);
});

test("a text of A2UI v0.8 that is a list or an object is one, where a path, a template or a list leads into it", () => {
  const forecast = [
    { day: "Tue", temps: [{ t: 1 }] },
    { day: "Wed", temps: [] },
  ];
  const { surfaces, events, push } = eight(
    [
      ["root", "Column", list("first", "all", "raw", "pick", "pairs")],
      ["first", "Text", { text: { path: "/forecast/0/day" }, deep: { path: "/forecast/0/temps/0/t" } }],
      ["all", "List", template("day", "/forecast")],
      ["day", "Row", { ...text("day"), ...template("temp", "temps") }],
      ["temp", "Text", text("t")],
      ["raw", "Text", text("/forecast")],
      ["pick", "MultipleChoice", { selections: { path: "/picked" }, label: { path: "/picked" } }],
      ["pairs", "List", template("pair", "/object")],
      ["pair", "Text", text("")],
    ],
    [
      { key: "forecast", valueString: JSON.stringify(forecast) },
      { key: "picked", valueString: '["a"]' },
      { key: "object", valueString: ' {"x": 1}' },
    ],
  );
  assert.deepEqual(codes(events), []);
  const tree = (first, deep, ...days) => [
    "root",
    {},
    ["first", { text: first, deep }],
    ["all", {}, ...days],
    ["raw", { text: surfaces.tree("e").children[2].props.text }],
    ["pick", { selections: ["a"], label: '["a"]' }],
    ["pairs", {}, ["pair:x", { text: 1 }]],
  ];
  const tuesday = ["day:0", { text: "Tue" }, ["temp:0:0", { text: 1 }]];
  assertTree(surfaces, "e", tree("Tue", 1, tuesday, ["day:1", { text: "Wed" }]));
  assert.equal(surfaces.tree("e").children[2].props.text, JSON.stringify(forecast));
  // An input writes into the item.
  const { bindings } = surfaces.tree("e").children[1].children[0];
  assert.equal(bindings.text, "/forecast/0/day");
  surfaces.setData("e", bindings.text, "Mon");
  assertTree(
    surfaces,
    "e",
    tree("Mon", 1, ["day:0", { text: "Mon" }, ["temp:0:0", { text: 1 }]], ["day:1", { text: "Wed" }]),
  );
  // Another text takes its place, under what the user has typed.
  const contents = [{ key: ".", valueString: '[{"day": "Sun"}]' }];
  push({ dataModelUpdate: { surfaceId: "e", path: "/forecast", contents } });
  assertTree(surfaces, "e", tree("Mon", null, ["day:0", { text: "Mon" }]));
  push({ dataModelUpdate: { surfaceId: "e", path: "/forecast", contents: [{ key: ".", valueString: "[no list" }] } });
  assert.equal(surfaces.tree("e").children[1].children.length, 0);
  const deep = "[".repeat(5000) + "]".repeat(5000);
  push({ dataModelUpdate: { surfaceId: "e", path: "/forecast", contents: [{ key: ".", valueString: deep }] } });
  assert.equal(surfaces.tree("e").children[0].props.text, null);
});

test("keys of A2UI v0.8 that are paths are read in every form", () => {
  const { surfaces, events } = eight(
    [
      ["root", "Column", list("chart", "rows")],
      [
        "chart",
        "Chart",
        {
          title: { path: "chart.title" },
          data: { path: "/chart.items" },
          one: { path: "/chart/items/0/n" },
          flat: { path: "chart.items[1].n" },
        },
      ],
      ["rows", "List", template("row", "/chart.items")],
      ["row", "Text", text("n")],
    ],
    [
      { key: "chart.title", valueString: "T" },
      { key: "chart.items[0].n", valueNumber: 1 },
      { key: "chart.items[1].n", valueNumber: 2 },
    ],
  );
  assert.deepEqual(codes(events), []);
  assertTree(surfaces, "e", [
    "root",
    {},
    ["chart", { title: "T", data: [{ n: 1 }, { n: 2 }], one: 1, flat: 2 }],
    ["rows", {}, ["row:0", { text: 1 }], ["row:1", { text: 2 }]],
  ]);
  assert.equal(surfaces.tree("e").children[0].bindings.flat, "/chart/items/1/n");
  surfaces.setData("e", "chart.title", "U");
  assert.equal(surfaces.tree("e").children[0].props.title, "U");
  // An existing key with exactly this spelling has priority.
  surfaces.setData("e", "/", { "chart.title": "plain", chart: { title: "T" } });
  assert.equal(surfaces.tree("e").children[0].props.title, "plain");
  assert.deepEqual(surfaces.dataModel("e"), { "chart.title": "plain", chart: { title: "T" } });
});

test("a cycle is cut at the repeat", () => {
  const { surfaces, events, push } = open([
    components(component("a", "Card", { child: "b" }), component("b", "Row", list("c", "a")), component("c", "Text")),
    render("a"),
  ]);
  assert.deepEqual(codes(events), ["CYCLE"]);
  assertTree(surfaces, "main", ["a", {}, ["b", {}, ["c", {}], ["a (cyclic)", {}]]]);
  push(components(component("b", "Row", list("c"))));
  assertTree(surfaces, "main", ["a", {}, ["b", {}, ["c", {}]]]);
  assertTree(open([components(component("a", "Card", { child: "a" })), render("a")]).surfaces, "main", [
    "a",
    {},
    ["a (cyclic)", {}],
  ]);
});

test("a root or a child that never arrives", () => {
  const one = open([components(component("a", "Text"))]);
  assert.deepEqual(codes(one.surfaces.end()), ["MISSING_ROOT"]);
  const two = open([render("a")]);
  assertTree(two.surfaces, "main", ["a (pending)", {}]);
  assert.deepEqual(codes(two.surfaces.end()), ["MISSING_ROOT"]);
  const three = open([components(component("a", "Row", list("b", "c"))), render("a")]);
  assert.deepEqual(
    diagnostics(three.surfaces.end()).map(({ code, path, severity }) => [code, path, severity]),
    [
      ["MISSING_COMPONENT", "b", "warning"],
      ["MISSING_COMPONENT", "c", "warning"],
    ],
  );
  const four = open([v9.create(), v9.components({ id: "a", component: "Text", text: "x" })]);
  assert.equal(four.surfaces.tree("s"), undefined);
  assert.deepEqual(codes(four.surfaces.end()), ["MISSING_ROOT"]);
});

test("children in all their slots", () => {
  const { surfaces } = open([
    components(
      component("root", "Column", list("modal", "tabs", "card")),
      component("modal", "Modal", { entryPointChild: "x", contentChild: "y" }),
      component("tabs", "Tabs", {
        tabItems: [
          { title: { literalString: "One" }, child: "x" },
          { title: { path: "t" }, child: "y" },
        ],
      }),
      component("card", "Card", { child: "x", children: [] }),
      component("x", "Text"),
      component("y", "Text"),
    ),
    data("t", "Two"),
    render("root"),
  ]);
  const [modal, tabs, card] = surfaces.tree("main").children;
  const slots = (node) => node.children.map(({ id, slot }) => [id, slot]);
  assert.deepEqual(slots(modal), [
    ["x", "entryPointChild"],
    ["y", "contentChild"],
  ]);
  assert.deepEqual(slots(tabs), [
    ["x", "tabItems/0/child"],
    ["y", "tabItems/1/child"],
  ]);
  assert.deepEqual(tabs.props, { tabItems: [{ title: "One" }, { title: "Two" }] });
  assert.deepEqual(slots(card), [["x", "child"]]);
  const nine = open([
    v9.create(),
    v9.components(
      { id: "root", component: "Column", children: ["modal", "note", "tabs"] },
      { id: "modal", component: "Modal", trigger: "x", content: "y" },
      { id: "note", component: "Note", content: "x", trigger: "y" },
      { id: "tabs", component: "Tabs", tabs: [{ title: "One", child: "x" }] },
      { id: "x", component: "Divider" },
      { id: "y", component: "Divider" },
    ),
  ]).surfaces.tree("s");
  assert.deepEqual(nine.children.map(slots), [
    [
      ["x", "trigger"],
      ["y", "content"],
    ],
    [],
    [["x", "tabs/0/child"]],
  ]);
  assert.deepEqual(nine.children[1].props, { content: "x", trigger: "y" });
});

test("a child that is listed twice has two nodes with ids of their own", () => {
  const { surfaces } = open([
    components(
      component("root", "Column", list("line", "x", "line")),
      component("line", "Divider"),
      component("x", "Text"),
    ),
    render("root"),
  ]);
  assertTree(surfaces, "main", ["root", {}, ["line", {}], ["x", {}], ["line#1", {}]]);
});

test("literals and bindings of GULF and A2UI v0.8", () => {
  const props = {
    s: { literalString: "x" },
    n: { literalNumber: 0 },
    b: { literalBoolean: false },
    a: { literalArray: ["p", "q"] },
    both: { path: "/both", literalString: "own" },
    none: { path: "/none" },
    deep: [{ label: { literalString: "L" }, value: "v", more: { path: "/both" } }],
    other: { path: "/both", and: 1 },
    plain: "text",
  };
  const expected = {
    s: "x",
    n: 0,
    b: false,
    a: ["p", "q"],
    none: null,
    other: { path: "/both", and: 1 },
    plain: "text",
  };
  const gulf = open([components(component("r", "T", props)), data("both", "data"), render("r")]).surfaces;
  const deep = [{ label: "L", value: "v", more: "data" }];
  assert.deepEqual(gulf.tree("main").props, { ...expected, both: "own", deep });
  assert.deepEqual(gulf.tree("main").bindings, { both: "/both", none: "/none" });
  const surfaceUpdate = { surfaceId: "e", components: [{ id: "r", component: { T: props } }] };
  const { surfaces, push } = open([{ surfaceUpdate }, { beginRendering: { surfaceId: "e", root: "r" } }]);
  // The literal has initialized the data, which has priority from then on.
  assert.deepEqual(surfaces.dataModel("e"), { both: "own" });
  assert.equal(surfaces.tree("e").props.both, "own");
  push({ dataModelUpdate: { surfaceId: "e", path: "/both", contents: [{ key: "k", valueNumber: 1 }] } });
  assert.deepEqual(surfaces.tree("e").props.both, { k: 1 });
});

test("a literal of A2UI v0.8 at a path with -: a key of an object, in a list no place", () => {
  const at = (path) => ({ text: { path, literalString: "own" } });
  const parts = [
    ["root", "Row", list("a", "b")],
    ["a", "T", at("/o/-")],
    ["b", "T", at("/o/k/-/n")],
  ];
  const first = eight(parts.slice(0, 2), [{ key: "o", valueMap: [{ key: "x", valueNumber: 1 }] }]);
  assert.deepEqual(first.surfaces.dataModel("e"), { o: { x: 1, "-": "own" } });
  assert.equal(first.surfaces.tree("e").children[0].props.text, "own");
  const before = open([
    {
      surfaceUpdate: {
        surfaceId: "e",
        components: parts.map(([id, type, props]) => ({ id, component: { [type]: props } })),
      },
    },
    { beginRendering: { surfaceId: "e", root: "root" } },
  ]);
  assert.deepEqual(before.surfaces.dataModel("e"), {});
  // The object arrives after the components.
  const sent = { surfaceId: "e", path: "/o", contents: [{ key: "k", valueMap: [{ key: "x", valueNumber: 1 }] }] };
  before.push({ dataModelUpdate: sent });
  assert.deepEqual(before.surfaces.dataModel("e"), { o: { k: { x: 1, "-": { n: "own" } }, "-": "own" } });
  before.surfaces.setData("e", "/o", [[]]);
  before.surfaces.setData("e", "/o/0", ["x"]);
  assert.deepEqual(before.surfaces.dataModel("e"), { o: [["x"]] });
});

test("inputs write the data, actions read it", () => {
  const { surfaces, push } = open([
    components(
      component("root", "Column", list("field", "go", "rows")),
      component("field", "TextField", { text: { path: "form.name" }, label: { literalString: "Name" } }),
      component("go", "Button", {
        label: { literalString: "Go" },
        action: {
          action: "send",
          context: [
            { key: "name", value: { path: "form.name" } },
            { key: "fixed", value: { literalNumber: 1 } },
          ],
        },
      }),
      component("rows", "List", template("row", "/rows")),
      component("row", "Button", { action: { action: "pick", context: [{ key: "id", value: { path: "id" } }] } }),
    ),
    data("rows", [{ id: "a" }, { id: "b" }]),
    render("root"),
  ]);
  const field = surfaces.tree("main").children[0];
  assert.deepEqual(field.bindings, { text: "/form/name" });
  const events = surfaces.setData("main", field.bindings.text, "Ada");
  assert.deepEqual(events, [
    { type: "data", surfaceId: "main" },
    { type: "tree", surfaceId: "main", nodes: ["field"] },
  ]);
  assert.deepEqual(surfaces.dataModel("main"), { rows: [{ id: "a" }, { id: "b" }], form: { name: "Ada" } });
  const { timestamp, ...event } = surfaces.action("main", "go");
  assert.equal(new Date(timestamp).toISOString(), timestamp);
  assert.deepEqual(event, {
    actionName: "send",
    sourceComponentId: "go",
    resolvedContext: { name: "Ada", fixed: 1 },
  });
  const picked = surfaces.action("main", "row:1");
  assert.deepEqual([picked.sourceComponentId, picked.resolvedContext], ["row", { id: "b" }]);
  // The next message of the server replaces the value.
  push(data("form", { name: "Bob" }));
  assert.equal(surfaces.tree("main").children[0].props.text, "Bob");
  assert.throws(() => surfaces.action("main", "field"), thrown("INVALID_ARGUMENT", /no action/));
  assert.throws(() => surfaces.action("main", "nobody"), thrown("INVALID_ARGUMENT", /no node/));
  assert.throws(() => surfaces.setData("nobody", "/a", 1), thrown("INVALID_ARGUMENT", /no surface/));
  assert.throws(() => surfaces.setData("main", "__proto__.a", 1), thrown("INVALID_ARGUMENT", /no path/));
  assert.deepEqual(codes(surfaces.setData("main", "/rows/1000000000", 1)), ["LIMIT_EXCEEDED"]);
});

test("inputs write only values that JSON can represent", () => {
  const { surfaces } = open([data("", {})]);
  const deep = (levels) => (levels === 0 ? 1 : [deep(levels - 1)]);
  for (const [value, wanted] of [
    [undefined, null],
    [
      [undefined, -0],
      [null, 0],
    ],
    ["\ud800x", "\ufffdx"],
    ["\\ud800", "\\ud800"],
    [{ "\udc00": "\\\ud800" }, { "\ufffd": "\\\ufffd" }],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [deep(127), deep(127)],
  ]) {
    assert.deepEqual(surfaces.setData("main", "x", value), [{ type: "data", surfaceId: "main" }]);
    assert.deepEqual(surfaces.dataModel("main").x, wanted);
  }
  for (const levels of [128, 400, 700]) {
    assert.deepEqual(codes(surfaces.setData("main", "x", deep(levels))), ["LIMIT_EXCEEDED"], `${levels} levels`);
  }
  throwsMisuse(() => surfaces.setData("main", "x", Number.NaN));
});

test("actions of A2UI", () => {
  const action = { name: "go", context: [{ key: "k", value: { path: "/k" } }] };
  const eight = open([
    { surfaceUpdate: { surfaceId: "e", components: [{ id: "r", component: { Button: { child: "x", action } } }] } },
    { dataModelUpdate: { surfaceId: "e", contents: [{ key: "k", valueNumber: 7 }] } },
    { beginRendering: { surfaceId: "e", root: "r" } },
  ]).surfaces.action("e", "r");
  assert.deepEqual(eight.userAction.context, { k: 7 });
  assert.deepEqual(
    [eight.userAction.name, eight.userAction.surfaceId, eight.userAction.sourceComponentId],
    ["go", "e", "r"],
  );
  const nine = open([
    v9.create(),
    v9.components(
      { id: "root", component: "Row", children: ["a", "b", "c", "d"] },
      { id: "d", component: "Button", action: { name: "go", context: { k: { path: "/k" } } } },
      { id: "a", component: "Button", action: { event: { name: "go", context: { k: { path: "/k" } } } } },
      { id: "b", component: "Button", action: { functionCall: { call: "openUrl", args: { url: { path: "/url" } } } } },
      { id: "c", component: "Button", action: 5 },
    ),
    v9.data("/k", 7),
    v9.data("/url", "https://example.com"),
  ]).surfaces;
  const event = nine.action("s", "a");
  assert.equal(event.version, "v0.9");
  assert.deepEqual(event.action.context, { k: 7 });
  const { name, context } = nine.action("s", "d").action;
  assert.deepEqual([name, context], ["go", { k: 7 }]);
  assert.deepEqual(nine.action("s", "b"), { functionCall: { call: "openUrl", args: { url: "https://example.com" } } });
  assert.throws(() => nine.action("s", "c"), thrown("INVALID_ARGUMENT", /no action/));
});

test("items of two lists share an id, and each has its own action", () => {
  const { surfaces } = open([
    v9.create(),
    v9.components(
      { id: "root", component: "Row", children: ["a", "b", "row"] },
      { id: "a", component: "List", children: { componentId: "row", path: "/a" } },
      { id: "b", component: "List", children: { componentId: "row", path: "/b" } },
      {
        id: "row",
        component: "Button",
        action: { event: { name: "go", context: { n: { path: "n" } } } },
        child: "row",
      },
    ),
    v9.data("/", { a: [{ n: 1 }, { n: 2 }], b: [{ n: 3 }], n: 0 }),
  ]);
  const contextOf = (node) => surfaces.action("s", node).action.context.n;
  const ready = [...nodesOf(surfaces.tree("s"))].filter(({ type, state }) => type === "Button" && state === "ready");
  assert.deepEqual(ready.map(contextOf), [1, 2, 3, 0]);
  assert.deepEqual(["row:0", "row:1", "row"].map(contextOf), [3, 2, 0]);
  // A node from before the change still refers to its place.
  surfaces.setData("s", "/a/0/n", 7);
  assert.equal(contextOf(ready[0]), 7);
  for (const odd of [null, 7, {}, [], { id: 7 }]) assert.ok(throwsMisuse(() => surfaces.action("s", odd)));
  assert.ok(throwsMisuse(() => surfaces.action("s", { id: "row:0", dataPath: "/c/0" })));
});

test("surfaces are created and deleted", () => {
  const { surfaces, push } = open([v9.create({ theme: { primaryColor: "#fff" } })]);
  assert.deepEqual(surfaces.info("s"), {
    protocol: "a2ui-0.9",
    rendering: false,
    catalogId: "c",
    theme: { primaryColor: "#fff" },
  });
  push(v9.components({ id: "root", component: "Text", text: "x" }));
  assert.equal(surfaces.info("s").rendering, true);
  assert.deepEqual(surfaces.components("s"), {
    root: { id: "root", type: "Text", props: { text: "x" }, protocol: "a2ui-0.9" },
  });
  assert.equal(surfaces.components("s"), surfaces.components("s"));
  assert.deepEqual(push(v9.delete()), [{ type: "deleted", surfaceId: "s" }]);
  for (const ask of ["tree", "dataModel", "components", "info"]) assert.equal(surfaces[ask]("s"), undefined);
  assert.deepEqual(codes(push(v9.data("/a", 1))), ["SURFACE_DELETED"]);
  push(v9.create());
  assert.deepEqual(surfaces.dataModel("s"), {});
  assert.equal(surfaces.tree("s"), undefined);
});

test("the data is frozen when it is looked at, and shares what did not change", () => {
  const { surfaces, push } = open([data(undefined, { a: { x: [1] }, b: { y: 2 } })]);
  const before = surfaces.dataModel("main");
  assertFrozen(before);
  push(data("b.y", 3));
  push(data("b.z", 4));
  const after = surfaces.dataModel("main");
  assertFrozen(after);
  assert.deepEqual(before, { a: { x: [1] }, b: { y: 2 } });
  assert.deepEqual(after, { a: { x: [1] }, b: { y: 3, z: 4 } });
  assert.equal(after.a, before.a);
  assert.equal(surfaces.dataModel("main"), after);
});

test("a value that a node shows stays as it was", () => {
  const { surfaces, push } = open([
    components(component("r", "Pick", { value: { path: "l" } })),
    data("l", ["a", { deep: 1 }]),
    render("r"),
  ]);
  const shown = surfaces.tree("main").props.value;
  push(data("l[1].deep", 2), data("l[2]", "b"));
  assert.deepEqual(shown, ["a", { deep: 1 }]);
  assert.deepEqual(surfaces.tree("main").props.value, ["a", { deep: 2 }, "b"]);
});

test("limits of a tree", () => {
  const many = open(
    [
      components(component("root", "List", template("row", "/l")), component("row", "Text", text(""))),
      data(
        "l",
        Array.from({ length: 100_000 }, (_, index) => index),
      ),
      render("root"),
    ],
    {},
  );
  assert.deepEqual(codes(many.events), ["LIMIT_EXCEEDED"]);
  assert.equal(many.surfaces.tree("main").children.length, 1000);
  assert.equal(many.surfaces.dataModel("main").l.length, 100_000);

  const nodes = open([components(component("root", "Row", list("a", "b", "c"))), render("root")], {
    limits: { maxNodes: 3 },
  });
  assert.deepEqual(codes(nodes.events), ["LIMIT_EXCEEDED"]);
  assert.equal([...nodesOf(nodes.surfaces.tree("main"))].length, 3);
  // An item beyond the limit changes nothing.
  const rows = open(
    [
      components(component("root", "List", template("row", "/l")), component("row", "Text", text("n"))),
      data("l", [1, 2, 3]),
      render("root"),
    ],
    { limits: { maxNodes: 3 } },
  );
  const full = rows.surfaces.tree("main");
  assert.deepEqual(rows.push(data("l[3]", 4)), [{ type: "data", surfaceId: "main" }]);
  assert.equal(rows.surfaces.tree("main"), full);

  const chain = Array.from({ length: 3000 }, (_, index) => component(`n${index}`, "Card", { child: `n${index + 1}` }));
  const deep = open([components(...chain), render("n0")]);
  assert.deepEqual(codes(deep.events), ["LIMIT_EXCEEDED"]);
  assert.equal([...nodesOf(deep.surfaces.tree("main"))].length, 128);

  const nested = open(
    [
      v9.create(),
      v9.components(
        { id: "root", component: "C", children: { componentId: "a", path: "/l" } },
        { id: "a", component: "C", children: { componentId: "b", path: "l" } },
        { id: "b", component: "C", children: { componentId: "c", path: "l" } },
        { id: "c", component: "C" },
      ),
      v9.data("/l", [{ l: [{ l: [1] }] }]),
    ],
    { limits: { maxTemplateDepth: 2 } },
  );
  assert.deepEqual(codes(nested.events), ["LIMIT_EXCEEDED"]);
  assertTree(nested.surfaces, "s", ["root", {}, ["a:0", {}, ["b:0:0", {}]]]);

  // Components that contain each other twice double at every level.
  const levels = Array.from({ length: 60 }, (_, index) =>
    component(`d${index}`, "Row", list(`d${index + 1}`, `d${index + 1}`)),
  );
  const bomb = open([components(...levels), render("d0")], { limits: { maxNodes: 500 } });
  assert.equal([...nodesOf(bomb.surfaces.tree("main"))].length, 500);
});

test("listeners get events after the call, in order", () => {
  const surfaces = new SurfaceStream();
  const received = [];
  const stop = surfaces.subscribe((event) => {
    received.push([event.type, surfaces.dataModel("main")]);
    if (received.length === 2) surfaces.setData("main", "b", 2);
  });
  surfaces.push(lines([data("a", 1)]));
  assert.deepEqual(received, [
    ["surface", { a: 1 }],
    ["data", { a: 1 }],
    ["data", { a: 1, b: 2 }],
  ]);
  stop();
  surfaces.push(lines([data("a", 2)]));
  assert.equal(received.length, 3);
});

test("components seen early, while their line arrives", () => {
  const line = lines([
    components(component("a", "Row", list("b", "c")), component("b", "Text"), component("c", "Text")),
  ]);
  const surfaces = new SurfaceStream({ partial: true });
  surfaces.push(lines([render("a")]));
  surfaces.push(line.slice(0, line.indexOf('{"id":"c"')));
  assertTree(surfaces, "main", ["a", {}, ["b", {}], ["c (pending)", {}]]);
  const early = surfaces.tree("main").children[0];
  surfaces.push(line.slice(line.indexOf('{"id":"c"')));
  assertTree(surfaces, "main", ["a", {}, ["b", {}], ["c", {}]]);
  assert.equal(surfaces.tree("main").children[0], early);
  // The provisional components of a bad line are discarded.
  surfaces.push(`${lines([components(component("b", "Heading"))]).slice(0, -4)} `);
  assert.equal(surfaces.tree("main").children[0].type, "Heading");
  assert.deepEqual(codes(surfaces.push("\n")), ["INVALID_JSON"]);
  assert.equal(surfaces.tree("main").children[0].type, "Text");
  assert.equal(surfaces.components("main").b.type, "Text");
  // The same if they have been read in between.
  surfaces.push(`${lines([components(component("b", "Heading"), component("d", "Text"))]).slice(0, -4)} `);
  assert.equal(surfaces.components("main").b.type, "Heading");
  surfaces.push("\n");
  assert.equal(surfaces.components("main").b.type, "Text");
  assert.equal(surfaces.components("main").d, undefined);
});

test("components are given as they were sent", () => {
  const props = {
    text: { path: "a", literalString: "x" },
    list: [{ literalNumber: 1 }, null, -1.5],
    tabItems: [{ title: { literalString: "t" }, child: "x", more: {} }],
    action: { action: "go", context: [] },
    children: { explicitList: ["x", 1] },
    ["__proto__"]: { deep: [[]] },
    2: "two",
    1: "one",
  };
  const sent = { ...props };
  Object.defineProperty(sent, "__proto__", { value: { deep: [[]] }, enumerable: true });
  const { surfaces } = open([
    components(component("a", "T", sent, { weight: 0 }), component("x", "T")),
    data("a", { b: 1 }),
    render("a"),
    v9.create(),
    v9.components({ id: "root", component: "T", ...props }),
  ]);
  surfaces.tree("main");
  surfaces.setData("main", "a.b", 2);
  assert.equal(
    JSON.stringify(surfaces.components("main").a),
    JSON.stringify({ id: "a", type: "T", weight: 0, props: sent, protocol: "gulf" }),
  );
  assert.deepEqual(surfaces.components("s").root.props, { ...props });
});

test("data may be as deep as the limit says, and is capped where the stack ends", () => {
  for (const maxDepth of [600, 100_000, 2 ** 32 - 1]) {
    const surfaces = new SurfaceStream({ limits: { maxDepth } });
    for (const levels of [500, 512, 513, 600, 5_000, 100_000]) {
      const line = `{"dataModelUpdate":{"contents":${"[".repeat(levels)}${"]".repeat(levels)}}}\n`;
      assert.deepEqual(codes(surfaces.push(line)), levels > 512 ? ["LIMIT_EXCEEDED"] : [], `${levels} levels`);
      surfaces.dataModel("main");
    }
    // Deep data, added level by level.
    surfaces.push(lines([data("", {})]));
    let refused = 0;
    for (let depth = 1; depth < 700; depth++) {
      refused += codes(surfaces.setData("main", "/a".repeat(depth), {})).length;
    }
    assert.equal(refused, 188);
    assert.equal(JSON.stringify(surfaces.dataModel("main")).length, 512 * 6 - 4);
  }
});

test("an action reports what it cannot compute", () => {
  const { surfaces } = open([
    v9.create(),
    v9.components(
      { id: "root", component: "Row", children: ["a", "b", "c"] },
      { id: "a", component: "B", action: { event: { name: "go", context: { k: { call: "nothing", args: {} } } } } },
      { id: "b", component: "B", action: { functionCall: { call: "nobody", args: { x: 1 } } } },
      { id: "c", component: "B", action: { functionCall: { call: "openUrl", args: { url: "/" } } } },
    ),
  ]);
  const received = [];
  surfaces.subscribe((event) => received.push(event));
  assert.deepEqual(surfaces.action("s", "a").action.context, { k: null });
  assert.deepEqual(codes(received), ["UNKNOWN_FUNCTION"]);
  assert.deepEqual(surfaces.action("s", "b"), { functionCall: { call: "nobody", args: { x: 1 } } });
  surfaces.action("s", "c");
  assert.deepEqual(codes(received), ["UNKNOWN_FUNCTION", "UNKNOWN_FUNCTION"]);
  // The next call returns these events, once.
  assert.deepEqual(codes(surfaces.setData("s", "/x", 1)), ["UNKNOWN_FUNCTION", "UNKNOWN_FUNCTION"]);
  assert.deepEqual(codes(surfaces.setData("s", "/x", 2)), []);
  assert.equal(received.filter(({ type }) => type === "diagnostic").length, 2);
});

test("misuse by the page throws", () => {
  assert.ok(throwsMisuse(() => new SurfaceStream({ nothing: 1 })));
  assert.ok(throwsMisuse(() => new SurfaceStream({ catalog: [] })));
  assert.ok(throwsMisuse(() => new SurfaceStream({ partial: "yes" })));
  assert.ok(throwsMisuse(() => new SurfaceStream({ functions: { f: 1 } })));
  assert.ok(throwsMisuse(() => new SurfaceStream({ timeZone: "Nowhere/Else" })));
  assert.ok(throwsMisuse(() => new SurfaceStream({ limits: { maxNothing: 1 } })));
  for (const maxNodes of [-1, 0.5, "1", null, 2 ** 32]) {
    assert.ok(throwsMisuse(() => new SurfaceStream({ limits: { maxNodes } })));
  }
  new SurfaceStream({ limits: { maxNodes: undefined } }).dispose();
  const surfaces = new SurfaceStream();
  assert.ok(throwsMisuse(() => surfaces.push(7)));
  assert.ok(throwsMisuse(() => surfaces.tree(7)));
  assert.ok(throwsMisuse(() => surfaces.subscribe(7)));
  surfaces.push(lines([data("a", 1)]));
  const cycle = {};
  cycle.self = cycle;
  assert.ok(throwsMisuse(() => surfaces.setData("main", "a", cycle)));
  assert.ok(throwsMisuse(() => surfaces.setData("main", 7, 1)));
  assert.deepEqual(surfaces.end().length, 1);
  assert.deepEqual(surfaces.end(), []);
  assert.ok(throwsMisuse(() => surfaces.push("x")));
  surfaces.dispose();
  surfaces.dispose();
  assert.throws(() => surfaces.tree("main"), thrown("DISPOSED"));
  assert.throws(() => surfaces.push("x"), thrown("INVALID_ARGUMENT"));
});

test("setData through a scalar is an error in A2UI, as by message, and overwrites in GULF", () => {
  const { surfaces } = open([v9.create(), v9.data("/a", 1), data("a", 1)]);
  const [event, ...others] = surfaces.setData("s", "/a/b", 2);
  assert.deepEqual([event.severity, event.code, others], ["error", "INVALID_PATH", []]);
  assert.deepEqual(surfaces.dataModel("s"), { a: 1 });
  assert.deepEqual(surfaces.setData("main", "/a/b", 2), [{ type: "data", surfaceId: "main" }]);
  assert.deepEqual(surfaces.dataModel("main"), { a: { b: 2 } });
});
