// The host's own tools: the model's description of them, and validation of their calls by schema.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parseToolCalls, ToolCallStream, toolDefinitions, validateToolBlock } from "genui-patch";
import { random } from "../support/random.mjs";

const tools = [
  {
    name: "run_tests",
    description: "Runs the tests.",
    fields: {
      suite: { kind: "string", enum: ["js", "rust"], description: "Which ones." },
      file: { kind: "path", optional: true, aliases: ["target"] },
      times: { kind: "integer", optional: true },
    },
  },
  { name: "log", fields: { value: "any", more: { kind: "object", optional: true } } },
  {
    name: "plan",
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      additionalProperties: false,
      required: ["steps"],
      properties: {
        steps: {
          type: "array",
          items: { type: "object", required: ["title"], properties: { title: { type: "string" } } },
        },
      },
    },
  },
];
const described = (format, options) => toolDefinitions("files", format, { tools, ...options }).slice(3);

test("fields and schemas are strict where the provider's subset has words for them", () => {
  const [run, log, plan] = described("openai").map((tool) => tool.function);
  assert.deepEqual(run, {
    name: "run_tests",
    description: "Runs the tests.",
    strict: true,
    parameters: {
      type: "object",
      properties: {
        suite: { type: "string", enum: ["js", "rust"], description: "Which ones." },
        file: { type: ["string", "null"] },
        times: { type: ["integer", "null"] },
      },
      required: ["suite", "file", "times"],
      additionalProperties: false,
    },
  });
  assert.equal(log.strict, false);
  assert.deepEqual(log.parameters, {
    type: "object",
    properties: { value: {}, more: { type: "object" } },
    required: ["value"],
  });
  assert.equal(plan.strict, true);
  assert.deepEqual(plan.parameters.properties.steps.items.required, ["title"]);
  const strict = described("anthropic").map((tool) => tool.strict);
  assert.deepEqual(strict, [true, undefined, true]);
  assert.deepEqual(
    described("gemini").map((tool) => ["parameters" in tool, "parametersJsonSchema" in tool]),
    [
      [true, false],
      [false, true],
      [true, false],
    ],
  );
  for (const tool of described("mcp")) new Ajv2020({ strict: true }).compile(tool.inputSchema);
});

test("what a strict mode makes the model send is valid: null for what may be left out", () => {
  const stream = new ToolCallStream({ tool: "run_tests", tools });
  const events = [...stream.push('{"suite":"js","file":null,"times":null}'), ...stream.end()];
  assert.deepEqual(events.at(-1).call.args, { suite: "js", file: null, times: null });
  stream.dispose();
});

test("definitions may be frozen, and are not kept", () => {
  const fields = { x: "string" };
  const own = [{ name: "a", fields }];
  const stream = new ToolCallStream({ tool: "a", tools: own });
  fields.x = "number";
  stream.push('{"x":"text"}');
  assert.ok(stream.end().at(-1).call);
  assert.ok(validateToolBlock('{"tool":"a","x":1}', { tools: Object.freeze(own) }).isValid);
  assert.equal(parseToolCalls('```json\n{"tool":"a","x":1}\n```', { tools: own }).calls.length, 1);
});

test("a field may be called __proto__, and none is found that only a prototype has", () => {
  const schema = JSON.parse(
    '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__"]}',
  );
  const own = [{ name: "a", schema }];
  assert.deepEqual(
    validateToolBlock('{"tool":"a","constructor":1}', { tools: own }).issues.map(({ code, path }) => [code, path]),
    [
      ["MISSING_FIELD", "__proto__"],
      ["INVALID_FIELD", "constructor"],
    ],
  );
  assert.ok(validateToolBlock('{"tool":"a","__proto__":"x"}', { tools: own }).isValid);
});

/** A schema of the supported subset, and values that match it often enough. */
function generator(seed) {
  const { below, chance, pick } = random(seed);
  const keys = ["a", "b", "c d", "é"];
  const types = ["null", "boolean", "number", "integer", "string", "array", "object"];
  const value = (depth) =>
    pick([
      () => null,
      () => chance(0.5),
      () => below(3),
      () => 1.5,
      () => pick(["", "x", "a.b"]),
      () => (depth > 2 ? [] : Array.from({ length: below(3) }, () => value(depth + 1))),
      () => (depth > 2 ? {} : Object.fromEntries(keys.filter(() => chance(0.4)).map((key) => [key, value(depth + 1)]))),
    ])();
  const schema = (depth) => {
    const made = {};
    if (chance(0.7)) made.type = chance(0.3) ? [...new Set([pick(types), pick(types)])] : pick(types);
    if (chance(0.15)) made.enum = [value(1), value(2)];
    if (chance(0.5) && depth < 3) made.items = schema(depth + 1);
    if (chance(0.6) && depth < 3) {
      const own = keys.filter(() => chance(0.5));
      made.properties = Object.fromEntries(own.map((key) => [key, schema(depth + 1)]));
      made.required = own.filter(() => chance(0.4));
      if (chance(0.3)) made.additionalProperties = chance(0.5);
    }
    return made;
  };
  return { schema, value, below };
}

/** The value without the nulls that strict formats send for omitted optional properties. */
function withoutNulls(schema, value) {
  if (Array.isArray(value)) return schema.items ? value.map((item) => withoutNulls(schema.items, item)) : value;
  if (value === null || typeof value !== "object" || !schema.properties) return value;
  const kept = Object.entries(value).filter(
    ([key, own]) => own !== null || !schema.properties[key] || schema.required.includes(key),
  );
  return Object.fromEntries(kept.map(([key, own]) => [key, withoutNulls(schema.properties[key] ?? {}, own)]));
}

/** Whether a schema compares whole values, whose properties must all be present. */
const compares = (schema) =>
  "enum" in schema ||
  Object.values(schema.properties ?? {}).some(compares) ||
  (schema.items !== undefined && compares(schema.items));

test("a call is valid exactly if a validator of JSON Schema says so", () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const { schema: makeSchema, value, below } = generator(11);
  const seen = { valid: 0, invalid: 0 };
  for (let round = 0; round < 300; round++) {
    const schema = { ...makeSchema(0), type: "object" };
    delete schema.enum;
    const check = ajv.compile(schema);
    for (let turn = 0; turn < 8; turn++) {
      const made = value(0);
      if (made === null || typeof made !== "object" || Array.isArray(made)) continue;
      if (compares(schema) && JSON.stringify(made).includes("null")) continue;
      const wanted = check(withoutNulls(schema, made));
      const text = "\n".repeat(below(2)) + JSON.stringify({ ...made, tool: "t" });
      const report = validateToolBlock(text, { tools: [{ name: "t", schema }] });
      assert.equal(report.isValid, wanted, `${JSON.stringify(schema)}\n${text}\n${JSON.stringify(report.issues)}`);
      seen[wanted ? "valid" : "invalid"] += 1;
      for (const { path, position } of report.issues) assert.ok(path !== "" && position.offset >= 0);
    }
  }
  assert.ok(seen.valid > 100 && seen.invalid > 100, JSON.stringify(seen));
});
