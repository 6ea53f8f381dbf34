// One agent for a store, a workspace and task flows.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  agentTools,
  FlowStore,
  GenuiPatchError,
  NativeCallStream,
  PatchStore,
  parseToolCalls,
  repairToolBlock,
  ToolBlockStream,
  toolBlockTransform,
  toolDefinitions,
  validateToolBlock,
  Workspace,
} from "genui-patch";
import { envelopeKeys } from "../../dist/generated/facts.js";
import { blockEvents, executeAll } from "../support/agent.mjs";
import { page } from "../support/store.mjs";
import { each } from "../support/streams.mjs";

function parts(options = {}) {
  const store = new PatchStore();
  store.load("page", page());
  const files = Workspace.memory({ "src/a.ts": "let a = 1;\n" });
  const flow = new FlowStore({ nodeTypes: { idea: { actions: { update: { approvalStyle: "visual" } } } } });
  flow.load({
    id: "t1",
    nodes: [
      { id: "n1", type: "idea", data: { title: "Old" } },
      { id: "n2", data: { title: "Old" } },
    ],
  });
  return { store, files, flow, agent: agentTools({ store, files, flow, ...options }) };
}

const set = (value, path = "state.params.s") => ({ instance_name: "page", patches: [{ op: "set", path, value }] });
const names = (tools) => tools.map((tool) => tool.function?.name ?? tool.name);
const ALL = [
  "patch_ui_state",
  "get_schema",
  "list_instances",
  "validate_completion",
  "access_instance",
  "write_file",
  "edit_file",
  "delete_file",
  "read_file",
  "list_files",
  "updateNode",
];

test("definitions are those of what the agent was given, in every format", () => {
  const { agent, store, files, flow } = parts();
  const writing = agentTools({ store, files, flow, read: false });
  for (const format of ["mcp", "openai", "anthropic", "gemini"]) {
    assert.deepEqual(names(agent.definitions(format)), ALL);
    assert.deepEqual(
      writing.definitions(format),
      ["ui", "files", "node"].flatMap((family) => toolDefinitions(family, format)),
    );
    assert.deepEqual(agentTools({ store }).definitions(format), toolDefinitions("ui", format));
    assert.deepEqual(agentTools({ files, read: false }).definitions(format), toolDefinitions("files", format));
    assert.deepEqual(agentTools({ flow }).definitions(format), toolDefinitions("node", format));
  }
  const options = { api: "responses", strict: false };
  assert.deepEqual(agentTools({ store }).definitions("openai", options), toolDefinitions("ui", "openai", options));
  assert.deepEqual(Object.keys(agent.definitions("ai-sdk")), ALL);
});

test("misuse by the page throws", () => {
  const { agent, store } = parts();
  const misuse = (run) => assert.throws(run, (cause) => cause instanceof GenuiPatchError);
  misuse(() => agentTools());
  for (const options of [{}, { approve: "always" }, { store: undefined, files: undefined }])
    assert.throws(() => agentTools(options), {
      code: "INVALID_ARGUMENT",
      message: /store.*PatchStore.*files.*Workspace.*flow.*FlowStore/,
    });
  misuse(() => agentTools({ stores: store }));
  misuse(() => agentTools({ store: {} }));
  misuse(() => agentTools({ store: null }));
  misuse(() => agentTools({ store, approve: "sometimes" }));
  misuse(() => agent.definitions("xml"));
  misuse(() => agent.definitions("mcp", { strictly: true }));
  misuse(() => agent.reply({}, "xml"));
});

test("a call in a block, in every form that a provider gives it, and as a request", async () => {
  const forms = (tool, args) => [
    { id: "c", tool, path: "", args: { tool, ...args }, status: "detected" },
    { name: tool, arguments: args },
    { name: tool, arguments: JSON.stringify(args) },
    { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: tool, arguments: args } },
    { id: "c", type: "function", function: { name: tool, arguments: JSON.stringify(args) } },
    { type: "function_call", id: "fc", call_id: "c", name: tool, arguments: JSON.stringify(args) },
    { type: "tool_use", id: "c", name: tool, input: args },
    { functionCall: { id: "c", name: tool, args } },
    { id: "c", name: tool, args },
    { type: "tool-call", toolCallId: "c", toolName: tool, input: args },
  ];
  for (const place of forms("", {}).keys()) {
    const { agent, store, files, flow } = parts();
    const calls = [
      ["patch_ui_state", set("new")],
      ["write_file", { path: "b.txt", content: "" }],
      ["edit_file", { path: "src/a.ts", search_replace: { old_string: "1", new_string: "2" } }],
      ["updateNode", { taskId: "t1", nodeId: "n2", newData: { title: "New" } }],
    ];
    for (const [tool, args] of calls) {
      const result = await agent.execute(forms(tool, args)[place]);
      assert.equal(result.status, "success", JSON.stringify(result));
      assert.equal(result.tool, tool);
    }
    assert.equal(store.get("page", "state.params.s"), "new");
    assert.deepEqual(await files.snapshot(), { "b.txt": "", "src/a.ts": "let a = 2;\n" });
    assert.deepEqual(flow.node("t1", "n2").data, { title: "New" });
    const [{ id }] = agent.calls();
    assert.ok([undefined, "c", "3"].includes(id));
  }
});

