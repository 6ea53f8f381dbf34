import { useCallback, useState, useSyncExternalStore } from "react";
import type { Proposal } from "../approval/types.js";
import { isAlike, useChosen, whole } from "./select.js";

/** What the hooks need of a `PatchStore`, a `FlowStore` or a `Workspace`. */
interface ProposalSource<Kind extends Proposal> {
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
  source: ProposalSource<Kind>,
  id: string | null | undefined,
): Kind | undefined {
  const subscribe = useCallback((listener: () => void) => source.subscribe(() => listener()), [source]);
  const read = useCallback(() => source.proposals().find((proposal) => proposal.id === id), [source, id]);
  return useSyncExternalStore(subscribe, read, read);
}

/**
 * The proposals of a store, task flows, a workspace, one after the other: the same list until one comes, changes or goes.
 *
 * ```ts
 * const waiting = useProposals(store, files, flow).filter(({ status }) => status === "pending");
 * ```
 */
export function useProposals<Sources extends readonly ProposalSource<Proposal>[]>(
  ...sources: Sources
): readonly ReturnType<Sources[number]["proposals"]>[number][] {
  const [kept] = useState({ sources });
  if (!isAlike(kept.sources, sources)) kept.sources = sources;
  const all: readonly ProposalSource<ReturnType<Sources[number]["proposals"]>[number]>[] = kept.sources;
  const subscribe = useCallback(
    (listener: () => void) => {
      const stops = all.map((source) => source.subscribe(() => listener()));
      return () => {
        for (const stop of stops) stop();
      };
    },
    [all],
  );
  const read = useCallback(() => all.flatMap((source) => source.proposals()), [all]);
  return useChosen(subscribe, read, whole);
}
