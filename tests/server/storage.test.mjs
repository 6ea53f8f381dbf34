/**
 * Acknowledged entries stay. A log that has lost entries is not served: they are named, and a repair is made on request
 * only.
 */
import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createRooms, LogError, levelStorage, memoryStorage } from "genui-patch/server";
import { random } from "../support/random.mjs";
import { counter, put, scratch } from "./harness.mjs";

const quiet = { authorize: () => null, onError: () => {} };
const open = (storage, options) => createRooms({ storage, ...quiet, ...options });
const success = (result) => assert.equal(result.status, "success", JSON.stringify(result));

/** A room with acknowledged calls: key `k<n>` is set to n. */
async function fill(storage, calls) {
  const rooms = open(storage);
  const room = await rooms.room("a");
  success(await room.write(counter));
  const writes = Array.from({ length: calls }, (_, at) => room.write(put(`k${at + 1}`, at + 1)));
  for (const result of await Promise.all(writes)) success(result);
  return { rooms, room };
}

const paramsOf = (room) => room.store.confirmed("counter").state.params;

test("calls that are written together survive a restart, in their order", async () => {
  const { folder, remove } = scratch();
  const { rooms, room } = await fill(levelStorage(folder), 20);
  const results = await Promise.all(Array.from({ length: 500 }, (_, at) => room.write(put("last", at))));
  for (const result of results) success(result);
  assert.deepEqual(
    results.map(({ revision }) => revision),
    Array.from({ length: 500 }, (_, at) => results[0].revision + at),
  );
  const document = JSON.stringify(room.store.confirmed("counter"));
  await rooms.close();
  const again = open(levelStorage(folder));
  assert.equal(JSON.stringify((await again.room("a")).store.confirmed("counter")), document);
  await again.close();
  remove();
});

test("a snapshot replaces the entries before it", async () => {
  const storage = memoryStorage();
  const { rooms, room } = await fill(storage, 3_000);
  const document = JSON.stringify(room.store.confirmed("counter"));
  const { revision } = room;
  await rooms.close();
  const kept = await storage.latest("a");
  assert.ok(kept.number >= 1_000, String(kept.number));
  let entries = 0;
  for await (const _ of storage.read("a", 0)) entries += 1;
  assert.ok(entries < revision, `${entries} entries`);
  const again = open(storage);
  const restored = await again.room("a");
  assert.equal(JSON.stringify(restored.store.confirmed("counter")), document);
  assert.equal(restored.revision, revision);
  await again.close();
});

/** Opens the room of a folder: what is served, or the error with which it is refused. */
async function served(folder) {
  const rooms = open(levelStorage(folder));
  try {
    return { room: paramsOf(await rooms.room("a")), health: await rooms.health() };
  } catch (error) {
    return { error, health: await rooms.health() };
  } finally {
    await rooms.close().catch(() => {});
  }
}

/** Copies a folder, damages the copy, and checks: all of it is served, or nothing. */
async function damaged(folder, calls, what, damage) {
  const copy = scratch();
  cpSync(folder, copy.folder, { recursive: true });
  const changed = damage(copy.folder);
  const { room, error, health } = await served(copy.folder);
  if (error === undefined) {
    for (let call = 1; call <= calls; call++) assert.equal(room[`k${call}`], call, `${what}: k${call}`);
    copy.remove();
    return "served";
  }
  assert.equal(error.code, "LOG_DAMAGED", `${what}: ${error.stack}`);
  assert.equal(health.ok, false, what);
  assert.match(health.failing.a, /log|opened|entr/i);
  if (error instanceof LogError) {
    assert.ok(error.faults.length > 0 && /entr/.test(error.message), error.message);
    const rooms = open(levelStorage(copy.folder));
    const { kept, lost } = await rooms.repair("a");
    assert.ok(lost === undefined || lost.from === kept + 1, what);
    const found = await rooms.room("a");
    const params = kept < 2 ? {} : paramsOf(found);
    // Entry 1 names the session, entry 2 creates the instance, entry n + 2 sets k<n>.
    for (let call = 1; call <= calls; call++)
      assert.equal(params[`k${call}`], call + 2 <= kept ? call : undefined, `${what}: k${call} of ${kept}`);
    success(await found.write(kept < 2 ? counter : put("after", 1)));
    await rooms.close();
  }
  copy.remove();
  return changed ?? "refused";
}

