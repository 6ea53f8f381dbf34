/** Updates of nodes that wait for a person's yes: proposals of patch calls, shown field by field. */

import { kept } from "../approval/book.js";
import type { ApprovalRefusal, NodeProposal, PatchProposal } from "../approval/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { copyJson } from "../core/json.js";
import { isObject, type Members } from "../core/kinds.js";
import { OBJECT, requireOptions, TEXTS, wrong } from "../core/require.js";
import { jsonDiff } from "../diff/json.js";
import { deepFreeze, follow, valueAt } from "../mirror.js";
import { formatPath } from "../path.js";
import type { PatchStore } from "../store.js";
import type { Json, PatchCall, PathSegment } from "../types.js";
import { isNode, refuse, type Update } from "./args.js";
import type { ApproveNodeOptions, FlowRefusal } from "./types.js";

/** What is known of a node's proposal beside the call that waits. */
export interface NodeRecord {
  id: string;
  taskId: string;
  nodeId: string;
  newData: Members;
  /** The fields that the diff shows; all if absent. */
  fields: readonly string[] | undefined;
}

interface Known {
  record: NodeRecord;
  /** The proposal as it was last shown, and the one of the call that it was made from. */
  shown?: { from: PatchProposal; proposal: NodeProposal };
  /** What the person agreed to. */
  agreed?: Members | undefined;
}

export class NodeProposals {
  readonly #store: PatchStore;
  readonly #known = new Map<string, Known>();
  #listed: readonly NodeProposal[] = [];
  /** What is being proposed: listeners may ask for it before the store has answered. */
  #next: Omit<NodeRecord, "id"> | undefined;

  constructor(store: PatchStore, saved: unknown) {
    this.#store = store;
    if (saved === undefined) return;
    const damaged = new GenuiPatchError("INVALID_STRUCTURE", "The saved text has proposals that are damaged.");
    if (!Array.isArray(saved)) throw damaged;
    for (const record of saved) {
      const { id, taskId, nodeId, newData, fields } = (record ?? {}) as Partial<NodeRecord>;
      const texts = [id, taskId, nodeId, ...(fields ?? [])].every((text) => typeof text === "string");
      if (!texts || !isObject<Json>(newData)) throw damaged;
      this.#known.set(id as string, { record: { id, taskId, nodeId, newData, fields } as NodeRecord });
    }
  }

  /** Those that wait, as `save()` writes them. */
  save(): NodeRecord[] {
    return this.#all()
      .filter(({ proposal }) => isOpen(proposal))
      .map(({ record }) => record);
  }

  get(id: string): NodeRecord | undefined {
    if (this.#next !== undefined && !this.#known.has(id) && this.#store.proposals().at(-1)?.id === id) {
      this.#known.set(id, { record: { id, ...this.#next } });
      this.#next = undefined;
    }
    return this.#known.get(id)?.record;
  }

  all(): readonly NodeProposal[] {
    const shown = this.#all().map(({ proposal }) => proposal);
    this.#listed = kept(this.#listed, shown);
    return this.#listed;
  }

