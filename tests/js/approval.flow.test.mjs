// Updates of nodes (seed 002): immediate or proposed, by the page or by the agent, whose calls never approve.
import assert from "node:assert/strict";
import { test } from "node:test";
import { approvalState, FlowStore, toolDefinitions } from "genui-patch";
import { value } from "../support/calls.mjs";
import { random } from "../support/random.mjs";
import { assertFrozen, thrown, throwsMisuse } from "../support/store.mjs";

/** The registry in the shape of the seed: "problem" is updated by text, "idea" is reviewed. */
const nodeTypes = {
  problem: {
    ui: { diffFields: ["title", "description"] },
    actions: {
      update: {
        tool: "updateNode",
        needsApproval: true,
        approvalStyle: "text",
        executionMode: "backend",
        refinementPrompt: "problemRefine.md",
      },
    },
  },
  idea: {
    ui: { diffFields: ["title", "description"] },
    actions: { update: { tool: "updateNode", needsApproval: true, approvalStyle: "visual" } },
  },
  strict: { actions: { update: { needsApproval: true } } },
  free: {},
};
const taskFlow = () => ({
  id: "task-1",
  name: "Discovery",
  nodes: [
    {
      id: "p1",
      type: "problem",
      position: { x: 1, y: 2 },
      data: { title: "Slow", description: "It is.", tags: ["a"] },
    },
    { id: "i1", type: "idea", data: { title: "Cache", description: "All.", meta: { a: 1, b: [{ p: 1, q: 2 }] } } },
    { id: "s1", type: "strict", data: { title: "S" } },
    { id: "f1", type: "free" },
    { id: "n1", data: { title: "N" } },
  ],
  edges: [{ from: "p1", to: "i1" }],
});
const started = (options) => {
  const flow = new FlowStore({ nodeTypes, ...options });
  assert.deepEqual(flow.load(taskFlow()), { status: "success", taskId: "task-1", revision: 1 });
  return flow;
};
const update = (nodeId, newData, rest) => ({ taskId: "task-1", nodeId, newData, ...rest });
const types = (effects) => effects.map(({ type }) => type);
const flows = (flow) => JSON.stringify(flow.snapshot("task-1"));

test("text, or no style: the update is made, field by field", () => {
  const flow = started();
  for (const style of [{ approvalStyle: "text" }, {}, { approvalStyle: null }]) {
    for (const door of [(args) => flow.updateNode(args), (args) => flow.callTool("updateNode", args)]) {
      flow.load(taskFlow());
      const answer = door(update("p1", { title: "Fast", extra: null }, style));
      assert.equal(answer.updated, true);
      assert.deepEqual(answer.node, {
        ...taskFlow().nodes[0],
        data: { title: "Fast", description: "It is.", tags: ["a"], extra: null },
      });
      assert.equal(answer.node, flow.node("task-1", "p1"));
      assertFrozen(answer.node);
    }
  }
  assert.deepEqual(flow.updateNode(JSON.stringify(update("f1", { a: 1 }))).node.data, { a: 1 });
  assert.deepEqual(flow.proposals(), []);
  assert.deepEqual(flow.snapshot("task-1").edges, taskFlow().edges);
});

