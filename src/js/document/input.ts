/** `setField` and `runRowAction`: the user changes a field, or presses a button in a table row. */
import { listNames, orRefusal, type RefusedError, refusal } from "../core/errors.js";
import { copyWellFormed, parseJson } from "../core/json.js";
import { isObject, type Members } from "../core/kinds.js";
import { measure } from "../core/measure.js";
import { formatPath } from "../core/path.js";
import { ANY, FLAG, INDEX, requireKeys, requireKind, requireOptions, requireText } from "../core/require.js";
import { valueAt } from "../core/tree.js";
import { fieldKinds } from "../generated/facts.js";
import { CHANGE, sourceOf } from "../store/authors.js";
import type { StoreCore } from "../store/store-core.js";
import type { Json, OptimisticResult, SetOptions } from "../types.js";
import { runAction } from "./action.js";
import { type Field, fieldsOf } from "./field-paths.js";
import { blocksOf, listOf } from "./parts.js";
import { Templates } from "./template.js";
import type { ActionOptions, ActionResult } from "./tool-types.js";

/** A row of a table field. */
export interface RowPlace {
  /** The id of the block. */
  block: string;
  /** The key of the field. */
  field: string;
  /** The index of the row. */
  row: number;
}

/** The options of `runRowAction`. */
export type RowOptions = Omit<ActionOptions, "rowData">;

/** `PatchStore.runRowAction`. Throws a refusal for an unknown block, field, row or action. */
export function runRowAction(
  core: StoreCore,
  name: string,
  place: RowPlace,
  actionId: string,
  options: RowOptions,
): ActionResult {
  requireText("runRowAction", "name", name);
  requireKeys("runRowAction", "place", place, ["block", "field", "row"]);
  // `runAction` checks the values of the options.
  requireOptions("runRowAction", options, { params: ANY, optimistic: ANY, urls: ANY, author: ANY, group: ANY });
  requireKind("runRowAction", "row", place.row, INDEX);
  const row = rowOf(core, name, findField(core, name, place.block, place.field), place.row);
  return runAction(core, name, actionId, { ...options, rowData: row });
}

/** `PatchStore.setField`: stores the value of a field's control, converted to the type of the field. */
export function setField(
  core: StoreCore,
  name: string,
  blockId: string,
  key: string,
  value: unknown,
  options: SetOptions,
): OptimisticResult {
  for (const [argument, text] of Object.entries({ name, blockId, key })) requireText("setField", argument, text);
  requireOptions("setField", options, { optimistic: FLAG, ...CHANGE });
  const input = copyWellFormed(value, "value");
  // `orRefusal` returns a refusal that is thrown as an error result, which alone has a status.
  const patchOrError = orRefusal(() => {
    const { field, steps } = findField(core, name, blockId, key);
    return { op: "set", value: coerce(field, input), path: formatPath(steps) };
  });
  if ("status" in patchOrError) return { ...patchOrError, instance_name: name };
  const call = { instance_name: name, patches: [patchOrError] };
  // Consecutive texts or numbers of one field are one group of the history. Values of other types are groups of their own.
  const source = { ...sourceOf(options), isTyping: true };
  return options.optimistic ? core.applyOptimistic(call, source) : core.apply(call, source);
}

/** The first field with a key in a block. Throws a refusal that lists the blocks or fields if none exists. */
function findField(core: StoreCore, name: string, blockId: string, key: string): Field {
  const document = core.requireSnapshot(name);
  const fields = [...fieldsOf(document)].filter(({ block }) => block.id === blockId);
  const match = fields.find(({ field }) => field.key === key);
  if (match !== undefined) return match;
  const blocks = blocksOf(document);
  const isBlock = blocks.some((block) => block.id === blockId);
  const names = isBlock ? fields.map(({ field }) => String(field.key)) : blocks.map((block) => String(block.id));
  const message = isBlock ? `The block "${blockId}" has no field "${key}".` : `There is no block "${blockId}".`;
  const noNames = isBlock ? "The block has no fields." : "The instance has no blocks.";
  const solution = names.length === 0 ? noNames : `Use one of ${listNames(names, key)}.`;
  throw refusal("PATH_NOT_FOUND", message, solution);
}

/** By field type of the vocabulary: the kind of its value. A catalog may have further types. */
const KINDS: Readonly<Record<string, string>> = fieldKinds;

/**
 * Converts the value of an input element to the type of its field. An empty input is null for a number, an empty list for several
 * choices, and stays as it is for a text or one choice. Values of other kinds, and of types of a catalog, stay as they are,
 * except that `json` takes JSON text. Throws a refusal for a value that cannot be converted.
 */
function coerce(field: Members, input: Json): Json {
  const mismatch = (expected: string) => {
    const message = `The field "${String(field.key)}" needs ${expected}, not ${JSON.stringify(input)}.`;
    return refusal("INVALID_STRUCTURE", message, `Send ${expected}.`);
  };
  const type = String(field.type);
  switch (Object.hasOwn(KINDS, type) && KINDS[type]) {
    case "number": {
      if (input === null || (typeof input === "string" && input.trim() === "")) return null;
      const number = typeof input === "string" || typeof input === "number" ? Number(input) : Number.NaN;
      if (Number.isFinite(number)) return number;
      throw mismatch("a number");
    }
    case "flag":
      if (typeof input === "string") return !["", "false", "off", "0"].includes(input.toLowerCase());
      return Boolean(input);
    case "choice":
      return input === null || input === "" ? input : optionReader(field, mismatch)(input);
    case "choices":
      if (input === null || input === "") return [];
      return [input].flat().map(optionReader(field, mismatch));
    case "text":
      return input !== null && typeof input !== "object" ? String(input) : input;
  }
  if (type !== "json") return input;
  const value = typeof input === "string" ? (input.trim() === "" ? null : parseJson(input)) : input;
  // JSON text may have a number that is too large, e.g. 1e400, which is read as infinite.
  if (value !== undefined && !measure(value).infinite) return value;
  throw mismatch("JSON text");
}

/**
 * Returns a function that finds the option for the value or text of a control: the option's value may be a number or a boolean.
 * The function throws `mismatch` if none exists.
 */
function optionReader(field: Members, mismatch: (expected: string) => RefusedError): (input: Json) => Json {
  const values = listOf(field.options).map((option) => (isObject<Json>(option) ? (option.value ?? null) : null));
  const knownValues = new Set(values);
  const byText = new Map<string, Json>();
  for (const value of values) if (!byText.has(String(value))) byText.set(String(value), value);
  return (input) => {
    const value = knownValues.has(input) ? input : byText.get(String(input));
    if (value !== undefined) return value;
    throw mismatch(`one of ${listNames(values.map(String))}`);
  };
}

/** A row of a table: of the list in state, or of the table's `value` if the state has no value for it. */
function rowOf(core: StoreCore, name: string, { field, steps }: Field, index: number): Json {
  const document = core.requireSnapshot(name);
  const inState = valueAt(document, steps);
  const rows = listOf(inState ?? new Templates(document, core.rules(name), core.limits).value(field.value ?? null));
  const value = rows[index];
  if (value !== undefined) return value;
  const message = `The table "${String(field.key)}" has ${rows.length} rows, so there is none at index ${index}.`;
  throw refusal("PATH_NOT_FOUND", message, rows.length === 0 ? "It is empty." : `Use 0 to ${rows.length - 1}.`);
}
