/**
 * `RoomCore`: one room on a server. It loads the log, applies its entries to the state of the room, sends their messages, and
 * writes snapshots.
 */
import { GenuiPatchError } from "../core/errors.js";
import type { SavedHistory } from "../store/saved-history.js";
import type { PatchStore } from "../store.js";
import { readEntry, SERVER } from "./entry.js";
import { MESSAGE_NEEDS_RESULT, messageOf, NOTHING } from "./entry-messages.js";
import { inParts } from "./page-snapshot.js";
import { RecentMessages } from "./recent.js";
import { asError, refused } from "./results.js";
import { RoomCalls } from "./room-calls.js";
import type { RoomFiles } from "./room-files.js";
import type { RoomFlow } from "./room-flow.js";
import type { RoomHost } from "./room-host.js";
import { RoomLog } from "./room-log.js";
import type { RoomProposals } from "./room-proposals.js";
import { RoomState } from "./room-state.js";
import { fromPart, toParts } from "./snapshot-text.js";
import { KEPT_BEFORE, LogError, readLog } from "./storage/log.js";
import { collectParts, lengthOf, type SnapshotInParts, writeParts } from "./storage/snapshot.js";
import type { StoredEntry, StoredSnapshot } from "./storage/types.js";
import type { RoomContents, RoomResult, User } from "./types.js";

/**
 * Entries between two snapshots at least. A snapshot also waits until the entries since the last one are as long as that one, so
 * that snapshots at most double what is written.
 */
const SNAPSHOT_EVERY = 1_000;
/** The length of all undo histories in the documents for a page: a page that joins waits for them. */
const MOST_HISTORY_LENGTH = 2 ** 20;

/** Where a page is in the log, and what it wants in a snapshot if it cannot go on from there. */
export interface ResumePoint {
  /** The number of the last entry whose message the page has; null for a page without documents. */
  revision: number | null;
  /** The session at this revision, as the page knows it; empty if it knows none. */
  session: string;
  /** The ids of calls that the page has sent and got no answer to. */
  pending: readonly string[];
  /** The page's number of this request, which a snapshot repeats. */
  request?: number;
  /** Whether a snapshot should have the undo histories of its instances. */
  wantsHistories: boolean;
  /** Whether the page reads a snapshot in parts. */
  readsParts: boolean;
}

export class RoomCore {
  /** The calls of users and agents. */
  readonly calls: RoomCalls;
  readonly state: RoomState;
  /** The numbers of entries that this version of the server cannot apply. They stay in the log. */
  readonly quarantined: number[] = [];
  readonly #log: RoomLog;
  /** The last messages, for pages that have missed some. */
  #recentMessages = new RecentMessages();
  /** The number of the entry with which the last snapshot ends, or the last attempt to write one. */
  #snapshotAt = 0;
  /** The length of the last snapshot. */
  #snapshotLength = 0;
  /** The length of the entries since `#snapshotAt`. */
  #lengthSinceSnapshot = 0;
  /** The snapshot that is being written; `undefined` if none is. */
  #currentSnapshot: Promise<void> | undefined;
  #isClosed = false;

