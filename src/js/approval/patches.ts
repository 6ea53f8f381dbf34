/** Proposals of patch calls: calls that wait for a person's approval and have not been made. */
import { GenuiPatchError, RefusedError, refusal } from "../core/errors.js";
import { copyJson, parseJson, toText } from "../core/json.js";
import { applied } from "../core/mirror.js";
import { type ArgumentKind, OBJECT, requireOptions, requireText, wrong } from "../core/require.js";
import { equal } from "../diff/equal.js";
import type { StoreCore } from "../store/store-core.js";
import type { Change, Json, PatchCall, PatchResult, Rules } from "../types.js";
import { isSettled, ProposalCollection } from "./collection.js";
import { type Entry, entriesBetween, graft, Places } from "./entries.js";
import { type PathLike, putEdits, selectEntries } from "./select.js";
import type { PatchProposal, ShownChange } from "./types.js";

/** What of a proposal is approved. Without either: all of it. */
export interface ApproveOptions {
  /** The places that are to change: those at or below one of the paths. A path is written as in a call, or taken from a change. */
  paths?: readonly PathLike[] | undefined;
  /** The person's own values, by path: instead of what was proposed, or beside it. */
  edits?: { readonly [path: string]: unknown } | undefined;
}

interface PatchRecord {
  proposal: PatchProposal;
  /** The call as it was sent. */
  call: string;
  /** What was confirmed when the entries were found: a proposal goes beneath the pending calls of the person. */
  base: Json | undefined;
  entries: Entry[];
  /** The document has changed elsewhere since: the call is not made, what it would have changed is. */
  carried: boolean;
  callId: string | undefined;
}

/** A call to be proposed. One with an `id` is proposed once, however often it comes. */
export type ProposedCall = PatchCall & { id?: string | undefined };

type Kept = Pick<PatchProposal, "id" | "target" | "revision" | "changes" | "status">;
type Saved = Kept & Pick<PatchRecord, "call" | "carried"> & { callId?: string };

export class PatchProposals {
  readonly #collection: ProposalCollection<PatchRecord>;

  constructor(
    private readonly core: StoreCore,
    max: number | undefined,
  ) {
    this.#collection = new ProposalCollection(max);
    // No other event tells of proposals that a change beneath pending calls has made others.
    core.onBeneath = (name) => {
      for (const record of this.#collection.records.values()) {
        const { proposal } = record;
        if (proposal.target === name) this.#refresh(record);
        if (record.proposal !== proposal) this.#tell(record);
      }
    };
  }

  propose(call: ProposedCall | string): PatchProposal {
    const { text, callId } = readCall(call);
    const { records } = this.#collection;
    const known = callId === undefined ? undefined : [...records.values()].find((record) => record.callId === callId);
    if (known !== undefined) {
      this.#refresh(known);
      return known.proposal;
    }
    const result = this.core.preview(text);
    if (result.status === "error") {
      // With `onError: "stop"` the call would leave a part of it. A proposal leaves none.
      const { applied: _, skipped: __, changes: ___, revision: ____, ...refused } = result;
      throw new RefusedError(refused);
    }
    this.#collection.makeRoom();
    const { instance_name: target, changes } = result;
    const revision = this.core.find(target)?.revision ?? 0;
    const id = this.#collection.nextId();
    return this.#put({ id, target, revision, changes, status: "pending" }, text, false, callId);
  }

  /** Keeps a proposal. Its entries are found on the document as it stands. */
  #put(kept: Kept, call: string, carried: boolean, callId: string | undefined): PatchProposal {
    const base = this.core.confirmed(kept.target);
    const entries = entriesOf(base, applied(base, kept.changes, false), this.#rules(kept.target));
    const proposed = JSON.parse(call) as PatchCall;
    const proposal: PatchProposal = { ...kept, kind: "patch", diff: diffOf(entries), proposed };
    const record: PatchRecord = { proposal, call, base, entries, carried, callId };
    this.#collection.put(record);
    this.#tell(record);
    return record.proposal;
  }

