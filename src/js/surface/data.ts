/** `DataModel`: the data of a surface. */
import { measure } from "../core/measure.js";
import { childOf, copyOf, deepFreeze, isInherited, isTree, put, type Tree } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import type { DeepReadonly, Json, Limits } from "../types.js";
import { indexOf, type Segments, segmentsOf, splitDotted } from "./paths.js";
import { orRefusal, overLimit, Refusal } from "./refusal.js";
import { readJson } from "./text.js";
import type { SurfaceProtocol } from "./types.js";

/** A change of one place. `undefined` means an absent value. */
export interface DataChange {
  /** Where a value is replaced, added or deleted. It is shorter than the path of the update if that creates lists and objects. */
  path: Segments;
  before: Json | undefined;
  after: Json | undefined;
  /** The list's length before, if the change adds an item after its end. */
  length?: number | undefined;
  /** By how much the size of the data has changed: see {@link Measure.bytes}. */
  bytes?: number;
  /** The type of a scalar that the change has overwritten. */
  overwritten?: string;
}

/** The maximum number of parsed texts in the cache. */
const MAX_PARSED_TEXTS = 1_000;

/** Data is changed in place. What a snapshot or a node contains is frozen, and copied when a change writes to it. */
export class DataModel {
  #root: Json = {};
  /** The size of the data: that of `{}` at first. */
  #bytes = 2;
  /** Counts the members that were copied, as work. {@link SurfaceTree.takeWork} resets it. */
  copied = 0;
  /** For A2UI v0.8: the lists and objects in texts, by the text; `undefined` for a text that has none. */
  readonly #parsedTexts = new Map<string, Json | undefined>();

  constructor(private readonly limits: Limits) {}