test("visual: the seed's pending confirmation, and nothing changes", () => {
  const flow = started({ displayLanguage: "pt-BR" });
  const before = flow.snapshot("task-1");
  const newData = { title: "Fast", owner: "Ana" };
  const answer = flow.updateNode(update("p1", newData, { approvalStyle: "visual" }));
  const { pending_confirmation: pending, effects } = answer;
  assert.deepEqual(pending, {
    tool_name: "updateNode",
    parameters: { taskId: "task-1", nodeId: "p1", newData, isApprovedUpdate: true, proposalId: pending.proposalId },
    displayMessage: "Confirmar alterações neste nó?",
    diff: { title: { before: "Slow", after: "Fast" } },
    otherChanges: { owner: { after: "Ana" } },
    nodeId: "p1",
    proposalId: pending.proposalId,
    revision: 1,
  });
  assert.deepEqual(effects, [
    { type: "FOCUS_NODE", payload: { nodeId: "p1" } },
    { type: "OPEN_MODAL", payload: { nodeId: "p1" } },
    { type: "APPLY_DIFF_IN_MODAL", payload: { nodeId: "p1", diff: pending.diff } },
  ]);
  assert.equal(flow.snapshot("task-1"), before);
  assert.deepEqual(
    flow.proposals().map(({ id, kind, target, status, proposed }) => [id, kind, target, status, proposed]),
    [[pending.proposalId, "node", "task-1/p1", "pending", newData]],
  );
  // As in the seed: the page calls again with the parameters.
  const made = flow.updateNode(pending.parameters);
  assert.equal(made.updated, true);
  assert.deepEqual(types(made.effects), ["CLOSE_MODAL", "POST_MESSAGE", "REFETCH_TASK_FLOW"]);
  assert.equal(made.node.data.title, "Fast");
  assert.equal(flow.updateNode(pending.parameters).error.code, "PROPOSAL_SETTLED");
  const [record] = flow.proposals();
  assert.equal(record.status, "approved");
  assert.deepEqual(record.approved, newData);
  assert.deepEqual(record.effective, made.node.data);
});

test("the language of the message", () => {
  const texts = {
    en: /Confirm/,
    "zh-CN": /确认/,
    pt: /Confirmar/,
    xx: /Confirm the/,
    "": /Confirm the/,
    constructor: /Confirm the/,
  };
  for (const [displayLanguage, text] of Object.entries(texts)) {
    const flow = started({ displayLanguage });
    assert.match(flow.updateNode(update("i1", { title: "X" })).pending_confirmation.displayMessage, text);
  }
});

test("the stricter of the two styles counts", () => {
  const visual = [
    ["i1", undefined, true],
    ["i1", "text", true],
    ["i1", "visual", true],
    ["p1", undefined, false],
    ["p1", "text", false],
    ["p1", "visual", true],
    ["s1", undefined, true],
    ["s1", "text", true],
    ["f1", undefined, false],
    ["n1", "visual", true],
    ["n1", "text", false],
  ];
  for (const [id, approvalStyle, wanted] of visual) {
    for (const door of ["updateNode", "callTool"]) {
      const flow = started();
      const args = update(id, { x: 1 }, approvalStyle && { approvalStyle });
      const answer = door === "callTool" ? flow.callTool("updateNode", args) : flow.updateNode(args);
      assert.equal("pending_confirmation" in answer, wanted, `${id} ${approvalStyle}`);
      assert.equal(flow.node("task-1", id).data.x, wanted ? undefined : 1);
    }
  }
});

test("the diff of a proposal", () => {
  const flow = started();
  const pend = (id, newData, rest) => {
    const answer = flow.updateNode(update(id, newData, { approvalStyle: "visual", ...rest }));
    const { diff, otherChanges } = answer.pending_confirmation;
    return [diff, otherChanges];
  };
  // A partial newData shows no deletions, and equal data in another order of keys no difference.
  assert.deepEqual(pend("i1", { title: "New" }), [{ title: { before: "Cache", after: "New" } }, {}]);
  assert.deepEqual(pend("i1", { meta: { b: [{ q: 2, p: 1 }], a: 1 } }), [{}, {}]);
  // A call cannot hide its changes by naming other or fewer fields.
  const change = { title: "T", secret: true };
  const shown = [{ title: { before: "Cache", after: "T" } }, { secret: { after: true } }];
  for (const diffFields of [undefined, [], ["secret"], ["nothing"], ["description"]]) {
    assert.deepEqual(pend("i1", change, { diffFields }), shown);
  }
  assert.deepEqual(pend("n1", { title: "M", b: 1 }, { diffFields: ["b"] }), [
    { b: { after: 1 } },
    { title: { before: "N", after: "M" } },
  ]);
  assert.deepEqual(pend("n1", { title: "M" }, { diffFields: [] }), [{ title: { before: "N", after: "M" } }, {}]);
});

