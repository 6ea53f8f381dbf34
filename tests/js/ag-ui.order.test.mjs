// The order of events in a run of AG-UI: what @ag-ui/client rejects, a thread tells at the same event, and reads on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpAgent, transformChunks, verifyEvents } from "@ag-ui/client";
import { NativeCallStream } from "genui-patch";
import { AgUiThread } from "genui-patch/ag-ui";
import { random } from "../support/random.mjs";

/** A thread that has read the events, the problems that it has reported with the events, and its finished calls. */
function read(events) {
  const problems = [];
  let at = 0;
  const thread = new AgUiThread({
    calls: () => new NativeCallStream({ format: "ag-ui", tools: [{ name: "show", fields: {} }], repair: false }),
    onWarning: ({ message, event }) => {
      assert.equal(event, events[at]);
      problems.push([at, message]);
    },
  });
  const found = [];
  for (; at < events.length; at++) found.push(...thread.push(events[at]));
  const calls = found
    .filter(({ type }) => type === "json-tool-block")
    .map(({ toolId, status, call }) => [toolId, call ? call.args : status]);
  return { thread, problems, calls };
}

const input = { threadId: "t", runId: "r", messages: [], tools: [], context: [], state: {}, forwardedProps: {} };
const { constructor: Observable } = new HttpAgent({ url: "https://example.com" }).run(input);

/** The place of the event that the client rejects, and why; `undefined` if it accepts all. */
function rejected(events) {
  let at = 0;
  let found;
  const source = new Observable((subscriber) => {
    for (; at < events.length && found === undefined; at++) subscriber.next(events[at]);
    subscriber.complete();
  });
  verifyEvents()(transformChunks()(source)).subscribe({
    error: ({ message }) => {
      found = [at, message];
    },
  });
  return found;
}

const start = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finish = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const failed = { type: "RUN_ERROR", message: "No." };
const message = (part, more) => ({ type: `TEXT_MESSAGE_${part}`, messageId: "m", ...more });
const call = (part, more) => ({ type: `TOOL_CALL_${part}`, toolCallId: "c", ...more });
const think = (part, more) => ({ type: `REASONING_${part}`, messageId: "m", ...more });
const step = (part, more) => ({ type: `STEP_${part}`, stepName: "x", ...more });
const subagent = (part, more) => ({ type: `SUBAGENT_${part}`, subagentRunId: "s", ...more });
const activity = { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "x", content: {} };
const opened = message("START", { role: "assistant" });
const called = call("START", { toolCallName: "show" });
const announced = subagent("STARTED", { name: "s" });
const s = { subagentRunId: "s" };
const other = { subagentRunId: "other" };

