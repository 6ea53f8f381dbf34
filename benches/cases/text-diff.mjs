/** The differences between two texts. */
import { random } from "../../tests/support/random.mjs";
import { code } from "../lib/content.mjs";
import { same } from "../lib/setters.mjs";

const LINES = 5000;

/** Lines of a program, starting at another line each turn: generating a new text takes longer than comparing two. */
const program = (lines, turn) => {
  const start = (turn * 613) % LINES;
  return [...lines.slice(start), ...lines.slice(0, start)];
};

/** The same with so many lines changed, taken out or put in. */
function changed(lines, places, turn) {
  const rng = random(turn + 1);
  const every = Math.floor(lines.length / places);
  return lines.flatMap((line, n) => {
    if (n % every !== 7) return [line];
    return rng.pick([[`${line.slice(0, 9)}calculate${line.slice(12)}`], [], [line, `added(${rng.below(1000)});`]]);
  });
}

function texts({ places }) {
  const lines = code(LINES * 70, 1)
    .split(/\r?\n/)
    .slice(0, LINES);
  return (turn) => {
    const before = program(lines, turn);
    const after = places ? changed(before, places, turn) : before.map((_, n) => `${n} of ${turn}: another`);
    return [before.join("\n"), after.join("\n")];
  };
}

const ours = (options) => ({
  role: "ours",
  make: async () => {
    const { applyHunks, textDiff } = await import("genui-patch");
    return {
      run: ([before, after]) => textDiff(before, after, options),
      check(hunks, [before, after]) {
        const all = hunks.map(({ index }) => index);
        same(applyHunks(before, after, all, options), after);
      },
    };
  },
});

const theirs = (words) => ({
  role: "peer",
  make: async () => {
    const { applyPatch, diffWordsWithSpace, structuredPatch } = await import("diff");
    return {
      run([before, after]) {
        const patch = structuredPatch("a", "a", before, after, "", "", { context: 3 });
        if (words) for (const hunk of patch.hunks) wordsOf(hunk, diffWordsWithSpace);
        return patch;
      },
      check: (patch, [before, after]) => same(applyPatch(before, patch), after),
    };
  },
});

const WORDS = ["genui-patch, with words", "jsdiff, with words"];

/** One comparison for each run of removed and added lines. */
function wordsOf({ lines }, compare) {
  const found = [];
  let [gone, come] = ["", ""];
  for (const line of [...lines, " "]) {
    if (line[0] === "-") gone += `${line.slice(1)}\n`;
    else if (line[0] === "+") come += `${line.slice(1)}\n`;
    else {
      if (gone !== "" && come !== "") found.push(compare(gone, come));
      [gone, come] = ["", ""];
    }
  }
  return found;
}

export default {
  name: "text-diff",
  title: "What differs between two texts",
  about:
    "Hunks of lines with three lines around them, of other programs each time. With words: the ranges that changed within " +
    "lines; for jsdiff one diffWordsWithSpace for each run of removed and added lines of the patch. Where all is different " +
    "jsdiff takes more than ten seconds, and is left out.",
  kind: "operation",
  unit: "ms",
  most: 8,
  page: { variants: ["5,000 lines, 500 places"], contenders: ["genui-patch, with words", "jsdiff, with words"] },
  variants: [
    { label: "5,000 lines, 50 places", places: 50 },
    { label: "5,000 lines, 500 places", places: 500, contenders: WORDS },
    { label: "5,000 lines, all different", contenders: WORDS.slice(0, 1) },
  ],
  edits: texts,
  contenders: {
    "genui-patch, with words": ours({}),
    "genui-patch, lines": ours({ by: "line" }),
    "jsdiff, lines": theirs(false),
    "jsdiff, with words": theirs(true),
  },
  asked: [{ contender: "genui-patch, with words", variant: "5,000 lines, all different", most: 10 }],
};