test("the agent's calls never execute a pending proposal", () => {
  for (let seed = 1; seed <= 400; seed++) {
    const rng = random(seed);
    const flow = started();
    const node = rng.pick(["i1", "p1", "n1", "s1"]);
    const newData = { title: `T${seed}`, more: value(rng, 1) };
    const first = flow.callTool("updateNode", update(node, newData, { approvalStyle: "visual" }));
    const { parameters, proposalId } = first.pending_confirmation;
    const before = flow.snapshot("task-1");
    for (let turn = 0; turn < 6; turn++) {
      const style = rng.pick([{}, { approvalStyle: "text" }, { approvalStyle: "visual" }]);
      const fields = rng.pick([{}, { diffFields: ["other"] }, { diffFields: [] }]);
      const approved = rng.pick([{}, { isApprovedUpdate: true }, { isApprovedUpdate: false }]);
      const sent = rng.pick([
        parameters,
        { ...parameters, ...style, ...fields },
        { ...parameters, newData: { title: "sneaked in" }, ...style },
        { ...update(node, newData), ...style, ...fields, ...approved },
        { ...update(node, newData), ...style, ...approved, proposalId },
      ]);
      const answer = flow.callTool("updateNode", rng.chance(0.5) ? sent : JSON.stringify(sent));
      const message = `seed ${seed}: ${JSON.stringify(sent)}`;
      assert.ok(answer.pending_confirmation, message);
      assert.equal(answer.updated, undefined, message);
      assert.equal(flow.snapshot("task-1"), before, message);
      assert.equal(answer.error?.code, sent.isApprovedUpdate === true ? "NEEDS_APPROVAL" : undefined, message);
      if (sent.newData.title === newData.title)
        assert.equal(answer.pending_confirmation.proposalId, proposalId, message);
    }
    assert.ok(flow.proposals().every(({ status }) => status === "pending"));
    assert.equal(flow.approve(proposalId).updated, true);
    assert.deepEqual(flow.node("task-1", node).data.title, `T${seed}`);
    flow.dispose();
  }
  // The agent's flag `isApprovedUpdate` has no effect.
  const flow = started();
  assert.equal(flow.callTool("updateNode", update("p1", { title: "x" }, { isApprovedUpdate: true })).updated, true);
  assert.ok(flow.callTool("updateNode", update("i1", { title: "x" }, { isApprovedUpdate: true })).pending_confirmation);
});

test("a field of any name is approved and edited", () => {
  for (const field of ["", "constructor", "__proto__", "prototype", "a.b", 'x["y"]', "\0"]) {
    const object = (value, rest = {}) => Object.fromEntries([...Object.entries(rest), [field, value]]);
    for (const [options, expected] of [
      [{}, object("new", { title: "T" })],
      [{ edits: object("mine") }, object("mine", { title: "T" })],
      [{ fields: [field] }, object("new")],
      [{ fields: [field], edits: object("mine") }, object("mine")],
      [{ fields: ["title"], edits: object("mine") }, object("mine", { title: "T" })],
    ]) {
      const flow = started();
      const newData = JSON.stringify(object("new", { title: "T" }));
      const args = `{"taskId":"task-1","nodeId":"i1","newData":${newData}}`;
      const { pending_confirmation } = flow.callTool("updateNode", args);
      const { node, error } = flow.approve(pending_confirmation.proposalId, options);
      assert.equal(error, undefined, field);
      assert.deepEqual(
        Object.entries(node.data).filter(([key]) => key === field),
        Object.entries(expected).slice(-1),
      );
      assert.equal(node.data.title, expected.title ?? "Cache");
      assert.equal(Object.getPrototypeOf(node.data), Object.prototype);
    }
  }
});

