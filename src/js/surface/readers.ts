/** The subscriptions of nodes to places of the data, by which a change finds the nodes that it touches. */
import { obtain } from "../core/kinds.js";
import { equal } from "../diff/equal.js";
import type { Json } from "../types.js";
import { type DataChange, type DataModel, isTree, memberOf } from "./data.js";
import type { Segments } from "./paths.js";

/** A list with another item, in place unless it is empty: `push` makes room for 17 items, and most of these have one. */
export function withItem<Item>(list: Item[], item: Item): Item[] {
  if (list.length === 0) return [item];
  list.push(item);
  return list;
}

/** Those who want to know of changes of one thing: a single field while it is one, as mostly. */
export class Watch<Reader> {
  #one: Reader | undefined;
  #more: Set<Reader> | undefined;
  /** In which turn of a reader it was added last, and in which round they were marked. */
  turn = 0;
  #marked = 0;

  constructor(readonly place?: Place<Reader>) {}

  get isEmpty(): boolean {
    return this.#one === undefined && this.#more === undefined;
  }

  add(reader: Reader): void {
    if (this.#more) this.#more.add(reader);
    else if (this.#one === undefined) this.#one = reader;
    else if (this.#one !== reader) {
      this.#more = new Set([this.#one, reader]);
      this.#one = undefined;
    }
  }

  delete(reader: Reader): void {
    if (this.#one === reader) this.#one = undefined;
    else if (this.#more?.delete(reader) && this.#more.size === 0) this.#more = undefined;
  }

  /** Marks them, once in a round. */
  mark(round: number, take: (reader: Reader) => void): void {
    if (this.#marked === round) return;
    this.#marked = round;
    if (this.#one !== undefined) take(this.#one);
    else if (this.#more) for (const reader of this.#more) take(reader);
  }
}

class Place<Reader> {
  below: Map<string, Place<Reader>> | undefined;
  /** Of every change at and below. */
  value: Watch<Reader> | undefined;
  /** Of which items or keys there are. */
  shape: Watch<Reader> | undefined;

  constructor(
    readonly above: Place<Reader> | undefined,
    readonly key: string,
  ) {}
}

/** Who reads which place. */
export class Readers<Reader> {
  readonly #root = new Place<Reader>(undefined, "");
  /** Updates of the tree so far: in each a reader is marked once. */
  round = 1;
  /** Readers that were resolved so far: in each turn one notes what it reads, each place once. */
  turn = 0;

  /** `mark` takes who has read something that has changed, once in a round. */
  constructor(
    private readonly model: DataModel,
    private readonly mark: (reader: Reader) => void,
  ) {}

  /** Notes that the reader reads a place, once in a turn; gives its readings with that one. */
  add(path: Segments, kind: "value" | "shape", reader: Reader, readings: Watch<Reader>[]): Watch<Reader>[] {
    let place = this.#root;
    for (const key of path) {
      const above = place;
      above.below ??= new Map();
      place = obtain(above.below, key, () => new Place(above, key));
    }
    place[kind] ??= new Watch(place);
    const watch = place[kind];
    if (watch.turn === this.turn) return readings;
    watch.turn = this.turn;
    watch.add(reader);
    return withItem(readings, watch);
  }

  /** Forgets what the reader has read before this turn and not in it, and the places that nobody else reads. */
  forget(before: readonly Watch<Reader>[], reader: Reader): void {
    for (const watch of before) {
      if (watch.turn === this.turn) continue;
      watch.delete(reader);
      let empty = watch.place;
      while (empty?.above && (empty.value?.isEmpty ?? true) && (empty.shape?.isEmpty ?? true) && !empty.below?.size) {
        empty.above.below?.delete(empty.key);
        empty = empty.above;
      }
    }
  }

  /** Marks who has read something that a change has changed. */
  touched(change: DataChange): void {
    const { path, before, after, length } = change;
    let place: Place<Reader> | undefined = this.#root;
    for (let depth = 0; depth < path.length; depth++) {
      const step = path[depth] as string;
      place.value?.mark(this.round, this.mark);
      if (depth === path.length - 1) {
        if (before === undefined || after === undefined) place.shape?.mark(this.round, this.mark);
        if (length !== undefined) {
          this.#shifted(place.below, change, Number(step), length);
          return;
        }
      }
      place = place.below?.get(step);
      if (place === undefined) return;
    }
    this.#differ(place, before, after);
  }

  /** An item came to the end of a list, or went from it. */
  #shifted(below: Place<Reader>["below"], { path, before }: DataChange, index: number, length: number): void {
    const items = this.model.read(path.slice(0, -1));
    if (!Array.isArray(items) || below === undefined) return;
    for (let at = length; at < items.length; at++) this.#differ(below.get(String(at)), undefined, items[at]);
    if (items.length > length) return;
    for (const [key, place] of below) {
      const at = Number(key);
      if (at >= index && at < length) this.#differ(place, at === index ? before : items[at - 1], items[at]);
    }
  }

  /** Marks who reads what is not the same before and after, at a place and below. */
  #differ(place: Place<Reader> | undefined, before: Json | undefined, after: Json | undefined): void {
    if (place === undefined || before === after) return;
    const { value, shape, below } = place;
    if (value && (before === undefined || after === undefined || !equal(before, after))) {
      value.mark(this.round, this.mark);
    }
    if (shape && !isSameShape(before, after)) shape.mark(this.round, this.mark);
    if (below === undefined) return;
    const [one, other] = [this.#inside(before), this.#inside(after)];
    if (one === undefined && other === undefined) return;
    // Whichever are fewer: the places that are read, or those that there are.
    const areFew = sizeOf(one) + sizeOf(other) < below.size;
    const keys = areFew ? new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]) : below.keys();
    for (const key of keys) this.#differ(below.get(key), memberOf(one, key), memberOf(other, key));
  }

  /** What has members: a text may be a list or an object. */
  #inside(value: Json | undefined): Json | undefined {
    return typeof value === "string" ? this.model.said(value) : isTree(value) ? value : undefined;
  }
}

const sizeOf = (tree: Json | undefined): number => (Array.isArray(tree) ? tree.length : Object.keys(tree ?? {}).length);

function isSameShape(before: Json | undefined, after: Json | undefined): boolean {
  if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after)) return false;
  if (Array.isArray(before)) return before.length === (after as Json[]).length;
  const keys = Object.keys(after);
  return Object.keys(before).every((key, at) => key === keys[at]) && Object.keys(before).length === keys.length;
}
