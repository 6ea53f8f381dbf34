/** `Queue`: what is known on this side of the calls that are pending. */
import { deepFreeze, follow } from "../core/mirror.js";
import type { Handle } from "../core/module.js";
import { requireText } from "../core/require.js";
import { storeModule } from "../core/store.js";
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
  /** What has been asked for since the queues changed. `undefined` stands for all instances. */
  readonly #lists = new Map<string | undefined, PendingCall[]>();
  /** What was answered last, from which the next answer takes what is still so. */
  readonly #answered = new Map<string | undefined, PendingCall[]>();
  /** What is confirmed of instances with pending calls, as far as it is known here. */
  readonly #confirmed = new Map<string, Json | undefined>();

  constructor(private readonly core: QueueStore) {}

  sent(pendingId: string): void {
    requireText("sent", "pendingId", pendingId);
    const { handle } = this.core;
    const isIt = (pending: PendingCall) => pending.pendingId === pendingId;
    // Whichever list it stands in: its instance stays the same.
    const call = this.#answered.get(undefined)?.find(isIt) ?? this.pending(undefined).find(isIt);
    if (call === undefined || !handle.call((raw) => raw.sent(storeModule.send(pendingId)))) return;
    this.#lists.clear();
    const { instance_name: name } = call;
    this.core.tell("pending", name, { revision: this.core.find(name)?.revision ?? 0 }, "optimistic");
  }

  pending(name: string | undefined): PendingCall[] {
    this.core.handle.raw;
    let list = this.#lists.get(name);
    if (list === undefined) {
      if (name !== undefined) this.core.stage(name);
      list = kept(
        this.#answered.get(name) ?? [],
        this.core.ask((raw) => raw.pending(name !== undefined)),
      );
      deepFreeze(list as unknown as Json);
      this.#lists.set(name, list);
      this.#answered.set(name, list);
    }
    return list;
  }

  confirmed(name: string): Json | undefined {
    const core = this.core;
    const snapshot = core.find(name)?.snapshot;
    if (!this.#counts.has(name)) return snapshot;
    if (!this.#confirmed.has(name)) {
      core.stage(name);
      const back = core.handle.call((raw) => readReply(raw.back())).result as PatchResult | null;
      this.#confirmed.set(name, back === null ? undefined : follow(snapshot, back.changes ?? [], core.freeze));
    }
    return this.#confirmed.get(name);
  }

  /** Takes in what a call comes to, before it changes the instance. */
  note(name: string, rest: Rest, origin: StoreEvent["origin"], instance: Instance | undefined): void {
    const count = this.#counts.get(name) ?? 0;
    this.#lists.clear();
    if (count === 0 && origin === "optimistic" && instance?.isMade) this.#confirmed.set(name, instance.snapshot);
    const gone = count - rest.pending;
    // More calls gone than the one refused, or one confirmed: some may have joined what is confirmed.
    const beneath =
      origin !== "optimistic" && !(origin === "reject" && gone === 1) && !(origin === "confirm" && gone === 0);
    if (rest.pending === 0) {
      this.#counts.delete(name);
      this.#confirmed.delete(name);
      this.#answered.delete(name);
      if (this.#counts.size === 0) this.#answered.clear();
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
    this.#answered.clear();
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
