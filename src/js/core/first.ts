/** What a store held first: a server has rendered that, and React hydrates with it. */
import type { Json, PendingCall } from "../types.js";

/** The method under which a store gives it. Registered, so that two bundles of the package share it. */
export const first: unique symbol = Symbol.for("genui-patch.first") as never;

export interface FirstState {
  /** The document, or a place in it, as it was first loaded or restored. */
  snapshot(name: string, path: string | undefined): Json | undefined;
  /** The calls that were pending then: the same list each time. */
  pending(name: string | undefined): PendingCall[];
}
