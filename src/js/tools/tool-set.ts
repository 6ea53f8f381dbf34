/**
 * `ToolSet`: the tools of a store, a workspace, a task flow or the application, and how their calls are validated and executed.
 */
import type { ApprovalPolicy } from "../approval/policy.js";
import type { CallProposal, Effect, Proposal } from "../approval/types.js";
import type { ParsedCall } from "../blocks/parsed-call.js";
import type { BlockErrorCode } from "../blocks/types.js";
import { GenuiPatchError } from "../core/errors.js";
import type { Members } from "../core/kinds.js";
import { fromFormat } from "../definitions/format.js";
import type { EditFormat, ToolDefinition } from "../definitions/types.js";
import type { OpenDraft } from "../store/drafts.js";
import type { Change, ChangeOptions, DeepReadonly, Json } from "../types.js";

/** The key of the method that returns an object's tools. A registered symbol, so that two bundles of the package share it. */
export const toolSet: unique symbol = Symbol.for("genui-patch.tool-set");

/**
 * Options that an agent passes to the tools of an object, with the author of their changes. Read at each call, since each
 * turn has a group of its own.
 */
export interface ToolSetOptions extends ChangeOptions {
  /** Whether a `Workspace` also has the tools that read and list files. Default true. */
  readonly read?: boolean | undefined;
  /** The formats of patches of several files that a `Workspace` has tools for. */
  readonly formats?: readonly EditFormat[] | undefined;
}

/** An object whose tools an agent may call: a `PatchStore`, a `Workspace`, a `FlowStore`. */
export interface ToolSource {
  proposals(): readonly Proposal[];
  /** @internal */
  [toolSet](options?: ToolSetOptions): ToolSet | readonly ToolSet[];
}

/** Why a call was refused, and what to send instead. */
export interface AgentError {
  /** A code of patch calls, tool blocks or files, or `CANCELLED`. */
  code: string;
  message: string;
  solution: string;
  /** Details, such as the path, the position, or how often a text matches. */
  [detail: string]: unknown;
}

/** The outcome of a call. `result` is what the model reads beside the status. `effects` are for the page to perform. */
export type Answer =
  | { status: "success"; result: object; effects?: Effect[] }
  | { status: "pending"; result?: object; proposal: Proposal | CallProposal; effects?: Effect[] }
  | { status: "error"; error: AgentError; result?: object; effects?: Effect[] };

/** The outcome of a call that was refused, or that failed. */
export type Failed = Extract<Answer, { status: "error" }>;

/** The effect that a call would have. */
export interface CallEffect {
  /** The changes, as a result of the call would have them; empty for a call that would fail. */
  readonly changes: readonly Change[];
  /** The document, the node or the text of the file that the call would change; null for what is not there. */
  readonly before: DeepReadonly<Json>;
}

/** The instance, node or file that a call would change. */
export interface Target {
  /** The same for all spellings of one instance, node or file. */
  target: string;
  /** The spelling may also name another file or node, so the user decides, whatever a policy returns. */
  isAmbiguous?: boolean;
  /** The dry run of the call, by the owner of the target. Absent for an own tool, whose effect is unknown. */
  effect?(): CallEffect;
}

/** How a call is executed. */
export interface Execution {
  readonly signal?: AbortSignal | undefined;
  /** The effect that a policy has agreed to: a call that would have another one changes nothing. */
  readonly seen?: CallEffect | undefined;
  /** The draft that has shown the call while it arrived. The call takes its place, unless the draft has ended. */
  readonly draft?: OpenDraft | undefined;
}

/** A call that its tool has checked, ready to be executed or proposed. */
export interface ValidatedCall {
  /** The arguments as a policy sees them: names and paths in their normal spelling. */
  readonly args: Members;
  /** The call has a warning for the user to see: a policy that is not `"never"` proposes it. */
  readonly needsReview?: boolean;
  /** Decides in place of the agent's policy. */
  readonly approve?: ApprovalPolicy;
  /** Finds the target, or the reason why it is unknown. Absent if the call changes nothing. */
  target?(): Target | Failed | Promise<Target | Failed>;
  /** Executes the call, or proposes it where its owner requires an approval. */
  execute(execution: Execution): Answer | Promise<Answer>;
  /** Whether `execute` proposes the call, because its owner requires an approval, whatever a policy says. */
  requiresApproval?(): boolean;
  /** Proposes the call. Absent if the call changes no document, file or node. */
  propose?(signal: AbortSignal | undefined): Answer | Promise<Answer>;
}

/** Shows calls that still arrive. */
export interface DraftOpener {
  /** The tool whose calls have patches to show. */
  readonly tool: string;
  /** The instance that a call would change; undefined as long as it is unknown. */
  targetOf(call: Readonly<Members>): string | undefined;
  /** Opens a draft for a call that has all its keys except `patches`. */
  open(call: Readonly<Members>): OpenDraft;
  /** Runs a function. Listeners of the owner get one event for each instance that it changes. */
  batch<Result>(run: () => Result): Result;
}

/** The tools of one source, and what executes their calls. */
export interface ToolSet {
  /** Absent for tools whose calls are shown only when they are complete. */
  readonly drafts?: DraftOpener;
  readonly definitions: readonly ToolDefinition[];
  /** Tool block streams know these tools without `tools`. */
  readonly inBlocks?: true;
  /** Other names for the tools, by name. */
  readonly aliases?: { readonly [tool: string]: readonly string[] };
  /** Checks a call of one of `definitions`. */
  validate(call: ParsedCall): ValidatedCall | Failed | Promise<ValidatedCall | Failed>;
}

/** Keys of a patch call, each with the other name that is accepted for it. */
export const SPELLINGS: { readonly [name: string]: string } = {
  instance_name: "instanceId",
  new_instance_name: "newInstanceId",
  target_instance_name: "targetInstanceId",
};

/**
 * The arguments as the tool expects them, whichever provider's format they are in; `undefined` if they are not an object, or if an
 * argument that the provider's format has as JSON text is not JSON.
 */
export function argumentsOf({ input }: ToolDefinition, { args }: ParsedCall): Members | undefined {
  try {
    return args && fromFormat(input, args);
  } catch {
    return undefined;
  }
}

/** What a model should send instead, by error code. */
const SOLUTIONS: { readonly [code in BlockErrorCode]?: string } = {
  TRUNCATED: "The call was cut off and nothing was done. Send the whole call again, or several smaller ones.",
  LIMIT_EXCEEDED: "Nothing was done. Send less in one call.",
  UNSAFE_PATH: "Send a relative path inside the workspace, such as src/app.ts.",
  EMPTY_OLD_STRING: "Send the text to replace exactly as the file has it. To write a whole file, send write_file.",
  NO_CHANGE: "Send a new_string that differs from old_string.",
};

/** What a model should send in place of an invalid block or file call. */
export function solutionFor(code: BlockErrorCode): string {
  return SOLUTIONS[code] ?? "Nothing was done. Correct the call and send all of it again.";
}

/** The answer for a failure. */
export function failed(code: string, message: string, solution: string): Failed {
  return { status: "error", error: { code, message, solution } };
}

/**
 * Turns an exception into an answer, since an agent's call never throws. Models do not read messages of unexpected exceptions.
 */
export function toFailed(cause: unknown, solution = "Nothing was changed. Tell the user."): Failed {
  if (cause instanceof GenuiPatchError) return failed(cause.code, cause.message, solution);
  return failed("INTERNAL", "The page could not execute the call.", solution);
}
