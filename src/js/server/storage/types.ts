/** The interface of a storage: a log of entries and one snapshot for each room. */
import { GenuiPatchError } from "../../core/errors.js";

/**
 * An entry of a room's log. Numbers count up by one from 1. `hash` is the SHA-256, in hexadecimal digits, of the number, the text
 * and the hash of the entry before, so that a server notices an entry that is missing, was changed, or stands in another place.
 */
export interface StoredEntry {
  readonly number: number;
  /** The hash of the entry before; empty for the first. */
  readonly previous: string;
  readonly hash: string;
  readonly text: string;
}

/** The state of a room after the entry with a number. */
export interface StoredSnapshot {
  readonly number: number;
  /** The hash of the entry with that number. */
  readonly hash: string;
  /** JSON that lists the parts with their digests. Snapshots of earlier versions have the state itself here. */
  readonly text: string;
  /** The SHA-256 of `number`, `hash` and `text`. */
  readonly digest: string;
}

/** The name of a part of a snapshot in its room. */
export interface PartKey {
  /** The number of the snapshot. */
  readonly number: number;
  /** Letters, digits and `-`. No other part of the room has it. */
  readonly id: string;
}

/** The last entry of a log. */
export type LogHead = Pick<StoredEntry, "number" | "hash">;

/**
 * Keeps the logs of rooms. Only `append` has to be atomic: all entries or none, and only if the last entry has the number
 * `expected` (0: the log is empty). The server computes and checks numbers, hashes and digests itself.
 *
 * An implementation is some 60 lines: see `memoryStorage`. What `append`, `writePart` and `snapshot` have resolved must survive a
 * crash.
 */
export interface RoomStorage {
  /** The entries after a number, in order; none for a room that does not exist. */
  read(room: string, after: number): AsyncIterable<StoredEntry>;
  /** @throws what {@link staleAppend} makes if the last entry has another number. */
  append(room: string, expected: number, entries: readonly StoredEntry[]): Promise<void>;
  /**
   * Keeps a part of a snapshot, about as long as one document. The server writes all parts of a snapshot before it calls
   * `snapshot`. It may end between two parts: parts that no snapshot names are deleted with the next snapshot.
   */
  writePart(room: string, part: PartKey, text: string): Promise<void>;
  /** The text of a part; `undefined` if none exists under this key. */
  readPart(room: string, part: PartKey): Promise<string | undefined>;
  /**
   * Replaces the snapshot, and deletes the parts of those with a lower number. Entries up to `forget` may be deleted. A snapshot
   * that is older than the one that is kept changes nothing: its server was slow, and the entries after it may be gone.
   */
  snapshot(room: string, snapshot: StoredSnapshot, forget: number): Promise<void>;
  /** The snapshot of the last `snapshot` call that had an effect; `undefined` if the room has none. */
  latest(room: string): Promise<StoredSnapshot | undefined>;
  /** Deletes the entries after a number, for a repair, and a snapshot that is newer, with its parts. */
  cut(room: string, after: number): Promise<void>;
  /** Deletes all of a room. */
  remove(room: string): Promise<void>;
  /**
   * The last entry that was acknowledged, for a storage that records it apart from the log; `undefined` if it has recorded none
   * for the room. A log that ends before this entry has lost entries.
   */
  head?(room: string): Promise<LogHead | undefined>;
  /** Called after an append that failed, before the log is read again: a database that may be damaged is opened again here. */
  recover?(): Promise<void>;
  /**
   * Calls a function when another server may have appended to the log. Returns a function that stops this. Without `watch`, a
   * server notices the entries of other servers only when an append of its own is refused.
   */
  watch?(room: string, listener: () => void): () => void;
  close?(): Promise<void>;
}

/** The error of an append whose `expected` is not the number of the last entry. */
export function staleAppend(room: string, expected: number): GenuiPatchError {
  return new GenuiPatchError("STALE_APPEND", `The log of the room "${room}" does not end with entry ${expected}.`);
}

export const isStaleAppend = (cause: unknown): boolean =>
  cause instanceof GenuiPatchError && cause.code === "STALE_APPEND";
