/** The approval state of a tool call, in the words of the AI SDK's tool parts. */
import type { ToolBlockEvent, ToolCall } from "../blocks/types.js";
import type { Proposal } from "./types.js";

/**
 * The states of a tool part in the AI SDK: its input (arguments) and its output (result) are there, or an approval is asked for.
 */
export type ApprovalState =
  | "input-streaming"
  | "input-available"
  | "approval-requested"
  | "approval-responded"
  | "output-available"
  | "output-error"
  | "output-denied";

/** By status of a proposal. */
const PROPOSALS: Record<Proposal["status"], ApprovalState> = {
  pending: "approval-requested",
  approved: "approval-responded",
  refused: "output-denied",
  stale: "output-error",
};

/** By status of a tool call, or of the answer to an executed call. */
const CALLS: Record<ToolCall["status"] | "error", ApprovalState> = {
  error: "output-error",
  detected: "input-available",
  processing: "input-available",
  executing: "approval-responded",
  completed: "output-available",
  failed: "output-error",
};

/**
 * The state of a proposal or of the refusal to make one, of a tool call, of an event of a `ToolBlockStream`, or of the answer of
 * an executed call, in the words of the AI SDK's tool parts. `undefined` for events of text and reasoning.
 *
 * ```ts
 * approvalState(store.propose(call)); // "approval-requested"
 * ```
 */
export function approvalState(
  item:
    | Pick<Proposal, "kind" | "status" | "effective">
    | Pick<ToolCall, "tool" | "status">
    | ToolBlockEvent
    | { call: object; status: ToolCall["status"] }
    | { status: "error"; error: object },
): ApprovalState | undefined {
  if ("kind" in item) {
    // `effective` is the result of the approved call: its output.
    return item.status === "approved" && item.effective !== undefined ? "output-available" : PROPOSALS[item.status];
  }
  if (!("type" in item)) return CALLS[item.status];
  if (item.type === "text" || item.type === "reasoning") return undefined;
  // `json-tool-block` is the last event of a block. All others report a call that is still arriving.
  if (item.type !== "json-tool-block") return "input-streaming";
  return item.call !== undefined || (item.calls?.length ?? 0) > 0 ? "input-available" : "output-error";
}
