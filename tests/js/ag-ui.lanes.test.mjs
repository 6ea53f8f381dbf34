// Chunks of AG-UI belong to lanes: the calls in them are those that @ag-ui/client makes of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventType } from "@ag-ui/client";
import { NativeCallStream } from "genui-patch";
import { finishedCalls, readByClient } from "../support/ag-ui.mjs";
import { random } from "../support/random.mjs";

const tools = [{ name: "show", fields: {} }];
/** `AG_UI_RUNS=2100` for as many; a run takes the client some 15 ms. */
const RUNS = Number(process.env.AG_UI_RUNS ?? 300);

/** The calls of a stream: id, tool, and arguments, or the status of a call that is not made. */
function callsOf(events) {
  const stream = new NativeCallStream({ format: "ag-ui", tools, repair: false });
  const found = events.flatMap((event) => stream.push(event)).concat(stream.end());
  stream.dispose();
  return found
    .filter(({ type }) => type === "json-tool-block")
    .map(({ toolId, call, status }) => (call ? [call.id, call.tool, call.args] : [toolId, status]));
}

const made = (calls) => calls.filter(([, , args]) => args).sort(([one], [other]) => (one < other ? -1 : 1));

/** Events between chunks, and what they close: the item of their own lane, or nothing. */
const BETWEEN = [
  [{ type: "RAW", event: { type: "x" } }, "nothing"],
  [{ type: "ACTIVITY_SNAPSHOT", messageId: "act", activityType: "search", content: { found: 1 } }, "nothing"],
  [{ type: "ACTIVITY_DELTA", messageId: "act", activityType: "search", patch: [] }, "nothing"],
  [{ type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "m", encryptedValue: "x" }, "nothing"],
  [{ type: "WEATHER_CHANGED", wind: 3 }, "nothing"],
  [{ type: "CUSTOM", name: "x", value: 1 }, "lane"],
  [{ type: "STATE_SNAPSHOT", snapshot: { n: 1 } }, "lane"],
  [{ type: "STATE_DELTA", delta: [{ op: "add", path: "/n", value: 2 }] }, "lane"],
  [{ type: "REASONING_START", messageId: "think" }, "lane"],
];

const pieces = (text, { below }) => {
  const cuts = Array.from({ length: below(5) }, () => below(text.length + 1)).sort((one, other) => one - other);
  return [0, ...cuts].map((from, place) => text.slice(from, cuts[place] ?? text.length));
};

/** The chunks of a call or of a message, without their sender. */
function item(rnd, id) {
  const { below, chance, pick } = rnd;
  const text = JSON.stringify({ of: id, text: pick(["", 'a"b}', "{[", "é😀", "x".repeat(30)]), n: below(100) });
  const [first, ...rest] = pieces(text, rnd);
  if (chance(0.6)) {
    const named = { toolCallId: id, toolCallName: "show" };
    const open = chance(0.3) ? [named, { toolCallId: id, delta: first }] : [{ ...named, delta: first }];
    return [...open, ...rest.map((delta) => (chance(0.2) ? { ...named, delta } : { toolCallId: id, delta }))].map(
      (chunk) => ({ type: "TOOL_CALL_CHUNK", ...chunk }),
    );
  }
  const type = pick(["TEXT_MESSAGE_CHUNK", "REASONING_MESSAGE_CHUNK"]);
  return [first, ...rest].map((delta) => ({ type, messageId: id, delta }));
}

/**
 * A run of the parent agent and up to three subagents, whose chunks are interleaved. A chunk that goes on need not say its id
 * or its sender, and what is closed early stays so. The client rejects some of the runs: nothing says whose a chunk is.
 */
function run(seed) {
  const rnd = random(seed);
  const { below, chance, pick } = rnd;
  const senders = [undefined, "s1", "s2", "s3"].slice(0, 2 + below(3));
  let count = 0;
  const work = new Map(senders.map((sender) => [sender, []]));
  const busy = new Set(senders);
  const events = [{ type: "RUN_STARTED", threadId: "t", runId: "r" }];
  const announced = chance(0.5);
  if (announced)
    for (const subagentRunId of senders.slice(1))
      events.push({ type: "SUBAGENT_STARTED", subagentRunId, name: subagentRunId });
  for (let step = 0; step < 40 && busy.size > 0; step++) {
    const sender = pick([...busy]);
    const own = work.get(sender);
    const tag = sender === undefined ? {} : { subagentRunId: sender };
    if (chance(0.12)) {
      const [event, closes] = pick(BETWEEN);
      if (event.type !== "REASONING_START" || !events.some(({ type }) => type === event.type)) {
        events.push({ ...structuredClone(event), ...(closes === "lane" ? tag : {}) });
        if (closes === "lane") own.length = 0;
      }
    }
    if (own.length === 0) {
      if (chance(0.2) && sender !== undefined) {
        busy.delete(sender);
        continue;
      }
      count += 1;
      const [first, ...rest] = item(rnd, `${sender ?? "p"}-${count}`);
      events.push({ ...first, ...tag });
      own.push(...rest);
      continue;
    }
    const { toolCallId, messageId, ...chunk } = own.shift();
    const id = toolCallId === undefined ? { messageId } : { toolCallId };
    events.push({ ...chunk, ...pick([{ ...id, ...tag }, { ...id, ...tag }, id, tag, chance(0.2) ? {} : tag]) });
  }
  if (events.some(({ type }) => type === "REASONING_START")) events.push({ type: "REASONING_END", messageId: "think" });
  if (announced)
    for (const subagentRunId of senders.slice(1)) events.push({ type: "SUBAGENT_FINISHED", subagentRunId });
  return [...events, { type: "RUN_FINISHED", threadId: "t", runId: "r" }];
}

