/** `RoomLog`: the writing end of a room's log. Calls wait in a queue, are tried together, written together, and then made. */
import { GenuiPatchError } from "../core/errors.js";
import { Batch, MOST_AT_ONCE, MOST_LENGTH_AT_ONCE } from "./batch.js";
import type { Entry } from "./entry.js";
import { refused, toFailure } from "./results.js";
import type { RoomHost } from "./room-host.js";
import type { RoomState } from "./room-state.js";
import { chainEntries, EMPTY, LogError } from "./storage/log.js";
import { isStaleAppend, type LogHead, type StoredEntry } from "./storage/types.js";
import { Turns } from "./turns.js";
import type { RoomResult } from "./types.js";

/** The length of the calls in the queue. */
const MOST_WAITING_LENGTH = 64 * 2 ** 20;

/** Thrown by the preparation of a call that has to wait for the next batch. */
const AGAIN = Symbol("again");

interface Work {
  /** Makes the entry to write, or the refusal. It runs on the documents with all earlier work of the queue applied. */
  prepare(batch: Batch): Entry | RoomResult;
  length: number;
  /** The place among all works of the room. */
  place: number;
  resolve(result: RoomResult): void;
  reject(cause: unknown): void;
}

/** What is done with entries that are in the log. */
export interface LogReader {
  /** The next entry. The head of the log is this entry already. */
  take(entry: StoredEntry): RoomResult;
  /** Some entries were taken. */
  changed(): void;
}

const isEntry = (prepared: Entry | RoomResult): prepared is Entry => !("status" in prepared);

export class RoomLog {
  head: LogHead = EMPTY;
  /** Why nothing can be written; `undefined` while all is well. */
  failing: Error | undefined;
  /** Whether this server has named its continuation of the log. */
  #hasSession = false;
  #queue: Work[] = [];
  /** How many works were added. */
  #added = 0;
  /** Those who wait until all works up to a place are done. */
  #waiters: { place: number; go: () => void }[] = [];
  #waiting = 0;
  #running: Promise<void> | undefined;
  #lane = Promise.resolve();
  /** A look at the log that waits for its turn: who wants to know later than this, waits for the same look. */
  #look: Promise<void> | undefined;
  readonly #turns = new Turns();
  #stopWatching: (() => void) | undefined;
  #isClosed = false;

  constructor(
    readonly name: string,
    private readonly host: RoomHost,
    private readonly state: Pick<RoomState, "store">,
    private readonly reader: LogReader,
  ) {}

  /** Calls that wait to be written. */
  get waiting(): number {
    return this.#queue.length;
  }

  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#running === undefined;
  }

  /** Reads what other servers write, as soon as the storage tells of it. */
  watch(): void {
    this.#stopWatching = this.host.storage.watch?.(this.name, () => void this.fresh().catch(this.host.report));
  }

  /** Adds a call to the queue. Two works with the same id are not in one batch. */
  add(length: number, prepare: Work["prepare"], ids: readonly (string | undefined)[] = []): Promise<RoomResult> {
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
      this.#added += 1;
      this.#queue.push({ prepare: once, length, place: this.#added, resolve, reject });
    });
    this.#start();
    return answer;
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      this.#letGo();
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
      if (this.host.storage.watch !== undefined) await this.#turns.giveWay();
      await this.#alone(() => this.#writeBatch());
      this.#letGo();
    }
  }

  #letGo(): void {
    const next = this.#queue[0]?.place ?? Number.POSITIVE_INFINITY;
    const ready = this.#waiters.filter(({ place }) => place < next);
    this.#waiters = this.#waiters.filter(({ place }) => place >= next);
    for (const { go } of ready) go();
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
    const batch = new Batch(this.state.store);
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
    const first: Entry[] = this.#hasSession
      ? []
      : [{ kind: "session", session: crypto.randomUUID(), time: new Date().toISOString() }];
    const stored = chainEntries(
      this.head,
      [...first, ...entries].map((entry) => JSON.stringify(entry)),
    );
    try {
      await this.#append(stored);
    } catch (cause) {
      await this.#afterFailure(cause, works);
      return;
    }
    this.#hasSession = true;
    for (const entry of stored.slice(0, first.length)) this.take(entry);
    for (const [index, entry] of stored.slice(first.length).entries()) works[index]?.resolve(this.take(entry));
    this.reader.changed();
  }

  async #append(entries: readonly StoredEntry[]): Promise<void> {
    this.host.count("appends");
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      const { appendDeadline } = this.host.limits;
      const message = `The storage did not answer within ${appendDeadline} ms.`;
      timer = setTimeout(() => reject(new GenuiPatchError("STORAGE_TIMEOUT", message)), appendDeadline);
    });
    try {
      await this.#turns.append(() =>
        Promise.race([this.host.storage.append(this.name, this.head.number, entries), late]),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  async #afterFailure(cause: unknown, works: readonly Work[]): Promise<void> {
    if (isStaleAppend(cause)) {
      this.host.count("stale");
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
    const { number, hash } = this.head;
    let last: LogHead | undefined = number === 0 ? EMPTY : undefined;
    const found: StoredEntry[] = [];
    for await (const entry of this.host.storage.read(this.name, Math.max(0, number - 1))) {
      if (entry.number === number && entry.hash === hash) last = entry;
      else if (last !== undefined && entry.number === last.number + 1 && entry.previous === last.hash) {
        const [again] = chainEntries(last, [entry.text]);
        if (again?.hash !== entry.hash) throw this.#gap(entry.number);
        found.push(entry);
        last = entry;
      } else throw this.#gap(last === undefined ? number : last.number + 1);
    }
    if (last === undefined) throw this.#gap(number);
    for (const entry of found) this.take(entry);
    if (found.length > 0) this.reader.changed();
  }

  #gap(number: number): LogError {
    return new LogError(this.name, [{ kind: "missing", from: number, to: number }], number - 1);
  }

  /** Waits until all that any server has acknowledged is here too. */
  fresh(): Promise<void> {
    // The documents of a room that has failed may lack what others have written.
    if (this.#isClosed && this.failing !== undefined) return Promise.reject(this.failing);
    if (this.host.storage.watch === undefined || this.#isClosed) return this.settled();
    this.#look ??= this.#alone(async () => {
      this.#look = undefined;
      if (this.#isClosed) {
        if (this.failing !== undefined) throw this.failing;
        return;
      }
      try {
        await this.#catchUp();
      } catch (cause) {
        if (cause instanceof LogError) this.#fail(cause);
        throw cause;
      }
    });
    return this.#look;
  }

  /** Waits for the calls that were added until now, and for no later ones: a room may be busy for long. */
  async settled(): Promise<void> {
    if (this.#running === undefined) return;
    await new Promise<void>((go) => this.#waiters.push({ place: this.#added, go }));
  }

  /** Takes an entry, live or from the log: both go the same way. */
  take(entry: StoredEntry): RoomResult {
    const { number, hash } = entry;
    this.head = { number, hash };
    return this.reader.take(entry);
  }

  async close(): Promise<void> {
    await this.#running?.catch(() => {});
    this.#isClosed = true;
    this.#stopWatching?.();
  }
}
