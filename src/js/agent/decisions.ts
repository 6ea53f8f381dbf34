/** What people decided on an agent's proposals, as the model reads it. */
import type { FileProposal, Proposal, ProposalStatus } from "../approval/types.js";
import { type Called, lineOf } from "./reply.js";

/** So many proposals are followed; of more the oldest are forgotten. */
const FOLLOWED = 1_000;

const MESSAGES: { readonly [status in Exclude<ProposalStatus, "pending">]: string } = {
  approved: "It was made.",
  refused: "Nothing was changed. Do not send it again unless you are asked to.",
  stale: "Nothing was changed: its target has changed. Send a new call if it is still wanted.",
};

export class Decisions {
  /** By the proposal's kind and id: the call, and the status that the model has read. */
  readonly #followed = new Map<string, { call: Called; known: ProposalStatus }>();

  follow({ id, tool }: Called, proposal: Proposal): void {
    const key = keyOf(proposal);
    if (this.#followed.has(key)) return;
    this.#followed.set(key, { call: { id, tool }, known: "pending" });
    const [oldest = key] = this.#followed.keys();
    if (this.#followed.size > FOLLOWED) this.#followed.delete(oldest);
  }

  /** A line for each proposal that has another status than when it was asked last. */
  take(proposals: readonly Proposal[]): string {
    let lines = "";
    for (const proposal of proposals) {
      const key = keyOf(proposal);
      const followed = this.#followed.get(key);
      const { kind, target, status, reason, effective } = proposal;
      // A file that a person agreed to is being written until its text is known; that may fail.
      if (!followed || followed.known === status || (status === "approved" && effective === undefined)) continue;
      followed.known = status;
      if (status === "pending") continue;
      if (status !== "stale") this.#followed.delete(key);
      const told = { status, message: MESSAGES[status], kind, target, reason, approved: otherThanProposed(proposal) };
      lines += `${lineOf(followed.call, JSON.stringify(told))}\n`;
    }
    return lines && `What became of your proposals:\n${lines}\n`;
  }
}

const keyOf = ({ kind, id }: Proposal) => kind + id;

/** What the person agreed to, if that is a part of what was proposed, or holds words of the person's own. */
function otherThanProposed(proposal: Proposal): unknown {
  const { approved, proposed } = proposal;
  const wanted = proposal.kind === "file" ? textOf(proposal) : proposed;
  return JSON.stringify(approved) === JSON.stringify(wanted) ? undefined : approved;
}

/** The text that a file has if all of the proposal was approved. Of an edit only what it puts there is known. */
function textOf({ proposed: { content, search_replace }, approved = null }: FileProposal): string | null {
  return content ?? (search_replace && approved?.includes(search_replace.new_string) ? approved : null);
}
