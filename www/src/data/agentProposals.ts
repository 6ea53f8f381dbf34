/** The proposals that the button "Let the agent propose" makes, one at a press. */
import type { PatchCall } from "genui-patch";
import { store } from "../instance/store";
import { cell } from "../lib/cell";
import { log } from "../log/log";
import { chosen } from "../proposal/chosen";
import { carryOut } from "../proposal/effects";
import { flow } from "../proposal/flow";
import { type Plain, t, type Words } from "../words/words";

/** How the last of these calls was refused; empty if it was not. */
const none: Words = () => "";
export const refusal = cell(none);

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

function updateNode(args: object): void {
  const answer = carryOut(flow.callTool("updateNode", args), true);
  const { error } = answer;
  refusal.set(error ? () => t("The agent was refused: {code}. {message}", error) : none);
  const pending = "pending_confirmation" in answer ? answer.pending_confirmation : undefined;
  const what = pending ? "pending_confirmation" : (error?.code ?? "updated");
  log("proposal", "updateNode", what, { tone: error ? "bad" : "good", detail: { args, answer } });
}

export const agentProposals: readonly AgentProposal[] = [
  {
    label: "Change the page",
    run() {
      refusal.set(none);
      const proposal = store.propose(pageCall);
      log("proposal", "propose", "patch demo", { detail: proposal });
      if ("id" in proposal) chosen.set(proposal.id);
    },
  },
  { label: "Change a node", run: () => updateNode(nodeCall) },
  { label: "Try to approve itself", run: () => updateNode({ ...nodeCall, isApprovedUpdate: true }) },
];
