/** Type guards for JSON values, and small functions on objects and maps. */
import type { Json } from "../types.js";

/** An object that JSON can carry. */
export type Members = { [key: string]: Json };

/** Whether a value is an object that is neither a list nor null. `Value`, the type of its members, is not checked. */
export function isObject<Value = unknown>(value: unknown): value is { [key: string]: Value } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** The type of a JSON value, as JSON Schema names it. */
export const typeName = (value: Json | undefined): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

/** Whether a value is a list of strings. */
export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

/** An object with the same keys, and the results of a function for the values. */
export function mapMembers<Value, Result>(
  members: { readonly [key: string]: Value },
  make: (value: Value, key: string) => Result,
): { [key: string]: Result } {
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, make(value, key)]));
}

/** The value of a key in a map, inserted if the map does not have the key. */
export function getOrInsert<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
