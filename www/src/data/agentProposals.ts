/** The proposals that the button "Let the agent propose" makes, one at a press. */
import type { PatchCall, PatchError, Proposal } from "genui-patch";
import { noteCall } from "../chat/activity";
import { store } from "../instance/store";
import { log } from "../log/log";
import { chosen } from "../proposal/chosen";
import { carryOut } from "../proposal/effects";
import { flow } from "../proposal/flow";
import type { Plain } from "../words/words";

interface AgentProposal {
  label: Plain;
  /** Makes it, and shows it. What could not be made takes nothing's place. */
  run(): void;
}

const pageCall: PatchCall = {
  instance_name: "demo",
  patches: [
    { op: "set", path: "state.params.plan", value: "window" },
    { op: "increment", path: "state.params.guests", value: 2 },
    { op: "set", path: 'blocks["text_block"].title', value: "Reservation for a birthday" },
  ],
};

const nodeCall = {
  taskId: "heron-app",
  nodeId: "problem",
  newData: {
    title: "Early walkers miss the herons",
    description: "Most visitors pass the weir before eight, when the herons have not come back yet.",
    priority: 1,
  },
};

/** Lists a call that an agent makes here, and not in the chat: its proposal, or why it was refused. */
function note(tool: string, outcome: Proposal | PatchError | undefined): void {
  if (outcome === undefined) return;
  const settle = noteCall(tool);
  if ("code" in outcome) {
    const error = { ...outcome };
    settle({ tool, status: "error", error, result: { status: "error", error } });
  } else settle({ tool, status: "pending", proposal: outcome, result: { status: "pending" } });
}

function updateNode(args: object): void {
  const answer = carryOut(flow.callTool("updateNode", args), true);
  const { error } = answer;
  const pending = "pending_confirmation" in answer ? answer.pending_confirmation : undefined;
  const what = pending ? "pending_confirmation" : (error?.code ?? "updated");
  note("updateNode", error ?? flow.proposals().find(({ id }) => id === pending?.proposalId));
  log("proposal", "updateNode", what, { tone: error ? "bad" : "good", detail: { args, answer } });
}

export const agentProposals: readonly AgentProposal[] = [
  {
    label: "Change the page",
    run() {
      const proposal = store.propose(pageCall);
      if ("id" in proposal) note("patch_ui_state", proposal);
      log("proposal", "propose", "patch demo", { detail: proposal });
      if ("id" in proposal) chosen.set(proposal.id);
    },
  },
  { label: "Change a node", run: () => updateNode(nodeCall) },
  { label: "Try to approve itself", run: () => updateNode({ ...nodeCall, isApprovedUpdate: true }) },
];
