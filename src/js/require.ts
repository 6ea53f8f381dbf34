/** Refuses arguments of the wrong kind: misuse by the page, which throws. */
import { GenuiPatchError } from "./errors.js";

export function requireText(method: string, argument: string, value: unknown): asserts value is string {
  if (typeof value !== "string") throw wrong(method, argument, "a string", value);
}

export function requireFunction(method: string, argument: string, value: unknown): void {
  if (typeof value !== "function") throw wrong(method, argument, "a function", value);
}

/** A boolean, or what it is by default. */
export function requireFlag(method: string, argument: string, value: unknown, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (typeof value !== "boolean") throw wrong(method, argument, "true or false", value);
  return value;
}

/** A plain object: neither a list nor something with a class of its own. */
export function requireObject(method: string, argument: string, value: unknown): void {
  const prototype = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : undefined;
  if (prototype === null || prototype === Object.prototype) return;
  // An object of another realm, such as a frame's.
  if (prototype && Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf")) return;
  throw wrong(method, argument, "a plain object", value);
}

/** An object with these keys and no others. */
export function requireKeys(method: string, argument: string, value: object, known: readonly string[]): void {
  requireObject(method, argument, value);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const message = `${method}: the ${argument} have no "${unknown}"; they have ${known.join(", ")}.`;
  throw new GenuiPatchError("INVALID_ARGUMENT", message);
}

export function requireRules(method: string, rules: unknown): void {
  if (rules !== undefined && rules !== "ui" && rules !== "open") throw wrong(method, "rules", '"ui" or "open"', rules);
}

export function wrong(method: string, argument: string, wanted: string, value: unknown): GenuiPatchError {
  return new GenuiPatchError("INVALID_ARGUMENT", `${method}: the ${argument} must be ${wanted}, not ${shown(value)}.`);
}

/** A value in a message: itself where it is short. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string" && value.length <= 40) return JSON.stringify(value);
  return value === null || typeof value === "number" ? String(value) : `a value of type ${typeof value}`;
}
