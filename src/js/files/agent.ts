/** `fileToolSets`: the tools of a `Workspace` that change files, for `agentTools`. */

import type { FileEffect, FileProposal, FileWarning, WorkspaceCall } from "../approval/types.js";
import { textOfArguments } from "../blocks/arguments.js";
import type { ParsedCall } from "../blocks/parsed-call.js";
import { validateToolBlock } from "../blocks/stream.js";
import { isText, type Members } from "../core/kinds.js";
import { fileTools } from "../definitions/files.js";
import type { EditFormat } from "../definitions/types.js";
import { toolAliases } from "../generated/facts.js";
import { AGENT } from "../store/authors.js";
import {
  type Answer,
  type CallEffect,
  type Failed,
  failed,
  solutionFor,
  type Target,
  type ToolSet,
  type ToolSetOptions,
  type ValidatedCall,
} from "../tools/tool-set.js";
import type { ChangeOptions } from "../types.js";
import type { Access, FileIdentity } from "./access.js";
import { FileRefusedError } from "./errors.js";
import { patchTools } from "./patch/tools.js";
import type { PatchParsers } from "./patch/types.js";
import { checkPatch } from "./patch-call.js";
import { type CheckedCall, checkAgentCall, type FileToolCall, textsOf } from "./plan.js";
import type { ExecutionResult, FileCallOptions, FileError, FileRefusal, WorkspaceOptions } from "./types.js";

/** The methods of a workspace that its tools need. */
interface Files {
  /** As `execute`. `seen`: the effect that a policy has agreed to, if it looked. The call fails if the file has changed since. */
  executeSeen(call: WorkspaceCall, options: FileCallOptions, seen: CallEffect | undefined): Promise<ExecutionResult>;
  /** Reads a file after the calls for it that have begun. */
  readAfterCalls(path: string): Promise<string | null>;
  propose(call: WorkspaceCall, options: FileCallOptions): Promise<FileProposal | FileRefusal>;
}

/** A valid call, or why it is not valid. */
type Checked = ValidatedCall | Failed;

