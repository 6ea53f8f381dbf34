/** Who reads what of the data. */
import type { Change } from "../types.js";
import type { DataModel, Segments } from "./data.js";

/** Those who want to know of changes of one kind at a place. */
export interface Watch<Reader> {
  readonly place: Place<Reader>;
  readonly readers: Set<Reader>;
}

/** A place in the data, with those who read it. */
interface Place<Reader> {
  readonly above: Place<Reader> | undefined;
  readonly key: string;
  below?: Map<string, Place<Reader>>;
  /** Of every change at and below. */
  value?: Watch<Reader>;
  /** Of which items or keys there are. */
  shape?: Watch<Reader>;
}

/** Who reads which place. */
export class Readers<Reader> {
  readonly #root: Place<Reader> = { above: undefined, key: "" };

  add(path: Segments, reader: Reader, kind: "value" | "shape"): Watch<Reader> {
    let place = this.#root;
    for (const key of path) {
      place.below ??= new Map();
      let next = place.below.get(key);
      if (next === undefined) {
        next = { above: place, key };
        place.below.set(key, next);
      }
      place = next;
    }
    place[kind] ??= { place, readers: new Set() };
    place[kind].readers.add(reader);
    return place[kind];
  }

  remove({ place, readers }: Watch<Reader>, reader: Reader): void {
    readers.delete(reader);
    let empty = place;
    while (empty.above && !empty.value?.readers.size && !empty.shape?.readers.size && !empty.below?.size) {
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
