/** The first contents of a store: a server has rendered a page with them, so React must hydrate that page with the same. */
import type { Json, PendingCall } from "../types.js";

/** The key of the method that returns a store's {@link FirstState}. A registered symbol, which two bundles of the package share. */
export const firstStateKey: unique symbol = Symbol.for("genui-patch.first");

/** `name` is that of an instance. */
export interface FirstState {
  /** The document, or the value at a path, as it was first loaded or restored; `undefined` if none exists. */
  snapshot(name: string, path: string | undefined): Json | undefined;
  /** The calls that were pending at that time, of one instance or of all: the same list each time. */
  pending(name: string | undefined): PendingCall[];
}
