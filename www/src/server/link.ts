/**
 * The connection between the page's store and the server: sends pending calls; answers settle them. With a backend this is
 * `live`, otherwise a simulated server in the page.
 */
import type {
  ApprovalRefusal,
  ApproveOptions,
  ChangeOptions,
  PatchCall,
  PatchProposal,
  PatchResult,
} from "genui-patch";
import { documents } from "../data/documents";
import { store } from "../instance/store";
import { cell } from "../lib/cell";
import { log } from "../log/log";
import type { Words } from "../words/words";
import * as live from "./live";
import { describe, notices, refused, tellConflicts } from "./noticeBoard";
import { type Conditions, type Message, SimulatedServer } from "./SimulatedServer";

/** Typed text is sent after this many milliseconds without another key. */
const pause = 350;

const server = new SimulatedServer(take);
export const conditions = cell<Conditions>(server.conditions);

let timer: ReturnType<typeof setTimeout> | undefined;
if (!live.isLive) {
  store.subscribe(() => {
    clearTimeout(timer);
    timer = setTimeout(sendWaiting, pause);
  });
}

function sendWaiting(): void {
  if (conditions.get().offline) return;
  const drafts = store.drafts();
  for (const { pendingId, instance_name, call, sent } of store.pending()) {
    // The server does not have the page of a draft yet: what the user types into it waits.
    if (sent || drafts.includes(instance_name)) continue;
    store.sent(pendingId);
    log("server", "send", `${pendingId} · ${describe(call)}`, { detail: call });
    server.request(pendingId, call);
  }
}

function take(message: Message): void {
  switch (message.type) {
    case "patch":
      log("server", message.type, `${message.patch_id} · ${message.instance_name}`, { detail: message });
      tellConflicts(store.receive(message));
      break;
    case "refused":
      refuse(message.patch_id, message.reason);
      break;
    case "lost":
      sendAgain(message.patch_id);
      break;
  }
}

function refuse(id: string, reason: Words): void {
  const call = store.pending().find(({ pendingId }) => pendingId === id)?.call;
  log("server", "refused", `${id} · ${reason()}`, { tone: "bad", detail: { id, reason: reason(), call } });
  const result = store.reject(id, reason());
  if (call) refused(call, reason);
  tellConflicts(result);
}

/** Sends a request again if it has no answer after a while: lost requests cause no message. */
function sendAgain(id: string): void {
  log("server", "lost", id, { tone: "warn" });
  setTimeout(() => {
    const waiting = store.pending().find(({ pendingId }) => pendingId === id);
    if (waiting && !conditions.get().offline) server.request(id, waiting.call);
  }, conditions.get().delay + 400);
}

export function setConditions(changes: Partial<Conditions>): void {
  const before = conditions.get();
  server.conditions = { ...before, ...changes };
  conditions.set(server.conditions);
  const { offline } = server.conditions;
  if (offline === before.offline) return;
  log("server", offline ? "offline" : "online", "", { tone: offline ? "warn" : "good" });
  if (offline) server.drop();
  else reconnect();
}

/** Missed changes arrive as whole documents; pending calls that these already contain are settled. */
function reconnect(): void {
  store.batch(() => {
    for (const { pendingId } of store.pending()) {
      if (server.hasTaken(pendingId)) store.reject(pendingId);
    }
    for (const name of store.names()) if (!server.store.names().includes(name)) remove(name, store);
    for (const name of server.store.names()) {
      const document = server.store.snapshot(name);
      if (document !== undefined) tellConflicts(store.load(name, document));
    }
  });
  for (const { pendingId, call, sent } of store.pending()) if (sent) server.request(pendingId, call);
  sendWaiting();
}

/** A call of the agent: it reaches the server and, unless the page is offline, the page. */
export function applyCall(call: PatchCall | string, by: ChangeOptions = { author: { kind: "agent" } }): PatchResult {
  if (live.isLive) return store.applyOptimistic(call, by);
  server.flush();
  const there = server.store.apply(call);
  if (conditions.get().offline) return there;
  const here = store.apply(call, by);
  if (here.status === "success") tellConflicts(here);
  return here;
}

/** A call of another client: its message arrives after the delay. */
export function applyElsewhere(call: PatchCall): PatchResult {
  const result = server.applyOther(call);
  log("server", "other-client", describe(call), { detail: { call, result } });
  return result;
}

/** Sends an approved proposal, so that the server has the same document. */
export function approve(proposal: PatchProposal, options: ApproveOptions): PatchResult | ApprovalRefusal {
  if (live.isLive) return live.approveAsCall(proposal, options);
  server.flush();
  const answer = store.approve(proposal.id, options);
  const document = store.confirmed(proposal.target);
  if (answer.status === "success" && document !== undefined) server.store.load(proposal.target, document);
  return answer;
}

/** Puts a document in place, here and there. */
export function load(name: string, document: object): void {
  if (live.isLive) live.loadByCalls(name, document);
  else for (const side of [server.store, store]) side.load(name, document);
}

/** Begins: with the documents of the backend, or with those of the page where it has none. */
export function start(): void {
  if (!live.isLive) reset();
  else
    live.openLive(() => {
      if (store.names().length === 0) reset();
      store.active ??= store.names()[0] ?? null;
    });
}

/** All instances as they were at the start, here and there. */
export function reset(): void {
  notices.set([]);
  if (live.isLive) {
    for (const name of store.names()) if (!Object.hasOwn(documents, name)) live.removeByCall(name);
    for (const [name, document] of Object.entries(documents)) live.loadByCalls(name, document);
    return;
  }
  server.drop();
  for (const side of [server.store, store]) {
    side.batch(() => {
      for (const { pendingId } of side.pending()) side.reject(pendingId);
      for (const name of side.names()) if (!Object.hasOwn(documents, name)) remove(name, side);
      for (const [name, document] of Object.entries(documents)) side.load(name, document);
    });
  }
}

/** Takes an instance away, here and there. */
export function removeInstance(name: string): void {
  if (live.isLive) live.removeByCall(name);
  else for (const side of [server.store, store]) remove(name, side);
}

const remove = (name: string, side: typeof store) =>
  side.apply({ instance_name: "__DELETE__", target_instance_name: name });

/** The server's view of a document, for whoever plays another client. */
export const serverSnapshot = (name: string) => server.store.snapshot(name);
