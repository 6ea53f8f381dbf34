/** `ProposalCollection`: the proposals of a store, a workspace or task flows, by id and up to a limit. */
import { refusal } from "../core/errors.js";
import { requireText } from "../core/require.js";
import { deepFreeze } from "../core/tree.js";
import { limits } from "../generated/facts.js";
import type { Proposal } from "./types.js";

export const isSettled = ({ status }: Pick<Proposal, "status">): boolean =>
  status === "approved" || status === "refused";

/** `Kept` is a proposal with the private data of its owner. */
export class ProposalCollection<Kept extends { proposal: Proposal }> {
  readonly records = new Map<string, Kept>();
  /** Random, so that two tabs, or a store and its restored copy, use different ids. */
  readonly #prefix = Math.floor(Math.random() * 2 ** 48).toString(36);
  #count = 0;
  #listed: readonly Kept["proposal"][] = [];

  constructor(private readonly max: number = limits.maxProposals) {}

  /** Removes the oldest settled proposal if the collection is full. */
  makeRoom(): void {
    if (this.records.size < this.max) return;
    for (const [id, { proposal }] of this.records) if (isSettled(proposal)) return void this.records.delete(id);
    const message = `${this.max} proposals are pending, which is the limit.`;
    throw refusal("LIMIT_EXCEEDED", message, "Wait until some of them are approved or refused.");
  }

  nextId(): string {
    this.#count += 1;
    return `${this.#prefix}-${this.#count}`;
  }

  /** Adds a record, and freezes its proposal. Call {@link makeRoom} before. */
  put(record: Kept): void {
    deepFreeze(record.proposal);
    this.records.set(record.proposal.id, record);
  }

  /** Changes a proposal. It becomes another object, so that components render it again. */
  update(record: Kept, changes: Partial<Kept["proposal"]>): void {
    record.proposal = { ...record.proposal, ...changes };
    deepFreeze(record.proposal);
  }

  /** Marks a proposal as refused by the user. */
  refuse(id: string, reason: string | undefined): Kept {
    requireText("refuse", "proposal id", id);
    if (reason !== undefined) requireText("refuse", "reason", reason);
    const record = this.open(id);
    record.proposal = { ...record.proposal, status: "refused", ...(reason !== undefined && { reason }) };
    deepFreeze(record.proposal);
    return record;
  }

  /** The proposals: the same frozen list until one of them changes. */
  list(): readonly Kept["proposal"][] {
    const now = [...this.records.values()].map(({ proposal }) => proposal);
    this.#listed = keepIfEqual(this.#listed, now);
    return this.#listed;
  }

  /** The record of a proposal that is not settled. Throws a refusal for any other id. */
  open(id: string): Kept {
    const record = this.records.get(id);
    if (record === undefined) {
      const waiting = this.list().flatMap(({ id, status }) => (status === "pending" ? [id] : []));
      const solution =
        waiting.length === 0 ? "No proposal is pending." : `Pending are ${waiting.slice(0, 20).join(", ")}.`;
      throw refusal("UNKNOWN_PROPOSAL", `There is no proposal "${id}".`, solution);
    }
    const { proposal } = record;
    if (!isSettled(proposal)) return record;
    const message = `The proposal was ${proposal.status} before.`;
    throw refusal("PROPOSAL_SETTLED", message, "Propose it anew if it is still wanted.");
  }
}

/** The list that was returned before if its items are the same, else the new list, frozen. */
export function keepIfEqual<Item>(before: readonly Item[], now: readonly Item[]): readonly Item[] {
  const isSame = before.length === now.length && Object.isFrozen(before);
  return isSame && now.every((item, index) => item === before[index]) ? before : Object.freeze(now);
}
