/** `Readers`: which nodes depend on which places of the data, so that a change finds the nodes to resolve again. */
import { getOrInsert } from "../core/kinds.js";
import { isTree } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import type { Json } from "../types.js";
import { type DataChange, type DataModel, memberOf } from "./data.js";
import type { Segments } from "./paths.js";

/** A shared empty list: never changed in place, see {@link withItem}. */
export const EMPTY: never[] = [];

/** Adds an item, in place unless the list is empty. Most lists have one item, and `push` allocates room for 17. */
export function withItem<Item>(list: Item[], item: Item): Item[] {
  if (list.length === 0) return [item];
  list.push(item);
  return list;
}

/** Something that nodes depend on, with its readers. Most have one reader, which needs no set. */
export class Dependency<Reader> {
  #one: Reader | undefined;
  #more: Set<Reader> | undefined;
  /** The turn of {@link Readers} in which it was read last, and the round in which its readers were marked. */
  turn = 0;
  round = 0;
  /** For a place of the data: the places in it, by key. */
  inner: Map<string, Dependency<Reader>> | undefined;
  /** The length of the list, or the keys of the object, at this place. */
  shape: Dependency<Reader> | undefined;

  /** A shape has no key. */
  constructor(
    readonly parent?: Dependency<Reader>,
    readonly key?: string,
  ) {}

  get isRead(): boolean {
    return this.#one !== undefined || !!this.#more?.size;
  }

  get isEmpty(): boolean {
    return !this.isRead && !this.shape && !this.inner?.size;
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
    else this.#more?.delete(reader);
  }

  forEach(visit: (reader: Reader) => void): void {
    if (this.#one !== undefined) visit(this.#one);
    else this.#more?.forEach(visit);
  }
}

/** The readers of each place. Marked readers are resolved again. */
export class Readers<Reader extends { readings: Dependency<Reader>[]; isDirty: boolean }> {
  readonly #root = new Dependency<Reader>();
  #dirty: Reader[] = [];
  /** Counts the updates of the tree: each marks a dependency at most once. */
  #round = 1;
  /** Counts the resolutions of readers: each records a dependency at most once. */
  #turn = 0;

  constructor(private readonly model: DataModel) {}

  /** The readers that were marked since the last call. */
  takeDirty(): Reader[] {
    const dirty = this.#dirty;
    this.#round += 1;
    if (dirty.length > 0) this.#dirty = [];
    return dirty;
  }

  /** Marks the readers of a dependency. */
  mark(dependency: Dependency<Reader> | undefined): void {
    if (dependency === undefined || dependency.round === this.#round) return;
    dependency.round = this.#round;
    dependency.forEach(this.#mark);
  }

  readonly #mark = (reader: Reader): void => {
    if (!reader.isDirty) this.#dirty.push(reader);
    reader.isDirty = true;
  };

  /** Begins to record what a reader reads. Returns what it has read before. */
  begin(reader: Reader): Dependency<Reader>[] {
    const before = reader.readings;
    reader.readings = EMPTY;
    this.#turn += 1;
    return before;
  }

  /** Records that a reader depends on a place: on its value, or on its shape alone. */
  read(path: Segments, kind: "value" | "shape", reader: Reader): void {
    let place = this.#root;
    for (const key of path) {
      const parent = place;
      parent.inner ??= new Map();
      place = getOrInsert(parent.inner, key, () => new Dependency(parent, key));
    }
    if (kind === "shape") {
      place.shape ??= new Dependency(place);
      place = place.shape;
    }
    if (place.turn === this.#turn) return;
    place.turn = this.#turn;
    place.add(reader);
    reader.readings = withItem(reader.readings, place);
  }

  /** Removes dependencies that the reader has not read again, and places without readers. */
  forget(before: readonly Dependency<Reader>[], reader: Reader): void {
    for (const dependency of before) {
      if (dependency.turn === this.#turn) continue;
      dependency.delete(reader);
      for (let { parent, key, isEmpty } = dependency; parent && isEmpty; { parent, key, isEmpty } = parent) {
        if (key === undefined) parent.shape = undefined;
        else parent.inner?.delete(key);
      }
    }
  }

  /** Marks the readers that a change of data concerns. */
  touched(change: DataChange): void {
    const { path, before, after, length } = change;
    let place: Dependency<Reader> | undefined = this.#root;
    for (let depth = 0; place && depth < path.length; depth++) {
      const step = path[depth] ?? "";
      const isLast = depth === path.length - 1;
      this.mark(place);
      if (isLast && (before === undefined || after === undefined)) this.mark(place.shape);
      const isAppended = isLast && length !== undefined;
      if (isAppended) this.#markAppended(place.inner, path, length);
      place = isAppended ? undefined : place.inner?.get(step);
    }
    this.#markDiffering(place, before, after);
  }

  /** Items were added at the end of a list, the given length before. */
  #markAppended(inner: Dependency<Reader>["inner"], path: Segments, length: number): void {
    const items = this.model.read(path.slice(0, -1));
    if (!Array.isArray(items) || inner === undefined) return;
    for (let at = length; at < items.length; at++) this.#markDiffering(inner.get(String(at)), undefined, items[at]);
  }

  /** Marks the readers of values that differ, at a place and inside it. */
  #markDiffering(place: Dependency<Reader> | undefined, before: Json | undefined, after: Json | undefined): void {
    if (place === undefined || before === after) return;
    const { shape, inner } = place;
    if (place.isRead && (before === undefined || after === undefined || !equal(before, after))) this.mark(place);
    if (shape && !isSameShape(before, after)) this.mark(shape);
    if (inner === undefined) return;
    const [one, other] = [this.#treeOf(before), this.#treeOf(after)];
    if (one === undefined && other === undefined) return;
    // Compare whichever are fewer: the places that are read, or the members.
    const areFew = sizeOf(one) + sizeOf(other) < inner.size;
    const keys = areFew ? new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]) : inner.keys();
    for (const key of keys) this.#markDiffering(inner.get(key), memberOf(one, key), memberOf(other, key));
  }

  /** A list or object; in A2UI v0.8 a text may be one. */
  #treeOf(value: Json | undefined): Json | undefined {
    return typeof value === "string" ? this.model.parsedText(value) : isTree(value) ? value : undefined;
  }
}

const sizeOf = (tree: Json | undefined): number => (Array.isArray(tree) ? tree.length : Object.keys(tree ?? {}).length);

function isSameShape(before: Json | undefined, after: Json | undefined): boolean {
  if (!isTree(before) || !isTree(after)) return false;
  if (Array.isArray(before)) return Array.isArray(after) && before.length === after.length;
  if (Array.isArray(after)) return false;
  const keys = Object.keys(after);
  return Object.keys(before).every((key, at) => key === keys[at]) && Object.keys(before).length === keys.length;
}
