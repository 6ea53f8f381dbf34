/** Recognizes calls that come to one `set` of a scalar: the most frequent ones, which need not cross as text. */
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
  if (typeof call === "string" && !mayBeSimple(call)) return undefined;
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

/** Whether a text may be one set of a scalar: it names a set, and has a call and a patch in it, but no third object. */
function mayBeSimple(text: string): boolean {
  if (text.length > LONGEST || !text.includes('"set"')) return false;
  const patch = text.indexOf("{", text.indexOf("{") + 1);
  return !text.includes("{", patch + 1);
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
