/** The five tools of a page: reads the arguments of their calls, and executes them. */
import { type ParsedCall, parseCall } from "../blocks/parsed-call.js";
import { cut, GenuiPatchError, listNames, RefusedError, refusal } from "../core/errors.js";
import { parseJson, requireJson } from "../core/json.js";
import { isObject, type Members } from "../core/kinds.js";
import { fromFormat } from "../definitions/format.js";
import { uiTools } from "../definitions/ui.js";
import type { OpenDraft } from "../store/drafts.js";
import type { Source } from "../store/history-types.js";
import type { StoreCore } from "../store/store-core.js";
import type { Json, PatchErrorCode, PatchOperation } from "../types.js";
import { checkAll } from "./complete.js";
import { actionsOf, blocksOf } from "./parts.js";
import type { InstanceSummary, ToolResult } from "./tool-types.js";

/** The error results of tools. */
export type ToolRefusal = Extract<ToolResult, { status: "error" }>;

/** Arguments as the definition of their tool has them, or why the call is refused. */
export type ToolArguments = { args: Members; refusal?: undefined } | { refusal: ToolRefusal; args?: undefined };

/** By name of the tool: the function that executes it. It may throw a refusal. */
const TOOLS: { readonly [tool: string]: (store: StoreCore, args: Members, source: Source) => ToolResult } = {
  patch_ui_state: (store, args, source) => patchUiState(store, { args }, source),
  get_schema: (store, args) => ({ status: "success", ...instanceOf(store, args) }),
  list_instances: (store) => {
    const instances = store.names().map((name) => summary(name, store.snapshot(name) ?? null));
    return { status: "success", instances, total: instances.length };
  },
  validate_completion: validate,
  access_instance: (store, args, source) => {
    const instance = instanceOf(store, args);
    store.setActive(instance.instance_name, source);
    return { status: "success", ...instance };
  },
};

/** `PatchStore.callTool`. Whatever an agent sends, the function returns a result and does not throw. */
export function callTool(store: StoreCore, tool: string, sent: unknown, source: Source): ToolResult {
  try {
    // Throws for an unknown tool, before its arguments are parsed.
    definitionOf(tool);
    if (typeof sent === "string") requireShort(store, sent);
    return executeTool(store, tool, argumentsOf(store, parseCall(tool, sent)), source);
  } catch (cause) {
    return refusalFor(cause);
  }
}

/** Executes a call with the arguments that {@link readArguments} has returned. Errors of the call are results. */
export function executeTool(store: StoreCore, tool: string, args: Members, source: Source): ToolResult {
  const execute = Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
  return orErrorResult(() => (execute === undefined ? unknownTool(tool) : execute(store, args, source)));
}

/** A call of `patch_ui_state`. */
export interface PatchArguments {
  args: Members;
  /** The JSON text of `args`, if it was written already. */
  text?: string;
  /** The draft whose place the call takes. */
  draft?: OpenDraft | undefined;
}

/** As {@link executeTool}, for `patch_ui_state`. */
export function applyPatches(store: StoreCore, call: PatchArguments, source: Source): ToolResult {
  return orErrorResult(() => patchUiState(store, call, source));
}

/** Turns a thrown error of a call into a result. */
function orErrorResult(run: () => ToolResult): ToolResult {
  try {
    return run();
  } catch (cause) {
    return refusalFor(cause);
  }
}

/** Reads the arguments of a call, whichever provider's format they are in. */
export function readArguments(store: StoreCore, call: ParsedCall): ToolArguments {
  try {
    return { args: argumentsOf(store, call) };
  } catch (cause) {
    return { refusal: refusalFor(cause) };
  }
}

/** As {@link readArguments}; throws the refusal. */
function argumentsOf(store: StoreCore, { tool, args, text }: ParsedCall): Members {
  const { input } = definitionOf(tool);
  if (text !== undefined) requireShort(store, text);
  if (args !== undefined) {
    // A patch call is measured when it is sent to the module.
    if (text === undefined && tool !== "patch_ui_state") requireShort(store, JSON.stringify(args));
    // Checked again: `fromFormat` parses JSON text inside of the arguments, which may be nested too deeply.
    return requireJson(fromFormat(input, args), "arguments") as Members;
  }
  // The refusal of a text that is not JSON has the position of the error.
  const result = parseJson(text ?? "") === undefined ? store.preview(text ?? "") : undefined;
  if (result?.status === "error") throw new RefusedError(result);
  throw refusal("INVALID_ARGUMENT", `The arguments of ${tool} are not an object.`, "Send them as one JSON object.");
}

/** Throws a refusal if a text is longer than a call may be. */
function requireShort(store: StoreCore, text: string): void {
  const result = store.refuseLong(text);
  if (result !== undefined) throw new RefusedError(result);
}

function definitionOf(tool: string) {
  const definition = uiTools.find(({ name }) => name === tool);
  if (definition !== undefined) return definition;
  throw new RefusedError(unknownTool(tool));
}

