/** Snapshots in parts. The text of a snapshot lists the digests of its parts, so its own digest covers all of them. */
import { isObject, isText } from "../../core/kinds.js";
import { sha256 } from "../sha256.js";
import type { LogHead, PartKey, RoomStorage, StoredSnapshot } from "./types.js";

/** How the text of a snapshot in parts begins. That of earlier versions is JSON of the state, with other keys first. */
const BEGINNING = '{"parts":';

const digestOf = ({ number, hash }: LogHead, text: string): string => sha256(`${number}\n${hash}\n${text}`);

/** Whether a snapshot fits its digest. Its parts are checked when they are read. */
export const isSound = (snapshot: StoredSnapshot): boolean => snapshot.digest === digestOf(snapshot, snapshot.text);

/** A snapshot with the texts of its parts, in order. */
export interface SnapshotInParts extends StoredSnapshot {
  readonly parts: readonly string[];
}

interface ListedPart {
  key: PartKey;
  digest: string;
}

/** The list of the parts of a snapshot that is being made. `head`: the last entry whose effect is in the snapshot. */
class PartList {
  /** The sum of the lengths of the parts, in UTF-16 units. */
  length = 0;
  /** The SHA-256 of each part. */
  readonly #digests: string[] = [];
  /** Two servers may write a snapshot of the same entry at once. The random id keeps the keys of their parts apart. */
  readonly #id = crypto.randomUUID();

  constructor(private readonly head: LogHead) {}

  /** Lists the next part. Returns the key to write it under. */
  add(text: string): PartKey {
    const key = keyOf(this.head.number, this.#id, this.#digests.length);
    this.#digests.push(sha256(text));
    this.length += text.length;
    return key;
  }

  /** The snapshot whose text is this list. */
  toSnapshot(): StoredSnapshot {
    const { number, hash } = this.head;
    // `parts` must come first: see `BEGINNING`.
    const text = JSON.stringify({ parts: this.#digests, id: this.#id });
    return { number, hash, text, digest: digestOf(this.head, text) };
  }
}

const keyOf = (number: number, id: string, index: number): PartKey => ({ number, id: `${id}-${index}` });

/** Whether a snapshot is in parts. Snapshots of earlier versions are not. */
export const isInParts = ({ text }: StoredSnapshot): boolean => text.startsWith(BEGINNING);

/** The parts that a snapshot lists; `undefined` for a snapshot of an earlier version. Its digest must have been checked. */
function listedIn(snapshot: StoredSnapshot): ListedPart[] | undefined {
  if (!isInParts(snapshot)) return undefined;
  const { number, text } = snapshot;
  const list: unknown = JSON.parse(text);
  const { parts, id }: { parts?: unknown; id?: unknown } = isObject(list) ? list : {};
  const digests: unknown[] = Array.isArray(parts) ? parts : [];
  return digests.map((digest, index) => ({ key: keyOf(number, String(id), index), digest: String(digest) }));
}

/** Returns the parts if they are exactly those that the snapshot lists; else, or for a snapshot without a list, `undefined`. */
export function checkedParts(snapshot: StoredSnapshot, parts: readonly unknown[]): string[] | undefined {
  const listed = listedIn(snapshot);
  if (listed === undefined || parts.length !== listed.length) return undefined;
  const texts = parts.filter(isText);
  const areAllSound = listed.every(({ digest }, index) => sha256(texts[index] ?? "") === digest);
  return areAllSound && texts.length === parts.length ? texts : undefined;
}

/**
 * The texts of a snapshot's parts, in order; `undefined` for a part that is missing or was changed. Other tasks of the event loop
 * run between two parts. A snapshot of an earlier version is one part.
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
 * Writes a snapshot: its parts, then the list of them, which makes it the latest. `texts` is asked for the next text when the one
 * before is written, and other tasks of the event loop run in between. `forget`: as in {@link RoomStorage.snapshot}. Writing
 * stops once `isOver` returns true. Returns the length of all parts in UTF-16 units; `undefined` if writing was stopped.
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
  await storage.snapshot(room, list.toSnapshot(), forget);
  return list.length;
}

/** Makes a snapshot in memory, for an export. */
export async function collectParts(head: LogHead, texts: Iterable<string>): Promise<SnapshotInParts> {
  const list = new PartList(head);
  const parts: string[] = [];
  for (const text of texts) {
    await nextTask();
    list.add(text);
    parts.push(text);
  }
  return { ...list.toSnapshot(), parts };
}

/** The sum of the lengths of texts. Other tasks of the event loop run between two texts. */
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