  private constructor(
    readonly name: string,
    private readonly contents: RoomContents,
    private readonly host: RoomHost,
  ) {
    this.state = new RoomState(contents, host);
    this.#log = new RoomLog(name, host, this.state, {
      apply: (entry) => this.#apply(entry),
      entriesApplied: () => this.#writeSnapshotIfDue(),
    });
    this.calls = new RoomCalls(this.state, this.#log, host);
  }

  get store(): PatchStore {
    return this.state.store;
  }

  get files(): RoomFiles | undefined {
    return this.state.files;
  }

  get flow(): RoomFlow | undefined {
    return this.state.flow;
  }

  get proposals(): RoomProposals {
    return this.state.proposals;
  }

  /**
   * Loads a room from its log. A room without a log gets the first contents that the application gives it.
   * @throws LogError for a log that is not whole.
   */
  static async load(name: string, contents: RoomContents, host: RoomHost): Promise<RoomCore> {
    const room = new RoomCore(name, contents, host);
    let isLoaded = false;
    try {
      isLoaded = await room.#readLog();
    } finally {
      if (!isLoaded) room.state.dispose();
    }
    if (!isLoaded) return RoomCore.load(name, contents, host);
    room.#log.watch();
    return room;
  }

  /**
   * Makes the state from the log. Returns false if another server has replaced the snapshot meanwhile: then the state is useless,
   * and the log must be read again.
   */
  async #readLog(): Promise<boolean> {
    // The log may also have entries that the snapshot covers. Their effect is in the documents already.
    const { head, faults, hasMoved } = await readLog(this.host.storage, this.name, KEPT_BEFORE, {
      begin: (snapshot) => this.#restore(snapshot),
      part: (text) => this.#restorePart(text),
      entry: (entry) => (entry.number > this.revision ? this.#log.apply(entry) : this.#remember(entry)),
    });
    if (hasMoved) return false;
    if (faults.length > 0) throw new LogError(this.name, faults, head.number);
    if (head.number === 0) await this.#writeFirstContents();
    return true;
  }

  async #writeFirstContents(): Promise<void> {
    for (const [name, document] of Object.entries(this.contents.documents ?? {})) {
      const patches = [{ op: "create", value: document }];
      const call = { instance_name: "__CREATE__", new_instance_name: name, patches };
      const result = await this.calls.write(call, { user: SERVER, key: `begin ${name}` });
      // Another server may create it at the same time: then the key is known here, or the instance exists.
      if (result.status === "error" && result.error.code !== "INSTANCE_EXISTS")
        throw new GenuiPatchError(result.error.code, `open: the document "${name}": ${result.error.message}`);
    }
    for (const [path, content] of Object.entries(this.contents.files?.initial ?? {})) {
      const result = await this.calls.writeFile({ tool: "write_file", path, content }, { user: SERVER });
      if (result.status === "error")
        throw new GenuiPatchError(result.error.code, `open: the file "${path}": ${result.error.message}`);
    }
    for (const flow of this.contents.flow?.initial ?? []) {
      const result = await this.calls.addFlow(flow, SERVER);
      if (result.status === "error")
        throw new GenuiPatchError(result.error.code, `open: a task flow: ${result.error.message}`);
    }
  }

  /** The number of the last entry of the log. */
  get revision(): number {
    return this.#log.head.number;
  }

  /** The current session: it changes when a server that has loaded the log writes to it first. Empty for an empty log. */
  get session(): string {
    return this.state.sessionAt(this.revision);
  }

  /** Why nothing can be written; `undefined` while all is well. */
  get failure(): Error | undefined {
    return this.#log.failure;
  }

  /** The number of calls that wait to be written. */
  get waitingCount(): number {
    return this.#log.waitingCount;
  }

  get isIdle(): boolean {
    return this.#log.isIdle;
  }

  /** After a failed append: reads what is on the storage now, and goes on from there. Returns false if that fails. */
  recover(): Promise<boolean> {
    return this.#log.recover();
  }

  /** Waits until all that any server has acknowledged is applied here too. */
  readLatest(): Promise<void> {
    return this.#log.readLatest();
  }

  /** Waits for the calls that were added until now. */
  waitForQueue(): Promise<void> {
    return this.#log.waitForQueue();
  }

  // From the log to the documents.

  /** Applies an entry, and sends its message to the pages. An entry that cannot be applied is skipped and reported. */
  #apply(entry: StoredEntry): RoomResult {
    const { number, text } = entry;
    let effect: ReturnType<RoomState["apply"]>;
    try {
      const parsedEntry = readEntry(text);
      if (parsedEntry === undefined) throw new GenuiPatchError("UNKNOWN_ENTRY", `Entry ${number} is of no known kind.`);
      effect = this.state.apply(parsedEntry, number);
    } catch (cause) {
      this.quarantined.push(number);
      this.host.count("quarantined");
      this.host.report(asError(cause));
      effect = {
        message: NOTHING,
        result: refused("INTERNAL", `Entry ${number} cannot be applied.`, "Tell the operator."),
      };
    }
    this.state.size += text.length;
    this.#lengthSinceSnapshot += text.length;
    const message = JSON.stringify({ ...effect.message, revision: number });
    this.#recentMessages.add(number, message);
    this.host.deliver(message);
    return effect.result;
  }

  /** Makes the message of an entry that the snapshot covers: pages may have missed it. */
  #remember({ number, text }: StoredEntry): void {
    const entry = readEntry(text);
    // The entry is not applied again, so its changes are unknown. Pages that have missed it get whole documents.
    if (entry !== undefined && MESSAGE_NEEDS_RESULT.includes(entry.kind))
      this.#recentMessages = new RecentMessages(number);
    else this.#recentMessages.add(number, JSON.stringify({ ...messageOf(entry), revision: number }));
  }

  // Snapshots.

  #writeSnapshotIfDue(): void {
    if (this.#currentSnapshot !== undefined) return;
    if (this.revision - this.#snapshotAt < SNAPSHOT_EVERY || this.#lengthSinceSnapshot < this.#snapshotLength) return;
    // A failed snapshot loses nothing: the previous one and the log stay valid. The next attempt comes after as many entries
    // again.
    this.#snapshotAt = this.revision;
    this.#lengthSinceSnapshot = 0;
    this.#currentSnapshot = this.#writeSnapshot()
      .catch((cause) => this.host.report(asError(cause)))
      .finally(() => {
        this.#currentSnapshot = undefined;
      });
  }

  /**
   * Writes the state at this moment. Calls that are executed meanwhile are not in it. The function is async, so that an
   * exception, as of a document that is too long for a text, rejects the promise and does not end the process.
   */
  async #writeSnapshot(): Promise<void> {
    const { head } = this.#log;
    const estimatedSize = this.state.size;
    const records = this.state.toRecords();
    this.host.count("snapshots");
    const forget = Math.max(0, head.number - KEPT_BEFORE);
    // After a failed append, the log may lack entries that this state has.
    const isOver = () => this.#isClosed || this.failure !== undefined;
    const writing = writeParts(this.host.storage, this.name, head, toParts(records), forget, isOver);
    // If the storage fails, the length is measured all the same: the limit of all documents needs it.
    const length = await writing.catch(() => lengthOf(toParts(records)));
    const wasStopped = length === undefined;
    if (!wasStopped) {
      this.#snapshotLength = length;
      // The measured length replaces the estimate. Entries that were applied meanwhile stay added to it.
      this.state.size += length - estimatedSize;
    }
    await writing;
  }

  #restore({ number, hash }: StoredSnapshot): void {
    this.#log.head = { number, hash };
    this.#snapshotAt = number;
    this.#recentMessages = new RecentMessages(number);
  }

  #restorePart(text: string): void {
    this.#snapshotLength += text.length;
    this.state.size += text.length;
    for (const record of fromPart(text)) this.state.restore(record);
  }

  // Pages.

  /**
   * The messages that a page has missed, and `resumed`. A page gets a snapshot instead, which has whole documents, if not all of
   * the messages are kept, or if the session at its revision is another one here: then it has entries that the log has lost.
   * Each text of a snapshot is made when it is asked for, from the documents at the time of the call.
   */
  missed(point: ResumePoint, user: User): Iterable<string> {
    const { revision, session } = point;
    const current = this.revision;
    const isSameLog = revision !== null && session !== "" && session === this.state.sessionAt(revision);
    if (isSameLog && revision <= current) {
      const texts = this.#recentMessages.after(revision);
      // A page that has missed nothing needs no messages, so it does not matter whether they are kept.
      if (texts !== undefined || revision === current) {
        const resumed = JSON.stringify({ type: "resumed", revision: current, session });
        return [...(texts ?? []), resumed];
      }
    }
    return this.#snapshotFor(point, user);
  }

  #snapshotFor({ pending, request, wantsHistories, readsParts }: ResumePoint, user: User): Iterable<string> {
    const { revision, session } = this;
    const instances = Object.fromEntries(this.store.names().map((name) => [name, this.store.confirmed(name)]));
    // Calls whose effect is in the documents, so that the page does not show them as pending any more.
    const settles = pending.filter((id) => this.state.knownCall(revision, user, { id })?.status === "success");
    const head = { type: "snapshot", revision, session, settles, answers: request };
    const maps = {
      instances,
      ...(wantsHistories && { histories: this.#histories() }),
      ...(this.files && { files: this.files.all() }),
    };
    const flows = this.flow && { flows: this.flow.all() };
    return readsParts ? inParts(head, maps, flows) : [JSON.stringify({ ...head, ...maps, ...flows })];
  }

  /** The undo histories of the instances, by name. A history that is longer than what is left of the limit is left out. */
  #histories(): { [name: string]: SavedHistory } {
    let remainingLength = MOST_HISTORY_LENGTH;
    return Object.fromEntries(
      this.store.names().flatMap((name) => {
        const history = this.store.saveHistory(name, { maxBytes: remainingLength });
        const length = history === undefined ? 0 : JSON.stringify(history).length;
        if (history === undefined || length > remainingLength) return [];
        remainingLength -= length;
        return [[name, history]];
      }),
    );
  }

  /** The message that is sent from time to time: the last revision, and hashes of some documents at it. */
  beat(): string {
    const { revision, session } = this;
    return JSON.stringify({ type: "resumed", revision, session, hashes: this.state.hashes.next(this.store) });
  }

  /** The state as a snapshot, from which {@link RoomCore.load} can begin elsewhere. */
  async export(): Promise<SnapshotInParts> {
    await this.readLatest();
    return collectParts(this.#log.head, toParts(this.state.toRecords()));
  }

  async close(): Promise<void> {
    await this.#log.close();
    await this.#endSnapshot();
    this.state.dispose();
  }

  /** Waits for the snapshot that is being written, unless the storage does not answer. Nothing is written afterwards. */
  async #endSnapshot(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.host.limits.appendDeadline);
    });
    await Promise.race([this.#currentSnapshot, timeout]);
    clearTimeout(timer);
    this.#isClosed = true;
  }
}
