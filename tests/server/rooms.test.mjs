/**
 * Rooms: who may do what over which transport, calls that are made once, proposals over the wire, and what a server
 * takes.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { after, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { connect, PatchStore } from "genui-patch";
import { createRooms, levelStorage, memoryStorage, verifyApproval } from "genui-patch/server";
import WebSocket from "ws";
import { random } from "../support/random.mjs";
import { counter, put, scratch, until } from "./harness.mjs";
import { askMcp, authorize, bearer, callMcp, joinPage, openSocket, startRooms } from "./rooms.mjs";

const server = await startRooms({
  // Rooms that begin with "own-" are for the user whose name follows.
  open: (room, { user }) => (room.startsWith("own-") && room !== `own-${user.id}` && user.id !== "server" ? null : {}),
});
after(() => server.close());

let made = 0;
/** A room of its own with a counter. */
async function newRoom(on = server) {
  made += 1;
  const name = `room-${made}`;
  const room = await on.rooms.room(name);
  assert.equal((await room.write(counter)).status, "success");
  return { name, room };
}

const params = (source) => (source.confirmed ?? source.store.confirmed)("counter").state.params;
const connected = ({ connection, store }) =>
  until(() => connection.status === "open" && store.snapshot("counter"), "a page has its document");

test("a page's call reaches the room, another page, and its own store, with its author", async () => {
  const { name, room } = await newRoom();
  const ann = joinPage(server, name, "ann:editor");
  const bob = joinPage(server, name, "bob:viewer");
  await Promise.all([connected(ann), connected(bob)]);
  ann.store.applyOptimistic(put("city", "Rome"));
  await until(() => bob.store.get("counter", "state.params.city") === "Rome", "another page has it");
  await until(() => ann.store.pending().length === 0, "it is settled");
  assert.equal(params(room).city, "Rome");
  const { message } = bob.results.findLast(({ message }) => message.type === "patch");
  assert.deepEqual(message.by, { id: "ann", name: "ANN" });
  ann.connection.close();
  bob.connection.close();
});

test("nobody, a foreign room, a foreign origin, a token in the address", async () => {
  const { name } = await newRoom();
  const rows = [
    ["/rooms/own-ann", { token: "ann:editor" }, undefined],
    ["/rooms/own-ann", { token: "bob:editor" }, 4404],
    ["/rooms/..", { token: "bob:editor" }, 4404],
    [`/rooms/${name}`, { token: "nobody:editor" }, 4401],
    [`/rooms/${name}`, { token: "bot:agent" }, 4403],
    [`/rooms/${name}`, { token: "ann:editor", headers: { origin: "https://evil.example" } }, 4403],
    [`/rooms/${name}?token=ann:editor`, {}, 4400],
    ["/other", { token: "ann:editor" }, 4404],
  ];
  for (const [path, options, code] of rows) {
    const { socket, closed, send } = await openSocket(server, path, options);
    if (code === 4401) send({ type: "resume" });
    if (code === undefined) socket.close(1000);
    assert.equal(await closed, code ?? 1000, `${path} ${JSON.stringify(options)}`);
  }
  const statuses = [
    ["own-ann", "ann:agent", {}, 200],
    ["own-ann", "bob:agent", {}, 404],
    ["%2e%2e", "bob:agent", {}, 404],
    [name, "nobody:agent", {}, 401],
    [name, "bot:agent", { origin: "https://evil.example" }, 403],
    [name, "bot:agent", { origin: server.http }, 200],
  ];
  for (const [room, token, headers, status] of statuses) {
    const answer = await askMcp(server, room, token, "ping", {}, headers);
    assert.equal(answer.status ?? 200, status, `${room} ${token}`);
  }
  const response = await fetch(`${server.http}/rooms/${name}/mcp?token=bot:agent`, { method: "POST" });
  assert.equal(response.status, 400);
  assert.equal(
    (await fetch(`${server.http}/rooms/${name}/mcp`, { method: "POST" })).headers.get("www-authenticate"),
    "Bearer",
  );
});

