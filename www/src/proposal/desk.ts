/** All that waits for a yes, whoever keeps it: the store, the task flow, the workspace. */
import type { Json, Proposal } from "genui-patch";
import { useSyncExternalStore } from "react";
import { fileProposals, workspace } from "../files/workspace";
// The documents are there before anything is proposed for them.
import "../instance/instances";
import { store } from "../instance/store";
import { cell } from "../lib/cell";
import { log } from "../log/log";
import * as link from "../server/link";
import { approvals } from "../server/live";
import { t, type Words } from "../words/words";
import { choiceOf, forget, stands } from "./choices";
import { chosen } from "./chosen";
import { carryOut } from "./effects";
import { flow } from "./flow";
import { rowsOf } from "./rows";
import { waiting } from "./waiting";

/** Why the last approval of a proposal was not made. */
export const faults = cell<ReadonlyMap<string, Words>>(new Map());

let known: readonly Proposal[] = [];

/** When each was first seen. */
const order = new Map<string, number>();

/** The newest first. The same list until something in it changes. */
function proposals(): readonly Proposal[] {
  const patches = store.proposals().map((proposal) => approvals.get().get(proposal.id) ?? proposal);
  const next: Proposal[] = [...patches, ...flow.proposals(), ...fileProposals.get()];
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
  ];
  return () => {
    for (const end of ends) end();
  };
}

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

type Answer = { status: string; error?: { code: string; message: string } | undefined };

/** The person's yes, to what they have chosen. */
export async function approve(proposal: Proposal): Promise<void> {
  const now = proposals().find(({ id }) => id === proposal.id) ?? proposal;
  if (!stands(now)) {
    forget(now.id);
    setFault(now.id, () => t("The parts have changed since you chose from them. Look again, and choose again."));
    return;
  }
  const answer = await makers[now.kind](now as never);
  const { error } = answer;
  log("proposal", error ? error.code : "approve", `${proposal.kind} ${proposal.target}`, {
    tone: error ? "bad" : "good",
    detail: { id: proposal.id, answer },
  });
  setFault(proposal.id, error && (() => `${error.code}: ${error.message}`));
}

/** The person's no. */
export async function refuse(proposal: Proposal): Promise<void> {
  if (proposal.kind === "patch") store.refuse(proposal.id);
  else if (proposal.kind === "node") carryOut(flow.refuse(proposal.id));
  else await (await workspace()).refuse(proposal.id);
  log("proposal", "refuse", `${proposal.kind} ${proposal.target}`, { tone: "warn" });
  setFault(proposal.id, undefined);
}

/** Makes the proposal anew, on what is there now. */
export async function proposeAgain(proposal: Proposal): Promise<void> {
  await refuse(proposal);
  const made = await again(proposal);
  log("proposal", "propose", `${proposal.kind} ${proposal.target}`, { detail: made });
  if ("id" in made) chosen.set(made.id);
}

async function again(proposal: Proposal): Promise<object | { id: string }> {
  if (proposal.kind === "patch") return store.propose(proposal.proposed);
  if (proposal.kind === "node") return carryOut(flow.callTool("updateNode", nodeCall(proposal)), true);
  return (await workspace()).propose(proposal.proposed);
}

function nodeCall({ target, proposed }: Extract<Proposal, { kind: "node" }>) {
  const [taskId = "", nodeId = ""] = target.split("/");
  return { taskId, nodeId, newData: proposed, approvalStyle: "visual" };
}

const makers = {
  patch(proposal: Extract<Proposal, { kind: "patch" }>): Answer {
    const { without, edits } = choiceOf(proposal.id);
    const rows = rowsOf(proposal);
    const paths = proposal.diff.filter((_, place) => !without.has(rows[place]?.key ?? "")).map(({ path }) => path);
    return link.approve(proposal, {
      ...(without.size > 0 && { paths }),
      ...(edits.size > 0 && { edits: chosenEdits(edits, without) }),
    });
  },
  node(proposal: Extract<Proposal, { kind: "node" }>): Answer {
    const { without, edits } = choiceOf(proposal.id);
    const fields = rowsOf(proposal)
      .map(({ key }) => key)
      .filter((key) => !without.has(key));
    const answer = carryOut(
      flow.approve(proposal.id, {
        ...(without.size > 0 && { fields }),
        ...(edits.size > 0 && { edits: chosenEdits(edits, without) }),
      }),
    );
    return { status: answer.error ? "error" : "success", error: answer.error };
  },
  async file(proposal: Extract<Proposal, { kind: "file" }>): Promise<Answer> {
    const { without, text } = choiceOf(proposal.id);
    const hunks = proposal.diff.map(({ index }) => index).filter((index) => !without.has(String(index)));
    const answer = await (await workspace()).approve(proposal.id, {
      ...(text !== undefined ? { edits: text } : without.size > 0 && { hunks }),
    });
    return answer;
  },
};

const chosenEdits = (edits: ReadonlyMap<string, Json>, without: ReadonlySet<string>) =>
  Object.fromEntries([...edits].filter(([key]) => !without.has(key)));

function setFault(id: string, fault: Words | undefined): void {
  const next = new Map(faults.get());
  if (fault === undefined) next.delete(id);
  else next.set(id, fault);
  faults.set(next);
}
