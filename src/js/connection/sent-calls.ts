/** Which pending calls a connection has sent, and when: a call is sent again if the server does not answer in time. */

import type { PendingCall } from "../types.js";

export class SentCalls {
  /** By pending id, the time of sending by `performance.now()`, which never goes back. */
  readonly #sentAt = new Map<string, number>();

  /** `timeout`: the milliseconds after which an unanswered call is sent again. */
  constructor(private readonly timeout: number) {}

  /** The calls to send now: those that were not sent, or were sent `timeout` ago and are not answered. They count as sent. */
  due(pending: readonly PendingCall[]): PendingCall[] {
    const now = performance.now();
    const unanswered = pending.filter(({ confirmed }) => !confirmed);
    const ids = new Set(unanswered.map(({ pendingId }) => pendingId));
    for (const id of this.#sentAt.keys()) if (!ids.has(id)) this.#sentAt.delete(id);
    const due = unanswered.filter(
      ({ pendingId }) => now - (this.#sentAt.get(pendingId) ?? Number.NEGATIVE_INFINITY) >= this.timeout,
    );
    for (const { pendingId } of due) this.#sentAt.set(pendingId, now);
    return due;
  }

  /** Whether a call waits for its answer. */
  get isWaiting(): boolean {
    return this.#sentAt.size > 0;
  }

  /** The call did not reach the server, so it is due again. */
  forget(pendingId: string): void {
    this.#sentAt.delete(pendingId);
  }

  clear(): void {
    this.#sentAt.clear();
  }
}
