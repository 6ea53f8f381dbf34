/**
 * The immutable snapshot of a document, brought up to date from an edit script by copying only what lies on the path:
 * an unchanged subtree keeps its identity.
 */
import { Draft, Plain, put, type Step, type Tree } from "./draft.js";
import type { Change, Json } from "./types.js";

export { put, type Tree };

const plain = new Plain();

/** The snapshot after the changes. */
export function follow(root: Json | undefined, changes: readonly Change[], freeze: boolean): Json | undefined {
  // Of several changes in one call, what one of them has copied the next may write to.
  const several = changes.length > 1;
  const draft = several ? new Draft() : undefined;
  const fresh = several ? new Set<Tree>() : undefined;
  const made: Tree[] = [];
  const own = (node: Json | undefined): Tree => {
    if (fresh?.has(node as Tree)) return node as Tree;
    const copy = copyOf(node as Tree);
    fresh?.add(copy);
    made.push(copy);
    return copy;
  };
  let next = root;
  for (const change of changes) next = applyChange(next, change, own, draft);
  draft?.finish();
  if (freeze) {
    for (const tree of made) Object.freeze(tree);
    for (const change of changes) if (change.kind !== "move") deepFreeze(change.value);
  }
  return next;
}

/** The snapshot after one value was set at a place below it that exists. No path that is read has a step `__proto__`. */
export function followSet(root: Json, path: readonly Step[], value: Json, freeze: boolean): Json {
  return setAt(root, path, 0, value, freeze);
}

function setAt(node: Json, path: readonly Step[], depth: number, value: Json, freeze: boolean): Json {
  const step = path[depth] as Step;
  const below = (node as Record<Step, Json>)[step] as Json;
  const copy = copyOf(node as Tree) as Record<Step, Json>;
  copy[step] = depth + 1 === path.length ? value : setAt(below, path, depth + 1, value, freeze);
  return freeze ? (Object.freeze(copy) as Tree) : copy;
}

/** Freezes a value and all below it. What is frozen already was frozen whole. */
export function deepFreeze(value: Json | undefined): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  if (Array.isArray(value)) for (const item of value) deepFreeze(item);
  else for (const key of Object.keys(value)) deepFreeze(value[key]);
  Object.freeze(value);
}

/** The root after one change. `own` gives what may be written to in place of a list or an object on the way. */
function applyChange(
  root: Json | undefined,
  change: Change,
  own: (node: Json | undefined) => Tree,
  draft: Plain = plain,
): Json | undefined {
  const { path } = change;
  if (path.length === 0 && change.kind !== "move") return change.kind === "remove" ? undefined : change.value;
  let top = root;
  /** The list or object that the last step of a path is in, to be written to. */
  const reach = (path: readonly Step[]): Tree => {
    let holder = own(top);
    top = holder;
    for (let depth = 0; depth < path.length - 1; depth++) {
      const step = path[depth] as Step;
      const known = draft.get(holder, step);
      const below = own(known);
      if (below !== known) draft.put(holder, step, below);
      holder = below;
    }
    return holder;
  };
  const last = path[path.length - 1] as Step;
  switch (change.kind) {
    case "set":
      draft.put(reach(path), last, change.value as Json);
      break;
    case "insert":
      draft.insert(reach(path), last, change.value as Json, change.next);
      break;
    case "remove":
      draft.remove(reach(path), last);
      break;
    case "move": {
      const value = draft.remove(reach(change.from), change.from.at(-1) as Step);
      draft.insert(reach(path), last, value, undefined);
      break;
    }
  }
  return top;
}

/** From so many keys on an object is copied key by key. */
const MANY = 100;

/** Copies a list or an object. Small ones by spreading: on frozen lists `slice` and loops are ten times as slow. */
export function copyOf(node: Tree): Tree {
  if (Array.isArray(node)) return [...node];
  const keys = Object.keys(node);
  if (keys.length < MANY) return { ...node };
  // Without a prototype it is a hash table from the beginning, and `__proto__` is a key as any other. With one, engines look
  // for a hidden class behind each key first, which takes several times as long.
  const copy = Object.create(null) as { [key: string]: Json };
  for (const key of keys) copy[key] = node[key] as Json;
  return Object.setPrototypeOf(copy, Object.prototype) as Tree;
}

/** The value at a place. */
export function valueAt(root: Json | undefined, path: readonly Step[]): Json | undefined {
  let node = root;
  for (const step of path) {
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, step)) return undefined;
    // A key on a list leads nowhere, `length` included.
    if (Array.isArray(node) && typeof step !== "number") return undefined;
    node = (node as Record<Step, Json>)[step];
  }
  return node;
}
