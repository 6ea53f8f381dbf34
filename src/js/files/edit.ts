/**
 * Edits of texts for `edit_file`, by the same rules as `src/files` in Rust: the table `text.json` tests both.
 * In TypeScript because only a workspace edits texts: in the module, every page that reads tool blocks would load this code.
 * The piece is the text to replace, `old_string` of the call.
 */
import type { Fix, Replacement } from "../blocks/types.js";
import { wellFormed } from "../core/surrogates.js";
import type { Position } from "../types.js";
import type { EditFailure, NearestText, TextDifference } from "./errors.js";

/** A text after an edit. */
export interface EditResult {
  after: string;
  /** The differences between the piece and the place that it replaced, if there are any. */
  fixes?: Fix[];
}

/** A range of a text, in UTF-16 offsets. */
type Place = readonly [from: number, to: number];

/** A replacement that failed, and its number among several. */
export interface FailedEdit extends EditFailure {
  /** From 0; absent for a single replacement. */
  index?: number;
}

/**
 * Makes all replacements of a call in order, each on the text that the one before it left, or none of them. `isReviewed`: a user
 * sees the result before it is written.
 */
export function editTexts(text: string, edits: readonly Replacement[], isReviewed: boolean): EditResult | FailedEdit {
  let after = text;
  const fixes: Fix[] = [];
  for (const [index, { old_string, new_string, replace_all }] of edits.entries()) {
    const result = editText(after, old_string, new_string, isReviewed, replace_all === true);
    if ("matches" in result) return { ...result, index };
    after = result.after;
    fixes.push(...(result.fixes ?? []));
  }
  return { after, ...(fixes.length > 0 && { fixes }) };
}

/**
 * Replaces the piece `from`, which must be in the text exactly once unless `replacesAll`, with `to`. CRLF matches LF, and the new
 * lines get the line ends of the replaced text. If the text does not have the piece, the place that differs from it in the ways
 * of {@link KINDS} alone is replaced. There must be only one such place; and the piece must have at least two lines, or a user
 * must review the result, since one line could be there by chance.
 */
export function editText(
  fileText: string,
  from: string,
  to: string,
  isReviewed: boolean,
  replacesAll = false,
): EditResult | EditFailure {
  const [text, old, replacement] = [wellFormed(fileText), wellFormed(from), wellFormed(to)];
  const hasCrlf = text.includes("\r\n") || old.includes("\r\n");
  const piece = hasCrlf ? withLineEnds(old, "\n") : old;
  const { count, first } = findAll(hasCrlf ? withLineEnds(text, "\n") : text, piece, replacesAll);
  if (count > 0 && replacesAll) return { after: replaceEach(text, first, piece.length, replacement, hasCrlf) };
  if (count > 1) return { matches: count, lines: first.map(({ line }) => line) };
  const [only] = first;
  if (only) {
    const offsetOf = (at: number) => (hasCrlf ? offsetWithCrlf(text, at) : at);
    const range: Place = [offsetOf(only.start), offsetOf(only.start + piece.length)];
    return { after: replace(text, range, replacement, hasCrlf) };
  }
  const place = isReviewed || hasTwoLines(old) ? onlyPlace(text, old) : undefined;
  if (place) {
    // Models write LF: in a text with CR alone the new lines get CRs too.
    const hasCrAlone = !text.includes("\n") && text.includes("\r");
    const after = replace(text, place, hasCrAlone ? withLineEnds(replacement, "\r") : replacement, hasCrlf);
    return { after, fixes: fixesOf(text, old, place) };
  }
  const [nearestText, firstDifference] = [nearest(text, old), difference(text, old)];
  return {
    matches: 0,
    ...(nearestText && { nearest: nearestText }),
    ...(firstDifference && { difference: firstDifference }),
  };
}

/**
 * Replaces all occurrences that do not overlap, from the start, by `replacement`. The offsets and the `length` of the occurrences
 * are those in the text with LF. With `hasCrlf` the new lines get the line ends of the text that they replace, or of the whole
 * text.
 */
