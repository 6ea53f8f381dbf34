/** Calls as an agent sends them, none like the one before. */
import { calls } from "../lib/edits.mjs";
import { handFrozen, withImmer, withMutative, withStore } from "../lib/setters.mjs";
import { CALL } from "./one-call.mjs";

export default {
  name: "calls",
  title: "Varied calls, from text",
  about:
    "One to four sets, in state and in blocks by id, of scalars and of objects. The peers read the text with JSON.parse and " +
    "make the patches by an interpreter of 30 lines that checks nothing but places, with an index of ids that is made once.",
  kind: "operation",
  unit: "µs",
  first: 500,
  page: { contenders: ["genui-patch, text", "JSON.parse + immer"] },
  variants: [{ label: "1,000 blocks", blocks: 1000 }],
  edits: ({ blocks }) => calls("varied", blocks),
  contenders: {
    "genui-patch, text": withStore((store, text) => store.apply(text), JSON.stringify),
    "JSON.parse + immer": withImmer(JSON.stringify),
    "JSON.parse + mutative, auto-freeze": withMutative(JSON.stringify),
    "JSON.parse + by hand, frozen": handFrozen(JSON.stringify),
  },
  asked: [
    { contender: "genui-patch, text", most: 0.4, of: "JSON.parse + immer", aim: { most: 10 }, why: CALL },
    { contender: "genui-patch, text", figure: "cold", most: 0.8, of: "JSON.parse + immer", why: CALL },
  ],
};
