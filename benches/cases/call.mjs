/** One call of 100 mixed patches, from text: one that is taken, and one whose last patch fails. */
import { random } from "../../tests/support/random.mjs";
import { sentence } from "../lib/content.mjs";
import { deepFreeze, page, spread } from "../lib/documents.mjs";
import { byHand, inDraft, indexOf, perform } from "../lib/edits.mjs";
import { same } from "../lib/setters.mjs";

/** The patches of a turn. They leave lists as long as they were, so that the page does not grow from turn to turn. */
function patches(turn, blocks, fails) {
  const rng = random(turn + 1);
  const places = spread(blocks);
  const times = (count, make) => Array.from({ length: count }, (_, place) => make(place));
  const field = (place) => ({ key: `new_${place}`, label: sentence(rng), type: "text", description: sentence(rng) });
  const added = (place) => ({
    id: `new_${place}`,
    type: "form",
    title: sentence(rng),
    bind: "state.params",
    props: { fields: [field(place)] },
  });
  const last = fails
    ? { op: "set", path: 'blocks["nobody"].title', value: sentence(rng) }
    : { op: "remove", path: 'blocks["new_9"]' };
  return [
    ...times(20, () => ({ op: "set", path: `state.params.p${rng.below(10)}`, value: sentence(rng) })),
    ...times(20, () => ({ op: "set", path: `blocks["block_${rng.pick(places)}"].title`, value: sentence(rng) })),
    ...times(10, () => ({ op: "increment", path: "state.params.count", value: 1 + rng.below(4) })),
    ...times(10, () => ({ op: "toggle", path: `state.runtime.flags.f${rng.below(10)}` })),
    ...times(10, (place) => ({ op: "add", path: "blocks+", value: added(place) })),
    ...times(10, (at) => ({ op: "append_to_list", path: "state.runtime.log", value: { at, message: sentence(rng) } })),
    ...times(10, () => ({ op: "remove_last", path: "state.runtime.log" })),
    ...times(9, (place) => ({ op: "remove", path: `blocks["new_${place}"]` })),
    last,
  ];
}

/** The value that the last set wrote to state. */
function expect(state, list, { fails, blocks }) {
  same(state.blocks.length, blocks);
  const { path, value } = list.filter(({ path }) => path.startsWith("state.params.p")).at(-1);
  same(state.state.params[path.slice("state.params.".length)] === value, !fails);
}

/** A contender that makes the next state out of one, or throws and keeps it. */
const stateful = (role, load, start = page) => ({
  role,
  make: async (variant) => {
    const next = await load();
    let state = start(variant.blocks);
    return {
      given: JSON.stringify,
      run(text) {
        try {
          state = next(state, JSON.parse(text));
          same(variant.fails, false);
        } catch (error) {
          if (!variant.fails) throw error;
        }
        return state;
      },
      check: (state, list) => expect(state, list, variant),
    };
  },
});

const inDrafts = (draft, list, state) => {
  const index = indexOf(state);
  for (const patch of list) perform(draft, patch, inDraft, index);
};

export default {
  name: "call",
  title: "100 mixed patches, from text",
  about:
    "One call of about 11 KB on 1,000 blocks, none like the one before: sets in state and in blocks by id, increments, " +
    "toggles, additions, removals. The peers read the text with JSON.parse and run an interpreter of 30 lines that checks " +
    "nothing but places, with an index of ids per call.",
  kind: "operation",
  unit: "µs",
  first: 5,
  most: 256,
  page: { variants: ["taken"], contenders: ["genui-patch, text", "immer", "mutative, auto-freeze"] },
  variants: [
    { label: "taken", blocks: 1000, fails: false },
    {
      label: "the 100th fails",
      blocks: 1000,
      fails: true,
      contenders: ["genui-patch, text", "immer", "mutative, auto-freeze"],
    },
  ],
  edits:
    ({ blocks, fails }) =>
    (turn) =>
      patches(turn, blocks, fails),
  contenders: {
    "genui-patch, text": {
      role: "ours",
      make: async (variant) => {
        const { PatchStore } = await import("genui-patch");
        const store = new PatchStore();
        store.load("page", JSON.stringify(page(variant.blocks)));
        return {
          given: (patches) => JSON.stringify({ instance_name: "page", patches }),
          run(text) {
            same(store.apply(text).status, variant.fails ? "error" : "success");
            return store.snapshot("page");
          },
          check: (state, list) => expect(state, list, variant),
        };
      },
    },
    immer: stateful("peer", async () => {
      const { produce } = await import("immer");
      return (state, list) => produce(state, (draft) => inDrafts(draft, list, state));
    }),
    "mutative, auto-freeze": stateful("peer", async () => {
      const { create } = await import("mutative");
      return (state, list) => create(state, (draft) => inDrafts(draft, list, state), { enableAutoFreeze: true });
    }),
    "by hand, frozen": stateful(
      "floor",
      async () => (state, list) => byHand(state, list, indexOf(state)),
      (blocks) => deepFreeze(page(blocks)),
    ),
  },
  asked: [
    {
      contender: "genui-patch, text",
      most: 1,
      of: "immer",
      aim: { most: 150 },
      why: "Each patch is read, planned, checked against the rules of a page and undone if a later one fails; the peers check places.",
    },
  ],
};
