/**
 * `textDiff` compares two texts, `applyHunks` applies changes. A hunk is a group of changed lines with a few unchanged ones
 * around them. A span is a run of changed lines: a hunk has one or more.
 */
import { type ArgumentKind, INDEXES, oneOf, requireKind, requireOptions, requireText } from "../core/require.js";
import type { Hunk, HunkLine } from "../types.js";
import { type Lines, linesOf, withoutLineEnd } from "./lines.js";
import type { Budget, Span } from "./sequence.js";
import { type Ranges, wordsOf } from "./words.js";

export interface TextDiffOptions {
  /** `"word"`, the default, marks the changed words within lines; `"line"` does not, which is faster. */
  by?: "line" | "word" | undefined;
  /** Unchanged lines around a change. Default: 3. */
  context?: number | undefined;
}

/** The default of `context`, as in unified diffs. */
const CONTEXT = 3;
const FROM_ZERO: ArgumentKind = ["a number from 0", (value) => typeof value === "number" && value >= 0];
/** The maximum number of steps of all word searches of one diff. */
const WORD_BUDGET = 1_000_000;

/**
 * The hunks that turn one text into another, see {@link applyHunks}. A line's `text` and its `end` together are the exact
 * line. Time is bounded: for two large texts with little in common, the diff is correct but coarse. Lone surrogates read
 * as U+FFFD.
 *
 * ```ts
 * textDiff("let a = 1;\n", "let b = 1;\n")[0].lines;
 * // [{ kind: "removed", text: "let a = 1;", words: [[4, 5]] }, { kind: "added", text: "let b = 1;", words: [[4, 5]] }]
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` if a text is not a string, or an option is unknown.
 */
export function textDiff(before: string, after: string, options: TextDiffOptions = {}): Hunk[] {
  const context = check("textDiff", before, after, options);
  if (before === after) return [];
  const lines = linesOf(before, after);
  const budget = options.by === "line" ? undefined : { left: WORD_BUDGET };
  return groups(lines.spans, context).map((spans, index) => hunk(lines, spans, index, context, budget));
}

/**
 * The first text with some hunks of {@link textDiff} applied. `hunks` are their indexes; `context` must be the same as in
 * `textDiff`.
 *
 * ```ts
 * applyHunks("a\nb\n", "A\nB\n", [0]); // "A\nB\n"
 * applyHunks("a\nb\n", "A\nB\n", []); // "a\nb\n"
 * ```
 * @throws GenuiPatchError `INVALID_ARGUMENT` if an argument is invalid.
 */
export function applyHunks(
  before: string,
  after: string,
  hunks: readonly number[],
  options: TextDiffOptions = {},
): string {
  const context = check("applyHunks", before, after, options);
  requireKind("applyHunks", "hunks", hunks, INDEXES);
  const lines = linesOf(before, after);
  const chosenHunks = new Set(hunks);
  let text = "";
  let from = 0;
  const spans = groups(lines.spans, context)
    .filter((_, index) => chosenHunks.has(index))
    .flat();
  for (const { oldStart, oldEnd, newStart, newEnd } of spans) {
    text += lines.old.slice(from, oldStart).join("") + lines.new.slice(newStart, newEnd).join("");
    from = oldEnd;
  }
  return text + lines.old.slice(from).join("");
}

/**
 * Whether each hunk from `before` to `proposed` is applied in the text `approved`, omitted, or edited. A span of a hunk is
 * applied if the approved text replaces the same lines by the same text, omitted if the approved text changes nothing there, else
 * edited. A hunk is edited if its spans are not all applied or all omitted.
 */