test("partial approval, and approval with the user's own values", () => {
  const pend = (flow) =>
    flow.updateNode(update("i1", { title: "T", description: "D", owner: "O" })).pending_confirmation.proposalId;
  const old = taskFlow().nodes[1].data;
  const table = [
    [{}, { ...old, title: "T", description: "D", owner: "O" }, { title: "T", description: "D", owner: "O" }],
    [{ fields: ["title"] }, { ...old, title: "T" }, { title: "T" }],
    [{ fields: ["owner", "title"] }, { ...old, title: "T", owner: "O" }, { title: "T", owner: "O" }],
    [{ edits: { title: "Mine" } }, { ...old, title: "Mine", description: "D", owner: "O" }],
    [
      { fields: ["owner"], edits: { title: "Mine" } },
      { ...old, title: "Mine", owner: "O" },
      { owner: "O", title: "Mine" },
    ],
    [
      { fields: [], edits: { title: "Mine", "a.b": [1] } },
      { ...old, title: "Mine", "a.b": [1] },
    ],
  ];
  for (const [options, data, approved] of table) {
    const flow = started();
    const id = pend(flow);
    const answer = flow.approve(id, options);
    assert.deepEqual(answer.node?.data, data, JSON.stringify([options, answer]));
    const [record] = flow.proposals();
    assert.deepEqual(record.effective, data);
    if (approved) assert.deepEqual(record.approved, approved);
    assert.equal(flow.approve(id).error.code, "PROPOSAL_SETTLED");
  }
  const flow = started();
  const id = pend(flow);
  const before = flows(flow);
  assert.equal(flow.approve(id, { fields: ["nope"] }).error.code, "PATH_NOT_FOUND");
  assert.equal(flow.approve("nope").error.code, "UNKNOWN_PROPOSAL");
  for (const bad of [
    { fields: "title" },
    { fields: [] },
    { fields: [1] },
    { edits: [] },
    { paths: [] },
    { edits: { a: 1n } },
  ]) {
    assert.ok(
      throwsMisuse(() => flow.approve(id, bad)),
      Object.keys(bad).join(),
    );
  }
  assert.equal(flows(flow), before);
  // Parameters that the page has edited are the user's own values.
  const { parameters } = flow.updateNode(update("i1", { title: "T", description: "D" })).pending_confirmation;
  const made = flow.updateNode({ ...parameters, newData: { title: "Edited" } });
  assert.deepEqual(made.node.data, { ...old, title: "Edited" });
  const other = flow.updateNode(update("i1", { title: "U" })).pending_confirmation.parameters;
  assert.equal(flow.updateNode({ ...other, nodeId: "p1" }).error.code, "INVALID_ARGUMENT");
});

test("a no: the node is as it was, for good", () => {
  const flow = started();
  const before = flow.save();
  const { proposalId, parameters } = flow.updateNode(update("i1", { title: "T" })).pending_confirmation;
  const answer = flow.refuse(proposalId, "Not yet.");
  assert.equal(answer.refused, true);
  assert.equal(answer.proposal.reason, "Not yet.");
  assert.deepEqual(types(answer.effects), ["CLOSE_MODAL", "POST_MESSAGE", "REFETCH_TASK_FLOW"]);
  assert.equal(flow.save(), before);
  assert.equal(flow.approve(proposalId).error.code, "PROPOSAL_SETTLED");
  assert.equal(flow.updateNode(parameters).error.code, "PROPOSAL_SETTLED");
  assert.equal(flow.refuse(proposalId).error.code, "PROPOSAL_SETTLED");
  assert.equal(flow.refuse("nope").error.code, "UNKNOWN_PROPOSAL");
  assert.equal(flow.save(), before);
  // The page may approve without a proposal, as in the seed.
  assert.equal(flow.updateNode(update("i1", { title: "T" }, { isApprovedUpdate: true })).node.data.title, "T");
});

