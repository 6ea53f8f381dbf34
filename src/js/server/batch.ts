/** `Batch`: calls that are tried on the documents, one after the other, and then written in one append. */
import { GenuiPatchError } from "../core/errors.js";
import type { PatchStore } from "../store.js";
import type { PatchCall } from "../types.js";
import { targetOf } from "./entry.js";
import { refused } from "./results.js";
import type { RoomResult } from "./types.js";

/** Calls that are written together. */
export const MOST_CALLS_AT_ONCE = 500;
/** The length of the texts of calls that are written together, in UTF-16 units. */
export const MOST_LENGTH_AT_ONCE = 4 * 2 ** 20;

/** One batch. The documents have the effects of the calls that were tried until `rollBack`. */
export class Batch {
  /** What at most one call of the batch may have: ids and keys of calls, files, the flows, ids of proposals that are settled. */
  readonly ids = new Set<string>();
  /** The ids under which the store has the tried calls as pending. The store may merge two calls under one id. */
  readonly #triedIds = new Set<string>();
  /** The highest number of a call in the batch, by client. */
  readonly #highestNumbers = new Map<string, number>();

  constructor(private readonly store: PatchStore) {}

  /** Tries a call on the documents with all calls before it. Returns the refusal, or `undefined` if the call can be executed. */
  refusalOf(call: PatchCall): RoomResult | undefined {
    try {
      const result = this.store.applyOptimistic(call);
      if (result.status === "error") return result;
      if (result.pendingId !== undefined) this.#triedIds.add(result.pendingId);
      const name = targetOf(call);
      // From a call with both `instance_name` and `instanceId`, the store may read the other name than `targetOf`.
      if (result.instance_name !== name)
        return refused("INVALID_ARGUMENT", "The call names two instances.", "Name one.");
      return undefined;
    } catch (cause) {
      if (!(cause instanceof GenuiPatchError)) throw cause;
      return refused(cause.code, cause.message, "Send a patch call.");
    }
  }

  /** Whether the batch has a later call of the client. If not, the call is recorded as the client's last one in the batch. */
  isLate({ client, number }: { client: string; number: number }): boolean {
    if (number < (this.#highestNumbers.get(client) ?? 0)) return true;
    this.#highestNumbers.set(client, number);
    return false;
  }

  /** Rolls back all calls that were tried, the last one first. */
  rollBack(): void {
    for (const id of [...this.#triedIds].reverse()) this.store.reject(id);
  }
}
