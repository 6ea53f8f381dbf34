/** What becomes of the chat's calls: proposed where a person is asked, else made at once; one after another. */
import type { ExecutionResult, FileError, ToolCall } from "genui-patch";
import { useCallback, useSyncExternalStore } from "react";
import { asking, fileProposals, workspace } from "./workspace";

export type Work =
  | { state: "working" }
  | { state: "waiting"; proposalId: string }
  | { state: "done"; action: NonNullable<ExecutionResult["action"]> | undefined }
  | { state: "failed"; error: FileError | undefined };

const works = new WeakMap<ToolCall, Work>();
const listeners = new Set<() => void>();
let changes = 0;

function set(call: ToolCall, work: Work): void {
  works.set(call, work);
  changes += 1;
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

/** Another number after each change of any call's work. */
export const useWorkChanges = (): number => useSyncExternalStore(subscribe, () => changes);

let last: Promise<void> = Promise.resolve();

export function takeCalls(calls: readonly ToolCall[]): void {
  for (const call of calls) {
    set(call, { state: "working" });
    last = last.then(() => take(call));
  }
}

async function take(call: ToolCall): Promise<void> {
  const files = await workspace();
  if (!asking.get()) {
    const { status, action, error } = await files.execute(call);
    set(call, status === "completed" ? { state: "done", action } : { state: "failed", error });
    return;
  }
  const same = fileProposals.get().find(({ status, proposed }) => status === "pending" && isSame(proposed, call));
  const proposal = same ?? (await files.propose(call));
  if ("error" in proposal) set(call, { state: "failed", error: proposal.error });
  else set(call, { state: "waiting", proposalId: proposal.id });
}

/** An answer that is played again asks for the same: one question is enough. */
const isSame = (one: ToolCall, other: ToolCall) =>
  one.tool === other.tool && one.path === other.path && JSON.stringify(one.args) === JSON.stringify(other.args);
