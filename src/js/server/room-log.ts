/**
 * `RoomLog`: the writing end of a room's log. Calls wait in a queue. A batch of them is tried on the documents and rolled back,
 * is written with one append, and then applied. Entries of other servers are read and applied too.
 */
import { GenuiPatchError } from "../core/errors.js";
import { Batch, MOST_CALLS_AT_ONCE, MOST_LENGTH_AT_ONCE } from "./batch.js";
import { type Entry, isEntry } from "./entry.js";
import { asError, refused } from "./results.js";
import type { RoomHost } from "./room-host.js";
import type { RoomState } from "./room-state.js";
import { chainEntries, EMPTY_LOG, LogError } from "./storage/log.js";
import { isStaleAppend, type LogHead, type StoredEntry } from "./storage/types.js";
import { Turns } from "./turns.js";
import type { RoomResult } from "./types.js";

/** The most that may wait in the queue: the sum of the lengths of the calls, in UTF-16 units. */
const MOST_WAITING_LENGTH = 64 * 2 ** 20;

/** Thrown by the preparation of a call that has to wait for the next batch. */
const IN_NEXT_BATCH = Symbol("in next batch");

/** A call in the queue. */
interface QueuedCall {
  /**
   * Makes the entry to write, or the result of a call that writes nothing. Patch calls before it in the batch have been tried on
   * the documents.
   */
  prepare(batch: Batch): Entry | RoomResult;
  /** The length of its text. */
  length: number;
  /** Its number among all calls that were added since the room was loaded, from 1. */
  position: number;
  resolve(result: RoomResult): void;
  reject(cause: unknown): void;
}

/** Applies entries to the state of the room, and sends their messages. */
export interface EntryHandler {
  /** The next entry of the log. `RoomLog.head` is this entry already. Returns the result for the caller. */
  apply(entry: StoredEntry): RoomResult;
  /** Called after one or more entries were applied. */
  entriesApplied(): void;
}

export class RoomLog {
  /** The last entry that was applied. */
  head: LogHead = EMPTY_LOG;
  /** Why nothing can be written; `undefined` while all is well. */
  failure: Error | undefined;
  /** Whether this server has written its `session` entry. */
  #hasSession = false;
  #queue: QueuedCall[] = [];
  /** The number of calls that were ever added to the queue. */
  #addedCount = 0;
  /** Callers of `waitForQueue`: `resume` is called when all calls up to a position are done. */
  #waiters: { position: number; resume: () => void }[] = [];
  /** The sum of the lengths of the calls in the queue. */
  #queueLength = 0;
  /** The run that writes the queue; `undefined` while none is under way. */
  #currentRun: Promise<void> | undefined;
  /** Ends with the last task of `#exclusively`, also if that fails. */
  #lastTask = Promise.resolve();
  /**
   * A reading of the log that has not begun yet. It will find all that is in the log now, so it serves all who ask before it
   * begins.
   */
  #nextReading: Promise<void> | undefined;
  readonly #turns = new Turns();
  #stopWatching: (() => void) | undefined;
  /** No call is accepted any more: `close` was called, or the log is not a continuation of what this server knows. */
  #isClosed = false;

  constructor(
    readonly name: string,
    private readonly host: RoomHost,
    private readonly state: Pick<RoomState, "store">,
    private readonly handler: EntryHandler,
  ) {}

