// Why a page is not connected, what it tries again, and what survives a reload.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { connect, PatchStore } from "genui-patch";

async function until(condition, what) {
  for (const end = Date.now() + 20_000; Date.now() < end; await wait(2)) if (condition()) return;
  assert.fail(what);
}

/** One end of a connection, whose other end is the test. */
class Socket {
  readyState = 0;
  sent = [];
  #listeners = [];

  addEventListener(type, listener) {
    this.#listeners.push([type, listener]);
  }

  tell(type, event = {}) {
    for (const [own, listener] of this.#listeners) if (own === type) listener(event);
  }

  open() {
    this.readyState = 1;
    this.tell("open");
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  push(message) {
    this.tell("message", { data: JSON.stringify(message) });
  }

  close(code = 1005, reason = "") {
    if (this.readyState > 1) return;
    this.readyState = 3;
    this.tell("close", { code, reason });
  }

  of(type) {
    return this.sent.filter((message) => message.type === type);
  }
}

const page = (options = {}) => {
  const store = new PatchStore({ rules: "open", clientId: "p" });
  const sockets = [];
  const make = () => sockets[sockets.push(new Socket()) - 1];
  const connection = connect(store, make, { backoff: 10, ...options });
  return { store, sockets, connection, last: () => sockets.at(-1) };
};

const snapshot = (instances, rest = {}) => ({
  type: "snapshot",
  revision: 1,
  session: "s",
  instances,
  settles: [],
  ...rest,
});
const set = (value) => ({ instance_name: "a", patches: [{ op: "set", path: "x", value }] });

/** Codes of closed sockets, and errors of handshakes as the package `ws` words them. */
const ENDS = [
  [{ code: 4401, reason: "who?" }, undefined, { reason: "unauthorized", code: 4401, message: "who?" }],
  [{ code: 4403 }, undefined, { reason: "refused", code: 4403 }],
  [{ code: 4000 }, undefined, { reason: "refused", code: 4000 }],
  [{ code: 1006 }, "Unexpected server response: 401", { reason: "unauthorized", code: 401 }],
  [{ code: 1006 }, "Unexpected server response: 403", { reason: "refused", code: 403 }],
  [{ code: 1006 }, "Unexpected server response: 503", { reason: "retrying", code: 503 }],
  [{ code: 1006 }, "connect ECONNREFUSED 127.0.0.1:443", { reason: "retrying", code: 1006 }],
  [{ code: 1013, reason: "full" }, undefined, { reason: "retrying", code: 1013, message: "full" }],
];

for (const [{ code, reason }, message, expected] of ENDS) {
  test(`a socket that ends with ${code} ${message ?? ""}: ${expected.reason}`, async () => {
    const { connection, sockets, last } = page();
    const told = [];
    connection.subscribe(() => told.push([connection.status, connection.problem?.reason]));
    assert.equal(connection.problem, undefined);
    if (message !== undefined) last().tell("error", { message });
    last().close(code, reason);
    const isOver = expected.reason !== "retrying";
    const { nextTry, ...problem } = connection.problem;
    assert.deepEqual(problem, expected);
    assert.deepEqual(told, [[isOver ? "closed" : "connecting", expected.reason]]);
    assert.equal(nextTry === undefined, isOver);
    await wait(40);
    assert.equal(sockets.length > 1, !isOver);
    connection.retry();
    await until(() => sockets.length > 1, "it tries again");
    last().open();
    assert.equal(connection.status, "open");
    assert.equal(connection.problem, undefined);
    connection.close();
    connection.retry();
    assert.equal(connection.status, "closed");
  });
}

test("retry() does not wait for the next try, and leaves a socket that is being opened", () => {
  const { connection, sockets, last } = page({ backoff: 60_000 });
  connection.retry();
  assert.equal(sockets.length, 1);
  last().close(1006);
  connection.retry();
  assert.equal(sockets.length, 2);
  connection.close();
});

test("without a network the reason is offline, and the page connects when it has one", () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  const listeners = new Map();
  const { addEventListener, removeEventListener } = globalThis;
  Object.defineProperty(globalThis, "navigator", { value: { onLine: false }, configurable: true });
  globalThis.addEventListener = (type, listener) => listeners.set(type, listener);
  globalThis.removeEventListener = (type) => listeners.delete(type);
  try {
    const { connection, sockets, last } = page({ backoff: 60_000 });
    last().close(1006);
    assert.equal(connection.problem.reason, "offline");
    listeners.get("online")();
    assert.equal(sockets.length, 2);
    connection.close();
    assert.equal(listeners.size, 0);
  } finally {
    if (own) Object.defineProperty(globalThis, "navigator", own);
    else delete globalThis.navigator;
    Object.assign(globalThis, { addEventListener, removeEventListener });
  }
});

test("a token is the first message; without one the user is not known", async () => {
  const tokens = ["t1", "t2"];
  const { connection, last } = page({ token: async () => tokens.shift() ?? Promise.reject(new Error("signed out")) });
  for (const token of ["t1", "t2"]) {
    last().open();
    await until(() => last().sent.length === 2, "both are sent");
    assert.deepEqual(
      last().sent.map((message) => message.token ?? message.type),
      [token, "resume"],
    );
    const before = last();
    last().close(1006);
    await until(() => last() !== before, "a new socket");
  }
  last().open();
  await until(() => connection.status === "closed", "it gives up");
  assert.equal(connection.problem.reason, "unauthorized");
  assert.match(connection.problem.message, /signed out/);
  connection.close();
});

test("a send that never settles is sent again, and what is behind it waits: calls arrive in their order", async () => {
  const arrived = [];
  let hangs = true;
  const send = (message) => {
    if (message.type !== "call") return undefined;
    if (hangs) return new Promise(() => {});
    arrived.push(message.call.patches[0].value);
    return undefined;
  };
  const store = new PatchStore({ rules: "open" });
  const socket = new Socket();
  socket.send = undefined;
  const connection = connect(store, socket, { send, timeout: 50 });
  socket.open();
  socket.push(snapshot({ a: {} }));
  for (const value of ["Hel", "Hello", "Hello world"]) {
    const { pendingId } = store.applyOptimistic(set(value));
    store.sent(pendingId);
    await wait(1);
  }
  await wait(30);
  hangs = false;
  await until(() => arrived.length >= 3, "all arrive");
  assert.deepEqual(arrived.slice(0, 3), ["Hel", "Hello", "Hello world"]);
  connection.close();
});

for (const [status, reason] of [
  [401, "unauthorized"],
  [403, "refused"],
]) {
  test(`a send that fails with ${status} is not tried again`, async () => {
    let sent = 0;
    const send = async () => {
      sent += 1;
      throw Object.assign(new Error("no"), { status });
    };
    const socket = new Socket();
    socket.send = undefined;
    const connection = connect(new PatchStore(), socket, { send, timeout: 20 });
    socket.open();
    await until(() => connection.status === "closed", "it gives up");
    assert.deepEqual(connection.problem, { reason, code: status });
    await wait(60);
    assert.equal(sent, 1);
  });
}

test("pending calls survive a reload, each once: those that the server has are not sent again", async () => {
  const kept = new Map();
  const persist = { getItem: async (key) => kept.get(key), setItem: (key, text) => kept.set(key, text) };
  const before = page({ persist, persistKey: "room" });
  before.last().open();
  await until(() => before.last().of("resume").length > 0, "it asks");
  before.last().push(snapshot({ a: {} }));
  for (const [key, value] of [
    ["x", 1],
    ["y", 2],
    ["z", 3],
  ])
    before.store.applyOptimistic({ instance_name: "a", patches: [{ op: "set", path: key, value }] });
  await until(() => JSON.parse(kept.get("room") ?? "[]").length === 3, "they are kept");
  const [first, ...others] = before.store.pending();
  before.connection.close();
  // The page is loaded again: a new store, with another client id.
  const store = new PatchStore({ rules: "open", clientId: "q" });
  const socket = new Socket();
  const connection = connect(store, socket, { persist, persistKey: "room" });
  socket.open();
  await until(() => socket.of("resume").length > 0, "it asks");
  assert.deepEqual(
    socket.of("resume")[0].pending,
    [first, ...others].map(({ pendingId }) => pendingId),
  );
  socket.push(snapshot({ a: { x: 1 } }, { settles: [first.pendingId] }));
  assert.deepEqual(store.snapshot("a"), { x: 1, y: 2, z: 3 });
  await until(() => socket.of("call").length === 2, "the others are sent");
  assert.deepEqual(
    socket.of("call").map(({ call }) => call.patches[0].value),
    [2, 3],
  );
  for (const { pendingId } of store.pending()) socket.push({ type: "confirm", pendingId });
  await until(() => kept.get("room") === "[]", "nothing is kept any more");
  connection.close();
});

test("a slow storage: calls from before the reload are not overwritten before they are loaded", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const old = { pendingId: "old", call: set(1) };
  const saved = [];
  let answer;
  const persist = {
    getItem: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
    setItem: (_, text) => saved.push(JSON.parse(text).map(({ pendingId }) => pendingId)),
  };
  const { connection, store } = page({ persist });
  store.load("a", {});
  const { pendingId } = store.applyOptimistic(set(2));
  context.mock.timers.tick(1_000);
  await new Promise(setImmediate);
  assert.deepEqual(saved, []);
  answer(JSON.stringify([old]));
  await new Promise(setImmediate);
  context.mock.timers.tick(1_000);
  await new Promise(setImmediate);
  assert.deepEqual(saved.at(-1), ["old", pendingId]);
  connection.close();
});

