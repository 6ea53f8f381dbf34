/**
 * Proposals of file changes: calls of file tools that wait for a user's approval. A proposal has one part for each file that it
 * changes. Its view is what it would do to the current texts of its files.
 */

import { outcomeOf, type Part as PlacedFate } from "../approval/outcome.js";
import type { FileEffect, FileProposal, Outcome } from "../approval/types.js";
import { mergeTexts } from "../diff/merge.js";
import { applyHunks, compareHunks, textDiff } from "../diff/text.js";
import type { Hunk } from "../types.js";
import { actionOf, type FileEdit } from "./commit.js";
import type { FileRefusedError } from "./errors.js";
import type { FileApproval } from "./types.js";

/** The text of a file; null if the file does not exist. */
export type Text = string | null;

/**
 * The current text of a file to change: null if it does not exist, `undefined` if it cannot be moved, as its new path is taken.
 */
export type Current = Text | undefined;

/** A path, and the identity of the file there: equal for all paths of the file. */
interface FilePath {
  path: string;
  file: string;
}

/** The change of one file in a proposal. */
export interface FilePart extends FilePath {
  /** The old path, if the proposal moves the file. `before` and `seen` are then the text at the old path. */
  from?: FilePath;
  /** The text when the call was proposed, and its result; no `after` if the call cannot be applied to it. */
  before: Text;
  after?: Text;
  /** The text on which the proposal's `diff` was computed last: users have seen the diff of this text. */
  seen: Current;
}

/** A proposal, with everything from which it is computed again when its files change. */
export interface ProposalRecord {
  proposal: FileProposal;
  parts: FilePart[];
  /** The reason why the call of a restored proposal is not allowed. */
  refused?: FileRefusedError;
  /** The call is a patch, so that the proposal lists its files. */
  isPatch: boolean;
}

/** A part computed on one text of its file. */
interface PartView {
  part: FilePart;
  /** The text of the file, and the text that the proposal would write. */
  before: Text;
  after: Text;
  /** Their indexes count through all parts of the proposal. */
  hunks: Hunk[];
}

/** A proposal computed on one version of its files. */
export interface View {
  parts: PartView[];
  hunks: Hunk[];
}

/**
 * Computes a proposal on these texts of its files, one for each part; `undefined` if it cannot be applied to them, since a file
 * has changed in the same lines, or its call is refused.
 */
export function viewOn({ parts, refused }: ViewSource, currents: readonly Current[]): View | undefined {
  if (refused) return undefined;
  const views: PartView[] = [];
  const hunks: Hunk[] = [];
  for (const [index, part] of parts.entries()) {
    const before = currents[index];
    if (part.after === undefined || before === undefined) return undefined;
    const merged = merge(part.before, part.after, before);
    if (merged === undefined) return undefined;
    const partHunks = hunksOf(before, merged.text, hunks.length);
    views.push({ part, before, after: merged.text, hunks: partHunks });
    hunks.push(...partHunks);
  }
  return { parts: views, hunks };
}

/** The properties of a proposal from which {@link viewOn} computes it. */
type ViewSource = Pick<ProposalRecord, "parts" | "refused">;

/** The hunks between two texts; `from` is the index of the first one. No file is the same as an empty one. */
export function hunksOf(before: Text, after: Text, from = 0): Hunk[] {
  const hunks = textDiff(before ?? "", after ?? "");
  for (const hunk of hunks) hunk.index += from;
  return hunks;
}

/** Applies the change from `before` to `after` to the current text; `undefined` if it overlaps with another change. */
function merge(before: Text, after: Text, current: Text): { text: Text } | undefined {
  // `current === after`: the change was made already.
  if (current === before || current === after) return { text: after };
  // The creation or deletion of a file cannot be merged with another change.
  if (before === null || after === null || current === null) return undefined;
  const text = mergeTexts(before, current, after);
  return text === null ? undefined : { text };
}

/** Whether two diffs change the same lines in the same hunks, wherever these are. */
export function isSameDiff(one: readonly Hunk[], other: readonly Hunk[]): boolean {
  const changedLines = (hunks: readonly Hunk[]) =>
    JSON.stringify(
      hunks.map(({ lines }) => lines.flatMap(({ kind, text, end }) => (kind === "same" ? [] : [[kind, text, end]]))),
    );
  return changedLines(one) === changedLines(other);
}

/** The effect of a proposal on each file. */
export function effectsOf({ parts }: View): FileEffect[] {
  return parts.map(({ part, before, after, hunks: diff }) => effectOf(part.path, part.from?.path, before, after, diff));
}

/** The effect on one file. `from` is the old path of a moved file. */
export function effectOf(path: string, from: string | undefined, before: Text, after: Text, diff: Hunk[]): FileEffect {
  return from === undefined ? { path, action: actionOf(before, after), diff } : { path, from, action: "moved", diff };
}

