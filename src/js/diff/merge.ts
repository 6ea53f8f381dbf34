/** Merges two changes of a text: `mergeWithConflicts` says where they touch each other, `mergeTexts` refuses if they do. */
import { linesOf } from "./lines.js";

/** A replacement of the lines of `base` from `start` to before `end`, counted from 0. */
interface Change {
  start: number;
  end: number;
  replacement: string;
}

/** The text with both changes; null if both touch the same line or insert at the same place. Equal changes count once. */
export function mergeTexts(base: string, one: string, other: string): string | null {
  const { text, conflicts } = mergeWithConflicts(base, one, other);
  return conflicts.length > 0 ? null : text;
}

/**
 * The text `now` with the change from `base` to `wanted`, except where that touches lines in which `now` differs from `base`:
 * these stay as they are. `conflicts`: the lines of `now` at these places, from 1.
 */
export function mergeWithConflicts(base: string, now: string, wanted: string): { text: string; conflicts: number[] } {
  const sides = [linesOf(base, now), linesOf(base, wanted)];
  // The changes from `base` to `now`, and from `base` to `wanted`.
  const [theirs = [], ours = []] = sides.map(({ new: lines, spans }) =>
    spans.map(({ oldStart, oldEnd, newStart, newEnd }): Change => {
      return { start: oldStart, end: oldEnd, replacement: lines.slice(newStart, newEnd).join("") };
    }),
  );
  const conflicts: number[] = [];
  const withoutConflict: Change[] = [];
  // The first of their changes that is not wholly before the change of ours.
  let next = 0;
  // The number of lines that their changes before that one have added to `now`, less those that they have removed.
  let shift = 0;
  for (const change of ours) {
    for (; next < theirs.length; next++) {
      const other = theirs[next];
      if (other === undefined || other.end > change.start || touches(change, other)) break;
      shift += linesIn(other.replacement) - (other.end - other.start);
    }
    const touchingChanges: Change[] = [];
    for (let index = next; index < theirs.length; index++) {
      const other = theirs[index];
      if (other === undefined || other.start > change.end) break;
      if (touches(change, other)) touchingChanges.push(other);
    }
    // `now` has the same change already.
    const isApplied = touchingChanges.every(
      ({ start, end, replacement }) =>
        start === change.start && end === change.end && replacement === change.replacement,
    );
    const [firstTouching] = touchingChanges;
    if (firstTouching === undefined) withoutConflict.push(change);
    // The first line that both have changed, as a line of `now`: only the changes before it have moved it.
    else if (!isApplied) conflicts.push(Math.max(firstTouching.start, change.start) + shift + 1);
  }
  const all = [...theirs, ...withoutConflict].sort((one, other) => one.start - other.start || one.end - other.end);
  const lines = sides[0]?.old ?? [];
  let text = "";
  let from = 0;
  for (const { start, end, replacement } of all) {
    text += lines.slice(from, start).join("") + replacement;
    from = end;
  }
  return { text: text + lines.slice(from).join(""), conflicts };
}

/** The number of lines in a text; a last line may have no end. */
const linesIn = (text: string): number => (text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0));

/** Whether two changes have a line in common, or one of them inserts at the start or the end of the other. */
function touches(one: Change, other: Change): boolean {
  const [first, second] =
    one.start < other.start || (one.start === other.start && one.end <= other.end) ? [one, other] : [other, one];
  const hasInsertion = first.start === first.end || second.start === second.end;
  return second.start < first.end || (hasInsertion && second.start === first.end);
}
