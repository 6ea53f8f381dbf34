/** The subscriptions of nodes to places of the data, by which a change finds the nodes that it touches. */
import { obtain } from "../core/kinds.js";
import { equal } from "../diff/equal.js";
import type { Json } from "../types.js";
import { type DataChange, type DataModel, isTree, memberOf } from "./data.js";
import type { Segments } from "./paths.js";

/** For lists that are empty mostly, and never changed while they are. */
export const EMPTY: never[] = [];

/** A list with another item, in place unless it is empty: `push` makes room for 17 items, and most of these have one. */
export function withItem<Item>(list: Item[], item: Item): Item[] {
  if (list.length === 0) return [item];
  list.push(item);
  return list;
}

/** What may change, and who reads it: a single field while it is one, as mostly. */
export class Topic<Reader> {
  #one: Reader | undefined;
  #more: Set<Reader> | undefined;
  /** In which turn of a reader it was read last, and in which round its readers were marked. */
  turn = 0;
  round = 0;
  /** Of a place of the data: those in it, and which items or keys there are. */
  below: Map<string, Topic<Reader>> | undefined;
  shape: Topic<Reader> | undefined;

  /** A shape has no key. */
  constructor(
    readonly above?: Topic<Reader>,
    readonly key?: string,
  ) {}

  get isRead(): boolean {
    return this.#one !== undefined || !!this.#more?.size;
  }

  get isEmpty(): boolean {
    return !this.isRead && !this.shape && !this.below?.size;
  }

  add(reader: Reader): void {
    if (this.#one === undefined && !this.#more) this.#one = reader;
    else if (this.#one !== reader) {
      this.#more ??= new Set([this.#one as Reader]);
      this.#more.add(reader);
      this.#one = undefined;
    }
  }

  delete(reader: Reader): void {
    if (this.#one === reader) this.#one = undefined;
    else this.#more?.delete(reader);
  }

  forEach(take: (reader: Reader) => void): void {
    if (this.#one !== undefined) take(this.#one);
    else this.#more?.forEach(take);
  }
}

/** Who reads which place. Whoever is marked is resolved again. */
export class Readers<Reader extends { readings: Topic<Reader>[]; isDirty: boolean }> {
  readonly #root = new Topic<Reader>();
  #dirty: Reader[] = [];
  /** Updates of the tree so far: in each a topic is marked once. */
  #round = 1;
  /** Readers that were resolved so far: in each turn one notes what it reads, each topic once. */
  #turn = 0;

  constructor(private readonly model: DataModel) {}

  takeDirty(): Reader[] {
    const dirty = this.#dirty;
    this.#round += 1;
    if (dirty.length > 0) this.#dirty = [];
    return dirty;
  }

  mark(topic: Topic<Reader> | undefined): void {
    if (topic === undefined || topic.round === this.#round) return;
    topic.round = this.#round;
    topic.forEach(this.#mark);
  }

  readonly #mark = (reader: Reader): void => {
    if (!reader.isDirty) this.#dirty.push(reader);
    reader.isDirty = true;
  };

  /** Begins the turn of a reader; gives what it has read before. */
  begin(reader: Reader): Topic<Reader>[] {
    const before = reader.readings;
    reader.readings = EMPTY;
    this.#turn += 1;
    return before;
  }

  read(path: Segments, kind: "value" | "shape", reader: Reader): void {
    let place = this.#root;
    for (const key of path) {
      const above = place;
      above.below ??= new Map();
      place = obtain(above.below, key, () => new Topic(above, key));
    }
    if (kind === "shape") {
      place.shape ??= new Topic(place);
      place = place.shape;
    }
    if (place.turn === this.#turn) return;
    place.turn = this.#turn;
    place.add(reader);
    reader.readings = withItem(reader.readings, place);
  }

  /** Forgets what the reader has not read again in its turn, and the places that nobody else reads. */
  forget(before: readonly Topic<Reader>[], reader: Reader): void {
    for (const topic of before) {
      if (topic.turn === this.#turn) continue;
      topic.delete(reader);
      for (let { above, key, isEmpty } = topic; above && isEmpty; { above, key, isEmpty } = above) {
        if (key === undefined) above.shape = undefined;
        else above.below?.delete(key);
      }
    }
  }

  touched(change: DataChange): void {
    const { path, before, after, length } = change;
    let place: Topic<Reader> | undefined = this.#root;
    for (let depth = 0; place && depth < path.length; depth++) {
      const step = path[depth] as string;
      const isLast = depth === path.length - 1;
      this.mark(place);
      if (isLast && (before === undefined || after === undefined)) this.mark(place.shape);
      const isAppended = isLast && length !== undefined;
      if (isAppended) this.#appended(place.below, path, length);
      place = isAppended ? undefined : place.below?.get(step);
    }
    this.#differ(place, before, after);
  }

  /** Items were added at the end of a list, the given length before. */
  #appended(below: Topic<Reader>["below"], path: Segments, length: number): void {
    const items = this.model.read(path.slice(0, -1));
    if (!Array.isArray(items) || below === undefined) return;
    for (let at = length; at < items.length; at++) this.#differ(below.get(String(at)), undefined, items[at]);
  }

  /** Marks who reads what is not the same before and after, at a place and below. */
  #differ(place: Topic<Reader> | undefined, before: Json | undefined, after: Json | undefined): void {
    if (place === undefined || before === after) return;
    const { shape, below } = place;
    if (place.isRead && (before === undefined || after === undefined || !equal(before, after))) this.mark(place);
    if (shape && !isSameShape(before, after)) this.mark(shape);
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
