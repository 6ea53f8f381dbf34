/**
 * `History`: the changes of an instance with their authors and the replaced values, up to a limit. Changes are only noted at
 * first. They are sorted into groups and steps when the history is read, or when many notes have collected.
 */

import { getOrInsert, isObject } from "../core/kinds.js";
import { measure } from "../core/measure.js";
import { applied, copyChange, type Recorded, type Recorder } from "../core/mirror.js";
import { entriesOf, toChange } from "../diff/comparisons.js";
import { equal } from "../diff/equal.js";
import type { Author, Change, HistoryEntry, Json, Rules, UndoOptions } from "../types.js";
import { isBy, isSameAuthor } from "./authors.js";
import type { Group, HistoryStep, PendingRelation, Source } from "./history-types.js";

/** The estimated bytes of a record without its values. */
const RECORD_BYTES = 400;
/** A history with too many bytes is cut to this fraction of the limit, so that not every change has to cut it. */
const KEPT_FRACTION = 0.75;
/** The prefix of the ids that the history gives to groups. */
const ID_PREFIX = "call-";
/** Notes of more weight than this are sorted into groups without a reader, so that they do not collect without limit. */
const MAX_WEIGHT = 1000;
/** A history grows to twice its steps, and this many more, before the steps that no listed group needs are dropped. */
const SPARE_STEPS = 1000;

/** A call, message or undo that is not sorted into a group yet. */
interface Note extends PendingRelation {
  /** Who has made the changes. */
  by: Source;
  /** Milliseconds since the epoch. */
  time: number;
  records: Recorded[];
}

export class History {
  /** Up to date after {@link History.update}. The last group is the one that last got a step, was undone or redone. */
  groups: Group[] = [];
  /** Up to date after {@link History.update}, in the order of the changes. */
  readonly steps: HistoryStep[] = [];
  /** Counts up whenever something changes, so that a view of the history knows when it is out of date. */
  version = 0;
  #notes: Note[] = [];
  /** The estimated size of the notes: 1 for each, plus the {@link weightOf} its values. */
  #weight = 0;
  /** The bytes of each step. */
  readonly #sizes = new Map<HistoryStep, number>();
  /** The bytes of all steps. */
  #bytes = 0;
  /** By pending id of a call: the number of the group of its last step. */
  readonly #groupOfCall = new Map<string, number>();
  /** The largest number of a group. */
  #lastNumber = 0;
  /** The largest number in an id with {@link ID_PREFIX}. */
  #lastId = 0;
  /** With more steps than this, those that no listed group needs are dropped. */
  #maxSteps = SPARE_STEPS;

  /** `maxBytes` limits the estimated bytes of the values that are kept for undo. */
  constructor(
    private readonly maxGroups: number,
    private readonly maxBytes: number,
  ) {}

  /** The estimated bytes of the values that the steps have replaced and set. Up to date after {@link History.update}. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the groups and steps of a saved history. */
  restore(groups: readonly Group[], steps: readonly HistoryStep[]): void {
    for (const group of groups) this.#list(group);
    for (const step of steps) this.add(step);
    this.#tidy();
  }

  /** The last group that matches the options and is undone (for a redo), or not undone. */
  find({ author, group: id, isUndone }: UndoOptions & { isUndone: boolean }): Group | undefined {
    this.#sort();
    for (let index = this.groups.length - 1; index >= 0; index--) {
      const group = this.groups[index];
      if (group?.isUndone === isUndone && isBy(group.author, author) && (id === undefined || group.id === id))
        return group;
    }
    return undefined;
  }

  /** The groups as users see them, in the order in which they began. */
  entries(): HistoryEntry[] {
    this.#sort();
    const changesOf = new Map<number | undefined, Change[]>();
    for (const { group, isEnded, records } of this.steps)
      if (!isEnded) for (const { change } of records) getOrInsert(changesOf, group, () => []).push(copyChange(change));
    const groups = [...this.groups].sort((one, other) => one.number - other.number);
    return groups.map(({ number, id, author, time, isUndone }): HistoryEntry => {
      const changes = Object.freeze(changesOf.get(number) ?? []);
      return Object.freeze({ id, author, time, changes, undone: isUndone });
    });
  }

