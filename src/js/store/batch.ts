/** `Batch`: many operations, and one event for each instance that they change. */
import { getOrInsert, type Members } from "../core/kinds.js";
import type { Recorder } from "../core/mirror.js";
import type { Change, Json, PendingCall, StoreEvent } from "../types.js";
import type { EventInContext } from "./events.js";
import type { ShownDocument } from "./instance-state.js";

interface ChangedInstance {
  /** The snapshot before the batch. Absent if there was no document, and while changes are deferred. */
  before?: Json | undefined;
  /**
   * The changes of the first call. They are applied when the instance is read or changed again, or else at the end of the batch:
   * a batch of calls to many instances makes no snapshots.
   */
  deferred?: Change[] | undefined;
  /** Adds the deferred changes to the history when they are applied. */
  record?: Recorder | undefined;
  /** Whether the search for listeners needs the snapshots: see `EventSubscriptions.dataNeededFor`. */
  needsSnapshots?: boolean;
}

/** The maps have the names of instances as keys. */
export class Batch {
  /** How many batches are open: a batch within a batch is part of it. */
  #depth = 0;
  readonly #changed = new Map<string, ChangedInstance>();
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

  /** Notes the snapshot of an instance that is about to be created, deleted or replaced. */
  noteSnapshot(name: string, shown: ShownDocument | undefined): void {
    if (!this.isOpen) return;
    if (shown !== undefined) this.applyDeferred(shown);
    if (!this.#changed.has(name)) this.#changed.set(name, { before: shown?.snapshot });
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

  /** Applies changes to a shown document. The first changes of a batch are deferred. */
  apply(shown: ShownDocument, changes: readonly Change[], record: Recorder | undefined): void {
    if (this.isOpen && !this.#changed.has(shown.name)) {
      this.#changed.set(shown.name, { deferred: shown.copyChanges(changes), record });
      return;
    }
    this.applyDeferred(shown);
    shown.apply(changes, record);
  }

  /** Applies deferred changes, before somebody reads the instance. */
  applyDeferred(shown: ShownDocument): void {
    const changed = this.#changed.get(shown.name);
    if (changed?.deferred === undefined) return;
    changed.before = shown.snapshot;
    shown.apply(changed.deferred, changed.record);
    changed.deferred = undefined;
  }

  /** Adds an event, merged with the earlier ones of its instance. {@link flush} decides on its type. */
  add({ event, after }: EventInContext): void {
    const { type, instance_name: name } = event;
    const changed = this.#changed.get(name);
    // The store has made the snapshots for this event: its listeners are found by them.
    if (changed !== undefined && after !== undefined) changed.needsSnapshots = true;
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
    for (const [name, { before, deferred, record }] of this.#changed) {
      const shown = this.shownOf(name);
      if (deferred) shown?.apply(deferred, record);
      else if (shown !== undefined && before !== undefined && hasSameText(before, shown.snapshot))
        shown.snapshot = before;
    }
    for (const [name, event] of this.#events) {
      const changed = this.#changed.get(name);
      const { before, deferred, needsSnapshots } = changed ?? {};
      // No snapshot is made of deferred changes for the event alone.
      const after = deferred && !needsSnapshots ? undefined : this.shownOf(name)?.snapshot;
      // Only changes of a document that exists are deferred.
      const type = deferred ? "change" : changed === undefined ? "pending" : typeBetween(before, after);
      if (type !== "pending" || event.type === "pending" || this.#hasOtherCalls(name, pendingOf))
        notices.push({ event: { ...event, type }, before, after });
    }
    for (const event of this.#unmerged) notices.push({ event });
    this.#changed.clear();
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
