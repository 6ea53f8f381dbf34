/** `RoomHost`: the parts of the server that a room calls. */
import type { RoomStorage } from "./storage/types.js";
import type { ServerLimits } from "./types.js";

/** The counters that rooms raise. `metrics.ts` says what they count. */
export type RoomCounter = "calls" | "refusals" | "appends" | "stale" | "failures" | "quarantined" | "snapshots";

export interface RoomHost {
  readonly storage: RoomStorage;
  readonly limits: ServerLimits;
  /** Keys for signed approvals: the first one signs. Empty: approvals are not signed. */
  readonly keys: readonly string[];
  /** Milliseconds for which a signed approval is valid; `undefined`: for ever. */
  readonly approvalAge: number | undefined;
  /** The length of all documents, files and flows of the server, in UTF-16 units. */
  usedLength(): number;
  /** Sends the message of an entry of the log to the pages of the room that have all messages before it. */
  deliver(text: string): void;
  report(error: Error): void;
  count(name: RoomCounter): void;
  /** The room has given up: the log is not what its documents were made of. The host disconnects its pages and loads it anew. */
  failed(cause: Error): void;
}
