/**
 * `Timeline`: where the values of a history are now. It plays the steps of a history again and remembers each place that a
 * value has left, so that an item returns to its neighbours whatever was inserted, removed or moved around it since.
 */
import { getOrInsert } from "../core/kinds.js";
import type { Mirror, Recorded } from "../core/mirror.js";
import { idKeysAt, idOf } from "../core/resolve.js";
import type { Step } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import type { Author, Change, Json, Rules } from "../types.js";
import type { HistoryStep } from "./history-types.js";

/** The identity of a value: the same object when the value moves or changes. */
class Thing {
  /** Where the value is; undefined after a removal. */
  slot: Slot | undefined;
  /** The list or object that the value is in, or was in before its removal. */
  home: Inside | undefined;
  /** The members or items of the current value. When the value is set, other contents take their place. */
  inside: Inside | undefined;

  get content(): Inside {
    this.inside ??= new Inside(this);
    return this.inside;
  }

  moveTo(slot: Slot | undefined): void {
    if (this.slot !== undefined) this.slot.thing = undefined;
    this.slot = slot;
    if (slot === undefined) return;
    slot.thing = this;
    this.home = slot.inside;
  }
}

/** A place in a list or object. When its thing moves away or is removed, the slot stays there, empty. */
class Slot {
  thing: Thing | undefined;

  constructor(
    readonly inside: Inside,
    readonly key?: string,
  ) {}
}

/** The slots of one list or object. */
class Inside {
  readonly #keys = new Map<string, Slot>();
  /** The slots of a list, in order. `undefined` means an item that no step of the history is about. */
  readonly #items: (Slot | undefined)[] = [];

  constructor(readonly owner: Thing) {}

  /** The thing at a key or index, created on first access. */
  thing(step: Step): Thing {
    const slot = typeof step === "string" ? this.#slotOf(step) : this.#slotAt(this.#placeOf(step));
    if (slot.thing === undefined) new Thing().moveTo(slot);
    return slot.thing ?? new Thing();
  }

  /**
   * The slot for an insertion: an empty slot directly before that place if `known` has it, else a new slot. `known` are the slots
   * to which this step may return a thing. With `isAhead` a new slot comes before all items and empty slots.
   */
  room(step: Step, isAhead: boolean, known: ReadonlyMap<Slot, Thing>): Slot {
    if (typeof step === "string") return this.#slotOf(step);
    const end = this.#placeOf(step);
    const left = new Set<Slot>();
    for (let place = end - 1; place >= 0; place--) {
      const slot = this.#items[place];
      if (slot === undefined || slot.thing !== undefined) break;
      left.add(slot);
    }
    for (const slot of known.keys()) if (left.has(slot)) return slot;
    const slot = new Slot(this);
    if (end > this.#items.length) this.#items.length = end;
    this.#items.splice(isAhead ? 0 : end, 0, slot);
    return slot;
  }

  /** The key or index of a slot; for an empty slot, the index at which its thing would return. */
  stepOf(slot: Slot): Step {
    if (slot.key !== undefined) return slot.key;
    let index = 0;
    for (const other of this.#items) {
      if (other === slot) break;
      if (other === undefined || other.thing !== undefined) index += 1;
    }
    return index;
  }

  #slotOf(key: string): Slot {
    return getOrInsert(this.#keys, key, () => new Slot(this, key));
  }

  #slotAt(place: number): Slot {
    const slot = this.#items[place] ?? new Slot(this);
    this.#items[place] = slot;
    return slot;
  }

  /** The place in `#items` of the item at an index. Empty slots count for the place, but not for the index. */
  #placeOf(index: number): number {
    let left = index;
    for (const [place, slot] of this.#items.entries()) {
      if (slot !== undefined && slot.thing === undefined) continue;
      if (left === 0) return place;
      left -= 1;
    }
    return this.#items.length + left;
  }
}

/**
 * A change of a thing. With both slots it moved `from` one `to` the other; without `from` it was inserted, without `to` removed.
 * With `insides` its value was set.
 */
interface Write {
  step: HistoryStep;
  path: Change["path"];
  thing: Thing;
  from?: Slot | undefined;
  to?: Slot | undefined;
  before: Json | undefined;
  after: Json | undefined;
  /** The contents of the thing before and after its value was set. */
  insides?: { before: Inside | undefined; after: Inside };
  /** When the change was first made, as a growing number: an undo and a redo do not alter it. */
  time: number;
  isUndone: boolean;
}

/** The effect of undoing a group. */
export interface Reversal {
  changes: Change[];
  /** The indexes of the writes that are not undone, because later changes are in the way. */
  kept: number[];
  /** The paths of these writes. */
  places: Change["path"][];
}

type Times = Map<Thing | Slot, number>;

/** The writes in the order in which they are redone; for an undo the last one comes first. */
const inOrder = <Item>(writes: readonly Item[], isRedo: boolean) => (isRedo ? writes : [...writes].reverse());

