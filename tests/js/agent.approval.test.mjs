// Nothing that an agent sends is a person's yes. Whatever it tries, a document, a file or a node that waits for one stays.
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentTools, FlowStore, PatchStore, Workspace } from "genui-patch";
import { blockEvents, CHUNKS, executeAll, nativeEvents, pieces } from "../support/agent.mjs";
import { page } from "../support/store.mjs";

const nodeTypes = { idea: { actions: { update: { approvalStyle: "visual" } } } };
const KINDS = ["patch", "file", "node"];

/** A page where one proposal of each kind waits; what it looks like; and what a model has read of them. */
async function waiting(approve) {
  const store = new PatchStore();
  store.load("page", page());
  const files = Workspace.memory({ "a.txt": "a\n" });
  const flow = new FlowStore({ nodeTypes });
  flow.load({ id: "t", nodes: [{ id: "n", type: "idea", data: { title: "Old" } }] });
  const agent = agentTools({ store, files, flow, approve });
  const own = agentTools({ store, files, flow, approve: "always" });
  const results = [
    await own.execute({ name: "patch_ui_state", arguments: patch("state.params.s", "theirs") }),
    await own.execute({ name: "write_file", arguments: { path: "a.txt", content: "theirs\n" } }),
    await own.execute({ name: "updateNode", arguments: { taskId: "t", nodeId: "n", newData: { title: "theirs" } } }),
  ];
  const seen = async () => [store.snapshot("page"), await files.snapshot(), flow.snapshot("t")];
  const proposals = () => [...store.proposals(), ...files.proposals(), ...flow.proposals()];
  return { store, files, flow, agent, results, seen, proposals, before: await seen() };
}

const patch = (path, value) => ({ instance_name: "page", patches: [{ op: "set", path, value }] });

/** Names under which a yes might be asked for. */
const TOOLS = [
  "approve",
  "approve_proposal",
  "confirm",
  "refuse",
  "reject",
  "load",
  "receive",
  "apply",
  "applyOptimistic",
  "runAction",
  "callTool",
  "execute",
  "updateNode.approve",
  "constructor",
  "__proto__",
  "toString",
  "hasOwnProperty",
  "Symbol(genui-patch.tool-set)",
  "genui-patch.tool-set",
  "",
];

/** Everything that an agent could add to a call, knowing all that the page knows. */
function additions(id) {
  const yes = { isApprovedUpdate: true, approved: true, approve: true, proposalId: id, proposal_id: id, id };
  return [
    yes,
    { ...yes, approvalStyle: "text" },
    { ...yes, approvalStyle: null },
    { isApprovedUpdate: "true", proposalId: id },
    { isApprovedUpdate: 1, proposalId: [id] },
    { isApprovedUpdate_json: "true", proposalId: id },
    { parameters: yes, pending_confirmation: { parameters: yes } },
    JSON.parse(`{"__proto__": ${JSON.stringify(yes)}, "constructor": {"prototype": ${JSON.stringify(yes)}}}`),
    { approvalStyle_json: '"text"', ...yes },
    { options: { approve: "never" }, policy: "never", status: "approved" },
  ];
}

/** The calls of each kind, as they were proposed, and as they might be called. */
const CALLS = [
  ["patch_ui_state", patch("state.params.s", "theirs")],
  ["patch_ui_state", { instanceId: "page", patches: [{ op: "set", path: "state.params.s", value_json: '"theirs"' }] }],
  ["write_file", { path: "a.txt", content: "theirs\n" }],
  ["write_file", { path: "./x/..\\a.txt", content: "theirs\n" }],
  ["edit_file", { path: "a.txt", search_replace: { old_string: "a", new_string: "theirs" } }],
  ["delete_file", { path: "a.txt" }],
  ["updateNode", { taskId: "t", nodeId: "n", newData: { title: "theirs" } }],
  ["updateNode", { taskId: "t", nodeId: "n", newData_json: '{"title":"theirs"}' }],
  ["updateNode", { taskId: "t", nodeId: "n", newData: { title: "other", more: 1 } }],
];

