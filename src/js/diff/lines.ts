/** Two texts as lines, and where they differ. */
import { wellFormed } from "../core/surrogates.js";
import { numbers } from "./equal.js";
import { type Span, spansOf } from "./sequence.js";

export type Lines = ReturnType<typeof linesOf>;

/** Steps of a search over lines, of which a millisecond has some hundred thousand. */
const BUDGET = 2_000_000;
/** How far a run of lines is moved to a better place at most. */
const FURTHEST = 100;

/** The lines of both texts, each with its end, and what differs. */
export function linesOf(before: string, after: string) {
  const old = split(before);
  const now = split(after);
  // The equal ends need no numbers, and most changes are small.
  let head = 0;
  const most = Math.min(old.length, now.length);
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const number = numbers();
  const middle = (lines: string[]) => lines.slice(head, lines.length - tail).map(number);
  const spans = spansOf(middle(old), middle(now), { left: BUDGET });
  for (const span of spans) shift(span, head);
  for (let place = 0; place < spans.length; place++) slide(old, now, spans, place);
  return { old, new: now, spans };
}

/** Half a surrogate pair is in no file: it reads as U+FFFD. */
function split(text: string): string[] {
  const whole = wellFormed(text);
  const lines: string[] = [];
  for (let from = 0; from < whole.length; ) {
    const end = whole.indexOf("\n", from) + 1 || whole.length;
    lines.push(whole.slice(from, end));
    from = end;
  }
  return lines;
}

/** A line without its end: `\n`, or `\r\n`. */
export function bare(line: string): string {
  if (!line.endsWith("\n")) return line;
  return line.slice(0, line.endsWith("\r\n") ? -2 : -1);
}

function shift(span: Span, by: number): void {
  span.oldStart += by;
  span.oldEnd += by;
  span.newStart += by;
  span.newEnd += by;
}

/** Moves a run that was only added, or only removed, to where it reads best: least indented, and as low as can be. */
function slide(old: readonly string[], now: readonly string[], spans: readonly Span[], place: number): void {
  const span = spans[place] as Span;
  const above = spans[place - 1];
  const below = spans[place + 1];
  const added = span.oldStart === span.oldEnd;
  if (added === (span.newStart === span.newEnd)) return;
  const lines = added ? now : old;
  const start = added ? span.newStart : span.oldStart;
  const length = (added ? span.newEnd : span.oldEnd) - start;
  const first = above ? (added ? above.newEnd : above.oldEnd) + 1 : 0;
  const last = below ? (added ? below.newStart : below.oldStart) - 1 : lines.length;
  let from = start;
  for (let way = 0; way < FURTHEST && from > first && lines[from - 1] === lines[from - 1 + length]; way++) from--;
  let best = from;
  let least = indent(lines[from]);
  for (let way = 0; way < 2 * FURTHEST && from + length < last && lines[from] === lines[from + length]; way++) {
    from++;
    const own = indent(lines[from]);
    if (own > least) continue;
    least = own;
    best = from;
  }
  shift(span, best - start);
}

/** How far the line is indented; a blank line as far as it can be. */
function indent(line = ""): number {
  const place = line.search(/[^ \t\n\f\r]/);
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}
