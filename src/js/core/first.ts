/** The first contents of a store: a server has rendered them, and React hydrates with them. */
import type { Json, PendingCall } from "../types.js";

/** The key of the method that returns a store's {@link FirstState}. A registered symbol, which two bundles of the package share. */
export const first: unique symbol = Symbol.for("genui-patch.first");

export interface FirstState {
  /** The document, or the value at a path, as it was first loaded or restored. */
  snapshot(name: string, path: string | undefined): Json | undefined;
  /** The calls that were pending at that time: the same list each time. */
  pending(name: string | undefined): PendingCall[];
}
