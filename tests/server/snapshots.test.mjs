/** Snapshots of rooms: in parts of about one document, of one revision, sound or refused; and those that earlier versions wrote. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createRooms, levelStorage, memoryStorage } from "genui-patch/server";
import { counter, put, scratch, until } from "./harness.mjs";
import { authorize } from "./rooms.mjs";

/** Entries after which a room takes a snapshot. */
const EVERY = 1_000;
const success = (result) => assert.equal(result.status, "success", JSON.stringify(result));
const open = (storage, options) => createRooms({ storage, authorize, onError: assert.ifError, ...options });
const create = (name) => ({ ...counter, new_instance_name: name });
const add = (name, value) => ({ instance_name: name, patches: [{ op: "add", path: "state.params.list.-", value }] });

/** Writes small calls until the log has as many entries. */
async function fillTo(room, revision, name, length = 1) {
  while (room.revision < revision) {
    const missing = Math.min(400, revision - room.revision);
    const calls = Array.from({ length: missing }, (_, at) => room.write(put("filler", `${at}`.padEnd(length), name)));
    for (const result of await Promise.all(calls)) success(result);
  }
}

/** The longest string in a value. */
function longestIn(value) {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Math.max(0, ...Object.values(value).map(longestIn));
}

/** A storage that notes the longest string that is written to it or read from it. */
function measured(inner) {
  const seen = { longest: 0 };
  const note = (value) => {
    seen.longest = Math.max(seen.longest, longestIn(value));
    return value;
  };
  async function* noted(entries) {
    for await (const entry of entries) yield note(entry);
  }
  const wrap =
    (method) =>
    (...all) => {
      note(all);
      const answer = method(...all);
      return Symbol.asyncIterator in answer ? noted(answer) : answer.then(note);
    };
  const storage = Object.fromEntries(Object.entries(inner).map(([name, method]) => [name, wrap(method)]));
  return { storage, seen };
}

const hasSnapshot = (storage, room = "a", after = 0) =>
  until(async () => ((await storage.latest(room))?.number ?? 0) > after, "a snapshot is there");

test("no text that a storage gets or returns is longer than about one document", async () => {
  const { storage, seen } = measured({ ...memoryStorage(), close: async () => {} });
  let rooms = open(storage);
  let room = await rooms.room("a");
  const names = Array.from({ length: 12 }, (_, at) => `d${at}`);
  for (const name of names) {
    success(await room.write(create(name)));
    for (let part = 0; part < 4; part++) success(await room.write(put(`text${part}`, "x".repeat(250_000), name)));
  }
  await fillTo(room, EVERY, "d0");
  await hasSnapshot(storage);
  const documents = names.map((name) => JSON.stringify(room.store.confirmed(name)));
  await rooms.close();
  rooms = open(storage);
  room = await rooms.room("a");
  assert.deepEqual(room.store.names(), names);
  assert.deepEqual(
    names.map((name) => JSON.stringify(room.store.confirmed(name))),
    documents,
  );
  const longest = Math.max(...documents.map(({ length }) => length));
  assert.ok(longest > 1_000_000);
  assert.ok(seen.longest < 1.1 * longest, `${seen.longest} characters`);
  await rooms.close();
});

test("a room whose documents together are longer than a document may be is opened by its snapshot", async () => {
  const storage = { ...memoryStorage(), close: async () => {} };
  const contents = () => ({ store: { limits: { maxDocumentBytes: 20_000 } } });
  let rooms = open(storage, { open: contents });
  let room = await rooms.room("a");
  for (let at = 0; at < 12; at++) {
    success(await room.write(create(`d${at}`)));
    success(await room.write(put("text", "x".repeat(15_000), `d${at}`)));
  }
  await fillTo(room, EVERY, "d0");
  await hasSnapshot(storage);
  await rooms.close();
  rooms = open(storage, { open: contents });
  room = await rooms.room("a");
  assert.equal(room.store.get("d11", "state.params.text").length, 15_000);
  await rooms.close();
});

