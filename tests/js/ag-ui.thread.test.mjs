// A thread of AG-UI 1.0: state, activities, messages, outcomes, and interrupts that become proposals and answers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpAgent } from "@ag-ui/client";
import { agentTools, NativeCallStream, PatchStore } from "genui-patch";
import { AgUiThread, interruptsOf, settleInterrupts } from "genui-patch/ag-ui";
import { digestOf, verifyApproval } from "genui-patch/server";
import { signApproval } from "../../dist/server/approval.js";
import { sse } from "../support/ag-ui.mjs";

const calling = (tools) => () => new NativeCallStream({ format: "ag-ui", tools });
const named = (...names) => calling(names.map((name) => ({ name, fields: {} })));

const start = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finish = (outcome) => ({ type: "RUN_FINISHED", threadId: "t", runId: "r", ...(outcome && { outcome }) });
const success = { type: "success" };
const calls = (...all) =>
  all.flatMap(([toolCallId, toolCallName, args]) => [
    { type: "TOOL_CALL_START", toolCallId, toolCallName },
    { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) },
    { type: "TOOL_CALL_END", toolCallId },
  ]);

function thread(options) {
  const store = new PatchStore({ rules: "open" });
  const warnings = [];
  const made = new AgUiThread({
    calls: named(),
    store,
    instance: "s",
    onWarning: ({ message }) => warnings.push(message),
    ...options,
  });
  const read = (...events) => [start, ...events, finish(success)].flatMap((event) => made.push(event));
  return { store, warnings, thread: made, read };
}

const activity = (content, more) => ({
  type: "ACTIVITY_SNAPSHOT",
  messageId: "a",
  activityType: "x",
  content,
  ...more,
});
const patch = (...operations) => ({ type: "ACTIVITY_DELTA", messageId: "a", activityType: "x", patch: operations });

test("activities are documents: a snapshot replaces, replace: false keeps, a delta changes and may retype", () => {
  const { store, read, warnings } = thread();
  read(activity({ found: 0, list: [] }));
  assert.deepEqual(store.snapshot("a"), { activityType: "x", content: { found: 0, list: [] } });
  read(
    patch({ op: "replace", path: "/found", value: 3 }, { op: "add", path: "/list/-", value: "q" }),
    patch({ op: "copy", from: "/list/0", path: "/first" }),
  );
  assert.deepEqual(store.snapshot("a").content, { found: 3, list: ["q"], first: "q" });
  read({ ...patch({ op: "remove", path: "/first" }), activityType: "y" }, activity({ none: 1 }, { replace: false }));
  assert.deepEqual(store.snapshot("a"), { activityType: "y", content: { found: 3, list: ["q"] } });
  read(activity({ other: 1 }, { activityType: "z" }));
  assert.deepEqual(store.snapshot("a"), { activityType: "z", content: { other: 1 } });
  read(activity({ first: 1 }, { messageId: "b", replace: false }));
  assert.deepEqual(store.snapshot("b").content, { first: 1 });
  assert.deepEqual(warnings, []);
});

test("a delta of an activity that does not apply changes nothing, nor does one without its activity", () => {
  const { store, read, warnings } = thread();
  read(patch({ op: "add", path: "/n", value: 1 }));
  assert.equal(store.snapshot("a"), undefined);
  read(activity({ n: 1 }));
  const before = store.snapshot("a");
  read(
    patch({ op: "replace", path: "/n", value: 2 }, { op: "remove", path: "/no/where" }),
    { ...patch(7), activityType: "y" },
    { ...patch(), patch: 7 },
    patch({ op: "test", path: "/n", value: 9 }),
  );
  assert.equal(store.snapshot("a"), before);
  assert.equal(warnings.length, 5);
  read(patch({ op: "increment", path: "/n" }, { op: "replace", path: "/n", value: 2 }));
  assert.deepEqual(store.snapshot("a").content, { n: 2 });
  assert.match(warnings.at(-1), /increment/);
});

test("an activity never takes the place of a page", () => {
  const { store, read, warnings } = thread();
  read(
    { type: "STATE_SNAPSHOT", snapshot: { n: 1 } },
    activity({}, { messageId: "s" }),
    activity({}, { messageId: 7 }),
  );
  assert.deepEqual(store.snapshot("s"), { n: 1 });
  read({ ...patch({ op: "add", path: "/n", value: 2 }), messageId: "s" });
  assert.deepEqual(store.snapshot("s"), { n: 1 });
  assert.equal(warnings.length, 3);
});

