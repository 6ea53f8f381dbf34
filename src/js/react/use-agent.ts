import { useSyncExternalStore } from "react";
import type { AgentCall, AgentTools } from "../agent/types.js";

/**
 * The calls of an agent that run, and the last hundred that are settled: the same list until it changes.
 *
 * ```ts
 * const running = useAgent(agent).filter(({ status }) => status === "running");
 * ```
 */
export function useAgent({ subscribe, calls }: Pick<AgentTools, "subscribe" | "calls">): readonly AgentCall[] {
  return useSyncExternalStore(subscribe, calls, calls);
}
