/** `checkPatch`: checks calls that apply a patch to several files, as `plan.ts` checks the calls of other file tools. */
import type { PatchFilesCall } from "../approval/types.js";
import { checkPath } from "../blocks/policy.js";
import { isObject } from "../core/kinds.js";
import { utf8Length, wellFormed } from "../core/surrogates.js";
import { textDiff } from "../diff/text.js";
import { defaultMaxBlockBytes } from "../generated/facts.js";
import { difference, fixesOf, hasTwoLines, nearest, normalizedLine } from "./edit.js";
import { type FileError, type FileErrorCode, FileRefusedError, fileRefusal } from "./errors.js";
import { pathInstead } from "./instead.js";
import type { PatchTool } from "./patch/tools.js";
import type { FileOperation, PatchFault, PatchParser, TextFunctions } from "./patch/types.js";
import { type CheckedCall, DEFAULT_ID, remember } from "./plan.js";
import type { WorkspaceOptions } from "./types.js";

const FUNCTIONS: TextFunctions = { wellFormed, textDiff, difference, fixesOf, hasTwoLines, nearest, normalizedLine };

/**
 * Reads a patch, and checks its paths. The call that it returns can be executed and proposed, unless it has `refused`. `input` is
 * the schema of the tool, whose only property is the name of the argument with the patch.
 */
export function checkPatch(
  { name, input }: PatchTool,
  parser: PatchParser,
  patch: string,
  options: WorkspaceOptions,
): CheckedCall {
  const call: PatchFilesCall = {
    id: DEFAULT_ID,
    tool: name,
    path: "",
    patch,
    args: { [Object.keys(input.properties ?? {})[0] ?? "patch"]: patch },
    status: "processing",
  };
  try {
    requireShort(patch, options);
    const operations = parser.parse(patch).map((operation) => withPaths(operation, options));
    const paths = [...new Set(operations.flatMap(pathsOf))];
    call.path = paths.join(", ");
    return remember(
      {
        call,
        paths,
        isPatch: true,
        plan: (texts, review) =>
          orRefuse(call.path, () => parser.plan(operations, texts, review === "reviewed", FUNCTIONS)),
      },
      options,
    );
  } catch (cause) {
    const refused = refusalOf(cause, call.path);
    if (refused === undefined) throw cause;
    const plan = () => {
      throw refused;
    };
    return { call, paths: [], isPatch: true, refused, plan };
  }
}

/** A bound on the time of parsing. */
function requireShort(patch: string, options: WorkspaceOptions): void {
  const most = options.limits?.maxBlockBytes ?? defaultMaxBlockBytes;
  if (utf8Length(patch) <= most) return;
  const message = `The patch has more than ${most} bytes.`;
  throw refuse("LIMIT_EXCEEDED", message, "Nothing was changed. Send smaller patches.", {});
}

/** The operation with its paths checked by the policy and normalised. */
function withPaths(operation: FileOperation, { policy }: WorkspaceOptions): FileOperation {
  const requireAllowed = (path: string) => {
    const checked = checkPath(path, policy);
    if (checked.ok) return checked.path;
    throw refuse("UNSAFE_PATH", checked.message, pathInstead(path, policy), { path });
  };
  const path = requireAllowed(operation.path);
  return operation.kind === "update" && operation.to !== undefined
    ? { ...operation, path, to: requireAllowed(operation.to) }
    : { ...operation, path };
}

const pathsOf = (operation: FileOperation): string[] =>
  operation.kind === "update" && operation.to !== undefined ? [operation.path, operation.to] : [operation.path];

/** A refusal to throw. `details` are further members of its error. */
function refuse(code: FileErrorCode, message: string, solution: string, details: Partial<FileError>): FileRefusedError {
  return new FileRefusedError({ status: "error", error: { code, message, solution, ...details } });
}

/** The result of a function. An error of a parser becomes a refusal about `path`, where it names no other path. */
function orRefuse<Result>(path: string, run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    throw refusalOf(cause, path) ?? cause;
  }
}

/** The refusal for an error that was caught; `undefined` for an unexpected one. */
function refusalOf(cause: unknown, path: string): FileRefusedError | undefined {
  if (cause instanceof FileRefusedError) return cause;
  return isPatchFault(cause) ? faultRefusal(cause.fault, path) : undefined;
}

/** Whether a parser has thrown this. Asked by name: its class is loaded with the parsers. */
const isPatchFault = (cause: unknown): cause is { fault: PatchFault } =>
  isObject(cause) && cause.name === "PatchFaultError";

/** The refusal for a fault of a parser. A sentence that the fault lacks is the usual one of its code. */
function faultRefusal({ code, message, solution, ...details }: PatchFault, path: string): FileRefusedError {
  // LIMIT_EXCEEDED has no usual sentences here; the advice of PATCH_SYNTAX fits.
  const usual = fileRefusal(code === "LIMIT_EXCEEDED" ? "PATCH_SYNTAX" : code, details.path ?? path).answer.error;
  return refuse(code, message ?? usual.message, solution ?? usual.solution, details);
}
