/** One property of a block that is found by its id. */
import { deepFreeze, page, spread } from "../lib/documents.mjs";
import { same, withImmer, withJsonPatch, withMutative, withState, withStore } from "../lib/setters.mjs";

const title = (turn) => `Title ${turn}`;

/** A contender over the places of a page, of which each turn takes the next. */
function over(make) {
  return ({ blocks }) => {
    const places = spread(blocks);
    const ids = places.map((place) => `block_${place}`);
    const expect = (snapshot, turn) => same(snapshot.blocks[places[turn % 100]].title, title(turn));
    return make({ blocks, places, ids, expect });
  };
}

const recipe = (ids) => (draft, turn) => {
  const id = ids[turn % 100];
  draft.blocks.find((block) => block.id === id).title = title(turn);
};

const mutative = (freeze) => over(({ blocks, ids, expect }) => withMutative(blocks, recipe(ids), expect, freeze));

const byHand = (freeze) =>
  over(({ blocks, ids, expect }) => {
    const root = page(blocks);
    const index = new Map(root.blocks.map((block, place) => [block.id, place]));
    const next = (root, turn) => {
      const place = index.get(ids[turn % 100]);
      const list = [...root.blocks];
      list[place] = freeze({ ...list[place], title: title(turn) });
      return freeze({ ...root, blocks: freeze(list) });
    };
    return withState(freeze === Object.freeze ? deepFreeze(root) : root, next, expect);
  });

export default {
  name: "set-block",
  title: "Set blocks[id].title",
  about:
    "100 blocks in turn, spread over the page. The peers look for the block in the draft, as their documentation " +
    "does; by hand there is an index of ids, made once.",
  kind: "operation",
  unit: "µs",
  browser: true,
  variants: [
    { label: "1,000 blocks", blocks: 1000 },
    { label: "10,000 blocks", blocks: 10_000 },
  ],
  contenders: {
    "genui-patch, typed": {
      role: "ours",
      make: over(({ blocks, ids, expect }) => {
        const paths = ids.map((id) => `blocks["${id}"].title`);
        return withStore(blocks, (store, turn) => store.setString("page", paths[turn % 100], title(turn)), expect);
      }),
    },
    "genui-patch, text": {
      role: "ours",
      make: over(({ blocks, ids, expect }) => {
        const heads = ids.map((id) => {
          const path = JSON.stringify(`blocks["${id}"].title`);
          return `{"instance_name":"page","patches":[{"op":"set","path":${path},"value":"`;
        });
        return withStore(blocks, (store, turn) => store.apply(`${heads[turn % 100]}${title(turn)}"}]}`), expect);
      }),
    },
    immer: { role: "peer", make: over(({ blocks, ids, expect }) => withImmer(blocks, recipe(ids), expect)) },
    "mutative, auto-freeze": { role: "peer", make: mutative(true) },
    "mutative, not frozen": { role: "peer", make: mutative(false) },
    "fast-json-patch": {
      role: "peer",
      make: over(({ blocks, places, expect }) => {
        const operations = (_, turn) => [
          { op: "replace", path: `/blocks/${places[turn % 100]}/title`, value: title(turn) },
        ];
        return withJsonPatch(blocks, operations, expect);
      }),
    },
    "by hand, frozen": { role: "floor", make: byHand(Object.freeze) },
    "by hand, not frozen": { role: "floor", make: byHand((value) => value) },
  },
  targets: [
    { contender: "genui-patch, typed", variant: "1,000 blocks", most: 4 },
    { contender: "genui-patch, typed", variant: "10,000 blocks", most: 8 },
  ],
};
