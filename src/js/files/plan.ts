/** Plans a call: validates it, and computes the file's new text before anything is written. */
import { solutionFor } from "../agent/tool-set.js";
import { validateToolBlock } from "../blocks/stream.js";
import type { FileCall, ToolCall } from "../blocks/types.js";
import { blocksModule } from "../core/blocks-module.js";
import { misuse } from "../core/errors.js";
import { toText } from "../core/json.js";
import { isObject } from "../core/kinds.js";
import { type EditFailure, editRefusal, FileRefusedError, fileRefusal } from "./errors.js";
import { pathInstead } from "./instead.js";
import type { FileError, WorkspaceOptions } from "./types.js";

/** A call that was validated here and now, or why it is not valid. */
export type CheckedCall = { call: ToolCall<never>; refused?: FileRefusedError };

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
  return { call: { ...given, status } as ToolCall<never>, refused: new FileRefusedError({ status: "error", error }) };
}

export function textsOf({ content, search_replace }: ToolCall<never>): Pick<FileCall, "content" | "search_replace"> {
  return { ...(content !== undefined && { content }), ...(search_replace && { search_replace }) };
}

/** What becomes of the text of a file; null stands for no file. */
const effects: { [tool: string]: (call: ToolCall<never>, before: string | null) => string | null } = {
  __proto__: null as never,
  write_file: ({ content = "" }) => content,
  delete_file: ({ path }, before) => {
    if (before === null) throw fileRefusal("NOT_FOUND", path);
    return null;
  },
  edit_file: ({ path, search_replace }, before) => {
    if (before === null) throw fileRefusal("NOT_FOUND", path);
    const after = editText(before, search_replace?.old_string ?? "", search_replace?.new_string ?? "");
    if (typeof after !== "string") throw editRefusal(after, path);
    if (after === before) throw fileRefusal("NO_CHANGE", path);
    return after;
  },
};

/** What a valid call would make of the text of its file. */
export function plan(call: ToolCall<never>, before: string | null): string | null {
  return (effects[call.tool] as (typeof effects)[string])(call, before);
}

function editText(text: string, from: string, to: string): string | EditFailure {
  const sent = JSON.stringify([text, from, to]);
  const answer = blocksModule.call((glue) => blocksModule.receive(glue.edit_text(blocksModule.send(sent))));
  return answer[0] === "=" ? answer.slice(1) : (JSON.parse(answer) as EditFailure);
}
