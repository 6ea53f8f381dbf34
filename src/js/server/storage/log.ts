/**
 * The log of a room on a storage: numbers entries and chains them by hashes, checks both when it reads them, and repairs a log.
 */
import { GenuiPatchError } from "../../core/errors.js";
import { sha256 } from "../sha256.js";
import { isSound, readParts } from "./snapshot.js";
import type { LogHead, RoomStorage, StoredEntry, StoredSnapshot } from "./types.js";

/** A fault of a stored log. `from` and `to` are numbers of entries. */
export type LogFault =
  /** These entries are not there. */
  | { kind: "missing"; from: number; to: number }
  /** These entries were changed, or do not follow the ones before them. */
  | { kind: "damaged"; from: number; to: number }
  /** The snapshot that replaces the entries up to `to` was changed. `from` is 1. */
  | { kind: "snapshot"; from: number; to: number };

/** Thrown instead of serving a log that is not whole. Nothing was changed. */
export class LogError extends GenuiPatchError {
  constructor(
    readonly room: string,
    readonly faults: readonly LogFault[],
    /** The number of the last entry before the first fault; 0 if none exists. */
    readonly sound: number,
  ) {
    const listedFaults = faults.slice(0, MOST_LISTED).map(inWords).join("; ");
    const more = faults.length > MOST_LISTED ? `; and ${faults.length - MOST_LISTED} more` : "";
    super(
      "LOG_DAMAGED",
      `The log of the room "${room}" is not whole: ${listedFaults}${more}. It is not served. Restore a backup, or call ` +
        `rooms.repair("${room}"), which cuts the log back to entry ${sound} and says what is lost.`,
    );
  }
}

/** Faults that the message of an error lists. */
const MOST_LISTED = 10;
/** Faults that are recorded: a bound for logs with many gaps. */
const MOST_FAULTS = 100;

function inWords({ kind, from, to }: LogFault): string {
  const entries = from === to ? `entry ${from}` : `entries ${from} to ${to}`;
  if (kind === "snapshot") return `the snapshot of ${entries} was changed`;
  return kind === "missing" ? `${entries} missing` : `${entries} damaged`;
}

const hashOf = (previous: string, number: number, text: string): string => sha256(`${previous}\n${number}\n${text}`);