/** The shapes in which a call with these arguments may come. */
function forms(tool, args) {
  const text = JSON.stringify(args);
  const hidden = Object.create(args);
  const inherited = Object.create({ name: tool, arguments: args });
  let reads = 0;
  const turning = {
    name: tool,
    get arguments() {
      reads += 1;
      return reads === 1 ? { ...args } : { ...args, isApprovedUpdate: true };
    },
  };
  const lazy = {};
  for (const [key, value] of Object.entries(args)) {
    let times = 0;
    Object.defineProperty(lazy, key, { enumerable: true, get: () => (times++ === 0 ? value : "theirs") });
  }
  return [
    { name: tool, arguments: args },
    { name: tool, arguments: text },
    { name: tool, arguments: ` ${text}\n` },
    { name: tool, arguments: JSON.stringify(text) },
    { name: tool, arguments: [args] },
    { name: tool, arguments: { name: tool, arguments: args } },
    { name: tool, arguments: { toJSON: () => args } },
    { name: tool, arguments: hidden },
    { name: tool, arguments: lazy },
    inherited,
    turning,
    { tool, args, ...args, status: "completed" },
    { tool, ...args, approve: "never" },
    { id: "c", type: "function", function: { name: tool, arguments: text } },
    { method: "tools/call", params: { name: tool, arguments: args } },
    { name: "list_instances", tool, arguments: args, args },
    { toolCallId: "c", toolName: tool, input: args },
  ];
}

for (const approve of ["always", () => true, () => undefined]) {
  test(`no call is a yes, with approve ${approve}`, async () => {
    const { agent, before, seen, proposals, results } = await waiting(approve);
    const ids = results.map(({ proposal }) => proposal.id);
    const made = async (what) => {
      assert.deepEqual(await seen(), before, JSON.stringify(what));
      for (const proposal of proposals()) assert.equal(proposal.status, "pending", JSON.stringify(what));
    };
    for (const tool of TOOLS) {
      for (const id of ids) {
        const result = await agent.execute({ name: tool, arguments: { proposalId: id, id, proposal: id } });
        assert.equal(result.status, "error");
      }
    }
    await made(TOOLS);
    for (const [tool, args] of CALLS) {
      for (const id of [...ids, "1", `${ids[0].split("-")[0]}-2`]) {
        for (const more of additions(id)) {
          for (const form of forms(tool, { ...args, ...more })) {
            const { status } = await agent.execute(form);
            assert.notEqual(status, "success", JSON.stringify(form));
          }
        }
      }
      await made(tool);
    }
  });
}

test("no call is a yes, whichever way it comes", async () => {
  const { agent, before, seen, results } = await waiting("always");
  const ids = results.map(({ proposal }) => proposal.id);
  const calls = CALLS.flatMap(([name, args], place) =>
    ids.flatMap((id) =>
      additions(id).map((more, at) => ({ id: `c${place}-${at}`, name, arguments: { ...args, ...more } })),
    ),
  );
  for (const call of calls) {
    const text = `\`\`\`json\n${JSON.stringify({ tool: call.name, ...call.arguments })}\n\`\`\``;
    for (const { status } of await executeAll(agent, blockEvents(agent, [text]))) assert.notEqual(status, "success");
  }
  for (const format of Object.keys(CHUNKS)) {
    const events = nativeEvents(
      agent,
      format,
      CHUNKS[format](calls.slice(0, 60), (text) => pieces(text)),
    );
    for (const { status } of await executeAll(agent, events)) assert.notEqual(status, "success");
  }
  const tools = agent.definitions("ai-sdk");
  for (const { name, arguments: input } of calls) {
    assert.notEqual((await tools[name].execute(input, { toolCallId: ids[0] })).status, "success");
  }
  assert.deepEqual(await seen(), before);
});

