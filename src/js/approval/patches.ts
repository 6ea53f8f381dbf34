/**
 * `PatchProposals`: patch calls that are kept until the user approves or refuses them. A proposal is computed on the confirmed
 * document: as it was when the call was proposed (the base), and again whenever the document has changed since.
 */
import { GenuiPatchError, misuse, RefusedError, refusal } from "../core/errors.js";
import { fromText, toText } from "../core/json.js";
import { isObject, type Members } from "../core/kinds.js";
import { applied } from "../core/mirror.js";
import { requireOptions, requireText, wrong } from "../core/require.js";
import { type Step, valueAt } from "../core/tree.js";
import { Comparisons, entriesOf, isSame, toChange } from "../diff/comparisons.js";
import { applyEntries, type Entry, entriesBetween, LookUp, Places } from "../diff/entries.js";
import { equal } from "../diff/equal.js";
import { limits } from "../generated/facts.js";
import { AGENT, CHANGE, sourceOf } from "../store/authors.js";
import type { Source } from "../store/history-types.js";
import type { StoreCore } from "../store/store-core.js";
import type { Change, Json, PatchCall, PatchResult, PathSegment, Rules, Warning } from "../types.js";
import { isSettled, ProposalCollection } from "./collection.js";
import {
  type ApproveOptions,
  EDITS,
  PATHS,
  type ProposedCall,
  readCall,
  readEdits,
  type TextAndValues,
} from "./inputs.js";
import { outcomeOf, type Part } from "./outcome.js";
import { previewOnBase, type Saved } from "./saved.js";
import { putEdits, selectEntries } from "./select.js";
import type { Outcome, PatchProposal } from "./types.js";

/** A proposal with what it is computed from. Its documents are `undefined` without an instance, and after it is settled. */
interface PatchRecord {
  proposal: PatchProposal;
  /** The call as JSON text. */
  call: string;
  /** The id by which the page knows the call. */
  callId: string | undefined;
  /** The confirmed document at the time of the proposal. An approval changes the confirmed document, under pending calls. */
  base: Json | undefined;
  /** The changes of the call to `base`; `undefined` if the call cannot be applied there. */
  changes: readonly Change[] | undefined;
  /** `changes` as entries, which name items by their ids under `rules`; `undefined` until the first view is computed. */
  cache: { rules: Rules; entries: Entry[] } | undefined;
  /** The confirmed document on which `view` was computed, and its rules. */
  viewed: Json | undefined;
  rules: Rules;
  view: View;
}

/** A proposal computed on one document. It depends on `base`, the call and that document alone. */
interface View {
  status: "pending" | "stale";
  /** The changes that the user sees, as entries. */
  entries: Entry[];
  /** The changes of a whole approval. */
  changes: readonly Change[];
  /**
   * The document differs from `base`, so an approval applies the changes that the call made to `base`, and not the call again.
   */
  isRebased: boolean;
}

/** Implemented by the owner of a store, such as a `FlowStore`, for the calls that are proposed to it. */
export interface ProposalOwner {
  /**
   * The path of the object that a call is about. The proposal is stale once that object has gone, or its `key` has another value.
   */
  subjectOf(call: PatchCall): { path: readonly PathSegment[]; key: string };
  /** Called for each restored proposal, with the document on which it was made. */
  restored(id: string, call: PatchCall, base: Json | undefined): void;
}

interface NewProposal extends TextAndValues, Pick<PatchRecord, "base" | "changes"> {
  by: Source;
  id: string;
  /** The name of the instance. */
  target: string;
  warnings: readonly Warning[] | undefined;
}

export class PatchProposals {
  readonly #collection: ProposalCollection<PatchRecord>;
  readonly #comparisons = new Comparisons();

  constructor(
    private readonly core: StoreCore,
    private readonly max: number = limits.maxProposals,
    private readonly owner?: ProposalOwner,
  ) {
    this.#collection = new ProposalCollection(max);
    // A proposal may change with the confirmed document while the shown one does not. Then no other event reports it.
    core.pendingCalls.confirmedListeners.push((name) => {
      for (const record of this.#collection.records.values()) {
        const { proposal } = record;
        if (proposal.target === name) this.#refresh(record);
        if (record.proposal !== proposal) this.#emit(record);
      }
    });
  }

