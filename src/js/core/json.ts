/**
 * JavaScript values as JSON: written, copied, and refused where JSON would silently drop or change a part of them.
 *
 * `what` is always the name of the value in messages, e.g. "call" or "arguments".
 */
import type { Json } from "../types.js";
import { GenuiPatchError, misuse } from "./errors.js";
import { wellFormed } from "./surrogates.js";
import { put, type Step } from "./tree.js";

/** Levels of nesting: more than the option `maxDepth` can allow, and few enough for the engine's stack. */
export const DEEP = 600;
/** The text of a value that JSON.stringify cannot walk, since it is too deep: the wasm module refuses this text as too deep. */
const TOO_DEEP = /* @__PURE__ */ "[".repeat(DEEP);

/**
 * The JSON text of a value. Properties that are `undefined` are left out and `toJSON` is honoured, as in JSON.stringify. A value
 * that is too deep does not throw: its text is `[[[[…`, which the wasm module refuses with its own error.
 * @throws GenuiPatchError `INVALID_ARGUMENT` for cycles, BigInt, NaN, infinities, functions, symbols, maps and sets.
 */
export function toText(value: unknown, what: string): string {
  const text = wrapErrors(what, () => (isShallow(value, what) ? JSON.stringify(value) : TOO_DEEP));
  if (text !== undefined) return text;
  throw misuse(undefinedMessage(value, what));
}

/** The message for a value that JSON.stringify leaves out. */
function undefinedMessage(value: unknown, what: string): string {
  const reason = value === undefined ? "is undefined" : "has a toJSON that returns undefined";
  return `The ${what} ${reason}. ${SEND}`;
}

/** The error to throw for a value with more than {@link DEEP} levels of nesting. */
export const tooDeepError = (what: string) =>
  new Unwritable("LIMIT_EXCEEDED", `The ${what} ${verb(what, "have", "has")} more than ${DEEP} levels of nesting.`);

/** As {@link toText}; a value that is too deep throws `LIMIT_EXCEEDED`. */
export function writeText(value: unknown, what: string): string {
  const text = toText(value, what);
  if (text !== TOO_DEEP) return text;
  throw tooDeepError(what);
}

/** The value itself. Throws as {@link writeText} does, except for `undefined`, which it returns. */
export function requireJson<Value>(value: Value, what: string): JsonOr<Value> {
  if (wrapErrors(what, () => isShallow(value, what))) return value as JsonOr<Value>;
  throw tooDeepError(what);
}

/** A value of this type as JSON; `undefined` only if the type allows it. */
type JsonOr<Value> = undefined extends Value ? Json | undefined : Json;

/** Converts each string and key of a value that is copied. */
type ConvertText = (text: string) => string;

/**
 * A copy of a value that JSON can carry: each property is read once, and `toJSON` is honoured. Nothing is serialised for plain
 * objects and lists.
 * @throws as {@link writeText}
 */
export function copyJson(value: unknown, what: string, convert: ConvertText = (text) => text): Json {
  const result = wrapErrors(what, () => copy(value, what, convert));
  if (result !== undefined) return result;
  throw misuse(undefinedMessage(value, what));
}

/** As {@link copyJson}; `undefined` for a value that is too deep. */
export function copyWithinDepth(value: unknown, what: string): Json | undefined {
  try {
    return copyJson(value, what);
  } catch (cause) {
    if (cause instanceof Unwritable && cause.code === "LIMIT_EXCEEDED") return undefined;
    throw cause;
  }
}

/** A copy as the module would read it: as {@link copyJson}, and unpaired surrogates are U+FFFD. */
export function copyWellFormed(value: unknown, what: string): Json {
  return copyJson(value, what, wellFormed);
}

/** The value of a JSON text. @throws SyntaxError */
export function fromText(text: string): Json {
  return JSON.parse(text);
}

/** The value of a JSON text; `undefined` for a text that is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return fromText(text);
  } catch {
    return undefined;
  }
}

/** Calls a function that reads a value. A getter, a `toJSON` or a proxy in it may throw anything, which becomes misuse. */
function wrapErrors<Result>(what: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof Unwritable) throw cause;
    throw misuse(`The ${what} cannot be written as JSON.`, { cause });
  }
}

/** By the type of a value that JSON cannot write: what messages call it. */
const UNWRITABLE_TYPES: { readonly [type: string]: string } = {
  bigint: "a BigInt",
  function: "a function",
  symbol: "a symbol",
};

/** @throws Unwritable for a value that JSON cannot write: NaN and infinities too. `path` leads to it. */
function requireWritable(value: unknown, what: string, path: readonly Step[]): void {
  let name = typeof value === "number" && !Number.isFinite(value) ? String(value) : UNWRITABLE_TYPES[typeof value];
  if (value instanceof Map || value instanceof Set) name = `a ${value.constructor.name}`;
  if (name === undefined) return;
  const place = writePath(path);
  if (place === "") throw unwritable(`The ${what} ${verb(what, "are", "is")} ${name}, ${REASON} ${SEND}`);
  throw unwritable(`The ${what} ${verb(what, "have", "has")} ${name} at ${place}, ${REASON}`, place);
}

