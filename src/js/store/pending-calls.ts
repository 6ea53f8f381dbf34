/** `PendingCalls`: the calls of a store that are neither confirmed nor rejected, and who has made them. */
import { getOrInsert } from "../core/kinds.js";
import { applied } from "../core/mirror.js";
import type { Handle } from "../core/module.js";
import { storeModule } from "../core/store-module.js";
import { wellFormed } from "../core/surrogates.js";
import { deepFreeze } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import type { RawStore } from "../generated/store.js";
import type { Json, Limits, PatchResult, PendingCall, StoreEvent } from "../types.js";
import { BY_USER } from "./authors.js";
import type { Source } from "./history-types.js";
import { type Rest, readReply } from "./reply.js";
import type { ShownDocument } from "./shown-document.js";

/** The list for no calls: always the same object. The type of the public method is that of a list that can be changed. */
export const NO_CALLS: PendingCall[] = [];
Object.freeze(NO_CALLS);

/** The parts of a `StoreCore` that its pending calls use. */
interface Owner {
  readonly handle: Handle<RawStore>;
  readonly limits: Limits;
  readonly freeze: boolean;
  readonly instances: ReadonlyMap<string, ShownDocument>;
  ask<Answer>(call: (raw: RawStore) => number): Answer;
  revision(name: string): number;
  emit(type: "pending", name: string, details: { revision: number }, origin: "optimistic"): void;
}

/** A list of pending calls, without drafts: the same array until one of them changes. */
class PendingList {
  calls: PendingCall[] = NO_CALLS;
  /** False when the module has other calls, or a call has changed: then the module is asked before `calls` is read. */
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

/** The pending calls of one instance. */
class Queue extends PendingList {
  /** The number of calls, drafts included. */
  count = 0;
  /** A cache of the confirmed document. `document` is undefined if nothing is confirmed. */
  confirmed: { document: Json | undefined } | undefined;
}

/** The properties of a pending call that say who has made it. */
const publicSource = ({ author, group }: Source = BY_USER) => (group === undefined ? { author } : { author, group });

export class PendingCalls {
  /** By name of the instance: only of those with pending calls. A pending call may have deleted the instance's document. */
  readonly #queues = new Map<string, Queue>();
  /** The pending calls of all instances. */
  readonly #all = new PendingList();
  /** By pending id: who has made the call. Some of the calls may have been settled. */
  readonly #callers = new Map<string, Source>();
  /** Called with the name of an instance of which only confirmed state changed, or may have changed: no event reports that. */
  readonly confirmedListeners: ((name: string) => void)[] = [];

  constructor(private readonly owner: Owner) {}

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  /** The number of pending calls of an instance, drafts included. */
  count(name: string): number {
    return this.#queues.get(name)?.count ?? 0;
  }

  /** The pending calls of one instance, or of all, without drafts. */
  list(name?: string): PendingCall[] {
    this.owner.handle.check();
    const list = name === undefined ? this.#all : this.#queues.get(name);
    if (list === undefined) return NO_CALLS;
    if (!list.isCurrent)
      list.update(this.#ask(name).map((call) => ({ ...call, ...publicSource(this.callerOf(call.pendingId)) })));
    return list.calls;
  }

  #ask(name?: string): Omit<PendingCall, "author">[] {
    return this.owner.ask((raw) => (name === undefined ? raw.all_pending() : raw.pending(storeModule.send(name))));
  }

  /** Who has made a pending call; `undefined` if the id is unknown. */
  callerOf(pendingId: string): Source | undefined {
    return this.#callers.get(pendingId);
  }

  /** Records who has made a pending call. */
  setCaller(pendingId: string, by: Source): void {
    this.#callers.set(pendingId, by);
  }

  /** Adds the calls of a restored instance. Their caller is the user until {@link setCaller} sets another one. */
  restore(name: string, pendingIds: readonly string[]): void {
    for (const id of pendingIds) this.setCaller(id, BY_USER);
    this.#changed(name).count = pendingIds.length;
  }

  /** Follows a reply about an instance that has pending calls, or had some. To be called before the document changes. */
  follow(name: string, { pending: count, more }: Rest, origin: StoreEvent["origin"], by: Source = BY_USER): void {
    if (more.pendingId !== undefined) {
      this.setCaller(more.pendingId, by);
      this.#forgetCallers();
    }
    const shown = this.owner.instances.get(name);
    const queue = this.#changed(name);
    const removedCount = queue.count - count;
    const isFirst = queue.count === 0 && origin === "optimistic";
    // Until the first pending call, what is shown is confirmed. A snapshot that does not exist is not made for the cache alone.
    if (isFirst && shown?.hasSnapshot) queue.confirmed = { document: shown.snapshot };
    // A rejection that removes one call, and a confirmation that removes none, leave the confirmed document as it is. If more
    // calls are removed, some of them may have been confirmed.
    const keepsConfirmed =
      origin === "optimistic" ||
      (origin === "reject" && removedCount === 1) ||
      (origin === "confirm" && removedCount === 0);
    if (!keepsConfirmed) queue.confirmed = undefined;
    queue.count = count;
    if (count === 0) this.#queues.delete(name);
    if (this.isEmpty) this.clear();
  }

  /** Keeps only the callers of pending calls, once there are twice as many callers as calls can be pending. */
  #forgetCallers(): void {
    if (this.#callers.size <= 2 * this.owner.limits.maxPending) return;
    const pending = new Set(this.#ask().map((call) => call.pendingId));
    for (const id of this.#callers.keys()) if (!pending.has(id)) this.#callers.delete(id);
  }

  /** Notes that calls of an instance have changed, so that the module is asked for them again. Returns the instance's queue. */
  #changed(name: string): Queue {
    const queue = getOrInsert(this.#queues, name, () => new Queue());
    queue.isCurrent = false;
    this.#all.isCurrent = false;
    return queue;
  }

  /** Marks a pending call as sent. */
  markSent(pendingId: string): void {
    const { owner } = this;
    const hasId = (pending: PendingCall) => pending.pendingId === pendingId;
    // Only the name of the instance is read, which never changes, so the list need not be current.
    const call = this.#all.calls.find(hasId) ?? this.list().find(hasId);
    // The module returns false for a call that is marked already.
    if (call === undefined || !owner.handle.call((raw) => raw.sent(storeModule.send(pendingId)))) return;
    const { instance_name: name } = call;
    this.#changed(name);
    owner.emit("pending", name, { revision: owner.revision(name) }, "optimistic");
  }

  /** The document without pending calls: the snapshot itself while no call is pending. `undefined` if none is confirmed. */
  confirmed(givenName: string): Json | undefined {
    const { owner } = this;
    owner.handle.check();
    const name = wellFormed(givenName);
    const shown = owner.instances.get(name);
    const queue = this.#queues.get(name);
    if (queue === undefined) return shown?.snapshot;
    if (queue.confirmed === undefined) {
      // The module answers with null if no document is confirmed.
      const result = owner.handle.call((raw) => readReply(raw.changes_to_confirmed(storeModule.send(name))))
        .result as PatchResult | null;
      const document =
        result === null ? undefined : applied(shown?.snapshot, result.changes ?? [], { freeze: owner.freeze });
      queue.confirmed = { document };
    }
    return queue.confirmed.document;
  }

  clear(): void {
    this.#queues.clear();
    this.#callers.clear();
    this.#all.update([]);
  }
}