test("state belongs to the run, and what does not apply is told", () => {
  const { store, read, warnings } = thread();
  read(
    { type: "STATE_SNAPSHOT", snapshot: { n: 1 }, subagentRunId: "x" },
    {
      type: "STATE_DELTA",
      delta: [
        { op: "increment", path: "/n" },
        { op: "add", path: "/m", value: 2 },
      ],
    },
    {
      type: "STATE_DELTA",
      delta: [
        { op: "add", path: "/m", value: 3 },
        { op: "remove", path: "/z" },
      ],
    },
  );
  assert.deepEqual(store.snapshot("s"), { n: 1, m: 2 });
  assert.equal(warnings.length, 2);
});

test("messages are passed on, and the activities among them are documents", () => {
  const seen = [];
  const { store, read } = thread({ onMessages: (messages) => seen.push(messages) });
  const messages = [
    { id: "1", role: "user", content: "Go." },
    { id: "act", role: "activity", activityType: "x", content: { n: 1 } },
  ];
  read({ type: "MESSAGES_SNAPSHOT", messages }, { type: "MESSAGES_SNAPSHOT", messages: 7 });
  assert.deepEqual(seen, [messages]);
  assert.deepEqual(store.snapshot("act"), { activityType: "x", content: { n: 1 } });
});

test("the outcome of a run: success with the calls that are left, cancelled, error, unknown and malformed ones", () => {
  const { thread: own, warnings } = thread({
    calls: named("go"),
  });
  const end = (outcome, ...events) => {
    for (const event of [start, ...events]) own.push(event);
    assert.equal(own.outcome, undefined);
    own.push(outcome?.type === "RUN_ERROR" ? outcome : finish(outcome));
    return own.outcome;
  };
  const two = calls(["1", "go", {}], ["2", "go", {}]);
  const result = { type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "1", content: "" };
  assert.deepEqual(end(undefined, ...two, result), { type: "success", pendingToolCallIds: ["2"] });
  assert.deepEqual(end(success, ...two), { type: "success", pendingToolCallIds: ["1", "2"] });
  assert.deepEqual(end({ ...success, pendingToolCallIds: ["2"] }, ...two), {
    type: "success",
    pendingToolCallIds: ["2"],
  });
  assert.deepEqual(end(success), { type: "success", pendingToolCallIds: [] });
  assert.deepEqual(end({ type: "cancelled" }, ...two), { type: "cancelled" });
  assert.deepEqual(end({ type: "RUN_ERROR", message: "No." }, ...two), { type: "error", message: "No." });
  assert.equal(warnings.length, 0);
  assert.equal(end({ type: "paused" }, ...two).type, "success");
  assert.match(warnings.pop(), /"paused"/);
  for (const outcome of [[], 7, { type: 7 }, "success"]) assert.equal(end(outcome).type, "error");
  assert.equal(warnings.length, 4);
  // A failure after the end of the run.
  end(success);
  own.push({ type: "RUN_ERROR", message: "Late." });
  assert.deepEqual(own.outcome, { type: "error", message: "Late." });
});

test("the calls that a run leaves to the page are executed, those of the server are not", async () => {
  const store = new PatchStore();
  const agent = agentTools({ store });
  const own = new AgUiThread({ calls: calling(agent.blocks), store, agent, instance: "page" });
  const create = { instance_name: "__CREATE__", new_instance_name: "page", patches: [] };
  const all = calls(["s", "search", {}], ["1", "patch_ui_state", create], ["2", "list_instances", {}]);
  const result = { type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "s", content: "" };
  for (const event of [start, ...all, result, finish()]) own.push(event);
  const results = await own.execute();
  assert.deepEqual(
    results.map(({ id, status }) => [id, status]),
    [
      ["1", "success"],
      ["2", "success"],
    ],
  );
  for (const event of [start, ...calls(["3", "list_instances", {}]), finish({ type: "cancelled" })]) own.push(event);
  assert.deepEqual(await own.execute(), []);
});

const interrupt = (id, more) => ({ id, reason: "tool_call", toolCallId: "c", ...more });