/** Rules of the specification: the last event breaks one, and the problem that is reported. */
const RULES = [
  ["a run begins with RUN_STARTED", [message("START", { role: "user" })], /before the first RUN_STARTED/],
  ["nothing but a run or an error follows an end", [start, finish, opened], /after RUN_FINISHED/],
  ["nothing but a run follows an error", [start, failed, failed], /after RUN_ERROR/],
  ["a run ends before the next", [start, start], /another has not ended/],
  ["a message is open at the end", [start, opened, finish], /text message "m"/],
  ["a call is open at the end", [start, called, finish], /tool call "c"/],
  ["a step is open at the end", [start, step("STARTED"), finish], /step "x"/],
  ["a step of a subagent is open at the end", [start, step("STARTED", s), finish], /step "s x"/],
  ["a span is open at the end", [start, think("START"), finish], /span of reasoning "m"/],
  [
    "reasoning is open at the end",
    [start, think("MESSAGE_START", { role: "reasoning" }), finish],
    /reasoning message "m"/,
  ],
  ["a subagent is open at the end", [start, announced, finish], /subagent "s"/],
  ["content without a message", [start, message("CONTENT", { delta: "x" })], /text message "m" is not open/],
  ["content after the end", [start, opened, message("END"), message("CONTENT", { delta: "x" })], /is not open/],
  ["an end without a message", [start, message("END")], /is not open/],
  ["a message starts twice", [start, opened, opened], /second time/],
  ["arguments without a call", [start, call("ARGS", { delta: "{}" })], /tool call "c" is not open/],
  ["arguments after the end", [start, called, call("END"), call("ARGS", { delta: "{}" })], /is not open/],
  ["an end without a call", [start, call("END")], /is not open/],
  ["a call starts twice", [start, called, called], /second time/],
  ["a step ends without a start", [start, step("FINISHED")], /is not open/],
  ["a step of a subagent ends as the parent's", [start, step("STARTED", s), step("FINISHED")], /is not open/],
  ["a step starts twice", [start, step("STARTED"), step("STARTED")], /second time/],
  ["reasoning without a start", [start, think("MESSAGE_CONTENT", { delta: "x" })], /is not open/],
  ["the end of reasoning without a start", [start, think("MESSAGE_END")], /is not open/],
  ["the end of a span without a start", [start, think("END")], /is not open/],
  ["a span starts twice", [start, think("START"), think("START")], /second time/],
  [
    "content of another agent",
    [start, { ...opened, ...s }, message("CONTENT", { delta: "x", ...other })],
    /"other" belongs to the text message "m" of the subagent "s"/,
  ],
  ["the end of another agent", [start, { ...called, ...s }, call("END", other)], /belongs to the tool call "c"/],
  ["a subagent in a message of the parent", [start, opened, message("END", s)], /of the parent agent/],
  [
    "a message is reopened by another",
    [start, { ...opened, ...s }, message("END"), { ...opened, ...other }],
    /belongs to/,
  ],
  [
    "a call of another than its message",
    [start, { ...opened, ...s }, message("END"), { ...called, parentMessageId: "m", ...other }],
    /belongs to the message "m"/,
  ],
  [
    "a call is reopened in another's message",
    [start, { ...opened, ...s }, message("END"), called, call("END"), { ...called, parentMessageId: "m" }],
    /another agent than its message/,
  ],
  [
    "an activity of another",
    [start, { ...activity, ...s }, { type: "ACTIVITY_DELTA", messageId: "a", activityType: "x", patch: [], ...other }],
    /activity "a"/,
  ],
  [
    "an encrypted value of another",
    [
      start,
      { ...called, ...s },
      { type: "REASONING_ENCRYPTED_VALUE", subtype: "tool-call", entityId: "c", encryptedValue: "x", ...other },
    ],
    /belongs to/,
  ],
  ["a subagent starts twice", [start, announced, announced], /second time/],
  ["a subagent starts after its end", [start, announced, subagent("FINISHED"), announced], /second time/],
  ["a subagent ends without a start", [start, subagent("FINISHED")], /not started/],
  ["a subagent fails without a start", [start, subagent("ERROR", { message: "No." })], /not started/],
  ["the parent of a subagent is unknown", [start, { ...announced, parentSubagentRunId: "p" }], /"p", has not started/],
  ["a subagent without a name", [start, subagent("STARTED")], /"name" of SUBAGENT_STARTED/],
  ["a failure of a subagent without words", [start, announced, subagent("ERROR")], /"message" of SUBAGENT_ERROR/],
  [
    "an outcome of a subagent that is none",
    [start, announced, subagent("FINISHED", { outcome: { type: "lost" } })],
    /success or suspended/,
  ],
  [
    "interrupts of a subagent that are no texts",
    [start, announced, subagent("FINISHED", { outcome: { type: "suspended", interruptIds: [7] } })],
    /interruptIds/,
  ],
  ["a sender that is null", [start, { ...opened, subagentRunId: null }], /null: leave it out/],
  ["a description that is null", [start, { ...announced, description: null }], /null: leave it out/],
  [
    "a sender of an interrupt that is null",
    [start, { ...finish, outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "x", subagentRunId: null }] } }],
    /interrupt is null/,
  ],
  [
    "a sender of a message that is null",
    [start, { type: "MESSAGES_SNAPSHOT", messages: [{ id: "m", role: "user", content: "", subagentRunId: null }] }],
    /message "m" is null/,
  ],
  ["a first chunk without an id", [start, message("CHUNK", { messageId: undefined, delta: "x" })], /has no id/],
  ["a first chunk without a tool", [start, call("CHUNK", { delta: "{}" })], /has no toolCallName/],
  [
    "a chunk with another role",
    [start, message("CHUNK", { role: "user", delta: "x" }), message("CHUNK", { role: "assistant", delta: "x" })],
    /"role"/,
  ],
  [
    "a chunk with another tool",
    [start, call("CHUNK", { toolCallName: "show" }), call("CHUNK", { toolCallName: "hide" })],
    /"toolCallName"/,
  ],
  [
    "a chunk of another agent",
    [start, call("CHUNK", { toolCallName: "show", ...s }), call("CHUNK", other)],
    /continues the tool call/,
  ],
  [
    "a chunk of nobody",
    [
      start,
      call("CHUNK", { toolCallName: "show", ...s }),
      call("CHUNK", { toolCallId: "d", toolCallName: "show", ...other }),
      call("CHUNK", { toolCallId: undefined, delta: "{}" }),
    ],
    /2 are open/,
  ],
  [
    "CUSTOM closes what chunks assemble",
    [
      start,
      message("CHUNK", { delta: "x" }),
      { type: "CUSTOM", name: "x", value: 1 },
      message("CHUNK", { messageId: undefined, delta: "x" }),
    ],
    /has no id/,
  ],
];

