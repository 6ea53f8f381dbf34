/** The limits of a stream. */
import { GenuiPatchError } from "../core/errors.js";
import { requireObject } from "../core/require.js";
import { limits as defaults } from "../generated/facts.js";
import type { Limits } from "../types.js";

/** What walks a value uses the stack: deeper than that is too deep, whatever the page says. */
const DEEPEST = 512;

/** @throws GenuiPatchError `INVALID_ARGUMENT` for limits that there are not, and for what is no number of things. */
export function readLimits(method: string, given: Partial<Limits> = {}): Limits {
  requireObject(method, "limits", given);
  const limits: Limits = { ...defaults };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const problem = !Object.hasOwn(defaults, name)
      ? `There is no limit "${name}"; there are ${Object.keys(defaults).join(", ")}.`
      : Number.isInteger(value) && value >= 0 && value < 2 ** 32
        ? undefined
        : `The limit "${name}" must be a whole number from 0.`;
    if (problem) throw new GenuiPatchError("INVALID_ARGUMENT", `${method}: ${problem}`);
    limits[name as keyof Limits] = value;
  }
  limits.maxDepth = Math.min(limits.maxDepth, DEEPEST);
  return limits;
}