/** Each format in which models and frameworks write a call. */
const envelopes = {
  names: ["tool", "toolName", "name", "tool_name", "function", "action", "Function-Name", "recipient_name"],
  arguments: ["args", "input", "arguments", "parameters", "params", "tool_input", "action_input", "ToolInput"],
  ids: ["id", "call_id", "toolCallId"],
};

test("every name for the tool, its arguments and the id; arguments as a value, as text, encoded twice, or beside the name", async () => {
  const { agent, files } = parts();
  const args = { path: "b.txt", content: "x" };
  const forms = [args, JSON.stringify(args), JSON.stringify(JSON.stringify(args))];
  for (const name of envelopes.names) {
    for (const form of forms) {
      for (const key of envelopes.arguments) {
        for (const id of envelopes.ids) {
          const call = { [id]: 7, [name]: "write_file", [key]: form };
          const result = await agent.execute(call);
          assert.deepEqual(
            [result.status, result.id, result.tool],
            ["success", "7", "write_file"],
            JSON.stringify(call),
          );
        }
      }
    }
    assert.equal(
      (await agent.execute({ id: "f", type: "function", [name]: "write_file", ...args })).status,
      "success",
      name,
    );
    assert.equal((await agent.execute({ [name]: " functions.Write_File ", arguments: args })).tool, "write_file", name);
  }
  for (const wrapper of ["function", "function_call", "functionCall", "tool_call", "toolUse", "action"]) {
    const result = await agent.execute({
      id: "w",
      type: "function",
      [wrapper]: { name: "write_file", arguments: forms[1] },
    });
    assert.deepEqual([result.status, result.id], ["success", "w"], wrapper);
  }
  assert.equal(await files.read("b.txt"), "x");
});

test("a stream and execute read the same keys of envelopes", async () => {
  const call = { path: "src/a.ts" };
  const named = (name, args, tool = "delete_file") => ({ [name]: tool, [args]: call });
  const rows = [
    ...envelopeKeys.name.flatMap((name) => envelopeKeys.arguments.map((args) => named(name, args))),
    ...envelopeKeys.call.map((key) => ({ [key]: named("name", "arguments") })),
    ...envelopeKeys.call.map((key) => ({ name: "assistant", [key]: named("tool", "args") })),
    ...envelopeKeys.calls.map((key) => ({ [key]: [named("name", "arguments")] })),
    ...envelopeKeys.calls.map((key) => ({ [key.toUpperCase()]: [{ function: named("NAME", "ar_gu-ments") }] })),
    { tool_call: { function: named("name", "arguments") } },
    { type: "function", name: "function", function: "delete_file", arguments: call },
    { name: "functions.delete_file ", parameters: JSON.stringify(JSON.stringify(call)) },
  ];
  for (const row of rows) {
    const text = JSON.stringify(row);
    const [read] = parseToolCalls(`\`\`\`json\n${text}\n\`\`\``).calls;
    assert.deepEqual([read?.tool, read?.path], ["delete_file", "src/a.ts"], text);
    const { agent, files } = parts();
    assert.deepEqual([(await agent.execute(row)).status, await files.exists("src/a.ts")], ["success", false], text);
  }
});

test("several calls in one argument are not executed, nor is a call nested in another", async () => {
  const { agent, files } = parts();
  const call = { name: "delete_file", arguments: { path: "src/a.ts" } };
  const cycle = {};
  cycle.function = cycle;
  for (const [sent, message] of [
    [{ tool_calls: [call, call] }, /The message has 2 calls: one is executed at a time/],
    [{ tool_calls: [] }, /names no tool/],
    [{ tool_calls: [{ type: "tool_result", ...call }] }, /is the result of a call/],
    [{ tool_calls: [{ jsonrpc: "2.0", method: "prompts/get", params: call }] }, /"prompts\/get"/],
  ]) {
    const { status, error } = await agent.execute(sent);
    assert.deepEqual([status, error.code], ["error", "UNKNOWN_TOOL"]);
    assert.match(error.message, message);
  }
  assert.equal(await files.exists("src/a.ts"), true);
  assert.equal((await agent.execute(cycle)).error.code, "INVALID_ARGUMENT");
  const { id } = await agent.execute({ id: "message", tool_calls: [{ id: "call", function: call }] });
  assert.equal(id, "call");
});

