/** `RoomState`: what the entries of a room's log result in: documents, files, flows, proposals, and which calls were executed. */
import { GenuiPatchError } from "../core/errors.js";
import { contents } from "../store/options.js";
import { PatchStore } from "../store.js";
import type { PatchStoreOptions } from "../types.js";
import { MOST_CALLS_AT_ONCE } from "./batch.js";
import { Clients, RecentKeys, readCallId } from "./clients.js";
import { DocumentHashes } from "./document-hashes.js";
import { authorOf, type Entry, targetOf } from "./entry.js";
import { byWhom, messageOf, messageOfApproval, NOTHING } from "./entry-messages.js";
import { refused, tooLate, unknownProposal } from "./results.js";
import { RoomFiles } from "./room-files.js";
import { RoomFlow } from "./room-flow.js";
import type { RoomHost } from "./room-host.js";
import { RoomProposals } from "./room-proposals.js";
import {
  type RoomRecord,
  restoreInStore,
  type SavedRecord,
  type SavedRoomRecord,
  storeRecords,
  unknownRecord,
  withOwner,
} from "./snapshot-records.js";
import type { RoomContents, RoomProposal, RoomResult, User } from "./types.js";

/** Idempotency keys that are remembered. */
const MOST_KEYS = 20_000;
/** Sessions that are remembered. A page of an older one gets whole documents. */
const MOST_SESSIONS = 1_000;

/** Limits of the history of each instance. They are lower than a page's, since a server has many instances. */
const HISTORY = { maxHistory: 100, maxHistoryBytes: 2 ** 18 };

/** What applying an entry results in: the message for pages, and the result for the caller. */
interface Applied {
  message: object;
  result: RoomResult;
}

export class RoomState {
  readonly store: PatchStore;
  readonly files: RoomFiles | undefined;
  readonly flow: RoomFlow | undefined;
  readonly proposals: RoomProposals;
  readonly hashes = new DocumentHashes();
  /** The length of the state as text, in UTF-16 units. Each snapshot measures it; in between the lengths of entries are added. */
  size = 0;
  #clients = new Clients();
  #keys = new RecentKeys(MOST_KEYS);
  /** The sessions of the log, each as the number of its first entry and its name. A session ends where the next one begins. */
  #sessions: [start: number, session: string][] = [];

  constructor(
    { store = {}, files, flow }: RoomContents,
    private readonly host: Pick<RoomHost, "limits" | "keys" | "approvalAge" | "count">,
  ) {
    this.store = new PatchStore(this.#options(store));
    this.files = files && new RoomFiles(files);
    this.flow = flow && new RoomFlow(flow);
    this.proposals = new RoomProposals(this, host);
  }

  /** The calls of a batch are pending in the store until they are written: `maxPending` must not be lower than their number. */
  #options(store: PatchStoreOptions): PatchStoreOptions {
    return {
      ...store,
      limits: {
        ...HISTORY,
        ...store.limits,
        maxPending: MOST_CALLS_AT_ONCE,
        maxProposals: this.host.limits.maxProposals,
      },
    };
  }

