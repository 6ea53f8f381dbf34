/** Options as JSON text, for a module that reads them. */
import { misuse } from "./errors.js";

/**
 * The JSON text of options; `what` names them in messages. JSON.stringify would leave a function out and write NaN as null, so
 * that an option would silently have no effect.
 * @throws GenuiPatchError `INVALID_ARGUMENT` for functions, symbols, NaN, infinities, cycles, BigInts, and getters that throw.
 */
export function optionText(what: string, options: object): string {
  try {
    return JSON.stringify(options, requireWritable);
  } catch (cause) {
    const reason = cause instanceof Error ? `: ${cause.message}` : "";
    throw misuse(`${what} cannot be written as JSON${reason}.`, { cause });
  }
}

/** A replacer for JSON.stringify: returns the value, or throws. */
function requireWritable(key: string, value: unknown): unknown {
  if (typeof value === "function" || typeof value === "symbol") throw new TypeError(`"${key}" is a ${typeof value}`);
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`"${key}" is ${value}`);
  return value;
}
