/** What becomes of the chat's calls: proposed where a person is asked, else made at once; one after another. */
import type { ExecutionResult, FileError, ToolCall } from "genui-patch";
import { useCallback, useSyncExternalStore } from "react";
import { asking, workspace } from "./workspace";

export type Work =
  | { state: "working" }
  | { state: "waiting"; proposalId: string }
  | { state: "done"; action: NonNullable<ExecutionResult["action"]> | undefined }
  | { state: "failed"; error: FileError | undefined };

const works = new WeakMap<ToolCall, Work>();
const listeners = new Set<() => void>();

function set(call: ToolCall, work: Work): void {
  works.set(call, work);
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
  const proposal = await files.propose(call);
  if ("error" in proposal) set(call, { state: "failed", error: proposal.error });
  else set(call, { state: "waiting", proposalId: proposal.id });
}
