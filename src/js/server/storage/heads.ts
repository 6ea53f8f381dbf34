/** `Heads`: a file beside the database, with the number and hash of the last acknowledged entry of each room. */
import type { FileHandle } from "node:fs/promises";
import { sha256 } from "../sha256.js";
import type { LogHead } from "./types.js";

/** Bytes that are added to the file before it is written anew, with one line for each room. */
const REWRITE_AFTER = 4 * 2 ** 20;

/** Hexadecimal digits in the checksum of a line. */
const CHECKSUM_LENGTH = 8;
const checksumOf = (text: string): string => sha256(text).slice(0, CHECKSUM_LENGTH);
/** A line without a checksum: the file was lost once, so rooms that it does not name may have lost entries. */
const LOST_LINE = "lost\n";
/** The line of a room: `<checksum> <number> <hash> <room>`. */
const lineOf = (room: string, { number, hash }: LogHead): string => {
  const text = `${number} ${hash} ${room}`;
  return `${checksumOf(text)} ${text}\n`;
};

/**
 * A database that loses its last file opens without an error, and this file shows that entries are missing. Each line has a
 * checksum and is written after the database has the entry. The last line of a room counts.
 */
export class Heads {
  /** The last acknowledged entries. */
  readonly byRoom = new Map<string, LogHead>();
  /** The file was missing or damaged once, so `byRoom` may lack rooms. The file keeps this, for rooms that were not repaired yet. */
  isLost = false;
  /** The file, open to add lines; `undefined` before `rewrite` and after `close`. */
  #file: FileHandle | undefined;
  /** Bytes that were added since the file was written anew. Lines are ASCII. */
  #addedBytes = 0;

  constructor(
    private readonly path: string,
    private readonly files: typeof import("node:fs/promises"),
  ) {}

  /** Reads the file. Returns false if it does not exist. */
  async read(): Promise<boolean> {
    let text: string;
    try {
      text = await this.files.readFile(this.path, "utf8");
    } catch {
      return false;
    }
    const lines = text.split("\n");
    // A crash may leave the last line unfinished: what it says was not acknowledged.
    lines.pop();
    for (const line of lines) {
      const [checksum, number, hash, room] = line.split(" ");
      const checkedText = line.slice(CHECKSUM_LENGTH + 1);
      if (room === undefined || hash === undefined || checksum !== checksumOf(checkedText)) this.isLost = true;
      else this.byRoom.set(room, { number: Number(number), hash });
    }
    return true;
  }

  /** Records the last acknowledged entries of some rooms. They are on the disk when the promise resolves. */
  async add(heads: ReadonlyMap<string, LogHead>): Promise<void> {
    let text = "";
    for (const [room, head] of heads) text += lineOf(room, head);
    if (this.#file === undefined || this.#addedBytes > REWRITE_AFTER) await this.rewrite();
    await this.#file?.write(text);
    await this.#file?.datasync();
    this.#addedBytes += text.length;
    for (const [room, head] of heads) this.byRoom.set(room, head);
  }

  /** Writes the file anew from `byRoom`, and keeps it open. The old file stays until the new one is on the disk. */
  async rewrite(): Promise<void> {
    await this.close();
    const newPath = `${this.path}.next`;
    const file = await this.files.open(newPath, "w", 0o600);
    try {
      let text = this.isLost ? LOST_LINE : "";
      for (const [room, head] of this.byRoom) text += lineOf(room, head);
      await file.write(text);
      await file.datasync();
    } finally {
      await file.close();
    }
    await this.files.rename(newPath, this.path);
    this.#file = await this.files.open(this.path, "a", 0o600);
    this.#addedBytes = 0;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}
