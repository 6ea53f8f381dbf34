import { useCallback, useSyncExternalStore } from "react";
import type { PendingCall, StoreEvent } from "../types.js";

/** What the hook needs of a `PatchStore`. */
interface Source {
  pending(name?: string): readonly PendingCall[];
  subscribe(listener: (event: StoreEvent) => void, filter: { instance?: string }): () => void;
}

/**
 * The optimistic calls that the server has not settled, of one instance or of all: the same list until it changes.
 *
 * ```ts
 * const saving = usePending(store, "page").length > 0;
 * ```
 */
export function usePending(store: Source, name?: string): readonly PendingCall[] {
  const subscribe = useCallback(
    (listener: () => void) => store.subscribe(listener, name === undefined ? {} : { instance: name }),
    [store, name],
  );
  const read = useCallback(() => store.pending(name), [store, name]);
  return useSyncExternalStore(subscribe, read, read);
}