test("interrupts are proposals, all of which need an answer", () => {
  const { thread: own } = thread({ calls: named("pay") });
  let notified = 0;
  const stop = own.subscribe(() => {
    notified += 1;
  });
  assert.equal(own.resume(), undefined);
  const interrupts = [
    interrupt("i1", { message: "Pay?" }),
    interrupt("i2", { toolCallId: "d" }),
    { id: "i3", reason: "confirmation" },
    { id: "i4", reason: "input_required", responseSchema: { type: "object", properties: { city: {} } } },
    { id: "i5", reason: "mine:thing" },
  ];
  const sent = calls(["c", "pay", { sum: 3 }], ["d", "pay", { sum: 4 }]);
  for (const event of [start, ...sent, finish({ type: "interrupt", interrupts })]) own.push(event);
  assert.equal(notified, 5);
  assert.deepEqual(own.outcome, { type: "interrupt", interrupts, pendingToolCallIds: [] });
  const listed = own.proposals();
  assert.equal(own.proposals(), listed);
  assert.deepEqual(
    listed.map(({ kind, status, target, proposed }) => [kind, status, target, proposed.args]),
    [
      ["call", "pending", "pay", { sum: 3 }],
      ["call", "pending", "pay", { sum: 4 }],
      ["call", "pending", "confirmation", {}],
      ["call", "pending", "input_required", {}],
      ["call", "pending", "mine:thing", {}],
    ],
  );
  assert.throws(() => own.approve("i4"), { code: "MISSING_VALUE" });
  assert.throws(() => own.approve("x"), { code: "UNKNOWN_PROPOSAL" });
  assert.throws(() => own.approve("i1", { args: 7, other: 1 }), { code: "INVALID_ARGUMENT" });
  own.approve("i1", { args: { sum: 2 } });
  own.refuse("i2", "Too much.");
  own.approve("i3");
  assert.throws(() => own.resume(), { code: "NEEDS_APPROVAL", message: /"i4", "i5"/ });
  assert.throws(() => own.approve("i1"), { code: "PROPOSAL_SETTLED" });
  own.approve("i4", { payload: { city: "Rome" } });
  own.refuse("i5");
  assert.deepEqual(own.resume(), [
    { interruptId: "i1", status: "resolved", payload: { approved: true, editedArgs: { sum: 2 } } },
    { interruptId: "i2", status: "resolved", payload: { approved: false, reason: "Too much." } },
    { interruptId: "i3", status: "resolved", payload: true },
    { interruptId: "i4", status: "resolved", payload: { city: "Rome" } },
    { interruptId: "i5", status: "resolved", payload: false },
  ]);
  assert.deepEqual(own.proposals()[0].approved, { tool: "pay", args: { sum: 2 } });
  own.push(start);
  assert.deepEqual([own.proposals(), own.resume()], [[], undefined]);
  stop();
});

test("an interrupt that has expired can only be given up; malformed ones and second ones of an id are left out", () => {
  const { thread: own, warnings } = thread();
  const interrupts = [
    interrupt("i1", { expiresAt: "2001-01-01T00:00:00Z" }),
    interrupt("i2", { expiresAt: "2999-01-01T00:00:00Z" }),
    interrupt("i2"),
    { id: 7, reason: "x" },
    { id: "i3" },
    null,
  ];
  for (const event of [start, finish({ type: "interrupt", interrupts })]) own.push(event);
  assert.equal(warnings.length, 4);
  assert.deepEqual(
    own.outcome.interrupts.map(({ id }) => id),
    ["i1", "i2"],
  );
  assert.throws(() => own.approve("i1"), { code: "STALE_PROPOSAL" });
  own.refuse("i1");
  own.approve("i2");
  assert.deepEqual(
    own.resume().map(({ status }) => status),
    ["cancelled", "resolved"],
  );
});