/** A storage whose parts wait until they are let through, one after the other. */
function gated(inner) {
  const gate = { waiting: [], keys: [], isOpen: false };
  const writePart = async (room, part, text) => {
    gate.keys.push(part);
    if (!gate.isOpen) await new Promise((resolve) => gate.waiting.push(resolve));
    return inner.writePart(room, part, text);
  };
  return { storage: { ...inner, writePart, close: async () => {} }, gate };
}

test("calls that are made while a snapshot is written are not in it, and survive a restart once", async () => {
  const { storage, gate } = gated(memoryStorage());
  const contents = () => ({ files: {} });
  let rooms = open(storage, { open: contents });
  let room = await rooms.room("a");
  const names = ["one", "two", "gone", "four"];
  for (const name of names) {
    success(await room.write(create(name)));
    success(await room.write(put("list", [], name)));
    success(await room.write(put("text", "x".repeat(300_000), name)));
  }
  success(await room.callTool("write_file", { path: "a.md", content: "early\n" }));
  const { proposal: early } = await room.propose(put("early", 1, "two"), { id: "bot" });
  await fillTo(room, EVERY + 1, "one");
  await until(() => gate.waiting.length > 0, "the first part is written");
  let late = 0;
  const change = async () => {
    late += 1;
    for (const name of ["one", "two", "four"]) success(await room.write(add(name, `late ${late}`)));
    success(await room.callTool("write_file", { path: "a.md", content: `late ${late}\n` }));
  };
  success(await room.write({ instance_name: "__DELETE__", target_instance_name: "gone" }));
  success(await room.write(create("late")));
  success(await room.approve(early.id));
  const { proposal } = await room.propose(put("late", 1, "one"), { id: "bot" });
  while ((await storage.latest("a")) === undefined) {
    await change();
    await until(async () => gate.waiting.length > 0 || (await storage.latest("a")), "the next part is written");
    gate.waiting.shift()?.();
  }
  gate.isOpen = true;
  assert.ok(gate.keys.length >= names.length, `${gate.keys.length} parts`);
  const { number } = await storage.latest("a");
  assert.equal(number, EVERY + 1);
  const texts = await Promise.all(gate.keys.map((key) => storage.readPart("a", key)));
  for (const text of texts) assert.doesNotMatch(text, /late/);
  assert.ok(texts.some((text) => text.includes('"gone"')) && texts.some((text) => text.includes(early.id)));
  const { revision } = room;
  assert.ok(revision > number);
  await rooms.close();
  rooms = open(storage, { open: contents });
  room = await rooms.room("a");
  assert.equal(room.revision, revision);
  assert.deepEqual(room.store.names(), ["one", "two", "four", "late"]);
  const wanted = Array.from({ length: late }, (_, at) => `late ${at + 1}`);
  for (const name of ["one", "two", "four"]) assert.deepEqual(room.store.get(name, "state.params.list"), wanted, name);
  assert.equal(room.store.get("two", "state.params.early"), 1);
  assert.equal(await room.files.read("a.md"), `late ${late}\n`);
  const statuses = Object.fromEntries(room.proposals().map(({ id, status }) => [id, status]));
  assert.deepEqual(statuses, { [early.id]: "approved", [proposal.id]: "pending" });
  await rooms.close();
});

test("between two parts the event loop has a turn, and one snapshot of a room is written at a time", async () => {
  const inner = memoryStorage();
  let [writing, turns, most, parts] = [0, 0, 0, 0];
  const storage = {
    ...inner,
    async writePart(...all) {
      if (parts > 0) assert.ok(turns > 0, "other tasks have run");
      turns = 0;
      parts += 1;
      writing += 1;
      most = Math.max(most, writing);
      await inner.writePart(...all);
      setImmediate(() => {
        turns += 1;
        writing -= 1;
      });
    },
  };
  const rooms = open(storage);
  const room = await rooms.room("a");
  for (const name of ["one", "two", "three"]) {
    success(await room.write(create(name)));
    success(await room.write(put("text", "x".repeat(300_000), name)));
  }
  await fillTo(room, 2 * EVERY + 500, "one");
  await rooms.close();
  assert.ok(parts >= 3);
  assert.equal(most, 1);
});