test("the first message of a socket may authenticate it", async () => {
  const { name } = await newRoom();
  const own = joinPage({ ws: server.ws }, name, "nobody:editor", { token: async () => "ann:editor" });
  await connected(own);
  own.connection.close();
  const slow = await startRooms({ limits: { deadline: 50 } });
  const { closed } = await openSocket(slow, "/rooms/a");
  assert.equal(await closed, 4401);
  await slow.close();
});

test("an identity that is none is the application's mistake, and is told to it alone", async () => {
  for (const identity of [
    {},
    { user: { id: "" }, role: "editor" },
    { user: { id: "ann" }, role: "admin" },
    { user: { id: 1 }, role: "editor" },
  ]) {
    const on = await startRooms({ authorize: () => identity });
    assert.equal((await askMcp(on, "a", "ann:editor", "ping")).status, 500);
    const { closed } = await openSocket(on, "/rooms/a");
    assert.equal(await closed, 1013);
    assert.match(on.errors[0], /authorize: return null, or/);
    await on.close();
  }
});

test("many calls that wait while a slow room is loaded are all made", async () => {
  const on = await startRooms({
    open: async () => {
      await wait(100);
      return {};
    },
  });
  await (await on.rooms.room("a")).write(counter);
  const page = joinPage(on, "a", "ann:editor");
  await connected(page);
  page.connection.close();
  for (let call = 0; call < 200; call++) page.store.applyOptimistic(put(`k${call}`, call));
  const headers = bearer("ann:editor");
  const again = connect(page.store, () => new WebSocket(`${on.ws}/rooms/a`, { headers }));
  await until(() => page.store.pending().length === 0, "all are made");
  assert.equal(again.status, "open");
  again.close();
  await on.close();
});

test("a viewer changes nothing, over any transport", async () => {
  const { name, room } = await newRoom();
  const page = joinPage(server, name, "vic:viewer");
  await connected(page);
  page.store.applyOptimistic(put("x", 1));
  await until(() => page.store.pending().length === 0, "the call is refused");
  const tools = (await askMcp(server, name, "vic:viewer", "tools/list")).result.tools.map((tool) => tool.name);
  assert.deepEqual(tools.sort(), ["get_schema", "list_instances", "validate_completion"]);
  for (const tool of ["patch_ui_state", "access_instance", "highlight_block"]) {
    const answer = await callMcp(server, name, "vic:viewer", tool, { ...put("x", 1), block_id: "b" });
    assert.equal(answer.status, "error", JSON.stringify(answer));
  }
  assert.equal(
    (await callMcp(server, name, "vic:viewer", "get_schema", { instance_name: "counter" })).status,
    "success",
  );
  assert.deepEqual(params(room), {});
  page.connection.close();
});