test("of JSON-RPC requests only tools/call is a call; a result is not", async () => {
  const { agent, files } = parts();
  const params = { name: "delete_file", arguments: { path: "src/a.ts" } };
  for (const [call, message] of [
    [
      { jsonrpc: "2.0", id: 1, method: "prompts/get", params },
      /"prompts\/get" is not a tool call: in JSON-RPC only "tools\/call" is/,
    ],
    [{ method: "prompts/get", params }, /"prompts\/get"/],
    [{ method: "tools/list", params }, /"tools\/list"/],
    [{ method: "notifications/tools/call", params }, /notifications/],
    [{ jsonrpc: "2.0", method: "TOOLS/CALL", params }, /TOOLS/],
    [{ jsonrpc: "2.0", id: 1, ...params }, /without a method/],
    [{ jsonrpc: "2.0", id: 1, result: params }, /without a method/],
    [{ jsonrpc: "2.0", method: 7, params }, /without a method/],
    [{ jsonrpc: "2.0", method: "tools/call" }, /names no tool/],
    [{ jsonrpc: "2.0", method: "tools/call", ...params }, /names no tool/],
    [{ type: "tool_result", ...params }, /is the result of a call/],
    [{ type: "function_call_output", ...params }, /is the result of a call/],
    [
      { type: "tool-result", toolCallId: "t", toolName: "delete_file", input: params.arguments, output: {} },
      /is the result/,
    ],
  ]) {
    const { status, error } = await agent.execute(call);
    assert.deepEqual([status, error.code], ["error", "UNKNOWN_TOOL"], JSON.stringify(call));
    assert.match(error.message, message);
    assert.match(error.solution, /patch_ui_state/);
  }
  assert.equal(await files.exists("src/a.ts"), true);
  assert.equal((await agent.execute({ method: "tools/call", params })).status, "success");
});

test("arguments as damaged text are repaired as in a stream, and the result lists what was done", async () => {
  const rows = [
    ["write_file", "{path: 'b.txt', content: 'x',}", ["UNQUOTED_KEY", "QUOTES", "TRAILING_COMMA"]],
    ["write_file", '{"file_path":"b.txt","text":"x"}', undefined],
    ["write_file", '{"file_path":"b.txt","text":"x",}', ["TRAILING_COMMA", "FIELD_ALIAS"]],
    [
      "patch_ui_state",
      '{"instance_name":"page","patches":[{"op":"set","path":"state.params.s","value":"new"},]}',
      ["TRAILING_COMMA"],
    ],
    ["get_schema", "{'instance_name': 'page'}", ["QUOTES"]],
    ["updateNode", '{"taskId":"t1","nodeId":"n2","newData":{"title":"New"},}', ["TRAILING_COMMA"]],
    ["list_instances", "{,}", ["EXTRA_COMMA"]],
    ["get_schema", JSON.stringify('{"instance_name":"page"}'), ["ESCAPED_TWICE"]],
  ];
  for (const [tool, text, codes] of rows) {
    for (const approve of ["never", "always"]) {
      const { agent } = parts({ approve });
      const result = await agent.execute({ id: "c", name: tool, arguments: text });
      const stream = new NativeCallStream({ format: "ai-sdk", tools: agent.blocks });
      const block = stream.push({ type: "tool-call", toolCallId: "c", toolName: tool, input: text }).at(-1);
      stream.dispose();
      const found = [...new Set(result.result.fixes?.map(({ code }) => code))];
      if (codes === undefined) {
        // Complete JSON: the tool reports the missing argument.
        assert.deepEqual([result.status, found], ["error", []], text);
        continue;
      }
      assert.ok(["success", "pending"].includes(result.status), JSON.stringify(result));
      assert.deepEqual(found.sort(), [...codes].sort(), text);
      assert.deepEqual(result.result.fixes, block.fixes);
    }
  }
  const { agent, store } = parts();
  for (const text of [
    '{"instance_name":"page","patches":[',
    "{instance_name: 'page', patches: [",
    "nonsense",
    '"',
    "[1,",
  ]) {
    const { status, error } = await agent.execute({ name: "patch_ui_state", arguments: text });
    assert.deepEqual([status, error.code], ["error", "INVALID_JSON"], text);
  }
  assert.equal(store.get("page", "state.params.s"), "x");
});

test("a call that waits for a file the host never returns settles on cancellation, executed or proposed", async () => {
  for (const approve of ["never", "always", () => true, () => false]) {
    const never = () => new Promise(() => {});
    const files = Workspace.custom({ read: never, write: never, remove: never, list: never, realpath: never });
    const agent = agentTools({ files, approve });
    const stop = new AbortController();
    const calls = ["a", "a", "b"].map((path) =>
      agent.execute({ tool: "write_file", path, content: "" }, { signal: stop.signal }),
    );
    stop.abort();
    for (const { status, error } of await Promise.all(calls))
      assert.deepEqual([status, error.code], ["error", "CANCELLED"]);
    assert.deepEqual(files.proposals(), []);
    assert.ok(agent.calls().every(({ status }) => status === "error"));
  }
});

test("an edit that overlooked what looks alike says so to the model", async () => {
  const files = Workspace.memory({ a: "say(“one”);\nsay(“two”);\n" });
  const search_replace = { old_string: 'say("one");\nsay("two");', new_string: "say(3);" };
  for (const [approve, status] of [
    ["always", "pending"],
    ["never", "success"],
  ]) {
    const { result } = await agentTools({ files, approve }).execute({ tool: "edit_file", path: "a", search_replace });
    assert.equal(result.status, status);
    assert.deepEqual(
      result.fixes.map(({ code, position: { line } }) => [code, line]),
      [["TYPOGRAPHIC_QUOTES", 1]],
    );
  }
  assert.equal(await files.read("a"), "say(3);\n");
});

