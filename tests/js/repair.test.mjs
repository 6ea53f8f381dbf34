// Repair through the JavaScript API: the corpus of damaged blocks, JSON in general, and incomplete JSON.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  GenuiPatchError,
  parsePartialJson,
  repairJson,
  repairToolBlock,
  ToolBlockStream,
  ToolCallStream,
  validateToolBlock,
} from "genui-patch";
import { areMeant, calls, damaged } from "../support/damaged.mjs";
import { random } from "../support/random.mjs";

const rows = damaged();

function streamed(message, size, end) {
  const stream = new ToolBlockStream();
  const events = [];
  for (let at = 0; at < message.length; at += size) events.push(...stream.push(message.slice(at, at + size)));
  events.push(...stream.end(end));
  stream.dispose();
  return events;
}

test("damaged blocks: the intended call, or a refusal", () => {
  assert.ok(rows.length >= 450);
  for (const { table, name, message, want } of rows) {
    const { report, text, fixes } = repairToolBlock(message);
    const what = `${table}: ${name}`;
    assert.ok(areMeant(calls(report), want), `${what}: ${JSON.stringify(calls(report)).slice(0, 400)}`);
    // The repaired text is valid without further repair, and has the same report.
    assert.deepEqual(validateToolBlock(text), report, what);
    assert.deepEqual(repairToolBlock(text).fixes.length > 0 && report.isValid, false, what);
    assert.equal(fixes.length === 0, text === message, what);
    const size = message.length > 10_000 ? 4096 : 5;
    const blocks = streamed(message, size).filter((event) => event.type === "json-tool-block");
    assert.ok(areMeant(blocks.flatMap(calls), want), `${what}, streamed`);
  }
});

test("a repaired block in a stream", () => {
  const text = "Hi\n```json\n{tool: 'create_file', path: 'a.txt', content: \"x\ny\",}\n```\nBye";
  const events = streamed(text, 3);
  const block = events.find((event) => event.type === "json-tool-block");
  assert.deepEqual(block, {
    type: "json-tool-block",
    toolId: "tool_1",
    toolType: "create_file",
    path: "a.txt",
    status: "complete",
    start: 3,
    raw: text.slice(3, -4),
    content: '```json\n{\n  "tool": "write_file",\n  "path": "a.txt",\n  "content": "x\\ny"\n}\n```',
    validationPassed: false,
    corrected: true,
    correctedBy: "repair",
    errors: block.errors,
    issues: block.issues,
    fixes: block.fixes,
    call: {
      id: "tool_1",
      tool: "write_file",
      path: "a.txt",
      content: "x\ny",
      args: { tool: "write_file", path: "a.txt", content: "x\ny" },
      status: "detected",
    },
  });
  assert.equal(block.issues[0].code, "JSON_SYNTAX");
  const codes = block.fixes.map((fix) => fix.code);
  for (const code of ["UNQUOTED_KEY", "QUOTES", "CONTROL_CHARACTER", "TRAILING_COMMA", "TOOL_ALIAS"])
    assert.ok(codes.includes(code), code);
  const line = block.fixes.find((fix) => fix.code === "CONTROL_CHARACTER");
  assert.deepEqual(line.position, { offset: 48, line: 1, column: 49 });
  const after = events.slice(events.indexOf(block) + 1).map((event) => event.text);
  assert.equal(after.join(""), "\nBye");
  const strict = new ToolBlockStream({ repair: false });
  const [raw] = [...strict.push(text), ...strict.end()].filter((event) => event.type === "json-tool-block");
  assert.deepEqual([raw.corrected, raw.call, raw.content, raw.fixes], [false, undefined, raw.raw, []]);
});

test("the end of a message that is complete", () => {
  const text = '```json\n{"tool": "delete_file", "path": "a"';
  const [cut] = streamed(text, 5).slice(-1);
  assert.deepEqual([cut.status, cut.call, cut.corrected], ["truncated", undefined, false]);
  const [whole] = streamed(text, 5, { complete: true }).slice(-1);
  assert.deepEqual([whole.status, whole.call?.path, whole.corrected], ["complete", "a", true]);
  assert.equal(whole.content, `${text}}\n\`\`\``);
  assert.deepEqual(
    streamed('```json\n{"tool": "write_file", "path": "a", "content": "x', 5, { complete: true }).at(-1).status,
    "truncated",
  );
  assert.equal(repairToolBlock(text).report.isValid, false);
  assert.equal(repairToolBlock(text, { complete: true }).text, `${text}}\n\`\`\``);
});

