/** `InstanceState`: everything that a store knows about one instance. */
import { Mirror } from "../core/mirror.js";
import { deepFreeze } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import type { Json, PendingCall, Rules, StoreEvent } from "../types.js";

/** The document that the user sees, with pending calls applied. */
export class ShownDocument extends Mirror {
  constructor(
    readonly name: string,
    public revision: number,
    snapshot: Json,
    freeze: boolean,
  ) {
    super(snapshot, freeze);
  }
}

/** The list for no calls: always the same object. The type of the public method is that of a list that can be changed. */
export const NO_CALLS: PendingCall[] = [];
Object.freeze(NO_CALLS);

/** A list of pending calls: the same array until one of them changes. */
export class PendingList {
  calls: PendingCall[] = NO_CALLS;
  /** False when the module has other calls, or a call has changed: then the owner asks the module before it reads `calls`. */
  isCurrent = true;

  /** Replaces the calls. A call that is equal to a known one is the same object as before. */
  update(currentCalls: readonly PendingCall[]): void {
    const knownCalls = new Map(this.calls.map((call) => [call.pendingId, call]));
    const calls = currentCalls.map((call) => {
      const known = knownCalls.get(call.pendingId);
      return known !== undefined && equal(known as unknown as Json, call as unknown as Json) ? known : call;
    });
    this.isCurrent = true;
    if (calls.length === this.calls.length && calls.every((call, index) => call === this.calls[index])) return;
    deepFreeze(calls);
    this.calls = calls.length === 0 ? NO_CALLS : calls;
  }
}

/** Exists while a document is shown or a call is pending: a pending call may have deleted the document. */
export class InstanceState {
  shown: ShownDocument | undefined;
  /** The number of pending calls, drafts included. */
  pendingCount = 0;
  /** The pending calls without drafts. */
  readonly pending = new PendingList();
  /** A cache of the confirmed document while calls are pending. `document` is undefined if nothing is confirmed. */
  confirmed: { document: Json | undefined } | undefined;
  /** A cache of the rules of the document that is shown. */
  rules: Rules | undefined;

  constructor(readonly name: string) {}

  get isEmpty(): boolean {
    return this.shown === undefined && this.pendingCount === 0;
  }

  /** Records that `count` calls are pending after a call of this origin. It is called before the call changes `shown`. */
  queueChanged(count: number, origin: StoreEvent["origin"]): void {
    const removedCount = this.pendingCount - count;
    const isFirst = this.pendingCount === 0 && origin === "optimistic";
    // Until the first pending call, what is shown is confirmed. A snapshot that does not exist is not made for the cache alone.
    if (isFirst && this.shown?.hasSnapshot) this.confirmed = { document: this.shown.snapshot };
    // A rejection that removes one call, and a confirmation that removes none, leave the confirmed document as it is. If more
    // calls are removed, some of them may have been confirmed.
    const keepsConfirmed =
      origin === "optimistic" ||
      (origin === "reject" && removedCount === 1) ||
      (origin === "confirm" && removedCount === 0);
    if (count === 0 || !keepsConfirmed) this.confirmed = undefined;
    this.pendingCount = count;
    this.pending.isCurrent = false;
    if (count === 0) this.pending.update([]);
  }
}