test("values sent as text, and null for omitted arguments", async () => {
  const { agent, store, flow } = parts();
  const patches = [{ op: "set", path: "state.params.o", value_json: '{"k":[1]}', items_json: null, condition: null }];
  const strict = { instance_name: "page", patches, new_instance_name: null, target_instance_name: null };
  for (const approve of ["never", "always"]) {
    const own = agentTools({ store, flow, approve });
    const { proposal } = await own.execute({ name: "patch_ui_state", arguments: strict });
    if (proposal) store.approve(proposal.id);
    assert.deepEqual(store.get("page", "state.params.o"), { k: [1] });
    store.apply(set(0, "state.params.o"));
  }
  const newData_json = '{"title":"New"}';
  await agent.execute({ name: "updateNode", arguments: { taskId: "t1", nodeId: "n2", newData_json } });
  assert.equal(flow.node("t1", "n2").data.title, "New");
});

test("the answer to arguments that no document holds names the call", async () => {
  const { agent } = parts();
  const block =
    '```json\n{"tool": "patch_ui_state", "instance_name": "page", "patches": [{"op": "set", "path": "x", "value": 1e999}]}\n```\n';
  const events = new ToolBlockStream({ tools: agent.blocks }).push(block);
  const event = events.find(({ type }) => type === "json-tool-block");
  const [result] = await agent.executeBlock(event);
  assert.deepEqual([result.id, result.tool, result.status], [event.toolId, "patch_ui_state", "error"]);
  assert.equal(result.error.solution, "Send arguments that JSON can carry.");
  const native = await agent.execute({ id: "c1", name: "patch_ui_state", arguments: { patches: Number.NaN } });
  assert.equal(agent.reply(native, "openai").tool_call_id, "c1");
});

test("an agent's input never throws: the error says what to send instead", async () => {
  const { agent, store } = parts();
  const cyclic = {};
  cyclic.self = cyclic;
  const deep = JSON.parse("[".repeat(5000) + "]".repeat(5000));
  const thrower = Object.defineProperty({}, "name", {
    get() {
      throw new Error("no");
    },
  });
  const bad = [
    [undefined, "UNKNOWN_TOOL"],
    [null, "UNKNOWN_TOOL"],
    ["patch_ui_state", "UNKNOWN_TOOL"],
    [[], "UNKNOWN_TOOL"],
    [{ name: 1 }, "UNKNOWN_TOOL"],
    [{ name: "toString" }, "UNKNOWN_TOOL"],
    [{ name: "__proto__", arguments: {} }, "UNKNOWN_TOOL"],
    [thrower, "INTERNAL"],
    [{ name: "patch_ui_state", arguments: cyclic }, "INVALID_ARGUMENT"],
    [{ name: "patch_ui_state", arguments: { instance_name: 1n } }, "INVALID_ARGUMENT"],
    [{ name: "patch_ui_state", arguments: { instance_name: "page", patches: deep } }, "LIMIT_EXCEEDED"],
    [{ name: "patch_ui_state", arguments: '{"instance_name":"page","patches":[' }, "INVALID_JSON"],
    [{ name: "patch_ui_state", arguments: "[]" }, "INVALID_ARGUMENT"],
    [{ name: "patch_ui_state", arguments: "null" }, "MISSING_VALUE"],
    [{ name: "patch_ui_state", arguments: '"[]"' }, "INVALID_ARGUMENT"],
    [{ name: "get_schema", arguments: "" }, "MISSING_VALUE"],
    [{ name: "get_schema", arguments: null }, "MISSING_VALUE"],
    [{ name: "get_schema" }, "MISSING_VALUE"],
    [{ name: "updateNode", arguments: "null" }, "MISSING_VALUE"],
    [{ name: "write_file", arguments: "null" }, "MISSING_PATH"],
    [{ name: "delete_file", arguments: " " }, "MISSING_PATH"],
    [{ name: "delete_file", arguments: '"{}"' }, "MISSING_PATH"],
    [{ name: "patch_ui_state", arguments: { instance_name: "gone" } }, "INVALID_INSTANCE"],
    [{ name: "patch_ui_state", arguments: { instance_name: "page", patches_json: "[" } }, undefined],
    [{ name: "write_file", arguments: { path: "a.txt" } }, "MISSING_CONTENT"],
    [{ name: "write_file", arguments: { path: "../a.txt", content: "" } }, "UNSAFE_PATH"],
    [{ name: "write_file", arguments: '{"path":"a.txt","content":"x' }, "JSON_SYNTAX"],
    [{ name: "write_file", arguments: "[1]" }, undefined],
    [{ name: "write_file", arguments: { path: "a.txt", content: deep } }, undefined],
    [
      { name: "edit_file", arguments: { path: "src/a.ts", search_replace: { old_string: "z", new_string: "" } } },
      "NO_MATCH",
    ],
    [{ name: "delete_file", arguments: { path: "gone.txt" } }, "NOT_FOUND"],
    [{ name: "updateNode", arguments: { taskId: "t1", nodeId: "n9", newData: {} } }, "PATH_NOT_FOUND"],
    [{ name: "updateNode", arguments: { taskId: "t1", nodeId: "n1", newData_json: "{" } }, "INVALID_ARGUMENT"],
  ];
  const before = store.save();
  for (const [call, code] of bad) {
    for (const approve of ["never", "always"]) {
      const result = await parts({ approve }).agent.execute(call);
      if (code === undefined && result.status !== "error") continue;
      assert.equal(result.status, "error", JSON.stringify(result));
      assert.equal(result.result.status, "error");
      assert.ok(result.error.message && result.error.solution, JSON.stringify(result));
      if (code) assert.equal(result.error.code, code, JSON.stringify(result));
    }
  }
  assert.match((await agent.execute({ name: "approve" })).error.solution, /patch_ui_state.*updateNode/);
  assert.equal(store.save(), before);
  store.dispose();
  assert.equal((await agent.execute({ name: "list_instances" })).error.code, "DISPOSED");
});

