/** The tools of a `PatchStore`, for `agentTools`. */
import { type Answer, type Failed, parseArguments, type ReadCall, SPELLINGS, type ToolSet } from "../agent/tool-set.js";
import type { ApprovalRefusal, PatchProposal } from "../approval/types.js";
import { isText, type Members } from "../core/kinds.js";
import { wellFormed } from "../core/surrogates.js";
import { uiTools } from "../definitions/ui.js";
import type { Draft } from "../store/drafts.js";
import type { PatchCall, PatchOperation } from "../types.js";
import type { ToolResult } from "./tool-types.js";

/** Whoever decides on a call reads the names of seed 001. */
const NAMES = new Map(Object.entries(SPELLINGS).map(([name, spelling]) => [spelling, name]));

/** What of a store they need. */
interface Store {
  callTool(tool: string, args: object | string): ToolResult;
  propose(call: PatchCall): PatchProposal | ApprovalRefusal;
  draft(call: PatchCall): Draft;
  batch(run: () => void): void;
}

export function storeTools(store: Store): ToolSet {
  return {
    definitions: uiTools,
    drafts: {
      tool: "patch_ui_state",
      targetOf: nameOf,
      open({ tool: _, ...call }) {
        const draft = store.draft(call as unknown as PatchCall);
        return {
          add: (patch) => draft.add(patch as unknown as PatchOperation),
          discard: () => draft.discard(),
          batch(run) {
            let result: ReturnType<typeof run> | undefined;
            store.batch(() => {
              result = run();
            });
            return result as ReturnType<typeof run>;
          },
        };
      },
    },
    read(tool, text) {
      const call = (args: object | string) => toAnswer(store.callTool(tool, args));
      const args = parseArguments(uiTools.find(({ name }) => name === tool)?.input ?? {}, text);
      // What is no call is refused by the tool, which says why.
      if (args === undefined) return call(text) as Failed;
      const read: ReadCall = { args, make: () => call(args) };
      if (tool !== "patch_ui_state") return read;
      const spelled = Object.entries(args).map(([key, value]) => [NAMES.get(key) ?? key, value]);
      read.args = Object.fromEntries(spelled);
      const name = nameOf(args);
      // A call that names no instance, or two, is refused by the tool too.
      if (name === undefined) return call(args) as Failed;
      read.target = () => ({ target: name });
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

/** The instance that a call would change, in the spelling of the store; `undefined` if it names none, or two. */
function nameOf(args: Members): string | undefined {
  const name = oneOf(args, "instance_name");
  if (name === "__CREATE__") return oneOf(args, "new_instance_name");
  return name === "__DELETE__" ? oneOf(args, "target_instance_name") : name;
}

/** The name under a key in either spelling. */
function oneOf(args: Members, key: string): string | undefined {
  const sent = [args[key], args[SPELLINGS[key] as string]].filter((name) => name !== undefined && name !== null);
  const [name, other = name] = sent.map((name) => (isText(name) ? wellFormed(name) : undefined));
  return name !== "" && name === other ? name : undefined;
}

function toAnswer(result: ToolResult | ApprovalRefusal): Answer {
  if (result.status !== "error") return { status: "success", result };
  const { error, ...rest } = result;
  return { status: "error", error: { ...error }, result: rest };
}
