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
import { type Field, fieldsOf, withValues } from "./field-paths.js";
import { actionsOf } from "./parts.js";
import { Templates } from "./template.js";
import type { ActionInstruction, ActionOptions, ActionResult } from "./tool-types.js";

/** The type of actions that change the document, and of actions without a type. */
const PATCHES = "apply_patch";
/**
 * Operations whose value has no effect in the form `{path: value}`. Exception: for `remove` a value names an item, unless it is
 * null or a boolean.
 */
const WITHOUT_VALUE = ["remove", "clear", "toggle", "remove_last", "clear_all_params"];
/** The path at which a pressed table row is stored. */
const ROW = ["state", "runtime", "temp_rowData"];

/**
 * `PatchStore.runAction`. The params and the row are set first, in the same call as the patches of an action that patches. Any
 * other action becomes an instruction for the page, and only the params and the row are applied. Throws a refusal for an unknown
 * or disabled action, and for templates that insert too much.
 */
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
  const action = findAction(document, name, actionId);
  const { limits } = core;
  // A template may make `disabled` the text "false", or an empty text: neither disables.
  const disabled = new Templates(document, rules, limits).value(action.disabled ?? false);
  if (disabled && disabled !== "false")
    throw refusal("ACTION_DISABLED", `The action "${actionId}" of "${name}" is disabled.`, "Enable it first.");
  const inputs = [...paramValues(document, checkedParams)];
  if (row !== undefined) inputs.push({ steps: ROW, value: row });
  // Templates see the document with the params and the row.
  const templates = new Templates(withValues(document, inputs), rules, limits);
  const type = typeof action.action_type === "string" ? action.action_type : PATCHES;
  const patches = inputs.map(({ steps, value }): PatchOperation => ({ op: "set", path: formatPath(steps), value }));
  if (type === PATCHES) patches.push(...patchesOf(templates, action));
  const call: PatchCall = { instance_name: name, patches };
  // The instruction is made before the call is applied: if a URL or a template in it is refused, nothing changes.
  const { urls = core.urls } = options;
  const forPage =
    type === PATCHES ? undefined : instruct(templates, action, URL_TYPES.includes(type) ? urls : ANYWHERE);
  const instructionResult = { status: "success", kind: type, ...forPage } as ActionResult;
  // Without params and a row, an instruction needs no call.
  if (forPage !== undefined && patches.length === 0) return instructionResult;
  const source = sourceOf(options);
  const result: OptimisticResult = optimistic ? core.applyOptimistic(call, source) : core.apply(call, source);
  if (result.status === "error") return { status: "error", error: result.error };
  if (forPage !== undefined) return instructionResult;
  const { pendingId } = result;
  return { status: "success", kind: "patch", call, result, ...(pendingId !== undefined && { pendingId }) };
}

/** The first action of a document with an id. Throws a refusal that lists similar ids if none exists. */
function findAction(document: Json, name: string, actionId: string): Members {
  const actions = [...actionsOf(document)];
  const action = actions.find(({ id }) => id === actionId);
  if (action !== undefined) return action;
  const similarIds = listNames([...new Set(actions.map(({ id }) => String(id)))], actionId);
  const solution = similarIds === "" ? "The instance has no actions." : `Use one of ${similarIds}.`;
  throw refusal("UNKNOWN_ACTION", `"${name}" has no action "${actionId}".`, solution);
}

/** The params that exist in state or are declared by a field, with their paths. Others are left out. */
function* paramValues(
  document: Json,
  params: { [key: string]: Json | undefined },
): Generator<{ steps: string[]; value: Json }> {
  const stateParams = valueAt(document, ["state", "params"]);
  /** By key: the first field that has it. */
  const fields = new Map<Json | undefined, Field>();
  for (const field of fieldsOf(document)) if (!fields.has(field.field.key)) fields.set(field.field.key, field);
  for (const [key, value] of Object.entries(params)) {
    if (value === undefined) continue;
    const field = fields.get(key);
    if (isObject(stateParams) && Object.hasOwn(stateParams, key)) yield { steps: ["state", "params", key], value };
    else if (field !== undefined) yield { steps: field.steps, value };
  }
}

