/** Many operations, one notification: what happened to each instance, taken together. */
import type { Notice } from "../events.js";
import type { Json, StoreEvent } from "../types.js";

export class Batch {
  depth = 0;
  readonly #instances = new Map<string, Notice>();
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

  /** What there is to tell, at the end of the outermost batch. */
  flush(): Notice[] {
    const told = [...this.#instances.values()].filter(({ event, before, after }) => {
      return before !== after || event.type === "pending";
    });
    const changed = told.map((notice) => {
      return { ...notice, event: { ...notice.event, type: kind(notice.before, notice.after) } };
    });
    const notices = [...changed, ...this.#others];
    this.#instances.clear();
    this.#others = [];
    return notices;
  }
}

function kind(before: Json | undefined, after: Json | undefined): StoreEvent["type"] {
  if (before === after) return "pending";
  if (before === undefined) return "create";
  return after === undefined ? "delete" : "change";
}
