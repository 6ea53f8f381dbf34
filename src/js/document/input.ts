/** What a person does to a page: a field's change, a button in a table's row. */

import { type Refused, refuse } from "../core/errors.js";
import { isObject, type Members } from "../core/kinds.js";
import { valueAt } from "../core/mirror.js";
import type { Json, Rules } from "../types.js";
import { blocksOf, type Field, fieldsOf } from "./parts.js";
import { listOf } from "./place.js";
import { listNames } from "./result.js";
import { Templates } from "./template.js";

/** A field of a block, by its key. */
export function findField(document: Json, blockId: string, key: string): Field | Refused {
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

/** Converts the value of an input element to the type of its field. */
export function coerce(field: Members, given: Json): { value: Json } | Refused {
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
    case "json":
      if (typeof given !== "string") return { value: given };
      try {
        return { value: given.trim() === "" ? null : (JSON.parse(given) as Json) };
      } catch {
        return unfit("JSON text");
      }
    case "text":
    case "textarea":
    case "date":
    case "datetime":
    case "html":
      return { value: given === null || typeof given === "object" ? given : String(given) };
    default:
      return { value: given };
  }
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
export function rowOf(
  document: Json,
  rules: Rules,
  { field, steps }: Field,
  index: number,
  maxWork: number,
): { row: Json } | Refused {
  const own = valueAt(document, steps);
  const rows = listOf(own ?? new Templates(document, rules, maxWork).value(field.value ?? null));
  const row = rows[index];
  if (row !== undefined) return { row };
  const message = `The table "${String(field.key)}" has ${rows.length} rows, so there is none at index ${index}.`;
  return refuse("PATH_NOT_FOUND", message, rows.length === 0 ? "It is empty." : `Use 0 to ${rows.length - 1}.`);
}