function replaceEach(
  text: string,
  occurrences: Occurrences["first"],
  length: number,
  replacement: string,
  hasCrlf: boolean,
): string {
  // `copyEnd`: the end of the text that is in `after`. `offset` and `lfOffset`: the same position in the text and in the text with
  // LF. `lastEnd`: the end of the last replaced occurrence, in the text with LF.
  let [after, copyEnd, offset, lfOffset, lastEnd] = ["", 0, 0, 0, 0];
  /** The offset in this text of an offset in the text with LF; called with growing offsets. */
  const offsetOf = (wanted: number) => {
    if (!hasCrlf) return wanted;
    for (; lfOffset < wanted; lfOffset++) offset += text.startsWith("\r\n", offset) ? 2 : 1;
    return offset;
  };
  const textLineEnd = hasCrlf ? lineEndOf(text) : undefined;
  for (const { start } of occurrences) {
    // The occurrence overlaps with the one before it.
    if (start < lastEnd) continue;
    lastEnd = start + length;
    const from = offsetOf(start);
    const to = offsetOf(lastEnd);
    const newLines = hasCrlf ? withLineEnds(replacement, lineEndOf(text.slice(from, to)) ?? textLineEnd) : replacement;
    after += text.slice(copyEnd, from) + newLines;
    copyEnd = to;
  }
  return after + text.slice(copyEnd);
}

/** The text with other line ends: CRLF and LF become `end`. */
const withLineEnds = (text: string, end = "\n") => text.replace(/\r?\n/g, end);

/** The more frequent line end of a text, CRLF if there are as many of both; `undefined` for a text without line ends. */
function lineEndOf(text: string): string | undefined {
  const ends = text.match(/\r?\n/g);
  if (ends === null) return undefined;
  return ends.filter((end) => end === "\r\n").length * 2 >= ends.length ? "\r\n" : "\n";
}

/** Converts an offset in the text with LF line ends to the offset in `text`, in which each CRLF before it adds one. */
function offsetWithCrlf(text: string, lfOffset: number): number {
  let offset = lfOffset;
  for (let at = text.indexOf("\r\n"); at >= 0 && at < offset; at = text.indexOf("\r\n", at + 1)) offset++;
  return offset;
}

/** Replaces a range. With `hasCrlf` the new lines get the line ends of the range, or of the text if the range has none. */
function replace(text: string, [from, to]: Place, replacement: string, hasCrlf: boolean): string {
  const join = (inserted: string) => text.slice(0, from) + inserted + text.slice(to);
  if (!hasCrlf) return join(replacement);
  return join(withLineEnds(replacement, lineEndOf(text.slice(from, to)) ?? lineEndOf(text)));
}

/** A line feed as a code unit and as a byte. */
const LF = 10;

/** Where a piece occurs in a text. */
interface Occurrences {
  count: number;
  /** The first {@link MAX_LISTED} of them, or all with `listsAll`: the offset of each, and its first line, from 1. */
  first: { start: number; line: number }[];
}

/** The maximum number of listed occurrences; the others are only counted. */
const MAX_LISTED = 10;

/**
 * All occurrences, also those that overlap, in time that is linear in both lengths: the algorithm of Knuth, Morris and Pratt. An
 * empty piece has none.
 */
function findAll(text: string, piece: string, listsAll = false): Occurrences {
  const occurrences: Occurrences = { count: 0, first: [] };
  if (piece === "") return occurrences;
  // For each prefix of the piece: the length of its longest proper prefix with which it also ends.
  const borders = new Int32Array(piece.length);
  // The length of the longest prefix of the piece with which the text up to this code unit ends. `before`: that length without it.
  const matchedLength = (before: number, unit: number) => {
    let length = before;
    while (length > 0 && piece.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0;
    return length + (piece.charCodeAt(length) === unit ? 1 : 0);
  };
  for (let at = 1; at < piece.length; at++) borders[at] = matchedLength(borders[at - 1] ?? 0, piece.charCodeAt(at));
  const lineEndsInPiece = piece.split("\n").length - 1;
  let [length, line] = [0, 1];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    length = matchedLength(length, unit);
    if (unit === LF) line++;
    if (length < piece.length) continue;
    if (occurrences.count++ < MAX_LISTED || listsAll)
      occurrences.first.push({ start: at + 1 - length, line: line - lineEndsInPiece });
  }
  return occurrences;
}

