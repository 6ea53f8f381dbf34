// The application's own tools: described, typed by their schema, validated, executed, answered in every format, approved.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  agentTools,
  GenuiPatchError,
  PatchStore,
  parseToolCalls,
  runAgent,
  toolDefinitions,
  validateToolBlock,
  Workspace,
} from "genui-patch";
import { scriptedModel } from "genui-patch/testing";
import * as v from "valibot";
import { z } from "zod";
import { blockEvents, executeAll } from "../support/agent.mjs";

const json = {
  type: "object",
  properties: { query: { type: "string", minLength: 2 }, limit: { type: "integer", minimum: 1 } },
  required: ["query"],
  additionalProperties: false,
};
const SCHEMAS = {
  json: { schema: json },
  zod: { schema: z.strictObject({ query: z.string().min(2), limit: z.int().min(1).optional() }) },
  valibot: {
    schema: v.strictObject({
      query: v.pipe(v.string(), v.minLength(2)),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
    }),
    jsonSchema: json,
  },
};

function own(tool = {}, options = {}) {
  const calls = [];
  const search = {
    description: "Searches the contacts.",
    schema: json,
    execute(args, given) {
      calls.push(args);
      return tool.answer === undefined ? [{ name: `Ann ${args.query}` }] : tool.answer(args, given);
    },
    ...tool.own,
  };
  return { calls, agent: agentTools({ tools: { search }, ...options }) };
}

for (const [library, given] of Object.entries(SCHEMAS)) {
  test(`${library}: a tool is described to the model in every form`, () => {
    const { agent } = own({ own: given }, { store: new PatchStore() });
    for (const format of ["openai", "openai-chat", "openai-responses", "anthropic", "gemini", "mcp", "ag-ui"]) {
      const tool = agent.definitions(format).at(-1);
      const { name, description } = tool.function ?? tool;
      assert.deepEqual([name, description], ["search", "Searches the contacts."], format);
      const { parameters, input_schema, inputSchema, parametersJsonSchema } = tool.function ?? tool;
      const schema = parametersJsonSchema ?? parameters ?? input_schema ?? inputSchema;
      assert.equal(schema.type, "object");
      assert.equal(schema.properties.query.minLength, 2, format);
      assert.deepEqual(schema.required, ["query"]);
      assert.ok(!("$schema" in schema));
    }
    assert.equal(agent.definitions("ai-sdk").search.inputSchema.jsonSchema.properties.query.type, "string");
    assert.deepEqual(agent.definitions("text"), []);
    const prompt = agent.prompt();
    assert.ok(prompt.includes('{"tool": "search", "query": <string>, "limit": (optional) <integer>}'));
    assert.ok(prompt.includes('"minLength":2'), "what an example does not show");
    assert.ok(blockEvents(agent, [prompt]).every((event) => !event.call && !event.calls));
  });

  test(`${library}: arguments are validated, and the error says what to send`, async () => {
    for (const [args, message] of [
      [{ query: "a" }, /query/],
      [{ query: 1 }, /query/],
      [{}, /query/],
      [{ query: "ab", limit: 0 }, /limit/],
      [{ query: "ab", limit: 1.5 }, /limit/],
      [{ query: "ab", extra: 1 }, /extra/],
      [[], /JSON object/],
    ]) {
      const { agent, calls } = own({ own: given });
      const { status, error } = await agent.execute({ name: "search", arguments: args });
      assert.equal(status, "error", JSON.stringify(args));
      assert.match(error.message, message);
      assert.ok(error.solution);
      assert.deepEqual(calls, []);
    }
    const { agent, calls } = own({ own: given });
    // Strict formats make models send null for what they leave out.
    for (const args of [{ query: "ab" }, { query: "ab", limit: 3 }, { query: "ab", limit: null }]) {
      const { status, result } = await agent.execute({ name: "search", arguments: JSON.stringify(args) });
      assert.deepEqual([status, result], ["success", { status: "success", result: [{ name: "Ann ab" }] }]);
    }
    assert.deepEqual(calls, [{ query: "ab" }, { query: "ab", limit: 3 }, { query: "ab" }]);
  });
}

