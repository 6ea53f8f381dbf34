// Tool blocks through the JavaScript API: the same tables as tests/block.rs, and what only JavaScript has.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  GenuiPatchError,
  parseToolCalls,
  ToolBlockStream,
  ToolCallStream,
  toolBlockTransform,
  validateToolBlock,
} from "genui-patch";
import { joined } from "../support/events.mjs";
import { each } from "../support/streams.mjs";

const fixture = (name) => JSON.parse(readFileSync(new URL(`../fixtures/block/${name}.json`, import.meta.url), "utf8"));
const rows = (name) => {
  return fixture(name).map((row) => ({ ...row, text: row.text.replaceAll("{{deep}}", "[".repeat(100_000)) }));
};

/** The size of the pieces of a text in UTF-16 units, which may separate a surrogate pair; `0` for one piece. */
const CUTS = [0, 1, 2, 3, 7, 64];

function cut(text, size) {
  if (size === 0) return [text];
  const pieces = [];
  for (let place = 0; place < text.length; place += size) pieces.push(text.slice(place, place + size));
  return pieces;
}

function open(options = {}) {
  return options.tool === undefined ? new ToolBlockStream(options) : new ToolCallStream(options);
}

function run(pieces, options) {
  const stream = open(options);
  const events = pieces.flatMap((piece) => stream.push(piece)).concat(stream.end());
  stream.dispose();
  return events;
}

/** Whether a value matches a row: of objects only the keys that the row lists are compared; `null` means absent. */
function fits(wanted, value) {
  if (Array.isArray(wanted))
    return Array.isArray(value) && wanted.length === value.length && wanted.every((item, at) => fits(item, value[at]));
  if (wanted === null || typeof wanted !== "object") return wanted === (value ?? null);
  if (value === null || typeof value !== "object") return false;
  return Object.entries(wanted).every(([key, item]) => fits(item, value[key]));
}

function assertFits(wanted, value, what) {
  assert.ok(fits(wanted, value), `${what}: ${JSON.stringify(value, null, 1)}`);
}

test("stream.json, and the streams of tools.json", () => {
  const table = [...rows("stream"), ...rows("tools").filter((row) => row.events)];
  assert.ok(table.length >= 110);
  for (const { name, text, options, events } of table) {
    for (const size of CUTS) assertFits(events, joined(run(cut(text, size), options)), `${name}, in pieces of ${size}`);
    const bytes = new TextEncoder().encode(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 3) }, (_, at) => bytes.subarray(3 * at, 3 * at + 3));
    assertFits(events, joined(run(pieces, options)), `${name}, in bytes`);
  }
});

test("validate.json, and the reports of tools.json", () => {
  const table = [...rows("validate"), ...rows("tools").filter((row) => row.report)];
  assert.ok(table.length >= 80);
  for (const { name, text, options, report } of table) {
    const actual = validateToolBlock(text, options);
    assertFits(report, actual, name);
    assert.equal(actual.isValid, actual.call !== undefined || actual.calls !== undefined, name);
  }
});

test("definitions.json: a wrong definition throws, and the message names the place", () => {
  for (const { tools, error } of fixture("definitions")) {
    const is = (thrown) => thrown.code === "INVALID_ARGUMENT" && thrown.message.includes(error);
    assert.throws(() => validateToolBlock("", { tools }), is, error);
    assert.throws(() => parseToolCalls("", { tools }), is, error);
    assert.throws(() => new ToolBlockStream({ tools }), is, error);
    assert.throws(() => new ToolCallStream({ tool: "a", tools }), is, error);
  }
});

const CONTENT = '# Title\n\n```json\n{}\n```\n\té😀 "q" \\d\r\n';
const BLOCK = `\`\`\`json\n${JSON.stringify({ tool: "write_file", path: "a.md", content: CONTENT, x: { __proto__: null } })}\n\`\`\``;

test("a call shares its texts with its arguments and has the declared shape", () => {
  const [block] = run([`Hi\n${BLOCK}\nBye`]).filter((event) => event.type === "json-tool-block");
  assert.deepEqual(block.call, {
    id: "tool_1",
    tool: "write_file",
    path: "a.md",
    content: CONTENT,
    args: { tool: "write_file", path: "a.md", content: CONTENT, x: {} },
    status: "detected",
  });
  assert.equal(block.raw, BLOCK);
  assert.equal(block.content, BLOCK);
  assert.deepEqual(Object.keys(block).sort(), [
    "call",
    "content",
    "corrected",
    "errors",
    "fixes",
    "issues",
    "path",
    "raw",
    "start",
    "status",
    "toolId",
    "toolType",
    "type",
    "validationPassed",
  ]);
  const report = validateToolBlock(BLOCK);
  assert.equal(report.call.args, report.parsedJson);
  assert.deepEqual(report.call, block.call);
});

