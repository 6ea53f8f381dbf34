/** Calls that come to one `set` of a scalar: the most frequent ones, which need not cross as text. */

import { hasLoneSurrogate } from "../surrogates.js";
import type { Json } from "../types.js";
import type { Scalar } from "./heads.js";

export interface SimpleSet {
  /** Empty where the text has none. */
  name: string;
  path: string;
  value: Scalar;
}

/** Longer texts are left to the module, which would read them a second time. */
const LONGEST = 1024;

/** The set that a call comes to; `undefined` for all that is not plainly one, valid or not. */
export function simpleSet(call: unknown): SimpleSet | undefined {
  const read = typeof call === "string" ? parse(call, '"set"') : call;
  if (!isPlain(read, 2) || !Array.isArray(read.patches) || read.patches.length !== 1) return undefined;
  const patch: unknown = read.patches[0];
  if (!isPlain(patch, 3) || patch.op !== "set") return undefined;
  const name = read.instance_name ?? read.instanceId;
  const { path, value } = patch;
  return typeof name === "string" && typeof path === "string" && isScalar(value) ? { name, path, value } : undefined;
}

/** The one `replace` that a JSON Patch comes to; `undefined` for all that is not plainly one. */
export function simpleReplace(operations: unknown): SimpleSet | undefined {
  const read = typeof operations === "string" ? parse(operations, '"replace"') : operations;
  const operation: unknown = Array.isArray(read) && read.length === 1 ? read[0] : undefined;
  if (!isPlain(operation, 3) || operation.op !== "replace") return undefined;
  const { path, value } = operation;
  return typeof path === "string" && path.startsWith("/") && isScalar(value) ? { name: "", path, value } : undefined;
}

/** Reads a text that may be such a call: what does not name the operation would only be read twice. */
function parse(text: string, operation: string): unknown {
  if (text.length > LONGEST || !text.includes(operation)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether JSON shows a value as an object with so many keys: nothing of its own making has a say in that. */
function isPlain(value: unknown, keys: number): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.keys(value).length === keys;
}

/** Whether the module reads the value as it stands here. */
function isScalar(value: unknown): value is Json & Scalar {
  if (typeof value === "string") return !hasLoneSurrogate(value);
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}
