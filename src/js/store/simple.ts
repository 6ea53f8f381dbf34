/** Calls that come to one `set` of a scalar: the most frequent ones, which need not cross as text. */
import { hasLoneSurrogate } from "../core/surrogates.js";

export type Scalar = string | number | boolean;

export interface SimpleSet {
  name: string;
  path: string;
  value: Scalar;
}

/** Longer texts are left to the module, which would read them a second time. */
const LONGEST = 1024;

/** The set that a call comes to; `undefined` for all that is not plainly one, valid or not. */
export function simpleSet(call: unknown): SimpleSet | undefined {
  // A text that names no set would only be read twice.
  if (typeof call === "string" && (call.length > LONGEST || !call.includes('"set"'))) return undefined;
  try {
    const read: unknown = typeof call === "string" ? JSON.parse(call) : call;
    if (!isPlain(read, 2) || !Array.isArray(read.patches) || read.patches.length !== 1) return undefined;
    const patch: unknown = read.patches[0];
    if (!isPlain(patch, 3) || patch.op !== "set") return undefined;
    const name = read.instance_name ?? read.instanceId;
    const { path, value } = patch;
    return typeof name === "string" && typeof path === "string" && isScalar(value) ? { name, path, value } : undefined;
  } catch {
    // Of a text that is no JSON, and of a getter that throws, the long way says why.
    return undefined;
  }
}

/** Whether JSON shows a value as an object with so many keys: nothing of its own making has a say in that. */
function isPlain(value: unknown, keys: number): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.keys(value).length === keys;
}

/** Whether the module reads the value as it stands here. */
function isScalar(value: unknown): value is Scalar {
  if (typeof value === "string") return !hasLoneSurrogate(value);
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}
