// A store and a server over a connection that drops, repeats and reorders messages and closes, and a server that restarts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, GenuiPatchError, PatchStore } from "genui-patch";
import { random } from "../support/random.mjs";

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function until(condition, what) {
  for (const end = Date.now() + 60_000; Date.now() < end; await wait(2)) if (condition()) return;
  assert.fail(what());
}

/** One end of a connection, with the interface of a WebSocket. */
class Socket {
  readyState = 0;
  #listeners = [];

  constructor(wire, toServer) {
    this.wire = wire;
    this.toServer = toServer;
  }

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
    assert.equal(this.readyState, 1);
    this.wire.carry(() => this.readyState === 1 && this.toServer(JSON.parse(text), this));
  }

  push(message) {
    const data = JSON.stringify(message);
    this.wire.carry(() => this.readyState === 1 && this.tell("message", { data }));
  }

  close() {
    if (this.readyState > 1) return;
    this.readyState = 3;
    this.tell("close");
  }
}

/** Delivers messages, some of them never, twice, or late. */
class Wire {
  bad = true;

  constructor({ chance, below }) {
    Object.assign(this, { chance, below });
  }

  carry(deliver) {
    if (this.bad && this.chance(0.1)) return;
    for (let times = this.bad && this.chance(0.1) ? 2 : 1; times > 0; times--)
      setTimeout(deliver, this.bad && this.chance(0.2) ? this.below(12) : 0);
  }
}

/** A server: the documents, the log of their changes, and the ids of the calls that it has executed. */
class Server {
  store = new PatchStore({ rules: "open" });
  sockets = new Set();
  session = "s1";
  first = 0;
  log = [];
  taken = new Map();
  made = [];

  constructor(documents) {
    for (const [name, document] of Object.entries(documents)) this.store.load(name, document);
  }

  get revision() {
    return this.first + this.log.length;
  }

  connect(wire) {
    const socket = new Socket(wire, (message, from) => this.take(message, from));
    setTimeout(() => {
      if (socket.readyState > 0) return;
      this.sockets.add(socket);
      socket.open();
    }, 0);
    return socket;
  }

  take(message, from) {
    if (message.type === "resume") return this.resume(message, from);
    const { pendingId, call } = message;
    const known = this.taken.get(pendingId);
    if (known) return from.push(known.session === this.session ? known.answer : { type: "confirm", pendingId });
    const result = this.store.apply(call);
    this.made.push(pendingId);
    if (result.status === "error") {
      const answer = { type: "reject", pendingId, reason: result.error.code };
      this.taken.set(pendingId, { answer, session: this.session });
      return from.push(answer);
    }
    this.push({
      ...call,
      patch_id: pendingId,
      ...(call.instance_name.startsWith("__") ? {} : { type: "patch", patch: call.patches }),
    });
    this.taken.set(pendingId, { answer: this.log.at(-1), session: this.session });
  }

  push(message) {
    this.log.push({
      ...message,
      patches: undefined,
      ...(message.patch ? {} : { patches: message.patches }),
      revision: this.revision + 1,
    });
    for (const socket of this.sockets) socket.push(this.log.at(-1));
  }

  /** Every other snapshot is sent in parts. */
  resume({ revision, session, request, parts }, from) {
    if (session === this.session && revision !== null && revision >= this.first) {
      for (const message of this.log.slice(revision - this.first)) from.push(message);
      return from.push({ type: "resumed", session, revision: this.revision });
    }
    const instances = Object.fromEntries(this.store.names().map((name) => [name, this.store.snapshot(name)]));
    const { revision: own } = this;
    const snapshot = { type: "snapshot", session: this.session, revision: own, settles: [...this.taken.keys()] };
    if (!parts || request % 2 === 0) return from.push({ ...snapshot, instances });
    const names = Object.keys(instances);
    for (const [part, name] of names.entries())
      from.push({ type: "snapshot-part", request, part, revision: own, instances: { [name]: instances[name] } });
    from.push({ ...snapshot, instances: {}, parts: names.length, answers: request });
  }

