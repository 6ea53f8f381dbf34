/** `useChosen`: selects a value from a snapshot; equal values are the same object. */
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";

/**
 * `useSyncExternalStore` with a selector `choose`: the same object until one of its members changes. `readServer` returns the
 * value that a server has rendered, for hydration.
 */
export function useChosen<Source, Chosen>(
  subscribe: (listener: () => void) => () => void,
  read: () => Source,
  choose: (source: Source) => Chosen,
  readServer: () => Source = read,
): Chosen {
  // The value of the last rendering, which a new reader keeps if it is alike.
  const shown = useRef<{ value: Chosen } | undefined>(undefined);
  const readChosen = useMemo(() => reader(read, choose, shown), [read, choose]);
  const readServerChosen = useMemo(() => reader(readServer, choose, shown), [readServer, choose]);
  const value = useSyncExternalStore(subscribe, readChosen, readServerChosen);
  useEffect(() => {
    shown.current = { value };
  });
  return value;
}

function reader<Source, Chosen>(
  read: () => Source,
  choose: (source: Source) => Chosen,
  shown: { readonly current: { value: Chosen } | undefined },
): () => Chosen {
  let last: { source: Source; value: Chosen } | undefined;
  return () => {
    const source = read();
    if (last === undefined || !Object.is(last.source, source)) {
      const value = choose(source);
      const known = last ?? shown.current;
      last = { source, value: known !== undefined && isAlike(known.value, value) ? known.value : value };
    }
    return last.value;
  };
}

/** The selector of a whole snapshot. */
export const whole = <Value>(value: Value): Value => value;

/**
 * Whether two lists, objects, Maps, Sets or Dates have identical members. Objects of other classes are never alike: they may
 * have private state.
 */
export function isAlike(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const prototype: unknown = Object.getPrototypeOf(a);
  if (prototype !== Object.getPrototypeOf(b)) return false;
  if (prototype === Date.prototype) return Object.is(Number(a), Number(b));
  if (isCollection(a) && isCollection(b)) {
    const items = [...b.entries()].flat();
    return a.size === b.size && [...a.entries()].flat().every((item, place) => Object.is(item, items[place]));
  }
  if (prototype !== Array.prototype && prototype !== Object.prototype && prototype !== null) return false;
  const members = Object.entries(a);
  const others = new Map<string, unknown>(Object.entries(b));
  return (
    members.length === others.size &&
    members.every(([key, value]) => others.has(key) && Object.is(value, others.get(key)))
  );
}

const isCollection = (value: object): value is Set<unknown> | Map<unknown, unknown> =>
  [Set.prototype, Map.prototype].includes(Object.getPrototypeOf(value));
