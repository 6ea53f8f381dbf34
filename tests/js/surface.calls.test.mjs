// Function calls of A2UI 1.0 between the agent and the page, in both directions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SurfaceStream } from "genui-patch";
import { thrown, throwsMisuse } from "../support/store.mjs";
import { codes, diagnostics, lines, open, v9 } from "../support/surface.mjs";

const create = (more) => ({ version: "v1.0", createSurface: { surfaceId: "s", ...more } });
const asked = (functionCallId, call, more = {}) => ({
  version: "v1.0",
  callRendererFunction: { functionCallId, callFunction: { "@call": call, catalogId: "c", args: {}, ...more } },
});
const answered = (functionCallId, outcome) => ({
  version: "v1.0",
  agentFunctionResponse: { functionCallId, ...outcome },
});
const catalog = {
  catalogId: "c",
  components: {},
  functions: {
    screen: { allowedCallers: "rendererOrAgent" },
    sync: { allowedCallers: "agentOnly" },
    local: { allowedCallers: "rendererOnly" },
    unsaid: {},
    open: { allowedCallers: "rendererOrAgent", requiresUserActivation: true },
  },
};
const refused = (functionCallId, message) => ({
  version: "v1.0",
  rendererFunctionResponse: { functionCallId, error: { code: "INVALID_FUNCTION_CALL", message } },
});

test("a call of the agent is an event; respond gives its answer, once", () => {
  const { surfaces, events } = open([asked("1", "screen", { args: { index: 0 } })]);
  assert.deepEqual(events, [{ type: "call", callId: "1", call: "screen", args: { index: 0 }, catalogId: "c" }]);
  assert.deepEqual(surfaces.respond("1", { value: [1920, 1080] }), {
    version: "v1.0",
    rendererFunctionResponse: { functionCallId: "1", value: [1920, 1080] },
  });
  assert.ok(throwsMisuse(() => surfaces.respond("1", { value: 1 })));
  assert.ok(throwsMisuse(() => surfaces.respond("2", { value: 1 })));
});

test("a function that returns nothing or fails is answered too", () => {
  const { surfaces } = open([asked("1", "a"), asked("2", "b")]);
  assert.deepEqual(surfaces.respond("1", { value: undefined }).rendererFunctionResponse, {
    functionCallId: "1",
    value: null,
  });
  const error = { code: "EXECUTION_FAILED", message: "No screen." };
  assert.deepEqual(surfaces.respond("2", { error }).rendererFunctionResponse, { functionCallId: "2", error });
});

test("an answer that the agent could not read throws, and the call waits on", () => {
  const { surfaces } = open([asked("1", "a")]);
  const cycle = {};
  cycle.self = cycle;
  for (const outcome of [
    { value: 1n },
    { value: cycle },
    { error: { code: "X" } },
    { value: 1, error: { code: "X", message: "Y" } },
    { values: 1 },
    1,
  ]) {
    assert.ok(
      throwsMisuse(() => surfaces.respond("1", outcome)),
      String(outcome),
    );
  }
  assert.equal(surfaces.respond("1", { value: 1 }).rendererFunctionResponse.value, 1);
});

test("the catalog says what the agent may call; what it may not is answered at once", () => {
  const { events, surfaces } = open(
    [
      asked("1", "screen"),
      asked("2", "sync"),
      asked("3", "local"),
      asked("4", "unsaid"),
      asked("5", "none"),
      asked("6", "screen", { catalogId: "other" }),
    ],
    { catalog },
  );
  const replies = events.filter(({ type }) => type === "reply");
  assert.deepEqual(
    events.filter(({ type }) => type === "call").map(({ call }) => call),
    ["screen", "sync"],
  );
  assert.deepEqual(
    replies.map(({ message }) => message),
    [
      refused("3", "Function 'local' cannot be called by agent (allowedCallers is rendererOnly)."),
      refused("4", "Function 'unsaid' cannot be called by agent (allowedCallers is rendererOnly)."),
      refused("5", "Function not found: none"),
      refused("6", "Catalog not found: other"),
    ],
  );
  assert.deepEqual(replies.map(({ callId, call }) => [callId, call])[0], ["3", "local"]);
  // Answered is answered.
  assert.ok(throwsMisuse(() => surfaces.respond("3", { value: 1 })));
});

