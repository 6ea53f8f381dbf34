/** A finished tool block with faults in it. */
import { fenced, writeFile } from "../lib/documents.mjs";
import { same } from "../lib/setters.mjs";

/** Raw line breaks and tabs in its text, and a comma too many: what both contenders can mend. */
const damaged = (length) => `${writeFile(length).replaceAll("\\n", "\n").replaceAll("\\t", "\t").slice(0, -1)},}`;

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

export default {
  name: "repair",
  title: "Repair a tool block, one shot",
  about:
    "Raw line breaks and tabs in the text, and a trailing comma. genui-patch also finds the fence, lists what it did, " +
    "validates and checks the path; jsonrepair repairs the JSON alone, and JSON.parse reads it. The hostile texts are " +
    `${HOSTILE.length + ELSEWHERE.length} of 1 MB in which a repair may take each quote for an end; the time is that of the slowest.`,
  kind: "operation",
  unit: "µs",
  browser: false,
  variants: [
    { label: "4 KB", length: 3900 },
    { label: "100 KB", length: 100 * 1024 },
    { label: "1 MB, hostile", length: 1024 * 1024, hostile: true },
  ],
  contenders: {
    "genui-patch": {
      role: "ours",
      make: async ({ length, hostile: isHostile }) => {
        const { repairToolBlock } = await import("genui-patch");
        if (isHostile) {
          const [slowest] = hostile(length)
            .map((text) => ({ text, time: timed(() => repairToolBlock(text)) }))
            .sort((a, b) => b.time - a.time);
          return { run: () => repairToolBlock(slowest.text) };
        }
        const text = fenced(damaged(length));
        same(repairToolBlock(text).report.call.content === JSON.parse(writeFile(length)).content, true);
        return { run: () => repairToolBlock(text) };
      },
    },
    jsonrepair: {
      role: "peer",
      only: ({ hostile: isHostile }) => !isHostile,
      make: async ({ length }) => {
        const { jsonrepair } = await import("jsonrepair");
        const text = damaged(length);
        same(JSON.parse(jsonrepair(text)).content === JSON.parse(writeFile(length)).content, true);
        return { run: () => JSON.parse(jsonrepair(text)) };
      },
    },
  },
  targets: [
    { contender: "genui-patch", variant: "4 KB", most: 60 },
    { contender: "genui-patch", variant: "100 KB", most: 1500 },
    { contender: "genui-patch", variant: "1 MB, hostile", most: 100_000 },
  ],
};

function timed(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}
