/** Reads the module's answer to a call. */
import { storeModule } from "../core/store-module.js";
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

/** The kinds of changes by number. Those that stand twice have an index the second time. */
const KINDS = ["set", "insert", "insert", "remove", "move", "move"] as const;

/** The module tells changes in one list: of each the number of its kind, its path, and what that kind has besides. */
function readChanges(list: unknown[]): Change[] {
  const changes: Change[] = [];
  for (let at = 0; at < list.length; ) {
    const number = list[at++] as number;
    const change = { kind: KINDS[number], path: list[at++] } as Record<string, unknown>;
    if (number < 3) change.value = list[at++];
    if (number > 3) change.from = list[at++];
    if (number === 2 || number === 5) change.index = list[at++];
    if (number === 2 && list[at++] !== null) change.next = list[at - 1];
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
