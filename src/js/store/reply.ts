/** What the module answers to a call. */
import { receiveJson } from "../bridge.js";
import type { Change, PatchResult, Skipped } from "../types.js";

type Brief = [name: string, applied: number, revision: number, skipped: Skipped[], changes: Change[]];

/** The module's last answer: a success comes as a list of what differs between successes. */
export function readReply(length: number): PatchResult {
  const reply = receiveJson<PatchResult | Brief>(length);
  return Array.isArray(reply) ? success(reply[0], reply[1], reply[2], reply[3], reply[4]) : reply;
}

export function success(
  instance_name: string,
  applied: number,
  revision: number,
  skipped: Skipped[],
  changes: Change[],
): PatchResult & { status: "success" } {
  return { status: "success", instance_name, applied, skipped, changes, revision, rebased: [], conflicts: [] };
}