test("a storage that cannot be used costs the old calls, and nothing else", async () => {
  const refuse = () => {
    throw new Error("no access");
  };
  const { connection, store, last } = page({ persist: { getItem: refuse, setItem: refuse } });
  last().open();
  await until(() => last().of("resume").length > 0, "it asks");
  last().push(snapshot({ a: {} }));
  store.applyOptimistic(set(1));
  await until(() => last().of("call").length === 1, "the call is sent");
  await wait(150);
  connection.close();
});

test("a server that has gone back: a snapshot below the position of the resume that it answers counts", async () => {
  const { connection, store, last, sockets } = page();
  last().open();
  last().push(snapshot({ a: { x: 1 } }, { revision: 9 }));
  last().push(snapshot({ a: { x: 2 } }, { revision: 4 }));
  assert.deepEqual(store.snapshot("a"), { x: 1 });
  last().close();
  await until(() => sockets.length > 1, "it connects again");
  last().open();
  const [{ request, revision }] = last().of("resume");
  assert.equal(revision, 9);
  last().push(snapshot({ a: { x: 3 } }, { revision: 4, answers: request }));
  assert.deepEqual(store.snapshot("a"), { x: 3 });
  last().push({ type: "patch", instance_name: "a", patch: { x: 4 }, revision: 5 });
  assert.deepEqual(store.snapshot("a"), { x: 4 });
  connection.close();
});

