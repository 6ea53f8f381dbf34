/** `Draft`: edits lists and objects in place, one edit at a time or many together. */
import type { Json } from "../types.js";
import { put, type Step, type Tree } from "./tree.js";

/** Items of a piece. Longer lists are edited in pieces. */
const SHORT = 512;

/** With `many` edits, each one costs the same, wherever it is in a long list or a large object. */
export class Draft {
  /** Undefined until an edit needs them. */
  #lists: Map<Tree, CutList> | undefined;
  #orders: Map<Tree, Order> | undefined;

  constructor(private readonly many: boolean) {}

  get(holder: Tree, step: Step): Json | undefined {
    const pieces = this.#lists?.get(holder);
    return pieces === undefined ? (holder as Record<Step, Json>)[step] : pieces.get(step as number);
  }

  put(holder: Tree, step: Step, value: Json): void {
    const pieces = this.#lists?.get(holder);
    if (pieces === undefined) put(holder, step, value);
    else pieces.put(step as number, value);
  }

  insert(holder: Tree, step: Step, value: Json, next: string | undefined): void {
    if (Array.isArray(holder)) {
      const pieces = this.#pieces(holder);
      if (pieces === undefined) holder.splice(step as number, 0, value);
      else pieces.insert(step as number, value);
      return;
    }
    let order = this.#orders?.get(holder);
    put(holder, step, value);
    if (order === undefined && next !== undefined && next !== step) {
      order = new Order(holder);
      this.#orders ??= new Map();
      if (this.many) this.#orders.set(holder, order);
    }
    order?.move(step as string, next);
    if (!this.many) order?.write();
  }

  remove(holder: Tree, step: Step): Json {
    if (Array.isArray(holder)) {
      const pieces = this.#pieces(holder);
      return pieces === undefined ? (holder.splice(step as number, 1)[0] as Json) : pieces.remove(step as number);
    }
    this.#orders?.get(holder)?.remove(step as string);
    const value = holder[step] as Json;
    delete holder[step];
    return value;
  }

  /** Whether the items of some lists are in pieces, and not in the lists. */
  get isCut(): boolean {
    return this.#lists !== undefined && this.#lists.size > 0;
  }

  /** Writes the edits of one list or object, and removes it from the draft. */
  forget(tree: Tree): void {
    this.#lists?.get(tree)?.write(tree as Json[]);
    this.#lists?.delete(tree);
    this.#orders?.delete(tree);
  }

  /** Writes all edits to the lists and objects. */
  finish(): void {
    for (const [list, pieces] of this.#lists ?? []) pieces.write(list as Json[]);
    for (const order of this.#orders?.values() ?? []) order.write();
  }

  #pieces(holder: Json[]): CutList | undefined {
    let pieces = this.#lists?.get(holder);
    if (pieces === undefined && this.many && holder.length > SHORT) {
      pieces = new CutList(holder);
      this.#lists ??= new Map();
      this.#lists.set(holder, pieces);
    }
    return pieces;
  }
}

/** A list in pieces, with a cursor, since an edit is often close to the one before. */
class CutList {
  readonly #pieces: Json[][] = [];
  #cursor = 0;
  /** The index at which the piece at the cursor begins. */
  #start = 0;

  constructor(list: Json[]) {
    for (let from = 0; from < list.length; from += SHORT) this.#pieces.push(list.slice(from, from + SHORT));
  }

  /** The piece with an index. The index after the last item is in the last piece. */
  #seek(index: number): Json[] {
    while (index < this.#start) {
      this.#cursor -= 1;
      this.#start -= (this.#pieces[this.#cursor] as Json[]).length;
    }
    for (;;) {
      const piece = this.#pieces[this.#cursor] as Json[];
      if (index < this.#start + piece.length || this.#cursor + 1 === this.#pieces.length) return piece;
      this.#start += piece.length;
      this.#cursor += 1;
    }
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
      piece = this.#pieces[this.#cursor] as Json[];
      this.#start -= piece.length;
    }
    piece.splice(index - this.#start, 0, value);
    if (piece.length >= 2 * SHORT) this.#pieces.splice(this.#cursor + 1, 0, piece.splice(SHORT));
  }

  remove(index: number): Json {
    return this.#seek(index).splice(index - this.#start, 1)[0] as Json;
  }

  write(list: Json[]): void {
    list.length = 0;
    for (const piece of this.#pieces) for (const item of piece) list.push(item);
  }
}

interface Link {
  key: string;
  before: Link;
  after: Link;
}

/** The order of an object's keys as a linked list. The values stay in the object. */
class Order {
  readonly #links = new Map<string, Link>();
  /** The sentinel between the last key and the first one. */
  readonly #end = {} as Link;

  constructor(private readonly holder: { [key: string]: Json }) {
    this.#end.before = this.#end;
    this.#end.after = this.#end;
    for (const key of Object.keys(holder)) this.move(key, undefined);
  }

  /** Moves a key in front of another one, or to the end. */
  move(key: string, next: string | undefined): this {
    this.remove(key);
    const after = (next === undefined ? undefined : this.#links.get(next)) ?? this.#end;
    const link = { key, before: after.before, after };
    after.before.after = link;
    after.before = link;
    this.#links.set(key, link);
    return this;
  }

  remove(key: string): void {
    const link = this.#links.get(key);
    if (link === undefined) return;
    link.before.after = link.after;
    link.after.before = link.before;
    this.#links.delete(key);
  }

  /** Inserts all keys again, in their order. */
  write(): void {
    for (let link = this.#end.after; link !== this.#end; link = link.after) {
      const value = this.holder[link.key] as Json;
      delete this.holder[link.key];
      put(this.holder, link.key, value);
    }
  }
}
