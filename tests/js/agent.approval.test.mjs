// No call of an agent counts as the user's approval: a document, file or node with a pending proposal stays unchanged.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { agentTools, FlowStore, PatchStore, Workspace } from "genui-patch";
import { blockEvents, CHUNKS, executeAll, nativeEvents, pieces } from "../support/agent.mjs";
import { nodeHost } from "../support/files.mjs";
import { page } from "../support/store.mjs";

const root = mkdtempSync(join(tmpdir(), "genui-patch-agent-"));
after(() => rmSync(root, { recursive: true, force: true }));

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

/** Tool names under which an agent might try to approve. */
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

/** All extra arguments that an agent could add to a call, knowing everything the page knows. */
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

/** The calls of each kind as they were proposed, and as an agent might call them. */
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

/** The forms in which a call with these arguments may arrive. */
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
  test(`no call counts as approval, with approve ${approve}`, async () => {
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

test("no call counts as approval, in any form", async () => {
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

test("if only nodes need approval, repeating an update or changing its style does not execute it", async () => {
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

test("two steps do not approve either: proposing twice, undoing, or preparing with an allowed call", async () => {
  // The policy allows calls on a scratch instance and on a notes file.
  const open = ({ target }) => !["scratch", "notes.txt"].includes(target);
  const { agent, store, files, before, proposals, seen } = await waiting(open);
  const scratch = (path, value) => ({ instance_name: "scratch", patches: [{ op: "set", path, value }] });
  const create = { instance_name: "__CREATE__", new_instance_name: "scratch" };
  assert.equal((await agent.execute({ name: "patch_ui_state", arguments: create })).status, "success");
  const steps = [
    ["patch_ui_state", scratch("state.params.s", "theirs")],
    // Deleting and recreating the page would bypass the proposal.
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
  // The user approves the change that was shown, not later ones.
  const [first] = store.proposals();
  store.approve(first.id);
  assert.equal(store.get("page", "state.params.s"), "theirs");
  assert.equal((await files.snapshot())["a.txt"], "a\n");
});

test("edits of a proposal's target do not change the effect of approval", async () => {
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

test("the data that an agent reads of a proposal cannot change it", async () => {
  const { results, proposals } = await waiting("always");
  for (const { proposal } of results) {
    assert.throws(() => (proposal.status = "approved"), TypeError);
    assert.throws(() => (proposal.proposed.isApprovedUpdate = true), TypeError);
  }
  for (const { status } of proposals()) assert.equal(status, "pending");
});

/** The targets of calls as a policy sees them, and the results if it allows all of them. */
async function targetsOf({ store, files, flow }, calls) {
  const seen = [];
  const approve = ({ target }) => {
    seen.push(target);
    return false;
  };
  const agent = agentTools({ store, files, flow, approve });
  const results = [];
  for (const call of calls) results.push(await agent.execute(call));
  return { seen, results };
}

test("the target of a file is the same for all spellings of its path", async () => {
  const spellings = {
    "src/readme.md": ["src/README.md", "src\\..//SRC/ReadMe.md", "./src/readme.md"],
    "caf\u00e9.txt": ["cafe\u0301.txt", "CAFE\u0301.TXT", "Caf\u00e9.txt"],
    strasse: ["stra\u00dfe", "STRA\u1e9eE", "STRASSE"],
    kelvin: ["\u212aelvin", "KELVIN"],
    "\u03b1\u03c2": ["\u0391\u03a3", "\u03b1\u03c2", "\u03b1\u03c3"],
  };
  for (const [target, paths] of Object.entries(spellings)) {
    for (const path of paths) {
      const files = Workspace.memory();
      const { seen, results } = await targetsOf({ files }, [{ name: "write_file", arguments: { path, content: "x" } }]);
      assert.deepEqual([seen, results[0].status], [[target], "success"], path);
      // The file has the name that was sent.
      assert.deepEqual(await files.list(), [results[0].result.path]);
    }
  }
});

test("a policy that asks for one file asks for every spelling of it", async () => {
  for (const path of ["config/a.json", "CONFIG/A.JSON", "config\\A.json", "./x/../Config/a.json"]) {
    const files = Workspace.memory({ "config/a.json": "{}" });
    const agent = agentTools({ files, approve: ({ target }) => target.startsWith("config/") });
    const { status, proposal } = await agent.execute({ name: "write_file", arguments: { path, content: "x" } });
    assert.equal(status, "pending", path);
    // The user sees the path that was sent.
    assert.equal(proposal.target, proposal.proposed.path);
    assert.equal(proposal.target.toLowerCase(), "config/a.json");
  }
});

test("a path that may name another file needs approval, whatever the policy returns", async () => {
  const files = Workspace.memory({ "notes.txt": "x" });
  const agent = agentTools({ files, approve: () => false });
  const write = (path) => agent.execute({ name: "write_file", arguments: { path, content: "y" } });
  assert.equal((await write("notes.txt")).status, "success");
  const { status, result, proposal } = await write("Notes.txt");
  assert.equal(status, "pending");
  assert.deepEqual([result.warnings[0].code, result.warnings[0].paths], ["TWIN_PATH", ["notes.txt"]]);
  assert.deepEqual(proposal.warnings, result.warnings);
  assert.deepEqual(await files.snapshot(), { "notes.txt": "y" });
});

test("a proposal says what of its call has no effect, to the model and to the user", async () => {
  const store = new PatchStore();
  store.apply({ instance_name: "__CREATE__", new_instance_name: "page" });
  const agent = agentTools({ store, approve: "always" });
  const value = { id: "f", type: "form", fields: [] };
  const call = { instance_name: "page", patches: [{ op: "add", path: "blocks", value }] };
  const { status, result, proposal } = await agent.execute({ name: "patch_ui_state", arguments: call });
  assert.equal(status, "pending");
  assert.deepEqual(
    result.warnings.map(({ code, path }) => [code, path]),
    [["NO_EFFECT", "blocks.0.fields"]],
  );
  assert.deepEqual(proposal.warnings, result.warnings);
  const copy = PatchStore.restore(store.save());
  assert.deepEqual(copy.proposals()[0].warnings, proposal.warnings);
  const sound = { instance_name: "page", patches: [{ op: "set", path: "state.params.a", value: 1 }] };
  assert.equal("warnings" in store.propose(sound), false);
});

test("links are followed, where the host says where they lead; calls are begun in their order", async () => {
  const folder = await fs.mkdtemp(join(root, "links-"));
  const [inside, outside] = [join(folder, "inside"), join(folder, "outside")];
  for (const path of [inside, outside, join(inside, "Config"), join(inside, "notes")]) await fs.mkdir(path);
  await fs.writeFile(join(inside, "Config/secret"), "old\n");
  await fs.symlink(join(inside, "Config/secret"), join(inside, "notes/link"));
  await fs.symlink(join(inside, "Config"), join(inside, "linked"));
  await fs.symlink(outside, join(inside, "out"));
  const host = nodeHost(inside);
  const { realpath } = host;
  let slow = 3;
  // The first answers take longest.
  host.realpath = async (path) => {
    for (let turn = slow--; turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
    return realpath(path);
  };
  const files = Workspace.custom(host);
  const seen = [];
  const approve = ({ target }) => {
    seen.push(target);
    return target.startsWith("config/");
  };
  const agent = agentTools({ files, approve });
  const paths = ["notes/link", "linked/secret", "linked/new", "notes/a", "out/a", "CONFIG/x", "notes/b"];
  const results = await Promise.all(
    paths.map((path) => agent.execute({ name: "write_file", arguments: { path, content: "x" } })),
  );
  assert.deepEqual(seen, ["config/secret", "config/secret", "config/new", "notes/a", "config/x", "notes/b"]);
  assert.deepEqual(
    results.map(({ status, error }) => error?.code ?? status),
    ["pending", "pending", "pending", "success", "UNSAFE_PATH", "pending", "success"],
  );
  // Two paths name one file: a write through one makes proposals through the other stale.
  const [one, two] = files.proposals();
  assert.deepEqual([one.target, two.target], ["notes/link", "linked/secret"]);
  await files.execute({ tool: "write_file", path: "Config/secret", content: "other\n" });
  assert.deepEqual(
    files.proposals().map(({ status }) => status),
    ["stale", "stale", "pending", "pending"],
  );
  const stop = new AbortController();
  const late = agent.execute(
    { name: "write_file", arguments: { path: "notes/late", content: "x" } },
    { signal: stop.signal },
  );
  stop.abort();
  assert.equal((await late).error.code, "CANCELLED");
  assert.equal(await files.exists("notes/late"), false);
});

test("a call without a target is refused, and no policy is called", async () => {
  const rows = [
    ["patch_ui_state", {}],
    ["patch_ui_state", { patches: [] }],
    ["patch_ui_state", { instance_name: "__CREATE__" }],
    ["patch_ui_state", { instance_name: "__CREATE__", new_instance_name: null }],
    ["patch_ui_state", { instance_name: "__CREATE__", new_instance_name: 3 }],
    ["patch_ui_state", { instance_name: "__CREATE__", target_instance_name: "page" }],
    ["patch_ui_state", { instance_name: "__DELETE__" }],
    ["patch_ui_state", { instance_name: "__DELETE__", new_instance_name: "page" }],
    ["patch_ui_state", { instance_name: 3, patches: [] }],
    ["patch_ui_state", { instance_name: "", patches: [] }],
    ["patch_ui_state", { instance_name: "page", instanceId: "other", patches: [] }],
    ["patch_ui_state", { instance_name: "__DELETE__", target_instance_name: "page", targetInstanceId: "other" }],
    ["updateNode", {}],
    ["updateNode", { taskId: "t", newData: {} }],
    ["updateNode", { taskId: ["t"], nodeId: "n", newData: {} }],
    ["write_file", { content: "x" }],
    ["write_file", { path: null, content: "x" }],
    ["delete_file", {}],
  ];
  for (const [name, args] of rows) {
    for (const call of [
      { name, arguments: args },
      { name, arguments: JSON.stringify(args) },
    ]) {
      const sources = await waiting("never");
      const { seen: targets, results } = await targetsOf(sources, [call]);
      const [{ status, error }] = results;
      assert.deepEqual([status, targets], ["error", []], JSON.stringify(call));
      assert.ok(error.solution.length > 0);
      assert.deepEqual(await sources.seen(), sources.before, JSON.stringify(call));
    }
  }
  // The target of a flat call is never the text "undefined" or "null".
  const flat = [
    { tool: "patch_ui_state", instance_name: "page", patches: [] },
    { tool: "updateNode", taskId: "t", nodeId: "n", newData: {} },
    { tool: "write_file", path: "b.txt", content: "x" },
    { tool: "delete_file" },
  ];
  const { seen } = await targetsOf(await waiting("never"), flat);
  for (const target of seen) assert.ok(["page", "t/n", "b.txt"].includes(target), target);
});

test("a node whose name may be that of another one needs approval, whatever the policy returns", async () => {
  const flow = new FlowStore();
  const load = (id, ids) => flow.load({ id, nodes: ids.map((id) => ({ id, data: {} })) });
  load("a", ["b/c", "d/e", "f"]);
  load("a/b", ["c"]);
  const agent = agentTools({ flow, approve: () => false });
  const rows = [
    ["a", "b/c", "pending"],
    ["a/b", "c", "pending"],
    ["a", "d/e", "success"],
    ["a", "f", "success"],
  ];
  for (const [taskId, nodeId, status] of rows) {
    const result = await agent.execute({ name: "updateNode", arguments: { taskId, nodeId, newData: { x: 1 } } });
    assert.equal(result.status, status, nodeId);
  }
});

test("a lone surrogate in a name is replaced as in the store", async () => {
  const store = new PatchStore();
  store.load("\ufffd", page());
  const { seen } = await targetsOf({ store }, [
    { name: "patch_ui_state", arguments: { instance_name: "\ud800", patches: [] } },
    { name: "patch_ui_state", arguments: { instance_name: "\ud800", instanceId: "\udc00", patches: [] } },
  ]);
  assert.deepEqual(seen, ["\ufffd", "\ufffd"]);
});

test("a decision reported to the model matches the executed changes", async () => {
  const text = Array.from({ length: 20 }, (_, n) => `line ${n + 1}\n`).join("");
  const edit = (old_string, new_string) => ["edit_file", { path: "a", search_replace: { old_string, new_string } }];
  const both = ["write_file", { path: "a", content: text.replace("line 2\n", "two\n").replace("line 18\n", "") }];
  const patches = [..."ns"].map((key) => ({ op: "set", path: `state.params.${key}`, value: "q" }));
  const call = ["patch_ui_state", { instance_name: "page", patches }];
  const update = ["updateNode", { taskId: "t", nodeId: "n", newData: { title: "New", a: 1 } }];
  const rows = [
    // An edit that only removes text: there is no new text to search for.
    [
      edit("line 2\n", ""),
      { hunks: [] },
      /^It was approved without any of its changes: nothing was changed\. Not applied: line 2\.$/,
    ],
    [edit("line 2\n", ""), { hunks: [0] }, /^It was applied\.$/],
    [edit("line 2\n", ""), {}, /^It was applied\.$/],
    [edit("line 2\n", "line 1\n"), { hunks: [] }, /nothing was changed/],
    [["delete_file", { path: "a" }], { hunks: [] }, /nothing was changed/],
    [["delete_file", { path: "empty" }], { hunks: [] }, /nothing was changed\.$/],
    [["write_file", { path: "new", content: "" }], { hunks: [] }, /nothing was changed\.$/],
    [["write_file", { path: "new", content: "" }], {}, /^It was applied\.$/],
    [both, { hunks: [1] }, /^Only a part of it was applied\. As proposed: line 18\. Not applied: line 2\.$/],
    [both, { edits: text }, /nothing was changed\. Not applied: line 2, line 18\.$/],
    [both, { edits: both[1].content }, /^It was applied\.$/],
    [
      both,
      { edits: both[1].content.replace("two", "2") },
      /^It was applied with the user's own changes\. As proposed: line 18\. In the user's own way: line 2\.$/,
    ],
    [
      both,
      { edits: `${both[1].content}more\n` },
      /^It was applied with the user's own changes\. As proposed: line 2, line 18\.$/,
    ],
    [
      call,
      { paths: ["state.params.s"] },
      /^Only a part of it was applied\. As proposed: state\.params\.s\. Not applied: state\.params\.n\.$/,
    ],
    [call, { paths: [], edits: {} }, /nothing was changed\. Not applied: state\.params\.n, state\.params\.s\.$/],
    [
      call,
      { edits: { "state.params.s": "mine" } },
      /^It was applied with the user's own changes\. As proposed: state\.params\.n\. In the user's own way: state\.params\.s\.$/,
    ],
    [call, { edits: { "state.params.s": "q" } }, /^It was applied\.$/],
    [call, {}, /^It was applied\.$/],
    [update, { fields: ["a"] }, /^Only a part of it was applied\. As proposed: "a"\. Not applied: "title"\.$/],
    [update, { fields: [], edits: { title: "Old" } }, /nothing was changed\. Not applied: "title", "a"\.$/],
    [
      update,
      { edits: { title: "Mine" } },
      /^It was applied with the user's own changes\. As proposed: "a"\. In the user's own way: "title"\.$/,
    ],
    [update, { edits: { title: "New" } }, /^It was applied\.$/],
  ];
  for (const [[name, args], options, wanted] of rows) {
    const store = new PatchStore();
    store.load("page", page());
    const files = Workspace.memory({ a: text, empty: "" });
    const flow = new FlowStore({ nodeTypes });
    flow.load({ id: "t", nodes: [{ id: "n", type: "idea", data: { title: "Old" } }] });
    const agent = agentTools({ store, files, flow, approve: "always" });
    const { proposal } = await agent.execute({ id: "c", name, arguments: args });
    const owner = { patch: store, file: files, node: flow }[proposal.kind];
    const result = await owner.approve(proposal.id, options);
    assert.equal(result.error, undefined);
    const [, line] = agent.decisions().split("\n");
    const { status, message, approved } = JSON.parse(line.slice(line.indexOf(": ") + 2));
    assert.equal(status, "approved");
    assert.match(message, wanted, JSON.stringify([name, args, options]));
    // For a part of a file, the message names the applied lines: its whole text would cost tokens, and the model can read the file.
    const isWhole = message === "It was applied.";
    const isPartOfFile = proposal.kind === "file" && !message.includes("the user's own");
    assert.equal(approved === undefined, isWhole || isPartOfFile, message);
  }
});

test("a call approved as a whole on a document that has changed elsewhere is executed", async () => {
  const store = new PatchStore();
  store.load("page", page());
  const agent = agentTools({ store, approve: "always" });
  const { proposal } = await agent.execute({ name: "patch_ui_state", arguments: patch("state.params.n", 2) });
  store.apply(patch("state.params.s", "elsewhere"));
  store.approve(proposal.id);
  assert.match(agent.decisions(), /"message":"It was applied\.","kind":"patch","target":"page"}/);
});
