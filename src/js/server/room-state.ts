/** `RoomState`: the documents, files and flows of a room, its proposals and clients: all that its log comes to. */
import { GenuiPatchError } from "../core/errors.js";
import { contents } from "../store/options.js";
import { PatchStore } from "../store.js";
import type { PatchStoreOptions } from "../types.js";
import { MOST_AT_ONCE } from "./batch.js";
import { Clients, RecentKeys, readCallId } from "./clients.js";
import { DocumentHashes } from "./document-hashes.js";
import { authorOf, type Entry, targetOf } from "./entry.js";
import { byWhom, messageOf, messageOfApproval, NOTHING } from "./entry-messages.js";
import { refused, toError, tooLate, unknownProposal } from "./results.js";
import { RoomFiles } from "./room-files.js";
import { RoomFlow } from "./room-flow.js";
import type { RoomHost } from "./room-host.js";
import { RoomProposals } from "./room-proposals.js";
import {
  owned,
  type RoomRecord,
  restoreInStore,
  type SavedRecord,
  type SavedRoomRecord,
  takeStore,
  unknownRecord,
} from "./snapshot-records.js";
import type { RoomContents, RoomResult, User } from "./types.js";

const MOST_KEYS = 20_000;
const MOST_SESSIONS = 1_000;

/** Limits of the history of each instance. They are lower than a page's, since a server has many instances. */
const HISTORY = { maxHistory: 100, maxHistoryBytes: 2 ** 18 };

