/**
 * `History`: the changes of an instance with their authors and the replaced values, up to a limit. Changes are only noted at
 * first. They are sorted into groups and steps when the history is read, or when many notes have collected.
 */
import { entriesOf, toChange } from "../approval/comparisons.js";
import { getOrInsert, isObject } from "../core/kinds.js";
import { measure } from "../core/measure.js";
import { applied, copyChange, type Recorded, type Recorder } from "../core/mirror.js";
import { equal } from "../diff/equal.js";
import type { Author, Change, HistoryEntry, Json, Rules, UndoOptions } from "../types.js";
import { isBy, isSameAuthor } from "./authors.js";
import type { Group, HistoryStep, PendingOf, Source } from "./history-types.js";

/** The estimated bytes of a record without its values. */
const RECORD = 400;
/** A history with too many bytes is cut to this fraction of the limit, so that not every change has to cut it. */
const KEPT = 0.75;
/** The prefix of the ids that the history gives to groups. */
const OWN = "call-";
/** The weight of notes from which they are sorted into groups without a reader. Also the spare room for steps: see `#many`. */
const MUCH = 1000;

/** A call, message or undo as it is noted. */
interface Note extends PendingOf {
  by: Source;
  time: number;
  records: Recorded[];
}

export class History {
  /** Up to date after {@link History.settle}. The last one is the one that last got a step, was undone or redone. */
  groups: Group[] = [];
  /** Up to date after {@link History.settle}, in the order of the changes. */
  readonly steps: HistoryStep[] = [];
  /** Counts up whenever something changes, so that a view of the history knows when it is out of date. */
  version = 0;
  #notes: Note[] = [];
  /** The estimated size of the notes: 1 for each, plus {@link weightOf} their values. */
  #weight = 0;
  /** The bytes of each step. */
  readonly #sizes = new Map<HistoryStep, number>();
  #bytes = 0;
  /** The number of the last group of each pending call. */
  readonly #calls = new Map<string, number>();
  /** The largest number of a group. */
  #number = 0;
  /** The largest number in an id that the history gives. */
  #id = 0;
  /** With more steps than this, those that no listed group needs are dropped. */
  #many = MUCH;

  constructor(
    private readonly maxGroups: number,
    private readonly maxBytes: number,
  ) {}

  /** About the bytes of the values that the settled steps have replaced and set. */
  get bytes(): number {
    return this.#bytes;
  }

  restore(groups: readonly Group[], steps: readonly HistoryStep[]): void {
    for (const group of groups) this.#list(group);
    for (const step of steps) this.add(step);
    this.#tidy();
  }

  /** The last group that matches the options and is undone, or not undone. */
  find({ author, group: id }: UndoOptions, isUndone: boolean): Group | undefined {
    this.#sort();
    for (let at = this.groups.length - 1; at >= 0; at--) {
      const group = this.groups[at];
      if (group?.isUndone === isUndone && isBy(group.author, author) && (id === undefined || group.id === id))
        return group;
    }
    return undefined;
  }

  entries(): HistoryEntry[] {
    this.#sort();
    const all = new Map<number | undefined, Change[]>();
    for (const { group, isEnded, records } of this.steps)
      if (!isEnded) for (const { change } of records) getOrInsert(all, group, () => []).push(copyChange(change));
    const groups = [...this.groups].sort((one, other) => one.number - other.number);
    return groups.map(({ number, id, author, time, isUndone }): HistoryEntry => {
      const changes = Object.freeze(all.get(number) ?? []);
      return Object.freeze({ id, author, time, changes, undone: isUndone });
    });
  }

