/** Calls as agents send them: each differs from the one before in what it sets, where, and in what order its keys stand. */
import { random } from "../../tests/support/random.mjs";
import { object, scalar, sentence } from "./content.mjs";
import { deepFreeze } from "./documents.mjs";

const PARAMS = ["count", "name", ...Array.from({ length: 10 }, (_, n) => `p${n}`)];

/** A place of a page's state. */
const param = (rng) => `state.params.${rng.pick(PARAMS)}`;

/** A place in one of the blocks. */
function inBlock(rng, blocks) {
  const n = rng.below(blocks);
  return rng.chance(0.7) ? `blocks["block_${n}"].title` : `blocks["block_${n}"].props.fields["notes_${n}"].label`;
}

/** The keys in the order in which models happen to write them. */
function patch(rng, op, path, value) {
  const rest = value === undefined ? { path } : rng.chance(0.8) ? { path, value } : { value, path };
  return rng.chance(0.9) ? { op, ...rest } : { ...rest, op };
}

const call = (patches) => ({ instance_name: "page", patches });

/** A block's texts are texts. */
function set(rng, blocks, share, value = scalar) {
  return rng.chance(share)
    ? patch(rng, "set", inBlock(rng, blocks), sentence(rng))
    : patch(rng, "set", param(rng), value(rng));
}

/** The calls of one turn, by the name of their kind. */
const KINDS = {
  "one set": (rng, blocks) => call([set(rng, blocks, 0)]),
  "one set in a block": (rng, blocks) => call([set(rng, blocks, 1)]),
  "two sets": (rng, blocks) => call([set(rng, blocks, 0), set(rng, blocks, 0)]),
  "an increment": (rng) => call([patch(rng, "increment", "state.params.count", 1 + rng.below(5))]),
  "an object": (rng, blocks) => call([set(rng, blocks, 0, object)]),
  varied: (rng, blocks) =>
    call([0, ...rng.list(3, () => 0)].map(() => set(rng, blocks, 0.4, rng.chance(0.25) ? object : scalar))),
};

/** A function that gives the call of each turn. */
export function calls(kind, blocks) {
  // `count` is for increments alone, where there are some: they want a number.
  return (turn) => {
    const made = KINDS[kind](random(turn * 2 + 1), blocks);
    if (kind === "an increment") return made;
    for (const each of made.patches) if (each.path === "state.params.count") each.path = "state.params.extra";
    return made;
  };
}

const stepsOf = (path) => path.match(/[^.[\]"+]+/g);

/** The key of a step: of a block its place, by an index of ids; of a field its place, looked for. */
function keyOf(holder, step, index) {
  if (!Array.isArray(holder)) return step;
  const place = index.get(step) ?? holder.findIndex(({ key }) => key === step);
  if (place < 0) throw new Error(`there is no ${step}`);
  return place;
}

/**
 * Makes the changes of a patch below `root`, nothing checked but that places exist: what one would write to take an
 * agent's patches with a peer. `own(holder, key)` gives what is there, to be written to; `index` finds blocks.
 */
export function perform(root, { op, path, value }, own, index) {
  const steps = stepsOf(path);
  let holder = root;
  for (let depth = 0; depth < steps.length - 1; depth++) holder = own(holder, keyOf(holder, steps[depth], index));
  const key = keyOf(holder, steps.at(-1), index);
  switch (op) {
    case "set":
      holder[key] = value;
      break;
    case "increment":
      holder[key] = (holder[key] ?? 0) + (value ?? 1);
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

export const inDraft = (holder, key) => holder[key];

/** The places of the blocks, by id. */
export const indexOf = (state) => new Map(state.blocks.map(({ id }, place) => [id, place]));

/** The value at a path of a document. */
export const read = (root, path, index) =>
  stepsOf(path).reduce((holder, step) => holder?.[keyOf(holder, step, index)], root);

/** The next state by hand, each holder on the way copied once, and frozen. */
export function byHand(state, list, index) {
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
  for (const each of list) perform(root, each, own, index);
  for (const node of fresh) Object.freeze(node);
  for (const { value } of list) deepFreeze(value);
  return root;
}
