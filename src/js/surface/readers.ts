/** The subscriptions of nodes to places of the data, by which a change finds the nodes that it touches. */
import { equal } from "../diff/equal.js";
import type { Json } from "../types.js";
import { type Change, type DataModel, isTree, memberOf, type Segments } from "./data.js";

/** A list with another item, in place unless it is empty: `push` makes room for 17 items, and most of these have one. */
export function withItem<Item>(list: Item[], item: Item): Item[] {
  if (list.length === 0) return [item];
  list.push(item);
  return list;
}

/** A set that is a single field while it has one item, as most have. */
export class CompactSet<Item> {
  #one: Item | undefined;
  #more: Set<Item> | undefined;

  get isEmpty(): boolean {
    return this.#one === undefined && this.#more === undefined;
  }

  add(item: Item): void {
    if (this.#more) this.#more.add(item);
    else if (this.#one === undefined) this.#one = item;
    else if (this.#one !== item) {
      this.#more = new Set([this.#one, item]);
      this.#one = undefined;
    }
  }

  delete(item: Item): void {
    if (this.#one === item) this.#one = undefined;
    else if (this.#more?.delete(item) && this.#more.size === 0) this.#more = undefined;
  }

  forEach(take: (item: Item) => void): void {
    if (this.#one !== undefined) take(this.#one);
    else if (this.#more) for (const item of this.#more) take(item);
  }
}

/** Those who want to know of changes of one kind at a place. */
export interface Watch<Reader> {
  readonly place: Place<Reader>;
  readonly readers: CompactSet<Reader>;
  turn: number;
  /** Since when its readers are marked. */
  marked: number;
}

interface Place<Reader> {
  readonly above: Place<Reader> | undefined;
  readonly key: string;
  below: Map<string, Place<Reader>> | undefined;
  /** Of every change at and below. */
  value: Watch<Reader> | undefined;
  /** Of which items or keys there are. */
  shape: Watch<Reader> | undefined;
}

const placeIn = <Reader>(above: Place<Reader> | undefined, key: string): Place<Reader> => ({
  above,
  key,
  below: undefined,
  value: undefined,
  shape: undefined,
});

/** Who reads which place. One reader after the other: it begins, reads, and ends. */
export class Readers<Reader> {
  readonly #root: Place<Reader> = placeIn<Reader>(undefined, "");
  #turn = 0;
  #round = 1;

  /** Whoever is marked will read anew. */
  settle(): void {
    this.#round += 1;
  }

  begin(): void {
    this.#turn += 1;
  }

  /** Notes that the reader reads a place, once in a turn; gives its readings with that one. */
  add(path: Segments, kind: "value" | "shape", reader: Reader, readings: Watch<Reader>[]): Watch<Reader>[] {
    let place = this.#root;
    for (const key of path) {
      place.below ??= new Map();
      let next = place.below.get(key);
      if (next === undefined) {
        next = placeIn(place, key);
        place.below.set(key, next);
      }
      place = next;
    }
    place[kind] ??= { place, readers: new CompactSet(), turn: 0, marked: 0 };
    const watch = place[kind];
    if (watch.turn === this.#turn) return readings;
    watch.turn = this.#turn;
    watch.readers.add(reader);
    return withItem(readings, watch);
  }

  /** Forgets what the reader has read before and not in this turn. */
  end(before: readonly Watch<Reader>[], reader: Reader): void {
    for (const watch of before) if (watch.turn !== this.#turn) this.remove(watch, reader);
  }

  remove({ place, readers }: Watch<Reader>, reader: Reader): void {
    readers.delete(reader);
    let empty = place;
    while (empty.above && (empty.value?.readers.isEmpty ?? true) && (empty.shape?.readers.isEmpty ?? true)) {
      if (empty.below && empty.below.size > 0) return;
      empty.above.below?.delete(empty.key);
      empty = empty.above;
    }
  }

  /** Tells `mark` who has read something that a change has changed. */
  touched({ path, before, after, length }: Change, model: DataModel, mark: (reader: Reader) => void): void {
    let place: Place<Reader> | undefined = this.#root;
    for (let depth = 0; depth < path.length; depth++) {
      const step = path[depth] as string;
      this.#markAll(place.value, mark);
      if (depth === path.length - 1) {
        if (before === undefined || after === undefined) this.#markAll(place.shape, mark);
        if (length !== undefined) {
          this.#shifted(place, Number(step), before, length, model, mark);
          return;
        }
      }
      place = place.below?.get(step);
      if (place === undefined) return;
    }
    this.#differ(place, before, after, model, mark);
  }

  #markAll(watch: Watch<Reader> | undefined, mark: (reader: Reader) => void): void {
    if (watch === undefined || watch.marked === this.#round) return;
    watch.marked = this.#round;
    watch.readers.forEach(mark);
  }

  /** An item came to the end of a list, or went from it. */
  #shifted(
    list: Place<Reader>,
    index: number,
    removed: Json | undefined,
    length: number,
    model: DataModel,
    mark: (reader: Reader) => void,
  ): void {
    const items = model.read(pathOf(list));
    const { below } = list;
    if (!Array.isArray(items) || below === undefined) return;
    for (let at = length; at < items.length; at++) {
      const place = below.get(String(at));
      if (place) this.#differ(place, undefined, items[at], model, mark);
    }
    if (items.length > length) return;
    for (const [key, place] of below) {
      const at = Number(key);
      if (at >= index && at < length) {
        this.#differ(place, at === index ? removed : items[at - 1], items[at], model, mark);
      }
    }
  }

  /** Marks who reads what is not the same before and after, at a place and below. */
  #differ(
    place: Place<Reader>,
    before: Json | undefined,
    after: Json | undefined,
    model: DataModel,
    mark: (reader: Reader) => void,
  ): void {
    if (before === after) return;
    const { value, shape, below } = place;
    if (value && (before === undefined || after === undefined || !equal(before, after))) this.#markAll(value, mark);
    if (shape && !isSameShape(before, after)) this.#markAll(shape, mark);
    if (below === undefined) return;
    const [one, other] = [insideOf(before, model), insideOf(after, model)];
    if (one === undefined && other === undefined) return;
    // Whichever are fewer: the places that are read, or those that there are.
    const areFew = sizeOf(one) + sizeOf(other) < below.size;
    const keys = areFew ? new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]) : below.keys();
    for (const key of keys) {
      const next = below.get(key);
      if (next) this.#differ(next, memberOf(one, key), memberOf(other, key), model, mark);
    }
  }
}

function pathOf<Reader>(place: Place<Reader>): string[] {
  const path: string[] = [];
  for (let at = place; at.above; at = at.above) path.unshift(at.key);
  return path;
}

const sizeOf = (tree: Json | undefined): number => (Array.isArray(tree) ? tree.length : Object.keys(tree ?? {}).length);

/** What has members: a text may be a list or an object. */
const insideOf = (value: Json | undefined, model: DataModel): Json | undefined =>
  typeof value === "string" ? model.said(value) : isTree(value) ? value : undefined;

function isSameShape(before: Json | undefined, after: Json | undefined): boolean {
  if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after)) return false;
  if (Array.isArray(before)) return before.length === (after as Json[]).length;
  const keys = Object.keys(after);
  return Object.keys(before).every((key, at) => key === keys[at]) && Object.keys(before).length === keys.length;
}
