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

export const NO_CALLS: PendingCall[] = [];
Object.freeze(NO_CALLS);

/** A list of pending calls: the same array until one of them changes. */
export class PendingList {
  calls: PendingCall[] = NO_CALLS;
  /** False once the module has other calls, or a call has changed. */
  isCurrent = true;

  /** Replaces the calls. Calls that are equal to known ones are the same objects as before. */
  update(now: readonly PendingCall[]): void {
    const known = new Map(this.calls.map((call) => [call.pendingId, call]));
    const calls = now.map((call) => {
      const before = known.get(call.pendingId);
      return before !== undefined && equal(before as unknown as Json, call as unknown as Json) ? before : call;
    });
    this.isCurrent = true;
    if (calls.length === this.calls.length && calls.every((call, place) => call === this.calls[place])) return;
    deepFreeze(calls);
    this.calls = calls.length === 0 ? NO_CALLS : calls;
  }
}

/** Exists while a document is shown or a call is pending: a pending call may have deleted the document. */
export class InstanceState {
  shown: ShownDocument | undefined;
  /** The number of pending calls. */
  pendingCount = 0;
  readonly pending = new PendingList();
  /** The confirmed document, where calls are pending and it is known here. `document` is undefined if nothing is confirmed. */
  confirmed: { document: Json | undefined } | undefined;
  /** The rules of the document that is shown, if they are known here. */
  rules: Rules | undefined;

  constructor(readonly name: string) {}

  get isEmpty(): boolean {
    return this.shown === undefined && this.pendingCount === 0;
  }

  /** Records how many calls are pending after a call of this origin. Called before the call changes `shown`. */
  queueChanged(count: number, origin: StoreEvent["origin"]): void {
    const removed = this.pendingCount - count;
    const isFirst = this.pendingCount === 0 && origin === "optimistic";
    if (isFirst && this.shown?.isMade) this.confirmed = { document: this.shown.snapshot };
    // A rejection that removes one call, and a confirmation that removes none, leave the confirmed document as it is. If more calls
    // are removed, some of them may have been confirmed.
    const isUnconfirmed =
      origin === "optimistic" || (origin === "reject" && removed === 1) || (origin === "confirm" && removed === 0);
    if (count === 0 || !isUnconfirmed) this.confirmed = undefined;
    this.pendingCount = count;
    this.pending.isCurrent = false;
    if (count === 0) this.pending.update([]);
  }
}
