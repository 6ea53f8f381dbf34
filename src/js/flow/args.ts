/** Reads the arguments of `updateNode` and task flows, with errors that say what to send instead. */
import { refuse as refusal } from "../core/errors.js";
import { parseJson, toText } from "../core/json.js";
import { isObject, isText, type Members } from "../core/kinds.js";
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
import type { Json, PatchError } from "../types.js";
import type { ApprovalStyle, FlowRefusal, FlowStoreOptions, UpdateNodeArgs } from "./types.js";

/** The arguments, as far as they can be checked without a flow. */
export type Update = UpdateNodeArgs & { newData: Members };

const STYLES = ["text", "visual"] as const satisfies ApprovalStyle[];
const STYLE = oneOf(...STYLES);
const INPUT = nodeTools[0]?.input ?? {};

/** What the arguments are, and how the model is told to send them. */
const ARGS: readonly (readonly [name: keyof Update, wanted: string, kind: ArgumentKind, isOptional?: true])[] = [
  ["taskId", "the id of a task flow", TEXT],
  ["nodeId", "the id of a node", TEXT],
  ["newData", "an object with the fields to change", ["", isObject]],
  ["approvalStyle", `${STYLES.join(" or ")}, or nothing,`, STYLE, true],
  ["diffFields", "a list of names of fields", TEXTS, true],
  ["isApprovedUpdate", "true or false", FLAG, true],
  ["proposalId", "the id of a proposal", TEXT, true],
];

/** A refusal without a status: answers about nodes have none. */
export function refuse(...about: Parameters<typeof refusal>): { error: PatchError } {
  return { error: refusal(...about).error };
}

/** `explain` tells what is wrong with a text that is not JSON. */
export function readArgs(sent: unknown, explain: (text: string) => PatchError): Update | FlowRefusal {
  const text = typeof sent === "string" ? sent : toText(sent ?? null, "arguments");
  let value: unknown = parseJson(text);
  if (value === undefined) return { error: explain(text) };
  try {
    value = fromFormat(INPUT, value);
  } catch (cause) {
    return refuse("INVALID_ARGUMENT", (cause as Error).message, "Send well-formed JSON text.");
  }
  if (!isObject<Json>(value)) {
    return refuse("INVALID_ARGUMENT", `The arguments are ${kindOf(value)}.`, "Send {taskId, nodeId, newData}.");
  }
  for (const [name, wanted, [, fits], isOptional] of ARGS) {
    const found = value[name] ?? undefined;
    if (found === undefined ? isOptional : fits(found)) continue;
    const words = kindOf(found) + (isText(found) ? `, ${JSON.stringify(found.slice(0, 40))}` : "");
    return refuse("INVALID_ARGUMENT", `"${name}" is ${words}.`, `Send ${wanted} as ${name}.`, name);
  }
  return value as unknown as Update;
}

/** A flow whose nodes can be found and have data. */
export function checkFlow(flow: Json): { id: string; flow: Members } | { error: PatchError } {
  const invalid = (what: string, path: string) =>
    refuse("INVALID_STRUCTURE", what, "Send {id, nodes: [{id, type?, data}]}.", path);
  if (!isObject<Json>(flow)) return invalid(`The task flow is ${kindOf(flow)}.`, "");
  const { id, nodes } = flow;
  if (!isText(id) || id === "") return invalid("The task flow has no id.", "id");
  if (!Array.isArray(nodes)) return invalid(`The nodes of "${id}" are ${kindOf(nodes)}.`, "nodes");
  const ids = new Set<string>();
  const whole: Json[] = [];
  for (const [index, node] of nodes.entries()) {
    const path = `nodes.${index}`;
    if (!isObject<Json>(node)) return invalid(`Node ${index} is ${kindOf(node)}.`, path);
    const { id, type, data } = node;
    if (!isText(id) || id === "") return invalid(`Node ${index} has no id.`, `${path}.id`);
    if (ids.has(id)) {
      return refuse("DUPLICATE_ID", `Two nodes have the id "${id}".`, "Give each node its own.", `${path}.id`);
    }
    ids.add(id);
    if (!isObject(data ?? {})) return invalid(`The data of "${id}" is ${kindOf(data)}.`, `${path}.data`);
    if (!isText(type ?? "")) return invalid(`The type of "${id}" is no string.`, `${path}.type`);
    // A node without data has none yet.
    whole.push(isObject(data) ? node : { ...node, data: {} });
  }
  return { id, flow: { ...flow, nodes: whole } };
}

/** @throws GenuiPatchError `INVALID_ARGUMENT` for a registry that could mean less approval than it says. */
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

function kindOf(value: unknown): string {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