export function compareHunks(before: string, proposed: string, approved: string): ("applied" | "omitted" | "edited")[] {
  const [proposedLines, approvedLines] = [linesOf(before, proposed), linesOf(before, approved)];
  const textOf = ({ new: lines }: Lines, { newStart, newEnd }: Span) => lines.slice(newStart, newEnd).join("");
  // The index of the first approved span that does not end before the proposed one. It only grows, since both are in order.
  let next = 0;
  return groups(proposedLines.spans, CONTEXT).map((spans) => {
    const fates = spans.map((span) => {
      const { oldStart, oldEnd } = span;
      while ((approvedLines.spans[next]?.oldEnd ?? oldStart) < oldStart) next++;
      const touchingSpans: Span[] = [];
      for (let index = next; ; index++) {
        const other = approvedLines.spans[index];
        if (other === undefined || other.oldStart > oldEnd) break;
        touchingSpans.push(other);
      }
      const isApplied = touchingSpans.some(
        (other) =>
          other.oldStart === oldStart &&
          other.oldEnd === oldEnd &&
          textOf(approvedLines, other) === textOf(proposedLines, span),
      );
      return isApplied ? "applied" : touchingSpans.length === 0 ? "omitted" : "edited";
    });
    const [firstFate = "edited"] = fates;
    return fates.every((fate) => fate === firstFate) ? firstFate : "edited";
  });
}

/** Checks the arguments. Returns the number of context lines. */
function check(method: string, before: unknown, after: unknown, options: TextDiffOptions): number {
  requireText(method, "text before", before);
  requireText(method, "text after", after);
  requireOptions(method, options, { by: oneOf("line", "word"), context: FROM_ZERO });
  return Math.floor(options.context ?? CONTEXT);
}

/** The spans of each hunk. Spans whose context lines would touch or overlap are in one hunk. */
function groups(spans: readonly Span[], context: number): Span[][] {
  const groups: Span[][] = [];
  for (const span of spans) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && span.oldStart - last.oldEnd <= 2 * context) group.push(span);
    else groups.push([span]);
  }
  return groups;
}

/** For the compiler: a hunk has at least one span. */
const NO_SPAN: Span = { oldStart: 0, oldEnd: 0, newStart: 0, newEnd: 0 };

/** The hunk with these spans. `index`: its number among all hunks. `budget`: for words, which are not compared without it. */
function hunk(lines: Lines, spans: Span[], index: number, context: number, budget: Budget | undefined): Hunk {
  const { oldStart, newStart } = spans[0] ?? NO_SPAN;
  const { oldEnd, newEnd } = spans.at(-1) ?? NO_SPAN;
  // The numbers of unchanged lines before and after the changes.
  const linesAbove = Math.min(oldStart, context);
  const linesBelow = Math.min(lines.old.length - oldEnd, context);
  const oldLines = oldEnd + linesBelow - oldStart + linesAbove;
  const newLines = newEnd + linesBelow - newStart + linesAbove;
  const hunkLines: HunkLine[] = [];
  const addLines = (kind: HunkLine["kind"], lines: readonly string[], words?: Ranges) => {
    for (const [index, lineWithEnd] of lines.entries()) {
      const text = withoutLineEnd(lineWithEnd);
      const line: HunkLine = { kind, text };
      // A line with the usual end, `\n`, has no `end`.
      if (text.length + 1 !== lineWithEnd.length) line.end = text.length === lineWithEnd.length ? "" : "\r\n";
      const ranges = words?.[index];
      if (ranges) line.words = ranges;
      hunkLines.push(line);
    }
  };
  let from = oldStart - linesAbove;
  for (const span of spans) {
    addLines("same", lines.old.slice(from, span.oldStart));
    const removed = lines.old.slice(span.oldStart, span.oldEnd);
    const added = lines.new.slice(span.newStart, span.newEnd);
    const words = budget && wordsOf(removed, added, budget);
    addLines("removed", removed, words?.removed);
    addLines("added", added, words?.added);
    from = span.oldEnd;
  }
  addLines("same", lines.old.slice(from, oldEnd + linesBelow));
  return {
    index,
    // Lines count from 1. If a side has no lines, its start is the line before them (0 at the top), as in unified diffs.
    oldStart: oldStart - linesAbove + (oldLines > 0 ? 1 : 0),
    oldLines,
    newStart: newStart - linesAbove + (newLines > 0 ? 1 : 0),
    newLines,
    lines: hunkLines,
  };
}
