/** Two changes of one text together. */
import { linesOf } from "./lines.js";

/** What both made of a text; null if they touch the same line or insert there. What both made alike counts once. */
export function mergeTexts(base: string, one: string, other: string): string | null {
  const sides = [linesOf(base, one), linesOf(base, other)];
  const changes = sides.flatMap(({ new: lines, spans }) =>
    spans.map(({ oldStart, oldEnd, newStart, newEnd }) => {
      return { start: oldStart, end: oldEnd, put: lines.slice(newStart, newEnd).join("") };
    }),
  );
  changes.sort((a, b) => a.start - b.start || a.end - b.end);
  const lines = sides[0]?.old ?? [];
  let text = "";
  let from = 0;
  let last: (typeof changes)[number] | undefined;
  for (const change of changes) {
    const { start, end, put } = change;
    if (last) {
      if (last.start === start && last.end === end && last.put === put) continue;
      const insertion = last.start === last.end || start === end;
      if (start < last.end || (insertion && start === last.end)) return null;
    }
    text += lines.slice(from, start).join("") + put;
    from = end;
    last = change;
  }
  return text + lines.slice(from).join("");
}
