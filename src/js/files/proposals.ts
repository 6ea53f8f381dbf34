/** Proposals of file changes: calls of file tools that wait for a person's approval. */

import type { FileProposal } from "../approval/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { INDEXES, requireOptions, TEXT } from "../core/require.js";
import { mergeTexts } from "../diff/merge.js";
import { applyHunks } from "../diff/text.js";
import type { Hunk } from "../types.js";
import type { FileApproval } from "./types.js";

export interface Waiting {
  proposal: FileProposal;
  before: string | null;
  after: string | null;
  /** That diff. The proposal shows another one while it is stale. */
  hunks: Hunk[];
}

/** What is to become of a file, or that the proposal has been overtaken. */
export type Agreed = { after: string | null; approved: string | null } | "stale" | "no such hunk";

/** What the person agreed to, on the text that the file has now. */
export function agree({ before, after, hunks: known }: Waiting, current: string | null, given: FileApproval): Agreed {
  const { hunks = known.map(({ index }) => index), edits } = given;
  if (!hunks.every((index) => index < known.length)) return "no such hunk";
  const all = known.every(({ index }) => hunks.includes(index));
  let approved = after;
  if (edits !== undefined) approved = edits;
  else if (!all) approved = hunks.length === 0 ? before : applyHunks(before ?? "", after ?? "", hunks);
  return carry(before, approved, current);
}

/** The change from `before` to `approved` on the text that the file has now. */
export function carry(before: string | null, approved: string | null, current: string | null): Agreed {
  if (current === before || current === approved) return { after: approved, approved };
  // A file that came, went, or shall go has no part that could be left alone.
  if (before === null || approved === null || current === null) return "stale";
  const merged = mergeTexts(before, current, approved);
  return merged === null ? "stale" : { after: merged, approved };
}

export function requireApproval(approval: FileApproval): void {
  requireOptions("approve", approval, { hunks: INDEXES, edits: TEXT });
  if (approval.hunks !== undefined && approval.edits !== undefined)
    throw new GenuiPatchError("INVALID_ARGUMENT", "approve: either hunks or edits, not both.");
}
