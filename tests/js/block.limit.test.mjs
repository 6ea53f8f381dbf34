// Texts longer than the block limit: the same results, and the module receives only as much text as the decision needs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { limits, parseToolCalls, repairJson, repairToolBlock, ToolBlockStream, validateToolBlock } from "genui-patch";
import { blocksModule } from "../../dist/core/blocks-module.js";
import { random } from "../support/random.mjs";

const FENCE = "```";
const LIMIT = limits.maxBlockBytes;
const long = "x".repeat(5 * LIMIT);
const write = (content) => `{"tool":"write_file","path":"a","content":"${content}"}`;
const fenced = (json) => `${FENCE}json\n${json}\n${FENCE}\n`;

/** The amount of text encoded for the module while a function runs, in UTF-16 units. */
function handedOver(run) {
  const { encodeInto } = TextEncoder.prototype;
  let units = 0;
  TextEncoder.prototype.encodeInto = function (text, target) {
    units += text.length;
    return encodeInto.call(this, text, target);
  };
  try {
    run();
  } finally {
    TextEncoder.prototype.encodeInto = encodeInto;
  }
  return units;
}

const OVER = [`The block exceeds the limit of ${LIMIT} bytes`];

test("a text over the limit is refused before it crosses into the module", () => {
  const over = {
    "a block": fenced(write(long)),
    "a block behind text": `Look:\n\n${fenced(write(long))}Done.`,
    "a block without an end": `${FENCE}json\n${write(long)}`,
    "arguments without a fence": write(long),
    "arguments behind blanks": `\n  ${write(`${FENCE}json\\n{}${long}`)}`,
    "no JSON": long,
  };
  for (const [what, text] of Object.entries(over)) {
    for (const run of [
      () => assert.deepEqual(validateToolBlock(text).errors, OVER, what),
      () => assert.deepEqual(repairToolBlock(text).report.errors, OVER, what),
      () => assert.equal(repairToolBlock(text).text, text, what),
      () => assert.deepEqual(repairJson(text), { text, fixes: [], ok: false }, what),
    ]) {
      const units = handedOver(run);
      assert.ok(units < LIMIT + 1000, `${what}: ${units} units`);
    }
  }
});

test("a long text that holds a short block is read", () => {
  const text = `${"Some text. ".repeat(LIMIT / 10)}\n${fenced(write("x"))}${"More of it. ".repeat(LIMIT / 10)}`;
  assert.equal(validateToolBlock(text).call.content, "x");
  assert.equal(parseToolCalls(text).calls[0].content, "x");
  assert.equal(repairToolBlock(text.replace('"x"', '"x",')).report.call.content, "x");
});

test("a long message crosses in pieces", () => {
  const { encodeInto } = TextEncoder.prototype;
  let most = 0;
  TextEncoder.prototype.encodeInto = function (text, target) {
    most = Math.max(most, text.length);
    return encodeInto.call(this, text, target);
  };
  try {
    const stream = new ToolBlockStream();
    assert.equal(stream.push(long).length, 1);
    stream.dispose();
    assert.deepEqual(parseToolCalls(fenced(write(long))).issues[0].code, "LIMIT_EXCEEDED");
  } finally {
    TextEncoder.prototype.encodeInto = encodeInto;
  }
  assert.ok(most <= 1 << 16, `${most} units at once`);
});

/** The report of the module on the whole text. */
function whole(text, options) {
  const line = `${JSON.stringify(options)}\n`;
  return blocksModule.call((glue) => blocksModule.receiveJson(glue.validate_block(blocksModule.send(text, line))))
    .report;
}

const PARTS = [
  "",
  "Look:\n",
  " ",
  "\n\n",
  `  ${FENCE}js\nlet a;\n${FENCE}\n`,
  `${FENCE}\n{}\n${FENCE}\n`,
  `${FENCE}json\n`,
  `    ${FENCE}json\n`,
  "~~~json\n",
  "<!--\n",
  write("x"),
  `{"tool":"delete_file","path":"${"é".repeat(20)}"}`,
  `{"a":"${FENCE}json"}`,
  `\n${FENCE}\n`,
  "y".repeat(30),
  "\r",
  "[[[[",
];

test("the beginning of a text over the limit gives the same report as the text", () => {
  for (let seed = 0; seed < 20_000; seed++) {
    const numbers = random(seed);
    const text = numbers.list(7, () => numbers.pick(PARTS)).join("");
    const options = { limits: { maxBlockBytes: numbers.below(100), maxDepth: 3 } };
    const { errors, issues, jsonStart } = validateToolBlock(text, options);
    const expected = whole(text, options);
    assert.deepEqual({ errors, issues, jsonStart }, pick(expected), `seed ${seed}: ${JSON.stringify(text)}`);
  }
});

const pick = ({ errors, issues, jsonStart }) => ({ errors, issues, jsonStart });
