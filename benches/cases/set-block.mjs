/** One property of a block that is found by its id. */
import { calls } from "../lib/edits.mjs";
import { handFrozen, withImmerSearching, withMutativeSearching, withStore } from "../lib/setters.mjs";

const blocks = (aim) => ({ contender: "genui-patch, typed", most: 0.1, of: "mutative, auto-freeze", ...aim });

export default {
  name: "set-block",
  title: "Set a text of blocks[id]",
  about:
    "A title, or a field's label, in another block each time. immer and mutative look for the block in the draft, as their " +
    "documentation does; by hand there is an index of ids, made once.",
  kind: "operation",
  unit: "µs",
  first: 100,
  page: { variants: ["1,000 blocks"], contenders: ["genui-patch, typed", "immer", "mutative, auto-freeze"] },
  variants: [
    { label: "1,000 blocks", blocks: 1000 },
    {
      label: "10,000 blocks",
      blocks: 10_000,
      contenders: ["genui-patch, typed", "mutative, auto-freeze", "by hand, frozen"],
    },
  ],
  quick: { label: "100 blocks", blocks: 100 },
  edits: ({ blocks }) => calls("one set in a block", blocks),
  contenders: {
    "genui-patch, typed": withStore(
      (store, { path, value }) => store.setString("page", path, value),
      ({ patches: [patch] }) => patch,
    ),
    immer: withImmerSearching(),
    "mutative, auto-freeze": withMutativeSearching(),
    "by hand, frozen": handFrozen(),
  },
  asked: [
    blocks({
      variant: "1,000 blocks",
      aim: { most: 3 },
      why: "Each set copies the list of a thousand blocks for its snapshot, and the peer in Chromium is faster than in Node.",
    }),
    blocks({ variant: "10,000 blocks", aim: { most: 6 } }),
  ],
};