/** The result of an approval, before it is written. Lists have one text for each part. */
interface ApprovalResult {
  /** The text of each part that the user approved, on the texts that the user had seen. */
  approved: readonly Text[];
  /** The text of each part after the approval, on the current texts. */
  after: readonly Text[];
  /** The writes that turn the current texts into `after`. */
  writes: FileEdit[];
  /** How `approved` differs from the proposal that the user had seen. */
  outcome: Outcome<number>;
}

/**
 * Computes the result of an approval. `now` is the proposal on the current texts. The user approves what was shown (`seen`): all
 * of it, the hunks with these indexes, or, for a proposal of one file, a text of the user's own (`edits`), which is merged with
 * changes since. `undefined` if that text conflicts with such a change.
 */
export function resultOf(
  source: ViewSource,
  now: View,
  { hunks, edits: ownText }: FileApproval,
): ApprovalResult | undefined {
  const seenTexts = source.parts.map(({ seen }) => seen);
  // A stale proposal cannot be computed on the texts that were seen: the approval is compared with it on the current texts.
  const shown = viewOn(source, seenTexts) ?? now;
  const approvedTexts = ({ parts }: View) =>
    parts.map((part) => (hunks === undefined ? part.after : applySome(part, hunks)));
  const approved = ownText === undefined ? approvedTexts(shown) : [ownText];
  const after: Text[] = [];
  const [only] = now.parts;
  if (ownText === undefined) after.push(...approvedTexts(now));
  else if (only !== undefined) {
    const { seen } = only.part;
    const merged = seen === undefined ? undefined : merge(seen, ownText, only.before);
    if (merged === undefined) return undefined;
    after.push(merged.text);
  }
  const writes = now.parts.flatMap((view, index) => {
    // A file is moved if any of its hunks is approved.
    const isMoved = hunks === undefined || view.hunks.some(({ index }) => hunks.includes(index));
    return writesOf(view, after[index] ?? null, isMoved);
  });
  return { approved, after, writes, outcome: compare(shown, approved) };
}

/** The writes by which a part gets this text. `isMoved`: a file with an old path gets its new one. */
function writesOf({ part: { path, file, from }, before }: PartView, after: Text, isMoved: boolean): FileEdit[] {
  if (from === undefined || !isMoved) {
    const target = from ?? { path, file };
    return before === after ? [] : [{ path: target.path, file: target.file, before, after }];
  }
  return [
    { path, file, before: null, after },
    { path: from.path, file: from.file, before, after: null },
  ];
}

/** The text with the hunks of these indexes applied. Without any, the text before, even of a part without hunks: an empty file. */
function applySome({ before, after, hunks }: PartView, indexes: readonly number[]): Text {
  const chosenHunks = hunks.filter(({ index }) => indexes.includes(index));
  if (chosenHunks.length === 0) return before;
  if (chosenHunks.length === hunks.length) return after;
  const firstIndex = hunks[0]?.index ?? 0;
  return applyHunks(
    before ?? "",
    after ?? "",
    chosenHunks.map(({ index }) => index - firstIndex),
  );
}

/** Compares the approved texts with a proposal. Unless all its parts are `all` or `none`, `outcomeOf` decides by the hunks. */
function compare({ parts }: View, approved: readonly Text[]): Outcome<number> {
  const outcomes = parts.map((part, index) => comparePart(part, approved[index] ?? null));
  const [firstExtent = "all"] = outcomes.map(({ extent }) => extent);
  const extent = outcomes.every((outcome) => outcome.extent === firstExtent) ? firstExtent : undefined;
  const isEdited = outcomes.some((outcome) => outcome.extent === "edited");
  const fates = outcomes.flatMap(({ fates }) => fates);
  if (extent === "all" || extent === "none") return outcomeOf(extent, fates);
  return outcomeOf(undefined, fates, isEdited);
}

/** How much of a part was approved, and what became of each of its hunks, with its index. */
interface PartOutcome {
  extent: Outcome<number>["extent"];
  fates: PlacedFate<number>[];
}

/**
 * Compares the approved text with a part of a proposal. It is a part of the change if it results from applying some of its hunks,
 * else the user has edited it.
 */
function comparePart({ before, after, hunks }: PartView, approved: Text): PartOutcome {
  const all = (fate: PlacedFate<number>[0]) => hunks.map(({ index }): PlacedFate<number> => [fate, index]);
  if (approved === after) return { extent: "all", fates: all("applied") };
  if (approved === before) return { extent: "none", fates: all("omitted") };
  const hunkFates = compareHunks(before ?? "", after ?? "", approved ?? "");
  const applied = hunkFates.flatMap((fate, index) => (fate === "applied" ? index : []));
  const isPart = approved === applyHunks(before ?? "", after ?? "", applied);
  const firstIndex = hunks[0]?.index ?? 0;
  const fates = hunkFates.map((fate, index): PlacedFate<number> => [fate, index + firstIndex]);
  return { extent: isPart && !hunkFates.includes("edited") ? "part" : "edited", fates };
}