test("an agent's call waits, is approved whole, in part and with edits, and is made once", async () => {
  const { name, room } = await newRoom();
  const pages = [joinPage(server, name, "ann:editor"), joinPage(server, name, "ann:editor")];
  await Promise.all(pages.map(connected));
  const [{ connection, store }, other] = pages;
  const ask = async (patches) => {
    const answer = await callMcp(server, name, "bot:agent", "patch_ui_state", { instance_name: "counter", patches });
    assert.equal(answer.status, "pending", JSON.stringify(answer));
    await until(() => connection.proposals().some(({ id }) => id === answer.proposal), "the page has the proposal");
    return connection.proposals().find(({ id }) => id === answer.proposal);
  };
  const set = (key, value) => ({ op: "set", path: `state.params.${key}`, value });

  const whole = await ask([set("a", 1)]);
  assert.deepEqual(whole.by, { id: "bot", name: "BOT" });
  assert.deepEqual(whole.diff, [{ kind: "insert", path: ["state", "params", "a"], value: 1 }]);
  assert.equal(params(room).a, undefined);
  const both = await Promise.all(pages.map((page) => page.connection.approve(whole.id)));
  assert.deepEqual(both.map(({ status }) => status).sort(), ["error", "success"]);
  assert.equal(both.find(({ error }) => error).error.code, "PROPOSAL_SETTLED");
  assert.equal(params(room).a, 1);

  const part = await ask([set("b", 1), set("c", 2)]);
  assert.equal((await connection.approve(part.id, { paths: ["state.params.b"] })).status, "success");
  assert.deepEqual(params(room), { a: 1, b: 1 });

  const edited = await ask([set("d", 1)]);
  assert.equal((await connection.approve(edited.id, { edits: { "state.params.d": "mine" } })).status, "success");
  assert.equal(params(room).d, "mine");

  const no = await ask([set("e", 1)]);
  assert.equal((await connection.refuse(no.id, "not now")).status, "success");

  const stale = await ask([set("a", 5)]);
  await room.write(put("a", 2));
  const late = await connection.approve(stale.id);
  assert.equal(late.error.code, "STALE_PROPOSAL");
  assert.equal(params(room).a, 2);

  const read = await askMcp(server, name, "bot:agent", "resources/read", { uri: "genui://proposals" });
  const told = JSON.parse(read.result.contents[0].text);
  assert.equal(told[whole.id].status, "approved");
  assert.equal(told[part.id].extent, "part");
  assert.equal(told[edited.id].extent, "edited");
  assert.equal(told[no.id].reason, "not now");
  assert.deepEqual(told[no.id].settled.user, { id: "ann", name: "ANN" });
  await until(() => connection.proposals().length === 1, "settled ones are gone from the page");
  for (const page of pages) {
    await until(
      () => JSON.stringify(page.store.confirmed("counter")) === JSON.stringify(room.store.confirmed("counter")),
      "the pages agree",
    );
    page.connection.close();
  }
  assert.ok(other.store !== store);
});

test("proposals survive a restart and a snapshot, with their staleness", async () => {
  const { folder, remove } = scratch();
  let rooms = createRooms({ storage: levelStorage(folder), authorize, onError() {} });
  let room = await rooms.room("a");
  await room.write(counter);
  const kept = await room.propose(put("kept", 1));
  const gone = await room.propose(put("gone", 1));
  await room.approve((await room.propose(put("done", 1))).proposal.id);
  await Promise.all(Array.from({ length: 1_500 }, (_, at) => room.write(put(`k${at % 100}`, at))));
  await room.write(put("gone", 2));
  const document = JSON.stringify(room.store.confirmed("counter"));
  await rooms.close();
  rooms = createRooms({ storage: levelStorage(folder), authorize, onError() {} });
  room = await rooms.room("a");
  assert.equal(JSON.stringify(room.store.confirmed("counter")), document);
  const open = Object.fromEntries(room.proposals().map(({ id, status }) => [id, status]));
  assert.equal(open[kept.proposal.id], "pending");
  assert.equal(open[gone.proposal.id], "stale");
  assert.equal((await room.approve(kept.proposal.id)).status, "success");
  assert.equal((await room.approve(kept.proposal.id)).error.code, "PROPOSAL_SETTLED");
  assert.equal(params(room).kept, 1);
  await rooms.close();
  remove();
});