/** A room with documents, of which a snapshot was written, on a storage that can be spoiled. */
async function withSnapshot() {
  const inner = memoryStorage();
  const keys = [];
  const storage = {
    ...inner,
    writePart(room, part, text) {
      if (room === "a") keys.push(part);
      return inner.writePart(room, part, text);
    },
    close: async () => {},
  };
  const rooms = open(storage);
  for (const name of ["a", "b"]) {
    const room = await rooms.room(name);
    for (const instance of ["one", "two", "three"]) {
      success(await room.write(create(instance)));
      success(await room.write(put("text", `${name}${instance}`.repeat(100_000), instance)));
    }
    await fillTo(room, 2 * EVERY, "one");
  }
  for (const name of ["a", "b"]) await hasSnapshot(storage, name);
  await rooms.close();
  return { storage, keys };
}

test("a part that is missing, was changed, or is another's: the room is not served, and a repair cuts it back", async () => {
  const { storage, keys } = await withSnapshot();
  const { number } = await storage.latest("a");
  assert.ok(keys.length >= 3);
  const spoils = {
    missing: () => undefined,
    changed: (text) => text.replace("[", "{"),
    "cut short": (text) => text.slice(0, -1),
    empty: () => "",
    "the first one": (_, first) => first,
  };
  const first = await storage.readPart("a", keys[0]);
  for (const [what, spoil] of Object.entries(spoils)) {
    const last = keys.at(-1).id;
    const readPart = async (room, part) => {
      const text = await storage.readPart(room, part);
      return room === "a" && part.id === last ? spoil(text, first) : text;
    };
    const rooms = open({ ...storage, cut: async () => {}, readPart }, { onError() {} });
    await assert.rejects(rooms.room("a"), (error) => {
      assert.equal(error.code, "LOG_DAMAGED", what);
      assert.match(error.message, new RegExp(`the snapshot of entries 1 to ${number} was changed`), what);
      return true;
    });
    assert.equal((await rooms.health()).ok, false);
    assert.equal((await rooms.room("b")).store.names().length, 3, "another room is served");
    assert.deepEqual((await rooms.repair("a")).faults[0], { kind: "snapshot", from: 1, to: number }, what);
    await rooms.close();
  }
  let rooms = open(storage);
  assert.equal((await rooms.room("a")).store.get("three", "state.params.text").length, 600_000, "nothing was changed");
  await rooms.close();
  const spoiled = { ...storage, readPart: async () => undefined };
  rooms = open(spoiled, { onError() {} });
  await assert.rejects(rooms.room("a"), { code: "LOG_DAMAGED" });
  await rooms.repair("a");
  assert.deepEqual((await rooms.room("a")).store.names(), []);
  for (const key of keys) assert.equal(await storage.readPart("a", key), undefined, "its parts are deleted");
  await rooms.close();
});

test("another server replaces the snapshot while it is read: it is read again", async () => {
  const { storage, keys } = await withSnapshot();
  let isReplaced = false;
  const other = open(storage);
  const readPart = async (room, part) => {
    if (!isReplaced) {
      isReplaced = true;
      const own = await other.room("a");
      success(await own.write(put("text", "later", "three")));
      // A snapshot waits until the log has grown by its length.
      await fillTo(own, own.revision + 2 * EVERY, "one", 2_000);
      await hasSnapshot(storage, "a", part.number);
      await until(async () => (await storage.readPart(room, part)) === undefined, "the part is gone");
    }
    return storage.readPart(room, part);
  };
  const rooms = open({ ...storage, readPart });
  const room = await rooms.room("a");
  assert.ok(keys.length > 3);
  assert.equal(room.store.get("three", "state.params.text"), "later");
  await rooms.close();
  await other.close();
});

