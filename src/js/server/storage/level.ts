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

/** Entries that are written to the disk at once. */
const MOST_AT_ONCE = 1_000;

interface Append {
  room: string;
  expected: number;
  entries: readonly StoredEntry[];
  resolve(): void;
  reject(cause: unknown): void;
}

/** `!` comes before every character of a room's name, so that the keys of a room are neighbours. */
const entryKey = (room: string, number: number | string) => `${room}!e!${String(number).padStart(16, "0")}`;
const afterEntries = (room: string) => `${room}!e"`;
const snapshotKey = (room: string) => `${room}!s`;
/** Parts of snapshots, in the order of their numbers. */
const partKey = (room: string, { number, id }: PartKey) => `${room}!p!${String(number).padStart(16, "0")}!${id}`;
const afterParts = (room: string) => `${room}!p"`;

function toEntry(key: string, value: string): StoredEntry {
  const [previous = "", hash = ""] = value.split(" ", 2);
  return {
    number: Number(key.slice(key.lastIndexOf("!") + 1)),
    previous,
    hash,
    text: value.slice(previous.length + hash.length + 2),
  };
}

function toSnapshot(value: string): StoredSnapshot {
  try {
    const { number, hash, text, digest }: Partial<StoredSnapshot> = JSON.parse(value);
    if (Number.isSafeInteger(number) && isText(hash) && isText(text) && isText(digest))
      return { number: number ?? 0, hash, text, digest };
  } catch {
    // As one that does not fit its hash.
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
  /** The numbers of the last entries, as far as they are known. */
  readonly #last = new Map<string, number>();
  /** The numbers of the snapshots that this process has written. */
  readonly #snapshots = new Map<string, number>();
  #waiting: Append[] = [];
  #writing: Promise<void> | undefined;
  #lastWrite = Promise.resolve();
  /** A write has failed, and the database has not been opened again since. */
  #isTorn = false;

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
    const isKnown = await heads.read();
    const location = `${folder}/log`;
    // A database whose files are gone would be made anew, over those that are left.
    const db = await openLevel(Level, location, !isKnown || (heads.known.size === 0 && !heads.isLost));
    if (!isKnown) for await (const _ of db.iterator({ limit: 1, values: false })) heads.isLost = true;
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
    const known = this.heads.known.get(room);
    if (known !== undefined || !this.heads.isLost) return known;
    // The true end of the log is unknown. Naming one entry more makes the room refuse to open until it is repaired.
    const last = await this.#lastOf(room);
    return last === 0 ? undefined : { number: last + 1, hash: "" };
  }

  async #lastOf(room: string): Promise<number> {
    const known = this.#last.get(room);
    if (known !== undefined) return known;
    let last = (await this.latest(room))?.number ?? 0;
    const range = { gt: entryKey(room, 0), lt: afterEntries(room), reverse: true, limit: 1 };
    for await (const [key, value] of this.#db.iterator(range)) last = Math.max(last, toEntry(key, value).number);
    this.#last.set(room, last);
    return last;
  }

  append(room: string, expected: number, entries: readonly StoredEntry[]): Promise<void> {
    const answer = new Promise<void>((resolve, reject) =>
      this.#waiting.push({ room, expected, entries, resolve, reject }),
    );
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return answer;
  }

  /** Writes together what arrived while the disk was busy, also of several rooms. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group: Append[] = [];
      const heads = new Map<string, LogHead>();
      const puts: LevelBatch[] = [];
      while (this.#waiting.length > 0 && puts.length < MOST_AT_ONCE) {
        const next = this.#waiting.shift();
        if (next === undefined) break;
        const last = heads.get(next.room)?.number ?? (await this.#lastOf(next.room).catch(() => -1));
        if (last !== next.expected) {
          next.reject(staleAppend(next.room, next.expected));
          continue;
        }
        group.push(next);
        for (const { number, previous, hash, text } of next.entries) {
          puts.push({ type: "put", key: entryKey(next.room, number), value: `${previous} ${hash} ${text}` });
          heads.set(next.room, { number, hash });
        }
      }
      try {
        await this.#write((db) => db.batch(puts, { sync: true }));
        await this.heads.add(heads);
      } catch (cause) {
        for (const { reject } of group) reject(cause);
        // The failed write may have left a torn record: the log must be read again before anything follows it.
        for (const { room, expected, reject } of this.#waiting.splice(0)) reject(staleAppend(room, expected));
        continue;
      }
      for (const [room, { number }] of heads) this.#last.set(room, number);
      for (const { resolve } of group) resolve();
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
    if ((this.#snapshots.get(room) ?? 0) > number) return;
    this.#snapshots.set(room, number);
    await this.#put(snapshotKey(room), JSON.stringify(snapshot));
    await this.#clear(partKey(room, { number: 0, id: "" }), partKey(room, { number, id: "" }));
    if (forget > 0) await this.#clear(entryKey(room, 0), entryKey(room, forget + 1));
  }

  async cut(room: string, after: number): Promise<void> {
    this.#snapshots.delete(room);
    const snapshot = await this.latest(room);
    if (snapshot !== undefined && (snapshot.number > after || snapshot.digest === ""))
      await this.#write((db) => db.batch([{ type: "del", key: snapshotKey(room) }], { sync: true }));
    await this.#clear(partKey(room, { number: after + 1, id: "" }), afterParts(room));
    await this.#clear(entryKey(room, after), afterEntries(room));
    let hash = snapshot?.number === after ? snapshot.hash : "";
    for await (const entry of this.read(room, Math.max(0, after - 1))) hash = entry.hash;
    this.#last.set(room, after);
    await this.heads.add(new Map([[room, { number: after, hash }]]));
  }

  async remove(room: string): Promise<void> {
    await this.#clear(`${room}!`, `${room}"`);
    this.#last.delete(room);
    this.#snapshots.delete(room);
    this.heads.known.delete(room);
    await this.heads.rewrite();
  }

  #put(key: string, value: string): Promise<void> {
    return this.#write((db) => db.batch([{ type: "put", key, value }], { sync: true }));
  }

  /** Deletes the keys between two others. */
  #clear(gt: string, lt: string): Promise<void> {
    return this.#write((db) => db.clear({ gt, lt }));
  }

  /**
   * Runs one write after the other. After one that failed, of whatever room, LevelDB would go on behind what is torn, and lose it all
   * at the next start.
   */
  #write(run: (db: LevelDatabase) => Promise<void>): Promise<void> {
    const done = this.#lastWrite.then(async () => {
      if (this.#isTorn) await this.#reopen();
      try {
        await run(this.#db);
      } catch (cause) {
        this.#isTorn = true;
        throw cause;
      }
    });
    this.#lastWrite = done.catch(() => {});
    return done;
  }

  async #reopen(): Promise<void> {
    await this.#db.close().catch(() => {});
    this.#db = await openLevel(this.Level, this.location, false);
    this.#last.clear();
    this.#isTorn = false;
  }

  /** After a failed append: opens the database again, as at the next start. */
  async recover(): Promise<void> {
    await this.#writing;
    this.#isTorn = true;
    await this.#write(() => this.heads.rewrite());
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#lastWrite;
    await this.#db.close();
    await this.heads.close();
  }
}

/** Not a literal, so that bundlers and type checkers do not ask for a package that other storages do not need. */
const PACKAGE: string = "classic-level";

async function importLevel(): Promise<LevelClass> {
  try {
    const { ClassicLevel: found }: { ClassicLevel: LevelClass } = await import(PACKAGE);
    return found;
  } catch (cause) {
    throw new GenuiPatchError("INVALID_ARGUMENT", `levelStorage needs the package ${PACKAGE}: npm install ${PACKAGE}`, {
      cause,
    });
  }
}

async function openLevel(Level: LevelClass, location: string, createIfMissing: boolean): Promise<LevelDatabase> {
  const db = new Level(location, { createIfMissing });
  try {
    await db.open();
    return db;
  } catch (error) {
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
