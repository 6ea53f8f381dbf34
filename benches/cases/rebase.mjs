/** A server push under calls that are still pending. */
import { random } from "../../tests/support/random.mjs";
import { sentence } from "../lib/content.mjs";
import { page, spread } from "../lib/documents.mjs";
import { same } from "../lib/setters.mjs";

const PENDING = 20;
/** The user's edits before each push: half of them in the page's state, half in blocks. */
const typed = (blocks) =>
  Array.from({ length: PENDING }, (_, place) =>
    place % 2 === 0
      ? { param: `p${place / 2}`, value: `typed ${place}` }
      : { block: spread(blocks)[place], value: `typed ${place}` },
  );

const pathOf = ({ param, block }) => (param === undefined ? `blocks["block_${block}"].title` : `state.params.${param}`);

/** The server's messages: in state or in a block, on the same values as pending calls or on others. */
function pushes({ blocks, touches }) {
  const pending = typed(blocks);
  const free = spread(blocks).slice(PENDING);
  return (turn) => {
    const rng = random(turn + 1);
    const value = sentence(rng);
    if (touches) return { ...rng.pick(pending), value };
    return rng.chance(0.5) ? { param: `other_${rng.below(10)}`, value } : { block: rng.pick(free), value };
  };
}

/** A recipe for the peers, which find a block as the page would: by its id. */
const recipe =
  ({ param, block, value }) =>
  (draft) => {
    if (param !== undefined) draft.state.params[param] = value;
    else draft.blocks.find(({ id }) => id === `block_${block}`).title = value;
  };

/** Pending values win; the server's other values are there. */
function expect(shown, { param, block, value }, { blocks, touches }) {
  if (!touches) same(param === undefined ? shown.blocks[block].title : shown.state.params[param], value);
  for (const each of typed(blocks))
    same(each.param === undefined ? shown.blocks[each.block].title : shown.state.params[each.param], each.value);
}

async function ours(variant) {
  const { PatchStore } = await import("genui-patch");
  const store = new PatchStore();
  store.load("page", JSON.stringify(page(variant.blocks)));
  for (const edit of typed(variant.blocks)) {
    store.applyOptimistic({ instance_name: "page", patches: [{ op: "set", path: pathOf(edit), value: edit.value }] });
  }
  return {
    given: (push) =>
      JSON.stringify({ instance_name: "page", patches: [{ op: "set", path: pathOf(push), value: push.value }] }),
    run(text) {
      store.receive(text);
      return store.snapshot("page");
    },
    check(shown, push) {
      expect(shown, push, variant);
      same(store.pending().length, PENDING);
    },
  };
}

/** A peer keeps what is confirmed, and makes what is shown anew from it. */
const replaying = (load) => ({
  role: "peer",
  make: async (variant) => {
    const next = await load();
    const recipes = typed(variant.blocks).map(recipe);
    let confirmed = page(variant.blocks);
    return {
      given: recipe,
      run(push) {
        confirmed = next(confirmed, push);
        return recipes.reduce(next, confirmed);
      },
      check: (shown, push) => expect(shown, push, variant),
    };
  },
});

const mutative = (enableAutoFreeze) =>
  replaying(async () => {
    const { create } = await import("mutative");
    return (state, change) => create(state, change, { enableAutoFreeze });
  });

const asked = (peer) => ({ contender: "genui-patch", most: 1, of: peer, aim: { most: 50 } });

export default {
  name: "rebase",
  title: "A push under 20 pending calls",
  about:
    "The push sets one value; the pending calls, ten in the state and ten in blocks found by id, stay on top of it. The " +
    "peers make what is shown anew from what is confirmed. genui-patch reads the push from text, and checks all of it.",
  kind: "operation",
  unit: "µs",
  first: 20,
  page: { contenders: ["genui-patch", "mutative, auto-freeze"] },
  variants: [
    { label: "it touches what is pending", blocks: 1000, touches: true },
    { label: "it touches nothing of it", blocks: 1000, touches: false },
  ],
  edits: pushes,
  contenders: {
    "genui-patch": { role: "ours", make: ours },
    immer: replaying(async () => {
      const { produce, setAutoFreeze } = await import("immer");
      setAutoFreeze(true);
      return (state, change) => produce(state, change);
    }),
    "mutative, auto-freeze": mutative(true),
    "mutative, not frozen": mutative(false),
  },
  asked: [asked("mutative, auto-freeze"), asked("mutative, not frozen")],
};
