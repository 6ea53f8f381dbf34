import { useCallback, useSyncExternalStore } from "react";
import type { Proposal } from "../approval/types.js";

/** What the hook needs of a `PatchStore`, a `FlowStore` or a `Workspace`. */
interface Source<Kind extends Proposal> {
  proposals(): readonly Kind[];
  subscribe(listener: () => void): () => void;
}

/**
 * A proposal as it stands: the same object until it is settled, carried over to a target that has changed elsewhere, or has
 * become stale. `undefined` while there is none with this id.
 *
 * ```ts
 * const proposal = useProposal(flow, id);
 * if (proposal?.status === "pending") return <Review diff={proposal.diff} onYes={() => flow.approve(id)} />;
 * ```
 */
export function useProposal<Kind extends Proposal>(
  source: Source<Kind>,
  id: string | null | undefined,
): Kind | undefined {
  const subscribe = useCallback((listener: () => void) => source.subscribe(() => listener()), [source]);
  const read = useCallback(() => source.proposals().find((proposal) => proposal.id === id), [source, id]);
  return useSyncExternalStore(subscribe, read, read);
}
