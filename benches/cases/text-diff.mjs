/** What differs between two texts. */
import { same } from "../lib/setters.mjs";

/** Lines like those of a program: some are alike. */
function program(lines) {
  return Array.from({ length: lines }, (_, n) => {
    if (n % 10 === 9) return "";
    return n % 10 === 8 ? "}" : `${"  ".repeat(n % 3)}const value${n} = compute(${n % 97}, "text ${n}");`;
  });
}

/** The same with lines changed, taken out and put in. */
function changed(lines, every) {
  return lines.flatMap((line, n) => {
    if (n % every !== 7) return [line];
    return [[line.replace("compute", "calculate")], [], [line, `added(${n});`]][((n / every) % 3) | 0];
  });
}

const texts = {
  "5,000 lines, 50 places": () => [program(5000), changed(program(5000), 100)],
  "5,000 lines, 500 places": () => [program(5000), changed(program(5000), 10)],
  "5,000 lines, all different": () => [program(5000), program(5000).map((line, n) => `${n}: ${line.length}`)],
};

const someAlike = ({ label }) => !label.endsWith("all different");

const ours = (options) => ({
  role: "ours",
  make: async ({ label }) => {
    const { applyHunks, textDiff } = await import("genui-patch");
    const [before, after] = texts[label]().map((lines) => lines.join("\n"));
    const hunks = textDiff(before, after, options);
    const all = hunks.map(({ index }) => index);
    same(applyHunks(before, after, all, options), after);
    return { run: () => textDiff(before, after, options) };
  },
});

export default {
  name: "text-diff",
  title: "What differs between two texts",
  about:
    "Hunks of lines with three lines around them. With words: the ranges that changed within lines; for jsdiff one " +
    "diffWordsWithSpace for each run of removed and added lines of the patch. Where all is different jsdiff takes more " +
    "than ten seconds, and is left out.",
  kind: "operation",
  unit: "ms",
  browser: false,
  variants: Object.keys(texts).map((label) => ({ label })),
  quick: {},
  contenders: {
    "genui-patch, with words": ours({}),
    "genui-patch, lines": ours({ by: "line" }),
    "jsdiff, lines": {
      role: "peer",
      only: someAlike,
      make: async ({ label }) => {
        const { applyPatch, structuredPatch } = await import("diff");
        const [before, after] = texts[label]().map((lines) => lines.join("\n"));
        const run = () => structuredPatch("a", "a", before, after, "", "", { context: 3 });
        same(applyPatch(before, run()), after);
        return { run };
      },
    },
    "jsdiff, with words": {
      role: "peer",
      only: someAlike,
      make: async ({ label }) => {
        const { diffWordsWithSpace, structuredPatch } = await import("diff");
        const [before, after] = texts[label]().map((lines) => lines.join("\n"));
        const run = () => {
          const patch = structuredPatch("a", "a", before, after, "", "", { context: 3 });
          const words = [];
          for (const { lines } of patch.hunks) {
            let [gone, come] = ["", ""];
            const flush = () => {
              if (gone !== "" && come !== "") words.push(diffWordsWithSpace(gone, come));
              [gone, come] = ["", ""];
            };
            for (const line of lines) {
              if (line[0] === "-") gone += `${line.slice(1)}\n`;
              else if (line[0] === "+") come += `${line.slice(1)}\n`;
              else flush();
            }
            flush();
          }
          return words;
        };
        run();
        return { run };
      },
    },
  },
  targets: [
    { contender: "genui-patch, with words", most: 20 },
    { contender: "genui-patch, lines", most: 20 },
  ],
};
