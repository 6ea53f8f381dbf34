/** Places in a document that is at hand as a value: paths as in patches, ids included. */
import { GenuiPatchError } from "../errors.js";
import { formatPath, parsePath } from "../path.js";
import type { Json, PathSegment } from "../types.js";
import { type Refused, refuse } from "./result.js";

type Segments = readonly PathSegment[];

/** Paths that were read; a page uses the same few again and again. */
const known = new Map<string, Segments | undefined>();
const MAX_KNOWN = 1000;

/** The segments of a path; `undefined` for what is no path, or one that ends with an operator. */
export function segmentsOf(path: string): Segments | undefined {
  if (known.has(path)) return known.get(path);
  const parsed = parsePath(path, { rules: "open" });
  const plain = parsed.ok && !parsed.remove && !parsed.segments.some((segment) => "end" in segment);
  const segments = plain ? parsed.segments : undefined;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(path, segments);
  return segments;
}

/** Where ids are in lists that were looked at before. */
export type Ids = Map<readonly Json[], Map<string, number>>;

/** Where segments lead, as keys and indexes; `undefined` where the document ends before. */
export function follow(
  document: Json,
  segments: Segments,
  ids: Ids = new Map(),
): { steps: (string | number)[]; value: Json } | undefined {
  const steps: (string | number)[] = [];
  let value = document;
  for (const segment of segments) {
    const step = Array.isArray(value) ? indexIn(value, segment, steps, ids) : keyOf(segment);
    if (typeof value !== "object" || value === null || step === undefined || !Object.hasOwn(value, step))
      return undefined;
    steps.push(step);
    value = (value as Record<string | number, Json>)[step] as Json;
  }
  return { steps, value };
}

/** A segment as the key of an object. */
export function keyOf(segment: PathSegment): string {
  if ("key" in segment) return segment.key;
  if ("id" in segment) return segment.id;
  return "index" in segment ? String(segment.index) : "+";
}

function indexIn(
  list: readonly Json[],
  segment: PathSegment,
  path: readonly (string | number)[],
  ids: Ids,
): number | undefined {
  if ("index" in segment) return segment.index;
  if (!("id" in segment)) return undefined;
  let known = ids.get(list);
  if (known === undefined) {
    known = new Map();
    for (const [index, item] of list.entries()) {
      const id = idOf(item, path);
      if (id !== undefined && !known.has(id)) known.set(id, index);
    }
    ids.set(list, known);
  }
  return known.get(segment.id);
}

/** The id of an item of the list at a path: `key` for fields and columns, `value` for options, else `id`, else `key`. */
function idOf(item: Json, path: readonly (string | number)[]): string | undefined {
  if (!isObject(item)) return undefined;
  const list = path[0] === "state" ? undefined : path.at(-1);
  let id: Json | undefined = item.id ?? item.key;
  if (list === "blocks" || list === "actions") id = item.id;
  else if (list === "fields" || list === "columns") id = item.key;
  else if (list === "options") id = item.value;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

/** A place as a path, or why it has none: a field's key, which an agent wrote, may be a name that no path has. */
export function pathTo(steps: readonly (string | number)[]): string | Refused {
  try {
    return formatPath(steps);
  } catch (cause) {
    if (!(cause instanceof GenuiPatchError) || cause.code !== "INVALID_PATH") throw cause;
    return refuse("INVALID_PATH", cause.message, "Give the field another key.");
  }
}

/** The document with a value at a place; missing objects on the way are made. Copies only what is on the way. */
export function withValue(root: Json | undefined, steps: readonly (string | number)[], value: Json): Json {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (Array.isArray(root)) return root.map((item, index) => (index === step ? withValue(item, rest, value) : item));
  const own = isObject(root) ? root : {};
  const inner = Object.hasOwn(own, step) ? own[step] : undefined;
  return { ...own, [step]: withValue(inner, rest, value) };
}

export function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The items of a list, none of anything else. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