test("over a limit", async () => {
  const store = new PatchStore({ limits: { maxCallBytes: 200 } });
  store.load("page", page());
  const files = Workspace.memory({}, { limits: { maxBlockBytes: 200 } });
  const agent = agentTools({ store, files });
  const long = "x".repeat(300);
  assert.equal((await agent.execute({ name: "patch_ui_state", arguments: set(long) })).error.code, "LIMIT_EXCEEDED");
  const write = { name: "write_file", arguments: { path: "a.txt", content: long } };
  assert.equal((await agent.execute(write)).error.code, "LIMIT_EXCEEDED");
});

test("a call for which approve returns true becomes a proposal, and the result says so", async () => {
  const { agent, store, files, flow } = parts({ approve: "always" });
  const calls = [
    { name: "patch_ui_state", arguments: set("new") },
    { name: "write_file", arguments: { path: "b.txt", content: "b" } },
    { name: "updateNode", arguments: { taskId: "t1", nodeId: "n2", newData: { title: "New" }, approvalStyle: "text" } },
  ];
  const results = await Promise.all(calls.map((call) => agent.execute(call)));
  for (const { status, result, proposal } of results) {
    assert.equal(status, "pending");
    assert.equal(result.status, "pending");
    assert.match(result.message, /nothing has changed yet/);
    assert.equal(proposal.status, "pending");
    assert.deepEqual(result.proposed, { kind: proposal.kind, target: proposal.target });
    // The result has no proposal id that an agent could send back.
    assert.ok(!JSON.stringify(result).includes(proposal.id));
  }
  assert.deepEqual(
    [store.proposals()[0], files.proposals()[0], flow.proposals()[0]],
    results.map(({ proposal }) => proposal),
  );
  assert.equal(store.get("page", "state.params.s"), "x");
  assert.deepEqual(await files.snapshot(), { "src/a.ts": "let a = 1;\n" });
  assert.equal(flow.node("t1", "n2").data.title, "Old");
  // Calls that change nothing need no approval.
  assert.equal((await agent.execute({ name: "get_schema", arguments: { instance_name: "page" } })).status, "success");

  store.approve(results[0].proposal.id);
  await files.approve(results[1].proposal.id);
  flow.approve(results[2].proposal.id);
  assert.equal(store.get("page", "state.params.s"), "new");
  assert.equal((await files.snapshot())["b.txt"], "b");
  assert.equal(flow.node("t1", "n2").data.title, "New");
});

test("a policy decides on the call as it would be executed; only false allows it without approval", async () => {
  const seen = [];
  const { agent } = parts({
    approve: (call) => {
      seen.push(call);
      return call.tool !== "patch_ui_state";
    },
  });
  const one = { op: "set", path: "state.params.s", value_json: '"y"' };
  await agent.execute({ id: "c", name: "patch_ui_state", arguments: { instanceId: "page", patches: [one] } });
  const strange = await agent.execute({ tool: "write_file", path: "src\\..//b.txt", content: "b" });
  await agent.execute({ name: "get_schema", arguments: { instance_name: "page" } });
  assert.deepEqual(seen, [
    {
      id: "c",
      tool: "patch_ui_state",
      args: { instance_name: "page", patches: [{ op: "set", path: "state.params.s", value: "y" }] },
      target: "page",
      author: { kind: "agent" },
    },
    { tool: "write_file", args: { path: "b.txt", content: "b" }, target: "b.txt", author: { kind: "agent" } },
  ]);
  assert.equal(strange.status, "pending");
  for (const answer of [undefined, 0, "", null, "ask", Promise.resolve(true), Promise.resolve(undefined)]) {
    const { agent, store } = parts({ approve: () => answer });
    assert.equal((await agent.execute({ name: "patch_ui_state", arguments: set("new") })).status, "pending");
    assert.equal(store.get("page", "state.params.s"), "x");
  }
  const broken = parts({
    approve() {
      throw new Error("no");
    },
  });
  assert.equal((await broken.agent.execute({ name: "patch_ui_state", arguments: set("new") })).status, "error");
  assert.equal(broken.store.get("page", "state.params.s"), "x");
  // A policy that modifies its copy of the call does not modify the call.
  const meddling = parts({
    approve({ args }) {
      args.patches[0].value = "other";
      return false;
    },
  });
  await meddling.agent.execute({ name: "patch_ui_state", arguments: set("new") });
  assert.equal(meddling.store.get("page", "state.params.s"), "new");
});

