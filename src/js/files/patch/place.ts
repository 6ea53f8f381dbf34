/** Finds the places of hunks in a text, and replaces the lines there. */
import type { Fix } from "../../blocks/types.js";
import { PatchFaultError } from "./fault.js";
import type { PatchHunk, PatchLine, TextFunctions } from "./types.js";

/** How many lines the search for the hunks of one file compares at most. */
const MAX_COMPARED = 5_000_000;
/** How many places of a hunk an error lists. */
const MAX_LISTED = 10;
/** The longest comparison with the nearest place in an error, in lines. */
const MAX_SHOWN = 40;

interface FileLine {
  text: string;
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

/** The indexes of lines by a key of their text. */
class LineIndex {
  readonly keys: string[];
  readonly places = new Map<string, number[]>();

  constructor(
    lines: readonly FileLine[],
    readonly keyOf: (text: string) => string,
  ) {
    this.keys = lines.map(({ text }) => keyOf(text));
    for (const [place, key] of this.keys.entries()) {
      const places = this.places.get(key);
      if (places === undefined) this.places.set(key, [place]);
      else places.push(place);
    }
  }
}

/** A hunk at its place: it replaces `length` lines of the file from `start`. */
interface Placed {
  start: number;
  length: number;
  hunk: PatchHunk;
}

const isOld = ({ kind }: PatchLine): boolean => kind !== "added";

/** Places the hunks of one file, in their order. */
class Placement {
  readonly #lines: FileLine[];
  readonly #exact: LineIndex;
  #normalized: LineIndex | undefined;
  #compared = 0;
  readonly placed: Placed[] = [];
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
  get #free(): number {
    const last = this.placed.at(-1);
    return last === undefined ? 0 : last.start + last.length;
  }

  place(hunk: PatchHunk, index: number): void {
    const wanted = hunk.lines.filter(isOld).map(({ text }) => text);
    const start = wanted.length === 0 ? this.#insertion(hunk, index) : this.#search(hunk, wanted, index);
    // Hunks are nearly always in the order of the file.
    let at = this.placed.length;
    while (at > 0 && (this.placed[at - 1]?.start ?? 0) > start) at--;
    this.placed.splice(at, 0, { start, length: wanted.length, hunk });
  }

