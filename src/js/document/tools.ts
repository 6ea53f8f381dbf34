/** The five tools (seed 001): what an agent calls, and what it reads in return. */
import { parseMembers } from "../agent/tool-set.js";
import { cut, GenuiPatchError, listNames, type Refused, RefusedError, refusal } from "../core/errors.js";
import { parseJson, requireJson, toText } from "../core/json.js";
import { isObject } from "../core/kinds.js";
import { fromFormat } from "../definitions/format.js";
import { uiTools } from "../definitions/ui.js";
import type { StoreCore } from "../store/store-core.js";
import type { Json, PatchCall, PatchErrorCode, PatchOperation } from "../types.js";
import { checkAll } from "./complete.js";
import { actionsOf, blocksOf } from "./parts.js";
import type { InstanceSummary, ToolResult } from "./tool-types.js";

type Args = { [key: string]: Json };

const TOOLS: Record<string, (store: StoreCore, args: Args) => ToolResult> = {
  patch_ui_state: patchUiState,
  get_schema: (store, args) => ({ status: "success", ...instanceOf(store, args) }),
  list_instances: (store) => {
    const instances = store.names().map((name) => summary(name, store.snapshot(name) ?? null));
    return { status: "success", instances, total: instances.length };
  },
  validate_completion: validate,
  access_instance: (store, args) => {
    const found = instanceOf(store, args);
    store.show(found.instance_name);
    return { status: "success", ...found };
  },
};

export function callTool(store: StoreCore, tool: string, sent: unknown): ToolResult {
  const definition = uiTools.find(({ name }) => name === tool);
  if (definition === undefined) {
    const available_tools = uiTools.map(({ name }) => name);
    const message = `There is no tool "${typeof tool === "string" ? cut(tool) : typeof tool}".`;
    const { answer } = refusal("UNKNOWN_TOOL", message, `Use one of ${available_tools.join(", ")}.`);
    return { ...answer, available_tools };
  }
  try {
    const args = read(store, tool, typeof sent === "string" ? sent : toText(sent ?? {}, "arguments"));
    // Values that travelled as text are as deep as the model likes.
    const own = requireJson(fromFormat(definition.input, args) as Args, "arguments") as Args;
    return (TOOLS[tool] as (typeof TOOLS)[string])(store, own);
  } catch (cause) {
    // What an agent sent never throws; a store that is gone does.
    if (cause instanceof RefusedError) return cause.answer;
    if (!(cause instanceof GenuiPatchError) || ["DISPOSED", "INTERNAL"].includes(cause.code)) throw cause;
    return refusal(cause.code as PatchErrorCode, cause.message, "Send arguments as the tool's definition says.").answer;
  }
}

/** The arguments as a value that JSON can carry. */
function read(store: StoreCore, tool: string, text: string): Args {
  const tooLong = store.refuseLong(text);
  if (tooLong !== undefined) throw new RefusedError(tooLong);
  const own = parseMembers(text);
  if (own !== undefined) return own;
  // The module refuses the same texts, and says where they go wrong.
  if (parseJson(text) === undefined) throw new RefusedError(store.apply(text) as Refused);
  throw refusal("INVALID_ARGUMENT", `The arguments of ${tool} are no object.`, "Send them as one JSON object.");
}

/** The instance that a call names, and its document. */
function instanceOf(store: StoreCore, args: Args): { instance_name: string; schema: Json } {
  const name = args.instance_name ?? args.instanceId;
  if (typeof name === "string") return { instance_name: name, schema: store.shown(name) };
  const isAbsent = name === undefined || name === null;
  const known = listNames(store.names());
  const solution = known === "" ? "There is no instance yet." : `Send one of ${known}.`;
  const message = `"instance_name" is ${isAbsent ? "absent" : "no string"}.`;
  throw refusal(isAbsent ? "MISSING_VALUE" : "INVALID_ARGUMENT", message, solution);
}

function summary(name: string, document: Json): InstanceSummary {
  const meta = isObject(document) && isObject(document.meta) ? document.meta : {};
  const key = (isObject(document) ? document.page_key : undefined) ?? meta.pageKey ?? null;
  const blocks_count = blocksOf(document).length;
  return { name, page_key: key, blocks_count, actions_count: [...actionsOf(document)].length };
}

function patchUiState(store: StoreCore, args: Args): ToolResult {
  const result = store.apply(args as unknown as PatchCall);
  const sent = Array.isArray(args.patches) ? (args.patches as unknown as PatchOperation[]) : [];
  const skipped = result.skipped ?? [];
  const left = new Set(skipped.filter(({ reason }) => reason !== "unknown_key").map(({ index }) => index));
  // Where a failure stops a call, what comes from it on was not tried.
  const tried = result.status === "error" ? (result.error.index ?? 0) : sent.length;
  const patches_applied = sent.slice(0, tried).filter((_, index) => !left.has(index));
  const skipped_patches = skipped
    .filter(({ index }) => index >= 0)
    .map(({ index, op: _, path: __, ...about }) => ({ patch: sent[index] as PatchOperation, ...about }));
  if (result.status === "error") {
    const { applied: _, skipped: __, changes, revision: ___, ...refused } = result;
    return { ...refused, ...(changes !== undefined && { patches_applied, skipped_patches }) };
  }
  const { status, instance_name } = result;
  const said = message(args, instance_name, patches_applied.length, left.size);
  return { status, message: said, instance_name, patches_applied, skipped_patches };
}

function message(args: Args, name: string, applied: number, skipped: number): string {
  const target = args.instance_name ?? args.instanceId;
  if (target === "__DELETE__") return `Deleted the instance "${name}".`;
  const count = `${applied} ${applied === 1 ? "patch" : "patches"}`;
  const rest = skipped === 0 ? "" : `; ${skipped} skipped`;
  return target === "__CREATE__"
    ? `Created the instance "${name}" with ${count}${rest}.`
    : `Applied ${count} to "${name}"${rest}.`;
}

function validate(store: StoreCore, args: Args): ToolResult {
  const { instance_name, schema } = instanceOf(store, args);
  const criteria = args.completion_criteria ?? [];
  if (!Array.isArray(criteria))
    throw refusal("INVALID_ARGUMENT", '"completion_criteria" is no list.', "Send a list of criteria, or leave it out.");
  const results = checkAll(store, instance_name, schema, criteria);
  const passed = results.filter((result) => result.passed).length;
  const state = isObject(schema) && isObject(schema.state) ? schema.state : {};
  return {
    status: "success",
    instance_name,
    completed: passed === results.length,
    state_summary: { params: state.params ?? {}, runtime: state.runtime ?? {} },
    criteria_results: results,
    completion_ratio: results.length === 0 ? 1 : passed / results.length,
  };
}
