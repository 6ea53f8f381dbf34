/** `RoomLog`: the log of one room on a storage. It numbers and chains entries, and checks both when it reads them. */
import { GenuiPatchError } from "../../core/errors.js";
import { sha256 } from "../sha256.js";
import { isSound, readParts } from "./snapshot.js";
import type { LogHead, RoomStorage, StoredEntry, StoredSnapshot } from "./types.js";

/** A fault of a stored log. `from` and `to` are numbers of entries. */
export type LogFault =
  /** The entries from one number to another are not there. */
  | { kind: "missing"; from: number; to: number }
  /** An entry was changed, or does not follow the one before. */
  | { kind: "damaged"; from: number; to: number }
  /** The snapshot that replaces the entries up to a number was changed. */
  | { kind: "snapshot"; from: number; to: number };

/** Thrown instead of serving a log that is not whole. Nothing was changed. */
export class LogError extends GenuiPatchError {
  constructor(
    readonly room: string,
    readonly faults: readonly LogFault[],
    /** The last entry before the first fault. */
    readonly sound: number,
  ) {
    const listed = faults.slice(0, MOST_LISTED).map(inWords).join("; ");
    const more = faults.length > MOST_LISTED ? `; and ${faults.length - MOST_LISTED} more` : "";
    super(
      "LOG_DAMAGED",
      `The log of the room "${room}" is not whole: ${listed}${more}. It is not served. Restore a backup, or call ` +
        `rooms.repair("${room}"), which cuts the log back to entry ${sound} and says what is lost.`,
    );
  }
}

const MOST_LISTED = 10;
const MOST_FAULTS = 100;

function inWords({ kind, from, to }: LogFault): string {
  const which = from === to ? `entry ${from}` : `entries ${from} to ${to}`;
  if (kind === "snapshot") return `the snapshot of ${which} was changed`;
  return kind === "missing" ? `${which} missing` : `${which} damaged`;
}

const hashOf = (previous: string, number: number, text: string): string => sha256(`${previous}\n${number}\n${text}`);

/** The entries of some texts, after the head of a log. */
export function chained({ number: last, hash }: LogHead, texts: readonly string[]): StoredEntry[] {
  let previous = hash;
  return texts.map((text, index) => {
    const number = last + index + 1;
    const entry = { number, previous, hash: hashOf(previous, number, text), text };
    previous = entry.hash;
    return entry;
  });
}

/** Entries before a snapshot that stay in the log, for pages that resume after a restart. */
export const KEPT_BEFORE = 1_000;

export const EMPTY: LogHead = { number: 0, hash: "" };

/** A log as it was read: what to begin with, and the last entry. */
export interface ReadLog {
  snapshot: StoredSnapshot | undefined;
  head: LogHead;
  faults: readonly LogFault[];
  /** Some of the faults are in entries that the snapshot covers: without these entries the log is whole up to `head`. */
  hasOldFaults: boolean;
  /** Another server has replaced the snapshot meanwhile, and deleted entries that were not read yet: the log must be read again. */
  hasMoved: boolean;
}

/** Receives a log while it is read. If there are faults, discard what it has received. */
export interface LogTaker {
  /** A sound snapshot, whose parts follow. Not called for a log without one. */
  begin(snapshot: StoredSnapshot): void;
  part(text: string): void;
  /** The next entry, also some before the snapshot. */
  entry(entry: StoredEntry): void;
}

/**
 * Reads a log from its snapshot on, and checks it. `taker` gets the parts of the snapshot, and each sound entry up to the first
 * fault, also as many as `keep` before the snapshot.
 */
