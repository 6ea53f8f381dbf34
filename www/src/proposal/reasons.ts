/** Why the page itself withdraws a proposal. Proposals keep a reason as text: the page knows its own by it. */
import { type Plain, t } from "../words/words";

export const RESET = "reset";
export const SETTLED_ELSEWHERE = "settled on another page";

const words: Readonly<Record<string, Plain>> = {
  [RESET]: "Withdrawn: all was reset.",
  [SETTLED_ELSEWHERE]: "Settled on another page.",
};

/** A reason as it is shown: the page's own in its language, another one as it was given. */
export function reasonText(reason: string): string {
  const own = Object.hasOwn(words, reason) ? words[reason] : undefined;
  return own === undefined ? reason : t(own);
}
