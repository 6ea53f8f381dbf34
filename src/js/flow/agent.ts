/** The tool of a `FlowStore`, for `agentTools`. */
import { type Answer, type Failed, parseArguments, type Target, type ToolSet } from "../agent/tool-set.js";
import type { NodeProposal } from "../approval/types.js";
import { isText } from "../core/kinds.js";
import { wellFormed } from "../core/surrogates.js";
import { nodeTools } from "../definitions/node.js";
import type { UpdateNodeResult } from "./types.js";

interface Flow {
  callTool(tool: string, args: object | string): UpdateNodeResult;
  proposals(): readonly NodeProposal[];
  node(taskId: string, nodeId: string): unknown;
}

export function flowTools(flow: Flow): ToolSet {
  const call = (args: object | string): Answer => {
    const result = flow.callTool("updateNode", args);
    if ("pending_confirmation" in result) {
      const { pending_confirmation, effects, error } = result;
      const proposal = flow.proposals().find(({ id }) => id === pending_confirmation.proposalId) as NodeProposal;
      return { status: "pending", proposal, effects, ...(error && { result: { note: error.message } }) };
    }
    if (result.error !== undefined) return { status: "error", error: { ...result.error } };
    const { node, effects } = result;
    return { status: "success", result: { updated: true, node }, effects };
  };
  return {
    definitions: nodeTools,
    read(_, text) {
      const args = parseArguments(nodeTools[0]?.input ?? {}, text);
      // What is no call is refused by the tool, which says why.
      if (args === undefined) return call(text) as Failed;
      const { taskId, nodeId } = args;
      // Without ids the tool refuses it too.
      if (!isText(taskId) || !isText(nodeId)) return call(args) as Failed;
      return {
        args,
        target: () => targetOf(flow, wellFormed(taskId), wellFormed(nodeId)),
        make: () => call(args),
        propose: () => call({ ...args, approvalStyle: "visual" }),
      };
    },
  };
}

/** The name of a node. Where ids have slashes, another node may have the same. */
function targetOf(flow: Flow, taskId: string, nodeId: string): Target {
  const target = `${taskId}/${nodeId}`;
  const steps = target.split("/");
  const isOther = (_: string, at: number) => {
    const task = steps.slice(0, at).join("/");
    return at > 0 && task !== taskId && flow.node(task, steps.slice(at).join("/")) !== undefined;
  };
  return { target, isAmbiguous: steps.some(isOther) };
}
