/** Proposals and task flows of the backend's room, which all its pages share. */
import type { Proposal, TaskFlow } from "genui-patch";
import { cell } from "../lib/cell";
import { objectOf, type View } from "../lib/view";
import { log } from "../log/log";
import { approveInRoom, callInRoom, contents, refuseInRoom } from "../server/live";
import { tell } from "../server/noticeBoard";
import { t } from "../words/words";
import { flow, nodeIn } from "./flow";
import { SETTLED_ELSEWHERE } from "./reasons";

/** The proposals that wait, and those that were settled since the page was opened. */
export const roomProposals = cell<readonly Proposal[]>([]);

const settled = new Map<string, Proposal>();

function settle(proposal: Proposal, status: "approved" | "refused", more: object): void {
  settled.set(proposal.id, { ...proposal, ...more, status });
}

function show(): void {
  const open = contents.get()?.proposals ?? [];
  const isOpen = ({ id }: Proposal) => open.some((one) => one.id === id);
  for (const one of roomProposals.get())
    if (!isOpen(one) && !settled.has(one.id)) settle(one, "refused", { reason: SETTLED_ELSEWHERE });
  roomProposals.set([...settled.values(), ...open.filter(({ id }) => !settled.has(id))]);
}

async function decide(
  id: string,
  status: "approved" | "refused",
  answer: ReturnType<typeof refuseInRoom>,
  reason?: string,
): ReturnType<typeof refuseInRoom> {
  const result = await answer;
  const proposal = roomProposals.get().find((one) => one.id === id);
  if (result.status === "success" && proposal !== undefined) {
    const { outcome } = result;
    settle(proposal, status, { reason, ...(outcome !== undefined && { outcome }) });
    show();
  }
  return result;
}

export const approveShared = (id: string, options: object) => decide(id, "approved", approveInRoom(id, options));
export const refuseShared = (id: string, reason?: string) => decide(id, "refused", refuseInRoom(id, reason), reason);

const loaded = new WeakSet<TaskFlow>();

/** Loads the flows that differ from those that were loaded last. */
function load(): void {
  for (const one of contents.get()?.flows ?? []) {
    if (loaded.has(one)) continue;
    loaded.add(one);
    flow.load(one);
  }
}

/** Makes a change of the page in the room, or takes it back here. */
async function send(taskId: string, nodeId: string): Promise<void> {
  const flows = contents.get()?.flows ?? [];
  const known = new Map(flows.map((one) => [one.id, one as unknown as View]));
  const before = objectOf(objectOf(nodeIn(known, `${taskId}/${nodeId}`)).data);
  const after = objectOf(flow.node(taskId, nodeId)?.data as View);
  const isSame = (field: string) => JSON.stringify(before[field]) === JSON.stringify(after[field]);
  const fields = Object.keys({ ...before, ...after }).filter((field) => !isSame(field));
  if (fields.length === 0) return;
  // A field that is gone is removed by null.
  const newData = Object.fromEntries(fields.map((field) => [field, after[field] ?? null]));
  const result = await callInRoom("updateNode", { taskId, nodeId, newData });
  if (result.status === "success") return;
  const { error } = result;
  log("proposal", error.code, `${taskId}/${nodeId}`, { tone: "bad", detail: error });
  tell(
    "bad",
    () => t("The node is back as it was."),
    () => error.message,
  );
  for (const one of contents.get()?.flows ?? []) if (one.id === taskId) flow.load(one);
}

/** Follows the room from now on. */
export function followRoom(): void {
  contents.subscribe(load);
  contents.subscribe(show);
  flow.subscribe(({ type, taskId, nodeIds }) => {
    if (type === "update") for (const nodeId of nodeIds) void send(taskId, nodeId);
  });
  load();
  show();
}
