/** `Refusal`: the reason why a message, or a part of it, is not applied. */
import type { SurfaceDiagnostic } from "./types.js";

/** A diagnostic before its surface is known. */
export type Problem = Omit<SurfaceDiagnostic, "type" | "surfaceId">;

/** Thrown where the problem is found; {@link orRefusal} returns it as a value. */
export class Refusal implements Problem {
  readonly severity = "error";
  /** Where the problem is: a JSON Pointer into the message. Without one the property does not exist, so diagnostics lack it. */
  declare readonly path?: string;

  constructor(
    readonly code: Problem["code"],
    readonly message: string,
    path?: string,
  ) {
    if (path !== undefined) this.path = path;
  }
}

/** The result of a task, or the refusal that it throws. Other errors are thrown on. */
export function orRefusal<Result>(task: () => Result): Result | Refusal {
  try {
    return task();
  } catch (cause) {
    if (cause instanceof Refusal) return cause;
    throw cause;
  }
}

/** The refusal of input beyond a limit. `what`: a noun in the plural, such as "components". */
export const overLimit = (what: string, limit: number): Refusal =>
  new Refusal("LIMIT_EXCEEDED", `More than ${limit} ${what}.`);

/** The beginning of a text for an error: at most `length` characters, none of them cut. */
export const excerpt = (text: string, length: number): string =>
  [...text.slice(0, 2 * length)].slice(0, length).join("");
