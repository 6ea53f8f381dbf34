/** The hooks, without React's types in the app. */
import type {
  AgentCall,
  AgentTools,
  DeepReadonly,
  FileProposal,
  FlowStore,
  Json,
  NodeProposal,
  PatchProposal,
  PatchStore,
  PendingCall,
  Proposal,
  SurfaceNode,
  SurfaceStream,
  ToolBlockEvent,
  Workspace,
} from "genui-patch";
import {
  type ToolBlocksState,
  useAgent,
  useInstance,
  usePending,
  useProposal,
  useProposals,
  useSurface,
  useToolBlocks,
} from "genui-patch/react";

declare const store: PatchStore;
declare const agent: AgentTools;
declare const flow: FlowStore;
declare const files: Workspace;
declare const answer: Response;
declare const surfaces: SurfaceStream;

declare const source: { pending(name?: string): PendingCall[]; subscribe(): () => void };
declare const events: ReadableStream<ToolBlockEvent>;

export function useAll(): void {
  useInstance(store, "page") satisfies DeepReadonly<Json> | undefined;
  useInstance(store, "page", "state.params.n") satisfies DeepReadonly<Json> | undefined;
  useInstance(store, "page", (page) => (page === undefined ? 0 : 1)) satisfies number;
  // @ts-expect-error
  useInstance(store);

  usePending(source) satisfies readonly PendingCall[];
  usePending(source, "page") satisfies readonly PendingCall[];

  useProposal(store, "id") satisfies PatchProposal | undefined;
  useProposal(flow, undefined) satisfies NodeProposal | undefined;
  useProposal(files, null) satisfies FileProposal | undefined;
  // @ts-expect-error
  useProposal(surfaces, "id");

  useProposals(store) satisfies readonly PatchProposal[];
  useProposals(store, flow, files) satisfies readonly Proposal[];
  // @ts-expect-error
  useProposals(surfaces);
  useAgent(agent) satisfies readonly AgentCall[];

  useSurface(surfaces, "main") satisfies SurfaceNode | undefined;
  // @ts-expect-error
  useSurface(store, "main");

  useToolBlocks(events) satisfies ToolBlocksState;
  useToolBlocks(undefined);
  // @ts-expect-error
  useToolBlocks(answer);
}
