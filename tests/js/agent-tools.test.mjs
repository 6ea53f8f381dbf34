// The five tools: the examples of seed 001 in order, every criterion, and whatever a model may send.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PatchStore, toolDefinitions } from "genui-patch";
import { random } from "../support/random.mjs";
import { assertMirror } from "../support/store.mjs";

const { calls } = JSON.parse(readFileSync(new URL("../fixtures/agent-tools.json", import.meta.url), "utf8"));
const TOOLS = ["patch_ui_state", "get_schema", "list_instances", "validate_completion", "access_instance"];

/** The keys of a result and the kinds of their values, which is what seed 001 documents. */
function shape(value) {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shape(value[0])];
  if (value === null || typeof value !== "object") return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]));
}

const form = {
  page_key: "f",
  state: {
    params: {
      name: "Ada",
      empty: "",
      blank: " \n",
      zero: 0,
      no: false,
      nil: null,
      none: [],
      emptied: {},
      o: { b: 2, a: [1] },
    },
    runtime: { at: 1 },
  },
  layout: { type: "single" },
  blocks: [
    {
      id: "main",
      type: "form",
      props: {
        fields: [{ key: "name", label: "Name", type: "text" }],
        actions: [{ id: "save", label: "Save", style: "primary" }],
      },
    },
    {
      id: "t",
      type: "tabs",
      props: { tabs: [{ label: "One", fields: [], actions: [{ id: "inner", label: "In", style: "danger" }] }] },
    },
  ],
  actions: [{ id: "go", label: "Go", style: "primary" }],
};

function start(options = {}) {
  const store = new PatchStore(options);
  assert.equal(store.load("f", form).status, "success");
  return store;
}

test("the examples of seed 001 give the documented results", () => {
  const store = new PatchStore();
  const results = calls.map(({ tool, args }, index) => {
    const result = store.callTool(tool, index % 2 ? JSON.stringify(args) : args);
    assert.equal(result.status, "success", `${index}: ${JSON.stringify(result)}`);
    if (tool === "patch_ui_state") {
      const keys = ["status", "message", "instance_name", "patches_applied", "skipped_patches"];
      assert.deepEqual(Object.keys(result), keys);
      assert.deepEqual(result.patches_applied, args.patches ?? []);
      assert.deepEqual(result.skipped_patches, []);
    }
    return result;
  });
  const by = (tool) => results.filter((_, index) => calls[index].tool === tool);
  const schema = store.snapshot("my_app");
  assert.deepEqual(by("get_schema"), [{ status: "success", instance_name: "my_app", schema }]);
  assert.deepEqual(by("list_instances"), [
    {
      status: "success",
      instances: [{ name: "my_app", page_key: "my_app", blocks_count: 2, actions_count: 0 }],
      total: 1,
    },
  ]);
  const [exists, equals, filled, input] = by("validate_completion");
  assert.equal(exists.completed, true);
  assert.deepEqual(exists.criteria_results[0], {
    type: "field_exists",
    path: "state.params.username",
    description: "用户名字段存在",
    passed: true,
    actual: "",
    details: "state.params.username is there.",
  });
  assert.equal(equals.completed, false);
  assert.deepEqual([equals.criteria_results[0].expected, equals.criteria_results[0].actual], [10, 0]);
  assert.equal(filled.completed, false);
  assert.equal(filled.completion_ratio, 0);
  assert.deepEqual(input, {
    status: "success",
    instance_name: "my_app",
    completed: true,
    state_summary: { params: { count: 0, username: "", email: "" }, runtime: { timestamp: "2026-02-09 15:30:45" } },
    criteria_results: [],
    completion_ratio: 1,
  });
  assert.deepEqual(by("access_instance"), [{ status: "success", instance_name: "my_app", schema }]);
  assert.equal(store.active, "my_app");
  assertMirror(store);
});

