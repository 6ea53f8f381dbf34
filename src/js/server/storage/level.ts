/** `levelStorage`: logs in a folder, in LevelDB. One process uses it at a time. */
import { GenuiPatchError } from "../../core/errors.js";
import { isObject, isText } from "../../core/kinds.js";
import { Heads } from "./heads.js";
import { openedOnUse } from "./lazy.js";
import type { LevelBatch, LevelClass, LevelDatabase } from "./level-types.js";
import {
  type LogHead,
  type PartKey,
  type RoomStorage,
  type StoredEntry,
  type StoredSnapshot,
  staleAppend,
} from "./types.js";

/** A write to the disk takes no further append once it has this many entries. */
const MOST_IN_WRITE = 1_000;

/** A call of `append` that waits for the disk. */
interface Append {
  room: string;
  /** The number of the entry after which the entries are written: the last one of the log, as the caller knows it. */
  expected: number;
  entries: readonly StoredEntry[];
  resolve(): void;
  reject(cause: unknown): void;
}

// LevelDB sorts keys. `!` comes before every character of a room's name, so that the keys of a room are neighbours, and `"` is
// the character after `!`, so that `…!e"` comes after all keys `…!e!<number>`.

/** Digits of the largest safe integer, so that the order of keys is that of numbers. */
const DIGITS = 16;
const inDigits = (number: number) => String(number).padStart(DIGITS, "0");
const entryKey = (room: string, number: number) => `${room}!e!${inDigits(number)}`;
const afterEntries = (room: string) => `${room}!e"`;
const snapshotKey = (room: string) => `${room}!s`;
/** The parts of earlier snapshots come first. */
const partKey = (room: string, { number, id }: PartKey) => `${room}!p!${inDigits(number)}!${id}`;
const afterParts = (room: string) => `${room}!p"`;

/** Reads an entry from its key `<room>!e!<number>` and its value `<previous> <hash> <text>`. */
function toEntry(key: string, value: string): StoredEntry {
  const [previous = "", hash = ""] = value.split(" ", 2);
  const textStart = previous.length + 1 + hash.length + 1;
  return {
    number: Number(key.slice(key.lastIndexOf("!") + 1)),
    previous,
    hash,
    text: value.slice(textStart),
  };
}

/** The snapshot in a value. For a damaged value: one without a digest, which no reader takes for sound. */
function toSnapshot(value: string): StoredSnapshot {
  try {
    const { number, hash, text, digest }: Partial<StoredSnapshot> = JSON.parse(value);
    if (Number.isSafeInteger(number) && isText(hash) && isText(text) && isText(digest))
      return { number: number ?? 0, hash, text, digest };
  } catch {
    // The text is no JSON.
  }
  return { number: 0, hash: "", text: "", digest: "" };
}

/**
 * Keeps logs in a folder. What is acknowledged has reached the disk. It needs the package `classic-level`, imported at its first
 * use.
 *
 * The folder has the database in `log`, and in `heads` the last acknowledged entry of each room: a database that has lost its
 * end is noticed. Back up and restore the folder as a whole, while no server uses it.
 */
export function levelStorage(folder: string): RoomStorage {
  const open = openedOnUse(() => LevelStorage.open(folder));
  return {
    async *read(room, after) {
      yield* (await open()).read(room, after);
    },
    append: async (room, expected, entries) => (await open()).append(room, expected, entries),
    writePart: async (room, part, text) => (await open()).writePart(room, part, text),
    readPart: async (room, part) => (await open()).readPart(room, part),
    snapshot: async (room, snapshot, forget) => (await open()).snapshot(room, snapshot, forget),
    latest: async (room) => (await open()).latest(room),
    cut: async (room, after) => (await open()).cut(room, after),
    remove: async (room) => (await open()).remove(room),
    head: async (room) => (await open()).head(room),
    recover: async () => (await open()).recover(),
    close: () => open.close((storage) => storage.close()),
  };
}

class LevelStorage {
  #db: LevelDatabase;
  /** The number of a room's last entry, by room, if it was read or written since the database was opened. */
  readonly #lastNumbers = new Map<string, number>();
  /** The number of a room's snapshot, by room, if this process has written it. */
  readonly #snapshotNumbers = new Map<string, number>();
  /** Appends that `#writeAll` has not taken yet. */
  #waitingAppends: Append[] = [];
  /** The run of `#writeAll`; `undefined` while no append waits. */
  #currentRun: Promise<void> | undefined;
  /** Ends with the last write that was begun, also if that fails. */
  #lastWrite = Promise.resolve();
  /** A write has failed, and the database has not been opened again since. */
  #isDamaged = false;

  private constructor(
    private readonly location: string,
    private readonly Level: LevelClass,
    db: LevelDatabase,
    private readonly heads: Heads,
  ) {
    this.#db = db;
  }

