/** `RoomFlow`: the task flows of a room, which are what its log comes to. */
import type { NodeProposal } from "../approval/types.js";
import { GenuiPatchError } from "../core/errors.js";
import type { Members } from "../core/kinds.js";
import { FlowStore } from "../flow/flow-store.js";
import type { ApproveNodeOptions, TaskFlow, UpdateNodeResult } from "../flow/types.js";
import type { Json } from "../types.js";
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
  store: FlowStore;

  constructor(private readonly options: RoomFlowOptions) {
    const { initial: _, ...rest } = options;
    this.store = new FlowStore(rest);
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

  save(): string {
    return this.store.save();
  }

  restore(saved: unknown): void {
    if (typeof saved !== "string") return;
    const { initial: _, ...rest } = this.options;
    // A type that is gone since: its nodes stay, and an agent's update of them is proposed by the policy of the room.
    const restored = FlowStore.restore(saved, { ...rest, allowUnknownTypes: true });
    this.store.dispose();
    this.store = restored;
  }
}
