/** Which words differ between the lines that went and those that came. */
import { numbers } from "./equal.js";
import { bare } from "./lines.js";
import { type Budget, spansOf } from "./sequence.js";

/** Changed ranges within each line, in UTF-16 units. */
export type Ranges = [number, number][][];

/** In more lines, or in more characters, at a stretch nobody looks for words. */
const MOST_LINES = 1000;
const MOST_CHARACTERS = 1 << 19;

/** A word, a run of blanks, or one other character. Scripts without blanks have no words; joined emoji stay whole. */
const TOKENS = /[ \t]+|(?:\w|[^\p{ASCII}\u2e80-\ufdff\ufe10-\uffff])+|./gsu;

/** The ranges of the old lines and of the new ones. Nothing where so little stayed that marking the rest says nothing. */
export function wordsOf(
  gone: readonly string[],
  come: readonly string[],
  budget: Budget,
): [Ranges, Ranges] | undefined {
  if (gone.length === 0 || come.length === 0 || gone.length + come.length > MOST_LINES) return undefined;
  if (charactersOf(gone) + charactersOf(come) > MOST_CHARACTERS) return undefined;
  const old = tokens(gone);
  const now = tokens(come);
  const number = numbers();
  const spans = spansOf(old.texts.map(number), now.texts.map(number), budget);
  const gaps = spans.map(({ oldStart, oldEnd }) => [oldStart, oldEnd] as const);
  const fills = spans.map(({ newStart, newEnd }) => [newStart, newEnd] as const);
  const oldMarks = marks(old, gaps);
  const newMarks = marks(now, fills);
  const kept = length(old, oldMarks);
  if (kept === 0 || kept * 4 < Math.min(length(old), length(now))) return undefined;
  return [ranges(old, oldMarks), ranges(now, newMarks)];
}

const charactersOf = (lines: readonly string[]): number => lines.reduce((sum, { length }) => sum + length, 0);

/** The tokens of some lines, less their ends, and how many each line has. */
function tokens(lines: readonly string[]) {
  const texts: string[] = [];
  const counts = lines.map((line) => {
    const own = bare(line).match(TOKENS) ?? [];
    for (const text of own) texts.push(text);
    return own.length;
  });
  return { texts, counts };
}

type Tokens = ReturnType<typeof tokens>;
const isBlank = (text: string | undefined): boolean => text?.[0] === " " || text?.[0] === "\t";

/** Which tokens changed. A blank between two that did counts too: one range reads better than two. */
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

/** The length of the tokens that are not blank, less those that are marked. */
function length({ texts }: Tokens, marks?: Uint8Array): number {
  return texts.reduce((sum, text, place) => (marks?.[place] || isBlank(text) ? sum : sum + text.length), 0);
}

function ranges({ texts, counts }: Tokens, marks: Uint8Array): Ranges {
  let place = 0;
  return counts.map((count) => {
    const line: [number, number][] = [];
    let from = 0;
    for (const end = place + count; place < end; place++) {
      const to = from + (texts[place] as string).length;
      const last = line.at(-1);
      if (marks[place] === 1 && last?.[1] === from) last[1] = to;
      else if (marks[place] === 1) line.push([from, to]);
      from = to;
    }
    return line;
  });
}
