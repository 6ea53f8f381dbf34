/** `PendingProposals`: the proposals of a workspace, kept up to date with the texts of their files. */
import { isSettled, ProposalCollection } from "../approval/collection.js";
import type { FileProposal, WorkspaceCall } from "../approval/types.js";
import type { Listeners } from "../core/listeners.js";
import type { Source } from "../store/history-types.js";
import type { Hunk } from "../types.js";
import type { Access } from "./access.js";
import type { FileEdit, FileWriter } from "./commit.js";
import { type FileRefusedError, fileRefusal, hostRefusal } from "./errors.js";
import { type CheckedCall, type FileRead, planEffect } from "./plan.js";
import {
  type Current,
  effectsOf,
  type FilePart,
  isSameDiff,
  type ProposalRecord,
  resultOf,
  type Text,
  viewOn,
} from "./proposals.js";
import type { ExecutedEffect } from "./runner.js";
import type { FileApproval, WorkspaceEvent } from "./types.js";

/** The properties of a new proposal, without its call. `by` is who proposes it. */
type NewProposal = Pick<ProposalRecord, "parts" | "refused"> &
  Pick<FileProposal, "warnings" | "fixes"> & { by: Source };

/** A proposal with its validated call, which computes the diff of a stale proposal anew. */
interface PendingRecord extends ProposalRecord {
  checked: CheckedCall;
}

export class PendingProposals {
  /** All proposals, also settled ones. */
  readonly collection: ProposalCollection<PendingRecord>;

