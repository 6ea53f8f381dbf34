/** Rooms as values: what `rooms.export` returns, and `rooms.import` takes, here or on another server. */
import { misuse } from "../core/errors.js";
import { isObject, isText } from "../core/kinds.js";
import { fromEarlier, toParts } from "./snapshot-text.js";
import { checkedParts, isInParts, isSound, type SnapshotInParts } from "./storage/snapshot.js";
import type { LogHead, RoomStorage, StoredSnapshot } from "./storage/types.js";

/** The `format` of an exported room. */
const FORMAT = "genui-patch room 2";
/** The `format` of earlier versions, whose rooms are one text without parts. */
const EARLIER = "genui-patch room 1";

/**
 * A room at one moment: its documents, its proposals and the last decisions on them, and which calls were executed, so that none
 * is executed again. It is JSON. The entries of the log are not in it. No text in it is longer than about one document.
 */
export interface ExportedRoom extends SnapshotInParts {
  readonly format: typeof FORMAT;
  /** The name that the room had. */
  readonly room: string;
}

export const toExported = (room: string, snapshot: SnapshotInParts): ExportedRoom => ({
  format: FORMAT,
  room,
  ...snapshot,
});

/** An exported room whose digests are right: the last entry whose effect is in it, and the texts of its parts. */
interface ImportedRoom {
  head: LogHead;
  texts: string[];
}

/** @throws GenuiPatchError `INVALID_ARGUMENT` for a value of another form, or one that was changed. */
export function readExported(exported: unknown): ImportedRoom {
  const { format, number, hash, text, digest, parts }: { [key: string]: unknown } = isObject(exported) ? exported : {};
  if (!(format === FORMAT || format === EARLIER) || !isText(hash) || !isText(text) || !isText(digest))
    throw misuse(`import: the value is no exported room: pass what export has returned, with format: "${FORMAT}".`);
  const noNumber = -1;
  const head = { number: Number.isSafeInteger(number) ? Number(number) : noNumber, hash };
  const snapshot = { ...head, text, digest };
  const texts = head.number >= 0 && isSound(snapshot) ? textsOf(format, snapshot, parts) : undefined;
  if (texts === undefined)
    throw misuse("import: the exported room was changed since: its digest is that of another text. Export it again.");
  return { head, texts };
}

/**
 * The texts of the parts; `undefined` if they do not fit the snapshot. For the earlier format they are made from its one text.
 */
function textsOf(format: string, snapshot: StoredSnapshot, parts: unknown): string[] | undefined {
  // A text that lists parts is not of the earlier format.
  if (format === EARLIER) return isInParts(snapshot) ? undefined : [...toParts(fromEarlier(snapshot.text))];
  return Array.isArray(parts) ? checkedParts(snapshot, parts) : undefined;
}

/** Whether a storage has nothing of a room. */
export async function isUnused(storage: RoomStorage, room: string): Promise<boolean> {
  if ((await storage.latest(room)) !== undefined) return false;
  for await (const _ of storage.read(room, 0)) return false;
  return true;
}
