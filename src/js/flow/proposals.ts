/** Proposed updates of nodes. The store has them as patch proposals; here they become diffs by field. */
import { isSettled } from "../approval/collection.js";
import { outcomeOf, type Part } from "../approval/outcome.js";
import type { NodeProposal, Outcome, PatchProposal } from "../approval/types.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import { applied } from "../core/mirror.js";
import { readPath } from "../core/path.js";
import { type KnownIds, resolve } from "../core/resolve.js";
import { deepFreeze, type Step, valueAt } from "../core/tree.js";
import { jsonDiff } from "../diff/json.js";
import type { Change, DeepReadonly, Json, PatchCall } from "../types.js";
import type { FlowNode, TaskFlow } from "./types.js";

/** The data of a proposal in a saved text, in addition to its call. */
export interface SavedUpdate {
  /** The id of the proposal. */
  id: string;
  /** The call's `diffFields`. Default: all fields. */
  fields?: readonly string[] | undefined;
}

/** A proposed update, pending or settled. The store's patch proposal with the same `id` has its status. */
export interface ProposedUpdate extends SavedUpdate {
  taskId: string;
  nodeId: string;
  newData: Members;
  /** The proposal as it was returned last. It is reused as long as `from`, its patch proposal, is the same object. */
  shown?: { from: PatchProposal; proposal: NodeProposal };
  /** Set when the user approves: the fields and values (`agreed`), and the flow before they are applied. */
  approval?: { agreed: Members; before: Json | undefined } | undefined;
}

/**
 * The update that a restored patch call makes; `undefined` for a call that no flow store proposes. Such a call has one patch: a
 * `merge` into the data of a node. Saved texts may have been edited, so everything is checked.
 */
export function updateOf(call: PatchCall, flow: Json | undefined): Omit<ProposedUpdate, "id"> | undefined {
  const { instance_name: taskId, patches, ...others } = call as { [key: string]: unknown };
  const [patch, ...more] = Array.isArray(patches) ? patches : [];
  if (!isText(taskId) || !isObject<Json>(patch) || more.length > 0 || Object.keys(others).length > 0) return undefined;
  const { op, path, value: newData, ...rest } = patch as { [key: string]: Json };
  if (op !== "merge" || !isText(path) || !isObject<Json>(newData) || Object.keys(rest).length > 0) return undefined;
  const ids: KnownIds = new Map();
  const steps = flow === undefined ? undefined : resolve(flow, readPath("restore", path), "open", ids)?.steps;
  // The path must be one that `placeOf` returns.
  const index = steps?.length === 3 && steps[0] === "nodes" && steps[2] === "data" ? steps[1] : undefined;
  const nodeId = typeof index === "number" ? nodesOf(flow)?.[index]?.id : undefined;
  return isText(nodeId) ? { taskId, nodeId, newData } : undefined;
}

/** The nodes of a flow. A saved text that was edited may have anything in their place. */
export function nodesOf(flow: Json | undefined): readonly (DeepReadonly<FlowNode> | null)[] | undefined {
  const { nodes } = (flow ?? {}) as Partial<DeepReadonly<TaskFlow>>;
  return Array.isArray(nodes) ? nodes : undefined;
}

/** The path of a node's data in its flow; `undefined` if the flow or the node does not exist. */
export function placeOf(flow: Json | undefined, nodeId: string): Step[] | undefined {
  const index = nodesOf(flow)?.findIndex((node) => node?.id === nodeId) ?? -1;
  return index < 0 ? undefined : ["nodes", index, "data"];
}

/**
 * The proposal for the page. `from` is the store's patch proposal, whose `changes` would turn the current flow into the proposed
 * one. `fields` are the fields that `diff` shows; without any, all. The diffs of a settled proposal stay as they were shown last.
 */
export function shownAs(
  update: ProposedUpdate,
  from: PatchProposal,
  current: Json | undefined,
  fields: readonly string[] | undefined,
): NodeProposal {
  const { id, taskId, nodeId, newData, approval } = update;
  const { status, revision, changes, reason, effective, author, group } = from;
  const lastShown = update.shown?.proposal;
  let { diff, otherChanges } = lastShown ?? { diff: {}, otherChanges: {} };
  const isApplied = status === "approved" && approval !== undefined && effective !== undefined;
  // A listener may have changed the flow again since the approval.
  const flow = isApplied ? approval.before : current;
  const dataPath = placeOf(flow, nodeId);
  // The node's data after these changes of the flow.
  const dataAfter = (changes: readonly Change[]): Json =>
    (dataPath && valueAt(applied(flow, changes), dataPath)) ?? null;
  const data = dataAfter([]);
  if (lastShown === undefined || !isSettled(from)) {
    const all = jsonDiff(data, dataAfter(changes));
    const diffFields = new Set(fields?.length ? fields : Object.keys(all));
    diff = pick(all, (field) => diffFields.has(field));
    otherChanges = pick(all, (field) => !diffFields.has(field));
  }
  const effectiveData = isApplied ? dataAfter(effective) : null;
  const proposal: NodeProposal = {
    id,
    kind: "node",
    target: `${taskId}/${nodeId}`,
    revision,
    diff,
    otherChanges,
    changes,
    status,
    author,
    ...(group !== undefined && { group }),
    proposed: newData,
    ...(reason !== undefined && { reason }),
    ...(isApplied && {
      approved: approval.agreed,
      effective: effectiveData,
      outcome: compare(data, dataAfter(changes), effectiveData),
    }),
  };
  deepFreeze(proposal);
  return proposal;
}

/**
 * Compares the data after an approval (`effective`) with the proposed data. A field is applied if it has its proposed value, else
 * edited if the approval has changed it, else omitted.
 */
function compare(before: Json, proposed: Json, effective: Json): Outcome<string> {
  const intended = jsonDiff(before, proposed);
  const missing = jsonDiff(effective, proposed);
  const changed = jsonDiff(before, effective);
  const parts = Object.keys({ ...intended, ...changed }).map((field): Part<string> => {
    if (!Object.hasOwn(missing, field)) return ["applied", field];
    return [Object.hasOwn(changed, field) ? "edited" : "omitted", field];
  });
  const isAll = Object.keys(missing).length === 0;
  const isNone = Object.keys(changed).length === 0;
  // Else the parts decide the extent.
  return outcomeOf(isAll ? "all" : isNone ? "none" : undefined, parts);
}

/** A copy of the object with the members that `accepts` returns true for. */
export function pick<Value>(
  object: { readonly [field: string]: Value },
  accepts: (field: string, value: Value) => boolean,
): { [field: string]: Value } {
  return Object.fromEntries(Object.entries(object).filter(([field, value]) => accepts(field, value)));
}
