/** The tools of a `Workspace`, for `agentTools`. */
import { type Answer, type Failed, failed, solutionFor, type Target, type ToolSet } from "../agent/tool-set.js";
import type { ExecuteOptions } from "../agent/types.js";
import type { FileProposal, FileWarning } from "../approval/types.js";
import { textOfArguments } from "../blocks/arguments.js";
import { validateToolBlock } from "../blocks/stream.js";
import type { FileCall, ToolCall } from "../blocks/types.js";
import { type Members, mapMembers } from "../core/kinds.js";
import { fileTools } from "../definitions/files.js";
import { toolAliases } from "../generated/facts.js";
import type { Access, FileIdentity } from "./access.js";
import { FileRefusedError } from "./errors.js";
import { checkAgentCall, textsOf } from "./plan.js";
import type { ExecutionResult, FileError, FileRefusal, WorkspaceOptions } from "./types.js";

/** The methods of a workspace that its tools need. */
interface Files {
  execute(call: FileCall, options: ExecuteOptions): Promise<ExecutionResult>;
  propose(call: FileCall, options: ExecuteOptions): Promise<FileProposal | FileRefusal>;
}

export function fileToolSet(files: Files, access: Access, options: WorkspaceOptions): ToolSet {
  const refused = (error: FileError, warnings?: FileWarning[]): Failed => {
    return { status: "error", error: { ...error }, ...(warnings && { result: { warnings } }) };
  };
  /** Hosts answer in any order; calls start in the order in which they arrived. */
  let last: Promise<unknown> = Promise.resolve();
  const targetOf = (path: string): Target | Promise<Target | Failed> => {
    const known = access.known(path);
    if (known) return toTarget(known);
    const found = last
      .then(() => access.lookUp(path))
      .then(toTarget, (cause): Failed => {
        if (cause instanceof FileRefusedError) return refused(cause.answer.error);
        throw cause;
      });
    last = found.catch(() => {});
    return found;
  };
  return {
    definitions: fileTools,
    inBlocks: true,
    aliases: toolAliases,
    validate({ tool, args: sent, text }) {
      if (sent === undefined) {
        const [issue] = validateToolBlock(textOfArguments(text), options).issues;
        const { code = "JSON_SYNTAX", message = "The arguments are no JSON object." } = issue ?? {};
        return failed(code, message, solutionFor(code));
      }
      const { call, refused: refusal, isElided } = checkAgentCall(fieldsOf(tool, sent), options);
      if (refusal) return refused(refusal.answer.error);
      const { path } = call;
      return {
        args: argsOf(call),
        ...(isElided && { needsReview: true }),
        target: () => targetOf(path),
        async execute(signal): Promise<Answer> {
          const done = await files.execute(call, { signal });
          if (done.error) return refused(done.error, done.warnings);
          return { status: "success", result: { path, action: done.action, ...notesOf(done) } };
        },
        async propose(signal): Promise<Answer> {
          const proposal = await files.propose(call, { signal });
          if (proposal.status === "error") return refused(proposal.error);
          const notes = notesOf(proposal);
          return {
            status: "pending",
            proposal,
            ...(Object.keys(notes).length > 0 && { result: notes }),
          };
        },
      };
    },
  };
}

/** The fields of a valid call, for a policy. */
function argsOf(call: ToolCall<never>): Members {
  const { edits, search_replace, ...rest } = textsOf(call);
  return {
    path: call.path,
    ...mapMembers(rest, (text) => text),
    ...(search_replace && { search_replace: { ...search_replace } }),
    ...(edits && { edits: edits.map((edit) => ({ ...edit, replace_all: edit.replace_all === true })) }),
  };
}

/** A file call that consists of the arguments that file tools have. It is validated as if a block had just arrived. */
const fieldsOf = (tool: string, { path, content, search_replace, edits }: Members): object => {
  const fields = Object.entries({ path, content, search_replace, edits }).filter(([, value]) => value !== undefined);
  return { tool, ...Object.fromEntries(fields) };
};

const toTarget = ({ file, twins }: FileIdentity): Target => ({ target: file, isAmbiguous: twins.length > 0 });

/** Fixes and warnings about the path, for the model. */
function notesOf({ fixes, warnings }: Pick<FileProposal, "fixes" | "warnings">) {
  return { ...(fixes && { fixes }), ...(warnings && { warnings }) };
}
