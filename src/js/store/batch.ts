/** `Batch`: many operations, and one event for each instance that they change. */
import { getOrInsert, type Members } from "../core/kinds.js";
import type { Json, PendingCall, StoreEvent } from "../types.js";
import type { EventInContext } from "./events.js";
import type { ShownDocument } from "./shown-document.js";

/** The maps have the names of instances as keys. */
export class Batch {
  /** How many batches are open: a batch within a batch is part of it. */
  #depth = 0;
  /** The snapshots of the changed instances before the batch; `undefined` for an instance that had no document. */
  readonly #before = new Map<string, Json | undefined>();
  /** One event for each instance, with the changes of all its events. */
  readonly #events = new Map<string, StoreEvent>();
  /** The events that are not merged: `highlight`, `proposal`, and the last `active`. */
  #unmerged: StoreEvent[] = [];
  /** The number of pending calls before the batch, and the ids of the pending calls that it has added. */
  readonly #queues = new Map<string, { count: number; addedIds: Set<string> }>();

  /** `shownOf` looks up the document of an instance; `undefined` if none is shown. */
  constructor(private readonly shownOf: (name: string) => ShownDocument | undefined) {}

  get isOpen(): boolean {
    return this.#depth > 0;
  }

  begin(): void {
    this.#depth += 1;
  }

  /** Returns true if the batch was the outermost one. */
  end(): boolean {
    this.#depth -= 1;
    return this.#depth === 0;
  }

  /** Notes the snapshot of an instance that is about to be changed. */
  noteSnapshot(name: string, shown: ShownDocument | undefined): void {
    if (this.isOpen && !this.#before.has(name)) this.#before.set(name, shown?.snapshot);
  }

  /**
   * Notes that a call changes the queue of an instance, which had `count` pending calls, and the id of the call if it is pending
   * now.
   */
  noteQueue(name: string, count: number, { pendingId }: { pendingId?: string }): void {
    if (!this.isOpen) return;
    const { addedIds } = getOrInsert(this.#queues, name, () => ({ count, addedIds: new Set<string>() }));
    if (pendingId !== undefined) addedIds.add(pendingId);
  }

  /** Adds an event, merged with the earlier ones of its instance. {@link flush} decides on its type. */
  add(event: StoreEvent): void {
    const { type, instance_name: name } = event;
    if (type === "active") this.#unmerged = this.#unmerged.filter((earlier) => earlier.type !== "active");
    if (type === "active" || type === "highlight" || type === "proposal") {
      this.#unmerged.push(event);
      return;
    }
    const mergedEvent = this.#events.get(name);
    // An event shares its list with the result of a call, so the batch copies it.
    const changes = mergedEvent?.changes ?? [];
    for (const change of event.changes) changes.push(change);
    // The type stays `pending` once one event has it, so that `flush` emits an event even without changes.
    const isPending = type === "pending" || mergedEvent?.type === "pending";
    this.#events.set(name, { ...event, type: isPending ? "pending" : type, changes });
  }

  /**
   * Returns the events at the end of the outermost batch, and clears the batch. An instance that has its old content again gets
   * its old snapshot back, and an event only if its pending calls are others. `pendingOf` returns the pending calls of an
   * instance.
   */
  flush(pendingOf: (name: string) => readonly PendingCall[]): EventInContext[] {
    const notices: EventInContext[] = [];
    for (const [name, before] of this.#before) {
      const shown = this.shownOf(name);
      if (shown !== undefined && before !== undefined && hasSameText(before, shown.snapshot)) shown.snapshot = before;
    }
    for (const [name, event] of this.#events) {
      const before = this.#before.get(name);
      const after = this.shownOf(name)?.snapshot;
      const type = this.#before.has(name) ? typeBetween(before, after) : "pending";
      if (type !== "pending" || event.type === "pending" || this.#hasOtherCalls(name, pendingOf))
        notices.push({ event: { ...event, type }, before, after });
    }
    for (const event of this.#unmerged) notices.push({ event });
    this.#before.clear();
    this.#events.clear();
    this.#unmerged = [];
    this.#queues.clear();
    return notices;
  }

  /** Whether the pending calls of an instance are others than before the batch. */
  #hasOtherCalls(name: string, pendingOf: (name: string) => readonly PendingCall[]): boolean {
    const queue = this.#queues.get(name);
    if (queue === undefined) return false;
    const pending = pendingOf(name);
    return pending.length !== queue.count || pending.some(({ pendingId }) => queue.addedIds.has(pendingId));
  }
}

/** Whether two snapshots have the same JSON text, with the same order of keys. Parts that they share are not searched. */
function hasSameText(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  // The keys of a list are its indexes.
  const [a, b] = [one, other] as Members[] as [Members, Members];
  const keys = Object.keys(a);
  const otherKeys = Object.keys(b);
  if (keys.length !== otherKeys.length) return false;
  return keys.every((key, index) => key === otherKeys[index] && hasSameText(a[key], b[key]));
}

/** The type of the event about a document, from its snapshots before and after: `pending` if these are the same. */
function typeBetween(before: Json | undefined, after: Json | undefined): StoreEvent["type"] {
  if (before === after) return "pending";
  if (before === undefined) return "create";
  return after === undefined ? "delete" : "change";
}