test("a function that needs the user's activation is called only while there is one", () => {
  let isUserActive = false;
  const { events, push } = open([asked("1", "open")], { catalog, isUserActive: () => isUserActive });
  assert.deepEqual(events[0].message, refused("1", "Function 'open' requires user activation context to execute."));
  isUserActive = true;
  assert.deepEqual(
    push(asked("2", "open")).map(({ type, callId }) => [type, callId]),
    [["call", "2"]],
  );
  // Without a browser there is no user activation.
  assert.equal(open([asked("1", "open")], { catalog }).events[0].type, "reply");
});

test("a call that comes again, as in a repeated stream, is not given again", () => {
  const { surfaces, push } = open([asked("1", "a")]);
  assert.deepEqual(codes(push(asked("1", "a"))), ["INVALID_FUNCTION_CALL"]);
  surfaces.respond("1", { value: 1 });
  const [again] = push(asked("1", "a"));
  assert.deepEqual([again.type, again.code, again.surfaceId], ["diagnostic", "INVALID_FUNCTION_CALL", undefined]);
});

test("calls over the limit are refused, in both directions", async () => {
  const { surfaces, events } = open([create(), asked("1", "a"), asked("2", "a")], { limits: { maxPending: 1 } });
  assert.deepEqual(
    events.filter(({ callId }) => callId).map(({ type }) => type),
    ["call", "reply"],
  );
  surfaces.callAgent("s", "a");
  assert.throws(() => surfaces.callAgent("s", "a"), thrown("LIMIT_EXCEEDED"));
});

test("a call of the page is settled by the agent's answer", async () => {
  const { surfaces, push } = open([create({ catalogId: "c" })]);
  const { callId, message, result } = surfaces.callAgent("s", "verify", { id: "P-1" });
  assert.deepEqual(message, {
    version: "v1.0",
    callAgentFunction: {
      surfaceId: "s",
      functionCallId: callId,
      callFunction: { "@call": "verify", catalogId: "c", args: { id: "P-1" } },
    },
  });
  assert.deepEqual(push(answered(callId, { value: { valid: true } })), []);
  assert.deepEqual(await result, { valid: true });
  assert.deepEqual(codes(push(answered(callId, { value: 1 }))), ["UNKNOWN_CALL"]);
});

test("answers may come in any order, and each settles its own call", async () => {
  const { surfaces, push } = open([create()]);
  const calls = [1, 2, 3].map((n) => surfaces.callAgent("s", "f", { n }, { catalogId: "own" }));
  assert.equal(new Set(calls.map(({ callId }) => callId)).size, 3);
  assert.equal(calls[0].message.callAgentFunction.callFunction.catalogId, "own");
  for (const { callId, message } of calls.toReversed()) {
    push(answered(callId, { value: message.callAgentFunction.callFunction.args.n }));
  }
  assert.deepEqual(await Promise.all(calls.map(({ result }) => result)), [1, 2, 3]);
});

test("the agent's error rejects with its code", async () => {
  const { surfaces, push } = open([create()]);
  const { callId, result } = surfaces.callAgent("s", "f");
  push(answered(callId, { error: { code: "PROVIDER_NOT_FOUND", message: "There is no P-1." } }));
  await assert.rejects(result, thrown("PROVIDER_NOT_FOUND"));
});

