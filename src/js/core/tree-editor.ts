/** `TreeEditor`: edits lists and objects in place, one edit at a time or many together. */
import type { Json } from "../types.js";
import { childOf, put, type Step, type Tree } from "./tree.js";

/** The number of items in a piece. Longer lists are edited in pieces, so that an edit moves few items. */
const SHORT = 512;

/**
 * Edits lists and objects. `holder` is always the list or object that has the edited item or key.
 *
 * An editor for many edits keeps the items of long lists and the order of some keys in itself, so that each edit costs the same.
 * Read by `get`, and call `finish` before anything else reads the lists and objects.
 */
export class TreeEditor {
  /** The items of long lists that were edited. Undefined until an edit needs it. */
  #lists: Map<Json[], CutList> | undefined;
  /** The order of the keys of objects into which a key was inserted. Undefined until an edit needs it. */
  #orders: Map<Tree, Order> | undefined;

  constructor(private readonly edits: "one" | "many") {}

  /** The value of an item or a key that exists. */
  get(holder: Tree, step: Step): Json | undefined {
    const pieces = Array.isArray(holder) ? this.#lists?.get(holder) : undefined;
    return pieces !== undefined && typeof step === "number" ? pieces.get(step) : childOf(holder, step);
  }

  /** Sets the value of an item or a key that exists. */
  put(holder: Tree, step: Step, value: Json): void {
    const pieces = Array.isArray(holder) ? this.#lists?.get(holder) : undefined;
    if (pieces !== undefined && typeof step === "number") pieces.put(step, value);
    else put(holder, step, value);
  }

  /**
   * Inserts an item, or a key of an object. `next`: the key in front of which the key is inserted, or moved if it exists. Without
   * it a new key becomes the last one.
   */
  insert(holder: Tree, step: Step, value: Json, next?: string): void {
    if (Array.isArray(holder)) {
      const index = Number(step);
      const pieces = this.#pieces(holder);
      if (pieces === undefined) holder.splice(index, 0, value);
      else pieces.insert(index, value);
      return;
    }
    const key = String(step);
    let order = this.#orders?.get(holder);
    put(holder, key, value);
    // No order is needed without `next`, or if `next` is the key itself: the key is where the object has it.
    if (order === undefined && next !== undefined && next !== key) {
      order = new Order(holder);
      this.#orders ??= new Map();
      if (this.edits === "many") this.#orders.set(holder, order);
    }
    order?.move(key, next);
    if (this.edits === "one") order?.write();
  }

  /** Removes an item or a key, and returns its value. */
  remove(holder: Tree, step: Step): Json {
    if (Array.isArray(holder)) {
      const pieces = this.#pieces(holder);
      return pieces === undefined ? removeAt(holder, Number(step)) : pieces.remove(Number(step));
    }
    this.#orders?.get(holder)?.remove(String(step));
    const value = childOf(holder, step);
    delete holder[step];
    return value;
  }

  /** Whether the items of some lists are in pieces, and not in the lists. */
  get isCut(): boolean {
    return this.#lists !== undefined && this.#lists.size > 0;
  }

  /** Writes the edits of one list or object to it, and removes it from the editor: the caller no longer edits it. */
  forget(tree: Tree): void {
    if (Array.isArray(tree)) {
      this.#lists?.get(tree)?.write(tree);
      this.#lists?.delete(tree);
    }
    this.#orders?.get(tree)?.write();
    this.#orders?.delete(tree);
  }