test("an edit has its texts in both places", () => {
  const edit = { old_string: "a\n", new_string: "b\u00e9", more: 1 };
  const text = JSON.stringify({ tool: "edit_file", path: "a", search_replace: edit });
  for (const call of [validateToolBlock(text).call, run([text]).at(-1).call]) {
    assert.deepEqual(call.search_replace, { old_string: "a\n", new_string: "b\u00e9" });
    assert.deepEqual(call.args.search_replace, edit);
  }
});

test("values are those of JSON.parse, and no prototype changes", () => {
  const json =
    '{"tool":"delete_file","path":"a","__proto__":{"x":1},"n":[1e400,-1e400,12345678901234567890],"constructor":"c"}';
  const { call, parsedJson } = validateToolBlock(json);
  const streamed = run([`\`\`\`json\n${json}\n\`\`\``]).at(-1).call;
  for (const value of [call.args, parsedJson, streamed.args]) {
    assert.deepEqual(value, JSON.parse(json));
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.ok(Object.hasOwn(value, "__proto__"));
  }
});

test("text comes out at once, except for a possible fence", () => {
  const stream = new ToolBlockStream();
  assert.deepEqual(stream.push("Hello"), [{ type: "text", text: "Hello" }]);
  assert.deepEqual(stream.push("\n  "), [{ type: "text", text: "\n  " }]);
  assert.deepEqual(stream.push("``"), []);
  assert.deepEqual(stream.push("x"), [{ type: "text", text: "``x" }]);
  assert.deepEqual(stream.push("\n```json\n{"), [{ type: "text", text: "\n" }]);
  assert.deepEqual(stream.push('"tool": "write_file'), []);
  assert.equal(stream.push('", "path').length, 1);
  assert.deepEqual(
    stream.end().map((event) => event.type),
    ["json-tool-block"],
  );
});

test("deltas: one per push, whole characters, lengths in UTF-16 units", () => {
  const stream = new ToolBlockStream({ contentDeltas: true });
  stream.push('```json\n{"tool":"write_file","path":"a","content":"');
  const delta = (text, length) => [
    { type: "json-tool-delta", toolId: "tool_1", index: 0, field: "content", delta: text, length },
  ];
  assert.deepEqual(stream.push("ab"), delta("ab", 2));
  assert.deepEqual(stream.push("cd"), delta("cd", 4));
  assert.deepEqual(stream.push("\\"), []);
  assert.deepEqual(stream.push("nx\\t"), delta("\nx\t", 7));
  assert.deepEqual(stream.push("\ud83d"), []);
  assert.deepEqual(stream.push("\ude00!"), delta("😀!", 10));
  assert.deepEqual(stream.push("\\ud83d"), []);
  assert.deepEqual(stream.push("\\ude00é"), delta("😀é", 13));
  const long = "long text ".repeat(10);
  assert.deepEqual(stream.push(long), delta(long, 113));
  assert.deepEqual(stream.push(`${long}\\n`), delta(`${long}\n`, 214));
  stream.push('"}\n```');
  assert.equal(stream.end()[0].call.content.length, 214);
});

test("lone surrogates are U+FFFD everywhere", () => {
  const text = 'a\ud83d b\n```json\n{"tool":"write_file","path":"a","content":"x\ude00y"}\n```\n\ud83d';
  const clean = text.toWellFormed();
  const long = "z".repeat(40);
  for (const size of CUTS) {
    const events = joined(run(cut(text + long, size), { contentDeltas: true }));
    assert.equal(events.map((event) => event.raw ?? event.text ?? "").join(""), clean + long);
    assert.equal(events.find((event) => event.call).call.content, "x\ufffdy");
    assert.equal(events.find((event) => event.delta).delta, "x\ufffdy");
  }
  assert.deepEqual(run(["\ud83d"]), [{ type: "text", text: "\ufffd" }]);
});

test("strings and bytes may be mixed", () => {
  const bytes = new TextEncoder().encode("😀");
  assert.equal(
    joined(run(["a\ud83d", bytes.subarray(0, 2), "b", bytes]))
      .map((event) => event.text)
      .join(""),
    "a\ufffd\ufffdb😀",
  );
  assert.deepEqual(joined(run([bytes.subarray(0, 3)])), [{ type: "text", text: "\ufffd" }]);
  assert.deepEqual(joined(run([new TextEncoder().encode("\ufeffa")])), [{ type: "text", text: "\ufeffa" }]);
});

