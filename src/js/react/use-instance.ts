import { useCallback } from "react";
import type { TypedStore, ValueAt } from "../document/types.js";
import type { DeepReadonly, Json, StoreEvent } from "../types.js";
import { useChosen, whole } from "./select.js";

type Snapshot = DeepReadonly<Json> | undefined;

interface Source {
  snapshot(name: string): Snapshot;
  get(name: string, path: string): Snapshot;
  subscribe(listener: (event: StoreEvent) => void, filter: { instance?: string; path?: string }): () => void;
}

/**
 * What an instance shows: its snapshot, or the part at a path, or what a selector makes of the snapshot. The component
 * renders again only when that part changes. `undefined` while there is no such instance or place.
 *
 * ```ts
 * const title = useInstance(store, "page", 'blocks["form"].title');
 * const ids = useInstance(store, "page", (page?: Page) => page?.blocks.map((block) => block.id));
 * ```
 *
 * A selector may make a new list or object each time: one with the same members is the same to the hook.
 */
export function useInstance<Documents, Name extends keyof Documents & string>(
  store: TypedStore<Documents>,
  name: Name,
): DeepReadonly<Documents[Name]> | undefined;
/** The part at a path. */
export function useInstance<Documents, Name extends keyof Documents & string, Path extends string>(
  store: TypedStore<Documents>,
  name: Name,
  path: Path,
): DeepReadonly<ValueAt<Documents[Name], Path>> | undefined;
/** What a selector makes of a snapshot whose type the store knows. */
export function useInstance<Documents, Name extends keyof Documents & string, Chosen>(
  store: TypedStore<Documents>,
  name: Name,
  selector: (snapshot: DeepReadonly<Documents[Name]> | undefined) => Chosen,
): Chosen;
export function useInstance(store: Source, name: string, path?: string): Snapshot;
/** What a selector makes of an instance's snapshot. The component renders again only when that changes. */
export function useInstance<Chosen, Document = Exclude<Snapshot, undefined>>(
  store: Source,
  name: string,
  selector: (snapshot: Document | undefined) => Chosen,
): Chosen;
export function useInstance<Chosen>(
  given: object,
  name: string,
  part?: string | ((snapshot: never) => Chosen),
): unknown {
  const store = given as Source;
  const path = typeof part === "string" ? part : undefined;
  const subscribe = useCallback(
    (listener: () => void) =>
      store.subscribe(listener, path === undefined ? { instance: name } : { instance: name, path }),
    [store, name, path],
  );
  const read = useCallback(
    () => (path === undefined ? store.snapshot(name) : store.get(name, path)),
    [store, name, path],
  );
  return useChosen<Snapshot, Snapshot | Chosen>(
    subscribe,
    read,
    typeof part === "function" ? (part as (snapshot: Snapshot) => Chosen) : whole,
  );
}