test("the effects of a node's update are for the page, not for the model", async () => {
  const { agent } = parts();
  const update = (nodeId) => ({ name: "updateNode", arguments: { taskId: "t1", nodeId, newData: { title: "New" } } });
  const made = await agent.execute(update("n2"));
  assert.deepEqual(made.effects, [{ type: "REFETCH_TASK_FLOW", payload: { taskId: "t1" } }]);
  assert.equal(made.result.effects, undefined);
  const pending = await agent.execute(update("n1"));
  assert.equal(pending.status, "pending");
  assert.deepEqual(
    pending.effects.map(({ type }) => type),
    ["FOCUS_NODE", "OPEN_MODAL", "APPLY_DIFF_IN_MODAL"],
  );
});

test("calls in chat text, valid, repaired, broken, unsafe, cut off", async () => {
  const { agent, store, files } = parts();
  const text = [
    "First the page.\n```json\n",
    JSON.stringify({ tool: "patch_ui_state", ...set("one") }),
    "\n```\nAnd again, with a comma too many:\n```json\n",
    '{"tool": "patch_ui_state", "instanceId": "page", "patches": [{"op": "increment", "path": "state.params.n",}]}',
    '\n```\n```json\n[{"tool":"write_file","path":"a.txt","content":"a"},{"tool":"delete_file","path":"src/a.ts"}]',
    '\n```\n```json\n{"tool": "write_file", "path": "/etc/passwd", "content": ""}',
    '\n```\n```json\n{"tool": "run", "path": "x"}',
    '\n```\n```json\n{"tool": "get_schema"}',
    '\n```\n```json\n{"tool": "patch_ui_state", "instance_name": "pa',
  ].join("");
  const results = await executeAll(agent, blockEvents(agent, [text]));
  assert.deepEqual(
    results.map(({ id, tool, status, error }) => [id, tool, status, error?.code]),
    [
      ["tool_1", "patch_ui_state", "success", undefined],
      ["tool_2", "patch_ui_state", "success", undefined],
      ["tool_3", "write_file", "success", undefined],
      ["tool_4", "delete_file", "success", undefined],
      ["tool_5", "write_file", "error", "UNSAFE_PATH"],
      ["tool_6", "run", "error", "UNKNOWN_TOOL"],
      ["tool_7", "get_schema", "error", "MISSING_FIELD"],
      ["tool_8", "patch_ui_state", "error", "TRUNCATED"],
    ],
  );
  for (const { error } of results) assert.ok(error === undefined || error.solution);
  assert.match(results[5].error.solution, /patch_ui_state/);
  assert.equal(store.get("page", "state.params.s"), "one");
  assert.equal(store.get("page", "state.params.n"), 2);
  assert.deepEqual(await files.snapshot(), { "a.txt": "a" });
  assert.deepEqual(await agent.executeBlock({ type: "text", text: "" }), []);
});

test("blocks go wherever tools go, as do definitions in any format", async () => {
  const { agent } = parts();
  const text = `\`\`\`json\n${JSON.stringify({ tool: "patch_ui_state", ...set(1) })}\n\`\`\``;
  const all = [agent.blocks];
  for (const format of ["mcp", "openai", "anthropic", "gemini"]) {
    for (const options of [{}, { strict: false }, { api: "responses" }]) {
      const families = ["ui", "node", "files"].flatMap((family) => toolDefinitions(family, format, options));
      all.push(families, agent.definitions(format, options));
    }
  }
  for (const tools of all) {
    assert.equal(validateToolBlock(text, { tools }).call.tool, "patch_ui_state");
    const strict = { instance_name: "p", patches: [], new_instance_name: null, target_instance_name: null };
    assert.ok(validateToolBlock(JSON.stringify({ tool: "patch_ui_state", ...strict }), { tools }).isValid);
    assert.ok(validateToolBlock('{"tool":"list_instances"}', { tools }).isValid);
    assert.ok(!validateToolBlock('{"tool":"get_schema"}', { tools }).isValid);
    assert.ok(!validateToolBlock('{"tool":"patch_ui_state","instance_name":1}', { tools }).isValid);
    for (const key of ["newData", "newData_json"]) {
      const update = { tool: "updateNode", taskId: "t", nodeId: "n", [key]: "{}" };
      assert.ok(validateToolBlock(JSON.stringify(update), { tools }).isValid, key);
    }
    assert.ok(validateToolBlock('{"tool":"write_file","path":"a","content":""}', { tools }).isValid);
    assert.ok(!validateToolBlock('{"tool":"write_file","path":"a"}', { tools }).isValid);
    assert.equal(repairToolBlock(text.replace("}]", ",}]"), { tools }).report.call.tool, "patch_ui_state");
    const events = [];
    const stream = new Blob([text]).stream().pipeThrough(toolBlockTransform({ tools }));
    for await (const event of each(stream)) events.push(event);
    assert.equal(events.find(({ type }) => type === "json-tool-block").call.tool, "patch_ui_state");
  }
  // A tool of an external server, with keywords of the whole JSON Schema language.
  const foreign = {
    name: "search",
    description: "Searches.",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        query: { type: "string", minLength: 1 },
        filter: { oneOf: [{ type: "string" }, { $ref: "#/$defs/f" }] },
      },
      required: ["query"],
      $defs: { f: {} },
    },
    annotations: {},
  };
  const stream = new ToolBlockStream({ tools: [foreign] });
  const pushed = stream.push('```json\n{"tool":"search","query":"x","filter":[1]}\n```\n');
  const found = [...pushed, ...stream.end()].find(({ type }) => type === "json-tool-block");
  assert.equal(found.call?.tool, "search");
  assert.throws(() => validateToolBlock("{}", { tools: [{ name: "a" }] }), GenuiPatchError);
});

