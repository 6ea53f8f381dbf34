/** `flowTools`: the tool `updateNode` of a `FlowStore`, for `agentTools`. */

import type { NodeProposal } from "../approval/types.js";
import type { ParsedCall } from "../blocks/parsed-call.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import { wellFormed } from "../core/surrogates.js";
import { nodeTools } from "../definitions/node.js";
import {
  type Answer,
  argumentsOf,
  type CallEffect,
  type Failed,
  type Target,
  type ToolSet,
} from "../tools/tool-set.js";
import type { Json } from "../types.js";
import type { UpdateNodeResult } from "./types.js";

/** The functions of a `FlowStore` that its tool calls. */
interface Flow {
  /** `updateNode` as an agent calls it: nothing in the call approves anything. */
  update(call: ParsedCall): UpdateNodeResult;
  /** Whether `update` would propose the call. */
  requiresApproval(call: ParsedCall): boolean;
  /** The changes that an update would make, without making them. */
  effect(taskId: string, nodeId: string, newData: Members): CallEffect;
  proposals(): readonly NodeProposal[];
  /** `undefined` for an unknown node. */
  node(taskId: string, nodeId: string): unknown;
}

/** The tools of a store of flows. */
export function flowTools(flow: Flow): ToolSet {
  // `flow.update` proposes an update that needs an approval, so `execute` and `propose` differ only in the style that they send.
  const update = (call: ParsedCall): Answer => {
    const result = flow.update(call);
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
    validate(call) {
      const [definition] = nodeTools;
      const args = definition && argumentsOf(definition, call);
      const { taskId, nodeId } = args ?? {};
      // The tool refuses arguments that are not an object, or lack an id, and says what is wrong.
      if (args === undefined || !isText(taskId) || !isText(nodeId)) return update(call) as Failed;
      return {
        args,
        target: () => ({
          ...targetOf(flow, wellFormed(taskId), wellFormed(nodeId)),
          effect: () => flow.effect(taskId, nodeId, isObject<Json>(args.newData) ? args.newData : {}),
        }),
        execute: () => update({ ...call, args }),
        requiresApproval: () => flow.requiresApproval({ ...call, args }),
        propose: () => update({ ...call, args: { ...args, approvalStyle: "visual" } }),
      };
    },
  };
}

/** The name of a node: `taskId/nodeId`. Where an id contains a slash, another node may have the same name. */
function targetOf(flow: Flow, taskId: string, nodeId: string): Target {
  const target = `${taskId}/${nodeId}`;
  const steps = target.split("/");
  // Whether the target names a node of another flow, if the first `depth` steps are the id of the flow.
  const isOtherNode = (_: string, depth: number) => {
    const task = steps.slice(0, depth).join("/");
    return depth > 0 && task !== taskId && flow.node(task, steps.slice(depth).join("/")) !== undefined;
  };
  return { target, isAmbiguous: steps.some(isOtherNode) };
}