  /** Notes changes that are about to be applied, and returns the function that records each of them. */
  begin(by: Source, relation: PendingRelation): Recorder {
    if (this.#weight > MAX_WEIGHT) this.#sort();
    const note: Note = { ...relation, by, time: Date.now(), records: [] };
    this.#notes.push(note);
    this.#weight += 1;
    this.version += 1;
    // `isAhead` is absent if it is false, which keeps saved histories short.
    return (change, before, isAhead) => {
      note.records.push({ change: copyChange(change), before, isAhead: isAhead || undefined });
      this.#weight += weightOf(newValueOf(change)) + weightOf(before);
    };
  }

  /** Records that the document `value` has replaced `before`. `textLength` is that of its JSON text, for the estimated bytes. */
  load(author: Author, before: Json | undefined, value: Json, textLength: number): void {
    this.#sort();
    // Without groups there is nothing to undo that the load could conflict with.
    if (this.groups.length === 0) return;
    // Consecutive loads are one step.
    const lastLoad = this.steps.at(-1)?.loaded;
    if (lastLoad !== undefined) {
      lastLoad.value = value;
      return;
    }
    const step: HistoryStep = { records: [], author, loaded: { before, value } };
    this.add(step);
    // Both documents are kept.
    this.#grow(step, 2 * textLength);
  }

  /** Appends a step. Its group must be listed already. */
  add(step: HistoryStep): void {
    this.version += 1;
    this.steps.push(step);
    for (const record of step.records) this.#grow(step, bytesOf(record));
    if (step.pendingId !== undefined && step.group !== undefined) this.#groupOfCall.set(step.pendingId, step.group);
  }

  /** Marks a group as undone, or as not undone any more. The caller changes the document. */
  toggle(group: Group): void {
    group.isUndone = !group.isUndone;
    this.#touch(group);
  }

  /** Brings groups and steps up to date, and replaces loaded documents by records. The rules are those of the instance. */
  update(rules: Rules): void {
    this.#sort();
    // Steps that are dropped need no records.
    this.#tidy();
    for (const step of this.steps) {
      if (step.loaded === undefined) continue;
      const { before, value } = step.loaded;
      step.loaded = undefined;
      const record: Recorder = (change, replaced, isAhead) => {
        step.records.push({ change: copyChange(change), before: replaced, isAhead: isAhead || undefined });
      };
      applied(before, entriesOf(before, value, rules).map(toChange), { record });
    }
  }

  /** The pending ids of the calls of a group, and of its undos. Some of the calls may not be pending any more. */
  callsOf(number: number): string[] {
    return this.steps.flatMap(({ pendingId, group, reverts }) =>
      pendingId !== undefined && (reverts?.group ?? group) === number ? [pendingId] : [],
    );
  }

  /** Sorts the notes into groups and steps. */
  #sort(): void {
    const notes = this.#notes;
    if (notes.length === 0) return;
    // Before the loop: `#groupFor` calls `find`, which sorts too.
    this.#notes = [];
    this.#weight = 0;
    for (const note of notes) this.#addNote(note);
    if (this.steps.length > this.#maxSteps || this.#bytes > this.maxBytes) this.#tidy();
  }

  /**
   * Turns a note into a step, of a group if it can be undone. A note that ends the last steps removes them instead. A note of
   * typing replaces the value in the step before, if that is typing at the same path.
   */
  #addNote(note: Note): void {
    const { by, pendingId, records, drops } = note;
    const { author, draft, commits, ends, reverts } = by;
    const endsCalls = (ends ?? drops?.[0]) !== undefined;
    if (endsCalls && this.#end(note)) return;
    // The steps of a draft become the first steps of the call that takes its place.
    const draftSteps = commits === undefined ? [] : this.steps.filter((step) => step.pendingId === commits);
    const hasChanges = draftSteps.length + records.length > 0;
    const group = canBeUndone(by) && hasChanges ? this.#groupFor(note) : undefined;
    for (const step of draftSteps)
      Object.assign(step, { group: group?.number, pendingId: undefined, draft: undefined });
    const lastStep = this.steps.at(-1);
    const [record] = records;
    const continuesTyping = group?.place && lastStep?.group === group.number && lastStep.pendingId === pendingId;
    const typedRecord = continuesTyping && lastStep.records[0];
    // The first key may have inserted the object around the value: then the paths of the records differ.
    const isSameValue = typedRecord && record && !drops?.[0] && equal(typedRecord.change.path, record.change.path);
    // Typing makes no moves: only TypeScript needs these checks.
    if (isSameValue && record.change.kind !== "move" && typedRecord.change.kind !== "move") {
      this.#grow(lastStep, bytesOf(record) - bytesOf(typedRecord));
      typedRecord.change.value = record.change.value ?? null;
    } else {
      // `draft` is empty in the note that opens a draft: its id is the `pendingId`.
      const stepId = draft || pendingId;
      this.add({ records, author, pendingId: stepId, draft, ends, drops, reverts, group: group?.number });
    }
  }

  /** The group of this number, while it is in the list. */
  #group(number: number | undefined): Group | undefined {
    return number === undefined ? undefined : this.groups.find((group) => group.number === number);
  }

