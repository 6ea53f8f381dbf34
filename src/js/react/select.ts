/** `useChosen`, which selects a value from a snapshot, and `useStable`: values with equal members stay one object. */
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";

/**
 * `useSyncExternalStore` with a selector `choose`. What `choose` returns may be a new object each time: the hook returns the
 * earlier object until one of its members changes (see {@link isShallowEqual}). `readServer` returns the source as a server has
 * rendered it, for hydration.
 */
export function useChosen<Source, Chosen>(
  subscribe: (listener: () => void) => () => void,
  read: () => Source,
  choose: (source: Source) => Chosen,
  readServer: () => Source = read,
): Chosen {
  // The value of the last rendering, with which a new getter begins; `undefined` before the first rendering.
  const shown = useRef<{ value: Chosen } | undefined>(undefined);
  const readChosen = useMemo(() => getter(read, choose, shown), [read, choose]);
  const readServerChosen = useMemo(() => getter(readServer, choose, shown), [readServer, choose]);
  const value = useSyncExternalStore(subscribe, readChosen, readServerChosen);
  useEffect(() => {
    shown.current = { value };
  });
  return value;
}

/** Returns a function that selects from the current source. It calls `choose` once for each new source. */
function getter<Source, Chosen>(
  read: () => Source,
  choose: (source: Source) => Chosen,
  shown: { readonly current: { value: Chosen } | undefined },
): () => Chosen {
  let lastResult: { source: Source; value: Chosen } | undefined;
  return () => {
    const source = read();
    if (lastResult === undefined || !Object.is(lastResult.source, source)) {
      const value = choose(source);
      const previous = lastResult ?? shown.current;
      const isUnchanged = previous !== undefined && isShallowEqual(previous.value, value);
      lastResult = { source, value: isUnchanged ? previous.value : value };
    }
    return lastResult.value;
  };
}

/** Returns the object of an earlier rendering as long as `value` has the same members: callers write a new object each time. */
export function useStable<Value extends object>(value: Value): Value {
  const stable = useRef(value);
  if (!isShallowEqual(stable.current, value)) stable.current = value;
  return stable.current;
}

/** The selector that chooses the whole snapshot. */
export const identity = <Value>(value: Value): Value => value;

/**
 * Whether two values are identical, or two lists, plain objects, Maps, Sets or Dates with identical members; in Maps and Sets
 * also in the same order. Two objects of another class are never equal: they may have private state.
 */
function isShallowEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const prototype: unknown = Object.getPrototypeOf(a);
  if (prototype !== Object.getPrototypeOf(b)) return false;
  if (prototype === Date.prototype) return Object.is(Number(a), Number(b));
  if (isCollection(a) && isCollection(b)) {
    const items = [...b.entries()].flat();
    return a.size === b.size && [...a.entries()].flat().every((item, index) => Object.is(item, items[index]));
  }
  if (prototype !== Array.prototype && prototype !== Object.prototype && prototype !== null) return false;
  const members = Object.entries(a);
  const otherMembers = new Map<string, unknown>(Object.entries(b));
  return (
    members.length === otherMembers.size &&
    members.every(([key, value]) => otherMembers.has(key) && Object.is(value, otherMembers.get(key)))
  );
}

const isCollection = (value: object): value is Set<unknown> | Map<unknown, unknown> =>
  [Set.prototype, Map.prototype].includes(Object.getPrototypeOf(value));
