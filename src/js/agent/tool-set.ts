/** What a store, a workspace or a task flow offers to an agent. A bundle has only the classes that the page uses. */
import type { Effect, Proposal } from "../approval/types.js";
import type { BlockErrorCode, Fix } from "../blocks/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { parseJson } from "../core/json.js";
import { isObject, isText, type Members } from "../core/kinds.js";
import { fromFormat } from "../definitions/format.js";
import type { CustomTool, ToolDefinition, ToolSchema } from "../definitions/types.js";
import type { Json } from "../types.js";

/** The method under which an instance offers its tools. Registered, so that two bundles of the package share it. */
export const toolSet: unique symbol = Symbol.for("genui-patch.tool-set") as never;

/** An object whose tools an agent may call: a `PatchStore`, a `Workspace`, a `FlowStore`. */
export interface ToolSource {
  proposals(): readonly Proposal[];
  /** @internal */
  [toolSet](): ToolSet;
}

/** Why a call was refused, and what to send instead. */
export interface AgentError {
  /** A code of patch calls, of tool blocks or of files; or `CANCELLED`. */
  code: string;
  message: string;
  solution: string;
  /** What more is known: the path, the position, how often a text matches, … */
  [detail: string]: unknown;
}

/** What became of a call. `result` is what the model reads beside the status. */
export type Answer =
  | { status: "success"; result: object; effects?: Effect[] }
  | { status: "pending"; result?: object; proposal: Proposal; effects?: Effect[] }
  | { status: "error"; error: AgentError; result?: object; effects?: Effect[] };

export type Failed = Extract<Answer, { status: "error" }>;

/** What a call would change. */
export interface Target {
  /** The same for all spellings of one thing. */
  target: string;
  /** Whether the spelling may also be that of another thing: then the user decides, whatever a policy answers. */
  isAmbiguous?: boolean;
}

export interface ReadCall {
  /** The arguments as the tool takes them: names and paths in their one spelling. */
  args: Members;
  /** What it would change, or why that is not known. A call without changes nothing. */
  target?(): Target | Failed | Promise<Target | Failed>;
  /** Makes it, or proposes it where its owner asks for that. */
  make(signal: AbortSignal | undefined): Answer | Promise<Answer>;
  /** Proposes it. A call without changes no document, file or node. */
  propose?(signal: AbortSignal | undefined): Answer | Promise<Answer>;
}

/** Shows calls that still arrive. Only calls of one tool have patches to show. */
export interface DraftOpener {
  readonly tool: string;
  /** What a call would change, as far as it has arrived. */
  targetOf(call: { readonly [key: string]: Json }): string | undefined;
  open(call: { readonly [key: string]: Json }): {
    add(patch: { readonly [key: string]: Json }): unknown;
    discard(): unknown;
    /** Runs a function and tells of all that it changes at once. */
    batch<Result>(run: () => Result): Result;
  };
}

export interface ToolSet {
  readonly drafts?: DraftOpener;
  readonly definitions: readonly ToolDefinition[];
  /** Whether the readers of tool blocks know the tools without being told. */
  readonly inBlocks?: true;
  /** Reads the arguments of a tool of `definitions`: JSON text, as a model sent it. */
  read(tool: string, text: string): ReadCall | Failed;
}

/** The names of a call in seed 001, and how seed 000 spells them. */
export const SPELLINGS: { readonly [name: string]: string } = {
  instance_name: "instanceId",
  new_instance_name: "newInstanceId",
  target_instance_name: "targetInstanceId",
};

/**
 * The arguments as an object; nothing for a text that says none. A model that has none to give may send an empty text or null,
 * and some encode their arguments twice.
 */
export function parseMembers(text: string): Members | undefined {
  const value = decode(text);
  const own = isText(value) ? decode(value) : value;
  return own === null ? {} : isObject<Json>(own) ? own : undefined;
}

/** Longer blank texts are refused as what they are: too long, or no JSON. */
const BLANK = /^\s{0,1000}$/;

const decode = (text: string): Json | undefined => (BLANK.test(text) ? {} : parseJson(text));

/** Repairs the arguments of a call of one of the tools: JSON text, and what was done; nothing where they cannot be repaired. */
export type RepairArguments = (
  tool: string,
  text: string,
  tools: readonly CustomTool[],
) => { text: string; fixes: Fix[] } | undefined;

/** Set by `blocks/arguments.ts`, which is in a bundle that reads native calls or has a `Workspace`. */
export const argumentRepair: { repair?: RepairArguments } = {};

/** The arguments as the tool takes them, whatever provider's form they are in; nothing for what is none. */
export function parseArguments(input: ToolSchema, text: string): Members | undefined {
  const sent = parseMembers(text);
  try {
    return sent && (fromFormat(input, sent) as Members);
  } catch {
    return undefined;
  }
}

/** By error code, what a model is to send in place of a block, or of a call of a file tool, that is not valid. */
const SOLUTIONS: { readonly [code in BlockErrorCode]?: string } = {
  TRUNCATED: "The call was cut off and nothing was done. Send it again, whole, or in smaller parts.",
  LIMIT_EXCEEDED: "Nothing was done. Send less in one call.",
  UNSAFE_PATH: "Send a relative path inside the workspace, such as src/app.ts.",
  EMPTY_OLD_STRING: "Send the text to replace, as it stands in the file; to write a whole file, send write_file.",
  NO_CHANGE: "Send a new_string that differs from old_string.",
};

export function solutionFor(code: BlockErrorCode): string {
  return SOLUTIONS[code] ?? "Nothing was done. Send the whole call again, with that put right.";
}

export function failed(code: string, message: string, solution: string): Failed {
  return { status: "error", error: { code, message, solution } };
}

/** Something was thrown: an agent's call never throws, so it is an answer. */
export function thrown(cause: unknown, solution = "Nothing was changed. Tell the person."): Failed {
  if (cause instanceof GenuiPatchError) return failed(cause.code, cause.message, solution);
  return failed("INTERNAL", "The page could not make the call.", solution);
}
