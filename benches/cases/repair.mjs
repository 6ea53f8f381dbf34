/** A finished tool block with faults in it. */
import { fenced, writeFile } from "../lib/content.mjs";
import { same } from "../lib/setters.mjs";

/** Raw line breaks and tabs in its text, and a comma too many: what both contenders can mend. */
const damaged = (json) => `${json.replace(/\\(?:\\|[nt])/g, (it) => RAW[it] ?? it).slice(0, -1)},}`;
const RAW = { "\\n": "\n", "\\t": "\t" };

/** Texts on which a search could go wrong: whatever quote, bracket or key comes, it might be the end. */
const HOSTILE = [
  '"',
  "'",
  '","',
  '","a":',
  '"}',
  '"}{"',
  '"// ',
  '"/*',
  '"\n',
  '\\"',
  "\\d",
  '{"',
  "[",
  "]",
  ",",
  '"+"',
  "`",
  "“",
  "x ",
  "/*",
  "\n```\n",
  '"}\n```\n',
];

/** In other places than the text of a file. */
const ELSEWHERE = [
  ["{@}", "漢content$"],
  ["{@}", "a:1,\f"],
  ['{"tool":"delete_file","path":"a",@}', '"'],
  ["{“tool”:“write_file”,“path”:“a.txt”,“content”:“@”}", "[path:-1.5e+3<!--"],
  ["{“tool”:“write_file”,“path”:“a.txt”,“content”:“@”}", "\n\\d\\d\\d"],
  ["{“tool”:“write_file”,“path”:“a.txt”,“content”:“@", '"'],
  [`{'tool':'write_file','path':'a.txt','content':'@'}`, `'""""#,`],
  ['{"tool":"write_file","path":"a.txt","content":@}', "\n"],
];

const hostile = (length) => {
  const fill = (unit) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  return [
    ...HOSTILE.map((unit) => fenced(`{"tool":"write_file","path":"a.txt","content":"${fill(unit)}`)),
    ...ELSEWHERE.map(([place, unit]) => fenced(place.replace("@", () => fill(unit)))),
  ];
};

/** Why it takes longer than is asked. */
const WALKS =
  "jsonrepair reads the text once. Here it is encoded, read up to its fence, read for where a quote may be damaged, written anew, " +
  "read as JSON for the report, decoded, and read by JSON.parse: the last two alone take a fifth.";

export default {
  name: "repair",
  title: "Repair a tool block, one shot",
  about:
    "Raw line breaks and tabs in the text, and a trailing comma; another file each time. genui-patch also finds the fence, " +
    "lists what it did, validates and checks the path; jsonrepair repairs the JSON alone, and JSON.parse reads it. The " +
    `hostile texts are ${HOSTILE.length + ELSEWHERE.length} of 1 MB in which a repair may take each quote for an end; the time is that of the slowest.`,
  kind: "operation",
  unit: "µs",
  most: 256,
  page: { variants: ["4 KB", "100 KB"] },
  variants: [
    { label: "4 KB", length: 3900, turns: 4000 },
    { label: "100 KB", length: 100 * 1024 },
    { label: "1 MB, hostile", length: 1024 * 1024, hostile: true, contenders: ["genui-patch"] },
  ],
  edits: ({ length, hostile }) => (hostile ? () => undefined : (turn) => writeFile(length, turn)),
  contenders: {
    "genui-patch": {
      role: "ours",
      make: async ({ length, hostile: isHostile }) => {
        const { repairToolBlock } = await import("genui-patch");
        if (isHostile) {
          // Which is the slowest is seen in short ones too: a repair takes as long as its text is.
          const [{ place }] = hostile(length / 8)
            .map((text, place) => ({ place, time: timed(() => repairToolBlock(text)) }))
            .sort((a, b) => b.time - a.time);
          const text = hostile(length)[place];
          return { run: () => repairToolBlock(text) };
        }
        return {
          given: (json) => fenced(damaged(json)),
          run: (text) => repairToolBlock(text).report.call,
          check: (call, json) => same(call.content, JSON.parse(json).content),
        };
      },
    },
    jsonrepair: {
      role: "peer",
      make: async () => {
        const { jsonrepair } = await import("jsonrepair");
        return {
          given: damaged,
          run: (text) => JSON.parse(jsonrepair(text)),
          check: (call, json) => same(call.content, JSON.parse(json).content),
        };
      },
    },
  },
  asked: [
    {
      contender: "genui-patch",
      variant: "4 KB",
      most: 0.8,
      of: "jsonrepair",
      aim: { most: 0.5, of: "jsonrepair" },
      why: WALKS,
    },
    { contender: "genui-patch", variant: "100 KB", most: 0.5, of: "jsonrepair", why: WALKS },
    {
      contender: "genui-patch",
      variant: "1 MB, hostile",
      most: 100_000,
      why: "A path of a megabyte, all of it quotes: it is repaired, and what it was repaired to is read once more, for the report.",
    },
  ],
};

function timed(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}
