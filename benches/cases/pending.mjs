/** One optimistic edit, as typing makes it. */
import { same, withImmer, withMutative, withStore } from "../lib/setters.mjs";

const value = (turn) => `typed ${turn}`;
const recipe = (draft, turn) => {
  draft.state.params.name = value(turn);
};
const expect = (shown, turn) => same(shown.state.params.name, value(turn));
const title = (blocks) => `blocks["block_${blocks - 7}"].title`;

export default {
  name: "pending",
  title: "A pending edit",
  about:
    "setString with `optimistic`: one keystroke in a field whose earlier keystrokes are pending. The peers just set the " +
    "value: nothing can be refused or rebased.",
  kind: "operation",
  unit: "µs",
  browser: true,
  variants: [
    { label: "1,000 blocks", blocks: 1000 },
    { label: "10,000 blocks", blocks: 10_000 },
  ],
  contenders: {
    "genui-patch, state": {
      role: "ours",
      make: ({ blocks }) =>
        withStore(
          blocks,
          (store, turn) => store.setString("page", "state.params.name", value(turn), { optimistic: true }),
          expect,
        ),
    },
    "genui-patch, block": {
      role: "ours",
      make: ({ blocks }) =>
        withStore(
          blocks,
          (store, turn) => store.setString("page", title(blocks), value(turn), { optimistic: true }),
          (shown, turn) => same(shown.blocks[blocks - 7].title, value(turn)),
        ),
    },
    immer: { role: "peer", make: ({ blocks }) => withImmer(blocks, recipe, expect) },
    "mutative, not frozen": { role: "peer", make: ({ blocks }) => withMutative(blocks, recipe, expect, false) },
  },
  targets: [],
  growth: ["genui-patch, state", "genui-patch, block"].map((contender) => {
    return { contender, from: "1,000 blocks", to: "10,000 blocks", most: 2 };
  }),
};