  all(): readonly PatchProposal[] {
    for (const record of this.#collection.records.values()) this.#refresh(record);
    return this.#collection.list();
  }

  approve(id: string, options: ApproveOptions): PatchResult {
    requireText("approve", "proposal id", id);
    requireOptions("approve", options, { paths: PATHS, edits: OBJECT });
    const { paths, edits } = options;
    if (paths?.length === 0 && edits === undefined) throw wrong("approve", "paths", PATHS[0], paths);
    const record = this.#collection.open(id);
    this.#refresh(record);
    const { proposal, base, entries } = record;
    const { proposed, target, diff } = proposal;
    if (proposal.status === "stale") {
      const message = `What the proposal would change in "${target}" has changed since it was made.`;
      const solution = "Nothing was applied. Show the new diff, and propose it anew if it is still wanted.";
      throw refusal("STALE_PROPOSAL", message, solution, undefined, { diff });
    }
    const isAll = paths === undefined && edits === undefined;
    let { changes } = proposal;
    if (isAll && !record.carried) {
      return this.#settle(record, () => this.core.apply(record.call, "approve"), proposed, changes);
    }
    const after = this.#after(record);
    if (base === undefined || after === undefined) return this.#settleWhole(record, after, options);
    if (!isAll) {
      const rules = this.#rules(target);
      const chosen = paths === undefined ? entries : selectEntries(entries, paths, base, after, rules);
      const wanted = putEdits(base, graft(base, chosen, rules) as Json, readEdits(edits), rules);
      changes = entriesBetween(base, wanted, rules).map(toChange);
    }
    return this.#settle(record, () => this.core.edit(target, changes, "approve"), changes, changes);
  }

  /** An instance that would come or go does so whole; the person's values may be in what comes. */
  #settleWhole(record: PatchRecord, after: Json | undefined, { paths, edits }: ApproveOptions): PatchResult {
    const { proposed, target } = record.proposal;
    if (paths !== undefined || after === undefined) {
      const message = `The proposal is about the instance "${target}" as a whole.`;
      throw refusal("INVALID_OP", message, "Approve it without paths, or refuse it.");
    }
    const wanted = putEdits(after, after, readEdits(edits), this.#rules(target));
    const patches = [{ op: "create" as const, value: wanted }];
    const call: PatchCall = { instance_name: "__CREATE__", new_instance_name: target, patches };
    const changes: Change[] = [{ kind: "set", path: [], value: wanted }];
    const make = () => this.core.apply(toText(call, "call"), "approve");
    return this.#settle(record, make, edits === undefined ? proposed : call, changes);
  }

  refuse(id: string, reason: string | undefined): void {
    this.#tell(this.#collection.refuse(id, reason));
  }

  /** Makes what was agreed to. It is approved first, so that it is not overtaken by itself for whoever is told. */
  #settle(
    record: PatchRecord,
    make: () => PatchResult,
    approved: PatchCall | Change[],
    effective: Change[],
  ): PatchResult {
    const before = record.proposal;
    this.#collection.update(record, { status: "approved", approved, effective });
    let result: PatchResult | undefined;
    try {
      result = make();
    } finally {
      if (result?.status !== "success") record.proposal = before;
    }
    if (result.status === "success") this.#tell(record);
    return result;
  }

