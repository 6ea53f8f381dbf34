/** `runAction`: runs an action of a document, such as that of a button. */
import { cut, listNames, refusal } from "../core/errors.js";
import { requireJson } from "../core/json.js";
import { isObject, type Members, mapMembers } from "../core/kinds.js";
import { formatPath } from "../core/path.js";
import { ANY, FLAG, OBJECT, requireOptions, requireText } from "../core/require.js";
import { wellFormed } from "../core/surrogates.js";
import { valueAt } from "../core/tree.js";
import { isAllowedOrigin, requireUrlPolicy, safeUrl, type UrlPolicy } from "../core/url.js";
import { CHANGE, sourceOf } from "../store/authors.js";
import type { StoreCore } from "../store/store-core.js";
import type { Json, OptimisticResult, PatchCall, PatchOperation } from "../types.js";
import { actionsOf, type Field, fieldsOf, withValues } from "./parts.js";
import { Templates } from "./template.js";
import type { ActionInstruction, ActionOptions, ActionResult } from "./tool-types.js";

/** The type of actions that change the document, and of actions without a type. */
const PATCHES = "apply_patch";
/**
 * Operations whose value has no effect in the form `{path: value}`. Exception: for `remove` a value names an item, unless it is null
 * or a boolean.
 */
const WITHOUT_VALUE = ["remove", "clear", "toggle", "remove_last", "clear_all_params"];
/** The path at which a pressed table row is stored. */
const ROW = ["state", "runtime", "temp_rowData"];

/** `PatchStore.runAction`. Throws a refusal for an unknown or disabled action. */
export function runAction(core: StoreCore, name: string, actionId: string, options: ActionOptions): ActionResult {
  requireText("runAction", "name", name);
  requireText("runAction", "actionId", actionId);
  requireOptions("runAction", options, { params: OBJECT, rowData: ANY, optimistic: FLAG, urls: ANY, ...CHANGE });
  if (options.urls !== undefined) requireUrlPolicy("runAction", options.urls);
  const { params = {}, rowData, optimistic = false } = options;
  const checkedParams = mapMembers(params, (value) => (value === undefined ? value : requireJson(value, "params")));
  const row = rowData === undefined ? undefined : requireJson(rowData, "rowData");
  const document = core.requireSnapshot(name);
  const rules = core.rules(name);
  const actions = [...actionsOf(document)];
  const action = actions.find((own) => own.id === actionId);
  if (action === undefined) {
    const known = listNames([...new Set(actions.map((own) => String(own.id)))], actionId);
    const solution = known === "" ? "The instance has no actions." : `Use one of ${known}.`;
    throw refusal("UNKNOWN_ACTION", `"${name}" has no action "${actionId}".`, solution);
  }
  const { limits } = core;
  // A template may make `disabled` the text "false", or an empty text: neither disables.
  const disabled = new Templates(document, rules, limits).value(action.disabled ?? false);
  if (disabled && disabled !== "false")
    throw refusal("ACTION_DISABLED", `The action "${actionId}" of "${name}" is disabled.`, "Enable it first.");
  // Set in the same call, before the action's own patches.
  const before = [...paramPatches(document, checkedParams)];
  if (row !== undefined) before.push({ steps: ROW, value: row });
  // Templates see the document with the params and the row.
  const templates = new Templates(withValues(document, before), rules, limits);
  const type = typeof action.action_type === "string" ? action.action_type : PATCHES;
  const patches = before.map(({ steps, value }): PatchOperation => ({ op: "set", path: formatPath(steps), value }));
  if (type === PATCHES) patches.push(...patchesOf(templates, action));
  const call: PatchCall = { instance_name: name, patches };
  // A template that inserts too much is refused before anything changes.
  const { urls = core.urls } = options;
  const instructed =
    type === PATCHES ? undefined : instruct(templates, action, URL_TYPES.includes(type) ? urls : ANYWHERE);
  const instruction = { status: "success", kind: type, ...instructed } as ActionResult;
  if (instructed !== undefined && patches.length === 0) return instruction;
  const by = sourceOf(options);
  const result: OptimisticResult = optimistic ? core.applyOptimistic(call, by) : core.apply(call, by);
  if (result.status === "error") return { status: "error", error: result.error };
  if (instructed !== undefined) return instruction;
  const { pendingId } = result;
  return { status: "success", kind: "patch", call, result, ...(pendingId !== undefined && { pendingId }) };
}

/** The params that exist in state or are declared by a field, with their paths. */
function* paramPatches(
  document: Json,
  params: { [key: string]: Json | undefined },
): Generator<{ steps: string[]; value: Json }> {
  const own = valueAt(document, ["state", "params"]);
  const fields = new Map<Json | undefined, Field>();
  for (const field of fieldsOf(document)) if (!fields.has(field.field.key)) fields.set(field.field.key, field);
  for (const [key, value] of Object.entries(params)) {
    if (value === undefined) continue;
    const declared = fields.get(key);
    if (isObject(own) && Object.hasOwn(own, key)) yield { steps: ["state", "params", key], value };
    else if (declared !== undefined) yield { steps: declared.steps, value };
  }
}

