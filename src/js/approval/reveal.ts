/** Gives invisible characters visible names: a diff must show all that would change. */

/** A piece of a text as it stands, or the name of a character that would be invisible. */
export type RevealedPiece = string | { mark: string };

/**
 * Blanks at the end of a line, all of them in one match; or one invisible character: controls, formats such as bidirectional
 * controls and zero-width spaces, separators of lines, blanks that look like a space, variation selectors, fillers.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: they are looked for one by one.
  /(?<![ \t])[ \t]+$|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u2800\u3164\uffa0\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|(?![ \u3000])\p{Zs}/gmu;
/** An emoji with its modifiers at the end of a text, or a sign that a variation selector turns into one: `#`, `*`, a digit. */
const EMOJI_AT_END = /(\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*|[#*\d])$/u;

/**
 * Splits a text so that a diff can show its invisible characters by names: bidirectional controls, zero-width spaces, blanks at
 * the end of a line. `isEnd` says that the text ends where its line does.
 *
 * ```ts
 * revealHidden("a\u202eb"); // ["a", { mark: "U+202E" }, "b"]
 * ```
 */
export function revealHidden(text: string, isEnd = false): RevealedPiece[] {
  const pieces: RevealedPiece[] = [];
  /** The text before this offset is in `pieces`. */
  let piecesEnd = 0;
  for (const match of text.matchAll(HIDDEN)) {
    const [hidden] = match;
    const start = match.index;
    const end = start + hidden.length;
    const isBlank = /[ \t]/.test(hidden);
    // `^$` matches if a line break or the end of the text follows.
    const isAtLineEnd = /^$/m.test(text.slice(end, end + 1)) && (end < text.length || isEnd);
    // Tabs and line breaks match as control characters, but are visible. So are blanks before the rest of a line.
    const isVisible = isBlank ? !isAtLineEnd : hidden === "\n";
    if (isVisible || isInEmoji(text, start, hidden)) continue;
    if (start > piecesEnd) pieces.push(text.slice(piecesEnd, start));
    pieces.push({ mark: isBlank ? hidden.replaceAll(" ", "·").replaceAll("\t", "→") : nameOf(hidden) });
    piecesEnd = end;
  }
  if (piecesEnd < text.length) pieces.push(text.slice(piecesEnd));
  return pieces;
}

/** Whether a character is a joiner or a variation selector inside an emoji. It changes the picture, so it needs no name. */
function isInEmoji(text: string, at: number, char: string): boolean {
  if (char !== "\u200d" && char !== "\ufe0f") return false;
  // 8 units: an emoji of two units with its modifiers.
  const isAfterEmoji = EMOJI_AT_END.test(text.slice(Math.max(0, at - 8), at));
  return isAfterEmoji && (char === "\ufe0f" || /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3)));
}

/** The code point of a character, e.g. `U+202E`. */
const nameOf = (char: string): string => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** `to` is exclusive. Offsets and lengths are in UTF-16 units. */
type Range = readonly [from: number, to: number];

/** The maximum length of lines that are shown whole. */
const LONG = 400;
/** How much is shown on each side of a change of a longer line. */
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

/**
 * A line in parts. `words` are the ranges that differ, in order; without them no part is changed. In a long line, the middle of
 * each long range is left out, unless `isWhole` is true. An unchanged range keeps what is next to a change. A changed range, or a
 * line without changes, keeps its beginning and a short end.
 */
export function partsOf(text: string, words: readonly Range[] = [], isWhole = false): Part[] {
  const parts: Part[] = [];
  const isLong = text.length > LONG && !isWhole;
  const add = (from: number, to: number, state: "changed" | "unchanged") => {
    const isChanged = state === "changed";
    const isMain = isChanged || words.length === 0;
    // An unchanged range at the start or the end of the line has a change on one side only.
    const isAfterChange = from > 0;
    const isBeforeChange = to < text.length;
    const head = isMain ? LONG - AROUND : isAfterChange ? AROUND : 0;
    const tail = isMain || isBeforeChange ? AROUND : 0;
    // A middle of a few units is not worth leaving out.
    const isCut = isLong && to - from > head + tail + AROUND / 4;
    const headEnd = isCut ? boundary(text, from + head) : to;
    const tailStart = isCut ? boundary(text, to - tail) : to;
    const put = (start: number, end: number, display: "shown" | "left out") => {
      const isLeftOut = display === "left out";
      if (end > start) parts.push({ text: text.slice(start, end), isChanged, isLeftOut, isEnd: end === text.length });
    };
    put(from, headEnd, "shown");
    put(headEnd, tailStart, "left out");
    put(tailStart, to, "shown");
  };
  let lastEnd = 0;
  for (const [from, to] of words) {
    add(lastEnd, from, "unchanged");
    add(from, to, "changed");
    lastEnd = to;
  }
  add(lastEnd, text.length, "unchanged");
  return parts;
}

/** The offset, or the one before it if the offset would cut a pair of surrogates in two. */
const boundary = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at);

/**
 * The range in which two texts differ, for each of them: all between their equal beginnings and ends. There is no range in a text
 * that lacks only what the other one adds, and none if the texts have nothing in common.
 */
export function difference(before: string, after: string): [Range[], Range[]] {
  const maxCommon = Math.min(before.length, after.length);
  let head = 0;
  while (head < maxCommon && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < maxCommon - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const range = (text: string): Range[] =>
    head + tail === 0 || text.length === head + tail ? [] : [[boundary(text, head), text.length - tail]];
  return [range(before), range(after)];
}