  static async open(folder: string): Promise<LevelStorage> {
    const [Level, files] = await Promise.all([importLevel(), import("node:fs/promises")]);
    await files.mkdir(folder, { recursive: true, mode: 0o700 });
    const heads = new Heads(`${folder}/heads`, files);
    const hasFile = await heads.read();
    const location = `${folder}/log`;
    // If `heads` names rooms, or has lost some, the database exists and must not be created: without its file CURRENT, LevelDB
    // would begin a new one over the other files.
    const mayBeNew = !hasFile || (heads.byRoom.size === 0 && !heads.isLost);
    const db = await openLevel(Level, location, mayBeNew);
    // A database with keys had a file `heads`, which is lost.
    if (!hasFile) for await (const _ of db.iterator({ limit: 1, values: false })) heads.isLost = true;
    // A damaged file stays as it is until something is written.
    if (!heads.isLost) await heads.rewrite();
    return new LevelStorage(location, Level, db, heads);
  }

  async *read(room: string, after: number): AsyncGenerator<StoredEntry> {
    const range = { gt: entryKey(room, after), lt: afterEntries(room) };
    for await (const [key, value] of this.#db.iterator(range)) yield toEntry(key, value);
  }

  async latest(room: string): Promise<StoredSnapshot | undefined> {
    const value = await this.#db.get(snapshotKey(room));
    return value === undefined ? undefined : toSnapshot(value);
  }

  async head(room: string): Promise<LogHead | undefined> {
    const known = this.heads.byRoom.get(room);
    if (known !== undefined || !this.heads.isLost) return known;
    // The true end of a log with entries is unknown. With one entry more than there is, the room is refused until it is repaired.
    const last = await this.#lastOf(room);
    return last === 0 ? undefined : { number: last + 1, hash: "" };
  }

  /** The number of a room's last entry; 0 for an empty log. */
  async #lastOf(room: string): Promise<number> {
    const known = this.#lastNumbers.get(room);
    if (known !== undefined) return known;
    let last = (await this.latest(room))?.number ?? 0;
    const range = { gt: entryKey(room, 0), lt: afterEntries(room), reverse: true, limit: 1 };
    for await (const [key, value] of this.#db.iterator(range)) last = Math.max(last, toEntry(key, value).number);
    this.#lastNumbers.set(room, last);
    return last;
  }

  append(room: string, expected: number, entries: readonly StoredEntry[]): Promise<void> {
    const result = new Promise<void>((resolve, reject) =>
      this.#waitingAppends.push({ room, expected, entries, resolve, reject }),
    );
    this.#currentRun ??= this.#writeAll().finally(() => {
      this.#currentRun = undefined;
    });
    return result;
  }

  /**
   * Writes until no append waits. All appends that have arrived while the disk was busy, also of several rooms, go into one
   * write. Each is checked against the last entry before it, in the database or in the same write. If a write fails, all appends
   * that wait are refused as stale: each room then reads its log again.
   */
  async #writeAll(): Promise<void> {
    while (this.#waitingAppends.length > 0) {
      const appendsInWrite: Append[] = [];
      /** The last entry of each room after this write. */
      const newHeads = new Map<string, LogHead>();
      const puts: LevelBatch[] = [];
      while (this.#waitingAppends.length > 0 && puts.length < MOST_IN_WRITE) {
        const next = this.#waitingAppends.shift();
        if (next === undefined) break;
        // -1 is never expected: where the last number cannot be read, the append is refused.
        const last = newHeads.get(next.room)?.number ?? (await this.#lastOf(next.room).catch(() => -1));
        if (last !== next.expected) {
          next.reject(staleAppend(next.room, next.expected));
          continue;
        }
        appendsInWrite.push(next);
        for (const { number, previous, hash, text } of next.entries) {
          puts.push({ type: "put", key: entryKey(next.room, number), value: `${previous} ${hash} ${text}` });
          newHeads.set(next.room, { number, hash });
        }
      }
      try {
        await this.#write((db) => db.batch(puts, { sync: true }));
        await this.heads.add(newHeads);
      } catch (cause) {
        for (const { reject } of appendsInWrite) reject(cause);
        // The failed write may have left an incomplete record: the log must be read again before anything follows it.
        for (const { room, expected, reject } of this.#waitingAppends.splice(0)) reject(staleAppend(room, expected));
        continue;
      }
      for (const [room, { number }] of newHeads) this.#lastNumbers.set(room, number);
      for (const { resolve } of appendsInWrite) resolve();
    }
  }

  writePart(room: string, part: PartKey, text: string): Promise<void> {
    return this.#put(partKey(room, part), text);
  }

  readPart(room: string, part: PartKey): Promise<string | undefined> {
    return this.#db.get(partKey(room, part));
  }

  async snapshot(room: string, snapshot: StoredSnapshot, forget: number): Promise<void> {
    const { number } = snapshot;
    const isOutdated = (this.#snapshotNumbers.get(room) ?? 0) > number;
    if (isOutdated) return;
    this.#snapshotNumbers.set(room, number);
    await this.#put(snapshotKey(room), JSON.stringify(snapshot));
    // The parts of earlier snapshots. The empty id comes before all ids.
    await this.#clear(partKey(room, { number: 0, id: "" }), partKey(room, { number, id: "" }));
    if (forget > 0) await this.#clear(entryKey(room, 0), entryKey(room, forget + 1));
  }

  async cut(room: string, after: number): Promise<void> {
    this.#snapshotNumbers.delete(room);
    const snapshot = await this.latest(room);
    // The number of a damaged snapshot is unknown, so it may be a later one.
    const isDamaged = snapshot?.digest === "";
    if (snapshot !== undefined && (snapshot.number > after || isDamaged))
      await this.#write((db) => db.batch([{ type: "del", key: snapshotKey(room) }], { sync: true }));
    await this.#clear(partKey(room, { number: after + 1, id: "" }), afterParts(room));
    await this.#clear(entryKey(room, after), afterEntries(room));
    // The hash of entry `after`, which is the last one now. If it is not in the log any more, the snapshot has its hash.
    let hash = snapshot?.number === after ? snapshot.hash : "";
    for await (const entry of this.read(room, Math.max(0, after - 1))) hash = entry.hash;
    this.#lastNumbers.set(room, after);
    await this.heads.add(new Map([[room, { number: after, hash }]]));
  }

  async remove(room: string): Promise<void> {
    await this.#clear(`${room}!`, `${room}"`);
    this.#lastNumbers.delete(room);
    this.#snapshotNumbers.delete(room);
    this.heads.byRoom.delete(room);
    await this.heads.rewrite();
  }

  #put(key: string, value: string): Promise<void> {
    return this.#write((db) => db.batch([{ type: "put", key, value }], { sync: true }));
  }

  /** Deletes the keys between two others, both excluded. */
  #clear(gt: string, lt: string): Promise<void> {
    return this.#write((db) => db.clear({ gt, lt }));
  }

  /**
   * Runs one write after the other. After a write that failed, of whatever room, the database is opened again first: LevelDB
   * would write on after the incomplete record, and at the next start lose all that comes after it.
   */
  #write(run: (db: LevelDatabase) => Promise<void>): Promise<void> {
    const result = this.#lastWrite.then(async () => {
      if (this.#isDamaged) await this.#reopen();
      try {
        await run(this.#db);
      } catch (cause) {
        this.#isDamaged = true;
        throw cause;
      }
    });
    this.#lastWrite = result.catch(() => {});
    return result;
  }

  async #reopen(): Promise<void> {
    await this.#db.close().catch(() => {});
    const createIfMissing = false;
    this.#db = await openLevel(this.Level, this.location, createIfMissing);
    this.#lastNumbers.clear();
    this.#isDamaged = false;
  }

  /** After a failed append: opens the database again, as at the next start, and replaces a file `heads` with incomplete lines. */
  async recover(): Promise<void> {
    await this.#currentRun;
    this.#isDamaged = true;
    await this.#write(() => this.heads.rewrite());
  }

  async close(): Promise<void> {
    await this.#currentRun;
    await this.#lastWrite;
    await this.#db.close();
    await this.heads.close();
  }
}

