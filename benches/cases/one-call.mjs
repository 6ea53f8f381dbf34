/** Small calls, of one kind each. */
import { calls } from "../lib/edits.mjs";
import { withImmer, withStore } from "../lib/setters.mjs";

const KINDS = ["one set", "two sets", "an increment", "an object"];

const several = KINDS.slice(1).map((variant) => ({
  contender: "genui-patch, text",
  variant,
  most: 10,
  aim: { most: 5 },
}));

export default {
  name: "one-call",
  title: "One small call",
  about:
    "Places, values and the order of keys differ from call to call. The peer reads the text with JSON.parse and makes the " +
    "patches by an interpreter of 30 lines that checks nothing but places.",
  kind: "operation",
  unit: "µs",
  first: 100,
  page: { variants: ["one set"] },
  variants: KINDS.map((label) => ({ label, blocks: 1000 })),
  edits: ({ label, blocks }) => calls(label, blocks),
  contenders: {
    "genui-patch, text": withStore((store, text) => store.apply(text), JSON.stringify),
    "genui-patch, object": withStore((store, call) => store.apply(call)),
    "JSON.parse + immer, text": withImmer(JSON.stringify),
    "immer, object": withImmer(),
  },
  asked: [
    { contender: "genui-patch, text", variant: "one set", most: 1, of: "JSON.parse + immer, text", aim: { most: 4 } },
    { contender: "genui-patch, object", variant: "one set", most: 1, of: "immer, object", aim: { most: 3 } },
    ...several,
  ],
};
