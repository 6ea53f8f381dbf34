// One conversation, in chat text, by native calls and by requests of MCP: the same documents, byte for byte.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { agentTools, FlowStore, PatchStore, Workspace } from "genui-patch";
import { block, blockEvents, CHUNKS, executeAll, nativeEvents, pieces } from "../support/agent.mjs";

const recorded = JSON.parse(readFileSync(new URL("../fixtures/native.json", import.meta.url), "utf8"));

const field = { key: "age", label: 'Your "age" é😀', type: "number" };
/** Rounds of calls. What is wrong among them is refused, and changes nothing. */
const ROUNDS = [
  [
    { name: "patch_ui_state", arguments: { instance_name: "__CREATE__", new_instance_name: "survey" } },
    {
      name: "patch_ui_state",
      arguments: {
        instance_name: "survey",
        patches: [
          { op: "add", path: "blocks+", value: { id: "form", type: "form", props: { fields: [field] } } },
          { op: "set", path: "state.params.age", value: 41 },
          { op: "set", path: "state.params.note", value: "```json\n{}\n```\n\u2028 </script> \\" },
          { op: "set", path: "state.params.big", value: 1e21 },
        ],
      },
    },
  ],
  [
    { name: "get_schema", arguments: { instance_name: "survey" } },
    { name: "patch_ui_state", arguments: { instance_name: "surveys", patches: [] } },
    { name: "write_file", arguments: { path: "src/a.ts", content: 'let a = "é";\n```json\n{}\n```\n' } },
    { name: "edit_file", arguments: { path: "src/a.ts", search_replace: { old_string: "é", new_string: "$&" } } },
    { name: "write_file", arguments: { path: "../a.ts", content: "" } },
    { name: "updateNode", arguments: { taskId: "t", nodeId: "n", newData: { title: "New", tags: [1, { a: null }] } } },
  ],
  [
    {
      name: "patch_ui_state",
      arguments: { instance_name: "survey", patches: [{ op: "increment", path: "state.params.age" }] },
    },
    { name: "validate_completion", arguments: { instance_name: "survey" } },
    { name: "delete_file", arguments: { path: "old.txt" } },
    { name: "list_instances", arguments: {} },
  ],
];

async function run(make) {
  const store = new PatchStore();
  const files = Workspace.memory({ "old.txt": "old\n" });
  const flow = new FlowStore();
  flow.load({ id: "t", nodes: [{ id: "n", data: { title: "Old" } }] });
  const agent = agentTools({ store, files, flow });
  const statuses = [];
  let id = 0;
  for (const round of ROUNDS) {
    const calls = round.map((call) => ({ id: `call_${id++}`, ...call }));
    const results = await make(agent, calls);
    assert.equal(results.length, calls.length);
    statuses.push(...results.map(({ tool, result }) => [tool, result]));
  }
  return JSON.stringify([store.snapshot("survey"), await files.snapshot(), flow.snapshot("t"), statuses]);
}

const ways = {
  "blocks in chat text": (agent, calls) =>
    executeAll(agent, blockEvents(agent, pieces(calls.map(block).join("Then\n")))),
  "one block with a list": (agent, calls) => {
    const list = JSON.stringify(calls.map(({ name, arguments: args }) => ({ tool: name, ...args })));
    // A list is made as a whole or not at all, so that a call that is refused stands alone.
    return calls.some(({ arguments: { path } }) => path?.startsWith(".."))
      ? executeAll(agent, blockEvents(agent, pieces(calls.map(block).join(""))))
      : executeAll(agent, blockEvents(agent, [`\`\`\`json\n${list}\n\`\`\``]));
  },
  "requests of MCP": (agent, calls) =>
    Promise.all(
      calls.map(({ id, name, arguments: args }) =>
        agent.execute({ id, method: "tools/call", params: { name, arguments: args } }),
      ),
    ),
  "arguments as text": (agent, calls) =>
    Promise.all(
      calls.map(({ id, name, arguments: args }) => agent.execute({ id, name, arguments: JSON.stringify(args) })),
    ),
};
for (const format of Object.keys(CHUNKS)) {
  ways[format] = (agent, calls) =>
    executeAll(
      agent,
      nativeEvents(
        agent,
        format,
        CHUNKS[format](calls, (text) => pieces(text)),
      ),
    );
}

test("the same documents and the same answers, whichever way the calls come", async () => {
  const wanted = await run((agent, calls) => Promise.all(calls.map((call) => agent.execute(call))));
  assert.ok(wanted.includes('"age":42'));
  for (const [way, make] of Object.entries(ways)) {
    const got = await run(make);
    // Where a path is refused before it is a call, the sentence is that of the block.
    const [documents, expected] = [got, wanted].map((text) => JSON.stringify(JSON.parse(text).slice(0, 3)));
    assert.equal(documents, expected, way);
    const [answers, known] = [got, wanted].map((text) =>
      JSON.parse(text)[3].map(([tool, { status, error }]) => [tool, status, error?.code]),
    );
    assert.deepEqual(answers, known, way);
  }
});

for (const { name, format, chunks, calls } of recorded) {
  test(`recorded: ${name}`, async () => {
    const made = async (make) => {
      const files = Workspace.memory({ "old.txt": "old\n" });
      const agent = agentTools({ files });
      const results = await make(agent);
      for (const { status } of results) assert.equal(status, "success");
      assert.deepEqual(results.map(({ id }) => id).sort(), calls.map(({ id }) => id).sort());
      return JSON.stringify(await files.snapshot());
    };
    const native = await made((agent) => executeAll(agent, nativeEvents(agent, format, chunks)));
    const requested = await made((agent) =>
      Promise.all(calls.map(({ id, tool, ...rest }) => agent.execute({ id, name: tool, arguments: rest }))),
    );
    assert.equal(native, requested);
  });
}

test("a loop of several rounds: results go back, and it ends when no call is left, or at its bound", async () => {
  for (const [rounds, wanted] of [
    [ROUNDS, ROUNDS.length + 1],
    [Array(50).fill([ROUNDS[2][3]]), 8],
  ]) {
    const store = new PatchStore();
    const files = Workspace.memory({ "old.txt": "" });
    const agent = agentTools({ store, files });
    const answers = rounds.map((calls) => `Now.\n\n${calls.map(block).join("\n")}`);
    const messages = [{ role: "system", content: agent.prompt() }];
    const generate = async (messages) => answers[messages.filter(({ role }) => role === "assistant").length] ?? "Done.";
    let asked = 0;
    for (let round = 0; round < 8; round++) {
      asked += 1;
      const content = await generate(messages);
      messages.push({ role: "assistant", content });
      const results = await executeAll(agent, blockEvents(agent, [content]));
      if (results.length === 0) break;
      messages.push(...agent.reply(results, "text"));
    }
    assert.equal(asked, wanted);
    assert.ok(messages.filter(({ role }) => role === "user").every(({ content }) => content.startsWith("Results of")));
  }
});
