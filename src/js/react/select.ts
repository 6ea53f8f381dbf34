/** Values chosen out of a snapshot, that stay the same object while they stay equal. */
import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";

/** What `useSyncExternalStore` reads, with `choose` applied: the same object until something in it is another one. */
export function useChosen<Source, Chosen>(
  subscribe: (listener: () => void) => () => void,
  read: () => Source,
  choose: (source: Source) => Chosen,
): Chosen {
  const shown = useRef<{ value: Chosen } | undefined>(undefined);
  const readChosen = useMemo(() => {
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
  }, [read, choose]);
  const value = useSyncExternalStore(subscribe, readChosen, readChosen);
  useEffect(() => {
    shown.current = { value };
  });
  return value;
}

export const whole = <Value>(value: Value): Value => value;

/** Whether a selector that makes a list or an object anew has made it of the same things. */
export function isAlike(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b) || Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && Object.is(a[key as never], b[key as never]));
}