  /** The session that an entry belongs to, by its number; empty if it is not remembered. */
  sessionAt(number: number): string {
    let lastSession = "";
    for (const [start, session] of this.#sessions) if (start <= number) lastSession = session;
    return lastSession;
  }

  /**
   * The result of a call that must not be executed again, by its id or its key: success if it was executed, or a refusal if its
   * client has sent a later call or belongs to another user. `undefined` for a new call. `revision`: of the log's last entry, for
   * calls whose own entry is not remembered.
   */
  knownCall(
    revision: number,
    user: User,
    { id, key }: { id?: string | undefined; key?: string | undefined },
  ): RoomResult | undefined {
    const callId = id === undefined ? undefined : readCallId(id);
    if (callId !== undefined) {
      const state = this.#clients.stateOf(callId.client, callId.number, user.id);
      if (state === "executed") return { status: "success", again: true, revision };
      if (state === "late") return tooLate(callId.client);
      if (state === "foreign")
        return refused("FOREIGN_CLIENT", `The client "${callId.client}" is another user's.`, "Use another clientId.");
    }
    // An id of another form counts as a key.
    const idAsKey = callId === undefined ? id : undefined;
    const usedKey = key ?? idAsKey;
    const executedAt = usedKey === undefined ? undefined : this.#keys.get(usedKey);
    return executedAt === undefined ? undefined : { status: "success", again: true, revision: executedAt };
  }

  /**
   * Applies an entry, one that was written just now or one that was read: the state depends on the entries alone. `revision` is
   * its number. An entry that cannot be applied changes nothing, and its result is an error, on every server alike.
   */
  apply(entry: Entry, revision: number): Applied {
    const message = messageOf(entry);
    const success: RoomResult = { status: "success", revision };
    switch (entry.kind) {
      case "session":
        this.#sessions.push([revision, entry.session]);
        if (this.#sessions.length > MOST_SESSIONS) this.#sessions.shift();
        return { message, result: success };
      case "call": {
        const answer = this.store.callTool("patch_ui_state", entry.call, { author: authorOf(entry) });
        if (answer.status === "error") return { message: NOTHING, result: answer };
        this.host.count("calls");
        this.hashes.markChanged(targetOf(entry.call));
        this.#remember(entry, revision);
        return { message, result: { ...answer, revision } };
      }
      case "show": {
        // Only the tool `access_instance`, which shows no block, returns the document.
        if (entry.block !== undefined) return { message, result: success };
        const answer = this.store.callTool("access_instance", { instance_name: entry.name });
        return answer.status === "error"
          ? { message: NOTHING, result: answer }
          : { message, result: { ...answer, revision } };
      }
      case "propose": {
        const { id, call, user: by, time } = entry;
        const proposal = this.store.propose({ ...call, id }, { author: { kind: "agent", id: by.id } });
        if (proposal.status === "error") return { message, result: { ...proposal } };
        this.proposals.add(id, { local: proposal.id, call, by, time, revision });
        return { message, result: { ...success, proposal: id } };
      }
      case "approve":
        return this.#applyApproval(entry, revision);
      case "file": {
        const { path, text, key } = entry;
        const action = this.files?.set(path, text, revision);
        if (key !== undefined) this.#keys.add(key, revision);
        this.host.count("calls");
        return { message, result: { ...success, path, action } };
      }
      case "propose-file": {
        const { id, call, after, user: by, time } = entry;
        const before = this.files?.text(call.path) ?? null;
        this.proposals.add(id, { kind: "file", call, before, after, by, time, revision });
        return { message, result: { ...success, proposal: id } };
      }
      case "approve-file": {
        const { id, path, agreed } = entry;
        const waiting = this.proposals.waitingCall(id);
        const proposal = this.proposals.get(id);
        if (waiting === undefined || proposal?.kind !== "file")
          return { message: NOTHING, result: unknownProposal(id) };
        const action = this.files?.set(path, agreed.effective ?? null, revision);
        this.host.count("calls");
        this.proposals.settle(entry, waiting, "approved", { ...proposal, ...agreed });
        // The result has no texts of files: they may be long.
        const { approved: _, effective: __, ...rest } = agreed;
        return { message, result: { ...rest, ...success, proposal: id, path, action } };
      }
      case "flow": {
        const refusal = this.flow?.load(entry.flow);
        return refusal === undefined ? { message, result: success } : { message: NOTHING, result: refusal };
      }
      case "node":
        return this.#applyUpdate(entry, revision);
      case "approve-node": {
        const { id, options } = entry;
        const waiting = this.proposals.waitingCall(id);
        if (waiting?.kind !== "node" || this.flow === undefined)
          return { message: NOTHING, result: unknownProposal(id) };
        const approval = this.flow.approve(waiting, options);
        if ("error" in approval) return { message: NOTHING, result: { status: "error", ...approval } };
        this.host.count("calls");
        this.proposals.settle(entry, waiting, "approved");
        const { node, taskId } = approval;
        return { message: this.#flowMessage(taskId, entry), result: { ...success, proposal: id, node } };
      }
      case "refuse": {
        const { id, reason } = entry;
        const waiting = this.proposals.waitingCall(id);
        if (waiting === undefined) return { message, result: unknownProposal(id) };
        const proposal = this.proposals.get(id);
        if (waiting.kind === "node") this.flow?.refuse(waiting, reason);
        else if (waiting.kind === undefined) this.store.refuse(waiting.local, reason);
        // For documents and nodes, `settle` gets the refused proposal from their stores. That of a file is made here.
        const refusedFileProposal: RoomProposal | undefined =
          proposal?.kind === "file"
            ? { ...proposal, status: "refused", ...(reason !== undefined && { reason }) }
            : undefined;
        this.proposals.settle(entry, waiting, "refused", refusedFileProposal);
        return { message, result: { ...success, proposal: id } };
      }
    }
  }

  /** The message of a changed node: the whole flow. */
  #flowMessage(taskId: string, entry: Exclude<Entry, { kind: "session" }>): object {
    return { type: "flow", flow: this.flow?.flow(taskId), ...byWhom(entry) };
  }

  /** Executes an update of a node, or makes the proposal that it becomes. */
  #applyUpdate(entry: Entry & { kind: "node" }, revision: number): Applied {
    const { id, args, waits = false, key, user: by, time } = entry;
    const success: RoomResult = { status: "success", revision };
    const update = this.flow?.update(args, entry, waits);
    const hasNoFlows = update === undefined;
    if (hasNoFlows) return { message: NOTHING, result: success };
    if ("error" in update) return { message: NOTHING, result: { status: "error", error: update.error } };
    if (key !== undefined) this.#keys.add(key, revision);
    if ("proposalId" in update) {
      const { proposalId: local } = update;
      // For an update that already waits, the store of flows returns the proposal that it has.
      const waitingId = this.proposals.idOfNode(local);
      if (waitingId === undefined) this.proposals.add(id, { kind: "node", local, call: args, by, time, revision });
      return { message: NOTHING, result: { ...success, proposal: waitingId ?? id } };
    }
    this.host.count("calls");
    return {
      message: this.#flowMessage(update.taskId, entry),
      result: { ...success, updated: true, node: update.node },
    };
  }

  /** Approves a proposal on a document. */
  #applyApproval(entry: Entry & { kind: "approve" }, revision: number): Applied {
    const waiting = this.proposals.waitingCall(entry.id);
    if (waiting === undefined || waiting.kind !== undefined)
      return { message: NOTHING, result: unknownProposal(entry.id) };
    let result: ReturnType<PatchStore["approve"]>;
    try {
      result = this.store.approve(waiting.local, entry.options);
    } catch (cause) {
      if (!(cause instanceof GenuiPatchError)) throw cause;
      return { message: NOTHING, result: refused(cause.code, cause.message, "Send other paths or edits.") };
    }
    if (result.status === "error") return { message: NOTHING, result: { ...result } };
    this.host.count("calls");
    this.hashes.markChanged(targetOf(waiting.call));
    const approvedProposal = this.store.proposals().find(({ id }) => id === waiting.local);
    this.proposals.settle(entry, waiting, "approved");
    // The agent is the author of the change. The user who has approved it is another member of the message.
    const author = { kind: "agent", id: waiting.by.id };
    return {
      message: { ...messageOfApproval(approvedProposal, waiting.call), by: entry.user, author, proposal: entry.id },
      result: { ...result, revision, proposal: entry.id },
    };
  }

