/** Executes the calls of the chat one after another; calls that need approval become proposals. */
import type { AgentResult, CustomCall, ExecutionResult, PatchCall, ToolCall } from "genui-patch";
import { useCallback, useSyncExternalStore } from "react";
import { noteCall } from "../chat/activity";
import { hideDrafts } from "../chat/drafts";
import { callOwn, isOwn } from "../chat/ownTools";
import { applyCall } from "../instance/instances";
import { store } from "../instance/store";
import { noteTurn } from "../instance/undo";
import { carryOut } from "../proposal/effects";
import { flow } from "../proposal/flow";
import { tourState } from "../tour/state";
import { t, type Words } from "../words/words";
import { workChanges } from "./workChanges";
import { asking, fileProposals, workspace } from "./workspace";

export type Work =
  | { state: "working" }
  | { state: "waiting"; proposalId: string }
  | { state: "done"; action: NonNullable<ExecutionResult["action"]> | undefined }
  /** A call of another tool, in words. */
  | { state: "made"; words: Words; answer: object }
  | { state: "failed"; error: { code: string; message: string } | undefined };

const works = new WeakMap<ToolCall, Work>();
const listeners = new Set<() => void>();

function set(call: ToolCall, work: Work): void {
  works.set(call, work);
  workChanges.set(workChanges.get() + 1);
  for (const listener of [...listeners]) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useWork = (call: ToolCall): Work | undefined =>
  useSyncExternalStore(
    subscribe,
    useCallback(() => works.get(call), [call]),
  );

let last: Promise<void> = Promise.resolve();

/** Resolves once all calls so far are made or wait. */
export const settledCalls = (): Promise<void> => last;

/** Replaces the draft of a call by its result. */
type Settle = ((apply: () => void) => void) | undefined;

/** Makes the calls of an agent's turn. The results are for the model. */
export function takeCalls(
  calls: readonly ToolCall[],
  turn: string,
  settles: readonly Settle[] = [],
): Promise<AgentResult[]> {
  const taken = calls.map((call, index) => {
    set(call, { state: "working" });
    const note = noteCall(call.tool, call.id);
    const work = last.then(() => take(call, turn, settles[index]));
    last = work.then((known) => set(call, known));
    return work.then((known) => {
      const result = resultOf(call, known);
      note(result);
      return result;
    });
  });
  return Promise.all(taken);
}

const PENDING =
  "The user has to approve this call: nothing has changed yet. Do not send the call again. Continue with work that does not depend on it, or end your turn.";

function resultOf({ id, tool, path, args }: ToolCall, work: Work): AgentResult {
  const about = { id, tool };
  const result = { ...answerOf(work), ...(path === undefined ? nameIn(args) : { path }) };
  const proposal = work.state === "waiting" && { proposal: { id: work.proposalId } };
  const error = work.state === "failed" && { error: work.error };
  return { ...about, status: result.status, result, ...error, ...proposal } as AgentResult;
}

/** The instance that a call was for. */
function nameIn({ instance_name, new_instance_name }: ToolCall["args"]): { instance_name?: unknown } {
  if (instance_name === "__CREATE__") return { instance_name: new_instance_name };
  return instance_name === undefined ? {} : { instance_name };
}

function answerOf(work: Work): AgentResult["result"] {
  if (work.state === "failed") return { status: "error", error: work.error };
  if (work.state === "waiting") return { status: "pending", message: PENDING };
  return {
    ...(work.state === "made" ? work.answer : work.state === "done" && { action: work.action }),
    status: "success",
  };
}

const FILE_TOOLS = ["write_file", "edit_file", "delete_file"];

/** A call of a tool that is not for files, by the door that agents have. */
function takeOther({ tool, args: sent }: CustomCall, turn: string): Work {
  const { tool: _, ...args } = sent;
  if (tool === "patch_ui_state") {
    const result = applyCall(args as unknown as PatchCall, "call", turn);
    if (result.status === "error") return { state: "failed", error: result.error };
    noteTurn(turn, "page", result.instance_name);
    return { state: "made", words: () => made(result.applied, result.skipped.length), answer: result };
  }
  hideDrafts();
  // In the first minute what the visitor looks at follows the chat.
  const update = () => {
    const by = { author: { kind: "agent" }, group: turn } as const;
    // Before its change, which is undone with the turn: at once, or once the user has approved it.
    if (typeof args.taskId === "string") noteTurn(turn, "flow", args.taskId);
    return carryOut(flow.callTool("updateNode", args, by), tourState.get().playing);
  };
  const answer = tool === "updateNode" ? update() : store.callTool(tool, args);
  const error = "error" in answer ? answer.error : undefined;
  if (error !== undefined) return { state: "failed", error };
  const waits = "pending_confirmation" in answer && answer.pending_confirmation;
  return waits ? { state: "waiting", proposalId: waits.proposalId } : { state: "made", words: () => t("done"), answer };
}

function made(applied: number, skipped: number): string {
  const rest = skipped > 0 ? t(", {number} skipped", { number: skipped }) : "";
  return (applied === 1 ? t("1 patch applied") : t("{number} patches applied", { number: applied })) + rest;
}

/** A call of a tool of the demo's own. */
async function takeOwn(call: CustomCall): Promise<Work> {
  const { status, result, proposal, error } = await callOwn(call);
  if (status === "pending") return { state: "waiting", proposalId: proposal.id };
  return status === "error"
    ? { state: "failed", error }
    : { state: "made", words: () => t("answered"), answer: result };
}

async function take(call: ToolCall, turn: string, settle: Settle): Promise<Work> {
  if (isOwn(call.tool)) return takeOwn(call as CustomCall);
  if (!FILE_TOOLS.includes(call.tool)) {
    let work: Work = { state: "working" };
    const apply = () => {
      work = takeOther(call as CustomCall, turn);
    };
    if (settle === undefined) apply();
    else settle(apply);
    return work;
  }
  const files = await workspace();
  if (!asking.get()) {
    const { status, action, error } = await files.execute(call);
    return status === "completed" ? { state: "done", action } : { state: "failed", error };
  }
  const same = fileProposals.get().find(({ status, proposed }) => status === "pending" && isSame(proposed, call));
  const proposal = same ?? (await files.propose(call));
  return "error" in proposal
    ? { state: "failed", error: proposal.error }
    : { state: "waiting", proposalId: proposal.id };
}

/** An answer that is played again asks for the same: one question is enough. */
const isSame = (one: ToolCall, other: ToolCall) =>
  one.tool === other.tool && one.path === other.path && JSON.stringify(one.args) === JSON.stringify(other.args);