/** Not a literal, so that bundlers and type checkers do not ask for a package that other storages do not need. */
const PACKAGE: string = "classic-level";

async function importLevel(): Promise<LevelClass> {
  try {
    const { ClassicLevel }: { ClassicLevel: LevelClass } = await import(PACKAGE);
    return ClassicLevel;
  } catch (cause) {
    throw new GenuiPatchError("INVALID_ARGUMENT", `levelStorage needs the package ${PACKAGE}: npm install ${PACKAGE}`, {
      cause,
    });
  }
}

/** @throws GenuiPatchError `STORAGE_IN_USE` or `LOG_DAMAGED`. */
async function openLevel(Level: LevelClass, location: string, createIfMissing: boolean): Promise<LevelDatabase> {
  const db = new Level(location, { createIfMissing });
  try {
    await db.open();
    return db;
  } catch (error) {
    // `classic-level` wraps the error of LevelDB.
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const { code, message } = isObject(cause) ? cause : {};
    if (code === "LEVEL_LOCKED")
      throw new GenuiPatchError(
        "STORAGE_IN_USE",
        `Another process has ${location} open: end it, or use another folder.`,
      );
    throw new GenuiPatchError("LOG_DAMAGED", `${location} cannot be opened: ${String(message)}`, { cause });
  }
}
