/** `RoomFlow`: the task flows of a room. They result from the entries of its log. */
import type { NodeProposal } from "../approval/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { isObject, isText, isTexts, type Members } from "../core/kinds.js";
import { FlowStore } from "../flow/flow-store.js";
import type { ApproveNodeOptions, TaskFlow, UpdateNodeResult } from "../flow/types.js";
import { contents } from "../store/options.js";
import type { Json } from "../types.js";
import { restoreInStore, type SavedRecord, storeRecords, type UnsavedRecord } from "./snapshot-records.js";
import type { RoomError, RoomFlowOptions, RoomResult, User } from "./types.js";

/** An update of a node that waits for an approval. It is saved in snapshots. */
export interface WaitingUpdate {
  kind: "node";
  /** The id of the proposal in the store of flows. The room has another one for it. */
  local: string;
  /** The arguments of the tool updateNode. */
  call: Members;
}

/** Who sends an update. */
interface UpdateSender {
  user: User;
  agent?: true | undefined;
}

/** `diff`: with `STALE_PROPOSAL`, the changes that the proposal would make now. */
interface UpdateRefusal {
  error: RoomError;
  diff?: unknown;
}

/** An executed update: the node with its new data, and the flow that it is in. */
interface ExecutedUpdate {
  node: unknown;
  taskId: string;
}

export class RoomFlow {
  readonly store: FlowStore;

  /** The room loads the flows `initial` through its log. */
  constructor({ initial: _, ...options }: RoomFlowOptions) {
    this.store = new FlowStore(options);
  }

  /** Adds or replaces a flow. Returns `undefined`, or the refusal. */
  load(flow: TaskFlow): RoomResult | undefined {
    const answer = this.store.load(flow);
    return answer.status === "error" ? { status: "error", error: this.#error(answer.error) } : undefined;
  }

  /** A copy of the flow of a task; null for an unknown task. */
  flow(taskId: string): Json {
    return JSON.parse(JSON.stringify(this.store.snapshot(taskId) ?? null));
  }

  /** Copies of all flows. */
  all(): Json[] {
    return this.store.taskIds().map((taskId) => this.flow(taskId));
  }

  /**
   * Executes an update, or proposes it: if `mustWait`, or if it is an agent's and the type of the node asks for an approval. Any
   * other update is executed at once, even if the type of the node asks for an approval.
   */
  update(
    args: Members,
    { user, agent }: UpdateSender,
    mustWait: boolean,
  ): UpdateRefusal | ExecutedUpdate | { proposalId: string } {
    const author = { kind: agent ? "agent" : "user", id: user.id } as const;
    // Arguments with which a page approves are ignored: the room has calls of its own for that.
    const { isApprovedUpdate: _, proposalId: __, ...callMembers } = args;
    // The style "visual" makes the store propose the update.
    const call = { ...callMembers, ...(mustWait && { approvalStyle: "visual" as const }) };
    // `isApprovedUpdate` makes the store execute a user's update, even if the type of the node asks for an approval.
    const result: UpdateNodeResult =
      agent || mustWait
        ? this.store.callTool("updateNode", call, { author })
        : this.store.updateNode(JSON.stringify({ ...call, isApprovedUpdate: true }), { author });
    if ("pending_confirmation" in result) return { proposalId: result.pending_confirmation.proposalId };
    if (result.error !== undefined) return { error: this.#error(result.error) };
    return { node: result.node, taskId: String(args.taskId) };
  }

  /**
   * The proposal of a waiting update, under the id that the room has for it; `undefined` if the store does not keep it any more.
   */
  proposal(id: string, { local }: WaitingUpdate): NodeProposal | undefined {
    const proposal = this.store.proposals().find((one) => one.id === local);
    return proposal && { ...proposal, id };
  }

  /** Approves a waiting update, or a part of it. */
  approve({ local, call }: WaitingUpdate, options: ApproveNodeOptions): UpdateRefusal | ExecutedUpdate {
    try {
      const result = this.store.approve(local, options);
      if (result.error !== undefined) return { error: this.#error(result.error), diff: result.diff };
      return { node: result.node, taskId: String(call.taskId) };
    } catch (cause) {
      if (!(cause instanceof GenuiPatchError)) throw cause;
      return { error: { code: cause.code, message: cause.message, solution: "Send other fields or edits." } };
    }
  }

  refuse({ local }: WaitingUpdate, reason: string | undefined): void {
    this.store.refuse(local, reason);
  }

  /** An error as rooms have them, always with a solution. */
  #error({ code, message, solution }: { code: string; message: string; solution?: string | undefined }): RoomError {
    return { code, message, solution: solution ?? "Send another call." };
  }

  /**
   * The flows and their proposals, for a snapshot. For each proposal also a record `update`: the names of the fields that its diff
   * shows, which cannot be derived from its call.
   */
  toRecords(): UnsavedRecord[] {
    const flows = this.store[contents]();
    const updates = [...flows.updates.values()].map(({ id, fields }) => ({ kind: "update", value: { id, fields } }));
    return [...updates, ...storeRecords(flows)];
  }

  /** Restores a record of {@link RoomFlow.toRecords}. The record `update` of a proposal must come before the proposal. */
  restore(record: SavedRecord): void {
    const { kind, value } = record;
    const flows = this.store[contents]();
    const { id, fields }: { id?: unknown; fields?: unknown } = isObject(value) ? value : {};
    // The store reads `saved` when the record of the proposal is restored.
    if (kind !== "update") restoreInStore(flows, record);
    else if (isText(id)) flows.saved.set(id, { id, ...(isTexts(fields) && { fields }) });
  }
}
