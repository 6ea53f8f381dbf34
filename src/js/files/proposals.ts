/** Proposals of file changes: calls of file tools that wait for a user's approval. */

import { type Part as OutcomePart, outcomeOf } from "../approval/outcome.js";
import type { FileEffect, FileProposal, Outcome } from "../approval/types.js";
import { applyHunks, compareHunks, mergeTexts, textDiff } from "../diff/text.js";
import type { Hunk } from "../types.js";
import { actionOf, type FileEdit } from "./commit.js";
import type { FileRefusedError } from "./errors.js";
import type { FileApproval } from "./types.js";

/** The text of a file; null if the file does not exist. */
export type Text = string | null;

/** The current text of a file to change; `undefined` if a file stands where it would be moved to. */
export type Current = Text | undefined;

interface Place {
  path: string;
  /** The identity of the file. */
  file: string;
}

/** The change of one file in a proposal. */
export interface FilePart extends Place {
  /** The path of a file that the proposal moves. Its texts are those of the moved file. */
  from?: Place;
  /** The text on which the call was proposed, and its result; no `after` if the call cannot be applied to it. */
  before: Text;
  after?: Text;
  /** The text of the file that the proposal's `diff` is about. */
  seen: Current;
}

export interface Waiting {
  proposal: FileProposal;
  parts: FilePart[];
  /** The reason why the call of a restored proposal is not allowed. */
  refused?: FileRefusedError;
  /** The call is a patch, so that the proposal lists its files. */
  isPatch: boolean;
}

/** A part on the current text of its file. */
interface PartView {
  part: FilePart;
  before: Text;
  after: Text;
  /** Their indexes count in the whole proposal. */
  hunks: Hunk[];
}

/** A proposal computed on one text of each of its files. */
export interface View {
  parts: PartView[];
  hunks: Hunk[];
}

/** Computes a proposal on the current texts; `undefined` if a file has changed in the same place. */
export function viewOn({ parts, refused }: Shown, currents: readonly Current[]): View | undefined {
  if (refused) return undefined;
  const views: PartView[] = [];
  const hunks: Hunk[] = [];
  for (const [place, part] of parts.entries()) {
    const before = currents[place];
    if (part.after === undefined || before === undefined) return undefined;
    const merged = merge(part.before, part.after, before);
    if (merged === undefined) return undefined;
    const own = hunksOf(before, merged.text, hunks.length);
    views.push({ part, before, after: merged.text, hunks: own });
    hunks.push(...own);
  }
  return { parts: views, hunks };
}

/** What a proposal is shown by. */
type Shown = Pick<Waiting, "parts" | "refused">;

/** The hunks between two texts; `from`: the index of the first one. */
export function hunksOf(before: Text, after: Text, from = 0): Hunk[] {
  const hunks = textDiff(before ?? "", after ?? "");
  for (const hunk of hunks) hunk.index += from;
  return hunks;
}

/** Applies the change from `before` to `after` to the current text; `undefined` if it overlaps with another change. */
function merge(before: Text, after: Text, current: Text): { text: Text } | undefined {
  if (current === before || current === after) return { text: after };
  // The creation or deletion of a file cannot be merged with another change.
  if (before === null || after === null || current === null) return undefined;
  const text = mergeTexts(before, current, after);
  return text === null ? undefined : { text };
}

/** Whether two diffs change the same lines in the same hunks, wherever these are. */
export function isSameDiff(one: readonly Hunk[], other: readonly Hunk[]): boolean {
  const changed = (hunks: readonly Hunk[]) =>
    JSON.stringify(
      hunks.map(({ lines }) => lines.flatMap(({ kind, text, end }) => (kind === "same" ? [] : [[kind, text, end]]))),
    );
  return changed(one) === changed(other);
}

/** The effect of a proposal on each file. */
export function effectsOf({ parts }: View): FileEffect[] {
  return parts.map(({ part, before, after, hunks: diff }) => effectOf(part.path, part.from?.path, before, after, diff));
}

