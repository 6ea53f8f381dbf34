/** Finds the blocks, fields and actions of a page's document, and copies a document with other values. */
import { isObject, isText, type Members } from "../core/kinds.js";
import { parsePath } from "../core/path.js";
import { keyOf, type Segments } from "../core/resolve.js";
import { put } from "../core/tree.js";
import type { Json } from "../types.js";

/** A field, and the path of its value in state. */
export interface Field {
  block: Members;
  field: Members;
  steps: string[];
}

/** Keys in `props` of lists whose items have fields and actions of their own. */
const GROUPS = ["tabs", "panels"];
/** Keys under which a table has the buttons of its rows. */
const ROW_ACTIONS = ["actions", "row_actions", "rowActions"];

export function blocksOf(document: Json): Members[] {
  return objects(isObject(document) ? document.blocks : undefined);
}

/** All fields, those in tabs and panels too. */
export function* fieldsOf(document: Json): Generator<Field> {
  for (const block of blocksOf(document)) {
    const bind = segmentsOf(typeof block.bind === "string" ? block.bind : "state.params") ?? [];
    for (const group of groupsOf(block.props)) {
      for (const field of objects(group.fields)) {
        yield { block, field, steps: [...bind.map(keyOf).filter(isText), String(field.key)] };
      }
    }
  }
}

/** All actions: those of the blocks, the buttons of their tables' rows, then the global ones. */
export function* actionsOf(document: Json): Generator<Members> {
  for (const block of blocksOf(document)) {
    for (const group of groupsOf(block.props)) {
      yield* objects(group.actions);
      for (const field of objects(group.fields)) {
        for (const holder of [field, ...objects(field.columns)]) {
          for (const list of ROW_ACTIONS) yield* objects(holder[list]);
        }
      }
    }
  }
  if (isObject(document)) yield* objects(document.actions);
}

function* groupsOf(group: Json | undefined): Generator<Members> {
  if (!isObject(group)) return;
  yield group;
  for (const name of GROUPS) for (const inner of listOf(group[name])) yield* groupsOf(inner);
}

function objects(list: Json | undefined): Members[] {
  return listOf(list).filter((item) => isObject<Json>(item));
}

/** A function that replaces values by the labels of their options. */
export function labelsOf(field: Members): (value: Json) => Json {
  const labels = new Map<Json | undefined, Json | undefined>();
  for (const { value, label } of objects(field.options)) if (!labels.has(value)) labels.set(value, label);
  const label = (value: Json): Json => (Array.isArray(value) ? value.map(label) : (labels.get(value) ?? value));
  return label;
}

/** Cache of parsed paths: a page uses few of them, many times. */
const known = new Map<string, Segments | undefined>();
const MAX_KNOWN = 1000;

/** The segments of a path; `undefined` for an invalid path, and for one that appends or removes. */
export function segmentsOf(path: string): Segments | undefined {
  if (known.has(path)) return known.get(path);
  const parsed = parsePath(path, { rules: "open" });
  const plain = parsed.ok && !parsed.remove && !parsed.segments.some((segment) => "end" in segment);
  const segments = plain ? parsed.segments : undefined;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(path, segments);
  return segments;
}

/** A copy of the document with other values at some paths. Missing objects on a path are created. */
export function withValues(document: Json, places: readonly { steps: readonly string[]; value: Json }[]): Json {
  const fresh = new Set<Json>();
  const writable = (value: Json | undefined): Members => {
    if (isObject(value) && fresh.has(value)) return value;
    const copy = isObject(value) ? { ...value } : {};
    fresh.add(copy);
    return copy;
  };
  let root = document;
  for (const { steps, value } of places) {
    let holder = writable(root);
    root = holder;
    for (const [depth, step] of steps.entries()) {
      if (depth + 1 === steps.length) {
        put(holder, step, value);
        break;
      }
      const inner = Object.hasOwn(holder, step) ? holder[step] : undefined;
      // Steps are keys, which cannot lead into a list.
      if (Array.isArray(inner)) break;
      const below = writable(inner);
      put(holder, step, below);
      holder = below;
    }
  }
  return root;
}

/** The value if it is a list, else an empty list. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
