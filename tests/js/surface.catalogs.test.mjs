// Several catalogs in one surface, what may stand where, and the results of checks in A2UI 1.0.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SurfaceStream } from "genui-patch";
import { throwsMisuse } from "../support/store.mjs";
import { codes, component, components, data, diagnostics, nodesOf, open, render, v9 } from "../support/surface.mjs";

const create = (components, more) => ({ version: "v1.0", createSurface: { surfaceId: "s", components, ...more } });
const update = (...components) => ({ version: "v1.0", updateComponents: { surfaceId: "s", components } });
const closed = (...names) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, {}])),
  additionalProperties: false,
});
const basic = {
  catalogId: "basic",
  protocolVersion: "1.0",
  components: { Row: closed("children"), Text: closed("text") },
};
const charts = { $id: "charts", components: { Pie: closed("data"), Text: closed("words") } };
const states = (surfaces) =>
  Object.fromEntries(
    Array.from(nodesOf(surfaces.tree("s")), ({ id, state, issues = [] }) => [
      id,
      [state, ...issues.map(({ code }) => code)],
    ]),
  );

test("components choose their catalog; the others have that of the surface", () => {
  const { surfaces, events } = open(
    [
      create(
        [
          { id: "root", component: "Row", children: ["a", "b", "c", "d", "e"] },
          { id: "a", component: "Text", text: "x" },
          { id: "b", component: "Pie", catalogId: "charts", data: [1] },
          { id: "c", component: "Text", "@catalogId": "charts", words: "x" },
          { id: "d", component: "Pie", data: [1] },
          { id: "e", component: "Pie", catalogId: "maps", data: [1] },
        ],
        { catalogId: "basic" },
      ),
    ],
    { catalog: [basic, charts] },
  );
  assert.deepEqual(states(surfaces), {
    root: ["ready"],
    a: ["ready"],
    b: ["ready"],
    c: ["ready"],
    d: ["unknown", "UNKNOWN_TYPE"],
    e: ["unknown", "UNKNOWN_CATALOG"],
  });
  assert.deepEqual(codes(events), ["UNKNOWN_TYPE", "UNKNOWN_CATALOG"]);
  assert.match(diagnostics(events)[1].message, /no catalog "maps"; there are basic, charts/);
  assert.equal(diagnostics(events)[1].severity, "error");
});

test("a surface without a catalog, and a catalog of another version", () => {
  const old = { catalogId: "old", protocolVersion: "0.9", components: { Text: {} } };
  const root = { id: "root", component: "Text", text: "x" };
  const stateOf = (catalog, component, more) => {
    const { surfaces } = open([create([{ ...root, ...component }], more)], { catalog });
    return [surfaces.tree("s").state, surfaces.tree("s").issues?.[0].code];
  };
  assert.deepEqual(stateOf([basic, charts]), ["unknown", "UNKNOWN_CATALOG"]);
  assert.deepEqual(stateOf([basic, old], { catalogId: "old" }), ["unknown", "UNKNOWN_CATALOG"]);
  assert.deepEqual(stateOf([basic, old], { catalogId: "basic" }), ["ready", undefined]);
  // A single catalog is for all components that name no other.
  assert.deepEqual(stateOf(basic), ["ready", undefined]);
  assert.deepEqual(stateOf(basic, {}, { catalogId: "another" }), ["ready", undefined]);
  assert.deepEqual(stateOf(basic, { catalogId: "another" }), ["unknown", "UNKNOWN_CATALOG"]);
  assert.deepEqual(stateOf({ components: basic.components }, { catalogId: "another" }), ["ready", undefined]);
});

test("a surface of a catalog that a list does not have is refused", () => {
  for (const message of [create([], { catalogId: "none" }), v9.create({ catalogId: "none" })]) {
    const { surfaces, events } = open([message], { catalog: [basic, charts] });
    const [problem] = diagnostics(events);
    assert.deepEqual([problem.code, problem.path, surfaces.ids()], ["UNKNOWN_CATALOG", "/createSurface/catalogId", []]);
  }
});

test("in A2UI v0.9 a surface has one catalog, in the older protocols it is the first", () => {
  const catalog = [charts, { catalogId: "c", components: { Text: closed("text") } }];
  const nine = open([v9.create(), v9.components({ id: "root", component: "Text", text: "x" })], { catalog });
  assert.deepEqual([codes(nine.events), nine.surfaces.tree("s").state], [[], "ready"]);
  const gulf = open([components(component("root", "Pie", { data: 1 })), render("root"), data("a", 1)], { catalog });
  assert.deepEqual([codes(gulf.events), gulf.surfaces.tree("main").state], [[], "ready"]);
  for (const bad of [[], [{}], ["c"], "c", [basic, {}]]) {
    assert.ok(
      throwsMisuse(() => new SurfaceStream({ catalog: bad })),
      JSON.stringify(bad),
    );
  }
});