  /** Notes changes that are about to be applied, and returns the function that records each of them. */
  begin(by: Source, about: PendingOf): Recorder {
    // The changes of a batch are recorded only when the next batch begins.
    if (this.#weight > MUCH && !this.#trim()) this.#sort(1);
    const note: Note = { ...about, by, time: Date.now(), records: [] };
    this.#notes.push(note);
    this.#weight += 1;
    this.version += 1;
    return (change, before, isAhead) => {
      note.records.push({ change: copyChange(change), before, isAhead: isAhead || undefined });
      this.#weight += weightOf(change.kind === "move" ? 0 : change.value) + weightOf(before);
    };
  }

  /** Records that a document has replaced another one. `length`: that of its JSON text, from which its bytes are estimated. */
  load(author: Author, before: Json | undefined, value: Json, length: number): void {
    this.#sort();
    if (this.groups.length === 0) return;
    const again = this.steps.at(-1)?.loaded;
    if (again !== undefined) {
      again.value = value;
      return;
    }
    const step: HistoryStep = { records: [], author, loaded: { before, value } };
    this.add(step);
    this.#grow(step, 2 * length);
  }

  /** Appends a step. Its group must be listed already. */
  add(step: HistoryStep): void {
    this.version += 1;
    this.steps.push(step);
    for (const record of step.records) this.#grow(step, bytesOf(record));
    if (step.pendingId !== undefined && step.group !== undefined) this.#calls.set(step.pendingId, step.group);
  }

  /** Marks a group as undone, or as redone. Its changes are reverted elsewhere. */
  toggle(group: Group): void {
    group.isUndone = !group.isUndone;
    this.#touch(group);
  }

  /** Brings groups and steps up to date. The rules are those of the instance. */
  settle(rules: Rules): void {
    this.#sort();
    this.#tidy();
    for (const step of this.steps) {
      if (step.loaded === undefined) continue;
      const { before, value } = step.loaded;
      step.loaded = undefined;
      applied(before, entriesOf(before, value, rules).map(toChange), false, (change, was, isAhead) =>
        step.records.push({ change: copyChange(change), before: was, isAhead: isAhead || undefined }),
      );
    }
  }

  /** The pending ids of the calls of a group, and of its undos. Some of the calls may not be pending any more. */
  callsOf(number: number): string[] {
    return this.steps.flatMap(({ pendingId = [], group, reverts }) =>
      (reverts?.group ?? group) === number ? pendingId : [],
    );
  }

  /**
   * If the last half of the notes alone makes as many groups as are kept, forgets everything before these groups and returns true.
   * If more notes are needed for them, the next call would have to walk over nearly all notes again: sorting costs less then.
   */
  #trim(): boolean {
    // Notes with larger values are sorted instead, which measures their values.
    if (2 * this.maxGroups > MUCH || this.#weight > 2 * this.#notes.length) return false;
    const seen = new Set<unknown>();
    let count = 0;
    for (let at = this.#notes.length - 1; at >= 0; at--) {
      const { by, pendingId, records, drops } = this.#notes[at] ?? {};
      // A note that belongs to the group or call of other notes cannot be counted as a group.
      if (by === undefined || !isPlain(by) || (by.group ?? by.settles ?? by.commits ?? drops?.[0]) !== undefined)
        return false;
      const place = by.isTyping ? placeOf(records) : undefined;
      if (!seen.has(pendingId ?? at) && !seen.has(place ?? -1)) count += 1;
      seen.add(pendingId).add(place);
      if (count <= this.maxGroups) continue;
      if (2 * at < this.#notes.length) return false;
      this.groups = [];
      this.#drop(0, this.steps.length);
      this.#notes.splice(0, at);
      this.#weight = this.#notes.length;
      return true;
    }
    return false;
  }

  /** Sorts the notes into groups, all but the last `open` ones. */
  #sort(open = 0): void {
    const notes = this.#notes;
    if (notes.length <= open) return;
    const left = notes.splice(notes.length - open);
    // `find` sorts the notes too, and must not reach the ones that are left before their turn.
    this.#notes = [];
    for (const note of notes) this.#take(note);
    this.#notes = left;
    this.#weight = open;
    if (this.steps.length > this.#many || this.#bytes > this.maxBytes) this.#tidy();
  }

  /** Turns a note into a step of a group, adds it to the typing before it, or ends the steps of its call. */
  #take(note: Note): void {
    const { by, pendingId, records, drops } = note;
    const { author, draft, commits, ends, reverts } = by;
    if ((ends ?? drops?.[0]) !== undefined && this.#end(note)) return;
    // The steps of a draft become the first steps of the call that takes its place.
    const shown = commits === undefined ? [] : this.steps.filter((step) => step.pendingId === commits);
    const group = isPlain(by) && shown.length + records.length > 0 ? this.#groupFor(note) : undefined;
    for (const step of shown) Object.assign(step, { group: group?.number, pendingId: undefined, draft: undefined });
    const last = this.steps.at(-1);
    const [now] = records;
    const typed = group?.place && last?.group === group.number && last.pendingId === pendingId && last.records[0];
    // Typing in one field is one record, however many keys were pressed. The first key may have inserted the object around it.
    const isSame = typed && now && !drops?.[0] && equal(typed.change.path, now.change.path);
    if (isSame && now.change.kind !== "move" && typed.change.kind !== "move") {
      this.#grow(last, bytesOf(now) - bytesOf(typed));
      typed.change.value = now.change.value ?? null;
    } else
      this.add({ records, author, pendingId: draft || pendingId, draft, ends, drops, reverts, group: group?.number });
  }

  /** The group of this number, while it is in the list. */
  #group(number: number | undefined): Group | undefined {
    return number === undefined ? undefined : this.groups.find((group) => group.number === number);
  }

  /**
   * The steps of pending calls have no effect any more: those of the one that a change ends, and of those that it drops. An undo
   * that was pending has not happened. Returns whether nothing came after these steps: then they are gone, and so is the change.
   */
  #end({ by: { ends }, drops = [] }: Note): boolean {
    const own = new Set(this.steps.filter(({ pendingId = "" }) => pendingId === ends || drops.includes(pendingId)));
    for (const step of [...own].reverse()) {
      step.isEnded = true;
      const { reverts } = step;
      const undone = this.#group(reverts?.group);
      if (undone && undone.isUndone !== reverts?.isRedo) this.toggle(undone);
    }
    const gone = new Set([...own].map(({ group }) => group));
    for (const { group, isEnded } of this.steps) if (!isEnded) gone.delete(group);
    this.groups = this.groups.filter(({ number }) => !gone.has(number));
    const start = this.steps.length - own.size;
    const isLast = ends !== undefined && this.steps.slice(start).every((step) => own.has(step));
    if (isLast) this.#drop(start, own.size);
    return isLast;
  }