test("an answer to resume that later messages have overtaken takes nothing back", () => {
  const { connection, store, last } = page();
  last().open();
  const { request } = last().of("resume").at(-1);
  last().push(snapshot({ a: { x: 1 } }, { revision: 3 }));
  last().push({ type: "patch", instance_name: "a", patch_id: "p", patch: { x: 2 }, revision: 4 });
  last().push(snapshot({ a: { x: 1 } }, { revision: 3, answers: request }));
  assert.deepEqual(store.snapshot("a"), { x: 2 });
  connection.close();
});

test("a snapshot that is delivered twice counts once: a change after it is not lost", () => {
  const { connection, store, last } = page();
  last().open();
  const { request } = last().of("resume").at(-1);
  const answer = snapshot({ a: { x: 1 } }, { revision: 3, answers: request });
  last().push(answer);
  last().push({ type: "patch", instance_name: "a", patch_id: "p", patch: { x: 2 }, revision: 4 });
  last().push(answer);
  assert.deepEqual(store.snapshot("a"), { x: 2 });
  connection.close();
});

test("a log that goes on under another name", async () => {
  const { connection, last, sockets } = page();
  last().open();
  last().push(snapshot({ a: {} }));
  last().push({ type: "session", session: "t", revision: 2 });
  last().push({ type: "nothing", revision: 3 });
  last().push({ type: "resumed", session: "t", revision: 3 });
  last().close(1006);
  await until(() => sockets.length === 2, "a new socket");
  last().open();
  const { revision, session } = last().of("resume")[0];
  assert.deepEqual({ revision, session }, { revision: 3, session: "t" });
  connection.close();
});