  /** Proposes the page's call: an object, or its JSON text. A call with the id of an earlier one returns the earlier proposal. */
  propose(call: ProposedCall | string, by: Source): PatchProposal {
    const { text, value } = readCall(call);
    // The preview refuses a text that is not a call, and says what is wrong.
    if (!isObject<Json>(value)) return this.#propose({ text, values: {} }, by);
    const { id: callId, ...values } = value;
    if (typeof callId !== "string") return this.#propose({ text, values: value }, by);
    const earlier = [...this.#collection.records.values()].find((record) => record.callId === callId);
    if (earlier === undefined) return this.#propose({ text: JSON.stringify(values), values, callId }, by);
    this.#refresh(earlier);
    return earlier.proposal;
  }

  /** Proposes an agent's call, as values and as JSON text. The values become a part of the proposal, which is frozen. */
  proposeValues(values: Members, text: string, by: Source): PatchProposal {
    return this.#propose({ text, values }, by);
  }

  /** Adds a proposal of a call. Throws a refusal for a call that cannot be applied. */
  #propose(call: TextAndValues, by: Source): PatchProposal {
    const result = this.core.preview(call.text);
    if (result.status === "error") {
      // With `onError: "stop"`, applying the call would keep a part of it. A proposal keeps nothing.
      const { applied: _, skipped: __, changes: ___, revision: ____, ...refused } = result;
      throw new RefusedError(refused);
    }
    this.#collection.makeRoom();
    const { instance_name: target, changes, warnings } = result;
    const id = this.#collection.nextId();
    return this.#add({ id, target, ...call, base: this.core.pendingCalls.confirmed(target), changes, warnings, by });
  }

  /** Adds a proposal that is new or restored: first with an empty view, because the view is computed from the record. */
  #add({ id, target, text, values, callId, base, changes, warnings, by }: NewProposal): PatchProposal {
    const rules = this.#rules(target);
    const viewed = this.core.pendingCalls.confirmed(target);
    const view: View = { status: "stale", entries: [], changes: [], isRebased: false };
    const empty = { revision: 0, diff: [], changes: [], status: "stale" as const };
    const proposal: PatchProposal = {
      id,
      kind: "patch",
      target,
      author: by.author,
      ...(by.group !== undefined && { group: by.group }),
      ...empty,
      proposed: asCall(values),
      ...(warnings && { warnings }),
    };
    const record: PatchRecord = {
      proposal,
      call: text,
      callId,
      base,
      changes,
      cache: undefined,
      viewed,
      rules,
      view,
    };
    record.view = this.#view(record, viewed);
    record.proposal = { ...proposal, revision: this.#revision(target), ...viewProperties(record.view) };
    this.#collection.put(record);
    this.#emit(record);
    return record.proposal;
  }