  /** Each with what is shown of it. Those that the store has forgotten are dropped. */
  #all(): { record: NodeRecord; proposal: NodeProposal }[] {
    const now = new Map(this.#store.proposals().map((proposal) => [proposal.id, proposal]));
    for (const id of this.#known.keys()) if (!now.has(id)) this.#known.delete(id);
    return [...this.#known.values()].map(({ record }) => ({
      record,
      proposal: this.shown(record, now.get(record.id)),
    }));
  }

  /** The proposals of a node that touch fields of the update and have not been settled. */
  waiting({ taskId, nodeId, newData }: Update): NodeRecord[] {
    const isMet = ({ record, proposal }: { record: NodeRecord; proposal: NodeProposal }) =>
      record.taskId === taskId &&
      record.nodeId === nodeId &&
      Object.keys(newData).some((field) => Object.hasOwn(record.newData, field)) &&
      proposal.status === "pending";
    return this.#all()
      .filter(isMet)
      .map(({ record }) => record);
  }

  /** The call that makes an update. */
  call({ taskId, nodeId, newData }: Pick<NodeRecord, "taskId" | "nodeId" | "newData">): PatchCall {
    const path = pathOf(this.#place(taskId, nodeId) ?? [], nodeId);
    return { instance_name: taskId, patches: [{ op: "merge", path, value: newData }] };
  }

  propose(update: Update, fields: readonly string[] | undefined): NodeRecord | FlowRefusal {
    const { taskId, nodeId, newData } = update;
    this.#next = { taskId, nodeId, newData, fields };
    const answer = this.#store.propose(this.call(update));
    const record = answer.status === "error" ? undefined : this.get(answer.id);
    this.#next = undefined;
    return record ?? { error: (answer as ApprovalRefusal).error };
  }

  approve(id: string, options: ApproveNodeOptions): NodeRecord | FlowRefusal {
    requireOptions("approve", options, { fields: TEXTS, edits: OBJECT });
    const { fields, edits: given } = options;
    if (given === undefined && fields?.length === 0)
      throw wrong("approve", "fields", "a list of at least one, or left out", fields);
    // Of its own: what is kept is frozen, and the page may go on with what it gave.
    const edits = given && (copyJson(given, "edits") as Members);
    const known = this.#known.get(id);
    const record = known?.record;
    const place = record && this.#place(record.taskId, record.nodeId);
    const before = record && this.shown(record);
    if (fields !== undefined && before !== undefined) {
      const strange = fields.find((field) => !Object.hasOwn(before.proposed, field));
      if (strange !== undefined) {
        const known = Object.keys(before.proposed).join(", ");
        return refuse("PATH_NOT_FOUND", `The proposal has no field "${strange}".`, `It has ${known}.`, strange);
      }
    }
    // Fields that are already as proposed need no change.
    const differ = before && { ...before.diff, ...before.otherChanges };
    const paths = fields
      ?.filter((field) => Object.hasOwn(differ ?? {}, field))
      .map((field) => [...(place ?? []), field]);
    let own: { [path: string]: unknown } | undefined;
    try {
      own =
        edits &&
        Object.fromEntries(Object.entries(edits).map(([field, value]) => [pathOf(place ?? [], "", field), value]));
    } catch (cause) {
      if (!(cause instanceof GenuiPatchError)) throw cause;
      return refuse("INVALID_PATH", cause.message, "Give a value for a field that a path can name.");
    }
    if (known !== undefined) known.agreed = { ...take(known.record.newData, fields), ...edits };
    const all = paths === undefined && own === undefined;
    const result = this.#store.approve(id, all ? {} : { ...(paths && { paths }), edits: own ?? {} });
    if (result.status === "success" && record !== undefined) {
      this.shown(record);
      return record;
    }
    if (known !== undefined) known.agreed = undefined;
    const { error } = result as ApprovalRefusal;
    if (error.code !== "STALE_PROPOSAL" || record === undefined) return { error };
    const { diff, otherChanges } = this.shown(record);
    return { error, diff, otherChanges };
  }

  refuse(id: string, reason: string | undefined): NodeRecord | FlowRefusal {
    try {
      this.#store.refuse(id, reason);
    } catch (cause) {
      if (!(cause instanceof GenuiPatchError) || !["UNKNOWN_PROPOSAL", "PROPOSAL_SETTLED"].includes(cause.code))
        throw cause;
      return { error: (this.#store.approve(id) as ApprovalRefusal).error };
    }
    return this.#known.get(id)?.record as NodeRecord;
  }

  /** The proposal as the page shows it: the same object until something in it is another. */
  shown({ id, taskId, nodeId, newData, fields }: NodeRecord, now?: PatchProposal): NodeProposal {
    const from = now ?? (this.#store.proposals().find((proposal) => proposal.id === id) as PatchProposal);
    const known = this.#known.get(id) as Known;
    const before = known.shown?.proposal;
    if (before !== undefined && known.shown?.from === from) return before;
    const { status, revision, changes, reason } = from;
    let { diff, otherChanges } = before ?? { diff: {}, otherChanges: {} };
    const flow = this.#store.snapshot(taskId) as Json;
    const place = this.#place(taskId, nodeId);
    const data = (place && valueAt(flow, place)) ?? null;
    if (before === undefined || isOpen(from)) {
      const after = place === undefined ? data : (valueAt(follow(flow, changes, false), place) ?? null);
      const all = jsonDiff(data, after);
      const chosen = new Set(fields);
      diff = fields === undefined ? all : pick(all, (field) => chosen.has(field));
      otherChanges = fields === undefined ? {} : pick(all, (field) => !chosen.has(field));
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
    };
    if (status === "approved") {
      proposal.approved = known.agreed ?? newData;
      proposal.effective = data;
    }
    deepFreeze(proposal as unknown as Json);
    known.shown = { from, proposal };
    return proposal;
  }

  /** Where the data of a node is. */
  #place(taskId: string, nodeId: string): (string | number)[] | undefined {
    const flow = this.#store.snapshot(taskId) as Json | undefined;
    const nodes = isObject<Json>(flow) && Array.isArray(flow.nodes) ? flow.nodes : [];
    const index = nodes.findIndex((node) => isNode(node) && node.id === nodeId);
    return index < 0 ? undefined : ["nodes", index, "data"];
  }
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

function take(newData: Members, fields: readonly string[] | undefined): Members {
  return fields === undefined ? newData : pick(newData, (field) => fields.includes(field));
}

function isOpen({ status }: { status: string }): boolean {
  return status === "pending" || status === "stale";
}

function pick<Value>(
  object: { [field: string]: Value },
  wanted: (field: string) => boolean,
): { [field: string]: Value } {
  return Object.fromEntries(Object.entries(object).filter(([field]) => wanted(field)));
}
