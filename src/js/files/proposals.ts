/** Proposals of file changes: calls of file tools that wait for a person's approval. */

import type { FileProposal } from "../approval/types.js";
import { applyHunks, mergeTexts } from "../diff/text.js";
import type { Hunk } from "../types.js";
import type { FileApproval } from "./types.js";

export interface Waiting {
  proposal: FileProposal;
  before: string | null;
  after: string | null;
  /** That diff. The proposal shows another one while it is stale. */
  hunks: Hunk[];
}

/** What is to become of a file. */
interface Agreed {
  after: string | null;
  approved: string | null;
}

/** What the person agreed to, on the text that the file has now; nothing if that overlaps with another change. */
export function agree(
  { before, after, hunks: known }: Waiting,
  current: string | null,
  { hunks, edits }: FileApproval,
): Agreed | undefined {
  let approved = after;
  if (edits !== undefined) approved = edits;
  else if (hunks !== undefined && !known.every(({ index }) => hunks.includes(index)))
    approved = hunks.length === 0 ? before : applyHunks(before ?? "", after ?? "", hunks);
  return carry(before, approved, current);
}

/** The change from `before` to `approved` on the text that the file has now. */
export function carry(before: string | null, approved: string | null, current: string | null): Agreed | undefined {
  if (current === before || current === approved) return { after: approved, approved };
  // A file that came, went, or shall go has no part that could be left alone.
  if (before === null || approved === null || current === null) return undefined;
  const merged = mergeTexts(before, current, approved);
  return merged === null ? undefined : { after: merged, approved };
}