test("the path of GULF's tool is a place in data, in a definition of any format", () => {
  const text = '{"tool":"dataModelUpdate","path":"/items/0","contents":{},"contents_json":"{}"}';
  for (const format of ["mcp", "openai", "anthropic", "gemini"]) {
    for (const options of [{}, { strict: false }, { api: "responses" }]) {
      const tools = toolDefinitions("gulf", format, options);
      const { isValid, issues, call } = validateToolBlock(text, { tools });
      assert.ok(isValid, JSON.stringify(issues));
      assert.ok(!("path" in call));
      assert.equal(call.args.path, "/items/0");
    }
  }
  // The `path` argument of any other tool is a file path.
  const read = { name: "read_file", inputSchema: { type: "object", properties: { path: { type: "string" } } } };
  assert.ok(!validateToolBlock('{"tool":"read_file","path":"/etc/passwd"}', { tools: [read] }).isValid);
});

test("a call cancelled before its start is not executed; a started one is executed completely", async () => {
  const { agent, store } = parts();
  const stop = new AbortController();
  const running = agent.execute({ name: "patch_ui_state", arguments: set("first") }, { signal: stop.signal });
  stop.abort();
  assert.equal((await running).status, "success");
  const late = await agent.execute({ name: "patch_ui_state", arguments: set("second") }, { signal: stop.signal });
  assert.equal(late.error.code, "CANCELLED");
  assert.equal(store.get("page", "state.params.s"), "first");

  let release;
  const texts = new Map();
  const gate = new Promise((resolve) => (release = resolve));
  const files = Workspace.custom({
    read: async (path) => {
      await gate;
      return texts.get(path) ?? null;
    },
    write: (path, text) => void texts.set(path, text),
    remove: (path) => void texts.delete(path),
    list: () => [...texts.keys()],
  });
  const slow = agentTools({ files });
  const later = new AbortController();
  const write = (path) => ({ tool: "write_file", path, content: path });
  const results = ["a", "b"].map((path) => slow.execute(write(path), { signal: later.signal }));
  const other = slow.execute(write("c"));
  assert.deepEqual(
    slow.calls().map(({ status }) => status),
    ["running", "running", "running"],
  );
  later.abort();
  release();
  for (const { error } of await Promise.all(results)) assert.equal(error.code, "CANCELLED");
  assert.equal((await other).status, "success");
  assert.deepEqual([...texts.keys()], ["c"]);
});

test("the list of calls is the same until it changes, and keeps a hundred that are settled", async () => {
  const { agent } = parts();
  let notifications = 0;
  const { calls, subscribe, execute } = agent;
  const stop = subscribe(() => (notifications += 1));
  const before = calls();
  assert.equal(calls(), before);
  const result = await execute({ id: "x", name: "list_instances" });
  assert.equal(notifications, 2);
  assert.notEqual(calls(), before);
  assert.deepEqual(calls(), [{ key: 1, id: "x", tool: "list_instances", status: "success", result }]);
  const [first] = calls();
  await execute({ name: "nothing" });
  assert.equal(calls()[0], first);
  stop();
  for (let time = 0; time < 300; time++) await execute({ name: "list_instances" });
  assert.equal(notifications, 4);
  assert.equal(calls().length, 100);
  assert.equal(calls().at(-1).key, 302);
});

