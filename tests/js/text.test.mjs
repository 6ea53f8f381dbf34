// Text diffs, merges and edits: the table, and properties of all texts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { applyHunks, textDiff, Workspace } from "genui-patch";
import { mergeTexts } from "../../dist/diff/merge.js";
import { assertLinear } from "../support/growth.mjs";
import { random } from "../support/random.mjs";
import { throwsMisuse } from "../support/store.mjs";

const table = JSON.parse(readFileSync(new URL("../fixtures/text.json", import.meta.url), "utf8"));

/** The new text, computed from the hunks alone. */
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

test("text.json: merges, by a proposal for a file that changed meanwhile", async () => {
  for (const { name, base, one, other, is } of table.merge) {
    assert.equal(mergeTexts(base, one, other), is, name);
    const files = Workspace.memory({ a: base });
    const write = (content) => ({ id: "1", tool: "write_file", path: "a", content, args: {}, status: "detected" });
    const { id } = await files.propose(write(other));
    await files.execute(write(one));
    const { error } = await files.approve(id);
    assert.equal(await files.read("a"), is ?? one, name);
    assert.equal(error?.code, is === null ? "STALE_PROPOSAL" : undefined, name);
  }
});

test("text.json: edits", async () => {
  for (const { name, text, old, new: replacement, reviewed = false, is } of table.edit) {
    const files = Workspace.memory({ a: text });
    const search_replace = { old_string: old, new_string: replacement };
    const call = { id: "1", tool: "edit_file", path: "a", search_replace, args: {}, status: "detected" };
    const preview = await files.preview(call);
    const made = reviewed ? preview : await files.execute(call);
    const fixes = made.fixes?.map(({ code, position: { line, column } }) => [code, line, column]);
    if (typeof is === "string" || "text" in is) {
      assert.equal(made.error, undefined, name);
      assert.equal(reviewed ? made.after : await files.read("a"), is.text ?? is, name);
      assert.deepEqual(fixes, is.fixes, name);
      for (const { message, position } of made.fixes ?? []) assert.ok(message && position.offset < text.length, name);
      // An edit without review has the same result as its preview.
      assert.deepEqual([preview.after, preview.fixes], [is.text ?? is, made.fixes], name);
      continue;
    }
    const { matches, nearest, difference, message } = made.error;
    assert.deepEqual([matches, nearest, difference], [is.matches, is.nearest, is.difference], name);
    if (is.lines) assert.ok(message.includes(`at the lines ${is.lines.join(", ")}`), message);
    if (is.difference) {
      const { line, column, found, sent } = is.difference;
      for (const part of [`line ${line}, column ${column}`, found ?? "its end", sent ?? "its end"])
        assert.ok(message.includes(part), message);
    }
  }
});

test("hunks lead from one text to the other, for all texts", () => {
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
    assert.equal(hunks.length === 0, before === after, name);
    for (const { lines, oldLines, newLines } of hunks) {
      assert.equal(oldLines, lines.filter(({ kind }) => kind !== "added").length, name);
      assert.equal(newLines, lines.filter(({ kind }) => kind !== "removed").length, name);
      for (const { kind, text, end = "\n", words } of lines) {
        assert.ok(!text.endsWith("\n") && ["\n", "\r\n", ""].includes(end), name);
        assert.ok(words === undefined || (options.by === "word" && kind !== "same"), name);
        let last = -1;
        for (const [from, to] of words ?? []) {
          assert.ok(last < from && from < to && to <= text.length, name);
          assert.ok(!/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(text.slice(from, to)), name);
          last = to;
        }
      }
    }
  }
});

/** Texts of a few different lines, so that many are equal. */
function textOfLines(rng) {
  const lines = ["a", "b", "c", "", "  d", "é ☃", "one two  three", "one 2 three", "x.y(z);", "😀 a"];
  const ends = ["\n", "\n", "\n", "\n", "\n", "\n", "\r\n", "\r"];
  return rng.list(14, () => rng.pick(lines) + rng.pick(ends)).join("") + rng.pick(["", "", "a", "last"]);
}

