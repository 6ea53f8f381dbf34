// Verdicts of JSON Schema: our table, the JSON-Schema-Test-Suite, and random schemas beside ajv.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { PatchStore } from "genui-patch";

const page = {
  state: { params: {}, runtime: {} },
  layout: { type: "single" },
  blocks: [{ id: "f", type: "form", props: { fields: [{ key: "x", label: "X", type: "own" }] } }],
};

/** Whether a store accepts a value under a schema. */
function judge(schema) {
  const store = new PatchStore({ catalog: { fields: { own: { value: schema } } } });
  store.load("page", page);
  return (value) => {
    const patches = [{ op: "set", path: "state.params.x", value }];
    const { status, error } = store.apply({ instance_name: "page", patches });
    if (status === "error") assert.equal(error.code, "INVALID_STRUCTURE", error.message);
    return status === "success";
  };
}

function run(groups) {
  let count = 0;
  const wrong = [];
  for (const { description, schema, tests } of groups) {
    const takes = judge(schema);
    for (const { description: what = "", data, valid } of tests) {
      count += 1;
      if (takes(data) !== valid) wrong.push(`${description}, ${what}: ${JSON.stringify(data)} is not ${valid}`);
    }
  }
  assert.deepEqual(wrong, []);
  return count;
}

const read = (path) => JSON.parse(readFileSync(path, "utf8"));

test("the table of verdicts", () => {
  assert.equal(run(read(new URL("../fixtures/schema.json", import.meta.url))), 250);
});

/** Groups about the schemas under `patternProperties`, which are not checked. */
const LEFT_OUT_NAMES = ["properties, patternProperties, additionalProperties interaction"];

/** Keywords with the same meaning in draft 4. */
const DRAFT_4 =
  "additionalProperties allOf anyOf enum maxItems maxLength minItems minLength multipleOf not oneOf pattern properties required type";

test("the JSON-Schema-Test-Suite, as far as draft 4 says the same", () => {
  const folder = join(dirname(createRequire(import.meta.url).resolve("json-schema-test-suite")), "tests/draft4");
  const all = DRAFT_4.split(" ").flatMap((keyword) => read(join(folder, `${keyword}.json`)));
  const groups = all.filter(({ description }) => !LEFT_OUT_NAMES.includes(description));
  assert.ok(run(groups) >= 100);
});

/** The keywords that are checked. */
const CHECKED =
  "additionalProperties allOf anchor anyOf boolean_schema const defs enum exclusiveMaximum exclusiveMinimum infinite-loop-detection items maxItems maxLength maximum minItems minLength minimum multipleOf not oneOf pattern prefixItems properties ref required type";
/** Groups that need a keyword that is not checked, or a schema from elsewhere. */
const LEFT_OUT =
  /\$id|\$recursive|remote|https?:|urn:|tag:|unevaluated|dependentSchemas|propertyNames|"\$schema"|file:/;

test("the JSON-Schema-Test-Suite of 2020-12", { skip: !process.env.JSON_SCHEMA_TEST_SUITE }, (context) => {
  const folder = join(process.env.JSON_SCHEMA_TEST_SUITE, "tests/draft2020-12");
  assert.ok(existsSync(folder) && readdirSync(folder).length > 30);
  const all = CHECKED.split(" ").flatMap((keyword) => read(join(folder, `${keyword}.json`)));
  const isIn = ({ description, schema }) => {
    const { $schema: _, ...own } = schema === true || schema === false ? {} : schema;
    return !LEFT_OUT.test(JSON.stringify(own)) && !LEFT_OUT_NAMES.includes(description);
  };
  const groups = all.filter(isIn).map((group) => {
    const { $schema: _, ...own } = typeof group.schema === "boolean" ? {} : group.schema;
    return { ...group, schema: typeof group.schema === "boolean" ? group.schema : own };
  });
  const count = run(groups);
  context.diagnostic(`${count} cases of ${groups.length} groups, of ${all.length}`);
  assert.ok(count > 400);
});

/** Numbers that are the same in each run. */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("random schemas and values beside ajv", () => {
  const draw = random(7);
  const pick = (list) => list[draw(list.length)];
  const value = (depth) => {
    const kinds = depth > 2 ? 6 : 8;
    const kind = draw(kinds);
    if (kind < 6) return pick([null, true, false, 0, 1, 2.5, -3, "", "a", "abc", "💩", 10]);
    if (kind === 6) return Array.from({ length: draw(4) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: draw(4) }, () => [pick(["a", "b", "c"]), value(depth + 1)]));
  };
  const schema = (depth) => {
    if (depth > 3 || draw(8) === 0) return pick([true, false, {}, { type: "string" }, { type: "integer" }]);
    const list = () => Array.from({ length: 1 + draw(2) }, () => schema(depth + 1));
    const make = {
      type: () => pick(["null", "boolean", "number", "integer", "string", "array", "object", ["string", "number"]]),
      enum: () => [value(1), value(2)],
      const: () => value(2),
      required: () => pick([["a"], ["a", "b"], []]),
      properties: () => ({ a: schema(depth + 1), b: schema(depth + 1) }),
      additionalProperties: () => schema(depth + 1),
      items: () => schema(depth + 1),
      prefixItems: list,
      minItems: () => draw(3),
      maxItems: () => draw(3),
      minLength: () => draw(3),
      maxLength: () => draw(3),
      minimum: () => draw(3),
      maximum: () => draw(3),
      exclusiveMinimum: () => draw(3),
      exclusiveMaximum: () => draw(3),
      multipleOf: () => pick([1, 2, 0.5]),
      pattern: () => pick(["^a", "b|c", "."]),
      anyOf: list,
      oneOf: list,
      allOf: list,
      not: () => schema(depth + 1),
      $ref: () => pick(["#/$defs/x", "#/$defs/y"]),
    };
    const keywords = Array.from({ length: 1 + draw(3) }, () => pick(Object.keys(make)));
    return Object.fromEntries(keywords.map((keyword) => [keyword, make[keyword]()]));
  };
  const ajv = new Ajv2020({ strict: false, logger: false, allowUnionTypes: true });
  const seen = { true: 0, false: 0 };
  for (let round = 0; round < 400; round++) {
    const own = schema(0);
    const whole = { allOf: [own], $defs: { x: { minLength: 2 }, y: { type: ["object", "number", "null"] } } };
    const validate = ajv.compile(whole);
    const takes = judge(whole);
    for (let index = 0; index < 8; index++) {
      const given = value(0);
      const valid = validate(given);
      seen[valid] += 1;
      assert.equal(takes(given), valid, `${JSON.stringify(whole)} and ${JSON.stringify(given)}`);
    }
  }
  assert.ok(seen.true > 300 && seen.false > 300, JSON.stringify(seen));
});