test("a call has the function of the catalog that it names, or of its surface", () => {
  const functions = { add: () => "page", math: { add: () => "math" }, basic: { twice: () => "basic" } };
  const text = (call, catalogId) => ({ "@call": call, args: {}, ...(catalogId && { catalogId }) });
  const { surfaces, events } = open(
    [
      create(
        [
          {
            id: "root",
            component: "Row",
            one: text("add"),
            two: text("add", "math"),
            three: text("twice"),
            four: text("add", "none"),
            five: text("twice", "math"),
          },
        ],
        { catalogId: "basic" },
      ),
    ],
    {
      functions,
      catalog: [
        { catalogId: "basic", components: { Row: {} } },
        { catalogId: "math", components: {} },
      ],
    },
  );
  const { one, two, three, four, five } = surfaces.tree("s").props;
  assert.deepEqual([one, two, three, four, five], ["page", "math", "basic", null, null]);
  assert.deepEqual(codes(events), ["UNKNOWN_CATALOG", "UNKNOWN_FUNCTION"]);
  assert.ok(throwsMisuse(() => new SurfaceStream({ functions: { math: { add: 1 } } })));
});

const placed = {
  catalogId: "c",
  components: {
    App: { allowedParents: ["Surface"] },
    Menu: { allowedChildren: ["Item"] },
    Item: { allowedParents: ["Menu", "Surface"] },
    Row: {},
    Text: {},
  },
};

test("allowedParents and allowedChildren mark nodes in wrong places, whatever arrives first", () => {
  const all = [
    { id: "root", component: "App", children: ["menu", "item", "inner"] },
    { id: "menu", component: "Menu", children: ["fits", "text"] },
    { id: "fits", component: "Item" },
    { id: "text", component: "Text" },
    { id: "item", component: "Item" },
    { id: "inner", component: "App" },
  ];
  const expected = {
    root: ["ready"],
    menu: ["ready"],
    fits: ["ready"],
    text: ["unknown", "UNALLOWED_CHILD"],
    item: ["unknown", "UNALLOWED_PARENT"],
    inner: ["unknown", "UNALLOWED_PARENT"],
  };
  for (const list of [all, all.toReversed()]) {
    const { surfaces, push } = open([create()], { catalog: placed });
    const events = push(...list.map((one) => update(one)));
    assert.deepEqual(states(surfaces), expected);
    assert.deepEqual(codes(events).toSorted(), ["UNALLOWED_CHILD", "UNALLOWED_PARENT", "UNALLOWED_PARENT"]);
    assert.ok(diagnostics(events).every(({ severity }) => severity === "error"));
  }
});

test("the texts are those of A2UI's own suite", () => {
  const { events } = open(
    [
      create([
        { id: "root", component: "Row", children: ["header", "menu"] },
        { id: "header", component: "App" },
        { id: "menu", component: "Menu", child: "t" },
        { id: "t", component: "Text" },
      ]),
    ],
    { catalog: placed },
  );
  assert.deepEqual(
    diagnostics(events).map(({ message }) => message),
    [
      "Component 'header' (App) cannot be placed under parent 'root' (Row). Allowed parents: ['Surface'].",
      "Container 'menu' (Menu) cannot contain child 't' (Text). Allowed children: ['Item'].",
    ],
  );
});

test("a component that changes its type is allowed or not from then on, and so are its children", () => {
  const { surfaces, push } = open(
    [
      create([
        { id: "root", component: "Row", children: ["a"] },
        { id: "a", component: "Item" },
      ]),
    ],
    { catalog: placed },
  );
  assert.deepEqual(states(surfaces).a, ["unknown", "UNALLOWED_PARENT"]);
  const [before] = surfaces.tree("s").children;
  push(update({ id: "root", component: "Row", children: ["a"], more: 1 }));
  assert.equal(surfaces.tree("s").children[0], before);
  push(update({ id: "root", component: "Menu", children: ["a"] }));
  assert.deepEqual(states(surfaces), { root: ["ready"], a: ["ready"] });
  push(update({ id: "root", component: "Text", children: ["a"] }));
  assert.deepEqual(states(surfaces).a, ["unknown", "UNALLOWED_PARENT"]);
  push(update({ id: "a", component: "Row" }));
  assert.deepEqual(states(surfaces).a, ["ready"]);
});

