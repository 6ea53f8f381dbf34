/** The contenders of the cases that set one value: each keeps its state from turn to turn, as a page does. */
import { page } from "./documents.mjs";

/**
 * Ours. `set(store, turn)` changes the store, `read(store)` gives what it shows.
 * Each snapshot is immutable and frozen, as those of the peers are asked to be.
 */
export async function withStore(blocks, set, expect) {
  const { PatchStore } = await import("genui-patch");
  const store = new PatchStore();
  store.load("page", JSON.stringify(page(blocks)));
  let snapshot = store.snapshot("page");
  return {
    run(turn) {
      set(store, turn);
      snapshot = store.snapshot("page");
    },
    check: (turn) => expect(snapshot, turn),
  };
}

/** Anything that makes the next state out of one. */
export function withState(state, next, expect) {
  return {
    run(turn) {
      state = next(state, turn);
    },
    check: (turn) => expect(state, turn),
  };
}

export async function withImmer(blocks, recipe, expect) {
  const { produce, setAutoFreeze } = await import("immer");
  setAutoFreeze(true);
  return withState(page(blocks), (state, turn) => produce(state, (draft) => recipe(draft, turn)), expect);
}

/** It freezes only when it is told to. */
export async function withMutative(blocks, recipe, expect, enableAutoFreeze) {
  const { create } = await import("mutative");
  const options = { enableAutoFreeze };
  const next = (state, turn) =>
    create(
      state,
      (draft) => {
        recipe(draft, turn);
      },
      options,
    );
  return withState(page(blocks), next, expect);
}

/** As AG-UI's client uses it: operations checked, and applied to a deep copy, so that the state before stays. */
export async function withJsonPatch(blocks, operations, expect) {
  const { applyPatch } = (await import("fast-json-patch")).default;
  const next = (state, turn) => applyPatch(state, operations(state, turn), true, false).newDocument;
  return withState(page(blocks), next, expect);
}

export function same(found, wanted) {
  if (found !== wanted) throw new Error(`a contender is wrong: ${found}, not ${wanted}`);
}
