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

/** The sentences of a task flow about decisions; the reason of a refusal follows. */
const decisions: readonly Plain[] = ["The changes were approved.", "The changes were refused."];

/** A decision in the page's language. A proposal that the page has withdrawn itself has a reason only. */
export function decisionText(said: string): string {
  const known = decisions.find((sentence) => said.startsWith(sentence));
  if (known === undefined) return said;
  const reason = said.slice(known.length).trim();
  return Object.hasOwn(words, reason) ? reasonText(reason) : `${t(known)} ${reason}`.trim();
}
