// Runs of streamText of the AI SDK 7, and of 6: its stream and the UI message stream give the calls that the SDK executes.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as ai7 from "ai";
import { MockLanguageModelV4 } from "ai/test";
import * as ai6 from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { NativeCallStream } from "genui-patch";
import { z } from "zod";

/** By version: the SDK, its mock model, and what has another name there. */
const SDKS = {
  7: {
    ...ai7,
    Model: MockLanguageModelV4,
    streams: (result) => [result.stream, ai7.toUIMessageStream({ stream: result.stream })],
    repairing: (repairToolCall) => ({ repairToolCall }),
  },
  6: {
    ...ai6,
    Model: MockLanguageModelV3,
    streams: (result) => [result.fullStream, result.toUIMessageStream()],
    repairing: (experimental_repairToolCall) => ({ experimental_repairToolCall }),
  },
};

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = (unified) => ({ type: "finish", finishReason: { unified, raw: unified }, usage });

/** A call as a provider streams it: its input in pieces, or whole. */
function called(id, toolName, input, { pieces = true, whole = true, ...more } = {}) {
  const deltas = input.match(/.{1,5}/gsu) ?? [];
  return [
    ...(pieces
      ? [
          { type: "tool-input-start", id, toolName, ...more },
          ...deltas.map((delta) => ({ type: "tool-input-delta", id, delta })),
          ...(whole ? [{ type: "tool-input-end", id }] : []),
        ]
      : []),
    ...(whole ? [{ type: "tool-call", toolCallId: id, toolName, input, ...more }] : []),
  ];
}

const interleaved = (...all) => {
  const queues = all.map((each) => [...each]);
  const mixed = [];
  while (queues.some((queue) => queue.length > 0))
    for (const queue of queues) if (queue.length > 0) mixed.push(queue.shift());
  return mixed;
};

/** Runs of a model: the chunks of its answer, the options of streamText, and the calls that are executed. */
const RUNS = {
  "one call": { chunks: called("1", "weather", '{"city":"Rome"}'), wanted: [["1", "weather", { city: "Rome" }]] },
  "a whole call": {
    chunks: called("1", "weather", '{"city":"Rome"}', { pieces: false }),
    wanted: [["1", "weather", { city: "Rome" }]],
  },
  "two calls at once": {
    chunks: interleaved(called("1", "weather", '{"city":"Rome"}'), called("2", "weather", '{"city":"Oslo"}')),
    wanted: [
      ["1", "weather", { city: "Rome" }],
      ["2", "weather", { city: "Oslo" }],
    ],
  },
  "an invalid call beside a valid one": {
    chunks: [...called("1", "weather", '{"city":7}'), ...called("2", "weather", '{"city":"Oslo"}')],
    wanted: [["2", "weather", { city: "Oslo" }]],
  },
  "an unknown tool": { chunks: called("1", "nothing", '{"city":"Rome"}'), wanted: [] },
  "damaged input": { chunks: called("1", "weather", '{"city":"Rome"'), wanted: [] },
  "a repaired call": {
    chunks: called("1", "weather", '{"town":"Rome"}'),
    repair: async ({ toolCall }) => ({ ...toolCall, input: toolCall.input.replace("town", "city") }),
    wanted: [["1", "weather", { city: "Rome" }]],
  },
  "a refined call": {
    chunks: called("1", "weather", '{"city":"rome"}'),
    options: { experimental_refineToolInput: { weather: ({ city }) => ({ city: city.toUpperCase() }) } },
    only: "7",
    wanted: [["1", "weather", { city: "ROME" }]],
  },
  "an input that the schema transforms": {
    chunks: called("1", "trim", '{"city":" Rome "}'),
    wanted: [["1", "trim", { city: "Rome" }]],
  },
  "a call that is cut off": {
    chunks: [...called("1", "weather", '{"city":"Ro', { whole: false }), finish("length")],
    wanted: [],
  },
  "a call that is cut off after its input": {
    chunks: [...called("1", "weather", '{"city":"Rome"}', { whole: false }), finish("length")],
    wanted: [],
  },
  "a dynamic call": { chunks: called("1", "any", '{"a":1}'), wanted: [["1", "any", { a: 1 }]] },
  "a call that the provider executes": {
    chunks: [
      ...called("1", "search", '{"q":"x"}', { providerExecuted: true, dynamic: true }),
      { type: "tool-result", toolCallId: "1", toolName: "search", result: { found: 1 } },
      ...called("2", "weather", '{"city":"Oslo"}'),
    ],
    wanted: [["2", "weather", { city: "Oslo" }]],
  },
  "a call without arguments": { chunks: called("1", "any", "{}"), wanted: [["1", "any", {}]] },
};

async function collected(stream) {
  const items = [];
  for await (const item of stream) items.push(item);
  return items;
}

const names = ["weather", "trim", "any", "search", "nothing"];

async function runWith(sdk, { chunks, options, repair }) {
  const executed = [];
  const execute =
    (name) =>
    async (input, { toolCallId }) => {
      executed.push([toolCallId, name, input]);
      return "ok";
    };
  const city = z.object({ city: z.string() });
  const tools = {
    weather: sdk.tool({ description: "", inputSchema: city, execute: execute("weather") }),
    trim: sdk.tool({ description: "", inputSchema: z.object({ city: z.string().trim() }), execute: execute("trim") }),
    any: sdk.dynamicTool({ description: "", inputSchema: z.looseObject({}), execute: execute("any") }),
  };
  const answer = [{ type: "stream-start", warnings: [] }, ...chunks];
  const end = chunks.at(-1)?.type === "finish" ? [] : [finish("tool-calls")];
  const model = new sdk.Model({
    doStream: async () => ({ stream: sdk.simulateReadableStream({ chunks: [...answer, ...end] }) }),
  });
  const settings = { ...options, ...(repair && sdk.repairing(repair)) };
  const result = sdk.streamText({ model, tools, prompt: "Go.", onError: () => {}, ...settings });
  const [parts, uiParts] = await Promise.all(sdk.streams(result).map(collected));
  return { executed, parts, uiParts };
}

function callsIn(parts) {
  const stream = new NativeCallStream({ format: "ai-sdk", tools: names.map((name) => ({ name, fields: {} })) });
  const events = parts.flatMap((part) => stream.push(part)).concat(stream.end());
  stream.dispose();
  return events.flatMap(({ call }) => (call ? [[call.id, call.tool, call.args]] : []));
}

const ordered = (calls) => [...calls].sort(([one], [other]) => (one < other ? -1 : 1));

for (const [version, sdk] of Object.entries(SDKS)) {
  for (const [name, run] of Object.entries(RUNS)) {
    if (run.only !== undefined && run.only !== version) continue;
    test(`AI SDK ${version}: ${name}`, async () => {
      const { executed, parts, uiParts } = await runWith(sdk, run);
      assert.deepEqual(ordered(executed), run.wanted);
      assert.deepEqual(ordered(callsIn(parts)), run.wanted);
      assert.deepEqual(ordered(callsIn(uiParts)), run.wanted);
    });
  }
}
