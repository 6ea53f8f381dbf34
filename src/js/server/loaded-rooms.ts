/** `LoadedRooms`: the rooms that a server has loaded. They are loaded when somebody enters, and unloaded when they are idle. */
import { GenuiPatchError, misuse } from "../core/errors.js";
import { isRoomName } from "./addresses.js";
import { type ExportedRoom, isUnused, readExported, toExported } from "./archive.js";
import { SERVER } from "./entry.js";
import { type EnteredRoom, LoadedRoom } from "./loaded-room.js";
import type { Metrics } from "./metrics.js";
import { CLOSE, proposalsMessage } from "./page.js";
import { asError } from "./results.js";
import { RoomCore } from "./room.js";
import type { RoomHost } from "./room-host.js";
import { type Repaired, repairLog } from "./storage/log.js";
import { writeParts } from "./storage/snapshot.js";
import type { Health, Identity, RoomContents, RoomsOptions, ServerLimits } from "./types.js";

/** Milliseconds for which changes of proposals and of presence are collected. */
const COLLECT_TIME = 50;
/** Milliseconds between two attempts to write to a room that could not be written. */
const RETRY_INTERVAL = 1_000;

/** Whether an error shows that the storage cannot serve the room, so that the health check reports the room. */
const isStorageFault = (cause: unknown): cause is GenuiPatchError =>
  cause instanceof GenuiPatchError && ["LOG_DAMAGED", "STORAGE_FAILED", "STORAGE_IN_USE"].includes(cause.code);

const serverEndsError = (): GenuiPatchError => new GenuiPatchError("ROOM_CLOSED", "The server ends.");

export class LoadedRooms {
  /** Rooms that are loaded or being loaded, by name. */
  readonly #rooms = new Map<string, Promise<EnteredRoom>>();
  /** The rooms of `#rooms` whose loading has ended. */
  readonly #loadedRooms = new Set<LoadedRoom>();
  /** Why rooms could not be loaded or had to be given up, by name, until they are loaded, repaired or removed. */
  readonly #failures = new Map<string, string>();
  /** The errors of rooms that could not be loaded. They are reported already when those who wait for the room get them. */
  readonly #reportedErrors = new WeakSet<Error>();
  /** For each room that was unloaded and whose log is not closed yet: resolves when it is. */
  readonly #closingRooms = new Set<Promise<void>>();
  #isClosed = false;

  constructor(
    private readonly options: RoomsOptions,
    private readonly limits: ServerLimits,
    private readonly metrics: Metrics,
  ) {}

  /** The rooms that are loaded. */
  [Symbol.iterator](): IterableIterator<LoadedRoom> {
    return this.#loadedRooms.values();
  }

  /** The number of rooms that could not be loaded or were given up. Those that are loaded and cannot be written are in `health`. */
  get failing(): number {
    return this.#failures.size;
  }

  /** Passes an error to the application, unless it is why a room could not be loaded: that is reported already. */
  report(cause: unknown, room: string): void {
    const error = asError(cause);
    if (!this.#reportedErrors.has(error)) this.#passOn(error, room);
  }

  #passOn(error: Error, room: string): void {
    if (this.options.onError) this.options.onError(error, room);
    else console.error(`genui-patch: room ${room}: ${error.message}`);
  }

  /** The room, loaded if it is not yet; `undefined` for an invalid name, or if this identity may not enter it. */
  async enter(name: string, identity: Identity): Promise<EnteredRoom | undefined> {
    if (!isRoomName(name)) return undefined;
    const { open } = this.options;
    const contents = open === undefined ? {} : await open(name, identity);
    return contents === null ? undefined : this.load(name, contents);
  }

  /** The room, loaded if it is not yet. `contents` are used when it is loaded. */
  load(name: string, contents: RoomContents): Promise<EnteredRoom> {
    return this.#rooms.get(name) ?? this.#loadBy(name, () => this.#open(name, contents));
  }

