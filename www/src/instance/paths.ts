/** Paths as the page shows them. */
import { t } from "../words/words";

/** The steps of a change, as a path reads. */
export function showSteps(steps: readonly (string | number)[]): string {
  if (steps.length === 0) return t("(the document)");
  return steps.reduce<string>((text, part) => {
    if (typeof part === "number" || /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(part))
      return text === "" ? `${part}` : `${text}.${part}`;
    return `${text}[${JSON.stringify(part)}]`;
  }, "");
}
