/** Places in a document that is at hand as a value: paths as in patches, ids included. */

import { GenuiPatchError, type Refused, refuse } from "../core/errors.js";
import { isObject, type Members } from "../core/kinds.js";
import { formatPath, parsePath } from "../core/path.js";
import { put } from "../core/tree.js";
import type { Json, PathSegment } from "../types.js";

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

/** A place as a path, or why it has none: a field's key, which an agent wrote, may be a name that no path has. */
export function pathTo(steps: readonly (string | number)[]): string | Refused {
  try {
    return formatPath(steps);
  } catch (cause) {
    if (!(cause instanceof GenuiPatchError) || cause.code !== "INVALID_PATH") throw cause;
    return refuse("INVALID_PATH", cause.message, "Give the field another key.");
  }
}

/** The document with values at places below it; missing objects on the way are made. Copies once what is on the way. */
export function withValues(document: Json, places: readonly { steps: readonly string[]; value: Json }[]): Json {
  const fresh = new Set<Json>();
  const own = (value: Json | undefined): Members => {
    if (isObject(value) && fresh.has(value)) return value;
    const copy = isObject(value) ? { ...value } : {};
    fresh.add(copy);
    return copy;
  };
  let root = document;
  for (const { steps, value } of places) {
    let holder = own(root);
    root = holder;
    for (const [depth, step] of steps.entries()) {
      if (depth + 1 === steps.length) {
        put(holder, step, value);
        break;
      }
      const inner = Object.hasOwn(holder, step) ? holder[step] : undefined;
      // No name leads into a list.
      if (Array.isArray(inner)) break;
      const below = own(inner);
      put(holder, step, below);
      holder = below;
    }
  }
  return root;
}

/** The items of a list, none of anything else. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
