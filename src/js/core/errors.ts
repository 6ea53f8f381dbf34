import type { PatchError, PatchErrorCode } from "../types.js";

type About = { offset?: number | undefined; path?: string | undefined; cause?: unknown };

/**
 * Misuse of the package by the page, or an internal failure. Whatever takes arguments or options throws it with
 * `INVALID_ARGUMENT` for those that it does not understand. What an agent or a server sent never throws.
 */
export class GenuiPatchError extends Error {
  override readonly name = "GenuiPatchError";
  /** `INVALID_ARGUMENT`, `DISPOSED`, `INTERNAL`, or the code of the rule that was broken. */
  readonly code: string;
  /** UTF-16 offset in the text at fault, where there is one. */
  declare readonly offset?: number;
  /** The place in the value at fault, where there is one. */
  declare readonly path?: string;

  constructor(code: string, message: string, about: About = {}) {
    super(message, about);
    this.code = code;
    const { offset, path } = about;
    if (offset !== undefined) this.offset = offset;
    if (path !== undefined) this.path = path;
  }
}

export const misuse = (message: string, about?: About): GenuiPatchError =>
  new GenuiPatchError("INVALID_ARGUMENT", message, about);

export const disposed = (): GenuiPatchError => new GenuiPatchError("DISPOSED", "This was disposed of: make a new one.");

/** The answer to what cannot be done. */
export interface Refused<Fault = PatchError> {
  status: "error";
  error: Fault;
}

/** A refusal on its way to the public method that answers it. Where none does, the page has misused something. */
export class RefusedError<
  Fault extends Omit<PatchError, "code"> & { code: string } = PatchError,
> extends GenuiPatchError {
  constructor(readonly answer: Refused<Fault>) {
    const { code, message, solution, path } = answer.error;
    super(code, `${message} ${solution}`, { path });
  }
}

/** `about` is what the answer tells beside the error. */
export function refusal(code: PatchErrorCode, message: string, solution: string, path?: string, about?: object) {
  const error: PatchError = { code, message, solution, ...(path !== undefined && { path }) };
  return new RefusedError({ status: "error", error, ...about });
}

/** Answers what a function gives, or why something in it was refused. */
export function answered<Result, Fault = PatchError>(run: () => Result): Result | Refused<Fault> {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof RefusedError) return cause.answer as Refused<Fault>;
    throw cause;
  }
}

/** Names for a message, those that begin alike first. */
export function listNames(names: readonly string[], wanted = ""): string {
  const shown = 8;
  const near = (name: string) => (name.toLowerCase().startsWith(wanted.slice(0, 2).toLowerCase()) ? 0 : 1);
  // Of very many the first ones are compared: a message is not worth a walk over everything.
  const sorted = wanted === "" ? names : names.slice(0, 200).sort((a, b) => near(a) - near(b));
  const listed = sorted
    .slice(0, shown)
    .map((name) => JSON.stringify(cut(name)))
    .join(", ");
  return names.length > shown ? `${listed} and ${names.length - shown} more` : listed;
}

/** Text from outside, cut to a length that a message can carry. */
export function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
