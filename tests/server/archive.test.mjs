/** Rooms that are exported, imported elsewhere, and removed. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createRooms, levelStorage, memoryStorage } from "genui-patch/server";
import { counter, put, scratch, until } from "./harness.mjs";
import { authorize, joinPage, openSocket, startRooms } from "./rooms.mjs";

const make = (storage = memoryStorage(), rest = {}) => createRooms({ storage, authorize, ...rest });
const city = (room) => room.store.confirmed("counter").state.params.city;

test("an exported room has its documents, proposals, decisions and calls elsewhere, on any storage", async () => {
  const { folder, remove } = scratch();
  const from = make();
  const room = await from.room("a");
  await room.write(counter);
  await room.write(put("city", "Rome"), { key: "once" });
  const waiting = (await room.propose(put("city", "Kyiv"), { id: "bot" })).proposal.id;
  const refused = (await room.propose(put("city", "Bern"), { id: "bot" })).proposal.id;
  await room.refuse(refused, "no", { id: "ann" });
  const exported = JSON.parse(JSON.stringify(await from.export("a")));
  assert.equal(exported.room, "a");
  await room.write(put("city", "later"));
  await from.close();

  for (const storage of [memoryStorage(), levelStorage(folder)]) {
    const to = make(storage);
    const made = await to.import("b", exported);
    assert.equal(city(made), "Rome");
    assert.equal(made.revision, exported.number);
    assert.deepEqual(await made.write(put("city", "Oslo"), { key: "once" }), {
      status: "success",
      again: true,
      revision: 2 + 1,
    });
    assert.equal((await made.approve(refused, {}, { id: "ann" })).error.code, "PROPOSAL_SETTLED");
    assert.equal((await made.approve(waiting, {}, { id: "ann" })).status, "success");
    assert.equal(city(made), "Kyiv");
    await made.close();
    const again = await to.room("b");
    assert.equal(city(again), "Kyiv", "it is in the log");
    await to.remove("b");
    assert.deepEqual((await to.room("b")).store.names(), []);
    await to.close();
  }
  remove();
});

test("an exported room of an earlier version is imported, and exported in parts", async () => {
  const earlier = JSON.parse(readFileSync(new URL("../fixtures/earlier-room.json", import.meta.url), "utf8"));
  const contents = { files: {}, flow: {} };
  const rooms = make(memoryStorage(), { open: () => contents });
  const room = await rooms.import("a", earlier);
  assert.equal(room.revision, earlier.number);
  assert.equal(city(room), "Oslo");
  const again = await rooms.export("a");
  assert.equal(again.format, "genui-patch room 2");
  assert.ok(again.parts.length > 0);
  const copy = await rooms.import("b", again);
  assert.deepEqual(copy.flows, room.flows);
  assert.deepEqual(await copy.files.snapshot(), { "a.md": "one\n", "c.md": "three\n" });
  await assert.rejects(rooms.import("c", { ...earlier, format: "genui-patch room 2", parts: [] }), {
    code: "INVALID_ARGUMENT",
  });
  await assert.rejects(rooms.import("c", { ...earlier, text: earlier.text.replace("Oslo", "Rome") }), {
    code: "INVALID_ARGUMENT",
  });
  await rooms.close();
});

test("an import over a room, in use or not, or of a changed value, changes nothing", async () => {
  const { folder, remove } = scratch();
  const rooms = make(levelStorage(folder));
  const room = await rooms.room("a");
  await room.write(counter);
  const exported = await rooms.export("a");
  await room.write(put("city", "Rome"));
  const wrong = { code: "INVALID_ARGUMENT" };
  await assert.rejects(rooms.import("a", exported), wrong, "in use");
  await room.close();
  await assert.rejects(rooms.import("a", exported), wrong, "not in use");
  assert.equal(city(await rooms.room("a")), "Rome");
  for (const value of [
    undefined,
    null,
    "text",
    {},
    { ...exported, format: "other" },
    { ...exported, text: exported.text.replace("parts", "pieces") },
    { ...exported, parts: exported.parts.map((text) => text.replace("counter", "counted")) },
    { ...exported, parts: [] },
    { ...exported, format: "genui-patch room 1", parts: undefined },
    { ...exported, parts: [...exported.parts, exported.parts[0]] },
    { ...exported, parts: exported.parts.map(() => 7) },
    { ...exported, parts: "text" },
    { ...exported, number: exported.number + 1 },
    { ...exported, number: -1 },
    { ...exported, digest: 7 },
  ])
    await assert.rejects(rooms.import("b", value), wrong);
  await assert.rejects(rooms.import("..", exported), wrong);
  const both = await Promise.allSettled([rooms.import("c", exported), rooms.import("c", exported)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  await rooms.close();
  remove();

  const small = make(memoryStorage(), { limits: { maxBytes: 10 } });
  await assert.rejects(small.import("a", exported), { code: "LIMIT_EXCEEDED" });
  assert.deepEqual((await small.room("a")).store.names(), []);
  await small.close();
});

test("a page of the old server gets the imported room's documents, whatever it has seen", async () => {
  const from = await startRooms();
  const room = await from.rooms.room("a");
  await room.write(counter);
  let { ws } = from;
  const page = joinPage({ ws: () => ws }, "a", "ann:editor");
  await until(() => page.store.snapshot("counter"), "the page has the document");
  for (const name of ["Rome", "Oslo"]) await room.write(put("city", name));
  await until(() => page.store.get("counter", "state.params.city") === "Oslo", "it is up to date");
  const exported = await from.rooms.export("a");
  await room.write(put("city", "lost"));
  await until(() => page.store.get("counter", "state.params.city") === "lost", "it has seen more");
  const to = await startRooms();
  await to.rooms.import("a", exported);
  ({ ws } = to);
  await from.close();
  await until(() => page.store.get("counter", "state.params.city") === "Oslo", "the page has what was imported");
  page.connection.close();
  await to.close();
});

test("a page whose position is before what the log has kept gets documents, not a promise that it has all", async () => {
  const storage = memoryStorage();
  const first = make(storage);
  const room = await first.room("a");
  await room.write(counter);
  const { proposal } = await room.propose(put("city", "Kyiv"), { id: "bot" });
  await room.approve(proposal.id, {}, { id: "ann" });
  // As after a snapshot right behind an approval, whose entry does not contain its changes.
  const { number, hash, text, digest, parts } = await first.export("a");
  const { id } = JSON.parse(text);
  for (const [at, part] of parts.entries()) await storage.writePart("a", { number, id: `${id}-${at}` }, part);
  await storage.snapshot("a", { number, hash, text, digest }, 0);
  await first.close();
  const server = await startRooms({ storage });
  const { socket, messages, send } = await openSocket(server, "/rooms/a", { token: "ann:editor" });
  const { session } = await (async () => {
    send({ type: "resume", revision: null, session: null });
    await until(() => messages.some(({ type }) => type === "snapshot"), "a snapshot");
    return messages.find(({ type }) => type === "snapshot");
  })();
  messages.length = 0;
  send({ type: "resume", revision: 2, session });
  await until(() => messages.some(({ type }) => ["snapshot", "resumed"].includes(type)), "an answer");
  const answer = messages.find(({ type }) => ["snapshot", "resumed"].includes(type));
  assert.equal(answer.type, "snapshot");
  socket.close();
  await server.close();
});
