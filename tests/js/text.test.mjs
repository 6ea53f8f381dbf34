// Text diffs and edits through the JavaScript API: the table of tests/text.rs, and what must hold for all texts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { applyHunks, textDiff, Workspace } from "genui-patch";
import { random } from "../support/random.mjs";
import { throwsMisuse } from "../support/store.mjs";

const table = JSON.parse(readFileSync(new URL("../fixtures/text.json", import.meta.url), "utf8"));

/** The text that hunks lead to, by what they say alone. */
function follow(before, hunks) {
  const lines = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  let from = 0;
  let text = "";
  for (const { oldStart, oldLines, lines: shown } of hunks) {
    const start = oldLines === 0 ? oldStart : oldStart - 1;
    text += lines.slice(from, start).join("");
    for (const { kind, text: line, end = "\n" } of shown) if (kind !== "removed") text += line + end;
    from = start + oldLines;
  }
  return text + lines.slice(from).join("");
}

test("text.json: diffs", () => {
  for (const { name, before, after, by, context, hunks, is } of table.diff) {
    const options = { ...(by && { by }), ...(context !== undefined && { context }) };
    assert.deepEqual(hunks ? applyHunks(before, after, hunks, options) : textDiff(before, after, options), is, name);
  }
});

test("text.json: edits", async () => {
  for (const { name, text, old, new: replacement, is } of table.edit) {
    const files = Workspace.memory({ a: text });
    const search_replace = { old_string: old, new_string: replacement };
    const call = { id: "1", tool: "edit_file", path: "a", search_replace, args: {}, status: "detected" };
    const { error } = await files.execute(call);
    if (typeof is === "string") {
      assert.equal(error, undefined, name);
      assert.equal(await files.read("a"), is, name);
      continue;
    }
    const { matches, nearest, message } = error;
    assert.deepEqual([matches, nearest], [is.matches, is.nearest], name);
    if (is.lines) assert.ok(message.includes(`at the lines ${is.lines.join(", ")}`), message);
  }
});

test("hunks lead from one text to the other, whatever the texts", () => {
  const rng = random(3);
  const pieces = ["a", "b", " ", "\n", "\r\n", "\r", "é", "😀", "\u2028", "\ufeff", "\0", "word", "今天", '"', "\\"];
  const text = () => rng.list(40, () => rng.pick(pieces)).join("");
  for (let round = 0; round < 3000; round++) {
    const before = text();
    const after = rng.chance(0.3) ? text() : before.split("b").join(rng.pick(pieces));
    const context = rng.below(5);
    const options = { context, by: rng.pick(["word", "line"]) };
    const hunks = textDiff(before, after, options);
    const name = JSON.stringify([before, after, options]);
    assert.equal(follow(before, hunks), after, name);
    const chosen = hunks.map(({ index }) => index).filter(() => rng.chance(0.5));
    const part = follow(
      before,
      hunks.filter(({ index }) => chosen.includes(index)),
    );
    assert.equal(applyHunks(before, after, chosen, { context }), part, name);
    for (const { lines } of hunks) {
      for (const { text, words = [] } of lines) {
        for (const [from, to] of words) {
          assert.ok(from < to && to <= text.length, name);
          assert.ok(!/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(text.slice(from, to)), name);
        }
      }
    }
  }
});

test("half a surrogate pair reads as U+FFFD, wherever the texts are cut", () => {
  const [[removed, added]] = textDiff("a\ud83d", "\ude00b").map(({ lines }) => lines);
  assert.deepEqual([removed.text, added.text], ["a\ufffd", "\ufffdb"]);
  assert.equal(applyHunks("a\ud83d", "\ude00b", [0]), "\ufffdb");
  assert.deepEqual(textDiff("\ud83d", "\ufffd"), []);
});

test("misuse throws", () => {
  const calls = [
    () => textDiff(1, ""),
    () => textDiff("", undefined),
    () => textDiff("", "", { by: "letter" }),
    () => textDiff("", "", { context: -1 }),
    () => textDiff("", "", { context: "3" }),
    () => textDiff("", "", { context: Number.NaN }),
    () => textDiff("", "", { lines: 3 }),
    () => textDiff("", "", null),
    () => applyHunks("", "", 0),
    () => applyHunks("", "", [0.5]),
    () => applyHunks("", "", [-1]),
    () => applyHunks("", ""),
  ];
  assert.deepEqual(calls.filter((call) => !throwsMisuse(call)).map(String), []);
  assert.deepEqual(textDiff("a", "b", { context: Number.POSITIVE_INFINITY }).length, 1);
});
