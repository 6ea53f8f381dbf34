/** What a person does to a page: a field's change, a button in a table's row. */
import { listNames, type Refused, refuse } from "../core/errors.js";
import { copyJson, parseJson } from "../core/json.js";
import { isObject, type Members } from "../core/kinds.js";
import { ANY, FLAG, INDEX, requireKeys, requireKind, requireOptions, requireText } from "../core/require.js";
import { valueAt } from "../core/tree.js";
import type { StoreCore } from "../store/store-core.js";
import type { Json, OptimisticResult, SetOptions } from "../types.js";
import { runAction } from "./action.js";
import { blocksOf, type Field, fieldsOf, listOf, pathTo } from "./parts.js";
import { Templates, withinLimits } from "./template.js";
import type { ActionOptions, ActionResult } from "./tool-types.js";

/** A row of a table field. */
export interface RowPlace {
  block: string;
  field: string;
  /** Its index. */
  row: number;
}

export type RowOptions = Omit<ActionOptions, "rowData">;

export function runRowAction(
  core: StoreCore,
  name: string,
  place: RowPlace,
  actionId: string,
  options: RowOptions,
): ActionResult {
  requireText("runRowAction", "name", name);
  requireKeys("runRowAction", "place", place, ["block", "field", "row"]);
  requireOptions("runRowAction", options, { params: ANY, optimistic: ANY });
  requireKind("runRowAction", "row", place.row, INDEX);
  return withinLimits(() => {
    const found = findField(core, name, place.block, place.field);
    const row = "error" in found ? found : rowOf(core, name, found, place.row);
    return "error" in row ? row : runAction(core, name, actionId, { ...options, rowData: row.value });
  });
}

/** Sets the place of a field to what its control gives. */
export function setField(
  core: StoreCore,
  name: string,
  blockId: string,
  key: string,
  value: unknown,
  options: SetOptions,
): OptimisticResult {
  for (const [argument, text] of Object.entries({ name, blockId, key })) requireText("setField", argument, text);
  requireOptions("setField", options, { optimistic: FLAG });
  const given = copyJson(value, "value");
  const found = findField(core, name, blockId, key);
  const fit = "error" in found ? found : coerce(found.field, given);
  if ("error" in fit) return { ...fit, instance_name: name };
  const path = pathTo((found as Field).steps);
  if (typeof path !== "string") return { ...path, instance_name: name };
  const call = { instance_name: name, patches: [{ op: "set", path, value: fit.value }] };
  return options.optimistic ? core.applyOptimistic(call) : core.apply(call);
}

function findField(core: StoreCore, name: string, blockId: string, key: string): Field | Refused {
  const document = core.snapshot(name);
  if (document === undefined) return core.missing(name);
  const fields = [...fieldsOf(document)].filter(({ block }) => block.id === blockId);
  const found = fields.find(({ field }) => field.key === key);
  if (found !== undefined) return found;
  const blocks = blocksOf(document);
  const here = blocks.some((block) => block.id === blockId);
  const known = here ? fields.map(({ field }) => String(field.key)) : blocks.map((block) => String(block.id));
  const what = here ? `The block "${blockId}" has no field "${key}".` : `There is no block "${blockId}".`;
  const solution = known.length === 0 ? "There are none." : `Use one of ${listNames(known, key)}.`;
  return refuse("PATH_NOT_FOUND", what, solution);
}

const TEXT_TYPES = ["text", "textarea", "date", "datetime", "html"];

/** Converts the value of an input element to the type of its field. */
function coerce(field: Members, given: Json): { value: Json } | Refused {
  const unfit = (wanted: string) => {
    const message = `The field "${String(field.key)}" takes ${wanted}, not ${JSON.stringify(given)}.`;
    return refuse("INVALID_STRUCTURE", message, `Give ${wanted}.`);
  };
  switch (field.type) {
    case "number":
    case "progress": {
      if (given === null || (typeof given === "string" && given.trim() === "")) return { value: null };
      const number = typeof given === "string" || typeof given === "number" ? Number(given) : Number.NaN;
      return Number.isFinite(number) ? { value: number } : unfit("a number");
    }
    case "checkbox":
      if (typeof given === "string") return { value: !["", "false", "off", "0"].includes(given.toLowerCase()) };
      return { value: Boolean(given) };
    case "select":
    case "radio":
      return given === null || given === "" ? { value: given } : optionsOf(field, unfit)(given);
    case "multiselect": {
      const values: Json[] = [];
      const chosen = optionsOf(field, unfit);
      for (const item of Array.isArray(given) ? given : given === null || given === "" ? [] : [given]) {
        const choice = chosen(item);
        if ("error" in choice) return choice;
        values.push(choice.value);
      }
      return { value: values };
    }
    case "json": {
      const value = typeof given === "string" ? (given.trim() === "" ? null : parseJson(given)) : given;
      return value === undefined ? unfit("JSON text") : { value };
    }
  }
  const isText = TEXT_TYPES.includes(field.type as string) && given !== null && typeof given !== "object";
  return { value: isText ? String(given) : given };
}

/** A control gives texts; the option says which kind of value it stands for. */
function optionsOf(field: Members, unfit: (wanted: string) => Refused): (given: Json) => { value: Json } | Refused {
  const values = listOf(field.options).map((option) => (isObject(option) ? (option.value as Json) : null));
  const known = new Set(values);
  const byText = new Map<string, Json>();
  for (const value of values) if (!byText.has(String(value))) byText.set(String(value), value);
  return (given) => {
    const value = known.has(given) ? given : byText.get(String(given));
    return value === undefined ? unfit(`one of ${listNames(values.map(String))}`) : { value };
  };
}

/** A row of a table: of the list at its place in state, else of the list that its `value` gives. */
function rowOf(core: StoreCore, name: string, { field, steps }: Field, index: number): { value: Json } | Refused {
  const document = core.snapshot(name) as Json;
  const own = valueAt(document, steps);
  const rows = listOf(own ?? new Templates(document, core.rules(name), core.limits.maxWork).value(field.value ?? null));
  const value = rows[index];
  if (value !== undefined) return { value };
  const message = `The table "${String(field.key)}" has ${rows.length} rows, so there is none at index ${index}.`;
  return refuse("PATH_NOT_FOUND", message, rows.length === 0 ? "It is empty." : `Use 0 to ${rows.length - 1}.`);
}