/** A server with an agent of its own, whose runs end with interrupts, and the page behind `@ag-ui/client`. */
function conversation(options = {}) {
  const store = new PatchStore();
  store.load("page", { state: { params: { city: "Paris" }, runtime: {} } });
  const paid = [];
  const schema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
  const tools = { pay: { description: "Pays.", schema, execute: ({ sum }) => paid.push(sum) } };
  const agent = agentTools({ store, tools, approve: "always" });
  const inputs = [];
  const settled = [];
  const rounds = [...(options.rounds ?? [])];
  const fetch = async (_, { body }) => {
    const { threadId, runId, ...input } = JSON.parse(body);
    inputs.push(input);
    if (input.resume)
      settled.push(await settleInterrupts(input.resume, { sources: [agent, store], verify: options.verify }));
    const round = rounds.shift() ?? [];
    const results = await Promise.all(round.map(([id, name, args]) => agent.execute({ id, name, arguments: args })));
    const interrupts = interruptsOf(results, agent);
    const outcome = interrupts.length > 0 ? { type: "interrupt", interrupts } : success;
    const events = [{ ...start, threadId, runId }, ...calls(...round), { ...finish(outcome), threadId, runId }];
    return sse(events);
  };
  const backend = new HttpAgent({ url: "https://example.com/agent", fetch });
  const page = new AgUiThread({ calls: named("pay") });
  const run = () => {
    const resume = page.resume();
    return backend.runAgent(resume ? { resume } : {}, { onEvent: ({ event }) => void page.push(event) });
  };
  return { store, agent, paid, inputs, settled, page, run, backend };
}

const patchCall = (city) => ({
  instance_name: "page",
  patches: [{ op: "set", path: "state.params.city", value: city }],
});

test("proposals of an agent, through @ag-ui/client, to the user and back: parallel ones, edits, refusals", async () => {
  const round = [
    ["1", "patch_ui_state", patchCall("Rome")],
    ["2", "pay", { sum: 3 }],
    ["3", "pay", { sum: 4 }],
  ];
  const { store, agent, paid, page, run, settled, inputs, backend } = conversation({ rounds: [round] });
  await run();
  assert.equal(backend.pendingInterrupts.length, 3);
  const [patch, first, second] = page.proposals();
  assert.deepEqual(
    [patch.interrupt.toolCallId, patch.interrupt.reason, patch.target, patch.proposed.args],
    ["1", "tool_call", "patch_ui_state", patchCall("Rome")],
  );
  const { metadata, responseSchema } = patch.interrupt;
  assert.deepEqual(metadata["genui-patch"].diff, [
    { kind: "set", path: ["state", "params", "city"], value: "Rome", before: "Paris" },
  ]);
  assert.equal(responseSchema.properties.editedArgs.properties.patches.type, "array");
  assert.equal(store.get("page", "state.params.city"), "Paris");
  page.approve(patch.id, { args: patchCall("Oslo") });
  page.approve(first.id, { args: { sum: 2 } });
  page.refuse(second.id, "Too much.");
  await run();
  assert.deepEqual(
    inputs[1].resume.map(({ status }) => status),
    ["resolved", "resolved", "resolved"],
  );
  assert.equal(store.get("page", "state.params.city"), "Oslo");
  assert.deepEqual(paid, [2]);
  assert.deepEqual(
    settled[0].map(({ status }) => status),
    ["approved", "approved", "refused"],
  );
  assert.deepEqual(
    agent.proposals().map(({ status }) => status),
    ["approved", "refused"],
  );
  assert.match(agent.decisions(), /own arguments.*\{"tool":"pay","args":\{"sum":2\}\}/);
  assert.deepEqual([page.outcome.type, page.proposals()], ["success", []]);
});

test("answers that cannot be applied leave the proposal open; unknown ones do nothing", async () => {
  const { store, agent, paid } = conversation();
  const result = await agent.execute({ id: "1", name: "pay", arguments: { sum: 3 } });
  const change = await agent.execute({ id: "2", name: "patch_ui_state", arguments: patchCall("Rome") });
  const settle = (interruptId, payload, status = "resolved") =>
    settleInterrupts([{ interruptId, status, payload }], { sources: [agent, store] });
  const { id } = result.proposal;
  const statusOf = async (...answer) => (await settle(...answer))[0].status;
  assert.equal(await statusOf("x", { approved: true }), "unknown");
  assert.equal(await statusOf(id, { approved: true, editedArgs: { sum: "a" } }), "error");
  assert.equal(await statusOf(change.proposal.id, { approved: true, editedArgs: { instance_name: "none" } }), "error");
  assert.deepEqual([paid, agent.proposals()[0].status, store.proposals()[0].status], [[], "pending", "pending"]);
  assert.equal(await statusOf(id, { approved: true }), "approved");
  assert.equal(await statusOf(id, { approved: true }), "unknown");
  assert.equal(await statusOf(change.proposal.id, undefined, "cancelled"), "refused");
  assert.deepEqual([paid, store.get("page", "state.params.city")], [[3], "Paris"]);
  // Nothing but `true` approves.
  for (const payload of [undefined, {}, { approved: "true" }, 1, "yes", { approved: 1 }]) {
    const { proposal } = await agent.execute({ name: "pay", arguments: { sum: 9 } });
    assert.equal(await statusOf(proposal.id, payload), "refused");
  }
  assert.deepEqual(paid, [3]);
});

