/** Checks and plans calls: validates a call, and computes the new texts of its files before anything is written. */

import type { FileEffect, WorkspaceCall } from "../approval/types.js";
import { validateToolBlock } from "../blocks/stream.js";
import type { FileCall, Fix, Replacement, ToolCall } from "../blocks/types.js";
import { misuse } from "../core/errors.js";
import { toText } from "../core/json.js";
import { isObject } from "../core/kinds.js";
import { deepFreeze } from "../core/tree.js";
import { FILE_TOOLS } from "../definitions/custom-tools.js";
import { solutionFor } from "../tools/tool-set.js";
import type { Hunk } from "../types.js";
import { actionOf } from "./commit.js";
import { editText, editTexts } from "./edit.js";
import { editRefusal, FileRefusedError, fileRefusal } from "./errors.js";
import { pathInstead } from "./instead.js";
import type { PatchedFile } from "./patch/types.js";
import { effectOf, hunksOf } from "./proposals.js";
import type { FileAction, FileError, WorkspaceOptions } from "./types.js";

/** The id of a call that comes without one, as validation gives it to the calls of other file tools. */
export const DEFAULT_ID = "tool_1";

/** A call of one of the three file tools: `never` leaves out the calls of the host's own tools. */
export type FileToolCall = ToolCall<never>;

const isFileTool = (tool: string): boolean => FILE_TOOLS.some((name) => name === tool);

/** A file as a call finds it. */
export interface FileRead {
  path: string;
  /** The identity of the file. */
  file: string;
  /** Null if it does not exist. */
  text: string | null;
}

/** The texts of the files of a call, by path; null for a file that does not exist. */
export type FileTexts = ReadonlyMap<string, string | null>;

/** A validated call, or why it is not valid. */
export interface CheckedCall {
  call: WorkspaceCall;
  /** The files that it reads and changes. */
  paths: readonly string[];
  /** Computes the effect of a valid call. @throws FileRefusedError if it cannot be applied to these texts. */
  plan(texts: FileTexts, review: Review): PatchedFile[];
  /** Set if the call is not valid: then `plan` must not be called. */
  refused?: FileRefusedError;
  /** The call is a patch, which may change several files. */
  isPatch?: true;
  /** The text of the call has the warning `ELIDED_CONTENT`: it seems to leave out a part of the file. */
  isElided?: boolean;
}

/** By the frozen call that was validated for an agent: the checked call, and the options under which it is valid. */
const validatedCalls = new WeakMap<object, { checked: CheckedCall; options: WorkspaceOptions }>();

/**
 * Remembers a validated call by its identity, so that the workspace does not validate it again, and freezes it. No other object
 * passes for it: a copy is validated.
 */
export function remember(checked: CheckedCall, options: WorkspaceOptions): CheckedCall {
  if (checked.refused !== undefined) return checked;
  deepFreeze(checked.call);
  validatedCalls.set(checked.call, { checked, options });
  return checked;
}

/** Validates an agent's call, and remembers it: the policy has seen this very call when the workspace executes it. */
export function checkAgentCall(call: object, options: WorkspaceOptions): CheckedCall & { call: FileToolCall } {
  const checked = checkFileCall("execute", call, options);
  remember(checked, options);
  return checked;
}

/**
 * Validates a call, which may come from anywhere, as if its block had just arrived; a call that {@link remember} knows is valid
 * already. `tool`, `path` and the fields of the tool are read, not `args`. `method` is named in errors.
 */
export function checkCall(method: string, given: object, options: WorkspaceOptions): CheckedCall {
  const remembered = isObject(given) ? validatedCalls.get(given) : undefined;
  // A call that is not remembered, or was validated for another workspace.
  if (remembered?.options !== options) return checkFileCall(method, given, options);
  // A copy, as for any other call: the remembered one is frozen.
  return { ...remembered.checked, call: { ...remembered.checked.call } };
}

