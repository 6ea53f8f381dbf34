/** `RoomCore`: one room on a server. It loads the log, writes snapshots, and has the messages for pages. */
import { GenuiPatchError } from "../core/errors.js";
import type { SavedHistory } from "../store/saved-history.js";
import type { PatchStore } from "../store.js";
import { readEntry, SERVER } from "./entry.js";
import { messageOf, NOTHING, WITHOUT_CHANGES } from "./entry-messages.js";
import { inParts } from "./page-snapshot.js";
import { Recent } from "./recent.js";
import { refused, toFailure } from "./results.js";
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

/** Entries between two snapshots at least; a snapshot also waits until the log has grown by as much as it is long. */
const SNAPSHOT_EVERY = 1_000;
/** The length of all histories in a snapshot: a page that joins waits for them. */
const MOST_HISTORY_LENGTH = 2 ** 20;

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
  /** Whether the page reads a snapshot in parts. */
  parts: boolean;
}

export class RoomCore {
  /** What users and agents do. */
  readonly calls: RoomCalls;
  readonly state: RoomState;
  /** Entries that this version of the server cannot apply. They stay in the log. */
  readonly quarantined: number[] = [];
  readonly #log: RoomLog;
  #recent = new Recent();
  #snapshotAt = 0;
  #snapshotLength = 0;
  #sinceSnapshot = 0;
  /** The snapshot that is being written. */
  #writing: Promise<void> | undefined;
  #isClosed = false;

