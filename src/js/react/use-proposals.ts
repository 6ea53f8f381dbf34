import { useCallback, useState, useSyncExternalStore } from "react";
import type { Proposal } from "../approval/types.js";

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
  const [kept] = useState(() => ({ reader: readerOf(sources) }));
  if (!isSame(kept.reader.sources, sources)) kept.reader = readerOf(sources);
  const { subscribe, read } = kept.reader;
  return useSyncExternalStore(subscribe, read, read);
}

function readerOf<Kind extends Proposal>(sources: readonly ProposalSource<Kind>[]) {
  let last: readonly Kind[] = [];
  return {
    sources,
    subscribe(listener: () => void) {
      const stops = sources.map((source) => source.subscribe(() => listener()));
      return () => {
        for (const stop of stops) stop();
      };
    },
    read() {
      const now = sources.flatMap((source) => source.proposals());
      if (!isSame(last, now)) last = now;
      return last;
    },
  };
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, place) => item === b[place]);
}