test("changes in the meantime: carried over, or stale with a fresh diff", () => {
  const flow = started();
  const id = flow.updateNode(update("i1", { title: "T", owner: "O" })).pending_confirmation.proposalId;
  flow.updateNode(update("p1", { title: "elsewhere" }));
  flow.updateNode(update("i1", { description: "other field" }, { isApprovedUpdate: true }));
  const moved = structuredClone(flow.snapshot("task-1"));
  moved.nodes.reverse();
  flow.load(moved);
  assert.equal(flow.proposals()[0].status, "pending");
  assert.equal(flow.proposals()[0].revision, flow.revision("task-1"));
  const late = flow.updateNode(update("i1", { title: "Late" })).pending_confirmation.proposalId;
  const gone = flow.updateNode(update("s1", { title: "Gone" })).pending_confirmation.proposalId;
  assert.equal(flow.approve(id).node.data.title, "T");
  assert.deepEqual(flow.node("task-1", "i1").data.description, "other field");
  const answer = flow.approve(late, { fields: ["title"] });
  assert.equal(answer.error.code, "STALE_PROPOSAL");
  assert.deepEqual(answer.diff, { title: { before: "T", after: "Late" } });
  assert.deepEqual(flow.proposals()[1].diff, answer.diff);
  assert.equal(flow.node("task-1", "i1").data.title, "T");
  const without = structuredClone(flow.snapshot("task-1"));
  without.nodes = without.nodes.filter(({ id }) => id !== "s1");
  flow.load(without);
  assert.equal(flow.approve(gone).error.code, "STALE_PROPOSAL");
});

test("what is wrong with a call is said, and nothing changes", () => {
  const flow = started();
  const before = flow.save();
  const table = [
    ["{", "INVALID_JSON"],
    ["[]", "INVALID_ARGUMENT"],
    [[], "INVALID_ARGUMENT"],
    [{}, "MISSING_VALUE", /taskId/],
    [{ taskId: "task-1" }, "MISSING_VALUE", /nodeId/],
    [update("p1"), "MISSING_VALUE", /newData.*absent/],
    [update("p1", null), "MISSING_VALUE", /newData/],
    [update("p1", [1]), "INVALID_ARGUMENT", /newData.*a list/],
    [update("p1", "x"), "INVALID_ARGUMENT", /newData.*a string/],
    [update("p1", {}, { approvalStyle: "loud" }), "INVALID_ARGUMENT", /"loud"/],
    [update("p1", {}, { approvalStyle: 1 }), "INVALID_ARGUMENT", /approvalStyle/],
    [update("p1", {}, { diffFields: "title" }), "INVALID_ARGUMENT", /diffFields/],
    [update("p1", {}, { isApprovedUpdate: "true" }), "INVALID_ARGUMENT", /isApprovedUpdate/],
    [update("p1", {}, { proposalId: 3 }), "INVALID_ARGUMENT", /proposalId/],
    [{ ...update("p1", {}), taskId: "nope" }, "INVALID_INSTANCE", /nope/],
    [update("nope", {}), "PATH_NOT_FOUND", /nope/],
    [{ ...update("p1", {}), newData_json: "{", newData: undefined }, "INVALID_ARGUMENT", /newData_json/],
    [update("p1", { deep: JSON.parse("[".repeat(200) + "]".repeat(200)) }), "LIMIT_EXCEEDED"],
  ];
  for (const [sent, code, text = /./] of table) {
    for (const door of [(args) => flow.updateNode(args), (args) => flow.callTool("updateNode", args)]) {
      const { error } = door(sent);
      assert.equal(error?.code, code, JSON.stringify(sent)?.slice(0, 200));
      assert.match(error.message, text);
      assert.ok(error.solution.length > 0);
      assert.equal(flow.save(), before);
    }
  }
  assert.match(flow.updateNode(update("nope", {})).error.solution, /"p1", "i1"/);
  assert.match(flow.updateNode({ ...update("p1", {}), taskId: "x" }).error.solution, /"task-1"/);
  assert.equal(flow.updateNode("{\n nope}").error.position.line, 2);
  assert.equal(flow.callTool("proposeUpdateNode", {}).error.code, "UNKNOWN_TOOL");
  assert.equal(flow.callTool("updateNode", update("p1", { n: 1n })).error.code, "INVALID_ARGUMENT");
  assert.throws(() => flow.updateNode(update("p1", { n: 1n })), thrown("INVALID_ARGUMENT"));
  assert.equal(flow.save(), before);
  // Arguments in the form of strict schemas.
  const strict = {
    ...update("p1"),
    newData: undefined,
    newData_json: '{"title":"J"}',
    approvalStyle: null,
    diffFields: null,
  };
  assert.equal(flow.callTool("updateNode", strict).node.data.title, "J");
});

