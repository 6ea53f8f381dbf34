/** `Comparisons`: the differences between the documents of many proposals and one current document. */
import { getOrInsert } from "../core/kinds.js";
import { applied } from "../core/mirror.js";
import type { Change, Json, Rules, ShownChange } from "../types.js";
import { type Entry, entriesBetween } from "./entries.js";
import { equal } from "./equal.js";

/**
 * A cache of comparisons with the current document: many proposals have the same base, the document on which they were made.
 * Documents are compared by identity, since snapshots never change. `undefined` is an absent document.
 */
export class Comparisons {
  /** By base: the comparison with the current document. */
  readonly #cache = new Map<Json | undefined, Comparison>();
  /** The document and the rules of the comparisons in the cache. */
  #current: Json | undefined;
  #rules: Rules | undefined;

  /** The changes that have led from `base` to the current document. */
  between(base: Json | undefined, current: Json | undefined, rules: Rules): Comparison {
    // The cache is for one current document and its rules. It also must not keep a replaced document alive.
    if (current !== this.#current || rules !== this.#rules) this.#cache.clear();
    this.#current = current;
    this.#rules = rules;
    return getOrInsert(this.#cache, base, () => compare(base, current, rules));
  }

  /** Releases the documents. */
  clear(): void {
    this.#cache.clear();
    this.#current = undefined;
  }
}

interface Comparison {
  /** The changes since the proposal was made; empty if none exist. */
  others: Entry[];
  /** A document equal to the base, for the proposal to keep in its place: it shares parts with the current document. */
  base: Json | undefined;
}

function compare(base: Json | undefined, current: Json | undefined, rules: Rules): Comparison {
  const others = entriesOf(base, current, rules);
  if (others.length === 0) return { others, base: current };
  if (base === undefined || current === undefined) return { others, base };
  // The changes back to the base, made to the current document: the next comparison need not look into shared parts.
  return { others, base: applied(current, entriesOf(current, base, rules).map(toChange)) };
}

/** As {@link entriesBetween}, for documents that may be absent: then the only entry sets or removes the whole document. */
export function entriesOf(base: Json | undefined, after: Json | undefined, rules: Rules): Entry[] {
  if (base !== undefined && after !== undefined) return entriesBetween(base, after, rules);
  if (base === after) return [];
  const change: ShownChange =
    after === undefined ? { kind: "remove", path: [], before: base ?? null } : { kind: "set", path: [], value: after };
  return [{ change, place: [] }];
}

/** Whether two values that may be absent are equal. */
export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && equal(a, b));
}

/** The change of an entry, without its `before`. */
export function toChange({ change: { before: _, ...change } }: Entry): Change {
  return change;
}
