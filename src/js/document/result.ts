/** Parts of the sentences of refusals, and the refusal of templates that insert too much. */
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
