/** Results of rooms that the server makes itself: refusals, and errors of storages. */
import type { RoomError, RoomResult } from "./types.js";

export type Refused = RoomResult & { status: "error" };

export function refused(code: string, message: string, solution: string): Refused {
  return { status: "error", error: { code, message, solution } };
}

/** An error of a store, without what only its own caller can use. */
export const toError = ({ code, message, solution, ...rest }: RoomError): RoomError => ({
  code,
  message,
  solution,
  ...rest,
});

export const NO_FILES = refused("UNKNOWN_TOOL", "The room has no files.", "Use other tools.");

export function unknownProposal(id: string): RoomResult {
  return refused(
    "UNKNOWN_PROPOSAL",
    `There is no proposal "${id}" that waits.`,
    "Use the id of a proposal that waits.",
  );
}

export function tooLate(client: string): RoomResult {
  return refused("OUT_OF_ORDER", `A later call of the client "${client}" was made.`, "Send it as a new call.");
}

export const toFailure = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));
