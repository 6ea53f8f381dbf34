/** Reads JSON text with a limit of depth. */
import { measure } from "../core/measure.js";
import { wellEscaped } from "../core/surrogates.js";
import type { Json } from "../types.js";
import { shown } from "./refusal.js";

/** The results for a text that is nested too deep, or that is not JSON. */
export const OVER_DEPTH = Symbol();
export const NO_JSON = Symbol();

/** Like `JSON.parse`, but lone surrogates become U+FFFD and -0 becomes 0. `__proto__` is an own key. */
export function readJson(text: string, maxDepth: number): Json | typeof OVER_DEPTH | typeof NO_JSON {
  const whole = wellEscaped(text);
  let value: Json;
  try {
    value = JSON.parse(whole) as Json;
  } catch (cause) {
    return cause instanceof SyntaxError ? NO_JSON : OVER_DEPTH;
  }
  const { depth, negativeZero } = measure(value);
  if (depth > maxDepth) return OVER_DEPTH;
  return negativeZero ? (JSON.parse(whole, (_, inner: Json) => (inner === 0 ? 0 : inner)) as Json) : value;
}

/** The message of the engine for a text that is not JSON. */
export function syntaxError(text: string): string {
  try {
    JSON.parse(text);
    return "unexpected text";
  } catch (cause) {
    return shown((cause as Error).message, 200);
  }
}