  private constructor(
    readonly name: string,
    private readonly contents: RoomContents,
    private readonly host: RoomHost,
  ) {
    this.state = new RoomState(contents, host);
    this.#log = new RoomLog(name, host, this.state, {
      take: (entry) => this.#take(entry),
      changed: () => this.#afterChange(),
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
   * Reads a room's log.
   * @throws LogError for a log that is not whole.
   */
  static async load(name: string, contents: RoomContents, host: RoomHost): Promise<RoomCore> {
    const room = new RoomCore(name, contents, host);
    const { head, faults, hasMoved } = await readLog(host.storage, name, KEPT_BEFORE, {
      begin: (snapshot) => room.#restore(snapshot),
      part: (text) => room.#restorePart(text),
      entry: (entry) => (entry.number > room.revision ? room.#log.take(entry) : room.#remember(entry)),
    });
    if (hasMoved || faults.length > 0) room.store.dispose();
    if (hasMoved) return RoomCore.load(name, contents, host);
    if (faults.length > 0) throw new LogError(name, faults, head.number);
    if (head.number === 0) await room.#begin();
    room.#log.watch();
    return room;
  }

  async #begin(): Promise<void> {
    for (const [name, document] of Object.entries(this.contents.documents ?? {})) {
      const patches = [{ op: "create", value: document }];
      const call = { instance_name: "__CREATE__", new_instance_name: name, patches };
      const result = await this.calls.write(call, { user: SERVER, key: `begin ${name}` });
      // Another server may have begun at the same time.
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

  /** The name of the log's present continuation. */
  get session(): string {
    return this.state.sessionAt(this.revision);
  }

  /** Why nothing can be written; `undefined` while all is well. */
  get failing(): Error | undefined {
    return this.#log.failing;
  }

  /** Calls that wait to be written. */
  get waiting(): number {
    return this.#log.waiting;
  }

  get isIdle(): boolean {
    return this.#log.isIdle;
  }

  /** After a failed append: reads what is on the storage now, and goes on from there. Returns whether it can. */
  recover(): Promise<boolean> {
    return this.#log.recover();
  }

  /** Waits until all that any server has acknowledged is here too. */
  fresh(): Promise<void> {
    return this.#log.fresh();
  }

  /** Waits for the calls that were added until now. */
  settled(): Promise<void> {
    return this.#log.settled();
  }

  // From the log to the documents.

  #take(entry: StoredEntry): RoomResult {
    const { number, text } = entry;
    let applied: ReturnType<RoomState["apply"]>;
    try {
      const read = readEntry(text);
      if (read === undefined) throw new GenuiPatchError("UNKNOWN_ENTRY", `Entry ${number} is of no known kind.`);
      applied = this.state.apply(read, number);
    } catch (cause) {
      this.quarantined.push(number);
      this.host.count("quarantined");
      this.host.report(toFailure(cause));
      applied = {
        message: NOTHING,
        result: refused("INTERNAL", `Entry ${number} cannot be applied.`, "Tell the operator."),
      };
    }
    this.state.size += text.length;
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

  // Snapshots.

  #afterChange(): void {
    if (this.#writing !== undefined) return;
    if (this.revision - this.#snapshotAt < SNAPSHOT_EVERY || this.#sinceSnapshot < this.#snapshotLength) return;
    // A failed snapshot costs nothing: the previous one and the log stay valid. It is tried again after as many entries.
    this.#snapshotAt = this.revision;
    this.#sinceSnapshot = 0;
    this.#writing = this.#writeSnapshot()
      .catch((cause) => this.host.report(toFailure(cause)))
      .finally(() => {
        this.#writing = undefined;
      });
  }

  /**
   * Writes what the log comes to now. Calls that are made meanwhile are not in it. Async, so that a document that is too long for a
   * text does not end the process.
   */
  async #writeSnapshot(): Promise<void> {
    const { head } = this.#log;
    const { size } = this.state;
    const records = this.state.take();
    this.host.count("snapshots");
    const forget = Math.max(0, head.number - KEPT_BEFORE);
    // After a failed append, the log may lack entries that this state has.
    const isOver = () => this.#isClosed || this.failing !== undefined;
    const written = writeParts(this.host.storage, this.name, head, toParts(records), forget, isOver);
    // How long the documents are counts also while the storage takes no snapshot.
    const length = await written.catch(() => lengthOf(toParts(records)));
    if (length !== undefined) {
      this.#snapshotLength = length;
      this.state.size += length - size;
    }
    await written;
  }

  #restore({ number, hash }: StoredSnapshot): void {
    this.#log.head = { number, hash };
    this.#snapshotAt = number;
    this.#recent = new Recent(number);
  }

  #restorePart(text: string): void {
    this.#snapshotLength += text.length;
    this.state.size += text.length;
    for (const record of fromPart(text)) this.state.restore(record);
  }

  // Pages.

  /**
   * The messages that a page has missed; whole documents if the log does not reach back to it, or went another way. Each text is
   * made when it is asked for, from the documents at the time of the call.
   */
  missed(point: ResumePoint, user: User): Iterable<string> {
    const { revision, session } = point;
    const own = this.revision;
    if (revision !== null && revision <= own && session !== "" && session === this.state.sessionAt(revision)) {
      const texts = this.#recent.after(revision);
      if (texts !== undefined || revision === own) {
        const resumed = JSON.stringify({ type: "resumed", revision: own, session });
        return [...(texts ?? []), resumed];
      }
    }
    return this.#snapshotFor(point, user);
  }

  #snapshotFor({ pending, request: answers, histories, parts }: ResumePoint, user: User): Iterable<string> {
    const { revision, session } = this;
    const instances = Object.fromEntries(this.store.names().map((name) => [name, this.store.confirmed(name)]));
    const settles = pending.filter((id) => this.state.knownCall(revision, id, undefined, user)?.status === "success");
    const about = { type: "snapshot", revision, session, settles, answers };
    const maps = {
      instances,
      ...(histories && { histories: this.#histories() }),
      ...(this.files && { files: this.files.all() }),
    };
    const flows = this.flow && { flows: this.flow.all() };
    return parts ? inParts(about, maps, flows) : [JSON.stringify({ ...about, ...maps, ...flows })];
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
    return JSON.stringify({ type: "resumed", revision, session, hashes: this.state.hashes.take(this.store) });
  }

  /** All that the log comes to: what {@link RoomCore.load} begins with elsewhere. */
  async export(): Promise<SnapshotInParts> {
    await this.fresh();
    return collectParts(this.#log.head, toParts(this.state.take()));
  }

  async close(): Promise<void> {
    await this.#log.close();
    await this.#endSnapshot();
    this.store.dispose();
  }

  /** Waits for the snapshot that is being written, unless the storage does not answer. Nothing is written afterwards. */
  async #endSnapshot(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.host.limits.appendDeadline);
    });
    await Promise.race([this.#writing, late]);
    clearTimeout(timer);
    this.#isClosed = true;
  }
}
