/** `linesOf`: splits two texts into lines, and finds the lines that differ. */
import { wellFormed } from "../core/surrogates.js";
import { numbers } from "./equal.js";
import { type Span, spansOf } from "./sequence.js";

/** `old` and `new`: the lines with their ends; `spans`: the ranges of lines that differ. */
export type Lines = ReturnType<typeof linesOf>;

/**
 * The maximum number of steps in a search over lines, which take tens of milliseconds. Once they are spent, all lines not
 * compared yet count as different.
 */
const BUDGET = 2_000_000;
/** The most lines by which a change is moved up; from there it may move down by twice as many, to a more readable place. */
const FURTHEST = 100;

/** The lines of both texts with their line ends, and the spans that differ. */
export function linesOf(before: string, after: string) {
  const old = split(before);
  const now = split(after);
  // Most changes are small: the equal lines at both ends are not compared again.
  let head = 0;
  const length = Math.min(old.length, now.length);
  while (head < length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < length - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  // Equal lines get the same number: numbers are compared faster than texts.
  const numberOf = numbers();
  const middle = (lines: string[]) => lines.slice(head, lines.length - tail).map(numberOf);
  const spans = spansOf(middle(old), middle(now), { left: BUDGET });
  for (const span of spans) shift(span, head);
  for (const [index, span] of spans.entries()) slide(old, now, span, spans[index - 1], spans[index + 1]);
  return { old, new: now, spans };
}

/** Splits a text into lines. Lone surrogates become U+FFFD, as in files. */
function split(text: string): string[] {
  const wellFormedText = wellFormed(text);
  const lines: string[] = [];
  for (let from = 0; from < wellFormedText.length; ) {
    const end = wellFormedText.indexOf("\n", from) + 1 || wellFormedText.length;
    lines.push(wellFormedText.slice(from, end));
    from = end;
  }
  return lines;
}

/** A line without its end: `\n`, or `\r\n`. */
export function withoutLineEnd(line: string): string {
  if (!line.endsWith("\n")) return line;
  return line.slice(0, line.endsWith("\r\n") ? -2 : -1);
}

/** Moves a span down by some lines in both texts; up, if the number is negative. */
function shift(span: Span, count: number): void {
  span.oldStart += count;
  span.oldEnd += count;
  span.newStart += count;
  span.newEnd += count;
}

/**
 * Moves a span that only adds or only removes lines to where it reads best: at the least indentation, as low as possible. A span
 * may move down by a line if its first line equals the line after it, and up if its last line equals the line before it: the
 * result of the change is the same. At least one unchanged line stays between it and the spans above and below.
 */
function slide(
  old: readonly string[],
  now: readonly string[],
  span: Span,
  spanAbove: Span | undefined,
  spanBelow: Span | undefined,
): void {
  const isAddition = span.oldStart === span.oldEnd;
  const isRemoval = span.newStart === span.newEnd;
  if (isAddition === isRemoval) return;
  const lines = isAddition ? now : old;
  const start = isAddition ? span.newStart : span.oldStart;
  const length = (isAddition ? span.newEnd : span.oldEnd) - start;
  // The span may begin at this line or later, and end before this one or earlier.
  const firstStart = spanAbove ? (isAddition ? spanAbove.newEnd : spanAbove.oldEnd) + 1 : 0;
  const lastEnd = spanBelow ? (isAddition ? spanBelow.newStart : spanBelow.oldStart) - 1 : lines.length;
  // First as far up as the same lines allow, then down again, past the start.
  let from = start;
  for (let moves = 0; moves < FURTHEST && from > firstStart && lines[from - 1] === lines[from - 1 + length]; moves++)
    from--;
  let bestStart = from;
  let leastIndent = indent(lines[from]);
  for (
    let moves = 0;
    moves < 2 * FURTHEST && from + length < lastEnd && lines[from] === lines[from + length];
    moves++
  ) {
    from++;
    const ownIndent = indent(lines[from]);
    if (ownIndent > leastIndent) continue;
    leastIndent = ownIndent;
    bestStart = from;
  }
  shift(span, bestStart - start);
}

/** The indentation of a line, in characters; infinite for a blank line, so that a span does not begin with one. */
function indent(line = ""): number {
  const index = line.search(/[^ \t\n\f\r]/);
  return index < 0 ? Number.POSITIVE_INFINITY : index;
}
