/** The messages for pages that are made of the entries of a log. */
import type { PatchProposal } from "../approval/types.js";
import { toJsonPatch } from "../json-patch.js";
import type { PatchCall } from "../types.js";
import { authorOf, callMessage, type Entry, isCall } from "./entry.js";

/**
 * The message of an entry that changes nothing on pages. It is sent all the same: messages have the numbers of their entries, and
 * a page that misses a number asks for it.
 */
export const NOTHING = { type: "nothing" };

/** Kinds of entries whose messages have the changes that the server found when it applied the entry. */
export const MESSAGE_NEEDS_RESULT: readonly Entry["kind"][] = ["approve", "node", "approve-node"];

/** The members of a message that say who has caused the entry. */
export const byWhom = (entry: Exclude<Entry, { kind: "session" }>) => ({ by: entry.user, author: authorOf(entry) });

/**
 * The message of an entry that was applied without an error, as far as the entry alone says it. `NOTHING` for the kinds of
 * `MESSAGE_NEEDS_RESULT`, for proposals, which pages get in another message, and for an entry of an unknown kind (`undefined`).
 */
export function messageOf(entry: Entry | undefined): object {
  switch (entry?.kind) {
    case "session":
      return { type: "session", session: entry.session };
    case "call":
      return { ...callMessage(entry.call), ...(entry.id !== undefined && { patch_id: entry.id }), ...byWhom(entry) };
    case "show":
      return entry.block === undefined
        ? { type: "switch_instance", instance_name: entry.name, ...byWhom(entry) }
        : { type: "highlight_block", instance_name: entry.name, block_id: entry.block, ...byWhom(entry) };
    case "file":
      return { type: "file", path: entry.path, text: entry.text, ...byWhom(entry) };
    case "approve-file":
      return {
        type: "file",
        path: entry.path,
        text: entry.agreed.effective ?? null,
        proposal: entry.id,
        ...byWhom(entry),
      };
    case "flow":
      return { type: "flow", flow: entry.flow, ...byWhom(entry) };
    default:
      return NOTHING;
  }
}

/** The message of an approval: the proposed call if all of it was approved, else the changes that the approval has made. */
export function messageOfApproval(proposal: PatchProposal | undefined, call: PatchCall): object {
  // The whole call, or a list of changes.
  const approved = proposal?.approved;
  if (approved === undefined) return callMessage(call);
  if (isCall(approved)) return callMessage(approved);
  return { type: "STATE_DELTA", instance_name: proposal?.target, delta: toJsonPatch(proposal?.effective ?? []) };
}
