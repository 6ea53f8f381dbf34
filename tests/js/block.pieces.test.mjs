// The events do not depend on how the text was cut, in strings of any content.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseToolCalls, repairToolBlock, ToolBlockStream, ToolCallStream, validateToolBlock } from "genui-patch";
import { joined, wholeText } from "../support/events.mjs";
import { random } from "../support/random.mjs";

/** Contents of strings: plain text, simple escapes, numeric escapes, and characters that JSON does not allow. */
const SOUND = [
  "a",
  "code();",
  " ",
  "0",
  "é",
  "→",
  "漢字",
  "😀",
  "\u2028",
  "\ufeff",
  "\u007f",
  "`",
  "```",
  "~~~",
  "{",
  "}]",
];
const ESCAPED = ['\\"', "\\\\", "\\n", "\\t", "\\r", "\\b", "\\f", "\\/", "\\u0041", "\\u00e9", "\\ud83d\\ude00"];
const DAMAGED = [
  "\n",
  "\r\n",
  "\t",
  "\0",
  "\\d",
  "\\x",
  "\\u12",
  "\\ud83d",
  "\\udc00x",
  '"',
  "\\",
  "'",
  "\ud83d",
  "\ude00",
];

function string(numbers, size, damage) {
  const token = () => {
    if (numbers.chance(damage)) return numbers.pick(DAMAGED);
    return numbers.pick(numbers.chance(0.3) ? ESCAPED : SOUND);
  };
  return `"${Array.from({ length: numbers.below(size) }, token).join("")}"`;
}

function call(numbers, tool) {
  const size = numbers.pick([3, 30, 300, 1500]);
  const damage = numbers.pick([0, 0, 0, 0.01, 0.1]);
  const fields = [`"path": ${numbers.chance(0.8) ? '"a.txt"' : string(numbers, 5, damage)}`];
  if (tool !== undefined) fields.push(`"tool": "${tool}"`);
  if (tool === "edit_file") {
    const texts = ["old_string", "new_string"].map((key) => `"${key}": ${string(numbers, size, damage)}`);
    fields.push(`"search_replace": {${texts.join(", ")}}`);
  } else fields.push(`"${numbers.chance(0.9) ? "content" : "text"}": ${string(numbers, size, damage)}`);
  if (numbers.chance(0.1)) fields.push(`"content": ${string(numbers, size, damage)}`);
  if (numbers.chance(0.1)) fields.push(`"note": [1, ${string(numbers, size, damage)}]`);
  const order = numbers.chance(0.3) ? fields.reverse() : fields;
  return `{${order.join(numbers.chance(0.05) ? " " : ", ")}}`;
}

const TOOLS = ["write_file", "write_file", "edit_file", "create_file", "unknown"];

function message(numbers) {
  const block = () => {
    const calls = Array.from({ length: numbers.pick([1, 1, 1, 2, 3]) }, () => call(numbers, numbers.pick(TOOLS)));
    const json = calls.length > 1 && numbers.chance(0.7) ? `[${calls.join(",\n")}]` : calls.join("\n");
    const fence = numbers.pick(["```", "```", "~~~", "`````"]);
    return numbers.chance(0.9) ? `${fence}${numbers.pick(["json", "", "JSON5"])}\n${json}\n${fence}\n` : json;
  };
  return numbers.list(4, () => (numbers.chance(0.6) ? block() : string(numbers, 20, 0.2))).join("Text\n");
}

function cut(numbers, text, most) {
  const pieces = [];
  for (let place = 0; place < text.length; ) {
    const size = 1 + numbers.below(most);
    pieces.push(text.slice(place, place + size));
    place += size;
  }
  return pieces;
}

function run(stream, pieces) {
  const events = pieces.flatMap((piece) => stream.push(piece)).concat(stream.end());
  stream.dispose();
  return joined(events);
}

const OPTIONS = [
  { contentDeltas: true },
  { contentDeltas: true },
  {},
  { contentDeltas: true, repair: false },
  { contentDeltas: true, limits: { maxBlockBytes: 6000 } },
];

test("a message in pieces gives the same events as the whole message", () => {
  for (let seed = 0; seed < 150; seed++) {
    const numbers = random(seed);
    const text = message(numbers);
    const options = numbers.pick(OPTIONS);
    const whole = run(new ToolBlockStream(options), [text]);
    const written = wholeText(whole);
    assert.equal(written, text.toWellFormed(), `seed ${seed}`);
    for (const most of [1, 2, 5, 30, 400]) {
      const pieces = cut(numbers, text, most);
      assert.deepEqual(run(new ToolBlockStream(options), pieces), whole, `seed ${seed}, pieces up to ${most}`);
    }
    const { calls } = parseToolCalls(text, options.limits ? { limits: options.limits } : {});
    if (options.repair !== false) {
      const found = whole.flatMap((event) => event.calls ?? (event.call ? [event.call] : []));
      assert.deepEqual(calls, found, `seed ${seed}`);
    }
  }
});