/** Undoes or redoes a write on its thing, unless another write has moved or set the thing since. */
function put({ thing, from, to, insides }: Write, isRedo: boolean): void {
  if (insides !== undefined) {
    if (thing.inside === (isRedo ? insides.before : insides.after))
      thing.inside = isRedo ? insides.after : insides.before;
  } else if (thing.slot === (isRedo ? from : to)) thing.moveTo(isRedo ? to : from);
}

const isSame = (one: Json | undefined, other: Json | undefined) =>
  one === other || (one !== undefined && other !== undefined && equal(one, other));

export class Timeline {
  readonly #root = new Thing();
  readonly #writes = new Map<HistoryStep, Write[]>();
  /** Steps whose pending calls were rejected. */
  readonly #ended = new Set<HistoryStep>();
  #time = 0;

  constructor(steps: readonly HistoryStep[]) {
    for (const step of steps) this.#play(step);
  }

  /** The path and the author of each change whose value still exists, in order: the last entry of a path is the last change. */
  *authors(): Generator<[path: Step[], author: Author]> {
    for (const write of [...this.#writes.values()].flat()) {
      const path = write.isUndone ? undefined : this.#pathOf(write.thing);
      if (path !== undefined) yield [path, write.step.author];
    }
  }

  /** Undoes or redoes a group. Its edits are applied to `document`, on which the next ones are planned. */
  revert(group: number, isRedo: boolean, document: Mirror, rules: Rules): Reversal {
    const found: Reversal = { changes: [], kept: [], places: [] };
    const writes = inOrder([...this.#writesOf(group, isRedo).entries()], isRedo);
    const later = this.#laterThan(group);
    for (const [index, write] of writes) {
      const change = this.#revert(write, isRedo, later, document, rules);
      if (change === undefined) {
        found.kept.push(index);
        found.places.push(this.#pathOf(write.thing) ?? write.path);
      } else {
        found.changes.push(change);
        document.apply([change]);
      }
    }
    return found;
  }

  #play(step: HistoryStep): void {
    const { ends, drops = [], reverts, records } = step;
    const ids: readonly unknown[] = ends === undefined ? drops : [ends, ...drops];
    const isEnding = ({ pendingId }: HistoryStep) => ids.includes(pendingId);
    const isOver = (other: HistoryStep) => isEnding(other) || other.ends !== undefined || this.#ended.has(other);
    const played = ids.length === 0 ? [] : [...this.#writes.keys()];
    const ending = played.filter(isEnding);
    const toggled = reverts && this.#toggledBy(reverts);
    const known = new Map<Slot, Thing>();
    const insides = new Map<Thing, (Inside | undefined)[]>();
    const values = new Map<Thing, Json | undefined>();
    // An undo, and the end of a call that was the last step, only toggle their writes. When a call ends later, calls that depend
    // on it may end too, and its values may have moved: then the records say what has changed, and the toggled writes only say
    // which things are returned. The same is true of the undo of a group whose steps are forgotten.
    const isLast =
      ends !== undefined && ending[0] !== undefined && played.slice(played.indexOf(ending[0])).every(isOver);
    const isExact = isLast || records.length === 0 || (toggled !== undefined && toggled.length > 0);
    const takeBack = (writes: readonly Write[], isRedo: boolean) => {
      for (const write of inOrder(writes, isRedo)) {
        const { thing, insides: own } = write;
        const slot = isRedo ? write.to : write.from;
        if (isExact) put(write, isRedo);
        else if (own !== undefined) getOrInsert(insides, thing, () => []).push(isRedo ? own.after : own.before);
        else if (slot !== undefined) known.set(slot, thing);
        values.set(thing, isRedo ? write.after : write.before);
        write.isUndone = !isRedo;
      }
    };
    if (toggled) takeBack(toggled, reverts.isRedo);
    for (const own of ending.reverse()) {
      // An undo that ends has not happened, unless the call that it undid has ended before.
      const writes = this.#writes.get(own)?.filter((write) => !this.#ended.has(write.step)) ?? [];
      takeBack(writes, own.reverts?.isRedo === false);
    }
    for (const own of ending) this.#ended.add(own);
    const made = isExact ? [] : records.map((record) => this.#write(step, record, known, insides));
    for (const [thing, left] of insides) if (left.length > 0) thing.inside = left.at(-1);
    // A write that only restores a value from before the ended call has no author.
    const isOwn = ({ thing, after }: Write) => !values.has(thing) || !isSame(values.get(thing), after);
    this.#writes.set(step, toggled?.[0] ? toggled : ends === undefined ? made.filter(isOwn) : []);
  }

  #toggledBy({ group, isRedo, kept }: NonNullable<HistoryStep["reverts"]>): Write[] {
    return this.#writesOf(group, isRedo).filter((_, index) => !kept.includes(index));
  }

  /** The writes of a group that are in effect, or those that are undone. */
  #writesOf(group: number, isUndone: boolean): Write[] {
    const own = [...this.#writes].flatMap(([step, writes]) =>
      step.group === group && !this.#ended.has(step) ? writes : [],
    );
    return own.filter((write) => write.isUndone === isUndone);
  }

  #write(
    step: HistoryStep,
    { change, before, isAhead = false }: Recorded,
    known: Map<Slot, Thing>,
    insides: ReadonlyMap<Thing, (Inside | undefined)[]>,
  ): Write {
    const { kind, path } = change;
    this.#time += 1;
    const after = kind === "set" || kind === "insert" ? change.value : undefined;
    const made = { step, path, before, after, time: this.#time, isUndone: false };
    const last = path.at(-1);
    if (last === undefined || kind === "set") {
      const thing = this.#thingAt(path);
      const own = { before: thing.inside, after: insides.get(thing)?.shift() ?? new Inside(thing) };
      thing.inside = own.after;
      return { ...made, thing, insides: own };
    }
    const left = kind === "insert" ? undefined : this.#thingAt(kind === "move" ? change.from : path);
    const from = left?.slot;
    left?.moveTo(undefined);
    if (kind === "remove") return { ...made, thing: left ?? new Thing(), from };
    const to = this.#thingAt(path.slice(0, -1)).content.room(last, isAhead, known);
    const thing = left ?? known.get(to) ?? new Thing();
    known.delete(to);
    thing.moveTo(to);
    return { ...made, thing, from, to };
  }

  #thingAt(path: readonly Step[]): Thing {
    let thing = this.#root;
    for (const step of path) thing = thing.content.thing(step);
    return thing;
  }

  #pathOf(thing: Thing): Step[] | undefined {
    if (thing === this.#root) return [];
    return thing.slot && this.#placeOf(thing.slot);
  }

  /** The path of a slot; `undefined` in a value that was removed or replaced. */
  #placeOf(slot: Slot): Step[] | undefined {
    const { inside } = slot;
    const above = inside.owner.inside === inside ? this.#pathOf(inside.owner) : undefined;
    return above && [...above, inside.stepOf(slot)];
  }

  /** When other groups last set the value of a thing (`set`), moved it or used a slot (`placed`), or changed its contents (`within`). */
  #laterThan(group: number): { set: Times; placed: Times; within: Times } {
    const later = { set: new Map(), placed: new Map(), within: new Map() };
    const note = (times: Times, what: Thing | Slot, time: number) =>
      times.set(what, Math.max(times.get(what) ?? 0, time));
    for (const [step, writes] of this.#writes) {
      if (step.group === group || step.reverts !== undefined || step.ends !== undefined) continue;
      for (const { thing, insides, from, to, time, isUndone } of writes) {
        if (isUndone) continue;
        for (const slot of [from, to]) if (slot !== undefined) note(later.placed, slot, time);
        note(insides ? later.set : later.placed, thing, time);
        for (let above = thing.home?.owner; above !== undefined; above = above.home?.owner)
          note(later.within, above, time);
      }
    }
    return later;
  }