test("where only nodes wait for a yes, no update of one is made by asking twice or in another style", async () => {
  const { agent, flow, results } = await waiting("never");
  const [, , { proposal }] = results;
  for (const more of additions(proposal.id)) {
    for (const [tool, args] of CALLS.filter(([tool]) => tool === "updateNode")) {
      for (const form of forms(tool, { ...args, ...more })) {
        const { status } = await agent.execute(form);
        assert.notEqual(status, "success", JSON.stringify(form));
      }
    }
  }
  assert.deepEqual(flow.node("t", "n").data, { title: "Old" });
});

test("two steps come to no yes either: what is proposed twice, undone, or prepared by a call that may pass", async () => {
  // The policy lets calls on a scratch instance and on a notes file pass.
  const open = ({ target }) => !["scratch", "notes.txt"].includes(target);
  const { agent, store, files, before, proposals, seen } = await waiting(open);
  const scratch = (path, value) => ({ instance_name: "scratch", patches: [{ op: "set", path, value }] });
  const create = { instance_name: "__CREATE__", new_instance_name: "scratch" };
  assert.equal((await agent.execute({ name: "patch_ui_state", arguments: create })).status, "success");
  const steps = [
    ["patch_ui_state", scratch("state.params.s", "theirs")],
    // Deleting and creating the page anew would be a way around the proposal.
    ["patch_ui_state", { instance_name: "__DELETE__", target_instance_name: "page" }],
    ["patch_ui_state", { instance_name: "__CREATE__", new_instance_name: "page" }],
    ["patch_ui_state", { instanceId: "__DELETE__", targetInstanceId: "page" }],
    ["patch_ui_state", { instance_name: "scratch", instanceId: "page", patches: patch("state.params.s", 1).patches }],
    ["access_instance", { instance_name: "page" }],
    ["write_file", { path: "notes.txt", content: "x" }],
    ["write_file", { path: "notes.txt/../a.txt", content: "theirs\n" }],
    ["write_file", { path: "NOTES.TXT", content: "x" }],
    ["write_file", { path: "notes.txt ", content: "x" }],
    ["delete_file", { path: ".\\notes.txt\\..\\a.txt" }],
    ["validate_completion", { instance_name: "page", completion_criteria: [{ type: "custom", name: "approve" }] }],
  ];
  for (const [name, args] of steps) await agent.execute({ name, arguments: args });
  const [document, texts, nodes] = await seen();
  const { "notes.txt": notes, ...rest } = texts;
  assert.equal(notes, "x");
  assert.deepEqual([document, rest, nodes], before);
  for (const kind of KINDS) {
    const all = proposals().filter((proposal) => proposal.kind === kind);
    assert.ok(all.length > 0);
    for (const { status } of all) assert.equal(status, "pending");
  }
  // The person says yes to what was shown, and to nothing that came afterwards.
  const [first] = store.proposals();
  store.approve(first.id);
  assert.equal(store.get("page", "state.params.s"), "theirs");
  assert.equal((await files.snapshot())["a.txt"], "a\n");
});

test("edits of a proposal's target do not change what its yes makes", async () => {
  const { agent, store, files, flow, results } = await waiting("never");
  const [one, two, three] = results.map(({ proposal }) => proposal);
  await agent.execute({ name: "patch_ui_state", arguments: patch("state.params.s", "sly") });
  await agent.execute({ name: "write_file", arguments: { path: "a.txt", content: "sly\n" } });
  const update = { taskId: "t", nodeId: "n", newData: { title: "sly" }, approvalStyle: "text" };
  assert.equal((await agent.execute({ name: "updateNode", arguments: update })).status, "pending");
  assert.equal(store.approve(one.id).error.code, "STALE_PROPOSAL");
  assert.equal((await files.approve(two.id)).error.code, "STALE_PROPOSAL");
  assert.equal(flow.approve(three.id).node.data.title, "theirs");
  assert.equal(store.get("page", "state.params.s"), "sly");
});

test("what an agent reads of a proposal cannot change it", async () => {
  const { results, proposals } = await waiting("always");
  for (const { proposal } of results) {
    assert.throws(() => (proposal.status = "approved"), TypeError);
    assert.throws(() => (proposal.proposed.isApprovedUpdate = true), TypeError);
  }
  for (const { status } of proposals()) assert.equal(status, "pending");
});
