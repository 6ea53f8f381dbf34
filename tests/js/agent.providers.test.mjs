// One conversation, in chat text, by native calls and by requests of MCP: the same documents, byte for byte.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { agentTools, FlowStore, PatchStore, Workspace } from "genui-patch";
import { block, blockEvents, CHUNKS, executeAll, nativeEvents, pieces } from "../support/agent.mjs";
import { random } from "../support/random.mjs";

const recorded = JSON.parse(readFileSync(new URL("../fixtures/native.json", import.meta.url), "utf8"));

const field = { key: "age", label: 'Your "age" é😀', type: "number" };
const EDITS = [
  { old_string: "$&", new_string: "é", replace_all: true },
  { old_string: 'let a = "é";\n', new_string: 'let a = "2";\n' },
];
const PATCH = `*** Begin Patch
*** Update File: src/a.ts
@@
-let a = "2";
+let a = "3 é";
 \`\`\`json
*** Add File: new.txt
+new
*** End Patch`;
const DIFF = `--- a/new.txt
+++ b/moved/new.txt
@@ -1 +1,2 @@
 new
+lines
`;

/** Rounds of calls. The invalid ones are refused, and change nothing. */
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
  [
    { name: "edit_file", arguments: { path: "src/a.ts", edits: EDITS } },
    { name: "edit_file", arguments: { path: "src/a.ts", edits: [...EDITS, EDITS[1]] } },
    { name: "apply_patch", arguments: { patch: PATCH } },
    { name: "apply_patch", arguments: { patch: PATCH } },
    { name: "apply_diff", arguments: { diff: DIFF } },
  ],
];

async function run(make) {
  const store = new PatchStore();
  const files = Workspace.memory({ "old.txt": "old\n" });
  const flow = new FlowStore();
  flow.load({ id: "t", nodes: [{ id: "n", data: { title: "Old" } }] });
  const agent = agentTools({ store, files, flow, formats: ["apply_patch", "unified"] });
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
    // A list is executed as a whole or not at all, so a call that is refused is sent alone.
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
  assert.deepEqual(JSON.parse(wanted)[1], {
    "moved/new.txt": "new\nlines\n",
    "src/a.ts": 'let a = "3 é";\n```json\n{}\n```\n',
  });
  for (const [way, make] of Object.entries(ways)) {
    const got = await run(make);
    // If a path is refused while parsing, the error message is that of the block.
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

const conversation = JSON.parse(readFileSync(new URL("../fixtures/conversation.json", import.meta.url), "utf8"));

/** The places in each provider's chunks with text of a call's arguments: the call, and the object and key of the text. */
const TEXTS = {
  "ai-sdk": (chunk) => chunk.type === "tool-input-delta" && [chunk.id, chunk, "delta"],
  "openai-chat": ({ choices: [choice] }) => {
    const [call] = choice?.delta.tool_calls ?? [];
    return call && [call.index, call.function, "arguments"];
  },
  "openai-responses": (chunk) =>
    chunk.type === "response.function_call_arguments.delta" && [chunk.item_id, chunk, "delta"],
  anthropic: ({ index, delta }) => delta?.type === "input_json_delta" && [index, delta, "partial_json"],
  "ag-ui": (chunk) => chunk.type === "TOOL_CALL_ARGS" && [chunk.toolCallId, chunk, "delta"],
};

/** The chunks with other pieces of text: `cut` gives the piece, or, with `whole`, all of a call's text arrives at once. */
function recut(format, chunks, cut, whole) {
  const all = new Map();
  for (const chunk of chunks) {
    const [call, holder, key] = TEXTS[format](chunk) || [];
    if (holder) all.set(call, (all.get(call) ?? "") + holder[key]);
  }
  return chunks.flatMap((chunk) => {
    const [call, holder, key] = TEXTS[format](chunk) || [];
    if (!holder || (!whole && holder[key] === "")) return [chunk];
    const text = whole ? all.get(call) : holder[key];
    if (whole) all.set(call, "");
    return cut(text).map((piece) => {
      const copy = structuredClone(chunk);
      const [, own] = TEXTS[format](copy);
      own[key] = piece;
      return copy;
    });
  });
}

/** The outcome of the conversation: all stored state, and the results that the model has read. */
async function converse(make) {
  const store = new PatchStore({ clientId: "c" });
  const files = Workspace.memory({ "old.txt": "old\n" });
  const flow = new FlowStore({ nodeTypes: { idea: { actions: { update: { approvalStyle: "visual" } } } } });
  flow.load({ id: "t", nodes: [{ id: "n", type: "idea", data: { title: "Old" } }] });
  const agent = agentTools({ store, files, flow, approve: ({ tool }) => tool === "delete_file" });
  const read = [];
  for (const [round, calls] of conversation.rounds.entries()) {
    const results = await make(agent, round, calls);
    assert.equal(results.length, calls.length);
    read.push(...results.map(({ tool, result }) => [tool, result]));
    // Between the rounds the user approves the pending proposals.
    for (const { id } of flow.proposals()) flow.approve(id);
    for (const { id } of files.proposals()) await files.approve(id);
  }
  const kept = [
    store.save().replace(/"time":\d+/g, ""),
    JSON.stringify(await files.snapshot()),
    JSON.stringify(flow.snapshot("t")),
  ];
  return { kept, read };
}

test("one recorded conversation: five providers, whole and in pieces, blocks in text, and MCP: the same, byte for byte", async () => {
  const wanted = await converse((agent, _, calls) =>
    Promise.all(calls.map((params, id) => agent.execute({ jsonrpc: "2.0", id, method: "tools/call", params }))),
  );
  assert.deepEqual(
    wanted.read.map(([tool, { status }]) => `${tool} ${status}`),
    [
      "patch_ui_state success",
      "patch_ui_state success",
      "write_file success",
      "updateNode pending",
      "write_file error",
      "edit_file success",
      "delete_file pending",
      "get_schema error",
      "patch_ui_state success",
    ],
  );
  const [saved, files, nodes] = wanted.kept;
  assert.ok(saved.includes('"age":42') && nodes.includes("Ask for the age") && !files.includes("old.txt"));
  const formats = Object.keys(TEXTS);
  assert.deepEqual(Object.keys(conversation.chunks).sort(), [...formats].sort());
  const { below } = random(3);
  const cuts = {
    "as recorded": (chunks) => chunks,
    "one chunk a call": (chunks, format) => recut(format, chunks, (text) => (text === "" ? [] : [text]), true),
    "one character a chunk": (chunks, format) => recut(format, chunks, (text) => pieces(text, () => 1)),
    "cut anew": (chunks, format) => recut(format, chunks, (text) => pieces(text, () => 1 + below(40)), true),
  };
  const ways = {
    "blocks in text": (agent, _, calls) => executeAll(agent, blockEvents(agent, pieces(calls.map(block).join("")))),
  };
  for (const format of formats) {
    for (const [name, cut] of Object.entries(cuts)) {
      ways[`${format}, ${name}`] = (agent, round) =>
        executeAll(agent, nativeEvents(agent, format, cut(conversation.chunks[format][round], format)));
    }
  }
  for (const [way, make] of Object.entries(ways)) {
    const { kept, read } = await converse(make);
    assert.deepEqual(kept, wanted.kept, way);
    for (const [place, [tool, { status, error }]] of read.entries()) {
      const [, known] = wanted.read[place];
      assert.deepEqual([tool, status, error?.code], [wanted.read[place][0], known.status, known.error?.code], way);
    }
  }
});

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