  /** The number of calls that wait to be written. */
  get waitingCount(): number {
    return this.#queue.length;
  }

  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#currentRun === undefined;
  }

  /** Reads what other servers write, as soon as the storage reports it. */
  watch(): void {
    this.#stopWatching = this.host.storage.watch?.(this.name, () => void this.readLatest().catch(this.host.report));
  }

  /**
   * Adds a call to the queue. The promise resolves when the call is written and applied, or refused; it rejects if that is
   * unknown or the log cannot be written. `length`: of its text. `ids`: its id, its key, the file or the flows that it changes:
   * two calls with an id in common are not in one batch, so that the second is prepared after the first was applied.
   */
  add(length: number, prepare: QueuedCall["prepare"], ids: readonly (string | undefined)[] = []): Promise<RoomResult> {
    if (this.#isClosed) return Promise.reject(new GenuiPatchError("ROOM_CLOSED", `The room "${this.name}" is closed.`));
    // A single call is accepted whatever its length: the limit of messages applies to it.
    if (this.#queueLength + length > MOST_WAITING_LENGTH && this.#queue.length > 0)
      return Promise.resolve(refused("LIMIT_EXCEEDED", "Too much waits to be written.", "Send it again later."));
    this.#queueLength += length;
    const result = new Promise<RoomResult>((resolve, reject) => {
      const prepareOnce = (batch: Batch) => {
        for (const id of ids) {
          if (id === undefined) continue;
          if (batch.ids.has(id)) throw IN_NEXT_BATCH;
          batch.ids.add(id);
        }
        return prepare(batch);
      };
      this.#addedCount += 1;
      this.#queue.push({ prepare: prepareOnce, length, position: this.#addedCount, resolve, reject });
    });
    this.#start();
    return result;
  }

  #start(): void {
    this.#currentRun ??= this.#run().finally(() => {
      this.#currentRun = undefined;
      this.#resumeWaiters();
      if (this.#queue.length > 0) this.#start();
    });
  }

  /** Writes batches until the queue is empty. */
  async #run(): Promise<void> {
    // Calls that arrive in the same turn of the event loop are written in one append.
    await undefined;
    while (this.#queue.length > 0) {
      if (this.failure !== undefined && !(await this.recover())) {
        const cause = new GenuiPatchError("STORAGE_FAILED", `The room cannot be written: ${this.failure?.message}`);
        for (const { reject } of this.#dequeue(this.#queue.length)) reject(cause);
        return;
      }
      // Only a storage that can be watched is shared with other servers.
      if (this.host.storage.watch !== undefined) await this.#turns.giveWay();
      await this.#exclusively(() => this.#writeBatch());
      this.#resumeWaiters();
    }
  }

  #resumeWaiters(): void {
    const firstWaiting = this.#queue[0]?.position ?? Number.POSITIVE_INFINITY;
    const readyWaiters = this.#waiters.filter(({ position }) => position < firstWaiting);
    this.#waiters = this.#waiters.filter(({ position }) => position >= firstWaiting);
    for (const { resume } of readyWaiters) resume();
  }

  /** Runs one task at a time, since two that read and write the log at once could apply an entry twice. */
  #exclusively<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#lastTask.then(run);
    this.#lastTask = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  #dequeue(count: number): QueuedCall[] {
    const calls = this.#queue.splice(0, count);
    for (const { length } of calls) this.#queueLength -= length;
    return calls;
  }

  #requeue(calls: readonly QueuedCall[]): void {
    this.#queue.unshift(...calls);
    for (const { length } of calls) this.#queueLength += length;
  }

  /** How many calls at the front of the queue the next batch takes: as many as its limits allow, and at least one. */
  #batchSize(): number {
    let count = 0;
    for (let length = 0; count < this.#queue.length && count < MOST_CALLS_AT_ONCE; count++) {
      length += this.#queue[count]?.length ?? 0;
      if (count > 0 && length > MOST_LENGTH_AT_ONCE) break;
    }
    return count;
  }

  /**
   * Prepares the next calls of the queue, each on the documents with the calls before it tried, and rolls the documents back.
   * Calls that make no entry get their results at once. The entries are appended together, then applied, and only then the other
   * calls get their results.
   */
  async #writeBatch(): Promise<void> {
    const calls = this.#dequeue(this.#batchSize());
    /** The calls that have made an entry, in the order of `entries`. */
    const callsWithEntry: QueuedCall[] = [];
    const entries: Entry[] = [];
    const batch = new Batch(this.state.store);
    for (const [index, call] of calls.entries()) {
      try {
        const entryOrResult = call.prepare(batch);
        if (isEntry(entryOrResult)) {
          callsWithEntry.push(call);
          entries.push(entryOrResult);
          continue;
        }
        if (entryOrResult.status === "error") this.host.count("refusals");
        call.resolve(entryOrResult);
      } catch (cause) {
        if (cause === IN_NEXT_BATCH) {
          this.#requeue(calls.slice(index));
          break;
        }
        call.reject(cause);
      }
    }
    batch.rollBack();
    if (entries.length === 0) return;
    /** The entry with which the first append of this server begins; empty for later appends. */
    const sessionEntries: Entry[] = this.#hasSession
      ? []
      : [{ kind: "session", session: crypto.randomUUID(), time: new Date().toISOString() }];
    const storedEntries = chainEntries(
      this.head,
      [...sessionEntries, ...entries].map((entry) => JSON.stringify(entry)),
    );
    try {
      await this.#append(storedEntries);
    } catch (cause) {
      await this.#afterFailure(cause, callsWithEntry);
      return;
    }
    this.#hasSession = true;
    for (const entry of storedEntries.slice(0, sessionEntries.length)) this.apply(entry);
    for (const [index, entry] of storedEntries.slice(sessionEntries.length).entries())
      callsWithEntry[index]?.resolve(this.apply(entry));
    this.handler.entriesApplied();
  }

  async #append(entries: readonly StoredEntry[]): Promise<void> {
    this.host.count("appends");
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const { appendDeadline } = this.host.limits;
      const message = `The storage did not answer within ${appendDeadline} ms.`;
      timer = setTimeout(() => reject(new GenuiPatchError("STORAGE_TIMEOUT", message)), appendDeadline);
    });
    try {
      await this.#turns.append(() =>
        Promise.race([this.host.storage.append(this.name, this.head.number, entries), timeout]),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * After an append that failed. If another server was first, its entries are read, and the calls are prepared again. After any
   * other error it is unknown whether the entries were written, so all calls are rejected, and nothing is written before
   * `recover` succeeds.
   */
  async #afterFailure(cause: unknown, calls: readonly QueuedCall[]): Promise<void> {
    if (isStaleAppend(cause)) {
      this.host.count("stale");
      this.#requeue(calls);
      try {
        await this.#catchUp();
      } catch (fault) {
        this.#giveUp(fault);
      }
      return;
    }
    this.host.count("failures");
    this.failure = asError(cause);
    this.host.report(this.failure);
    // A client that sends the call again learns whether it was written. The waiting calls are rejected too: a later call of the
    // same client would be applied before this one.
    const { message } = this.failure;
    const error = new GenuiPatchError("STORAGE_FAILED", `Whether the call was written is not known: ${message}`);
    for (const { reject } of [...calls, ...this.#dequeue(this.#queue.length)]) reject(error);
  }

  /** After a failed append: reads what is on the storage now, and goes on from there. Returns false if that fails. */
  recover(): Promise<boolean> {
    return this.#exclusively(() => this.#recover());
  }

  async #recover(): Promise<boolean> {
    if (this.failure === undefined) return true;
    if (this.#isClosed) return false;
    try {
      await this.host.storage.recover?.();
      await this.#catchUp();
      this.failure = undefined;
      return true;
    } catch (cause) {
      if (cause instanceof LogError) this.#giveUp(cause);
      else this.failure = asError(cause);
      return false;
    }
  }

  /** Gives the room up: the log on the storage does not go on from what this server has applied. The host loads the room anew. */
  #giveUp(cause: unknown): void {
    const failure = asError(cause);
    this.failure = failure;
    this.#isClosed = true;
    this.#stopWatching?.();
    for (const { reject } of this.#dequeue(this.#queue.length)) reject(failure);
    this.host.failed(failure);
  }

  /**
   * Applies what other servers have written. The last entry that is known here must still be in the log, so reading begins with
   * it.
   * @throws LogError if it is not, or an entry after it does not follow or was changed. Nothing is applied then.
   */
  async #catchUp(): Promise<void> {
    const { number, hash } = this.head;
    /** The last entry that was read; `undefined` until the known one is found. */
    let last: LogHead | undefined = number === 0 ? EMPTY_LOG : undefined;
    const newEntries: StoredEntry[] = [];
    for await (const entry of this.host.storage.read(this.name, Math.max(0, number - 1))) {
      if (entry.number === number && entry.hash === hash) last = entry;
      else if (last !== undefined && entry.number === last.number + 1 && entry.previous === last.hash) {
        const [computed] = chainEntries(last, [entry.text]);
        if (computed?.hash !== entry.hash) throw this.#missing(entry.number);
        newEntries.push(entry);
        last = entry;
      } else throw this.#missing(last === undefined ? number : last.number + 1);
    }
    if (last === undefined) throw this.#missing(number);
    for (const entry of newEntries) this.apply(entry);
    if (newEntries.length > 0) this.handler.entriesApplied();
  }

  /** The error of a log whose entry with this number is missing, or is another one than this server knows. */
  #missing(number: number): LogError {
    return new LogError(this.name, [{ kind: "missing", from: number, to: number }], number - 1);
  }

  /**
   * Waits until all that any server has acknowledged is applied here too. With a storage that is not shared, these are the calls
   * in the queue.
   */
  readLatest(): Promise<void> {
    // The documents of a room that was given up may lack what others have written.
    if (this.#isClosed && this.failure !== undefined) return Promise.reject(this.failure);
    if (this.host.storage.watch === undefined || this.#isClosed) return this.waitForQueue();
    this.#nextReading ??= this.#exclusively(async () => {
      this.#nextReading = undefined;
      if (this.#isClosed) {
        if (this.failure !== undefined) throw this.failure;
        return;
      }
      try {
        await this.#catchUp();
      } catch (cause) {
        if (cause instanceof LogError) this.#giveUp(cause);
        throw cause;
      }
    });
    return this.#nextReading;
  }

  /** Waits for the calls that were added until now, and for no later ones: a room may be busy for long. */
  async waitForQueue(): Promise<void> {
    if (this.#currentRun === undefined) return;
    await new Promise<void>((resume) => this.#waiters.push({ position: this.#addedCount, resume }));
  }

  /** Applies the next entry of the log: one that was written just now, or one that was read. */
  apply(entry: StoredEntry): RoomResult {
    const { number, hash } = entry;
    this.head = { number, hash };
    return this.handler.apply(entry);
  }

  /** Waits until the queue is written. Calls are not accepted afterwards. */
  async close(): Promise<void> {
    await this.#currentRun?.catch(() => {});
    this.#isClosed = true;
    this.#stopWatching?.();
  }
}
