/**
 * The connection to the backend, for a page that has one. Changes of the user are sent as pending calls; changes by agents and other
 * pages are received.
 */
import {
  type ApprovalRefusal,
  type ApproveOptions,
  type Connection,
  connect,
  type DecisionResult,
  formatPath,
  type Json,
  type PatchCall,
  type PatchOperation,
  type PatchResult,
  PatchStore,
  type Proposal,
  type TaskFlow,
} from "genui-patch";
import { store } from "../instance/store";
import { cell } from "../lib/cell";
import { objectOf } from "../lib/view";
import { log } from "../log/log";
import { isLive } from "./backend";
import { describe, refused, tellConflicts } from "./noticeBoard";

/** Typed text is sent after this many milliseconds without another key. */
const pause = 350;

export { isLive };

const room = `${location.origin}/rooms/demo`;
/** Where agents find the backend. */
export const mcpAddress = `${room}/mcp`;
/** `offline`: by the switch of the page. */
export const status = cell<Connection["status"] | "offline">("connecting");

/** The instance that an agent has made last. What other pages make is theirs to look at. */
export const madeByAgent = cell<string | undefined>(undefined);

/** The room's contents beside its documents. */
interface Contents {
  files: { readonly [path: string]: string };
  flows: readonly TaskFlow[];
  proposals: readonly Proposal[];
}

/** As the backend has told it last; undefined until it does. */
export const contents = cell<Contents | undefined>(undefined);

let connection: Connection | undefined;
/** The pending calls by id: a later refusal refers to them. */
const waiting = new Map<string, PatchCall>();

/** Connects; `ready` is run once the documents are there. */
export function openLive(ready: () => void): void {
  store.subscribe(() => {
    for (const { pendingId, call } of store.pending()) waiting.set(pendingId, call);
  });
  let isReady = false;
  onContents = () => {
    if (isReady) return;
    isReady = true;
    ready();
  };
  open();
}

let onContents = () => {};

function open(): void {
  const made = connect(store, () => new WebSocket(room.replace(/^http/, "ws")), {
    pause,
    onResult: take,
    // Presence, which the demo does not show.
    onMessage: () => {},
  });
  connection = made;
  const first = made.proposals();
  made.subscribe(() => {
    if (connection !== made) return;
    if (status.get() !== made.status) status.set(made.status);
    // Proposals come after the documents, files and flows.
    if (made.proposals() === first) return;
    contents.set({ files: made.files(), flows: made.flows(), proposals: made.proposals() });
    onContents();
  });
}

const NOT_CONNECTED: DecisionResult = {
  status: "error",
  error: { code: "NOT_CONNECTED", message: "The page is offline.", solution: "Go online first." },
};

/** Calls a tool for files or nodes as the user. */
export const callInRoom = async (tool: string, args: object): Promise<DecisionResult> =>
  connection?.callTool(tool, args) ?? NOT_CONNECTED;

export const approveInRoom = async (id: string, options: object): Promise<DecisionResult> =>
  connection?.approve(id, options) ?? NOT_CONNECTED;

export const refuseInRoom = async (id: string, reason?: string): Promise<DecisionResult> =>
  connection?.refuse(id, reason) ?? NOT_CONNECTED;

export function setOffline(offline: boolean): void {
  log("server", offline ? "offline" : "online", "", { tone: offline ? "warn" : "good" });
  connection?.close();
  connection = undefined;
  status.set(offline ? "offline" : "connecting");
  if (!offline) open();
}

/** Handles the result of a message from the backend. */
function take(result: PatchResult, message: { type?: string; [key: string]: unknown }): void {
  const { type = "call", pendingId, reason, patch_id = pendingId } = message;
  const id = String(patch_id ?? "");
  const call = waiting.get(id);
  waiting.delete(id);
  const tone = type === "reject" ? "bad" : undefined;
  log("server", type, `${id} · ${result.instance_name ?? ""}`, { tone, detail: message });
  if (type === "reject" && call) refused(call, () => String(reason));
  tellConflicts(result);
  const { author } = message as { author?: { kind?: string } };
  if (message.instance_name === "__CREATE__" && author?.kind === "agent") madeByAgent.set(result.instance_name);
}

/** Turns an approved proposal into a call of the page: it is approved on a copy first, which gives the approved result. */
export function approveAsCall(proposal: Proposal, options: ApproveOptions): PatchResult | ApprovalRefusal {
  const { id, target } = proposal;
  const copy = PatchStore.restore(store.save());
  try {
    const answer = copy.approve(id, options);
    if (answer.status === "error") return answer;
    const before = store.confirmed(target);
    const after = copy.confirmed(target);
    const call =
      before === undefined || after === undefined
        ? (proposal.proposed as PatchCall)
        : { instance_name: target, patches: setsBetween(before as Json, after as Json, []) };
    const made = store.applyOptimistic(call);
    if (made.status === "error") return made;
    store.refuse(id);
    approvals.set(new Map(approvals.get()).set(id, copy.proposals().find((one) => one.id === id) ?? proposal));
    return made;
  } finally {
    copy.dispose();
  }
}

/** The proposals that were approved by a call: the store itself knows them as withdrawn. */
export const approvals = cell<ReadonlyMap<string, Proposal>>(new Map());

/** Sets that make one document of another; lists and what has lost a key are set whole. */
function setsBetween(before: Json, after: Json, steps: readonly string[]): PatchOperation[] {
  const [old, now] = [objectOf(before), objectOf(after)];
  const isDeeper = isMembers(before) && isMembers(after) && Object.keys(old).every((key) => Object.hasOwn(now, key));
  if (!isDeeper || (steps.length > 0 && Object.keys(now).length === 0))
    return [{ op: "set", path: formatPath(steps.map((key) => ({ key }))), value: after }];
  return Object.keys(now)
    .filter((key) => JSON.stringify(now[key]) !== JSON.stringify(old[key]))
    .flatMap((key) => setsBetween(old[key] as Json, now[key] as Json, [...steps, key]));
}

const isMembers = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Puts a document in place by calls. */
export function loadByCalls(name: string, document: object): void {
  if (store.names().includes(name)) removeByCall(name);
  const patches = Object.entries(document).map(([path, value]) => ({ op: "set" as const, path, value }));
  const result = store.applyOptimistic({ instance_name: "__CREATE__", new_instance_name: name, patches });
  if (result.status === "error") log("server", result.error.code, describe({ instance_name: name }), { tone: "bad" });
}

export const removeByCall = (name: string): PatchResult =>
  store.applyOptimistic({ instance_name: "__DELETE__", target_instance_name: name });
