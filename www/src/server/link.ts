/** What goes between the page's store and the server: calls that wait are sent, what comes back settles them. */
import type { PatchCall, PatchResult } from "genui-patch";
import { documents } from "../data/documents";
import { store } from "../instance/store";
import { cell } from "../lib/cell";
import { log } from "../log/log";
import { notices, tell } from "./noticeBoard";
import { type Conditions, type Message, SimulatedServer } from "./SimulatedServer";

/** Milliseconds without a further key before what was typed is sent. */
const pause = 350;

const server = new SimulatedServer(take);
export const conditions = cell<Conditions>(server.conditions);

let timer: ReturnType<typeof setTimeout> | undefined;
store.subscribe(() => {
  clearTimeout(timer);
  timer = setTimeout(sendWaiting, pause);
});

function sendWaiting(): void {
  if (conditions.get().offline) return;
  for (const { pendingId, call, sent } of store.pending()) {
    if (sent) continue;
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

function refuse(id: string, reason: string): void {
  const call = store.pending().find(({ pendingId }) => pendingId === id)?.call;
  log("server", "refused", `${id} · ${reason}`, { tone: "bad", detail: { id, reason, call } });
  const result = store.reject(id, reason);
  tell("bad", `Refused: ${call ? describe(call) : id}`, `It is back as it was. The reason: ${reason}.`);
  tellConflicts(result);
}

/** The page hears nothing of a lost request; after a while without an answer it sends it again. */
function sendAgain(id: string): void {
  log("server", "lost", `${id} · no answer, sent again`, { tone: "warn" });
  setTimeout(() => {
    const waiting = store.pending().find(({ pendingId }) => pendingId === id);
    if (waiting && !conditions.get().offline) server.request(id, waiting.call);
  }, conditions.get().delay + 400);
}

function tellConflicts(result: PatchResult): void {
  if (result.status === "error") {
    log("server", result.error.code, result.error.message, { tone: "bad", detail: result });
    return;
  }
  for (const { pendingId, error } of result.conflicts) {
    log("server", "conflict", `${pendingId} · ${error.code}`, { tone: "bad", detail: error });
    tell("warn", `Conflict: ${error.code}`, `A change of yours no longer fits and was dropped. ${error.message}`);
  }
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

/** What was missed comes as whole documents; what the server had already taken is in them, and waits no longer. */
function reconnect(): void {
  store.batch(() => {
    for (const { pendingId } of store.pending()) {
      if (server.hasTaken(pendingId)) store.reject(pendingId, "in the document already");
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
export function applyCall(call: PatchCall | string): PatchResult {
  server.flush();
  const there = server.store.apply(call);
  if (conditions.get().offline) return there;
  const here = store.apply(call);
  if (here.status === "success") tellConflicts(here);
  return here;
}

/** A call of another client: the page hears of it after the delay. */
export function applyElsewhere(call: PatchCall): PatchResult {
  const result = server.applyOther(call);
  log("server", "other client", describe(call), { detail: { call, result } });
  return result;
}

/** Something that a person approved here: the server comes to have the same document. */
export function approveOnServer<Answer extends { status: string }>(name: string, approve: () => Answer): Answer {
  server.flush();
  const answer = approve();
  const document = store.confirmed(name);
  if (answer.status === "success" && document !== undefined) server.store.load(name, document);
  return answer;
}

/** Puts a document in place, here and there. */
export function load(name: string, document: object): void {
  for (const side of [server.store, store]) side.load(name, document);
}

/** All instances as they were at the start, here and there. */
export function reset(): void {
  server.drop();
  for (const side of [server.store, store]) {
    side.batch(() => {
      for (const { pendingId } of side.pending()) side.reject(pendingId, "reset");
      for (const name of side.names()) if (!Object.hasOwn(documents, name)) remove(name, side);
      for (const [name, document] of Object.entries(documents)) side.load(name, document);
    });
  }
  notices.set([]);
}

/** Takes an instance away, here and there. */
export function removeInstance(name: string): void {
  for (const side of [server.store, store]) remove(name, side);
}

const remove = (name: string, side: typeof store) =>
  side.apply({ instance_name: "__DELETE__", target_instance_name: name });

/** The server's view of a document, for whoever plays another client. */
export const serverSnapshot = (name: string) => server.store.snapshot(name);

export function describe({ patches = [] }: PatchCall): string {
  const [first] = patches;
  if (first === undefined) return "no patch";
  return `${first.op} ${first.path ?? ""}${patches.length > 1 ? ` and ${patches.length - 1} more` : ""}`;
}
