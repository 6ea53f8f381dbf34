/** Reads JSON text with a limit of depth. */
import { fromText } from "../core/json.js";
import { measure } from "../core/measure.js";
import { wellEscaped } from "../core/surrogates.js";
import type { Json } from "../types.js";
import { excerpt } from "./refusal.js";

/** The results for a text that is nested too deep, or that is not JSON. */
export const OVER_DEPTH = Symbol();
export const NO_JSON = Symbol();

/**
 * Like `JSON.parse`, but lone surrogates become U+FFFD and -0 becomes 0. `__proto__` is an own key. A value with more than
 * `maxDepth` levels is {@link OVER_DEPTH}, a text that is not JSON {@link NO_JSON}.
 */
export function readJson(text: string, maxDepth: number): Json | typeof OVER_DEPTH | typeof NO_JSON {
  const whole = wellEscaped(text);
  let value: Json;
  try {
    value = fromText(whole);
  } catch (cause) {
    // Any other error comes from a nesting that exhausts the stack.
    return cause instanceof SyntaxError ? NO_JSON : OVER_DEPTH;
  }
  const { depth, negativeZero } = measure(value);
  if (depth > maxDepth) return OVER_DEPTH;
  return negativeZero ? JSON.parse(whole, (_, inner: Json) => (inner === 0 ? 0 : inner)) : value;
}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** The message of the engine for a text that is not JSON. */
export function syntaxError(text: string): string {
  try {
    JSON.parse(text);
    // Only for a text that is JSON after all.
    return "unexpected text";
  } catch (cause) {
    return excerpt(messageOf(cause), 200);
  }
}

/**
 * A token of JSON with the whitespace before it: a sign (bracket, comma or colon), a string, a number or word, or the end of the
 * text.
 */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: strings must not contain them
  /[ \t\r\n]*(?:([{}[\],:])|("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|$)/y;

/** Whether a text is JSON. For many short bad lines this takes a tenth of the time of an exception of `JSON.parse`. */
export function isJson(text: string): boolean {
  /** The closing brackets of the lists and objects that are open, from the outermost. */
  const closers: string[] = [];
  /**
   * The kinds of tokens that may come next. `end` is the closing bracket of an empty list or object; `next` is what follows a
   * value: a comma, a closing bracket, or the end of the text.
   */
  let expected: "value" | "value or end" | "key" | "key or end" | "colon" | "next" = "value";
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token; token = TOKEN.exec(text)) {
    const [, sign, string, word] = token;
    const mayBeValue = expected.startsWith("value");
    if (sign === "{" || sign === "[") {
      if (!mayBeValue) return false;
      closers.push(sign === "{" ? "}" : "]");
      expected = sign === "{" ? "key or end" : "value or end";
    } else if (sign === "}" || sign === "]") {
      if ((expected !== "next" && !expected.endsWith("end")) || closers.pop() !== sign) return false;
      expected = "next";
    } else if (sign === ",") {
      if (expected !== "next" || closers.length === 0) return false;
      expected = closers.at(-1) === "}" ? "key" : "value";
    } else if (sign === ":") {
      if (expected !== "colon") return false;
      expected = "value";
    } else if (string !== undefined || word !== undefined) {
      if (string !== undefined && expected.startsWith("key")) expected = "colon";
      else if (mayBeValue) expected = "next";
      else return false;
    } else {
      // The end of the text.
      return expected === "next" && closers.length === 0;
    }
  }
  return false;
}