function unknownTool(tool: string): ToolRefusal {
  const available_tools = uiTools.map(({ name }) => name);
  const message = `There is no tool "${typeof tool === "string" ? cut(tool) : typeof tool}".`;
  const { answer } = refusal("UNKNOWN_TOOL", message, `Use one of ${available_tools.join(", ")}.`);
  return { ...answer, available_tools };
}

/**
 * The result for an error in a call. Other exceptions are thrown again, also those of a store that was disposed of or has failed.
 */
function refusalFor(cause: unknown): ToolRefusal {
  if (cause instanceof RefusedError) return cause.answer;
  if (!(cause instanceof GenuiPatchError) || ["DISPOSED", "INTERNAL"].includes(cause.code)) throw cause;
  return refusal(cause.code as PatchErrorCode, cause.message, "Send arguments as the tool's definition says.").answer;
}

/** The instance that a call names, and its document. */
function instanceOf(store: StoreCore, args: Members): { instance_name: string; schema: Json } {
  const name = args.instance_name ?? args.instanceId;
  if (typeof name === "string") return { instance_name: name, schema: store.requireSnapshot(name) };
  const isAbsent = name === undefined || name === null;
  const names = listNames(store.names());
  const solution = names === "" ? "There is no instance yet." : `Send one of ${names}.`;
  const message = `"instance_name" is ${isAbsent ? "absent" : "not a string"}.`;
  throw refusal(isAbsent ? "MISSING_VALUE" : "INVALID_ARGUMENT", message, solution);
}

function summary(name: string, document: Json): InstanceSummary {
  const meta = isObject(document) && isObject(document.meta) ? document.meta : {};
  const key = (isObject(document) ? document.page_key : undefined) ?? meta.pageKey ?? null;
  const blocks_count = blocksOf(document).length;
  return { name, page_key: key, blocks_count, actions_count: [...actionsOf(document)].length };
}

/** Applies a patch call. The store's result names patches by their indexes; this result has the patches themselves. */
function patchUiState(store: StoreCore, { args, text, draft }: PatchArguments, source: Source): ToolResult {
  const result = draft?.replaceBy(text ?? args, source) ?? store.apply(text ?? args, source);
  const sentPatches: readonly PatchOperation[] = isPatches(args.patches) ? args.patches : [];
  const skipped = result.skipped ?? [];
  // With an unknown key, the rest of the patch was applied.
  const unapplied = new Set(skipped.filter(({ reason }) => reason !== "unknown_key").map(({ index }) => index));
  // A failure stops the call: the patches after it were not tried.
  const triedCount = result.status === "error" ? (result.error.index ?? 0) : sentPatches.length;
  const patches_applied = sentPatches.slice(0, triedCount).filter((_, index) => !unapplied.has(index));
  const skipped_patches = skipped.flatMap(({ index, op: _, path: __, ...details }) => {
    const patch = sentPatches[index];
    return patch === undefined ? [] : { patch, ...details };
  });
  if (result.status === "error") {
    // `changes` are there if patches before the failure stay applied.
    const { applied: _, skipped: __, changes, revision: ___, ...refused } = result;
    return { ...refused, ...(changes !== undefined && { patches_applied, skipped_patches }) };
  }
  const { status, instance_name, warnings } = result;
  const message = summaryOf(args, instance_name, patches_applied.length, unapplied.size);
  return { status, message, instance_name, patches_applied, skipped_patches, ...(warnings && { warnings }) };
}

/** Whether a call has a list of patches. The module has checked the patches if it has applied the call. */
const isPatches = (value: unknown): value is readonly PatchOperation[] => Array.isArray(value);

/** The effect of a call, in one sentence for the model. */
function summaryOf(args: Members, name: string, applied: number, skipped: number): string {
  const target = args.instance_name ?? args.instanceId;
  if (target === "__DELETE__") return `Deleted the instance "${name}".`;
  const count = `${applied} ${applied === 1 ? "patch" : "patches"}`;
  const skippedText = skipped === 0 ? "" : `; ${skipped} skipped`;
  return target === "__CREATE__"
    ? `Created the instance "${name}" with ${count}${skippedText}.`
    : `Applied ${count} to "${name}"${skippedText}.`;
}

function validate(store: StoreCore, args: Members): ToolResult {
  const { instance_name, schema } = instanceOf(store, args);
  const criteria = args.completion_criteria ?? [];
  if (!Array.isArray(criteria))
    throw refusal(
      "INVALID_ARGUMENT",
      '"completion_criteria" is not a list.',
      "Send a list of criteria, or leave it out.",
    );
  const results = checkAll(store, instance_name, schema, criteria);
  const passedCount = results.filter((result) => result.passed).length;
  const state = isObject(schema) && isObject(schema.state) ? schema.state : {};
  return {
    status: "success",
    instance_name,
    completed: passedCount === results.length,
    state_summary: { params: state.params ?? {}, runtime: state.runtime ?? {} },
    criteria_results: results,
    completion_ratio: results.length === 0 ? 1 : passedCount / results.length,
  };
}