  /** All proposals, up to date with their documents: the same list until one of them changes. */
  all(): readonly PatchProposal[] {
    for (const record of this.#collection.records.values()) this.#refresh(record);
    return this.#collection.list();
  }

  /**
   * Approves a proposal. All of it, on the document on which it was proposed, is applied as the call itself. Otherwise the wanted
   * document is computed, from the selected entries and the user's values, and the changes that lead to it are applied. A
   * proposal that creates or deletes the instance goes through {@link #settleWhole}.
   */
  approve(id: string, options: ApproveOptions): PatchResult {
    requireText("approve", "proposal id", id);
    requireOptions("approve", options, { paths: PATHS, edits: EDITS });
    const { paths, edits } = options;
    if (paths?.length === 0 && edits === undefined) throw wrong("approve", "paths", PATHS[0], paths);
    const record = this.#collection.open(id);
    this.#refresh(record);
    const { proposal, viewed, view } = record;
    const { proposed, target, diff } = proposal;
    if (proposal.status === "stale") {
      const message = `What the proposal would change in "${target}" has changed since it was made.`;
      const solution = "Nothing was applied. Show the new diff, and propose it anew if it is still wanted.";
      const noPath = undefined;
      throw refusal("STALE_PROPOSAL", message, solution, noPath, { diff });
    }
    const after = this.#after(record);
    const isAll = paths === undefined && edits === undefined;
    if (isAll && !view.isRebased) {
      const apply = () => this.core.apply(record.call, sourceOf(proposal), "approve");
      return this.#settle(record, apply, proposed, [...view.changes], this.#outcome(record, after, after));
    }
    if (viewed === undefined || after === undefined) return this.#settleWhole(record, after, options);
    const { rules } = record;
    let wanted = after;
    if (!isAll) {
      const selected = paths === undefined ? view.entries : selectEntries(view.entries, paths, viewed, after, rules);
      wanted = putEdits(viewed, applyEntries(viewed, selected, rules) ?? null, readEdits(edits), rules);
    }
    const changes = isAll ? [...view.changes] : entriesBetween(viewed, wanted, rules).map(toChange);
    const apply = () => this.core.edit(target, changes, "approve", sourceOf(proposal));
    return this.#settle(record, apply, changes, changes, this.#outcome(record, after, wanted));
  }

  /** Creating or deleting an instance is approved as a whole. The user's values may replace parts of a new document. */
  #settleWhole(record: PatchRecord, after: Json | undefined, { paths, edits }: ApproveOptions): PatchResult {
    const { proposed, target } = record.proposal;
    if (paths !== undefined || after === undefined) {
      const message = `The proposal is about the instance "${target}" as a whole.`;
      throw refusal("INVALID_OP", message, "Approve it without paths, or refuse it.");
    }
    const wanted = putEdits(after, after, readEdits(edits), record.rules);
    const patches = [{ op: "create" as const, value: wanted }];
    const call: PatchCall = { instance_name: "__CREATE__", new_instance_name: target, patches };
    const changes: Change[] = [{ kind: "set", path: [], value: wanted }];
    const apply = () => this.core.apply(toText(call, "call"), sourceOf(record.proposal), "approve");
    const approved = edits === undefined ? proposed : call;
    return this.#settle(record, apply, approved, changes, this.#outcome(record, after, wanted));
  }

  /** Marks a proposal as refused. It keeps the diff to the document as it is now. */
  refuse(id: string, reason: string | undefined): void {
    const record = this.#collection.records.get(id);
    if (record !== undefined) this.#refresh(record);
    const refused = this.#collection.refuse(id, reason);
    this.#releaseDocuments(refused);
    this.#emit(refused);
  }

