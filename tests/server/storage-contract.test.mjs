/** The contract of `RoomStorage`, tested on each storage: those of the package, and the examples on real servers. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createRooms } from "genui-patch/server";
import { counter, put, until } from "./harness.mjs";
import { names, openStorage, shared, skipped, startPlace } from "./storages.mjs";

const hash = (number, by) => `${by}${number}`.padStart(64, "0");

/** Entries with these numbers, by one of several writers. The storage does not check hashes. */
const entries = (
  first,
  last,
  by = "a",
  text = (number) => JSON.stringify({ number, by, text: "é \u0000 \u2028 \\" }),
) =>
  Array.from({ length: last - first + 1 }, (_, at) => {
    const number = first + at;
    return { number, previous: number === 1 ? "" : hash(number - 1, by), hash: hash(number, by), text: text(number) };
  });

async function all(storage, room, after = 0) {
  const found = [];
  for await (const { number, previous, hash: own, text } of storage.read(room, after))
    found.push({ number, previous, hash: own, text });
  return found;
}

/** A snapshot of the state after an entry, as a server writes it. */
function snapshotOf(number, text = `{"at":${number}}`) {
  const of = hash(number, "a");
  return { number, hash: of, text, digest: createHash("sha256").update(`${number}\n${of}\n${text}`).digest("hex") };
}

const stale = { code: "STALE_APPEND" };

