/** The page's task flow. */
import { FlowStore } from "genui-patch";
import { nodeTypes, taskFlow } from "../data/taskFlow";
import { log } from "../log/log";

export const flow = new FlowStore({ nodeTypes });
flow.load(taskFlow);
flow.subscribe((event) => log("proposal", event.type, "task flow", { detail: event }));
