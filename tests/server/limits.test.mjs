/** Clients that ask too much: what they take from a server is counted and bounded, and others are answered meanwhile. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { test } from "node:test";
// By path, so that the rooms and the test have the same module.
import { storeModule } from "../../dist/core/store-module.js";
import { RecentKeys } from "../../dist/server/clients.js";
import { createRooms, memoryStorage } from "../../dist/server/index.js";
import { Page } from "../../dist/server/page.js";
import { RecentMessages } from "../../dist/server/recent.js";
import { computedSha256, sha256 } from "../../dist/server/sha256.js";
import { counter, put, until } from "./harness.mjs";
import { bearer, joinPage, openSocket, startRooms } from "./rooms.mjs";

/** A socket whose other end reads nothing: what is sent to it stays in its buffer. */
function deafSocket() {
  const listeners = {};
  const socket = {
    bufferedAmount: 0,
    sent: [],
    code: undefined,
    addEventListener: (type, listener) => {
      listeners[type] = listener;
    },
    send(text) {
      socket.sent.push(text);
      socket.bufferedAmount += text.length;
    },
    close(code) {
      socket.code ??= code;
    },
  };
  return { socket, hear: (message) => listeners.message({ data: JSON.stringify(message) }) };
}

const handshake = (room, token) => ({ url: `/rooms/${room}`, headers: { host: "localhost", ...bearer(token) } });

test("a page that asks 400 times for documents, and reads nothing, gets them once", async () => {
  const on = await startRooms({ limits: { maxUnread: 100_000 } });
  const room = await on.rooms.room("a");
  await room.write(counter);
  await room.write(put("text", "x".repeat(500_000)));
  const { socket, hear } = deafSocket();
  on.rooms.socket(socket, handshake("a", "eve:editor"));
  for (let sent = 0; sent < 400; sent++) hear({ type: "resume", revision: null, session: null, request: sent });
  const snapshots = () => socket.sent.filter((text) => text.startsWith('{"type":"snapshot"'));
  await until(() => snapshots().length > 0, "it gets the documents");
  const other = joinPage(on, "a", "ann:editor");
  await until(() => other.store.snapshot("counter"), "another page gets its documents");
  assert.equal(snapshots().length, 1);
  const [{ length }] = snapshots();
  // The changes of other pages fill the buffer up to its limit, in addition to the documents.
  for (let call = 0; socket.code === undefined; call++) {
    assert.ok(socket.bufferedAmount <= length + 100_000 + 20_000, `${socket.bufferedAmount} after ${call} calls`);
    assert.equal((await room.write(put(`k${call % 5}`, "x".repeat(10_000)))).status, "success");
  }
  assert.equal(socket.code, 1013);
  other.connection.close();
  await on.close();
});

test("the calls of one append leave in one write to each page", async () => {
  const on = await startRooms();
  const room = await on.rooms.room("a");
  await room.write(counter);
  const { socket, hear } = deafSocket();
  const writes = [];
  const connection = { cork: () => writes.push(socket.sent.length), uncork: () => writes.push(socket.sent.length) };
  on.rooms.socket(socket, { ...handshake("a", "ann:editor"), socket: connection });
  hear({ type: "resume", revision: null, session: null });
  await until(() => socket.sent.length > 1, "the page has its documents");
  const before = socket.sent.length;
  writes.length = 0;
  await Promise.all(Array.from({ length: 50 }, (_, at) => room.write(put(`k${at}`, at))));
  const patches = socket.sent.slice(before).filter((text) => text.startsWith('{"type":"patch"'));
  assert.equal(patches.length, 50);
  assert.ok(writes.length <= 6, `${writes.length / 2} writes`);
  assert.equal(writes.length % 2, 0, "each is let go");
  await on.close();
});