  /** Lets a page notice that it has missed the last message. */
  beat() {
    const { session, revision } = this;
    for (const socket of this.sockets) socket.push({ type: "resumed", session, revision });
  }

  drop() {
    for (const socket of this.sockets) socket.close();
    this.sockets.clear();
  }

  /** The restarted server has its documents and the ids of calls, but an empty log. */
  restart() {
    this.drop();
    this.session = `s${Number(this.session.slice(1)) + 1}`;
    this.first = 0;
    this.log = [];
  }
}

const documents = () => ({
  page: { state: { params: { n: 0, s: "", list: [] } } },
  other: { state: { params: { n: 0 } } },
});
const call = (patches, instance_name = "page") => ({ instance_name, patches });
const increment = call([{ op: "increment", path: "state.params.n" }]);
const fast = { timeout: 30, backoff: 2 };

function client(server, wire, options = {}) {
  const store = new PatchStore({ rules: "open" });
  const connection = connect(store, () => server.connect(wire), { ...fast, ...options });
  return { store, connection };
}

const calm = () => Object.assign(new Wire(random(1)), { bad: false });

test("a pending call is sent once, marked, and settled by the push with its id", async () => {
  const server = new Server(documents());
  const results = [];
  const { store, connection } = client(server, calm(), { onResult: (result) => results.push(result) });
  assert.equal(connection.status, "connecting");
  await until(
    () => store.names().length === 2,
    () => "no documents",
  );
  assert.equal(connection.status, "open");
  const { pendingId } = store.applyOptimistic(increment);
  assert.equal(store.pending()[0].sent, false);
  await until(
    () => store.pending().length === 0,
    () => "not settled",
  );
  assert.deepEqual(server.made, [pendingId]);
  assert.equal(store.get("page", "state.params.n"), 1);
  assert.ok(results.every(({ status }) => status === "success"));
  store.applyOptimistic(call([{ op: "increment", path: "state.params.s" }]));
  connection.close();
  assert.equal(connection.status, "closed");
  store.dispose();
});

test("typing is one call, with a pause", async () => {
  const server = new Server(documents());
  // Longer than a busy machine takes for the three edits.
  const { store, connection } = client(server, calm(), { pause: 2000 });
  await until(
    () => store.names().length === 2,
    () => "no documents",
  );
  for (const text of ["a", "ab", "abc"]) {
    store.setString("page", "state.params.s", text, { optimistic: true });
    await wait(2);
  }
  await until(
    () => store.pending().length === 0,
    () => "not settled",
  );
  assert.equal(server.made.length, 1);
  assert.equal(server.store.get("page", "state.params.s"), "abc");
  connection.close();
});

test("a call that the server refuses is undone, with the reason", async () => {
  const server = new Server(documents());
  const { store, connection } = client(server, calm());
  await until(
    () => store.names().length === 2,
    () => "no documents",
  );
  server.store.apply(call([{ op: "set", path: "state.params.n", value: "text" }]));
  const reasons = [];
  store.subscribe(({ reason }) => reason && reasons.push(reason));
  store.applyOptimistic(increment);
  await until(
    () => store.pending().length === 0,
    () => "not settled",
  );
  assert.deepEqual(reasons, ["INVALID_STRUCTURE"]);
  assert.equal(store.get("page", "state.params.n"), 0);
  connection.close();
});

test("a snapshot that contains a call settles it, and keeps the calls after it", async () => {
  const store = new PatchStore({ rules: "open" });
  store.load("page", documents().page);
  const add = store.applyOptimistic(
    call([{ op: "append_to_list", path: "state.params.list", value: { id: "a", n: 1 } }]),
  );
  store.applyOptimistic(call([{ op: "increment", path: 'state.params.list["a"].n' }]));
  const holds = { state: { params: { n: 7, s: "", list: [{ id: "a", n: 1 }] } } };
  const result = store.load("page", holds, { settles: [add.pendingId, "unknown"] });
  assert.deepEqual(result.conflicts, []);
  assert.equal(store.pending().length, 1);
  assert.deepEqual(store.get("page", "state.params.list"), [{ id: "a", n: 2 }]);
  assert.equal(store.get("page", "state.params.n"), 7);
  assert.deepEqual(store.confirmed("page"), holds);
  // A later server message with the id of the settled call is ignored.
  assert.equal(
    store.receive({ type: "patch", instance_name: "page", patch_id: add.pendingId, patch: { "state.params.n": 0 } })
      .ignored,
    true,
  );
  for (const settles of ["a", [1], {}]) assert.throws(() => store.load("page", holds, { settles }), GenuiPatchError);
});