  #search(hunk: PatchHunk, wanted: readonly string[], index: number): number {
    const exact = this.#choose(hunk, this.#exact, wanted, index);
    if (exact !== undefined) return exact;
    // A place that differs only in how characters are typed. One line could be there by chance.
    const { hasTwoLines, normalizedLine } = this.functions;
    if (this.isReviewed || hasTwoLines(wanted.join("\n"))) {
      this.#normalized ??= new LineIndex(this.#lines, normalizedLine);
      const found = this.#choose(hunk, this.#normalized, wanted.map(normalizedLine), index);
      if (found !== undefined) {
        this.#listFixes(found, wanted);
        return found;
      }
    }
    throw this.#nowhere(wanted, index, hunk);
  }

  /** The place of a hunk; `undefined` if the lines are nowhere. Throws if there are several places. */
  #choose(hunk: PatchHunk, index: LineIndex, wanted: readonly string[], number: number): number | undefined {
    const free = this.#free;
    const hinted = hunk.line === undefined ? undefined : hunk.line - 1;
    const isFree = (start: number) =>
      start >= free ||
      this.placed.every((other) => start + wanted.length <= other.start || start >= other.start + other.length);
    // The line that the patch names needs no search: the lines are there.
    if (
      hinted !== undefined &&
      hinted >= free &&
      this.#isAt(index, wanted, hinted) &&
      this.#fitsEnd(hunk, wanted, hinted)
    )
      return hinted;
    const everywhere = this.#placesOf(index, wanted).filter(isFree);
    let places = everywhere.filter((start) => start >= free);
    if (places.length === 0) places = everywhere;
    if (hunk.isAtEnd) {
      const atEnd = places.filter((start) => start + wanted.length === this.#lines.length);
      if (atEnd.length > 0) places = atEnd;
    }
    const [first] = places;
    if (places.length <= 1) return first;
    const anchored = this.#afterAnchors(hunk.anchors, free);
    const below = anchored === undefined ? undefined : places.find((start) => start >= anchored);
    if (below !== undefined) return below;
    throw this.#several(places, number, hunk);
  }

  #fitsEnd(hunk: PatchHunk, wanted: readonly string[], start: number): boolean {
    return !hunk.isAtEnd || start + wanted.length === this.#lines.length;
  }

  #isAt(index: LineIndex, wanted: readonly string[], start: number): boolean {
    for (let place = 0; place < wanted.length; place++) {
      this.#count(1);
      if (index.keys[start + place] !== wanted[place]) return false;
    }
    return true;
  }

  #count(lines: number): void {
    this.#compared += lines;
    if (this.#compared <= MAX_COMPARED) return;
    const message = `The hunks for ${JSON.stringify(this.path)} have too many possible places.`;
    throw new PatchFaultError({ code: "LIMIT_EXCEEDED", path: this.path, message });
  }

  /** All places of lines. Only the places of the rarest line are compared. */
  #placesOf(index: LineIndex, wanted: readonly string[]): number[] {
    let rarest: { at: number; places: readonly number[] } | undefined;
    for (const [at, key] of wanted.entries()) {
      const places = index.places.get(key);
      if (places === undefined) return [];
      if (rarest === undefined || places.length < rarest.places.length) rarest = { at, places };
    }
    if (rarest === undefined) return [];
    const { at, places } = rarest;
    return places.map((place) => place - at).filter((start) => start >= 0 && this.#isAt(index, wanted, start));
  }

  /** The line after the anchors, each of which must be the only such line after the one before it. */
  #afterAnchors(anchors: readonly string[], free: number): number | undefined {
    if (anchors.length === 0) return undefined;
    let from = free;
    for (const anchor of anchors) {
      const wanted = anchor.trim();
      const found = this.#lines.flatMap(({ text }, place) => (place >= from && text.trim() === wanted ? place : []));
      this.#count(this.#lines.length);
      const [place] = found;
      if (place === undefined || found.length > 1) return undefined;
      from = place + 1;
    }
    return from;
  }

  /** The place of a hunk that only adds lines: an anchor or the end of the file must name it. */
  #insertion(hunk: PatchHunk, index: number): number {
    if (this.#lines.length === 0) return 0;
    if (hunk.isAtEnd) return this.#lines.length;
    const anchored = this.#afterAnchors(hunk.anchors, this.#free);
    if (anchored !== undefined) return anchored;
    throw new PatchFaultError({
      code: "NO_MATCH",
      path: this.path,
      index,
      message: `${this.#name(index, hunk)} only adds lines, and no line of the file says where.`,
      solution: "Send unchanged lines of the file above and below the new ones.",
    });
  }

  #listFixes(start: number, wanted: readonly string[]): void {
    const from = this.#lines[start]?.offset ?? 0;
    const last = this.#lines[start + wanted.length - 1];
    const to = last === undefined ? from : last.offset + last.text.length;
    this.fixes.push(...this.functions.fixesOf(this.text, wanted.join("\n"), [from, to]));
  }

  #name(index: number, { patchLine }: PatchHunk): string {
    return `Hunk ${index + 1} of ${JSON.stringify(this.path)} (line ${patchLine} of the patch)`;
  }

  #several(places: readonly number[], index: number, hunk: PatchHunk): PatchFaultError {
    const listed = places.slice(0, MAX_LISTED).map((place) => place + 1);
    const more = places.length > listed.length ? ", …" : "";
    return new PatchFaultError({
      code: "SEVERAL_MATCHES",
      path: this.path,
      index,
      matches: places.length,
      message: `${this.#name(index, hunk)} matches ${places.length} times: at the lines ${listed.join(", ")}${more}.`,
      solution: "Send more unchanged lines around the change, so that they are there exactly once.",
    });
  }

  #nowhere(wanted: readonly string[], index: number, hunk: PatchHunk): PatchFaultError {
    const piece = wanted.join("\n");
    const { nearest, difference, textDiff } = this.functions;
    const near = nearest(this.text, piece);
    const differs = difference(this.text, piece);
    const where = near === undefined ? "" : ` The nearest text begins at line ${near.line}.`;
    return new PatchFaultError({
      code: "NO_MATCH",
      path: this.path,
      index,
      matches: 0,
      message: `${this.#name(index, hunk)} matches nowhere.${where}`,
      solution: "Send the hunk again with the lines of the file, blanks included. `nearest.diff` shows what differs.",
      ...(near && { nearest: { ...near, diff: comparison(textDiff, near.text, piece) } }),
      ...(differs && { difference: differs }),
    });
  }
}