  /**
   * Replaces, creates or (`undefined`) deletes the value at a place. Returns the change; `undefined` if none exists. @throws
   * Refusal
   */
  update(segments: Segments, value: Json | undefined, protocol: SurfaceProtocol): DataChange | undefined {
    // A path of A2UI v0.8 that leads nowhere may be written with dots and brackets.
    const inTexts = protocol === "a2ui-0.8";
    const split = inTexts && this.read(segments, inTexts) === undefined && splitDotted(segments);
    const change = this.#plan(split || segments, value, protocol);
    if (change === undefined) return undefined;
    const { path, before, after, length } = change;
    const { maxDepth, maxDocumentBytes } = this.limits;
    let addedBytes = 0;
    if (after !== undefined) {
      const { bytes, depth, infinite } = measure(after);
      if (infinite) throw new Refusal("INVALID_MESSAGE", "A number is too large for JSON.");
      if (depth + path.length > maxDepth) throw overLimit("levels in the data model", maxDepth);
      // Nulls fill the list up to its new item: 5 bytes each, with the comma.
      const nulls = length === undefined ? 0 : Math.max(Number(path.at(-1)) - length, 0);
      addedBytes = bytes + nulls * 5;
    }
    const removedBytes = before === undefined ? 0 : measure(before).bytes;
    const total = Math.max(this.#bytes + addedBytes - removedBytes, 0);
    // Data over the limit may still shrink.
    if (total > maxDocumentBytes && addedBytes > removedBytes) throw overLimit("bytes of data", maxDocumentBytes);
    change.bytes = total - this.#bytes;
    this.#bytes = total;
    this.#write(change);
    return change;
  }

  /** Reverts a change: nothing at its place or around it may have changed since. Returns the change that this makes. */
  revert({ path, before, after, length, bytes = 0 }: DataChange): DataChange {
    this.#bytes -= bytes;
    const holder = path.slice(0, -1);
    const list = length === undefined ? undefined : this.read(holder);
    // An item that was added after the end leaves with the nulls that filled the list up to it.
    const reversal = Array.isArray(list)
      ? { path: holder, before: list, after: list.slice(0, length) }
      : { path, before: after, after: before };
    this.#write(reversal);
    return reversal;
  }

  /** The value at a place; `undefined` if none exists. With `inTexts` also inside of texts that contain a list or an object. */
  read(path: Segments, inTexts = false): Json | undefined {
    let node: Json | undefined = this.#root;
    for (const key of path) {
      if (inTexts && typeof node === "string") node = this.parsedText(node);
      node = memberOf(node, key);
      if (node === undefined) return undefined;
    }
    return node;
  }

  /** The list or object in a text; `undefined` for any other text. */
  parsedText(text: string): Json | undefined {
    if (!/^\s*[[{]/.test(text)) return undefined;
    if (this.#parsedTexts.has(text)) return this.#parsedTexts.get(text);
    const value = readJson(text, this.limits.maxDepth);
    // A symbol says that the text is not JSON, or too deep.
    const parsedValue = typeof value === "symbol" ? undefined : value;
    deepFreeze(parsedValue);
    if (this.#parsedTexts.size >= MAX_PARSED_TEXTS) this.#parsedTexts.clear();
    this.#parsedTexts.set(text, parsedValue);
    return parsedValue;
  }

  /** The data, frozen: later changes copy what they write to. */
  snapshot(): DeepReadonly<Json> {
    deepFreeze(this.#root);
    return this.#root;
  }

  /** Sets a member of the root, which must not be frozen yet. The key is not read as a path. */
  put(key: string, value: Json): void {
    put(this.#writable(this.#root), key, value);
  }

  /**
   * The change that an update would make; `undefined` for none. A value at the end of the path is replaced or deleted. Where the
   * path meets a scalar or an absent value before its end, new lists and objects for the other segments take that place.
   * @throws Refusal
   */
  #plan(segments: Segments, value: Json | undefined, protocol: SurfaceProtocol): DataChange | undefined {
    const { maxListGrowth } = this.limits;
    let node = this.#root;
    // The path of `node`, with indexes in place of `-`.
    const path: string[] = [];
    for (let depth = 0; depth < segments.length; depth++) {
      const segment = segments[depth] ?? "";
      const parsedValue = typeof node === "string" && protocol === "a2ui-0.8" ? this.parsedText(node) : undefined;
      if (parsedValue !== undefined) {
        // A text that contains a list or object is replaced by that value with the change.
        const innerModel = new DataModel(this.limits);
        innerModel.#root = parsedValue;
        const change = innerModel.update(segments.slice(depth), value, protocol);
        return change && { path, before: node, after: innerModel.#root };
      }
      if (!isTree(node)) {
        // Null may be replaced; another scalar only in GULF.
        if (node !== null && protocol !== "gulf") {
          const message = `/${path.join("/")} is neither an object nor a list, so /${segments.join("/")} cannot be set. Set /${path.join("/")} first.`;
          throw new Refusal("INVALID_PATH", message);
        }
        if (value === undefined) return undefined;
        const after = wrap(segments.slice(depth), value, maxListGrowth);
        return { path, before: node, after, ...(node !== null && { overwritten: typeof node }) };
      }
      // Set if `node` is a list without an item at the index: see `DataChange`.
      let length: number | undefined;
      let key = segment;
      if (Array.isArray(node)) {
        const index = segment === "-" ? node.length : indexOf(segment);
        if (index === undefined) {
          throw new Refusal("INVALID_PATH", `"${segment}" is no index of the list /${path.join("/")}.`);
        }
        // An item directly after the end may be added to a list of any length.
        if (value !== undefined && index > node.length && index >= maxListGrowth) throw tooMuchGrowth(maxListGrowth);
        if (index >= node.length) length = node.length;
        key = String(index);
      }
      path.push(key);
      const nextValue = memberOf(node, key);
      if (nextValue === undefined) {
        if (value === undefined) return undefined;
        const after = wrap(segments.slice(depth + 1), value, maxListGrowth);
        return { path, before: undefined, after, length };
      }
      if (value === undefined && depth === segments.length - 1) {
        // A list keeps its length: the other items stay in their places.
        const after = Array.isArray(node) ? null : undefined;
        return nextValue === after ? undefined : { path, before: nextValue, after };
      }
      node = nextValue;
    }
    // Deleting the whole model leaves an empty object.
    const after = value === undefined ? {} : value;
    return equal(after, node) ? undefined : { path, before: node, after };
  }

  /** Writes a planned change. Nulls fill a list up to its new item. */
  #write({ path, after }: DataChange): void {
    const lastKey = path.at(-1);
    if (lastKey === undefined) {
      this.#root = after ?? null;
      return;
    }
    let holder = this.#writable(this.#root);
    this.#root = holder;
    for (let depth = 0; depth < path.length - 1; depth++) {
      const key = path[depth] ?? "";
      const child = this.#writable(childOf(holder, key));
      put(holder, key, child);
      holder = child;
    }
    if (!Array.isArray(holder)) {
      if (after === undefined) delete holder[lastKey];
      else put(holder, lastKey, after);
    } else {
      while (holder.length < Number(lastKey)) holder.push(null);
      holder[Number(lastKey)] = after ?? null;
    }
  }

  /** A list or an object of the model to write to: a copy if it is frozen. */
  #writable(node: Json): Tree {
    if (!isTree(node)) throw new Refusal("INVALID_PATH", "The path leads through a scalar.");
    if (!Object.isFrozen(node)) return node;
    const copy = copyOf(node);
    this.copied += Array.isArray(copy) ? copy.length : Object.keys(copy).length;
    return copy;
  }
}

/** The own member of an object, or the item of a list by its index; `undefined` if none exists. */
export function memberOf(node: Json | undefined, key: string): Json | undefined {
  if (!isTree(node)) return undefined;
  if (Array.isArray(node)) return indexOf(key) === undefined ? undefined : node[Number(key)];
  const member = node[key];
  // The own member is only looked for if the value may come from the prototype.
  return member !== undefined && isInherited(key, member) && !Object.hasOwn(node, key) ? undefined : member;
}

/**
 * The contents of an A2UI v0.8 message, with keys that are paths (`items[0].label`) replaced by lists and objects, at all levels.
 * Other keys stay, and so do those that cannot be set as a path.
 */
export function unfold(contents: Json, limits: Limits): Json {
  if (!isTree(contents) || Array.isArray(contents)) return contents;
  const model = new DataModel(limits);
  for (const [key, value] of Object.entries(contents)) {
    const inner = unfold(value, limits);
    // GULF has the paths with dots and brackets.
    const path = /[.[]/.test(key) ? segmentsOf(key, "gulf") : undefined;
    const isPath = path && path.length > 1;
    if (isPath && !(orRefusal(() => model.update(path, inner, "a2ui-0.8")) instanceof Refusal)) continue;
    model.put(key, inner);
  }
  return model.read([]) ?? null;
}

/** The value inside of new lists and objects, one for each segment. Nulls fill a list up to the index. @throws Refusal */
const wrap = (segments: Segments, value: Json, maxListGrowth: number): Json =>
  segments.reduceRight((inner: Json, segment) => {
    const index = segment === "-" ? 0 : indexOf(segment);
    if (index === undefined) return { [segment]: inner };
    if (index > 0 && index >= maxListGrowth) throw tooMuchGrowth(maxListGrowth);
    return [...Array<null>(index).fill(null), inner];
  }, value);

const tooMuchGrowth = (limit: number): Refusal => overLimit("items by which an index makes a list grow", limit);
