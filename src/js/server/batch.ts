/** `Batch`: calls that are tried on the documents, one after the other, and then written in one append. */
import { GenuiPatchError } from "../core/errors.js";
import type { PatchStore } from "../store.js";
import type { PatchCall } from "../types.js";
import { targetOf } from "./entry.js";
import { refused, toError } from "./results.js";
import type { RoomResult } from "./types.js";

/** Calls that are written together, and the length of their texts. */
export const MOST_AT_ONCE = 500;
export const MOST_LENGTH_AT_ONCE = 4 * 2 ** 20;

export class Batch {
  /** Ids and keys of its calls. */
  readonly ids = new Set<string>();
  readonly #tried = new Set<string>();
  /** The highest number of each client among its calls. */
  readonly #highest = new Map<string, number>();

  constructor(private readonly store: PatchStore) {}

  /** Tries a call on the documents with all calls before it. Returns why it cannot be made. */
  refusalOf(call: PatchCall): RoomResult | undefined {
    try {
      const tried = this.store.applyOptimistic(call);
      if (tried.status === "error") return { ...tried, error: toError(tried.error) };
      if (tried.pendingId !== undefined) this.#tried.add(tried.pendingId);
      const name = targetOf(call);
      // A call that names two instances, one in each dialect.
      if (tried.instance_name !== name)
        return refused("INVALID_ARGUMENT", "The call names two instances.", "Name one.");
      return undefined;
    } catch (cause) {
      if (!(cause instanceof GenuiPatchError)) throw cause;
      return refused(cause.code, cause.message, "Send a patch call.");
    }
  }

  /** Whether a later call of the client is in the batch. Else this one is its last. */
  isLate({ client, number }: { client: string; number: number }): boolean {
    if (number < (this.#highest.get(client) ?? 0)) return true;
    this.#highest.set(client, number);
    return false;
  }

  /** Rolls back all calls that were tried. */
  undo(): void {
    for (const id of [...this.#tried].reverse()) this.store.reject(id);
  }
}
