/** Hooks for stores, agents and surfaces. Their lists, trees and snapshots are the same objects until they change. */
import { useCallback, useSyncExternalStore } from "react";
import type { AgentCall, AgentTools, CallProposal } from "../agent/types.js";
import type { Proposal } from "../approval/types.js";
import { type FirstState, firstStateKey } from "../core/first.js";
import type { TypedStore, ValueAt } from "../document/types.js";
import type { PatchStore } from "../store.js";
import type { SurfaceStream } from "../surface/stream.js";
import type { SurfaceNode } from "../surface/types.js";
import type { Author, DeepReadonly, Json, PatchResult, PendingCall, StoreEvent, UndoOptions } from "../types.js";
import { identity, useChosen, useStable } from "./select.js";

/**
 * The running calls of an agent and the last 100 settled ones: the same list until it changes.
 *
 * ```ts
 * const running = useAgent(agent).filter(({ status }) => status === "running");
 * ```
 */
export function useAgent({ subscribe, calls }: Pick<AgentTools, "subscribe" | "calls">): readonly AgentCall[] {
  return useSyncExternalStore(subscribe, calls, calls);
}

/**
 * The pending calls of the instance `name`, or of all instances without it: the same list until it changes.
 *
 * ```ts
 * const saving = usePending(store, "page").length > 0;
 * ```
 */
export function usePending(store: Pick<PatchStore, "pending" | "subscribe">, name?: string): readonly PendingCall[] {
  const subscribe = useCallback(
    (listener: () => void) => store.subscribe(listener, name === undefined ? {} : { instance: name }),
    [store, name],
  );
  const read = useCallback(() => store.pending(name), [store, name]);
  const readServer = useCallback(() => firstStateOf(store)?.pending(name) ?? store.pending(name), [store, name]);
  return useSyncExternalStore(subscribe, read, readServer);
}

/**
 * A `PatchStore`, a `FlowStore`, a `Workspace`, or an agent with tools of the application's own. `Kind` is the type of its
 * proposals.
 */
interface ProposalSource<Kind extends Proposal | CallProposal> {
  proposals(): readonly Kind[];
  subscribe(listener: () => void): () => void;
}

/**
 * A proposal: the same object until it is settled, its target changes, or it becomes stale. `undefined` for an unknown id.
 *
 * ```ts
 * const proposal = useProposal(flow, id);
 * if (proposal?.status === "pending") return <Review diff={proposal.diff} onApprove={() => flow.approve(id)} />;
 * ```
 */
export function useProposal<Kind extends Proposal | CallProposal>(
  source: ProposalSource<Kind>,
  id: string | null | undefined,
): Kind | undefined {
  const subscribe = useCallback((listener: () => void) => source.subscribe(listener), [source]);
  const read = useCallback(() => source.proposals().find((proposal) => proposal.id === id), [source, id]);
  return useSyncExternalStore(subscribe, read, read);
}

/**
 * The proposals of stores, task flows, workspaces and agents in one list: the same list until a proposal is added, changes or is
 * removed.
 *
 * ```ts
 * const waiting = useProposals(store, files, flow).filter(({ status }) => status === "pending");
 * ```
 */
