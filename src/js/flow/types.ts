/** The types of task flows: nodes, updates and what they come to. */
import type { Effect, NodeProposal, PendingConfirmation } from "../approval/types.js";
import type { DeepReadonly, Json, JsonDiff, PatchError, PatchStoreOptions, StoreEvent } from "../types.js";

/** A node. Other keys (position, label, …) are kept as they are. */
export interface FlowNode {
  id: string;
  /** Its row in the registry. */
  type?: string;
  data: { [field: string]: Json };
  [key: string]: Json | undefined;
}

/** A task flow. Other keys are kept as they are. */
export interface TaskFlow {
  id: string;
  nodes: readonly { readonly id: string; readonly type?: string; readonly data?: object | null }[];
  readonly [key: string]: unknown;
}

/** How an update is made: at once, or by a proposal that a person sees. */
export type ApprovalStyle = "text" | "visual";

/** A row of the registry, in the shape of the seed's nodeTypes.json. What it has beside this is the page's own. */
export interface NodeType {
  ui?: { diffFields?: readonly string[]; readonly [key: string]: unknown };
  actions?: {
    update?: {
      tool?: string;
      needsApproval?: boolean;
      /** Any string, as a registry read from a JSON file has it; what is neither of the two styles is refused. */
      approvalStyle?: ApprovalStyle | (string & {});
      executionMode?: string;
      refinementPrompt?: string;
      readonly [key: string]: unknown;
    };
    readonly [key: string]: unknown;
  };
  readonly [key: string]: unknown;
}

export interface FlowStoreOptions extends Pick<PatchStoreOptions, "freeze" | "limits"> {
  /** By type of node: how its updates are approved, and what the diff shows. */
  nodeTypes?: { readonly [type: string]: NodeType } | undefined;
  /** The language of `displayMessage`, as a language tag: en (default), pt, zh. */
  displayLanguage?: string | undefined;
}

export interface FlowRestoreOptions extends FlowStoreOptions {
  /** Opens a text with nodes of types that `nodeTypes` does not have: their updates need no approval. Default false. */
  allowUnknownTypes?: boolean | undefined;
}

export interface UpdateNodeArgs {
  taskId: string;
  nodeId: string;
  /** Merged into the node's data, field by field. */
  newData: { [field: string]: unknown };
  /** `visual`: proposed, and made when a person agrees. Of the call's and the registry's the stricter counts. */
  approvalStyle?: ApprovalStyle | null;
  /** What the diff shows, where the registry does not say. */
  diffFields?: readonly string[] | null;
  /** Through the page's door: the person has agreed. Through the agent's door it means nothing. */
  isApprovedUpdate?: boolean | null;
  /** As it came with the parameters of a pending confirmation. */
  proposalId?: string | null;
}

export type UpdateNodeResult =
  | ApproveNodeResult
  | {
      pending_confirmation: PendingConfirmation;
      effects: Effect[];
      /** `NEEDS_APPROVAL`: an agent tried to do what a person has to agree to. */
      error?: PatchError;
    };

/** Why something was refused. Nothing has changed. */
export interface FlowRefusal {
  error: PatchError;
  /** With `STALE_PROPOSAL`: what the proposal would change now. */
  diff?: JsonDiff;
  otherChanges?: JsonDiff;
}

/** What of a proposal is approved. Without either: all of it. */
export interface ApproveNodeOptions {
  /** The fields that are to change. */
  fields?: readonly string[] | undefined;
  /** The person's own values, by field. */
  edits?: { readonly [field: string]: unknown } | undefined;
}

export type ApproveNodeResult =
  | { updated: true; node: DeepReadonly<FlowNode>; effects: Effect[]; error?: undefined }
  | FlowRefusal;

export type RefuseNodeResult =
  | { refused: true; proposal: NodeProposal; effects: Effect[]; error?: undefined }
  | FlowRefusal;

export type LoadFlowResult =
  | { status: "success"; taskId: string; revision: number; error?: undefined }
  | { status: "error"; error: PatchError };

export interface FlowEvent extends Pick<StoreEvent, "changes" | "revision" | "proposalId"> {
  type: "load" | "update" | "proposal";
  taskId: string;
  /** The nodes that changed, or of the proposal. After a load: none are named. */
  nodeIds: string[];
}
