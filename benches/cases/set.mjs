/** One value of the page's state, by a typed setter. */
import { calls } from "../lib/edits.mjs";
import { handFrozen, withImmer, withMutative, withStore } from "../lib/setters.mjs";

const setters = { number: "setNumber", string: "setString", boolean: "setBoolean" };

export default {
  name: "set",
  title: "One set, typed",
  about:
    "Numbers, texts and booleans into state.params, another place and value each time, and the new immutable snapshot; " +
    "what did not change is shared. Only genui-patch checks the structure.",
  kind: "operation",
  unit: "µs",
  first: 100,
  page: { contenders: ["genui-patch, typed", "immer", "mutative, auto-freeze", "by hand, frozen"] },
  variants: [{ label: "1,000 blocks", blocks: 1000 }],
  edits: ({ blocks }) => calls("one set", blocks),
  contenders: {
    "genui-patch, typed": withStore(
      (store, { path, value }) => store[setters[typeof value]]("page", path, value),
      ({ patches: [patch] }) => patch,
    ),
    immer: withImmer(),
    "mutative, auto-freeze": withMutative(),
    "by hand, frozen": handFrozen(),
  },
  asked: [
    {
      contender: "genui-patch, typed",
      most: 0.4,
      of: "immer",
      aim: { most: 1.5, of: "by hand, frozen" },
      why: "By hand a frozen snapshot takes nearly as long: three objects are copied and frozen.",
    },
  ],
};
