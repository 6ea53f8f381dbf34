/** The refusal of templates that insert too much. */
import { GenuiPatchError, type Refused, refuse } from "../core/errors.js";

/** Templates insert more than they may. */
export class TooLong extends GenuiPatchError {}

/** Runs something that templates have a part in; what they may not come to is a refusal. */
export function withinLimits<Result>(run: () => Result): Result | Refused {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof TooLong)) throw cause;
    return refuse("LIMIT_EXCEEDED", cause.message, "Send less at once.");
  }
}
