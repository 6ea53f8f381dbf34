/** The shortest edit between two lists of numbers: Myers' search from both ends (1986), in linear space, bounded in time. */

/** A run of the old list that a run of the new list replaces, from its start to before its end. One of the two may be empty. */
export interface Span {
  oldStart: number;
  oldEnd: number;
  newStart: number;
  newEnd: number;
}

/** The number of steps that searches may still take. */
export interface Budget {
  left: number;
}

/** The maximum number of edits that a search follows from either end. After that, it continues from the furthest point. */
const DEEPEST = 256;

/**
 * The spans that differ, in order. Equal items of the lists have equal numbers, counted from 0 without gaps. The result is the
 * shortest unless a stretch has more than twice {@link DEEPEST} edits. Once the budget is spent, the rest counts as different.
 */
export function spansOf(old: readonly number[], now: readonly number[], budget: Budget): Span[] {
  const oldPlaces = sharedIndexes(old, now);
  const newPlaces = sharedIndexes(now, old);
  // The search works on the items that both lists have.
  const a = oldPlaces.map((place) => old[place] ?? 0);
  const b = newPlaces.map((place) => now[place] ?? 0);
  const isRemoved = new Uint8Array(old.length).fill(1);
  const isAdded = new Uint8Array(now.length).fill(1);
  // Records that two items are the same one. `x` and `y` are their indexes in `a` and `b`.
  const markSame = (x: number, y: number) => {
    isRemoved[oldPlaces[x] ?? 0] = 0;
    isAdded[newPlaces[y] ?? 0] = 0;
  };
  const split = splitter(a, b, budget);
  // A box is a range of each list. The equal items at its corners are dropped, then a point is found through which the shortest
  // edit passes: the boxes before and after it come next. They wait on a stack, since recursion could be as deep as the lists.
  const boxes = [{ oldStart: 0, oldEnd: a.length, newStart: 0, newEnd: b.length }];
  for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
    let { oldStart, oldEnd, newStart, newEnd } = box;
    while (oldStart < oldEnd && newStart < newEnd && a[oldStart] === b[newStart]) markSame(oldStart++, newStart++);
    while (oldStart < oldEnd && newStart < newEnd && a[oldEnd - 1] === b[newEnd - 1]) markSame(--oldEnd, --newEnd);
    if (oldStart === oldEnd || newStart === newEnd) continue;
    const point = split(oldStart, oldEnd, newStart, newEnd);
    if (!point) continue;
    const [x, y] = point;
    boxes.push({ oldStart, oldEnd: x, newStart, newEnd: y });
    boxes.push({ oldStart: x, oldEnd, newStart: y, newEnd });
  }
  return spansBetween(isRemoved, isAdded);
}

/** The indexes of the items that the other list has too. All others are different in any case. */
function sharedIndexes(list: readonly number[], other: readonly number[]): number[] {
  // By the number of an item. There are no more numbers than items.
  const isInOther = new Uint8Array(list.length + other.length);
  for (const number of other) isInOther[number] = 1;
  const indexes: number[] = [];
  for (let index = 0; index < list.length; index++) if (isInOther[list[index] ?? 0] === 1) indexes.push(index);
  return indexes;
}

/** The spans of flagged items. The unflagged items are the same in both lists, in the same order. */
function spansBetween(isRemoved: Uint8Array, isAdded: Uint8Array): Span[] {
  const spans: Span[] = [];
  for (let oldStart = 0, newStart = 0; oldStart < isRemoved.length || newStart < isAdded.length; ) {
    let oldEnd = oldStart;
    let newEnd = newStart;
    while (isRemoved[oldEnd] === 1) oldEnd++;
    while (isAdded[newEnd] === 1) newEnd++;
    if (oldEnd > oldStart || newEnd > newStart) spans.push({ oldStart, oldEnd, newStart, newEnd });
    // Past the unflagged items.
    oldStart = oldEnd + 1;
    newStart = newEnd + 1;
  }
  return spans;
}

/**
 * Returns a function that finds a point on a shortest path through a box of both lists, or the furthest point if the search ends
 * early; `undefined` if that is the first or the last corner of the box, or if the budget is spent.
 */
