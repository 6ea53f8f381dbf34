/** Proposals of updates of nodes, which wait for a person's approval: proposals of patch calls, shown field by field. */
import { isSettled, kept } from "../approval/collection.js";
import type { ApprovalRefusal, NodeProposal, PatchProposal } from "../approval/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { copyJson } from "../core/json.js";
import { isObject, isTexts, type Members } from "../core/kinds.js";
import { applied } from "../core/mirror.js";
import { formatPath } from "../core/path.js";
import { OBJECT, requireOptions, TEXTS, wrong } from "../core/require.js";
import { deepFreeze, valueAt } from "../core/tree.js";
import { jsonDiff } from "../diff/json.js";
import type { PatchStore } from "../store.js";
import type { DeepReadonly, Json, PatchCall, PathSegment } from "../types.js";
import { refuse, type Update } from "./args.js";
import type { ApproveNodeOptions, FlowNode, FlowRefusal, TaskFlow } from "./types.js";

export interface NodeRecord extends Saved {
  /** The proposal as it was last shown, and the one of the call that it was made from. */
  shown?: { from: PatchProposal; proposal: NodeProposal };
  agreed?: Members | undefined;
}

/** What the text of a flow store has of it. */
interface Saved {
  id: string;
  taskId: string;
  nodeId: string;
  newData: Members;
  /** The fields that the diff shows; all if absent. */
  fields: readonly string[] | undefined;
}

type Shown = NodeRecord & Required<Pick<NodeRecord, "shown">>;

export class NodeProposals {
  readonly known = new Map<string, NodeRecord>();
  #listed: readonly NodeProposal[] = [];

  constructor(
    private readonly store: PatchStore,
    saved: unknown = [],
  ) {
    const damaged = new GenuiPatchError("INVALID_STRUCTURE", "The saved text has proposals that are damaged.");
    if (!Array.isArray(saved)) throw damaged;
    for (const record of saved) {
      const { id, taskId, nodeId, newData, fields } = (record ?? {}) as Saved;
      if (!isTexts([id, taskId, nodeId, ...(fields ?? [])]) || !isObject(newData)) throw damaged;
      this.known.set(id, { id, taskId, nodeId, newData, fields });
    }
  }

  /** Those that wait, as the text of a flow store has them. */
  save(): Saved[] {
    const open = this.#all().filter(({ shown }) => !isSettled(shown.proposal));
    return open.map(({ shown: _, agreed: __, ...saved }) => saved);
  }

  all(): readonly NodeProposal[] {
    const now = this.#all().map(({ shown }) => shown.proposal);
    this.#listed = kept(this.#listed, now);
    return this.#listed;
  }

