/** The places that pending calls have changed, so that what shows them can say so. */
import type { PendingCall } from "genui-patch";
import { useCallback, useSyncExternalStore } from "react";
import { store } from "../instance/store";

export type PendingState = "waiting" | "sent";

let seen: readonly PendingCall[] = store.pending();
let places: ReadonlyMap<string, PendingState> = new Map();
const listeners = new Set<() => void>();

/** One subscription for all who ask. The places are made anew only when the list of pending calls is another one. */
store.subscribe(() => {
  const pending = store.pending();
  if (pending === seen) return;
  seen = pending;
  places = placesOf(pending);
  for (const listener of listeners) listener();
});

/** By instance and steps. */
function placesOf(pending: readonly PendingCall[]): ReadonlyMap<string, PendingState> {
  const found = new Map<string, PendingState>();
  for (const { instance_name, changes, sent } of pending) {
    for (const { path } of changes) found.set(keyOf(instance_name, path), sent ? "sent" : "waiting");
  }
  return found;
}

const keyOf = (instance: string, path: readonly (string | number)[]) => `${instance} ${path.join(" ")}`;

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether the value at a place is not confirmed yet. */
export function usePendingAt(
  instance: string,
  path: readonly (string | number)[] | undefined,
): PendingState | undefined {
  const key = path === undefined ? undefined : keyOf(instance, path);
  const read = useCallback(() => (key === undefined ? undefined : places.get(key)), [key]);
  return useSyncExternalStore(subscribe, read);
}