const criteria = [
  ["field_exists", { path: "state.params.name" }, true],
  ["field_exists", { path: "state.params.nil" }, false],
  ["field_exists", { path: "state.params.gone" }, false],
  ["field_exists", { path: 'blocks["main"].props.fields["name"].label' }, true],
  ["field_exists", { path: "state.params.zero" }, true],
  ["field_equals", { path: "state.params.zero", value: 0 }, true],
  ["field_equals", { path: "state.params.zero", value: -0 }, true],
  ["field_equals", { path: "state.params.zero", value: "0" }, false],
  ["field_equals", { path: "state.params.zero", value: false }, false],
  ["field_equals", { path: "state.params.o", value: { a: [1.0], b: 2 } }, true],
  ["field_equals", { path: "state.params.o", value: { a: [1], b: 2, c: null } }, false],
  ["field_equals", { path: "state.params.nil", value: null }, true],
  ["field_equals", { path: "state.params.gone", value: null }, false],
  ["field_not_empty", { path: "state.params.name" }, true],
  ...["empty", "blank", "nil", "none", "emptied", "gone"].map((key) => [
    "field_not_empty",
    { path: `state.params.${key}` },
    false,
  ]),
  ...["zero", "no", "o"].map((key) => ["field_not_empty", { path: `state.params.${key}` }, true]),
  ["block_exists", { path: "main" }, true],
  ["block_exists", { path: 'blocks["main"]' }, true],
  ["block_exists", { path: "blocks.1" }, true],
  ["block_exists", { path: "/blocks/0" }, true],
  ["block_exists", { path: "other" }, false],
  ["block_exists", { path: "blocks.7" }, false],
  ["block_exists", { path: "state.params.o" }, false],
  ["action_exists", { path: "go" }, true],
  ["action_exists", { path: "save" }, true],
  ["action_exists", { path: "inner" }, true],
  ["action_exists", { path: 'actions["go"]' }, true],
  ["action_exists", { path: "main" }, false],
  ["block_count", { value: 2 }, true],
  ["block_count", { value: 3 }, false],
  ["block_count", { value: "2" }, false],
  ["custom", { condition: 'state.params.name == "Ada" && !state.params.no' }, true],
  ["custom", { condition: 'blocks["t"].type == "form"' }, false],
  ["custom", { name: "long" }, true],
  ["custom", { name: "short" }, false],
  ["custom", { name: "truthy" }, false],
  ["custom", { name: "fails" }, false],
];

const checks = {
  long: (document, criterion) => document.state.params.name.length > 2 && criterion.type === "custom",
  short: (document) => document.state.params.name.length < 3,
  truthy: () => 1,
  fails: () => {
    throw new Error("out of order");
  },
};

for (const [type, rest, passed] of criteria) {
  test(`${type} ${JSON.stringify(rest)} is ${passed}`, () => {
    const store = start({ criteria: checks });
    const result = store.callTool("validate_completion", {
      instance_name: "f",
      completion_criteria: [{ type, ...rest, description: "d" }],
    });
    assert.equal(result.status, "success", result.error?.message);
    const [found] = result.criteria_results;
    assert.equal(found.passed, passed, found.details);
    assert.equal(result.completed, passed);
    assert.equal(result.completion_ratio, passed ? 1 : 0);
    assert.equal(found.type, type);
    assert.equal(found.path, rest.path ?? "");
    assert.equal(found.description, "d");
    assert.match(found.details, /^\S.*\.$|out of order/);
    assert.notEqual(found.actual, undefined);
    assert.equal("expected" in found, type === "field_equals" || type === "block_count");
  });
}

test("the ratio is of those that passed", () => {
  const completion_criteria = ["name", "gone", "nil", "zero"].map((key) => ({
    type: "field_exists",
    path: `state.params.${key}`,
  }));
  const result = start().callTool("validate_completion", { instance_name: "f", completion_criteria });
  assert.equal(result.completion_ratio, 0.5);
  assert.equal(result.completed, false);
});

const refusals = [
  ["an unknown tool", "patch", {}, "UNKNOWN_TOOL", /patch_ui_state, get_schema/],
  ["a tool of Object.prototype", "constructor", {}, "UNKNOWN_TOOL"],
  ["no tool", undefined, {}, "UNKNOWN_TOOL"],
  ["arguments that are a list", "get_schema", [], "INVALID_ARGUMENT"],
  ["arguments that are a number", "get_schema", "1", "INVALID_ARGUMENT"],
  ["arguments that are no JSON", "get_schema", '{"instance_name":', "INVALID_JSON"],
  ["arguments that JSON cannot carry", "get_schema", { instance_name: 1n }, "INVALID_ARGUMENT"],
  ["no name", "get_schema", {}, "MISSING_VALUE", /"f"/],
  ["no arguments at all", "access_instance", undefined, "MISSING_VALUE"],
  ["a name that is a number", "access_instance", { instance_name: 1 }, "INVALID_ARGUMENT"],
  ...["get_schema", "validate_completion", "access_instance", "patch_ui_state"].map((tool) => [
    `${tool} of what is not there`,
    tool,
    { instance_name: "g" },
    "INVALID_INSTANCE",
    /"f"/,
  ]),
  [
    "get_schema of a sentinel",
    "get_schema",
    { instance_name: "__CREATE__", new_instance_name: "n" },
    "INVALID_INSTANCE",
  ],
  [
    "criteria that are no list",
    "validate_completion",
    { instance_name: "f", completion_criteria: {} },
    "INVALID_ARGUMENT",
  ],
  ...[
    ["an unknown type", { type: "field_missing", path: "state" }, "INVALID_ARGUMENT", /field_exists, field_equals/],
    ["a type of Object.prototype", { type: "toString", path: "state" }, "INVALID_ARGUMENT"],
    ["no type", { path: "state" }, "INVALID_ARGUMENT"],
    ["no object", 1, "INVALID_ARGUMENT"],
    ["no path", { type: "field_exists" }, "MISSING_VALUE"],
    ["a path that is none", { type: "field_exists", path: "a..b" }, "INVALID_PATH"],
    ["a path of another kind", { type: "field_exists", path: 1 }, "INVALID_ARGUMENT"],
    ["no value", { type: "field_equals", path: "state.params.zero" }, "MISSING_VALUE"],
    ["neither a condition nor a name", { type: "custom" }, "MISSING_VALUE"],
    ["a condition outside the grammar", { type: "custom", condition: "1 +" }, "INVALID_STRUCTURE"],
    ["an unknown check", { type: "custom", name: "other" }, "INVALID_ARGUMENT"],
  ].map(([name, criterion, code, says]) => [
    `a criterion with ${name}`,
    "validate_completion",
    { instance_name: "f", completion_criteria: [{ type: "field_exists", path: "state" }, criterion] },
    code,
    says,
    1,
  ]),
];

