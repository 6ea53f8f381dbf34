/** `applyPatchHunks`: finds the places of hunks in a text, and replaces the lines there. Lines are indexed from 0. */
import type { Fix } from "../../blocks/types.js";
import { PatchFaultError } from "./fault.js";
import type { PatchHunk, PatchLine, TextFunctions } from "./types.js";

/** How many lines the search for the hunks of one file compares at most. */
const MAX_COMPARED = 5_000_000;
/** How many places of a hunk an error lists. */
const MAX_LISTED = 10;
/** The longest comparison with the nearest place in an error, in lines. */
const MAX_SHOWN = 40;

/** A line of the file. */
interface FileLine {
  /** Without its end. */
  text: string;
  /** Empty for a last line without an end. */
  end: "\n" | "\r\n" | "";
  /** The offset of the line in the text. */
  offset: number;
}

function linesOf(text: string): FileLine[] {
  const lines: FileLine[] = [];
  for (let offset = 0; offset < text.length; ) {
    const feed = text.indexOf("\n", offset);
    const stop = feed < 0 ? text.length : feed;
    const end = feed < 0 ? "" : text[feed - 1] === "\r" && feed > offset ? "\r\n" : "\n";
    lines.push({ text: text.slice(offset, end === "\r\n" ? stop - 1 : stop), end, offset });
    offset = feed < 0 ? text.length : feed + 1;
  }
  return lines;
}

/** The lines of a file by a key of their text: the text itself, or its normalized form, so that equal keys mean a match. */
class LineIndex {
  /** The key of each line. */
  readonly keys: string[];
  /** By key: the indexes of the lines that have it. */
  readonly places = new Map<string, number[]>();

  constructor(lines: readonly FileLine[], keyOf: (text: string) => string) {
    this.keys = lines.map(({ text }) => keyOf(text));
    for (const [line, key] of this.keys.entries()) {
      const places = this.places.get(key);
      if (places === undefined) this.places.set(key, [line]);
      else places.push(line);
    }
  }
}

/** A hunk at its place: it replaces `length` lines of the file from `start`. */
interface PlacedHunk {
  start: number;
  length: number;
  hunk: PatchHunk;
}

/** Whether a line of a hunk is in the old file. */
const isOld = ({ kind }: PatchLine): boolean => kind !== "added";

/**
 * Places the hunks of one file, in the order of the patch. `wanted` are the old lines of a hunk; beside a `LineIndex`, their keys.
 * `index` is the number of the hunk, from 0.
 */
class Placement {
  readonly #lines: FileLine[];
  readonly #exact: LineIndex;
  /** `undefined` until a hunk matches nowhere exactly. */
  #normalized: LineIndex | undefined;
  /** The number of lines that were compared so far. */
  #compared = 0;
  /** The hunks so far, in the order of the file. */
  readonly placedHunks: PlacedHunk[] = [];
  /** The differences between hunks and the lines that they replace. */
  readonly fixes: Fix[] = [];

  constructor(
    private readonly text: string,
    private readonly path: string,
    private readonly isReviewed: boolean,
    private readonly functions: TextFunctions,
  ) {
    this.#lines = linesOf(text);
    this.#exact = new LineIndex(this.#lines, (line) => line);
  }

  get lines(): readonly FileLine[] {
    return this.#lines;
  }