test("a room is closed although the storage does not answer, and nothing of its snapshot is written afterwards", async () => {
  const { storage, gate } = gated(memoryStorage());
  const rooms = open(storage, { limits: { appendDeadline: 50 } });
  const room = await rooms.room("a");
  for (const name of ["one", "two", "three"]) {
    success(await room.write(create(name)));
    success(await room.write(put("text", "x".repeat(300_000), name)));
  }
  await fillTo(room, EVERY + 1, "one");
  await until(() => gate.waiting.length > 0, "the first part is written");
  // The storage does not answer, so the room is closed without its snapshot.
  await rooms.close();
  gate.isOpen = true;
  for (const go of gate.waiting) go();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(gate.keys.length, 1);
  assert.equal(await storage.latest("a"), undefined);
});

test("while no snapshot can be written, documents count as long as they are, and not as long as the log", async () => {
  const inner = memoryStorage();
  const errors = [];
  const writePart = async () => {
    throw new Error("EIO: the storage is broken");
  };
  const rooms = open({ ...inner, writePart }, { onError: ({ message }) => errors.push(message) });
  const room = await rooms.room("a");
  success(await room.write(create("one")));
  const bytes = () => Number(/genui_patch_bytes (\d+)/.exec(rooms.metrics())[1]);
  for (let tries = 1; tries <= 3; tries++) {
    await fillTo(room, room.revision + EVERY, "one", 1_000);
    await until(
      () => errors.length === tries && bytes() < 500_000,
      `try ${tries} is reported, and the length is known`,
    );
  }
  await rooms.close();
});

const earlier = JSON.parse(readFileSync(new URL("../fixtures/earlier-room.json", import.meta.url), "utf8"));
const asEarlier = { files: {}, flow: { nodeTypes: { idea: { actions: { update: { approvalStyle: "visual" } } } } } };

/** Checks that a room has all that users saw in the earlier version. */
async function checkEarlier(room) {
  assert.deepEqual(room.store.names(), ["loose", "counter", "untouched"]);
  assert.deepEqual(room.store.snapshot("loose"), { items: [1, 2] });
  assert.deepEqual(room.store.get("counter", "state.params"), { city: "Oslo", stale: 2 });
  assert.deepEqual(await room.files.snapshot(), { "a.md": "one\n", "c.md": "three\n" });
  assert.equal(room.flows.t1.nodes[1].data.title, "Two");
  assert.deepEqual(
    room.proposals().map(({ kind, status }) => `${kind} ${status}`),
    ["patch pending", "patch stale", "file pending", "node pending"],
  );
  // Entry 9 had this key.
  const again = await room.write(put("city", "Rome"), { key: "once" });
  assert.deepEqual(again, { status: "success", again: true, revision: 9 });
}

test("a snapshot of an earlier version is read, and the next one is in parts", async () => {
  const { folder, remove } = scratch();
  for (const make of [memoryStorage, levelStorage]) {
    const kept = { ...make(folder) };
    const { number, hash, text, digest } = earlier;
    await kept.snapshot("a", { number, hash, text, digest }, 0);
    const storage = { ...kept, close: async () => {} };
    let rooms = open(storage, { open: () => asEarlier });
    let room = await rooms.room("a");
    assert.equal(room.revision, number);
    await checkEarlier(room);
    // Instances keep their rules: under those of pages this call would be refused.
    success(await room.write({ instance_name: "loose", patches: [{ op: "set", path: "blocks", value: "none" }] }));
    success(await room.write({ instance_name: "loose", patches: [{ op: "remove", path: "blocks" }] }));
    await fillTo(room, number + EVERY, "untouched");
    await hasSnapshot(storage, "a", number);
    assert.match((await storage.latest("a")).text, /^\{"parts":\[/);
    await rooms.close();
    rooms = open(storage, { open: () => asEarlier });
    room = await rooms.room("a");
    await checkEarlier(room);
    const [kept1, , file, node] = room.proposals();
    for (const { id } of [kept1, file, node]) success(await room.approve(id, {}, { id: "ann" }));
    success(await room.write({ instance_name: "loose", patches: [{ op: "set", path: "blocks", value: "none" }] }));
    assert.equal(room.flows.t1.nodes[0].data.title, "Egrets");
    await rooms.close();
    await kept.close?.();
  }
  remove();
});
