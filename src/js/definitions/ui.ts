/** The definitions of the five tools of a page, for models. */
import { catalogEntries } from "../catalog/entries.js";
import type { Catalog } from "../core/catalog-types.js";
import { fieldKinds, pageWords } from "../generated/facts.js";
import type { CriterionType, PatchOp, PatchOperation } from "../types.js";
import { object, text } from "./format.js";
import type { ToolDefinition } from "./types.js";

/** The effect of each operation, for the description of `op`. Short, since models read it with every request. */
const OPS: Record<PatchOp, string> = {
  set: "sets value, making missing parents in state",
  add: "appends value, or each of items, to a list; where path ends with an index, inserts there",
  replace: "sets value where something is already",
  remove: "removes the item or key",
  move: "puts the item at path elsewhere in its list: see to",
  clear: "empties or resets",
  create: "carries the first document, in a __CREATE__ call",
  delete: "in a __DELETE__ call only",
  increment: "adds value (1) to a number in state",
  decrement: "subtracts value (1) from a number in state",
  toggle: "turns a boolean in state around",
  merge: "sets the keys of value in an object",
  append_to_list: "as add, for any list",
  prepend_to_list: "as add, at the front",
  remove_from_list: "removes the item with the id in value",
  remove_last: "removes the last item",
  update_list_item: "merges value.updates into the item with the id value.value, or value into the item at index",
  filter_list: "keeps the items that match value {key, operator, value}",
  clear_all_params: "resets state.params",
};

/** When each type of criterion is met, for the description of `type`. */
const CRITERIA: Record<CriterionType, string> = {
  field_exists: "present and not null",
  field_equals: "equal to value",
  field_not_empty: "not null, blank, [] or {}",
  block_exists: "a block with the id in path",
  action_exists: "an action with the id in path",
  block_count: "as many blocks as value",
  custom: "condition holds, or the check called name passes",
};

/** A table as one text: `set: sets value; add: appends value`. */
const tableText = (table: Record<string, string>) =>
  Object.entries(table)
    .map(([name, what]) => `${name}: ${what}`)
    .join("; ");

/** The argument that names an instance. */
const instance = text("The name of an instance, as list_instances returns it.");

/** A page in short: its shape and the types of its parts. `pagePrompt` says more. */
const PAGE = [
  "A page: {page_key, state: {params, runtime}, layout: {type}, blocks, actions}.",
  `A block: {id, type: ${pageWords.blocks.join(" | ")}, title, props: {fields, actions, tabs, panels}}; a tab or panel: {id, title, fields, actions}.`,
  `A field: {key, label, type: ${Object.keys(fieldKinds).join(" | ")}}, with options [{label, value}] or columns [{key, label}] where its type has them; its value is at state.params and its key.`,
  `An action: {id, label, style, action_type: ${pageWords.actions.join(" | ")}, patches: {path: value}}.`,
].join(" ");

const patch = object(
  {
    op: { type: "string", enum: Object.keys(OPS), description: `What to do. ${tableText(OPS)}.` },
    path: text(
      'Where: state.params.count, blocks["form"].title, blocks.0.props.fields, blocks or blocks.1 (op add), blocks-"old" (op remove).',
    ),
    value: { description: "The value; what it is depends on op." },
    items: { type: "array", items: {}, description: "Several values, for operations that add." },
    index: { type: "integer", description: "Which item, for update_list_item." },
    to: { description: "For move: the new index, {before: id} or {after: id}." },
    all: { type: "boolean", description: "Every match instead of the first, for remove_from_list." },
    condition: text("Skip the patch unless this holds, such as state.params.count > 0 && !state.params.done."),
  } satisfies Record<keyof PatchOperation, unknown>,
  ["op"],
);

const criterion = object(
  {
    type: { type: "string", enum: Object.keys(CRITERIA), description: `What is checked. ${tableText(CRITERIA)}.` },
    path: text("Where, such as state.params.email."),
    value: { description: "What field_equals and block_count compare with." },
    description: text("The criterion in words."),
    condition: text("For custom: a condition as in patches."),
    name: text("For custom: a check of the page."),
  },
  ["type"],
);

/** The definitions of the tools. docs/store.md has their results. The first one describes a page, see `uiToolsWith`. */
export const uiTools: readonly ToolDefinition[] = [
  {
    name: "patch_ui_state",
    description: `Changes the page: the only way to do so. Patches apply in order, all or none. Creates an instance with instance_name __CREATE__ and new_instance_name, deletes one with __DELETE__ and target_instance_name. ${PAGE}`,
    input: object(
      {
        instance_name: text("An instance, __CREATE__ or __DELETE__."),
        patches: { type: "array", items: patch, description: "What to change, in order." },
        new_instance_name: text("With __CREATE__: the new name."),
        target_instance_name: text("With __DELETE__: the name of the instance to delete."),
      },
      ["instance_name"],
    ),
  },
  {
    name: "get_schema",
    description: "Reads the whole document of an instance: state, layout, blocks, actions.",
    input: object({ instance_name: instance }),
    readOnly: true,
  },
  {
    name: "list_instances",
    description: "Lists the instances, with their numbers of blocks and actions.",
    input: object({}),
    readOnly: true,
  },
  {
    name: "validate_completion",
    description:
      "Says whether an instance meets the criteria, one by one, and what the user has entered (state_summary).",
    input: object(
      {
        instance_name: instance,
        intent: text("What the check is for, in words."),
        completion_criteria: { type: "array", items: criterion, description: "What must hold. None: always complete." },
      },
      ["instance_name"],
    ),
    readOnly: true,
  },
  {
    name: "access_instance",
    description: "Shows an instance to the user, and reads its document.",
    input: object({ instance_name: instance }),
  },
];

/**
 * The tools. If the catalog of a page adds types of blocks, fields or actions, the description of `patch_ui_state` lists them.
 */
export function uiToolsWith(catalog: Catalog | undefined): readonly ToolDefinition[] {
  const lists = Object.entries(catalog ?? {}).map(([list, types]: [string, unknown]) => {
    const names = catalogEntries(types).map(([name, { description }]) =>
      description ? `${name} (${description})` : name,
    );
    return names.length === 0 ? "" : `${list}: ${names.join(", ")}`;
  });
  const additions = lists.filter((text) => text !== "").join("; ");
  if (additions === "") return uiTools;
  const describe = (tool: ToolDefinition) => `${tool.description} This page also has ${additions}.`;
  return uiTools.map((tool) => (tool === uiTools[0] ? { ...tool, description: describe(tool) } : tool));
}