/** The difference of two texts as lines: `-` has the file, `+` has the hunk. */
function comparison(textDiff: TextFunctions["textDiff"], found: string, sent: string): string {
  const marks = { same: " ", removed: "-", added: "+" };
  const lines = textDiff(found, sent, { by: "line" }).flatMap(({ lines }) =>
    lines.map(({ kind, text }) => marks[kind] + text),
  );
  const cut = lines.length > MAX_SHOWN ? "\n…" : "";
  return lines.slice(0, MAX_SHOWN).join("\n") + cut;
}

/**
 * The text with all hunks of a file applied. `keepsCr`: the patch shows the line ends of the file.
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
  const { lines, placed, fixes } = placement;
  let after = "";
  let from = 0;
  for (const { start, length, hunk } of placed) {
    after += join(lines.slice(from, start));
    from = start + length;
    const made = newLines(hunk, lines, start, length, keepsCr);
    // The last line of a file may lack its line end.
    if (made.length > 0 && after !== "" && !after.endsWith("\n")) after += lineEndOf(lines) ?? "\n";
    after += join(made);
  }
  return { after: after + join(lines.slice(from)), fixes };
}

type Line = Pick<FileLine, "text" | "end">;

const join = (lines: readonly Line[]): string => lines.map(({ text, end }) => text + end).join("");

/** The lines in the place of others: unchanged ones as the file has them, added ones with the line ends of the place. */
function newLines({ lines }: PatchHunk, all: readonly Line[], start: number, length: number, keepsCr: boolean): Line[] {
  const old = all.slice(start, start + length);
  const end = lineEndOf(old) ?? lineEndOf(all) ?? "\n";
  // A patch with CRs only where the file has them shows the line ends of the new lines too.
  const agrees = keepsCr && lines.filter(isOld).every(({ hasCr }, at) => hasCr === (old[at]?.end === "\r\n"));
  const made: Line[] = [];
  let at = 0;
  for (const { kind, text, hasCr } of lines) {
    const found = kind === "added" ? undefined : old[at++];
    if (kind === "same" && found) made.push(found);
    else if (kind === "added") made.push({ text, end: agrees ? (hasCr ? "\r\n" : "\n") : end });
  }
  const last = lines.filter(({ kind }) => kind !== "removed").at(-1);
  const wasOpen = all.at(-1)?.end === "" && !lines.some(({ isOpenEnd }) => isOpenEnd);
  const isOpen = start + length === all.length && (wasOpen || last?.isOpenEnd === true);
  return made.map(({ text, end: lineEnd }, place) => {
    return { text, end: isOpen && place === made.length - 1 ? "" : lineEnd === "" ? end : lineEnd };
  });
}

/** The more frequent line end of some lines; `undefined` if none has a line end. */
function lineEndOf(lines: readonly Line[]): "\n" | "\r\n" | undefined {
  let [crlf, all] = [0, 0];
  for (const { end } of lines) {
    if (end !== "") all++;
    if (end === "\r\n") crlf++;
  }
  return all === 0 ? undefined : crlf * 2 >= all ? "\r\n" : "\n";
}