  #all(): Shown[] {
    const now = new Map(this.store.proposals().map((proposal) => [proposal.id, proposal]));
    for (const [id, record] of this.known) {
      const from = now.get(id);
      if (from) this.shown(record, from);
      else this.known.delete(id);
    }
    return [...this.known.values()] as Shown[];
  }

  /** The proposals of a node that touch fields of the update and have not been settled. */
  waiting(update: Update): NodeRecord[] {
    const fields = Object.keys(update.newData);
    return this.#all().filter(({ taskId, nodeId, newData, shown }) => {
      const isOfNode = taskId === update.taskId && nodeId === update.nodeId && shown.proposal.status === "pending";
      return isOfNode && fields.some((field) => Object.hasOwn(newData, field));
    });
  }

  call({ taskId, nodeId, newData }: Pick<NodeRecord, "taskId" | "nodeId" | "newData">): PatchCall {
    const path = pathOf(this.#place(taskId, nodeId) ?? [], nodeId);
    return { instance_name: taskId, patches: [{ op: "merge", path, value: newData }] };
  }

  propose(update: Update, fields: readonly string[] | undefined): NodeRecord | FlowRefusal {
    const { taskId, nodeId, newData } = update;
    let made = {} as NodeRecord | FlowRefusal;
    // A listener is told when the node is known.
    this.store.batch(() => {
      const answer = this.store.propose(this.call(update));
      made = answer.status === "error" ? { error: answer.error } : { id: answer.id, taskId, nodeId, newData, fields };
      if ("id" in made) this.known.set(made.id, made);
    });
    return made;
  }

  approve(id: string, options: ApproveNodeOptions): NodeRecord | FlowRefusal {
    requireOptions("approve", options, { fields: TEXTS, edits: OBJECT });
    const { fields, edits: given } = options;
    if (given === undefined && fields?.length === 0)
      throw wrong("approve", "fields", "a list of at least one, or left out", fields);
    // Of its own: what is kept is frozen, and the page may go on with what it gave.
    const edits = given && (copyJson(given, "edits") as Members);
    const record = this.known.get(id);
    const now = this.store.proposals().find((proposal) => proposal.id === id);
    // The store says what is wrong with an id that it does not know, or has forgotten.
    if (record === undefined || now === undefined)
      return { error: (this.store.approve(id, { paths: [], edits: {} }) as ApprovalRefusal).error };
    const place = this.#place(record.taskId, record.nodeId) ?? [];
    const before = this.shown(record, now);
    const strange = fields?.find((field) => !Object.hasOwn(before.proposed, field));
    if (strange !== undefined) {
      const known = Object.keys(before.proposed).join(", ");
      return refuse("PATH_NOT_FOUND", `The proposal has no field "${strange}".`, `It has ${known}.`, strange);
    }
    // Fields that are already as proposed need no change.
    const differ = { ...before.diff, ...before.otherChanges };
    const paths = fields?.filter((field) => Object.hasOwn(differ, field)).map((field) => [...place, field]);
    let own: { [path: string]: unknown };
    try {
      own = Object.fromEntries(Object.entries(edits ?? {}).map(([field, value]) => [pathOf(place, "", field), value]));
    } catch (cause) {
      if (!(cause instanceof GenuiPatchError)) throw cause;
      return refuse("INVALID_PATH", cause.message, "Give a value for a field that a path can name.");
    }
    const agreed = fields === undefined ? record.newData : pick(record.newData, (field) => fields.includes(field));
    record.agreed = { ...agreed, ...edits };
    const isAll = paths === undefined && edits === undefined;
    const result = this.store.approve(id, isAll ? {} : { ...(paths && { paths }), edits: own });
    if (result.status === "error") record.agreed = undefined;
    const { diff, otherChanges } = this.shown(record);
    if (result.status === "success") return record;
    const { error } = result as ApprovalRefusal;
    return error.code === "STALE_PROPOSAL" ? { error, diff, otherChanges } : { error };
  }

  refuse(id: string, reason: string | undefined): NodeRecord | FlowRefusal {
    try {
      this.store.refuse(id, reason);
    } catch (cause) {
      if (!(cause instanceof GenuiPatchError) || !["UNKNOWN_PROPOSAL", "PROPOSAL_SETTLED"].includes(cause.code))
        throw cause;
      return { error: (this.store.approve(id) as ApprovalRefusal).error };
    }
    return this.known.get(id) as NodeRecord;
  }

  /** The proposal as the page shows it: the same object until something in it is another. */
  shown(record: NodeRecord, now?: PatchProposal): NodeProposal {
    const { id, taskId, nodeId, newData, fields, agreed = newData } = record;
    const from = now ?? (this.store.proposals().find((proposal) => proposal.id === id) as PatchProposal);
    const before = record.shown?.proposal;
    if (before !== undefined && record.shown?.from === from) return before;
    const { status, revision, changes, reason } = from;
    let { diff, otherChanges } = before ?? { diff: {}, otherChanges: {} };
    const place = this.#place(taskId, nodeId);
    const dataIn = (flow: Json | undefined): Json => (place && valueAt(flow, place)) ?? null;
    const flow = this.store.snapshot(taskId) as Json | undefined;
    const data = dataIn(flow);
    if (before === undefined || !isSettled(from)) {
      const all = jsonDiff(data, place ? dataIn(applied(flow as Json, changes, false)) : data);
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
    record.shown = { from, proposal };
    return proposal;
  }

  #place(taskId: string, nodeId: string): (string | number)[] | undefined {
    const index = nodesOf(this.store, taskId)?.findIndex((node) => node?.id === nodeId) ?? -1;
    return index < 0 ? undefined : ["nodes", index, "data"];
  }
}

/** The nodes of a flow. In a text that somebody has changed, anything may stand among them. */
export function nodesOf(store: PatchStore, taskId: string): readonly (DeepReadonly<FlowNode> | null)[] | undefined {
  const { nodes } = (store.snapshot(taskId) ?? {}) as Partial<DeepReadonly<TaskFlow>>;
  return Array.isArray(nodes) ? nodes : undefined;
}

/** A path by the node's id, so that it leads to the node wherever it is; by its index where no path can name the id. */
function pathOf(place: readonly (string | number)[], nodeId: string, field?: string): string {
  const rest: PathSegment[] = field === undefined ? [] : [{ key: field }];
  if (nodeId !== "") {
    try {
      return formatPath([{ key: "nodes" }, { id: nodeId }, { key: "data" }, ...rest]);
    } catch {
      // The id is none that a path can name.
    }
  }
  return formatPath([...place, ...rest]);
}

function pick<Value>(
  object: { [field: string]: Value },
  wanted: (field: string) => boolean,
): { [field: string]: Value } {
  return Object.fromEntries(Object.entries(object).filter(([field]) => wanted(field)));
}