/** Each test has rooms of its own on one server. `room` has the characters that names of rooms may have. */
const facts = {
  "a room without a log is empty": async ({ storage, room }) => {
    assert.deepEqual(await all(storage, room), []);
    assert.equal(await storage.latest(room), undefined);
    assert.equal(await storage.head?.(room), undefined);
    await storage.remove(room);
  },

  "entries are read in order, from any number on, as they were written": async ({ storage, room }) => {
    const written = entries(1, 1_205);
    await storage.append(room, 0, written.slice(0, 3));
    await storage.append(room, 3, written.slice(3, 5));
    await storage.append(room, 5, written.slice(5));
    assert.deepEqual(await all(storage, room), written);
    for (const after of [1, 3, 4, 100, 1_204, 1_205, 9_999])
      assert.deepEqual(await all(storage, room, after), written.slice(after), `after ${after}`);
  },

  "an append that does not follow the last entry is stale, and changes nothing": async ({ storage, room }) => {
    await assert.rejects(storage.append(room, 4, entries(5, 6)), stale);
    await storage.append(room, 0, entries(1, 3));
    for (const expected of [0, 1, 2, 4, 100])
      await assert.rejects(
        storage.append(room, expected, entries(expected + 1, expected + 4, "b")),
        stale,
        String(expected),
      );
    assert.deepEqual(await all(storage, room), entries(1, 3));
    await storage.append(room, 3, entries(4, 4));
    assert.equal((await all(storage, room)).length, 4);
  },

  "of appends at once after the same entry one is made, all of it": async ({ storage, room, other }) => {
    await storage.append(room, 0, entries(1, 1));
    await all(other, room);
    for (let last = 1; last < 40; ) {
      const writers = ["b", "c", "d", "e", "f", "g"];
      const lengths = writers.map((_, at) => 1 + ((at + last) % 3));
      const outcomes = await Promise.allSettled(
        writers.map((by, at) => [storage, other][at % 2].append(room, last, entries(last + 1, last + lengths[at], by))),
      );
      const made = outcomes.flatMap(({ status }, at) => (status === "fulfilled" ? [at] : []));
      for (const { reason } of outcomes)
        assert.ok(reason === undefined || reason.code === "STALE_APPEND", reason?.stack);
      assert.equal(made.length, 1, JSON.stringify(made));
      const [winner] = made;
      const found = await all(storage, room, last);
      assert.deepEqual(found, entries(last + 1, last + lengths[winner], writers[winner]));
      assert.deepEqual(await all(other, room, last), found);
      last += lengths[winner];
    }
  },

  "rooms do not touch each other": async ({ storage, room }) => {
    const rooms = [room, `${room}-`, `${room}.e`, `${room}~`, `${room}0`, `a${room}`, room.toUpperCase()];
    await Promise.all(rooms.map((name, at) => storage.append(name, 0, entries(1, at + 1, `w${at}`))));
    await storage.snapshot(rooms[2], snapshotOf(3), 0);
    await storage.remove(rooms[0]);
    await storage.cut(rooms[1], 1);
    for (const [at, name] of rooms.entries())
      assert.deepEqual(await all(storage, name), at === 0 ? [] : entries(1, at === 1 ? 1 : at + 1, `w${at}`), name);
    assert.equal(await storage.latest(rooms[1]), undefined);
  },

  "a snapshot is the latest; entries that it may forget are gone or are as they were": async ({ storage, room }) => {
    await storage.append(room, 0, entries(1, 30));
    const long = JSON.stringify({ long: "é\u2028".repeat(400_000) });
    for (const [number, forget, text] of [
      [10, 0, "{}"],
      [20, 5, long],
      [30, 12, "[]"],
    ]) {
      await storage.snapshot(room, snapshotOf(number, text), forget);
      const { number: found, hash: own, text: read, digest } = await storage.latest(room);
      assert.deepEqual({ number: found, hash: own, text: read, digest }, snapshotOf(number, text));
      assert.deepEqual(await all(storage, room, forget), entries(forget + 1, 30));
    }
    // A server that was slow to write its snapshot: the entries after an older one may be gone.
    await storage.snapshot(room, snapshotOf(10, "{}"), 0);
    assert.equal((await storage.latest(room)).number, 30);
    assert.deepEqual(await all(storage, room, 12), entries(13, 30));
    await storage.append(room, 30, entries(31, 32));
    assert.deepEqual(await all(storage, room, 30), entries(31, 32));
  },

  "a part is read as it was written, whatever its characters": async ({ storage, other, room }) => {
    const texts = {
      empty: "",
      short: "\ufeff \\ ' \" \r\n \ufeff",
      // Characters of one to four bytes, none of which a storage may cut in two.
      long: `x${"😀".repeat(300_000)}${"é中x".repeat(200_000)}`,
    };
    for (const [id, text] of Object.entries(texts)) await storage.writePart(room, { number: 3, id }, text);
    for (const [id, text] of Object.entries(texts))
      assert.ok((await other.readPart(room, { number: 3, id })) === text, id);
    for (const key of [
      { number: 3, id: "none" },
      { number: 4, id: "long" },
    ])
      assert.equal(await other.readPart(`${room}-`, key), undefined);
    assert.equal(await storage.latest(room), undefined, "no snapshot names them");
  },

  "parts stay while their snapshot is the latest, or is written; those of older ones are deleted": async ({
    storage,
    other,
    room,
  }) => {
    const write = async (number, by) => {
      const keys = ["a", "b", "c"].map((part) => ({ number, id: `${by}${number}-${part}` }));
      for (const key of keys) await storage.writePart(room, key, `${number} ${key.id}`);
      return keys;
    };
    const check = async (keys, isThere) => {
      for (const key of keys)
        assert.equal(await other.readPart(room, key), isThere ? `${key.number} ${key.id}` : undefined, key.id);
    };
    await storage.append(room, 0, entries(1, 30));
    const [ten, twenty, thirty] = [await write(10, "one"), await write(20, "one"), await write(30, "one")];
    await storage.snapshot(room, snapshotOf(10), 0);
    for (const keys of [ten, twenty, thirty]) await check(keys, true);
    await storage.snapshot(room, snapshotOf(20), 0);
    await check(ten, false);
    for (const keys of [twenty, thirty]) await check(keys, true);
    // Two servers write the snapshot of the same entry at once.
    const again = await write(20, "two");
    await storage.snapshot(room, snapshotOf(20, "[]"), 0);
    for (const keys of [twenty, again, thirty]) await check(keys, true);
    // A server that was slow.
    const late = await write(15, "two");
    await storage.snapshot(room, snapshotOf(15), 0);
    assert.equal((await storage.latest(room)).number, 20);
    for (const keys of [again, thirty]) await check(keys, true);
    await storage.snapshot(room, snapshotOf(30), 0);
    for (const keys of [twenty, again, late]) await check(keys, false);
    await check(thirty, true);
    await storage.cut(room, 30);
    await check(thirty, true);
    await storage.cut(room, 5);
    await check(thirty, false);
    const last = await write(0, "two");
    await storage.remove(room);
    await check(last, false);
  },

  "a snapshot that is written again, as a repair does, stays, and entries are forgotten": async ({ storage, room }) => {
    await storage.append(room, 0, entries(1, 12));
    const key = { number: 9, id: "a-0" };
    await storage.writePart(room, key, "text");
    await storage.snapshot(room, snapshotOf(9), 0);
    await storage.snapshot(room, snapshotOf(9), 9);
    assert.equal((await storage.latest(room)).number, 9);
    assert.equal(await storage.readPart(room, key), "text");
    assert.deepEqual(await all(storage, room, 9), entries(10, 12));
  },

  "the log goes on after a snapshot that took the place of all its entries": async ({ storage, other, room }) => {
    await storage.append(room, 0, entries(1, 6));
    await storage.snapshot(room, snapshotOf(6), 6);
    assert.deepEqual(await all(other, room, 6), []);
    await assert.rejects(other.append(room, 0, entries(1, 1, "b")), stale);
    await assert.rejects(other.append(room, 7, entries(8, 8, "b")), stale);
    await all(other, room, 6);
    await other.append(room, 6, entries(7, 8));
    assert.deepEqual(await all(storage, room, 6), entries(7, 8));
  },

  "a log is cut back to an entry, and goes on from there": async ({ storage, room }) => {
    await storage.append(room, 0, entries(1, 12));
    await storage.snapshot(room, snapshotOf(10), 2);
    await storage.cut(room, 11);
    assert.equal((await storage.latest(room)).number, 10);
    await storage.cut(room, 7);
    assert.equal(await storage.latest(room), undefined);
    assert.deepEqual(await all(storage, room, 2), entries(3, 7));
    await assert.rejects(storage.append(room, 11, entries(12, 12)), stale);
    await storage.append(room, 7, entries(8, 9, "b"));
    assert.deepEqual(await all(storage, room, 7), entries(8, 9, "b"));
    await storage.cut(room, 0);
    await storage.append(room, 0, entries(1, 1, "c"));
    assert.deepEqual(await all(storage, room), entries(1, 1, "c"));
  },

  "a room that is removed begins anew": async ({ storage, room }) => {
    await storage.append(room, 0, entries(1, 9));
    await storage.snapshot(room, snapshotOf(9), 4);
    await storage.remove(room);
    assert.deepEqual(await all(storage, room), []);
    assert.equal(await storage.latest(room), undefined);
    assert.equal(await storage.head?.(room), undefined);
    await storage.append(room, 0, entries(1, 2, "b"));
    assert.deepEqual(await all(storage, room), entries(1, 2, "b"));
  },

  "the head, where there is one, is the last entry": async ({ storage, room }) => {
    if (storage.head === undefined) return;
    await storage.append(room, 0, entries(1, 4));
    await storage.append(room, 4, entries(5, 6));
    const { number, hash: own } = await storage.head(room);
    assert.deepEqual({ number, own }, { number: 6, own: hash(6, "a") });
    await storage.cut(room, 3);
    const { number: last = 3 } = (await storage.head(room)) ?? {};
    assert.equal(last, 3);
  },

  "rooms of servers survive a restart": async ({ storage, room }) => {
    const open = () =>
      createRooms({ storage: { ...storage, close: undefined }, authorize: () => null, onError: assert.ifError });
    let rooms = open();
    const first = await rooms.room(room);
    assert.equal((await first.write(counter)).status, "success");
    for (let batch = 0; batch < 3; batch++) {
      const writes = Array.from({ length: 1_000 }, (_, at) => first.write(put(`k${at % 100}`, batch * 1_000 + at)));
      for (const { status } of await Promise.all(writes)) assert.equal(status, "success");
    }
    await until(async () => (await storage.latest(room)) !== undefined, "a snapshot is there");
    const document = JSON.stringify(first.store.confirmed("counter"));
    await rooms.close();
    rooms = open();
    const again = await rooms.room(room);
    assert.equal(again.revision, 3_002);
    assert.equal(JSON.stringify(again.store.confirmed("counter")), document);
    await rooms.close();
  },
};

