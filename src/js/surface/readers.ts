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

/** Something that nodes depend on, such as a place of the data, with its readers. */
export class Dependency<Reader> {
  /** The only reader. Most dependencies have one, and need no set. */
  #onlyReader: Reader | undefined;
  /** All readers, once there have been two. */
  #readers: Set<Reader> | undefined;
  /** When it was read last: {@link Readers} numbers the resolutions of readers as turns. */
  turn = 0;
  /** When its readers were marked last: {@link Readers} numbers the updates of the tree as rounds. */
  round = 0;
  /** For a place of the data: the places in it, by key. */
  inner: Map<string, Dependency<Reader>> | undefined;
  /** The readers of the length of the list, or of the keys of the object, at this place. */
  shape: Dependency<Reader> | undefined;

  /** `parent`: the place around this one, or the place whose shape this is. A shape has no key; the root has neither. */
  constructor(
    readonly parent?: Dependency<Reader>,
    readonly key?: string,
  ) {}

  get isRead(): boolean {
    return this.#onlyReader !== undefined || !!this.#readers?.size;
  }

  /** Whether neither it nor a place in it has readers. */
  get isEmpty(): boolean {
    return !this.isRead && !this.shape && !this.inner?.size;
  }

  add(reader: Reader): void {
    if (this.#readers) this.#readers.add(reader);
    else if (this.#onlyReader === undefined) this.#onlyReader = reader;
    else if (this.#onlyReader !== reader) {
      this.#readers = new Set([this.#onlyReader, reader]);
      this.#onlyReader = undefined;
    }
  }

  delete(reader: Reader): void {
    if (this.#onlyReader === reader) this.#onlyReader = undefined;
    else this.#readers?.delete(reader);
  }

  forEach(visit: (reader: Reader) => void): void {
    if (this.#onlyReader !== undefined) visit(this.#onlyReader);
    else this.#readers?.forEach(visit);
  }
}

/**
 * The readers of each place. While a reader is resolved, `begin`, `read` for each place, and `forget` record what it depends on
 * (its `readings`). A change of data marks the readers of its place (`isDirty`), and the next update of the tree resolves them
 * again.
 */
export class Readers<Reader extends { readings: Dependency<Reader>[]; isDirty: boolean }> {
  /** The data as a whole. */
  readonly #root = new Dependency<Reader>();
  /** The readers that were marked since the last update. */
  #dirty: Reader[] = [];
  /** Counts the updates of the tree: each marks a dependency at most once. */
  #round = 1;
  /** Counts the resolutions of readers: each records a dependency at most once. */
  #turn = 0;

  constructor(private readonly model: DataModel) {}

  /** Begins an update: returns the readers that were marked since the last one. */
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

  /** Begins to record what a reader reads. Returns what it read the last time, for {@link forget}. */
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

  /** Ends the recording: removes the dependencies `before` that the reader has not read again, and places without readers. */
  forget(before: readonly Dependency<Reader>[], reader: Reader): void {
    for (const dependency of before) {
      if (dependency.turn === this.#turn) continue;
      dependency.delete(reader);
      for (let place = dependency; place.parent && place.isEmpty; place = place.parent) {
        if (place.key === undefined) place.parent.shape = undefined;
        else place.parent.inner?.delete(place.key);
      }
    }
  }

  /**
   * Marks the readers that a change of data concerns. Readers of the lists and objects around the change see it too. A member
   * that is added or removed also changes the shape of what holds it; an item added after the end of a list changes all items
   * from there on.
   */
  markChanged(change: DataChange): void {
    const { path, before, after, length } = change;
    let place: Dependency<Reader> | undefined = this.#root;
    for (let depth = 0; place && depth < path.length; depth++) {
      const step = path[depth] ?? "";
      const isHolder = depth === path.length - 1;
      this.mark(place);
      if (isHolder && (before === undefined || after === undefined)) this.mark(place.shape);
      const isAppended = isHolder && length !== undefined;
      if (isAppended) this.#markAppended(place.inner, path, length);
      // The readers of the new items are all marked: nothing is left for `#markDiffering`.
      place = isAppended ? undefined : place.inner?.get(step);
    }
    this.#markDiffering(place, before, after);
  }

  /**
   * Marks the readers of the items added to a list that had `length` items. `path`: of the last item; `inner`: the places in the
   * list.
   */
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
    const [treeBefore, treeAfter] = [this.#treeOf(before), this.#treeOf(after)];
    if (treeBefore === undefined && treeAfter === undefined) return;
    // Compare whichever are fewer: the places that are read, or the members.
    const areMembersFewer = sizeOf(treeBefore) + sizeOf(treeAfter) < inner.size;
    const keys = areMembersFewer
      ? new Set([...Object.keys(treeBefore ?? {}), ...Object.keys(treeAfter ?? {})])
      : inner.keys();
    for (const key of keys) this.#markDiffering(inner.get(key), memberOf(treeBefore, key), memberOf(treeAfter, key));
  }

  /** The value as a list or object, which in A2UI v0.8 a text may contain; `undefined` for any other value. */
  #treeOf(value: Json | undefined): Json | undefined {
    return typeof value === "string" ? this.model.parsedText(value) : isTree(value) ? value : undefined;
  }
}

const sizeOf = (tree: Json | undefined): number => (Array.isArray(tree) ? tree.length : Object.keys(tree ?? {}).length);

/** Whether both values are lists of the same length, or objects with the same keys in the same order. */
function isSameShape(before: Json | undefined, after: Json | undefined): boolean {
  if (!isTree(before) || !isTree(after)) return false;
  if (Array.isArray(before)) return Array.isArray(after) && before.length === after.length;
  if (Array.isArray(after)) return false;
  const keys = Object.keys(after);
  return Object.keys(before).every((key, at) => key === keys[at]) && Object.keys(before).length === keys.length;
}