  /** The first line after all placed hunks. */
  get #firstFree(): number {
    const last = this.placedHunks.at(-1);
    return last === undefined ? 0 : last.start + last.length;
  }

  /** Finds the place of a hunk. @throws PatchFaultError if none exists, or more than one. */
  place(hunk: PatchHunk, index: number): void {
    const wanted = hunk.lines.filter(isOld).map(({ text }) => text);
    const start = wanted.length === 0 ? this.#insertion(hunk, index) : this.#search(hunk, wanted, index);
    // Searched from the end: hunks are nearly always in the order of the file.
    let at = this.placedHunks.length;
    while (at > 0 && (this.placedHunks[at - 1]?.start ?? 0) > start) at--;
    this.placedHunks.splice(at, 0, { start, length: wanted.length, hunk });
  }

  /** The line at which a hunk with old lines begins. */
  #search(hunk: PatchHunk, wanted: readonly string[], index: number): number {
    const exact = this.#choose(hunk, this.#exact, wanted, index);
    if (exact !== undefined) return exact;
    // A place that differs only in how characters are typed, if the hunk has two lines or a user sees the result: one line could
    // be there by chance.
    const { hasTwoLines, normalizedLine } = this.functions;
    if (this.isReviewed || hasTwoLines(wanted.join("\n"))) {
      this.#normalized ??= new LineIndex(this.#lines, normalizedLine);
      const start = this.#choose(hunk, this.#normalized, wanted.map(normalizedLine), index);
      if (start !== undefined) {
        this.#listFixes(start, wanted);
        return start;
      }
    }
    throw this.#nowhere(wanted, index, hunk);
  }

  /**
   * The place of a hunk; `undefined` if the lines are nowhere. The line that the patch names comes first. Else it is a place after
   * all hunks placed before, or if there is none, a place between them. If the hunk must be at the end of the file, a place there
   * is preferred. Of several places it is the first after the anchors. Without anchors that decide, the hunk is refused.
   */
  #choose(hunk: PatchHunk, lineIndex: LineIndex, wanted: readonly string[], index: number): number | undefined {
    const firstFree = this.#firstFree;
    const namedLine = hunk.line === undefined ? undefined : hunk.line - 1;
    const isAtEnd = (start: number) => start + wanted.length === this.#lines.length;
    const isFree = (start: number) =>
      start >= firstFree ||
      this.placedHunks.every((other) => start + wanted.length <= other.start || start >= other.start + other.length);
    if (namedLine !== undefined && namedLine >= firstFree && this.#isAt(lineIndex, wanted, namedLine)) {
      const fitsEnd = !hunk.isAtEnd || isAtEnd(namedLine);
      if (fitsEnd) return namedLine;
    }
    const everywhere = this.#placesOf(lineIndex, wanted).filter(isFree);
    let places = everywhere.filter((start) => start >= firstFree);
    if (places.length === 0) places = everywhere;
    if (hunk.isAtEnd) {
      const placesAtEnd = places.filter(isAtEnd);
      if (placesAtEnd.length > 0) places = placesAtEnd;
    }
    const [first] = places;
    if (places.length <= 1) return first;
    const lineAfter = this.#lineAfterAnchors(hunk.anchors, firstFree);
    const placeAfter = lineAfter === undefined ? undefined : places.find((start) => start >= lineAfter);
    if (placeAfter !== undefined) return placeAfter;
    throw this.#several(places, index, hunk);
  }

  /** Whether the wanted lines are in the file from a line on. */
  #isAt(lineIndex: LineIndex, wanted: readonly string[], start: number): boolean {
    for (let at = 0; at < wanted.length; at++) {
      this.#count(1);
      if (lineIndex.keys[start + at] !== wanted[at]) return false;
    }
    return true;
  }

  /** Counts compared lines. @throws PatchFaultError `LIMIT_EXCEEDED` */
  #count(lines: number): void {
    this.#compared += lines;
    if (this.#compared <= MAX_COMPARED) return;
    const message = `The hunks for ${JSON.stringify(this.path)} have too many possible places.`;
    throw new PatchFaultError({ code: "LIMIT_EXCEEDED", path: this.path, message });
  }

  /** All places of the wanted lines. Only places where the rarest of these lines fits are compared. */
  #placesOf(lineIndex: LineIndex, wanted: readonly string[]): number[] {
    let rarest: { at: number; places: readonly number[] } | undefined;
    for (const [at, key] of wanted.entries()) {
      const places = lineIndex.places.get(key);
      if (places === undefined) return [];
      if (rarest === undefined || places.length < rarest.places.length) rarest = { at, places };
    }
    if (rarest === undefined) return [];
    const { at, places } = rarest;
    return places.map((place) => place - at).filter((start) => start >= 0 && this.#isAt(lineIndex, wanted, start));
  }

  /**
   * The line after the last anchor. Each anchor must be the only such line after the anchor before it; the first anchor, from the
   * line `start` on. `undefined` without anchors, or if one of them is missing or ambiguous. Blanks around an anchor do not count.
   */
  #lineAfterAnchors(anchors: readonly string[], start: number): number | undefined {
    if (anchors.length === 0) return undefined;
    let from = start;
    for (const anchor of anchors) {
      const anchorText = anchor.trim();
      const matches = this.#lines.flatMap(({ text }, line) => (line >= from && text.trim() === anchorText ? line : []));
      this.#count(this.#lines.length);
      const [match] = matches;
      if (match === undefined || matches.length > 1) return undefined;
      from = match + 1;
    }
    return from;
  }

  /** The line before which a hunk without old lines adds its lines: an anchor or the end of the file names it. */
  #insertion(hunk: PatchHunk, index: number): number {
    if (this.#lines.length === 0) return 0;
    if (hunk.isAtEnd) return this.#lines.length;
    const lineAfter = this.#lineAfterAnchors(hunk.anchors, this.#firstFree);
    if (lineAfter !== undefined) return lineAfter;
    throw new PatchFaultError({
      code: "NO_MATCH",
      path: this.path,
      index,
      message: `${this.#name(index, hunk)} only adds lines, and no line of the file says where.`,
      solution: "Send unchanged lines of the file above and below the new ones.",
    });
  }

  /** Adds the fixes of a hunk that is placed at a line which it does not match exactly. */
  #listFixes(start: number, wanted: readonly string[]): void {
    const from = this.#lines[start]?.offset ?? 0;
    const last = this.#lines[start + wanted.length - 1];
    const to = last === undefined ? from : last.offset + last.text.length;
    this.fixes.push(...this.functions.fixesOf(this.text, wanted.join("\n"), [from, to]));
  }

  /** The hunk in an error message. */
  #name(index: number, { patchLine }: PatchHunk): string {
    return `Hunk ${index + 1} of ${JSON.stringify(this.path)} (line ${patchLine} of the patch)`;
  }

  /** The error for a hunk with several places. */
  #several(places: readonly number[], index: number, hunk: PatchHunk): PatchFaultError {
    const listedLines = places.slice(0, MAX_LISTED).map((place) => place + 1);
    const more = places.length > listedLines.length ? ", …" : "";
    return new PatchFaultError({
      code: "SEVERAL_MATCHES",
      path: this.path,
      index,
      matches: places.length,
      message: `${this.#name(index, hunk)} matches ${places.length} times: at the lines ${listedLines.join(", ")}${more}.`,
      solution: "Send more unchanged lines around the change, so that they are there exactly once.",
    });
  }

  /** The error for a hunk without a place. */
  #nowhere(wanted: readonly string[], index: number, hunk: PatchHunk): PatchFaultError {
    const piece = wanted.join("\n");
    const { nearest, difference, textDiff } = this.functions;
    const nearestText = nearest(this.text, piece);
    const firstDifference = difference(this.text, piece);
    const where = nearestText === undefined ? "" : ` The nearest text begins at line ${nearestText.line}.`;
    return new PatchFaultError({
      code: "NO_MATCH",
      path: this.path,
      index,
      matches: 0,
      message: `${this.#name(index, hunk)} matches nowhere.${where}`,
      solution: "Send the hunk again with the lines of the file, blanks included. `nearest.diff` shows what differs.",
      ...(nearestText && { nearest: { ...nearestText, diff: comparison(textDiff, nearestText.text, piece) } }),
      ...(firstDifference && { difference: firstDifference }),
    });
  }
}

