/** How changes are made to the lists and objects that they own: one at a time, or many together. */
import type { Json } from "../types.js";
import { put, type Step, type Tree } from "./tree.js";

/** Longer lists are edited in pieces. */
const SHORT = 512;

/** Where `many` changes are made, one costs the same wherever it is in a long list or in a large object. */
export class Draft {
  /** Most changes cut no list, and order no keys. */
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

  /** Whether lists are in pieces, and do not show what they hold. */
  get isCut(): boolean {
    return this.#lists !== undefined && this.#lists.size > 0;
  }

  /** Writes a list or an object as it has become, and has no more to do with it. */
  forget(tree: Tree): void {
    this.#lists?.get(tree)?.write(tree as Json[]);
    this.#lists?.delete(tree);
    this.#orders?.delete(tree);
  }

  /** Writes the lists and objects as they have become. */
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

/** A list in pieces, with a cursor: what is edited next is near to what was edited last. */
class CutList {
  readonly #pieces: Json[][] = [];
  #cursor = 0;
  /** The index at which the piece at the cursor begins. */
  #start = 0;

  constructor(list: Json[]) {
    for (let from = 0; from < list.length; from += SHORT) this.#pieces.push(list.slice(from, from + SHORT));
  }

  /** The piece that an index is in; the last one for the index behind it. */
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
    // Between two pieces it goes to the end of the first, where nothing makes room for it.
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
  behind: Link;
}

/** The order of an object's keys, to be changed. Its values stay in the object. */
class Order {
  readonly #links = new Map<string, Link>();
  /** Before the first key and behind the last one. */
  readonly #end = {} as Link;

  constructor(private readonly holder: { [key: string]: Json }) {
    this.#end.before = this.#end;
    this.#end.behind = this.#end;
    for (const key of Object.keys(holder)) this.move(key, undefined);
  }

  /** Puts a key before another one, or to the end. */
  move(key: string, next: string | undefined): this {
    this.remove(key);
    const behind = (next === undefined ? undefined : this.#links.get(next)) ?? this.#end;
    const link = { key, before: behind.before, behind };
    behind.before.behind = link;
    behind.before = link;
    this.#links.set(key, link);
    return this;
  }

  remove(key: string): void {
    const link = this.#links.get(key);
    if (link === undefined) return;
    link.before.behind = link.behind;
    link.behind.before = link.before;
    this.#links.delete(key);
  }

  /** Puts all keys once more, in their order. */
  write(): void {
    for (let link = this.#end.behind; link !== this.#end; link = link.behind) {
      const value = this.holder[link.key] as Json;
      delete this.holder[link.key];
      put(this.holder, link.key, value);
    }
  }
}