  #groupFor({ by, pendingId, records, time }: Note): Group {
    const { author, group: id, settles = pendingId } = by;
    const place = by.isTyping ? placeOf(records) : undefined;
    const known = place !== undefined || id !== undefined ? this.find({ author, group: id }, false) : undefined;
    const ofCall = id === undefined && settles !== undefined ? this.#group(this.#calls.get(settles)) : undefined;
    const isOfCall = ofCall !== undefined && !ofCall.isUndone && isSameAuthor(ofCall.author, author);
    const group = isOfCall ? ofCall : id !== undefined || known?.place === place ? known : undefined;
    // A new change ends what its author could have made again. The server's answer to a call does not count as a new change.
    if (by.settles === undefined && this.find({ author }, true) !== undefined)
      this.groups = this.groups.filter((other) => !other.isUndone || !isSameAuthor(other.author, author));
    if (group !== undefined) {
      if (group.place !== place) group.place = undefined;
      this.#touch(group);
      return group;
    }
    const made = { number: this.#number + 1, id: id ?? OWN + (this.#id + 1), author, time, isUndone: false, place };
    return this.#list(made);
  }

  #list(group: Group): Group {
    this.groups.push(group);
    if (this.groups.length > this.maxGroups) this.groups.shift();
    this.#number = Math.max(this.#number, group.number);
    // No id of a caller becomes that of a new group.
    if (group.id.startsWith(OWN)) this.#id = Math.max(this.#id, Number(group.id.slice(OWN.length)) || 0);
    return group;
  }

  #touch(group: Group): void {
    if (this.groups.at(-1) === group) return;
    this.groups.splice(this.groups.indexOf(group), 1);
    this.groups.push(group);
  }

  #grow(step: HistoryStep, bytes: number): void {
    this.#bytes += bytes;
    this.#sizes.set(step, (this.#sizes.get(step) ?? 0) + bytes);
  }

  /** Forgets the oldest groups while there are too many bytes, and the steps that no listed group needs. */
  #tidy(): void {
    const isOver = this.#bytes > this.maxBytes;
    do {
      if (isOver) this.groups.shift();
      this.#drop(0, this.#countOld());
    } while (isOver && this.#bytes > KEPT * this.maxBytes && this.groups.length > 0);
    this.#many = 2 * this.steps.length + MUCH;
  }

  /** The number of steps before the first one of the groups that remain. A step that reverts others is kept with all of them. */
  #countOld(): number {
    const listed = new Set<number | undefined>(this.groups.map(({ number }) => number));
    const firsts = new Map<number | string | undefined, number>();
    let count = this.steps.length;
    for (const [at, { group, pendingId, draft, isEnded }] of this.steps.entries()) {
      // The steps of a draft become those of a group when it is committed.
      if (at < count && (listed.has(group) || (draft !== undefined && !isEnded))) count = at;
      for (const key of [group, pendingId]) if (!firsts.has(key)) firsts.set(key, at);
    }
    for (let at = this.steps.length - 1; at >= count; at--) {
      const { reverts, ends, drops = [] } = this.steps[at] ?? {};
      for (const key of [reverts?.group ?? ends, ...drops]) count = Math.min(count, firsts.get(key ?? "") ?? count);
    }
    return count;
  }

  #drop(start: number, count: number): void {
    for (const step of this.steps.splice(start, count)) {
      this.#bytes -= this.#sizes.get(step) ?? 0;
      this.#sizes.delete(step);
      if (step.pendingId !== undefined) this.#calls.delete(step.pendingId);
    }
  }
}

/** Whether a change is one of a call, and no load, draft, undo or end of a call. */
const isPlain = ({ draft, ends, reverts, isLoad }: Source) => (draft ?? ends ?? reverts ?? isLoad) === undefined;

const isTyped = (value: Json | undefined) => typeof value === "string" || typeof value === "number";

/** The place of a record that sets one text or number. The first one in an object that did not exist inserts the object. */
function placeOf([record, more]: readonly Recorded[] = []): string | undefined {
  const change = record?.change;
  if (more !== undefined || (change?.kind !== "set" && change?.kind !== "insert")) return undefined;
  const path = [...change.path];
  let { value } = change;
  while (change.kind === "insert" && isObject(value)) {
    const [key = "", other] = Object.keys(value);
    if (other !== undefined) return undefined;
    path.push(key);
    value = value[key];
  }
  return isTyped(value) ? JSON.stringify(path) : undefined;
}

/** A cheap estimate of the size of a noted value. The value is measured when its note is sorted. */
function weightOf(value: Json | undefined): number {
  return typeof value === "string" ? value.length / 2000 : typeof value === "object" ? 50 : 0;
}

function bytesOf({ change, before }: Recorded): number {
  const value = change.kind === "move" ? undefined : change.value;
  return RECORD + (value === undefined ? 0 : measure(value).bytes) + (before === undefined ? 0 : measure(before).bytes);
}