/** The difference of two texts as lines: `-` has the file, `+` has the hunk. */
function comparison(textDiff: TextFunctions["textDiff"], found: string, sent: string): string {
  const marks = { same: " ", removed: "-", added: "+" };
  const lines = textDiff(found, sent, { by: "line" }).flatMap(({ lines }) =>
    lines.map(({ kind, text }) => marks[kind] + text),
  );
  const ellipsis = lines.length > MAX_SHOWN ? "\n…" : "";
  return lines.slice(0, MAX_SHOWN).join("\n") + ellipsis;
}

/**
 * The text with all hunks of a file applied. `isReviewed`: a user sees the result before it is written. `keepsCr`: the CRs of the
 * patch are those of the file, not of the transport.
 * @throws PatchFaultError
 */
export function applyPatchHunks(
  text: string,
  hunks: readonly PatchHunk[],
  path: string,
  isReviewed: boolean,
  keepsCr: boolean,
  functions: TextFunctions,
): { after: string; fixes: Fix[] } {
  const placement = new Placement(text, path, isReviewed, functions);
  for (const [index, hunk] of hunks.entries()) placement.place(hunk, index);
  const { lines, placedHunks, fixes } = placement;
  let after = "";
  let from = 0;
  for (const { start, length, hunk } of placedHunks) {
    after += join(lines.slice(from, start));
    from = start + length;
    const insertedLines = newLines(hunk, lines, start, length, keepsCr);
    // Lines may be added after a last line without an end.
    if (insertedLines.length > 0 && after !== "" && !after.endsWith("\n")) after += lineEndOf(lines) ?? "\n";
    after += join(insertedLines);
  }
  return { after: after + join(lines.slice(from)), fixes };
}

