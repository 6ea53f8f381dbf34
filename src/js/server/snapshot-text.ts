/** The text of a room's snapshot: records, each of which is two lines, in parts of about one document. */
import { GenuiPatchError } from "../core/errors.js";
import { isObject, type Members } from "../core/kinds.js";
import type { Json } from "../types.js";
import { owned, type RoomRecord, type SavedRoomRecord, type UnsavedRecord } from "./snapshot-records.js";

/** A part has records of at most this length together, or one record that is longer. */
const PART_LENGTH = 2 ** 18;

/** No text of JSON has a line break of its own. */
const textOf = ({ owner, kind, value, document }: RoomRecord): string =>
  `${JSON.stringify([owner, kind, value])}\n${document === undefined ? "" : JSON.stringify(document)}\n`;

/** The texts of the parts. Each is made when it is asked for, so there is one long text at a time. */
export function* toParts(records: Iterable<RoomRecord>): Generator<string> {
  let part = "";
  for (const record of records) {
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

/** The records of a part. The snapshot of an earlier version is one part. */
export function* fromPart(part: string): Generator<SavedRoomRecord> {
  if (part.startsWith("{")) {
    for (const { document, ...record } of fromEarlier(part))
      yield { ...record, document: document === undefined ? "" : JSON.stringify(document) };
    return;
  }
  for (let start = 0; start < part.length; ) {
    const middle = part.indexOf("\n", start);
    const end = part.indexOf("\n", middle + 1);
    const [owner, kind, value]: unknown[] = JSON.parse(part.slice(start, middle));
    yield { owner: String(owner), kind: String(kind), value, document: part.slice(middle + 1, end) };
    start = end + 1;
  }
}

/** The records of a snapshot of an earlier version: one JSON text, in which the stores are texts that `save()` has returned. */
export function fromEarlier(text: string): RoomRecord[] {
  const { store, flow, files, ...state }: { [key: string]: unknown } = JSON.parse(text);
  const { kept, deleted } = isObject(files) ? files : {};
  const { store: flows, nodes } = flow === undefined ? {} : readObject(flow);
  return [
    ...owned("calls", [
      { kind: "clients", value: state.clients },
      { kind: "keys", value: state.keys },
      { kind: "sessions", value: state.sessions },
    ]),
    ...owned("documents", fromStore(readObject(store))),
    ...owned("proposals", [...each("waiting", state.proposals), ...each("settled", state.settled)]),
    ...owned("files", [...each("file", kept), ...(deleted === undefined ? [] : [{ kind: "deleted", value: deleted }])]),
    ...owned("flows", flows === undefined ? [] : [...each("update", nodes), ...fromStore(readObject(flows))]),
  ];
}

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
    ...each("proposal", proposals),
    { kind: "active", value: active },
  ];
}

const each = (kind: string, values: unknown): UnsavedRecord[] => listOf(values).map((value) => ({ kind, value }));

function listOf<Item = unknown>(value: unknown): Item[] {
  return Array.isArray(value) ? value : [];
}

/** The object in the text of a store. */
function readObject(text: unknown): Members {
  const value: unknown = JSON.parse(String(text));
  if (isObject<Json>(value)) return value;
  throw new GenuiPatchError("INVALID_STRUCTURE", "A snapshot of an earlier version has no store.");
}
