/**
 * Checks the arguments of one of the application's own tools against its JSON Schema. The table `CHECKS` has the keywords that
 * are checked; all others are ignored. The core (`src/patch/schema.rs`) checks the same keywords with the same verdicts, but is a
 * part of the store's module of 83 KB, which an agent without a store need not load. This file is loaded with the first call of
 * such a tool, and imports nothing, for the reason that `calls.ts` gives.
 */
import type { Json } from "../../types.js";

/** Where a value breaks a schema, and what is required there. */
export interface Violation {
  /** The place in the value, such as `filters.0.field`; empty for the whole value. */
  path: string;
  /** As the end of a sentence: `must be a string`. */
  message: string;
}

/** The maximum depth of schemas inside each other. A reference counts as a level, since a schema may refer to itself. */
const DEEPEST = 256;
/** Schemas that one check may visit: `anyOf` in `anyOf` multiplies the visits. */
const MAX_STEPS = 200_000;
/** The longest text, in UTF-16 units, that is tested by a pattern, which may take long. Longer texts do not match. */
const LONGEST_TESTED = 10_000;

type Keywords = { readonly [keyword: string]: unknown };
type Path = readonly (string | number)[];

/**
 * Checks one keyword. `given` is the keyword's value in the schema, of any form. Returns a message about the value itself, a
 * violation inside of it, or a falsy value if it fits. A keyword accepts all values of types that it is not about.
 */
type Check = (walk: Walk, given: unknown, value: Json, at: Position) => Violation | string | false | undefined;

/** Where a check is: in the value, and in the schemas. */
interface Position {
  /** Where the value is within the arguments. */
  path: Path;
  /** The schema that has the keyword. */
  schema: Keywords;
  /** The depth of a schema inside `schema`: one more than its own. */
  depth: number;
}

/** The first violation of a schema; `undefined` for a value that fits. */
export function violationOf(schema: unknown, value: Json): Violation | undefined {
  return new Walk(schema).schema(schema, value, [], 0);
}

/** One check of a value. `root` is the whole schema, in which references are looked up. */
class Walk {
  /** Schemas visited so far. */
  #steps = 0;

  constructor(readonly root: unknown) {}

