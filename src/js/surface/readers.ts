/** Who reads what of the data. */
import type { Change } from "../types.js";
import type { DataModel, Segments } from "./data.js";

/** A list with another item, in place unless it is empty: `push` makes room for 17 items, and most of these have one. */
export function withItem<Item>(list: Item[], item: Item): Item[] {
  if (list.length === 0) return [item];
  list.push(item);
  return list;
}

/** A few of something, mostly one. */
export class Few<Item> {
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
  readonly readers: Few<Reader>;
  /** When it was read last. */
  turn: number;
}

/** A place in the data, with those who read it. */
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
    place[kind] ??= { place, readers: new Few(), turn: 0 };
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
  touched(change: Change, model: DataModel, mark: (reader: Reader) => void): void {
    const { path } = change;
    let place: Place<Reader> | undefined = this.#root;
    for (let depth = 0; depth < path.length; depth++) {
      const step = path[depth] as string | number;
      place.value?.readers.forEach(mark);
      if (depth === path.length - 1 && change.kind !== "set") {
        place.shape?.readers.forEach(mark);
        if (typeof step === "number" && shifts(change, step, model)) break;
      }
      place = place.below?.get(String(step));
      if (place === undefined) return;
    }
    below(place, mark);
  }
}

/** Whether an item came or went in the middle of its list. */
function shifts({ kind, path }: Change, index: number, model: DataModel): boolean {
  const items = model.read(path.slice(0, -1).map(String));
  const length = Array.isArray(items) ? items.length : 0;
  return kind === "insert" ? index < length - 1 : index < length;
}

function below<Reader>(place: Place<Reader>, mark: (reader: Reader) => void): void {
  place.value?.readers.forEach(mark);
  place.shape?.readers.forEach(mark);
  if (place.below) for (const next of place.below.values()) below(next, mark);
}