test("a call in chat text, with a block of json, and every native format", async () => {
  const call = { name: "search", arguments: { query: "ab" } };
  for (const format of ["openai", "openai-responses", "anthropic", "gemini", "ai-sdk", "text"]) {
    const { agent, calls } = own();
    const model = scriptedModel([{ text: "Let me look.", calls: [call] }, "Ann ab."], { format });
    const messages =
      format === "gemini" ? [{ role: "user", parts: [{ text: "Who?" }] }] : [{ role: "user", content: "Who?" }];
    const { status, text } = await runAgent({ agent, format, messages, send: model });
    assert.deepEqual([status, text, calls], ["done", "Ann ab.", [{ query: "ab" }]], format);
    assert.match(JSON.stringify(model.requests[1].messages), /Ann ab/);
  }
  const { agent } = own();
  const text = '```json\n{"tool": "search", "query": "ab",}\n```';
  const [result] = await executeAll(agent, blockEvents(agent, [text]));
  assert.equal(result.status, "success");
  assert.equal(parseToolCalls(text, { tools: agent.blocks }).calls[0].tool, "search");
  assert.ok(!validateToolBlock('{"tool":"search"}', { tools: agent.blocks }).isValid);
  const { execute } = agent.definitions("ai-sdk").search;
  assert.deepEqual(await execute({ query: "ab" }), { status: "success", result: [{ name: "Ann ab" }] });
});

test("a path of an own tool is what the tool says, not a file of a workspace", async () => {
  const schema = { type: "object", properties: { path: { type: "string" }, content: {}, id: { type: "string" } } };
  const seen = [];
  const tools = { fetch_page: { description: "Fetches.", schema, execute: (args) => void seen.push(args) } };
  const agent = agentTools({ tools });
  const args = { path: "/a/../../b", content: { x: [1] }, id: "7" };
  const text = `\`\`\`json\n${JSON.stringify({ tool: "fetch_page", ...args })}\n\`\`\``;
  await executeAll(agent, blockEvents(agent, [text]));
  await agent.execute({ name: "fetch_page", arguments: args });
  assert.deepEqual(seen, [args, args]);
});

test("what a tool throws, and what JSON cannot carry, is an error that the model can read", async () => {
  const cyclic = {};
  cyclic.self = cyclic;
  for (const [answer, code, message] of [
    [() => Promise.reject(new Error("The index is down")), "TOOL_FAILED", /The index is down/],
    [
      () => {
        throw "no";
      },
      "TOOL_FAILED",
      /no/,
    ],
    [() => cyclic, "INVALID_RESULT", /cycle/],
    [() => 1n, "INVALID_RESULT", /BigInt/],
    [() => ({ a: Number.NaN }), "INVALID_RESULT", /NaN/],
    [() => new Map(), "INVALID_RESULT", /Map/],
  ]) {
    const { agent } = own({ answer });
    const { status, error } = await agent.execute({ name: "search", arguments: { query: "ab" } });
    assert.deepEqual([status, error.code], ["error", code]);
    assert.match(error.message, message);
    assert.ok(error.solution);
  }
  for (const [value, wanted] of [
    [undefined, { status: "success" }],
    [null, { status: "success", result: null }],
    [new Date(0), { status: "success", result: "1970-01-01T00:00:00.000Z" }],
    [{ a: undefined }, { status: "success", result: {} }],
  ]) {
    const { agent } = own({ answer: () => value });
    const { result } = await agent.execute({ name: "search", arguments: { query: "ab" } });
    assert.deepEqual(result, wanted);
  }
});