/** The differences that a comparison ignores: a bit for each kind of difference, and UNFIXED. CONTINUES is a further bit. */
type Ignored = number;
const [TRAILING, LINE_ENDS, NO_BREAK, ACCENTS, QUOTES, DASHES] = [1, 2, 4, 8, 16, 32] as const;
/** All six kinds above: the differences for which an edit is still made. */
const FIXED: Ignored = 63;
/** Differences that errors report and edits never fix: invisible characters, kinds and numbers of blanks, ellipses. */
const UNFIXED: Ignored = 64;
/** Says of the compared text: other text follows it, so blanks at its end are not at the end of a line. */
const CONTINUES: Ignored = 128;

type Kind = readonly [bit: Ignored, code: string, message: string];
const TRAILING_BLANKS: Kind = [TRAILING, "TRAILING_BLANKS", "Blanks at the end of a line differ"];

/** The kinds of {@link FIXED}, with their codes and messages in `fixes`. */
const KINDS: readonly Kind[] = [
  TRAILING_BLANKS,
  [LINE_ENDS, "LINE_ENDS", "Line ends differ"],
  [NO_BREAK, "NO_BREAK_SPACES", "A no-break space stands for a space, or the reverse"],
  [ACCENTS, "ACCENTS", "Accents are composed in one text, and separate characters in the other"],
  [QUOTES, "TYPOGRAPHIC_QUOTES", "A typographic quote stands for a plain one, or the reverse"],
  [DASHES, "TYPOGRAPHIC_DASHES", "A typographic dash stands for a hyphen, or the reverse"],
];

/** Whitespace within a line. */
const BLANK = "[\\t\\v\\f \\xa0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000]";
/** Characters that change the one before them: combining marks, and the vowels and finals of Korean syllables. */
const MARK =
  "[\\u0300-\\u036f\\u1160-\\u11ff\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\u3099\\u309a\\ufe20-\\ufe2f]";
/** Blanks; visible ASCII, which no comparison changes; a character with its marks; any other character. */
const TOKEN = new RegExp(`(${BLANK}+)|([!-~]+(?!${MARK}))|[^]${MARK}+|[^]`, "gu");
/** A text that ends with a blank. */
const BLANK_END = new RegExp(`${BLANK}$`);
/** No-break space, figure space, narrow no-break space. */
const NO_BREAK_SPACES = /[\xa0\u2007\u202f]/g;
/** Control and format characters, and variation selectors. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: invisible characters are what it finds.
  /[\0-\t\v\f\x0e-\x1f\x7f-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[\ufe00-\ufe0f]/;
/** Anything but whitespace. `\s` includes U+FEFF, which is invisible but not whitespace, and lacks U+0085, a line end. */
const CONTENT = /[^\s\x85]|\ufeff/;

/** Whether a piece has at least two lines that are not blank. */
export const hasTwoLines = (piece: string) =>
  normalized(piece, FIXED)
    .split("\n")
    .filter((line) => CONTENT.test(line)).length > 1;

/** A line as it is compared where differences in typing do not count. */
export const normalizedLine = (line: string): string => normalized(line, FIXED);

/** The only place of a text that differs from a piece at most in ways that are fixed. */
function onlyPlace(text: string, piece: string): Place | undefined {
  const { count, first } = places(text, piece, FIXED);
  return count === 1 ? first : undefined;
}

/**
 * The differences between a piece and the place that {@link onlyPlace} finds: one fix for each kind of which there is a
 * difference, at the first one. A kind has a difference if the texts differ when all other kinds are ignored.
 */
