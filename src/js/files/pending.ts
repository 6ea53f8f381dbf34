/** `PendingProposals`: the proposals of a workspace, kept up to date with the texts of their files. */
import { isSettled, ProposalCollection } from "../approval/collection.js";
import type { FileProposal } from "../approval/types.js";
import type { ToolCall } from "../blocks/types.js";
import type { Listeners } from "../core/listeners.js";
import { equal } from "../diff/equal.js";
import type { Hunk } from "../types.js";
import type { Access } from "./access.js";
import { type FileRefusedError, fileRefusal, hostRefusal } from "./errors.js";
import { plan } from "./plan.js";
import { agree, hunksOf, isSameDiff, type Text, viewOn, type Waiting } from "./proposals.js";
import type { Done } from "./runner.js";
import type { FileAction, FileApproval, WorkspaceEvent } from "./types.js";

/** The properties of a new proposal, without its call. */
type NewProposal = Omit<Waiting, "proposal"> & Pick<FileProposal, "warnings" | "fixes">;

export class PendingProposals {
  readonly collection: ProposalCollection<Waiting>;
  /** How often this workspace has changed each file. */
  readonly #revisions = new Map<string, number>();

  constructor(
    private readonly access: Access,
    private readonly listeners: Listeners<WorkspaceEvent>,
    maxProposals: number | undefined,
  ) {
    this.collection = new ProposalCollection(maxProposals);
  }

  add(id: string, call: ToolCall<never>, { warnings, fixes, ...own }: NewProposal): FileProposal {
    const { path: target } = call;
    // A copy, since it is frozen.
    const proposed = { ...structuredClone(call), status: "detected" as const };
    const revision = this.#revision(own.file);
    const proposal: FileProposal = {
      id,
      kind: "file",
      target,
      revision,
      diff: [],
      changes: [],
      status: "stale",
      proposed,
      ...(warnings && { warnings }),
      ...(fixes && { fixes }),
    };
    const waiting: Waiting = { proposal, ...own };
    waiting.proposal = { ...proposal, ...this.#shown(waiting, own.seen) };
    this.collection.put(waiting);
    this.listeners.emit({ type: "proposal", proposal: waiting.proposal });
    return waiting.proposal;
  }

  /** Executes what the user approved on the current text of the file. */
  async approve(waiting: Waiting, approval: FileApproval, path: string, current: Text, file: string): Promise<Done> {
    const { hunks } = approval;
    if (isSettled(waiting.proposal)) throw fileRefusal("PROPOSAL_SETTLED", path);
    const view = viewOn(waiting, current);
    if (view === undefined) throw this.#conflict(waiting, current);
    if (hunks !== undefined && !isSameDiff(view.hunks, waiting.proposal.diff)) {
      // The user chose hunks of another diff.
      this.#refresh(waiting, current);
      throw fileRefusal("STALE_PROPOSAL", path, "", { diff: waiting.proposal.diff });
    }
    const agreed = agree(waiting, view, approval);
    if (agreed === undefined) throw this.#conflict(waiting, current);
    // The diff of a stale proposal was computed on another text.
    if (waiting.proposal.status === "stale") this.#refresh(waiting, current);
    const count = waiting.proposal.diff.length;
    if (hunks?.some((index) => index >= count)) throw fileRefusal("INVALID_ARGUMENT", path, count);
    // From here on the proposal cannot be refused.
    const { status } = waiting.proposal;
    this.collection.update(waiting, { status: "approved" });
    try {
      const { approved, after, outcome } = agreed;
      const done = current === after ? { diff: [] } : await this.write(path, file, current, after);
      this.#update(waiting, { approved, effective: after, outcome });
      return done;
    } catch (cause) {
      this.collection.update(waiting, { status });
      throw cause;
    }
  }

  /** Writes or removes a file, and updates the proposals for it. */
  async write(path: string, file: string, before: Text, after: Text): Promise<Done> {
    await this.access.ask(path, (host) => (after === null ? host.remove(path) : host.write(path, after)));
    this.access.listed(path, after !== null);
    this.#revisions.set(file, this.#revision(file) + 1);
    for (const waiting of this.collection.records.values()) {
      const { target } = waiting.proposal;
      if (waiting.file !== file || isSettled(waiting.proposal)) continue;
      // Only the host knows whether another spelling of the path is the same file.
      const current = target === path ? { text: after } : await this.#lookUp(target);
      if (current !== undefined && !isSettled(waiting.proposal)) this.#refresh(waiting, current.text);
    }
    return { action: actionOf(before, after), diff: hunksOf(before, after) };
  }

  /** The properties of a proposal that depend on the current text of its file. */
  #shown(waiting: Waiting, current: Text): Pick<FileProposal, "status" | "diff" | "action"> {
    const view = viewOn(waiting, current);
    if (view === undefined) return { status: "stale", diff: this.#freshDiff(waiting, current).diff };
    const { before, after, hunks: diff } = view;
    const action = before === after ? undefined : actionOf(before, after);
    return { status: "pending", diff, ...(action && action !== "updated" && { action }) };
  }

  /** The diff of a stale proposal's call on the current text, or the reason why the call would fail. */
  #freshDiff({ proposal: { proposed, target }, refused }: Waiting, current: Text): { diff: Hunk[]; why: string } {
    try {
      if (refused) throw refused;
      return { diff: hunksOf(current, plan(proposed, current, "reviewed").after), why: "" };
    } catch (cause) {
      return { diff: [], why: ` ${hostRefusal(cause, target).answer.error.message}` };
    }
  }

  /** The text of a file; `undefined` if the host fails. */
  async #lookUp(path: string): Promise<{ text: Text } | undefined> {
    try {
      return { text: await this.access.find(path) };
    } catch {
      return undefined;
    }
  }

  /** Computes a proposal again on the current text of its file. */
  #refresh(waiting: Waiting, current: Text): void {
    const { proposal, seen } = waiting;
    const shown = this.#shown(waiting, current);
    waiting.seen = current;
    const revision = this.#revision(waiting.file);
    const isSame =
      shown.status === proposal.status &&
      shown.action === proposal.action &&
      equal(shown.diff as never, proposal.diff as never);
    if (isSame) {
      if (seen !== current && revision !== proposal.revision) this.collection.update(waiting, { revision });
      return;
    }
    const { action: _, ...rest } = proposal;
    waiting.proposal = rest;
    this.#update(waiting, { revision, ...shown });
  }

  /** Marks a proposal as stale, with the diff that its call would make now. */
  #conflict(waiting: Waiting, current: Text): FileRefusedError {
    const { target } = waiting.proposal;
    const { diff, why } = this.#freshDiff(waiting, current);
    waiting.seen = current;
    this.#update(waiting, { status: "stale", diff, revision: this.#revision(waiting.file) });
    return fileRefusal("STALE_PROPOSAL", target, why, { diff });
  }

  #update(waiting: Waiting, changes: Partial<FileProposal>): void {
    this.collection.update(waiting, changes);
    this.listeners.emit({ type: "proposal", proposal: waiting.proposal });
  }

  #revision(file: string): number {
    return this.#revisions.get(file) ?? 0;
  }
}

function actionOf(before: Text, after: Text): FileAction {
  return after === null ? "deleted" : before === null ? "created" : "updated";
}