/** The tools for single files, and those that apply patches, if `toolOptions` has formats for them. */
export function fileToolSets(
  files: Files,
  access: Access,
  options: WorkspaceOptions,
  toolOptions: ToolSetOptions,
): ToolSet[] {
  const formats: readonly EditFormat[] = [...new Set(toolOptions.formats)];
  // `undefined` until the first call with a patch has loaded them.
  let parsers: PatchParsers | undefined;
  const load = async (): Promise<PatchParsers> => {
    parsers ??= (await import("./patch/parsers.js")).patchParsers;
    return parsers;
  };
  // The last check that waits, for the parsers of patches or for another check. Later checks wait for it, so that calls start in
  // the order in which they arrived. `undefined` if no check waits: then checks are synchronous.
  let waitingCheck: Promise<unknown> | undefined;
  const inOrder = (check: () => Checked | Promise<Checked>): Checked | Promise<Checked> => {
    const checked = waitingCheck === undefined ? check() : waitingCheck.then(check);
    if (checked instanceof Promise) {
      const checkEnd: Promise<unknown> = checked
        .catch(() => {})
        .then(() => {
          if (waitingCheck === checkEnd) waitingCheck = undefined;
        });
      waitingCheck = checkEnd;
    }
    return checked;
  };
  // The end of the last look-up at the host. The next look-up waits for it: hosts answer in any order, but calls start in the
  // order in which they arrived.
  let lastLookUp: Promise<unknown> = Promise.resolve();
  // The target of a call for one file: at once for files in memory.
  const targetOf = (checked: CheckedCall, path: string): Target | Promise<Target | Failed> => {
    const knownIdentity = access.knownIdentity(path);
    if (knownIdentity) return toTarget(knownIdentity, () => effectOf(checked, path, access.knownText(path)));
    const lookUp = async (): Promise<Target> => {
      const identity = await access.lookUp(path);
      // A policy is asked with the file's current text. A file that cannot be read counts as absent.
      const before = await files.readAfterCalls(path).catch(() => null);
      return toTarget(identity, () => effectOf(checked, path, before));
    };
    const target = lastLookUp.then(lookUp).catch((cause): Failed => {
      if (cause instanceof FileRefusedError) return refusalAnswer(cause.answer.error);
      throw cause;
    });
    lastLookUp = target.catch(() => {});
    return target;
  };
  // The target of a patch of several files, which is ambiguous: a policy function sees one text for all files, so the user
  // decides, whatever the function returns.
  const targetOfAll = async (checked: CheckedCall): Promise<Target | Failed> => {
    const names: string[] = [];
    for (const path of checked.paths) {
      const target = await targetOf(checked, path);
      if ("status" in target) return target;
      names.push(target.target);
    }
    return { target: names.join(", "), isAmbiguous: true };
  };
  // A valid call for an agent. `args` are the arguments that a policy sees.
  const toValidatedCall = (checked: CheckedCall, args: Members): ValidatedCall => {
    const { call, paths, isElided, isPatch } = checked;
    // Read at each call: the group of an agent's turn changes.
    const by = (): ChangeOptions => ({ author: toolOptions.author ?? AGENT, group: toolOptions.group });
    const [path = "", ...others] = paths;
    return {
      args,
      // The text seems to have a placeholder where the model left a part out, which would be lost.
      ...(isElided && { needsReview: true }),
      target: () => (others.length > 0 ? targetOfAll(checked) : targetOf(checked, path)),
      async execute({ signal, seen }): Promise<Answer> {
        const result = await files.executeSeen(call, { signal, ...by() }, seen);
        if (result.error) return refusalAnswer(result.error, result.warnings);
        const effect = isPatch ? { files: result.files?.map(withoutDiff) } : { path, action: result.action };
        return { status: "success", result: { ...effect, ...notesOf(result) } };
      },
      async propose(signal): Promise<Answer> {
        const proposal = await files.propose(call, { signal, ...by() });
        if (proposal.status === "error") return refusalAnswer(proposal.error);
        const notes = notesOf(proposal);
        return { status: "pending", proposal, ...(Object.keys(notes).length > 0 && { result: notes }) };
      },
    };
  };
  const fileSet: ToolSet = {
    definitions: fileTools,
    // Streams of blocks know these tools by themselves, but not those for patches.
    inBlocks: true,
    aliases: toolAliases,
    validate: (call) => inOrder(() => validateFileCall(call)),
  };
  const validateFileCall = ({ tool, args: sent, text }: ParsedCall): Checked => {
    if (sent === undefined) {
      // Text that is no JSON object is validated as a block, to report the same error.
      const [issue] = validateToolBlock(textOfArguments(text), options).issues;
      const { code = "JSON_SYNTAX", message = "The arguments are no JSON object." } = issue ?? {};
      return failed(code, message, solutionFor(code));
    }
    const checked = checkAgentCall(fieldsOf(tool, sent), options);
    return checked.refused
      ? refusalAnswer(checked.refused.answer.error)
      : toValidatedCall(checked, argsOf(checked.call));
  };
  if (formats.length === 0) return [fileSet];
  const patchSet: ToolSet = {
    definitions: formats.map((format) => patchTools[format]),
    validate({ tool: name, args, text = "" }) {
      const format = formats.find((format) => patchTools[format].name === name);
      if (format === undefined) return failed("UNKNOWN_TOOL", `There is no tool ${name}.`, "Use another tool.");
      const tool = patchTools[format];
      // Some models send the patch itself in place of arguments, or use another name for the argument.
      const patch = args === undefined ? text : [args.patch, args.diff, args.input].find(isText);
      if (patch === undefined) return failed("MISSING_FIELD", `${name} has no patch.`, "Send the patch as a text.");
      const check = (parsers: PatchParsers): Checked => {
        const checked = checkPatch(tool, parsers[format], patch, options);
        const withPaths = { ...checked.call.args, paths: [...checked.paths] };
        return checked.refused ? refusalAnswer(checked.refused.answer.error) : toValidatedCall(checked, withPaths);
      };
      return inOrder(() => (parsers === undefined ? load().then(check) : check(parsers)));
    },
  };
  return [fileSet, patchSet];
}

/** A refusal as an agent's answer. */
const refusalAnswer = (error: FileError, warnings?: FileWarning[]): Failed => {
  return { status: "error", error: { ...error }, ...(warnings && { result: { warnings } }) };
};

const withoutDiff = ({ diff: _, ...effect }: FileEffect): Omit<FileEffect, "diff"> => effect;

/** The fields of a valid call, for a policy. */
function argsOf(call: FileToolCall): Members {
  const { content, search_replace, edits } = textsOf(call);
  return {
    path: call.path,
    ...(content !== undefined && { content }),
    ...(search_replace && { search_replace: { ...search_replace } }),
    ...(edits && { edits: edits.map((edit) => ({ ...edit, replace_all: edit.replace_all === true })) }),
  };
}

/** The call for {@link checkAgentCall}, which validates it like a call of a block. Arguments that no file tool has are left out. */
const fieldsOf = (tool: string, { path, content, search_replace, edits }: Members): object => {
  const fields = Object.entries({ path, content, search_replace, edits }).filter(([, value]) => value !== undefined);
  return { tool, ...Object.fromEntries(fields) };
};

/** The target of a call. It is ambiguous if its file has twins: other files whose paths differ only in case or the form of accents. */
const toTarget = ({ file, twins }: FileIdentity, effect: () => CallEffect): Target => {
  return { target: file, isAmbiguous: twins.length > 0, effect };
};

/** The effect of a call on a file with the text `before`: one change of the whole file, or none if the call would fail. */
function effectOf({ plan }: CheckedCall, path: string, before: string | null): CallEffect {
  try {
    // Planned as for a proposal, which accepts more fixes than an execution without review: the policy that sees the effect may
    // still ask the user.
    const { after = null } = plan(new Map([[path, before]]), "reviewed").find((file) => file.path === path) ?? {};
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
