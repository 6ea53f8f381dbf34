/** The tools of a `PatchStore`, as a `ToolSet` for `agentTools`. */

import type { ApprovalRefusal, PatchProposal } from "../approval/types.js";
import type { ParsedCall } from "../blocks/parsed-call.js";
import type { Catalog } from "../core/catalog-types.js";
import { toText } from "../core/json.js";
import { isText, type Members } from "../core/kinds.js";
import { wellFormed } from "../core/surrogates.js";
import { uiToolsWith } from "../definitions/ui.js";
import type { OpenDraft } from "../store/drafts.js";
import { type Answer, type CallEffect, type Failed, SPELLINGS, type ToolSet } from "../tools/tool-set.js";
import type { PatchCall } from "../types.js";
import type { ToolResult } from "./tool-types.js";
import type { ToolArguments, ToolRefusal } from "./tools.js";

/** By its other name: the key of a patch call that policies of the page see. */
const NORMAL_KEYS = new Map(Object.entries(SPELLINGS).map(([key, spelling]) => [spelling, key]));

/** The functions of a store that its tools call. */
interface Store {
  readonly catalog: Catalog | undefined;
  /** Checks the arguments of a call. They may be in the format of any provider. */
  readArguments(call: ParsedCall): ToolArguments;
  execute(tool: string, args: Members): ToolResult;
  /** Executes a call of `patch_ui_state`, in place of its draft if that is still open. `text` is the JSON text of `args`. */
  patch(args: Members, text: string, draft: OpenDraft | undefined): ToolResult;
  /** The changes that a call, which is JSON text, would make to the instance `name`. Nothing changes. */
  effect(text: string, name: string): CallEffect;
  /** `text` is the JSON text of `values`. */
  propose(values: Members, text: string): PatchProposal | ApprovalRefusal;
  draft(call: PatchCall): OpenDraft;
  /** Runs a function. Listeners get one event for each instance that it changes. */
  batch<Result>(run: () => Result): Result;
}

/** Only `patch_ui_state` changes documents: of the five tools it alone has a target, proposals and drafts. */
export function storeTools(store: Store): ToolSet {
  return {
    definitions: uiToolsWith(store.catalog),
    drafts: {
      tool: "patch_ui_state",
      targetOf,
      // In a tool block, the key `tool` stands beside the arguments.
      open: ({ tool: _, ...call }) => store.draft(call as unknown as PatchCall),
      batch: store.batch,
    },
    validate(call) {
      const { tool } = call;
      const { args, refusal } = store.readArguments(call);
      if (refusal) return toFailed(refusal);
      if (tool !== "patch_ui_state") return { args, execute: () => toAnswer(store.execute(tool, args)) };
      const target = targetOf(args);
      // The tool refuses a call that names no instance, or two, and says what is wrong.
      if (target === undefined) return toAnswer(store.execute(tool, args)) as Failed;
      // The JSON text of the call. Its first reader writes it: a dry run for a policy, the proposal or the execution.
      let written: string | undefined;
      const text = () => {
        written ??= toText(args, "call");
        return written;
      };
      return {
        args: normalKeys(args),
        target: () => ({ target, effect: () => store.effect(text(), target) }),
        execute: ({ draft }) => toAnswer(store.patch(args, text(), draft)),
        propose: () => {
          // An id names a proposal of the page, which a model must not reach.
          const { id, ...values } = args;
          const proposal = store.propose(values, id === undefined ? text() : toText(values, "call"));
          if (proposal.status === "error") return toFailed(proposal);
          const { warnings } = proposal;
          return { status: "pending", proposal, ...(warnings && { result: { warnings } }) };
        },
      };
    },
  };
}

const normalKeys = (args: Members): Members =>
  Object.fromEntries(Object.entries(args).map(([key, value]) => [NORMAL_KEYS.get(key) ?? key, value]));

/** The instance that a call would change, as the store spells its name; `undefined` if the call names none, or two. */
function targetOf(args: Members): string | undefined {
  const name = nameIn(args, "instance_name");
  if (name === "__CREATE__") return nameIn(args, "new_instance_name");
  return name === "__DELETE__" ? nameIn(args, "target_instance_name") : name;
}

/** The instance's name under a key or the key's other name; `undefined` if it is absent, empty or no text, or if both differ. */
function nameIn(args: Members, key: string): string | undefined {
  const spelling = SPELLINGS[key] ?? key;
  const values = [args[key], args[spelling]].filter((value) => value !== undefined && value !== null);
  const [name, secondName = name] = values.map((value) => (isText(value) ? wellFormed(value) : undefined));
  return name !== "" && name === secondName ? name : undefined;
}

function toAnswer(result: ToolResult): Answer {
  return result.status === "error" ? toFailed(result) : { status: "success", result };
}

function toFailed({ error, ...rest }: ApprovalRefusal | ToolRefusal): Failed {
  return { status: "error", error: { ...error }, result: rest };
}
