/** `Queue`: what is known on this side of the calls that are pending. */
import { applied } from "../core/mirror.js";
import type { Handle } from "../core/module.js";
import { requireText } from "../core/require.js";
import { storeModule } from "../core/store-module.js";
import { deepFreeze } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import type { RawStore } from "../generated/store.js";
import type { Json, PatchResult, PendingCall, StoreEvent } from "../types.js";
import type { Instance } from "./batch.js";
import { type Rest, readReply } from "./reply.js";

/** What of a store its queue needs. */
interface QueueStore {
  readonly handle: Handle<RawStore>;
  readonly freeze: boolean;
  ask<Answer>(call: (raw: RawStore) => number): Answer;
  find(name: string): Instance | undefined;
  stage(name: string): void;
  tell(type: "pending", name: string, details: { revision: number }, origin: StoreEvent["origin"]): void;
}

export class Queue {
  /** How many calls are pending, by instance. */
  readonly #counts = new Map<string, number>();
  /** What was answered last, and when: the next answer takes what is still so. `undefined` stands for all instances. */
  readonly #lists = new Map<string | undefined, { list: PendingCall[]; turn: number }>();
  /** How often the queues have changed. */
  #turn = 0;
  /** What is confirmed of instances with pending calls, as far as it is known here. */
  readonly #confirmed = new Map<string, Json | undefined>();

  constructor(private readonly core: QueueStore) {}

  sent(pendingId: string): void {
    requireText("sent", "pendingId", pendingId);
    const { handle } = this.core;
    const isIt = (pending: PendingCall) => pending.pendingId === pendingId;
    // Whichever list it stands in: its instance stays the same.
    const call = this.#lists.get(undefined)?.list.find(isIt) ?? this.pending(undefined).find(isIt);
    if (call === undefined || !handle.call((raw) => raw.sent(storeModule.send(pendingId)))) return;
    this.#turn += 1;
    const { instance_name: name } = call;
    this.core.tell("pending", name, { revision: this.core.find(name)?.revision ?? 0 }, "optimistic");
  }

  pending(name: string | undefined): PendingCall[] {
    this.core.handle.check();
    const known = this.#lists.get(name);
    if (known?.turn === this.#turn) return known.list;
    if (name !== undefined) this.core.stage(name);
    const now = this.core.ask<PendingCall[]>((raw) => raw.pending(name !== undefined));
    const list = kept(known?.list ?? [], now);
    deepFreeze(list as unknown as Json);
    this.#lists.set(name, { list, turn: this.#turn });
    return list;
  }

  confirmed(name: string): Json | undefined {
    const core = this.core;
    const snapshot = core.find(name)?.snapshot;
    if (!this.#counts.has(name)) return snapshot;
    if (!this.#confirmed.has(name)) {
      core.stage(name);
      const back = core.handle.call((raw) => readReply(raw.back())).result as PatchResult | null;
      this.#confirmed.set(name, back === null ? undefined : applied(snapshot, back.changes ?? [], core.freeze));
    }
    return this.#confirmed.get(name);
  }

  /** Takes in what a call comes to, before it changes the instance. */
  note(name: string, rest: Rest, origin: StoreEvent["origin"], instance: Instance | undefined): void {
    const count = this.#counts.get(name) ?? 0;
    this.#turn += 1;
    if (count === 0 && origin === "optimistic" && instance?.isMade) this.#confirmed.set(name, instance.snapshot);
    const gone = count - rest.pending;
    // More calls gone than the one refused, or one confirmed: some may have joined what is confirmed.
    const beneath =
      origin !== "optimistic" && !(origin === "reject" && gone === 1) && !(origin === "confirm" && gone === 0);
    if (rest.pending === 0) {
      this.#counts.delete(name);
      this.#confirmed.delete(name);
      this.#lists.delete(name);
      if (this.#counts.size === 0) this.#lists.clear();
    } else {
      this.#counts.set(name, rest.pending);
      if (beneath) this.#confirmed.delete(name);
    }
  }

  restored(name: string, count: number): void {
    this.#counts.set(name, count);
  }

  clear(): void {
    this.#counts.clear();
    this.#lists.clear();
    this.#confirmed.clear();
  }
}

/** A list in which calls that are as they were are the same objects; the list before it, if all of them are. */
function kept(before: PendingCall[], now: PendingCall[]): PendingCall[] {
  const known = new Map(before.map((call) => [call.pendingId, call]));
  const list = now.map((call) => {
    const own = known.get(call.pendingId);
    return own !== undefined && equal(own as unknown as Json, call as unknown as Json) ? own : call;
  });
  return list.length === before.length && list.every((call, place) => call === before[place]) ? before : list;
}
