/** One value of the page's state. */
import { deepFreeze, page } from "../lib/documents.mjs";
import { same, withImmer, withJsonPatch, withMutative, withState, withStore } from "../lib/setters.mjs";

const expect = (snapshot, turn) => same(snapshot.state.params.count, turn + 1);
const recipe = (draft, turn) => {
  draft.state.params.count = turn + 1;
};
const path = "state.params.count";
const call = (turn) => ({ instance_name: "page", patches: [{ op: "set", path, value: turn + 1 }] });
const textOf = (turn) => `{"instance_name":"page","patches":[{"op":"set","path":"${path}","value":${turn + 1}}]}`;

function byHand(root, turn) {
  const params = Object.freeze({ ...root.state.params, count: turn + 1 });
  return Object.freeze({ ...root, state: Object.freeze({ ...root.state, params }) });
}

export default {
  name: "set-param",
  title: "One set in state.params",
  about:
    "A new immutable snapshot after each set; what did not change is shared. fast-json-patch, as AG-UI uses it, and " +
    "mutative by default do not freeze. Only genui-patch checks the structure, and from text it reads the text as well.",
  kind: "operation",
  unit: "µs",
  browser: true,
  variants: [{ label: "1,000 blocks", blocks: 1000 }],
  contenders: {
    "genui-patch, typed": {
      role: "ours",
      make: ({ blocks }) => withStore(blocks, (store, turn) => store.setNumber("page", path, turn + 1), expect),
    },
    "genui-patch, text": {
      role: "ours",
      make: ({ blocks }) => withStore(blocks, (store, turn) => store.apply(textOf(turn)), expect),
    },
    "genui-patch, object": {
      role: "ours",
      make: ({ blocks }) => withStore(blocks, (store, turn) => store.apply(call(turn)), expect),
    },
    immer: { role: "peer", make: ({ blocks }) => withImmer(blocks, recipe, expect) },
    "mutative, auto-freeze": { role: "peer", make: ({ blocks }) => withMutative(blocks, recipe, expect, true) },
    "mutative, not frozen": { role: "peer", make: ({ blocks }) => withMutative(blocks, recipe, expect, false) },
    "fast-json-patch": {
      role: "peer",
      make: ({ blocks }) => {
        const operations = (_, turn) => [{ op: "replace", path: "/state/params/count", value: turn + 1 }];
        return withJsonPatch(blocks, operations, expect);
      },
    },
    "by hand, frozen": {
      role: "floor",
      make: ({ blocks }) => withState(deepFreeze(page(blocks)), byHand, expect),
    },
  },
  targets: [
    { contender: "genui-patch, typed", most: 0.6 },
    { contender: "genui-patch, text", most: 2 },
  ],
};
