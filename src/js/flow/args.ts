/** Reads the arguments of `updateNode`, task flows and saved texts, with errors that say what to send instead. */
import { GenuiPatchError, refusal } from "../core/errors.js";
import { parseJson, requireJson } from "../core/json.js";
import { isObject, isText, isTexts, type Members } from "../core/kinds.js";
import {
  ANY,
  type ArgumentKind,
  FLAG,
  OBJECT,
  oneOf,
  requireKind,
  requireOptions,
  TEXT,
  TEXTS,
} from "../core/require.js";
import { fromFormat } from "../definitions/format.js";
import { nodeTools } from "../definitions/node.js";
import type { Json, PatchErrorCode } from "../types.js";
import type { SavedUpdate } from "./proposals.js";
import type { ApprovalStyle, FlowStoreOptions, UpdateNodeArgs } from "./types.js";

/** The version of the text of `FlowStore.save`. */
export const VERSION = 1;

/** Arguments of `updateNode` that have the right types. Whether the ids exist is not checked yet. */
export type Update = UpdateNodeArgs & { newData: Members };

const STYLES = ["text", "visual"] as const satisfies ApprovalStyle[];
const STYLE = oneOf(...STYLES);
/** The schema of the arguments. */
const INPUT = nodeTools[0]?.input ?? {};

/** An object of any class, while `OBJECT` accepts plain ones only. Its description is unused: errors take those of `ARGS`. */
const ANY_OBJECT: ArgumentKind = ["", isObject];
/** The arguments, their descriptions for errors, and their kinds; `true` for an argument that may be absent or null. */
const ARGS: readonly (readonly [name: keyof Update, wanted: string, kind: ArgumentKind, isOptional?: true])[] = [
  ["taskId", "the id of a task flow", TEXT],
  ["nodeId", "the id of a node", TEXT],
  ["newData", "an object with the fields to change", ANY_OBJECT],
  ["approvalStyle", `${STYLES.join(" or ")}, or nothing,`, STYLE, true],
  ["diffFields", "a list of names of fields", TEXTS, true],
  ["isApprovedUpdate", "true or false", FLAG, true],
  ["proposalId", "the id of a proposal", TEXT, true],
];

/** Calls a function that reads an agent's arguments, and turns its errors into refusals with a solution. */
export function orRefuse<Value>(solution: string, read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof GenuiPatchError) throw refusal(cause.code as PatchErrorCode, cause.message, solution);
    throw cause;
  }
}

/** Checks the arguments of a call. */
export function readArgs(value: Json): Update {
  // Values that were sent as JSON text inside of the arguments may be invalid.
  const read = () => requireJson(fromFormat(INPUT, value), "arguments");
  const args = orRefuse("Send well-formed JSON text.", read);
  if (!isObject<Json>(args))
    throw refusal("INVALID_ARGUMENT", `The arguments are ${kindOf(args)}.`, "Send {taskId, nodeId, newData}.");
  for (const [name, wanted, [, fits], isOptional] of ARGS) {
    // Null is the same as absent.
    const sent = args[name] ?? undefined;
    if (sent === undefined ? isOptional : fits(sent)) continue;
    const description = kindOf(sent) + (isText(sent) ? `, ${JSON.stringify(sent.slice(0, 40))}` : "");
    const code = sent === undefined ? "MISSING_VALUE" : "INVALID_ARGUMENT";
    throw refusal(code, `"${name}" is ${description}.`, `Send ${wanted} as ${name}.`, name);
  }
  return args as unknown as Update;
}

/** Checks a flow: each node has an id of its own. Nodes without data get empty data. */
export function checkFlow(flow: Json): { id: string; flow: Members } {
  const invalid = (what: string, path: string) =>
    refusal("INVALID_STRUCTURE", what, "Send {id, nodes: [{id, type?, data}]}.", path);
  orRefuse("Send well-formed JSON text.", () => requireJson(flow, "task flow"));
  if (!isObject<Json>(flow)) throw invalid(`The task flow is ${kindOf(flow)}.`, "");
  const { id, nodes } = flow;
  if (!isText(id) || id === "") throw invalid("The task flow has no id.", "id");
  if (!Array.isArray(nodes)) throw invalid(`The nodes of "${id}" are ${kindOf(nodes)}.`, "nodes");
  const ids = new Set<string>();
  const nodesWithData: Json[] = [];
  for (const [index, node] of nodes.entries()) {
    const path = `nodes.${index}`;
    if (!isObject<Json>(node)) throw invalid(`Node ${index} is ${kindOf(node)}.`, path);
    const { id, type, data } = node;
    if (!isText(id) || id === "") throw invalid(`Node ${index} has no id.`, `${path}.id`);
    if (ids.has(id))
      throw refusal("DUPLICATE_ID", `Two nodes have the id "${id}".`, "Give each node its own.", `${path}.id`);
    ids.add(id);
    if (!isObject(data ?? {})) throw invalid(`The data of "${id}" is ${kindOf(data)}.`, `${path}.data`);
    if (!isText(type ?? "")) throw invalid(`The type of "${id}" is no string.`, `${path}.type`);
    nodesWithData.push(isObject(data) ? node : { ...node, data: {} });
  }
  return { id, flow: { ...flow, nodes: nodesWithData } };
}

/**
 * Reads the text of `FlowStore.save`: the text of its `PatchStore`, and what that does not know of proposed updates, which is
 * saved as `nodes`.
 * @throws GenuiPatchError `INVALID_JSON`, `INVALID_STRUCTURE`.
 */
export function readSaved(text: string): { store: string; updates: SavedUpdate[] } {
  const damaged = (code: string) =>
    new GenuiPatchError(code, "The text is not one that save() of a FlowStore returned.");
  const saved = parseJson(text) as Members | null | undefined;
  if (saved === undefined) throw damaged("INVALID_JSON");
  const { store, nodes: updates = [] } = saved ?? {};
  const isUpdate = (update: unknown) => {
    const { id, fields } = (update ?? {}) as SavedUpdate;
    return isText(id) && isTexts(fields ?? []);
  };
  const isFlowStore = saved?.["genui-patch-flow"] === VERSION && typeof store === "string";
  if (isFlowStore && Array.isArray(updates) && updates.every(isUpdate))
    return { store, updates: updates as unknown as SavedUpdate[] };
  throw damaged("INVALID_STRUCTURE");
}

/**
 * Checks the options. A wrong value in `nodeTypes` (the registry), such as a misspelled style, must not let updates run without
 * an approval.
 * @throws GenuiPatchError `INVALID_ARGUMENT`.
 */
export function checkOptions(options: FlowStoreOptions): void {
  requireOptions("FlowStore", options, { nodeTypes: OBJECT, displayLanguage: TEXT, freeze: ANY, limits: ANY });
  for (const [type, row] of Object.entries(options.nodeTypes ?? {})) {
    requireKind("FlowStore", `node type "${type}"`, row, OBJECT);
    const check = (what: string, value: unknown, kind: ArgumentKind) =>
      value === undefined || requireKind("FlowStore", `${what} of "${type}"`, value, kind);
    const update = row.actions?.update ?? undefined;
    check("diffFields", row.ui?.diffFields, TEXTS);
    check("update action", update, OBJECT);
    check("approvalStyle", update?.approvalStyle, STYLE);
    check("needsApproval", update?.needsApproval, FLAG);
  }
}

/** The kind of a value, for errors: "absent", "null", "a list", "a string". */
function kindOf(value: unknown): string {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