export function useProposals<Sources extends readonly ProposalSource<Proposal | CallProposal>[]>(
  ...sources: Sources
): readonly ReturnType<Sources[number]["proposals"]>[number][] {
  const all: readonly ProposalSource<ReturnType<Sources[number]["proposals"]>[number]>[] = useStable(sources);
  const subscribe = useCallback(
    (listener: () => void) => {
      const stops = all.map((source) => source.subscribe(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    [all],
  );
  const read = useCallback(() => all.flatMap((source) => source.proposals()), [all]);
  return useChosen(subscribe, read, identity);
}

/**
 * The resolved tree of a surface; `undefined` before its rendering begins. Unchanged nodes are the same objects, so that a
 * memoised component renders only when its node has changed.
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
        // If changed data changes nodes too, an event `tree` follows.
        if (type !== "diagnostic" && type !== "data" && surfaceId === id) listener();
      }),
    [surfaces, id],
  );
  const read = useCallback(() => surfaces.tree(id), [surfaces, id]);
  return useSyncExternalStore(subscribe, read, read);
}

/** A `PatchStore` or a `FlowStore`. */
interface UndoSource<Result> {
  // `name` is that of an instance or a task.
  canUndo(name: string, options: UndoOptions): boolean;
  canRedo(name: string, options: UndoOptions): boolean;
  undo(name: string, options: UndoOptions): Result;
  redo(name: string, options: UndoOptions): Result;
  subscribe(listener: () => void): () => void;
}

/** The result of {@link useUndo}, for two buttons or a keyboard shortcut. */
export interface UndoControls<Result = PatchResult> {
  canUndo: boolean;
  canRedo: boolean;
  undo(): Result;
  redo(): Result;
}

/**
 * Whether something can be undone or redone in an instance or a task, and the functions that do it. `options` select the groups
 * of changes, for example by their author.
 *
 * ```tsx
 * const { canUndo, undo } = useUndo(store, "page", { author: "agent" });
 * return <button disabled={!canUndo} onClick={undo}>Undo what the agent did</button>;
 * ```
 */
export function useUndo<Result>(
  store: UndoSource<Result>,
  name: string,
  options: UndoOptions = {},
): UndoControls<Result> {
  const subscribe = useCallback((listener: () => void) => store.subscribe(listener), [store]);
  const canUndo = useSyncExternalStore(subscribe, () => store.canUndo(name, options), onServer);
  const canRedo = useSyncExternalStore(subscribe, () => store.canRedo(name, options), onServer);
  return { canUndo, canRedo, undo: () => store.undo(name, options), redo: () => store.redo(name, options) };
}

/** A server has no history, so nothing can be undone or redone in what it renders. */
const onServer = () => false;

/**
 * The authors of the last changes of an instance, by path: the same object until it changes.
 *
 * ```ts
 * const isNew = useAuthors(store, "page")["state.params.city"]?.kind === "agent";
 * ```
 */
export function useAuthors(
  store: { authors(name: string): Readonly<Record<string, Author>>; subscribe(listener: () => void): () => void },
  name: string,
): Readonly<Record<string, Author>> {
  const subscribe = useCallback((listener: () => void) => store.subscribe(listener), [store]);
  const read = useCallback(() => store.authors(name), [store, name]);
  return useSyncExternalStore(subscribe, read, read);
}

/** A document, or a value in it; `undefined` if it does not exist. */
type Snapshot = DeepReadonly<Json> | undefined;

/**
 * What a `PatchStore` contained when it was loaded or restored, which is what a server has rendered. `undefined` for other
 * objects with the same methods: they have only a current state.
 */
const firstStateOf = (store: object): FirstState | undefined => (hasFirst(store) ? store[firstStateKey]() : undefined);

const hasFirst = (store: object): store is { [firstStateKey](): FirstState } => firstStateKey in store;

/** The methods of a `PatchStore` that {@link useInstance} calls. */
interface InstanceSource {
  snapshot(name: string): Snapshot;
  get(name: string, path: string): Snapshot;
  subscribe(listener: (event: StoreEvent) => void, filter: { instance?: string; path?: string }): () => void;
}

/**
 * The snapshot of an instance, the value at a path, or the result of a selector for the snapshot. The component renders again
 * only when this value changes. `undefined` while the instance or the value does not exist.
 *
 * ```ts
 * const title = useInstance(store, "page", 'blocks["form"].title');
 * const ids = useInstance(store, "page", (page?: Page) => page?.blocks.map((block) => block.id));
 * ```
 *
 * A selector may return a new list, object, Map, Set or Date each time: the hook compares their members.
 *
 * While React hydrates, the value comes from the document as the page first loaded or restored it, which is what a server has
 * rendered. After that it is the current value.
 */
export function useInstance<Documents, Name extends keyof Documents & string>(
  store: TypedStore<Documents>,
  name: Name,
): DeepReadonly<Documents[Name]> | undefined;
/** The value at a path. */
export function useInstance<Documents, Name extends keyof Documents & string, Path extends string>(
  store: TypedStore<Documents>,
  name: Name,
  path: Path,
): DeepReadonly<ValueAt<Documents[Name], Path>> | undefined;
/** The result of a selector, for a store with declared types. */
export function useInstance<Documents, Name extends keyof Documents & string, Chosen>(
  store: TypedStore<Documents>,
  name: Name,
  selector: (snapshot: DeepReadonly<Documents[Name]> | undefined) => Chosen,
): Chosen;
/** Any of the three, for a store without declared types. `part` is a path or a selector; without it the value is the snapshot. */
export function useInstance(
  store: InstanceSource,
  name: string,
  part?: string | ((snapshot: Snapshot) => Snapshot),
): Snapshot;
/** The result of a selector that declares the type of the document itself. */
export function useInstance<Chosen, Document = Exclude<Snapshot, undefined>>(
  store: InstanceSource,
  name: string,
  selector: (snapshot: Document | undefined) => Chosen,
): Chosen;
export function useInstance<Chosen>(
  anyStore: object,
  name: string,
  part?: string | ((snapshot: never) => Chosen),
): unknown {
  // The overloads accept only stores; a `TypedStore` declares none of their methods.
  const store = anyStore as InstanceSource;
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
  const readServer = useCallback(() => {
    const firstState = firstStateOf(store);
    return firstState ? firstState.snapshot(name, path) : read();
  }, [store, name, path, read]);
  const choose = typeof part === "function" ? (part as (snapshot: Snapshot) => Chosen) : identity;
  return useChosen<Snapshot, Snapshot | Chosen>(subscribe, read, choose, readServer);
}
