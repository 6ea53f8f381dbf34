/** The calls of agents, whichever part of the page executes them, as an `ActivityList` reads them. */
import type { AgentCall, AgentResult } from "genui-patch";
import { cell } from "../lib/cell";

/** How many calls are kept. */
const most = 50;

/** The newest first. */
const calls = cell<readonly AgentCall[]>([]);
export const activity = { calls: calls.get, subscribe: calls.subscribe };

let last = 0;

/** Notes a call that begins. The function that is returned says what became of it. */
export function noteCall(tool: string, id?: string): (result: AgentResult) => void {
  const key = ++last;
  calls.set([{ key, id, tool, status: "running" } as const, ...calls.get()].slice(0, most));
  return (result) => {
    const { status } = result;
    calls.set(calls.get().map((call) => (call.key === key ? { ...call, status, result } : call)));
  };
}