export function fixesOf(text: string, piece: string, [start, to]: Place): Fix[] {
  const placeText = text.slice(start, to);
  // Blanks at the end of the place were matched as blanks before other text: see `places`.
  const continues = BLANK_END.test(placeText) ? CONTINUES : 0;
  /** How many units of both texts are the same before the first difference that is not ignored; `undefined` if none exists. */
  const sameUnits = (ignored: Ignored) => {
    const placeUnits = normalized(placeText, ignored | continues);
    const pieceUnits = normalized(piece, ignored | continues);
    if (placeUnits === pieceUnits) return undefined;
    let same = 0;
    while (same < placeUnits.length && placeUnits[same] === pieceUnits[same]) same++;
    return same;
  };
  /** The fix of this kind at the first difference that is not ignored; none if no difference exists. */
  const fixAt = ([, code, message]: Kind, ignored: Ignored): Fix[] => {
    const same = sameUnits(ignored);
    if (same === undefined) return [];
    // The number of normalized units becomes an offset in the text.
    let [offset, length] = [to, 0];
    normalize(placeText, ignored | continues, (from, _, out, isCopy) => {
      if (length <= same && same < length + out.length) offset = start + from + (isCopy ? same - length : 0);
      length += out.length;
    });
    return [{ code, message, position: positionOf(text, offset) }];
  };
  const fixes = KINDS.flatMap((kind) => fixAt(kind, FIXED & ~kind[0]));
  if (fixes.length > 0) return fixes;
  // Two kinds of fixes can each explain one difference, such as a no-break space at the end of a line.
  const sufficient = KINDS.find(([bit]) => sameUnits(bit) === undefined) ?? TRAILING_BLANKS;
  const noneIgnored: Ignored = 0;
  return fixAt(sufficient, noneIgnored);
}

/**
 * The first character in which a piece differs from the first place that looks like it, with differences that are hard to see;
 * `undefined` if no place does.
 */
export function difference(text: string, piece: string): TextDifference | undefined {
  const place = places(text, piece, FIXED).first ?? places(text, piece, FIXED | UNFIXED).first;
  if (!place) return undefined;
  const pieceChars = withLineEnds(piece, "\n")[Symbol.iterator]();
  const differenceAt = (offset: number, found: string | undefined, pieceChar: string | undefined): TextDifference => {
    const { line, column } = positionOf(text, offset);
    return { line, column, found: codePoint(found), sent: codePoint(pieceChar) };
  };
  // The characters of the text from the place on, without the CRs of CRLF.
  for (const { 0: found, index } of text.slice(place[0]).matchAll(/\r(?!\n)|[^\r]/gu)) {
    const pieceChar = pieceChars.next().value;
    if (pieceChar !== found) return differenceAt(place[0] + index, found, pieceChar);
  }
  // The text ends before the piece.
  const pieceChar = pieceChars.next().value;
  return pieceChar === undefined ? undefined : differenceAt(text.length, undefined, pieceChar);
}

