/** Busy rooms on two servers: each server gets to write, every request is answered, and logs are not read more often than needed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createRooms, memoryStorage } from "genui-patch/server";
import { counter, put, until } from "./harness.mjs";
import { authorize, callMcp, openSocket, startRooms } from "./rooms.mjs";

/** A storage that servers share, whose requests take a while, as over a network. */
function overNetwork(storage = memoryStorage()) {
  const counts = { appends: 0, reads: 0 };
  const tellers = new Set();
  /** Resolved when reads go on. */
  let gate = Promise.resolve();
  return {
    counts,
    /** Holds up all reads, until the function that is returned is called. */
    hold() {
      let release;
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    tell: () => {
      for (const tell of tellers) tell();
    },
    storage: {
      ...storage,
      async *read(room, after) {
        counts.reads += 1;
        await wait(2);
        await gate;
        yield* storage.read(room, after);
      },
      async append(room, expected, entries) {
        await wait(2);
        await storage.append(room, expected, entries);
        counts.appends += 1;
      },
      watch(_, tell) {
        tellers.add(tell);
        return () => tellers.delete(tell);
      },
    },
  };
}

test("a server that writes without a pause leaves others a turn", async () => {
  const { storage, counts } = overNetwork();
  const [busy, other] = [0, 1].map(() => createRooms({ storage, authorize }));
  const room = await busy.room("shared");
  await room.write(counter);
  const second = await other.room("shared");
  const before = counts.appends;
  let isOver = false;
  const writing = [0, 1, 2, 3].map(async (at) => {
    // Each has always a call that waits, so that an append follows the one before at once.
    for (let count = 0; !isOver && counts.appends < before + 3_000; count++) await room.write(put(`busy${at}`, count));
  });
  const result = await Promise.race([second.write(put("other", 1)), Promise.all(writing).then(() => "never")]);
  isOver = true;
  await Promise.all(writing);
  assert.equal(
    result.status,
    "success",
    `not written while the other server appended ${counts.appends - before} times`,
  );
  await Promise.all([busy.close(), other.close()]);
});

test("a server that is told of changes while it reads the log reads it once more, however often it is told", async () => {
  const { storage, counts, hold, tell } = overNetwork();
  const rooms = createRooms({ storage, authorize });
  const room = await rooms.room("told");
  await room.write(counter);
  const release = hold();
  const before = counts.reads;
  for (let count = 0; count < 200; count++) tell();
  await until(() => counts.reads > before, "the log is read");
  for (let count = 0; count < 200; count++) tell();
  release();
  assert.equal((await room.write(put("a", 1))).status, "success");
  assert.ok(counts.reads - before <= 2, `${counts.reads - before} reads`);
  await rooms.close();
});

test("who reads or comes back does not wait until a busy room is idle", async () => {
  const inner = memoryStorage();
  let appends = 0;
  const append = async (...all) => {
    await wait(2);
    await inner.append(...all);
    appends += 1;
  };
  const server = await startRooms({ storage: { ...inner, append } });
  const room = await server.rooms.room("busy");
  await room.write(counter);
  let isOver = false;
  const most = appends + 3_000;
  const writers = [0, 1, 2, 3].map(async (at) => {
    // One call is added while the one before is written, so that the queue is never empty.
    for (let count = 0, last; !isOver && appends < most; count++) {
      const next = room.write(put(`busy${at}`, count));
      await last;
      last = next;
    }
  });
  const never = Promise.all(writers).then(() => ({ status: "never" }));
  const read = callMcp(server, "busy", "bob:agent", "get_schema", { instance_name: "counter" });
  assert.equal((await Promise.race([read, never])).status, "success");
  const { send, messages, socket } = await openSocket(server, "/rooms/busy", { token: "ann:editor" });
  send({ type: "resume", revision: null, session: "", pending: ["page-1"] });
  const isAnswered = until(() => isOver || messages.some(({ type }) => type === "snapshot"), "the page is answered");
  assert.equal(await Promise.race([isAnswered.then(() => "answered"), never]), "answered");
  isOver = true;
  await Promise.all(writers);
  socket.close();
  await server.close();
});

test("a page that approves hundreds of proposals at once does not hold up the server", async () => {
  const { storage } = overNetwork();
  const server = await startRooms({ storage });
  const { send, messages, socket } = await openSocket(server, "/rooms/many", { token: "ann:editor" });
  send({ type: "resume", revision: null, session: "", pending: [] });
  for (let request = 1; request <= 300; request++) send({ type: "approve", proposal: `none${request}`, request });
  await until(() => messages.filter(({ type }) => type === "answer").length === 300, "all are answered");
  socket.close();
  await server.close();
});
