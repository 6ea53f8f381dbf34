/** Gives invisible characters visible names: a diff must show all that would change. */

/** A piece of a text as it stands, or the name of a character that would be invisible. */
export type RevealedPiece = string | { mark: string };

/**
 * Blanks at the end of a line; invisible characters: controls, formats such as bidirectional controls and zero-width
 * spaces, separators of lines, blanks that look like a space, variation selectors, fillers.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: they are looked for one by one.
  /(?<![ \t])[ \t]+$|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|(?![ \u3000])\p{Zs}/gmu;
/** The end of a text that is an emoji, with its modifiers. */
const PICTURE = /(\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*|[#*\d])$/u;

/**
 * Splits a text so that a diff can show its invisible characters by names: bidirectional controls, zero-width spaces, blanks at the
 * end of a line. `isEnd` says that the text ends where its line does.
 *
 * ```ts
 * revealHidden("a\u202eb"); // ["a", { mark: "U+202E" }, "b"]
 * ```
 */
export function revealHidden(text: string, isEnd = false): RevealedPiece[] {
  const pieces: RevealedPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    const [found] = match;
    const at = match.index;
    const next = at + found.length;
    const isBlank = /[ \t]/.test(found);
    // A tab inside a line matches as a control character, but is visible. So are blanks at the end of a text inside a line.
    const isSeen = isBlank
      ? !/^$/m.test(text.slice(next, next + 1)) || (next === text.length && !isEnd)
      : found === "\n";
    if (isSeen || isInPicture(text, at, found)) continue;
    if (at > from) pieces.push(text.slice(from, at));
    pieces.push({ mark: isBlank ? found.replaceAll(" ", "·").replaceAll("\t", "→") : nameOf(found) });
    from = next;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}

/** A joiner or a variation selector inside an emoji changes the picture, so it needs no name. */
function isInPicture(text: string, at: number, char: string): boolean {
  if (char !== "\u200d" && char !== "\ufe0f") return false;
  // 8 units: an emoji of two units with its modifiers.
  const isAfter = PICTURE.test(text.slice(Math.max(0, at - 8), at));
  return isAfter && (char === "\ufe0f" || /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3)));
}

const nameOf = (char: string): string => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

type Range = readonly [from: number, to: number];

/** The maximum length of lines that are shown whole, in UTF-16 units. */
const LONG = 400;
/** The number of units that are shown around a change of a longer line. */
const AROUND = 80;

/** A part of a line: changed or unchanged, shown or left out. */
export interface Part {
  text: string;
  isChanged: boolean;
  /** The part is not shown, because the line is long. */
  isLeftOut: boolean;
  /** The line ends with this part. */
  isEnd: boolean;
}

/** A line in parts. `words` are the ranges that differ; without them nothing in it is marked. */
export function partsOf(text: string, words: readonly Range[] = [], isWhole = false): Part[] {
  const parts: Part[] = [];
  const isLong = text.length > LONG && !isWhole;
  const add = (from: number, to: number, isChanged: boolean) => {
    // Changed ranges are shown, shortened where they are very long; unchanged ranges are shown next to changes only.
    const shown = isChanged || words.length === 0 ? LONG - AROUND : AROUND;
    const head = isChanged || from > 0 || words.length === 0 ? shown : 0;
    const tail = isChanged || to < text.length || words.length === 0 ? AROUND : 0;
    const isCut = isLong && to - from > head + tail + AROUND / 4;
    const first = isCut ? boundary(text, from + head) : to;
    const second = isCut ? boundary(text, to - tail) : to;
    const put = (start: number, end: number, isLeftOut: boolean) => {
      if (end > start) parts.push({ text: text.slice(start, end), isChanged, isLeftOut, isEnd: end === text.length });
    };
    put(from, first, false);
    put(first, second, true);
    put(second, to, false);
  };
  let at = 0;
  for (const [from, to] of words) {
    add(at, from, false);
    add(from, to, true);
    at = to;
  }
  add(at, text.length, false);
  return parts;
}

/** No pair of surrogates is cut. */
const boundary = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at);

/** The range in which two texts differ, in each of them. */
export function difference(before: string, after: string): [Range[], Range[]] {
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const range = (text: string): Range[] =>
    head + tail === 0 || text.length === head + tail ? [] : [[boundary(text, head), text.length - tail]];
  return [range(before), range(after)];
}
