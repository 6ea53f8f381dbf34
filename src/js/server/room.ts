/** `RoomCore`: the documents of one room, which are what its log comes to. */

import type { CallEffect } from "../agent/tool-set.js";
import type { ApproveOptions } from "../approval/inputs.js";
import type { PatchProposal } from "../approval/types.js";
import type { FileCall } from "../blocks/types.js";
import { GenuiPatchError } from "../core/errors.js";
import { isObject, isText, isTexts, type Members } from "../core/kinds.js";
import type { ApproveNodeOptions } from "../flow/types.js";
import { toJsonPatch } from "../json-patch.js";
import type { SavedHistory } from "../store/saved-history.js";
import { PatchStore } from "../store.js";
import type { Json, PatchCall, PatchStoreOptions } from "../types.js";
import { type Approval, digestOf, signApproval } from "./approval.js";
import { Clients, RecentKeys, readCallId } from "./clients.js";
import { DocumentHashes } from "./document-hashes.js";
import { authorOf, callMessage, type Entry, isCall, readEntry, SERVER, targetOf } from "./entry.js";
import { Recent } from "./recent.js";
import { type FileDecision, type FileProposed, RoomFiles } from "./room-files.js";
import { type NodeProposed, RoomFlow } from "./room-flow.js";
import { chained, EMPTY, KEPT_BEFORE, LogError, readLog, sealed } from "./storage/log.js";
import {
  isStaleAppend,
  type LogHead,
  type RoomStorage,
  type StoredEntry,
  type StoredSnapshot,
} from "./storage/types.js";
import type { RoomContents, RoomError, RoomProposal, RoomResult, ServerLimits, User } from "./types.js";

/** Entries between two snapshots at least; a snapshot also waits until the log has grown by as much as it is long. */
const SNAPSHOT_EVERY = 1_000;
/** Calls that are written together, and the length of their texts. */
const MOST_AT_ONCE = 500;
const MOST_LENGTH_AT_ONCE = 4 * 2 ** 20;
const MOST_KEYS = 20_000;
const MOST_SETTLED = 100;
const MOST_SESSIONS = 1_000;
/** UTF-16 units in the name of an instance. */
const MOST_NAME = 256;

/** The parts of the server that a room calls. */
export interface RoomHost {
  readonly storage: RoomStorage;
  readonly limits: ServerLimits;
  readonly keys: readonly string[];
  /** The length of all documents of the server. */
  used(): number;
  /** A numbered message for the pages. */
  deliver(text: string): void;
  /** A message that is not in the log. */
  broadcast(text: string): void;
  report(error: Error): void;
  count(name: Counted, by?: number): void;
  /** The log differs from the documents that pages have: they have to connect again, and the room is loaded again. */
  failed(cause: Error): void;
}

/** Limits of the history of each instance. They are lower than a page's, since a server has many instances. */
const HISTORY = { maxHistory: 100, maxHistoryBytes: 2 ** 18 };
/** The length of all histories in a snapshot: a page that joins waits for them. */
const MOST_HISTORY_LENGTH = 2 ** 20;

export type Counted = "calls" | "refusals" | "appends" | "failures" | "quarantined" | "snapshots";

interface Work {
  /** Makes the entry to write, or the refusal. It runs on the documents with all earlier work of the queue applied. */
  prepare(batch: Batch): Entry | RoomResult;
  length: number;
  resolve(result: RoomResult): void;
  reject(cause: unknown): void;
}

/** Calls that are tried on the documents, one after the other, and then written in one append. */
class Batch {
  /** Ids and keys of its calls. */
  readonly ids = new Set<string>();
  readonly #tried = new Set<string>();
  /** The highest number of each client among its calls. */
  readonly #highest = new Map<string, number>();

  constructor(private readonly store: PatchStore) {}

  /** Tries a call on the documents with all calls before it. Returns why it cannot be made. */
  refusalOf(call: PatchCall): RoomResult | undefined {
    try {
      const tried = this.store.applyOptimistic(call);
      if (tried.status === "error") return { ...tried, error: toError(tried.error) };
      if (tried.pendingId !== undefined) this.#tried.add(tried.pendingId);
      const name = targetOf(call);
      // A call that names two instances, one in each dialect.
      if (tried.instance_name !== name)
        return refused("INVALID_ARGUMENT", "The call names two instances.", "Name one.");
      return undefined;
    } catch (cause) {
      if (!(cause instanceof GenuiPatchError)) throw cause;
      return refused(cause.code, cause.message, "Send a patch call.");
    }
  }