/** The outcome of an entry: the message for pages, and the result for the caller. */
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
  /** The length of the state as text: measured by each snapshot, and estimated in between. */
  size = 0;
  #clients = new Clients();
  #keys = new RecentKeys(MOST_KEYS);
  /** The names of the log's continuations, each with the number of its first entry. */
  #sessions: [number, string][] = [];

  constructor(
    { store = {}, files, flow }: RoomContents,
    private readonly host: Pick<RoomHost, "limits" | "keys" | "approvalAge" | "count">,
  ) {
    this.store = new PatchStore(this.#options(store));
    this.files = files && new RoomFiles(files);
    this.flow = flow && new RoomFlow(flow);
    this.proposals = new RoomProposals(this, host);
  }

  /** The calls of one batch are pending calls of the store until they are written, so it must hold a whole batch. */
  #options(store: PatchStoreOptions): PatchStoreOptions {
    return {
      ...store,
      limits: { ...HISTORY, ...store.limits, maxPending: MOST_AT_ONCE, maxProposals: this.host.limits.maxProposals },
    };
  }

  /** The name of the log's continuation at a number. */
  sessionAt(number: number): string {
    let found = "";
    for (const [first, session] of this.#sessions) if (first <= number) found = session;
    return found;
  }

  /** What became of a call that has this id or this key; `undefined` if it was not made yet. `revision`: the log's last. */
  knownCall(revision: number, id: string | undefined, key: string | undefined, user: User): RoomResult | undefined {
    const parts = id === undefined ? undefined : readCallId(id);
    if (parts !== undefined) {
      const state = this.#clients.stateOf(parts.client, parts.number, user.id);
      if (state === "made") return { status: "success", again: true, revision };
      if (state === "late") return tooLate(parts.client);
      if (state === "foreign")
        return refused("FOREIGN_CLIENT", `The client "${parts.client}" is another user's.`, "Use another clientId.");
    }
    const madeAt = this.#keys.get(key ?? (parts === undefined && id !== undefined ? id : ""));
    return madeAt === undefined ? undefined : { status: "success", again: true, revision: madeAt };
  }

  /** Applies an entry, live or from the log: both go the same way. */
  apply(entry: Entry, revision: number): Applied {
    const message = messageOf(entry);
    const done: RoomResult = { status: "success", revision };
    switch (entry.kind) {
      case "session":
        this.#sessions.push([revision, entry.session]);
        if (this.#sessions.length > MOST_SESSIONS) this.#sessions.shift();
        return { message, result: done };
      case "call": {
        const answer = this.store.callTool("patch_ui_state", entry.call, { author: authorOf(entry) });
        if (answer.status === "error") return { message: NOTHING, result: { ...answer, error: toError(answer.error) } };
        this.host.count("calls");
        this.hashes.changed(targetOf(entry.call));
        this.#know(entry, revision);
        return { message, result: { ...answer, revision } };
      }
      case "show": {
        if (entry.block !== undefined) return { message, result: done };
        const answer = this.store.callTool("access_instance", { instance_name: entry.name });
        return answer.status === "error"
          ? { message: NOTHING, result: { ...answer, error: toError(answer.error) } }
          : { message, result: { ...answer, revision } };
      }
      case "propose": {
        const { id, call, user: by, time } = entry;
        const proposal = this.store.propose({ ...call, id }, { author: { kind: "agent", id: by.id } });
        if (proposal.status === "error") return { message, result: { ...proposal, error: toError(proposal.error) } };
        this.proposals.add(id, { local: proposal.id, call, by, time, revision });
        return { message, result: { ...done, proposal: id } };
      }
      case "approve":
        return this.#applyApproval(entry, revision);
      case "file": {
        const { path, text, key } = entry;
        const action = this.files?.set(path, text, revision);
        if (key !== undefined) this.#keys.add(key, revision);
        this.host.count("calls");
        return { message, result: { ...done, path, action } };
      }
      case "propose-file": {
        const { id, call, after, user: by, time } = entry;
        const before = this.files?.text(call.path) ?? null;
        this.proposals.add(id, { kind: "file", call, before, after, by, time, revision });
        return { message, result: { ...done, proposal: id } };
      }
      case "approve-file": {
        const { id, path, agreed } = entry;
        const known = this.proposals.waiting(id);
        const shown = this.proposals.get(id);
        if (known === undefined || shown?.kind !== "file") return { message: NOTHING, result: unknownProposal(id) };
        const action = this.files?.set(path, agreed.effective ?? null, revision);
        this.host.count("calls");
        this.proposals.settle(entry, known, "approved", { ...shown, ...agreed });
        const { approved: _, effective: __, ...rest } = agreed;
        return { message, result: { ...rest, ...done, proposal: id, path, action } };
      }
      case "flow": {
        const refusal = this.flow?.load(entry.flow);
        return refusal === undefined ? { message, result: done } : { message: NOTHING, result: refusal };
      }
      case "node":
        return this.#applyUpdate(entry, revision);
      case "approve-node": {
        const { id, options } = entry;
        const known = this.proposals.waiting(id);
        if (known?.kind !== "node" || this.flow === undefined) return { message: NOTHING, result: unknownProposal(id) };
        const applied = this.flow.approve(known, options);
        if ("error" in applied) return { message: NOTHING, result: { status: "error", ...applied } };
        if ("proposal" in applied) return { message: NOTHING, result: unknownProposal(id) };
        this.host.count("calls");
        this.proposals.settle(entry, known, "approved");
        const { node, taskId } = applied;
        return { message: this.#flowMessage(taskId, entry), result: { ...done, proposal: id, node } };
      }
      case "refuse": {
        const known = this.proposals.waiting(entry.id);
        if (known === undefined) return { message, result: unknownProposal(entry.id) };
        const shown = this.proposals.get(entry.id);
        if (known.kind === "node") this.flow?.refuse(known, entry.reason);
        else if (known.kind === undefined) this.store.refuse(known.local, entry.reason);
        const { reason } = entry;
        this.proposals.settle(
          entry,
          known,
          "refused",
          shown?.kind === "file" ? { ...shown, status: "refused", ...(reason !== undefined && { reason }) } : undefined,
        );
        return { message, result: { ...done, proposal: entry.id } };
      }
    }
  }

  #flowMessage(taskId: string, entry: Exclude<Entry, { kind: "session" }>): object {
    return { type: "flow", flow: this.flow?.flow(taskId), ...byWhom(entry) };
  }

  #applyUpdate(entry: Entry & { kind: "node" }, revision: number): Applied {
    const { id, args, waits = false, key, user: by, time } = entry;
    const done: RoomResult = { status: "success", revision };
    const applied = this.flow?.update(args, entry, waits);
    if (applied === undefined) return { message: NOTHING, result: done };
    if ("error" in applied) return { message: NOTHING, result: { status: "error", error: applied.error } };
    if (key !== undefined) this.#keys.add(key, revision);
    if ("proposal" in applied) {
      const { proposal: local } = applied;
      // The same update again: it waits already.
      const known = this.proposals.idOfNode(local);
      if (known === undefined) this.proposals.add(id, { kind: "node", local, call: args, by, time, revision });
      return { message: NOTHING, result: { ...done, proposal: known ?? id } };
    }
    this.host.count("calls");
    return {
      message: this.#flowMessage(applied.taskId, entry),
      result: { ...done, updated: true, node: applied.node },
    };
  }

  #applyApproval(entry: Entry & { kind: "approve" }, revision: number): Applied {
    const known = this.proposals.waiting(entry.id);
    if (known === undefined || known.kind !== undefined) return { message: NOTHING, result: unknownProposal(entry.id) };
    let result: ReturnType<PatchStore["approve"]>;
    try {
      result = this.store.approve(known.local, entry.options);
    } catch (cause) {
      if (!(cause instanceof GenuiPatchError)) throw cause;
      return { message: NOTHING, result: refused(cause.code, cause.message, "Send other paths or edits.") };
    }
    if (result.status === "error") return { message: NOTHING, result: { ...result, error: toError(result.error) } };
    this.host.count("calls");
    this.hashes.changed(targetOf(known.call));
    const approved = this.store.proposals().find(({ id }) => id === known.local);
    this.proposals.settle(entry, known, "approved");
    const author = { kind: "agent", id: known.by.id };
    const about = { by: entry.user, author, proposal: entry.id };
    return {
      message: { ...messageOfApproval(approved, known.call), ...about },
      result: { ...result, revision, proposal: entry.id },
    };
  }

  #know({ id, key, user }: Entry & { kind: "call" }, revision: number): void {
    const parts = id === undefined ? undefined : readCallId(id);
    if (parts !== undefined) this.#clients.made(parts.client, parts.number, user.id);
    else if (id !== undefined) this.#keys.add(id, revision);
    if (key !== undefined) this.#keys.add(key, revision);
  }

  /** All that the log comes to at this moment. It becomes text later, while further entries are applied. */
  take(): RoomRecord[] {
    const { proposals, files, flow } = this;
    return [
      ...owned("calls", [
        { kind: "clients", value: this.#clients.save() },
        { kind: "keys", value: this.#keys.save() },
        { kind: "sessions", value: [...this.#sessions] },
      ]),
      ...owned("documents", takeStore(this.store[contents]())),
      ...owned("proposals", proposals.take()),
      ...owned("files", files?.take() ?? []),
      ...owned("flows", flow?.take() ?? []),
    ];
  }

  /** Restores a record of {@link RoomState.take}. Records come in their order. */
  restore({ owner, ...record }: SavedRoomRecord): void {
    if (owner === "calls") this.#restoreCalls(record);
    else if (owner === "documents") restoreInStore(this.store[contents](), record);
    else if (owner === "proposals") this.proposals.restore(record);
    else if (owner === "files") this.files?.restore(record);
    else if (owner === "flows") this.flow?.restore(record);
    else throw unknownRecord(owner);
  }

  #restoreCalls({ kind, value }: SavedRecord): void {
    if (kind === "clients") this.#clients.restore(value);
    else if (kind === "keys") this.#keys.restore(value);
    else if (kind !== "sessions") throw unknownRecord(kind);
    else if (Array.isArray(value))
      this.#sessions = value.map((one): [number, string] => [Number(one?.[0]), String(one?.[1])]);
  }
}
