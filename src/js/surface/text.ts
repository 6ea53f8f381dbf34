/** Texts that are JSON, as values. */
import { measure } from "../core/measure.js";
import type { Json } from "../types.js";

/** Escapes, pairs of surrogates as one. */
const ESCAPES = /\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|u[dD][89a-fA-F][\da-fA-F]{2}|.)/g;
const SURROGATE = /\\u[dD][89a-fA-F]/;

/** A text that was not read: because of its depth, or because it is no JSON. */
export const TOO_DEEP = Symbol();
export const NO_JSON = Symbol();

/**
 * The value of a text as `JSON.parse` reads it, but for what cannot be carried on: halves of surrogate pairs become
 * U+FFFD, and -0 is 0. `__proto__` is an own key.
 */
export function readJson(text: string, maxDepth: number): Json | typeof TOO_DEEP | typeof NO_JSON {
  let whole = text;
  if (text.includes("\\u") && SURROGATE.test(text)) {
    whole = text.replace(ESCAPES, (found) => (found.length === 6 && SURROGATE.test(found) ? "\\ufffd" : found));
  }
  let value: Json;
  try {
    value = JSON.parse(whole) as Json;
  } catch (cause) {
    return cause instanceof SyntaxError ? NO_JSON : TOO_DEEP;
  }
  const { depth, negativeZero } = measure(value);
  if (depth > maxDepth) return TOO_DEEP;
  return negativeZero ? (JSON.parse(whole, (_, inner: Json) => (inner === 0 ? 0 : inner)) as Json) : value;
}
