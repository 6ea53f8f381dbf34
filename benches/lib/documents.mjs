/** The documents of the cases. Generated from a seed, the same in every run and every process. */
import { random } from "../../tests/support/random.mjs";
import { sentence } from "./content.mjs";

const block = (place, rng) => ({
  id: `block_${place}`,
  type: "form",
  bind: "state.params",
  title: `Block number ${place}${rng ? `, ${sentence(rng)}` : ""}`,
  props: {
    fields: [
      { key: `name_${place}`, label: "Name", type: "text", value: "" },
      { key: `count_${place}`, label: "Count", type: "number", value: place },
      { key: `notes_${place}`, label: "Notes", type: "textarea", description: "Whatever else there is to say" },
    ],
  },
});

/** A page with so many blocks: about 380 bytes of JSON each. With a seed its titles are others than those of another. */
export function page(blocks, seed) {
  const rng = seed === undefined ? undefined : random(seed);
  const params = { count: 0, name: "Ann" };
  const flags = {};
  for (let place = 0; place < 10; place++) {
    params[`p${place}`] = rng ? sentence(rng) : `value ${place}`;
    flags[`f${place}`] = false;
  }
  return {
    meta: { pageKey: "page", step: { current: 1, total: 3 }, status: "idle" },
    state: { params, runtime: { log: [], flags } },
    layout: { type: "single" },
    blocks: Array.from({ length: blocks }, (_, place) => block(place, rng)),
    actions: [{ id: "submit", label: "Submit", style: "primary" }],
  };
}

/** The places of 100 blocks, spread over the page in no order. */
export function spread(blocks) {
  return Array.from({ length: 100 }, (_, place) => (place * 7919 + 13) % blocks);
}

export function deepFreeze(value) {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
