/** The records of a room's snapshot: pieces of its state at one moment, such as an instance or a proposal. */
import type { Saved } from "../approval/saved.js";
import { copyParts, restoreInstance, type StoreContents } from "../approval/store-parts.js";
import { GenuiPatchError } from "../core/errors.js";
import { isObject, isText } from "../core/kinds.js";
import { restoreHistory } from "../store/saved-history.js";
import type { Json, Rules } from "../types.js";

/** A record that becomes text later. Nothing may change its values until then. */
export interface UnsavedRecord {
  /** Such as `instance`. It says which form `value` has. */
  kind: string;
  /** A value for JSON. */
  value: unknown;
  /** The document of an instance. It is not in `value`, since stores read it as text: it stands on a line of its own. */
  document?: Json | undefined;
}

/** A record that was read from a snapshot. */
export interface SavedRecord {
  kind: string;
  value: unknown;
  /** JSON text; empty for a record without a document. */
  document: string;
}

/** The part of a room's state that a record belongs to. */
interface Owned<Owner> {
  owner: Owner;
}
export type RoomRecord = UnsavedRecord & Owned<"calls" | "documents" | "proposals" | "files" | "flows">;
/** Its owner may be one that only a later version knows. */
export type SavedRoomRecord = SavedRecord & Owned<string>;

/** The records with their owner. */
export const withOwner = (owner: RoomRecord["owner"], records: readonly UnsavedRecord[]): RoomRecord[] =>
  records.map((record) => ({ owner, ...record }));

/** The error for a record of a later version. It cannot be skipped: the state of the room would be incomplete. */
export const unknownRecord = (kind: string): GenuiPatchError =>
  new GenuiPatchError("UNKNOWN_RECORD", `The snapshot has a record "${kind}" that this version cannot read.`);

/** The contents of a store, in the order in which they must be restored. */
export function storeRecords(contents: StoreContents): UnsavedRecord[] {
  const { instances, histories, proposals, active } = copyParts(contents);
  return [
    ...instances.map(({ document, ...value }) => ({ kind: "instance", value, document })),
    ...histories.map((value) => ({ kind: "history", value })),
    ...proposals.map((value) => ({ kind: "proposal", value })),
    { kind: "active", value: active },
  ];
}

const isRules = (value: unknown): value is Rules => value === "ui" || value === "open";

/** The other members are checked when the proposal is restored. */
const isSaved = (value: unknown): value is Saved => isObject(value) && isText(value.id) && isText(value.call);

/** Restores a record of {@link storeRecords} in a store that has the records before it. */
export function restoreInStore({ core, proposals }: StoreContents, { kind, value, document }: SavedRecord): void {
  const { name, rules }: { name?: unknown; rules?: unknown } = isObject(value) ? value : {};
  if (kind === "instance" && isText(name) && isRules(rules)) restoreInstance(core, name, rules, document);
  else if (kind === "history" && isText(name)) restoreHistory(core, name, value);
  else if (kind === "proposal" && isSaved(value)) proposals.restoreAll([value]);
  else if (kind === "active" && (isText(value) || value === null)) core.setActive(value);
  else throw unknownRecord(kind);
}