test(`${RUNS} random runs: the calls of @ag-ui/client`, async () => {
  const seen = { read: 0, rejected: 0, calls: 0 };
  for (let seed = 1; seed <= RUNS; seed++) {
    const events = run(seed);
    const { events: passed, error } = await readByClient(events);
    const wanted = finishedCalls(passed).flatMap(({ id, tool, text }) => {
      try {
        // A call that is over before its arguments has none.
        return [[id, tool, JSON.parse(text || "{}")]];
      } catch {
        return [];
      }
    });
    const found = made(callsOf(events));
    if (error) {
      seen.rejected += 1;
      // Until then the calls are the same.
      for (const call of made(wanted)) {
        const own = found.find(([id]) => id === call[0]);
        if (own) assert.deepEqual(own, call, `seed ${seed}`);
      }
    } else {
      seen.read += 1;
      seen.calls += found.length;
      assert.deepEqual(found, made(wanted), `seed ${seed}`);
    }
  }
  assert.ok(seen.read > RUNS / 2 && seen.rejected > RUNS / 200 && seen.calls > RUNS, JSON.stringify(seen));
});

const start = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finish = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const chunk = (fields) => ({ type: "TOOL_CALL_CHUNK", ...fields });
const whole = { toolCallId: "c", toolCallName: "show", delta: '{"n":1}' };