test("Surface is reserved for what holds the root", () => {
  const { surfaces, push } = open([create([{ id: "root", component: "Row" }])]);
  assert.deepEqual(codes(push(update({ id: "root", component: "Surface", child: "root" }))), ["INVALID_MESSAGE"]);
  assert.equal(surfaces.tree("s").type, "Row");
  assert.deepEqual(codes(open([v9.create(), v9.components({ id: "root", component: "Surface" })]).events), []);
});

test("a closed schema allows what every component of a flat protocol has, and nothing else", () => {
  const root = { id: "root", component: "Text", text: "x", weight: 1, accessibility: { label: "x" } };
  for (const message of [v9.create(), create()]) {
    const { surfaces, push } = open([message], { catalog: { components: { Text: closed("text") } } });
    const { version } = message;
    const send = (component) => push({ version, updateComponents: { surfaceId: "s", components: [component] } });
    assert.deepEqual(codes(send(root)), []);
    assert.deepEqual(codes(send({ ...root, colour: "red" })), ["INVALID_COMPONENT"]);
    assert.equal(surfaces.tree("s").state, "ready");
  }
  // Objects inside are closed as their schema says.
  const nested = { components: { Text: { properties: { text: closed("a") } } } };
  const { events } = open([create([{ id: "root", component: "Text", text: { id: 1, component: 2 } }])], {
    catalog: nested,
  });
  assert.equal(diagnostics(events).length, 2);
});

test("checks have results: true and false, objects of functions and of data, and messages of either", () => {
  const functions = {
    card: ({ value }) => ({ valid: value === "ok", code: "EXPIRED", message: "Expired.", hint: 1 }),
    soon: () => ({ valid: false, message: "Soon.", severity: "warning" }),
    odd: () => ({ valid: false, severity: "fatal" }),
  };
  const call = (name, args = {}) => ({ condition: { "@call": name, args } });
  const checks = [
    call("card", { value: { "@path": "/card" } }),
    { ...call("soon"), message: "Not this one." },
    { ...call("odd"), message: "Odd." },
    { ...call("numeric", { value: { "@path": "/age" }, min: 18 }), message: "Too young." },
    { condition: { "@path": "/own" } },
    { condition: true, message: "Fine." },
    { condition: { "@path": "/none" }, message: "Wait." },
  ];
  const dataModel = { card: "old", age: 15, own: { valid: false, code: "OWN", message: "Own." } };
  const { surfaces, push } = open([create([{ id: "root", component: "TextField", checks }], { dataModel })], {
    functions,
  });
  const shown = () => surfaces.tree("s").props.checks;
  assert.deepEqual(shown(), [
    { valid: false, code: "EXPIRED", message: "Expired.", hint: 1, condition: false, severity: "error" },
    { valid: false, message: "Soon.", severity: "warning", condition: false },
    { valid: false, severity: "error", condition: false, message: "Odd." },
    { valid: false, condition: false, message: "Too young.", severity: "error" },
    { valid: false, code: "OWN", message: "Own.", condition: false, severity: "error" },
    { valid: true, condition: true, message: "Fine.", severity: "error" },
    { valid: null, condition: null, message: "Wait.", severity: "error" },
  ]);
  const before = shown();
  push({ version: "v1.0", updateDataModel: { surfaceId: "s", path: "/other", value: 1 } });
  assert.equal(shown(), before);
  push({ version: "v1.0", updateDataModel: { surfaceId: "s", path: "/card", value: "ok" } });
  assert.equal(shown()[0].valid, true);
});

test("and, or and not read results", () => {
  const functions = { bad: () => ({ valid: false }), good: () => ({ valid: true }) };
  const call = (name, args = {}) => ({ "@call": name, args });
  const { surfaces } = open(
    [
      create([
        {
          id: "root",
          component: "Row",
          and: call("and", { values: [true, call("bad")] }),
          or: call("or", { values: [call("bad"), call("good")] }),
          none: call("or", { values: [call("bad"), false] }),
          not: call("not", { value: call("bad") }),
          plain: call("not", { value: { valid: "no result" } }),
        },
      ]),
    ],
    { functions },
  );
  assert.deepEqual(surfaces.tree("s").props, { and: false, or: true, none: false, not: true, plain: false });
});
