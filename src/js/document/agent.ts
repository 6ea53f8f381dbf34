/** The tools of a `PatchStore`, for `agentTools`. */
import { type Answer, type Failed, parseArguments, type ReadCall, SPELLINGS, type ToolSet } from "../agent/tool-set.js";
import type { ApprovalRefusal, PatchProposal } from "../approval/types.js";
import type { Members } from "../core/kinds.js";
import { uiTools } from "../definitions/ui.js";
import type { PatchCall } from "../types.js";
import type { ToolResult } from "./tool-types.js";

/** Whoever decides on a call reads the names of seed 001. */
const NAMES = new Map(Object.entries(SPELLINGS).map(([name, spelling]) => [spelling, name]));

/** What of a store they need. */
interface Store {
  callTool(tool: string, args: object | string): ToolResult;
  propose(call: PatchCall): PatchProposal | ApprovalRefusal;
}

export function storeTools(store: Store): ToolSet {
  return {
    definitions: uiTools,
    read(tool, text) {
      const call = (args: object | string) => toAnswer(store.callTool(tool, args));
      const args = parseArguments(uiTools.find(({ name }) => name === tool)?.input ?? {}, text);
      // What is no call is refused by the tool, which says why.
      if (args === undefined) return call(text) as Failed;
      const read: ReadCall = { args, make: () => call(args) };
      if (tool !== "patch_ui_state") return read;
      const spelled = Object.entries(args).map(([key, value]) => [NAMES.get(key) ?? key, value]);
      read.args = Object.fromEntries(spelled);
      read.target = targetOf(read.args);
      read.propose = () => {
        // An id is the page's word for a call: a model's must not lead to another call's proposal.
        const { id: _, ...own } = args;
        const proposal = store.propose(own as unknown as PatchCall);
        return proposal.status === "error" ? toAnswer(proposal) : { status: "pending", proposal: proposal as never };
      };
      return read;
    },
  };
}

function targetOf({ instance_name, new_instance_name, target_instance_name }: Members): string {
  if (instance_name === "__CREATE__") return String(new_instance_name);
  return String(instance_name === "__DELETE__" ? target_instance_name : instance_name);
}

function toAnswer(result: ToolResult | ApprovalRefusal): Answer {
  if (result.status !== "error") return { status: "success", result };
  const { error, ...rest } = result;
  return { status: "error", error: { ...error }, result: rest };
}