test("10,000 random messages of an agent approve nothing", async () => {
  const { name, room } = await newRoom();
  const { proposal } = await room.propose(put("approved", true));
  const { below } = random(Number(process.env.SEED ?? 1));
  const pick = (list) => list[below(list.length)];
  const values = [
    proposal.id,
    "approved",
    name,
    "counter",
    true,
    null,
    1,
    {},
    [],
    "approve",
    "$desk",
    { id: proposal.id },
  ];
  const keys = ["type", "proposal", "id", "request", "paths", "edits", "call", "pendingId", "method", "params", "name"];
  const types = ["approve", "refuse", "call", "resume", "authenticate", "presence", "settle", "proposal", "answer"];
  const methods = ["tools/call", "approve", "refuse", "proposals/approve", "resources/write", "notifications/approve"];
  const tools = ["approve", "refuse", "patch_ui_state", "settle_proposal", "updateNode", "access_instance"];
  const message = () => {
    const made = Object.fromEntries(Array.from({ length: 1 + below(5) }, () => [pick(keys), pick(values)]));
    if (below(2) === 0) Object.assign(made, { type: pick(types), proposal: proposal.id });
    return made;
  };
  let sent = 0;
  // On the page's socket, which an agent's credential does not open: each message on a socket that is being refused.
  for (; sent < 500; sent += 25) {
    const { socket, closed, send } = await openSocket(server, `/rooms/${name}`, { token: "bot:agent" });
    for (let at = 0; at < 25; at++) if (socket.readyState === 1) send(message());
    assert.equal(await closed, 4403);
  }
  // As messages of an event stream, and by MCP.
  const own = await startRooms({ storage: memoryStorage(), limits: { perSecond: 1e6 } });
  const inside = await own.rooms.room("a");
  await inside.write(counter);
  const asked = await inside.propose(put("approved", true));
  const text = (value) => JSON.stringify(value).replaceAll(proposal.id, asked.proposal.id);
  const post = (door, body) =>
    own.rooms.fetch(
      new Request(`${own.http}/rooms/a/${door}`, {
        method: "POST",
        body,
        headers: { ...bearer("bot:agent"), "idempotency-key": asked.proposal.id },
      }),
    );
  for (; sent < 10_000; sent += 50) {
    for (let at = 0; at < 2; at++)
      assert.equal((await post(pick(["messages?page=12345678", "messages"]), text(message()))).status, 403);
    const batch = Array.from({ length: 48 }, (_, id) => {
      const args = pick([message(), { ...put("approved", true), ...message() }]);
      return { jsonrpc: "2.0", id, method: pick(methods), params: { name: pick(tools), arguments: args } };
    });
    assert.equal((await post("mcp", text(batch))).status, 200);
    for (const { id, status } of inside.proposals())
      if (id !== asked.proposal.id && status === "pending") await inside.refuse(id);
  }
  assert.deepEqual(params(room), {});
  assert.deepEqual(params(inside), {});
  assert.equal(inside.proposals().find(({ id }) => id === asked.proposal.id).status, "pending");
  assert.equal(room.proposals()[0].status, "pending");
  await own.close();
});

test("a signed approval is for this call, at this revision, by these keys", async () => {
  const keys = ["a key of at least thirty-two characters", "another key of thirty-two characters"];
  const rooms = createRooms({ storage: memoryStorage(), authorize, keys: [keys[0]] });
  const room = await rooms.room("a");
  await room.write(counter);
  const call = put("x", 1);
  const { proposal } = await room.propose(call);
  const { id, revision } = proposal;
  assert.equal(await room.approval(id), undefined);
  await room.approve(id, {}, { id: "ann" });
  const approval = await room.approval(id);
  assert.equal(await verifyApproval(approval, { keys, call, revision }), true);
  // The order of keys in an object is not part of it.
  const turned = { patches: call.patches, instance_name: call.instance_name };
  assert.equal(await verifyApproval(approval, { keys: [...keys].reverse(), call: turned, revision }), true);
  const wrong = [
    [approval, { keys, call: put("x", 2), revision }],
    [approval, { keys, call, revision: revision + 1 }],
    [approval, { keys: [keys[1]], call, revision }],
    [
      { ...approval, user: { id: "eve" } },
      { keys, call, revision },
    ],
    [
      { ...approval, edits: { edits: {} } },
      { keys, call, revision },
    ],
    [
      { ...approval, signature: approval.signature.replace(/./g, "0") },
      { keys, call, revision },
    ],
    [
      { ...approval, time: "2000-01-01T00:00:00.000Z" },
      { keys, call, revision, maxAge: 1_000 },
    ],
    [null, { keys, call, revision }],
  ];
  for (const [other, about] of wrong) assert.equal(await verifyApproval(other, about), false, JSON.stringify(other));
  const refused = (await room.propose(put("y", 1))).proposal;
  await room.refuse(refused.id);
  assert.equal(
    await verifyApproval(await room.approval(refused.id), { keys, call: put("y", 1), revision: refused.revision }),
    false,
  );
  await assert.rejects(verifyApproval(approval, { keys: ["short"], call, revision }), { code: "INVALID_ARGUMENT" });
  assert.throws(() => createRooms({ storage: memoryStorage(), authorize, keys: ["short"] }), {
    code: "INVALID_ARGUMENT",
  });
  await rooms.close();
});