export async function readLog(
  storage: RoomStorage,
  room: string,
  keep: number,
  taker: LogTaker = { begin: ignore, part: ignore, entry: ignore },
): Promise<ReadLog> {
  const faults = new Faults();
  /** Faults of entries that the snapshot covers. */
  const old = new Faults();
  const found = await storage.latest(room);
  const isWhole = found !== undefined && isSound(found) && (await readSnapshot(storage, room, found, taker));
  const snapshot = isWhole ? found : undefined;
  if (found !== undefined && !isWhole) faults.add("snapshot", 1, Math.max(1, found.number));
  let head: LogHead = snapshot ?? EMPTY;
  const replaced = head.number;
  const add = (kind: LogFault["kind"], from: number, to: number) => {
    if (from <= replaced) old.add(kind, from, Math.min(to, replaced));
    if (to > replaced) faults.add(kind, Math.max(from, replaced + 1), to);
  };
  let last: LogHead | undefined;
  for await (const entry of storage.read(room, Math.max(0, head.number - keep))) {
    const { number, previous, hash, text } = entry;
    const isFirst = last === undefined;
    // Entries before the snapshot may have been deleted, from the first on.
    const start = isFirst ? Math.min(number, head.number + 1) : (last?.number ?? 0) + 1;
    if (number > start) add("missing", start, number - 1);
    const follows = isFirst ? number > 1 || previous === "" : number !== start || previous === last?.hash;
    const joins = snapshot === undefined || number !== snapshot.number || hash === snapshot.hash;
    const joinsNext = number !== head.number + 1 || faults.some || previous === head.hash;
    const isWhole = hash === hashOf(previous, number, text) && follows && joins && joinsNext && number >= start;
    if (!isWhole) add("damaged", number, number);
    last = entry;
    if (faults.some || !isWhole) continue;
    taker.entry(entry);
    if (number > head.number) head = { number, hash };
  }
  const acknowledged = await storage.head?.(room);
  const read = Math.max(last?.number ?? 0, head.number);
  if (acknowledged !== undefined && acknowledged.number > read) faults.add("missing", read + 1, acknowledged.number);
  else if (acknowledged !== undefined && acknowledged.number === head.number && acknowledged.hash !== head.hash)
    faults.add("damaged", head.number, head.number);
  const all = [...old.list, ...faults.list];
  const latest = all.length > 0 ? await storage.latest(room) : found;
  const hasMoved = latest?.number !== found?.number || latest?.digest !== found?.digest;
  return { snapshot, head, faults: all, hasOldFaults: old.some, hasMoved };
}

/** Reads the parts of a snapshot. Returns false at the first one that is not there or was changed. */
async function readSnapshot(
  storage: RoomStorage,
  room: string,
  snapshot: StoredSnapshot,
  taker: LogTaker,
): Promise<boolean> {
  taker.begin(snapshot);
  for await (const text of readParts(storage, room, snapshot)) {
    if (text === undefined) return false;
    taker.part(text);
  }
  return true;
}

/** Faults, with neighbours joined. */
class Faults {
  readonly list: LogFault[] = [];

  get some(): boolean {
    return this.list.length > 0;
  }

  add(kind: LogFault["kind"], from: number, to: number): void {
    const last = this.list.at(-1);
    if (last?.kind === kind && last.to === from - 1) last.to = to;
    else if (this.list.length < MOST_FAULTS) this.list.push({ kind, from, to });
  }
}

/** The result of a repair: the log ends with entry `kept`, and the entries of `lost` are gone. */
export interface Repaired {
  kept: number;
  lost: { from: number; to: number } | undefined;
  faults: readonly LogFault[];
}

/** Cuts a log back to the last entry before its first fault. A log that is whole stays as it is. */
export async function repairLog(storage: RoomStorage, room: string): Promise<Repaired> {
  const { snapshot, head, faults, hasOldFaults, hasMoved } = await readLog(storage, room, KEPT_BEFORE);
  if (hasMoved) return repairLog(storage, room);
  if (hasOldFaults && snapshot !== undefined) {
    // The snapshot has what these entries made, so nothing is lost with them.
    await storage.snapshot(room, snapshot, snapshot.number);
    const again = await readLog(storage, room, KEPT_BEFORE);
    if (again.hasOldFaults) throw new LogError(room, again.faults, again.head.number);
    const { kept, lost } = await repairLog(storage, room);
    return { kept, lost, faults };
  }
  if (faults.length === 0) return { kept: head.number, lost: undefined, faults };
  let highest = Math.max(head.number, ...faults.map(({ to }) => to));
  try {
    for await (const { number } of storage.read(room, head.number)) highest = Math.max(highest, number);
  } catch {
    // A part that cannot be read is lost too.
  }
  await storage.cut(room, head.number);
  const lost = highest > head.number ? { from: head.number + 1, to: highest } : undefined;
  return { kept: head.number, lost, faults };
}

function ignore(): void {}