  /** Whether a later call of the client is in the batch. Else this one is its last. */
  isLate({ client, number }: { client: string; number: number }): boolean {
    if (number < (this.#highest.get(client) ?? 0)) return true;
    this.#highest.set(client, number);
    return false;
  }

  /** Rolls back all calls that were tried. */
  undo(): void {
    for (const id of [...this.#tried].reverse()) this.store.reject(id);
  }
}

const toError = ({ code, message, solution, ...rest }: RoomError): RoomError => ({ code, message, solution, ...rest });

export function refused(code: string, message: string, solution: string): RoomResult & { status: "error" } {
  return { status: "error", error: { code, message, solution } };
}

interface Settled extends Omit<Approval, "signature"> {}

/** A call on a document that waits. */
interface PatchProposed {
  kind?: undefined;
  /** The id in the store. */
  local: string;
  call: PatchCall;
}

type Waiting = PatchProposed | FileProposed | NodeProposed;

type Proposed = Waiting & {
  by: User;
  time: string;
  /** The number of the entry that proposed it. */
  revision: number;
};

const now = () => new Date().toISOString();

export class RoomCore {
  store: PatchStore;
  /** Entries that this version of the server cannot apply. They stay in the log. */
  readonly quarantined: number[] = [];
  /** Why nothing can be written; `undefined` while all is well. */
  failing: Error | undefined;
  /** The length of the texts of the documents, as far as it is known. */
  size = 0;
  #head: LogHead = EMPTY;
  #clients = new Clients();
  #keys = new RecentKeys(MOST_KEYS);
  #recent = new Recent();
  readonly #hashes = new DocumentHashes();
  /** The names of the log's continuations, each with the number of its first entry. */
  #sessions: [number, string][] = [];
  /** Whether this server has named its continuation. */
  #hasSession = false;
  readonly #proposals = new Map<string, Proposed>();
  readonly #settled = new Map<string, Settled>();
  readonly #shown = new Map<string, RoomProposal>();
  #queue: Work[] = [];
  #waiting = 0;
  #running: Promise<void> | undefined;
  #lane = Promise.resolve();
  #snapshotAt = 0;
  #snapshotLength = 0;
  #sinceSnapshot = 0;
  #stopWatching: (() => void) | undefined;
  readonly files: RoomFiles | undefined;
  readonly flow: RoomFlow | undefined;
  #isClosed = false;

  private constructor(
    readonly name: string,
    private readonly contents: RoomContents,
    private readonly host: RoomHost,
  ) {
    this.store = new PatchStore(this.#options());
    this.files = contents.files && new RoomFiles(contents.files);
    this.flow = contents.flow && new RoomFlow(contents.flow);
  }

  /**
   * Reads a room's log.
   * @throws LogError for a log that is not whole.
   */
  static async load(name: string, contents: RoomContents, host: RoomHost): Promise<RoomCore> {
    const room = new RoomCore(name, contents, host);
    const { head, faults, hasMoved } = await readLog(
      host.storage,
      name,
      KEPT_BEFORE,
      (snapshot) => snapshot !== undefined && room.#restore(snapshot.number, snapshot.hash, snapshot.text),
      (entry) => (entry.number > room.#head.number ? room.#take(entry) : room.#remember(entry)),
    );
    if (hasMoved) {
      room.store.dispose();
      return RoomCore.load(name, contents, host);
    }
    if (faults.length > 0) throw new LogError(name, faults, head.number);
    if (head.number === 0) await room.#begin();
    room.#stopWatching = host.storage.watch?.(name, () => void room.fresh().catch(host.report));
    return room;
  }

  /** The calls of one batch are pending calls of the store until they are written, so it must hold a whole batch. */
  #options(): PatchStoreOptions {
    const { store = {} } = this.contents;
    return {
      ...store,
      limits: { ...HISTORY, ...store.limits, maxPending: MOST_AT_ONCE, maxProposals: this.host.limits.maxProposals },
    };
  }

  async #begin(): Promise<void> {
    for (const [name, document] of Object.entries(this.contents.documents ?? {})) {
      const patches = [{ op: "create", value: document }];
      const call = { instance_name: "__CREATE__", new_instance_name: name, patches };
      const result = await this.write(call, { user: SERVER, key: `begin ${name}` });
      // Another server may have begun at the same time.
      if (result.status === "error" && result.error.code !== "INSTANCE_EXISTS")
        throw new GenuiPatchError(result.error.code, `open: the document "${name}": ${result.error.message}`);
    }
    for (const [path, content] of Object.entries(this.contents.files?.initial ?? {})) {
      const result = await this.writeFile({ tool: "write_file", path, content }, { user: SERVER });
      if (result.status === "error")
        throw new GenuiPatchError(result.error.code, `open: the file "${path}": ${result.error.message}`);
    }
    for (const flow of this.contents.flow?.initial ?? []) {
      const result = await this.#enqueue(JSON.stringify(flow).length, () =>
        this.#madeNow({ kind: "flow", flow }, SERVER),
      );
      if (result.status === "error")
        throw new GenuiPatchError(result.error.code, `open: a task flow: ${result.error.message}`);
    }
  }

  // Files and flows.

  #madeNow<Kind extends object>(entry: Kind, user: User, agent?: true) {
    return { ...entry, user, ...(agent && { agent }), time: now() };
  }

  /** A file or the flows take one work of a batch, since works are prepared on what is in the log. */
  #only(path: string | undefined): string[] {
    return [path === undefined ? "flows" : `file ${path}`];
  }

  /** Writes, edits or deletes a file. `seen`: only if the file has still this text. */
  writeFile(call: FileCall, from: Sender, seen?: Pick<CallEffect, "before">): Promise<RoomResult> {
    const { user, key, agent } = from;
    const length = JSON.stringify(call).length;
    const prepare = (): Entry | RoomResult => {
      const known = this.#knownCall(undefined, key, user);
      if (known !== undefined) return known;
      if (this.files === undefined) return NO_FILES;
      const planned = this.files.plan(call, "unreviewed");
      if ("status" in planned) return planned;
      const { path } = planned.call;
      if (seen !== undefined && seen.before !== planned.before)
        return refused("FILE_CHANGED", `The file "${path}" has changed in the meantime.`, "Read it again.");
      const refusal =
        this.#refusalOfSize(length + (planned.after?.length ?? 0), undefined) ?? this.#refusalOfFiles(path);
      return refusal ?? this.#madeNow({ kind: "file", path, text: planned.after, key } as const, user, agent);
    };
    return this.#enqueue(length, prepare, [key, ...this.#only(call.path)]);
  }

  #refusalOfFiles(path: string): RoomResult | undefined {
    const { maxInstances } = this.host.limits;
    if (this.files === undefined || this.files.text(path) !== null || this.files.count < maxInstances) return undefined;
    return refused("LIMIT_EXCEEDED", `There are ${maxInstances} files, as many as there may be.`, "Delete one.");
  }

