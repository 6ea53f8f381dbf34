/** One optimistic edit, as from typing, and the server's confirmation. */
import { calls } from "../lib/edits.mjs";
import { withImmer, withMutative, withStore } from "../lib/setters.mjs";

export default {
  name: "pending",
  title: "An optimistic call and its confirm",
  about:
    "The call is shown, then confirmed. The peers just make it: nothing can be refused or rebased. Nothing else does that.",
  kind: "operation",
  unit: "µs",
  first: 100,
  page: { variants: ["1,000 blocks"], contenders: ["genui-patch"] },
  variants: [
    { label: "1,000 blocks", blocks: 1000 },
    { label: "10,000 blocks", blocks: 10_000, contenders: ["genui-patch"] },
  ],
  quick: { label: "100 blocks", blocks: 100 },
  edits: ({ blocks }) => calls("varied", blocks),
  contenders: {
    "genui-patch": withStore((store, call) => store.confirm(store.applyOptimistic(call).pendingId)),
    "immer, nothing pending": withImmer(),
    "mutative, auto-freeze, nothing pending": withMutative(),
  },
  asked: [
    {
      contender: "genui-patch",
      variant: "1,000 blocks",
      most: 15,
      aim: { most: 8 },
      why: "The call alone, not optimistic, takes nearly two thirds of it; the rest is what it takes to undo it, and the confirmation.",
    },
    { contender: "genui-patch", variant: "10,000 blocks", most: 2, from: "1,000 blocks" },
  ],
};
