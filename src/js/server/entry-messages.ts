/** The messages that pages get of the entries of a log. */
import type { PatchProposal } from "../approval/types.js";
import { toJsonPatch } from "../json-patch.js";
import type { PatchCall } from "../types.js";
import { authorOf, callMessage, type Entry, isCall } from "./entry.js";

export const NOTHING = { type: "nothing" };

/** Entries whose messages are made of what they come to. */
export const WITHOUT_CHANGES: readonly Entry["kind"][] = ["approve", "node", "approve-node"];

export const byWhom = (entry: Exclude<Entry, { kind: "session" }>) => ({ by: entry.user, author: authorOf(entry) });

/** The message of an entry that does not depend on what it came to. */
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

/** An approval as a message for pages: the call, or the changes that were approved of it. */
export function messageOfApproval(approved: PatchProposal | undefined, call: PatchCall): object {
  const part = approved?.approved;
  if (part === undefined) return callMessage(call);
  if (isCall(part)) return callMessage(part);
  return { type: "STATE_DELTA", instance_name: approved?.target, delta: toJsonPatch(approved?.effective ?? []) };
}
