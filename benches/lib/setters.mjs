/** The contenders of the cases that set values: each keeps its state from turn to turn, as a page does. */
import { deepFreeze, page } from "./documents.mjs";
import { byHand, inDraft, indexOf, perform, read } from "./edits.mjs";

export function same(found, wanted) {
  if (found !== wanted) throw new Error(`a contender is wrong: ${found}, not ${wanted}`);
}

/** Whether a document has what the last patch of a call put there. */
function expect(state, { patches }, index) {
  const { op, path, value } = patches.at(-1);
  if (op === "set") same(JSON.stringify(read(state, path, index)), JSON.stringify(value));
  else same(typeof read(state, path, index), "number");
}

/**
 * Ours. `apply(store, given)` changes the store; the snapshot is read after each, immutable and frozen, as those of the
 * peers are asked to be.
 */
export const withStore = (apply, given) => ({
  role: "ours",
  make: async ({ blocks }) => {
    const { PatchStore } = await import("genui-patch");
    const store = new PatchStore();
    const document = page(blocks);
    store.load("page", JSON.stringify(document));
    const index = indexOf(document);
    return {
      given,
      run(given) {
        apply(store, given);
        return store.snapshot("page");
      },
      check: (snapshot, call) => expect(snapshot, call, index),
    };
  },
});

/** Functions that compute the next state from a state and an edit. `parse` is for contenders that receive text. */
const withState =
  (start, load, given) =>
  ({ blocks }) =>
    load().then((next) => {
      const index = indexOf(page(blocks));
      let state = start(blocks);
      return {
        given,
        run(given) {
          state = next(state, given, index);
          return state;
        },
        check: (state, call) => expect(state, call, index),
      };
    });

const parse = (given) => (typeof given === "string" ? JSON.parse(given) : given).patches;

/** immer, with the interpreter that one would write for patches by path, and an index of the blocks. */
export const withImmer = (given) => ({
  role: "peer",
  make: withState(
    page,
    async () => {
      const { produce, setAutoFreeze } = await import("immer");
      setAutoFreeze(true);
      return (state, given, index) =>
        produce(state, (draft) => {
          for (const patch of parse(given)) perform(draft, patch, inDraft, index);
        });
    },
    given,
  ),
});

/** Without an index, immer and mutative search the draft for a block, as their documentation does. */
function searching(draft, { path, value }) {
  const [, id, field] = /^blocks\["([^"]*)"\]\.(?:title|props\.fields\["([^"]*)"\]\.label)$/.exec(path);
  const block = draft.blocks.find((block) => block.id === id);
  if (field === undefined) block.title = value;
  else block.props.fields.find(({ key }) => key === field).label = value;
}

export const withImmerSearching = () => ({
  role: "peer",
  make: withState(page, async () => {
    const { produce, setAutoFreeze } = await import("immer");
    setAutoFreeze(true);
    return (state, { patches: [patch] }) => produce(state, (draft) => searching(draft, patch));
  }),
});

/** mutative freezes only if asked to. */
const FREEZING = { enableAutoFreeze: true };

export const withMutativeSearching = () => ({
  role: "peer",
  make: withState(page, async () => {
    const { create } = await import("mutative");
    return (state, { patches: [patch] }) => create(state, (draft) => searching(draft, patch), FREEZING);
  }),
});

export const withMutative = (given) => ({
  role: "peer",
  make: withState(
    page,
    async () => {
      const { create } = await import("mutative");
      return (state, given, index) =>
        create(
          state,
          (draft) => {
            for (const patch of parse(given)) perform(draft, patch, inDraft, index);
          },
          FREEZING,
        );
    },
    given,
  ),
});

/** As AG-UI's client uses it: operations checked, and applied to a deep copy, so that the state before stays. */
export const withJsonPatch = (given, inPlace = false) => ({
  role: "peer",
  make: withState(
    page,
    async () => {
      const { applyPatch } = (await import("fast-json-patch")).default;
      return (state, operations) => applyPatch(state, operations, true, inPlace).newDocument;
    },
    given,
  ),
});

export const handFrozen = (given) => ({
  role: "floor",
  make: withState(
    (blocks) => deepFreeze(page(blocks)),
    async () => (state, given, index) => byHand(state, parse(given), index),
    given,
  ),
});

/** A call's patches as RFC 6902 operations. Blocks and fields stand at the places that their ids have. */
export function operations({ patches }) {
  return patches.map(({ path, value }) => {
    const block = /^blocks\["block_(\d+)"\]\.(title)?/.exec(path);
    const pointer = block
      ? `/blocks/${block[1]}/${block[2] ?? "props/fields/2/label"}`
      : `/${path.replaceAll(".", "/")}`;
    return { op: path.endsWith(".extra") ? "add" : "replace", path: pointer, value };
  });
}
