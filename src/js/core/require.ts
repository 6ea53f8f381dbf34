/** Checks the page's arguments and options. A wrong one throws `INVALID_ARGUMENT`. */
import { type GenuiPatchError, misuse } from "./errors.js";
import { isText, isTexts } from "./kinds.js";

/** A kind of argument: its description for error messages, such as `"a string"`, and whether a value is of this kind. */
export type ArgumentKind = readonly [expected: string, accepts: (value: unknown) => boolean];

/** Whether a value is of a kind. */
export const fits = ([, accepts]: ArgumentKind, value: unknown): boolean => accepts(value);

/** The kind of each property of an object. */
export type Kinds = { readonly [key: string]: ArgumentKind };

/** Any value, so that it needs no description. */
export const ANY: ArgumentKind = ["", () => true];
export const TEXT: ArgumentKind = ["a string", isText];
export const TEXTS: ArgumentKind = ["a list of strings", isTexts];
export const LIST: ArgumentKind = ["a list", Array.isArray];
export const FUNCTION: ArgumentKind = ["a function", (value) => typeof value === "function"];
export const FLAG: ArgumentKind = ["a boolean", (value) => typeof value === "boolean"];
export const INDEX: ArgumentKind = ["an index", isIndex];
export const INDEXES: ArgumentKind = ["a list of indexes", (value) => Array.isArray(value) && value.every(isIndex)];
/** An object that is neither a list nor an instance of a class. */
export const OBJECT: ArgumentKind = ["a plain object", isPlain];

export function oneOf(...words: readonly string[]): ArgumentKind {
  return [words.map((word) => JSON.stringify(word)).join(" or "), (value) => words.some((word) => word === value)];
}

/** The rules of a document: those of pages, or none. */
export const RULES: ArgumentKind = /* @__PURE__ */ oneOf("ui", "open");

function isIndex(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isPlain(value: unknown): boolean {
  const prototype = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : undefined;
  if (prototype === null || prototype === Object.prototype) return true;
  // Plain objects of another realm, such as an iframe, have the `Object.prototype` of that realm.
  return prototype && Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}

/** Throws for a value of another kind. Messages name `method` and `argument`. */
export function requireKind(method: string, argument: string, value: unknown, kind: ArgumentKind): void {
  if (!fits(kind, value)) throw wrong(method, argument, kind[0], value);
}

/** Requires an object with no other keys than these. A property that is not undefined must be of its kind. */
export function requireOptions(method: string, options: object, kinds: Kinds, name = "options"): void {
  requireKeys(method, name, options, Object.keys(kinds));
  for (const [option, value] of Object.entries(options)) {
    const kind = kinds[option];
    if (value !== undefined && kind !== undefined) requireKind(method, option, value, kind);
  }
}

/** Requires a plain object with no other keys than the known ones. `name`: what messages call it, in the plural. */
export function requireKeys(method: string, name: string, options: object, known: readonly string[]): void {
  requireKind(method, name, options, OBJECT);
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    throw misuse(`${method}: the ${name} have no "${key}"; they have ${known.join(", ")}.`);
  }
}

export function requireText(method: string, argument: string, value: unknown): asserts value is string {
  requireKind(method, argument, value, TEXT);
}

/** The error for an argument that is not as `expected`. */
export function wrong(method: string, argument: string, expected: string, value: unknown): GenuiPatchError {
  return misuse(`${method}: the ${argument} must be ${expected}, not ${describe(value)}.`);
}

/** A value for a message: short values are written, others are described. */
function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string" && value.length <= 40) return JSON.stringify(value);
  return value === null || typeof value === "number" ? String(value) : `a value of type ${typeof value}`;
}
