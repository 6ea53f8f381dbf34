/** Finds the blocks, fields and actions of a page's document. Without the store's module, which paths need: see `field-paths.ts`. */
import { isObject, type Members } from "../core/kinds.js";
import type { Json } from "../types.js";

/** Keys in `props` of lists whose items (tabs, panels) have fields and actions of their own. */
const GROUPS = ["tabs", "panels"];
/** Keys under which a table has the buttons of its rows. */
const ROW_ACTIONS = ["actions", "row_actions", "rowActions"];

/** The blocks of a document. Items that are no objects are left out, here as in the following functions. */
export function blocksOf(document: Json): Members[] {
  return objects(isObject(document) ? document.blocks : undefined);
}

/** The fields of a block, those in its tabs and panels too. */
export function* fieldsIn({ props }: Members): Generator<Members> {
  for (const group of groupsOf(props)) yield* objects(group.fields);
}

/** All actions: those of the blocks, the buttons of their tables' rows, then the global ones. */
export function* actionsOf(document: Json): Generator<Members> {
  for (const block of blocksOf(document)) {
    for (const group of groupsOf(block.props)) {
      yield* objects(group.actions);
      for (const field of objects(group.fields)) {
        for (const tableOrColumn of [field, ...objects(field.columns)]) {
          for (const list of ROW_ACTIONS) yield* objects(tableOrColumn[list]);
        }
      }
    }
  }
  if (isObject(document)) yield* objects(document.actions);
}

/** The objects in which fields and actions may stand: the `props` of a block, and the tabs and panels in it. */
function* groupsOf(group: Json | undefined): Generator<Members> {
  if (!isObject(group)) return;
  yield group;
  for (const name of GROUPS) for (const inner of listOf(group[name])) yield* groupsOf(inner);
}

function objects(list: Json | undefined): Members[] {
  return listOf(list).filter((item) => isObject<Json>(item));
}

/** Returns a function that replaces a value, or each value of a list, by the label of its option. A value without one stays. */
export function labelsOf(field: Members): (value: Json) => Json {
  const labels = new Map<Json | undefined, Json | undefined>();
  for (const { value, label } of objects(field.options)) if (!labels.has(value)) labels.set(value, label);
  const label = (value: Json): Json => (Array.isArray(value) ? value.map(label) : (labels.get(value) ?? value));
  return label;
}

/** The value if it is a list, else an empty list. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