/**
 * A server ends before the first, the second or the last part of a snapshot: the snapshot before is whole, and all acknowledged calls
 * are there. The next snapshot deletes the leftover parts.
 */
async function isWholeAfterFaults({ storage, room }) {
  const written = [];
  let left = Number.POSITIVE_INFINITY;
  const failing = {
    ...storage,
    close: undefined,
    async writePart(own, part, text) {
      left -= 1;
      if (left < 0) throw new Error("EIO: the server ends");
      await storage.writePart(own, part, text);
      written.push(part);
    },
  };
  const open = () => {
    const errors = [];
    const onError = (error) => errors.push(error.message);
    return { rooms: createRooms({ storage: failing, authorize: () => null, onError }), errors };
  };
  const names = ["one", "two", "three"];
  /** Writes until something is so. A room tries a snapshot after 1,000 entries, if they are as long as the last one. */
  const fill = async (own, isOver) => {
    for (let round = 0; !(await isOver()); round++) {
      const calls = Array.from({ length: 400 }, (_, at) => put("filler", `${round} ${at} é`.padEnd(1_500), "one"));
      for (const result of await Promise.all(calls.map((call) => own.write(call))))
        assert.equal(result.status, "success", JSON.stringify(result));
      // Without a storage that answers later, nothing else would run.
      await new Promise(setImmediate);
    }
  };
  const latest = async () => (await storage.latest(room))?.number ?? 0;
  let { rooms, errors } = open();
  let own = await rooms.room(room);
  for (const name of names) {
    await own.write({ ...counter, new_instance_name: name });
    await own.write(put("text", "é\u2028".repeat(150_000), name));
  }
  await fill(own, async () => (await latest()) > 0);
  await rooms.close();
  const first = await latest();
  const parts = written.filter(({ number }) => number === first).length;
  assert.ok(parts >= names.length, `${parts} parts`);
  for (const at of [0, 1, parts - 1]) {
    left = at;
    ({ rooms, errors } = open());
    own = await rooms.room(room);
    await fill(own, () => errors.length > 0);
    const documents = names.map((name) => JSON.stringify(own.store.confirmed(name)));
    await rooms.close();
    assert.match(errors.join(), /EIO/);
    assert.equal(await latest(), first, "the snapshot is the one before");
    ({ rooms } = open());
    own = await rooms.room(room);
    assert.deepEqual(
      names.map((name) => JSON.stringify(own.store.confirmed(name))),
      documents,
    );
    await rooms.close();
  }
  const old = written.splice(0);
  left = Number.POSITIVE_INFINITY;
  ({ rooms } = open());
  own = await rooms.room(room);
  await fill(own, async () => (await latest()) > first);
  await rooms.close();
  for (const key of old) assert.equal(await storage.readPart(room, key), undefined, `${key.number} ${key.id}`);
}

