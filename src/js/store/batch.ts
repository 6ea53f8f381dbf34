/** `Instance`: what a store shows of one. `Batch`: many operations, one notification of what happened to each instance. */
import { type Members, obtain } from "../core/kinds.js";
import { Mirror } from "../core/mirror.js";
import type { Change, Json, PendingCall, StoreEvent } from "../types.js";
import type { Notice } from "./events.js";

/** An instance as it is shown. */
export class Instance extends Mirror {
  constructor(
    readonly name: string,
    public revision: number,
    snapshot: Json,
    freeze: boolean,
  ) {
    super(snapshot, freeze);
  }
}

interface Changed {
  /** The snapshot before the batch; not known while changes wait. */
  before?: Json | undefined;
  /** The changes of the one call that has changed it. They wait: nothing is copied for a snapshot that nobody looks at. */
  waiting?: Change[] | undefined;
  /** Whether the snapshots are needed to find who wants to be told. */
  looks?: boolean;
}

export class Batch {
  depth = 0;
  readonly #changed = new Map<string, Changed>();
  readonly #events = new Map<string, StoreEvent>();
  #others: StoreEvent[] = [];
  /** How many calls were pending before the batch, and those that it has added. */
  readonly #queues = new Map<string, { count: number; added: Set<string> }>();

  /** Notes the snapshot of an instance that comes, goes or is replaced. */
  note(name: string, instance: Instance | undefined): void {
    if (this.depth === 0) return;
    if (instance !== undefined) this.settle(instance);
    if (!this.#changed.has(name)) this.#changed.set(name, { before: instance?.snapshot });
  }

  /** Notes the queue of an instance as it was before a call. */
  noteQueue(name: string, count: number, { pendingId }: { pendingId?: string }): void {
    if (this.depth === 0) return;
    const { added } = obtain(this.#queues, name, () => ({ count, added: new Set<string>() }));
    if (pendingId !== undefined) added.add(pendingId);
  }

  apply(instance: Instance, changes: readonly Change[]): void {
    if (this.depth > 0 && !this.#changed.has(instance.name)) {
      this.#changed.set(instance.name, { waiting: instance.own(changes) });
      return;
    }
    this.settle(instance);
    instance.apply(changes);
  }

  /** Makes the changes that wait, before somebody looks at an instance. */
  settle(instance: Instance): void {
    const known = this.#changed.get(instance.name);
    if (known?.waiting === undefined) return;
    known.before = instance.snapshot;
    instance.apply(known.waiting);
    known.waiting = undefined;
  }

  take({ event, after }: Notice): void {
    const { type, instance_name: name } = event;
    const changed = this.#changed.get(name);
    if (changed !== undefined && after !== undefined) changed.looks = true;
    if (type === "active") this.#others = this.#others.filter((other) => other.type !== "active");
    if (type === "active" || type === "highlight" || type === "proposal") {
      this.#others.push(event);
      return;
    }
    const known = this.#events.get(name);
    // A list of the batch's own, since that of the event belongs to a result.
    const changes = known?.changes ?? [];
    for (const change of event.changes) changes.push(change);
    const pending = type === "pending" || known?.type === "pending";
    this.#events.set(name, { ...event, type: pending ? "pending" : type, changes });
  }

  /** What there is to tell, at the end of the outermost batch. What came to nothing in the end is as it was before. */
  flush(instances: ReadonlyMap<string, Instance>, pending: (name: string) => readonly PendingCall[]): Notice[] {
    const notices: Notice[] = [];
    for (const [name, { before, waiting }] of this.#changed) {
      const instance = instances.get(name);
      if (waiting) instance?.apply(waiting);
      else if (instance !== undefined && before !== undefined && alike(before, instance.snapshot)) {
        instance.snapshot = before;
      }
    }
    for (const [name, event] of this.#events) {
      const known = this.#changed.get(name);
      const { before, waiting, looks } = known ?? {};
      const after = waiting && !looks ? undefined : instances.get(name)?.snapshot;
      const type = waiting ? "change" : known === undefined ? "pending" : kind(before, after);
      if (type !== "pending" || event.type === "pending" || this.#isOther(name, pending))
        notices.push({ event: { ...event, type }, before, after });
    }
    for (const event of this.#others) notices.push({ event });
    this.#changed.clear();
    this.#events.clear();
    this.#others = [];
    this.#queues.clear();
    return notices;
  }

  /** Whether other calls are pending than before the batch, though nothing else has changed. */
  #isOther(name: string, pending: (name: string) => readonly PendingCall[]): boolean {
    const queue = this.#queues.get(name);
    if (queue === undefined) return false;
    const now = pending(name);
    return now.length !== queue.count || now.some(({ pendingId }) => queue.added.has(pendingId));
  }
}

/** Whether two snapshots have the same text. What they share is not looked at. */
function alike(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [a, b] = [one, other] as Members[] as [Members, Members];
  const others = Object.keys(b);
  const keys = Object.keys(a);
  return keys.length === others.length && keys.every((key, at) => key === others[at] && alike(a[key], b[key]));
}

function kind(before: Json | undefined, after: Json | undefined): StoreEvent["type"] {
  if (before === after) return "pending";
  if (before === undefined) return "create";
  return after === undefined ? "delete" : "change";
}
