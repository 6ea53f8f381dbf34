/** Snapshots in parts. The text of a snapshot lists the digests of its parts, so its own digest covers all of them. */
import { isObject, isText } from "../../core/kinds.js";
import { sha256 } from "../sha256.js";
import type { LogHead, PartKey, RoomStorage, StoredSnapshot } from "./types.js";

/** The beginning of a list. Snapshots of earlier versions have the state in place of it, which begins otherwise. */
const BEGINNING = '{"parts":';

const digestOf = ({ number, hash }: LogHead, text: string): string => sha256(`${number}\n${hash}\n${text}`);

/** Whether a snapshot is as it was written. Its parts are checked when they are read. */
export const isSound = (snapshot: StoredSnapshot): boolean => snapshot.digest === digestOf(snapshot, snapshot.text);

/** A snapshot with the texts of its parts. */
export interface SnapshotInParts extends StoredSnapshot {
  readonly parts: readonly string[];
}

interface ListedPart {
  key: PartKey;
  digest: string;
}

/** The list of the parts of a snapshot that is being made. */
class PartList {
  /** The length of the parts. */
  length = 0;
  readonly #digests: string[] = [];
  /** Two servers may write a snapshot of the same entry at once: each has parts of its own. */
  readonly #id = crypto.randomUUID();

  constructor(private readonly head: LogHead) {}

  /** Lists the next part. */
  add(text: string): PartKey {
    const key = keyOf(this.head.number, this.#id, this.#digests.length);
    this.#digests.push(sha256(text));
    this.length += text.length;
    return key;
  }

  /** The snapshot of the parts. */
  sealed(): StoredSnapshot {
    const { number, hash } = this.head;
    const text = JSON.stringify({ parts: this.#digests, id: this.#id });
    return { number, hash, text, digest: digestOf(this.head, text) };
  }
}

const keyOf = (number: number, id: string, index: number): PartKey => ({ number, id: `${id}-${index}` });

/** Whether a snapshot has parts, as those of earlier versions have not. */
export const isList = ({ text }: StoredSnapshot): boolean => text.startsWith(BEGINNING);

/** The parts of a snapshot; `undefined` for that of an earlier version. */
function listedIn(snapshot: StoredSnapshot): ListedPart[] | undefined {
  if (!isList(snapshot)) return undefined;
  const { number, text } = snapshot;
  const list: unknown = JSON.parse(text);
  const { parts, id }: { parts?: unknown; id?: unknown } = isObject(list) ? list : {};
  const digests: unknown[] = Array.isArray(parts) ? parts : [];
  return digests.map((digest, index) => ({ key: keyOf(number, String(id), index), digest: String(digest) }));
}

/** Checks the parts that were exported with a snapshot. Returns them, or `undefined` if the snapshot lists others. */
export function checkedParts(snapshot: StoredSnapshot, parts: readonly unknown[]): string[] | undefined {
  const listed = listedIn(snapshot);
  if (listed === undefined) return undefined;
  const texts = parts.filter(isText);
  const isWhole = listed.every(({ digest }, at) => sha256(texts[at] ?? "") === digest);
  return isWhole && texts.length === listed.length && parts.length === listed.length ? texts : undefined;
}

/**
 * The texts of a snapshot's parts; `undefined` for a part that is missing or was changed. Other tasks of the event loop run between
 * two parts. A snapshot of an earlier version is one part.
 */
export async function* readParts(
  storage: RoomStorage,
  room: string,
  snapshot: StoredSnapshot,
): AsyncGenerator<string | undefined> {
  const listed = listedIn(snapshot);
  if (listed === undefined) yield snapshot.text;
  for (const { key, digest } of listed ?? []) {
    const text = await storage.readPart(room, key);
    await nextTask();
    yield text !== undefined && sha256(text) === digest ? text : undefined;
  }
}

/**
 * Writes a snapshot: its parts, then the list of them, which makes it the latest. Each text is made when the one before is
 * written, and other tasks of the event loop run in between. Returns the length of the parts; `undefined` if it was given up since
 * `isOver` returned true.
 */
export async function writeParts(
  storage: RoomStorage,
  room: string,
  head: LogHead,
  texts: Iterable<string>,
  forget: number,
  isOver: () => boolean = () => false,
): Promise<number | undefined> {
  const list = new PartList(head);
  for (const text of texts) {
    await nextTask();
    if (isOver()) return undefined;
    await storage.writePart(room, list.add(text), text);
  }
  if (isOver()) return undefined;
  await storage.snapshot(room, list.sealed(), forget);
  return list.length;
}

/** Makes a snapshot without a storage. */
export async function collectParts(head: LogHead, texts: Iterable<string>): Promise<SnapshotInParts> {
  const list = new PartList(head);
  const parts: string[] = [];
  for (const text of texts) {
    await nextTask();
    list.add(text);
    parts.push(text);
  }
  return { ...list.sealed(), parts };
}

/** The sum of the lengths of texts. */
export async function lengthOf(texts: Iterable<string>): Promise<number> {
  let length = 0;
  for (const text of texts) {
    length += text.length;
    await nextTask();
  }
  return length;
}

/** Lets the other tasks of the event loop run. */
const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
