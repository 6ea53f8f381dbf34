/** `History`: what was changed in an instance, by whom, and what was replaced by it, up to a limit. */
import { measure } from "../core/measure.js";
import type { Recorded } from "../core/mirror.js";
import type { Change, HistoryEntry, Json, UndoOptions } from "../types.js";
import { isBy, isSameAuthor } from "./authors.js";
import type { Group, HistoryStep, Source } from "./history-types.js";

/** The bytes of a record beside its values. */
const RECORD = 400;

export class History {
  /** In the order in which they began. */
  groups: Group[] = [];
  steps: HistoryStep[] = [];
  /** Counts up whenever a step is added, so that a view of the history knows when it is out of date. */
  version = 0;
  #bytes = 0;

  constructor(
    private readonly maxGroups: number,
    private readonly maxBytes: number,
  ) {}

  restore(groups: Group[], steps: HistoryStep[]): void {
    this.groups = groups;
    for (const step of steps) {
      for (const record of step.records) this.#bytes += bytesOf(record);
      this.add(step);
    }
  }

  /** The last group of these options, or the last one that was undone. */
  find({ author, group: id }: UndoOptions, isUndone: boolean): Group | undefined {
    let found: Group | undefined;
    for (const group of this.groups) {
      if (group.isUndone !== isUndone || !isBy(group.author, author) || (id !== undefined && group.id !== id)) continue;
      if (found === undefined || group.order > found.order) found = group;
    }
    return found;
  }

  entries(): HistoryEntry[] {
    return this.groups.map((group): HistoryEntry => {
      const own = this.steps.filter((step) => step.group === group && !step.isEnded);
      const changes = own.flatMap(({ records }) => records.map(({ change }) => change));
      const { id, author, time, isUndone } = group;
      return Object.freeze({ id, author, time, changes: Object.freeze(changes), undone: isUndone });
    });
  }

  /** Adds a step for changes that are about to be applied, and returns the function that records each of them. */
  begin(by: Source, changes: readonly Change[], pendingId: string | undefined): (record: Recorded) => void {
    const last = this.steps.at(-1);
    const step = by.step ?? this.#stepFor(by, changes, pendingId);
    if (pendingId !== undefined) step.pendingId = pendingId;
    // What a user types is one record, however many keys it took.
    const isMore = step.group?.place !== undefined && last?.group === step.group && last?.pendingId === step.pendingId;
    if (isMore && last?.records.length === 1) return (record) => this.#merge(last, step, record);
    this.add(step);
    return (record) => this.#record(step, record);
  }

  add(step: HistoryStep): void {
    this.version += 1;
    if (this.steps.at(-1) !== step) this.steps.push(step);
    while (this.groups.length > this.maxGroups || (this.#bytes > this.maxBytes && this.groups.length > 0))
      this.#forget();
  }

  /** Undoes a group, or marks it as made again. */
  toggle(group: Group): void {
    group.isUndone = !group.isUndone;
    this.#touch(group);
  }

  #stepFor(by: Source, changes: readonly Change[], pendingId: string | undefined): HistoryStep {
    const { author, ends, draft } = by;
    if (ends !== undefined) {
      this.#end(ends);
      return { records: [], author, ends };
    }
    if (by.isLoad || draft !== undefined) return { records: [], author, pendingId: draft, draft };
    return { records: [], author, group: this.#groupFor(by, changes, pendingId) };
  }

  /** The steps of a pending call have no effect any more. An undo that was pending has not happened. */
  #end(pendingId: string): void {
    for (const step of this.steps) {
      if (step.pendingId !== pendingId) continue;
      step.isEnded = true;
      if (step.reverts !== undefined) this.toggle(step.reverts.group);
    }
    this.groups = this.groups.filter((group) => this.steps.some((step) => step.group === group && !step.isEnded));
  }

  #groupFor(by: Source, changes: readonly Change[], pendingId: string | undefined): Group {
    const { author, group: id, isTyping, settles = pendingId } = by;
    const [change] = changes;
    const isOnePlace = isTyping && changes.length === 1 && (change?.kind === "set" || change?.kind === "insert");
    const place = isOnePlace && isTyped(change.value) ? JSON.stringify(change.path) : undefined;
    const known = this.find({ author, group: id }, false);
    const isSamePlace = place !== undefined && known?.place === place && id === undefined;
    const ofCall =
      settles === undefined ? undefined : this.steps.filter((step) => step.pendingId === settles).at(-1)?.group;
    const isOfCall =
      ofCall !== undefined && !ofCall.isUndone && isSameAuthor(ofCall.author, author) && id === undefined;
    const group = isOfCall ? ofCall : isSamePlace || id !== undefined ? known : undefined;
    if (group !== undefined) {
      if (group.place !== place) group.place = undefined;
      this.#touch(group);
      return group;
    }
    // A new change ends what its author could have made again.
    this.groups = this.groups.filter((other) => !other.isUndone || !isSameAuthor(other.author, author));
    const made: Group = { id: id ?? this.#newId(), author, time: Date.now(), isUndone: false, order: 0, place };
    this.#touch(made);
    this.groups.push(made);
    return made;
  }

  #newId(): string {
    const taken = new Set(this.groups.map(({ id }) => id));
    let number = this.groups.length + 1;
    while (taken.has(`call-${number}`)) number += 1;
    return `call-${number}`;
  }

  #touch(group: Group): void {
    group.order = 1 + Math.max(0, ...this.groups.map(({ order }) => order));
  }

  #record(step: HistoryStep, record: Recorded): void {
    step.records.push(record);
    this.#bytes += bytesOf(record);
  }

  #merge(last: HistoryStep, step: HistoryStep, record: Recorded): void {
    const [first] = last.records;
    const isSamePlace = first !== undefined && JSON.stringify(first.change.path) === step.group?.place;
    if (!isSamePlace || first.change.kind === "move" || record.change.kind === "move") {
      this.add(step);
      this.#record(step, record);
      return;
    }
    this.version += 1;
    this.#bytes -= bytesOf(first);
    last.records = [];
    this.#record(last, { ...first, change: { ...first.change, value: record.change.value ?? null } });
  }

  /** Forgets the oldest group, and the steps before the first one of the groups that remain. */
  #forget(): void {
    this.groups.shift();
    const groups = new Set(this.groups);
    const isKept = ({ group }: HistoryStep) => group !== undefined && groups.has(group);
    let count = this.steps.findIndex(isKept);
    if (count < 0) count = this.steps.length;
    // A step that takes others back stays with all of them.
    for (let at = this.steps.length - 1; at >= count; at--) {
      const { reverts, ends } = this.steps[at] ?? {};
      const first = this.steps.findIndex(
        ({ group, pendingId }) =>
          (reverts !== undefined && group === reverts.group) || (ends !== undefined && pendingId === ends),
      );
      if (first >= 0) count = Math.min(count, first);
    }
    for (const { records } of this.steps.splice(0, count)) for (const record of records) this.#bytes -= bytesOf(record);
  }
}

const isTyped = (value: Json | undefined) => typeof value === "string" || typeof value === "number";

function bytesOf({ change, before }: Recorded): number {
  const value = change.kind === "move" ? undefined : change.value;
  return RECORD + (value === undefined ? 0 : measure(value).bytes) + (before === undefined ? 0 : measure(before).bytes);
}
