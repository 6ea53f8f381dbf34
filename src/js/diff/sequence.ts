/** The shortest edit between two lists of numbers: Myers' search from both ends (1986), in linear space, bounded in time. */

/** A run of the old list that a run of the new list replaces. One of the two may be empty. */
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
 * The spans that differ, in order. Equal items of the lists have equal numbers, counted from 0. The result is the shortest
 * unless a stretch has more than twice {@link DEEPEST} edits. Once the budget is spent, the rest counts as different.
 */
export function spansOf(old: readonly number[], now: readonly number[], budget: Budget): Span[] {
  const oldPlaces = shared(old, now);
  const newPlaces = shared(now, old);
  const a = oldPlaces.map((place) => old[place] ?? 0);
  const b = newPlaces.map((place) => now[place] ?? 0);
  const isRemoved = new Uint8Array(old.length).fill(1);
  const isAdded = new Uint8Array(now.length).fill(1);
  // `x` and `y` are indexes in `a` and `b`.
  const keep = (x: number, y: number) => {
    isRemoved[oldPlaces[x] ?? 0] = 0;
    isAdded[newPlaces[y] ?? 0] = 0;
  };
  const split = splitter(a, b, budget);
  const open = [{ oldStart: 0, oldEnd: a.length, newStart: 0, newEnd: b.length }];
  for (let box = open.pop(); box !== undefined; box = open.pop()) {
    let { oldStart, oldEnd, newStart, newEnd } = box;
    while (oldStart < oldEnd && newStart < newEnd && a[oldStart] === b[newStart]) keep(oldStart++, newStart++);
    while (oldStart < oldEnd && newStart < newEnd && a[oldEnd - 1] === b[newEnd - 1]) keep(--oldEnd, --newEnd);
    if (oldStart === oldEnd || newStart === newEnd) continue;
    const point = split(oldStart, oldEnd, newStart, newEnd);
    if (!point) continue;
    open.push({ oldStart, oldEnd: point[0], newStart, newEnd: point[1] });
    open.push({ oldStart: point[0], oldEnd, newStart: point[1], newEnd });
  }
  return spansBetween(isRemoved, isAdded);
}

/** The indexes of the numbers that are in the other list too. All others are different in any case. */
function shared(list: readonly number[], other: readonly number[]): number[] {
  const known = new Uint8Array(list.length + other.length);
  for (const number of other) known[number] = 1;
  const places: number[] = [];
  for (let place = 0; place < list.length; place++) if (known[list[place] ?? 0] === 1) places.push(place);
  return places;
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
    oldStart = oldEnd + 1;
    newStart = newEnd + 1;
  }
  return spans;
}

/** Returns a function that finds a point on a shortest path through a box of both lists, or the furthest point found. */
function splitter(a: readonly number[], b: readonly number[], budget: Budget) {
  const most = Math.min((a.length + b.length + 1) >> 1, DEEPEST);
  /** The furthest `x` on each diagonal, for the search from the start and the search from the end. */
  const forward = new Int32Array(2 * most + 3);
  const backward = new Int32Array(2 * most + 3);

  /** The point is neither the first nor the last corner of the box. */
  return (oldStart: number, oldEnd: number, newStart: number, newEnd: number): [number, number] | undefined => {
    if (budget.left === 0) return undefined;
    const n = oldEnd - oldStart;
    const m = newEnd - newStart;
    const depth = Math.min((n + m + 1) >> 1, DEEPEST);
    // The index of diagonal 0.
    const zero = depth + 1;
    forward[zero + 1] = 0;
    backward[zero + 1] = 0;
    let furthest = 0;
    let point: [number, number] = [oldStart, newStart];
    for (let d = 0; d <= depth; d++) {
      const low = 2 * Math.max(d - m, 0) - d;
      const high = d - 2 * Math.max(d - n, 0);
      let steps = 0;
      for (let side = 0; side < 2; side++) {
        const own = side === 0 ? forward : backward;
        const other = side === 0 ? backward : forward;
        const sign = side === 0 ? 1 : -1;
        const oldFrom = side === 0 ? oldStart : oldEnd - 1;
        const newFrom = side === 0 ? newStart : newEnd - 1;
        // The first search has already reached `d` when the second one runs.
        const reach = side === 0 ? d - 1 : d;
        const otherLow = 2 * Math.max(reach - m, 0) - reach;
        const otherHigh = reach - 2 * Math.max(reach - n, 0);
        // Diagonals advance in steps of two: in every second round the searches cannot meet.
        const mayMeet = ((reach + d + n + m) & 1) === 0;
        for (let k = low; k <= high; k += 2) {
          const below = own[zero + k - 1] ?? 0;
          const above = own[zero + k + 1] ?? 0;
          let x = k === -d || (k !== d && below < above) ? above : below + 1;
          let y = x - k;
          const start = x;
          while (x < n && y < m && a[oldFrom + sign * x] === b[newFrom + sign * y]) {
            x++;
            y++;
          }
          own[zero + k] = x;
          steps += 1 + x - start;
          if (x > n || y > m) continue;
          const facing = n - m - k;
          const meets = mayMeet && facing >= otherLow && facing <= otherHigh && x + (other[zero + facing] ?? 0) >= n;
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
