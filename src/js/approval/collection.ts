/** The proposals of one owner: their ids, how many are kept, and the answer to an id that is unknown or settled. */
import { refusal } from "../core/errors.js";
import { requireText } from "../core/require.js";
import { deepFreeze } from "../core/tree.js";
import { limits } from "../generated/facts.js";
import type { Json } from "../types.js";
import type { Proposal } from "./types.js";

export const isSettled = ({ status }: Pick<Proposal, "status">): boolean =>
  status === "approved" || status === "refused";

/** `Own` is a proposal with what only its owner knows of it. */
export class ProposalCollection<Own extends { proposal: Proposal }> {
  readonly records = new Map<string, Own>();
  /** Two tabs, or a store and the one restored from it, never give the same id. */
  readonly #prefix = Math.floor(Math.random() * 2 ** 48).toString(36);
  #made = 0;
  #listed: readonly Own["proposal"][] = [];

  constructor(private readonly max: number = limits.maxProposals) {}

  /** Makes room for one more: of those that are settled the oldest is forgotten. */
  makeRoom(): void {
    if (this.records.size < this.max) return;
    for (const [id, { proposal }] of this.records) if (isSettled(proposal)) return void this.records.delete(id);
    const message = `${this.max} proposals wait for a yes; there is no room for another.`;
    throw refusal("LIMIT_EXCEEDED", message, "Wait until some of them are approved or refused.");
  }

  nextId(): string {
    this.#made += 1;
    return `${this.#prefix}-${this.#made}`;
  }

  put(record: Own): void {
    deepFreeze(record.proposal as unknown as Json);
    this.records.set(record.proposal.id, record);
  }

  /** Says something new of a proposal: in another object, so that whoever shows it sees that it is another one. */
  update(record: Own, news: Partial<Own["proposal"]>): void {
    record.proposal = { ...record.proposal, ...news };
    deepFreeze(record.proposal as unknown as Json);
  }

  /** The person's no. */
  refuse(id: string, reason: string | undefined): Own {
    requireText("refuse", "proposal id", id);
    if (reason !== undefined) requireText("refuse", "reason", reason);
    const record = this.open(id);
    this.update(record, { status: "refused", ...(reason !== undefined && { reason }) } as Partial<Own["proposal"]>);
    return record;
  }

  /** The proposals: the same list until one of them is another. */
  list(): readonly Own["proposal"][] {
    const now = [...this.records.values()].map(({ proposal }) => proposal);
    this.#listed = kept(this.#listed, now);
    return this.#listed;
  }

  /** A proposal that can be settled. */
  open(id: string): Own {
    const record = this.records.get(id);
    if (record === undefined) {
      const waiting = this.list().flatMap(({ id, status }) => (status === "pending" ? [id] : []));
      const solution = waiting.length === 0 ? "No proposal waits." : `Waiting are ${waiting.slice(0, 20).join(", ")}.`;
      throw refusal("UNKNOWN_PROPOSAL", `There is no proposal "${id}".`, solution);
    }
    const { proposal } = record;
    if (!isSettled(proposal)) return record;
    const message = `The proposal was ${proposal.status} before.`;
    throw refusal("PROPOSAL_SETTLED", message, "Propose it anew if it is still wanted.");
  }
}

/** A list as it was given before, if its items are the same; else the new one, frozen. */
export function kept<Item>(before: readonly Item[], now: readonly Item[]): readonly Item[] {
  const isSame = before.length === now.length && Object.isFrozen(before);
  return isSame && now.every((item, index) => item === before[index]) ? before : Object.freeze(now);
}