/** A character as `"U+00A0"`; null for none. */
function codePoint(char: string | undefined): string | null {
  return char === undefined ? null : `U+${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
}

function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { offset, line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/**
 * The places of a text that equal a piece, but for what is ignored: how many, blanks at the end of the piece not compared, and the
 * first, as a range of the text. The first is `undefined` if none exists, if the blanks at the end of the piece do not match, or
 * if it begins or ends within a normalized character, such as at the second dot of `…`.
 */
function places(text: string, piece: string, ignored: Ignored): { count: number; first?: Place | undefined } {
  const [normalizedPiece, normalizedText] = [normalized(piece, ignored), normalized(text, ignored)];
  if (!CONTENT.test(normalizedPiece)) return { count: 0 };
  const occurrences = findAll(normalizedText, normalizedPiece);
  const { count } = occurrences;
  let [first, length] = [occurrences.first[0]?.start, normalizedPiece.length];
  if (BLANK_END.test(piece)) {
    // Blanks at the end of the piece are followed by other text (then they count), or they are at the end of a line.
    const withBlanks = normalized(piece, ignored | CONTINUES);
    const start = findAll(normalizedText, withBlanks).first[0]?.start;
    if (start !== undefined) [first, length] = [start, withBlanks.length];
    else if (first !== undefined && !["\n", undefined].includes(normalizedText[first + length])) first = undefined;
  }
  if (first === undefined) return { count };
  // Both offsets in the normalized text become offsets in the text.
  const [begin, end] = [first, first + length];
  let [from, to]: (number | undefined)[] = [];
  let outStart = 0;
  normalize(text, ignored, (start, stop, out, isCopy) => {
    // An ignored character beside the place is not a part of it.
    if (out === "") return;
    const outEnd = outStart + out.length;
    if (begin === outStart || (isCopy && begin > outStart && begin < outEnd)) from = start + begin - outStart;
    if (end === outEnd) to = stop;
    else if (isCopy && end > outStart && end < outEnd) to = start + end - outStart;
    outStart = outEnd;
  });
  return { count, first: from === undefined || to === undefined ? undefined : [from, to] };
}

/**
 * Gets each part of a normalized text (`out`), and the range of the text that it comes from. `isCopy`: the part is that range,
 * unchanged.
 */
type Emit = (from: number, to: number, out: string, isCopy?: boolean) => void;

function normalized(text: string, ignored: Ignored): string {
  let result = "";
  normalize(text, ignored, (_, __, out) => {
    result += out;
  });
  return result;
}

/** Rewrites a text so that differences to ignore vanish, and emits it part by part. CRLF always becomes LF. */
function normalize(text: string, ignored: Ignored, emit: Emit): void {
  // Nothing but invisible characters were emitted since the start of the line: then, with UNFIXED, blanks are ignored too.
  let isAtLineStart = true;
  const isCopy = true;
  for (const { 0: token, 1: blanks, 2: plain, index: at } of text.matchAll(TOKEN)) {
    const end = at + token.length;
    const next = text[end];
    // More than one character: a letter with its marks.
    const hasMarks = token.length > ((token.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
    if (plain !== undefined) {
      emit(at, end, plain, isCopy);
      isAtLineStart = false;
    } else if (blanks !== undefined) {
      const isTrailing = next === undefined ? !(ignored & CONTINUES) : next === "\n" || next === "\r";
      if (isTrailing && ignored & TRAILING) emit(at, end, "");
      else if (ignored & UNFIXED) emit(at, end, isAtLineStart ? "" : " ");
      else emit(at, end, ignored & NO_BREAK ? blanks.replace(NO_BREAK_SPACES, " ") : blanks, isCopy);
      isAtLineStart = false;
    } else if (ignored & ACCENTS && hasMarks) {
      emit(at, end, token.normalize("NFC"));
      isAtLineStart = false;
    } else {
      let start = at;
      for (const char of token) {
        const stop = start + char.length;
        const out = withoutDifference(char, text[stop], ignored);
        emit(start, stop, out);
        isAtLineStart = out === "\n" || (isAtLineStart && out === "");
        start = stop;
      }
    }
  }
}

/** The form of a character for comparisons, without the differences to ignore. `next` is the code unit after it. */
function withoutDifference(char: string, next: string | undefined, ignored: Ignored): string {
  if (char === "\r") return next === "\n" ? "" : ignored & LINE_ENDS ? "\n" : char;
  if (ignored & QUOTES && /[‘’‚‛]/.test(char)) return "'";
  if (ignored & QUOTES && /[“”„‟]/.test(char)) return '"';
  if (ignored & DASHES && /[\u2010-\u2015\u2212]/.test(char)) return "-";
  if (!(ignored & UNFIXED)) return char;
  if (/[\x85\u2028\u2029]/.test(char)) return "\n";
  if (char === "…") return "...";
  return INVISIBLE.test(char) ? "" : char;
}

/** The most lines of the piece that are compared, so that the time is linear in the length of the text. */
const MAX_LINES = 8;
/** The least similarity of a place, in thousandths. */
const MIN_SCORE = 450;
/** The maximum length of the text of a result, in bytes of UTF-8. */
const MAX_BYTES = 2000;

/**
 * The lines of the text that are most similar to the piece; `undefined` if none are similar enough. The similarity is that of the
 * sets of neighbouring bytes in the lines, at each line of the text where the piece could begin.
 */
export function nearest(text: string, piece: string): NearestText | undefined {
  const bytes = new TextEncoder().encode(text);
  const pieceLines = pairsOf(new TextEncoder().encode(piece)).lines;
  // The lines of the piece with the most pairs; of lines with equally many, the first.
  const comparedLines = pieceLines
    .map((pairs, line) => ({ pairs, line, size: count(pairs) }))
    .filter(({ size }) => size > 0)
    .sort((one, other) => other.size - one.size)
    .slice(0, MAX_LINES);
  const { starts, lines } = pairsOf(bytes);
  const counts = lines.map(count);
  let [best, start] = [MIN_SCORE - 1, -1];
  for (let at = 0; at < lines.length; at++) {
    // `all`: the pairs of both lines, common ones counted twice.
    let [common, all] = [0, 0];
    for (const { pairs, line, size } of comparedLines) {
      const textPairs = lines[at + line];
      for (let word = 0; textPairs && word < WORDS; word++) common += ones((pairs[word] ?? 0) & (textPairs[word] ?? 0));
      all += size + (counts[at + line] ?? 0);
    }
    // The share of common pairs (Dice coefficient), in thousandths.
    const score = Math.floor((2000 * common) / Math.max(all, 1));
    if (score > best) [best, start] = [score, at];
  }
  if (start < 0) return undefined;
  const from = starts[start] ?? 0;
  let end = starts[start + pieceLines.length] ?? bytes.length;
  // A text that is cut off ends with a whole character: back to its first byte.
  if (end > from + MAX_BYTES) for (end = from + MAX_BYTES; ((bytes[end] ?? 0) & 0xc0) === 0x80; ) end--;
  const nearestLines = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(from, end));
  return { line: start + 1, text: nearestLines.replace(/\r?\n$/, "") };
}

/** Space, tab, form feed, CR. */
const BLANK_BYTES = new Set([32, 9, 12, 13]);

/** The pairs of neighbouring bytes of a line without blanks and case, as a set: each pair sets one of 256 bits, by its hash. */
type Pairs = Uint32Array;
/** The number of 32-bit words in a set. */
const WORDS = 8;

/** The offsets at which the lines of a text begin, and their pairs. */
function pairsOf(bytes: Uint8Array): { starts: number[]; lines: Pairs[] } {
  const [starts, lines]: [number[], Pairs[]] = [[], []];
  let bits = new Uint32Array(WORDS);
  // `last`: the previous byte of the line, in lower case, blanks left out; 0 at the start of a line. `before`: the previous byte;
  // LF at the start of a line.
  let [last, before] = [0, LF];
  for (const [offset, byte] of bytes.entries()) {
    if (before === LF) starts.push(offset);
    before = byte;
    if (byte === LF) {
      lines.push(bits);
      bits = new Uint32Array(WORDS);
      last = 0;
    } else if (!BLANK_BYTES.has(byte)) {
      const lower = byte >= 65 && byte <= 90 ? byte + 32 : byte;
      const bit = ((last * 31) ^ (lower * 7)) & 255;
      bits[bit >> 5] = (bits[bit >> 5] ?? 0) | (1 << (bit & 31));
      last = lower;
    }
  }
  if (before !== LF) lines.push(bits);
  return { starts, lines };
}

/** The size of a set of pairs. */
const count = (pairs: Pairs) => pairs.reduce((sum, word) => sum + ones(word), 0);

/** How many bits of a 32-bit number are set: the bits are added in groups of 2, 4 and 8. */
function ones(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