/**
 * The patches of an action, with templates filled in: `{path: value}` with the operation in `handler_type`, or a list of patches.
 */
function patchesOf(templates: Templates, { handler_type, patches }: Members): PatchOperation[] {
  if (Array.isArray(patches)) {
    const fillIn = (patch: Members) =>
      mapMembers(patch, (member, key) =>
        key === "value" || key === "items" || key === "to" ? templates.value(member) : member,
      );
    return patches
      .filter((patch) => isObject<Json>(patch))
      .map((patch) => ({ ...fillIn(patch), op: String(patch.op) }));
  }
  const op = typeof handler_type === "string" ? handler_type : "set";
  const entries = Object.entries(isObject(patches) ? patches : {});
  // This operation needs no path, so an action may have it without patches.
  if (entries.length === 0 && op === "clear_all_params") return [{ op }];
  return entries.map(([path, value]) => patchOf(op, path, templates.value(value)));
}

/** Whether a value may be the `to` of `move`; the core checks what is in it. */
const isTarget = (value: Json): value is number | { before: string } | { after: string } =>
  typeof value === "number" || (isObject(value) && ("before" in value || "after" in value));

/**
 * The patch for `{path: value}`. The operation decides which member of the patch the value becomes: `to` of a move, `index` and
 * `value` of a list item, `items` of an insertion of several, else `value`. The core checks the patch.
 */
function patchOf(op: PatchOperation["op"], path: string, value: Json): PatchOperation {
  if (op === "clear_all_params") return { op };
  if (op === "remove" && value !== null && typeof value !== "boolean") return { op, path, value };
  if (WITHOUT_VALUE.includes(op)) return { op, path };
  if (op === "move" && isTarget(value)) return { op, path, to: value };
  const isCounting = op === "increment" || op === "decrement";
  const isNumberOrText = typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  // E.g. `true`, or a template without a value: the operation counts by its default.
  if (isCounting && !isNumberOrText) return { op, path };
  if (isCounting && Number.isFinite(Number(value))) return { op, path, value: Number(value) };
  if (op === "update_list_item" && isObject(value) && typeof value.index === "number")
    return { op, path, index: value.index, value: value.updates ?? value.value };
  if (isObject(value) && Array.isArray(value.items) && Object.keys(value).length === 1) {
    // `append_to_list` and `prepend_to_list`.
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
/** The beginning of a URL with a scheme, as a browser reads it: leading blanks, and tabs and line breaks in it, are ignored. */
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
  /**
   * Copies a value with templates filled in. `name` is the key of the property that has the value, `path` the value's place in the
   * instruction.
   */
  const walk = (value: Json, name: string, path: string): Json => {
    if (typeof value === "string") {
      const isUrl = URL_NAME.test(name);
      // A value inserted after the beginning of a URL is encoded: it cannot add segments or parameters.
      const encode = (text: string, at: number) => (at === 0 ? text : encodeURIComponent(wellFormed(text)));
      const text = isUrl ? templates.fill(value, "empty", encode) : templates.value(value);
      if (typeof text !== "string") return text;
      // A target without a scheme is a name that the page knows.
      const isTargetUrl = TARGET_NAME.test(name) && SCHEME.test(text);
      if (!isUrl && !isTargetUrl) return text;
      const url = safeUrl(text);
      urls[path] = url;
      if (url.ok && !isAllowedOrigin(url.url, policy)) throw urlRefusal(String(action.id), url.url);
      return url.ok ? url.url : null;
    }
    if (Array.isArray(value)) return value.map((item, index) => walk(item, name, `${path}.${index}`));
    return isObject(value) ? mapMembers(value, (item, key) => walk(item, key, `${path}.${key}`)) : value;
  };
  const entries = Object.entries(action).filter(([key]) => !NOT_FOR_THE_PAGE.includes(key));
  const properties = entries.map(([key, value]) => [key, walk(value, key, key)]);
  return { instruction: { action: String(action.id), ...Object.fromEntries(properties), urls } };
}
