/** Proposals of updates of nodes: proposals of patch calls, shown field by field. */
import { isSettled } from "../approval/collection.js";
import type { NodeProposal, PatchProposal } from "../approval/types.js";
import type { Members } from "../core/kinds.js";
import { applied } from "../core/mirror.js";
import { deepFreeze, type Step, valueAt } from "../core/tree.js";
import { jsonDiff } from "../diff/json.js";
import type { DeepReadonly, Json } from "../types.js";
import type { FlowNode, TaskFlow } from "./types.js";

/** An update that was proposed, as the text of a flow store has it. */
export interface SavedUpdate {
  id: string;
  taskId: string;
  nodeId: string;
  newData: Members;
  /** The fields that the diff shows; all if absent. */
  fields: readonly string[] | undefined;
}

export interface ProposedUpdate extends SavedUpdate {
  /** The proposal as it was last shown, and the one of the call that it was made from. */
  shown?: { from: PatchProposal; proposal: NodeProposal };
  agreed?: Members | undefined;
}

/** The nodes of a flow. In a text that somebody has changed, anything may stand among them. */
export function nodesOf(flow: Json | undefined): readonly (DeepReadonly<FlowNode> | null)[] | undefined {
  const { nodes } = (flow ?? {}) as Partial<DeepReadonly<TaskFlow>>;
  return Array.isArray(nodes) ? nodes : undefined;
}

/** Where the data of a node are in its flow. */
export function placeOf(flow: Json | undefined, nodeId: string): Step[] | undefined {
  const index = nodesOf(flow)?.findIndex((node) => node?.id === nodeId) ?? -1;
  return index < 0 ? undefined : ["nodes", index, "data"];
}

/** The proposal of an update, as the page shows it on the flow as it stands. */
export function shownAs(update: ProposedUpdate, from: PatchProposal, flow: Json | undefined): NodeProposal {
  const { id, taskId, nodeId, newData, fields, agreed = newData } = update;
  const { status, revision, changes, reason } = from;
  const before = update.shown?.proposal;
  let { diff, otherChanges } = before ?? { diff: {}, otherChanges: {} };
  const place = placeOf(flow, nodeId);
  const dataIn = (flow: Json | undefined): Json => (place && valueAt(flow, place)) ?? null;
  const data = dataIn(flow);
  if (before === undefined || !isSettled(from)) {
    const all = jsonDiff(data, place ? dataIn(applied(flow, changes, false)) : data);
    const chosen = new Set(fields ?? Object.keys(all));
    diff = pick(all, (field) => chosen.has(field));
    otherChanges = pick(all, (field) => !chosen.has(field));
  }
  const proposal: NodeProposal = {
    id,
    kind: "node",
    target: `${taskId}/${nodeId}`,
    revision,
    diff,
    otherChanges,
    changes,
    status,
    proposed: newData,
    ...(reason !== undefined && { reason }),
    ...(status === "approved" && { approved: agreed, effective: data }),
  };
  deepFreeze(proposal as unknown as Json);
  return proposal;
}

export function pick<Value>(
  object: { readonly [field: string]: Value },
  wanted: (field: string, value: Value) => boolean,
): { [field: string]: Value } {
  return Object.fromEntries(Object.entries(object).filter(([field, value]) => wanted(field, value)));
}