const message = (pendingId, call) => ({ type: "call", pendingId, call });
const add = (key) => ({
  instance_name: "counter",
  patches: [{ op: "increment", path: `state.params.${key}`, value: 1 }],
});

test("a call is made once, however often and however late it is sent; a client belongs to its user", async () => {
  const { name, room } = await newRoom();
  const ann = await openSocket(server, `/rooms/${name}`, { token: "ann:editor" });
  const sent = (pendingId, call) => ann.send(message(pendingId, call));
  const told = (page, type, pendingId) =>
    until(() => page.messages.some((one) => one.type === type && one.pendingId === pendingId), `${type} ${pendingId}`);
  sent("c-1", add("a"));
  sent("c-1", add("a"));
  await told(ann, "confirm", "c-1");
  await Promise.all(Array.from({ length: 21_000 }, (_, at) => room.write(put(`k${at % 50}`, at))));
  sent("c-1", add("a"));
  sent("c-3", add("a"));
  sent("c-2", add("a"));
  await told(ann, "reject", "c-2");
  assert.match(
    ann.messages.find(({ pendingId, type }) => pendingId === "c-2" && type === "reject").reason,
    /^OUT_OF_ORDER/,
  );
  assert.equal(params(room).a, 2);
  const eve = await openSocket(server, `/rooms/${name}`, { token: "eve:editor" });
  eve.send(message("c-4", add("a")));
  await told(eve, "reject", "c-4");
  assert.equal(params(room).a, 2);
  const once = { "idempotency-key": "k1" };
  for (let time = 0; time < 3; time++)
    assert.equal((await callMcp(server, name, "ann:editor", "patch_ui_state", add("b"), once)).status, "success");
  assert.equal((await callMcp(server, name, "bob:editor", "patch_ui_state", add("b"), once)).status, "success");
  assert.equal(params(room).b, 2);
  for (const { socket } of [ann, eve]) socket.close();
});

test("an approval that is refused is no decision: the proposal can be refused by the next call", async (context) => {
  const on = await startRooms();
  context.after(() => on.close());
  const room = await on.rooms.room("a");
  await room.write(counter);
  await room.write(put("city", "Rome"));
  const { id } = (await room.propose(put("city", "Bern"), { id: "bot" })).proposal;
  await room.write(put("city", "Oslo"));
  // Both calls are in one batch.
  const [approval, refusal] = await Promise.all([room.approve(id), room.refuse(id)]);
  assert.equal(approval.error.code, "STALE_PROPOSAL");
  assert.equal(refusal.status, "success");
});

test("an empty key is a key, and the keys of two users are never the same", async (context) => {
  const authorize = (request) => ({ user: { id: request.headers.get("x-user") }, role: "editor" });
  const on = await startRooms({ authorize });
  context.after(() => on.close());
  const room = await on.rooms.room("a");
  for (const [call, key] of [
    [counter, undefined],
    [put("a", 1), ""],
    [put("b", 1), undefined],
    [put("a", 2), ""],
  ])
    assert.equal((await room.write(call, { key })).status, "success");
  assert.deepEqual([params(room).a, params(room).b], [1, 1]);
  for (const [user, key, name] of [
    ["ann", "b c", "c"],
    ["ann b", "c", "d"],
  ])
    await callMcp(on, "a", "", "patch_ui_state", put(name, 1), { "x-user": user, "idempotency-key": key });
  assert.deepEqual([params(room).c, params(room).d], [1, 1]);
});