  /**
   * Marks the steps of pending calls as ended: those of the call that a note ends, and those of the calls that it drops. An undo
   * among them has not happened, so its group is toggled back; a group without other steps is unlisted. If the note ends a call
   * and these steps are the last ones, they are removed, and true is returned: the note itself needs no step then.
   */
  #end({ by: { ends }, drops = [] }: Note): boolean {
    const isEnding = ({ pendingId = "" }: HistoryStep) => pendingId === ends || drops.includes(pendingId);
    const endedSteps = new Set(this.steps.filter(isEnding));
    // The last one first, e.g. a redo before the undo that it follows: both toggle the same group.
    for (const step of [...endedSteps].reverse()) {
      step.isEnded = true;
      const { reverts } = step;
      const revertedGroup = this.#group(reverts?.group);
      // The group may have been toggled again since.
      const isStillReverted = revertedGroup !== undefined && revertedGroup.isUndone !== reverts?.isRedo;
      if (isStillReverted) this.toggle(revertedGroup);
    }
    const emptyGroups = new Set([...endedSteps].map(({ group }) => group));
    for (const { group, isEnded } of this.steps) if (!isEnded) emptyGroups.delete(group);
    this.groups = this.groups.filter(({ number }) => !emptyGroups.has(number));
    const start = this.steps.length - endedSteps.size;
    const areLast = ends !== undefined && this.steps.slice(start).every((step) => endedSteps.has(step));
    if (areLast) this.#drop(start, endedSteps.size);
    return areLast;
  }

  /**
   * The group of a note's changes: the author's group with the id that the source names. Without an id, the group of the pending
   * call that the note settles or is part of, or the author's last group if the note continues its typing. In all other cases,
   * and if that group is undone, a new group is made.
   */
  #groupFor({ by, pendingId, records, time }: Note): Group {
    const { author, group: id, settles: callId = pendingId } = by;
    const place = by.isTyping ? typedPath(records) : undefined;
    const mayJoinLast = place !== undefined || id !== undefined;
    const lastGroup = mayJoinLast ? this.find({ author, group: id, isUndone: false }) : undefined;
    const callGroup = id === undefined && callId !== undefined ? this.#group(this.#groupOfCall.get(callId)) : undefined;
    const isOfCall = callGroup !== undefined && !callGroup.isUndone && isSameAuthor(callGroup.author, author);
    const isOfLast = id !== undefined || lastGroup?.place === place;
    const group = isOfCall ? callGroup : isOfLast ? lastGroup : undefined;
    // After a new change, its author can redo nothing. The server's answer to a call does not count as a new change.
    if (by.settles === undefined && this.find({ author, isUndone: true }) !== undefined)
      this.groups = this.groups.filter((other) => !other.isUndone || !isSameAuthor(other.author, author));
    if (group !== undefined) {
      // Typing elsewhere, or another change, ends the typing of the group.
      if (group.place !== place) group.place = undefined;
      this.#touch(group);
      return group;
    }
    const newId = id ?? ID_PREFIX + (this.#lastId + 1);
    return this.#list({ number: this.#lastNumber + 1, id: newId, author, time, isUndone: false, place });
  }

  /** Lists a group as the last one, in place of the first one if the list is full. */
  #list(group: Group): Group {
    this.groups.push(group);
    if (this.groups.length > this.maxGroups) this.groups.shift();
    this.#lastNumber = Math.max(this.#lastNumber, group.number);
    // Callers may use ids of this form too, so new ids get larger numbers.
    if (group.id.startsWith(ID_PREFIX))
      this.#lastId = Math.max(this.#lastId, Number(group.id.slice(ID_PREFIX.length)) || 0);
    return group;
  }

  /** Makes a listed group the last one. */
  #touch(group: Group): void {
    if (this.groups.at(-1) === group) return;
    this.groups.splice(this.groups.indexOf(group), 1);
    this.groups.push(group);
  }

  /** Adds bytes to those of a step. */
  #grow(step: HistoryStep, bytes: number): void {
    this.#bytes += bytes;
    this.#sizes.set(step, (this.#sizes.get(step) ?? 0) + bytes);
  }

  /** Forgets the oldest groups while there are too many bytes, and the steps that no listed group needs. */
  #tidy(): void {
    const isTooLarge = this.#bytes > this.maxBytes;
    do {
      if (isTooLarge) this.groups.shift();
      this.#drop(0, this.#countOld());
    } while (isTooLarge && this.#bytes > KEPT_FRACTION * this.maxBytes && this.groups.length > 0);
    this.#maxSteps = 2 * this.steps.length + SPARE_STEPS;
  }

  /**
   * The number of steps that can be forgotten: those before the first step of a listed group or an open draft. If a step that is
   * kept reverts steps of a group or of a pending call, these are kept too.
   */
  #countOld(): number {
    const listedNumbers = new Set<number | undefined>(this.groups.map(({ number }) => number));
    /** By number of a group, and by pending id: the index of the first step. */
    const firstIndexes = new Map<number | string | undefined, number>();
    let count = this.steps.length;
    for (const [index, { group, pendingId, draft, isEnded }] of this.steps.entries()) {
      // The steps of a draft become those of a group when it is committed.
      if (index < count && (listedNumbers.has(group) || (draft !== undefined && !isEnded))) count = index;
      for (const key of [group, pendingId]) if (!firstIndexes.has(key)) firstIndexes.set(key, index);
    }
    // Backwards, so that the loop also reaches the steps by which `count` has become smaller.
    for (let index = this.steps.length - 1; index >= count; index--) {
      const { reverts, ends, drops = [] } = this.steps[index] ?? {};
      const revertedKeys = [reverts?.group ?? ends, ...drops];
      for (const key of revertedKeys) count = Math.min(count, firstIndexes.get(key ?? "") ?? count);
    }
    return count;
  }

  /** Forgets `count` steps from the index `start` on. */
  #drop(start: number, count: number): void {
    for (const step of this.steps.splice(start, count)) {
      this.#bytes -= this.#sizes.get(step) ?? 0;
      this.#sizes.delete(step);
      if (step.pendingId !== undefined) this.#groupOfCall.delete(step.pendingId);
    }
  }
}

