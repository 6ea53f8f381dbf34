/** `PatchFaultError`. Only the parsers import it, with which it is loaded: others recognize it by its name. */
import type { PatchFault } from "./types.js";

/** Thrown by the functions of a parser. `fault` says what is wrong with the patch. */
export class PatchFaultError extends Error {
  override readonly name = "PatchFaultError";

  constructor(readonly fault: PatchFault) {
    super(fault.code);
  }
}
