/** `Comparisons`: the differences between the documents of many proposals and one current document. */
import { getOrInsert } from "../core/kinds.js";
import { applied } from "../core/mirror.js";
import { equal } from "../diff/equal.js";
import type { Change, Json, Rules } from "../types.js";
import { type Entry, entriesBetween } from "./entries.js";
import type { ShownChange } from "./types.js";

/** Comparisons with one document as it is now: many proposals share the document on which they were made. */
export class Comparisons {
  readonly #known = new Map<Json | undefined, Comparison>();
  #current: Json | undefined;
  #rules: Rules | undefined;

  between(base: Json | undefined, current: Json | undefined, rules: Rules): Comparison {
    // Comparisons with a replaced document would keep that document alive.
    if (current !== this.#current || rules !== this.#rules) this.#known.clear();
    this.#current = current;
    this.#rules = rules;
    return getOrInsert(this.#known, base, () => compare(base, current, rules));
  }

  clear(): void {
    this.#known.clear();
    this.#current = undefined;
  }
}

interface Comparison {
  /** Changes since the proposal was made. */
  others: Entry[];
  /** The document on which the proposal was made. */
  base: Json | undefined;
}

function compare(base: Json | undefined, current: Json | undefined, rules: Rules): Comparison {
  const others = entriesOf(base, current, rules);
  if (others.length === 0) return { others, base: current };
  if (base === undefined || current === undefined) return { others, base };
  // Rebuilt on the current document, the base shares what is equal with it, and the next comparison is short.
  return { others, base: applied(current, entriesOf(current, base, rules).map(toChange), false) };
}

/** As {@link entriesBetween}, for documents that may be absent: then the one entry sets or removes the whole document. */
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