export function effectOf(path: string, from: string | undefined, before: Text, after: Text, diff: Hunk[]): FileEffect {
  return from === undefined ? { path, action: actionOf(before, after), diff } : { path, from, action: "moved", diff };
}

/** The result of an approval: on the texts that were shown, and on the current texts of the files. */
interface Agreed {
  /** The approved text of each part. */
  approved: readonly Text[];
  /** The text of each part after the approval. */
  after: readonly Text[];
  edits: FileEdit[];
  outcome: Outcome<number>;
}

/** Computes the result of an approval; `undefined` if the user's own text conflicts with another change. */
export function agree(waiting: Shown, now: View, { hunks, edits }: FileApproval): Agreed | undefined {
  const shown =
    viewOn(
      waiting,
      waiting.parts.map(({ seen }) => seen),
    ) ?? now;
  const chosen = ({ parts }: View) => parts.map((part) => (hunks === undefined ? part.after : choose(part, hunks)));
  const approved = edits === undefined ? chosen(shown) : [edits];
  const made: Text[] = [];
  if (edits === undefined) made.push(...chosen(now));
  else
    for (const { part, before } of now.parts.slice(0, 1)) {
      const merged = part.seen === undefined ? undefined : merge(part.seen, edits, before);
      if (merged === undefined) return undefined;
      made.push(merged.text);
    }
  const written = now.parts.flatMap((view, place) => {
    const isMoved = hunks === undefined || view.hunks.some(({ index }) => hunks.includes(index));
    return editsOf(view, made[place] ?? null, isMoved);
  });
  return { approved, after: made, edits: written, outcome: compare(shown, approved) };
}

/** The files to write for a part with this text. */
function editsOf({ part: { path, file, from }, before }: PartView, after: Text, isMoved: boolean): FileEdit[] {
  if (from === undefined || !isMoved) {
    const place = from ?? { path, file };
    return before === after ? [] : [{ path: place.path, file: place.file, before, after }];
  }
  return [
    { path, file, before: null, after },
    { path: from.path, file: from.file, before, after: null },
  ];
}

/** The text with the chosen hunks applied. An empty choice changes nothing, also if the diff has no hunks. */
function choose({ before, after, hunks }: PartView, chosen: readonly number[]): Text {
  const own = hunks.filter(({ index }) => chosen.includes(index));
  if (own.length === 0) return before;
  if (own.length === hunks.length) return after;
  const first = hunks[0]?.index ?? 0;
  return applyHunks(
    before ?? "",
    after ?? "",
    own.map(({ index }) => index - first),
  );
}

function compare({ parts }: View, made: readonly Text[]): Outcome<number> {
  const outcomes = parts.map((part, place) => comparePart(part, made[place] ?? null));
  const [first = "all"] = outcomes.map(({ extent }) => extent);
  const extent = outcomes.every((own) => own.extent === first) ? first : undefined;
  const isChanged = outcomes.some((own) => own.extent === "edited");
  const fates = outcomes.flatMap(({ fates }) => fates);
  if (extent === "all" || extent === "none") return outcomeOf(extent, fates);
  return outcomeOf(undefined, fates, isChanged);
}

/** How a part was approved. */
interface PartOutcome {
  extent: Outcome<number>["extent"];
  fates: OutcomePart<number>[];
}

function comparePart({ before, after, hunks }: PartView, made: Text): PartOutcome {
  const all = (fate: OutcomePart<number>[0]) => hunks.map(({ index }): OutcomePart<number> => [fate, index]);
  if (made === after) return { extent: "all", fates: all("applied") };
  if (made === before) return { extent: "none", fates: all("omitted") };
  const found = compareHunks(before ?? "", after ?? "", made ?? "");
  const applied = found.flatMap((fate, index) => (fate === "applied" ? index : []));
  const isPart = made === applyHunks(before ?? "", after ?? "", applied);
  const first = hunks[0]?.index ?? 0;
  const fates = found.map((fate, index): OutcomePart<number> => [fate, index + first]);
  return { extent: isPart && !found.includes("edited") ? "part" : "edited", fates };
}