/** One event of each type that a run may have while a call is open, and what must have been sent before it. */
const EVENTS = [
  { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
  { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "x" },
  { type: "TOOL_CALL_START", toolCallId: "d", toolCallName: "show" },
  chunk({ toolCallId: "d", toolCallName: "show" }),
  { type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "z", content: "ok" },
  { type: "STATE_SNAPSHOT", snapshot: {} },
  { type: "STATE_DELTA", delta: [] },
  { type: "MESSAGES_SNAPSHOT", messages: [] },
  { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "x", content: {} },
  { type: "ACTIVITY_DELTA", messageId: "a", activityType: "x", patch: [] },
  { type: "RAW", event: {} },
  { type: "CUSTOM", name: "x", value: 1 },
  { type: "RUN_ERROR", message: "x" },
  finish,
  { type: "STEP_STARTED", stepName: "x" },
  { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "x" },
  { type: "REASONING_START", messageId: "m" },
  { type: "REASONING_MESSAGE_START", messageId: "m", role: "reasoning" },
  { type: "REASONING_MESSAGE_CHUNK", messageId: "m", delta: "x" },
  { type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "m", encryptedValue: "x" },
  { type: "WEATHER_CHANGED" },
  [
    { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "x" },
  ],
  [
    { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
    { type: "TEXT_MESSAGE_END", messageId: "m" },
  ],
  [
    { type: "TOOL_CALL_START", toolCallId: "d", toolCallName: "show" },
    { type: "TOOL_CALL_ARGS", toolCallId: "d", delta: "{" },
  ],
  [
    { type: "TOOL_CALL_START", toolCallId: "d", toolCallName: "show" },
    { type: "TOOL_CALL_END", toolCallId: "d" },
  ],
  [
    { type: "STEP_STARTED", stepName: "x" },
    { type: "STEP_FINISHED", stepName: "x" },
  ],
  [
    { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "x" },
    { type: "SUBAGENT_FINISHED", subagentRunId: "s" },
  ],
  [
    { type: "SUBAGENT_STARTED", subagentRunId: "s", name: "x" },
    { type: "SUBAGENT_ERROR", subagentRunId: "s", message: "x" },
  ],
  [
    { type: "REASONING_START", messageId: "m" },
    { type: "REASONING_END", messageId: "m" },
  ],
  [
    { type: "REASONING_MESSAGE_START", messageId: "m", role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: "m", delta: "x" },
  ],
  [
    { type: "REASONING_MESSAGE_START", messageId: "m", role: "reasoning" },
    { type: "REASONING_MESSAGE_END", messageId: "m" },
  ],
].map((events) => [events].flat());

const ENDS = {
  TEXT_MESSAGE_START: "TEXT_MESSAGE_END",
  TOOL_CALL_START: "TOOL_CALL_END",
  STEP_STARTED: "STEP_FINISHED",
  SUBAGENT_STARTED: "SUBAGENT_FINISHED",
  REASONING_START: "REASONING_END",
  REASONING_MESSAGE_START: "REASONING_MESSAGE_END",
};

/** The events that must follow so that the client accepts the run. */
function closing(events) {
  const types = events.map(({ type }) => type.replace("_ERROR", "_FINISHED"));
  if (types.includes("RUN_FINISHED")) return [];
  const open = events.filter(({ type }) => ENDS[type] && !types.includes(ENDS[type]));
  return [...open.map(({ role, name, ...event }) => ({ ...event, type: ENDS[event.type] })), finish];
}

test("every event closes what it closes for @ag-ui/client: a call of the parent, or of a subagent", async () => {
  const types = new Set(EVENTS.map((events) => events.at(-1).type));
  for (const type of Object.values(EventType)) assert.ok(type === "RUN_STARTED" || types.has(type), type);
  let closed = 0;
  for (const events of EVENTS) {
    for (const owner of [undefined, "s"]) {
      for (const sender of [undefined, "s", "other"]) {
        const tag = owner && { subagentRunId: owner };
        const event = { ...(sender && { subagentRunId: sender }), ...events.at(-1) };
        const before = events.slice(0, -1).map((each) => ({ ...(sender && { subagentRunId: sender }), ...each }));
        const sent = [start, ...before, chunk({ ...whole, ...tag }), event];
        const { events: passed, error } = await readByClient([...sent, ...closing([...before, event])]);
        assert.equal(error, undefined);
        const end = passed.findIndex(({ type, toolCallId }) => type === "TOOL_CALL_END" && toolCallId === "c");
        const own = passed.findLastIndex(
          ({ type }) => type === event.type || type === event.type.replace("CHUNK", "START"),
        );
        const wanted = own >= 0 && end >= 0 && end < own;
        const stream = new NativeCallStream({ format: "ag-ui", tools });
        const found = sent.map((each) => stream.push(each));
        const isClosed = found.at(-1).some(({ type, toolId }) => type === "json-tool-block" && toolId === "c");
        assert.equal(isClosed, wanted, JSON.stringify([event, owner]));
        if (isClosed) closed += 1;
        stream.dispose();
      }
    }
  }
  assert.ok(closed > 40 && closed < 140, String(closed));
});

for (const [name, events, calls] of [
  [
    "a chunk that may belong to two calls cuts both off",
    [
      chunk({ toolCallId: "a", toolCallName: "show", subagentRunId: "s1", delta: '{"n":' }),
      chunk({ toolCallId: "b", toolCallName: "show", subagentRunId: "s2", delta: '{"n":' }),
      chunk({ delta: "1}" }),
      chunk({ toolCallId: "a", delta: "2}" }),
      finish,
    ],
    [
      ["a", "truncated"],
      ["b", "truncated"],
    ],
  ],
  [
    "a chunk by another subagent than the one that began the call cuts it off",
    [
      chunk({ toolCallId: "a", toolCallName: "show", subagentRunId: "s1", delta: '{"n":' }),
      chunk({ toolCallId: "a", subagentRunId: "s2", delta: "1}" }),
      finish,
    ],
    [["a", "truncated"]],
  ],
  [
    "a chunk that names another tool cuts the call off",
    [
      chunk({ toolCallId: "a", toolCallName: "show", delta: '{"n":' }),
      chunk({ toolCallId: "a", toolCallName: "hide", delta: "1}" }),
      finish,
    ],
    [["a", "truncated"]],
  ],
  [
    "a chunk that names another message cuts the call off",
    [
      chunk({ toolCallId: "a", toolCallName: "show", parentMessageId: "m", delta: '{"n":' }),
      chunk({ toolCallId: "a", parentMessageId: "n", delta: "1}" }),
      finish,
    ],
    [["a", "truncated"]],
  ],
  [
    "a call before its arguments is not made if its run, or its subagent, failed or was stopped",
    [
      chunk({ toolCallId: "a", toolCallName: "show", subagentRunId: "s1" }),
      { type: "SUBAGENT_ERROR", subagentRunId: "s1", message: "x" },
      chunk({ toolCallId: "b", toolCallName: "show" }),
      { type: "RUN_ERROR", message: "x" },
      start,
      chunk({ toolCallId: "c", toolCallName: "show" }),
      { ...finish, outcome: { type: "cancelled" } },
    ],
    [
      ["a", "truncated"],
      ["b", "truncated"],
      ["c", "truncated"],
    ],
  ],
  [
    "an event of a later version interrupts nothing",
    [
      chunk({ toolCallId: "a", toolCallName: "show", delta: '{"n":' }),
      { type: "SUBAGENT_PAUSED", subagentRunId: "s1" },
      { type: "TEXT_MESSAGE_TRANSLATED", messageId: "m" },
      chunk({ delta: "1}" }),
      finish,
    ],
    [["a", "show", { n: 1 }]],
  ],
]) {
  test(name, () => assert.deepEqual(callsOf([start, ...events]), calls));
}