test("12 documents, silent sockets and slow bodies at once: refused with what to do, and others go on", async () => {
  const maxBytes = 1_000_000;
  const on = await startRooms({ limits: { maxBytes, deadline: 500, maxMessage: 100_000 } });
  await (await on.rooms.room("other")).write(counter);
  const page = joinPage(on, "other", "ann:editor");
  await until(() => page.store.snapshot("counter"), "the page is connected");

  const silent = await Promise.all(Array.from({ length: 100 }, () => openSocket(on, "/rooms/other")));
  const slow = Array.from({ length: 20 }, (_, at) => {
    const headers = { ...bearer(`slow${at}:agent`), "content-length": 1_000 };
    const request = httpRequest(`${on.http}/rooms/other/mcp`, { method: "POST", headers, agent: false });
    request.on("error", () => {});
    request.write("{");
    return { request, response: once(request, "response") };
  });
  const large = await on.rooms.room("large");
  const refusals = [];
  for (let at = 0; at < 12; at++) {
    await large.write({ ...counter, new_instance_name: `doc${at}` });
    for (let part = 0; part < 3; part++) {
      const patches = [{ op: "set", path: `state.params.part${part}`, value: "x".repeat(50_000) }];
      const result = await large.write({ instance_name: `doc${at}`, patches });
      if (result.status === "error") refusals.push(result.error);
    }
    page.store.applyOptimistic(put("at", at));
    await until(() => page.store.pending().length === 0, "a call of another page is acknowledged");
  }
  assert.ok(refusals.length > 10, `${refusals.length} refusals`);
  for (const { code, message, solution } of refusals) {
    assert.equal(code, "LIMIT_EXCEEDED");
    assert.match(message, /1000000 characters/);
    assert.match(solution, /Delete instances or rooms/);
  }
  const [, bytes] = /^genui_patch_bytes (\d+)$/m.exec(on.rooms.metrics());
  assert.ok(Number(bytes) <= maxBytes, bytes);

  for (const { closed } of silent) assert.equal(await closed, 4401);
  for (const { request, response } of slow) {
    const [{ statusCode }] = await response;
    assert.equal(statusCode, 503);
    request.destroy();
  }
  assert.equal(page.results.filter(({ message }) => message.type === "reject").length, 0);
  page.connection.close();
  await on.close();
});

test("messages that wait are counted by what waits, not by what has been read", async () => {
  // This room answers a call when the test calls the function in `answers`.
  const answers = [];
  const write = () => new Promise((resolve) => answers.push(() => resolve({ status: "success" })));
  const room = { calls: { write } };
  const closed = [];
  const transport = { send() {}, close: (code) => closed.push(code), unread: () => 0 };
  const host = { limits: { maxMessage: 20_000, maxWaiting: 1_000, perSecond: 1e9 }, pageLeft() {}, report() {} };
  const page = new Page(room, { user: { id: "ann" }, role: "editor" }, transport, host);
  const call = { ...counter, note: "x".repeat(10_000) };
  let number = 0;
  const send = () => page.receive(JSON.stringify({ type: "call", pendingId: `ann-${++number}`, call }));
  // Calls up to the number that a page answers at a time, and two more, which wait.
  while (answers.length === number) send();
  send();
  for (let count = 0; count < 20; count++) {
    answers.shift()();
    const before = answers.length;
    await until(() => answers.length > before, "the next one is read");
    send();
  }
  assert.deepEqual(closed, []);
  // Five that wait are too much.
  for (let count = 0; count < 3; count++) send();
  assert.deepEqual(closed, [1013]);
});

test("rooms that cannot be read leave no memory behind", async () => {
  const inner = memoryStorage();
  const rooms = createRooms({ storage: inner, authorize: () => null });
  const room = await rooms.room("a");
  for (const call of [counter, put("text", "x".repeat(100_000))]) await room.write(call);
  await rooms.close();
  async function* read(...all) {
    yield* inner.read(...all);
    throw new Error("EIO: the disk is gone");
  }
  const failing = createRooms({ storage: { ...inner, read }, authorize: () => null, onError() {} });
  const bytesAfter = async (loads) => {
    for (let count = 0; count < loads; count++) await assert.rejects(failing.room("a"), /the disk is gone/);
    return storeModule.memory.buffer.byteLength;
  };
  const before = await bytesAfter(20);
  assert.equal(await bytesAfter(200), before);
});

