/** One delta of a protocol that sends JSON Patch, such as AG-UI's STATE_DELTA. */
import { page } from "../lib/documents.mjs";
import { same, withImmer, withJsonPatch, withState, withStore } from "../lib/setters.mjs";

const pointerOf = (blocks, place) => (place === "block" ? `/blocks/${blocks >> 1}/title` : "/state/params/name");
const textAt = (turn) => `value ${turn}`;
const deltaOf = (path, turn) => [{ op: "replace", path, value: textAt(turn) }];
const textOf = (path, turn) => `[{"op":"replace","path":"${path}","value":"value ${turn}"}]`;

const expecting =
  ({ blocks, place }) =>
  (snapshot, turn) => {
    const found = place === "block" ? snapshot.blocks[blocks >> 1].title : snapshot.state.params.name;
    same(found, textAt(turn));
  };

const ours = (apply) => (variant) => {
  const path = pointerOf(variant.blocks, variant.place);
  return withStore(variant.blocks, (store, turn) => apply(store, path, turn), expecting(variant));
};

export default {
  name: "json-delta",
  title: "One JSON Patch delta (RFC 6902)",
  about:
    "A `replace` of one string. AG-UI's client applies deltas with fast-json-patch to a deep copy, so that the state " +
    "before stays; in place it keeps no state before, and what shows it cannot tell what changed. immer gets the change " +
    "as a recipe, without any operation to read. Only genui-patch checks the structure of the page.",
  kind: "operation",
  unit: "µs",
  browser: true,
  variants: [
    { label: "state, 1,000 blocks", blocks: 1000, place: "state" },
    { label: "a block of 1,000", blocks: 1000, place: "block" },
  ],
  contenders: {
    "genui-patch, text": {
      role: "ours",
      make: ours((store, path, turn) => store.applyJsonPatch("page", textOf(path, turn))),
    },
    "genui-patch, object": {
      role: "ours",
      make: ours((store, path, turn) => store.applyJsonPatch("page", deltaOf(path, turn))),
    },
    "fast-json-patch, as AG-UI": {
      role: "peer",
      make: (variant) => {
        const path = pointerOf(variant.blocks, variant.place);
        return withJsonPatch(variant.blocks, (_, turn) => deltaOf(path, turn), expecting(variant));
      },
    },
    "fast-json-patch, in place": {
      role: "peer",
      make: async (variant) => {
        const { applyPatch } = (await import("fast-json-patch")).default;
        const path = pointerOf(variant.blocks, variant.place);
        const next = (state, turn) => applyPatch(state, deltaOf(path, turn), true, true).newDocument;
        return withState(page(variant.blocks), next, expecting(variant));
      },
    },
    immer: {
      role: "peer",
      make: (variant) => {
        const recipe = (draft, turn) => {
          if (variant.place === "block") draft.blocks[variant.blocks >> 1].title = textAt(turn);
          else draft.state.params.name = textAt(turn);
        };
        return withImmer(variant.blocks, recipe, expecting(variant));
      },
    },
  },
  targets: [
    { contender: "genui-patch, text", variant: "state, 1,000 blocks", most: 3 },
    { contender: "genui-patch, text", variant: "a block of 1,000", most: 3 },
  ],
};
