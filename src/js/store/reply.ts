/** What the module answers to a call. */
import { storeModule } from "../core/store.js";
import type { Change, PatchResult, Skipped } from "../types.js";

type Success = PatchResult & { status: "success" };
type Failure = PatchResult & { status: "error" };

type Brief = [name: string, applied: number, revision: number, skipped: Skipped[], changes: Change[], rest?: Rest];

/** What a call has come to beside its result. */
interface Rest {
  /** How many calls are pending on the instance. */
  pending: number;
  /** Whether something is pending, or was before. */
  queued?: true;
  /** Whether other calls are pending than before, or one of them is confirmed. */
  turned?: true;
  /** Whether the instance is the active one from here on. */
  activated?: true;
  highlight?: string[];
  /** What happened to another instance. */
  other?: PatchResult | Brief;
  /** With an error: the call stopped, and what came before that stays. */
  more: Partial<Success> | Partial<Failure>;
}

const REST = Symbol("rest");

/** The module's last answer: a success comes as a list of what differs between successes. */
export function readReply(length: number): PatchResult {
  return toResult(storeModule.receiveJson<PatchResult | Brief>(length));
}

export function toResult(reply: PatchResult | Brief): PatchResult {
  if (!Array.isArray(reply)) return reply;
  const result = success(reply[0], reply[1], reply[2], reply[3], reply[4]);
  const rest = reply[5];
  if (rest === undefined) return result;
  Object.assign(result, rest.more);
  return Object.defineProperty(result, REST, { value: rest });
}

/** The rest of what a result has come to; it does not show. */
export function restOf(result: PatchResult): Rest | undefined {
  return (result as { [REST]?: Rest })[REST];
}

export function success(
  instance_name: string,
  applied: number,
  revision: number,
  skipped: Skipped[],
  changes: Change[],
): Success {
  return { status: "success", instance_name, applied, skipped, changes, revision, rebased: [], conflicts: [] };
}
