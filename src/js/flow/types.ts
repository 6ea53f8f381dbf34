/** The types of task flows: nodes, updates and their results. */
import type { Effect, NodeProposal, PendingConfirmation } from "../approval/types.js";
import type {
  Change,
  DeepReadonly,
  Json,
  JsonDiff,
  PatchError,
  PatchStoreOptions,
  StoreEvent,
  UndoOptions,
} from "../types.js";

/** A node. Other keys, such as its position, stay as they are. */
export interface FlowNode {
  id: string;
  /** A key of `nodeTypes`. */
  type?: string;
  data: { [field: string]: Json };
  [key: string]: Json | undefined;
}

/** A task flow. Other keys stay as they are. */
export interface TaskFlow {
  id: string;
  nodes: readonly { readonly id: string; readonly type?: string; readonly data?: object | null }[];
  readonly [key: string]: unknown;
}

/** `"text"`: an update is executed at once. `"visual"`: it is proposed, and the user sees a diff. */
export type ApprovalStyle = "text" | "visual";

/** The settings of a type of node. Other keys are the page's own. */
export interface NodeType {
  /** `diffFields`: the fields that the diff of a proposal shows. */
  ui?: { diffFields?: readonly string[]; readonly [key: string]: unknown };
  actions?: {
    /** The store uses `needsApproval` and `approvalStyle`; the others are for the page. */
    update?: {
      tool?: string;
      /** The style for a type without `approvalStyle`: true means `"visual"`. Default false. */
      needsApproval?: boolean;
      /** Typed as a string for registries that are JSON files. Anything but the two styles is refused. */
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
  /** By type of node: whether the user approves its updates, and which fields the diff shows. */
  nodeTypes?: { readonly [type: string]: NodeType } | undefined;
  /** The language of `displayMessage`, as a language tag: en, pt or zh. Default en. */
  displayLanguage?: string | undefined;
}

export interface FlowRestoreOptions extends FlowStoreOptions {
  /** Accepts nodes of types that `nodeTypes` does not have. Their updates need no approval. Default false. */
  allowUnknownTypes?: boolean | undefined;
}

/** The arguments of `updateNode`. Null is the same as absent. */
export interface UpdateNodeArgs {
  taskId: string;
  nodeId: string;
  /** Merged into the node's data, field by field. */
  newData: { [field: string]: unknown };
  /** `"visual"`: the user approves the update. Of this style and that of the node's type the stricter one counts. */
  approvalStyle?: ApprovalStyle | null;
  /** The fields that the diff shows, for types without `diffFields`. */
  diffFields?: readonly string[] | null;
  /** In `updateNode` of the page: the user has approved. In `callTool` it is ignored. */
  isApprovedUpdate?: boolean | null;
  /** In `updateNode` of the page: the proposal that the user has approved, from the parameters of a pending confirmation. */
  proposalId?: string | null;
}

export type UpdateNodeResult =
  | ApproveNodeResult
  | {
      pending_confirmation: PendingConfirmation;
      effects: Effect[];
      /** `NEEDS_APPROVAL`: an agent has sent `isApprovedUpdate`. */
      error?: PatchError;
    };

/** A refusal. Nothing has changed. */
export interface FlowRefusal {
  error: PatchError;
  /** With `STALE_PROPOSAL`: the changes that the proposal would make now. */
  diff?: JsonDiff;
  otherChanges?: JsonDiff;
}

/** The approved part of a proposal. Default: all of it. */
export interface ApproveNodeOptions {
  /** Only these fields. */
  fields?: readonly string[] | undefined;
  /** The user's own values, by field. */
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

/** Which group `undo` or `redo` of a flow is about: without options the last one. */
export type FlowUndoOptions = Omit<UndoOptions, "optimistic">;

export type UndoFlowResult =
  | { status: "success"; taskId: string; nodeIds: string[]; changes: Change[]; revision: number; error?: undefined }
  | { status: "error"; error: PatchError };

export interface FlowEvent extends Pick<StoreEvent, "changes" | "revision" | "author" | "proposalId"> {
  type: "load" | "update" | "proposal";
  taskId: string;
  /** The ids of the changed nodes, or of the proposal's node. Empty after a load. */
  nodeIds: string[];
}
