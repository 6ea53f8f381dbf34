/** Pseudo-random numbers that are the same on every run, so that a failure can be reproduced. */

/** mulberry32. */
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** A whole number below `bound`. */
  const below = (bound) => Math.floor(next() * bound);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)],
    list: (most, make) => Array.from({ length: below(most + 1) }, make),
  };
}
