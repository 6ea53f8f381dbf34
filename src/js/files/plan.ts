/** Plans a call: validates it, and computes the file's new text before anything is written. */
import { solutionFor } from "../agent/tool-set.js";
import { validateToolBlock } from "../blocks/stream.js";
import type { FileCall, Fix, ToolCall } from "../blocks/types.js";
import { misuse } from "../core/errors.js";
import { toText } from "../core/json.js";
import { isObject } from "../core/kinds.js";
import { deepFreeze } from "../core/tree.js";
import { FILE_TOOLS } from "../definitions/custom-tools.js";
import { editText, editTexts } from "./edit.js";
import { editRefusal, FileRefusedError, fileRefusal } from "./errors.js";
import { pathInstead } from "./instead.js";
import type { FileError, WorkspaceOptions } from "./types.js";

const isFileTool = (tool: string): boolean => FILE_TOOLS.some((name) => name === tool);

/** A validated call, or why it is not valid. */
export interface CheckedCall {
  call: ToolCall<never>;
  refused?: FileRefusedError;
  /** Its text has the warning `ELIDED_CONTENT`. */
  isElided?: boolean;
}

/** Frozen calls that {@link checkAgentCall} has validated, and the options under which they are valid. */
const validated = new WeakMap<object, { call: ToolCall<never>; options: WorkspaceOptions }>();

/**
 * Validates an agent's call. The call that it returns is frozen and known by its identity, so that the workspace does not
 * validate it again. No other object passes for it: a copy is validated.
 */
export function checkAgentCall(call: object, options: WorkspaceOptions): CheckedCall {
  const checked = checkCall("execute", call, options);
  if (checked.refused === undefined) {
    deepFreeze(checked.call);
    validated.set(checked.call, { call: checked.call, options });
  }
  return checked;
}

/** Validates a call as if its block had just arrived: it may come from anywhere. Its fields are read, not its `args`. */
export function checkCall(method: string, given: object, options: WorkspaceOptions): CheckedCall {
  if (!isObject(given)) throw misuse(`${method}: the call must be an object, as \`call\` of a tool block.`);
  const earlier = validated.get(given);
  if (earlier?.options === options) return { call: { ...earlier.call } };
  const { tool, path, content, search_replace, edits } = given;
  const text = toText({ tool, path, content, search_replace, edits }, "call");
  const { call, issues } = validateToolBlock(text, options);
  const status = "processing" as const;
  if (call !== undefined && isFileTool(call.tool)) {
    const { tool, path } = call;
    const isElided = issues.some(({ code }) => code === "ELIDED_CONTENT");
    return { call: Object.assign({}, call, given, { tool, path, status }, textsOf(call)), isElided };
  }
  const issue = issues.find(({ severity }) => severity === "error");
  const isUnsafe = issue?.code === "UNSAFE_PATH" && typeof path === "string";
  const known = issue ? solutionFor(issue.code) : "Use write_file, edit_file or delete_file.";
  const solution = isUnsafe ? pathInstead(path, options.policy) : known;
  const unknown = `A workspace does not know the tool ${JSON.stringify(tool)}.`;
  const error: FileError = { code: issue?.code ?? "UNKNOWN_TOOL", message: issue?.message ?? unknown, solution };
  // The call as it was given: properties may be missing.
  return { call: { ...given, status } as ToolCall<never>, refused: new FileRefusedError({ status: "error", error }) };
}

/** The fields of a call beside its tool and its path. */
export function textsOf(call: ToolCall<never>): Pick<FileCall, "content" | "search_replace" | "edits"> {
  const { content, search_replace, edits } = call;
  if (edits !== undefined) return { edits };
  return { ...(content !== undefined && { content }), ...(search_replace && { search_replace }) };
}

/** The effect of a call on its file. */
export interface Planned {
  /** The new text; null if the file is deleted. */
  after: string | null;
  /** The differences between `old_string` and the text that it replaces. */
  fixes?: Fix[];
}

/** `reviewed`: a user sees the result before it is written, so that an `old_string` of one line may be fixed too. */
export type Review = "reviewed" | "unreviewed";

/** Computes the effect of a valid call on the text of its file. @throws FileRefusedError */
export function plan(call: ToolCall<never>, before: string | null, review: Review): Planned {
  const { path } = call;
  if (call.tool === "write_file") return { after: call.content };
  if (before === null) throw fileRefusal("NOT_FOUND", path);
  if (call.tool === "delete_file") return { after: null };
  const isReviewed = review === "reviewed";
  const { edits, search_replace } = call;
  const edited = edits
    ? editTexts(before, edits, isReviewed)
    : editText(before, search_replace.old_string, search_replace.new_string, isReviewed);
  if ("matches" in edited) throw editRefusal(edited, path);
  if (edited.after === before) throw fileRefusal("NO_CHANGE", path);
  return edited;
}
