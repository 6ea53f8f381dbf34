/** `PatchProposals`: patch calls that are kept until the user approves or refuses them. */
import { GenuiPatchError, misuse, RefusedError, refusal } from "../core/errors.js";
import { fromText, toText } from "../core/json.js";
import { isObject, type Members } from "../core/kinds.js";
import { applied } from "../core/mirror.js";
import { requireOptions, requireText, wrong } from "../core/require.js";
import { type Step, valueAt } from "../core/tree.js";
import { equal } from "../diff/equal.js";
import { limits } from "../generated/facts.js";
import { AGENT, CHANGE, sourceOf } from "../store/authors.js";
import type { Source } from "../store/history-types.js";
import type { StoreCore } from "../store/store-core.js";
import type { Change, Json, PatchCall, PatchResult, PathSegment, Rules, Warning } from "../types.js";
import { isSettled, ProposalCollection } from "./collection.js";
import { Comparisons, entriesOf, isSame, toChange } from "./comparisons.js";
import { applyEntries, type Entry, entriesBetween, LookUp, Places } from "./entries.js";
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
import { previewApart, type Saved } from "./saved.js";
import { putEdits, selectEntries } from "./select.js";
import type { Outcome, PatchProposal } from "./types.js";

interface PatchRecord {
  proposal: PatchProposal;
  /** The call as it was sent. */
  call: string;
  callId: string | undefined;
  /** The confirmed document at the time of the proposal. An approval changes the confirmed document, under pending calls. */
  base: Json | undefined;
  /** The changes of the call to `base`; `undefined` if the call cannot be applied there. */
  changes: readonly Change[] | undefined;
  /** `changes` as entries, under `rules`. */
  proposed: { rules: Rules; entries: Entry[] } | undefined;
  /** The confirmed document that `view` is about, and its rules. */
  seen: Json | undefined;
  rules: Rules;
  view: View;
}

/** A proposal computed on one document. It depends on `base`, the call and that document alone. */
interface View {
  status: "pending" | "stale";
  entries: Entry[];
  /** The changes of a whole approval. */
  changes: readonly Change[];
  /** The document differs from `base`, so an approval applies the changes that the call made to `base`. */
  carried: boolean;
}

/** Implemented by the owner of a store, such as a `FlowStore`, for the calls that are proposed to it. */
export interface ProposalOwner {
  /** The object that a call is about. The proposal is stale once that object has gone, or its `key` has another value. */
  subjectOf(call: PatchCall): { path: readonly PathSegment[]; key: string };
  /** Called for each restored proposal, with the document on which it was made. */
  restored(id: string, call: PatchCall, base: Json | undefined): void;
}