  /** Brings a proposal up to a document that has changed since: carries it over, or marks it as stale. */
  #refresh(record: PatchRecord): void {
    const { proposal, base, entries } = record;
    const rules = this.#rules(proposal.target);
    if (isSettled(proposal)) return;
    const current = this.core.confirmed(proposal.target);
    if (current === base) return;
    record.base = current;
    if (proposal.status === "stale" && equal(base as Json, current as Json)) return;
    const revision = this.core.find(proposal.target)?.revision ?? 0;
    if (proposal.status === "pending" && base !== undefined && current !== undefined) {
      const others = entriesBetween(base, current, rules);
      const places = new Places(entries);
      const wasCarried = record.carried;
      record.carried ||= others.length > 0;
      if (!others.some((other) => places.areDisturbed(other))) {
        // What the call would have written around what was shown is not made.
        if (record.carried && !wasCarried)
          this.#collection.update(record, { revision, changes: entries.map(toChange) });
        else if (revision !== proposal.revision) this.#collection.update(record, { revision });
        return;
      }
      const apart = !others.some((other) => places.meet(other));
      const wanted = apart ? graft(current, entries, rules) : undefined;
      if (wanted !== undefined) {
        record.entries = entriesOf(current, wanted, rules);
        const changes = record.entries.map(toChange);
        this.#collection.update(record, { revision, diff: diffOf(record.entries), changes });
        return;
      }
    }
    // What the call would do now, for whoever wants to know.
    const fresh = this.core.preview(record.call);
    const changes = fresh.status === "success" ? fresh.changes : [];
    record.entries = changes.length === 0 ? [] : entriesOf(current, applied(current, changes, false), rules);
    this.#collection.update(record, { status: "stale", revision, diff: diffOf(record.entries), changes });
  }

  #after({ base, entries, proposal }: PatchRecord): Json | undefined {
    if (base !== undefined && entries[0]?.place.length !== 0) return graft(base, entries, this.#rules(proposal.target));
    const whole = entries[0]?.change;
    return whole?.kind === "set" ? whole.value : undefined;
  }

  /** The rules of what is confirmed, on which proposals are made. */
  #rules(target: string): Rules {
    return this.core.rules(target, "confirmed");
  }

  #tell({ proposal }: PatchRecord): void {
    const { target, revision, id } = proposal;
    this.core.tell("proposal", target, { revision, proposalId: id }, "approve");
  }

  /** Those that wait, as `save()` writes them; nothing if none does. */
  save(): Saved[] | undefined {
    this.all();
    const waiting = [...this.#collection.records.values()].filter(({ proposal }) => !isSettled(proposal));
    const saved = waiting.map(({ proposal: { id, target, revision, changes, status }, call, carried, callId }) => {
      return { id, call, target, revision, changes, status, carried, ...(callId !== undefined && { callId }) };
    });
    return saved.length === 0 ? undefined : saved;
  }

  /** Takes the proposals in a saved text that the module has read without complaint. */
  restore(text: string): void {
    const saved = (JSON.parse(text) as { proposals?: Saved[] }).proposals ?? [];
    try {
      for (const { id, call, target, revision, changes, status, carried, callId } of saved) {
        requireText("restore", "proposal id", id);
        if (callId !== undefined) requireText("restore", "id of a call", callId);
        const kept: Kept = { id, target, revision, changes, status: status === "stale" ? "stale" : "pending" };
        this.#put(kept, call, carried, callId);
      }
    } catch (cause) {
      throw new GenuiPatchError("INVALID_STRUCTURE", "The saved text has proposals that are damaged.", { cause });
    }
  }
}

/** The call as text, without the id that the page gave it. */
function readCall(call: ProposedCall | string): { text: string; callId: string | undefined } {
  const text = typeof call === "string" ? call : toText(call, "call");
  // The module says what is wrong with a text that is no JSON.
  const { id, ...rest } = (parseJson(text) ?? {}) as { id?: unknown };
  return typeof id === "string" ? { text: JSON.stringify(rest), callId: id } : { text, callId: undefined };
}

function readEdits(edits: ApproveOptions["edits"]): { [path: string]: Json } {
  return copyJson(edits ?? {}, "edits") as { [path: string]: Json };
}

function entriesOf(base: Json | undefined, after: Json | undefined, rules: Rules): Entry[] {
  if (base !== undefined && after !== undefined) return entriesBetween(base, after, rules);
  if (base === after) return [];
  const change: ShownChange =
    after === undefined ? { kind: "remove", path: [], before: base as Json } : { kind: "set", path: [], value: after };
  return [{ change, place: [] }];
}

const diffOf = (entries: readonly Entry[]): ShownChange[] => entries.map(({ change }) => change);

function toChange({ change: { before: _, ...change } }: Entry): Change {
  return change as Change;
}

const isStep = (step: unknown) => typeof step === "string" || Number.isInteger(step);
const isPath = (path: unknown) => typeof path === "string" || (Array.isArray(path) && path.every(isStep));
const PATHS: ArgumentKind = ["a list of paths, at least one", (value) => Array.isArray(value) && value.every(isPath)];
