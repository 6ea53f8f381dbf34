/** `ProposalCollection`: the proposals of a store, a workspace or task flows, by id and up to a limit. */
import { refusal } from "../core/errors.js";
import { requireText } from "../core/require.js";
import { deepFreeze } from "../core/tree.js";
import { limits } from "../generated/facts.js";
import type { Proposal } from "./types.js";

/** Whether the user has decided. A stale proposal is not settled: a change of the document can make it pending again. */
export const isSettled = ({ status }: Pick<Proposal, "status">): boolean =>
  status === "approved" || status === "refused";

/** `ProposalRecord`: a proposal with the private data of its owner. */
export class ProposalCollection<ProposalRecord extends { proposal: Proposal }> {
  /** By id of the proposal, the oldest first. */
  readonly records = new Map<string, ProposalRecord>();
  /** The beginning of the ids. Random, so that two tabs, or a store and its restored copy, use different ids. */
  readonly #prefix = Math.floor(Math.random() * 2 ** 48).toString(36);
  /** How many ids were given. */
  #count = 0;
  /** The last result of {@link list}. */
  #listed: readonly ProposalRecord["proposal"][] = [];

  constructor(private readonly max: number = limits.maxProposals) {}

  /** Removes the oldest settled proposal if the collection is full. Throws a refusal if none is settled. */
  makeRoom(): void {
    if (this.records.size < this.max) return;
    for (const [id, { proposal }] of this.records) if (isSettled(proposal)) return void this.records.delete(id);
    const message = `${this.max} proposals are pending, which is the limit.`;
    throw refusal("LIMIT_EXCEEDED", message, "Wait until some of them are approved or refused.");
  }

  /** An id for a new proposal. */
  nextId(): string {
    this.#count += 1;
    return `${this.#prefix}-${this.#count}`;
  }

  /** Adds a record, and freezes its proposal. Call {@link makeRoom} before. */
  put(record: ProposalRecord): void {
    deepFreeze(record.proposal);
    this.records.set(record.proposal.id, record);
  }

  /** Changes a proposal. It becomes another object, so that components render it again. */
  update(record: ProposalRecord, changes: Partial<ProposalRecord["proposal"]>): void {
    record.proposal = { ...record.proposal, ...changes };
    deepFreeze(record.proposal);
  }

  /** Marks a proposal as refused by the user. Throws a refusal for an unknown or settled one. */
  refuse(id: string, reason: string | undefined): ProposalRecord {
    requireText("refuse", "proposal id", id);
    if (reason !== undefined) requireText("refuse", "reason", reason);
    const record = this.open(id);
    record.proposal = { ...record.proposal, status: "refused", ...(reason !== undefined && { reason }) };
    deepFreeze(record.proposal);
    return record;
  }

  /** The proposals: the same frozen list until one of them changes. */
  list(): readonly ProposalRecord["proposal"][] {
    const current = [...this.records.values()].map(({ proposal }) => proposal);
    this.#listed = keepIfEqual(this.#listed, current);
    return this.#listed;
  }

  /** The record of a proposal that is not settled. Throws a refusal for any other id. */
  open(id: string): ProposalRecord {
    const record = this.records.get(id);
    if (record === undefined) {
      const pendingIds = this.list().flatMap(({ id, status }) => (status === "pending" ? [id] : []));
      const solution =
        pendingIds.length === 0 ? "No proposal is pending." : `Pending are ${pendingIds.slice(0, 20).join(", ")}.`;
      throw refusal("UNKNOWN_PROPOSAL", `There is no proposal "${id}".`, solution);
    }
    const { proposal } = record;
    if (!isSettled(proposal)) return record;
    const message = `The proposal was ${proposal.status} before.`;
    throw refusal("PROPOSAL_SETTLED", message, "Propose it anew if it is still wanted.");
  }
}

/** Returns the list `before` if it has the same items as `current` and is frozen; else freezes and returns `current`. */
export function keepIfEqual<Item>(before: readonly Item[], current: readonly Item[]): readonly Item[] {
  const isComparable = before.length === current.length && Object.isFrozen(before);
  return isComparable && current.every((item, index) => item === before[index]) ? before : Object.freeze(current);
}