test("a native call", () => {
  const stream = new ToolCallStream({ tool: "str_replace", toolId: "call_1" });
  const events = [...stream.push('{"file": "a", "old": "x",'), ...stream.push(' "new": "y\n",}'), ...stream.end()];
  const { call, content, corrected } = events.at(-1);
  assert.deepEqual(call.search_replace, { old_string: "x", new_string: "y\n" });
  assert.deepEqual([call.id, call.tool, corrected], ["call_1", "edit_file", true]);
  assert.deepEqual(JSON.parse(content), { path: "a", search_replace: { old_string: "x", new_string: "y\n" } });
});

/** Any JSON value, and its text with one of several layouts. */
function anyJson(numbers) {
  const any = (depth) => {
    const kind = numbers.below(depth > 3 ? 5 : 7);
    if (kind === 5) return numbers.list(4, () => any(depth + 1));
    if (kind === 6) return Object.fromEntries(numbers.list(4, () => [anyText(numbers), any(depth + 1)]));
    return [null, true, numbers.below(1e6) / 8, -0.5e-7, anyText(numbers)][kind];
  };
  return JSON.stringify(any(0), undefined, numbers.pick(["", " ", "\t"]));
}

const anyText = (numbers) =>
  numbers
    .list(6, () => numbers.pick(["a", "b c", '"', "\\", "\n", "é", "😀", ",", ":", "{", "}", "]", "'", "\\d", "```"]))
    .join("");

const PIECES = [
  ..."{}[],:\"'\\ \n01-.eEtfn/*#`“”",
  '"a":',
  "true",
  "None",
  "\\u00e9",
  "\\d",
  '","',
  '"}',
  "//",
  "\ufeff",
];

function mutated(text, numbers) {
  const units = [...text];
  for (let round = numbers.below(4); round >= 0; round--) {
    const at = numbers.below(units.length + 1);
    if (numbers.chance(0.5)) units.splice(at, numbers.below(3));
    else units.splice(at, numbers.below(2), numbers.pick(PIECES));
  }
  return units.join("");
}

