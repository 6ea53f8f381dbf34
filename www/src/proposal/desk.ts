/** All that waits for a yes. */
import type { FileProposal } from "genui-patch";
import { workspace } from "../files/workspace";
import { cell } from "../lib/cell";
import { log } from "../log/log";
import { choiceOf } from "./choices";

/** Why the last approval of a proposal was not made. */
export const faults = cell<ReadonlyMap<string, string>>(new Map());

export const isOpen = ({ status }: FileProposal) => status === "pending" || status === "stale";

/** The person's yes, to what they have chosen. */
export async function approve({ id, target, diff }: FileProposal): Promise<void> {
  const { without, text } = choiceOf(id);
  const hunks = diff.map(({ index }) => index).filter((index) => !without.has(String(index)));
  const chosen = text !== undefined ? { edits: text } : without.size > 0 ? { hunks } : {};
  const answer = await (await workspace()).approve(id, chosen);
  const { error } = answer;
  log("proposal", error ? error.code : "approve", `file ${target}`, { tone: error ? "bad" : "good", detail: answer });
  setFault(id, error && `${error.code}: ${error.message}`);
}

/** The person's no. */
export async function refuse({ id, target }: FileProposal): Promise<void> {
  (await workspace()).refuse(id);
  log("proposal", "refuse", `file ${target}`, { tone: "warn" });
  setFault(id, undefined);
}

/** Makes the proposal anew, on what is there now. */
export async function proposeAgain(proposal: FileProposal): Promise<void> {
  await refuse(proposal);
  const made = await (await workspace()).propose(proposal.proposed);
  log("proposal", "propose", `file ${proposal.target}`, { detail: made });
}

function setFault(id: string, fault: string | undefined): void {
  const next = new Map(faults.get());
  if (fault === undefined) next.delete(id);
  else next.set(id, fault);
  faults.set(next);
}