test("flows that are none are refused", () => {
  const flow = new FlowStore();
  const table = [
    ["{", "INVALID_JSON"],
    ["[]", "INVALID_STRUCTURE"],
    [{}, "INVALID_STRUCTURE"],
    [{ id: "", nodes: [] }, "INVALID_STRUCTURE"],
    [{ id: "t" }, "INVALID_STRUCTURE"],
    [{ id: "t", nodes: [3] }, "INVALID_STRUCTURE"],
    [{ id: "t", nodes: [{}] }, "INVALID_STRUCTURE"],
    [{ id: "t", nodes: [{ id: "a", data: [] }] }, "INVALID_STRUCTURE"],
    [{ id: "t", nodes: [{ id: "a", type: 1 }] }, "INVALID_STRUCTURE"],
    [{ id: "t", nodes: [{ id: "a" }, { id: "a" }] }, "DUPLICATE_ID"],
    [{ id: "__CREATE__", nodes: [] }, "INVALID_INSTANCE"],
  ];
  for (const [sent, code] of table) assert.equal(flow.load(sent).error?.code, code, JSON.stringify(sent));
  assert.deepEqual(flow.taskIds(), []);
  assert.equal(flow.updateNode(update("p1", {})).error.code, "INVALID_INSTANCE");
  const bad = [
    { nodeTypes: [] },
    { nodeTypes: { a: null } },
    { nodeTypes: { a: { actions: { update: { approvalStyle: "loud" } } } } },
    { nodeTypes: { a: { actions: { update: { needsApproval: "yes" } } } } },
    { nodeTypes: { a: { ui: { diffFields: "title" } } } },
    { displayLanguage: 3 },
    { nodeType: {} },
    { limits: { maxNope: 1 } },
  ];
  // A missing action may be written as null.
  new FlowStore({ nodeTypes: { a: { actions: { update: null } } } }).dispose();
  for (const options of bad)
    assert.ok(
      throwsMisuse(() => new FlowStore(options)),
      JSON.stringify(options),
    );
});

test("a number that no document holds is refused, whoever sends it", () => {
  const flow = new FlowStore();
  flow.load({ id: "t", nodes: [{ id: "n", data: { a: 1 } }] });
  const texts = [
    '{"taskId": "t", "nodeId": "n", "newData": {"a": [1e999]}}',
    '{"taskId": "t", "nodeId": "n", "newData_json": "{\\"a\\": -1e999}"}',
  ];
  for (const text of texts) {
    assert.equal(flow.callTool("updateNode", text).error.code, "INVALID_ARGUMENT", text);
    assert.equal(flow.updateNode(text).error.code, "INVALID_ARGUMENT", text);
  }
  assert.equal(flow.load('{"id": "t", "nodes": [{"id": "n", "data": {"a": 1e999}}]}').error.code, "INVALID_ARGUMENT");
  assert.deepEqual(flow.node("t", "n").data, { a: 1 });
});