async function flipBits(calls, places, hasSnapshot) {
  const { folder, remove } = scratch();
  const storage = levelStorage(folder);
  const { rooms } = await fill(storage, calls);
  assert.equal((await storage.latest("a")) !== undefined, hasSnapshot);
  await rooms.close();
  const { below } = random(Number(process.env.SEED ?? 1));
  const files = readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size > 0 && !path.endsWith("/LOG"));
  const total = files.reduce((sum, path) => sum + statSync(path).size, 0);
  let refused = 0;
  for (let place = 0; place < places; place++) {
    let at = Math.floor(((place + 0.5) / places) * total);
    const path = files.find((path) => {
      if (at < statSync(path).size) return true;
      at -= statSync(path).size;
      return false;
    });
    const bit = below(8);
    const outcome = await damaged(folder, calls, `${path} ${at}.${bit}`, (copy) => {
      const name = join(copy, path.slice(folder.length));
      const bytes = readFileSync(name);
      bytes[at] ^= 1 << bit;
      writeFileSync(name, bytes);
    });
    if (outcome === "refused") refused += 1;
  }
  assert.ok(refused > places / 5, `${refused} of ${places} were refused`);
  remove();
}

test("one bit of the folder flipped, at 50 places: all is served, or nothing, and what is missing is named", () =>
  flipBits(300, 50, false));

test("the same with a snapshot, whose entries before it are deleted", () => flipBits(2_600, 20, true));

test("entries that a snapshot stands for are damaged: they are named, and a repair loses nothing", async () => {
  const inner = memoryStorage();
  const { rooms, room } = await fill(inner, 2_600);
  const document = JSON.stringify(paramsOf(room));
  const { revision } = room;
  await rooms.close();
  const { number } = await inner.latest("a");
  const storage = {
    ...inner,
    async *read(...all) {
      for await (const entry of inner.read(...all))
        if (entry.number < number - 300 || entry.number > number - 200)
          yield entry.number === number - 100 ? { ...entry, text: "{}" } : entry;
    },
  };
  const again = open(storage);
  await assert.rejects(again.room("a"), (error) => {
    assert.match(
      error.message,
      new RegExp(`entries ${number - 300} to ${number - 200} missing; entry ${number - 100} damaged`),
    );
    assert.match(error.message, new RegExp(`back to entry ${revision} `));
    return true;
  });
  const { kept, lost, faults } = await again.repair("a");
  assert.deepEqual({ kept, lost, faults: faults.length }, { kept: revision, lost: undefined, faults: 2 });
  assert.equal(JSON.stringify(paramsOf(await again.room("a"))), document);
  await again.close();
});

test("a file of the folder truncated or deleted", async () => {
  const calls = 200;
  const { folder, remove } = scratch();
  const { rooms } = await fill(levelStorage(folder), calls);
  await rooms.close();
  const names = readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());
  const outcomes = [];
  for (const name of names) {
    outcomes.push(await damaged(folder, calls, `${name} deleted`, (copy) => rmSync(join(copy, name))));
    const half = Math.floor(statSync(join(folder, name)).size / 2);
    if (half > 0) await damaged(folder, calls, `${name} cut`, (copy) => truncateSync(join(copy, name), half));
  }
  await damaged(folder, calls, "the database deleted", (copy) => rmSync(join(copy, "log"), { recursive: true }));
  assert.ok(outcomes.includes("refused"));
  remove();
});

/** A storage that can be made to fail: `before` the write, or `after` it has been made. */
function failing(storage) {
  const fault = { when: undefined, recoveries: 0, open: true };
  return {
    fault,
    storage: {
      ...storage,
      async append(room, expected, entries) {
        const { when } = fault;
        if (when === "before") throw new Error("ENOSPC: no space left on device");
        await storage.append(room, expected, entries);
        if (when === "after") throw new Error("EIO: the answer was lost");
      },
      async recover() {
        fault.recoveries += 1;
        if (!fault.open) throw new Error("ENOSPC: no space left on device");
        await storage.recover?.();
      },
    },
  };
}

for (const when of ["before", "after"]) {
  test(`a write that fails ${when} it is made: health tells, nothing is acknowledged, and all goes on when there is space`, async () => {
    const { folder, remove } = scratch();
    const { storage, fault } = failing(levelStorage(folder));
    const { rooms, room } = await fill(storage, 10);
    fault.when = when;
    fault.open = false;
    for (let call = 0; call < 3; call++)
      await assert.rejects(room.write(put("lost", call), { key: `call ${call}` }), /is not known|cannot be written/);
    const health = await rooms.health();
    assert.equal(health.ok, false);
    assert.match(health.failing.a, /ENOSPC|EIO/);
    fault.when = undefined;
    fault.open = true;
    // Sent again under its key, it is made once, whether or not it was written the first time.
    const again = await room.write(put("lost", 0), { key: "call 0" });
    success(again);
    assert.equal(again.again ?? false, when === "after");
    success(await room.write(put("more", 1)));
    assert.ok(fault.recoveries > 0);
    assert.equal((await rooms.health()).ok, true);
    const document = JSON.stringify(paramsOf(room));
    await rooms.close();
    const { room: params } = await served(folder);
    assert.equal(JSON.stringify(params), document);
    remove();
  });
}

