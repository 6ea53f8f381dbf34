/** Results of calls on a room that the server makes itself: refusals, and errors of storages. */
import type { RoomResult } from "./types.js";

export type Refused = RoomResult & { status: "error" };

/** The result of a call that is refused. `solution`: what the caller should send instead. */
export function refused(code: string, message: string, solution: string): Refused {
  return { status: "error", error: { code, message, solution } };
}

export const NO_FILES = refused("UNKNOWN_TOOL", "The room has no files.", "Use other tools.");

export function unknownProposal(id: string): RoomResult {
  return refused(
    "UNKNOWN_PROPOSAL",
    `There is no proposal "${id}" that waits.`,
    "Use the id of a proposal that waits.",
  );
}

/** The refusal of a call after which a later call of its client was executed: the calls of a client must be executed in order. */
export function tooLate(client: string): RoomResult {
  return refused("OUT_OF_ORDER", `A later call of the client "${client}" was made.`, "Send it as a new call.");
}

/** A thrown value as an error. */
export const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));