test("odd names: of nodes, fields and types", () => {
  const ids = ["__proto__", "a.b", 'q"', "0", "1", "constructor", "😀", "a\u0001b", " "];
  const flow = new FlowStore({
    nodeTypes: JSON.parse('{"__proto__":{"actions":{"update":{"approvalStyle":"visual"}}}}'),
  });
  flow.load({ id: "t", nodes: ids.map((id) => ({ id, data: { id } })) });
  const newData = JSON.parse('{"__proto__":{"x":1},"":2,"a.b":3,"error":4}');
  for (const id of ids) {
    const { pending_confirmation: pending } = flow.callTool("updateNode", {
      taskId: "t",
      nodeId: id,
      newData,
      approvalStyle: "visual",
    });
    assert.deepEqual(Object.keys(pending.diff), ["__proto__", "", "a.b", "error"]);
    assert.deepEqual(flow.approve(pending.proposalId, { fields: ["", "__proto__"] }).node?.data, {
      id,
      ...JSON.parse('{"__proto__":{"x":1},"":2}'),
    });
  }
  assert.equal(Object.prototype.x, undefined);
  const typed = [
    { id: "a", type: "toString", error: "a key of the page's own", data: {} },
    { id: "b", type: "__proto__", data: {} },
  ];
  flow.load({ id: "u", nodes: typed });
  assert.equal(flow.updateNode({ taskId: "u", nodeId: "a", newData: { x: 1 } }).updated, true);
  assert.ok(flow.updateNode({ taskId: "u", nodeId: "b", newData: { x: 1 } }).pending_confirmation);
});

test("listeners receive updates and proposals", () => {
  const flow = started();
  const events = [];
  const end = flow.subscribe(({ type, taskId, nodeIds, proposalId }) =>
    events.push([type, taskId, nodeIds, proposalId]),
  );
  flow.updateNode(update("p1", { title: "x" }));
  const id = flow.updateNode(update("i1", { title: "x" })).pending_confirmation.proposalId;
  flow.approve(id);
  flow.load(taskFlow());
  end();
  flow.updateNode(update("p1", { title: "z" }));
  assert.deepEqual(events, [
    ["update", "task-1", ["p1"], undefined],
    ["proposal", "task-1", ["i1"], id],
    ["update", "task-1", ["i1"], undefined],
    ["proposal", "task-1", ["i1"], id],
    ["load", "task-1", [], undefined],
  ]);
});

test("save and restore keep flows and pending proposals", () => {
  const flow = started();
  const first = flow.updateNode(update("i1", { title: "T", owner: "O" })).pending_confirmation.proposalId;
  flow.updateNode(update("i1", { title: "U" })).pending_confirmation;
  const saved = flow.save();
  const restored = FlowStore.restore(saved, { nodeTypes });
  assert.equal(restored.save(), saved);
  assert.deepEqual(restored.proposals(), flow.proposals());
  assert.deepEqual(restored.snapshot("task-1"), flow.snapshot("task-1"));
  assert.equal(restored.approve(first, { fields: ["owner"] }).node.data.owner, "O");
  for (const damaged of ["", "{}", "[]", "null", saved.slice(1), saved.replace('"nodes":[{', '"nodes":[3,{')]) {
    assert.throws(() => FlowStore.restore(damaged), /GenuiPatchError/);
  }
  assert.throws(() => FlowStore.restore(3), thrown("INVALID_ARGUMENT"));
});

