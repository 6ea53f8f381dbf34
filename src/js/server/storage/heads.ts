/** `Heads`: the last acknowledged entry of each room, in a file beside the database. */
import type { FileHandle } from "node:fs/promises";
import { sha256 } from "../sha256.js";
import type { LogHead } from "./types.js";

/** Bytes of lines after which the file is written anew, with one line for each room. */
const REWRITE_AFTER = 4 * 2 ** 20;

const checkOf = (text: string): string => sha256(text).slice(0, 8);
const lineOf = (room: string, { number, hash }: LogHead): string => {
  const text = `${number} ${hash} ${room}`;
  return `${checkOf(text)} ${text}\n`;
};

/**
 * The last acknowledged entry of each room, in a file beside the database. A database that loses its last file opens without an
 * error, and this file shows that entries are missing. Each line has a checksum and is written after the database has the entry.
 */
export class Heads {
  readonly known = new Map<string, LogHead>();
  /** The file was missing or damaged: what it said of rooms is not known. */
  isLost = false;
  #file: FileHandle | undefined;
  #written = 0;

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
      const [check, number, hash, room] = line.split(" ");
      if (room === undefined || hash === undefined || check !== checkOf(line.slice(9))) this.isLost = true;
      else this.known.set(room, { number: Number(number), hash });
    }
    return true;
  }

  async add(heads: ReadonlyMap<string, LogHead>): Promise<void> {
    let text = "";
    for (const [room, head] of heads) text += lineOf(room, head);
    if (this.#file === undefined || this.#written > REWRITE_AFTER) await this.rewrite();
    await this.#file?.write(text);
    await this.#file?.datasync();
    this.#written += text.length;
    for (const [room, head] of heads) this.known.set(room, head);
  }

  /** Writes the file anew, and keeps it open. */
  async rewrite(): Promise<void> {
    await this.close();
    const next = `${this.path}.next`;
    const file = await this.files.open(next, "w", 0o600);
    try {
      let text = "";
      for (const [room, head] of this.known) text += lineOf(room, head);
      await file.write(text);
      await file.datasync();
    } finally {
      await file.close();
    }
    await this.files.rename(next, this.path);
    this.#file = await this.files.open(this.path, "a", 0o600);
    this.#written = 0;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}
