/** What the module answers to a call. */
import { storeModule } from "../core/store.js";
import type { Step } from "../core/tree.js";
import type { Change, Json, PatchResult, Skipped } from "../types.js";

type Success = PatchResult & { status: "success" };
type Failure = PatchResult & { status: "error" };

type Brief = [name: string, applied: number, revision: number, skipped: Skipped[], changes: unknown[], rest?: Rest];

/** What a call has come to beside its result. */
export interface Rest {
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

/** A result, and what the module says beside it. */
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

/** The module tells changes in one list: of each the number of its kind, its path, and what that kind has besides. */
function readChanges(list: unknown[]): Change[] {
  const changes: Change[] = [];
  let at = 0;
  while (at < list.length) {
    const kind = list[at++] as number;
    const path = list[at++] as Step[];
    if (kind === 0) changes.push({ kind: "set", path, value: list[at++] as Json });
    else if (kind === 1) changes.push({ kind: "insert", path, value: list[at++] as Json });
    else if (kind === 2) {
      const change: Change = { kind: "insert", path, value: list[at++] as Json, index: list[at++] as number };
      const next = list[at++] as string | null;
      if (next !== null) change.next = next;
      changes.push(change);
    } else if (kind === 3) changes.push({ kind: "remove", path });
    else if (kind === 4) changes.push({ kind: "move", from: list[at++] as Step[], path });
    else changes.push({ kind: "move", from: list[at++] as Step[], path, index: list[at++] as number });
  }
  return changes;
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
