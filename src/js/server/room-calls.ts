/**
 * `RoomCalls`: the calls of users and agents on a room. Each is checked, and its promise resolves once the call is in the log and
 * applied, or refused. It rejects if it is unknown whether the call is in the log.
 */

import type { FileCall } from "../blocks/types.js";
import { isObject, type Members } from "../core/kinds.js";
import type { TaskFlow } from "../flow/types.js";
import type { CallEffect } from "../tools/tool-set.js";
import type { PatchCall } from "../types.js";
import type { Batch } from "./batch.js";
import { readCallId } from "./clients.js";
import { fileDecision, nodeDecision, patchDecision, type SentDecision } from "./decisions.js";
import { type Entry, isEntry, targetOf } from "./entry.js";
import { NO_FILES, refused, tooLate } from "./results.js";
import type { WaitingFileCall } from "./room-files.js";
import type { RoomLog } from "./room-log.js";
import type { WaitingCall } from "./room-proposals.js";
import type { RoomState } from "./room-state.js";
import type { RoomResult, ServerLimits, User } from "./types.js";

/** UTF-16 units in the name of an instance. */
const MOST_NAME = 256;

/** Who sends a call. */
export interface Sender {
  user: User;
  /** Idempotency key: a second call with the same key is not executed. */
  key?: string | undefined;
  /** The user is an agent. */
  agent?: true | undefined;
}

const now = () => new Date().toISOString();
const newProposalId = () => `p-${crypto.randomUUID()}`;

export class RoomCalls {
  constructor(
    private readonly state: RoomState,
    private readonly log: RoomLog,
    private readonly host: { readonly limits: ServerLimits; usedLength(): number },
  ) {}

