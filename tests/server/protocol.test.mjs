/**
 * The protocol of rooms, served by the package on Node and by the crate behind axum (`examples/axum`): the same pages, calls and
 * answers on both.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, afterEach, before, describe, test } from "node:test";
import { connect, PatchStore } from "genui-patch";
import { createRooms, levelStorage, memoryStorage } from "genui-patch/server";
import WebSocket from "ws";
import { axum } from "../../scripts/lib/axum.mjs";
import { counter, put, scratch, until } from "./harness.mjs";
import * as rooms from "./rooms.mjs";

/** The users of both servers. A token has at least 16 characters. */
const USERS = [
  { token: "ann-sixteen-letters", id: "ann", name: "Ann", role: "editor" },
  { token: "bob-sixteen-letters", id: "bob", role: "editor", rooms: ["one", "two"] },
  { token: "vic-sixteen-letters", id: "vic", role: "viewer" },
  { token: "bot-sixteen-letters", id: "bot", role: "agent" },
];
const [ann, bob, vic, bot] = USERS.map(({ token }) => token);
const NOBODY = "nobody-sixteen-letters";

/** The package on Node, with a log in a folder. */
async function startNode(folder) {
  const userOf = (text) => USERS.find(({ token }) => text === `Bearer ${token}`);
  const server = await rooms.startRooms({
    storage: levelStorage(join(folder, "level")),
    authorize(request) {
      const user = userOf(request.headers.get("authorization"));
      return user === undefined ? null : { user, role: user.role };
    },
    open: (room, { user }) => (USERS.find(({ id }) => id === user.id)?.rooms?.includes(room) === false ? null : {}),
  });
  return { ...server, end: () => server.close() };
}

let program;