  /** Writes all edits to the lists and objects. */
  finish(): void {
    for (const [list, pieces] of this.#lists ?? []) pieces.write(list);
    for (const order of this.#orders?.values() ?? []) order.write();
  }

  /** The pieces of a list that is edited in pieces; `undefined` for any other list. */
  #pieces(holder: Json[]): CutList | undefined {
    let pieces = this.#lists?.get(holder);
    if (pieces === undefined && this.edits === "many" && holder.length > SHORT) {
      pieces = new CutList(holder);
      this.#lists ??= new Map();
      this.#lists.set(holder, pieces);
    }
    return pieces;
  }
}

function removeAt(list: Json[], index: number): Json {
  const [removed = null] = list.splice(index, 1);
  return removed;
}

/**
 * A list in pieces of less than `2 * SHORT` items, with a cursor, since an edit is often close to the one before. An index is that
 * of an item in the whole list.
 */
class CutList {
  readonly #pieces: Json[][] = [];
  /** The index in `#pieces` of the last used piece. */
  #cursor = 0;
  /** The index at which the piece at the cursor begins. */
  #start = 0;

  constructor(list: Json[]) {
    for (let start = 0; start < list.length; start += SHORT) this.#pieces.push(list.slice(start, start + SHORT));
  }

  /** Moves the cursor to the piece with an index, and returns it. The index after the last item is in the last piece. */
  #seek(index: number): Json[] {
    while (index < this.#start) {
      this.#cursor -= 1;
      this.#start -= this.#piece().length;
    }
    for (;;) {
      const piece = this.#piece();
      if (index < this.#start + piece.length || this.#cursor + 1 === this.#pieces.length) return piece;
      this.#start += piece.length;
      this.#cursor += 1;
    }
  }

  /** The piece at the cursor. */
  #piece(): Json[] {
    return this.#pieces[this.#cursor] ?? [];
  }

  get(index: number): Json | undefined {
    return this.#seek(index)[index - this.#start];
  }

  put(index: number, value: Json): void {
    this.#seek(index)[index - this.#start] = value;
  }

  insert(index: number, value: Json): void {
    let piece = this.#seek(index);
    // Between two pieces, append to the first one: then no item has to move.
    if (index === this.#start && this.#cursor > 0) {
      this.#cursor -= 1;
      piece = this.#piece();
      this.#start -= piece.length;
    }
    piece.splice(index - this.#start, 0, value);
    if (piece.length >= 2 * SHORT) this.#pieces.splice(this.#cursor + 1, 0, piece.splice(SHORT));
  }

  remove(index: number): Json {
    return removeAt(this.#seek(index), index - this.#start);
  }

  /** Replaces the items of a list by these. */
  write(list: Json[]): void {
    list.length = 0;
    for (const piece of this.#pieces) for (const item of piece) list.push(item);
  }
}

/** A key in an {@link Order}, and the links `before` and `after` it. A new link is alone: it follows itself. */
class Link {
  before: Link = this;
  after: Link = this;

  constructor(readonly key: string) {}
}

/** The order of an object's keys as a linked list. The values stay in the object. */
class Order {
  /** The link of each key. */
  readonly #links = new Map<string, Link>();
  /** The sentinel between the last key and the first one: the list is a ring. */
  readonly #end = new Link("");

  constructor(private readonly holder: { [key: string]: Json }) {
    for (const key of Object.keys(holder)) this.move(key);
  }

  /** Moves a key, or adds a new one, in front of the key `next`; to the end if `next` is undefined or no key. */
  move(key: string, next?: string): void {
    this.remove(key);
    const nextLink = (next === undefined ? undefined : this.#links.get(next)) ?? this.#end;
    const link = new Link(key);
    link.before = nextLink.before;
    link.after = nextLink;
    nextLink.before.after = link;
    nextLink.before = link;
    this.#links.set(key, link);
  }

  remove(key: string): void {
    const link = this.#links.get(key);
    if (link === undefined) return;
    link.before.after = link.after;
    link.after.before = link.before;
    this.#links.delete(key);
  }

  /** Deletes and inserts all keys, in their order: an object has its keys in the order of insertion. */
  write(): void {
    for (let link = this.#end.after; link !== this.#end; link = link.after) {
      const value = childOf(this.holder, link.key);
      delete this.holder[link.key];
      put(this.holder, link.key, value);
    }
  }
}