  /** The edit that reverts one write; `undefined` where something later is in the way. */
  #revert(
    write: Write,
    isRedo: boolean,
    later: { set: Times; placed: Times; within: Times },
    document: Mirror,
    rules: Rules,
  ): Change | undefined {
    const { thing, insides, time } = write;
    const [from, to] = isRedo ? [write.from, write.to] : [write.to, write.from];
    const [old, next] = isRedo ? [write.before, write.after] : [write.after, write.before];
    const isLater = (...all: Times[]) => all.some((times) => (times.get(thing) ?? 0) > time);
    const path = this.#pathOf(thing);
    // A value that was changed without a record is not overwritten either.
    const isAsLeft = () => path !== undefined && isSame(document.at(path), old);
    if (insides !== undefined) {
      if (path === undefined || isLater(later.set, later.within) || !isAsLeft()) return undefined;
      thing.inside = isRedo ? insides.after : insides.before;
      return next === undefined ? { kind: "remove", path } : { kind: "set", path, value: next };
    }
    if (thing.slot !== from || (from !== undefined && path === undefined)) return undefined;
    if (to === undefined) {
      if (isLater(later.set, later.placed, later.within) || !isAsLeft()) return undefined;
      thing.moveTo(undefined);
      return path && { kind: "remove", path };
    }
    // Another value may have been under the key in the meantime.
    if (to.thing !== undefined || (later.placed.get(to) ?? 0) > time || (from !== undefined && isLater(later.placed)))
      return undefined;
    thing.moveTo(undefined);
    const place = this.#placeOf(to);
    if (place === undefined || (from === undefined && isTaken(document, place, next, rules))) {
      thing.moveTo(from);
      return undefined;
    }
    thing.moveTo(to);
    if (path !== undefined) return { kind: "move", from: path, path: place };
    return next === undefined ? undefined : { kind: "insert", path: place, value: next };
  }
}

/** Whether a list has an item with the id of a value already. */
function isTaken(document: Mirror, place: readonly Step[], value: Json | undefined, rules: Rules): boolean {
  const list = document.at(place.slice(0, -1));
  const keys = idKeysAt(place.slice(0, -1), rules);
  const id = idOf(value, keys);
  return id !== undefined && Array.isArray(list) && list.some((item) => idOf(item, keys) === id);
}
