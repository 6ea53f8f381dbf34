/** Merges two changes of a text, and says where they touch each other. */
import { linesOf } from "./lines.js";

/** A replacement of the lines of `base` from `start` to before `end`, by the text `put`. */
interface Change {
  start: number;
  end: number;
  put: string;
}

/**
 * The text `now` with the change from `base` to `wanted`, except where that touches lines in which `now` differs from `base`: these
 * stay as they are. `conflicts`: the lines of `now` at these places, from 1.
 */
export function mergeWithConflicts(base: string, now: string, wanted: string): { text: string; conflicts: number[] } {
  const sides = [linesOf(base, now), linesOf(base, wanted)];
  const [theirs = [], ours = []] = sides.map(({ new: lines, spans }) =>
    spans.map(({ oldStart, oldEnd, newStart, newEnd }): Change => {
      return { start: oldStart, end: oldEnd, put: lines.slice(newStart, newEnd).join("") };
    }),
  );
  const conflicts: number[] = [];
  const kept: Change[] = [];
  // The number of lines that those of their changes have added which end before ours.
  let shift = 0;
  let next = 0;
  for (const change of ours) {
    for (; next < theirs.length; next++) {
      const other = theirs[next];
      if (other === undefined || other.end >= change.start) break;
      shift += linesIn(other.put) - (other.end - other.start);
    }
    const touching: Change[] = [];
    for (let place = next; place < theirs.length; place++) {
      const other = theirs[place];
      if (other === undefined || other.start > change.end) break;
      if (touches(change, other)) touching.push(other);
    }
    const isMade = touching.every(
      ({ start, end, put }) => start === change.start && end === change.end && put === change.put,
    );
    const [first] = touching;
    if (first === undefined) kept.push(change);
    // The first line that both have changed. Lines after it have moved by what the touching changes have added.
    else if (!isMade) conflicts.push(Math.max(first.start, change.start) + shift + 1);
  }
  const all = [...theirs, ...kept].sort((one, other) => one.start - other.start || one.end - other.end);
  const lines = sides[0]?.old ?? [];
  let text = "";
  let from = 0;
  for (const { start, end, put } of all) {
    text += lines.slice(from, start).join("") + put;
    from = end;
  }
  return { text: text + lines.slice(from).join(""), conflicts };
}

const linesIn = (text: string): number => (text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0));

/** Whether two changes touch the same line, or insert at the same place. */
function touches(one: Change, other: Change): boolean {
  const [first, second] =
    one.start < other.start || (one.start === other.start && one.end <= other.end) ? [one, other] : [other, one];
  const isInsertion = first.start === first.end || second.start === second.end;
  return second.start < first.end || (isInsertion && second.start === first.end);
}
