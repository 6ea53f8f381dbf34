/**
 * Resolves paths in snapshots by the same rules as the core (`src/patch`). `places.test.mjs` compares the two. `rules` are those
 * of the document: they decide which property is the id of an item.
 */
import type { Change, Json, PathSegment, Rules } from "../types.js";
import { childOf, isTree, type Step } from "./tree.js";

/** A path as it is written: its segments may be ids, or the end of a list. */
export type Segments = readonly PathSegment[];
/** A resolved path: keys and indexes. */
export type Path = readonly Step[];
type List = readonly Json[];

/** The properties that may be the id of an item. The first one that the item has counts. */
export type IdKeys = readonly string[];

const ID: IdKeys = ["id"];
const KEY: IdKeys = ["key"];
/** By the key of a list: the properties in which its items may have their id. */
const ID_KEYS: ReadonlyMap<string, IdKeys> = /* @__PURE__ */ new Map([
  ["blocks", ID],
  ["actions", ID],
  ["fields", KEY],
  ["columns", KEY],
  ["options", ["value"]],
]);
const OTHER_LISTS: IdKeys = ["id", "key"];

/** The id properties for the list at a path. In state and under open rules they do not depend on the key of the list. */
export function idKeysAt(path: readonly unknown[], rules: Rules): IdKeys {
  const list = path.at(-1);
  if (rules === "open" || path[0] === "state" || typeof list !== "string") return OTHER_LISTS;
  return ID_KEYS.get(list) ?? OTHER_LISTS;
}

/** The id of an item as paths write it; `undefined` if it has no id that is a text or a number. */
export function idOf(item: Json | undefined, keys: IdKeys): string | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return undefined;
  for (const key of keys) {
    const id = Object.hasOwn(item, key) ? item[key] : undefined;
    if (id === undefined) continue;
    // There is no -0 in JSON.
    return typeof id === "string" ? id : typeof id === "number" ? String(id) : undefined;
  }
  return undefined;
}

/** A cache: for each list, the index of the first item with each id. */
export interface KnownIds {
  get(list: List): Map<string, number> | undefined;
  set(list: List, ids: Map<string, number>): unknown;
}

/** Whether a change leaves the ids of all items as they are: it sets a property that is never an id, e.g. a `title`. */
export function keepsItemIds({ kind, path }: Change): boolean {
  const last = path.at(-1);
  return kind === "set" && typeof last === "string" && last !== "id" && last !== "key" && last !== "value";
}

/** A path in a document: the existing part, its value, and the segments after it. */
export interface Resolved {
  /** The path of the existing part. */
  steps: Step[];
  /** The value at the end of the existing part. */
  value: Json;
  /** The segments that do not exist yet. */
  rest: Segments;
}

/** Resolves a path as far as it exists; `undefined` if no value could be set at it. `known`: a cache for this document and rules. */
export function find(document: Json, segments: Segments, rules: Rules, known: KnownIds): Resolved | undefined {
  const steps: Step[] = [];
  let value = document;
  for (const [depth, segment] of segments.entries()) {
    if (!isTree(value)) return undefined;
    const list = Array.isArray(value) ? value : undefined;
    const step: Step | undefined = list ? indexOf(list, segment, steps, rules, known) : keyOf(segment);
    if (step === undefined) return undefined;
    if (!Object.hasOwn(value, step)) {
      // A new key, or an item at the end of a list.
      const canBeSet = list === undefined || step === list.length;
      return canBeSet ? { steps, value, rest: segments.slice(depth) } : undefined;
    }
    steps.push(step);
    value = childOf(value, step);
  }
  return { steps, value, rest: [] };
}

/** Resolves a path to an existing value; `undefined` for any other path. */
export function resolve(document: Json, segments: Segments, rules: Rules, known: KnownIds): Resolved | undefined {
  const found = find(document, segments, rules, known);
  return found?.rest.length === 0 ? found : undefined;
}

/** A segment as the key of an object: an id or an index is a key there. `undefined` for the end of a list. */
export function keyOf(segment: PathSegment): string | undefined {
  if ("key" in segment) return segment.key;
  if ("id" in segment) return segment.id;
  return "index" in segment ? String(segment.index) : undefined;
}

/** A segment as an index of a list, which may be beyond its end; `undefined` for a key, and for an id that no item has. */
function indexOf(list: List, segment: PathSegment, path: Path, rules: Rules, known: KnownIds): number | undefined {
  if ("index" in segment) return segment.index;
  if ("end" in segment) return list.length;
  if (!("id" in segment)) return undefined;
  return idsIn(list, path, rules, known).get(segment.id);
}

/** The index of the first item with each id, from the cache or computed. `path` is that of the list. */
export function idsIn(list: List, path: Path, rules: Rules, known: KnownIds): Map<string, number> {
  let ids = known.get(list);
  if (ids === undefined) {
    ids = new Map();
    const keys = idKeysAt(path, rules);
    for (const [index, item] of list.entries()) {
      const id = idOf(item, keys);
      if (id !== undefined && !ids.has(id)) ids.set(id, index);
    }
    known.set(list, ids);
  }
  return ids;
}