test("an EventSource with fetch", async () => {
  const server = new Server(documents());
  const store = new PatchStore({ rules: "open" });
  const wire = calm();
  const socket = server.connect(wire);
  const source = {
    addEventListener: (...all) => socket.addEventListener(...all),
    close: () => socket.close(),
    get readyState() {
      return socket.readyState;
    },
  };
  assert.throws(() => connect(store, source), GenuiPatchError);
  let failures = 2;
  const send = async (message) => {
    if (message.type === "call" && failures-- > 0) throw new TypeError("no network");
    server.take(message, socket);
  };
  const connection = connect(store, source, { ...fast, send });
  await until(
    () => store.names().length === 2,
    () => "no documents",
  );
  store.applyOptimistic(increment);
  await until(
    () => store.pending().length === 0,
    () => "not settled",
  );
  assert.equal(server.made.length, 1);
  // A socket object, unlike a function that creates sockets, is not replaced.
  server.drop();
  assert.equal(connection.status, "closed");
});

test("an EventSource that has closed permanently, which only its error event reports", async () => {
  class Source extends EventTarget {
    readyState = 0;
    close() {
      this.readyState = 2;
    }
    fail(readyState) {
      this.readyState = readyState;
      this.dispatchEvent(new Event("error"));
    }
  }
  const made = [];
  const make = () => {
    made.push(new Source());
    return made.at(-1);
  };
  const options = { ...fast, send: () => {} };
  const connection = connect(new PatchStore(), make, options);
  made[0].fail(0);
  await wait(20);
  assert.deepEqual([connection.status, made.length], ["connecting", 1], "it connects again by itself");
  made[0].fail(2);
  await until(
    () => made.length === 2,
    () => "no other one was made",
  );
  connection.close();
  const source = new Source();
  const alone = connect(new PatchStore(), source, options);
  source.fail(2);
  assert.equal(alone.status, "closed");
});

test("misuse throws, server messages do not", async () => {
  const store = new PatchStore({ rules: "open" });
  for (const socket of [undefined, {}, 1, () => null]) assert.throws(() => connect(store, socket));
  const socket = new Socket(calm(), () => {});
  for (const options of [{ pause: -1 }, { timeout: "1" }, { retry: 1 }, { send: 1 }])
    assert.throws(() => connect(store, socket, options), GenuiPatchError);
  const connection = connect(store, socket);
  socket.open();
  // Traversing both branches at each level would never end.
  const cyclic = {};
  Object.assign(cyclic, { one: cyclic, other: cyclic });
  for (const data of [
    "",
    "{",
    "null",
    "[]",
    "1",
    '{"type":"nothing"}',
    '{"type":"snapshot"}',
    '{"type":"snapshot","instances":{"a":1}}',
    '{"type":"snapshot","instances":null}',
    '{"type":"snapshot","settles":{"a":1}}',
    '{"type":"snapshot","instances":{"a":{"n":1e999}}}',
    '{"type":"patch","instance_name":"a","patch":{"n":1e999}}',
    '{"type":"patch","revision":1e9}',
    '{"type":"confirm"}',
    new ArrayBuffer(2),
    // Message ports deliver values that JSON cannot represent.
    { type: "patch", instance_name: "a", patch: cyclic },
    { type: "snapshot", instances: { a: cyclic } },
    { type: "snapshot", instances: { a: { n: Number.NaN } } },
  ])
    socket.tell("message", { data });
  assert.equal(connection.status, "open");
  const states = [];
  const stop = connection.subscribe(() => states.push(connection.status));
  socket.close();
  stop();
  connection.close();
  assert.deepEqual(states, ["connecting", "closed"]);
});