test("rooms that are given up leave no memory behind", async () => {
  const storage = memoryStorage();
  const rooms = createRooms({ storage, authorize: () => null, onError() {} });
  const bytesAfter = async (times) => {
    for (let count = 0; count < times; count++) {
      const room = await rooms.room("a");
      for (const call of [counter, put("text", "x".repeat(100_000))]) await room.write(call);
      // The log is not what the documents were made of any more.
      await storage.remove("a");
      await assert.rejects(room.write(put("text", "")), /not whole/);
    }
    return storeModule.memory.buffer.byteLength;
  };
  const before = await bytesAfter(20);
  assert.equal(await bytesAfter(200), before);
  await rooms.close();
});

test("rooms that are unloaded leave no memory behind, with their task flows", async () => {
  const nodes = [{ id: "n", type: "note", data: { text: "x".repeat(100_000) } }];
  const flow = { id: "f", title: "F", nodes, edges: [] };
  const open = () => ({ documents: { page: { state: {} } }, flow: { nodeTypes: { note: {} }, initial: [flow] } });
  const rooms = createRooms({ storage: memoryStorage(), authorize: () => null, open });
  const bytesAfter = async (loads) => {
    for (let count = 0; count < loads; count++) await (await rooms.room("a")).close();
    return storeModule.memory.buffer.byteLength;
  };
  const before = await bytesAfter(20);
  assert.equal(await bytesAfter(200), before);
});

test("the last messages of a room: 10,000, and by their length; the oldest are dropped first", () => {
  const recent = new RecentMessages(5);
  for (let number = 6; number <= 25_000; number++) recent.add(number, `message ${number}`);
  assert.equal(recent.after(recent.start - 1), undefined);
  const kept = recent.after(recent.start);
  assert.ok(kept.length >= 10_000 && kept.length < 11_000, String(kept.length));
  assert.equal(kept[0], `message ${recent.start + 1}`);
  assert.deepEqual(recent.after(24_999), ["message 25000"]);
  for (let number = 25_001; number <= 25_100; number++) recent.add(number, "x".repeat(2 ** 20));
  const length = recent.after(recent.start).reduce((sum, text) => sum + text.length, 0);
  assert.ok(length <= 16 * 2 ** 20 && length >= 12 * 2 ** 20, String(length));
  assert.equal(recent.after(25_099).length, 1);
});

test("the hash of the platform and the computed one are the same", () => {
  const lone = String.fromCharCode(0xd800);
  for (const text of [
    "",
    "abc",
    "ü €",
    "😀".repeat(1_000),
    `a${lone}b`,
    "x".repeat(55),
    "x".repeat(64),
    "y".repeat(119),
  ]) {
    const expected = createHash("sha256").update(text).digest("hex");
    assert.equal(sha256(text), expected);
    assert.equal(computedSha256(text), expected);
  }
});

test("of the keys of calls the oldest is forgotten first, also after a restart and if it is no number", () => {
  const keys = new RecentKeys(2);
  keys.add("b", 1);
  keys.add("1", 2);
  const restored = new RecentKeys(2);
  restored.restore(JSON.parse(JSON.stringify(keys.save())));
  restored.add("c", 3);
  assert.deepEqual([restored.get("b"), restored.get("1"), restored.get("c")], [undefined, 2, 3]);
  // Snapshots of earlier versions have an object.
  restored.restore({ d: 4 });
  assert.deepEqual([restored.get("c"), restored.get("d")], [undefined, 4]);
});
