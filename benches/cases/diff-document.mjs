/** What differs between two documents that are both held as values. */
import { deepFreeze, page } from "../lib/documents.mjs";
import { same } from "../lib/setters.mjs";

const BLOCKS = 1000;
const PLACE = 500;

/** Two documents; those that share are as snapshots one change apart. */
function documents({ change, share }) {
  const before = page(BLOCKS);
  const after = share ? { ...before, blocks: [...before.blocks] } : page(BLOCKS);
  if (change === "field") after.blocks[PLACE] = { ...after.blocks[PLACE], title: "Another" };
  if (change === "front") after.blocks.unshift({ id: "front", type: "tabs", title: "Front" });
  if (change === "move") after.blocks.splice(10, 0, ...after.blocks.splice(PLACE, 1));
  return [deepFreeze(before), deepFreeze(after)];
}

const over = (diff, count) => async (variant) => {
  const [before, after] = documents(variant);
  const run = await diff();
  // How much a person would have to read.
  if (count !== undefined && variant.change !== "move") same(count(run(before, after)) >= 1, true);
  return { run: () => run(before, after) };
};

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
  browser: true,
  variants: [
    { label: "one field", change: "field", share: false },
    { label: "one field, snapshots", change: "field", share: true },
    { label: "one block at the front", change: "front", share: false },
    { label: "one block moved", change: "move", share: false },
  ],
  contenders: {
    "genui-patch": {
      role: "ours",
      make: over(
        async () => {
          const { jsonDiff } = await import("genui-patch");
          return (before, after) => {
            const changes = jsonDiff(before, after, { depth: "deep" });
            same(changes.length, 1);
            return changes;
          };
        },
        (changes) => changes.length,
      ),
    },
    "fast-json-patch": {
      role: "peer",
      make: over(
        async () => (await import("fast-json-patch")).default.compare,
        (operations) => operations.length,
      ),
    },
    microdiff: {
      role: "peer",
      make: over(
        async () => (await import("microdiff")).default,
        (changes) => changes.length,
      ),
    },
    jsondiffpatch: {
      role: "peer",
      make: over(async () => {
        const { create } = await import("jsondiffpatch");
        const differ = create({ objectHash: (item) => item.id ?? item.key });
        return (before, after) => differ.diff(before, after);
      }),
    },
    "by hand": {
      role: "floor",
      make: over(() => (before, after) => {
        const changes = [];
        walk(before, after, [], changes);
        return changes;
      }),
    },
  },
  targets: [
    { contender: "genui-patch", variant: "one field", most: 800 },
    { contender: "genui-patch", variant: "one field, snapshots", most: 800 },
  ],
};