for (const [name, tool, args, code, says, index] of refusals) {
  test(`refuses ${name}`, () => {
    const store = start();
    const before = store.save();
    const result = store.callTool(tool, args);
    assert.equal(result.status, "error");
    assert.equal(result.error.code, code, result.error.message);
    const sentences = `${result.error.message} ${result.error.solution}`;
    if (says) assert.match(sentences, says);
    if (index !== undefined) assert.equal(result.error.index, index);
    assert.ok(result.error.message && result.error.solution);
    if (code === "INVALID_INSTANCE") assert.deepEqual(result.available_instances, ["f"]);
    if (code === "UNKNOWN_TOOL") assert.deepEqual(result.available_tools, TOOLS);
    if (code === "INVALID_JSON") assert.equal(result.error.position.offset, 17);
    assert.equal(store.save(), before);
  });
}

test("skipped patches are reported, with the patch", () => {
  const store = start({ onError: "skip" });
  const patches = [
    { op: "set", path: "state.params.name", value: "Bob" },
    { op: "set", path: "state.params.name", value: "Eve", condition: "state.params.zero == 1" },
    { op: "remove", path: 'blocks-"gone"' },
    { op: "increment", path: "state.params.zero", by: 2 },
  ];
  const result = store.callTool("patch_ui_state", { instance_name: "f", patches, why: "because" });
  assert.equal(result.status, "success");
  assert.deepEqual(result.patches_applied, [patches[0], patches[3]]);
  assert.deepEqual(
    result.skipped_patches.map(({ patch, reason, key, error }) => [patch, reason, key, error?.code]),
    [
      [patches[1], "condition", undefined, undefined],
      [patches[2], "failed", undefined, "PATH_NOT_FOUND"],
      [patches[3], "unknown_key", "by", undefined],
    ],
  );
  assert.match(result.message, /2 patches.*2 skipped/);
});

test("a call that stops reports the patches that stay applied", () => {
  const store = start({ onError: "stop" });
  const patches = [
    { op: "set", path: "state.params.name", value: "Bob" },
    { op: "remove", path: 'blocks-"gone"' },
    { op: "set", path: "state.params.name", value: "Eve" },
  ];
  const result = store.callTool("patch_ui_state", { instance_name: "f", patches });
  assert.equal(result.status, "error");
  assert.equal(result.error.index, 1);
  assert.deepEqual(result.patches_applied, [patches[0]]);
});

test("arguments of strict formats are accepted: JSON text for any value, null for omitted ones", () => {
  const store = start();
  const patches = [
    {
      op: "set",
      path: "state.params.o",
      value_json: '{"x":[1,null]}',
      items: null,
      index: null,
      all: null,
      condition: null,
    },
    { op: "set", path: "state.params.name", value_json: '"[1]"', items: null, index: null, all: null, condition: null },
    { op: "set", path: "state.params.zero", value_json: "null" },
    { op: "increment", path: "state.params.n", value_json: null },
    { op: "append_to_list", path: "state.params.none", value_json: null, items_json: '[1,{"a":2}]' },
  ];
  const args = { instance_name: "f", patches, new_instance_name: null, target_instance_name: null };
  const result = store.callTool("patch_ui_state", args);
  assert.equal(result.status, "success", result.error?.message);
  const { params } = store.snapshot("f").state;
  assert.deepEqual(
    [params.o, params.name, params.zero, params.n, params.none],
    [{ x: [1, null] }, "[1]", null, 1, [1, { a: 2 }]],
  );
  const wrong = store.callTool("patch_ui_state", {
    instance_name: "f",
    patches: [{ op: "set", path: "state.params.o", value_json: "{" }],
  });
  assert.equal(wrong.error.code, "INVALID_ARGUMENT");
  assert.match(wrong.error.message, /value_json/);
});

