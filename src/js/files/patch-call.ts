/** Calls that apply a patch to several files: checked like the calls of other file tools. */
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
import { type CheckedCall, remember } from "./plan.js";
import type { WorkspaceOptions } from "./types.js";

const FUNCTIONS: TextFunctions = { wellFormed, textDiff, difference, fixesOf, hasTwoLines, nearest, normalizedLine };

/** Reads a patch, and checks its paths. The call that it returns can be executed and proposed. */
export function checkPatch(
  { name, input }: PatchTool,
  parser: PatchParser,
  patch: string,
  options: WorkspaceOptions,
): CheckedCall {
  const call: PatchFilesCall = {
    id: "tool_1",
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
    call.path = paths.length === 1 ? (paths[0] ?? "") : paths.join(", ");
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

function requireShort(patch: string, options: WorkspaceOptions): void {
  const most = options.limits?.maxBlockBytes ?? defaultMaxBlockBytes;
  if (utf8Length(patch) <= most) return;
  const message = `The patch has more than ${most} bytes.`;
  throw refuse("LIMIT_EXCEEDED", message, "Nothing was changed. Send smaller patches.", {});
}

/** The operation with its paths checked by the policy and normalised. */
function withPaths(operation: FileOperation, { policy }: WorkspaceOptions): FileOperation {
  const allowed = (path: string) => {
    const checked = checkPath(path, policy);
    if (checked.ok) return checked.path;
    throw refuse("UNSAFE_PATH", checked.message, pathInstead(path, policy), { path });
  };
  const path = allowed(operation.path);
  return operation.kind === "update" && operation.to !== undefined
    ? { ...operation, path, to: allowed(operation.to) }
    : { ...operation, path };
}

const pathsOf = (operation: FileOperation): string[] =>
  operation.kind === "update" && operation.to !== undefined ? [operation.path, operation.to] : [operation.path];

function refuse(code: FileErrorCode, message: string, solution: string, about: Partial<FileError>): FileRefusedError {
  return new FileRefusedError({ status: "error", error: { code, message, solution, ...about } });
}

function orRefuse<Result>(path: string, run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    throw refusalOf(cause, path) ?? cause;
  }
}

function refusalOf(cause: unknown, path: string): FileRefusedError | undefined {
  if (cause instanceof FileRefusedError) return cause;
  return isPatchFault(cause) ? faultRefusal(cause.fault, path) : undefined;
}

/** Whether a parser has thrown this. Its class is loaded with the parsers. */
const isPatchFault = (cause: unknown): cause is { fault: PatchFault } =>
  isObject(cause) && cause.name === "PatchFaultError";

function faultRefusal({ code, message, solution, ...about }: PatchFault, path: string): FileRefusedError {
  const usual = fileRefusal(code === "LIMIT_EXCEEDED" ? "PATCH_SYNTAX" : code, about.path ?? path).answer.error;
  return refuse(code, message ?? usual.message, solution ?? usual.solution, about);
}