test("restore refuses a flow whose types do not declare approval, unless an option allows it", () => {
  const flow = new FlowStore({ nodeTypes: { idea: { actions: { update: { approvalStyle: "visual" } } } } });
  flow.load({
    id: "t",
    nodes: [
      { id: "n", type: "idea", data: { title: "Old" } },
      { id: "m", data: {} },
    ],
  });
  const saved = flow.save();
  for (const options of [
    undefined,
    {},
    { nodeTypes: {} },
    { nodeTypes: { toString: {} } },
    { allowUnknownTypes: false },
  ]) {
    assert.throws(() => FlowStore.restore(saved, options), thrown("INVALID_ARGUMENT"));
  }
  assert.throws(() => FlowStore.restore(saved, { allowUnknownTypes: 1 }), thrown("INVALID_ARGUMENT"));
  assert.throws(() => FlowStore.restore(saved, null), thrown("INVALID_ARGUMENT"));
  const call = { taskId: "t", nodeId: "n", newData: { title: "New" } };
  const known = FlowStore.restore(saved, { nodeTypes: { idea: { actions: { update: { needsApproval: true } } } } });
  assert.ok("pending_confirmation" in known.callTool("updateNode", call));
  assert.equal(FlowStore.restore(saved, { allowUnknownTypes: true }).callTool("updateNode", call).updated, true);
});

test("limits, and disposal", () => {
  const flow = started({ limits: { maxProposals: 1 } });
  const first = flow.updateNode(update("i1", { title: "T" })).pending_confirmation.proposalId;
  assert.equal(flow.updateNode(update("s1", { title: "T" })).error.code, "LIMIT_EXCEEDED");
  flow.refuse(first);
  assert.ok(flow.updateNode(update("s1", { title: "T" })).pending_confirmation);
  assert.equal(flow.proposals().length, 1);
  flow.dispose();
  flow.dispose();
  assert.throws(() => flow.updateNode(update("p1", { a: 1 })), thrown("DISPOSED"));
  assert.throws(() => flow.callTool("updateNode", update("p1", { a: 1 })), thrown("DISPOSED"));
});

test("a proposal that had to make room is not known any more", () => {
  const flow = started({ limits: { maxProposals: 1 } });
  const { parameters, proposalId } = flow.updateNode(update("i1", { title: "T" })).pending_confirmation;
  assert.equal(flow.updateNode(parameters).updated, true);
  assert.ok(flow.updateNode(update("s1", { title: "T" })).pending_confirmation);
  assert.equal(flow.updateNode(parameters).error.code, "UNKNOWN_PROPOSAL");
  assert.equal(flow.approve(proposalId).error.code, "UNKNOWN_PROPOSAL");
  assert.equal(flow.refuse(proposalId).error.code, "UNKNOWN_PROPOSAL");
});

test("the definition of the tool, and the states in the AI SDK's words", () => {
  for (const format of ["mcp", "openai", "anthropic", "gemini"]) {
    const [tool] = toolDefinitions("node", format);
    assert.equal(tool.name ?? tool.function.name, "updateNode");
    assert.doesNotMatch(JSON.stringify(tool), /isApprovedUpdate/);
  }
  const flow = started();
  const id = flow.updateNode(update("i1", { title: "T" })).pending_confirmation.proposalId;
  const state = () => approvalState(flow.proposals()[0]);
  assert.equal(state(), "approval-requested");
  flow.approve(id);
  assert.equal(state(), "output-available");
  const table = [
    [{ kind: "file", status: "approved" }, "approval-responded"],
    [{ kind: "file", status: "approved", effective: {} }, "output-available"],
    [{ kind: "patch", status: "refused" }, "output-denied"],
    [{ kind: "node", status: "stale" }, "output-error"],
    [{ tool: "write_file", status: "detected" }, "input-available"],
    [{ tool: "write_file", status: "executing" }, "approval-responded"],
    [{ tool: "write_file", status: "completed" }, "output-available"],
    [{ call: {}, status: "failed" }, "output-error"],
    [{ type: "text", text: "" }, undefined],
    [{ type: "json-tool-status" }, "input-streaming"],
    [{ type: "json-tool-delta" }, "input-streaming"],
    [{ type: "json-tool-block", call: {} }, "input-available"],
    [{ type: "json-tool-block", calls: [{}, {}] }, "input-available"],
    [{ type: "json-tool-block" }, "output-error"],
  ];
  for (const [item, expected] of table) assert.equal(approvalState(item), expected, JSON.stringify(item));
});
