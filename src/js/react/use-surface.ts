import { useCallback, useSyncExternalStore } from "react";
import type { SurfaceStream } from "../surface/stream.js";
import type { SurfaceNode } from "../surface/types.js";

/**
 * The resolved tree of a surface; `undefined` before its rendering begins. Nodes that did not change are the same objects,
 * so that a memoised component for a node renders only when something in it has changed.
 *
 * ```tsx
 * const tree = useSurface(surfaces, "main");
 * return tree ? <Node node={tree} /> : <p>…</p>;
 * ```
 */
export function useSurface(surfaces: Pick<SurfaceStream, "tree" | "subscribe">, id: string): SurfaceNode | undefined {
  const subscribe = useCallback(
    (listener: () => void) =>
      surfaces.subscribe(({ type, surfaceId }) => {
        if (type !== "diagnostic" && type !== "data" && surfaceId === id) listener();
      }),
    [surfaces, id],
  );
  const read = useCallback(() => surfaces.tree(id), [surfaces, id]);
  return useSyncExternalStore(subscribe, read, read);
}
