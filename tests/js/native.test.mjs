// Native tool calls from the chunks of providers, in the shapes that they document.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { GenuiPatchError, NativeCallStream } from "genui-patch";

const rows = JSON.parse(readFileSync(new URL("../fixtures/native.json", import.meta.url), "utf8"));

function run(chunks, options) {
  const stream = new NativeCallStream(options);
  const events = chunks.flatMap((chunk) => stream.push(chunk)).concat(stream.end());
  assert.deepEqual(stream.end(), []);
  stream.dispose();
  return events;
}

const blocks = (events) => events.filter((event) => event.type === "json-tool-block");

for (const { name, format, chunks, calls } of rows) {
  test(name, () => {
    const events = run(chunks, { format, contentDeltas: true });
    const found = blocks(events).map(({ call: { id, tool, path, content } }) => ({ id, tool, path, content }));
    const order = (a, b) => b.id.localeCompare(a.id);
    assert.deepEqual(found.sort(order), calls.map((call) => ({ content: undefined, ...call })).sort(order));
    for (const { id, content = "" } of calls) {
      const own = events.filter((event) => event.toolId === id);
      assert.equal(own.map((event) => event.delta ?? "").join(""), content);
      assert.deepEqual(own.map((event) => event.type).at(-1), "json-tool-block");
      assert.deepEqual(
        own.filter((event) => event.type === "json-tool-status").map((event) => event.path),
        [null, calls.find((call) => call.id === id).path],
      );
    }
  });

  test(`${name}, cut off: no call that is not whole`, () => {
    for (let length = 0; length < chunks.length; length++) {
      const found = blocks(run(chunks.slice(0, length), { format }));
      for (const { call, status, toolId } of found) {
        const whole = calls.find((own) => own.id === toolId);
        if (call) assert.deepEqual([call.path, call.content], [whole.path, whole.content]);
        else assert.equal(status, "truncated");
      }
    }
  });
}

test("a call in chunks of AG-UI ends with the text that comes next", () => {
  const stream = new NativeCallStream({ format: "ag-ui" });
  stream.push({
    type: "TOOL_CALL_CHUNK",
    toolCallId: "c",
    toolCallName: "delete_file",
    delta: '{"path":"a"}',
  });
  const events = stream.push({ type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "Done." });
  assert.equal(blocks(events)[0].call.path, "a");
  stream.dispose();
});

test("a call without arguments has the empty object, unless it was cut off", () => {
  const tools = [{ name: "list_files", fields: {} }];
  const start = {
    type: "content_block_start",
    index: 0,
    content_block: { type: "tool_use", id: "t", name: "list_files", input: {} },
  };
  const stop = { type: "content_block_stop", index: 0 };
  assert.deepEqual(blocks(run([start, stop], { format: "anthropic", tools }))[0].call.args, {});
  assert.equal(blocks(run([start], { format: "anthropic", tools }))[0].status, "truncated");
  const item = { type: "function_call", id: "f", call_id: "t", name: "list_files", arguments: "" };
  const responses = [
    { type: "response.output_item.added", item },
    { type: "response.function_call_arguments.done", item_id: "f", arguments: "" },
  ];
  assert.deepEqual(blocks(run(responses, { format: "openai-responses", tools }))[0].call.args, {});
});

test("a call of which no arguments arrived before the answer was cut off is none", () => {
  const tools = [{ name: "list_files", fields: {} }];
  const call = { index: 0, id: "t", type: "function", function: { name: "list_files", arguments: "" } };
  const chat = (finish_reason) => [
    { choices: [{ index: 0, delta: { tool_calls: [call] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason }] },
  ];
  for (const [reason, status] of [
    ["tool_calls", "complete"],
    ["stop", "complete"],
    ["length", "truncated"],
    ["content_filter", "truncated"],
  ])
    assert.equal(blocks(run(chat(reason), { format: "openai-chat", tools }))[0].status, status, reason);
});

test("arguments that the AI SDK found wrong are those that the model sent", () => {
  const part = { toolCallId: "t", toolName: "list_files" };
  const tools = [{ name: "list_files", fields: {} }];
  const start = { type: "tool-input-start", ...part };
  for (const before of [[], [start]]) {
    const wrong = (input) => {
      const chunks = [...before, { type: "tool-input-error", ...part, input, errorText: "Invalid." }];
      return blocks(run(chunks, { format: "ai-sdk", tools }))[0];
    };
    assert.deepEqual(wrong("{dir: 'a',}").call.args, { dir: "a" });
    assert.deepEqual(wrong({ dir: 7 }).call.args, { dir: 7 });
    for (const input of ["{", "[", undefined]) assert.equal(wrong(input).call, undefined);
  }
});

test("what a provider sends never throws", () => {
  const odd = [
    {},
    [],
    { type: 7 },
    { type: "toString" },
    { type: "__proto__" },
    { choices: 7 },
    { choices: [null, { delta: { tool_calls: [null, {}] } }] },
  ];
  const broken = [
    { type: "tool-input-start" },
    { type: "tool-input-delta", id: "x", delta: "{" },
    { type: "tool-input-end", id: "x" },
    { type: "content_block_start", index: 0, content_block: null },
    { type: "content_block_delta", index: 0 },
    { type: "response.output_item.added" },
    { type: "TOOL_CALL_ARGS", toolCallId: 7, delta: 7 },
  ];
  for (const format of ["ai-sdk", "openai-chat", "openai-responses", "anthropic", "ag-ui"])
    assert.deepEqual(run([...odd, ...broken], { format }), []);
});

test("misuse throws", () => {
  const misuse = (message) => (error) =>
    error instanceof GenuiPatchError && error.code === "INVALID_ARGUMENT" && message.test(error.message);
  for (const [options, message] of [
    [undefined, /plain object/],
    [{}, /format must be one of openai-chat, ai-sdk/],
    [{ format: "toString" }, /format must be one of/],
    [{ format: "ag-ui", tool: "write_file" }, /no "tool"/],
    [{ format: "ag-ui", contentDeltas: 1 }, /contentDeltas/],
    [{ format: "ag-ui", tools: [{}] }, /tools\[0\]\.name/],
  ])
    assert.throws(() => new NativeCallStream(options), misuse(message));
  const stream = new NativeCallStream({ format: "ag-ui" });
  for (const chunk of ["data: {}", 7, null, undefined])
    assert.throws(() => stream.push(chunk), misuse(/chunk must be/));
  stream.dispose();
  stream.dispose();
});
