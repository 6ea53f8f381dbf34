/** Small calls, of one kind each. */
import { calls } from "../lib/edits.mjs";
import { withImmer, withStore } from "../lib/setters.mjs";

const OBJECT = ["genui-patch, object", "immer, object"];
const TEXT = ["genui-patch, text", "JSON.parse + immer, text"];

const variant = (kind, contenders, label = kind) => ({ label, kind, blocks: 1000, contenders });

const several = ["two sets", "an increment", "an object"];

/** Why a call takes longer than asked. */
export const CALL =
  "The call is parsed, planned, checked against the rules of a page, and noted for undo: the history takes a sixth of it, " +
  "collecting garbage another one. The peers do none of this.";

export default {
  name: "one-call",
  title: "One small call",
  about:
    "Places, values and the order of keys differ from call to call. The peer reads the text with JSON.parse and makes the " +
    "patches by an interpreter of 30 lines that checks nothing but places.",
  kind: "operation",
  unit: "µs",
  first: 100,
  page: { variants: ["one set", "one set, not as text"] },
  variants: [
    variant("one set", TEXT),
    variant("one set", OBJECT, "one set, not as text"),
    ...several.map((kind) => variant(kind, TEXT)),
  ],
  edits: ({ kind, blocks }) => calls(kind, blocks),
  contenders: {
    "genui-patch, text": withStore((store, text) => store.apply(text), JSON.stringify),
    "JSON.parse + immer, text": withImmer(JSON.stringify),
    "genui-patch, object": withStore((store, call) => store.apply(call)),
    "immer, object": withImmer(),
  },
  asked: [
    {
      contender: "genui-patch, text",
      variant: "one set",
      most: 1,
      of: "JSON.parse + immer, text",
      aim: { most: 4 },
      why: CALL,
    },
    { contender: "genui-patch, object", most: 1, of: "immer, object", aim: { most: 3 }, why: CALL },
    ...several.map((variant) => ({
      contender: "genui-patch, text",
      variant,
      most: 10,
      aim: { most: 5 },
      why: "Reading the text in the module, writing the answer and reading that as JSON take two fifths of it; a peer reads the text alone.",
    })),
  ],
};