  /** Loads a room by a function. Calls for the same room that come meanwhile get the same promise. */
  #loadBy(name: string, open: () => Promise<EnteredRoom>): Promise<EnteredRoom> {
    if (this.#isClosed) return Promise.reject(serverEndsError());
    if (this.#rooms.size >= this.limits.maxRooms)
      return Promise.reject(
        new GenuiPatchError("LIMIT_EXCEEDED", `${this.limits.maxRooms} rooms are in use. Try again later.`),
      );
    const loading = open().catch((cause) => {
      const error = asError(cause);
      this.#rooms.delete(name);
      if (isStorageFault(error)) this.#failures.set(name, error.message);
      this.#passOn(error, name);
      this.#reportedErrors.add(error);
      throw error;
    });
    this.#rooms.set(name, loading);
    return loading;
  }

  async #open(name: string, contents: RoomContents): Promise<EnteredRoom> {
    const room = new LoadedRoom(name, contents);
    const host: RoomHost = {
      storage: this.options.storage,
      limits: this.limits,
      keys: this.options.keys ?? [],
      approvalAge: this.options.approvalAge,
      usedLength: () => this.usedLength(),
      deliver: (entry) => {
        for (const page of room.pages) page.deliver(entry);
        // Any entry of the log may change a proposal.
        room.runOnceLater("proposals", COLLECT_TIME, () => this.#sendProposals(room));
      },
      report: (error) => this.report(error, name),
      count: (counter) => this.metrics.add(counter),
      failed: (cause) => {
        this.#failures.set(name, cause.message);
        void this.unload(room, "the room is loaded anew");
        // Last, since the application may load the room anew when it gets the error.
        this.report(cause, name);
      },
    };
    const core = await RoomCore.load(name, contents, host);
    // `close` waits until this room is closed too.
    if (this.#isClosed) {
      await core.close();
      throw serverEndsError();
    }
    room.core = core;
    room.proposals = proposalsMessage(core);
    this.#failures.delete(name);
    this.#loadedRooms.add(room);
    this.unloadLater(room);
    this.#beatLater(room);
    return { room, core };
  }

  /** The length of all documents, files and flows of the rooms that are loaded, in UTF-16 units. */
  usedLength(): number {
    let used = 0;
    for (const { core } of this.#loadedRooms) used += core?.state.size ?? 0;
    return used;
  }

  /** Unloads a room when it is not used and the limit `idle` has passed. */
  unloadLater(room: LoadedRoom): void {
    room.runOnceLater("unload", this.limits.idle, () => {
      if (room.isUsed) this.unloadLater(room);
      else void this.unload(room);
    });
  }

  /** Disconnects the pages of a room, which connect again, closes its log and frees its memory. */
  async unload(room: LoadedRoom, reason = "the room is closed"): Promise<void> {
    this.#loadedRooms.delete(room);
    this.#rooms.delete(room.name);
    room.end(CLOSE.again, reason);
    const closing = room.core?.close();
    if (closing === undefined) return;
    this.#closingRooms.add(closing);
    try {
      await closing;
    } finally {
      this.#closingRooms.delete(closing);
    }
  }

  /** Sends the pages the last revision and hashes of documents, again and again. */
  #beatLater(room: LoadedRoom): void {
    room.runOnceLater("beat", this.limits.beat, () => {
      // By this message a page notices that it has missed the last message, or that its document differs.
      if (room.core !== undefined && room.pages.size > 0) {
        const text = room.core.beat();
        for (const page of room.pages) page.deliver(text);
      }
      this.#beatLater(room);
    });
  }

  #sendProposals(room: LoadedRoom): void {
    if (room.core === undefined) return;
    const text = proposalsMessage(room.core);
    if (text === room.proposals) return;
    room.proposals = text;
    room.broadcast(text);
  }

  /** Sends all pages soon who is in the room. */
  sendPresenceLater(room: LoadedRoom): void {
    room.runOnceLater("presence", COLLECT_TIME, () => this.#sendPresence(room));
  }

  #sendPresence(room: LoadedRoom): void {
    const people = [...room.pages].map(({ identity: { user, role }, presence: state }) => ({ user, role, state }));
    room.broadcast(JSON.stringify({ type: "presence", people }));
  }

  /**
   * The contents of a room that the application itself enters: what the option `open` returns for the identity of the server.
   * `method` is the name of the public method, for the error of an invalid name.
   */
  async contentsForServer(method: string, name: string): Promise<RoomContents> {
    if (!isRoomName(name))
      throw misuse(`${method}: the name must have 1 to 128 letters, digits and . _ ~ -, not ${JSON.stringify(name)}.`);
    return (await this.options.open?.(name, { user: SERVER, role: "editor" })) ?? {};
  }

  /** Cuts the log of a room that could not be loaded back to the last entry before its first fault: see {@link repairLog}. */
  async repair(name: string): Promise<Repaired> {
    // A room that is being loaded, and whose log turns out to be damaged, may be repaired.
    const entered = await this.#rooms.get(name)?.catch(() => undefined);
    if (entered !== undefined) throw misuse(`repair: the room "${name}" is in use, so its log is whole.`);
    const repaired = await repairLog(this.options.storage, name);
    this.#failures.delete(name);
    return repaired;
  }

  async export(name: string): Promise<ExportedRoom> {
    const { core } = await this.load(name, await this.contentsForServer("export", name));
    return toExported(name, await core.export());
  }

  async import(name: string, exported: unknown): Promise<void> {
    const { head, texts } = readExported(exported);
    const contents = await this.contentsForServer("import", name);
    const { storage } = this.options;
    const isFree = !this.#rooms.has(name) && (await isUnused(storage, name));
    // Asked again, since somebody may have entered the room while the storage answered.
    if (!isFree || this.#rooms.has(name))
      throw misuse(`import: there is a room "${name}" already. Choose another name, or remove it first.`);
    // In UTF-16 units, as the limit is.
    const used = this.usedLength() + texts.reduce((sum, { length }) => sum + length, 0);
    if (used > this.limits.maxBytes)
      throw new GenuiPatchError(
        "LIMIT_EXCEEDED",
        `import: the documents of this server would have ${used} characters.`,
      );
    await this.#loadBy(name, async () => {
      // The log has no entries that the snapshot makes superfluous.
      const lastToForget = 0;
      await writeParts(storage, name, head, texts, lastToForget);
      return this.#open(name, contents);
    });
  }

  async remove(name: string): Promise<void> {
    const entered = await this.#rooms.get(name)?.catch(() => undefined);
    if (entered !== undefined) await this.unload(entered.room);
    await this.options.storage.remove(name);
    this.#failures.delete(name);
  }

  /** The state of the rooms. A room that could not be written is tried again by this, at most once a second. */
  async health(): Promise<Health> {
    const failing: { [room: string]: string } = Object.fromEntries(this.#failures);
    for (const room of this.#loadedRooms) {
      const { core, name } = room;
      if (core?.failure === undefined) continue;
      failing[name] = core.failure.message;
      room.runOnceLater("recover", RETRY_INTERVAL, () => void core.recover().catch(() => {}));
    }
    return { ok: Object.keys(failing).length === 0, failing };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([
      // First, since `unload` removes rooms from `#rooms`. The errors of rooms that cannot be loaded are reported by `#loadBy`.
      Promise.allSettled(this.#rooms.values()),
      ...this.#closingRooms,
      ...[...this.#loadedRooms].map((room) => this.unload(room)),
    ]);
    await this.options.storage.close?.();
  }
}
