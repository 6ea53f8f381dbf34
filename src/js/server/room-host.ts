/** `RoomHost`: the parts of the server that a room calls. */
import type { RoomStorage } from "./storage/types.js";
import type { ServerLimits } from "./types.js";

export type Counted = "calls" | "refusals" | "appends" | "stale" | "failures" | "quarantined" | "snapshots";

export interface RoomHost {
  readonly storage: RoomStorage;
  readonly limits: ServerLimits;
  /** Keys that sign approvals, and the milliseconds for which an approval is valid. */
  readonly keys: readonly string[];
  readonly approvalAge: number | undefined;
  /** The length of all documents of the server. */
  used(): number;
  /** A numbered message for the pages. */
  deliver(text: string): void;
  /** A message that is not in the log. */
  broadcast(text: string): void;
  report(error: Error): void;
  count(name: Counted, by?: number): void;
  /** The log differs from the documents that pages have: they have to connect again, and the room is loaded again. */
  failed(cause: Error): void;
}