for (const [name, events, problems] of RULES)
  test(`order: ${name}`, () => {
    assert.equal(rejected(events)?.[0], events.length - 1, "the client rejects the last event");
    const own = read(events);
    assert.deepEqual(
      own.problems.map(([at]) => at),
      [events.length - 1],
    );
    assert.match(own.problems[0][1], problems);
  });

/** Values that the client's schemas refuse before it looks at the order. */
for (const [name, event, problems] of [
  ["a delta that is no text", message("CONTENT", { delta: 42 }), /"delta" of TEXT_MESSAGE_CONTENT/],
  ["a role that no message has", message("START", { messageId: "n", role: "narrator" }), /"narrator"/],
  ["reasoning with another role", think("MESSAGE_START", { role: "assistant" }), /"reasoning"/],
  ["messages that are no list", { type: "MESSAGES_SNAPSHOT", messages: {} }, /must be a list/],
  ["an event of a later version", { type: "FUTURE_EVENT" }, /"FUTURE_EVENT"/],
  ["an event without a type", {}, /"undefined"/],
  ["a newer version", { ...start, protocolVersion: "1.2" }, /newer than 1.1/],
  ["a much newer version", { ...start, protocolVersion: "2.0" }, /newer than 1.1/],
  ["a version that is none", { ...start, protocolVersion: "draft" }, /not understood/],
])
  test(`malformed: ${name}`, () => {
    const before = event.type === "RUN_STARTED" ? [] : [start, opened];
    const own = read([...before, event]).problems;
    assert.deepEqual(
      own.map(([at]) => at),
      [before.length],
    );
    assert.match(own[0][1], problems);
  });

test("what is in order is quiet", () => {
  for (const version of [undefined, "1.0", "1.1", "0.9"])
    assert.deepEqual(read([{ ...start, ...(version && { protocolVersion: version }) }, finish]).problems, []);
  const quiet = [
    [failed],
    [start, finish, failed, start, finish],
    [start, opened, message("END"), opened, message("CONTENT", { delta: "x" }), message("END"), finish],
    [start, { ...opened, ...s }, message("CONTENT", { delta: "x" }), message("END", s), finish],
    [
      start,
      announced,
      { ...announced, subagentRunId: "u", parentSubagentRunId: "s" },
      subagent("FINISHED"),
      { ...subagent("FINISHED"), subagentRunId: "u" },
      finish,
    ],
    [
      start,
      message("CHUNK", { delta: "x" }),
      { type: "RAW", event: {} },
      message("CHUNK", { messageId: undefined, delta: "y" }),
      finish,
    ],
    [start, announced, { ...message("CHUNK", { delta: "x" }), ...s }, subagent("ERROR", { message: "No." }), finish],
  ];
  for (const events of quiet) {
    assert.equal(rejected(events), undefined);
    assert.deepEqual(read(events).problems, []);
  }
});

test("a call that is contradicted is cut off, one that is not is made, and what comes after the end makes none", () => {
  const args = (delta, more) => call("ARGS", { delta, ...more });
  const whole = (id, more) => [
    { ...called, toolCallId: id, ...more },
    { ...args('{"n":1}'), toolCallId: id },
    { ...call("END"), toolCallId: id },
  ];
  for (const [events, calls] of [
    [[{ ...called, ...s }, args('{"n":'), args("1}", other), args("2}"), call("END")], [["c", "truncated"]]],
    [[{ ...called, ...s }, args('{"n":'), call("END", other), args("1}"), call("END")], [["c", "truncated"]]],
    // What its own agent has sent is whole.
    [[{ ...called, ...s }, args('{"n":1}'), args(" ", other), call("END")], [["c", { n: 1 }]]],
    [[called, args('{"n":'), called, args("1}"), call("END")], [["c", "truncated"]]],
    [[called, args('{"n":'), args(42), args("1}"), call("END")], [["c", "truncated"]]],
    [[args("{}"), call("END"), ...whole("d")], [["d", { n: 1 }]]],
    [
      [...whole("c"), args("{}"), call("END"), ...whole("d")],
      [
        ["c", { n: 1 }],
        ["d", { n: 1 }],
      ],
    ],
    [[message("CONTENT", { delta: "x" }), ...whole("d")], [["d", { n: 1 }]]],
    [
      [...whole("d"), called, args("{")],
      [
        ["d", { n: 1 }],
        ["c", "truncated"],
      ],
    ],
  ]) {
    const own = read([start, ...events, finish, ...whole("late")]);
    assert.deepEqual(own.calls, calls);
    assert.ok(own.problems.length > 0);
    assert.equal(own.thread.outcome.type, "success");
    assert.deepEqual(
      own.thread.outcome.pendingToolCallIds,
      calls.map(([id]) => id),
    );
  }
  assert.deepEqual(read([...whole("early"), start, finish]).calls, []);
});