  /** Remembers that a call was executed. */
  #remember({ id, key, user }: Entry & { kind: "call" }, revision: number): void {
    const callId = id === undefined ? undefined : readCallId(id);
    if (callId !== undefined) this.#clients.add(callId.client, callId.number, user.id);
    else if (id !== undefined) this.#keys.add(id, revision);
    if (key !== undefined) this.#keys.add(key, revision);
  }

  /** The state at this moment, for a snapshot. The records become text later, while further entries are applied. */
  toRecords(): RoomRecord[] {
    const { proposals, files, flow } = this;
    return [
      ...withOwner("calls", [
        { kind: "clients", value: this.#clients.save() },
        { kind: "keys", value: this.#keys.save() },
        { kind: "sessions", value: [...this.#sessions] },
      ]),
      ...withOwner("documents", storeRecords(this.store[contents]())),
      ...withOwner("proposals", proposals.toRecords()),
      ...withOwner("files", files?.toRecords() ?? []),
      ...withOwner("flows", flow?.toRecords() ?? []),
    ];
  }

  /** Restores a record of {@link RoomState.toRecords}. Records must come in the order of that list. */
  restore({ owner, ...record }: SavedRoomRecord): void {
    if (owner === "calls") this.#restoreCalls(record);
    else if (owner === "documents") restoreInStore(this.store[contents](), record);
    else if (owner === "proposals") this.proposals.restore(record);
    else if (owner === "files") this.files?.restore(record);
    else if (owner === "flows") this.flow?.restore(record);
    else throw unknownRecord(owner);
  }

  /** Frees the memory of the documents and the flows. */
  dispose(): void {
    this.store.dispose();
    this.flow?.store.dispose();
  }

  #restoreCalls({ kind, value }: SavedRecord): void {
    if (kind === "clients") this.#clients.restore(value);
    else if (kind === "keys") this.#keys.restore(value);
    else if (kind !== "sessions") throw unknownRecord(kind);
    else if (Array.isArray(value))
      this.#sessions = value.map((pair): [number, string] => [Number(pair?.[0]), String(pair?.[1])]);
  }
}
