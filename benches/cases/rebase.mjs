/** A push beneath calls that the server has not settled yet. */
import { page, spread } from "../lib/documents.mjs";
import { same, withState } from "../lib/setters.mjs";

const PENDING = 20;
/** What is typed before each push: half of it into the page's state, half into blocks. */
const typed = (blocks) =>
  Array.from({ length: PENDING }, (_, place) =>
    place % 2 === 0
      ? { param: `p${place / 2}`, value: `typed ${place}` }
      : { block: spread(blocks)[place], value: `typed ${place}` },
  );

const path = ({ param, block }) => (param === undefined ? `blocks["block_${block}"].title` : `state.params.${param}`);
const call = (patches) => ({ instance_name: "page", patches });

/** A recipe for the peers, which find a block as the page would: by its id. */
const recipe =
  ({ param, block, value }) =>
  (draft) => {
    if (param !== undefined) draft.state.params[param] = value;
    else draft.blocks.find(({ id }) => id === `block_${block}`).title = value;
  };

const push = (turn) => (draft) => {
  draft.state.params.count = turn + 1;
};

function expect(shown, turn, blocks) {
  same(shown.state.params.count, turn + 1);
  for (const { param, block, value } of typed(blocks)) {
    same(param === undefined ? shown.blocks[block].title : shown.state.params[param], value);
  }
}

async function ours({ blocks }) {
  const { PatchStore } = await import("genui-patch");
  const store = new PatchStore();
  store.load("page", JSON.stringify(page(blocks)));
  for (const edit of typed(blocks)) store.applyOptimistic(call([{ op: "set", path: path(edit), value: edit.value }]));
  const kept = store.snapshot("page").blocks;
  return {
    run: (turn) =>
      store.receive(
        `{"instance_name":"page","patches":[{"op":"set","path":"state.params.count","value":${turn + 1}}]}`,
      ),
    check(turn) {
      const shown = store.snapshot("page");
      expect(shown, turn, blocks);
      same(store.pending().length, PENDING);
      same(shown.blocks, kept);
    },
  };
}

/** A peer keeps what is confirmed, and makes what is shown anew from it. */
function replaying(blocks, next) {
  const recipes = typed(blocks).map(recipe);
  const state = { confirmed: page(blocks), shown: undefined };
  const step = ({ confirmed }, turn) => {
    const pushed = next(confirmed, push(turn));
    return { confirmed: pushed, shown: recipes.reduce(next, pushed) };
  };
  return withState(state, step, ({ shown }, turn) => expect(shown, turn, blocks));
}

async function withImmer({ blocks }) {
  const { produce, setAutoFreeze } = await import("immer");
  setAutoFreeze(true);
  return replaying(blocks, (state, change) => produce(state, change));
}

async function withMutative({ blocks }, enableAutoFreeze) {
  const { create } = await import("mutative");
  return replaying(blocks, (state, change) => create(state, change, { enableAutoFreeze }));
}

export default {
  name: "rebase",
  title: "A push beneath 20 pending calls",
  about:
    "The push sets one value; the pending calls, ten in the state and ten in blocks found by id, stay on top of it. The " +
    "peers make what is shown anew from what is confirmed. genui-patch reads the push from text, checks all of it, and " +
    "keeps what the pending calls have touched the same object.",
  kind: "operation",
  unit: "µs",
  browser: true,
  variants: [{ label: "1,000 blocks", blocks: 1000 }],
  contenders: {
    "genui-patch": { role: "ours", make: ours },
    immer: { role: "peer", make: withImmer },
    "mutative, auto-freeze": { role: "peer", make: (variant) => withMutative(variant, true) },
    "mutative, not frozen": { role: "peer", make: (variant) => withMutative(variant, false) },
  },
  targets: [{ contender: "genui-patch", most: 50 }],
};