test("replies, in every provider's form", async () => {
  const { agent } = parts();
  const good = await agent.execute({ id: "c1", name: "list_instances" });
  const bad = await agent.execute({ id: "c2", name: "nothing" });
  const text = JSON.stringify(good.result);
  const wrong = JSON.stringify(bad.result);
  const one = (format) => agent.reply(good, format);
  const two = (format) => agent.reply([good, bad], format);
  const chat = [
    { role: "tool", tool_call_id: "c1", content: text },
    { role: "tool", tool_call_id: "c2", content: wrong },
  ];
  for (const format of ["openai", "openai-chat"]) {
    assert.deepEqual(one(format), chat[0]);
    assert.deepEqual(two(format), chat);
  }
  assert.deepEqual(two("openai-responses"), [
    { type: "function_call_output", call_id: "c1", output: text },
    { type: "function_call_output", call_id: "c2", output: wrong },
  ]);
  const part = { type: "tool_result", tool_use_id: "c1", content: text };
  assert.deepEqual(one("anthropic"), { role: "user", content: [part] });
  assert.deepEqual(two("anthropic"), [
    { role: "user", content: [part, { type: "tool_result", tool_use_id: "c2", content: wrong, is_error: true }] },
  ]);
  assert.deepEqual(two("gemini"), [
    {
      role: "user",
      parts: [
        { functionResponse: { id: "c1", name: "list_instances", response: good.result } },
        { functionResponse: { id: "c2", name: "nothing", response: bad.result } },
      ],
    },
  ]);
  assert.deepEqual(two("ai-sdk"), [
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "list_instances",
          output: { type: "json", value: good.result },
        },
        {
          type: "tool-result",
          toolCallId: "c2",
          toolName: "nothing",
          output: { type: "error-json", value: bad.result },
        },
      ],
    },
  ]);
  assert.deepEqual(one("ag-ui"), { id: "c1-result", role: "tool", toolCallId: "c1", content: text });
  assert.deepEqual(one("mcp"), { content: [{ type: "text", text }], structuredContent: good.result, isError: false });
  assert.equal(agent.reply(bad, "mcp").isError, true);
  assert.deepEqual(two("text"), [
    { role: "user", content: `Results of your tool calls:\nlist_instances (c1): ${text}\nnothing (c2): ${wrong}` },
  ]);
  for (const format of ["anthropic", "openai", "text"]) assert.deepEqual(agent.reply([], format), []);
});

test("the user's decisions, as a text for the model's next turn", async () => {
  const { agent, store, files, flow } = parts({ approve: "always" });
  const calls = [
    ["patch_ui_state", set("one")],
    ["patch_ui_state", set("two", "state.params.other")],
    ["write_file", { path: "a.txt", content: "one\n" }],
    ["write_file", { path: "b.txt", content: "one\n" }],
    ["edit_file", { path: "src/a.ts", search_replace: { old_string: "1", new_string: "2" } }],
    ["updateNode", { taskId: "t1", nodeId: "n1", newData: { title: "New" } }],
    ["updateNode", { taskId: "t1", nodeId: "n2", newData: { title: "New" } }],
    ["delete_file", { path: "src/a.ts" }],
  ];
  const results = [];
  for (const [place, [name, args]] of calls.entries())
    results.push(await agent.execute({ id: `c${place}`, name, arguments: args }));
  assert.equal(agent.decisions(), "");
  const ids = results.map(({ proposal }) => proposal.id);
  store.approve(ids[0]);
  store.refuse(ids[1], "Not\nnow");
  await files.approve(ids[2]);
  await files.approve(ids[3], { edits: "mine\n" });
  await files.approve(ids[4]);
  flow.approve(ids[5], { edits: { title: "Theirs" } });
  const [head, ...lines] = agent.decisions().split("\n");
  assert.equal(head, "What became of your proposals:");
  assert.deepEqual(lines.splice(-2), ["", ""]);
  const read = lines.map((line) => {
    const [, tool, id, json] = /^(\w+) \((c\d)\): (.*)$/.exec(line);
    const { message, ...rest } = JSON.parse(json);
    assert.ok(message.length > 10);
    return [tool, id, rest];
  });
  assert.deepEqual(read, [
    ["patch_ui_state", "c0", { status: "approved", kind: "patch", target: "page" }],
    ["patch_ui_state", "c1", { status: "refused", kind: "patch", target: "page", reason: "Not\nnow" }],
    ["write_file", "c2", { status: "approved", kind: "file", target: "a.txt" }],
    ["write_file", "c3", { status: "approved", kind: "file", target: "b.txt", approved: "mine\n" }],
    ["edit_file", "c4", { status: "approved", kind: "file", target: "src/a.ts" }],
    ["delete_file", "c7", { status: "stale", kind: "file", target: "src/a.ts" }],
    ["updateNode", "c5", { status: "approved", kind: "node", target: "t1/n1", approved: { title: "Theirs" } }],
  ]);
  // Each decision is reported once; so is a proposal that becomes stale, and the user's decision on it.
  assert.equal(agent.decisions(), "");
  flow.updateNode({ taskId: "t1", nodeId: "n2", newData: { title: "Other" }, isApprovedUpdate: true });
  assert.match(agent.decisions(), /^What.*\nupdateNode \(c6\): \{"status":"stale"/);
  flow.refuse(ids[6]);
  assert.match(agent.decisions(), /updateNode \(c6\): \{"status":"refused"/);
  const again = await agent.execute({ id: "c8", name: "delete_file", arguments: { path: "src/a.ts" } });
  await files.approve(again.proposal.id);
  assert.match(agent.decisions(), /delete_file \(c8\): \{"status":"approved",[^\n]*"target":"src\/a.ts"\}/);
  assert.equal(agent.decisions(), "");
});

test("the prompt names every tool, and shows no call that would be taken for one", () => {
  const { agent } = parts();
  const prompt = agent.prompt();
  for (const name of ALL) assert.ok(prompt.includes(`{"tool": "${name}"`), name);
  assert.ok(blockEvents(agent, [prompt]).every((event) => !event.call && !event.calls));
});