/** A run in good order, of the parent and two subagents. */
function inOrder({ below, chance, pick }) {
  const events = [start];
  const senders = [{}, s, other];
  for (let count = below(6); count >= 0; count--) {
    const sender = pick(senders);
    const id = `${count}`;
    const [kind, own] = pick([
      [message, { messageId: id }],
      [call, { toolCallId: id }],
      [think, { messageId: id }],
      [step, { stepName: id }],
    ]);
    const tag = kind === step ? sender : pick([{}, sender]);
    const make = (part, more) => ({ ...kind(part), ...own, ...more });
    if (chance(0.4) && kind !== step) {
      const first = { message: {}, call: { toolCallName: "show" }, think: {} }[
        kind === message ? "message" : kind === call ? "call" : "think"
      ];
      const part = kind === think ? "MESSAGE_CHUNK" : "CHUNK";
      events.push(make(part, { ...first, delta: "{}", ...sender }), make(part, { delta: "", ...pick([tag, sender]) }));
    } else if (kind === message) {
      events.push(
        make("START", { role: "user", ...sender }),
        make("CONTENT", { delta: "x", ...tag }),
        make("END", tag),
      );
    } else if (kind === call) {
      events.push(
        make("START", { toolCallName: "show", ...sender }),
        make("ARGS", { delta: "{}", ...tag }),
        make("END", tag),
      );
    } else if (kind === think) {
      events.push(make("START", sender), make("MESSAGE_START", { role: "reasoning", ...tag }));
      events.push(make("MESSAGE_CONTENT", { delta: "x", ...tag }), make("MESSAGE_END", tag), make("END", tag));
    } else events.push(make("STARTED", sender), make("FINISHED", sender));
    if (chance(0.3)) {
      const subagentRunId = `run-${count}`;
      events.push(
        { ...announced, subagentRunId },
        { ...subagent(pick(["FINISHED", "ERROR"])), message: "x", subagentRunId },
      );
    }
    if (chance(0.2))
      events.push(
        pick([
          { type: "CUSTOM", name: "x", value: 1, ...sender },
          { type: "RAW", event: {} },
          { ...activity, ...sender },
        ]),
      );
  }
  events.push(chance(0.8) ? finish : failed);
  if (chance(0.3)) events.push(...pick([[failed], [start, finish], [start, opened, message("END"), finish]]));
  return events;
}

/** Events are left out, sent twice, exchanged, or sent by another. */
function disturbed(events, { below, pick }) {
  const all = [...events];
  for (let count = below(3); count > 0; count--) {
    const at = below(all.length);
    const to = below(all.length);
    pick([
      () => all.splice(at, 1),
      () => all.splice(to, 0, all[at]),
      () => ([all[at], all[to]] = [all[to], all[at]]),
      () => (all[at] = { ...all[at], ...pick([s, other, { subagentRunId: null }]) }),
    ])();
    if (all.length === 0) all.push(start);
  }
  return all;
}

/** `AG_UI_RUNS=2100` for as many. */
const RUNS = Number(process.env.AG_UI_RUNS ?? 2_000);

test(`${RUNS} random runs: what the client rejects, the thread tells first at the same event`, () => {
  const seen = { accepted: 0, rejected: 0 };
  for (let seed = 1; seed <= RUNS; seed++) {
    const rnd = random(seed);
    const events = disturbed(inOrder(rnd), rnd);
    const wanted = rejected(events);
    const { problems, thread } = read(events);
    assert.equal(problems[0]?.[0], wanted?.[0], `seed ${seed}: ${wanted?.[1]} / ${problems[0]?.[1]}`);
    seen[wanted ? "rejected" : "accepted"] += 1;
    // Whatever problems were reported, the end of the run is known.
    if (events.at(-1) === finish && events.includes(start)) assert.notEqual(thread.outcome, undefined);
  }
  assert.ok(seen.accepted > RUNS / 5 && seen.rejected > RUNS / 5, JSON.stringify(seen));
});
