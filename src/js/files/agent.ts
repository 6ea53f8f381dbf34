/** The tools of a `Workspace`, for `agentTools`. */
import {
  type Answer,
  type CallEffect,
  type Failed,
  failed,
  solutionFor,
  type Target,
  type ToolSet,
} from "../agent/tool-set.js";
import type { ExecuteOptions } from "../agent/types.js";
import type { FileProposal, FileWarning } from "../approval/types.js";
import { textOfArguments } from "../blocks/arguments.js";
import { validateToolBlock } from "../blocks/stream.js";
import type { FileCall, ToolCall } from "../blocks/types.js";
import type { Members } from "../core/kinds.js";
import { fileTools } from "../definitions/files.js";
import { toolAliases } from "../generated/facts.js";
import type { Access, FileIdentity } from "./access.js";
import { FileRefusedError } from "./errors.js";
import { checkAgentCall, plan, textsOf } from "./plan.js";
import type { ExecutionResult, FileError, FileRefusal, WorkspaceOptions } from "./types.js";

/** The methods of a workspace that its tools need. */
interface Files {
  /** As `execute`; with an effect that was seen the call fails if the file has another text by now. */
  executeSeen(call: FileCall, options: ExecuteOptions, seen: CallEffect | undefined): Promise<ExecutionResult>;
  /** Reads a file after the calls for it that have begun. */
  readAfterCalls(path: string): Promise<string | null>;
  propose(call: FileCall, options: ExecuteOptions): Promise<FileProposal | FileRefusal>;
}

export function fileToolSet(files: Files, access: Access, options: WorkspaceOptions): ToolSet {
  const refused = (error: FileError, warnings?: FileWarning[]): Failed => {
    return { status: "error", error: { ...error }, ...(warnings && { result: { warnings } }) };
  };
  /** Hosts answer in any order; calls start in the order in which they arrived. */
  let last: Promise<unknown> = Promise.resolve();
  const targetOf = (call: ToolCall<never>): Target | Promise<Target | Failed> => {
    const { path } = call;
    const known = access.known(path);
    if (known) return toTarget(known, () => effectOf(call, access.knownText(path)));
    const lookUp = async (): Promise<Target> => {
      const identity = await access.lookUp(path);
      // A policy is asked with the text at hand. What cannot be read has no text.
      const before = await files.readAfterCalls(path).catch(() => null);
      return toTarget(identity, () => effectOf(call, before));
    };
    const found = last.then(lookUp).catch((cause): Failed => {
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
        args: { path, ...textsOf(call) } as Members,
        ...(isElided && { needsReview: true }),
        target: () => targetOf(call),
        async execute(signal, seen): Promise<Answer> {
          const done = await files.executeSeen(call, { signal }, seen);
          if (done.error) return refused(done.error, done.warnings);
          return { status: "success", result: { path, action: done.action, ...notesOf(done) } };
        },
        async propose(signal): Promise<Answer> {
          const proposal = await files.propose(call, { signal });
          if (proposal.status === "error") return refused((proposal as FileRefusal).error);
          const notes = notesOf(proposal as FileProposal);
          return {
            status: "pending",
            proposal: proposal as FileProposal,
            ...(Object.keys(notes).length > 0 && { result: notes }),
          };
        },
      };
    },
  };
}

/** A file call that consists of the arguments that file tools have. */
const fieldsOf = (tool: string, args: Members): FileCall => {
  const fields = Object.entries(args).filter(([key]) => FIELDS.includes(key));
  return { tool, ...Object.fromEntries(fields) } as FileCall;
};

const FIELDS = ["path", "content", "search_replace"];

const toTarget = ({ file, twins }: FileIdentity, effect: () => CallEffect): Target => {
  return { target: file, isAmbiguous: twins.length > 0, effect };
};

/** The effect of a call on the text of a file: one change of the whole file. */
function effectOf(call: ToolCall<never>, before: string | null): CallEffect {
  try {
    const { after } = plan(call, before, "reviewed");
    return {
      before,
      changes: [after === null ? { kind: "remove", path: [] } : { kind: "set", path: [], value: after }],
    };
  } catch (cause) {
    if (cause instanceof FileRefusedError) return { before, changes: [] };
    throw cause;
  }
}

/** Fixes and warnings about the path, for the model. */
function notesOf({ fixes, warnings }: Pick<FileProposal, "fixes" | "warnings">) {
  return { ...(fixes && { fixes }), ...(warnings && { warnings }) };
}
