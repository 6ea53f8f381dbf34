/** Splits two texts into lines, and finds the lines that differ. */
import { wellFormed } from "../core/surrogates.js";
import { numbers } from "./equal.js";
import { type Span, spansOf } from "./sequence.js";

/** `old` and `new`: the lines with their ends; `spans`: the ranges of lines that differ. */
export type Lines = ReturnType<typeof linesOf>;

/** The maximum number of steps in a search over lines: a millisecond has some hundred thousand. */
const BUDGET = 2_000_000;
/** The maximum distance in lines, up or down, that a change is moved to a more readable place. */
const FURTHEST = 100;

/** The lines of both texts with their line ends, and the spans that differ. */
export function linesOf(before: string, after: string) {
  const old = split(before);
  const now = split(after);
  // Most changes are small: the equal lines at both ends are not compared again.
  let head = 0;
  const most = Math.min(old.length, now.length);
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const number = numbers();
  const middle = (lines: string[]) => lines.slice(head, lines.length - tail).map(number);
  const spans = spansOf(middle(old), middle(now), { left: BUDGET });
  for (const span of spans) shift(span, head);
  for (const [place, span] of spans.entries()) slide(old, now, span, spans[place - 1], spans[place + 1]);
  return { old, new: now, spans };
}

/** Splits a text into lines. Lone surrogates become U+FFFD, as in files. */
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
export function withoutLineEnd(line: string): string {
  if (!line.endsWith("\n")) return line;
  return line.slice(0, line.endsWith("\r\n") ? -2 : -1);
}

function shift(span: Span, by: number): void {
  span.oldStart += by;
  span.oldEnd += by;
  span.newStart += by;
  span.newEnd += by;
}

/** Moves a span that only adds or only removes lines to where it reads best: at the least indentation, as low as possible. */
function slide(
  old: readonly string[],
  now: readonly string[],
  span: Span,
  above: Span | undefined,
  below: Span | undefined,
): void {
  const added = span.oldStart === span.oldEnd;
  if (added === (span.newStart === span.newEnd)) return;
  const lines = added ? now : old;
  const start = added ? span.newStart : span.oldStart;
  const length = (added ? span.newEnd : span.oldEnd) - start;
  const first = above ? (added ? above.newEnd : above.oldEnd) + 1 : 0;
  const last = below ? (added ? below.newStart : below.oldStart) - 1 : lines.length;
  // First as far up as the same lines allow, then down again, past the start.
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

/** The indentation of a line; infinite for a blank line. */
function indent(line = ""): number {
  const place = line.search(/[^ \t\n\f\r]/);
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}