  /**
   * Applies the approved changes. The status changes first, so that listeners never see the proposal become stale by its own
   * changes; if they cannot be applied, the proposal is as before.
   */
  #settle(
    record: PatchRecord,
    apply: () => PatchResult,
    approved: PatchCall | Change[],
    effective: Change[],
    outcome: Outcome<readonly Step[]>,
  ): PatchResult {
    const before = record.proposal;
    this.#collection.update(record, { status: "approved", approved, effective, outcome });
    let result: PatchResult | undefined;
    try {
      result = apply();
    } finally {
      if (result?.status !== "success") record.proposal = before;
    }
    if (result.status === "success") {
      this.#releaseDocuments(record);
      this.#emit(record);
    }
    return result;
  }

  /** Releases the documents of a settled proposal. */
  #releaseDocuments(record: PatchRecord): void {
    record.base = undefined;
    record.viewed = undefined;
    record.cache = undefined;
    record.view = { ...record.view, entries: [] };
    this.#comparisons.clear();
  }

  /** Brings a proposal up to date with its document. It stays the same object if nothing about it changes. */
  #refresh(record: PatchRecord): void {
    const { proposal, viewed } = record;
    const { target } = proposal;
    if (isSettled(proposal)) return;
    const current = this.core.pendingCalls.confirmed(target);
    const rules = this.#rules(target);
    if (current === viewed && rules === record.rules) return;
    // Pending calls that come and go make other objects of the confirmed document, and raise the revision, without changing it.
    const isUnchanged = this.core.pendingCalls.count(target) > 0 && rules === record.rules && isSame(viewed, current);
    record.viewed = current;
    record.rules = rules;
    if (isUnchanged) return;
    const { isRebased } = record.view;
    record.view = this.#view(record, current);
    const properties = viewProperties(record.view);
    const revision = this.#revision(target);
    const { status, diff, changes } = proposal;
    // Whether an approval applies the call or its rebased changes is a difference too, even if the user sees the same.
    const looksSame =
      status === properties.status && isSame(diff, properties.diff) && isSame(changes, properties.changes);
    if (looksSame && isRebased === record.view.isRebased) {
      if (revision !== proposal.revision) this.#collection.update(record, { revision });
    } else {
      this.#collection.update(record, { revision, ...properties });
    }
  }

  /** Computes the proposal on the current confirmed document. */
  #view(record: PatchRecord, current: Json | undefined): View {
    return this.#pendingView(record, current) ?? this.#staleView(record, current);
  }

  /**
   * A pending view; `undefined` if the document has changed in the places of the proposal since. The entries that the call made
   * to the base are kept as long as no other change can have moved their places; if one can, they are applied to the current
   * document, and the difference gives new entries.
   */
  #pendingView(record: PatchRecord, current: Json | undefined): View | undefined {
    const { changes, rules } = record;
    if (changes === undefined) return undefined;
    const { others, base } = this.#comparisons.between(record.base, current, rules);
    record.base = base;
    if (record.cache?.rules !== rules)
      record.cache = { rules, entries: entriesOf(base, applied(base, changes), rules) };
    const { entries } = record.cache;
    if (others.length === 0) return { status: "pending", entries, changes, isRebased: false };
    if (base === undefined || current === undefined || !this.#hasSubject(record, current)) return undefined;
    const places = new Places(entries);
    if (!others.some((other) => places.mayBeAffectedBy(other)))
      return { status: "pending", entries, changes: entries.map(toChange), isRebased: true };
    const hasConflict = others.some((other) => places.overlap(other));
    const after = hasConflict ? undefined : applyEntries(current, entries, rules);
    if (after === undefined) return undefined;
    const rebased = entriesOf(current, after, rules);
    return { status: "pending", entries: rebased, changes: rebased.map(toChange), isRebased: true };
  }

  /** Whether the current document still has the object that the proposal is about, with the same value of its `key`. */
  #hasSubject({ proposal, base, rules }: PatchRecord, current: Json): boolean {
    const subject = this.owner?.subjectOf(proposal.proposed);
    if (subject === undefined) return true;
    const lookUp = new LookUp(rules);
    const place = lookUp.place(base ?? null, subject.path)?.map(({ step, id }) => (id === undefined ? step : { id }));
    const inBase = place && lookUp.at(base ?? null, place);
    const inCurrent = place && lookUp.at(current, place);
    const keyOf = ({ value }: { value: Json }) => valueAt(value, [subject.key]) ?? null;
    return inBase !== undefined && inCurrent !== undefined && equal(keyOf(inBase), keyOf(inCurrent));
  }

  /** A stale view: shows the changes that the call would make to the current document. */
  #staleView({ call, rules }: PatchRecord, current: Json | undefined): View {
    const result = this.core.preview(call);
    const changes = result.status === "success" ? result.changes : [];
    const entries = changes.length === 0 ? [] : entriesOf(current, applied(current, changes), rules);
    return { status: "stale", entries, changes, isRebased: false };
  }

  /** The document with all of the proposal applied; `undefined` if the proposal deletes it. */
  #after({ viewed, rules, view: { entries } }: PatchRecord): Json | undefined {
    // An empty place is that of the whole document.
    if (viewed !== undefined && entries[0]?.place.length !== 0) return applyEntries(viewed, entries, rules);
    const wholeChange = entries[0]?.change;
    return wholeChange?.kind === "set" ? wholeChange.value : undefined;
  }

  /**
   * Compares the document that an approval makes, `result`, with the proposed one. An entry is applied if the two agree at its
   * place; else it was edited if the result has another change there, or omitted. Changes of the result in other places are edits
   * of the user.
   */
  #outcome(record: PatchRecord, proposed: Json | undefined, result: Json | undefined): Outcome<readonly Step[]> {
    const { viewed, rules, view } = record;
    if (isSame(proposed, result))
      return outcomeOf(
        "all",
        view.entries.map(({ change }) => ["applied", change.path]),
      );
    const differences = new Places(entriesOf(result, proposed, rules));
    const resultEntries = entriesOf(viewed, result, rules);
    const resultPlaces = new Places(resultEntries);
    const proposedPlaces = new Places(view.entries);
    const parts = view.entries.map((entry): Part<readonly Step[]> => {
      const isApplied = !differences.overlap(entry);
      return [isApplied ? "applied" : resultPlaces.overlap(entry) ? "edited" : "omitted", entry.change.path];
    });
    const additions = resultEntries
      .filter((entry) => !proposedPlaces.overlap(entry))
      .map(({ change }): Part<readonly Step[]> => ["edited", change.path]);
    return outcomeOf(isSame(viewed, result) ? "none" : undefined, [...parts, ...additions]);
  }

  /** Proposals are computed on the confirmed document, so its rules count. */
  #rules(target: string): Rules {
    return this.core.rules(target, "confirmed");
  }

  #revision(target: string): number {
    return this.core.revision(target);
  }

  #emit({ proposal }: PatchRecord): void {
    const { target, revision, id } = proposal;
    this.core.emit("proposal", target, { revision, proposalId: id, by: sourceOf(proposal) }, "approve");
  }

  /** The unsettled proposals in the form of `save()`, or `undefined` without any. */
  save(): Saved[] | undefined {
    this.all();
    const unsettled = [...this.#collection.records.values()].filter(({ proposal }) => !isSettled(proposal));
    const saved = unsettled.map(({ proposal, call, callId, base, viewed, rules }): Saved => {
      const { id, target, author, group } = proposal;
      // Leads from the current document to the base.
      let script = entriesOf(viewed, base, rules).map(toChange);
      // The module limits a script to the bytes of a call, and a UTF-16 unit takes at most three. In place of a longer script the
      // document itself is saved.
      if (base !== undefined && JSON.stringify(script).length > this.core.limits.maxCallBytes / 3)
        script = [{ kind: "set", path: [], value: base }];
      const optional = { ...(callId !== undefined && { callId }), ...(script.length > 0 && { base: script }) };
      return { id, call, target, author, ...(group !== undefined && { group }), ...optional };
    });
    return saved.length === 0 ? undefined : saved;
  }

  /** Restores the proposals of a store's saved text, each computed again from its call and the document on which it was made. */
  restore(text: string): void {
    const { proposals = [] }: { proposals?: Saved[] } = JSON.parse(text);
    this.restoreAll(proposals);
  }

  /** Restores proposals, after those that the collection has already. */
  restoreAll(saved: readonly Saved[]): void {
    if (this.#collection.records.size + saved.length > this.max)
      throw new GenuiPatchError("LIMIT_EXCEEDED", `The saved text has more than ${this.max} proposals.`);
    try {
      for (const proposal of saved) this.#restore(proposal);
    } catch (cause) {
      throw new GenuiPatchError("INVALID_STRUCTURE", "The saved text has proposals that are damaged.", { cause });
    }
  }

  #restore({ id, call, target, callId, base: script, author = AGENT, group }: Saved): void {
    requireText("restore", "proposal id", id);
    requireText("restore", "call", call);
    requireText("restore", "target", target);
    if (callId !== undefined) requireText("restore", "id of a call", callId);
    requireOptions("restore", { author, group }, CHANGE);
    const by = sourceOf({ author, group });
    if (this.#collection.records.has(id)) throw misuse(`restore: two proposals have the id "${id}".`);
    const current = this.core.pendingCalls.confirmed(target);
    const { base, preview } =
      script === undefined
        ? { base: current, preview: this.core.preview(call) }
        : previewOnBase(this.core, target, call, current, script);
    const isValid = preview.status === "success";
    if (isValid && preview.instance_name !== target) throw misuse(`restore: a proposal is not about "${target}".`);
    const value = fromText(call);
    const values = isObject<Json>(value) ? value : {};
    this.owner?.restored(id, asCall(values), base);
    // A call that cannot be applied, under other options for example, stays as a stale proposal.
    const { changes, warnings } = isValid ? preview : { changes: undefined, warnings: undefined };
    this.#add({ id, target, text: call, values, callId, base, changes, warnings, by });
  }
}

/** The values of a call that a preview has accepted. */
const asCall = (values: object): PatchCall => values as PatchCall;

/** The properties of a proposal that follow from its view. */
function viewProperties({ status, entries, changes }: View): Pick<PatchProposal, "status" | "diff" | "changes"> {
  return { status, diff: entries.map(({ change }) => change), changes: [...changes] };
}
