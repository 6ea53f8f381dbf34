// The definitions of tools: schemas that hold, and what each provider refuses.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { PatchStore, toolDefinitions } from "genui-patch";
import { operations } from "../support/calls.mjs";

const { calls } = JSON.parse(readFileSync(new URL("../fixtures/agent-tools.json", import.meta.url), "utf8"));
const FAMILIES = ["files", "gulf", "node", "ui"];
const FORMATS = ["mcp", "openai", "anthropic", "gemini"];
/** Where a format keeps the name and the schema. */
const parts = {
  mcp: (tool) => [tool.name, tool.inputSchema],
  openai: (tool) => [tool.function.name, tool.function.parameters],
  anthropic: (tool) => [tool.name, tool.input_schema],
  gemini: (tool) => [tool.name, tool.parameters],
};

const schemas = (family, format, options) =>
  toolDefinitions(family, format, options)
    .map(parts[format])
    .filter(([, schema]) => schema);

/** Every schema in a schema, itself first, with its place. */
function* each(schema, place = "") {
  yield [schema, place];
  for (const [key, inner] of Object.entries(schema.properties ?? {})) yield* each(inner, `${place}.${key}`);
  if (schema.items) yield* each(schema.items, `${place}[]`);
}

for (const family of FAMILIES) {
  for (const format of FORMATS) {
    test(`${family} for ${format}: every tool has a name, a description and a schema that compiles`, () => {
      const tools = toolDefinitions(family, format);
      assert.ok(tools.length > 0);
      for (const tool of tools) {
        const { name, description } = tool.function ?? tool;
        assert.match(name, /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
        assert.ok(description.length > 20 && description.length < 1024, name);
      }
      for (const [name, schema] of schemas(family, format)) {
        assert.equal(schema.type, "object", name);
        assert.doesNotThrow(() => new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema), name);
        for (const [inner, place] of each(schema)) {
          for (const key of inner.required ?? []) assert.ok(key in inner.properties, `${name}${place}: ${key}`);
        }
      }
    });
  }

  test(`${family} for openai is strict: all needed, nothing else, every value typed`, () => {
    for (const tool of toolDefinitions(family, "openai")) {
      assert.equal(tool.type, "function");
      assert.equal(tool.function.strict, true);
      for (const [schema, place] of each(tool.function.parameters)) {
        assert.ok(schema.type, `${tool.function.name}${place} has no type`);
        for (const key of Object.keys(schema)) {
          assert.ok(
            "type description enum properties required items additionalProperties".split(" ").includes(key),
            key,
          );
        }
        if (schema.type !== "object") continue;
        assert.equal(schema.additionalProperties, false, place);
        assert.deepEqual(schema.required, Object.keys(schema.properties), place);
      }
    }
  });

  test(`${family} for anthropic is strict: nothing else, every value typed, few optional and union parameters`, () => {
    let optional = 0;
    for (const tool of toolDefinitions(family, "anthropic")) {
      assert.equal(tool.strict, true);
      for (const [schema, place] of each(tool.input_schema)) {
        assert.equal(typeof schema.type, "string", place);
        if (schema.type !== "object") continue;
        assert.equal(schema.additionalProperties, false, place);
        optional += Object.keys(schema.properties).length - schema.required.length;
      }
    }
    assert.ok(optional <= 24, `${optional} optional parameters`);
  });

  test(`${family} for gemini keeps to the words of its schema, without empty objects`, () => {
    for (const tool of toolDefinitions(family, "gemini")) {
      assert.equal("strict" in tool, false);
      if (tool.parameters === undefined) continue;
      for (const [schema, place] of each(tool.parameters)) {
        for (const key of Object.keys(schema)) {
          assert.ok("type description enum properties required items".split(" ").includes(key), `${place}: ${key}`);
        }
        assert.equal(typeof schema.type, "string", place);
        if (schema.type === "object") assert.ok(Object.keys(schema.properties).length > 0, place);
        if (schema.type === "array") assert.ok(schema.items, place);
        if (schema.enum) assert.equal(schema.type, "string", place);
      }
    }
  });
}

test("the calls of seed 001 are valid by the definitions that have no strict mode", () => {
  const ajv = new Ajv2020({ strict: true });
  const loose = {
    mcp: schemas("ui", "mcp"),
    openai: toolDefinitions("ui", "openai", { strict: false }).map(parts.openai),
    anthropic: toolDefinitions("ui", "anthropic", { strict: false }).map(parts.anthropic),
  };
  for (const list of Object.values(loose)) {
    const compiled = new Map(list.map(([name, schema]) => [name, ajv.compile(schema)]));
    for (const { tool, args } of calls) {
      const valid = compiled.get(tool);
      assert.ok(valid(args), `${tool}: ${ajv.errorsText(valid.errors)}`);
    }
  }
});

/** The operations of the core: it lists them where it refuses an unknown one. */
function operationsOfCore() {
  const store = new PatchStore();
  store.load("open", {}, { rules: "open" });
  const { error } = store.apply({ instance_name: "open", patches: [{ op: "?", path: "a" }] });
  return error.solution.match(/[a-z_]+(?=[,.])/g);
}

test("every operation and criterion is named, and no others", () => {
  const [patch, , , completion] = toolDefinitions("ui", "mcp");
  const { op } = patch.inputSchema.properties.patches.items.properties;
  assert.deepEqual(op.enum, operationsOfCore());
  for (const name of op.enum) assert.ok(op.description.includes(`${name}: `), name);
  const { type } = completion.inputSchema.properties.completion_criteria.items.properties;
  assert.equal(type.enum.length, 7);
});

test("the random calls of the tests have arguments for every operation", () => {
  assert.deepEqual(operations.toSorted(), operationsOfCore().toSorted(), "see `fitting` in tests/support/calls.mjs");
});

test("openai has a form for each of its APIs", () => {
  const [chat] = toolDefinitions("ui", "openai");
  const [responses] = toolDefinitions("ui", "openai", { api: "responses" });
  assert.deepEqual(responses, { type: "function", ...chat.function });
});

test("the definitions are the caller's own", () => {
  const names = () => toolDefinitions("ui", "mcp")[0].inputSchema.properties.patches.items.properties.op.enum;
  names().length = 0;
  assert.deepEqual(names(), operationsOfCore());
});

const misuses = [
  [["pages", "mcp"], /no family "pages"; there are .*ui/],
  [["__proto__", "mcp"], /no family/],
  [["ui", "xml"], /no format "xml"; there are mcp, openai, anthropic, gemini/],
  [["ui", "mcp", { tools: [] }], /no "tools"/],
  [["files", "mcp", { tools: [{ name: "a b" }] }], /tools\[0\]\.name/],
  [["ui"], /format must be a string/],
  [["ui", "mcp", { stricter: true }], /no "stricter"/],
  [["ui", "mcp", { strict: 1 }], /strict must be a boolean/],
  [["ui", "openai", { api: "batch" }], /no api "batch"/],
];
for (const [args, message] of misuses) {
  test(`refuses ${JSON.stringify(args)}`, () => {
    assert.throws(() => toolDefinitions(...args), { name: "GenuiPatchError", code: "INVALID_ARGUMENT", message });
  });
}
