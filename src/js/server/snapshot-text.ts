/**
 * The text of a room's snapshot: records in parts, each of about one document. A record is two lines: JSON `[owner, kind,
 * value]`, and the JSON text of its document or nothing.
 */
import { GenuiPatchError } from "../core/errors.js";
import { isObject, type Members } from "../core/kinds.js";
import type { Json } from "../types.js";
import { type RoomRecord, type SavedRoomRecord, type UnsavedRecord, withOwner } from "./snapshot-records.js";

/** The most UTF-16 units that a part has. A record that is longer is a part by itself. */
const PART_LENGTH = 2 ** 18;

/** The two lines of a record. `JSON.stringify` writes no line breaks of its own. */
const textOf = ({ owner, kind, value, document }: RoomRecord): string =>
  `${JSON.stringify([owner, kind, value])}\n${document === undefined ? "" : JSON.stringify(document)}\n`;

/** The texts of the parts, at least one. Each is made when it is asked for, so that only one long text is in memory at a time. */
export function* toParts(records: Iterable<RoomRecord>): Generator<string> {
  let part = "";
  for (const record of records) {
    // Yields a part of one long record before the text of the next record is made.
    if (part.length > PART_LENGTH) {
      yield part;
      part = "";
    }
    const text = textOf(record);
    if (part !== "" && part.length + text.length > PART_LENGTH) {
      yield part;
      part = "";
    }
    part += text;
  }
  yield part;
}

/** The records of a part. The snapshot of an earlier version is one part: a JSON object, while a record begins with a list. */
export function* fromPart(part: string): Generator<SavedRoomRecord> {
  if (part.startsWith("{")) {
    for (const { document, ...record } of fromEarlier(part))
      yield { ...record, document: document === undefined ? "" : JSON.stringify(document) };
    return;
  }
  for (let start = 0; start < part.length; ) {
    const firstEnd = part.indexOf("\n", start);
    const secondEnd = part.indexOf("\n", firstEnd + 1);
    const [owner, kind, value]: unknown[] = JSON.parse(part.slice(start, firstEnd));
    yield { owner: String(owner), kind: String(kind), value, document: part.slice(firstEnd + 1, secondEnd) };
    start = secondEnd + 1;
  }
}

/**
 * The records of a snapshot of an earlier version: one JSON text, in which the stores of documents and flows are texts that their
 * `save()` has returned.
 */
export function fromEarlier(text: string): RoomRecord[] {
  const { store, flow, files, ...state }: { [key: string]: unknown } = JSON.parse(text);
  const { kept, deleted } = isObject(files) ? files : {};
  const { store: flows, nodes } = flow === undefined ? {} : readObject(flow);
  return [
    ...withOwner("calls", [
      { kind: "clients", value: state.clients },
      { kind: "keys", value: state.keys },
      { kind: "sessions", value: state.sessions },
    ]),
    ...withOwner("documents", fromStore(readObject(store))),
    ...withOwner("proposals", [...recordsOf("waiting", state.proposals), ...recordsOf("settled", state.settled)]),
    ...withOwner("files", [
      ...recordsOf("file", kept),
      ...(deleted === undefined ? [] : [{ kind: "deleted", value: deleted }]),
    ]),
    ...withOwner("flows", flows === undefined ? [] : [...recordsOf("update", nodes), ...fromStore(readObject(flows))]),
  ];
}

/** The records of a store, from the parsed text of its `save()`. */
function fromStore({ instances, histories, proposals, active }: Members): UnsavedRecord[] {
  return [
    ...listOf<Json>(instances).map((instance) => {
      const { document, ...value } = isObject<Json>(instance) ? instance : {};
      return { kind: "instance", value, document };
    }),
    ...Object.entries(isObject(histories) ? histories : {}).map(([name, history]) => ({
      kind: "history",
      value: { name, ...(isObject(history) && history) },
    })),
    ...recordsOf("proposal", proposals),
    { kind: "active", value: active },
  ];
}

/** A record of a kind for each value of a list. */
const recordsOf = (kind: string, values: unknown): UnsavedRecord[] => listOf(values).map((value) => ({ kind, value }));

/** The value if it is a list, else an empty list. */
function listOf<Item = unknown>(value: unknown): Item[] {
  return Array.isArray(value) ? value : [];
}

/** The object in a JSON text. */
function readObject(text: unknown): Members {
  const value: unknown = JSON.parse(String(text));
  if (isObject<Json>(value)) return value;
  throw new GenuiPatchError("INVALID_STRUCTURE", "A snapshot of an earlier version has no store.");
}
