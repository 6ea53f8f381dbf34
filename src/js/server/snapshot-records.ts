/** The records of a room's snapshot: pieces of its state at one moment. */
import type { Saved } from "../approval/saved.js";
import { GenuiPatchError } from "../core/errors.js";
import { isObject, isText } from "../core/kinds.js";
import { restoreInstance, type StoreContents, takeParts } from "../store/parts.js";
import { restoreHistory } from "../store/saved-history.js";
import type { Json, Rules } from "../types.js";

/** A record before it is text. Nothing may change it meanwhile. */
export interface TakenRecord {
  kind: string;
  value: unknown;
  /** A document stands on a line of its own, since stores read it as text. */
  document?: Json | undefined;
}

/** A record as it was read. */
export interface SavedRecord {
  kind: string;
  value: unknown;
  /** JSON text; empty for a record without a document. */
  document: string;
}

/** The part of a room's state that has a record. */
interface Owned<Owner> {
  owner: Owner;
}
export type RoomRecord = TakenRecord & Owned<"calls" | "documents" | "proposals" | "files" | "flows">;
export type SavedRoomRecord = SavedRecord & Owned<string>;

export const owned = (owner: RoomRecord["owner"], records: readonly TakenRecord[]): RoomRecord[] =>
  records.map((record) => ({ owner, ...record }));

/** The error for a record that only a later version can have written: without it the room would not be what it was. */
export const unknownRecord = (kind: string): GenuiPatchError =>
  new GenuiPatchError("UNKNOWN_RECORD", `The snapshot has a record "${kind}" that this version cannot read.`);

/** The contents of a store. */
export function takeStore(contents: StoreContents): TakenRecord[] {
  const { instances, histories, proposals, active } = takeParts(contents);
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

/** Restores a record of {@link takeStore} in a store that has the records before it. */
export function restoreInStore({ core, proposals }: StoreContents, { kind, value, document }: SavedRecord): void {
  const { name, rules }: { name?: unknown; rules?: unknown } = isObject(value) ? value : {};
  if (kind === "instance" && isText(name) && isRules(rules)) restoreInstance(core, name, rules, document);
  else if (kind === "history" && isText(name)) restoreHistory(core, name, value);
  else if (kind === "proposal" && isSaved(value)) proposals.restoreAll([value]);
  else if (kind === "active" && (isText(value) || value === null)) core.setActive(value);
  else throw unknownRecord(kind);
}
