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

  test(`${name}, cut off: no incomplete call`, () => {
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

test("a call in chunks of AG-UI ends with the next text", () => {
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

test("a call without arguments has an empty object, unless it was cut off", () => {
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

test("a call that was cut off before its arguments is not executed", () => {
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

test("a call that the AI SDK rejects is reported with its reason, and not made", () => {
  const part = { toolCallId: "t", toolName: "list_files" };
  const tools = [{ name: "list_files", fields: {} }];
  const start = { type: "tool-input-start", ...part };
  for (const before of [
    [],
    [start],
    [start, { type: "tool-input-delta", toolCallId: "t", inputTextDelta: '{"dir":7}' }],
  ]) {
    for (const input of ["{dir: 'a',}", { dir: 7 }, "{", undefined]) {
      for (const rejected of [
        { type: "tool-input-error", ...part, input, errorText: "Not so." },
        { type: "tool-call", ...part, input, invalid: true, error: new Error("Not so.") },
      ]) {
        const found = blocks(run([...before, rejected], { format: "ai-sdk", tools }));
        assert.deepEqual(
          found.map(({ call, toolId, errors, validationPassed }) => [call, toolId, errors, validationPassed]),
          [[undefined, "t", ["Not so."], false]],
        );
      }
    }
  }
});

test("the AI SDK's finished input replaces what the deltas said, and without it no call is made", () => {
  const part = { toolCallId: "t", toolName: "list_files" };
  const tools = [{ name: "list_files", fields: {} }];
  const begun = [
    { type: "tool-input-start", ...part },
    { type: "tool-input-delta", toolCallId: "t", inputTextDelta: '{"dir":"a"}' },
    { type: "tool-input-end", id: "t" },
  ];
  const made = (...chunks) => blocks(run([...begun, ...chunks], { format: "ai-sdk", tools }));
  for (const type of ["tool-input-available", "tool-call"]) {
    assert.deepEqual(made({ type, ...part, input: { dir: "b" } })[0].call.args, { dir: "b" });
    assert.deepEqual(made({ type, ...part, input: { dir: "a" } })[0].call.args, { dir: "a" });
    assert.deepEqual(made({ type, ...part, input: { dir: "b" } }, { type, ...part, input: { dir: "c" } }).length, 1);
    assert.deepEqual(made({ type, ...part, input: { dir: "b" }, providerExecuted: true }), []);
  }
  assert.deepEqual(
    made().map(({ call, status }) => [call, status]),
    [[undefined, "truncated"]],
  );
  for (const type of ["ping", "steering-message", "finish-step", "data-x"])
    assert.equal(made({ type, id: "t" }, { type: "tool-call", ...part, input: {} }).length, 1);
  // A step that is tried again may send the same id again.
  const again = made({ type: "reset-step" }, ...begun, { type: "tool-input-available", ...part, input: { dir: "c" } });
  assert.deepEqual(
    again.map(({ call }) => call?.args),
    [undefined, { dir: "c" }],
  );
});

test("calls that the provider executes are none of the page's", () => {
  const part = { toolCallId: "t", toolName: "write_file", providerExecuted: true };
  const deltas = { type: "tool-input-delta", toolCallId: "t", inputTextDelta: '{"path":"a","content":""}' };
  for (const chunks of [
    [{ type: "tool-input-start", ...part }, deltas, { type: "tool-input-available", ...part, input: {} }],
    [{ type: "tool-call", ...part, input: {} }],
    [{ type: "tool-input-start", ...part }, deltas, { type: "tool-input-end", id: "t" }],
    [{ type: "tool-input-error", ...part, input: {}, errorText: "x" }],
  ])
    assert.deepEqual(run(chunks, { format: "ai-sdk" }), []);
});

test("the chunks of a provider never throw", () => {
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
  for (const format of FORMATS) {
    assert.deepEqual(run(odd, { format }), []);
    // Arguments without the name of a call are reported, and not executed.
    for (const block of blocks(run([...odd, ...broken], { format }))) {
      assert.equal(format, "ai-sdk");
      assert.deepEqual([block.raw, block.call, block.issues[0].severity], ["{", undefined, "error"]);
    }
  }
});

const FORMATS = ["ai-sdk", "openai-chat", "openai-responses", "anthropic", "ag-ui", "gemini", "ollama"];
const args = { path: "a.txt", content: 'é\n"x"' };
const text = JSON.stringify(args);
const chat = (...calls) => ({ choices: [{ index: 0, delta: { tool_calls: calls } }] });
const finish = (finish_reason = "tool_calls") => ({ choices: [{ index: 0, delta: {}, finish_reason }] });
const write = (rest) => ({ function: { name: "write_file", arguments: text }, ...rest });
const part = (functionCall) => ({ candidates: [{ content: { parts: [{ text: "So." }, { functionCall }] } }] });

/** Calls that providers and servers write in other ways, and the ids of the executed calls. */
const shapes = [
  ["openai-chat", "no id", ["call_1"], chat(write({ index: 0 })), finish()],
  ["openai-chat", "id null", ["call_1"], chat(write({ index: 0, id: null })), finish()],
  ["openai-chat", "an empty id", ["call_1"], chat(write({ index: 0, id: "" })), finish()],
  ["openai-chat", "an id that is a number", ["7"], chat(write({ index: 0, id: 7 })), finish()],
  ["openai-chat", "no id, no index, and no finish", ["call_1"], chat(write())],
  ["openai-chat", "two in one chunk, without ids and indexes", ["call_1", "call_2"], chat(write(), write()), finish()],
  [
    "openai-chat",
    "two in two chunks, without ids and indexes",
    ["call_1", "call_2"],
    chat(write()),
    chat(write()),
    finish(),
  ],
  [
    "openai-chat",
    "two of index 0 without ids",
    ["call_1", "call_2"],
    chat(write({ index: 0 })),
    chat(write({ index: 0 })),
    finish(),
  ],
  [
    "openai-chat",
    "an id that comes after the name",
    ["late"],
    chat({ index: 0, function: { name: "write_file", arguments: text.slice(0, 9) } }),
    chat({ index: 0, id: "late", function: { arguments: text.slice(9) } }),
    finish(),
  ],
  [
    "openai-chat",
    "a name that comes after the arguments",
    ["c"],
    chat({ index: 0, function: { arguments: text } }),
    chat({ index: 0, id: "c", function: { name: "write_file" } }),
    finish(),
  ],
  [
    "openai-chat",
    "the id in the first piece only, null behind it (vLLM)",
    ["chatcmpl-tool-1"],
    chat({ index: 0, id: "chatcmpl-tool-1", type: "function", function: { name: "write_file", arguments: null } }),
    chat({ index: 0, id: null, function: { name: null, arguments: text.slice(0, 5) } }),
    chat({ index: 0, id: "", function: { name: "", arguments: text.slice(5) } }),
    finish(),
  ],
  [
    "openai-chat",
    "the name in every piece, without an id",
    ["call_1"],
    chat({ index: 0, function: { name: "write_file", arguments: text.slice(0, 5) } }),
    chat({ index: 0, function: { name: "write_file", arguments: text.slice(5) } }),
    finish(),
  ],
  [
    "openai-chat",
    "arguments as an object (Mistral, Ollama)",
    ["D681PevKs"],
    chat(write({ id: "D681PevKs", index: 0, function: { name: "write_file", arguments: args } })),
    finish(),
  ],
  [
    "openai-chat",
    "arguments as an object, cut off behind them",
    ["o"],
    chat(write({ id: "o", index: 0, function: { name: "write_file", arguments: args } })),
    finish("length"),
  ],
  [
    "openai-chat",
    "arguments as an object, and no finish",
    ["call_1"],
    chat(write({ function: { name: "write_file", arguments: args } })),
  ],
  [
    "openai-chat",
    "the older function_call",
    ["call_1"],
    { choices: [{ index: 0, delta: { role: "assistant", function_call: { name: "write_file", arguments: "" } } }] },
    { choices: [{ index: 0, delta: { function_call: { arguments: text.slice(0, 7) } } }] },
    { choices: [{ index: 0, delta: { function_call: { arguments: text.slice(7) } } }] },
    finish("function_call"),
  ],
  [
    "openai-chat",
    "a whole answer",
    ["w"],
    { choices: [{ index: 0, message: { tool_calls: [write({ id: "w" })] }, finish_reason: "tool_calls" }] },
  ],
  [
    "openai-chat",
    "a whole answer with a function_call",
    ["call_1"],
    { choices: [{ index: 0, message: { function_call: write().function }, finish_reason: "function_call" }] },
  ],
  [
    "openai-chat",
    "arguments encoded twice",
    ["t"],
    chat(write({ id: "t", index: 0, function: { name: "write_file", arguments: JSON.stringify(text) } })),
    finish(),
  ],
  [
    "openai-responses",
    "no ids",
    ["call_1"],
    { type: "response.output_item.added", output_index: 0, item: { type: "function_call", name: "write_file" } },
    { type: "response.function_call_arguments.delta", output_index: 0, delta: text },
    { type: "response.function_call_arguments.done", output_index: 0, arguments: text },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { type: "function_call", name: "write_file", arguments: text },
    },
    {
      type: "response.completed",
      response: { output: [{ type: "function_call", name: "write_file", arguments: text }] },
    },
  ],
  [
    "openai-responses",
    "no call_id, and arguments as an object",
    ["fc_1", "fc_2"],
    {
      type: "response.output_item.done",
      item: { type: "function_call", id: "fc_1", name: "write_file", arguments: args },
    },
    {
      type: "response.output_item.done",
      item: { type: "function_call", id: "fc_2", name: "write_file", arguments: args },
    },
  ],
  [
    "anthropic",
    "id null, and a delta that is an object",
    ["call_1"],
    {
      type: "content_block_start",
      index: 1,
      content_block: { type: "tool_use", id: null, name: "write_file", input: {} },
    },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: args } },
    { type: "content_block_stop", index: 1 },
  ],
  [
    "anthropic",
    "no index",
    ["toolu_1"],
    { type: "content_block_start", content_block: { type: "tool_use", id: "toolu_1", name: "write_file", input: {} } },
    { type: "content_block_delta", delta: { type: "input_json_delta", partial_json: text } },
    { type: "content_block_stop" },
  ],
  [
    "anthropic",
    "an input that is whole, and no stop",
    ["toolu_1"],
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "tool_use", id: "toolu_1", name: "write_file", input: args },
    },
  ],
  [
    "gemini",
    "without an id",
    ["call_1", "call_2"],
    part({ name: "write_file", args }),
    part({ name: "write_file", args }),
  ],
  ["gemini", "with an id", ["g"], part({ id: "g", name: "write_file", args })],
  [
    "ollama",
    "as it streams",
    ["call_1", "call_2"],
    {
      model: "m",
      message: {
        role: "assistant",
        content: "",
        tool_calls: [
          { function: { index: 0, name: "write_file", arguments: args } },
          { function: { index: 1, name: "write_file", arguments: args } },
        ],
      },
      done: false,
    },
    { message: { content: "" }, done: true },
  ],
  [
    "ai-sdk",
    "ids that are numbers",
    ["1"],
    { type: "tool-input-start", id: 1, toolName: "write_file" },
    { type: "tool-input-delta", id: 1, delta: text },
    { type: "tool-input-end", id: 1 },
    { type: "tool-call", toolCallId: 1, toolName: "write_file", input: args },
  ],
  [
    "ai-sdk",
    "two calls without ids",
    ["call_1", "call_2"],
    { type: "tool-call", toolName: "write_file", input: args },
    { type: "tool-call", toolCallId: null, toolName: "write_file", args: text },
  ],
  [
    "ai-sdk",
    "pieces without ids",
    ["call_1"],
    { type: "tool-input-start", toolName: "write_file" },
    { type: "tool-input-delta", delta: text },
    { type: "tool-input-end" },
  ],
  [
    "ag-ui",
    "a delta that is an object, and an id that is a number",
    ["3"],
    { type: "TOOL_CALL_START", toolCallId: 3, toolCallName: "write_file" },
    { type: "TOOL_CALL_ARGS", toolCallId: 3, delta: args },
    { type: "TOOL_CALL_END", toolCallId: 3 },
  ],
  [
    "ag-ui",
    "chunks without an id",
    ["call_1", "call_2"],
    { type: "TOOL_CALL_CHUNK", toolCallName: "write_file", delta: text },
    { type: "TOOL_CALL_CHUNK", toolCallId: null, toolCallName: "write_file", delta: text },
    { type: "RUN_FINISHED" },
  ],
];

/** The chunk with each of its texts of arguments cut in two, in every way in which its provider could split it. */
function* cuts(format, chunk) {
  const pieces = {
    "openai-chat": (chunk) =>
      chunk.choices?.[0]?.delta?.tool_calls?.[0]?.function ?? chunk.choices?.[0]?.delta?.function_call,
  };
  const called = pieces[format]?.(chunk);
  const whole = called?.arguments;
  if (typeof whole !== "string" || chunk.choices[0].delta.tool_calls?.length > 1) return;
  for (let at = 1; at < whole.length; at += 3) {
    const part = (arguments_, first) => {
      const copy = structuredClone(chunk);
      const own = pieces[format](copy);
      own.arguments = arguments_;
      if (!first) own.name = undefined;
      return copy;
    };
    yield [part(whole.slice(0, at), true), part(whole.slice(at), false)];
  }
}

const summary = (events) =>
  blocks(events).map(({ toolId, call, status, errors }) => [toolId, call?.id, call?.args, status, errors]);

for (const [format, name, ids, ...chunks] of shapes) {
  test(`${format}: ${name}`, () => {
    const events = run(chunks, { format, contentDeltas: true });
    assert.deepEqual(
      blocks(events).map(({ call }) => [call?.id, call?.tool, call?.args]),
      ids.map((id) => [id, "write_file", args]),
    );
    for (const id of ids) {
      const own = events.filter(({ toolId }) => toolId === id);
      assert.equal(own.at(-1).type, "json-tool-block");
      if (name !== "arguments encoded twice") assert.equal(own.map(({ delta = "" }) => delta).join(""), args.content);
    }
    const wanted = summary(events);
    for (const [place, chunk] of chunks.entries()) {
      for (const pair of cuts(format, chunk)) {
        const split = [...chunks.slice(0, place), ...pair, ...chunks.slice(place + 1)];
        assert.deepEqual(summary(run(split, { format })), wanted, JSON.stringify(split));
      }
    }
  });
}

test("null, empty or absent arguments are an empty object, cut anywhere; required fields are reported", () => {
  const tools = [{ name: "list_files", fields: {} }];
  const call = (name, pieces) => [
    chat({ index: 0, id: "c", function: { name } }),
    ...pieces.map((piece) => chat({ index: 0, function: { arguments: piece } })),
    finish(),
  ];
  for (const pieces of [[], [""], ["null"], ["n", "ul", "l"], [" nul", "l "], ["  "], [null], [{}], ["{", "}"]]) {
    const [block] = blocks(run(call("list_files", pieces), { format: "openai-chat", tools }));
    assert.deepEqual(block.call?.args, {}, JSON.stringify(pieces));
    const [missing] = blocks(run(call("delete_file", pieces), { format: "openai-chat", tools }));
    assert.equal(missing.call, undefined);
    assert.equal(missing.issues[0].code, "MISSING_PATH", JSON.stringify(pieces));
  }
  const whole = (input) => [{ type: "tool-call", toolCallId: "t", toolName: "list_files", input }];
  for (const input of [null, undefined, "", "null", {}])
    assert.deepEqual(blocks(run(whole(input), { format: "ai-sdk", tools }))[0].call.args, {});
});

test("generated ids are unique", () => {
  const chunks = [
    chat(write({ index: 0, id: "call_1" })),
    chat(write({ index: 1 })),
    chat(write({ index: 2 })),
    finish(),
  ];
  const ids = blocks(run(chunks, { format: "openai-chat" })).map(({ call }) => call.id);
  assert.deepEqual(ids, ["call_1", "call_2", "call_3"]);
});

test("a call without a name is reported and not executed", () => {
  for (const [format, ...chunks] of [
    ["openai-chat", chat({ index: 0, id: "x", function: { arguments: text } }), finish()],
    ["gemini", part({ args })],
    ["ollama", { message: { tool_calls: [{ function: { arguments: args } }] } }],
    ["ag-ui", { type: "TOOL_CALL_ARGS", toolCallId: "x", delta: text }],
    ["openai-responses", { type: "response.function_call_arguments.done", item_id: "i", arguments: text }],
  ]) {
    const [block, ...rest] = blocks(run(chunks, { format }));
    assert.deepEqual([block.call, block.issues[0].code, rest], [undefined, "UNKNOWN_TOOL", []], format);
    assert.equal(JSON.parse(block.raw).path, args.path);
  }
});

test("misuse throws", () => {
  const misuse = (message) => (error) =>
    error instanceof GenuiPatchError && error.code === "INVALID_ARGUMENT" && message.test(error.message);
  for (const [options, message] of [
    [undefined, /plain object/],
    [{}, /format must be one of openai, openai-responses, anthropic, gemini, ai-sdk, ag-ui, mcp, text, ollama/],
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
