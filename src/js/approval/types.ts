/** The types of proposals. */
import type { Fix, ToolCall } from "../blocks/types.js";
import type { Refused } from "../core/errors.js";
import type { Author, Change, Hunk, Json, JsonDiff, PatchCall, ShownChange, Warning } from "../types.js";

/** `pending`: the user has not decided. `stale`: the target has changed in the same place. The others are settled. */
export type ProposalStatus = "pending" | "approved" | "refused" | "stale";

/**
 * The result of an approval, compared with the proposed result. `Place` is the path of a change, the name of a field, or the
 * index of a hunk of the diff.
 */
export interface Outcome<Place> {
  /** `"edited"`: with values of the user's own. */
  extent: "all" | "part" | "none" | "edited";
  /** Applied as proposed. */
  applied: readonly Place[];
  /** Not applied. */
  omitted: readonly Place[];
  /** Applied with the user's own value, or added by the user. */
  edited: readonly Place[];
}

interface ProposalBase<Kind extends string, Diff> {
  id: string;
  kind: Kind;
  /** The name of an instance, `taskId/nodeId`, or the path of a file. */
  target: string;
  /** The target's revision when the diff was computed. */
  revision: number;
  /** The changes that an approval would make, for the user. It is data, so escape it before you show it as HTML. */
  diff: Diff;
  /** The changes that a full approval would make to the target, in order. Empty for files. */
  changes: Change[];
  status: ProposalStatus;
  /** The author of the proposal. */
  author?: Author;
  /** The group of the change, as in `ChangeOptions`. */
  group?: string;
  /** The user's reason, if the proposal was refused with one. */
  reason?: string;
  error?: undefined;
}

/** A proposed update of a node of a task flow. `proposed` is the `newData` of the call `updateNode`. */
export interface NodeProposal extends ProposalBase<"node", JsonDiff> {
  /**
   * The other changes of an approval: those of fields that the agent, or the type of the node, did not name in `diffFields`. Show
   * them too: the user must see every change.
   */
  otherChanges: JsonDiff;
  author: Author;
  proposed: { [field: string]: Json };
  /** The approved fields, with the user's own values. */
  approved?: { [field: string]: Json };
  /** The node's data after the approval. */
  effective?: Json;
  /** Set after the approval, by field. */
  outcome?: Outcome<string>;
}

/** A proposed patch call. */
export interface PatchProposal extends ProposalBase<"patch", ShownChange[]> {
  author: Author;
  proposed: PatchCall;
  /** Warnings about patches that would not have the effect that they seem to mean. Absent without warnings. */
  warnings?: readonly Warning[];
  /** Set after the approval: the whole call, or the approved changes with the user's own values. */
  approved?: PatchCall | Change[];
  /** The changes that the approval made. */
  effective?: Change[];
  /** Set after the approval, by path as in `diff`. */
  outcome?: Outcome<readonly (string | number)[]>;
}

/** A warning about the path of a file. */
export interface FileWarning {
  /** `TWIN_PATH`: another file has the same name but for case or the form of accents, and is the same file on some systems. */
  code: "TWIN_PATH";
  message: string;
  /** The other paths. */
  paths: readonly string[];
}

/** A call that applies a patch to files: a tool of the option `formats` of `agentTools`. */
export interface PatchFilesCall {
  /** Unique in its stream. */
  id: string;
  tool: "apply_patch" | "apply_diff";
  /** The path of its file; of several files, their paths, joined by `", "`. */
  path: string;
  /** The text of the patch. */
  patch: string;
  args: Record<string, Json>;
  status: ToolCall["status"];
  // Never set: declared so that a `WorkspaceCall` can be read without narrowing.
  content?: undefined;
  search_replace?: undefined;
  edits?: undefined;
}

/** A call that a workspace executes, so none of a custom tool (`never`). */
export type WorkspaceCall = ToolCall<never> | PatchFilesCall;

/** The effect of a patch on one file. */
export interface FileEffect {
  path: string;
  /** The old path of a file that is moved. */
  from?: string;
  action: "created" | "updated" | "deleted" | "moved";
  /** The hunks of this file. The index of a hunk is its index in `diff` of the whole proposal. */
  diff: Hunk[];
}

/** A proposed change of a file, or of the files of a patch. */
export interface FileProposal extends ProposalBase<"file", Hunk[]> {
  proposed: WorkspaceCall;
  /** For a patch: what it would do to each file. `diff` has the hunks of all files, in the same order. */
  files?: readonly FileEffect[];
  /** Set if approving the proposal would create or delete the file; absent if it would change the text of a file. */
  action?: "created" | "deleted";
  /** Warnings about the path, for the user. */
  warnings?: readonly FileWarning[];
  /**
   * The differences between the `old_string` of an edit and the text that it would replace, for the user to see. Positions are
   * in the file at the time of the proposal.
   */
  fixes?: Fix[];
  /**
   * Set after the approval: the text that the user approved, on the text that the proposal showed; null for no file. Of a patch, the
   * text of its first file.
   */
  approved?: string | null;
  /** As `approved`, but the text that the file then had: it also has changes that others made since the proposal was shown. */
  effective?: string | null;
  /** Set after the approval, by the index of a hunk in `diff`. */
  outcome?: Outcome<number>;
}

/** A change of an instance, a node or a file that the user decides on. */
export type Proposal = NodeProposal | PatchProposal | FileProposal;

/** A call of an own tool that the user decides on. */
export interface CallProposal {
  id: string;
  kind: "call";
  /** The name of the tool. */
  target: string;
  /** Always 0: an own tool has no document whose revisions could be counted. */
  revision: number;
  /** Always empty: the effect of an own tool is unknown. */
  diff: readonly never[];
  changes: readonly never[];
  /** As for other proposals, so that lists can hold all of them. A call never becomes `stale`. */
  status: "pending" | "approved" | "refused" | "stale";
  proposed: { tool: string; args: { readonly [key: string]: Json } };
  /** Set after the approval, when the call is over: the result for the model. */
  effective?: Json;
  /** The user's reason, if the call was refused with one. */
  reason?: string;
  /** Set after the approval if the user has changed the arguments. */
  approved?: { tool: string; args: { readonly [key: string]: Json } };
  /** Only other proposals have these. */
  outcome?: undefined;
  error?: undefined;
}

/** An instruction for the page, such as `FOCUS_NODE` or `OPEN_MODAL`. The page performs a list of them in order. */
export interface Effect {
  type: string;
  payload: { [key: string]: Json };
}

/** The answer of `updateNode` if the user has to approve the update. */
export interface PendingConfirmation extends Pick<NodeProposal, "diff" | "otherChanges" | "revision"> {
  tool_name: "updateNode";
  /**
   * The arguments with which the page calls `updateNode` after the user has approved. An agent cannot approve with them: `callTool`
   * ignores the approval.
   */
  parameters: { [key: string]: Json };
  /** The question to the user. */
  displayMessage: string;
  nodeId: string;
  proposalId: string;
}

/** The error of a proposal or an approval. */
export interface ApprovalRefusal extends Refused {
  instance_name?: string;
  available_instances?: string[];
  /** With `STALE_PROPOSAL`: the changes that the proposal would make now. */
  diff?: Proposal["diff"];
}