test("the arguments of seed 000 are understood too", () => {
  const store = start();
  const result = store.callTool("patch_ui_state", {
    instanceId: "f",
    patches: [{ op: "set", path: "state.params.name", value: "B" }],
  });
  assert.equal(result.status, "success");
  assert.equal(result.instance_name, "f");
});

test("a model may omit the arguments of a tool without any", () => {
  for (const args of ["", " ", {}, "{}", undefined, null])
    assert.equal(start().callTool("list_instances", args).total, 1);
});

test("documents of any kind are listed", () => {
  const store = start();
  store.load("list", [1], { rules: "open" });
  store.load("null", null, { rules: "open" });
  store.apply({ instanceId: "__CREATE__", newInstanceId: "camel" });
  assert.deepEqual(store.callTool("list_instances", {}).instances, [
    { name: "f", page_key: "f", blocks_count: 2, actions_count: 3 },
    { name: "list", page_key: null, blocks_count: 0, actions_count: 0 },
    { name: "null", page_key: null, blocks_count: 0, actions_count: 0 },
    { name: "camel", page_key: "camel", blocks_count: 0, actions_count: 0 },
  ]);
  assert.deepEqual(store.callTool("validate_completion", { instance_name: "null" }).state_summary, {
    params: {},
    runtime: {},
  });
});

test("a thousand calls of anything never throw and leave a failure without a trace", () => {
  const pieces = [
    null,
    1,
    "",
    "f",
    "g",
    [],
    {},
    [[]],
    { type: "custom" },
    "__CREATE__",
    "__proto__",
    "a..b",
    true,
    [null],
    [{ op: "set" }],
  ];
  const { pick } = random(7);
  const keys = ["instance_name", "instanceId", "patches", "completion_criteria", "intent", "new_instance_name"];
  const store = start();
  for (let run = 0; run < 1000; run++) {
    const args = Object.fromEntries(Array.from({ length: run % 5 }, () => [pick(keys), pick(pieces)]));
    const before = store.save();
    const result = store.callTool(pick([...TOOLS, "x", ""]), pick([args, args, JSON.stringify(args), pick(pieces)]));
    assert.ok(result.status === "success" || result.error.code);
    if (result.status === "error") assert.equal(store.save(), before);
  }
});

test("every tool is defined, and no other", () => {
  assert.deepEqual(
    toolDefinitions("ui", "mcp").map(({ name }) => name),
    TOOLS,
  );
});

test("a store that is gone throws, options that are none throw", () => {
  const store = start();
  store.dispose();
  assert.throws(() => store.callTool("list_instances", {}), { code: "DISPOSED" });
  assert.throws(() => new PatchStore({ criteria: { a: 1 } }), { code: "INVALID_ARGUMENT" });
  assert.throws(() => new PatchStore({ criteria: [] }), { code: "INVALID_ARGUMENT" });
});

test("the shapes of results", () => {
  const store = start();
  assert.deepEqual(shape(store.callTool("list_instances", {})), {
    status: "string",
    instances: [{ name: "string", page_key: "string", blocks_count: "number", actions_count: "number" }],
    total: "number",
  });
});

test("values nested too deeply are refused, as text and as values, at any place", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  let nested = [];
  for (let level = 0; level < 5000; level++) nested = [nested];
  for (const tool of TOOLS) {
    for (const key of ["instance_name", "patches", "completion_criteria", "x"]) {
      const store = start();
      const inside = `[{"type":"field_equals","path":"state","op":"set","value":${deep}}]`;
      for (const args of [
        `{"instance_name":"f","${key}":${deep}}`,
        `{"instance_name":"f","${key}":${inside}}`,
        { [key]: nested },
      ]) {
        assert.equal(store.callTool(tool, args).error?.code, "LIMIT_EXCEEDED", tool);
      }
    }
  }
  const args = { instance_name: "f", patches: [{ op: "set", path: "state.params.n", value_json: deep }] };
  assert.equal(start().callTool("patch_ui_state", args).error.code, "LIMIT_EXCEEDED");
  const criterion = { type: "field_equals", path: "state.params.n", value_json: deep };
  const result = start().callTool("validate_completion", { instance_name: "f", completion_criteria: [criterion] });
  assert.equal(result.error.code, "LIMIT_EXCEEDED");
});
