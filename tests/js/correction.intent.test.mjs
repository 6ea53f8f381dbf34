// A correction must keep the intent of the faulty block: the number of calls, their tools, and the valid paths.
import assert from "node:assert/strict";
import { test } from "node:test";
import { correctToolBlock, toolBlockTransform } from "genui-patch";
import { each } from "../support/streams.mjs";

const fenced = (json) => `\`\`\`json\n${typeof json === "string" ? json : JSON.stringify(json)}\n\`\`\``;
const write = (path, content) => ({ tool: "write_file", path, ...(content === undefined ? {} : { content }) });
const tools = [
  { name: "run_tests", aliases: ["test"], fields: { suite: "string", file: { kind: "path", optional: true } } },
];
const NO_EDIT = { tool: "edit_file", path: "a.txt", search_replace: { old_string: "x", new_string: "x" } };
const EDIT = { ...NO_EDIT, search_replace: { old_string: "x", new_string: "y" } };

/** An ambiguous text: the end of `content` is unknown, but the fields before it are certain. */
const ambiguous = (before) => `{${before}"content": "a", "b": "c", "content": "d" e"}`;

const ROWS = [
  // name, block, answer, the sentence about the answer in the next prompt (nothing: it is accepted), options
  ["what is missing is filled in", write("a.txt"), write("a.txt", "x")],
  [
    "another tool",
    write("a.txt"),
    { tool: "delete_file", path: "a.txt" },
    /its tool is delete_file, the block's is write_file; keep it/,
  ],
  ["another path", write("a.txt"), write("b.txt", ""), /its path is b.txt, the block's is a.txt; keep it/],
  ["both", write("a.txt"), { tool: "delete_file", path: "b" }, /its tool is delete_file[\s\S]*its path is b,/],
  ["the same path, normalised", write("./src\\a.txt"), write("src/a.txt", "")],
  ["the same path, not normalised", write("src/a.txt"), write("src//x/../a.txt", "")],
  ["a path at fault may change", write("../a.txt", "x"), write("a.txt", "x")],
  ["and its tool may not", write("../a.txt", "x"), { tool: "delete_file", path: "a.txt" }, /its tool is/],
  ["a path that is no text may change", write(["a.txt"], "x"), write("a.txt", "x")],
  [
    "a path that stands there twice may change",
    '{"tool": "write_file", "path": "a", "path": "b", "content": ""}',
    write("b", ""),
  ],
  [
    "a path that the policy refuses may change",
    write("a.txt", "x"),
    write("src/a.txt", "x"),
    undefined,
    { policy: { roots: ["src"] } },
  ],
  ["an unknown tool may change", { tool: "rewrite", path: "a.txt", text: "x" }, write("a.txt", "x")],
  ["and its path may not", { tool: "rewrite", path: "a.txt", text: "x" }, write("b.txt", "x"), /its path is/],
  ["no tool", { path: "a.txt", content: 1 }, write("a.txt", "1")],
  ["another name of a tool is that tool", { tool: "create_file", file: "a.txt" }, write("a.txt", "x")],
  [
    "and no other one",
    { tool: "create_file", file: "a.txt" },
    { tool: "delete_file", path: "a.txt" },
    /the block's is write_file/,
  ],
  ["an edit stays one", NO_EDIT, write("a.txt", "y"), /its tool is write_file, the block's is edit_file/],
  [
    "one call more",
    write("a.txt"),
    [write("a.txt", ""), write("b.txt", "")],
    /its number of calls is 2, the block's is 1/,
  ],
  ["a list of one", write("a.txt"), [write("a.txt", "")]],
  ["one call less", [write("a.txt", ""), NO_EDIT], write("a.txt", ""), /its number of calls is 1, the block's is 2/],
  [
    "calls in another order",
    [write("b.txt", ""), NO_EDIT],
    [EDIT, write("b.txt", "")],
    /its tool is[\s\S]*its path is/,
  ],
  ["a list", [write("b.txt", ""), NO_EDIT], [write("b.txt", ""), EDIT]],
  [
    "objects one after the other",
    `${JSON.stringify(write("b.txt", ""))}\n${JSON.stringify(NO_EDIT)}`,
    [write("b.txt", ""), EDIT],
  ],
  ["a path at fault in a list", [write("b.txt", ""), write("/c")], [write("b.txt", ""), write("c", "")]],
  [
    "and the other ones",
    [write("b.txt", ""), write("/c")],
    [write("c", ""), write("c", "")],
    /its path is c, the block's is b.txt/,
  ],
  ["a tool of the host's", { tool: "run_tests" }, { tool: "run_tests", suite: "js" }, undefined, { tools }],
  ["by its other name", { tool: "test" }, { tool: "delete_file", path: "a" }, /the block's is run_tests/, { tools }],
  [
    "a path where there was none",
    { tool: "run_tests" },
    { tool: "run_tests", suite: "js", path: "a" },
    undefined,
    { tools },
  ],
  ["no JSON: what stands before the fault", ambiguous('"tool": "write_file", "path": "a.txt", '), write("a.txt", "a")],
  [
    "no JSON: another tool",
    ambiguous('"tool": "write_file", "path": "a.txt", '),
    { tool: "delete_file", path: "a.txt" },
    /its tool is/,
  ],
  ["no JSON: another path", ambiguous('"tool": "create_file", "path": "a.txt", '), write("b.txt", "a"), /its path is/],
  [
    "no JSON: a path with the fault in it",
    '{"tool": "write_file", "path": "a"b", "content": ""c", "d""}',
    write("a-b", ""),
  ],
  ["no JSON at all", "write a file please", write("b.txt", "")],
  ["an empty list", "[]", [write("a", ""), write("b", "")]],
];

for (const [name, block, answer, refusal, options = {}] of ROWS) {
  test(name, async () => {
    const prompts = [];
    const generate = ({ prompt }) => {
      prompts.push(prompt);
      return fenced(answer);
    };
    const found = await correctToolBlock(fenced(block), { generate, maxAttempts: 2, ...options });
    assert.equal(found.corrected, refusal === undefined);
    assert.equal(found.attempts, refusal === undefined ? 1 : 2, prompts[1]);
    assert.equal(prompts[1] === undefined, refusal === undefined);
    if (refusal) assert.match(prompts[1], refusal);
    if (refusal) assert.deepEqual([found.content, found.report.isValid], [fenced(block), false]);
  });
}

test("an answer that departs is asked for again, and within a stream too", async () => {
  const answers = [fenced({ tool: "delete_file", path: "a.txt" }), fenced(write("a.txt", "x"))];
  const found = await correctToolBlock(fenced(write("a.txt")), { generate: () => answers[0], maxAttempts: 1 });
  assert.deepEqual([found.corrected, found.attempts], [false, 1]);
  const left = [...answers];
  const stream = toolBlockTransform({ generate: () => left.shift(), maxAttempts: 2 });
  const events = [];
  const source = new ReadableStream({
    start(controller) {
      controller.enqueue(`Look:\n${fenced(write("a.txt"))}\nDone.`);
      controller.close();
    },
  });
  for await (const event of each(source.pipeThrough(stream))) events.push(event);
  const block = events.find(({ type }) => type === "json-tool-block");
  assert.deepEqual([block.correctedBy, block.call.tool, block.call.path, left], ["model", "write_file", "a.txt", []]);
});