/** Whether a change can be undone: it is part of a call or a message, and no load, draft, undo or end of a call. */
const canBeUndone = ({ draft, ends, reverts, isLoad }: Source) => (draft ?? ends ?? reverts ?? isLoad) === undefined;

const isTextOrNumber = (value: Json | undefined) => typeof value === "string" || typeof value === "number";

/**
 * The path, as JSON text, of the text or number that the only record sets; `undefined` for other records. The first key that a
 * user presses may insert the object around the value, e.g. `{ name: "A" }`: the path is then that of the value in it.
 */
function typedPath([record, second]: readonly Recorded[] = []): string | undefined {
  const change = record?.change;
  if (second !== undefined || (change?.kind !== "set" && change?.kind !== "insert")) return undefined;
  const path = [...change.path];
  let { value } = change;
  while (change.kind === "insert" && isObject(value)) {
    const [key = "", secondKey] = Object.keys(value);
    if (secondKey !== undefined) return undefined;
    path.push(key);
    value = value[key];
  }
  return isTextOrNumber(value) ? JSON.stringify(path) : undefined;
}

/**
 * A cheap estimate of the size of a noted value, in notes: 2,000 characters of a text weigh as much as one note, an object or a
 * list as much as 50. The value is measured when its note is sorted.
 */
function weightOf(value: Json | undefined): number {
  return typeof value === "string" ? value.length / 2000 : typeof value === "object" ? 50 : 0;
}

/** The value that a change sets or inserts. */
const newValueOf = (change: Change) => (change.kind === "move" ? undefined : change.value);

function bytesOf({ change, before }: Recorded): number {
  const value = newValueOf(change);
  return (
    RECORD_BYTES + (value === undefined ? 0 : measure(value).bytes) + (before === undefined ? 0 : measure(before).bytes)
  );
}