test("a call that nobody will answer is rejected: surface deleted, stream ended, disposed", async () => {
  const { surfaces, push } = open([create(), create({ surfaceId: "t" })]);
  const [one, other] = [surfaces.callAgent("s", "f"), surfaces.callAgent("t", "f")];
  push({ version: "v1.0", deleteSurface: { surfaceId: "s" } });
  await assert.rejects(one.result, thrown("CANCELLED"));
  surfaces.end();
  await assert.rejects(other.result, thrown("CANCELLED"));
  const last = open([create()]).surfaces;
  const { result } = last.callAgent("s", "f");
  last.dispose();
  await assert.rejects(result, thrown("DISPOSED"));
});

test("a call without a place throws", () => {
  const { surfaces } = open([create(), { version: "v0.9", createSurface: { surfaceId: "old", catalogId: "c" } }]);
  for (const call of [
    () => surfaces.callAgent("none", "f"),
    () => surfaces.callAgent("old", "f"),
    () => surfaces.callAgent("s", 1),
    () => surfaces.callAgent("s", "f", []),
    () => surfaces.callAgent("s", "f", { n: 1n }),
    () => surfaces.callAgent("s", "f", {}, { catalog: "c" }),
    () => new SurfaceStream({ isUserActive: true }),
  ]) {
    assert.ok(throwsMisuse(call), String(call));
  }
});

test("malformed answers and calls are diagnostics, and settle nothing", async () => {
  const { surfaces, push } = open([create()]);
  const { callId, result } = surfaces.callAgent("s", "f");
  for (const message of [
    answered(callId, {}),
    answered(callId, { value: 1, error: { code: "X", message: "Y" } }),
    answered(callId, { error: { code: "X" } }),
    { version: "v1.0", agentFunctionResponse: { value: 1 } },
    { version: "v1.0", callRendererFunction: { functionCallId: "1" } },
    { version: "v1.0", callRendererFunction: { functionCallId: "1", callFunction: { call: "a", args: [] } } },
  ]) {
    assert.deepEqual(codes(push(message)), ["INVALID_MESSAGE"], JSON.stringify(message));
  }
  assert.deepEqual(codes(push({ version: "v0.9", agentFunctionResponse: { functionCallId: "1", value: 1 } })), [
    "UNSUPPORTED_VERSION",
  ]);
  push(answered(callId, { value: null }));
  assert.equal(await result, null);
});

test("a component cannot call a function of the agent alone", () => {
  const text = (call) => ({ "@call": call, args: { value: 1 } });
  const components = [
    { id: "root", component: "Row", one: text("sync"), two: text("required") },
    { id: "b", component: "Button", action: { functionCall: { "@call": "sync", catalogId: "c", args: { a: 1 } } } },
  ];
  const { surfaces, events } = open(
    [create({ catalogId: "c", components: [{ ...components[0], children: ["b"] }, components[1]] })],
    { catalog: { ...catalog, components: { Row: {}, Button: {} } }, functions: { sync: () => "never" } },
  );
  assert.deepEqual(surfaces.tree("s").props, { one: null, two: true });
  assert.deepEqual(codes(events), ["INVALID_FUNCTION_CALL"]);
  assert.deepEqual(surfaces.action("s", "b"), {
    functionCall: { call: "sync", args: { a: 1 }, catalogId: "c" },
  });
});

test("the same events and answers in pieces", async () => {
  const text = lines([create(), asked("1", "a"), asked("1", "a"), v9.delete()]);
  const whole = new SurfaceStream();
  const events = whole.push(text);
  for (const size of [1, 7]) {
    const pieces = new SurfaceStream();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...pieces.push(text.slice(at, at + size)));
    assert.deepEqual(found, events);
  }
  assert.equal(diagnostics(events).length, 1);
});

test("the capabilities name the catalogs", () => {
  const two = [catalog, { catalogId: "d", components: {} }];
  assert.deepEqual(new SurfaceStream({ catalog: two }).capabilities(), { "v1.0": { supportedCatalogIds: ["c", "d"] } });
  assert.deepEqual(new SurfaceStream().capabilities(), { "v1.0": { supportedCatalogIds: [] } });
});