/** The patches of an action: `{path: value}` with the operation in `handler_type`, or a list of patches. */
function patchesOf(templates: Templates, { handler_type, patches }: Members): PatchOperation[] {
  if (Array.isArray(patches)) {
    const filled = (patch: Members) =>
      mapMembers(patch, (own, key) =>
        key === "value" || key === "items" || key === "to" ? templates.value(own) : own,
      );
    return patches
      .filter((patch) => isObject<Json>(patch))
      .map((patch) => ({ ...filled(patch), op: String(patch.op) }));
  }
  const op = typeof handler_type === "string" ? handler_type : "set";
  const entries = Object.entries(isObject(patches) ? patches : {});
  if (entries.length === 0 && op === "clear_all_params") return [{ op }];
  return entries.map(([path, value]) => patchOf(op, path, templates.value(value)));
}

/** Whether a value may be the `to` of `move`; the core checks what is in it. */
const isTarget = (value: Json): value is number | { before: string } | { after: string } =>
  typeof value === "number" || (isObject(value) && ("before" in value || "after" in value));

function patchOf(op: PatchOperation["op"], path: string, value: Json): PatchOperation {
  if (op === "clear_all_params") return { op };
  if (op === "remove" && value !== null && typeof value !== "boolean") return { op, path, value };
  if (WITHOUT_VALUE.includes(op)) return { op, path };
  if (op === "move" && isTarget(value)) return { op, path, to: value };
  const count = op === "increment" || op === "decrement";
  if (count && typeof value !== "number" && !(typeof value === "string" && value.trim() !== "")) return { op, path };
  if (count && Number.isFinite(Number(value))) return { op, path, value: Number(value) };
  if (op === "update_list_item" && isObject(value) && typeof value.index === "number")
    return { op, path, index: value.index, value: value.updates ?? value.value };
  if (isObject(value) && Array.isArray(value.items) && Object.keys(value).length === 1) {
    if (op === "add" || op.endsWith("pend_to_list")) return { op, path, items: value.items };
  }
  return { op, path, value };
}

/** Properties that are not part of the instruction: they describe the button, or the patches. */
const NOT_FOR_THE_PAGE = ["id", "label", "style", "disabled", "action_type", "handler_type", "patches"];
/** Names of properties whose value is a URL. */
const URL_NAME = /^(url|uri|href|src|link|endpoint|redirect)$|(_url|Url|_uri|Uri)$/;
/** Names of properties whose value is a URL, or a name that the page knows. */
const TARGET_NAME = /^(target|to|path|location|page|route|destination)$|(_to|To|_path|Path|_target|Target)$/;
/** A URL with a scheme, as a browser reads it: tabs and line breaks are ignored. */
const SCHEME = /^[\0-\x20]*[a-z][a-z0-9+.\t\n\r-]*:/i;

function urlRefusal(id: string, url: string) {
  const message = `The action "${id}" leads to ${JSON.stringify(cut(url))}, which is not of the page's own origin.`;
  const solution = "Use a relative URL, or let the page allow the origin by urls.allow.";
  return refusal("URL_NOT_ALLOWED", message, solution, undefined, { code: "URL_NOT_ALLOWED" });
}

/** Types of actions whose URLs a page opens or requests without asking the user. */
const URL_TYPES = ["api", "navigate"];
const ANYWHERE: UrlPolicy = { allow: ["*"] };

/** The instruction for the page. Every URL in it is safe, or null. Refuses a URL whose origin the policy does not allow. */
function instruct(templates: Templates, action: Members, policy: UrlPolicy): { instruction: ActionInstruction } {
  const urls: ActionInstruction["urls"] = {};
  const walk = (value: Json, name: string, place: string): Json => {
    if (typeof value === "string") {
      const isUrl = URL_NAME.test(name);
      // A value inserted after the beginning of a URL is encoded: it cannot add segments or parameters.
      const encode = (text: string, at: number) => (at === 0 ? text : encodeURIComponent(wellFormed(text)));
      const text = isUrl ? templates.fill(value, false, encode) : templates.value(value);
      if (typeof text !== "string" || !(isUrl || (TARGET_NAME.test(name) && SCHEME.test(text)))) return text;
      const checked = safeUrl(text);
      urls[place] = checked;
      if (checked.ok && !isAllowedOrigin(checked.url, policy)) throw urlRefusal(String(action.id), checked.url);
      return checked.ok ? checked.url : null;
    }
    if (Array.isArray(value)) return value.map((item, index) => walk(item, name, `${place}.${index}`));
    return isObject(value) ? mapMembers(value, (item, key) => walk(item, key, `${place}.${key}`)) : value;
  };
  const entries = Object.entries(action).filter(([key]) => !NOT_FOR_THE_PAGE.includes(key));
  const written = entries.map(([key, value]) => [key, walk(value, key, key)]);
  return { instruction: { action: String(action.id), ...Object.fromEntries(written), urls } };
}