test("a restored backup: pages come to what the server has", async () => {
  const { folder, remove } = scratch();
  const backup = scratch();
  const { cpSync, rmSync } = await import("node:fs");
  let on = await startRooms({ storage: levelStorage(folder) });
  const room = await on.rooms.room("a");
  await room.write(counter);
  for (let call = 0; call < 5; call++) await room.write(put(`before${call}`, 1));
  await on.close();
  cpSync(folder, backup.folder, { recursive: true });
  on = await startRooms({ storage: levelStorage(folder) });
  const page = joinPage({ ws: () => on.ws }, "a", "ann:editor");
  await connected(page);
  const again = await on.rooms.room("a");
  for (let call = 0; call < 5; call++) await again.write(put(`lost${call}`, 1));
  await until(() => params(page.store).lost4 === 1, "the page has all");
  for (const isWrittenOn of [false, true]) {
    await on.close();
    rmSync(folder, { recursive: true });
    cpSync(backup.folder, folder, { recursive: true });
    on = await startRooms({ storage: levelStorage(folder) });
    const restored = await on.rooms.room("a");
    // With more new entries than were lost, the numbers alone do not show the loss.
    if (isWrittenOn) for (let call = 0; call < 10; call++) await restored.write(put(`new${call}`, 1));
    await until(() => page.connection.status === "open", "the page is back");
    await until(
      () => JSON.stringify(page.store.confirmed("counter")) === JSON.stringify(restored.store.confirmed("counter")),
      "the page has what the server has",
    );
    assert.equal(params(page.store).lost0, undefined);
  }
  page.connection.close();
  await on.close();
  remove();
  backup.remove();
});