test("parseToolCalls", () => {
  const one = '```json\n{"tool":"delete_file","path":"a"}\n```';
  const bad = '```json\n{"tool":"delete_file"}\n```';
  const two = '```json\n[{"tool":"delete_file","path":"b"},{"tool":"delete_file","path":"c"}]\n```';
  const text = `é${"\n"}${one} \n${bad}\n${two}\nend`;
  const parsed = parseToolCalls(text);
  assert.deepEqual(
    parsed.calls.map((call) => call.path),
    ["a", "b", "c"],
  );
  assert.equal(parsed.text, "é\n \n\n\nend");
  assert.deepEqual(
    parsed.blocks.map(({ start, end }) => text.slice(start, end)),
    [one, bad, two],
  );
  assert.deepEqual(
    parsed.blocks.map(({ call, calls }) => [call?.path, calls?.length]),
    [
      ["a", undefined],
      [undefined, undefined],
      [undefined, 2],
    ],
  );
  assert.deepEqual(
    parsed.issues.map((issue) => issue.code),
    ["MISSING_PATH"],
  );
  assert.deepEqual(parseToolCalls("x"), { calls: [], blocks: [], text: "x", issues: [] });
});

test("toolBlockTransform", async () => {
  const source = new ReadableStream({
    start(controller) {
      for (const piece of cut(`Hi\n${BLOCK}`, 5)) controller.enqueue(piece);
      controller.close();
    },
  });
  const events = [];
  for await (const event of each(source.pipeThrough(toolBlockTransform({ contentDeltas: true })))) events.push(event);
  assert.deepEqual(joined(events), joined(run([`Hi\n${BLOCK}`], { contentDeltas: true })));
  const reader = new ReadableStream({ pull: (controller) => controller.enqueue("x") })
    .pipeThrough(toolBlockTransform())
    .getReader();
  await reader.read();
  await reader.cancel();
});

test("ToolCallStream puts its toolId into all events", () => {
  const stream = new ToolCallStream({ tool: "delete_file", toolId: "call_7" });
  const events = stream.push('{"path":"a"}').concat(stream.end());
  assert.deepEqual(
    events.map((event) => event.toolId),
    ["call_7", "call_7", "call_7"],
  );
  assert.equal(events.at(-1).call.id, "call_7");
  const several = new ToolCallStream({ tool: "delete_file", toolId: "call_7" });
  assert.deepEqual(
    several
      .push('[{"path":"a"},{"path":"b"}]')
      .concat(several.end())
      .at(-1)
      .calls.map(({ id, path }) => [id, path]),
    [
      ["call_7", "a"],
      ["call_7_2", "b"],
    ],
  );
});

const misuse =
  (message, code = "INVALID_ARGUMENT") =>
  (error) =>
    error instanceof GenuiPatchError && error.code === code && message.test(error.message);

test("misuse throws, the text of a model never does", () => {
  assert.throws(() => validateToolBlock(7), misuse(/must be a string/));
  assert.throws(() => validateToolBlock("", { policy: { off: ["nothing"] } }), misuse(/nothing/));
  assert.throws(() => validateToolBlock("", { limits: { maxDept: 1 } }), misuse(/maxDept/));
  assert.throws(() => new ToolBlockStream({ contentDeltas: "yes" }), misuse(/contentDeltas/));
  assert.throws(() => new ToolBlockStream({ policy: { roots: [() => {}] } }), misuse(/function/));
  assert.throws(() => new ToolCallStream({}), misuse(/tool must be a string/));
  assert.throws(() => new ToolCallStream(), misuse(/tool must be a string/));
  const stream = new ToolBlockStream();
  for (const piece of [7, null, undefined, {}, [1]])
    assert.throws(() => stream.push(piece), misuse(/string or Uint8Array/));
  assert.deepEqual(stream.push(""), []);
  assert.deepEqual(stream.push(new Uint8Array()), []);
  assert.deepEqual(stream.end(), []);
  assert.deepEqual(stream.end(), []);
  assert.throws(() => stream.push("x"), misuse(/after end/));
  stream.dispose();
  stream.dispose();
  const other = new ToolBlockStream();
  other[Symbol.dispose ?? "dispose"]();
  assert.throws(() => other.push("x"), misuse(/disposed/, "DISPOSED"));
  for (const text of ["", "{", "```json", "\0", "\ud800", '```json\n{"tool":', "[".repeat(1e5)]) {
    assert.equal(validateToolBlock(text).isValid, false);
    assert.deepEqual(parseToolCalls(text).calls, []);
  }
});

test("streams are independent, and a long stream uses little memory", () => {
  const a = new ToolBlockStream({ contentDeltas: true });
  const b = new ToolBlockStream({ contentDeltas: true });
  const start = '```json\n{"tool":"write_file","path":"a","content":"';
  a.push(`${start}1`);
  b.push(`x\n${start}2`);
  assert.equal(a.push("3")[0].length, 2);
  assert.equal(b.push("4")[0].delta, "4");
  const text = "some text, and { braces } and `ticks`\n".repeat(1000);
  const before = process.memoryUsage().arrayBuffers;
  const long = new ToolBlockStream();
  for (let round = 0; round < 300; round++) assert.equal(long.push(text).length, 1);
  assert.ok(process.memoryUsage().arrayBuffers - before < 4e6);
  for (const stream of [a, b, long]) stream.dispose();
});