  /** The result of a call that must not be executed again; `undefined` for a new call. */
  #resultOfKnown({ user, id, key }: Sender & { id?: string | undefined }): RoomResult | undefined {
    return this.state.knownCall(this.log.head.number, user, { id, key });
  }

  /** Adds a task flow, in the name of a user. */
  addFlow(flow: TaskFlow, user: User): Promise<RoomResult> {
    return this.log.add(JSON.stringify(flow).length, () => this.#withOrigin({ kind: "flow", flow }, user));
  }

  /** Completes an entry with its sender and the time. */
  #withOrigin<Kind extends object>(entry: Kind, user: User, agent?: true) {
    return { ...entry, user, ...(agent && { agent }), time: now() };
  }

  /**
   * An id that at most one call of a batch has: the one on a file, or, without a path, the one on the flows. Only patch calls are
   * tried on the documents, so a second call could not be checked on the effect of the first.
   */
  #idInBatch(path?: string | undefined): string {
    return path === undefined ? "flows" : `file ${path}`;
  }

  /** Writes, edits or deletes a file. `expected`: the call is refused unless the file still has this text. */
  writeFile(call: FileCall, from: Sender, expected?: Pick<CallEffect, "before">): Promise<RoomResult> {
    const { user, key, agent } = from;
    const length = JSON.stringify(call).length;
    const prepare = (): Entry | RoomResult => {
      const knownResult = this.#resultOfKnown(from);
      if (knownResult !== undefined) return knownResult;
      if (this.state.files === undefined) return NO_FILES;
      const plan = this.state.files.plan(call, "unreviewed");
      if ("status" in plan) return plan;
      const { path } = plan.call;
      if (expected !== undefined && expected.before !== plan.before)
        return refused("FILE_CHANGED", `The file "${path}" has changed in the meantime.`, "Read it again.");
      // An estimate on the safe side: the entry has the new text, but not the call.
      const newLength = plan.after?.length ?? 0;
      const refusal = this.#refusalOfSize(length + newLength) ?? this.#refusalOfMoreFiles(path);
      return refusal ?? this.#withOrigin({ kind: "file", path, text: plan.after, key } as const, user, agent);
    };
    return this.log.add(length, prepare, [key, this.#idInBatch(call.path)]);
  }

  /** The refusal of a file that would be one too many. */
  #refusalOfMoreFiles(path: string): RoomResult | undefined {
    const { maxInstances } = this.host.limits;
    const { files } = this.state;
    const isNew = files !== undefined && files.text(path) === null;
    if (!isNew || files.count < maxInstances) return undefined;
    return refused("LIMIT_EXCEEDED", `There are ${maxInstances} files, as many as there may be.`, "Delete one.");
  }

  /** Proposes to write, edit or delete a file. */
  proposeFile(call: FileCall, { user, agent }: Sender): Promise<RoomResult> {
    const length = JSON.stringify(call).length;
    const prepare = (): Entry | RoomResult => {
      if (this.state.files === undefined) return NO_FILES;
      const plan = this.state.files.plan(call, "reviewed");
      if ("status" in plan) return plan;
      // An estimate: the entry has the call and the text that the file would get.
      const refusal = this.#refusalOfMoreProposals() ?? this.#refusalOfSize(length * 2);
      const entry = { kind: "propose-file", id: newProposalId(), call: plan.call, after: plan.after } as const;
      return refusal ?? this.#withOrigin(entry, user, agent);
    };
    return this.log.add(length, prepare, [this.#idInBatch(call.path)]);
  }

  /** Updates a node, or proposes that: if `waits`, or if the type of the node asks for an approval of agents' updates. */
  updateNode(args: Members, from: Sender, { waits }: { waits: boolean }): Promise<RoomResult> {
    const { user, key, agent } = from;
    const length = JSON.stringify(args).length;
    const prepare = (): Entry | RoomResult => {
      const knownResult = this.#resultOfKnown(from);
      if (knownResult !== undefined) return knownResult;
      if (this.state.flow === undefined)
        return refused("UNKNOWN_TOOL", "The room has no task flows.", "Use other tools.");
      // Whether an agent's update becomes a proposal is known only when it is applied. A user's never does by itself.
      const mayBecomeProposal = waits || agent === true;
      const refusal = (mayBecomeProposal ? this.#refusalOfMoreProposals() : undefined) ?? this.#refusalOfSize(length);
      const entry = { kind: "node", id: newProposalId(), args, key, ...(waits && { waits }) } as const;
      return refusal ?? this.#withOrigin(entry, user, agent);
    };
    return this.log.add(length, prepare, [key, this.#idInBatch()]);
  }

  /** Executes a patch call. `id`: the one under which the page knows the call. `length`: that of the text of the call. */
  write(
    call: PatchCall,
    from: Sender & { id?: string | undefined },
    length = JSON.stringify(call).length,
  ): Promise<RoomResult> {
    const { id, key } = from;
    const prepare = (batch: Batch): Entry | RoomResult => {
      const knownResult = this.#resultOfKnown(from);
      if (knownResult !== undefined) return knownResult;
      const target = targetOf(call);
      const isNew = target !== undefined && this.state.store.confirmed(target) === undefined;
      // An instance is counted after `refusalOf` has created it in the batch.
      const refusal =
        this.#refusalOfName(target) ??
        this.#refusalOfSize(length) ??
        batch.refusalOf(call) ??
        (isNew ? this.#refusalOfMoreInstances() : undefined);
      if (refusal !== undefined) return refusal;
      const callId = id === undefined ? undefined : readCallId(id);
      if (callId !== undefined && batch.isLate(callId)) return tooLate(callId.client);
      return { kind: "call", ...from, time: now(), call };
    };
    return this.log.add(length, prepare, [id, key]);
  }

  /** The refusal of a call whose instance has a name that is too long. */
  #refusalOfName(target: string | undefined): RoomResult | undefined {
    if (target === undefined || target.length <= MOST_NAME) return undefined;
    const message = `The name of an instance has at most ${MOST_NAME} characters.`;
    return refused("LIMIT_EXCEEDED", message, "Send a shorter one.");
  }

  /** The refusal of a call of this length, after which all documents of the server would be longer than the limit. */
  #refusalOfSize(length: number): RoomResult | undefined {
    const { maxBytes } = this.host.limits;
    if (this.host.usedLength() + length <= maxBytes) return undefined;
    const message = `The documents of this server have ${maxBytes} characters, as many as they may have.`;
    return refused("LIMIT_EXCEEDED", message, "Delete instances or rooms that are not needed.");
  }

  /** The refusal of an instance that is one too many. The new instance is among the names. */
  #refusalOfMoreInstances(): RoomResult | undefined {
    const { maxInstances } = this.host.limits;
    if (this.state.store.names().length <= maxInstances) return undefined;
    const message = `There are ${maxInstances} instances, as many as there may be.`;
    return refused("LIMIT_EXCEEDED", message, "Delete one that is not needed.");
  }

  /** Shows an instance on all pages, or a block of it. */
  show({ name, block }: { name: string; block?: string | undefined }, user: User): Promise<RoomResult> {
    return this.log.add(name.length, () => {
      const document = this.state.store.confirmed(name);
      if (document === undefined) {
        const firstNames = this.state.store.names().slice(0, 8);
        return refused("INVALID_INSTANCE", `There is no instance "${name}".`, `Use one of ${firstNames.join(", ")}.`);
      }
      const blocks = isObject(document) && Array.isArray(document.blocks) ? document.blocks : [];
      if (block !== undefined && !blocks.some((one) => isObject(one) && one.id === block))
        return refused(
          "PATH_NOT_FOUND",
          `There is no block "${block}" in "${name}".`,
          "get_schema has the ids of blocks.",
        );
      return { kind: "show", name, ...(block !== undefined && { block }), user, time: now() };
    });
  }

  /** The refusal of a proposal that would be one too many. */
  #refusalOfMoreProposals(): RoomResult | undefined {
    const { maxProposals } = this.host.limits;
    if (this.state.proposals.count < maxProposals) return undefined;
    return refused("LIMIT_EXCEEDED", `${maxProposals} proposals already wait.`, "Wait until some are settled.");
  }

  /** Proposes a patch call. */
  propose(call: PatchCall, user: User): Promise<RoomResult> {
    const length = JSON.stringify(call).length;
    return this.log.add(length, (batch) => {
      const refusal =
        this.#refusalOfMoreProposals() ??
        this.#refusalOfName(targetOf(call)) ??
        this.#refusalOfSize(length) ??
        batch.refusalOf(call);
      return refusal ?? { kind: "propose", id: newProposalId(), call, user, time: now() };
    });
  }

  /** Approves a proposal, or a part of it. */
  async approve(id: string, options: SentDecision, user: User): Promise<RoomResult> {
    await this.#readIfUnknown(id);
    const { proposals } = this.state;
    const waiting = proposals.waitingCall(id);
    // A patch call needs no such id.
    const idInBatch =
      waiting?.kind === undefined
        ? undefined
        : this.#idInBatch(waiting.kind === "file" ? waiting.call.path : undefined);
    const makeEntry = (waiting: WaitingCall): Entry | RoomResult => {
      if (waiting.kind === "file") return this.#fileApproval(id, waiting, options, user);
      if (waiting.kind === "node")
        return { kind: "approve-node", id, options: nodeDecision(options), user, time: now() };
      const proposal = proposals.get(id);
      if (proposal?.status === "stale") {
        const message = `What the proposal would change in "${proposal.target}" has changed since it was made.`;
        return { ...refused("STALE_PROPOSAL", message, "Propose it anew if it is still wanted."), diff: proposal.diff };
      }
      return { kind: "approve", id, options: patchDecision(options), user, time: now() };
    };
    const length = JSON.stringify(options).length;
    return this.log.add(length, (batch) => this.#decideOnce(id, batch, makeEntry), [idInBatch]);
  }

  /** The entry that approves a waiting call on a file, with the texts that it results in; or the refusal. */
  #fileApproval(id: string, waiting: WaitingFileCall, options: SentDecision, user: User): Entry | RoomResult {
    if (this.state.files === undefined) return NO_FILES;
    const decision = fileDecision(options);
    if (decision === undefined)
      return refused("INVALID_ARGUMENT", "A file is approved by hunks or edits.", "Send one.");
    const agreed = this.state.files.agree(id, waiting, decision);
    if (agreed.status === "error" || agreed.status === "success") return agreed;
    // `seen` has served its purpose: the log keeps what was approved.
    const { seen: _, ...approval } = decision;
    return { kind: "approve-file", id, path: waiting.call.path, agreed, options: approval, user, time: now() };
  }

  /** Refuses a proposal. `reason`: for the agent. */
  async refuse(id: string, reason: string | undefined, user: User): Promise<RoomResult> {
    await this.#readIfUnknown(id);
    const makeEntry = (): Entry => ({
      kind: "refuse",
      id,
      ...(reason !== undefined && { reason }),
      user,
      time: now(),
    });
    return this.log.add(reason?.length ?? 0, (batch) => this.#decideOnce(id, batch, makeEntry));
  }

  /** Reads the log if this server does not know a proposal: a page may have heard of it from another server. */
  async #readIfUnknown(id: string): Promise<void> {
    const { proposals } = this.state;
    if (proposals.waitingCall(id) === undefined && proposals.decision(id) === undefined) await this.log.readLatest();
  }

  /**
   * Makes the entry of a decision; or the refusal, for a proposal that does not exist, or is settled by the log or by an entry of
   * the batch. Others may have settled it while the decision was in the queue.
   */
  #decideOnce(id: string, batch: Batch, makeEntry: (waiting: WaitingCall) => Entry | RoomResult): Entry | RoomResult {
    const earlierDecision = this.state.proposals.decision(id);
    if (earlierDecision !== undefined || batch.ids.has(id)) {
      const state =
        earlierDecision === undefined
          ? "being settled"
          : `${earlierDecision.decision} by ${earlierDecision.user.name ?? earlierDecision.user.id}`;
      return refused("PROPOSAL_SETTLED", `The proposal "${id}" is ${state}.`, "Nothing is left to do.");
    }
    const waiting = this.state.proposals.waitingCall(id);
    if (waiting === undefined)
      return refused("UNKNOWN_PROPOSAL", `There is no proposal "${id}".`, "Use the id of a proposal that waits.");
    const entryOrResult = makeEntry(waiting);
    if (isEntry(entryOrResult)) batch.ids.add(id);
    return entryOrResult;
  }
}