  /** The first violation of a schema at a path of the arguments. @throws RangeError beyond `DEEPEST` or `MAX_STEPS`. */
  schema(schema: unknown, value: Json, path: Path, depth: number): Violation | undefined {
    this.#steps += 1;
    if (depth > DEEPEST || this.#steps > MAX_STEPS)
      throw new RangeError("The arguments take too many steps to check against the schema.");
    if (schema === false) return { path: path.join("."), message: "must not be there" };
    if (!isObject(schema)) return undefined;
    const position = { path, schema, depth: depth + 1 };
    for (const [keyword, given] of Object.entries(schema)) {
      const fault = CHECKS.get(keyword)?.(this, given, value, position);
      if (fault) return isText(fault) ? { path: path.join("."), message: fault } : fault;
    }
    return undefined;
  }

  /** Whether a value at this position also fits another schema. */
  fits(schema: unknown, value: Json, { path, depth }: Position): boolean {
    return this.schema(schema, value, path, depth) === undefined;
  }

  /**
   * The schema that a reference leads to: `#`, `#/$defs/name`, or `#anchor` of a schema in `$defs`. For a reference out of the
   * root it is `true`, which every value fits.
   */
  resolve(reference: string): unknown {
    const [, fragment] = /^#(.*)$/.exec(reference) ?? [];
    if (fragment === undefined) return true;
    // A JSON Pointer begins with "/", so its first step is empty.
    const [anchor, ...steps] = decodeURIComponent(fragment).split("/");
    const target = anchor
      ? Object.values(toKeywords(toKeywords(this.root).$defs)).find((schema) => toKeywords(schema).$anchor === anchor)
      : steps.reduce<unknown>(
          (schema, step) => memberOf(schema, step.replace(/~1/g, "/").replace(/~0/g, "~")),
          this.root,
        );
    if (target !== undefined) return target;
    throw new TypeError(`The schema has nothing at ${JSON.stringify(reference)}.`);
  }
}

const toKeywords = (schema: unknown): Keywords => (isObject(schema) ? schema : {});
const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The member or item that a step of a JSON Pointer leads to. */
function memberOf(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

// `isText`, `isObject` and `equal` are in other files of the package too, which this file must not import.

const isText = (value: unknown): value is string => typeof value === "string";
const isObject = (value: unknown): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** The type of a value, as JSON Schema names it; "number" also for an integer. */
const typeOf = (value: Json): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

/** Equality of JSON values: the order of keys does not matter. */
function equal(a: Json, b: Json): boolean {
  if (a === b || typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const [entries, otherEntries] = [Object.entries(a), Object.entries(b)];
  if (Array.isArray(a) !== Array.isArray(b) || entries.length !== otherEntries.length) return false;
  const otherMembers = new Map(otherEntries);
  return entries.every(([key, value]) => {
    const otherValue = otherMembers.get(key);
    return otherValue !== undefined && equal(value, otherValue);
  });
}

/** Tells TypeScript that a value in a schema is JSON, as all of them are. */
const isJson = (value: unknown): value is Json => value !== undefined;
const isList = (value: Json): value is Json[] => Array.isArray(value);
/** A value as JSON for a message, cut off if it is long. */
const excerpt = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

function isOfType(value: Json, type: unknown): boolean {
  if (type === "integer") return typeof value === "number" && Number.isInteger(value);
  return typeOf(value) === type;
}

/** Whether a number is a multiple of another one, up to the rounding of doubles: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  const quotient = value / divisor;
  return Number.isFinite(quotient) && Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.abs(quotient);
}

/** @throws SyntaxError for a pattern that is no regular expression. */
function matches(pattern: string, text: string): boolean {
  if (text.length > LONGEST_TESTED) return false;
  // JSON Schema means Unicode patterns. Some schemas have escapes, such as `\-`, that are allowed only without `u`.
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return new RegExp(pattern).test(text);
  }
}

/**
 * Checks the size of a value against the keyword's value. `measure` returns `undefined` for values that have no such size, which
 * fit. `what` begins the message; the limit ends it.
 */
const limit =
  (
    measure: (value: Json) => number | undefined,
    holds: (size: number, limit: number) => boolean,
    what: string,
  ): Check =>
  (_, given, value) => {
    const size = measure(value);
    return size !== undefined && typeof given === "number" && !holds(size, given) && `${what} ${given}`;
  };

const numberOf = (value: Json) => (typeof value === "number" ? value : undefined);
/** In characters, as JSON Schema counts: a surrogate pair is one. */
const lengthOf = (value: Json) => (isText(value) ? [...value].length : undefined);
const countOf = (value: Json) => (isList(value) ? value.length : undefined);
const atLeast = (size: number, limit: number) => size >= limit;
const atMost = (size: number, limit: number) => size <= limit;

/** The checks, by keyword. In a map, since a schema may have any keys, such as "constructor". */
const CHECKS = new Map<string, Check>(
  Object.entries({
    type: (_, given, value) => {
      const types = Array.isArray(given) ? given : [given];
      return !types.some((type) => isOfType(value, type)) && `must be ${types.join(" or ")}, not ${typeOf(value)}`;
    },
    enum: (_, given, value) =>
      !toList(given).some((allowed) => isJson(allowed) && equal(allowed, value)) && `must be one of ${excerpt(given)}`,
    const: (_, given, value) => isJson(given) && !equal(given, value) && `must be ${excerpt(given)}`,
    required: (_, given, value, { path }) => {
      if (!isObject(value)) return undefined;
      const missingName = toList(given).find((name) => !Object.hasOwn(value, String(name)));
      return missingName !== undefined && { path: [...path, missingName].join("."), message: "is missing" };
    },
    properties: (walk, given, value, { path, depth }) => {
      if (!isObject(value)) return undefined;
      for (const [name, schema] of Object.entries(toKeywords(given))) {
        const member = Object.hasOwn(value, name) ? value[name] : undefined;
        const violation = member !== undefined && walk.schema(schema, member, [...path, name], depth);
        if (violation) return violation;
      }
      return undefined;
    },
    additionalProperties: (walk, given, value, { path, schema, depth }) => {
      if (!isObject(value)) return undefined;
      const properties = toKeywords(schema.properties);
      const patterns = Object.keys(toKeywords(schema.patternProperties));
      for (const [name, member] of Object.entries(value)) {
        if (Object.hasOwn(properties, name) || patterns.some((pattern) => matches(pattern, name))) continue;
        const violation = walk.schema(given, member, [...path, name], depth);
        if (violation) return violation;
      }
      return undefined;
    },
    items: (walk, given, value, { path, schema, depth }) => {
      if (!isList(value)) return undefined;
      // `items` is about the items after those of `prefixItems`.
      for (let index = toList(schema.prefixItems).length; index < value.length; index++) {
        const violation = walk.schema(given, value[index] ?? null, [...path, index], depth);
        if (violation) return violation;
      }
      return undefined;
    },
    prefixItems: (walk, given, value, { path, depth }) => {
      if (!isList(value)) return undefined;
      for (const [index, schema] of toList(given).entries()) {
        const violation = index < value.length && walk.schema(schema, value[index] ?? null, [...path, index], depth);
        if (violation) return violation;
      }
      return undefined;
    },
    minItems: limit(countOf, atLeast, "must have at least this many items:"),
    maxItems: limit(countOf, atMost, "must have at most this many items:"),
    minLength: limit(lengthOf, atLeast, "must have at least this many characters:"),
    maxLength: limit(lengthOf, atMost, "must have at most this many characters:"),
    minimum: limit(numberOf, atLeast, "must be at least"),
    maximum: limit(numberOf, atMost, "must be at most"),
    exclusiveMinimum: limit(numberOf, (size, limit) => size > limit, "must be more than"),
    exclusiveMaximum: limit(numberOf, (size, limit) => size < limit, "must be less than"),
    multipleOf: limit(numberOf, isMultiple, "must be a multiple of"),
    pattern: (_, given, value) =>
      isText(value) && isText(given) && !matches(given, value) && `must match ${excerpt(given)}`,
    anyOf: (walk, given, value, position) =>
      !toList(given).some((schema) => walk.fits(schema, value, position)) && `must fit one of ${excerpt(given)}`,
    oneOf: (walk, given, value, position) =>
      toList(given).filter((schema) => walk.fits(schema, value, position)).length !== 1 &&
      `must fit exactly one of ${excerpt(given)}`,
    allOf: (walk, given, value, { path, depth }) => {
      for (const schema of toList(given)) {
        const violation = walk.schema(schema, value, path, depth);
        if (violation) return violation;
      }
      return undefined;
    },
    not: (walk, given, value, position) => walk.fits(given, value, position) && `must not fit ${excerpt(given)}`,
    $ref: (walk, given, value, { path, depth }) =>
      isText(given) ? walk.schema(walk.resolve(given), value, path, depth) : undefined,
  } satisfies { [keyword: string]: Check }),
);