interface NewProposal extends TextAndValues, Pick<PatchRecord, "base" | "changes"> {
  by: Source;
  id: string;
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
    // Confirmed state may change while the shown document does not: then no other event reports the proposal.
    core.onConfirmedChange = (name) => {
      for (const record of this.#collection.records.values()) {
        const { proposal } = record;
        if (proposal.target === name) this.#refresh(record);
        if (record.proposal !== proposal) this.#emit(record);
      }
    };
  }

  /** Proposes the page's call: an object, or its JSON text. */
  propose(call: ProposedCall | string, by: Source): PatchProposal {
    const sent = readCall(call);
    // The preview refuses a text that is not a call, and says what is wrong.
    if (!isObject<Json>(sent.value)) return this.#propose({ text: sent.text, values: {} }, by);
    const { id: callId, ...values } = sent.value;
    if (typeof callId !== "string") return this.#propose({ text: sent.text, values: sent.value }, by);
    const known = [...this.#collection.records.values()].find((record) => record.callId === callId);
    if (known === undefined) return this.#propose({ text: JSON.stringify(values), values, callId }, by);
    this.#refresh(known);
    return known.proposal;
  }

  /** Proposes an agent's call. The values belong to the proposal from now on. */
  proposeValues(values: Members, by: Source): PatchProposal {
    return this.#propose({ text: JSON.stringify(values), values }, by);
  }

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
    return this.#add({ id, target, ...call, base: this.core.confirmed(target), changes, warnings, by });
  }

  #add({ id, target, text, values, callId, base, changes, warnings, by }: NewProposal): PatchProposal {
    const rules = this.#rules(target);
    const seen = this.core.confirmed(target);
    const view: View = { status: "stale", entries: [], changes: [], carried: false };
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
    const record: PatchRecord = { proposal, call: text, callId, base, changes, proposed: undefined, seen, rules, view };
    record.view = this.#view(record, seen);
    record.proposal = { ...proposal, revision: this.#revision(target), ...shownOf(record.view) };
    this.#collection.put(record);
    this.#emit(record);
    return record.proposal;
  }

  all(): readonly PatchProposal[] {
    for (const record of this.#collection.records.values()) this.#refresh(record);
    return this.#collection.list();
  }

  approve(id: string, options: ApproveOptions): PatchResult {
    requireText("approve", "proposal id", id);
    requireOptions("approve", options, { paths: PATHS, edits: EDITS });
    const { paths, edits } = options;
    if (paths?.length === 0 && edits === undefined) throw wrong("approve", "paths", PATHS[0], paths);
    const record = this.#collection.open(id);
    this.#refresh(record);
    const { proposal, seen, view } = record;
    const { proposed, target, diff } = proposal;
    if (proposal.status === "stale") {
      const message = `What the proposal would change in "${target}" has changed since it was made.`;
      const solution = "Nothing was applied. Show the new diff, and propose it anew if it is still wanted.";
      throw refusal("STALE_PROPOSAL", message, solution, undefined, { diff });
    }
    const after = this.#after(record);
    const isAll = paths === undefined && edits === undefined;
    // On the document on which it was made, the call itself is applied.
    if (isAll && !view.carried) {
      const apply = () => this.core.apply(record.call, sourceOf(proposal), "approve");
      return this.#settle(record, apply, proposed, [...view.changes], this.#outcome(record, after, after));
    }
    if (seen === undefined || after === undefined) return this.#settleWhole(record, after, options);
    let wanted = after;
    if (!isAll) {
      const chosen = paths === undefined ? view.entries : selectEntries(view.entries, paths, seen, after, record.rules);
      wanted = putEdits(seen, applyEntries(seen, chosen, record.rules) ?? null, readEdits(edits), record.rules);
    }
    const changes = isAll ? [...view.changes] : entriesBetween(seen, wanted, record.rules).map(toChange);
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

  refuse(id: string, reason: string | undefined): void {
    // The record shows the proposal on the document as it was at the refusal.
    const record = this.#collection.records.get(id);
    if (record !== undefined) this.#refresh(record);
    const refused = this.#collection.refuse(id, reason);
    this.#releaseDocuments(refused);
    this.#emit(refused);
  }

  /** Applies the approved changes. The status changes first, so that listeners never see the proposal become stale by itself. */
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
    record.seen = undefined;
    record.proposed = undefined;
    record.view = { ...record.view, entries: [] };
    this.#comparisons.clear();
  }

  /** Brings a proposal up to date with its document. */
  #refresh(record: PatchRecord): void {
    const { proposal, seen } = record;
    const { target } = proposal;
    if (isSettled(proposal)) return;
    const current = this.core.confirmed(target);
    const rules = this.#rules(target);
    if (current === seen && rules === record.rules) return;
    // The revision of a document with pending calls counts those too.
    const isUnchanged = this.core.hasPending(target) && rules === record.rules && isSame(seen, current);
    record.seen = current;
    record.rules = rules;
    if (isUnchanged) return;
    const { carried } = record.view;
    record.view = this.#view(record, current);
    const news = shownOf(record.view);
    const revision = this.#revision(target);
    const { status, diff, changes } = proposal;
    const isAsShown = status === news.status && isSame(diff, news.diff) && isSame(changes, news.changes);
    if (isAsShown && carried === record.view.carried) {
      if (revision !== proposal.revision) this.#collection.update(record, { revision });
    } else {
      this.#collection.update(record, { revision, ...news });
    }
  }

  /** Computes the proposal on the current confirmed document. */
  #view(record: PatchRecord, current: Json | undefined): View {
    return this.#carriedTo(record, current) ?? this.#stale(record, current);
  }

  /** A pending view, or `undefined` if the document has changed in the places of the proposal. */
  #carriedTo(record: PatchRecord, current: Json | undefined): View | undefined {
    const { changes, rules } = record;
    if (changes === undefined) return undefined;
    const { others, base } = this.#comparisons.between(record.base, current, rules);
    record.base = base;
    if (record.proposed?.rules !== rules)
      record.proposed = { rules, entries: entriesOf(base, applied(base, changes, false), rules) };
    const { entries } = record.proposed;
    if (others.length === 0) return { status: "pending", entries, changes, carried: false };
    if (base === undefined || current === undefined || !this.#hasSubject(record, current)) return undefined;
    const places = new Places(entries);
    if (!others.some((other) => places.areDisturbed(other)))
      return { status: "pending", entries, changes: entries.map(toChange), carried: true };
    const wanted = others.some((other) => places.meet(other)) ? undefined : applyEntries(current, entries, rules);
    if (wanted === undefined) return undefined;
    const carried = entriesOf(current, wanted, rules);
    return { status: "pending", entries: carried, changes: carried.map(toChange), carried: true };
  }

  /** Whether the object that the proposal is about is still the same one. */
  #hasSubject({ proposal, base, rules }: PatchRecord, current: Json): boolean {
    const subject = this.owner?.subjectOf(proposal.proposed);
    if (subject === undefined) return true;
    const lookUp = new LookUp(rules);
    const place = lookUp.place(base ?? null, subject.path)?.map(({ step, id }) => (id === undefined ? step : { id }));
    const before = place && lookUp.at(base ?? null, place);
    const now = place && lookUp.at(current, place);
    const keyOf = (found: { value: Json } | undefined) => valueAt(found?.value, [subject.key]) ?? null;
    return before !== undefined && now !== undefined && equal(keyOf(before), keyOf(now));
  }

  /** A stale view: shows the changes that the call would make to the current document. */
  #stale({ call, rules }: PatchRecord, current: Json | undefined): View {
    const fresh = this.core.preview(call);
    const changes = fresh.status === "success" ? fresh.changes : [];
    const entries = changes.length === 0 ? [] : entriesOf(current, applied(current, changes, false), rules);
    return { status: "stale", entries, changes, carried: false };
  }

  /** The document with all of the proposal applied. */
  #after({ seen, rules, view: { entries } }: PatchRecord): Json | undefined {
    if (seen !== undefined && entries[0]?.place.length !== 0) return applyEntries(seen, entries, rules);
    const whole = entries[0]?.change;
    return whole?.kind === "set" ? whole.value : undefined;
  }

  /** Compares the document that an approval makes with the proposed one. */
  #outcome(record: PatchRecord, proposed: Json | undefined, result: Json | undefined): Outcome<readonly Step[]> {
    const { seen, rules, view } = record;
    if (isSame(proposed, result))
      return outcomeOf(
        "all",
        view.entries.map(({ change }) => ["applied", change.path]),
      );
    const missing = new Places(entriesOf(result, proposed, rules));
    const changed = entriesOf(seen, result, rules);
    const changedPlaces = new Places(changed);
    const known = new Places(view.entries);
    const parts = view.entries.map((entry): Part<readonly Step[]> => {
      const isApplied = !missing.meet(entry);
      return [isApplied ? "applied" : changedPlaces.meet(entry) ? "edited" : "omitted", entry.change.path];
    });
    const added = changed.filter((entry) => !known.meet(entry));
    const additions = added.map(({ change }): Part<readonly Step[]> => ["edited", change.path]);
    return outcomeOf(isSame(seen, result) ? "none" : undefined, [...parts, ...additions]);
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
    const waiting = [...this.#collection.records.values()].filter(({ proposal }) => !isSettled(proposal));
    const saved = waiting.map(({ proposal, call, callId, base, seen, rules }): Saved => {
      const { id, target, author, group } = proposal;
      let script = entriesOf(seen, base, rules).map(toChange);
      // The module limits a script to the length of a call. In place of a longer script the document itself is saved.
      if (base !== undefined && JSON.stringify(script).length > this.core.limits.maxCallBytes / 3)
        script = [{ kind: "set", path: [], value: base }];
      const optional = { ...(callId !== undefined && { callId }), ...(script.length > 0 && { base: script }) };
      return { id, call, target, author, ...(group !== undefined && { group }), ...optional };
    });
    return saved.length === 0 ? undefined : saved;
  }

  /** Restores the proposals of a saved text, each computed again from its call and the document on which it was made. */
  restore(text: string): void {
    const { proposals = [] }: { proposals?: Saved[] } = JSON.parse(text);
    this.restoreAll(proposals);
  }

  /** Restores proposals after those that are here already. */
  restoreAll(saved: readonly Saved[]): void {
    if (this.#collection.records.size + saved.length > this.max)
      throw new GenuiPatchError("LIMIT_EXCEEDED", `The saved text has more than ${this.max} proposals.`);
    try {
      for (const one of saved) this.#restore(one);
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
    const current = this.core.confirmed(target);
    const { base, preview } =
      script === undefined
        ? { base: current, preview: this.core.preview(call) }
        : previewApart(this.core, target, call, current, script);
    const isValid = preview.status === "success";
    if (isValid && preview.instance_name !== target) throw misuse(`restore: a proposal is not about "${target}".`);
    const sent = fromText(call);
    const values = isObject<Json>(sent) ? sent : {};
    this.owner?.restored(id, asCall(values), base);
    // A call that cannot be applied, under other options for example, stays as a stale proposal.
    const { changes, warnings } = isValid ? preview : { changes: undefined, warnings: undefined };
    this.#add({ id, target, text: call, values, callId, base, changes, warnings, by });
  }
}

/** The values of a call that a preview has accepted. */
const asCall = (values: object): PatchCall => values as PatchCall;

/** The properties of a proposal that follow from its view. */
function shownOf({ status, entries, changes }: View): Pick<PatchProposal, "status" | "diff" | "changes"> {
  return { status, diff: entries.map(({ change }) => change), changes: [...changes] };
}
