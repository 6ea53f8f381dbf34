import { useSyncExternalStore } from "react";

/** One value that components can watch. */
export interface Cell<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

export function cell<T>(first: T): Cell<T> {
  const listeners = new Set<() => void>();
  let value = first;
  return {
    get: () => value,
    set: (next) => {
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useCell<T>(watched: Cell<T>): T {
  return useSyncExternalStore(watched.subscribe, watched.get);
}
