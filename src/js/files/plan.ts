/** Plans a call: validates it, and computes the file's new text before anything is written. */
import { solutionFor } from "../agent/tool-set.js";
import { validateToolBlock } from "../blocks/stream.js";
import type { FileCall, ToolCall } from "../blocks/types.js";
import { blocksModule } from "../core/blocks-module.js";
import { misuse } from "../core/errors.js";
import { toText } from "../core/json.js";
import { isObject } from "../core/kinds.js";
import { type EditFailure, editError, fileError } from "./errors.js";
import { pathInstead } from "./instead.js";
import type { FileError, WorkspaceOptions } from "./types.js";

export type Plan = { after: string | null } | { error: FileError };

/** A call that was validated here and now, or why it is not valid. */
export type CheckedCall = { call: ToolCall<never>; error?: FileError };

/** Validates a call as if its block had just arrived: it may come from anywhere. Its fields count, not its `args`. */
export function checkCall(method: string, given: FileCall | ToolCall, options: WorkspaceOptions): CheckedCall {
  if (!isObject(given)) throw misuse(`${method}: the call must be an object, as \`call\` of a tool block.`);
  const { tool, path, content, search_replace } = given;
  const text = toText({ tool, path, content, search_replace }, "call");
  const { call, issues } = validateToolBlock(text, options);
  const status = "processing";
  if (call !== undefined && call.tool in effects) {
    const { tool, path } = call;
    return { call: { ...call, ...given, tool, path, ...textsOf(call), status } as ToolCall<never> };
  }
  const issue = issues.find(({ severity }) => severity === "error");
  const isUnsafe = issue?.code === "UNSAFE_PATH" && typeof path === "string";
  const known = issue ? solutionFor(issue.code) : "Use write_file, edit_file or delete_file.";
  const solution = isUnsafe ? pathInstead(path, options.policy) : known;
  const unknown = `A workspace does not know the tool ${JSON.stringify(tool)}.`;
  const error: FileError = { code: issue?.code ?? "UNKNOWN_TOOL", message: issue?.message ?? unknown, solution };
  // As it was given: it may lack anything.
  return { call: { ...given, status } as ToolCall<never>, error };
}

export function textsOf({ content, search_replace }: ToolCall<never>): Pick<FileCall, "content" | "search_replace"> {
  return { ...(content !== undefined && { content }), ...(search_replace && { search_replace }) };
}

/** What becomes of the text of a file; null stands for no file. */
const effects: { [tool: string]: (call: ToolCall<never>, before: string | null) => Plan } = {
  __proto__: null as never,
  write_file: ({ content = "" }) => ({ after: content }),
  delete_file: ({ path }, before) => (before === null ? { error: fileError("NOT_FOUND", path) } : { after: null }),
  edit_file: ({ path, search_replace }, before) => {
    if (before === null) return { error: fileError("NOT_FOUND", path) };
    const after = editText(before, search_replace?.old_string ?? "", search_replace?.new_string ?? "");
    if (typeof after !== "string") return { error: editError(after, path) };
    return after === before ? { error: fileError("NO_CHANGE", path) } : { after };
  },
};

/** What a valid call would make of the text of its file. */
export function plan(call: ToolCall<never>, before: string | null): Plan {
  return effects[call.tool]?.(call, before) ?? { error: fileError("UNKNOWN_TOOL", call.path) };
}

function editText(text: string, from: string, to: string): string | EditFailure {
  // The lengths go first, so that neither side escapes what may be long.
  const sent = `[${[text, from, to].map(({ length }) => length).join()}]\n${text}\n${from}\n${to}\n`;
  const answer = blocksModule.call((glue) => blocksModule.receive(glue.edit_text(blocksModule.send(sent))));
  return answer[0] === "=" ? answer.slice(1) : (JSON.parse(answer) as EditFailure);
}
