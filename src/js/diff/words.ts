/** Finds the words that differ between removed lines and added lines. */
import { numbers } from "./equal.js";
import { withoutLineEnd } from "./lines.js";
import { type Budget, spansOf } from "./sequence.js";

/** Changed ranges within each line, in UTF-16 units. */
export type Ranges = [number, number][][];

/** The maximum numbers of lines and of UTF-16 units in one span for which words are compared. */
const MOST_LINES = 1000;
const MOST_CHARACTERS = 1 << 19;

/** A word, a run of blanks, or one other character. Scripts without spaces are split into characters; emoji stay whole. */
const TOKENS = /[ \t]+|(?:\w|[^\p{ASCII}\u2e80-\ufdff\ufe10-\uffff])+|./gsu;

/** The changed ranges of the old and the new lines; `undefined` if too little is unchanged for marks to help. */
export function wordsOf(
  gone: readonly string[],
  come: readonly string[],
  budget: Budget,
): { removed: Ranges; added: Ranges } | undefined {
  if (gone.length === 0 || come.length === 0 || gone.length + come.length > MOST_LINES) return undefined;
  if (charactersOf(gone) + charactersOf(come) > MOST_CHARACTERS) return undefined;
  const old = tokens(gone);
  const now = tokens(come);
  const number = numbers();
  const spans = spansOf(old.texts.map(number), now.texts.map(number), budget);
  const removedSpans = spans.map(({ oldStart, oldEnd }) => [oldStart, oldEnd] as const);
  const addedSpans = spans.map(({ newStart, newEnd }) => [newStart, newEnd] as const);
  const oldMarks = marks(old, removedSpans);
  const newMarks = marks(now, addedSpans);
  const kept = length(old, oldMarks);
  // Less than a quarter of the shorter side is unchanged.
  if (kept === 0 || kept * 4 < Math.min(length(old), length(now))) return undefined;
  return { removed: ranges(old, oldMarks), added: ranges(now, newMarks) };
}

const charactersOf = (lines: readonly string[]): number => lines.reduce((sum, { length }) => sum + length, 0);

/** The tokens of lines without their line ends, and the number of tokens in each line. */
function tokens(lines: readonly string[]) {
  const texts: string[] = [];
  const counts = lines.map((line) => {
    const own = withoutLineEnd(line).match(TOKENS) ?? [];
    for (const text of own) texts.push(text);
    return own.length;
  });
  return { texts, counts };
}

type Tokens = ReturnType<typeof tokens>;
const isBlank = (text: string | undefined): boolean => text?.[0] === " " || text?.[0] === "\t";

/** Flags the changed tokens, and a blank between two of them: one range reads better than two. */
function marks({ texts }: Tokens, spans: readonly (readonly [number, number])[]): Uint8Array {
  const marks = new Uint8Array(texts.length);
  let last = -1;
  for (const [start, end] of spans) {
    if (start === end) continue;
    marks.fill(1, last + 1 === start && last >= 0 && isBlank(texts[last]) ? last : start, end);
    last = end;
  }
  return marks;
}

/** The length of the unmarked tokens that are not blank. */
function length({ texts }: Tokens, marks?: Uint8Array): number {
  return texts.reduce((sum, text, place) => (marks?.[place] || isBlank(text) ? sum : sum + text.length), 0);
}

/** The marked ranges within each line. Adjacent marked tokens are one range. */
function ranges({ texts, counts }: Tokens, marks: Uint8Array): Ranges {
  let place = 0;
  return counts.map((count) => {
    const line: [number, number][] = [];
    let from = 0;
    for (const end = place + count; place < end; place++) {
      const to = from + (texts[place] ?? "").length;
      const last = line.at(-1);
      if (marks[place] === 1 && last?.[1] === from) last[1] = to;
      else if (marks[place] === 1) line.push([from, to]);
      from = to;
    }
    return line;
  });
}
