/** Reads what came for `updateNode`, and task flows: with errors that say what to send instead. */

import { GenuiPatchError, refuse as refusal } from "../core/errors.js";
import { toText } from "../core/json.js";
import { isObject, isTexts, type Members } from "../core/kinds.js";
import { ANY, FLAG, OBJECT, requireKind, requireObject, requireOptions, TEXT, TEXTS } from "../core/require.js";
import { fromFormat } from "../definitions/format.js";
import { nodeTools } from "../definitions/node.js";
import type { Json, PatchError, PatchErrorCode } from "../types.js";
import type { ApprovalStyle, FlowNode, FlowRefusal, FlowStoreOptions } from "./types.js";

/** The arguments, as far as they can be checked without a flow. */
export interface Update {
  taskId: string;
  nodeId: string;
  newData: Members;
  style: ApprovalStyle | undefined;
  diffFields: readonly string[] | undefined;
  isApproved: boolean;
  proposalId: string | undefined;
}

const STYLES: readonly string[] = ["text", "visual"] satisfies ApprovalStyle[];
const INPUT = nodeTools[0]?.input ?? {};

/** A refusal without a status: answers about nodes have none. */
export function refuse(code: PatchErrorCode, message: string, solution: string, path?: string): { error: PatchError } {
  return { error: refusal(code, message, solution, path).error };
}

/** Ids for a message: the first twenty. */
export function listIds(ids: readonly string[]): string {
  const shown = ids.slice(0, 20).map((id) => JSON.stringify(id));
  return shown.join(", ") + (ids.length > shown.length ? `, and ${ids.length - shown.length} more` : "");
}

/** `explain` tells what is wrong with a text that is not JSON. */
export function readArgs(sent: unknown, explain: (text: string) => PatchError): Update | FlowRefusal {
  let value: unknown;
  const text = typeof sent === "string" ? sent : toText(sent ?? null, "arguments");
  try {
    value = JSON.parse(text);
  } catch {
    return { error: explain(text) };
  }
  try {
    value = fromFormat(INPUT, value);
  } catch (cause) {
    return refuse("INVALID_ARGUMENT", (cause as Error).message, "Send well-formed JSON text.");
  }
  if (!isObject<Json>(value)) {
    return refuse("INVALID_ARGUMENT", `The arguments are ${kindOf(value)}.`, "Send {taskId, nodeId, newData}.");
  }
  const args = value;
  const invalid = (name: string, wanted: string) => {
    const found = args[name] === undefined || args[name] === null ? "absent" : kindOf(args[name]);
    return refuse("INVALID_ARGUMENT", `"${name}" is ${found}.`, `Send ${wanted} as ${name}.`, name);
  };
  const { taskId, nodeId, newData, approvalStyle, diffFields, isApprovedUpdate, proposalId } = args;
  if (typeof taskId !== "string") return invalid("taskId", "the id of a task flow");
  if (typeof nodeId !== "string") return invalid("nodeId", "the id of a node");
  if (!isObject<Json>(newData)) return invalid("newData", "an object with the fields to change");
  const style = approvalStyle ?? undefined;
  if (style !== undefined && (typeof style !== "string" || !STYLES.includes(style))) {
    const found = typeof style === "string" ? JSON.stringify(style.slice(0, 40)) : kindOf(style);
    const solution = `Use one of ${STYLES.join(", ")}, or leave it out.`;
    return refuse("INVALID_ARGUMENT", `"approvalStyle" is ${found}.`, solution, "approvalStyle");
  }
  const fields = diffFields ?? undefined;
  if (fields !== undefined && !isTexts(fields)) return invalid("diffFields", "a list of names of fields");
  if (typeof (isApprovedUpdate ?? false) !== "boolean") return invalid("isApprovedUpdate", "true or false");
  if (typeof (proposalId ?? "") !== "string") return invalid("proposalId", "the id of a proposal");
  return {
    taskId,
    nodeId,
    newData,
    style: style as ApprovalStyle | undefined,
    diffFields: fields,
    isApproved: isApprovedUpdate === true,
    proposalId: (proposalId as string | null | undefined) ?? undefined,
  };
}

/** A flow whose nodes can be found and have data. */
export function checkFlow(flow: Json): { id: string; flow: Members } | { error: PatchError } {
  const invalid = (what: string, path: string) =>
    refuse("INVALID_STRUCTURE", what, "Send {id, nodes: [{id, type?, data}]}.", path);
  if (!isObject<Json>(flow)) return invalid(`The task flow is ${kindOf(flow)}.`, "");
  const { id, nodes } = flow;
  if (typeof id !== "string" || id === "") return invalid("The task flow has no id.", "id");
  if (!Array.isArray(nodes)) return invalid(`The nodes of "${id}" are ${kindOf(nodes)}.`, "nodes");
  const ids = new Set<string>();
  for (const [index, node] of nodes.entries()) {
    const path = `nodes.${index}`;
    if (!isObject<Json>(node)) return invalid(`Node ${index} is ${kindOf(node)}.`, path);
    if (typeof node.id !== "string" || node.id === "") return invalid(`Node ${index} has no id.`, `${path}.id`);
    if (ids.has(node.id)) {
      return refuse("DUPLICATE_ID", `Two nodes have the id "${node.id}".`, "Give each node its own.", `${path}.id`);
    }
    ids.add(node.id);
    if (!isObject<Json>(node.data ?? {}))
      return invalid(`The data of "${node.id}" is ${kindOf(node.data)}.`, `${path}.data`);
    if (typeof (node.type ?? "") !== "string") return invalid(`The type of "${node.id}" is no string.`, `${path}.type`);
  }
  // A node without data has none yet.
  const whole = nodes.map((node) =>
    isObject<Json>((node as Members).data) ? node : { ...(node as Members), data: {} },
  );
  return { id, flow: { ...flow, nodes: whole as unknown as Json } };
}

/** @throws GenuiPatchError `INVALID_ARGUMENT` for a registry that could mean less approval than it says. */
export function checkOptions(options: FlowStoreOptions): void {
  requireOptions("FlowStore", options, { nodeTypes: OBJECT, displayLanguage: TEXT, freeze: ANY, limits: ANY });
  for (const [type, row] of Object.entries(options.nodeTypes ?? {})) {
    requireObject("FlowStore", `node type "${type}"`, row);
    const fields = row.ui?.diffFields;
    if (fields !== undefined) requireKind("FlowStore", `diffFields of "${type}"`, fields, TEXTS);
    const update = row.actions?.update ?? {};
    requireObject("FlowStore", `update action of "${type}"`, update);
    const { approvalStyle, needsApproval } = update;
    if (approvalStyle !== undefined && !STYLES.includes(approvalStyle)) {
      const message = `FlowStore: the approvalStyle of "${type}" must be one of ${STYLES.join(", ")}.`;
      throw new GenuiPatchError("INVALID_ARGUMENT", message);
    }
    if (needsApproval !== undefined) requireKind("FlowStore", `needsApproval of "${type}"`, needsApproval, FLAG);
  }
}

export function isNode(value: Json): value is Members & FlowNode {
  return isObject<Json>(value);
}

function kindOf(value: unknown): string {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
