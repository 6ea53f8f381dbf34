/** All proposals: those of the store, of the task flow, of the workspace, and of the backend's room. */
import type {
  ApproveOptions,
  FileProposal,
  NodeProposal,
  PatchCall,
  PatchProposal,
  Proposal,
  ToolCall,
} from "genui-patch";
import type { ProposalSource } from "genui-patch/react/ui";
import { useSyncExternalStore } from "react";
import { fileProposals, workspace } from "../files/workspace";
// The documents are loaded before anything is proposed for them.
import "../instance/instances";
import { store } from "../instance/store";
import { objectOf, textOf, type View } from "../lib/view";
import { log } from "../log/log";
import { isLive } from "../server/backend";
import * as link from "../server/link";
import { approvals } from "../server/live";
import { chosen } from "./chosen";
import { carryOut } from "./effects";
import { flow } from "./flow";
import { approveShared, followRoom, refuseShared, roomProposals } from "./shared";
import { waiting } from "./waiting";

if (isLive) followRoom();

let known: readonly Proposal[] = [];

/** The order in which proposals were first seen. */
const order = new Map<string, number>();

/** Patches that were approved by a call: the store itself has them as withdrawn. */
const patches = (): readonly PatchProposal[] =>
  store.proposals().map((proposal) => (approvals.get().get(proposal.id) as PatchProposal | undefined) ?? proposal);

/** The newest first. The same list until something in it changes. */
function proposals(): readonly Proposal[] {
  const next: Proposal[] = [...patches(), ...flow.proposals(), ...fileProposals.get(), ...roomProposals.get()];
  for (const { id } of next) if (!order.has(id)) order.set(id, order.size);
  next.sort((a, b) => (order.get(b.id) ?? 0) - (order.get(a.id) ?? 0));
  if (next.length !== known.length || next.some((proposal, at) => proposal !== known[at])) known = next;
  return known;
}

function subscribe(listener: () => void): () => void {
  const ends = [
    store.subscribe(listener),
    approvals.subscribe(listener),
    flow.subscribe(listener),
    fileProposals.subscribe(listener),
    roomProposals.subscribe(listener),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** The proposals with their decisions, for `ActivityList`. */
export const decisions = { proposals, subscribe };

export const useProposals = () => useSyncExternalStore(subscribe, proposals);

export const isOpen = ({ status }: Proposal) => status === "pending" || status === "stale";

function count(): void {
  const open = proposals().filter(isOpen);
  const files = open.filter(({ kind }) => kind === "file").length;
  const before = waiting.get();
  if (before.all !== open.length || before.files !== files) waiting.set({ all: open.length, files });
}
subscribe(count);
count();

/** The sources that the components decide with: each decision also reaches the server, the chat and the log. */
const sources = {
  patch: {
    proposals: patches,
    subscribe,
    approve(id: string, options: ApproveOptions) {
      const proposal = patches().find((one) => one.id === id);
      return proposal && logged("approve", id, link.approve(proposal, options));
    },
    refuse: (id: string) => logged("refuse", id, store.refuse(id)),
    confirmed: (name: string) => store.confirmed(name),
    propose: (call: PatchCall) => shown(store.propose(call)),
  },
  node: {
    proposals: (): readonly NodeProposal[] => flow.proposals(),
    subscribe,
    approve: (id: string, options: object) => logged("approve", id, carryOut(flow.approve(id, options))),
    refuse: (id: string) => logged("refuse", id, carryOut(flow.refuse(id))),
    callTool: (tool: string, args: object) => logged("propose", tool, carryOut(flow.callTool(tool, args), true)),
  },
  file: {
    proposals: (): readonly FileProposal[] => fileProposals.get(),
    subscribe,
    approve: async (id: string, options: object) =>
      logged("approve", id, await (await workspace()).approve(id, options)),
    refuse: async (id: string) => logged("refuse", id, await (await workspace()).refuse(id)),
    propose: async (call: ToolCall) => shown(await (await workspace()).propose(call)),
    preview: async (call: ToolCall) => (await workspace()).preview(call),
  },
};

/** The proposals of the backend's room, which it checks and executes itself. */
const room = {
  proposals: roomProposals.get,
  subscribe,
  approve: async (id: string, options: object) => logged("approve", id, await approveShared(id, options)),
  refuse: async (id: string) => logged("refuse", id, await refuseShared(id)),
  confirmed: (name: string) => store.confirmed(name),
};

export const sourceOf = (proposal: Proposal): ProposalSource =>
  roomProposals.get().some(({ id }) => id === proposal.id) ? room : sources[proposal.kind];

/** A proposal that was made again is shown next. */
function shown<Answer extends object>(answer: Answer): Answer {
  if ("id" in answer && typeof answer.id === "string") chosen.set(answer.id);
  return logged("propose", "", answer);
}

function logged<Answer>(event: string, id: string, answer: Answer): Answer {
  const proposal = proposals().find((one) => one.id === id);
  const code = codeOf(answer);
  log("proposal", code ?? event, proposal ? `${proposal.kind} ${proposal.target}` : id, {
    tone: code ? "bad" : event === "refuse" ? "warn" : "good",
    detail: { id, answer },
  });
  return answer;
}

/** The code of an answer that is an error. */
function codeOf(answer: unknown): string | undefined {
  const { error } = objectOf(answer as View | undefined);
  return error === undefined ? undefined : textOf(objectOf(error).code);
}