test("a message that is missing is never dropped; absurd numbers end nothing", () => {
  const { connection, store, last } = page();
  last().open();
  last().push(snapshot({ a: { n: 0 } }));
  for (const revision of [1e300, -1, 0.5, 2 ** 53, null, "7"])
    last().push({ type: "patch", instance_name: "a", patch: { odd: String(revision) }, revision });
  last().push({ type: "patch", instance_name: "a", patch: { far: true }, revision: 2 ** 52 });
  const step = (revision) => last().push({ type: "patch", instance_name: "a", patch: { n: revision }, revision });
  for (let revision = 3; revision < 1_500; revision++) step(revision);
  step(2);
  assert.ok(store.get("a", "n") > 900, String(store.get("a", "n")));
  last().push({ type: "resumed", session: "s", revision: store.get("a", "n") });
  const asked = last().of("resume").length;
  last().push({ type: "resumed", session: "s", revision: store.get("a", "n") });
  assert.equal(last().of("resume").length, asked);
  assert.equal(store.get("a", "far"), undefined);
  connection.close();
});

test("a confirmation of a call that the documents contain drops the call", () => {
  const { connection, store, last } = page();
  last().open();
  last().push(snapshot({ a: { n: 1 } }, { revision: 5 }));
  const { pendingId } = store.applyOptimistic({
    instance_name: "a",
    patches: [{ op: "increment", path: "n", value: 1 }],
  });
  last().push({ type: "confirm", pendingId, at: 5 });
  assert.deepEqual(store.snapshot("a"), { n: 1 });
  assert.equal(store.pending().length, 0);
  connection.close();
});

test("proposals of the server: listed, decided, and answered", async () => {
  const { connection, last } = page();
  const told = [];
  assert.deepEqual(connection.proposals(), []);
  assert.equal((await connection.approve("p1")).error.code, "NOT_CONNECTED");
  last().open();
  connection.subscribe(() => told.push(connection.proposals().length));
  last().push(snapshot({ a: {} }));
  last().push({ type: "proposals", proposals: [{ id: "p1", kind: "patch", status: "pending" }, "odd"] });
  assert.deepEqual(
    connection.proposals().map(({ id }) => id),
    ["p1"],
  );
  assert.equal(connection.proposals(), connection.proposals());
  const answers = [connection.approve("p1", { paths: ["x"] }), connection.refuse("p1", "no"), connection.approve("p1")];
  const [approve, refuse] = last().sent.slice(-3);
  assert.deepEqual(approve, { type: "approve", proposal: "p1", request: approve.request, paths: ["x"] });
  assert.deepEqual(refuse, { type: "refuse", proposal: "p1", request: refuse.request, reason: "no" });
  last().push({ type: "answer", request: approve.request, result: { status: "success", revision: 2 } });
  last().push({
    type: "answer",
    request: refuse.request,
    result: { status: "error", error: { code: "PROPOSAL_SETTLED" } },
  });
  assert.equal((await answers[0]).status, "success");
  assert.equal((await answers[1]).error.code, "PROPOSAL_SETTLED");
  last().close(1006);
  assert.equal((await answers[2]).error.code, "NOT_CONNECTED");
  assert.deepEqual(told.slice(0, 1), [1]);
  connection.close();
});

test("messages of the application go to onMessage, not to the store", () => {
  const seen = [];
  const results = [];
  const { connection, last } = page({
    onMessage: (message) => seen.push(message.type),
    onResult: (result) => results.push(result),
  });
  last().open();
  last().push(snapshot({ a: {} }));
  results.length = 0;
  last().push({ type: "presence", people: [] });
  last().push({ type: "greeting", text: "Hi" });
  assert.deepEqual(seen, ["presence", "greeting"]);
  assert.deepEqual(results, []);
  connection.close();
});
