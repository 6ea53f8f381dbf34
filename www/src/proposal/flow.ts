/** The page's task flow. */
import { FlowStore } from "genui-patch";
import { nodeTypes, taskFlow } from "../data/taskFlow";
import { log } from "../log/log";
import { RESET } from "./reasons";

export const flow = new FlowStore({ nodeTypes });
flow.load(taskFlow);
flow.subscribe((event) => log("proposal", event.type, event.taskId, { detail: event }));

/** The task flow as it was at the start; what waits for it is withdrawn. */
export function resetFlow(): void {
  for (const { id, status } of flow.proposals()) if (status === "pending" || status === "stale") flow.refuse(id, RESET);
  flow.load(taskFlow);
}
