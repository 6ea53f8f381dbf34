/** Compares two lists: which items stayed, moved, were added or removed, and the edits for that. */

/** For each item of the new list, the index of the same item in the old list, or -1 for a new item. */
export type Matches = Int32Array;

/** The ids of items; `undefined` for items without a unique id. */
export type Ids = readonly (string | undefined)[];

/**
 * A structural edit of a list. `at` and `from` are indexes in the list after the edits before this one; `item` is the item's index
 * in the new list. An insertion has `from` -1.
 */
type ListEdit = { kind: "remove"; at: number } | { kind: "insert" | "move"; at: number; from: number; item: number };

/** Matches items by token; equal tokens in their order. Linear in the number of items. */
export function matchTokens(before: readonly string[], after: readonly string[]): Matches {
  const places = new Map<string, number[]>();
  for (let place = before.length - 1; place >= 0; place--) {
    const token = before[place] ?? "";
    const list = places.get(token);
    if (list === undefined) places.set(token, [place]);
    else list.push(place);
  }
  return Int32Array.from(after, (token) => places.get(token)?.pop() ?? -1);
}

/** The new indexes of items that need not move: the longest increasing subsequence, by patience sorting in n log n. */
export function anchors(matches: Matches): number[] {
  const tails: number[] = [];
  const previous = new Int32Array(matches.length);
  for (let place = 0; place < matches.length; place++) {
    const from = matches[place] ?? -1;
    if (from < 0) continue;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((matches[tails[middle] ?? 0] ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    previous[place] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = place;
  }
  const run: number[] = [];
  for (let place = tails.at(-1) ?? -1; place >= 0; place = previous[place] ?? -1) run.push(place);
  return run.reverse();
}

/** Pairs the remaining items without ids between two anchors, in order. Returns the new indexes of all items that stay. */
export function pairLeftovers(matches: Matches, stay: readonly number[], oldIds: Ids, newIds: Ids): number[] {
  const { length } = oldIds;
  const taken = new Uint8Array(length);
  for (const from of matches) if (from >= 0) taken[from] = 1;
  const all: number[] = [];
  let before = 0;
  let after = 0;
  for (let turn = 0; turn <= stay.length; turn++) {
    const endAfter = stay[turn] ?? matches.length;
    const endBefore = turn < stay.length ? (matches[endAfter] ?? length) : length;
    for (; after < endAfter; after++) {
      if (matches[after] !== -1 || newIds[after] !== undefined) continue;
      while (before < endBefore && (taken[before] === 1 || oldIds[before] !== undefined)) before++;
      if (before >= endBefore) break;
      matches[after] = before++;
      all.push(after);
    }
    if (turn < stay.length) all.push(endAfter);
    after = endAfter + 1;
    before = endBefore + 1;
  }
  return all;
}

/** The edits in order: removals from the end, then moves and insertions from the start. `stay`: increasing new indexes. */
export function listEdits(matches: Matches, stay: readonly number[], length: number): ListEdit[] {
  const edits: ListEdit[] = [];
  const kept = new Int32Array(length).fill(-1);
  for (let place = 0; place < matches.length; place++) {
    const from = matches[place] ?? -1;
    if (from >= 0) kept[from] = place;
  }
  const staying = new Uint8Array(matches.length);
  for (const place of stay) staying[place] = 1;

  // The items that move, in their old order, each with the number of anchors before it.
  const order = new Int32Array(length).fill(-1);
  const gaps: number[] = [];
  let passed = 0;
  for (let from = 0; from < length; from++) {
    const place = kept[from] ?? -1;
    if (place < 0) continue;
    if (staying[place] === 1) passed += 1;
    else {
      order[from] = gaps.length;
      gaps.push(passed);
    }
  }
  for (let from = length - 1; from >= 0; from--) if (kept[from] === -1) edits.push({ kind: "remove", at: from });

  // Moved items that have not been moved yet. A gap is the place between two anchors.
  const waiting = new RemainingCounts(gaps.length);
  let gap = 0;
  let firstOfGap = 0;
  for (let place = 0; place < matches.length; place++) {
    if (staying[place] === 1) {
      gap += 1;
      while (firstOfGap < gaps.length && (gaps[firstOfGap] ?? gap) < gap) firstOfGap += 1;
      continue;
    }
    const from = matches[place] ?? -1;
    // The index, counting the items that still wait in earlier gaps.
    const at = place + waiting.among(firstOfGap);
    if (from < 0) {
      edits.push({ kind: "insert", at, from: -1, item: place });
      continue;
    }
    const mover = order[from] ?? 0;
    const own = gaps[mover] ?? 0;
    // The number of items in their final order before the anchor that follows the moved item.
    const settled = own < gap ? (stay[own] ?? 0) : place + (own - gap);
    const current = settled + waiting.among(mover);
    waiting.remove(mover);
    edits.push({ kind: "move", from: current, at: mover < firstOfGap ? at - 1 : at, item: place });
  }
  return edits;
}

/** Counts how many of the first items are left: a Fenwick tree. */
class RemainingCounts {
  readonly #sums: Int32Array;

  constructor(length: number) {
    this.#sums = new Int32Array(length + 1);
    for (let at = 1; at <= length; at++) this.#sums[at] = at & -at;
  }

  /** The number of items left among the first `count`. */
  among(count: number): number {
    let sum = 0;
    for (let at = count; at > 0; at -= at & -at) sum += this.#sums[at] ?? 0;
    return sum;
  }

  /** Removes the item with this index. */
  remove(place: number): void {
    for (let at = place + 1; at < this.#sums.length; at += at & -at) this.#sums[at] = (this.#sums[at] ?? 0) - 1;
  }
}
