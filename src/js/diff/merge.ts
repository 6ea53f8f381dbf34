/** Merges two changes of a text, and says where they touch each other. */
import { linesOf } from "./lines.js";

interface Change {
  start: number;
  end: number;
  put: string;
  isOwn: boolean;
}

/**
 * The text `now` with the change from `base` to `wanted`, except where that touches lines in which `now` differs from `base`.
 * `conflicts`: the lines of `now` at these places, from 1.
 */
export function mergeOrConflicts(base: string, now: string, wanted: string): { text: string; conflicts: number[] } {
  const sides = [linesOf(base, now), linesOf(base, wanted)];
  const [changes = [], own = []] = sides.map(({ new: lines, spans }, side) =>
    spans.map(({ oldStart, oldEnd, newStart, newEnd }): Change => {
      return { start: oldStart, end: oldEnd, put: lines.slice(newStart, newEnd).join(""), isOwn: side === 1 };
    }),
  );
  const conflicts: number[] = [];
  const kept: Change[] = [];
  // The number of lines that the changes of `now` before this place have added.
  let shift = 0;
  let next = 0;
  for (const change of own) {
    for (; next < changes.length; next++) {
      const other = changes[next];
      if (other === undefined || other.end >= change.start) break;
      shift += linesIn(other.put) - (other.end - other.start);
    }
    const touching: Change[] = [];
    for (let place = next; place < changes.length; place++) {
      const other = changes[place];
      if (other === undefined || other.start > change.end) break;
      if (touches(change, other)) touching.push(other);
    }
    const isMade = touching.every(
      ({ start, end, put }) => start === change.start && end === change.end && put === change.put,
    );
    if (touching.length === 0) kept.push(change);
    else if (!isMade) conflicts.push(Math.max(...touching.map(({ start }) => start), change.start) + shift + 1);
  }
  const all = [...changes, ...kept].sort((one, other) => one.start - other.start || one.end - other.end);
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
