// Catalogs of surfaces: a violation is a diagnostic, and the node stays in the tree, marked.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GulfWriter, gulfFlow, gulfSystemPrompt, SurfaceStream } from "genui-patch";
import { thrown } from "../support/store.mjs";
import { component, components, diagnostics, nodesOf, open, render, v9 } from "../support/surface.mjs";

const bound = { type: "object", properties: { path: { type: "string" }, literalString: { type: "string" } } };
const types = {
  Text: {
    type: "object",
    properties: { text: bound, level: { type: "string", enum: ["1", "2"] } },
    required: ["text"],
  },
  Box: { type: "object", properties: { child: { type: "string" } }, additionalProperties: false },
};
const common = "https://example.com/common_types.json#/$defs";
const nine = {
  $id: "https://example.com/catalog.json",
  components: {
    Text: {
      type: "object",
      allOf: [
        { $ref: `${common}/ComponentCommon` },
        { $ref: "#/$defs/Own" },
        {
          type: "object",
          properties: {
            component: { const: "Text" },
            text: { $ref: `${common}/DynamicString` },
            lines: { type: "integer" },
          },
          required: ["component", "text"],
        },
      ],
      unevaluatedProperties: false,
    },
    Pair: {
      type: "object",
      allOf: [
        {
          type: "object",
          properties: {
            left: { $ref: `${common}/ComponentId` },
            right: { $ref: `${common}/ComponentId` },
            child: { type: "string" },
          },
        },
      ],
    },
  },
  $defs: { Own: { type: "object", properties: { weight: { type: "number" } } } },
};

/** All formats of a GULF catalog. */
const FORMS = {
  components: { components: types },
  "the properties of componentProperties": { type: "object", properties: types },
  "the schema of a message": {
    properties: {
      componentUpdate: {
        properties: { components: { items: { properties: { componentProperties: { properties: types } } } } },
      },
    },
  },
  "the schema of a list of components": {
    properties: { components: { items: { properties: { componentProperties: { properties: types } } } } },
  },
};

for (const [form, catalog] of Object.entries(FORMS)) {
  test(`GULF, as ${form}`, () => {
    const { surfaces, events } = open(
      [
        components(
          component("root", "Box", { child: "text" }),
          component("text", "Text", { text: { path: "a" }, level: "3" }),
          component("none", "Text"),
          component("more", "Box", { child: "text", padding: 1 }),
          component("what", "Hologram"),
        ),
        render("root"),
      ],
      { catalog },
    );
    // Components that are not in the tree are checked as well.
    assert.deepEqual(
      diagnostics(events).map(({ severity, code, path }) => [severity, code, path]),
      [
        ["warning", "INVALID_COMPONENT", "text/level"],
        ["warning", "INVALID_COMPONENT", "none/text"],
        ["warning", "INVALID_COMPONENT", "more/padding"],
        ["warning", "UNKNOWN_TYPE", "what"],
      ],
    );
    const [text] = surfaces.tree("main").children;
    assert.equal(text.state, "ready");
    assert.deepEqual(
      text.issues.map(({ code, path }) => [code, path]),
      [["INVALID_COMPONENT", "/level"]],
    );
    surfaces.push(`${JSON.stringify(components(component("text", "Hologram", { text: { path: "a" } })))}\n`);
    assert.equal(surfaces.tree("main").children[0].state, "unknown");
  });
}

test("A2UI v0.9: references, marked children, bindings and functions in the place of values", () => {
  const { surfaces, events } = open(
    [
      v9.create(),
      v9.components(
        { id: "root", component: "Pair", left: "a", right: "b", child: "not one" },
        { id: "a", component: "Text", text: { path: "/t" }, weight: 1, accessibility: { label: "x" } },
        { id: "b", component: "Text", text: { call: "formatString", args: { value: "x" } } },
        { id: "c", component: "Text", text: 7, lines: 1.5, more: true, weight: 1 },
      ),
    ],
    { catalog: nine },
  );
  assert.deepEqual(
    diagnostics(events).map(({ code, path }) => [code, path]),
    [
      ["INVALID_COMPONENT", "c/text"],
      ["INVALID_COMPONENT", "c/lines"],
      ["INVALID_COMPONENT", "c/more"],
    ],
  );
  assert.deepEqual(
    surfaces.tree("s").children.map(({ slot, id }) => [slot, id]),
    [
      ["left", "a"],
      ["right", "b"],
    ],
  );
  assert.deepEqual(surfaces.tree("s").props, { child: "not one" });
});

test("properties that one of several schemas knows", () => {
  const either = (key) => [
    { properties: { a: {}, [key]: { $ref: `${common}/ComponentId` } } },
    { properties: { c: {} } },
  ];
  const catalog = {
    components: {
      One: { oneOf: either("b"), unevaluatedProperties: false },
      Any: { anyOf: either("d"), unevaluatedProperties: false },
    },
  };
  const { surfaces, events } = open(
    [
      components(component("root", "One", { a: 1, b: "any" }), component("any", "Any", { a: 1, d: "x", e: 1 })),
      render("root"),
    ],
    { catalog },
  );
  assert.deepEqual(
    diagnostics(events).map(({ code, path }) => [code, path]),
    [["INVALID_COMPONENT", "any/e"]],
  );
  assert.deepEqual(
    [...nodesOf(surfaces.tree("main"))].map(({ id, slot, state }) => [id, slot, state]),
    [
      ["root", undefined, "ready"],
      ["any", "b", "ready"],
      ["x", "d", "pending"],
    ],
  );
});

test("a schema that goes in circles ends", () => {
  const catalog = {
    components: { T: { $ref: "#/components/T" }, U: { properties: { u: { $ref: "#/components/U" } } } },
  };
  let deep = {};
  for (let level = 0; level < 90; level++) deep = { u: deep };
  const { events } = open([components(component("a", "T"), component("b", "U", deep))], { catalog });
  assert.deepEqual(diagnostics(events), []);
});

test("a schema that branches at every level ends", () => {
  const own = { $ref: "#/components/T" };
  const items = { type: "array", items: { anyOf: [{ $ref: "#/l" }, { $ref: "#/l" }] } };
  const catalog = { components: { T: { allOf: [own, own, own], properties: { l: { $ref: "#/l" } } } }, l: items };
  let deep = 1;
  for (let level = 0; level < 60; level++) deep = [deep];
  open([components(component("a", "T", { l: deep })), render("a")], { catalog });
});

test("a catalog that is too deep is refused, and not by an error of JSON", () => {
  for (const levels of [700, 1_000, 100_000]) {
    let catalog = { components: {} };
    for (let level = 0; level < levels; level++) catalog = { properties: catalog };
    assert.throws(() => new SurfaceStream({ catalog }), thrown("LIMIT_EXCEEDED", /levels/));
    assert.throws(() => gulfSystemPrompt(catalog), thrown("LIMIT_EXCEEDED", /levels/));
    const generate = () => {};
    assert.throws(() => gulfFlow({ catalog, generate, conversation: [] }), thrown("LIMIT_EXCEEDED", /levels/));
    assert.throws(() => new GulfWriter().dataModelUpdate({ contents: catalog }), thrown("LIMIT_EXCEEDED", /levels/));
  }
});
