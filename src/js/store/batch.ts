/** `Batch`: many operations, and one event for each instance that they change. */
import { getOrInsert, type Members } from "../core/kinds.js";
import type { Recorder } from "../core/mirror.js";
import type { Change, Json, PendingCall, StoreEvent } from "../types.js";
import type { EventInContext } from "./events.js";
import type { ShownDocument } from "./instance-state.js";

interface ChangedInstance {
  /** The snapshot before the batch. It is not made while changes are deferred. */
  before?: Json | undefined;
  /** The changes of the only call so far, not yet applied: no snapshot is made until one is read. */
  deferred?: Change[] | undefined;
  record?: Recorder | undefined;
  /** Whether the snapshots are needed to find the listeners. */
  needsSnapshots?: boolean;
}

export class Batch {
  #depth = 0;
  readonly #changed = new Map<string, ChangedInstance>();
  /** One event for each instance, with the changes of all its events. */
  readonly #events = new Map<string, StoreEvent>();
  /** Events that are not about changes. */
  #others: StoreEvent[] = [];
  /** How many calls were pending before the batch, and the ids of those that it has added. */
  readonly #queues = new Map<string, { count: number; added: Set<string> }>();

  constructor(private readonly shownOf: (name: string) => ShownDocument | undefined) {}

  get isOpen(): boolean {
    return this.#depth > 0;
  }

  begin(): void {
    this.#depth += 1;
  }

  /** Returns true at the end of the outermost batch. */
  end(): boolean {
    this.#depth -= 1;
    return this.#depth === 0;
  }

  /** Notes the snapshot of an instance that is about to be created, deleted or replaced. */
  note(name: string, shown: ShownDocument | undefined): void {
    if (!this.isOpen) return;
    if (shown !== undefined) this.settle(shown);
    if (!this.#changed.has(name)) this.#changed.set(name, { before: shown?.snapshot });
  }

  /** Notes the number of pending calls of an instance before a call, and the id of the call if it is pending now. */
  noteQueue(name: string, count: number, { pendingId }: { pendingId?: string }): void {
    if (!this.isOpen) return;
    const { added } = getOrInsert(this.#queues, name, () => ({ count, added: new Set<string>() }));
    if (pendingId !== undefined) added.add(pendingId);
  }

  /** Applies changes to a shown document. The first changes of a batch are deferred. */
  apply(shown: ShownDocument, changes: readonly Change[], record: Recorder | undefined): void {
    if (this.isOpen && !this.#changed.has(shown.name)) {
      this.#changed.set(shown.name, { deferred: shown.copyChanges(changes), record });
      return;
    }
    this.settle(shown);
    shown.apply(changes, record);
  }

  /** Applies deferred changes, before somebody reads the instance. */
  settle(shown: ShownDocument): void {
    const known = this.#changed.get(shown.name);
    if (known?.deferred === undefined) return;
    known.before = shown.snapshot;
    shown.apply(known.deferred, known.record);
    known.deferred = undefined;
  }

  add({ event, after }: EventInContext): void {
    const { type, instance_name: name } = event;
    const changed = this.#changed.get(name);
    if (changed !== undefined && after !== undefined) changed.needsSnapshots = true;
    if (type === "active") this.#others = this.#others.filter((other) => other.type !== "active");
    if (type === "active" || type === "highlight" || type === "proposal") {
      this.#others.push(event);
      return;
    }
    const known = this.#events.get(name);
    // An event shares its list with the result of a call, so the batch copies it.
    const changes = known?.changes ?? [];
    for (const change of event.changes) changes.push(change);
    const isPending = type === "pending" || known?.type === "pending";
    this.#events.set(name, { ...event, type: isPending ? "pending" : type, changes });
  }

  /** The events at the end of the outermost batch. An instance that has its old content again gets its old snapshot back. */
  flush(pending: (name: string) => readonly PendingCall[]): EventInContext[] {
    const notices: EventInContext[] = [];
    for (const [name, { before, deferred, record }] of this.#changed) {
      const shown = this.shownOf(name);
      if (deferred) shown?.apply(deferred, record);
      else if (shown !== undefined && before !== undefined && hasSameText(before, shown.snapshot))
        shown.snapshot = before;
    }
    for (const [name, event] of this.#events) {
      const known = this.#changed.get(name);
      const { before, deferred, needsSnapshots } = known ?? {};
      const after = deferred && !needsSnapshots ? undefined : this.shownOf(name)?.snapshot;
      // Only changes of a document that exists are deferred.
      const type = deferred ? "change" : known === undefined ? "pending" : typeBetween(before, after);
      if (type !== "pending" || event.type === "pending" || this.#hasOtherCalls(name, pending))
        notices.push({ event: { ...event, type }, before, after });
    }
    for (const event of this.#others) notices.push({ event });
    this.#changed.clear();
    this.#events.clear();
    this.#others = [];
    this.#queues.clear();
    return notices;
  }

  /** Whether other calls are pending than before the batch. */
  #hasOtherCalls(name: string, pending: (name: string) => readonly PendingCall[]): boolean {
    const queue = this.#queues.get(name);
    if (queue === undefined) return false;
    const now = pending(name);
    return now.length !== queue.count || now.some(({ pendingId }) => queue.added.has(pendingId));
  }
}

/** Whether two snapshots have the same JSON text. Parts that they share are not compared. */
function hasSameText(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [a, b] = [one, other] as Members[] as [Members, Members];
  const others = Object.keys(b);
  const keys = Object.keys(a);
  return keys.length === others.length && keys.every((key, at) => key === others[at] && hasSameText(a[key], b[key]));
}

function typeBetween(before: Json | undefined, after: Json | undefined): StoreEvent["type"] {
  if (before === after) return "pending";
  if (before === undefined) return "create";
  return after === undefined ? "delete" : "change";
}