test("unmarked text is in both texts", () => {
  const rng = random(5);
  let marked = 0;
  for (let round = 0; round < 2000; round++) {
    const [before, after] = [textOfLines(rng), textOfLines(rng)];
    for (const { lines } of textDiff(before, after, { context: 0 })) {
      const rest = (wanted) => {
        const own = lines.filter(({ kind }) => kind === wanted);
        if (own.some(({ words }) => words === undefined)) return undefined;
        const kept = own.map(({ text, words }) => words.reduceRight(cut, text));
        return kept.join("").replaceAll(" ", "");
      };
      const cut = (text, [from, to]) => text.slice(0, from) + text.slice(to);
      const [gone, come] = [rest("removed"), rest("added")];
      if (gone === undefined || come === undefined) continue;
      marked += gone === "" ? 0 : 1;
      assert.equal(gone, come, JSON.stringify([before, after]));
    }
  }
  assert.ok(marked > 100, String(marked));
});

/** The length of the longest common subsequence, by the quadratic algorithm. */
function common(old, now) {
  const row = new Array(now.length + 1).fill(0);
  for (const a of old) {
    let diagonal = 0;
    for (const [place, b] of [...now].entries()) {
      const above = row[place + 1];
      row[place + 1] = a === b ? diagonal + 1 : Math.max(above, row[place]);
      diagonal = above;
    }
  }
  return row[now.length];
}

test("no fewer lines could have changed", () => {
  const rng = random(7);
  for (let round = 0; round < 10_000; round++) {
    const letters = "abcdef".slice(0, 1 + rng.below(6));
    const [old, now] = [0, 0].map(() => rng.list(23, () => rng.pick(letters)).join(""));
    const lines = (text) => text.replaceAll(/./g, "$&\n");
    const hunks = textDiff(lines(old), lines(now), { by: "line", context: 0 });
    const changed = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
    assert.equal(changed, old.length + now.length - 2 * common(old, now), `${old} ${now}`);
  }
});

test("merging is even-handed, and changes far apart merge", () => {
  const rng = random(11);
  for (let round = 0; round < 3000; round++) {
    const [base, one, other] = [0, 0, 0].map(() => textOfLines(rng));
    const name = JSON.stringify([base, one, other]);
    assert.equal(mergeTexts(base, one, other), mergeTexts(base, other, one), name);
    assert.equal(mergeTexts(base, one, base), one, name);
    assert.equal(mergeTexts(base, one, one), one, name);
    const whole = (head, tail) => `${head}\n=1=\n=2=\n=3=\n${tail}\n`;
    assert.equal(mergeTexts(whole(base, base), whole(one, base), whole(base, other)), whole(one, other), name);
  }
});

test("hostile texts take time as they are long", () => {
  const rng = random(1);
  const lines = (most, count) => Array.from({ length: count }, () => rng.below(most)).join("\n");
  const both = (make) => [make(), make()];
  const hostile = {
    letters: (size) => both(() => lines(2, 2 * size)),
    different: (size) => both(() => lines(2 ** 32, size)),
    many: (size) => both(() => lines(1000, size)),
    giant: (size) => both(() => lines(1000, size).replaceAll("\n", " ")),
    marks: (size) => both(() => lines(6, size).replace(/\d\n?/g, (digit) => ".,;:!?"[digit[0]])),
    dots: (size) => [".,".repeat(2 * size), ",,.".repeat(1.5 * size)],
    equal: (size) => ["a\n".repeat(4 * size), "a\n".repeat(4 * size + 1)],
  };
  for (const [name, make] of Object.entries(hostile)) {
    assertLinear(name, 15_000, (size) => {
      const [before, after] = make(size);
      return () => assert.equal(follow(before, textDiff(before, after)), after, name);
    });
  }
});

test("words are marked in lines that somebody reads, not in a megabyte of one line", () => {
  const words = (count) => {
    const [first, ...others] = textDiff(`a ${"b ".repeat(count)}`, `c ${"b ".repeat(count)}`);
    assert.equal(others.length, 0);
    return first.lines.map(({ words }) => words);
  };
  assert.deepEqual(words(100_000), [[[0, 1]], [[0, 1]]]);
  assert.deepEqual(words(200_000), [undefined, undefined]);
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