const RUNS = Number(process.env.CONNECTIONS ?? 20);

test(`${RUNS} wires that drop, repeat and reorder, with breaks and restarts: all come to what the server has`, async () => {
  const run = async (seed) => {
    const chosen = random(seed);
    const { below, chance, pick } = chosen;
    const server = new Server(documents());
    const wire = new Wire(chosen);
    const clients = [client(server, wire), client(server, wire)];
    let wanted = 0;
    for (let step = 0; step < 25; step++) {
      const { store } = pick(clients);
      if (store.names().length > 0) {
        const kind = below(5);
        if (kind < 3) {
          if (store.applyOptimistic(increment).status === "success") wanted += 1;
        } else if (kind === 3) store.setString("page", "state.params.s", `s${seed}-${step}`, { optimistic: true });
        else store.applyOptimistic(call([{ op: "append_to_list", path: "state.params.list", value: step }]));
      }
      if (chance(0.2)) {
        const other = call([{ op: "increment", path: "state.params.n" }], "other");
        server.store.apply(other);
        server.push({ type: "patch", instance_name: "other", patch_id: `x${step}`, patch: other.patches });
      }
      if (chance(0.08)) server.drop();
      if (chance(0.04)) server.restart();
      await wait(below(4));
    }
    wire.bad = false;
    await wait(20);
    server.beat();
    const same = ({ store }) =>
      store.pending().length === 0 &&
      server.store
        .names()
        .every((name) => JSON.stringify(store.snapshot(name)) === JSON.stringify(server.store.snapshot(name)));
    await until(
      () => clients.every(same),
      () =>
        JSON.stringify([
          seed,
          clients.map(({ store }) => [store.pending(), store.snapshot("page"), store.snapshot("other")]),
          server.store.snapshot("page"),
          server.store.snapshot("other"),
        ]),
    );
    // No call was executed twice, and none was lost.
    assert.equal(new Set(server.made).size, server.made.length);
    assert.equal(server.store.get("page", "state.params.n"), wanted);
    for (const { connection } of clients) connection.close();
  };
  for (let seed = 1; seed <= RUNS; seed += 10)
    await Promise.all(Array.from({ length: Math.min(10, RUNS - seed + 1) }, (_, at) => run(seed + at)));
});

test("a confirmation waits for all earlier entries of the log, however many", async () => {
  const store = new PatchStore({ rules: "open" });
  const socket = new Socket({ carry: (deliver) => deliver() }, (message) => answer(message));
  const say = (message) => socket.tell("message", { data: JSON.stringify(message) });
  const log = [{ a: 0 }];
  const set = (revision, value, patch_id) =>
    say({ type: "patch", instance_name: "page", patch: [{ op: "set", path: "a", value }], patch_id, revision });
  const answer = ({ type, revision, pendingId }) => {
    if (type === "call") return say({ type: "confirm", pendingId });
    if (revision === null) return say({ type: "snapshot", revision: 0, session: "s", instances: { page: log[0] } });
    // The other page's changes precede this page's change, which is the last of a long log.
    for (let next = revision + 1; next <= MISSED; next++) {
      if (next === MISSED) set(next, "ours", own);
      else set(next, next, `other${next}`);
    }
    return say({ type: "resumed", revision: MISSED, session: "s" });
  };
  const MISSED = 2_500;
  let own;
  const connection = connect(store, socket, { timeout: 200 });
  try {
    socket.open();
    own = store.applyOptimistic({
      instance_name: "page",
      patches: [{ op: "set", path: "a", value: "ours" }],
    }).pendingId;
    socket.open();
    await until(
      () => store.pending().length === 0 && store.confirmed("page").a === "ours",
      () => `the page has ${JSON.stringify(store.confirmed("page"))}`,
    );
    await wait(300);
    assert.deepEqual(store.confirmed("page"), { a: "ours" });
  } finally {
    connection.close();
  }
});