  proposeFile(call: FileCall, { user, agent }: Sender): Promise<RoomResult> {
    const length = JSON.stringify(call).length;
    const prepare = (): Entry | RoomResult => {
      if (this.files === undefined) return NO_FILES;
      const planned = this.files.plan(call, "reviewed");
      if ("status" in planned) return planned;
      const refusal = this.#refusalOfMoreProposals() ?? this.#refusalOfSize(length * 2, undefined);
      const about = { kind: "propose-file", id: `p-${crypto.randomUUID()}`, call: planned.call } as const;
      return refusal ?? this.#madeNow({ ...about, after: planned.after }, user, agent);
    };
    return this.#enqueue(length, prepare, this.#only(call.path));
  }

  /** Updates a node, or proposes that. */
  updateNode(args: Members, from: Sender, waits: boolean): Promise<RoomResult> {
    const { user, key, agent } = from;
    const length = JSON.stringify(args).length;
    const prepare = (): Entry | RoomResult => {
      const known = this.#knownCall(undefined, key, user);
      if (known !== undefined) return known;
      if (this.flow === undefined) return refused("UNKNOWN_TOOL", "The room has no task flows.", "Use other tools.");
      const refusal = this.#refusalOfMoreProposals() ?? this.#refusalOfSize(length, undefined);
      const about = { kind: "node", id: `p-${crypto.randomUUID()}`, args, key, ...(waits && { waits }) } as const;
      return refusal ?? this.#madeNow(about, user, agent);
    };
    return this.#enqueue(length, prepare, [key, ...this.#only(undefined)]);
  }

