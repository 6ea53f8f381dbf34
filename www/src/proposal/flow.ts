/** The page's task flow, and what is shown of it. */
import { FlowStore } from "genui-patch";
import { nodeTypes, taskFlow } from "../data/taskFlow";
import { cell } from "../lib/cell";
import { listOf, objectOf, type View } from "../lib/view";
import { log } from "../log/log";

export const flow = new FlowStore({ nodeTypes });

/** The task flows as they are shown, by id: each as it was when it was fetched last. */
export const fetched = cell<ReadonlyMap<string, View | undefined>>(new Map());

/** The node that an agent means; another object each time that it is meant anew. */
export const meant = cell<{ nodeId: string } | undefined>(undefined);

export function refetch(taskId: string): void {
  fetched.set(new Map(fetched.get()).set(taskId, flow.snapshot(taskId) as View | undefined));
}

/** A node as it is shown. */
export function nodeIn(flows: ReadonlyMap<string, View | undefined>, target: string): View | undefined {
  const [taskId = "", nodeId = ""] = target.split("/");
  return listOf(objectOf(flows.get(taskId)).nodes).find((node) => objectOf(node).id === nodeId);
}

flow.subscribe((event) => {
  log("proposal", event.type, event.taskId, { detail: event });
  if (event.type === "load") refetch(event.taskId);
});
flow.load(taskFlow);
