/** One call of 100 mixed patches, from text: one that is taken, and one whose last patch fails. */
import { deepFreeze, page, spread } from "../lib/documents.mjs";
import { same } from "../lib/setters.mjs";

const BLOCKS = 1000;
const ROUNDS = ["one", "two"];

/** The patches of a round. They leave lists as long as they were, so that the page does not grow from turn to turn. */
function patches(round) {
  const places = spread(BLOCKS);
  const times = (count, make) => Array.from({ length: count }, (_, place) => make(place));
  const field = (place) => ({
    key: `new_${place}`,
    label: `A new field of round ${round}`,
    type: "text",
    description: "Which somebody will fill in",
  });
  return [
    ...times(20, (place) => ({
      op: "set",
      path: `state.params.p${place % 10}`,
      value: `value ${place} of round ${round}, as long as what a person may have written into a field of a form on the page`,
    })),
    ...times(20, (place) => ({
      op: "set",
      path: `blocks["block_${places[place]}"].title`,
      value: `Title ${place} of round ${round}, with a few words more than a title has`,
    })),
    ...times(10, () => ({ op: "increment", path: "state.params.count" })),
    ...times(10, (place) => ({ op: "toggle", path: `state.runtime.flags.f${place}` })),
    ...times(10, (place) => ({
      op: "add",
      path: "blocks+",
      value: {
        id: `new_${place}`,
        type: "form",
        title: `New ${place}`,
        bind: "state.params",
        props: { fields: [field(place)] },
      },
    })),
    ...times(10, (place) => ({
      op: "append_to_list",
      path: "state.runtime.log",
      value: {
        at: place,
        message: `An entry of round ${round} of the log of the page, which says what has happened and why`,
      },
    })),
    ...times(10, () => ({ op: "remove_last", path: "state.runtime.log" })),
    ...times(9, (place) => ({ op: "remove", path: `blocks["new_${place}"]` })),
    { op: "remove", path: 'blocks["new_9"]' },
  ];
}

const failing = (list) => [...list.slice(0, -1), { op: "set", path: 'blocks["nobody"].title', value: "never" }];

const texts = (variant, wrap) =>
  ROUNDS.map((round) => JSON.stringify(wrap(variant.fails ? failing(patches(round)) : patches(round))));

/** The same as RFC 6902 operations, in which a server writes indexes and sums. */
function operations(list) {
  const ids = page(BLOCKS).blocks.map((block) => block.id);
  let count = 0;
  let log = 0;
  const write = {
    set: ({ path, value }) => ({ op: "replace", path: pointer(path, ids), value }),
    increment: ({ path }) => ({ op: "replace", path: pointer(path, ids), value: ++count }),
    toggle: ({ path }) => ({ op: "replace", path: pointer(path, ids), value: true }),
    add: ({ value }) => {
      ids.push(value.id);
      return { op: "add", path: "/blocks/-", value };
    },
    append_to_list: ({ path, value }) => {
      log += 1;
      return { op: "add", path: `${pointer(path, ids)}/-`, value };
    },
    remove_last: ({ path }) => {
      log -= 1;
      return { op: "remove", path: `${pointer(path, ids)}/${log}` };
    },
    remove: ({ path }) => {
      const operation = { op: "remove", path: pointer(path, ids) };
      ids.splice(Number(operation.path.split("/")[2]), 1);
      return operation;
    },
  };
  return list.map((patch) => write[patch.op](patch));
}