/** A list or an object. */
type Container = { readonly [step: Step]: unknown };

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

/** Whether the value is shallow enough to be written. @throws Unwritable for a part that JSON cannot write, and for cycles. */
function isShallow(value: unknown, what: string, path: Step[] = []): boolean {
  requireWritable(value, what, path);
  if (!isContainer(value)) return true;
  if (path.length > DEEP) {
    refuseCycles(value, what);
    return false;
  }
  // Its `toJSON` decides what is written.
  if (hasToJson(value)) return true;
  // For a list the length alone, since a list of its indexes would take time.
  const steps: readonly Step[] | number = Array.isArray(value) ? value.length : Object.keys(value);
  const length = typeof steps === "number" ? steps : steps.length;
  for (let position = 0; position < length; position++) {
    const step = typeof steps === "number" ? position : (steps[position] ?? "");
    path.push(step);
    if (!isShallow(value[step], what, path)) return false;
    path.pop();
  }
  return true;
}

const hasToJson = (value: Container): boolean => !Array.isArray(value) && typeof value.toJSON === "function";

/** A copy; `undefined` for a property that JSON leaves out. `path` leads to the value, for messages. */
function copy(value: unknown, what: string, convert: ConvertText, path: Step[] = []): Json | undefined {
  requireWritable(value, what, path);
  if (typeof value === "string") return convert(value);
  // There is no -0 in JSON.
  if (typeof value === "number") return value === 0 ? 0 : value;
  if (typeof value === "boolean" || value === null || value === undefined) return value;
  // Only TypeScript needs this: values of other types have been refused.
  if (!isContainer(value)) return undefined;
  if (path.length > DEEP) {
    refuseCycles(value, what);
    throw tooDeepError(what);
  }
  if (Array.isArray(value)) {
    const list: Json[] = [];
    for (let index = 0; index < value.length; index++) {
      path.push(index);
      // JSON.stringify writes null for `undefined` and holes in lists.
      list.push(copy(value[index], what, convert, path) ?? null);
      path.pop();
    }
    return list;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || hasToJson(value)) {
    const plain = asPlain(value, what, path);
    return plain === undefined ? undefined : copy(plain, what, convert, path);
  }
  const members: { [key: string]: Json } = {};
  for (const key of Object.keys(value)) {
    path.push(key);
    const member = copy(value[key], what, convert, path);
    if (member !== undefined) put(members, convert(key), member);
    path.pop();
  }
  return members;
}

/** A copy of an object that JSON.stringify must write: of a class (a date, a boxed value, a typed array), or with a `toJSON`. */
function asPlain(value: object, what: string, path: Step[]): Json | undefined {
  if (!isShallow(value, what, path)) throw tooDeepError(what);
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? undefined : fromText(text);
}

/**
 * Throws if a value that is too deep has a cycle. An agent's value may be too deep, which is `LIMIT_EXCEEDED`; a cycle is a
 * mistake of the page, which is `INVALID_ARGUMENT`. An object that occurs twice counts as a cycle: values that are read from text
 * have none. The search goes level by level, since the stack may be too small for this depth.
 */
function refuseCycles(value: object, what: string): void {
  const visited = new Set<unknown>();
  let level: unknown[] = [value];
  while (level.length > 0) {
    const nextLevel: unknown[] = [];
    for (const item of level) {
      if (!isContainer(item)) continue;
      if (visited.has(item)) throw unwritable(`The ${what} has a cycle, or one object at many depths. Send a tree.`);
      visited.add(item);
      for (const inner of Object.values(item)) nextLevel.push(inner);
    }
    level = nextLevel;
  }
}

/** Thrown by this file. {@link wrapErrors} passes it on; any other error comes from a getter, a `toJSON` or a proxy. */
class Unwritable extends GenuiPatchError {}

const unwritable = (message: string, path?: string) => new Unwritable("INVALID_ARGUMENT", message, { path });

/** A path for messages, e.g. `items[0].name`; empty for the value itself. */
function writePath(steps: readonly Step[]): string {
  let path = "";
  for (const step of steps) path += typeof step === "number" ? `[${step}]` : path === "" ? step : `.${step}`;
  return path;
}

/** The verb for `what`, whose plurals end in an s: "the arguments have", "the call has". */
const verb = (what: string, plural: string, singular: string): string => (what.endsWith("s") ? plural : singular);

const REASON = "which JSON cannot carry.";
const SEND = "Send a plain value (an object, a list, a string, a finite number, a boolean or null), or JSON text.";
