/** The errors of the package: exceptions for misuse, and refusals that become error results. */
import type { PatchError, PatchErrorCode } from "../types.js";

/** Properties of an error: see {@link GenuiPatchError}, and `cause` as in `Error`. */
type ErrorDetails = { offset?: number | undefined; path?: string | undefined; cause?: unknown };

/**
 * Misuse of the package by the page, or an internal failure. Unknown options and arguments of a wrong type have the code
 * `INVALID_ARGUMENT`. Calls of agents and messages of servers never throw; their result is an error.
 */
export class GenuiPatchError extends Error {
  override readonly name = "GenuiPatchError";
  /** `INVALID_ARGUMENT`, `DISPOSED`, `INTERNAL`, or the code of the rule that was broken. */
  readonly code: string;
  /** The UTF-16 offset of the error in a text, if it is about a text. */
  declare readonly offset?: number;
  /** The path of the error in a value, if it is about a value. */
  declare readonly path?: string;

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details);
    this.code = code;
    const { offset, path } = details;
    if (offset !== undefined) this.offset = offset;
    if (path !== undefined) this.path = path;
  }
}

/** The error to throw for a wrong argument, or for a call that the page must not make. */
export const misuse = (message: string, details?: ErrorDetails): GenuiPatchError =>
  new GenuiPatchError("INVALID_ARGUMENT", message, details);

/** The error to throw for a call of an object after its `dispose`. */
export const disposed = (): GenuiPatchError => new GenuiPatchError("DISPOSED", "This was disposed of: make a new one.");

/** The result of a refused call. `Fault`: the type of its error, which each folder has its own codes for. */
export interface Refused<Fault = PatchError> {
  status: "error";
  error: Fault;
}

/**
 * Thrown for a refusal. Most public methods return its `answer` instead (see {@link orRefusal}); methods that only the page calls
 * throw it.
 */
export class RefusedError<
  Fault extends Omit<PatchError, "code"> & { code: string } = PatchError,
> extends GenuiPatchError {
  constructor(readonly answer: Refused<Fault>) {
    const { code, message, solution, path } = answer.error;
    super(code, `${message} ${solution}`, { path });
  }
}

/** An error to throw for a refusal. `details` are further properties of its answer. */
export function refusal(code: PatchErrorCode, message: string, solution: string, path?: string, details?: object) {
  const error: PatchError = { code, message, solution, ...(path !== undefined && { path }) };
  return new RefusedError({ status: "error", error, ...details });
}

/** The result of a function, or the answer of a refusal that it throws. Other errors are thrown on. */
export function orRefusal<Result, Fault = PatchError>(run: () => Result): Result | Refused<Fault> {
  try {
    return run();
  } catch (cause) {
    // The caller knows which faults its function throws: an exception has no type.
    if (cause instanceof RefusedError) return cause.answer as Refused<Fault>;
    throw cause;
  }
}

/**
 * Names for a message: at most eight, in quotes, and how many more there are. Names that begin with the first two characters of
 * `wanted`, the name that was not found, come first.
 */
export function listNames(names: readonly string[], wanted = ""): string {
  const maxNames = 8;
  const rank = (name: string) => (name.toLowerCase().startsWith(wanted.slice(0, 2).toLowerCase()) ? 0 : 1);
  // Only the first 200 are compared: a message must not take time that grows with the document.
  const sorted = wanted === "" ? names : names.slice(0, 200).sort((a, b) => rank(a) - rank(b));
  const list = sorted
    .slice(0, maxNames)
    .map((name) => JSON.stringify(cut(name)))
    .join(", ");
  return names.length > maxNames ? `${list} and ${names.length - maxNames} more` : list;
}

/** A text of an agent or a server, shortened for a message. */
export function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