const stepsOf = (path) => path.match(/[^.[\]"+]+/g);

function pointer(path, ids) {
  const steps = stepsOf(path);
  // An id that is not there becomes an index that is not there.
  const place = (id) => (ids.includes(id) ? ids.indexOf(id) : 99_999);
  return `/${steps.map((step, depth) => (depth === 1 && steps[0] === "blocks" ? place(step) : step)).join("/")}`;
}

/**
 * Makes the changes of a patch below `root`, nothing checked but that places exist. `own(holder, key)` gives what is
 * there, to be written to; `index` finds blocks.
 */
function perform(root, { op, path, value }, own, index) {
  const steps = stepsOf(path);
  const keyOf = (holder, step) => {
    if (!Array.isArray(holder)) return step;
    const place = index.get(step);
    if (place === undefined) throw new Error(`no block ${step}`);
    return place;
  };
  let holder = root;
  for (let depth = 0; depth < steps.length - 1; depth++) holder = own(holder, keyOf(holder, steps[depth]));
  const key = keyOf(holder, steps.at(-1));
  switch (op) {
    case "set":
      holder[key] = value;
      break;
    case "increment":
      holder[key] = (holder[key] ?? 0) + 1;
      break;
    case "toggle":
      holder[key] = !holder[key];
      break;
    case "add":
      index.set(value.id, own(holder, key).push(value) - 1);
      break;
    case "append_to_list":
      own(holder, key).push(value);
      break;
    case "remove_last":
      own(holder, key).pop();
      break;
    case "remove":
      holder.splice(key, 1);
      index.delete(steps.at(-1));
      for (let place = key; place < holder.length; place++) index.set(holder[place].id, place);
      break;
  }
}

const performAll = (root, list, own, state) => {
  const index = new Map(state.blocks.map((block, place) => [block.id, place]));
  for (const patch of list) perform(root, patch, own, index);
};

const inDraft = (holder, key) => holder[key];

function byHand(state, list) {
  const fresh = new Set();
  const copy = (node) => {
    const next = Array.isArray(node) ? [...node] : { ...node };
    fresh.add(next);
    return next;
  };
  const own = (holder, key) => {
    const node = holder[key];
    if (fresh.has(node)) return node;
    holder[key] = copy(node);
    return holder[key];
  };
  const root = copy(state);
  performAll(root, list, own, state);
  for (const node of fresh) Object.freeze(node);
  for (const { value } of list) deepFreeze(value);
  return root;
}

/** A contender that makes the next state out of one, or throws and keeps it. */
function stateful(variant, next, { wrap = (list) => list, start = deepFreeze(page(BLOCKS)) } = {}) {
  const calls = texts(variant, wrap);
  let state = start;
  let failed = 0;
  return {
    run(turn) {
      try {
        state = next(state, JSON.parse(calls[turn % 2]));
      } catch {
        failed += 1;
      }
    },
    check: (turn) => expect(variant, state, failed, turn),
  };
}

function mutative(enableAutoFreeze) {
  return async (variant) => {
    const { create } = await import("mutative");
    const run = (state, list) =>
      create(state, (draft) => performAll(draft, list, inDraft, state), { enableAutoFreeze });
    return stateful(variant, run, { start: page(BLOCKS) });
  };
}

function expect({ fails }, state, failed, turn) {
  same(failed > 0, fails === true);
  same(state.blocks.length, BLOCKS);
  same(state.state.params.p0.includes(fails ? "value 0" : `round ${ROUNDS[turn % 2]}`), true);
}

export default {
  name: "call",
  title: "100 mixed patches, from text",
  about:
    `One call of ${(texts({}, (patches) => ({ instance_name: "page", patches }))[0].length / 1024).toFixed(0)} KB on ` +
    "1,000 blocks: sets in state and in blocks by id, increments, toggles, additions, removals. The peers read the " +
    "text with JSON.parse and run an interpreter of 30 lines that checks nothing but places, with an index of ids per " +
    "call; fast-json-patch gets the same as RFC 6902 operations.",
  kind: "operation",
  unit: "µs",
  browser: false,
  variants: [{ label: "taken" }, { label: "the 100th fails", fails: true }],
  contenders: {
    "genui-patch, text": {
      role: "ours",
      make: async (variant) => {
        const { PatchStore } = await import("genui-patch");
        const store = new PatchStore();
        store.load("page", JSON.stringify(page(BLOCKS)));
        const calls = texts(variant, (patches) => ({ instance_name: "page", patches }));
        let failed = 0;
        return {
          run(turn) {
            if (store.apply(calls[turn % 2]).status === "error") failed += 1;
          },
          check: (turn) => expect(variant, store.snapshot("page"), failed, turn),
        };
      },
    },
    immer: {
      role: "peer",
      make: async (variant) => {
        const { produce } = await import("immer");
        return stateful(variant, (state, list) => produce(state, (draft) => performAll(draft, list, inDraft, state)));
      },
    },
    "mutative, auto-freeze": { role: "peer", make: mutative(true) },
    "mutative, not frozen": { role: "peer", make: mutative(false) },
    "fast-json-patch": {
      role: "peer",
      make: async (variant) => {
        const { applyPatch } = (await import("fast-json-patch")).default;
        const next = (state, list) => applyPatch(state, list, true, false).newDocument;
        return stateful(variant, next, { wrap: operations, start: page(BLOCKS) });
      },
    },
    "by hand, frozen": { role: "floor", make: (variant) => stateful(variant, byHand) },
  },
  targets: [
    { contender: "genui-patch, text", variant: "taken", most: 150 },
    { contender: "genui-patch, text", variant: "the 100th fails", most: 120 },
  ],
};