  constructor(
    private readonly access: Access,
    private readonly writer: FileWriter,
    private readonly listeners: Listeners<WorkspaceEvent>,
    maxProposals: number | undefined,
  ) {
    this.collection = new ProposalCollection(maxProposals);
    writer.onCommit((edits) => this.#refreshAll(edits));
  }

  /** Adds a proposal. A proposal that cannot be applied to the texts that were read is stale from the start. */
  add(id: string, checked: CheckedCall, { warnings, fixes, by, parts, refused }: NewProposal): FileProposal {
    const { call } = checked;
    // A copy, since the collection freezes the proposal.
    const proposed: WorkspaceCall = { ...structuredClone(call), status: "detected" };
    const isPatch = checked.isPatch === true;
    const proposal: FileProposal = {
      id,
      kind: "file",
      target: parts.length > 1 ? parts.map(({ path }) => path).join(", ") : (parts[0]?.path ?? call.path),
      revision: this.#revision(parts),
      diff: [],
      changes: [],
      status: "stale",
      author: by.author,
      ...(by.group !== undefined && { group: by.group }),
      proposed,
      ...(warnings && { warnings }),
      ...(fixes && { fixes }),
    };
    const record: PendingRecord = { proposal, parts, checked, isPatch, ...(refused && { refused }) };
    const currents = parts.map(({ seen }) => seen);
    record.proposal = { ...proposal, ...this.#propertiesOn(record, currents) };
    this.collection.put(record);
    this.listeners.emit({ type: "proposal", proposal: record.proposal });
    return record.proposal;
  }

  /**
   * Executes what the user approved on the current texts of the files (`reads`). A conflict, and hunks of a diff that is no
   * longer the shown one, are refused before anything changes. The status is `approved` while the files are written; if that
   * fails, it is restored.
   */
  async approve(
    record: PendingRecord,
    approval: FileApproval,
    reads: readonly FileRead[],
    by: Source,
  ): Promise<ExecutedEffect> {
    const { hunks } = approval;
    const { target } = record.proposal;
    if (isSettled(record.proposal)) throw fileRefusal("PROPOSAL_SETTLED", target);
    const currents = record.parts.map((part) => currentIn(part, reads));
    const view = viewOn(record, currents);
    if (view === undefined) throw this.#conflict(record, currents);
    if (hunks !== undefined && !isSameDiff(view.hunks, record.proposal.diff)) {
      // The user chose hunks of another diff.
      this.#refresh(record, currents);
      const noDetails = "";
      throw fileRefusal("STALE_PROPOSAL", target, noDetails, { diff: record.proposal.diff });
    }
    const result = resultOf(record, view, approval);
    if (result === undefined) throw this.#conflict(record, currents);
    // The diff of a stale proposal was computed on another text.
    if (record.proposal.status === "stale") this.#refresh(record, currents);
    const hunkCount = record.proposal.diff.length;
    if (hunks?.some((index) => index >= hunkCount)) throw fileRefusal("INVALID_ARGUMENT", target, hunkCount);
    // From here on the user can no longer refuse the proposal.
    const { status } = record.proposal;
    this.collection.update(record, { status: "approved" });
    try {
      const { approved, after, writes, outcome } = result;
      if (writes.length > 0) await this.writer.commit(writes, by);
      this.#update(record, { approved: approved[0] ?? null, effective: after[0] ?? null, outcome });
      if (writes.length === 0) return { diff: [] };
      // The result lists only the files that were written.
      const writtenFiles = view.parts.flatMap(({ part: { path: partPath, from }, before }, index) => {
        const isWritten = writes.some(({ path }) => path === partPath || path === from?.path);
        return isWritten
          ? [{ path: partPath, ...(from && { from: from.path }), before, after: after[index] ?? null }]
          : [];
      });
      return planEffect(record.isPatch, writtenFiles);
    } catch (cause) {
      this.collection.update(record, { status });
      throw cause;
    }
  }

  /** Computes the proposals again whose files these edits have changed. */
  async #refreshAll(edits: readonly FileEdit[]): Promise<void> {
    const files = new Set(edits.map(({ file }) => file));
    const texts = new Map(edits.map(({ path, after }) => [path, after]));
    for (const record of this.collection.records.values()) {
      const { parts, proposal } = record;
      const isChanged = parts.some(({ file, from }) => files.has(file) || (from !== undefined && files.has(from.file)));
      if (!isChanged || isSettled(proposal)) continue;
      const knownTexts = parts.flatMap((part) => knownText(part, texts, files) ?? []);
      // Only the host knows whether another spelling of the path is the same file.
      const currents =
        knownTexts.length === parts.length ? knownTexts.map(({ text }) => text) : await this.#lookUp(parts);
      // The user may have decided while the host was asked.
      if (currents !== undefined && !isSettled(record.proposal)) this.#refresh(record, currents);
    }
  }

  /** The properties of a proposal that depend on the current texts of its files: one for each part. */
  #propertiesOn(
    record: PendingRecord,
    currents: readonly Current[],
  ): Pick<FileProposal, "status" | "diff" | "action" | "files"> {
    const view = viewOn(record, currents);
    if (view === undefined) return { status: "stale", diff: this.#freshDiff(record, currents).diff };
    const { hunks: diff, parts } = view;
    const files = effectsOf(view);
    if (record.isPatch) return { status: "pending", diff, files };
    // Without a change, for example after the user has written the same text, there is no action.
    const action = parts.some(({ before, after }) => before !== after) ? files[0]?.action : undefined;
    return { status: "pending", diff, ...((action === "created" || action === "deleted") && { action }) };
  }

  /**
   * The diff of a stale proposal's call on the current texts. If the call would fail, the diff is empty, and `why` is a sentence
   * with a blank before it.
   */
  #freshDiff(
    { parts, checked, refused, proposal: { target } }: PendingRecord,
    currents: readonly Current[],
  ): { diff: Hunk[]; why: string } {
    try {
      if (refused) throw refused;
      const texts = new Map<string, Text>();
      for (const [index, { path, from }] of parts.entries()) {
        const current = currents[index];
        if (current === undefined) throw fileRefusal("ALREADY_EXISTS", path);
        texts.set(from?.path ?? path, current);
        if (from) texts.set(path, null);
      }
      return { diff: planEffect(checked.isPatch === true, checked.plan(texts, "reviewed")).diff ?? [], why: "" };
    } catch (cause) {
      return { diff: [], why: ` ${hostRefusal(cause, target).answer.error.message}` };
    }
  }