for (const name of names)
  test(`the storage ${name}`, { skip: skipped(name) }, async (context) => {
    const server = await startPlace(name);
    const first = await openStorage(name, server.place);
    const second = shared.includes(name) ? await openStorage(name, server.place) : first;
    try {
      for (const [at, [fact, check]] of Object.entries(facts).entries())
        await context.test(fact, () => check({ storage: first.storage, other: second.storage, room: `R.oom~_-${at}` }));
      await context.test(
        "a server that ends between two parts leaves the snapshot before, and the next one deletes them",
        () => isWholeAfterFaults({ storage: first.storage, room: "faults" }),
      );
      const fact = "an append is told to other servers that watch the room, and not to those that have stopped";
      if (shared.includes(name)) await context.test(fact, () => isTold(first.storage, second.storage));
      if (shared.includes(name))
        await context.test("a server that was killed has all that it has acknowledged", () =>
          isDurable(first.storage, (between) => server.restart("SIGKILL", between)),
        );
      if (shared.includes(name))
        await context.test("a server that was killed between two parts has those before, and the snapshot before", () =>
          hasParts(first.storage, (between) => server.restart("SIGKILL", between)),
        );
    } finally {
      for (const { storage, disconnect } of new Set([first, second])) {
        await storage.close?.();
        await disconnect();
      }
      await server.end();
    }
  });

/** The server of the storage is killed after an append was acknowledged. */
async function isDurable(storage, kill) {
  for (let last = 0; last < 60; last += 3) {
    await storage.append("killed", last, entries(last + 1, last + 3));
    if (last % 30 > 0) continue;
    await kill();
    const found = () => all(storage, "killed").catch(() => []);
    await until(async () => (await found()).length === last + 3, `${last + 3} entries are there`);
  }
}

/** The server of the storage is killed between two parts, and before the snapshot that names them. */
async function hasParts(storage, kill) {
  const room = "killed-parts";
  const text = "é".repeat(700_000);
  const again = async (run) => {
    await kill();
    return until(() => run().catch(() => false), "the storage answers again");
  };
  await storage.append(room, 0, entries(1, 20));
  await storage.writePart(room, { number: 10, id: "ten" }, text);
  await storage.snapshot(room, snapshotOf(10), 0);
  for (const at of [0, 1, 2]) {
    await storage.writePart(room, { number: 20, id: `twenty-${at}` }, text + at);
    await again(async () => (await storage.latest(room)).number === 10);
    assert.ok((await storage.readPart(room, { number: 10, id: "ten" })) === text);
  }
  for (const at of [0, 1, 2])
    assert.ok((await storage.readPart(room, { number: 20, id: `twenty-${at}` })) === text + at);
  await storage.snapshot(room, snapshotOf(20), 0);
  await again(async () => (await storage.latest(room)).number === 20);
  assert.ok((await storage.readPart(room, { number: 20, id: "twenty-1" })) === `${text}1`);
  assert.equal(await storage.readPart(room, { number: 10, id: "ten" }), undefined);
}

/** A listener reads what is new; the last entry that it has read is reached by being told alone. */
async function isTold(storage, other) {
  let last = 0;
  const calls = { watched: 0, left: 0 };
  const unwatch = other.watch("watched", async () => {
    calls.watched += 1;
    for (const { number } of await all(other, "watched", last)) last = Math.max(last, number);
  });
  other.watch("left", () => {
    calls.left += 1;
  })();
  for (let number = 1; number <= 5; number++) {
    await storage.append("watched", number - 1, entries(number, number));
    await until(() => last === number, `entry ${number} is told`);
  }
  const seen = calls.left;
  await storage.append("left", 0, entries(1, 1));
  await storage.append("watched", 5, entries(6, 6));
  await until(() => last === 6, "an entry is told after the other room's");
  assert.equal(calls.left, seen);
  unwatch();
}