function splitter(a: readonly number[], b: readonly number[], budget: Budget) {
  const maxDepth = Math.min((a.length + b.length + 1) >> 1, DEEPEST);
  // Names are those of Myers' paper. A path goes from the corner (0, 0) of the box to (n, m), `x` counts items of `a` and `y`
  // items of `b`. An equal pair is a diagonal step, and all others are edits. The diagonal `k` has the points with x - y = k.
  // By diagonal, from `-maxDepth - 1` to `maxDepth + 1`: the furthest `x`, counted from the corner where the search begins.
  const forward = new Int32Array(2 * maxDepth + 3);
  const backward = new Int32Array(2 * maxDepth + 3);

  // For d = 0, 1, 2 ... edits, two searches, from the start and from the end of the box, extend the path on each diagonal that d
  // edits can reach, as far as they can. Where the paths of both meet, their point is on a shortest path.
  return (oldStart: number, oldEnd: number, newStart: number, newEnd: number): [number, number] | undefined => {
    if (budget.left === 0) return undefined;
    const n = oldEnd - oldStart;
    const m = newEnd - newStart;
    const depth = Math.min((n + m + 1) >> 1, DEEPEST);
    // The index of diagonal 0.
    const zero = depth + 1;
    // The path of 0 edits begins at x = 0, which it reads from the diagonal above.
    forward[zero + 1] = 0;
    backward[zero + 1] = 0;
    // The largest number of items of both lists that a search has passed, and the point that it reached.
    let furthest = 0;
    let point: [number, number] = [oldStart, newStart];
    for (let d = 0; d <= depth; d++) {
      // The lowest and the highest diagonal from -d to d in the box.
      const low = 2 * Math.max(d - m, 0) - d;
      const high = d - 2 * Math.max(d - n, 0);
      let steps = 0;
      for (let side = 0; side < 2; side++) {
        const furthestX = side === 0 ? forward : backward;
        const otherFurthestX = side === 0 ? backward : forward;
        const sign = side === 0 ? 1 : -1;
        const oldFrom = side === 0 ? oldStart : oldEnd - 1;
        const newFrom = side === 0 ? newStart : newEnd - 1;
        // The edits of the other search so far: the first search has already reached `d` when the second one runs.
        const otherD = side === 0 ? d - 1 : d;
        const otherLow = 2 * Math.max(otherD - m, 0) - otherD;
        const otherHigh = otherD - 2 * Math.max(otherD - n, 0);
        // After an even number of edits a search is on even diagonals: in every second round the searches cannot meet.
        const mayMeet = ((otherD + d + n + m) & 1) === 0;
        for (let k = low; k <= high; k += 2) {
          const below = furthestX[zero + k - 1] ?? 0;
          const above = furthestX[zero + k + 1] ?? 0;
          // The next edit comes from the neighbouring diagonal that is further: an item of `b` from above, of `a` from below.
          let x = k === -d || (k !== d && below < above) ? above : below + 1;
          let y = x - k;
          const start = x;
          while (x < n && y < m && a[oldFrom + sign * x] === b[newFrom + sign * y]) {
            x++;
            y++;
          }
          furthestX[zero + k] = x;
          steps += 1 + x - start;
          // Outside of the box there is no point.
          if (x > n || y > m) continue;
          // The number of the same diagonal as the other search counts it, from its corner.
          const facing = n - m - k;
          const meets =
            mayMeet && facing >= otherLow && facing <= otherHigh && x + (otherFurthestX[zero + facing] ?? 0) >= n;
          if (meets || x + y > furthest) {
            furthest = x + y;
            point = side === 0 ? [oldStart + x, newStart + y] : [oldEnd - x, newEnd - y];
          }
          if (meets) {
            budget.left = Math.max(budget.left - steps, 0);
            return point;
          }
        }
      }
      budget.left = Math.max(budget.left - steps, 0);
      if (budget.left === 0) break;
    }
    const [x, y] = point;
    return (x === oldStart && y === newStart) || (x === oldEnd && y === newEnd) ? undefined : point;
  };
}
