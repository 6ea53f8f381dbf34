/** The paths of the values of a page's fields, and a copy of a document with other values at paths. */
import { isObject, isText, type Members } from "../core/kinds.js";
import { parsePath } from "../core/path.js";
import { keyOf, type Segments } from "../core/resolve.js";
import { put } from "../core/tree.js";
import type { Json } from "../types.js";
import { blocksOf, fieldsIn } from "./parts.js";

/** A field of a block. */
export interface Field {
  block: Members;
  field: Members;
  /** The path of the field's value in state: the block's `bind`, and the key of the field. */
  steps: string[];
}

/** All fields, those in tabs and panels too. */
export function* fieldsOf(document: Json): Generator<Field> {
  for (const block of blocksOf(document)) {
    // An invalid path counts as the root. Segments that are not keys, e.g. indexes, are left out.
    const segments = segmentsOf(typeof block.bind === "string" ? block.bind : "state.params") ?? [];
    const bind = segments.map(keyOf).filter(isText);
    for (const field of fieldsIn(block)) {
      yield { block, field, steps: [...bind, String(field.key)] };
    }
  }
}

/** Cache of {@link segmentsOf}: a page uses few paths, many times. */
const parsedPaths = new Map<string, Segments | undefined>();
const MAX_PARSED_PATHS = 1000;

/** The segments of a path; `undefined` for an invalid path, and for one that appends or removes. */
export function segmentsOf(path: string): Segments | undefined {
  if (parsedPaths.has(path)) return parsedPaths.get(path);
  const parsed = parsePath(path, { rules: "open" });
  const leadsToValue = parsed.ok && !parsed.remove && !parsed.segments.some((segment) => "end" in segment);
  const segments = leadsToValue ? parsed.segments : undefined;
  if (parsedPaths.size >= MAX_PARSED_PATHS) parsedPaths.clear();
  parsedPaths.set(path, segments);
  return segments;
}

/**
 * A copy of the document with values set at some paths. Missing objects on a path are created, and other scalars replaced by
 * objects. A path that leads into a list is ignored.
 */
export function withValues(document: Json, entries: readonly { steps: readonly string[]; value: Json }[]): Json {
  /** Objects that were copied or created here. */
  const copies = new Set<Json>();
  /** The value itself if it is one of `copies`, else a copy: empty for a value that is no object. */
  const writable = (value: Json | undefined): Members => {
    if (isObject(value) && copies.has(value)) return value;
    const copy = isObject(value) ? { ...value } : {};
    copies.add(copy);
    return copy;
  };
  let root = document;
  for (const { steps, value } of entries) {
    let parent = writable(root);
    root = parent;
    for (const [depth, step] of steps.entries()) {
      const isLastStep = depth + 1 === steps.length;
      if (isLastStep) {
        put(parent, step, value);
        break;
      }
      const child = Object.hasOwn(parent, step) ? parent[step] : undefined;
      // Steps are keys, which cannot lead into a list.
      if (Array.isArray(child)) break;
      const childCopy = writable(child);
      put(parent, step, childCopy);
      parent = childCopy;
    }
  }
  return root;
}