  /** The current texts of the files; `undefined` if the host fails. */
  async #lookUp(parts: readonly FilePart[]): Promise<Current[] | undefined> {
    try {
      const currents: Current[] = [];
      for (const { path, from } of parts) {
        const isBlocked = from !== undefined && (await this.access.find(path)) !== null;
        currents.push(isBlocked ? undefined : await this.access.find(from?.path ?? path));
      }
      return currents;
    } catch {
      return undefined;
    }
  }

  /** Computes a proposal again on the current texts of its files. */
  #refresh(record: PendingRecord, currents: readonly Current[]): void {
    const { proposal, parts } = record;
    const properties = this.#propertiesOn(record, currents);
    const isUnchanged = parts.every(({ seen }, index) => seen === currents[index]);
    for (const [index, part] of parts.entries()) part.seen = currents[index];
    const revision = this.#revision(parts);
    const { status, action, diff } = properties;
    const isSame = status === proposal.status && action === proposal.action && isEqual(diff, proposal.diff);
    if (isSame) {
      // The texts have changed outside of the proposed lines: listeners need not know.
      if (!isUnchanged && revision !== proposal.revision) this.collection.update(record, { revision });
      return;
    }
    // The new properties may lack these two, which are then removed.
    const { action: _, files: __, ...rest } = proposal;
    record.proposal = rest;
    this.#update(record, { revision, ...properties });
  }

  /** Marks a proposal as stale, with the diff that its call would make now. Returns the refusal of its approval. */
  #conflict(record: PendingRecord, currents: readonly Current[]): FileRefusedError {
    const { target } = record.proposal;
    const { diff, why } = this.#freshDiff(record, currents);
    for (const [index, part] of record.parts.entries()) part.seen = currents[index];
    const { action: _, files: __, ...rest } = record.proposal;
    record.proposal = rest;
    this.#update(record, { status: "stale", diff, revision: this.#revision(record.parts) });
    return fileRefusal("STALE_PROPOSAL", target, why, { diff });
  }

  /** Changes a proposal, and notifies the listeners. */
  #update(record: PendingRecord, changes: Partial<FileProposal>): void {
    this.collection.update(record, changes);
    this.listeners.emit({ type: "proposal", proposal: record.proposal });
  }

  /** How often this workspace has changed the files of a proposal. */
  #revision(parts: readonly FilePart[]): number {
    return parts.reduce((sum, { file }) => sum + this.writer.revision(file), 0);
  }
}

/** Whether two diffs are equal, also in the lines at which their hunks are. */
const isEqual = (one: readonly Hunk[], other: readonly Hunk[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The current text of a part, among the texts of all files of the call. */
function currentIn({ path, from }: FilePart, reads: readonly FileRead[]): Current {
  const textOf = (wanted: string) => reads.find(({ path }) => path === wanted)?.text ?? null;
  if (from === undefined) return textOf(path);
  return textOf(path) === null ? textOf(from.path) : undefined;
}

/**
 * The current text of a part after changes of `files` (identities), whose new texts are in `texts` (by path): the new text, or
 * the one seen last if its file was not changed. `undefined` if only the host knows the text: the file was written by another of
 * its paths, or a file was written at the new path of a moved file.
 */
function knownText(
  { path, file, from, seen }: FilePart,
  texts: ReadonlyMap<string, Text>,
  files: ReadonlySet<string>,
): { text: Current } | undefined {
  const source = from ?? { path, file };
  if (from !== undefined && files.has(file)) return undefined;
  const text = texts.get(source.path);
  if (text !== undefined) return { text };
  return files.has(source.file) ? undefined : { text: seen };
}