test("after a failed write a log that has gone back is not written on", async () => {
  const inner = memoryStorage();
  const { storage, fault } = failing(inner);
  const { rooms, room } = await fill(storage, 10);
  fault.when = "before";
  await assert.rejects(room.write(put("x", 1)));
  await inner.cut("a", 5);
  fault.when = undefined;
  await assert.rejects(room.write(put("x", 2)));
  assert.equal((await rooms.health()).ok, false);
  const again = await rooms.room("a");
  assert.equal(again.revision, 5);
  await rooms.close();
});

test("an append that never answers has a deadline", async () => {
  const inner = memoryStorage();
  let hangs = false;
  const storage = { ...inner, append: (...all) => (hangs ? new Promise(() => {}) : inner.append(...all)) };
  const rooms = open(storage, { limits: { appendDeadline: 50 } });
  const room = await rooms.room("a");
  success(await room.write(counter));
  hangs = true;
  await assert.rejects(room.write(put("x", 1)), /did not answer within 50 ms/);
  hangs = false;
  success(await room.write(put("x", 2)));
  await rooms.close();
});

test("an entry that this version cannot apply is quarantined, and the others are served", async () => {
  const storage = memoryStorage();
  const { rooms } = await fill(storage, 3);
  await rooms.close();
  const { createHash } = await import("node:crypto");
  const entries = [];
  for await (const entry of storage.read("a", 0)) entries.push(entry);
  const last = entries.at(-1);
  const text = JSON.stringify({ kind: "of a later version" });
  const number = last.number + 1;
  const hash = createHash("sha256").update(`${last.hash}\n${number}\n${text}`).digest("hex");
  await storage.append("a", last.number, [{ number, previous: last.hash, hash, text }]);
  const again = open(storage);
  const room = await again.room("a");
  assert.equal(room.revision, number);
  success(await room.write(put("after", 1)));
  assert.match(again.metrics(), /genui_patch_quarantined_total 1\n/);
  await again.close();
});

test("one process has a folder; its files are the owner's", async () => {
  const { folder, remove } = scratch();
  const own = join(folder, "data");
  const { rooms } = await fill(levelStorage(own), 1);
  assert.equal(statSync(own).mode & 0o777, 0o700);
  assert.equal(statSync(join(own, "heads")).mode & 0o777, 0o600);
  const other = open(levelStorage(own));
  await assert.rejects(other.room("a"), { code: "STORAGE_IN_USE" });
  await rooms.close();
  assert.ok(existsSync(join(own, "heads")));
  remove();
});

test("after the file of last entries is lost, each room is refused until it is repaired, also after a restart", async () => {
  const { folder, remove } = scratch();
  const first = open(levelStorage(folder));
  for (const name of ["a", "b"]) success(await (await first.room(name)).write(counter));
  await first.close();
  rmSync(join(folder, "heads"));
  const second = open(levelStorage(folder));
  for (const name of ["a", "b"]) await assert.rejects(second.room(name), { code: "LOG_DAMAGED" });
  await second.repair("a");
  success(await (await second.room("a")).write(put("after", 1)));
  success(await (await second.room("c")).write(counter));
  await second.close();
  const third = open(levelStorage(folder));
  assert.equal(paramsOf(await third.room("a")).after, 1);
  assert.deepEqual((await third.room("c")).store.names(), ["counter"]);
  await assert.rejects(third.room("b"), { code: "LOG_DAMAGED" });
  await third.repair("b");
  assert.deepEqual((await third.room("b")).store.names(), ["counter"]);
  await third.close();
  remove();
});

test("a room that is removed is empty when it is entered again", async () => {
  for (const make of [memoryStorage, levelStorage]) {
    const { folder, remove } = scratch();
    const { rooms } = await fill(make(folder), 3);
    await rooms.remove("a");
    assert.deepEqual((await rooms.room("a")).store.names(), []);
    await rooms.close();
    remove();
  }
});
