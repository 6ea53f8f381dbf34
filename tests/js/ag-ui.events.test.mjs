// AG-UI 1.1 event by event: what each of the 31 events does to the calls, the store and the outcome, what is told of values that are
// malformed, and the rules of the specification's text beyond the order of events.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventType } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import { agentTools, NativeCallStream, PatchStore } from "genui-patch";
import { AgUiThread } from "genui-patch/ag-ui";
import { readByClient } from "../support/ag-ui.mjs";

const start = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finish = (outcome) => ({ type: "RUN_FINISHED", threadId: "t", runId: "r", ...(outcome && { outcome }) });
const message = (part, more) => ({ type: `TEXT_MESSAGE_${part}`, messageId: "m", ...more });
const call = (part, more) => ({ type: `TOOL_CALL_${part}`, toolCallId: "c", ...more });
const called = call("START", { toolCallName: "show" });
const args = (delta) => call("ARGS", { delta });
const think = (part, more) => ({ type: `REASONING_${part}`, messageId: "q", ...more });
const step = (part) => ({ type: `STEP_${part}`, stepName: "x" });
const subagent = (part, more) => ({ type: `SUBAGENT_${part}`, subagentRunId: "s", ...more });
const announced = subagent("STARTED", { name: "s" });
const activity = (content, more) => ({
  type: "ACTIVITY_SNAPSHOT",
  messageId: "a",
  activityType: "x",
  content,
  ...more,
});
const change = (...patch) => ({ type: "ACTIVITY_DELTA", messageId: "a", activityType: "x", patch });
const state = (snapshot) => ({ type: "STATE_SNAPSHOT", snapshot });
const delta = (...operations) => ({ type: "STATE_DELTA", delta: operations });
const list = (...messages) => ({ type: "MESSAGES_SNAPSHOT", messages });
const result = { type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "c", content: "ok" };

/** All that a thread has read: finished calls, documents, messages, outcome, proposals and what it has told. */
function read(events) {
  const store = new PatchStore({ rules: "open" });
  const problems = [];
  const shown = [];
  const thread = new AgUiThread({
    calls: () => new NativeCallStream({ format: "ag-ui", tools: [{ name: "show", fields: {} }], repair: false }),
    store,
    instance: "state",
    onMessages: (messages) => shown.push(messages),
    onWarning: ({ message: text }) => problems.push(text),
  });
  const calls = [];
  const starts = [];
  for (const event of events)
    for (const found of thread.push(event)) {
      if (found.type === "json-tool-block")
        calls.push([found.toolId, found.status === "complete" ? found.content : found.status]);
      else if (found.type === "json-tool-status") starts.push(found.toolId);
    }
  return {
    calls,
    starts,
    documents: Object.fromEntries(store.names().map((name) => [name, store.snapshot(name)])),
    shown,
    outcome: thread.outcome,
    proposals: thread.proposals().map(({ id }) => id),
    problems,
    thread,
  };
}

