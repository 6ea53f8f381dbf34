/** The documents of a room for a page that joins: in parts, one after the other, while the room goes on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SnapshotParts } from "../../dist/connection/snapshot-parts.js";
import { put, until } from "./harness.mjs";
import { bearer, joinPage, startRooms } from "./rooms.mjs";

const DOCUMENTS = 12;
const LENGTH = 1_000_000;
const named = (at) => ({ instance_name: "__CREATE__", new_instance_name: `large${at}`, patches: [] });

/** A room with documents of a megabyte each, and a file. */
async function largeRoom() {
  const on = await startRooms({ open: () => ({ files: { initial: { "a.txt": "first" } } }) });
  const room = await on.rooms.room("a");
  for (let at = 0; at < DOCUMENTS; at++) {
    await room.write(named(at));
    await room.write(put("text", "x".repeat(LENGTH), `large${at}`));
  }
  return { on, room };
}

/** A socket that counts the bytes nobody has read; the test sets the count to 0 to read them. */
function slowSocket() {
  const listeners = {};
  const socket = {
    bufferedAmount: 0,
    most: 0,
    sent: [],
    addEventListener: (type, listener) => {
      listeners[type] = listener;
    },
    send(text) {
      socket.sent.push(text);
      socket.bufferedAmount += text.length;
      socket.most = Math.max(socket.most, socket.bufferedAmount);
    },
    close: () => {},
  };
  return { socket, hear: (message) => listeners.message({ data: JSON.stringify(message) }) };
}

const open = (on, socket) =>
  on.rooms.socket(socket, { url: "/rooms/a", headers: { host: "localhost", ...bearer("eve:editor") } });
const ask = (request, others) => ({ type: "resume", revision: null, session: null, request, ...others });

test("no message is longer than a document, and only what was read makes room for the next", async () => {
  const { on } = await largeRoom();
  const { socket, hear } = slowSocket();
  open(on, socket);
  hear(ask(1, { parts: true }));
  const isOver = () => socket.sent.some((text) => text.startsWith('{"type":"snapshot",'));
  await until(() => {
    socket.bufferedAmount = 0;
    return isOver();
  }, "all parts are sent");
  assert.ok(Math.max(...socket.sent.map(({ length }) => length)) < LENGTH * 1.1);
  // A document may begin when nearly a megabyte waits.
  assert.ok(socket.most < 3 * LENGTH, `${socket.most} waited to be read`);
  const messages = socket.sent.map((text) => JSON.parse(text));
  const parts = messages.filter(({ type }) => type === "snapshot-part");
  const { parts: count, files } = messages.find(({ type }) => type === "snapshot");
  assert.equal(parts.length, count);
  assert.deepEqual(files, {});
  assert.ok(parts.some((part) => part.files?.["a.txt"] === "first"));
  await on.close();
});

test("a page that does not ask for parts gets one message", async () => {
  const { on } = await largeRoom();
  const { socket, hear } = slowSocket();
  open(on, socket);
  hear(ask(1));
  await until(() => socket.sent.length > 0, "the documents are sent");
  const [snapshot] = socket.sent.map((text) => JSON.parse(text));
  assert.equal(Object.keys(snapshot.instances).length, DOCUMENTS);
  assert.equal(snapshot.parts, undefined);
  await on.close();
});

test("what is written between two parts comes after them, and the page agrees with the room", async () => {
  const { on, room } = await largeRoom();
  const { store, connection } = joinPage(on, "a", "ann:editor");
  // The first documents may be on their way while the last ones change, and while one is deleted.
  const writing = [];
  for (let at = DOCUMENTS - 1; at >= 0; at--) writing.push(room.write(put("late", at, `large${at}`)));
  writing.push(room.write({ instance_name: "__DELETE__", target_instance_name: "large3", patches: [] }));
  const results = await Promise.all(writing);
  assert.deepEqual([...new Set(results.map(({ status }) => status))], ["success"]);
  const isSame = () =>
    room.store
      .names()
      .every((name) => JSON.stringify(room.store.snapshot(name)) === JSON.stringify(store.snapshot(name)));
  await until(() => store.names().length === DOCUMENTS - 1 && isSame(), "the page agrees");
  assert.equal(store.snapshot("large3"), undefined);
  connection.close();
  await on.close();
});

test("a page that asks again while it is answered gets whole answers, one after the other", async () => {
  const { on } = await largeRoom();
  const { socket, hear } = slowSocket();
  open(on, socket);
  hear(ask(1, { parts: true }));
  await until(() => socket.sent.length > 1, "the first parts are sent");
  hear(ask(2, { parts: true }));
  const isOver = () => socket.sent.filter((text) => text.startsWith('{"type":"snapshot",')).length === 2;
  await until(() => {
    socket.bufferedAmount = 0;
    return isOver();
  }, "both answers are sent");
  const messages = socket.sent.map((text) => JSON.parse(text)).filter(({ type }) => type.startsWith("snapshot"));
  const requests = messages.map(({ request, answers }) => request ?? answers);
  assert.deepEqual(requests, requests.toSorted());
  await on.close();
});

// The page's side.

const part = (request, number, instances) => ({ type: "snapshot-part", request, part: number, instances });
const at = (revision, message) => ({ ...message, revision });
const last = (answers, parts, others) => ({ type: "snapshot", answers, parts, revision: 7, instances: {}, ...others });

/** The name of each case, the messages, and the instances of the snapshot; `undefined` where it is not whole. */
const CASES = [
  ["without parts", [{ type: "snapshot", instances: { a: 1 } }], { a: 1 }],
  ["in order", [part(1, 0, { a: 1 }), part(1, 1, { b: 2 }), last(1, 2)], { a: 1, b: 2 }],
  ["the last one first", [last(1, 2), part(1, 1, { b: 2 }), part(1, 0, { a: 1 })], { b: 2, a: 1 }],
  ["one twice", [part(1, 0, { a: 1 }), part(1, 0, { a: 1 }), part(1, 1, { b: 2 }), last(1, 2)], { a: 1, b: 2 }],
  ["one twice, one missing", [part(1, 0, { a: 1 }), part(1, 0, { a: 1 }), last(1, 2)], undefined],
  ["of an earlier answer", [part(1, 0, { a: 1 }), part(2, 0, { b: 2 }), last(2, 1)], { b: 2 }],
  ["of two answers", [part(1, 0, { a: 1 }), last(2, 1)], undefined],
  ["of two answers to one request", [at(6, part(1, 0, { a: 1 })), at(6, part(1, 1, { b: 1 })), last(1, 2)], undefined],
  [
    "of two answers to one request, mixed",
    [at(6, part(1, 0, { a: 1 })), at(7, part(1, 0, { a: 2 })), at(7, part(1, 1, { b: 2 })), last(1, 2)],
    { a: 2, b: 2 },
  ],
  ["no documents", [last(1, 0)], {}],
  [
    "an inherited name",
    [part(1, 0, JSON.parse('{"__proto__": {"a": 1}}')), last(1, 1)],
    JSON.parse('{"__proto__": {"a": 1}}'),
  ],
];

for (const [name, messages, expected] of CASES) {
  test(`parts: ${name}`, () => {
    const parts = new SnapshotParts();
    const found = messages.map((message) => parts.receive(message)).filter((message) => message !== undefined);
    assert.equal(found.length, expected === undefined ? 0 : 1);
    if (expected !== undefined) assert.equal(JSON.stringify(found[0].instances), JSON.stringify(expected));
  });
}