/** Makes the entries for new texts: numbered and chained on from the last entry of a log. */
export function chainEntries({ number: last, hash }: LogHead, texts: readonly string[]): StoredEntry[] {
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

/** The head of a log without entries. */
export const EMPTY_LOG: LogHead = { number: 0, hash: "" };

/** The result of reading a log. */
export interface LogReading {
  /** The snapshot that the reading began with; `undefined` for a log without one, or with a damaged one. */
  snapshot: StoredSnapshot | undefined;
  /** The last entry before the first fault, or the last one of the snapshot if that is later. `EMPTY_LOG` if none exists. */
  head: LogHead;
  faults: readonly LogFault[];
  /** Some of the faults are in entries that the snapshot covers. These entries can be deleted: the snapshot has their effect. */
  hasOldFaults: boolean;
  /** Another server has replaced the snapshot meanwhile, and deleted entries that were not read yet: the log must be read again. */
  hasMoved: boolean;
}

/**
 * Receives a log while it is read. Faults are found only on the way: if `readLog` returns faults, or `hasMoved`, its caller
 * discards all that the receiver has.
 */
export interface LogReceiver {
  /** The snapshot, whose own digest is right. Its parts follow. Not called for a log without a snapshot. */
  begin(snapshot: StoredSnapshot): void;
  /** The next part of the snapshot. */
  part(text: string): void;
  /** The next entry, also some before the snapshot. */
  entry(entry: StoredEntry): void;
}

/**
 * Reads a log from its snapshot on, and checks it. `receiver` gets the parts of the snapshot, up to the first one that is
 * damaged, and each sound entry up to the first fault after the snapshot; before these also the last `keep` entries that the
 * snapshot covers.
 */
export async function readLog(
  storage: RoomStorage,
  room: string,
  keep: number,
  receiver: LogReceiver = { begin: ignore, part: ignore, entry: ignore },
): Promise<LogReading> {
  /** Faults of entries after the snapshot, and of the snapshot itself. */
  const faults = new Faults();
  /** Faults of entries that the snapshot covers. */
  const oldFaults = new Faults();
  const latest = await storage.latest(room);
  const isSnapshotSound =
    latest !== undefined && isSound(latest) && (await readSnapshot(storage, room, latest, receiver));
  const snapshot = isSnapshotSound ? latest : undefined;
  if (latest !== undefined && !isSnapshotSound) faults.add("snapshot", 1, Math.max(1, latest.number));
  let head: LogHead = snapshot ?? EMPTY_LOG;
  const lastCoveredNumber = head.number;
  const add = (kind: LogFault["kind"], from: number, to: number) => {
    if (from <= lastCoveredNumber) oldFaults.add(kind, from, Math.min(to, lastCoveredNumber));
    if (to > lastCoveredNumber) faults.add(kind, Math.max(from, lastCoveredNumber + 1), to);
  };
  let last: StoredEntry | undefined;
  for await (const entry of storage.read(room, Math.max(0, head.number - keep))) {
    const { number, previous, hash, text } = entry;
    // Covered entries may have been deleted, the oldest first: the log may begin with any of them, or with the one after them.
    const expected = last === undefined ? Math.min(number, head.number + 1) : last.number + 1;
    if (number > expected) add("missing", expected, number - 1);
    // Undefined if the entry before was deleted or is missing: then `previous` cannot be checked.
    const entryBefore = last?.number === number - 1 ? last : number === 1 ? EMPTY_LOG : undefined;
    const followsLast = entryBefore === undefined || previous === entryBefore.hash;
    // The snapshot has the hash of its last entry, with which that entry and the one after it can be checked.
    const fitsSnapshot = number !== snapshot?.number || hash === snapshot.hash;
    const followsHead = number !== head.number + 1 || previous === head.hash;
    const isInOrder = number >= expected;
    const isEntrySound =
      isInOrder && hash === hashOf(previous, number, text) && followsLast && followsHead && fitsSnapshot;
    if (!isEntrySound) add("damaged", number, number);
    last = entry;
    if (faults.exist || !isEntrySound) continue;
    receiver.entry(entry);
    if (number > head.number) head = { number, hash };
  }
  // A storage that keeps a record of the last acknowledged entry shows that the end of the log is lost or another one.
  const acknowledged = await storage.head?.(room);
  const lastRead = Math.max(last?.number ?? 0, head.number);
  if (acknowledged !== undefined && acknowledged.number > lastRead)
    faults.add("missing", lastRead + 1, acknowledged.number);
  else if (acknowledged !== undefined && acknowledged.number === head.number && acknowledged.hash !== head.hash)
    faults.add("damaged", head.number, head.number);
  const all = [...oldFaults.list, ...faults.list];
  // Entries may seem to be missing because another server has replaced the snapshot during the reading, and deleted them.
  const latestNow = all.length > 0 ? await storage.latest(room) : latest;
  const hasMoved = latestNow?.number !== latest?.number || latestNow?.digest !== latest?.digest;
  return { snapshot, head, faults: all, hasOldFaults: oldFaults.exist, hasMoved };
}

/** Reads the parts of a snapshot. Returns false at the first one that is not there or was changed. */
async function readSnapshot(
  storage: RoomStorage,
  room: string,
  snapshot: StoredSnapshot,
  receiver: LogReceiver,
): Promise<boolean> {
  receiver.begin(snapshot);
  for await (const text of readParts(storage, room, snapshot)) {
    if (text === undefined) return false;
    receiver.part(text);
  }
  return true;
}

/** A list of faults. A fault that continues the one before it is merged with it. */
class Faults {
  readonly list: LogFault[] = [];

  get exist(): boolean {
    return this.list.length > 0;
  }

  add(kind: LogFault["kind"], from: number, to: number): void {
    const last = this.list.at(-1);
    if (last?.kind === kind && last.to === from - 1) last.to = to;
    else if (this.list.length < MOST_FAULTS) this.list.push({ kind, from, to });
  }
}

/** The result of a repair. */
export interface Repaired {
  /** The number of the last entry of the log now. */
  kept: number;
  /** The numbers of the first and the last entry that are gone; `undefined` if nothing is lost. */
  lost: { from: number; to: number } | undefined;
  /** The faults that the log had. */
  faults: readonly LogFault[];
}

/**
 * Repairs a log. Entries that the snapshot covers are all deleted if some of them have faults. Then the log is cut back to the
 * last entry before its first fault. A log that is whole stays as it is.
 */
export async function repairLog(storage: RoomStorage, room: string): Promise<Repaired> {
  const { snapshot, head, faults, hasOldFaults, hasMoved } = await readLog(storage, room, KEPT_BEFORE);
  if (hasMoved) return repairLog(storage, room);
  if (hasOldFaults && snapshot !== undefined) {
    // The same snapshot again deletes all entries that it covers. Nothing is lost, since the snapshot has their effect.
    await storage.snapshot(room, snapshot, snapshot.number);
    const secondReading = await readLog(storage, room, KEPT_BEFORE);
    // The interface allows a storage to keep such entries.
    if (secondReading.hasOldFaults) throw new LogError(room, secondReading.faults, secondReading.head.number);
    const { kept, lost } = await repairLog(storage, room);
    return { kept, lost, faults };
  }
  if (faults.length === 0) return { kept: head.number, lost: undefined, faults };
  let highest = Math.max(head.number, ...faults.map(({ to }) => to));
  try {
    for await (const { number } of storage.read(room, head.number)) highest = Math.max(highest, number);
  } catch {
    // Entries that cannot be read are lost too, but nobody knows their numbers.
  }
  await storage.cut(room, head.number);
  const lost = highest > head.number ? { from: head.number + 1, to: highest } : undefined;
  return { kept: head.number, lost, faults };
}

function ignore(): void {}
