/** The tools of a `Workspace`, for `agentTools`. */
import { type Answer, failed, parseMembers, solutionFor, type ToolSet } from "../agent/tool-set.js";
import type { ExecuteOptions } from "../agent/types.js";
import type { FileProposal } from "../approval/types.js";
import { validateToolBlock } from "../blocks/stream.js";
import type { FileCall } from "../blocks/types.js";
import type { Members } from "../core/kinds.js";
import { fileTools } from "../definitions/files.js";
import { checkCall, textsOf } from "./plan.js";
import type { ExecutionResult, FileError, FileRefusal, WorkspaceOptions } from "./types.js";

/** What of a workspace they need. */
interface Files {
  execute(call: FileCall, options: ExecuteOptions): Promise<ExecutionResult>;
  propose(call: FileCall): Promise<FileProposal | FileRefusal>;
}

export function fileToolSet(files: Files, options: WorkspaceOptions): ToolSet {
  const refused = (error: FileError) => ({ status: "error" as const, error: { ...error } });
  return {
    definitions: fileTools,
    inBlocks: true,
    read(tool, text) {
      const sent = parseMembers(text);
      if (sent === undefined) {
        const [issue] = validateToolBlock(text, options).issues;
        const { code = "JSON_SYNTAX", message = "The arguments are no JSON object." } = issue ?? {};
        return failed(code, message, solutionFor(code));
      }
      const { call, refused: refusal } = checkCall("execute", { ...sent, tool } as never, options);
      if (refusal) return refused(refusal.answer.error);
      const { path } = call;
      const args = { path, ...textsOf(call) } as Members;
      const own: FileCall = { tool, path, ...textsOf(call) };
      return {
        args,
        target: path,
        async make(signal): Promise<Answer> {
          const { action, error } = await files.execute(own, { signal });
          return error ? refused(error) : { status: "success", result: { path, action } };
        },
        async propose(): Promise<Answer> {
          const proposal = await files.propose(own);
          return proposal.status === "error"
            ? refused((proposal as FileRefusal).error)
            : { status: "pending", proposal: proposal as FileProposal };
        },
      };
    },
  };
}
