/** `jsonDiff`: compares two JSON values, field by field or as edits. */
import { misuse } from "../core/errors.js";
import { requireJson } from "../core/json.js";
import { isObject, type Members } from "../core/kinds.js";
import { oneOf, RULES, requireOptions, TEXTS, wrong } from "../core/require.js";
import type { Change, Json, JsonDiff, Rules } from "../types.js";
import { equal, has, keysOf } from "./equal.js";
import { changesBetween } from "./walk.js";

export interface JsonDiffOptions {
  /** The top-level fields to compare. Default, also for an empty list: all. */
  fields?: readonly string[] | undefined;
  /** `"shallow"`, the default, returns fields; `"deep"` returns changes with their paths. */
  depth?: "shallow" | "deep" | undefined;
  /** The rules by which deep changes match list items, as paths address them. Default `"ui"`. */
  rules?: Rules | undefined;
}

/**
 * Compares two JSON values. Shallow: field by field; a side is left out where the field is absent.
 * Deep: edits that turn `before` into `after`, in order. List items are matched by id, so that an item that moved is one
 * move. The order of keys does not matter.
 *
 * ```ts
 * jsonDiff({ a: 1, b: { x: 1 } }, { b: { x: 1 }, c: 2 }); // { a: { before: 1 }, c: { after: 2 } }
 * jsonDiff({ l: [{ id: 1 }] }, { l: [{ id: 2 }, { id: 1 }] }, { depth: "deep" });
 * // [{ kind: "insert", path: ["l", 0], value: { id: 2 } }]
 * ```
 *
 * The values of the diff are those of the arguments, not copies of them.
 * @throws GenuiPatchError `INVALID_ARGUMENT` for values that JSON cannot carry, `LIMIT_EXCEEDED` for more than 600 levels.
 */
export function jsonDiff(before: unknown, after: unknown, options?: JsonDiffOptions & { depth?: "shallow" }): JsonDiff;
/** The edits that turn `before` into `after`, in order. */
export function jsonDiff(before: unknown, after: unknown, options: JsonDiffOptions & { depth: "deep" }): Change[];
/** The fields that differ, or with `depth: "deep"` the changes. */
export function jsonDiff(before: unknown, after: unknown, options?: JsonDiffOptions): JsonDiff | Change[];
export function jsonDiff(before: unknown, after: unknown, options: JsonDiffOptions = {}): JsonDiff | Change[] {
  requireOptions("jsonDiff", options, { fields: TEXTS, depth: oneOf("shallow", "deep"), rules: RULES });
  const { depth = "shallow", rules = "ui" } = options;
  const fields = options.fields?.length ? options.fields : undefined;
  if (depth === "shallow")
    return differingFields(requireMembers(before, "before"), requireMembers(after, "after"), fields);
  if (fields === undefined) return changesBetween(requireValue(before, "before"), requireValue(after, "after"), rules);
  const fieldsOf = (value: unknown, argument: string) => pickFields(requireMembers(value, argument), fields);
  return changesBetween(fieldsOf(before, "before"), fieldsOf(after, "after"), rules);
}

/** The sides of each field that differs, among `fields` or else all fields of both objects. */
function differingFields(before: Members, after: Members, fields: readonly string[] | undefined): JsonDiff {
  const entries: [string, JsonDiff[string]][] = [];
  for (const field of fields ?? new Set([...keysOf(before), ...keysOf(after)])) {
    const oldValue = memberOf(before, field);
    const newValue = memberOf(after, field);
    const areEqual = oldValue !== undefined && newValue !== undefined && equal(oldValue, newValue);
    if (oldValue === newValue || areEqual) continue;
    const sides: JsonDiff[string] = {};
    if (oldValue !== undefined) sides.before = requireJson(oldValue, "before");
    if (newValue !== undefined) sides.after = requireJson(newValue, "after");
    entries.push([field, sides]);
  }
  return Object.fromEntries(entries);
}

/** The value of an own key; `undefined` if it is absent. */
const memberOf = (object: Members, key: string): Json | undefined => (has(object, key) ? object[key] : undefined);

/** An object without its other fields. */
function pickFields(object: Members, fields: readonly string[]): Members {
  return Object.fromEntries(
    fields.filter((field) => has(object, field)).map((field) => [field, object[field] ?? null]),
  );
}

/** Tells TypeScript that a value is JSON, which is checked where it is compared or becomes a part of the diff. */
const isPresent = (value: unknown): value is Json => value !== undefined;

function requireValue(value: unknown, argument: string): Json {
  if (isPresent(value)) return value;
  throw misuse(`jsonDiff: the value ${argument} is missing.`);
}

/** Requires an object. `undefined` and null mean one without fields. */
function requireMembers(value: unknown, argument: string): Members {
  const members = value ?? {};
  if (isObject<Json>(members)) return members;
  throw wrong("jsonDiff", argument, "an object", value);
}
