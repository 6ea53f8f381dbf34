/**
 * Checks the arguments of an own tool against its JSON Schema, with the verdicts of the core: the keywords of the table below,
 * all others are ignored. As the file that loads it, it imports nothing: see `calls.ts`. The core's own check
 * (`src/patch/schema.rs`) is a part of the store's module, 83 KB: an agent of tools alone would load all of it for this, and
 * this file comes only with the first call of an own tool.
 */
import type { Json } from "../../types.js";

/** Where a value breaks a schema, and what is required there. */
export interface Violation {
  /** The place in the value, such as `filters.0.field`; empty for the whole value. */
  path: string;
  /** As the end of a sentence: `must be a string`. */
  message: string;
}

/** Levels of schemas inside each other, with references that lead to references. */
const DEEPEST = 256;
/** Schemas that one check may visit. */
const MAX_STEPS = 200_000;
/** Characters of a text that is tested by a pattern. */
const LONGEST_TESTED = 10_000;

type Keywords = { readonly [keyword: string]: unknown };
type Path = readonly (string | number)[];

/** Checks one keyword. Returns a message about the value itself, a violation inside of it, or a falsy value if it fits. */
type Check = (walk: Walk, given: unknown, value: Json, at: Place) => Violation | string | false | undefined;

interface Place {
  path: Path;
  schema: Keywords;
  depth: number;
}

/** The first violation of a schema; `undefined` for a value that fits. */
export function violationOf(schema: unknown, value: Json): Violation | undefined {
  return new Walk(schema).schema(schema, value, [], 0);
}

class Walk {
  #steps = 0;

  constructor(readonly root: unknown) {}