function parsed(text) {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Damages to the tokens of JSON text that lose no information. */
const DAMAGES = [
  (tokens, pick) => put(tokens, pick, (token) => token === ":", " "),
  (tokens, pick) => put(tokens, pick, (token) => token === ",", "\n"),
  (tokens, pick) => put(tokens, pick, (token) => token === ",", ",,"),
  (tokens, pick) => put(tokens, pick, (token) => token === ",", ', // it\'s "quoted"\n'),
  (tokens, pick) =>
    put(
      tokens,
      pick,
      (token) => /^[[{:,]$/.test(token),
      (token) => `${token}/* c, "x": 1 */`,
    ),
  (tokens, pick) =>
    put(
      tokens,
      pick,
      (token, before) => /^[}\]]$/.test(token) && !/[[{]$/.test(before),
      (token) => `,${token}`,
    ),
  (tokens, pick) =>
    put(
      tokens,
      pick,
      (token) => /^"[^'\\]*"$/.test(token),
      (token) => `'${token.slice(1, -1)}'`,
    ),
  (tokens, pick) =>
    put(
      tokens,
      pick,
      (token) => /^"[^'\\]*"$/.test(token),
      (token) => `“${token.slice(1, -1)}”`,
    ),
  (tokens, pick) =>
    put(
      tokens,
      pick,
      (token) => /^"\w+"$/.test(token),
      (token, after) => (after === ":" ? token.slice(1, -1) : token),
    ),
  (tokens, pick) =>
    put(
      tokens,
      pick,
      (token) => /^(true|null)$/.test(token),
      (token) => ({ true: "True", null: "None" })[token],
    ),
  (tokens, pick) =>
    put(
      tokens,
      pick,
      (token) => token.includes("\\n"),
      (token) => token.replaceAll("\\n", "\n"),
    ),
  (tokens, pick) =>
    put(
      tokens,
      pick,
      (token) => token.includes('\\"'),
      (token) => token.replaceAll('\\"', '"'),
    ),
  (tokens) => tokens.push("]"),
  (tokens) => tokens.pop(),
];

/** Replaces one of the matching tokens. */
function put(tokens, pick, isMeant, other) {
  const places = [...tokens.keys()].filter((at) => isMeant(tokens[at], tokens[at - 1] ?? ""));
  const at = pick(places);
  if (at !== undefined) tokens[at] = typeof other === "string" ? other : other(tokens[at], tokens[at + 1]);
}

const VALUES = [
  "a",
  "hello world",
  "it's",
  "x, y",
  "{a:b}",
  "a: b",
  "",
  "true",
  "a\nb",
  'say "hi"',
  "// no",
  "[1,2]",
  "C:\\x",
];

function someJson({ below, pick, list }, depth = 0) {
  const kind = below(depth > 3 ? 4 : 8);
  const inner = () => someJson({ below, pick, list }, depth + 1);
  if (kind > 5 || depth === 0)
    return Object.fromEntries(list(4, () => [pick(["a", "name", "first name", "é", "0"]), inner()]));
  return kind > 3 ? list(4, inner) : kind === 3 ? pick([0, -2.5, 1e21, true, null]) : pick(VALUES);
}

test("JSON with one lossless damage is restored", () => {
  const numbers = random(23);
  const left = new Set(DAMAGES);
  for (let round = 0; round < 6000; round++) {
    const value = someJson(numbers);
    const sound = JSON.stringify(value, undefined, numbers.pick(["", "", "  "]));
    const tokens = sound.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+|\s+/g);
    const damage = numbers.pick(DAMAGES);
    damage(tokens, numbers.pick);
    const text = tokens.join("");
    if (text === sound) continue;
    left.delete(damage);
    const { ok, text: repaired } = repairJson(text, { complete: true });
    assert.ok(ok, JSON.stringify(text));
    assert.deepEqual(JSON.parse(repaired), value, JSON.stringify(text));
  }
  assert.equal(left.size, 0);
});

test("JSON is defined by JSON.parse, which accepts repaired text", () => {
  const numbers = random(7);
  let repaired = 0;
  for (let round = 0; round < 6000; round++) {
    const sound = anyJson(numbers);
    const text = round % 3 === 0 ? sound : mutated(sound, numbers);
    const truth = parsed(text);
    const result = repairJson(text);
    assert.equal(result.ok && result.fixes.length === 0, truth !== undefined, JSON.stringify(text));
    if (truth !== undefined || !result.ok) assert.equal(result.text, text);
    if (result.ok) assert.ok(parsed(result.text), JSON.stringify([text, result.text]));
    else assert.deepEqual(result.fixes, []);
    repaired += result.ok && !truth ? 1 : 0;
    // Repairing twice makes no further change.
    if (result.ok) assert.deepEqual(repairJson(result.text), { text: result.text, fixes: [], ok: true });
    const report = validateToolBlock(text);
    const syntax = report.issues.some((issue) => issue.code === "JSON_SYNTAX" || issue.code === "NO_BLOCK");
    assert.equal(!syntax, truth !== undefined, JSON.stringify(text));
  }
  assert.ok(repaired > 500, String(repaired));
});

test("a prefix of JSON is read to its end", () => {
  const numbers = random(11);
  for (let round = 0; round < 300; round++) {
    const text = anyJson(numbers);
    const whole = JSON.parse(text);
    for (let end = 0; end <= text.length; end++) {
      const { value, complete } = parsePartialJson(text.slice(0, end));
      if (end === text.length) assert.deepEqual({ value, complete }, { value: whole, complete: true });
      else if (typeof whole === "object" && whole !== null) assert.equal(complete, false, text.slice(0, end));
      assert.ok(begins(value, whole), JSON.stringify([text.slice(0, end), value]));
    }
  }
});

/** Whether a value is a prefix of another. */
function begins(part, whole) {
  if (part === undefined) return true;
  if (typeof part === "string" && typeof whole === "string") return whole.startsWith(part);
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((item, place) => begins(item, whole[place]) && place < whole.length);
  if (part !== null && typeof part === "object") {
    const keys = Object.keys(part);
    return typeof whole === "object" && whole !== null && keys.every((key) => begins(part[key], whole[key]));
  }
  // A number may continue with more digits.
  return typeof part === "number" ? typeof whole === "number" : part === whole;
}

test("no text of a model throws", () => {
  const numbers = random(23);
  for (const { message } of rows.filter((row) => row.message.length < 1000)) {
    for (let round = 0; round < 4; round++) {
      const cut = message.slice(0, numbers.below(message.length + 1));
      const text = numbers.chance(0.5) ? cut : mutated(message, numbers);
      const { report, text: repaired } = repairToolBlock(text, { complete: numbers.chance(0.5) });
      assert.equal(typeof repaired, "string");
      assert.equal(report.isValid, calls(report).length > 0);
      assert.equal(typeof repairJson(text).ok, "boolean");
      assert.equal(typeof parsePartialJson(text).complete, "boolean");
      streamed(text, 1 + numbers.below(9), { complete: numbers.chance(0.5) });
    }
  }
});

test("values keep their own keys, and limits hold", () => {
  const { value } = parsePartialJson('{"__proto__": {"x": 1}, "a": "b');
  assert.ok(Object.hasOwn(value, "__proto__"));
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  const deep = `${"[".repeat(200)}${"]".repeat(200)},`;
  assert.equal(repairJson(deep).ok, false);
  assert.equal(repairJson(deep, { limits: { maxDepth: 300 } }).ok, true);
  assert.equal(repairJson("[1,]", { limits: { maxBlockBytes: 3 } }).ok, false);
  assert.equal(repairJson("[1", { complete: false }).ok, false);
  assert.equal(repairJson("[1,,,,,2]", { limits: { maxIssues: 2 } }).fixes.length, 2);
  assert.equal(repairJson("[1,]", { limits: { maxIssues: 0 } }).text, "[1]");
});

/** Texts of files that the module and JavaScript read in different ways, or that only one of the two reads. */
const CONTENTS = ["", "x", "\ufffd", "❤️ 🎉 é", "\ud83d\ude00", "a\\u0000b", "\ud800", 'line\nline\t"q"', "`".repeat(3)];

test("calls have their texts, whichever parser read them", () => {
  const numbers = random(23);
  const others = [
    { tool: "delete_file", path: "b.txt" },
    { tool: "write_file", path: "c.txt", content: "c" },
  ];
  const enumerated = { name: "write_note", fields: { content: { kind: "string" } } };
  for (let turn = 0; turn < 500; turn++) {
    const content = numbers.list(4, () => numbers.pick(CONTENTS)).join("");
    const tool = numbers.pick(["write_file", "create_file", "write_note"]);
    const calls = [{ tool, path: "a.txt", content }, ...others.slice(0, numbers.below(3))];
    const json =
      calls.length > 1 && numbers.chance(0.5)
        ? JSON.stringify(calls)
        : calls.map((call) => JSON.stringify(call)).join("\n");
    const text = `Text.\n\`\`\`json\n${numbers.chance(0.5) ? json : json.replace(/[}](?=]?$)/, ",}")}\n\`\`\`\n`;
    const options = numbers.chance(0.3) || tool === "write_note" ? { tools: [enumerated] } : {};
    const { report } = repairToolBlock(text, options);
    const found = report.calls ?? [report.call];
    const meant = content.toWellFormed();
    assert.equal(found.length, calls.length, text);
    // Where JavaScript parses the JSON itself, it keeps a lone surrogate.
    assert.equal(found[0].args.content.toWellFormed(), meant, text);
    assert.equal(found[0].tool, tool === "create_file" ? "write_file" : tool);
    if (tool !== "write_note") assert.equal(found[0].content, found[0].args.content);
    assert.deepEqual(
      found.slice(1).map(({ args }) => args),
      calls.slice(1),
    );
    if (report.issues.length === 0)
      assert.deepEqual(validateToolBlock(repairToolBlock(text, options).text, options), report);
  }
});

test("misuse throws", () => {
  const misuse = (run) =>
    assert.throws(run, (error) => error instanceof GenuiPatchError && error.code === "INVALID_ARGUMENT");
  for (const run of [repairJson, repairToolBlock, parsePartialJson])
    for (const text of [7, null, undefined, {}]) misuse(() => run(text));
  misuse(() => repairJson("", { compleet: true }));
  misuse(() => repairJson("", { complete: 1 }));
  misuse(() => repairJson("", { tools: [] }));
  misuse(() => repairToolBlock("", { complete: "yes" }));
  misuse(() => repairToolBlock("", null));
  misuse(() => new ToolBlockStream({ repair: 1 }));
  misuse(() => new ToolBlockStream().end({ complete: 1 }));
  misuse(() => new ToolBlockStream().end({ whole: true }));
});
