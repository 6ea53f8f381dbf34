import { useCallback, useSyncExternalStore } from "react";
import type { SurfaceEvent, SurfaceNode } from "../surface/types.js";

/** What the hook needs of a `SurfaceStream`. */
interface Source {
  tree(id: string): SurfaceNode | undefined;
  subscribe(listener: (event: SurfaceEvent) => void): () => void;
}

/**
 * The resolved tree of a surface; `undefined` before its rendering begins. Nodes that did not change are the same objects,
 * so that a memoised component for a node renders only when something in it has changed.
 *
 * ```tsx
 * const tree = useSurface(surfaces, "main");
 * return tree ? <Node node={tree} /> : <p>…</p>;
 * ```
 */
export function useSurface(surfaces: Source, id: string): SurfaceNode | undefined {
  const subscribe = useCallback(
    (listener: () => void) =>
      surfaces.subscribe((event) => {
        const isOther = event.type === "diagnostic" || event.type === "data" || event.surfaceId !== id;
        if (!isOther) listener();
      }),
    [surfaces, id],
  );
  const read = useCallback(() => surfaces.tree(id), [surfaces, id]);
  return useSyncExternalStore(subscribe, read, read);
}
