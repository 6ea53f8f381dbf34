/** The differences between two documents that are both JavaScript values. */
import { deepFreeze, page } from "../lib/documents.mjs";
import { same } from "../lib/setters.mjs";

const BLOCKS = 1000;

/** Pages as texts, to be read again for each turn: that takes half as long as to make another one. */
const PAGES = 4;

/** Two documents a turn; those that share are as snapshots, each one change after the other. */
function documents({ change, share }) {
  const texts = Array.from({ length: PAGES }, (_, seed) => JSON.stringify(page(BLOCKS, seed + 1)));
  const read = (turn) => JSON.parse(texts[turn % PAGES]);
  let last = deepFreeze(read(0));
  return (turn) => {
    const place = (turn * 7919 + 500) % BLOCKS;
    const before = share ? last : deepFreeze(read(turn));
    const after = share ? { ...before, blocks: [...before.blocks] } : read(turn);
    if (change === "field") after.blocks[place] = { ...after.blocks[place], title: `Another, ${turn}` };
    if (change === "front") after.blocks.unshift({ id: `front_${turn}`, type: "tabs", title: "Front" });
    last = deepFreeze(after);
    return [before, last];
  };
}

const over = (role, load, count) => ({
  role,
  make: async () => {
    const diff = await load();
    return {
      run: ([before, after]) => diff(before, after),
      // How much a user would have to read.
      check: (found) => same(count === undefined || count(found) >= 1, true),
    };
  },
});

const LISTS = ["genui-patch", "fast-json-patch", "jsondiffpatch"];

/** The same walk without lists matched: what it costs to look at everything once. */
function walk(before, after, path, changes) {
  if (before === after) return;
  if (typeof before !== "object" || typeof after !== "object" || before === null || after === null) {
    changes.push({ kind: "set", path: [...path], value: after });
    return;
  }
  for (const key of Object.keys(before)) {
    path.push(key);
    walk(before[key], after[key], path, changes);
    path.pop();
  }
}

export default {
  name: "diff-document",
  title: "The difference of two documents of 1,000 blocks",
  about:
    "Two documents that share nothing, or two snapshots one change apart. Lists are matched by id by genui-patch and " +
    "jsondiffpatch (by its option objectHash); the others compare by index, so that one block at the front is a " +
    "thousand changes. By hand: one walk over both by index.",
  kind: "operation",
  unit: "µs",
  most: 4,
  page: { variants: ["one field"], contenders: ["genui-patch", "fast-json-patch"] },
  variants: [
    { label: "one field", change: "field", share: false, turns: 30 },
    { label: "one field, snapshots", change: "field", share: true },
    { label: "one block at the front", change: "front", share: false, turns: 30, contenders: LISTS },
  ],
  edits: documents,
  contenders: {
    "genui-patch": over(
      "ours",
      async () => {
        const { jsonDiff } = await import("genui-patch");
        return (before, after) => jsonDiff(before, after, { depth: "deep" });
      },
      (changes) => (changes.length === 1 ? 1 : 0),
    ),
    "fast-json-patch": over(
      "peer",
      async () => (await import("fast-json-patch")).default.compare,
      (operations) => operations.length,
    ),
    microdiff: over(
      "peer",
      async () => (await import("microdiff")).default,
      (changes) => changes.length,
    ),
    jsondiffpatch: over("peer", async () => {
      const { create } = await import("jsondiffpatch");
      const differ = create({ objectHash: (item) => item.id ?? item.key });
      return (before, after) => differ.diff(before, after);
    }),
    "by hand": over("floor", async () => (before, after) => {
      const changes = [];
      walk(before, after, [], changes);
      return changes;
    }),
  },
  asked: [
    {
      contender: "genui-patch",
      variant: "one field",
      most: 0.6,
      of: "fast-json-patch",
      why: "Lists are matched by id, so that a block at the front is one change and not a thousand; that index is made before anything is compared.",
    },
  ],
};