type Line = Pick<FileLine, "text" | "end">;

const join = (lines: readonly Line[]): string => lines.map(({ text, end }) => text + end).join("");

/**
 * The lines in place of `length` lines of the file from `start`: unchanged ones as the file has them, added ones with the line
 * ends of the replaced lines, or those that the patch shows. The last line of the file has no end if the patch says so
 * (`isOpenEnd`), or if it had none before and the patch says nothing about it; all other lines have one.
 */
function newLines(
  { lines }: PatchHunk,
  fileLines: readonly Line[],
  start: number,
  length: number,
  keepsCr: boolean,
): Line[] {
  const old = fileLines.slice(start, start + length);
  const usualEnd = lineEndOf(old) ?? lineEndOf(fileLines) ?? "\n";
  // A patch with CRs only where the file has them shows the line ends of the new lines too.
  const showsEnds = keepsCr && lines.filter(isOld).every(({ hasCr }, at) => hasCr === (old[at]?.end === "\r\n"));
  const result: Line[] = [];
  let at = 0;
  for (const { kind, text, hasCr } of lines) {
    const fileLine = kind === "added" ? undefined : old[at++];
    if (kind === "same" && fileLine) result.push(fileLine);
    else if (kind === "added") result.push({ text, end: showsEnds ? (hasCr ? "\r\n" : "\n") : usualEnd });
  }
  const last = lines.filter(({ kind }) => kind !== "removed").at(-1);
  const staysOpen = fileLines.at(-1)?.end === "" && !lines.some(({ isOpenEnd }) => isOpenEnd);
  const isOpen = start + length === fileLines.length && (staysOpen || last?.isOpenEnd === true);
  return result.map(({ text, end }, index) => {
    // A line without an end that is no longer the last one gets an end.
    const isLast = index === result.length - 1;
    return { text, end: isOpen && isLast ? "" : end === "" ? usualEnd : end };
  });
}

/** The more frequent line end of some lines, CRLF if there are as many of both; `undefined` if none has a line end. */
function lineEndOf(lines: readonly Line[]): "\n" | "\r\n" | undefined {
  let [crlf, all] = [0, 0];
  for (const { end } of lines) {
    if (end !== "") all++;
    if (end === "\r\n") crlf++;
  }
  return all === 0 ? undefined : crlf * 2 >= all ? "\r\n" : "\n";
}
