/** `PatchFaultError`, of the parsers alone. */
import type { PatchFault } from "./types.js";

/** Thrown by the functions of a parser. */
export class PatchFaultError extends Error {
  override readonly name = "PatchFaultError";

  constructor(readonly fault: PatchFault) {
    super(fault.code);
  }
}
