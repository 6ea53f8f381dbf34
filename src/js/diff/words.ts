/** Finds the words that differ between removed lines and added lines. */
import { numbers } from "./equal.js";
import { withoutLineEnd } from "./lines.js";
import { type Budget, spansOf } from "./sequence.js";

/** For each line its changed ranges: where each starts and ends in the line, in UTF-16 units. */
export type Ranges = [number, number][][];

/** The maximum numbers of lines and of UTF-16 units in one span for which words are compared: marks in more would help nobody. */
const MAX_LINES = 1000;
const MAX_CHARACTERS = 1 << 19;

/** A word, a run of blanks, or one other character. Scripts without spaces are split into characters; emoji stay whole. */
const TOKENS = /[ \t]+|(?:\w|[^\p{ASCII}\u2e80-\ufdff\ufe10-\uffff])+|./gsu;

/** The changed ranges of the old and the new lines; `undefined` if too little is unchanged for marks to help. */
export function wordsOf(
  oldLines: readonly string[],
  newLines: readonly string[],
  budget: Budget,
): { removed: Ranges; added: Ranges } | undefined {
  if (oldLines.length === 0 || newLines.length === 0 || oldLines.length + newLines.length > MAX_LINES) return undefined;
  if (charactersOf(oldLines) + charactersOf(newLines) > MAX_CHARACTERS) return undefined;
  const old = tokens(oldLines);
  const now = tokens(newLines);
  // Equal tokens get the same number: numbers are compared faster than texts.
  const numberOf = numbers();
  const spans = spansOf(old.texts.map(numberOf), now.texts.map(numberOf), budget);
  const removedSpans = spans.map(({ oldStart, oldEnd }) => [oldStart, oldEnd] as const);
  const addedSpans = spans.map(({ newStart, newEnd }) => [newStart, newEnd] as const);
  const oldMarks = marks(old, removedSpans);
  const newMarks = marks(now, addedSpans);
  const unchangedLength = unmarkedLength(old, oldMarks);
  // At least a quarter of the shorter side must be unchanged.
  if (unchangedLength === 0 || unchangedLength * 4 < Math.min(unmarkedLength(old), unmarkedLength(now)))
    return undefined;
  return { removed: ranges(old, oldMarks), added: ranges(now, newMarks) };
}

const charactersOf = (lines: readonly string[]): number => lines.reduce((sum, { length }) => sum + length, 0);

/** The tokens of all lines, without line ends, in one list; and the number of tokens in each line. */
function tokens(lines: readonly string[]) {
  const texts: string[] = [];
  const counts = lines.map((line) => {
    const lineTokens = withoutLineEnd(line).match(TOKENS) ?? [];
    for (const text of lineTokens) texts.push(text);
    return lineTokens.length;
  });
  return { texts, counts };
}

type Tokens = ReturnType<typeof tokens>;
const isBlank = (text: string | undefined): boolean => text?.[0] === " " || text?.[0] === "\t";

/**
 * Flags (1) the tokens in the spans, which are ranges of changed tokens, and a blank between two spans: one range of words reads
 * better than two.
 */
function marks({ texts }: Tokens, spans: readonly (readonly [number, number])[]): Uint8Array {
  const marks = new Uint8Array(texts.length);
  let lastEnd = -1;
  for (const [start, end] of spans) {
    if (start === end) continue;
    // The token at `lastEnd` is the only one between the two spans.
    const joinsLast = lastEnd >= 0 && lastEnd + 1 === start && isBlank(texts[lastEnd]);
    marks.fill(1, joinsLast ? lastEnd : start, end);
    lastEnd = end;
  }
  return marks;
}

/** The length of the tokens that are neither blank nor marked, in UTF-16 units. Without `marks`, no token is marked. */
function unmarkedLength({ texts }: Tokens, marks?: Uint8Array): number {
  return texts.reduce((sum, text, index) => (marks?.[index] || isBlank(text) ? sum : sum + text.length), 0);
}

/** The marked ranges within each line. Adjacent marked tokens are one range. */
function ranges({ texts, counts }: Tokens, marks: Uint8Array): Ranges {
  // The index of a token, counted through all lines.
  let index = 0;
  return counts.map((count) => {
    const lineRanges: [number, number][] = [];
    // The offset of the token in its line.
    let from = 0;
    for (const end = index + count; index < end; index++) {
      const to = from + (texts[index] ?? "").length;
      const last = lineRanges.at(-1);
      if (marks[index] === 1 && last?.[1] === from) last[1] = to;
      else if (marks[index] === 1) lineRanges.push([from, to]);
      from = to;
    }
    return lineRanges;
  });
}
