import { useCallback, useSyncExternalStore } from "react";
import type { PatchStore } from "../store.js";
import type { PendingCall } from "../types.js";

/**
 * The optimistic calls that the server has not settled, of one instance or of all: the same list until it changes.
 *
 * ```ts
 * const saving = usePending(store, "page").length > 0;
 * ```
 */
export function usePending(store: Pick<PatchStore, "pending" | "subscribe">, name?: string): readonly PendingCall[] {
  const subscribe = useCallback(
    (listener: () => void) => store.subscribe(listener, name === undefined ? {} : { instance: name }),
    [store, name],
  );
  const read = useCallback(() => store.pending(name), [store, name]);
  return useSyncExternalStore(subscribe, read, read);
}