/** Validates a call of a tool for one file. */
function checkFileCall(method: string, given: object, options: WorkspaceOptions) {
  if (!isObject(given)) throw misuse(`${method}: the call must be an object, as \`call\` of a tool block.`);
  const { tool, path, content, search_replace, edits } = given;
  const text = toText({ tool, path, content, search_replace, edits }, "call");
  const { call, issues } = validateToolBlock(text, options);
  const status = "processing" as const;
  if (call !== undefined && isFileTool(call.tool)) {
    const { tool, path } = call;
    const isElided = issues.some(({ code }) => code === "ELIDED_CONTENT");
    // Members that validation does not know, such as `id`, stay as they were given. The fields that it has read are its own.
    const completeCall = Object.assign({}, call, given, { tool, path, status }, textsOf(call));
    return { ...checkedCall(completeCall), isElided };
  }
  const issue = issues.find(({ severity }) => severity === "error");
  const isUnsafe = issue?.code === "UNSAFE_PATH" && typeof path === "string";
  const usualSolution = issue ? solutionFor(issue.code) : "Use write_file, edit_file or delete_file.";
  const solution = isUnsafe ? pathInstead(path, options.policy) : usualSolution;
  // A valid call, but of another tool.
  const unknownTool = `A workspace does not know the tool ${JSON.stringify(tool)}.`;
  const error: FileError = { code: issue?.code ?? "UNKNOWN_TOOL", message: issue?.message ?? unknownTool, solution };
  // The call as it was given: properties may be missing.
  const asGiven = { ...given, status } as FileToolCall;
  return { ...checkedCall(asGiven), refused: new FileRefusedError({ status: "error", error }) };
}

/** A call of a tool for one file, with the function that plans it. */
function checkedCall(call: FileToolCall): CheckedCall & { call: FileToolCall } {
  const { path } = call;
  return {
    call,
    paths: [path],
    plan(texts, review) {
      const before = texts.get(path) ?? null;
      return [{ path, before, ...plan(call, before, review) }];
    },
  };
}

/** The fields of a call that say what changes in its file: all but its tool and its path. */
export function textsOf(call: FileToolCall): Pick<FileCall, "content" | "search_replace" | "edits"> {
  const { content, search_replace, edits } = call;
  if (edits !== undefined) return { edits: edits.map(replacementOf) };
  return { ...(content !== undefined && { content }), ...(search_replace && { search_replace }) };
}

/** Only `true` replaces every occurrence, whatever a model sends: null is usual for "no". */
function replacementOf({ old_string, new_string, replace_all }: Replacement): Replacement {
  return { old_string, new_string, ...(replace_all === true && { replace_all }) };
}

/** The effect of a call on its file. */
interface Planned {
  /** The new text; null if the file is deleted. */
  after: string | null;
  /** The differences between `old_string` and the text that it replaces. */
  fixes?: Fix[];
}

/** `reviewed`: a user sees the result before it is written, so that an `old_string` of one line may be fixed too. */
export type Review = "reviewed" | "unreviewed";

/** Computes the effect of a valid call on the text of its file. @throws FileRefusedError */
function plan(call: FileToolCall, before: string | null, review: Review): Planned {
  const { path } = call;
  if (call.tool === "write_file") return { after: call.content };
  if (before === null) throw fileRefusal("NOT_FOUND", path);
  if (call.tool === "delete_file") return { after: null };
  const isReviewed = review === "reviewed";
  const { edits, search_replace } = call;
  const result = edits
    ? editTexts(before, edits, isReviewed)
    : editText(before, search_replace.old_string, search_replace.new_string, isReviewed);
  // An edit that cannot be made has the number of matches of its `old_string`.
  if ("matches" in result) throw editRefusal(result, path);
  if (result.after === before) throw fileRefusal("NO_CHANGE", path);
  return result;
}

/**
 * The action and the diff of a planned call. The hunks of all files are numbered through. `isPatch`: the call is a patch, which
 * has its files in place of the action.
 */
export function planEffect(
  isPatch: boolean,
  files: readonly PatchedFile[],
): { action?: FileAction; diff: Hunk[]; files?: FileEffect[] } {
  const diff: Hunk[] = [];
  const effects = files.map(({ path, from, before, after }) => {
    const hunks = hunksOf(before, after, diff.length);
    diff.push(...hunks);
    return effectOf(path, from, before, after, hunks);
  });
  if (isPatch) return { diff, files: effects };
  const [only] = files;
  return { ...(only && { action: actionOf(only.before, only.after) }), diff };
}
