/** One delta of a protocol that sends JSON Patch, such as AG-UI's STATE_DELTA. */
import { calls } from "../lib/edits.mjs";
import { operations, withImmer, withJsonPatch, withStore } from "../lib/setters.mjs";

const text = (call) => JSON.stringify(operations(call));

export default {
  name: "json-delta",
  title: "One JSON Patch delta (RFC 6902)",
  about:
    "One value, another place each time. AG-UI's client applies deltas with fast-json-patch to a deep copy, so that the " +
    "state before stays; in place it keeps no state before, and what shows it cannot tell what changed. immer gets the " +
    "change as a patch by id, without any operation to read. Only genui-patch checks the structure of the page.",
  kind: "operation",
  unit: "µs",
  first: 100,
  page: false,
  variants: [{ label: "state, 1,000 blocks", blocks: 1000 }],
  edits: ({ blocks }) => calls("one set", blocks),
  contenders: {
    "genui-patch, text": withStore((store, delta) => store.applyJsonPatch("page", delta), text),
    "genui-patch, object": withStore((store, delta) => store.applyJsonPatch("page", delta), operations),
    "fast-json-patch, as AG-UI": withJsonPatch(operations),
    "fast-json-patch, in place": withJsonPatch(operations, true),
    immer: withImmer(),
  },
  asked: [],
};
