/** From JavaScript values to JSON text, refusing what JSON would lose without a word. */
import type { Json } from "../types.js";
import { GenuiPatchError, misuse } from "./errors.js";
import { wellEscaped } from "./surrogates.js";
import type { Step } from "./tree.js";

/** Deeper than any limit allows, and shallow enough for the engine's own stack. */
export const DEEP = 600;
/** A text that every reader refuses as too deep, for values that JSON.stringify could not walk. */
const TOO_DEEP = "[".repeat(DEEP);

/**
 * The JSON text of a value. Properties that are `undefined` are left out and `toJSON` is honoured, as in JSON.stringify.
 * @throws GenuiPatchError `INVALID_ARGUMENT` for cycles, BigInt, NaN, infinities, functions, symbols, maps and sets.
 */
export function toText(value: unknown, what: string): string {
  const text = carefully(what, () => (check(value, what, []) ? JSON.stringify(value) : TOO_DEEP));
  if (text !== undefined) return text;
  const found = value === undefined ? "is undefined" : "has a toJSON that returns undefined";
  throw misuse(`The ${what} ${found}. ${SEND}`);
}

/** As {@link toText}; a value that is too deep throws `LIMIT_EXCEEDED`. */
export function writeText(value: unknown, what: string): string {
  const text = toText(value, what);
  if (text !== TOO_DEEP) return text;
  throw new GenuiPatchError("LIMIT_EXCEEDED", `The ${what} has more than ${DEEP} levels.`);
}

/** The value, if JSON can carry it. Throws as {@link writeText} does. */
export function requireJson(value: Json, what: string): Json {
  if (carefully(what, () => check(value, what, []))) return value;
  throw new GenuiPatchError("LIMIT_EXCEEDED", `The value ${what} is more than ${DEEP} levels deep.`);
}

/** A copy of a value, as the module would read it. Throws as {@link writeText} does. */
export function copyJson(value: unknown, what: string): Json {
  return JSON.parse(wellEscaped(toText(requireJson(value as Json, what), what))) as Json;
}

/** The value of a JSON text; nothing for a text that is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Reads a value that may have getters, a `toJSON` or a proxy, and these may throw. */
function carefully<Result>(what: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof Unwritable) throw cause;
    throw misuse(`The ${what} cannot be written as JSON.`, { cause });
  }
}

/** What JSON has no form for, by its type. */
const FOREIGN: { readonly [type: string]: string } = { bigint: "a BigInt", function: "a function", symbol: "a symbol" };

/** Whether the value is shallow enough to be written. The way leads to it. */
function check(value: unknown, what: string, way: Step[]): boolean {
  const foreign = Number.isFinite(value) || typeof value !== "number" ? FOREIGN[typeof value] : String(value);
  if (foreign !== undefined) throw unwritable(what, foreign, way);
  if (typeof value !== "object" || value === null) return true;
  if (way.length > DEEP) {
    refuseCycles(value, what);
    return false;
  }
  if (value instanceof Map || value instanceof Set) throw unwritable(what, `a ${value.constructor.name}`, way);
  const isList = Array.isArray(value);
  if (!isList && typeof (value as { toJSON?: unknown }).toJSON === "function") return true;
  const steps = isList ? value : Object.keys(value);
  const { length } = steps;
  for (let place = 0; place < length; place++) {
    const step: Step = isList ? place : steps[place];
    way.push(step);
    if (!check((value as Record<Step, unknown>)[step], what, way)) return false;
    way.pop();
  }
  return true;
}

/** A value this deep is either too deep or a cycle, and only the first is something that an agent could have sent. */
function refuseCycles(value: object, what: string): void {
  const seen = new Set<unknown>();
  let level: unknown[] = [value];
  while (level.length > 0) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      if (seen.has(item)) {
        const message = `The ${what} has a cycle, or one object at many depths. Send a tree.`;
        throw new Unwritable("INVALID_ARGUMENT", message);
      }
      seen.add(item);
      for (const inner of Object.values(item)) next.push(inner);
    }
    level = next;
  }
}

/** What is wrong with a value itself: whatever else is thrown while it is read comes from it. */
class Unwritable extends GenuiPatchError {}

/** Refuses what JSON has no form for, where a way leads; the empty one leads to the value itself. */
function unwritable(what: string, found: string, way: readonly Step[]): GenuiPatchError {
  let path = "";
  for (const step of way) path += typeof step === "number" ? `[${step}]` : path === "" ? step : `.${step}`;
  if (path === "")
    return new Unwritable("INVALID_ARGUMENT", `The ${what} is ${found}, which JSON cannot carry. ${SEND}`);
  const has = what.endsWith("s") ? "have" : "has";
  const message = `The ${what} ${has} ${found} at ${path}, which JSON cannot carry.`;
  return new Unwritable("INVALID_ARGUMENT", message, { path });
}

const SEND = "Send a plain value (an object, a list, a string, a finite number, a boolean or null), or JSON text.";