test("a change with the user's own arguments that its source refuses leaves the proposal of the agent open", async () => {
  const { store, agent } = conversation();
  const { proposal } = await agent.execute({ id: "1", name: "patch_ui_state", arguments: patchCall("Rome") });
  const source = {
    proposals: () => store.proposals(),
    propose: (call) => store.propose(call),
    refuse: (id, reason) => store.refuse(id, reason),
    approve: () => ({ status: "error", error: { message: "The document is full." } }),
  };
  const payload = { approved: true, editedArgs: patchCall("Oslo") };
  const resume = [{ interruptId: proposal.id, status: "resolved", payload }];
  const [{ status, message }] = await settleInterrupts(resume, { sources: [source] });
  assert.deepEqual([status, message], ["error", "The document is full."]);
  const statuses = Object.fromEntries(store.proposals().map(({ id, status }) => [id, status]));
  assert.equal(statuses[proposal.id], "pending");
  // The proposal of the user's arguments does not stay beside it.
  assert.deepEqual(Object.values(statuses).sort(), ["pending", "refused"]);
});

test("files and nodes are approved with the user's own content", async () => {
  const files = (await import("genui-patch")).Workspace.memory();
  const agent = agentTools({ files, approve: "always" });
  const write = await agent.execute({ name: "write_file", arguments: { path: "a.txt", content: "a" } });
  const [{ metadata }] = interruptsOf([write], agent);
  assert.equal(metadata["genui-patch"].kind, "file");
  const resume = [
    {
      interruptId: write.proposal.id,
      status: "resolved",
      payload: { approved: true, editedArgs: { path: "a.txt", content: "b" } },
    },
  ];
  assert.deepEqual(
    (await settleInterrupts(resume, { sources: [files] })).map(({ status }) => status),
    ["approved"],
  );
  assert.deepEqual(await files.snapshot(), { "a.txt": "b" });
});

test("signed approvals are carried: an answer without one, or for another call, approves nothing", async () => {
  const key = "k".repeat(32);
  const call = patchCall("Rome");
  const verify = (approval) => verifyApproval(approval, { keys: [key], call, revision: 7 });
  const { store, page, run, settled } = conversation({
    rounds: [["a"], ["b"], ["c"]].map(([id]) => [[id, "patch_ui_state", call]]),
    verify,
  });
  const unsigned = {
    digest: digestOf(call, 7),
    decision: "approved",
    edits: null,
    user: { id: "u" },
    time: "2026-01-01T00:00:00Z",
  };
  const answers = [
    () => ({}),
    async ({ id }) => ({ approval: await signApproval({ ...unsigned, proposal: id, digest: digestOf(call, 8) }, key) }),
    async ({ id }) => ({ approval: await signApproval({ ...unsigned, proposal: id }, key) }),
  ];
  await run();
  for (const answer of answers) {
    const [proposal] = page.proposals();
    page.approve(proposal.id, await answer(proposal));
    await run();
  }
  assert.deepEqual(
    settled.map(([{ status }]) => status),
    ["error", "error", "approved"],
  );
  assert.equal(store.get("page", "state.params.city"), "Rome");
});

test("misuse of a thread has a code", () => {
  assert.throws(() => new AgUiThread({ calls: named(), stores: 1 }), { code: "INVALID_ARGUMENT" });
  assert.throws(() => new AgUiThread({ calls: named(), onWarning: 1 }), { code: "INVALID_ARGUMENT" });
  for (const options of [undefined, {}, { calls: 7 }])
    assert.throws(() => new AgUiThread(options), { code: "INVALID_ARGUMENT" });
  const own = new AgUiThread({ calls: named() });
  for (const event of [
    [],
    {},
    { type: 7 },
    { type: "toString" },
    { type: "__proto__" },
    { type: "RUN_FINISHED", outcome: null },
  ])
    assert.deepEqual(own.push(event), []);
});
