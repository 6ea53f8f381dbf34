/** Rooms as values: what `rooms.export` returns, and `rooms.import` takes, here or on another server. */
import { misuse } from "../core/errors.js";
import { isObject, isText } from "../core/kinds.js";
import { isSound } from "./storage/log.js";
import type { RoomStorage, StoredSnapshot } from "./storage/types.js";

const FORMAT = "genui-patch room 1";

/**
 * A room at one moment: its documents, its proposals and the last decisions on them, and which calls were made, so that each stays
 * made once. It is JSON. The entries of the log are not in it.
 */
export interface ExportedRoom extends StoredSnapshot {
  readonly format: typeof FORMAT;
  /** The name that the room had. */
  readonly room: string;
}

export const toExported = (room: string, snapshot: StoredSnapshot): ExportedRoom => ({
  format: FORMAT,
  room,
  ...snapshot,
});

/** The snapshot of an exported room. */
export function readExported(exported: unknown): StoredSnapshot {
  const { format, number, hash, text, digest } = isObject(exported) ? exported : {};
  if (format !== FORMAT || !isText(hash) || !isText(text) || !isText(digest))
    throw misuse(`import: the value is no exported room: pass what export has returned, with format: "${FORMAT}".`);
  const snapshot = { number: Number.isSafeInteger(number) ? Number(number) : -1, hash, text, digest };
  if (snapshot.number < 0 || !isSound(snapshot))
    throw misuse("import: the exported room was changed since: its digest is that of another text. Export it again.");
  return snapshot;
}

/** Whether a storage has nothing of a room. */
export async function isUnused(storage: RoomStorage, room: string): Promise<boolean> {
  if ((await storage.latest(room)) !== undefined) return false;
  for await (const _ of storage.read(room, 0)) return false;
  return true;
}