test("an event stream with messages beside it, as EventSource and fetch", async () => {
  const { name, room } = await newRoom();
  const store = new PatchStore();
  const headers = bearer("ann:editor");
  const id = "page-12345";
  /** A stream as an EventSource. */
  const socket = {
    readyState: 0,
    listeners: {},
    addEventListener: (type, listener) => (socket.listeners[type] = listener),
  };
  const gone = new AbortController();
  socket.close = () => gone.abort();
  const response = await fetch(`${server.http}/rooms/${name}/events?page=${id}`, { headers, signal: gone.signal });
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const reading = (async () => {
    let text = "";
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      text += part;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        if (text.startsWith("data: ")) socket.listeners.message({ data: text.slice(6, end) });
        text = text.slice(end + 2);
      }
    }
  })().catch(() => {});
  const send = async (body) => {
    const sent = await fetch(`${server.http}/rooms/${name}/messages?page=${id}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    assert.equal(sent.status, 202);
  };
  const connection = connect(store, socket, { send });
  socket.readyState = 1;
  socket.listeners.open();
  await until(() => store.snapshot("counter"), "the documents have come");
  store.applyOptimistic(put("x", 1));
  await until(() => store.pending().length === 0 && params(room).x === 1, "the call is made");
  connection.close();
  await reading;
  const agent = await fetch(`${server.http}/rooms/${name}/events?page=${id}`, { headers: bearer("bot:agent") });
  assert.equal(agent.status, 403);
});

test("presence: who is in the room, and what they say of themselves", async () => {
  const { name } = await newRoom();
  const ann = await openSocket(server, `/rooms/${name}`, { token: "ann:editor" });
  const bob = await openSocket(server, `/rooms/${name}`, { token: "bob:viewer" });
  ann.send({ type: "presence", state: { edits: "state.params.city" } });
  const seen = () => bob.messages.findLast(({ type }) => type === "presence")?.people ?? [];
  await until(
    () => seen().some(({ user, state }) => user.id === "ann" && state?.edits === "state.params.city"),
    "bob sees it",
  );
  assert.equal(seen().length, 2);
  ann.socket.close();
  await until(() => seen().length === 1, "bob sees that ann has left");
  bob.send({ type: "presence", state: "x".repeat(5_000) });
  assert.equal(await bob.closed, 4400);
});

test("a message that is none, one that is too long, and a page that sends too many", async () => {
  const small = await startRooms({ limits: { maxMessage: 2_000, maxWaiting: 50, perSecond: 10 } });
  await (await small.rooms.room("a")).write(counter);
  const rows = [
    [["no JSON"], 4400],
    [["[]"], 4400],
    [['{"type":"approve everything"}'], 4400],
    [[JSON.stringify({ type: "call", pendingId: "x".repeat(300), call: {} })], 4400],
    [["x".repeat(3_000)], 4400],
    [Array.from({ length: 100 }, (_, at) => JSON.stringify(message(`c-${at + 1}`, add("a")))), 1013],
  ];
  for (const [texts, code] of rows) {
    const { socket, closed } = await openSocket(small, "/rooms/a", { token: "ann:editor" });
    for (const text of texts) socket.send(text);
    assert.equal(await closed, code, texts[0].slice(0, 60));
  }
  const response = await fetch(`${small.http}/rooms/a/mcp`, {
    method: "POST",
    headers: bearer("bob:agent"),
    body: "x".repeat(3_000),
  });
  assert.equal(response.status, 413);
  // All at once: one by one, a slow machine would send fewer in a second than there may be.
  const asked = Array.from({ length: 60 }, () => askMcp(small, "a", "eve:agent", "ping"));
  const statuses = (await Promise.all(asked)).map(({ status = 200 }) => status);
  assert.ok(statuses.includes(429) && statuses.includes(200), String(statuses));
  await small.close();
});

test("documents of all rooms have one budget, which is told before it is exceeded", async () => {
  const on = await startRooms({ limits: { maxBytes: 200_000 } });
  const [first, second] = [await on.rooms.room("a"), await on.rooms.room("b")];
  await first.write(counter);
  await second.write(counter);
  const results = [];
  for (let call = 0; call < 30; call++)
    results.push(await (call % 2 ? first : second).write(put(`k${call}`, "x".repeat(20_000))));
  assert.equal(results[0].status, "success");
  assert.equal(results.at(-1).error.code, "LIMIT_EXCEEDED");
  assert.match(results.at(-1).error.message, /200000/);
  // Existing documents can still be read and deleted.
  assert.equal((await callMcp(on, "a", "ann:editor", "get_schema", { instance_name: "counter" })).status, "success");
  await on.close();
});

test("400 resumes of one page, and a body that never ends", async () => {
  const on = await startRooms({ limits: { deadline: 200 } });
  const room = await on.rooms.room("a");
  await room.write(counter);
  await room.write(put("text", "x".repeat(2_000_000)));
  const page = await openSocket(on, "/rooms/a", { token: "ann:editor" });
  for (let sent = 0; sent < 400; sent++) page.send({ type: "resume", revision: null, session: null, request: sent });
  await until(() => page.messages.some(({ answers }) => answers === 399), "the last one is answered");
  const answers = page.messages.filter(({ type }) => type === "snapshot").length;
  assert.ok(answers < 20, `${answers} answers`);
  const slow = httpRequest(`${on.http}/rooms/a/mcp`, {
    method: "POST",
    headers: { ...bearer("bot:agent"), "content-length": 100 },
  });
  slow.on("error", () => {});
  slow.write("{");
  const [response] = await once(slow, "response");
  assert.equal(response.statusCode, 503);
  slow.destroy();
  await on.close();
});

test("2,000 sockets that say nothing shut nobody out", async () => {
  const on = await startRooms({ limits: { deadline: 2_000 } });
  await (await on.rooms.room("a")).write(counter);
  const silent = [];
  for (let count = 0; count < 40; count++) {
    const some = await Promise.all(Array.from({ length: 50 }, () => openSocket(on, "/rooms/a")));
    silent.push(...some);
  }
  const page = joinPage(on, "a", "ann:editor");
  await connected(page);
  page.store.applyOptimistic(put("x", 1));
  await until(() => page.store.pending().length === 0, "a call is made");
  page.connection.close();
  assert.equal(await silent[0].closed, 4401);
  await on.close();
});

test("a room without pages is unloaded, and loaded when somebody enters", async () => {
  const storage = memoryStorage();
  const on = await startRooms({ storage, limits: { idle: 50 } });
  const room = await on.rooms.room("a");
  await room.write(counter);
  await room.write(put("x", 1));
  assert.match(on.rooms.metrics(), /genui_patch_rooms 1\n/);
  await until(() => on.rooms.metrics().includes("genui_patch_rooms 0\n"), "the room is unloaded");
  await assert.rejects(room.write(put("x", 2)), { code: "ROOM_CLOSED" });
  assert.equal(
    (await callMcp(on, "a", "bot:agent", "get_schema", { instance_name: "counter" })).schema.state.params.x,
    1,
  );
  assert.deepEqual(await (await fetch(`${on.http}/health`)).json(), { ok: true, failing: {} });
  await on.close();
});

test("first documents, options of the store, and a policy that lets an agent's call run", async () => {
  const on = await startRooms({
    open: () => ({
      documents: {
        counter: {
          page_key: "counter",
          state: { params: { first: 1 }, runtime: {} },
          layout: { type: "single" },
          blocks: [],
          actions: [],
        },
      },
      store: { limits: { maxDepth: 40 } },
      agent: { approve: ({ args }) => JSON.stringify(args).includes("danger") },
    }),
  });
  assert.equal((await callMcp(on, "a", "bot:agent", "patch_ui_state", put("x", 1))).status, "success");
  assert.equal((await callMcp(on, "a", "bot:agent", "patch_ui_state", put("danger", 1))).status, "pending");
  assert.equal((await callMcp(on, "a", "bot:agent", "patch_ui_state", put("x.y.z", 1))).status, "error");
  assert.deepEqual(params(await on.rooms.room("a")), { first: 1, x: 1 });
  await on.close();
});

test("MCP: what a client begins with, an unknown method, a batch, a notification", async () => {
  const { name } = await newRoom();
  const begin = await askMcp(server, name, "bot:agent", "initialize", { protocolVersion: "2025-06-18" });
  assert.equal(begin.result.protocolVersion, "2025-06-18");
  assert.equal((await askMcp(server, name, "bot:agent", "no/such")).error.code, -32601);
  assert.equal(
    (await askMcp(server, name, "bot:agent", "resources/read", { uri: "genui://instances/none" })).error.code,
    -32602,
  );
  const { resources } = (await askMcp(server, name, "bot:agent", "resources/list")).result;
  assert.deepEqual(
    resources.map(({ uri }) => uri),
    ["genui://instances/counter", "genui://proposals"],
  );
  const post = (body) =>
    fetch(`${server.http}/rooms/${name}/mcp`, { method: "POST", headers: bearer("bot:agent"), body });
  assert.equal((await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')).status, 202);
  const batch = [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "ping" }));
  assert.deepEqual(
    (await (await post(JSON.stringify(batch))).json()).map(({ id }) => id),
    [1, 2],
  );
  assert.equal((await post("{")).status, 400);
  const tools = (await askMcp(server, name, "bot:agent", "tools/list")).result.tools.map((tool) => tool.name);
  assert.ok(tools.includes("patch_ui_state") && tools.includes("highlight_block"));
  await wait(0);
});

test("a page that joins can undo what was done before it, and a viewer gets no history", async () => {
  const { name, room } = await newRoom();
  const ann = joinPage(server, name, "ann:editor");
  await connected(ann);
  ann.store.applyOptimistic(put("city", "Rome"));
  await until(() => ann.store.pending().length === 0, "it is settled");
  ann.store.applyOptimistic(put("day", "Friday"));
  await until(() => ann.store.pending().length === 0, "it is settled");
  const { proposal } = await callMcp(server, name, "bot:agent", "patch_ui_state", put("city", "Oslo"));
  assert.equal((await room.approve(proposal)).status, "success");
  await until(() => ann.store.get("counter", "state.params.city") === "Oslo", "the agent's change arrives");
  ann.connection.close();

  const again = joinPage(server, name, "ann:editor");
  await connected(again);
  const known = again.store.history("counter").map(({ author, changes }) => [author.kind, author.id, changes.length]);
  assert.deepEqual(known.slice(-3), [
    ["user", "ann", 1],
    ["user", "ann", 1],
    ["agent", "bot", 1],
  ]);
  const undone = again.store.undo("counter", { author: "agent" });
  assert.equal(undone.status, "success");
  await until(() => again.store.pending().length === 0, "the undo is settled");
  assert.deepEqual([params(room).city, params(room).day], ["Rome", "Friday"]);
  assert.equal(again.store.undo("counter", { author: { kind: "user", id: "ann" } }).status, "success");
  await until(() => again.store.pending().length === 0, "the undo is settled");
  assert.deepEqual([params(room).city, params(room).day], ["Rome", undefined]);
  again.connection.close();

  const bob = joinPage(server, name, "bob:viewer");
  await connected(bob);
  assert.deepEqual(bob.store.history("counter"), []);
  bob.connection.close();
});