/** The crate behind axum, with its logs in a folder. `end` kills it. */
async function startAxum(folder, env = {}) {
  const tokens = join(folder, "tokens.json");
  writeFileSync(tokens, JSON.stringify(USERS));
  const child = spawn(program, {
    env: { ...process.env, PORT: "0", DATA_DIR: join(folder, "axum"), TOKENS: tokens, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const first = new Promise((resolve) => createInterface(child.stdout).once("line", resolve));
  const http = await Promise.race([first, ended]);
  if (typeof http !== "string") return { code: http, errors };
  const end = (signal = "SIGKILL") => {
    child.kill(signal);
    return ended;
  };
  return { http, ws: http.replace("http", "ws"), end, errors: () => errors };
}

before(async () => {
  program = await axum();
});

let made = 0;
const newRoom = () => {
  made += 1;
  return `room-${made}`;
};

/** Pages and sockets of a test. A page that stays would try to reconnect for ever. */
const opened = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

function joinPage(...args) {
  const page = rooms.joinPage(...args);
  opened.push(page.connection);
  return page;
}

async function openSocket(...args) {
  const socket = await rooms.openSocket(...args);
  opened.push(socket.socket);
  return socket;
}

const value = ({ store }, key) => store.get("counter", `state.params.${key}`);
const settled = ({ store }) => until(() => store.pending().length === 0, "all calls are answered");

/** A page whose room has a counter. */
async function joinWithCounter(server, room, token = ann, options = {}) {
  const page = joinPage(server, room, token, options);
  page.store.applyOptimistic(counter);
  await settled(page);
  return page;
}

async function join2(server, room, token) {
  const page = joinPage(server, room, token);
  await until(() => page.store.snapshot("counter") !== undefined, "the page has the document");
  return page;
}

/** A message without what differs from run to run. */
const plain = ({ session, ...message }) => ({ ...message, ...(session !== undefined && { session: "…" }) });

const increment = { instance_name: "counter", patches: [{ op: "increment", path: "state.params.count" }] };

/** The messages of a page without a store, each with the type of the message that it then waits for. */
const CONVERSATION = [
  [{ type: "resume", revision: null, session: null, request: 1 }, "proposals"],
  [{ type: "call", pendingId: "c-1", call: counter }, "__CREATE__"],
  [{ type: "call", pendingId: "c-2", call: put("city", "Rome") }, "patch"],
  [{ type: "call", pendingId: "c-2", call: put("city", "Rome") }, "confirm"],
  [{ type: "call", pendingId: "c-4", call: increment }, "patch"],
  [{ type: "call", pendingId: "c-3", call: increment }, "reject"],
  [{ type: "call", pendingId: "c-5", call: put("x", 1, "nowhere") }, "reject"],
  [
    {
      type: "call",
      pendingId: "c-6",
      call: { instance_name: "counter", patches: [{ op: "add", path: "blocks.9", value: {} }] },
    },
    "reject",
  ],
  [{ type: "call", pendingId: "c-7", call: { patches: [] } }, "reject"],
  [{ type: "call", pendingId: "c-8", call: { ...put("x", 1), instanceId: "other" } }, "reject"],
  [{ type: "call", pendingId: "c-9", call: counter }, "reject"],
  [
    {
      type: "call",
      pendingId: "c-10",
      call: { instance_name: "__CREATE__", new_instance_name: "x".repeat(300), patches: [] },
    },
    "reject",
  ],
  [
    {
      type: "call",
      pendingId: "c-11",
      call: { instanceId: "counter", patches: [{ op: "set", path: "state.params.n", value: 2 }] },
    },
    "patch",
  ],
  [{ type: "call", pendingId: "an id of its own", call: increment }, "patch"],
  [{ type: "call", pendingId: "an id of its own", call: increment }, "confirm"],
  [{ type: "presence", state: { at: "city" } }, "presence"],
  [{ type: "approve", proposal: "p-1", request: 7 }, "answer"],
  [{ type: "refuse", proposal: "p-1", request: 8 }, "answer"],
  [{ type: "tool", tool: "write_file", arguments: { path: "a.md", content: "" }, request: 9 }, "answer"],
  [
    { type: "call", pendingId: "c-12", call: { instance_name: "__DELETE__", target_instance_name: "counter" } },
    "__DELETE__",
  ],
  [
    { type: "resume", revision: 3, session: "another", request: 2, pending: ["c-2", "c-3", "an id of its own"] },
    "snapshot",
  ],
];

/** The answers to {@link CONVERSATION}, without texts that are for people. */
async function converse(server, room) {
  const { messages, send } = await openSocket(server, `/rooms/${room}`, { token: ann });
  const answers = [];
  const isAnswer = (type) => (message) => message.type === type || message.instance_name === type;
  for (const [message, type] of CONVERSATION) {
    const from = messages.length;
    send(message);
    const found = () => messages.slice(from).find(isAnswer(type));
    await until(found, `a message "${type}" answers ${JSON.stringify(message)}`);
    const { result, ...answer } = plain(found());
    answers.push(result === undefined ? answer : { ...answer, result: [result.status, result.error.code] });
  }
  return answers;
}

describe("both servers", () => {
  const folders = [scratch(), scratch()];
  const servers = [];
  before(async () => servers.push(await startNode(folders[0].folder), await startAxum(folders[1].folder)));
  after(async () => {
    for (const server of servers) await server.end();
    for (const { remove } of folders) remove();
  });

  test("answer the same messages with the same messages", async () => {
    const [node, other] = await Promise.all(servers.map((server) => converse(server, "same")));
    assert.equal(node.length, CONVERSATION.length);
    for (const [index, answer] of node.entries()) assert.deepEqual(other[index], answer);
  });
});

for (const [name, start] of [
  ["Node", startNode],
  ["axum", startAxum],
]) {
  describe(name, () => {
    const { folder, remove } = scratch();
    let server;
    before(async () => {
      server = await start(folder);
    });
    after(async () => {
      await server.end();
      remove();
    });

    test("two pages converge, and know who has changed what", async () => {
      const room = newRoom();
      const one = await joinWithCounter(server, room);
      const two = await join2(server, room, vic);
      one.store.applyOptimistic(put("city", "Rome"));
      await until(() => value(two, "city") === "Rome", "the other page has it");
      await settled(one);
      const { message } = two.results.findLast(({ message }) => message.type === "patch");
      assert.deepEqual(message.by, { id: "ann", name: "Ann" });
      assert.deepEqual(message.author, { kind: "user", id: "ann" });
      assert.deepEqual(two.store.snapshot("counter"), one.store.snapshot("counter"));
    });

    test("two editors at once have one order, on both pages", async () => {
      const pages = [await joinWithCounter(server, "one"), await join2(server, "one", bob)];
      for (let call = 0; call < 50; call++) {
        pages[0].store.applyOptimistic(put("last", `ann ${call}`));
        pages[1].store.applyOptimistic(put("last", `bob ${call}`));
        for (const { store } of pages) store.applyOptimistic(increment);
      }
      await Promise.all(pages.map(settled));
      await until(() => pages.every((page) => value(page, "count") === 100), "both have all calls");
      await until(() => value(pages[0], "last") === value(pages[1], "last"), "both have the same last call");
      assert.ok(["ann 49", "bob 49"].includes(value(pages[0], "last")));
    });

    test("the documents of a session are those of the crate, byte for byte", async () => {
      const { calls, documents } = JSON.parse(
        readFileSync(new URL("../fixtures/session.json", import.meta.url), "utf8"),
      );
      const room = newRoom();
      const page = joinPage(server, room, ann);
      for (const { call } of calls) page.store.applyOptimistic(call);
      await settled(page);
      const other = joinPage(server, room, vic);
      const text = (store, instance) => JSON.stringify(store.confirmed(instance));
      for (const [instance, expected] of Object.entries(documents)) {
        await until(() => text(other.store, instance) === expected, `a new page has ${instance}`);
        assert.equal(text(page.store, instance), expected);
      }
    });

    test("calls are made once, although their socket is cut again and again", async () => {
      const room = newRoom();
      const store = new PatchStore();
      let socket;
      const make = () => {
        socket = new WebSocket(`${server.ws}/rooms/${room}`, { headers: rooms.bearer(ann) });
        return socket;
      };
      const connection = connect(store, make, { backoff: 1, timeout: 500 });
      store.applyOptimistic(counter);
      await settled({ store });
      for (let call = 1; call <= 100; call++) {
        store.applyOptimistic(increment);
        // Some calls are on their way then, some of them written, and none of these is answered.
        if (call % 10 !== 0) continue;
        await until(() => connection.status === "open", "the page is connected again");
        await new Promise((resolve) => setImmediate(resolve));
        socket.terminate();
      }
      await settled({ store });
      const other = await join2(server, room, vic);
      assert.equal(value(other, "count"), 100);
      connection.close();
    });

    test("a client's numbers belong to the user who has used them first", async () => {
      const stranger = await openSocket(server, "/rooms/one", { token: ann });
      stranger.send({ type: "resume", revision: null, session: null });
      stranger.send({ type: "call", pendingId: "own-1", call: { ...counter, new_instance_name: "mine" } });
      await until(() => stranger.messages.some(({ patch_id }) => patch_id === "own-1"), "its call is made");
      const squatter = await openSocket(server, "/rooms/one", { token: bob });
      squatter.send({ type: "call", pendingId: "own-2", call: put("x", 1, "mine") });
      await until(() => squatter.messages.some(({ type }) => type === "reject"), "it is refused");
      assert.match(squatter.messages.find(({ type }) => type === "reject").reason, /^FOREIGN_CLIENT: /);
    });

    test("a viewer changes nothing", async () => {
      const room = newRoom();
      const page = await joinWithCounter(server, room);
      const viewer = await join2(server, room, vic);
      viewer.store.applyOptimistic(put("x", 1));
      await settled(viewer);
      const { message } = viewer.results.find(({ message }) => message.type === "reject");
      assert.equal(message.reason, "FORBIDDEN: A viewer changes nothing.");
      assert.equal((await viewer.connection.approve("p-1")).error.code, "FORBIDDEN");
      assert.equal((await viewer.connection.callTool("write_file", {})).status, "error");
      page.store.applyOptimistic(put("y", 1));
      await until(() => value(viewer, "y") === 1, "the viewer sees what comes after it");
      assert.equal(value(page, "x"), undefined);
      assert.equal(value(viewer, "x"), undefined);
    });

    test("nobody, a foreign room, an agent, a foreign origin, a token in the address", async () => {
      const rows = [
        ["/rooms/two", { token: bob }, undefined],
        ["/rooms/three", { token: bob }, 4404],
        ["/rooms/a%2fb", { token: ann }, 4404],
        ["/rooms/two/mcp", { token: ann }, 4404],
        ["/other", { token: ann }, 4404],
        ["/rooms/two", { token: NOBODY }, 4401],
        ["/rooms/two", {}, 4401],
        ["/rooms/two", { token: bot }, 4403],
        ["/rooms/two", { token: ann, headers: { origin: "https://evil.example" } }, 4403],
        ["/rooms/two", { token: ann, headers: { origin: server.http } }, undefined],
        [`/rooms/two?token=${ann}`, {}, 4400],
      ];
      for (const [path, options, code] of rows) {
        const { socket, closed, send } = await openSocket(server, path, options);
        if (code === 4401) send({ type: "resume" });
        if (code === undefined) socket.close(1000);
        assert.equal(await closed, code ?? 1000, `${path} ${JSON.stringify(options)}`);
      }
      const page = "?page=a-page-of-a-test";
      const requests = [
        ["GET", `/rooms/three/events${page}`, bob, {}, 404],
        ["GET", `/rooms/a%2fb/events${page}`, ann, {}, 404],
        ["GET", `/rooms/two/other${page}`, ann, {}, 404],
        ["GET", "/other", ann, {}, 404],
        ["GET", `/rooms/two/events${page}`, NOBODY, {}, 401],
        ["GET", `/rooms/two/events${page}`, bot, {}, 403],
        ["GET", `/rooms/two/events${page}`, ann, { origin: "https://evil.example" }, 403],
        ["GET", `/rooms/two/events${page}&token=${ann}`, ann, {}, 400],
        ["GET", "/rooms/two/events", ann, {}, 400],
        ["POST", `/rooms/two/events${page}`, ann, {}, 405],
        ["GET", `/rooms/two/messages${page}`, ann, {}, 405],
        ["POST", `/rooms/two/messages${page}`, ann, {}, 409],
        ["GET", "/health", undefined, {}, 200],
      ];
      for (const [method, path, token, headers, status] of requests) {
        const response = await fetch(`${server.http}${path}`, {
          method,
          headers: { ...rooms.bearer(token), ...headers },
        });
        assert.equal(response.status, status, `${method} ${path} ${token}`);
        if (status === 401) assert.equal(response.headers.get("www-authenticate"), "Bearer");
      }
    });

    test("a wrong token ends the connection for good, a right first message opens it", async () => {
      const room = newRoom();
      const wrong = joinPage(server, room, NOBODY, { token: () => NOBODY });
      await until(() => wrong.connection.status === "closed", "the page gives up");
      assert.equal(wrong.connection.problem.reason, "unauthorized");
      const right = joinPage(server, room, NOBODY, { token: async () => ann });
      right.store.applyOptimistic(counter);
      await settled(right);
    });

    test("messages that are none of the protocol, and too long ones", async () => {
      const long = JSON.stringify({
        type: "call",
        pendingId: "a-1",
        call: { ...counter, note: "x".repeat(8 * 2 ** 20) },
      });
      const rows = [
        "",
        "no JSON",
        "[]",
        "{}",
        '{"type":"other"}',
        '{"type":"call"}',
        '{"type":"call","pendingId":"a-1"}',
        long,
      ];
      for (const text of [...rows, `{"type":"presence","state":"${"x".repeat(3_000)}"}`, Buffer.from("{}")]) {
        const { socket, closed } = await openSocket(server, `/rooms/${newRoom()}`, { token: ann });
        socket.send(text);
        assert.equal(await closed, 4400, String(text).slice(0, 50));
      }
    });

    test("an event stream with messages beside it", async () => {
      const room = newRoom();
      const page = await joinWithCounter(server, room);
      const address = (door) => `${server.http}/rooms/${room}/${door}?page=a-page-of-a-test`;
      const gone = new AbortController();
      const response = await fetch(address("events"), { headers: rooms.bearer(ann), signal: gone.signal });
      assert.equal(response.headers.get("content-type"), "text/event-stream");
      const stream = new EventTarget();
      const socket = Object.assign(stream, { readyState: 1, close: () => gone.abort() });
      const read = async () => {
        let text = "";
        for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
          const events = (text + part).split("\n\n");
          text = events.pop();
          for (const event of events)
            if (event.startsWith("data: ")) stream.dispatchEvent(new MessageEvent("message", { data: event.slice(6) }));
        }
      };
      const store = new PatchStore();
      const send = async (message) => {
        const body = JSON.stringify(message);
        const answer = await fetch(address("messages"), { method: "POST", headers: rooms.bearer(ann), body });
        if (!answer.ok) throw answer;
      };
      const reading = read().catch(() => {});
      const connection = connect(store, socket, { send });
      await until(() => store.snapshot("counter") !== undefined, "the stream has the document");
      store.applyOptimistic(put("from", "the stream"));
      await until(() => value(page, "from") === "the stream", "its call is made");
      await settled({ store });
      connection.close();
      await reading;
    });

    test("a restart keeps everything: documents, what was made, whose it was", async () => {
      const room = newRoom();
      const page = await joinWithCounter({ ws: () => server.ws }, room);
      page.store.applyOptimistic(put("city", "Rome"));
      await settled(page);
      const raw = await openSocket(server, `/rooms/${room}`, { token: ann });
      raw.send({ type: "call", pendingId: "raw-1", call: increment });
      await until(() => value(page, "count") === 1, "it is made");
      await server.end();
      page.store.applyOptimistic(put("offline", true));
      server = await start(folder);
      await settled(page);
      const again = await openSocket(server, `/rooms/${room}`, { token: ann });
      again.send({ type: "call", pendingId: "raw-1", call: increment });
      await until(() => again.messages.some(({ type }) => type === "confirm"), "it was made already");
      const other = await join2(server, room, vic);
      assert.deepEqual(other.store.snapshot("counter").state.params, { city: "Rome", count: 1, offline: true });
      assert.deepEqual(page.store.snapshot("counter"), other.store.snapshot("counter"));
    });
  });
}

describe("the log of axum", () => {
  const { folder, remove } = scratch();
  after(remove);
  const file = (end) => join(folder, `axum/lobby.${end}`);
  const lines = () => readFileSync(file("log"), "utf8").trimEnd().split("\n");
  let whole;
  let head;

  test("can be read by the package: its chain and its entries are the same", async () => {
    const server = await startAxum(folder);
    const page = await joinWithCounter(server, "lobby");
    for (let call = 0; call < 20; call++) {
      page.store.applyOptimistic(increment);
      await settled(page);
    }
    assert.equal(await server.end("SIGTERM"), 0);
    [whole, head] = [readFileSync(file("log"), "utf8"), readFileSync(file("head"), "utf8")];
    const storage = memoryStorage();
    await storage.append(
      "lobby",
      0,
      lines().map((line) => JSON.parse(line)),
    );
    const node = createRooms({ storage, authorize: () => null });
    const room = await node.room("lobby");
    assert.deepEqual(room.store.confirmed("counter"), page.store.confirmed("counter"));
    assert.equal(room.revision, 22);
    await node.close();
  });

  test("is not served when it is not whole: the server does not start, and names the entries", async () => {
    const cut = (...numbers) =>
      `${lines()
        .filter((_, index) => !numbers.includes(index + 1))
        .join("\n")}\n`;
    const changed = (number, from, to) =>
      `${lines()
        .map((line, index) => (index + 1 === number ? line.replace(from, to) : line))
        .join("\n")}\n`;
    const rows = [
      [() => cut(5), /entry 5 missing\. Restore/],
      [() => cut(5, 6, 9), /entries 5 to 6 missing; entry 9 missing\. Restore/],
      [() => cut(21, 22), /entries 21 to 22 missing\. Restore/],
      [() => changed(7, "increment", "decrement"), /entry 7 damaged\. Restore/],
      [() => changed(7, "{", "["), /entry 7 damaged\. Restore/],
      [() => changed(7, '"number":7', '"number":6'), /entry 7 damaged\. Restore/],
      [() => whole.slice(0, -1), /entry 22 damaged\. Restore/],
      [() => "", /entries 1 to 22 missing\. Restore/],
    ];
    for (const [damage, words] of rows) {
      writeFileSync(file("log"), damage());
      const { code, errors } = await startAxum(folder);
      assert.equal(code, 1, String(words));
      assert.match(errors, words);
      assert.match(errors, /The log of the room "lobby" is not whole/);
      writeFileSync(file("log"), whole);
    }
    rmSync(file("log"));
    assert.match((await startAxum(folder)).errors, /entries 1 to 22 missing/);
    writeFileSync(file("log"), whole);
    writeFileSync(file("head"), "garbage");
    assert.match((await startAxum(folder)).errors, /the number of the last entry cannot be read/);
    writeFileSync(file("head"), head);
  });

  test("an entry whose writing was cut off was not acknowledged, and is removed", async () => {
    appendFileSync(file("log"), '{"number":23,"previous":"');
    const server = await startAxum(folder);
    const page = await join2(server, "lobby", ann);
    assert.equal(value(page, "count"), 20);
    page.store.applyOptimistic(increment);
    await settled(page);
    await server.end();
    assert.equal(lines().length, 24);
    const again = await startAxum(folder);
    const other = await join2(again, "lobby", vic);
    assert.equal(value(other, "count"), 21);
    await again.end();
  });

  test("a server that is killed again and again loses no acknowledged call, and makes none twice", async () => {
    let server = await startAxum(folder);
    after(() => server.end());
    const pages = [];
    for (const token of [ann, ann]) pages.push(await joinWithCounter({ ws: () => server.ws }, "killed", token));
    const before = { instance_name: "counter", patches: [{ op: "set", path: "state.params.count", value: 0 }] };
    pages[0].store.applyOptimistic(before);
    await settled(pages[0]);
    const CALLS = 200;
    let sent = 0;
    for (let kill = 0; kill < 5; kill++) {
      const wanted = sent + CALLS;
      const isDone = () => pages.every(({ store }) => store.pending().length < CALLS / 2);
      for (; sent < wanted; sent++) for (const { store } of pages) store.applyOptimistic(increment);
      // Some of them are acknowledged then, and others are on their way.
      await until(isDone, "half of the calls are answered");
      await server.end("SIGKILL");
      server = await startAxum(folder);
    }
    await Promise.all(pages.map(settled));
    const other = await join2(server, "killed", vic);
    assert.equal(value(other, "count"), pages.length * sent);
    await server.end();
  });

  test("a log that another process writes into is read again, and damage is told by /health", async () => {
    const server = await startAxum(folder);
    const page = await join2(server, "lobby", ann);
    const silent = await openSocket(server, "/rooms/lobby", { token: vic });
    silent.send({ type: "resume", revision: null, session: null });
    await until(() => silent.messages.some(({ type }) => type === "snapshot"), "another page is in the room");
    appendFileSync(file("log"), "something else\n");
    page.store.applyOptimistic(increment);
    await until(async () => (await fetch(`${server.http}/health`)).status === 503, "the server is not well");
    const { failing } = await (await fetch(`${server.http}/health`)).json();
    assert.match(failing.lobby, /entry 25 damaged|another process/);
    assert.equal(page.store.pending().length, 1);
    assert.equal(await silent.closed, 1013);
    await server.end();
  });
});

test("axum says what is wrong with its settings, and what it does not serve", async () => {
  const { folder, remove } = scratch();
  const tokens = join(folder, "other.json");
  mkdirSync(join(folder, "empty"));
  for (const [rows, words] of [
    [[{ ...USERS[0], token: "short" }], /"token" must have at least 16/],
    [[{ ...USERS[0], role: "admin" }], /"role" must be viewer, editor or agent/],
    [[{ ...USERS[0], id: "" }], /"id" must have 1 to 256/],
    [[USERS[0], USERS[0]], /two rows have the same token/],
    [{}, /must be a list/],
  ]) {
    writeFileSync(tokens, JSON.stringify(rows));
    const { code, errors } = await startAxum(folder, { TOKENS: tokens });
    assert.equal(code, 1);
    assert.match(errors, words);
  }
  assert.match((await startAxum(folder, { TOKENS: join(folder, "none") })).errors, /none cannot be read/);
  assert.match((await startAxum(folder, { PORT: "many" })).errors, /PORT: many is no port/);
  const server = await startAxum(folder);
  const response = await fetch(`${server.http}/rooms/lobby/mcp`, { method: "POST", headers: rooms.bearer(bot) });
  assert.equal(response.status, 501);
  assert.equal((await response.json()).error.code, "NOT_SERVED");
  const { closed } = await openSocket(server, "/rooms/lobby", { token: ann, headers: { host: "evil.example" } });
  assert.equal(await closed, 4403);
  await server.end();
  remove();
});
