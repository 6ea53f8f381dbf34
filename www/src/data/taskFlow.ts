/** A task flow as a product team would keep one, and how its nodes are changed; the backend begins with the same. */
import type { NodeType, TaskFlow } from "genui-patch";
import flow from "./taskFlow.json";

export const taskFlow: TaskFlow = flow.taskFlow;
export const nodeTypes = flow.nodeTypes as Readonly<Record<string, NodeType>>;
