/** Proposals of file changes: calls of file tools that wait for a user's approval. */

import { outcomeOf, type Part } from "../approval/outcome.js";
import type { FileProposal, Outcome } from "../approval/types.js";
import { applyHunks, compareHunks, mergeTexts, textDiff } from "../diff/text.js";
import type { Hunk } from "../types.js";
import type { FileRefusedError } from "./errors.js";
import type { FileApproval } from "./types.js";

/** The text of a file; null if the file does not exist. */
export type Text = string | null;

export interface Waiting {
  proposal: FileProposal;
  /** The identity of the file. */
  file: string;
  /** The text on which the call was proposed, and its result; no `after` if the call cannot be applied to it. */
  before: Text;
  after?: Text;
  /** The text of the file that the proposal's `diff` is about. */
  seen: Text;
  /** The reason why the call of a restored proposal is not allowed. */
  refused?: FileRefusedError;
}

/** A proposal computed on one text of its file. */
interface View {
  before: Text;
  after: Text;
  hunks: Hunk[];
}

/** Computes a proposal on the current text of its file; `undefined` if the file has changed in the same place. */
export function viewOn({ before, after, refused }: Shown, current: Text): View | undefined {
  if (after === undefined || refused) return undefined;
  const merged = merge(before, after, current);
  return merged && { before: current, after: merged.text, hunks: hunksOf(current, merged.text) };
}

/** What a proposal is shown by. */
type Shown = Pick<Waiting, "before" | "after" | "refused">;

export const hunksOf = (before: Text, after: Text): Hunk[] => textDiff(before ?? "", after ?? "");

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

/** The result of an approval: on the text that was shown, and on the current text of the file. */
interface Agreed {
  approved: Text;
  after: Text;
  outcome: Outcome<number>;
}

/** Computes the result of an approval; `undefined` if the user's own text conflicts with another change. */
export function agree(
  waiting: Shown & Pick<Waiting, "seen">,
  now: View,
  { hunks, edits }: FileApproval,
): Agreed | undefined {
  const shown = viewOn(waiting, waiting.seen) ?? now;
  const chosen = (view: View): Text => (hunks === undefined ? view.after : choose(view, hunks));
  const approved = edits ?? chosen(shown);
  const made = edits === undefined ? { text: chosen(now) } : merge(waiting.seen, edits, now.before);
  return made && { approved, after: made.text, outcome: compare(shown, approved) };
}

/** The text with the chosen hunks applied. An empty choice changes nothing, also if the diff has no hunks. */
function choose({ before, after, hunks }: View, chosen: readonly number[]): Text {
  if (chosen.length === 0) return before;
  if (hunks.every(({ index }) => chosen.includes(index))) return after;
  return applyHunks(before ?? "", after ?? "", chosen);
}

function compare({ before, after, hunks }: View, made: Text): Outcome<number> {
  const all = (fate: Part<number>[0]) => hunks.map(({ index }): Part<number> => [fate, index]);
  if (made === after) return outcomeOf("all", all("applied"));
  if (made === before) return outcomeOf("none", all("omitted"));
  const fates = compareHunks(before ?? "", after ?? "", made ?? "");
  const applied = fates.flatMap((fate, index) => (fate === "applied" ? index : []));
  const isPart = made === applyHunks(before ?? "", after ?? "", applied);
  return outcomeOf(
    undefined,
    fates.map((fate, index): Part<number> => [fate, index]),
    !isPart,
  );
}