  get revision(): number {
    return this.#head.number;
  }

  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#running === undefined;
  }

  /** The name of the log's continuation at a number. */
  #sessionAt(number: number): string {
    let found = "";
    for (const [first, session] of this.#sessions) if (first <= number) found = session;
    return found;
  }

  get session(): string {
    return this.#sessionAt(this.#head.number);
  }

  // Calls.

  /** Makes a call: answers once it is in the log and in the documents. */
  write(
    call: PatchCall,
    from: { user: User; id?: string | undefined; key?: string | undefined; agent?: true | undefined },
  ): Promise<RoomResult> {
    const length = JSON.stringify(call).length;
    return this.#enqueue(
      length,
      (batch) => {
        const { id, key, user } = from;
        const known = this.#knownCall(id, key, user);
        if (known !== undefined) return known;
        const target = targetOf(call);
        const refusal =
          this.#refusalOfSize(length, target) ??
          batch.refusalOf(call) ??
          (target !== undefined && this.store.confirmed(target) === undefined ? this.#refusalOfMore() : undefined);
        const parts = id === undefined ? undefined : readCallId(id);
        if (refusal === undefined && parts !== undefined && batch.isLate(parts)) return tooLate(parts.client);
        return refusal ?? { kind: "call", ...from, time: now(), call };
      },
      [from.id, from.key],
    );
  }

  #knownCall(id: string | undefined, key: string | undefined, user: User): RoomResult | undefined {
    const parts = id === undefined ? undefined : readCallId(id);
    if (parts !== undefined) {
      const state = this.#clients.stateOf(parts.client, parts.number, user.id);
      if (state === "made") return { status: "success", again: true, revision: this.revision };
      if (state === "late") return tooLate(parts.client);
      if (state === "foreign")
        return refused("FOREIGN_CLIENT", `The client "${parts.client}" is another user's.`, "Use another clientId.");
    }
    const revision = this.#keys.get(key ?? (parts === undefined && id !== undefined ? id : ""));
    return revision === undefined ? undefined : { status: "success", again: true, revision };
  }

  #refusalOfSize(length: number, target: string | undefined): RoomResult | undefined {
    const { maxBytes } = this.host.limits;
    if (target !== undefined && target.length > MOST_NAME)
      return refused(
        "LIMIT_EXCEEDED",
        `The name of an instance has at most ${MOST_NAME} characters.`,
        "Send a shorter one.",
      );
    if (this.host.used() + length <= maxBytes) return undefined;
    const message = `The documents of this server have ${maxBytes} characters, as many as they may have.`;
    return refused("LIMIT_EXCEEDED", message, "Delete instances or rooms that are not needed.");
  }

  #refusalOfMore(): RoomResult | undefined {
    const { maxInstances } = this.host.limits;
    if (this.store.names().length <= maxInstances) return undefined;
    const message = `There are ${maxInstances} instances, as many as there may be.`;
    return refused("LIMIT_EXCEEDED", message, "Delete one that is not needed.");
  }

  /** Shows an instance on all pages, or a block of it. */
  show(name: string, block: string | undefined, user: User): Promise<RoomResult> {
    return this.#enqueue(name.length, () => {
      const document = this.store.confirmed(name);
      if (document === undefined) {
        const solution = `Use one of ${this.store.names().slice(0, 8).join(", ")}.`;
        return refused("INVALID_INSTANCE", `There is no instance "${name}".`, solution);
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

  // Proposals.

  #refusalOfMoreProposals(): RoomResult | undefined {
    const { maxProposals } = this.host.limits;
    if (this.#proposals.size < maxProposals) return undefined;
    return refused("LIMIT_EXCEEDED", `${maxProposals} proposals already wait.`, "Wait until some are settled.");
  }

  propose(call: PatchCall, user: User): Promise<RoomResult> {
    const length = JSON.stringify(call).length;
    return this.#enqueue(length, (batch) => {
      const refusal =
        this.#refusalOfMoreProposals() ?? this.#refusalOfSize(length, targetOf(call)) ?? batch.refusalOf(call);
      return refusal ?? { kind: "propose", id: `p-${crypto.randomUUID()}`, call, user, time: now() };
    });
  }

  async approve(id: string, options: Decided, user: User): Promise<RoomResult> {
    await this.#lookFor(id);
    const waiting = this.#proposals.get(id);
    const only = waiting?.kind === undefined ? [] : this.#only(waiting.kind === "file" ? waiting.call.path : undefined);
    const prepare = (batch: Batch): Entry | RoomResult => {
      const refusal = this.#refusalOfSettling(id, batch);
      if (refusal !== undefined) return refusal;
      const known = this.#proposals.get(id);
      if (known?.kind === "file" && this.files !== undefined) {
        const decision = fileDecision(options);
        if (decision === undefined)
          return refused("INVALID_ARGUMENT", "A file is approved by hunks or edits.", "Send one.");
        const agreed = this.files.agree(id, known, decision);
        if (agreed.status === "error" || agreed.status === "success") return agreed;
        const { seen: _, ...kept } = decision;
        return { kind: "approve-file", id, path: known.call.path, agreed, options: kept, user, time: now() };
      }
      if (known?.kind === "node")
        return { kind: "approve-node", id, options: nodeDecision(options), user, time: now() };
      const proposal = this.proposal(id);
      if (proposal?.status === "stale") {
        const message = `What the proposal would change in "${proposal.target}" has changed since it was made.`;
        return { ...refused("STALE_PROPOSAL", message, "Propose it anew if it is still wanted."), diff: proposal.diff };
      }
      return { kind: "approve", id, options: patchDecision(options), user, time: now() };
    };
    return this.#enqueue(JSON.stringify(options).length, prepare, only);
  }

  async refuse(id: string, reason: string | undefined, user: User): Promise<RoomResult> {
    await this.#lookFor(id);
    return this.#enqueue(0, (batch) => {
      const refusal = this.#refusalOfSettling(id, batch);
      return refusal ?? { kind: "refuse", id, ...(reason !== undefined && { reason }), user, time: now() };
    });
  }

  /** A page may know of a proposal by another server, before this one has read it. */
  async #lookFor(id: string): Promise<void> {
    if (!this.#proposals.has(id) && !this.#settled.has(id)) await this.fresh();
  }

  #refusalOfSettling(id: string, batch: Batch): RoomResult | undefined {
    const settled = this.#settled.get(id);
    if (settled !== undefined || batch.ids.has(id)) {
      const message = `The proposal "${id}" is ${settled?.decision ?? "being settled"}${settled === undefined ? "" : ` by ${settled.user.name ?? settled.user.id}`}.`;
      return refused("PROPOSAL_SETTLED", message, "Nothing is left to do.");
    }
    batch.ids.add(id);
    if (this.#proposals.has(id)) return undefined;
    return refused("UNKNOWN_PROPOSAL", `There is no proposal "${id}".`, "Use the id of a proposal that waits.");
  }

  proposal(id: string): RoomProposal | undefined {
    const known = this.#proposals.get(id);
    if (known === undefined) return this.#shown.get(id);
    const { by, time, revision } = known;
    const about = { id, by, time, entry: revision };
    if (known.kind === "file") return this.files && { ...this.files.shown(id, known), ...about };
    if (known.kind === "node") {
      const shown = this.flow?.shown(id, known);
      return shown && { ...shown, ...about, revision };
    }
    const found = this.store.proposals().find((proposal) => proposal.id === known.local);
    return found && { ...found, ...about, revision };
  }

  /** The proposals that wait, and the ones that were settled last. */
  proposals(): readonly RoomProposal[] {
    return [...this.#shown.keys(), ...this.#proposals.keys()].flatMap((id) => this.proposal(id) ?? []);
  }

  openProposals(): readonly RoomProposal[] {
    return [...this.#proposals.keys()].flatMap((id) => this.proposal(id) ?? []);
  }

  async approval(id: string): Promise<Approval | undefined> {
    const settled = this.#settled.get(id);
    const [key] = this.host.keys;
    return settled === undefined || key === undefined ? undefined : signApproval(settled, key);
  }

  // The queue: tried together, written together, then made.

  #enqueue(length: number, prepare: Work["prepare"], ids: readonly (string | undefined)[] = []): Promise<RoomResult> {
    if (this.#isClosed) return Promise.reject(new GenuiPatchError("ROOM_CLOSED", `The room "${this.name}" is closed.`));
    if (this.#waiting + length > MOST_WAITING_LENGTH && this.#queue.length > 0)
      return Promise.resolve(refused("LIMIT_EXCEEDED", "Too much waits to be written.", "Send it again later."));
    this.#waiting += length;
    const answer = new Promise<RoomResult>((resolve, reject) => {
      const once = (batch: Batch) => {
        // A call that arrives twice at once: the second is prepared when the first has been written.
        for (const id of ids) {
          if (id === undefined) continue;
          if (batch.ids.has(id)) throw AGAIN;
          batch.ids.add(id);
        }
        return prepare(batch);
      };
      this.#queue.push({ prepare: once, length, resolve, reject });
    });
    this.#start();
    return answer;
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#queue.length > 0) this.#start();
    });
  }

  async #run(): Promise<void> {
    // Calls that arrive in the same turn of the event loop are written in one append.
    await undefined;
    while (this.#queue.length > 0) {
      if (this.failing !== undefined && !(await this.recover())) {
        const cause = new GenuiPatchError("STORAGE_FAILED", `The room cannot be written: ${this.failing?.message}`);
        for (const { reject } of this.#dequeue(this.#queue.length)) reject(cause);
        return;
      }
      await this.#alone(() => this.#writeBatch());
    }
  }

  /** Runs one task at a time, since two that read and write the log at once could apply an entry twice. */
  #alone<Result>(run: () => Promise<Result>): Promise<Result> {
    const done = this.#lane.then(run);
    this.#lane = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  #dequeue(count: number): Work[] {
    const taken = this.#queue.splice(0, count);
    for (const { length } of taken) this.#waiting -= length;
    return taken;
  }

  #requeue(works: readonly Work[]): void {
    this.#queue.unshift(...works);
    for (const { length } of works) this.#waiting += length;
  }

  async #writeBatch(): Promise<void> {
    let count = 0;
    for (let length = 0; count < this.#queue.length && count < MOST_AT_ONCE; count++) {
      length += this.#queue[count]?.length ?? 0;
      if (count > 0 && length > MOST_LENGTH_AT_ONCE) break;
    }
    const taken = this.#dequeue(count);
    const works: Work[] = [];
    const entries: Entry[] = [];
    const batch = new Batch(this.store);
    for (const [index, work] of taken.entries()) {
      try {
        const prepared = work.prepare(batch);
        if (isEntry(prepared)) {
          works.push(work);
          entries.push(prepared);
          continue;
        }
        if (prepared.status === "error") this.host.count("refusals");
        work.resolve(prepared);
      } catch (cause) {
        if (cause === AGAIN) {
          this.#requeue(taken.slice(index));
          break;
        }
        work.reject(cause);
      }
    }
    batch.undo();
    if (entries.length === 0) return;
    const first: Entry[] = this.#hasSession ? [] : [{ kind: "session", session: crypto.randomUUID(), time: now() }];
    const stored = chained(
      this.#head,
      [...first, ...entries].map((entry) => JSON.stringify(entry)),
    );
    try {
      await this.#append(stored);
    } catch (cause) {
      await this.#afterFailure(cause, works);
      return;
    }
    this.#hasSession = true;
    for (const entry of stored.slice(0, first.length)) this.#take(entry);
    for (const [index, entry] of stored.slice(first.length).entries()) works[index]?.resolve(this.#take(entry));
    this.#afterChange();
  }

  async #append(entries: readonly StoredEntry[]): Promise<void> {
    this.host.count("appends");
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const { appendDeadline } = this.host.limits;
      const cause = new GenuiPatchError("STORAGE_TIMEOUT", `The storage did not answer within ${appendDeadline} ms.`);
      timer = setTimeout(() => reject(cause), appendDeadline);
    });
    try {
      await Promise.race([this.host.storage.append(this.name, this.#head.number, entries), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #afterFailure(cause: unknown, works: readonly Work[]): Promise<void> {
    if (isStaleAppend(cause)) {
      this.#requeue(works);
      try {
        await this.#catchUp();
      } catch (fault) {
        this.#fail(fault);
      }
      return;
    }
    this.host.count("failures");
    this.failing = toFailure(cause);
    this.host.report(this.failing);
    // A client that sends the call again learns whether it was written. The waiting calls are rejected too: a later call of the
    // same client would be applied before this one.
    const { message } = this.failing;
    const error = new GenuiPatchError("STORAGE_FAILED", `Whether the call was written is not known: ${message}`);
    for (const { reject } of [...works, ...this.#dequeue(this.#queue.length)]) reject(error);
  }

  /** After a failed append: reads what is on the storage now, and goes on from there. Returns whether it can. */
  recover(): Promise<boolean> {
    return this.#alone(() => this.#recover());
  }

  async #recover(): Promise<boolean> {
    if (this.failing === undefined) return true;
    if (this.#isClosed) return false;
    try {
      await this.host.storage.recover?.();
      await this.#catchUp();
      this.failing = undefined;
      return true;
    } catch (cause) {
      if (cause instanceof LogError) this.#fail(cause);
      else this.failing = toFailure(cause);
      return false;
    }
  }

  #fail(cause: unknown): void {
    const failure = toFailure(cause);
    this.failing = failure;
    this.#isClosed = true;
    this.#stopWatching?.();
    for (const { reject } of this.#dequeue(this.#queue.length)) reject(failure);
    this.host.failed(failure);
  }

  /** Takes what other servers have written. The last entry that is known here must still be in the log. */
  async #catchUp(): Promise<void> {
    const { number, hash } = this.#head;
    let last: LogHead | undefined = number === 0 ? EMPTY : undefined;
    const found: StoredEntry[] = [];
    for await (const entry of this.host.storage.read(this.name, Math.max(0, number - 1))) {
      if (entry.number === number && entry.hash === hash) last = entry;
      else if (last !== undefined && entry.number === last.number + 1 && entry.previous === last.hash) {
        const [again] = chained(last, [entry.text]);
        if (again?.hash !== entry.hash) throw this.#gap(entry.number);
        found.push(entry);
        last = entry;
      } else throw this.#gap(last === undefined ? number : last.number + 1);
    }
    if (last === undefined) throw this.#gap(number);
    for (const entry of found) this.#take(entry);
    if (found.length > 0) this.#afterChange();
  }

  #gap(number: number): LogError {
    return new LogError(this.name, [{ kind: "missing", from: number, to: number }], number - 1);
  }

  /** Waits until all that any server has acknowledged is here too. */
  async fresh(): Promise<void> {
    if (this.host.storage.watch === undefined || this.#isClosed) return this.#running;
    await this.#alone(async () => {
      if (this.#isClosed) return;
      try {
        await this.#catchUp();
      } catch (cause) {
        if (cause instanceof LogError) this.#fail(cause);
        throw cause;
      }
    });
  }

  /** Waits for what is being written. */
  settled(): Promise<void> | undefined {
    return this.#running;
  }

  // From the log to the documents.

  /** Takes an entry, live or from the log: both go the same way. */
  #take(entry: StoredEntry): RoomResult {
    const { number, text, hash } = entry;
    let applied: Applied;
    try {
      const read = readEntry(text);
      if (read === undefined) throw new GenuiPatchError("UNKNOWN_ENTRY", `Entry ${number} is of no known kind.`);
      applied = this.#apply(read, number);
    } catch (cause) {
      this.quarantined.push(number);
      this.host.count("quarantined");
      this.host.report(toFailure(cause));
      applied = {
        message: NOTHING,
        result: refused("INTERNAL", `Entry ${number} cannot be applied.`, "Tell the operator."),
      };
    }
    this.#head = { number, hash };
    this.size += text.length;
    this.#sinceSnapshot += text.length;
    const message = JSON.stringify({ ...applied.message, revision: number });
    this.#recent.add(number, message);
    this.host.deliver(message);
    return applied.result;
  }

  /** An entry before the snapshot: pages may have missed it. */
  #remember({ number, text }: StoredEntry): void {
    const entry = readEntry(text);
    // The entry of an approval does not contain its changes, so pages that are older than it get whole documents.
    if (entry !== undefined && WITHOUT_CHANGES.includes(entry.kind)) this.#recent = new Recent(number);
    else this.#recent.add(number, JSON.stringify({ ...messageOf(entry), revision: number }));
  }

  #apply(entry: Entry, revision: number): Applied {
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
        this.#hashes.changed(targetOf(entry.call));
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
        this.#proposals.set(id, { local: proposal.id, call, by, time, revision });
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
        this.#proposals.set(id, { kind: "file", call, before, after, by, time, revision });
        return { message, result: { ...done, proposal: id } };
      }
      case "approve-file": {
        const { id, path, agreed } = entry;
        const known = this.#proposals.get(id);
        const shown = this.proposal(id);
        if (known === undefined || shown?.kind !== "file") return { message: NOTHING, result: unknownProposal(id) };
        const action = this.files?.set(path, agreed.effective ?? null, revision);
        this.host.count("calls");
        this.#settle(entry, known, "approved", { ...shown, ...agreed });
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
        const known = this.#proposals.get(id);
        if (known?.kind !== "node" || this.flow === undefined) return { message: NOTHING, result: unknownProposal(id) };
        const applied = this.flow.approve(known, options);
        if ("error" in applied) return { message: NOTHING, result: { status: "error", ...applied } };
        if ("proposal" in applied) return { message: NOTHING, result: unknownProposal(id) };
        this.host.count("calls");
        this.#settle(entry, known, "approved");
        const { node, taskId } = applied;
        return { message: this.#flowMessage(taskId, entry), result: { ...done, proposal: id, node } };
      }
      case "refuse": {
        const known = this.#proposals.get(entry.id);
        if (known === undefined) return { message, result: unknownProposal(entry.id) };
        const shown = this.proposal(entry.id);
        if (known.kind === "node") this.flow?.refuse(known, entry.reason);
        else if (known.kind === undefined) this.store.refuse(known.local, entry.reason);
        const { reason } = entry;
        this.#settle(
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
      const known = [...this.#proposals].find(([, one]) => one.kind === "node" && one.local === local)?.[0];
      if (known === undefined) this.#proposals.set(id, { kind: "node", local, call: args, by, time, revision });
      return { message: NOTHING, result: { ...done, proposal: known ?? id } };
    }
    this.host.count("calls");
    return {
      message: this.#flowMessage(applied.taskId, entry),
      result: { ...done, updated: true, node: applied.node },
    };
  }

  #applyApproval(entry: Entry & { kind: "approve" }, revision: number): Applied {
    const known = this.#proposals.get(entry.id);
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
    this.#hashes.changed(targetOf(known.call));
    const approved = this.store.proposals().find(({ id }) => id === known.local);
    this.#settle(entry, known, "approved");
    const author = { kind: "agent", id: known.by.id };
    const about = { by: entry.user, author, proposal: entry.id };
    return {
      message: { ...messageOfApproval(approved, known.call), ...about },
      result: { ...result, revision, proposal: entry.id },
    };
  }

  #settle(entry: Settling, known: Proposed, decision: Approval["decision"], shown = this.proposal(entry.id)): void {
    const { id, user, time } = entry;
    this.#proposals.delete(id);
    if (shown !== undefined) this.#shown.set(id, { ...shown, settled: { user, time } });
    const edits: Json = entry.kind !== "refuse" && Object.keys(entry.options).length > 0 ? toJson(entry.options) : null;
    this.#settled.set(id, { proposal: id, digest: digestOf(known.call, known.revision), decision, edits, user, time });
    for (const list of [this.#shown, this.#settled]) {
      const [oldest] = list.keys();
      if (list.size > MOST_SETTLED && oldest !== undefined) list.delete(oldest);
    }
  }

  #know({ id, key, user }: Entry & { kind: "call" }, revision: number): void {
    const parts = id === undefined ? undefined : readCallId(id);
    if (parts !== undefined) this.#clients.made(parts.client, parts.number, user.id);
    else if (id !== undefined) this.#keys.add(id, revision);
    if (key !== undefined) this.#keys.add(key, revision);
  }

  // Snapshots.

  #afterChange(): void {
    if (this.revision - this.#snapshotAt < SNAPSHOT_EVERY || this.#sinceSnapshot < this.#snapshotLength) return;
    const text = this.#save();
    this.#snapshotLength = text.length;
    this.#snapshotAt = this.revision;
    this.#sinceSnapshot = 0;
    this.host.count("snapshots");
    const forget = Math.max(0, this.revision - KEPT_BEFORE);
    this.host.storage
      .snapshot(this.name, sealed(this.#head, text), forget)
      // A failed snapshot costs nothing: the previous one and the log stay valid.
      .catch((cause) => this.host.report(toFailure(cause)));
  }

  #save(): string {
    const store = this.store.save();
    this.size = store.length;
    const state = {
      store,
      clients: this.#clients.save(),
      keys: this.#keys.save(),
      sessions: this.#sessions,
      proposals: [...this.#proposals],
      settled: [...this.#settled.values()],
      ...(this.files && { files: this.files.save() }),
      ...(this.flow && { flow: this.flow.save() }),
    };
    return JSON.stringify(state);
  }

  #restore(number: number, hash: string, text: string): void {
    const state: { [key: string]: unknown } = JSON.parse(text);
    this.#head = { number, hash };
    this.#snapshotAt = number;
    this.#snapshotLength = text.length;
    this.#recent = new Recent(number);
    const saved = String(state.store);
    this.size = saved.length;
    this.store = PatchStore.restore(saved, this.#options());
    this.files?.restore(state.files);
    this.flow?.restore(state.flow);
    this.#clients.restore(state.clients);
    this.#keys.restore(state.keys);
    if (Array.isArray(state.sessions))
      this.#sessions = state.sessions.map((one): [number, string] => [Number(one?.[0]), String(one?.[1])]);
    for (const [id, proposed] of listOf(state.proposals, isProposed)) this.#proposals.set(id, proposed);
    if (Array.isArray(state.settled))
      for (const one of state.settled) if (isSettled(one)) this.#settled.set(one.proposal, one);
  }

  // Pages.

  /** The messages that a page has missed; whole documents if the log does not reach back to it, or went another way. */
  missed({ revision, session, pending, request: answers, histories }: ResumePoint, user: User): string[] {
    const own = this.revision;
    if (revision !== null && revision <= own && session !== "" && session === this.#sessionAt(revision)) {
      const texts = this.#recent.after(revision);
      if (texts !== undefined || revision === own) {
        const resumed = JSON.stringify({ type: "resumed", revision: own, session });
        return [...(texts ?? []), resumed];
      }
    }
    const instances = Object.fromEntries(this.store.names().map((name) => [name, this.store.confirmed(name)]));
    const settles = pending.filter((id) => this.#knownCall(id, undefined, user)?.status === "success");
    const others = { ...(this.files && { files: this.files.all() }), ...(this.flow && { flows: this.flow.all() }) };
    const documents = { instances, ...(histories && { histories: this.#histories() }), ...others, settles, answers };
    return [JSON.stringify({ type: "snapshot", revision: own, session: this.session, ...documents })];
  }

  /** The histories of the instances, as far as they are short beside documents. */
  #histories(): { [name: string]: SavedHistory } {
    let left = MOST_HISTORY_LENGTH;
    return Object.fromEntries(
      this.store.names().flatMap((name) => {
        const saved = this.store.saveHistory(name, { maxBytes: left });
        const length = saved === undefined ? 0 : JSON.stringify(saved).length;
        if (saved === undefined || length > left) return [];
        left -= length;
        return [[name, saved]];
      }),
    );
  }

  /** The last revision, and hashes of some documents at it. */
  beat(): string {
    const { revision, session } = this;
    return JSON.stringify({ type: "resumed", revision, session, hashes: this.#hashes.take(this.store) });
  }

  /** All that the log comes to: what {@link RoomCore.load} begins with elsewhere. */
  async export(): Promise<StoredSnapshot> {
    await this.fresh();
    return sealed(this.#head, this.#save());
  }

  async close(): Promise<void> {
    await this.#running?.catch(() => {});
    this.#isClosed = true;
    this.#stopWatching?.();
    this.store.dispose();
  }
}

const isEntry = (prepared: Entry | RoomResult): prepared is Entry => !("status" in prepared);

/** Thrown by the preparation of a call that has to wait for the next batch. */
const AGAIN = Symbol("again");
const MOST_WAITING_LENGTH = 64 * 2 ** 20;
const NOTHING = { type: "nothing" };

const NO_FILES = refused("UNKNOWN_TOOL", "The room has no files.", "Use other tools.");

/** Entries whose messages are made of what they come to. */
const WITHOUT_CHANGES: readonly Entry["kind"][] = ["approve", "node", "approve-node"];

type Settling = Entry & { kind: "approve" | "approve-file" | "approve-node" | "refuse" };

/** Who sends a call, and under which key it is made once. */
export interface Sender {
  user: User;
  key?: string | undefined;
  agent?: true | undefined;
}

/** The part of a proposal that is approved, as a page or the application has sent it. */
export interface Decided {
  paths?: unknown;
  edits?: unknown;
  hunks?: unknown;
  fields?: unknown;
  seen?: unknown;
}

function patchDecision({ paths, edits }: Decided): ApproveOptions {
  return {
    ...(Array.isArray(paths) && { paths }),
    ...(isObject(edits) || Array.isArray(edits) ? { edits } : {}),
  };
}

/** `undefined` for hunks and edits at once, or of other types. */
function fileDecision({ hunks, edits, seen }: Decided): FileDecision | undefined {
  if (hunks !== undefined && edits !== undefined) return undefined;
  if (hunks !== undefined) return Array.isArray(hunks) ? { hunks, seen } : undefined;
  if (edits !== undefined) return isText(edits) ? { edits } : undefined;
  return {};
}

function nodeDecision({ fields, edits }: Decided): ApproveNodeOptions {
  return { ...(isTexts(fields) && { fields }), ...(isObject(edits) && { edits }) };
}

/** The outcome of an entry: the message for pages, and the result for the caller. */
interface Applied {
  message: object;
  result: RoomResult;
}

/** Where a page is in the log. */
export interface ResumePoint {
  revision: number | null;
  session: string;
  /** The ids of calls that the page has sent, and that are not settled. */
  pending: readonly string[];
  /** The number of the request, which a snapshot answers. */
  request?: number;
  /** Whether a snapshot has the histories of its instances. */
  histories: boolean;
}

function unknownProposal(id: string): RoomResult {
  return refused(
    "UNKNOWN_PROPOSAL",
    `There is no proposal "${id}" that waits.`,
    "Use the id of a proposal that waits.",
  );
}

const byWhom = (entry: Exclude<Entry, { kind: "session" }>) => ({ by: entry.user, author: authorOf(entry) });

/** The message of an entry that does not depend on what it came to. */
function messageOf(entry: Entry | undefined): object {
  switch (entry?.kind) {
    case "session":
      return { type: "session", session: entry.session };
    case "call":
      return { ...callMessage(entry.call), ...(entry.id !== undefined && { patch_id: entry.id }), ...byWhom(entry) };
    case "show":
      return entry.block === undefined
        ? { type: "switch_instance", instance_name: entry.name, ...byWhom(entry) }
        : { type: "highlight_block", instance_name: entry.name, block_id: entry.block, ...byWhom(entry) };
    case "file":
      return { type: "file", path: entry.path, text: entry.text, ...byWhom(entry) };
    case "approve-file":
      return {
        type: "file",
        path: entry.path,
        text: entry.agreed.effective ?? null,
        proposal: entry.id,
        ...byWhom(entry),
      };
    case "flow":
      return { type: "flow", flow: entry.flow, ...byWhom(entry) };
    default:
      return NOTHING;
  }
}

/** An approval as a message for pages: the call, or the changes that were approved of it. */
function messageOfApproval(approved: PatchProposal | undefined, call: PatchCall): object {
  const part = approved?.approved;
  if (part === undefined) return callMessage(call);
  if (isCall(part)) return callMessage(part);
  return { type: "STATE_DELTA", instance_name: approved?.target, delta: toJsonPatch(approved?.effective ?? []) };
}

function tooLate(client: string): RoomResult {
  return refused("OUT_OF_ORDER", `A later call of the client "${client}" was made.`, "Send it as a new call.");
}

const toFailure = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/** Options of an approval, as they came from JSON. */
function toJson(options: object): Json {
  return JSON.parse(JSON.stringify(options));
}

function listOf<Value>(pairs: unknown, is: (value: unknown) => value is Value): [string, Value][] {
  if (!Array.isArray(pairs)) return [];
  return pairs.flatMap((pair): [string, Value][] => {
    const [id, value]: unknown[] = Array.isArray(pair) ? pair : [];
    return isText(id) && is(value) ? [[id, value]] : [];
  });
}

function isProposed(value: unknown): value is Proposed {
  if (!isObject(value) || !isObject(value.by) || !isText(value.time) || !isObject(value.call)) return false;
  const { kind, local, call, after } = value;
  if (kind === "file") return isText(call.path) && (isText(after) || after === null);
  return isText(local) && (kind === "node" || (kind === undefined && isCall(call)));
}

function isSettled(value: unknown): value is Settled {
  return isObject(value) && isText(value.proposal) && isText(value.digest) && isObject(value.user);
}