test("arguments in pieces give the same events as the whole arguments", () => {
  for (let seed = 0; seed < 100; seed++) {
    const numbers = random(seed);
    const tool = numbers.pick(["write_file", "edit_file"]);
    const text = call(numbers, tool);
    const options = { ...numbers.pick(OPTIONS), tool, ...(numbers.chance(0.5) && { toolId: "call_7" }) };
    const whole = run(new ToolCallStream(options), [text]);
    for (const most of [1, 2, 5, 30, 400]) {
      const pieces = cut(numbers, text, most);
      assert.deepEqual(run(new ToolCallStream(options), pieces), whole, `seed ${seed}, pieces up to ${most}`);
    }
  }
});

test("the deltas of a valid call add up to its texts", () => {
  for (let seed = 0; seed < 50; seed++) {
    const numbers = random(seed);
    const [content, other] = [string(numbers, 3000, 0), string(numbers, 300, 0)];
    const calls = [
      `{"tool": "write_file", "path": "a", "content": ${content}}`,
      `{"search_replace": {"old_string": ${content}, "new_string": ${other}}, "path": "b", "tool": "edit_file"}`,
    ];
    const text = `\`\`\`json\n[${calls}]\n\`\`\``;
    const events = run(new ToolBlockStream({ contentDeltas: true }), cut(numbers, text, 6));
    const deltas = Object.fromEntries(
      events.filter(({ delta }) => delta).map(({ index, field, delta }) => [`${index} ${field}`, delta]),
    );
    const { calls: [write, edit] = [] } = events.at(-1);
    if (content === other || content === '""') continue;
    assert.equal(deltas["0 content"], write.content, `seed ${seed}`);
    assert.equal(write.args.content, write.content);
    assert.equal(deltas["1 old_string"], edit.search_replace.old_string);
    assert.equal(deltas["1 new_string"], edit.search_replace.new_string);
    assert.equal(write.content, JSON.parse(content));
  }
});

test("text keeps its order, also with repeated pieces", () => {
  const text = "'\n   ```json\n   ```json\n\u0000\n```\n";
  for (let size = 1; size < 9; size++) {
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.slice(at * size, (at + 1) * size),
    );
    assert.deepEqual(run(new ToolBlockStream(), pieces), [{ type: "text", text }], `pieces of ${size}`);
  }
  const numbers = random(1);
  for (let seed = 0; seed < 2000; seed++) {
    const lines = numbers.list(8, () => numbers.pick(["   ", "```json", "```", "~~~", "{", "`", " ", '"', "\\", "a"]));
    const text = lines.join(numbers.pick(["", "\n", "\n   "]));
    const events = run(new ToolBlockStream(), cut(numbers, text, 3));
    assert.equal(wholeText(events), text);
  }
});

test("a long piece gives one event for its text, and one for more text of a field", () => {
  const content = "é\\n".repeat(60_000);
  const block = `\`\`\`json\n{"tool":"write_file","path":"a.txt","content":"${content}"}\n\`\`\`\n`;
  const prose = "😀\n".repeat(50_000);
  const stream = new ToolBlockStream({ contentDeltas: true });
  const events = stream.push(`${prose}${block}${prose}`);
  const types = events.concat(stream.end()).map(({ type }) => type);
  const status = "json-tool-status";
  assert.deepEqual(types, ["text", status, status, "json-tool-delta", "json-tool-block", "text"]);
  assert.equal(events[0].text, prose);
  assert.equal(events[3].delta, JSON.parse(`"${content}"`));
  assert.equal(events[3].length, events[3].delta.length);
  assert.equal(events[4].call.content, events[3].delta);
});

test("the work grows in proportion to the number of calls", () => {
  const list = (count) => {
    const call = '{"tool":"write_file","path":"a","content":"b"}';
    return `\`\`\`json\n[${Array(count).fill(call).join()}]\n\`\`\`\n`;
  };
  const [few, many] = [list(2000), list(16_000)];
  const grown = (text) => {
    const stream = new ToolBlockStream({ contentDeltas: true });
    stream.push(text);
    stream.end();
    stream.dispose();
  };
  const least = (run) => {
    const times = [1, 2, 3].map(() => {
      const start = performance.now();
      run();
      return performance.now() - start;
    });
    return Math.min(...times);
  };
  for (const run of [grown, validateToolBlock, repairToolBlock, parseToolCalls]) {
    run(few);
    const growth = least(() => run(many)) / least(() => run(few));
    // Eight times as many: with the square it would be sixty-four. A busy machine is not that slow.
    assert.ok(growth < 32, `${run.name}: ${growth}`);
  }
});
