/** Compares two lists: which items stayed, moved, were added or removed, and the edits for that. */

/** For each item of the new list, the index of the same item in the old list, or -1 for a new item. */
export type Matches = Int32Array;

/** The ids of items; `undefined` for items without a unique id. */
export type Ids = readonly (string | undefined)[];

/**
 * A structural edit of a list. `at` and `from` are indexes in the list after the edits before this one; `item` is the item's
 * index in the new list. An insertion has `from` -1.
 */
type ListEdit = { kind: "remove"; at: number } | { kind: "insert" | "move"; at: number; from: number; item: number };

/** Matches items by token, a text that equal items have in common; equal tokens in their order. Linear in the number of items. */
export function matchTokens(before: readonly string[], after: readonly string[]): Matches {
  // By token: the indexes of its items in `before` that are not matched yet, the first of them last.
  const unmatched = new Map<string, number[]>();
  for (let index = before.length - 1; index >= 0; index--) {
    const token = before[index] ?? "";
    const indexes = unmatched.get(token);
    if (indexes === undefined) unmatched.set(token, [index]);
    else indexes.push(index);
  }
  return Int32Array.from(after, (token) => unmatched.get(token)?.pop() ?? -1);
}

/**
 * The anchors: the new indexes, in order, of the items that need not move. They are a longest run of matches whose old indexes
 * increase, found by patience sorting in n log n.
 */
export function anchors(matches: Matches): number[] {
  // `tails[length - 1]`: the new index at which a run of this length ends, with the least old index.
  const tails: number[] = [];
  // By new index: the item before it in its run, or -1.
  const previous = new Int32Array(matches.length);
  for (let index = 0; index < matches.length; index++) {
    const from = matches[index] ?? -1;
    if (from < 0) continue;
    // The longest run that this item continues, by a binary search.
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((matches[tails[middle] ?? 0] ?? 0) < from) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = index;
  }
  const run: number[] = [];
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) run.push(index);
  return run.reverse();
}

/**
 * Matches the items without ids that are left between the same two anchors, in order, so that an item that has changed is changed
 * in place. Adds them to `matches`. `anchorIndexes`: what {@link anchors} has returned. Returns the new indexes of the anchors
 * and of the added matches, in order.
 */
export function pairLeftovers(matches: Matches, anchorIndexes: readonly number[], oldIds: Ids, newIds: Ids): number[] {
  const { length } = oldIds;
  // By old index: 1 if the item has a match.
  const isMatched = new Uint8Array(length);
  for (const from of matches) if (from >= 0) isMatched[from] = 1;
  const withPairs: number[] = [];
  // The next item of each list.
  let oldIndex = 0;
  let newIndex = 0;
  // The stretch before each anchor, and the one after the last anchor.
  for (let stretch = 0; stretch <= anchorIndexes.length; stretch++) {
    const newEnd = anchorIndexes[stretch] ?? matches.length;
    const oldEnd = stretch < anchorIndexes.length ? (matches[newEnd] ?? length) : length;
    for (; newIndex < newEnd; newIndex++) {
      if (matches[newIndex] !== -1 || newIds[newIndex] !== undefined) continue;
      while (oldIndex < oldEnd && (isMatched[oldIndex] === 1 || oldIds[oldIndex] !== undefined)) oldIndex++;
      if (oldIndex >= oldEnd) break;
      matches[newIndex] = oldIndex++;
      withPairs.push(newIndex);
    }
    if (stretch < anchorIndexes.length) withPairs.push(newEnd);
    // Past the anchor.
    newIndex = newEnd + 1;
    oldIndex = oldEnd + 1;
  }
  return withPairs;
}

/**
 * The edits in order: removals from the end, then moves and insertions from the start. `anchorIndexes`: the new indexes of the
 * items that stay ("anchors"); both they and the old indexes of these items increase. `length`: of the old list.
 */
export function listEdits(matches: Matches, anchorIndexes: readonly number[], length: number): ListEdit[] {
  const edits: ListEdit[] = [];
  // By old index: the new index, or -1 for a removed item.
  const newIndexes = new Int32Array(length).fill(-1);
  for (let index = 0; index < matches.length; index++) {
    const from = matches[index] ?? -1;
    if (from >= 0) newIndexes[from] = index;
  }
  // By new index.
  const isAnchor = new Uint8Array(matches.length);
  for (const index of anchorIndexes) isAnchor[index] = 1;

  // The anchors divide the list into gaps: gap 0 before the first anchor, gap 1 after it, and so on. After the removals, each
  // item that moves ("mover") waits in the gap where it was.
  // By old index: the number of the mover, counted in their old order, or -1.
  const moverNumbers = new Int32Array(length).fill(-1);
  // By the number of the mover: the gap in which it waits.
  const gapOfMover: number[] = [];
  let anchorsBefore = 0;
  for (let from = 0; from < length; from++) {
    const index = newIndexes[from] ?? -1;
    if (index < 0) continue;
    if (isAnchor[index] === 1) anchorsBefore += 1;
    else {
      moverNumbers[from] = gapOfMover.length;
      gapOfMover.push(anchorsBefore);
    }
  }
  for (let from = length - 1; from >= 0; from--) if (newIndexes[from] === -1) edits.push({ kind: "remove", at: from });

  // The new list is built from the start: each item is put at the end of the finished part of its gap, before the movers that
  // wait there. So its index is the number of finished items before it, plus the movers that wait before it.
  const waitingMovers = new RemainingCounts(gapOfMover.length);
  // The gap that is being built, and the number of the first mover that is not in an earlier gap.
  let gap = 0;
  let firstOfGap = 0;
  for (let index = 0; index < matches.length; index++) {
    if (isAnchor[index] === 1) {
      gap += 1;
      while (firstOfGap < gapOfMover.length && (gapOfMover[firstOfGap] ?? gap) < gap) firstOfGap += 1;
      continue;
    }
    const from = matches[index] ?? -1;
    // The movers that wait in earlier gaps are before the item.
    const at = index + waitingMovers.among(firstOfGap);
    if (from < 0) {
      edits.push({ kind: "insert", at, from: -1, item: index });
      continue;
    }
    const mover = moverNumbers[from] ?? 0;
    const moverGap = gapOfMover[mover] ?? 0;
    // Finished items before the mover: in an earlier gap, all up to the anchor that ends the gap; else all so far, and the
    // anchors from here to its gap.
    const finishedCount = moverGap < gap ? (anchorIndexes[moverGap] ?? 0) : index + (moverGap - gap);
    const currentIndex = finishedCount + waitingMovers.among(mover);
    waitingMovers.remove(mover);
    // A mover from an earlier gap no longer counts in `at`.
    edits.push({ kind: "move", from: currentIndex, at: mover < firstOfGap ? at - 1 : at, item: index });
  }
  return edits;
}

/** Counts how many of the first items are left, in log n: a Fenwick tree. */
class RemainingCounts {
  /** At `index`, counted from 1: how many of the last `index & -index` items up to there are left. */
  readonly #sums: Int32Array;

  constructor(length: number) {
    this.#sums = new Int32Array(length + 1);
    // Each item counts 1.
    for (let at = 1; at <= length; at++) this.#sums[at] = at & -at;
  }

  /** The number of items left among the first `count`. */
  among(count: number): number {
    let sum = 0;
    for (let at = count; at > 0; at -= at & -at) sum += this.#sums[at] ?? 0;
    return sum;
  }

  /** Removes the item with this index. */
  remove(index: number): void {
    for (let at = index + 1; at < this.#sums.length; at += at & -at) this.#sums[at] = (this.#sums[at] ?? 0) - 1;
  }
}
