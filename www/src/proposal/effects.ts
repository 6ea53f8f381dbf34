/** Carries out the effects of the task flow's answers, in their order, whoever has asked. */
import type { Effect, NodeProposal } from "genui-patch";
import { player } from "../chat/chat";
import { taskFlow } from "../data/taskFlow";
import { typesIn } from "../lib/field";
import { room, show } from "../lib/room";
import { textOf } from "../lib/view";
import { log } from "../log/log";
import { isLive } from "../server/backend";
import { chosen } from "./chosen";
import { flow, meant, refetch } from "./flow";
import { RESET } from "./reasons";

type Payload = Effect["payload"];

/** By type of effect; `isAsked`: the user has asked for it, so it may replace the proposal that is shown. */
const acts: Readonly<Record<string, (payload: Payload, isAsked: boolean) => void>> = {
  FOCUS_NODE: ({ nodeId }) => meant.set({ nodeId: textOf(nodeId) }),
  OPEN_MODAL: (payload, isAsked) => open(waitingFor(payload).at(-1), isAsked),
  APPLY_DIFF_IN_MODAL(payload, isAsked) {
    const wanted = JSON.stringify(payload.diff);
    open(
      waitingFor(payload).find(({ diff }) => JSON.stringify(diff) === wanted),
      isAsked,
    );
  },
  // The buttons go; the diff stays to be read.
  CLOSE_MODAL({ nodeId }) {
    if (meant.get()?.nodeId === nodeId) meant.set(undefined);
  },
  POST_MESSAGE: ({ nodeId, message }) => player.post(textOf(nodeId), textOf(message)),
  REFETCH_TASK_FLOW: ({ taskId }) => refetch(textOf(taskId)),
};

/** Carries out what an answer of the task flow asks the page for, and gives the answer back. */
export function carryOut<Answer extends object>(answer: Answer, isAsked = false): Answer {
  const { effects = [] } = answer as { effects?: readonly Effect[] };
  // An answer that is asked for opens its proposal over another; the opening that follows belongs to the same answer.
  const isFree = isAsked || !isDeciding();
  for (const { type, payload } of effects) {
    log("proposal", type, textOf(payload.nodeId ?? payload.taskId), { detail: payload });
    acts[type]?.(payload, isFree);
  }
  return answer;
}

/** The task flow as it was at the start; what waits for it is withdrawn. Other pages have the flow of a backend too: it stays. */
export function resetFlow(): void {
  for (const { id, status } of flow.proposals())
    if (status === "pending" || status === "stale") carryOut(flow.refuse(id, RESET));
  if (!isLive) flow.load(taskFlow);
}

/** The proposals for a node that wait, the oldest first. */
const waitingFor = ({ nodeId }: Payload): NodeProposal[] =>
  flow.proposals().filter(({ status, target }) => status === "pending" && target.endsWith(`/${textOf(nodeId)}`));

/** Whether an open proposal is shown: an approval must not hit another one that takes its place. */
const isDeciding = () =>
  room.get() === "proposal" &&
  document.querySelector(".proposal-room .gp-proposal:is([data-status=pending], [data-status=stale])") !== null;

/** While the user types, the room stays: its tab shows the number of waiting proposals. */
function open(proposal: NodeProposal | undefined, isFree: boolean): void {
  if (proposal === undefined || !isFree) return;
  chosen.set(proposal.id);
  const field = typesIn();
  if (field === undefined) show("proposal");
  else if (field.closest("#workbench") === null) room.set("proposal");
}
