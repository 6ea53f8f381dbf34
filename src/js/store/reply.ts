/** Reads the replies of the module's store. */
import { storeModule } from "../core/store-module.js";
import { changeKinds } from "../generated/facts.js";
import type { Change, PatchResult, Skipped, Warning } from "../types.js";

type Success = PatchResult & { status: "success" };
type Failure = PatchResult & { status: "error" };

/** A successful reply as the module writes it: its values without their keys. The list ends with the last value that it has. */
type BriefReply = [
  name: string,
  applied: number,
  revision: number,
  skipped: Skipped[],
  /** See {@link readChanges}. */
  changes: unknown[],
  rest?: Rest | null,
  warnings?: Warning[],
];

/** The part of a reply that most replies lack: the pending calls, other effects than changes, and rare members of the result. */
export interface Rest {
  /** The number of pending calls of the instance. */
  pending: number;
  /** Calls are pending, or were pending before. */
  hasPending?: true;
  /** The list of pending calls has changed, or one of them is confirmed. */
  pendingChanged?: true;
  /** The instance has become the active one. */
  activated?: true;
  highlight?: string[];
  /** The reply about another instance that the message changed. */
  other?: PatchResult | BriefReply;
  /** Rare members of the result. They may turn it into an error, for a call whose patches before the failure stay applied. */
  more: (Partial<Success> | Partial<Failure>) & { pendingId?: string; conflicts?: Success["conflicts"] };
}

/** A reply of the module. `rest` is undefined if the reply has none. */
export interface Reply {
  result: PatchResult;
  rest: Rest | undefined;
}

/** Reads the last answer of the module, a JSON text of this length. */
export function readReply(length: number): Reply {
  return toReply(storeModule.receiveJson<PatchResult | BriefReply>(length));
}

/** The reply from an answer of the module that is already parsed. */
export function toReply(answer: PatchResult | BriefReply): Reply {
  if (!Array.isArray(answer)) return { result: answer, rest: undefined };
  const [name, applied, revision, skipped, changes, rest, warnings] = answer;
  const result = success(name, applied, revision, skipped, readChanges(changes));
  if (warnings !== undefined) result.warnings = warnings;
  if (!rest) return { result, rest: undefined };
  return { result: Object.assign(result, rest.more), rest };
}

/**
 * Reads changes from one flat list: for each change the number of its kind, its path, and then a value for each part of the kind.
 */
function readChanges(list: unknown[]): Change[] {
  const changes: Change[] = [];
  let index = 0;
  while (index < list.length) {
    const { kind, parts } = changeKinds[list[index++] as number] as (typeof changeKinds)[number];
    const change: Record<string, unknown> = { kind, path: list[index++] };
    for (const part of parts) {
      const value = list[index++];
      // If no key follows the inserted one, `next` is null in the list, and the change has none.
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
