/** Reads, writes, copies and freezes the lists and objects of JSON values. */
import type { Json } from "../types.js";

/** A list or an object. */
export type Tree = Json[] | { [key: string]: Json };
/** A key or an index. */
export type Step = string | number;

/** A list or an object, seen as a value for each step. */
const membersOf = (tree: Tree) => tree as { [step in Step]: Json };

/** The value of a key or an index that exists. For any other it is null or inherited: see {@link valueAt}. */
export function childOf(tree: Tree, step: Step): Json {
  return membersOf(tree)[step] ?? null;
}

export const isTree = (value: Json | undefined): value is Tree => typeof value === "object" && value !== null;

/** Sets the value of a key or an index. `__proto__` becomes an own key, never a prototype. */
export function put(holder: Tree, step: Step, value: Json): void {
  if (step === "__proto__") {
    Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true });
  } else {
    membersOf(holder)[step] = value;
  }
}

/** Whether a value that was read by a key comes from the prototype of objects: a method, which JSON never has, or `__proto__`. */
export function isInherited(key: string, value: unknown): boolean {
  return typeof value === "function" || key === "__proto__";
}

/** Freezes a value and everything in it. A value that is frozen already was frozen with its content. */
export function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  for (const member of Array.isArray(value) ? value : Object.values(value)) deepFreeze(member);
  Object.freeze(value);
}

/** Objects with this many keys are copied key by key. */
const LARGE = 100;

/** Copies a list or an object. Small ones by spreading: for frozen lists, `slice` and loops are ten times slower. */
export function copyOf(node: Tree): Tree {
  if (Array.isArray(node)) return [...node];
  const keys = Object.keys(node);
  if (keys.length < LARGE) return { ...node };
  // An object without a prototype is a hash table from the start, and has no special key `__proto__`. With a prototype,
  // engines look for a hidden class for each key first, which takes several times as long.
  const copy: { [key: string]: Json } = Object.create(null);
  for (const key of keys) copy[key] = childOf(node, key);
  Object.setPrototypeOf(copy, Object.prototype);
  return copy;
}

/** The value at a path; `undefined` if none exists. */
export function valueAt(root: Json | undefined, path: readonly Step[]): Json | undefined {
  let node = root;
  for (const step of path) {
    if (!isTree(node) || !Object.hasOwn(node, step)) return undefined;
    // A key on a list leads nowhere, `length` included.
    if (Array.isArray(node) && typeof step !== "number") return undefined;
    node = childOf(node, step);
  }
  return node;
}
