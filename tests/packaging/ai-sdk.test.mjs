// The tools of an agent in the AI SDK itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { asSchema, generateText, isStepCount, simulateReadableStream, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { agentTools, FlowStore, PatchStore, Workspace } from "genui-patch";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = (unified) => ({ type: "finish", finishReason: { unified, raw: unified }, usage });
const call = (toolCallId, toolName, input) => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

function parts(options) {
  const store = new PatchStore();
  const files = Workspace.memory();
  const flow = new FlowStore();
  flow.load({ id: "t", nodes: [{ id: "n", data: { title: "Old" } }] });
  return { store, files, flow, agent: agentTools({ store, files, flow, ...options }) };
}

const CALLS = [
  call("1", "patch_ui_state", {
    instance_name: "__CREATE__",
    new_instance_name: "page",
    patches: [{ op: "set", path: "state.params.n", value: { deep: [1] } }],
  }),
  call("2", "write_file", { path: "a.txt", content: "a" }),
  call("3", "write_file", { path: "../a.txt", content: "a" }),
  call("4", "updateNode", { taskId: "t", nodeId: "n", newData: { title: "New" }, approvalStyle: "visual" }),
  call("5", "list_instances", {}),
];

/** A model that sends the calls first, and then a text. */
function model() {
  let round = 0;
  return new MockLanguageModelV4({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: "stream-start", warnings: [] },
          ...(round++ === 0
            ? [...CALLS, finish("tool-calls")]
            : [
                { type: "text-start", id: "0" },
                { type: "text-delta", id: "0", delta: "Done." },
                { type: "text-end", id: "0" },
                finish("stop"),
              ]),
        ],
      }),
    }),
  });
}

test("streamText executes the calls, and the model reads their results", async () => {
  const { agent, store, files, flow } = parts();
  const mock = model();
  const tools = agent.definitions("ai-sdk");
  const result = streamText({ model: mock, tools, prompt: "Go.", stopWhen: isStepCount(4) });
  assert.equal(await result.text, "Done.");
  assert.deepEqual(store.get("page", "state.params.n"), { deep: [1] });
  assert.deepEqual(await files.snapshot(), { "a.txt": "a" });
  assert.equal(flow.node("t", "n").data.title, "Old");
  assert.equal(flow.proposals().length, 1);
  const [first, second] = mock.doStreamCalls;
  assert.deepEqual(
    first.tools.map(({ name, inputSchema }) => [name, inputSchema]),
    agent.definitions("mcp").map(({ name, inputSchema }) => [name, inputSchema]),
  );
  const read = second.prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content);
  assert.deepEqual(
    read.map(({ toolCallId, output }) => [toolCallId, output.value.status]),
    [
      ["1", "success"],
      ["2", "success"],
      ["3", "error"],
      ["4", "pending"],
      ["5", "success"],
    ],
  );
  assert.deepEqual(
    agent.calls().map(({ id }) => id),
    ["1", "2", "3", "4", "5"],
  );
});

test("an aborted call is not executed", async () => {
  const { agent, store } = parts();
  const { patch_ui_state: tool } = agent.definitions("ai-sdk");
  const answer = await tool.execute(JSON.parse(CALLS[0].input), { toolCallId: "1", abortSignal: AbortSignal.abort() });
  assert.equal(answer.error.code, "CANCELLED");
  assert.deepEqual(store.names(), []);
});

test("the SDK accepts the schemas", async () => {
  for (const { inputSchema } of Object.values(parts().agent.definitions("ai-sdk"))) {
    assert.equal((await asSchema(inputSchema).jsonSchema).type, "object");
  }
});

test("replies are messages that the SDK accepts", async () => {
  const { agent } = parts();
  const sent = CALLS.map(({ input, ...rest }) => ({ ...rest, input: JSON.parse(input) }));
  const results = await Promise.all(sent.map((call) => agent.execute(call)));
  const mock = new MockLanguageModelV4({
    doGenerate: async () => ({ content: [{ type: "text", text: "Good." }], ...finish("stop"), warnings: [] }),
  });
  const messages = [
    { role: "user", content: "Go." },
    { role: "assistant", content: sent },
    ...agent.reply(results, "ai-sdk"),
  ];
  assert.equal((await generateText({ model: mock, messages })).text, "Good.");
  const [{ prompt }] = mock.doGenerateCalls;
  const outputs = prompt.at(-1).content.map(({ output }) => output.type);
  assert.deepEqual(outputs, ["json", "json", "error-json", "json", "json"]);
});
