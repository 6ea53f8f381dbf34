/** Reads the module's answer to a call. */
import { storeModule } from "../core/store-module.js";
import { changeKinds } from "../generated/facts.js";
import type { Change, PatchResult, Skipped } from "../types.js";

type Success = PatchResult & { status: "success" };
type Failure = PatchResult & { status: "error" };

type Brief = [name: string, applied: number, revision: number, skipped: Skipped[], changes: unknown[], rest?: Rest];

/** What a call has come to beside its result. */
export interface Rest {
  /** How many calls are pending on the instance. */
  pending: number;
  /** Whether something is pending, or was before. */
  hasPending?: true;
  /** Whether other calls are pending than before, or one of them is confirmed. */
  pendingChanged?: true;
  /** Whether the instance is the active one from here on. */
  activated?: true;
  highlight?: string[];
  /** What happened to another instance. */
  other?: PatchResult | Brief;
  /** With an error: the call stopped, and what came before that stays. */
  more: (Partial<Success> | Partial<Failure>) & { pendingId?: string };
}

export interface Reply {
  result: PatchResult;
  rest: Rest | undefined;
}

/** The module's last answer: a success comes as a list of what differs between successes. */
export function readReply(length: number): Reply {
  return toReply(storeModule.receiveJson<PatchResult | Brief>(length));
}

export function toReply(answer: PatchResult | Brief): Reply {
  if (!Array.isArray(answer)) return { result: answer, rest: undefined };
  const [name, applied, revision, skipped, changes, rest] = answer;
  const result = success(name, applied, revision, skipped, readChanges(changes));
  return { result: rest === undefined ? result : Object.assign(result, rest.more), rest };
}

/** Reads changes from one list: of each the number of its kind, its path, and the parts of that kind. */
function readChanges(list: unknown[]): Change[] {
  const changes: Change[] = [];
  for (let at = 0; at < list.length; ) {
    const { kind, parts } = changeKinds[list[at++] as number] as (typeof changeKinds)[number];
    const change: Record<string, unknown> = { kind, path: list[at++] };
    for (const part of parts) {
      const value = list[at++];
      if (part !== "next" || value !== null) change[part] = value;
    }
    changes.push(change as unknown as Change);
  }
  return changes;
}

function success(
  instance_name: string,
  applied: number,
  revision: number,
  skipped: Skipped[],
  changes: Change[],
): Success {
  return { status: "success", instance_name, applied, skipped, changes, revision, rebased: [], conflicts: [] };
}
