/** Equality of JSON values: the order of keys does not matter, and a property that is `undefined` is absent. */
import { misuse } from "../core/errors.js";
import { DEEP, tooDeepError } from "../core/json.js";
import type { Members } from "../core/kinds.js";
import type { Json } from "../types.js";

/**
 * Whether two values are equal. `depth` is the number of values around them.
 * @throws GenuiPatchError `LIMIT_EXCEEDED` for values that are too deep, `INVALID_ARGUMENT` for a date, a map or a set.
 */
export function equal(a: Json, b: Json, depth = 0): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (depth > DEEP) throw tooDeepError("values");
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index++) {
      // A hole or `undefined` in a list is null, as JSON.stringify writes it.
      if (!equal(a[index] ?? null, b[index] ?? null, depth + 1)) return false;
    }
    return true;
  }
  if (Array.isArray(b)) return false;
  const keys = keysOf(a);
  const otherKeys = keysOf(b);
  if (keys.length !== otherKeys.length) return false;
  let index = 0;
  for (const key of keys) {
    // The keys of two objects mostly have the same order: then no look-up is needed.
    if (key !== otherKeys[index++] && !has(b, key)) return false;
    if (!equal(a[key] ?? null, b[key] ?? null, depth + 1)) return false;
  }
  return true;
}

/** The keys whose values are not `undefined`. */
export function keysOf(object: Members): string[] {
  const keys = Object.keys(object);
  if (keys.length === 0) requirePlainObject(object);
  for (const key of keys) if (object[key] === undefined) return keys.filter((key) => object[key] !== undefined);
  return keys;
}

/** Whether an object has an own key whose value is not `undefined`. */
export function has(object: Members, key: string): boolean {
  return Object.hasOwn(object, key) && object[key] !== undefined;
}

/** Refuses dates, maps and sets: they have no keys, so all of them would be equal. */
function requirePlainObject(object: object): void {
  const prototype = Object.getPrototypeOf(object);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return;
  throw misuse(`A ${prototype.constructor?.name ?? "value"} is not a JSON value.`);
}

/** Gives equal values the same number, so that a value that is compared with many others is walked only once. */
export class Shapes {
  /** Numbers values and keys by a text that describes them. */
  readonly #numberOf = numbers();
  /** The numbers of lists and objects that were walked before. */
  readonly #cache = new Map<object, number>();

  /** The number of a value. `depth` is the number of values around it. */
  of(value: Json, depth = 0): number {
    if (typeof value !== "object" || value === null) return this.#numberOf(`${typeof value} ${value}`);
    const cached = this.#cache.get(value);
    if (cached !== undefined) return cached;
    if (depth > DEEP) throw tooDeepError("values");
    // A list is described by the numbers of its items, an object by those of its keys and values, e.g. `{2:0,3:1`.
    let text: string;
    if (Array.isArray(value)) {
      // A hole or `undefined` is null, as in `equal`. `map` would leave holes out.
      text = `[${Array.from(value, (item) => this.of(item ?? null, depth + 1))}`;
    } else {
      const keys = keysOf(value).sort();
      text = `{${keys.map((key) => `${this.#numberOf(`key ${key}`)}:${this.of(value[key] ?? null, depth + 1)}`)}`;
    }
    const number = this.#numberOf(text);
    this.#cache.set(value, number);
    return number;
  }
}

/** Returns a function that numbers texts from 0, in the order in which they come: equal texts have the same number. */
export function numbers(): (piece: string) => number {
  const numberOfText = new Map<string, number>();
  return (piece) => {
    const number = numberOfText.get(piece) ?? numberOfText.size;
    numberOfText.set(piece, number);
    return number;
  };
}