const NOTHING = {};
const INTERRUPT = { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation" }] };

/**
 * Each event: what must come before it, the event, and what it changes: finished `calls`, calls whose arguments have begun (`starts`),
 * `documents`, messages that are passed on (`shown`), the `outcome`, `proposals`. An event that is not ours changes `NOTHING`.
 */
const EVENTS = [
  [[], message("START", { role: "assistant", name: "n" }), NOTHING],
  [[message("START")], message("CONTENT", { delta: "x" }), NOTHING],
  [[message("START")], message("END"), NOTHING],
  [[], message("CHUNK", { role: "user", name: "n", delta: "x" }), NOTHING],
  [[], call("START", { toolCallName: "show", parentMessageId: "m" }), NOTHING],
  [[called], args("{}"), { starts: ["c"] }],
  [[called, args("{}")], call("END"), { calls: [["c", "{}"]] }],
  [[], call("CHUNK", { toolCallName: "show", parentMessageId: "m", delta: "{}" }), { starts: ["c"] }],
  [[called, args("{}"), call("END")], { ...result, role: "tool" }, NOTHING],
  [[], state({ n: 1 }), { documents: { state: { n: 1 } } }],
  [[state({ n: 1 })], delta({ op: "replace", path: "/n", value: 2 }), { documents: { state: { n: 2 } } }],
  [[], list({ id: "u", role: "user", content: "Go." }), { shown: [[{ id: "u", role: "user", content: "Go." }]] }],
  [[], activity({ n: 1 }, { replace: true }), { documents: { a: { activityType: "x", content: { n: 1 } } } }],
  [
    [activity({ n: 1 })],
    change({ op: "remove", path: "/n" }),
    { documents: { a: { activityType: "x", content: {} } } },
  ],
  [
    [],
    { type: "RAW", event: { type: "TOOL_CALL_START", toolCallId: "z", toolCallName: "show" }, source: "x" },
    NOTHING,
  ],
  [[], { type: "CUSTOM", name: "x", value: 1 }, NOTHING],
  [[finish(INTERRUPT)], { ...start, protocolVersion: "1.1", parentRunId: "p" }, { outcome: undefined, proposals: [] }],
  [
    [],
    { ...finish({ type: "success" }), result: 1, usage: [] },
    { outcome: { type: "success", pendingToolCallIds: [] } },
  ],
  [[], { type: "RUN_ERROR", message: "No.", code: "c", usage: [] }, { outcome: { type: "error", message: "No." } }],
  [[], step("STARTED"), NOTHING],
  [[step("STARTED")], step("FINISHED"), NOTHING],
  [[], think("START"), NOTHING],
  [[], think("MESSAGE_START", { role: "reasoning" }), NOTHING],
  [[think("MESSAGE_START", { role: "reasoning" })], think("MESSAGE_CONTENT", { delta: "x" }), NOTHING],
  [[think("MESSAGE_START", { role: "reasoning" })], think("MESSAGE_END"), NOTHING],
  [[], think("MESSAGE_CHUNK", { delta: "x" }), NOTHING],
  [[think("START")], think("END"), NOTHING],
  [
    [message("START"), message("END")],
    { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "m", encryptedValue: "x" },
    NOTHING,
  ],
  [[], subagent("STARTED", { name: "s", description: "d", parentToolCallId: "c", parentMessageId: "m" }), NOTHING],
  [[announced], subagent("FINISHED", { result: 1, outcome: { type: "success" } }), NOTHING],
  [[announced], subagent("ERROR", { message: "No.", code: "c" }), NOTHING],
];

test("the table has all events of @ag-ui/client", () => {
  assert.deepEqual(EVENTS.map(([, { type }]) => type).sort(), Object.values(EventType).sort());
  assert.equal(EVENTS.length, 31);
});

for (const [before, event, changes] of EVENTS)
  test(`${event.type} changes ${Object.keys(changes).join(" and ") || "nothing"}, and is not told`, async () => {
    const events = [start, ...before];
    const { thread: _, ...was } = read(events);
    const { thread: __, ...is } = read([...events, event]);
    assert.deepEqual(is, {
      ...was,
      ...changes,
      ...(changes.documents && { documents: { ...was.documents, ...changes.documents } }),
    });
    assert.deepEqual(is.problems, []);
  });

test("no event ends a call between its start and its end, but the end of its run", () => {
  for (const [before, event] of EVENTS) {
    if (before[0]?.type === "RUN_FINISHED" || /^(RUN_|TOOL_CALL_(START|ARGS|END)$)/.test(event.type)) continue;
    const other = (each) => (each.toolCallId === "c" ? { ...each, toolCallId: "other" } : each);
    const { calls } = read([start, called, args('{"n":'), ...before.map(other), other(event), args("1}"), call("END")]);
    assert.deepEqual(calls.at(-1), ["c", '{"n":1}'], event.type);
  }
});

/** Values that a member may have in the wrong place. */
const VALUES = [undefined, null, 7, "x", {}, [], true];
/** The thread does not check the contents of a run's echoed input and of messages, since it does not use them. */
const INSIDE = ["RUN_STARTED.input={}"];

test("malformed known values: what the client refuses, the thread tells, and nothing else", async () => {
  let refused = 0;
  const echo = { threadId: "t", runId: "r", messages: [], tools: [], context: [], state: {}, forwardedProps: {} };
  const shapes = new Map(EventSchemas.options.map(({ shape }) => [shape.type.value, shape]));
  for (const [before, event] of EVENTS) {
    const isStart = event.type === "RUN_STARTED";
    const sent = isStart ? { ...event, input: echo } : event;
    for (const member of Object.keys(shapes.get(event.type))) {
      if (member === "type") continue;
      for (const value of VALUES) {
        const { [member]: _, ...others } = sent;
        const bad = value === undefined ? others : { ...others, [member]: value };
        const name = `${event.type}.${member}=${JSON.stringify(value)}`;
        if (INSIDE.includes(name)) continue;
        const was = read([start, ...before]).problems.length;
        const { problems } = read([start, ...before, bad]);
        if (!EventSchemas.safeParse(bad).success) {
          refused += 1;
          assert.ok(problems.length > was, `${name} is problems`);
        } else if (isStart || problems.length > was) {
          // The order of events, which has tests of its own, or a version that is not understood.
          assert.ok(
            problems.length === was || /id|open|belong|start|activity|version|toolCallName/i.test(problems.at(-1)),
            name,
          );
        }
      }
    }
  }
  assert.ok(refused > 500, String(refused));
});

/** Outcomes that the client refuses, or translates. */
for (const [name, outcome, wanted, problems] of [
  ["no outcome is success", undefined, "success", 0],
  ["null is an outcome that is absent", null, "success", 1],
  ["an outcome of a later version is success", { type: "paused", until: 7 }, "success", 1],
  ["cancelled is neither success nor error", { type: "cancelled" }, "cancelled", 0],
  ["an interrupt asks for something", { type: "interrupt", interrupts: [] }, "error", 1],
  ["an interrupt has interrupts", { type: "interrupt" }, "error", 1],
  ["a list is malformed", [], "error", 1],
  ["a text is malformed", "success", "error", 1],
  ["ids of pending calls are texts", { type: "success", pendingToolCallIds: [7] }, "success", 1],
  ["pending calls are a list", { type: "success", pendingToolCallIds: "c" }, "success", 1],
  [
    "what an interrupt says is a text",
    { type: "interrupt", interrupts: [{ id: "i", reason: "x", expiresAt: 7 }] },
    "interrupt",
    1,
  ],
  [
    "an interrupt's schema is an object",
    { type: "interrupt", interrupts: [{ id: "i", reason: "x", responseSchema: [] }] },
    "interrupt",
    1,
  ],
])
  test(`outcome: ${name}`, async () => {
    const events = [start, { ...finish(), ...(outcome !== undefined && { outcome }) }];
    const own = read(events);
    assert.equal(own.outcome.type, wanted);
    assert.equal(own.problems.length, problems, own.problems.join("\n"));
    const { error, warnings } = await readByClient(events);
    assert.equal(error !== undefined || warnings.length > 0, problems > 0, "the client rejects it or warns");
  });

const show = (id, text) => [
  { ...called, toolCallId: id },
  { ...args(text), toolCallId: id },
  { ...call("END"), toolCallId: id },
];
const pending = (events) => read(events).outcome.pendingToolCallIds;

/** Rules of the specification's text, by its pages. */
const RULES = {
  "Tool Calls": {
    "the text of the arguments is not looked at before the end": () => {
      assert.deepEqual(read([start, called, args("{not json"), args("}")]).calls, []);
      assert.deepEqual(read([start, called, args("{not json"), call("END")]).problems, []);
    },
    "a call that is opened again goes on where it was, and the client agrees": async () => {
      const events = [start, called, args('{"n":'), call("END"), called, args("1}"), call("END"), finish()];
      const own = read(events);
      assert.deepEqual([own.calls.at(-1), own.problems], [["c", '{"n":1}'], []]);
      const { messages } = await readByClient(events);
      assert.equal(messages[0].toolCalls[0].function.arguments, own.calls.at(-1)[1]);
      // Twice, and never one that was whole: it may have been executed.
      const parts = ['{"n":', "[1", "]}"].flatMap((part) => [called, args(part), call("END")]);
      assert.deepEqual(read([start, ...parts]).calls.at(-1), ["c", '{"n":[1]}']);
      const whole = [called, args('{"n":1}'), call("END"), called, args('{"n":2}'), call("END")];
      assert.deepEqual(read([start, ...whole]).calls, [["c", '{"n":1}']]);
    },
    "a result does not open its call again, and may be a list of parts": () => {
      const parts = { ...result, content: [{ type: "text", text: "ok" }, { type: "hologram" }] };
      assert.deepEqual(pending([start, ...show("c", "{}"), parts, finish()]), []);
      assert.match(read([start, ...show("c", "{}"), result, args("x")]).problems[0], /not open/);
    },
    "pending calls: those that are named, else those without a result": () => {
      const two = [start, ...show("1", "{}"), ...show("2", "{}"), { ...result, toolCallId: "1" }];
      for (const outcome of [undefined, { type: "success" }, { type: "success", pendingToolCallIds: [] }])
        assert.deepEqual(pending([...two, finish(outcome)]), ["2"]);
      assert.deepEqual(pending([...two, finish({ type: "success", pendingToolCallIds: ["1", "2"] })]), ["1", "2"]);
    },
    "pending calls of an interrupted run are those that no interrupt asks for": () => {
      const interrupts = [{ id: "i", reason: "tool_call", toolCallId: "1" }];
      const events = [start, ...show("1", "{}"), ...show("2", "{}"), finish({ type: "interrupt", interrupts })];
      assert.deepEqual(pending(events), ["2"]);
    },
    "a call without its arguments is no text that parses": () => {
      assert.deepEqual(read([start, called, call("END")]).calls, [["c", "{}"]]);
    },
  },
  State: {
    "a run without a state begins with an empty object": async () => {
      const events = [start, delta({ op: "add", path: "/n", value: 1 }), finish()];
      assert.deepEqual(read(events).documents, { state: (await readByClient(events)).state });
    },
    "a snapshot replaces, whatever it is": () => {
      for (const snapshot of [null, 0, "", false, [], ["only"], { b: 1 }])
        assert.deepEqual(read([start, state({ a: 1 }), state(snapshot)]).documents.state, snapshot);
    },
    "state goes on in the next run": () => {
      const next = [start, delta({ op: "add", path: "/b", value: 2 }), finish()];
      assert.deepEqual(read([start, state({ a: 1 }), finish(), ...next]).documents.state, { a: 1, b: 2 });
      assert.deepEqual(read([start, state({ a: 1 }), { type: "RUN_ERROR", message: "No." }, ...next]).documents.state, {
        a: 1,
        b: 2,
      });
    },
    "a subagent's state is the run's": () => {
      const s = { subagentRunId: "s" };
      const own = read([
        start,
        { ...state({ a: 1 }), ...s },
        { ...delta({ op: "add", path: "/b", value: 2 }), ...s },
        delta({ op: "test", path: "/b", value: 2 }),
      ]);
      assert.deepEqual([own.documents.state, own.problems], [{ a: 1, b: 2 }, []]);
    },
    "an unknown operation is dropped, one that does not apply drops all, and the next snapshot is adopted":
      async () => {
        const own = [
          state({ n: 1 }),
          delta({ op: "increment", path: "/n" }, { op: "add", path: "/m", value: 2 }),
          delta({ op: "add", path: "/k", value: 3 }, { op: "remove", path: "/no/where" }),
          delta({ op: "add", path: "/k", value: 3 }, { op: "test", path: "/n", value: 9 }),
          delta({ op: "remove", path: "/m", value: "left over", by: "x" }),
        ];
        const { documents, problems } = read([start, ...own]);
        assert.deepEqual(documents.state, { n: 1 });
        assert.equal(problems.length, 3);
        assert.deepEqual((await readByClient([start, ...own, finish()])).state, { n: 1 });
        assert.deepEqual(read([start, ...own, state(["only"])]).documents.state, ["only"]);
      },
    "messages are passed on, and end what chunks assemble, in all lanes": () => {
      const chunk = (id, more) => call("CHUNK", { toolCallId: id, toolCallName: "show", delta: "{}", ...more });
      const own = read([start, chunk("1"), chunk("2", { subagentRunId: "s" }), list()]);
      assert.deepEqual(own.calls.map(([id]) => id).sort(), ["1", "2"]);
      assert.deepEqual(own.shown, [[]]);
    },
  },
  Activity: {
    "a list with activities has all of them, one without keeps them": async () => {
      const two = [start, activity({ n: 1 }), activity({ n: 2 }, { messageId: "b" })];
      const kept = { id: "b", role: "activity", activityType: "y", content: { n: 3 } };
      const more = (id) => ({ ...change({ op: "add", path: "/m", value: 1 }), messageId: id });
      const without = read([...two, list({ id: "u", role: "user", content: "" }), more("a")]);
      assert.deepEqual([without.documents.a.content, without.problems], [{ n: 1, m: 1 }, []]);
      const events = [...two, list(kept), more("b"), more("a"), finish()];
      const own = read(events);
      assert.deepEqual(own.documents.b, { activityType: "x", content: { n: 3, m: 1 } });
      assert.match(own.problems[0], /no activity/);
      assert.equal(own.problems.length, 1);
      const { messages } = await readByClient(events);
      assert.deepEqual(
        messages.map(({ id, content }) => [id, content]),
        [["b", own.documents.b.content]],
      );
      // A dropped activity may be sent again, also with `replace: false`, which keeps an activity that is shown.
      const again = read([...two, list(kept), activity({ n: 9 }, { replace: false })]);
      assert.deepEqual([again.documents.a.content, again.problems], [{ n: 9 }, []]);
    },
    "types are the agent's own words": () =>
      assert.equal(read([start, activity({}, { activityType: "übung.x" })]).documents.a.activityType, "übung.x"),
  },
  Streaming: {
    "a chunk with nothing but metadata goes on with its call": () => {
      const first = call("CHUNK", { toolCallName: "show", delta: '{"n":' });
      const own = read([
        start,
        first,
        { type: "TOOL_CALL_CHUNK", metadata: { tokens: 3 } },
        call("CHUNK", { delta: "1}" }),
        finish(),
      ]);
      assert.deepEqual([own.calls, own.problems], [[["c", '{"n":1}']], []]);
    },
    "an explicit event ends the chunks of its call": () => {
      const first = call("CHUNK", { toolCallName: "show", delta: "{}" });
      const own = read([start, first, args("x"), finish()]);
      assert.deepEqual(own.calls, [["c", "{}"]]);
      assert.match(own.problems[0], /not open/);
    },
    "chunks of a subagent end with it": () => {
      const first = call("CHUNK", { toolCallName: "show", delta: "{}", subagentRunId: "s" });
      assert.deepEqual(read([start, announced, first, subagent("FINISHED")]).calls, [["c", "{}"]]);
    },
  },
  "Interrupts and Resume": {
    "everything that was streamed before is kept": () => {
      const own = read([start, state({ n: 1 }), ...show("c", "{}"), finish(INTERRUPT)]);
      assert.deepEqual([own.calls, own.documents.state, own.proposals], [[["c", "{}"]], { n: 1 }, ["i"]]);
    },
    "the answers cover all interrupts, and those that have expired are given up": () => {
      const expired = { id: "old", reason: "confirmation", expiresAt: "2001-01-01T00:00:00Z" };
      const { thread } = read([start, finish({ type: "interrupt", interrupts: [...INTERRUPT.interrupts, expired] })]);
      assert.throws(() => thread.resume(), { code: "NEEDS_APPROVAL" });
      thread.approve("i");
      assert.throws(() => thread.resume(), { code: "NEEDS_APPROVAL" });
      assert.throws(() => thread.approve("old"), { code: "STALE_PROPOSAL" });
      thread.refuse("old");
      assert.deepEqual(thread.resume(), [
        { interruptId: "i", status: "resolved", payload: true },
        { interruptId: "old", status: "cancelled" },
      ]);
    },
    "a failure after the end is the run's, and what was asked stays asked": () => {
      const own = read([start, finish(INTERRUPT), { type: "RUN_ERROR", message: "Late." }]);
      assert.deepEqual([own.outcome, own.proposals], [{ type: "error", message: "Late." }, ["i"]]);
    },
  },
  "Runs and Steps": {
    "a run whose end never comes has no outcome": () =>
      assert.equal(read([start, message("START"), ...show("c", "{}")]).outcome, undefined),
    "nothing that was open goes over into the next run": () => {
      const open = [called, message("START"), step("STARTED"), think("START"), announced];
      const own = read([
        start,
        ...open,
        { type: "RUN_ERROR", message: "No." },
        start,
        ...open.slice(1, 2),
        message("END"),
        finish(),
      ]);
      assert.deepEqual([own.problems, own.outcome.type], [[], "success"]);
    },
    "the agent's version is problems if it is newer or not understood": () => {
      for (const [version, count] of [
        ["1.0", 0],
        ["1.1", 0],
        ["1.10", 1],
        ["2.0", 1],
        ["next", 1],
      ])
        assert.equal(read([{ ...start, protocolVersion: version }]).problems.length, count, version);
    },
  },
  "Processing Model": {
    "an event of a later version is problems, and changes and interrupts nothing": () => {
      const unknown = { type: "CALL_TRANSLATED", toolCallId: "c", delta: "x", snapshot: 1, messageId: "a" };
      const own = read([
        start,
        call("CHUNK", { toolCallName: "show", delta: "{" }),
        unknown,
        { type: "TOOL_CALL_CHUNK", delta: "}" },
        finish(),
      ]);
      assert.deepEqual([own.calls, own.documents, own.problems.length], [[["c", "{}"]], {}, 1]);
    },
    "a member of a later version is passed over": () => {
      for (const [before, event] of EVENTS) {
        const { problems } = read([start, ...before, { ...event, future: { deep: [1] } }]);
        assert.deepEqual(problems, [], event.type);
      }
    },
    "an encrypted value of a later kind is problems": () => {
      // `constructor` is a member of every object.
      for (const subtype of ["dream", "constructor"]) {
        const value = { type: "REASONING_ENCRYPTED_VALUE", subtype, entityId: "m", encryptedValue: "x" };
        assert.match(read([start, value]).problems[0], new RegExp(`"${subtype}"`));
      }
    },
  },
};

for (const [page, rules] of Object.entries(RULES))
  for (const [name, check] of Object.entries(rules)) test(`${page}: ${name}`, check);

test("calls of the page in an interrupted run are executed, those of the agent are left to it", async () => {
  const store = new PatchStore();
  const agent = agentTools({ store });
  const thread = new AgUiThread({ calls: () => new NativeCallStream({ format: "ag-ui", tools: agent.blocks }), agent });
  const calls = [
    ["1", "list_instances"],
    ["2", "search"],
    ["3", "pay"],
  ].flatMap(([toolCallId, toolCallName]) => [
    call("START", { toolCallId, toolCallName }),
    call("ARGS", { toolCallId, delta: "{}" }),
    call("END", { toolCallId }),
  ]);
  const interrupts = [{ id: "i", reason: "tool_call", toolCallId: "3" }];
  for (const event of [start, ...calls, finish({ type: "interrupt", interrupts })]) thread.push(event);
  assert.deepEqual(
    (await thread.execute()).map(({ id, status }) => [id, status]),
    [["1", "success"]],
  );
});
