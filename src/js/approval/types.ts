/** The types of proposals, and of what a person is shown of them. */
import type { Fix, ToolCall } from "../blocks/types.js";
import type { Refused } from "../core/errors.js";
import type { Change, Hunk, Json, JsonDiff, PatchCall } from "../types.js";

/** A change with what it replaces or takes away, for whoever shows it. */
export type ShownChange = Change & { before?: Json };

/** `pending` waits, `stale` has been overtaken by other changes of its target, the rest is settled. */
export type ProposalStatus = "pending" | "approved" | "refused" | "stale";

/**
 * The result of an approval, compared with the proposed result. `Place` is the path of a change, the name of a field, or the
 * index of a hunk of the diff.
 */
export interface Outcome<Place> {
  /** All of it as proposed, a part of it, none of it, or with values that are the user's own. */
  extent: "all" | "part" | "none" | "edited";
  /** Made as proposed. */
  applied: readonly Place[];
  /** Not made. */
  omitted: readonly Place[];
  /** Made with the user's own value, or added by the user. */
  edited: readonly Place[];
}

interface ProposalBase<Kind extends string, Diff> {
  id: string;
  kind: Kind;
  /** What it would change: an instance, `taskId/nodeId`, or the path of a file. */
  target: string;
  /** The target's revision on which the diff was made. */
  revision: number;
  /** For the person. It is data: whoever shows it escapes it. */
  diff: Diff;
  /** What approving all of it would do to the target, in order. Empty for files. */
  changes: Change[];
  status: ProposalStatus;
  /** The person's reason, if it was refused with one. */
  reason?: string;
  error?: undefined;
}

/** An update of a node that waits. `proposed` is its `newData`. */
export interface NodeProposal extends ProposalBase<"node", JsonDiff> {
  /** Fields that would change beside those that the diff shows. The page shows them too: nothing changes unseen. */
  otherChanges: JsonDiff;
  proposed: { [field: string]: Json };
  /** The fields that the person agreed to, with their own values. */
  approved?: { [field: string]: Json };
  /** The node's data once it was made. */
  effective?: Json;
  /** Once it was made: by field. */
  outcome?: Outcome<string>;
}

export interface PatchProposal extends ProposalBase<"patch", ShownChange[]> {
  proposed: PatchCall;
  /** What the person agreed to: all of the call, or the changes that make the part and the person's own values. */
  approved?: PatchCall | Change[];
  /** What changed once it was made. */
  effective?: Change[];
  /** Once it was made: by path, as in `diff`. */
  outcome?: Outcome<readonly (string | number)[]>;
}

/** Something about the path of a file that a call names. */
export interface FileWarning {
  /** `TWIN_PATH`: another file has the same name but for case or the form of accents, and is the same file on some systems. */
  code: "TWIN_PATH";
  message: string;
  /** The other paths. */
  paths: readonly string[];
}

export interface FileProposal extends ProposalBase<"file", Hunk[]> {
  proposed: ToolCall<never>;
  /** Set if approving the proposal would create or delete the file; absent if it would change the text of a file. */
  action?: "created" | "deleted";
  /** Warnings about the path, for the user. */
  warnings?: readonly FileWarning[];
  /**
   * In what the piece that an edit names differs from the text that it would replace: for the user to see. Positions are in
   * the file as it was when the edit was proposed.
   */
  fixes?: Fix[];
  /** The text that the person agreed to, on the file as it was then; null for no file. */
  approved?: string | null;
  /** The text of the file once it was made. */
  effective?: string | null;
  /** Once it was made: by the index of a hunk in `diff`. */
  outcome?: Outcome<number>;
}

/** A change that has not been made: of a node, of an instance, of a file. */
export type Proposal = NodeProposal | PatchProposal | FileProposal;

/** Something for the page to do, in the order of the list (seed 002): `FOCUS_NODE`, `OPEN_MODAL`, … */
export interface Effect {
  type: string;
  payload: { [key: string]: Json };
}

/** What `updateNode` answers instead of changing the node (seed 002). */
export interface PendingConfirmation extends Pick<NodeProposal, "diff" | "otherChanges" | "revision"> {
  tool_name: "updateNode";
  /** To be sent through the page's door once the person has agreed. Through the agent's door it approves nothing. */
  parameters: { [key: string]: Json };
  displayMessage: string;
  nodeId: string;
  proposalId: string;
}

/** Why something could not be proposed or approved. */
export interface ApprovalRefusal extends Refused {
  instance_name?: string;
  available_instances?: string[];
  /** With `STALE_PROPOSAL`: what the proposal would change now. */
  diff?: Proposal["diff"];
}