  schema(schema: unknown, value: Json, path: Path, depth: number): Violation | undefined {
    this.#steps += 1;
    if (depth > DEEPEST || this.#steps > MAX_STEPS)
      throw new RangeError("The arguments take too many steps to check against the schema.");
    if (schema === false) return { path: path.join("."), message: "must not be there" };
    if (!isObject(schema)) return undefined;
    const place = { path, schema, depth: depth + 1 };
    for (const [keyword, given] of Object.entries(schema)) {
      const found = CHECKS.get(keyword)?.(this, given, value, place);
      if (found) return isText(found) ? { path: path.join("."), message: found } : found;
    }
    return undefined;
  }

  fits(schema: unknown, value: Json, { path, depth }: Place): boolean {
    return this.schema(schema, value, path, depth) === undefined;
  }

  /** The schema that a reference within the root leads to. */
  resolve(reference: string): unknown {
    const [, fragment] = /^#(.*)$/.exec(reference) ?? [];
    if (fragment === undefined) return true;
    const steps = decodeURIComponent(fragment).split("/");
    const first = steps.shift();
    const found = first
      ? Object.values(toKeywords(toKeywords(this.root).$defs)).find((own) => toKeywords(own).$anchor === first)
      : steps.reduce<unknown>(
          (schema, step) => memberOf(schema, step.replace(/~1/g, "/").replace(/~0/g, "~")),
          this.root,
        );
    if (found !== undefined) return found;
    throw new TypeError(`The schema has nothing at ${JSON.stringify(reference)}.`);
  }
}

const toKeywords = (schema: unknown): Keywords => (isObject(schema) ? schema : {});
const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function memberOf(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isObject = (value: unknown): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const kindWords = (value: Json): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

/** Equality of JSON values: the order of keys does not matter. */
function equal(a: Json, b: Json): boolean {
  if (a === b || typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const [own, others] = [Object.entries(a), Object.entries(b)];
  if (Array.isArray(a) !== Array.isArray(b) || own.length !== others.length) return false;
  const members = new Map(others);
  return own.every(([key, value]) => {
    const other = members.get(key);
    return other !== undefined && equal(value, other);
  });
}

const isJson = (value: unknown): value is Json => value !== undefined;
const isList = (value: Json): value is Json[] => Array.isArray(value);
const words = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

function isOfType(value: Json, type: unknown): boolean {
  if (type === "integer") return typeof value === "number" && Number.isInteger(value);
  return kindWords(value) === type;
}

/** Whether a number is a multiple of another one, up to the rounding of doubles: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return Number.isFinite(quotient) && Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.abs(quotient);
}

function matches(pattern: string, text: string): boolean {
  if (text.length > LONGEST_TESTED) return false;
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return new RegExp(pattern).test(text);
  }
}

/** Checks the size of a value, which `measure` knows, against a limit. */
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
const lengthOf = (value: Json) => (isText(value) ? [...value].length : undefined);
const countOf = (value: Json) => (isList(value) ? value.length : undefined);
const atLeast = (size: number, limit: number) => size >= limit;
const atMost = (size: number, limit: number) => size <= limit;

const CHECKS = new Map<string, Check>(
  Object.entries({
    type: (_, given, value) => {
      const types = Array.isArray(given) ? given : [given];
      return !types.some((type) => isOfType(value, type)) && `must be ${types.join(" or ")}, not ${kindWords(value)}`;
    },
    enum: (_, given, value) =>
      !toList(given).some((own) => isJson(own) && equal(own, value)) && `must be one of ${words(given)}`,
    const: (_, given, value) => isJson(given) && !equal(given, value) && `must be ${words(given)}`,
    required: (_, given, value, { path }) => {
      if (!isObject(value)) return undefined;
      const missing = toList(given).find((name) => !Object.hasOwn(value, String(name)));
      return missing !== undefined && { path: [...path, missing].join("."), message: "is missing" };
    },
    properties: (walk, given, value, { path, depth }) => {
      if (!isObject(value)) return undefined;
      for (const [name, schema] of Object.entries(toKeywords(given))) {
        const own = Object.hasOwn(value, name) ? value[name] : undefined;
        const found = own !== undefined && walk.schema(schema, own, [...path, name], depth);
        if (found) return found;
      }
      return undefined;
    },
    additionalProperties: (walk, given, value, { path, schema, depth }) => {
      if (!isObject(value)) return undefined;
      const known = toKeywords(schema.properties);
      const patterns = Object.keys(toKeywords(schema.patternProperties));
      for (const [name, own] of Object.entries(value)) {
        if (Object.hasOwn(known, name) || patterns.some((pattern) => matches(pattern, name))) continue;
        const found = walk.schema(given, own, [...path, name], depth);
        if (found) return found;
      }
      return undefined;
    },
    items: (walk, given, value, { path, schema, depth }) => {
      if (!isList(value)) return undefined;
      for (let index = toList(schema.prefixItems).length; index < value.length; index++) {
        const found = walk.schema(given, value[index] ?? null, [...path, index], depth);
        if (found) return found;
      }
      return undefined;
    },
    prefixItems: (walk, given, value, { path, depth }) => {
      if (!isList(value)) return undefined;
      for (const [index, schema] of toList(given).entries()) {
        const found = index < value.length && walk.schema(schema, value[index] ?? null, [...path, index], depth);
        if (found) return found;
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
      isText(value) && isText(given) && !matches(given, value) && `must match ${words(given)}`,
    anyOf: (walk, given, value, place) =>
      !toList(given).some((schema) => walk.fits(schema, value, place)) && `must fit one of ${words(given)}`,
    oneOf: (walk, given, value, place) =>
      toList(given).filter((schema) => walk.fits(schema, value, place)).length !== 1 &&
      `must fit exactly one of ${words(given)}`,
    allOf: (walk, given, value, { path, depth }) => {
      for (const schema of toList(given)) {
        const found = walk.schema(schema, value, path, depth);
        if (found) return found;
      }
      return undefined;
    },
    not: (walk, given, value, place) => walk.fits(given, value, place) && `must not fit ${words(given)}`,
    $ref: (walk, given, value, { path, depth }) =>
      isText(given) ? walk.schema(walk.resolve(given), value, path, depth) : undefined,
  } satisfies { [keyword: string]: Check }),
);
