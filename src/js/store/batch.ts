/** Many operations, one notification: what happened to each instance, taken together. */
import type { Notice } from "../events.js";
import type { Json, StoreEvent } from "../types.js";

export class Batch {
  depth = 0;
  /** The snapshots of instances that have changed, as they were before. */
  readonly before = new Map<string, Json | undefined>();
  readonly #instances = new Map<string, Notice>();

  /** Notes the snapshot of an instance that changes. */
  note(name: string, before: Json | undefined): void {
    if (this.depth > 0 && !this.before.has(name)) this.before.set(name, before);
  }
  #others: Notice[] = [];

  /** Takes a notice in. */
  take(notice: Notice): void {
    const { type, instance_name: name } = notice.event;
    if (type === "active") this.#others = this.#others.filter(({ event }) => event.type !== "active");
    if (type === "active" || type === "highlight" || type === "proposal") {
      this.#others.push(notice);
      return;
    }
    const known = this.#instances.get(name);
    // A list of the batch's own, since that of the notice belongs to a result.
    const changes = known?.event.changes ?? [];
    for (const change of notice.event.changes) changes.push(change);
    const before = known === undefined ? notice.before : known.before;
    const pending = type === "pending" || known?.event.type === "pending";
    const event: StoreEvent = { ...notice.event, type: pending ? "pending" : type, changes };
    this.#instances.set(name, { ...notice, event, before });
  }

  /** What there is to tell, at the end of the outermost batch. `shown` gives the snapshot of an instance as it is then. */
  flush(shown: (name: string) => Json | undefined): Notice[] {
    const ended = [...this.#instances].map(([name, notice]) => ({ ...notice, after: shown(name) }));
    const told = ended.filter(({ event, before, after }) => before !== after || event.type === "pending");
    const changed = told.map((notice) => {
      return { ...notice, event: { ...notice.event, type: kind(notice.before, notice.after) } };
    });
    const notices = [...changed, ...this.#others];
    this.before.clear();
    this.#instances.clear();
    this.#others = [];
    return notices;
  }
}

/** Whether two snapshots have the same text. What they share is not looked at. */
export function alike(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  const others = Object.keys(other);
  if (keys.length !== others.length) return false;
  return keys.every((key, place) => {
    return (
      key === others[place] && alike((one as { [key: string]: Json })[key], (other as { [key: string]: Json })[key])
    );
  });
}

function kind(before: Json | undefined, after: Json | undefined): StoreEvent["type"] {
  if (before === after) return "pending";
  if (before === undefined) return "create";
  return after === undefined ? "delete" : "change";
}
