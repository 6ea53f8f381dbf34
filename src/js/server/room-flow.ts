/** `RoomFlow`: the task flows of a room, which are what its log comes to. */
import type { NodeProposal } from "../approval/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { isObject, isText, isTexts, type Members } from "../core/kinds.js";
import { FlowStore } from "../flow/flow-store.js";
import type { ApproveNodeOptions, TaskFlow, UpdateNodeResult } from "../flow/types.js";
import { contents } from "../store/options.js";
import type { Json } from "../types.js";
import { restoreInStore, type SavedRecord, type TakenRecord, takeStore } from "./snapshot-records.js";
import type { RoomError, RoomFlowOptions, RoomResult, User } from "./types.js";

/** An update of a node that waits. */
export interface NodeProposed {
  kind: "node";
  /** The id in the store of flows. */
  local: string;
  call: Members;
}

interface Sent {
  user: User;
  agent?: true | undefined;
}

/** An answer of the store of flows, in the words of rooms. */
type Applied = { error: RoomError; diff?: unknown } | { node: unknown; taskId: string } | { proposal: string };

export class RoomFlow {
  readonly store: FlowStore;

  constructor({ initial: _, ...options }: RoomFlowOptions) {
    this.store = new FlowStore(options);
  }

  load(flow: TaskFlow): RoomResult | undefined {
    const answer = this.store.load(flow);
    return answer.status === "error" ? { status: "error", error: this.#error(answer.error) } : undefined;
  }

  /** The flow of a task, for pages. */
  flow(taskId: string): Json {
    return JSON.parse(JSON.stringify(this.store.snapshot(taskId) ?? null));
  }

  all(): Json[] {
    return this.store.taskIds().map((taskId) => this.flow(taskId));
  }

  /** Makes an update, or proposes it: as its type of node asks for, or `mustWait`. An editor's own is made at once. */
  update(args: Members, { user, agent }: Sent, mustWait: boolean): Applied {
    const author = { kind: agent ? "agent" : "user", id: user.id } as const;
    const { isApprovedUpdate: _, proposalId: __, ...sent } = args;
    const call = { ...sent, ...(mustWait && { approvalStyle: "visual" as const }) };
    const result: UpdateNodeResult =
      agent || mustWait
        ? this.store.callTool("updateNode", call, { author })
        : this.store.updateNode(JSON.stringify({ ...call, isApprovedUpdate: true }), { author });
    if ("pending_confirmation" in result) return { proposal: result.pending_confirmation.proposalId };
    if (result.error !== undefined) return { error: this.#error(result.error) };
    return { node: result.node, taskId: String(args.taskId) };
  }

  shown(id: string, { local }: NodeProposed): NodeProposal | undefined {
    const found = this.store.proposals().find((one) => one.id === local);
    return found && { ...found, id };
  }

  approve({ local, call }: NodeProposed, options: ApproveNodeOptions): Applied {
    try {
      const result = this.store.approve(local, options);
      if (result.error !== undefined) return { error: this.#error(result.error), diff: result.diff };
      return { node: result.node, taskId: String(call.taskId) };
    } catch (cause) {
      if (!(cause instanceof GenuiPatchError)) throw cause;
      return { error: { code: cause.code, message: cause.message, solution: "Send other fields or edits." } };
    }
  }

  refuse({ local }: NodeProposed, reason: string | undefined): void {
    this.store.refuse(local, reason);
  }

  #error({ code, message, solution }: { code: string; message: string; solution?: string | undefined }): RoomError {
    return { code, message, solution: solution ?? "Send another call." };
  }

  take(): TakenRecord[] {
    const flows = this.store[contents]();
    const updates = [...flows.updates.values()].map(({ id, fields }) => ({ kind: "update", value: { id, fields } }));
    return [...updates, ...takeStore(flows)];
  }

  /** An update comes before its proposal, whose call it completes. */
  restore(record: SavedRecord): void {
    const { kind, value } = record;
    const flows = this.store[contents]();
    const { id, fields }: { id?: unknown; fields?: unknown } = isObject(value) ? value : {};
    if (kind !== "update") restoreInStore(flows, record);
    else if (isText(id)) flows.saved.set(id, { id, ...(isTexts(fields) && { fields }) });
  }
}