test("a call ends with its time and with its signal, whether the tool listens or not", async () => {
  let seen;
  const { agent } = own({
    answer: (_, { signal }) => {
      seen = signal;
      return new Promise(() => {});
    },
    own: { timeout: 20 },
  });
  const late = await agent.execute({ name: "search", arguments: { query: "ab" } });
  assert.deepEqual([late.error.code, seen.aborted, seen.reason.name], ["TIMEOUT", true, "TimeoutError"]);
  const abort = new AbortController();
  const { agent: patient } = own({
    answer: (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  const running = patient.execute({ name: "search", arguments: { query: "ab" } }, { signal: abort.signal });
  setTimeout(() => abort.abort(), 5);
  assert.equal((await running).error.code, "CANCELLED");
  const before = await patient.execute({ name: "search", arguments: { query: "ab" } }, { signal: abort.signal });
  assert.equal(before.error.code, "CANCELLED");
});

test("a tool gets a copy of the arguments", async () => {
  const { agent } = own({
    answer(args) {
      args.query = "other";
    },
  });
  const args = { query: "ab" };
  await agent.execute({ name: "search", arguments: args });
  assert.deepEqual(args, { query: "ab" });
});

test("calls that the user decides on: approved ones are executed, and the model reads the result", async () => {
  const rows = [
    ["never", {}, "success"],
    ["always", {}, "pending"],
    ["always", { readOnly: true }, "success"],
    ["always", { approve: false }, "success"],
    ["never", { approve: true }, "pending"],
    ["never", { approve: true, readOnly: true }, "pending"],
    [() => false, {}, "success"],
    [() => true, {}, "pending"],
    [({ target, args, changes, before }) => ({ target, args, changes, before }), {}, "pending"],
    [() => true, { readOnly: true }, "success"],
    ["never", { approve: ({ target }) => target !== "search" }, "success"],
    ["never", { approve: async () => "ask" }, "pending"],
    ["never", { approve: async () => ({ deny: "Not today." }) }, "error"],
  ];
  for (const [approve, tool, status] of rows) {
    const { agent, calls } = own({ own: tool }, { approve });
    const result = await agent.execute({ id: "c1", name: "search", arguments: { query: "ab" } });
    assert.equal(result.status, status, JSON.stringify([String(approve), tool]));
    assert.equal(calls.length, status === "success" ? 1 : 0);
    if (status === "error") assert.deepEqual([result.error.code, result.error.message], ["DENIED", "Not today."]);
    if (status !== "pending") continue;
    const [proposal] = agent.proposals();
    assert.equal(result.proposal, proposal);
    assert.deepEqual([proposal.kind, proposal.target, proposal.proposed.args], ["call", "search", { query: "ab" }]);
    assert.equal(agent.proposals(), agent.proposals());
    let told = 0;
    agent.subscribe(() => (told += 1));
    const done = await agent.approve(proposal.id);
    assert.deepEqual(done.result, { status: "success", result: [{ name: "Ann ab" }] });
    assert.ok(told > 0);
    assert.match(
      agent.decisions(),
      /search \(c1\): \{"status":"approved".*"result":\{"result":\[\{"name":"Ann ab"\}\]\}/,
    );
    assert.equal(agent.decisions(), "");
    assert.equal((await agent.approve(proposal.id)).error.code, "PROPOSAL_SETTLED");
    assert.equal(calls.length, 1);
  }
  const { agent, calls } = own({}, { approve: "always" });
  assert.throws(() => agent.refuse("x"), { code: "UNKNOWN_PROPOSAL" });
  assert.equal((await agent.approve("x")).error.code, "UNKNOWN_PROPOSAL");
  const { proposal } = await agent.execute({ name: "search", arguments: { query: "ab" } });
  agent.refuse(proposal.id, "No need.");
  assert.match(agent.decisions(), /"status":"refused".*"reason":"No need."/);
  assert.throws(() => agent.refuse(proposal.id), { code: "PROPOSAL_SETTLED" });
  // No call of the agent approves.
  for (const name of ["approve", "search.approve"])
    assert.equal((await agent.execute({ name, arguments: { id: proposal.id } })).error.code, "UNKNOWN_TOOL");
  assert.deepEqual(calls, []);
});

test("misuse by the page throws, and names the place", () => {
  const tool = { description: "d", schema: json, execute() {} };
  const files = Workspace.memory();
  for (const [options, message] of [
    [{ tools: {} }, /pass what the agent may work on/],
    [{ tools: [] }, /tools must be a plain object/],
    [{ tools: { search: 1 } }, /tools\.search: the options must be a plain object/],
    [{ tools: { "a b": tool } }, /tools\.a b must have a name/],
    [{ tools: { a: { ...tool, description: "" } } }, /tools\.a: the description must be a text/],
    [{ tools: { a: { ...tool, execute: 1 } } }, /tools\.a: the execute must be a function/],
    [{ tools: { a: { description: "d", schema: json } } }, /tools\.a: the execute must be a function/],
    [{ tools: { a: { ...tool, schema: 1 } } }, /tools\.a\.schema must be a JSON Schema/],
    [{ tools: { a: { ...tool, schema: { type: "string" } } } }, /must describe an object/],
    [{ tools: { a: { ...tool, schema: true } } }, /must describe an object/],
    [{ tools: { a: { ...tool, schema: { type: "object", properties: { tool: {} } } } } }, /property "tool"/],
    [{ tools: { a: { ...tool, timeout: 0 } } }, /timeout/],
    [{ tools: { a: { ...tool, approve: "always" } } }, /approve/],
    [{ tools: { a: { ...tool, name: "a" } } }, /have no "name"/],
    [{ tools: { write_file: tool } }, /"write_file", which is the name of another tool/],
    [{ files, tools: { read_file: tool } }, /"read_file", which is the name of another tool/],
    [{ files, tools: { create_file: tool } }, /"create_file", which is the name of another tool/],
    [{ store: new PatchStore(), tools: { patch_ui_state: tool } }, /another tool/],
    [{ tools: { a: tool }, author: { kind: "robot" } }, /author must be/],
  ]) {
    assert.throws(
      () => agentTools(options),
      (error) => error instanceof GenuiPatchError && message.test(error.message),
      String(message),
    );
  }
  agentTools({ files, read: false, tools: { read_file: tool } });
});

const groups = JSON.parse(readFileSync(new URL("../fixtures/schema.json", import.meta.url), "utf8"));

test("the verdicts on arguments are those of the core, on its table", async () => {
  let count = 0;
  for (const { description, schema, tests } of groups) {
    // References are from the root, which is the schema of the whole arguments.
    if (JSON.stringify(schema).includes('"$ref":"#"')) continue;
    const { $defs, definitions, ...rest } = typeof schema === "object" ? schema : { allOf: [schema] };
    const root = {
      type: "object",
      properties: { x: rest },
      required: ["x"],
      ...($defs && { $defs }),
      ...(definitions && { definitions }),
    };
    if (/"#\/(?!\$defs|definitions)/.test(JSON.stringify(schema))) continue;
    const agent = agentTools({ tools: { t: { description: "d", schema: root, execute: () => 1 } } });
    for (const { description: what = "", data, valid } of tests) {
      count += 1;
      const { status } = await agent.execute({ name: "t", arguments: { x: data } });
      assert.equal(status === "success", valid, `${description}, ${what}: ${JSON.stringify(data)}`);
    }
  }
  assert.ok(count > 200, String(count));
});

test("toolDefinitions knows the same formats", () => {
  assert.deepEqual(toolDefinitions("ui", "openai-responses"), toolDefinitions("ui", "openai", { api: "responses" }));
  assert.deepEqual(toolDefinitions("ui", "openai-chat"), toolDefinitions("ui", "openai"));
  const [{ name, description, parameters }] = toolDefinitions("files", "ag-ui");
  const [mcp] = toolDefinitions("files", "mcp");
  assert.deepEqual([name, description, parameters], [mcp.name, mcp.description, mcp.inputSchema]);
});
