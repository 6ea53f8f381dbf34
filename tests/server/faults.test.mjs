/** Faults of storages: nothing wrong is served, what is lost is named, and pages come to the server's state by themselves. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect, PatchStore } from "genui-patch";
import { createRooms, levelStorage, memoryStorage } from "genui-patch/server";
import WebSocket from "ws";
import { counter, scratch, until } from "./harness.mjs";
import { bearer, callMcp, openSocket, startRooms } from "./rooms.mjs";

const success = (result) => assert.equal(result.status, "success", JSON.stringify(result));
const add = (value) => ({ instance_name: "counter", patches: [{ op: "add", path: "state.params.list.-", value }] });
const list = { ...counter, patches: [{ op: "set", path: "state.params.list", value: [] }] };

/** A page that counts the calls that it sends, with a listener for presence. */
function openPage({ ws }) {
  const store = new PatchStore();
  const page = { store, sent: 0, presence: undefined, socket: undefined, results: [] };
  const make = () => {
    const socket = new WebSocket(`${ws}/rooms/a`, { headers: bearer("ann:editor") });
    const send = socket.send.bind(socket);
    socket.send = (text) => {
      if (JSON.parse(text).type === "call") page.sent += 1;
      send(text);
    };
    page.socket = socket;
    return socket;
  };
  const onMessage = ({ type, people }) => {
    if (type === "presence") page.presence = people[0]?.state;
  };
  const onResult = (result, message) => page.results.push({ result, message });
  page.connection = connect(store, make, { backoff: 20, timeout: 2_000, onMessage, onResult });
  return page;
}

test("an append fails while later calls of the same page wait: all are made, in their order", async (context) => {
  for (const when of ["before", "after"]) {
    const inner = memoryStorage();
    let gate;
    const append = async (...all) => {
      const { promise, fail } = gate ?? {};
      gate = undefined;
      if (when === "after") await inner.append(...all);
      if (promise !== undefined) {
        fail.isReached = true;
        await promise;
      }
      if (when === "before") await inner.append(...all);
    };
    const server = await startRooms({ storage: { ...inner, append } });
    context.after(() => server.close());
    const room = await server.rooms.room("a");
    success(await room.write(list));
    const page = openPage(server);
    const { store, connection, results } = page;
    await until(() => store.snapshot("counter"), "the page has its document");
    for (let round = 0; round < 3; round++) {
      const fail = {};
      const promise = new Promise((_, reject) => Object.assign(fail, { reject }));
      promise.catch(() => {});
      gate = { promise, fail };
      const before = page.sent;
      success(store.applyOptimistic(add(`${round}a`)));
      await until(() => fail.isReached, "the append is under way");
      for (const key of "bcd") success(store.applyOptimistic(add(round + key)));
      await until(() => page.sent === before + 4, "the calls are sent");
      // The presence is sent after the calls, so that they have arrived when it is answered.
      page.socket.send(JSON.stringify({ type: "presence", state: round }));
      await until(() => page.presence === round, "the calls have arrived");
      fail.reject(new Error("ENOSPC: no space left on device"));
      await until(() => store.pending().length === 0, "all calls are settled");
    }
    const wanted = [0, 1, 2].flatMap((round) => [..."abcd"].map((key) => round + key));
    assert.deepEqual(room.store.confirmed("counter").state.params.list, wanted);
    assert.deepEqual(store.confirmed("counter").state.params.list, wanted);
    assert.deepEqual(
      results.filter(({ message }) => message.type === "reject"),
      [],
    );
    connection.close();
  }
});

test("an agent is told that it is not known whether a call was written, and a key makes it once", async (context) => {
  const inner = memoryStorage();
  let fails = false;
  const append = async (...all) => {
    await inner.append(...all);
    if (fails) throw new Error("EIO: the answer was lost");
  };
  const server = await startRooms({ storage: { ...inner, append } });
  context.after(() => server.close());
  const room = await server.rooms.room("a");
  success(await room.write(list));
  fails = true;
  const send = () => callMcp(server, "a", "bob:editor", "patch_ui_state", add("x"), { "idempotency-key": "1" });
  const { status, error } = await send();
  fails = false;
  assert.equal(status, "error");
  assert.equal(error.code, "STORAGE_FAILED");
  assert.match(`${error.message} ${error.solution}`, /not known.*EIO.*idempotency key/);
  assert.doesNotMatch(error.solution, /Nothing was changed/);
  success(await send());
  assert.deepEqual(room.store.confirmed("counter").state.params.list, ["x"]);
});

test("a server that has not heard of a proposal yet looks for it before it says that there is none", async (context) => {
  const inner = memoryStorage();
  // The watch of the second server never reports, so it learns of entries by reading alone.
  const storages = [inner, { ...inner, watch: () => () => {} }];
  const servers = await Promise.all(storages.map((storage) => startRooms({ storage })));
  context.after(() => Promise.all(servers.map((server) => server.close())));
  const [first, second] = await Promise.all(servers.map((server) => server.rooms.room("a")));
  success(await first.write(list));
  const page = openPage(servers[1]);
  await until(() => page.connection.status === "open", "the page has joined");
  for (const decide of ["approve", "refuse"]) {
    const { proposal } = await first.propose(add(decide));
    success(await page.connection[decide](proposal.id));
  }
  assert.deepEqual(second.store.confirmed("counter").state.params.list, ["approve"]);
  page.connection.close();
});

/** A folder on a file system of a few megabytes; `undefined` where this process may not mount one. */
function mountSmall(folder) {
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=6m", "tmpfs", folder]);
  return status === 0 ? () => spawnSync("umount", ["-l", folder]) : undefined;
}

test("a disk that is full for a while: nothing acknowledged is lost, and pages go on by themselves", async (context) => {
  const { folder, remove } = scratch();
  const unmount = mountSmall(folder);
  if (unmount === undefined) {
    remove();
    context.skip("this process may not mount a small disk");
    return;
  }
  const data = join(folder, "data");
  const ballast = join(folder, "ballast");
  const server = await startRooms({ storage: levelStorage(data) });
  context.after(async () => {
    await server.close();
    unmount();
    remove();
  });
  const room = await server.rooms.room("a");
  success(await room.write(list));
  const { store, connection, results } = openPage(server);
  await until(() => store.snapshot("counter"), "the page has its document");
  const acknowledged = [];
  const wanted = [];
  for (let round = 0; round < 3; round++) {
    fillDisk(ballast);
    let failures = 0;
    for (let count = 0; failures < 5; count++) {
      const key = `${round}.${count}`;
      const { status } = await room
        .write(add(`${key} ${"x".repeat(2_000)}`), { key })
        .catch(() => ({ status: "failed" }));
      if (status === "success") acknowledged.push(key);
      else failures += 1;
      if (count % 10 === 0 && store.pending().length < 5) {
        success(store.applyOptimistic(add(`page ${key}`)));
        wanted.push(`page ${key}`);
      }
      assert.ok(count < 20_000, "the disk is full");
    }
    const health = await server.rooms.health();
    assert.equal(health.ok, false);
    rmSync(ballast);
    await until(() => store.pending().length === 0, "the page's calls are made");
    await until(async () => (await server.rooms.health()).ok, "health tells that all is well");
  }
  const made = room.store.confirmed("counter").state.params.list;
  for (const key of acknowledged) assert.equal(made.filter((text) => text.startsWith(`${key} `)).length, 1, key);
  assert.deepEqual(
    made.filter((text) => text.startsWith("page")),
    wanted,
  );
  assert.deepEqual(
    results.filter(({ message }) => message.type === "reject"),
    [],
  );
  connection.close();
  await server.rooms.close();
  const again = createRooms({ storage: levelStorage(data), authorize: () => null });
  assert.deepEqual((await again.room("a")).store.confirmed("counter").state.params.list, made);
  await again.close();
});

test("a part of a snapshot finds no space: what is acknowledged afterwards survives a restart", async (context) => {
  const { folder, remove } = scratch();
  const unmount = mountSmall(folder);
  if (unmount === undefined) {
    remove();
    context.skip("this process may not mount a small disk");
    return;
  }
  context.after(() => {
    unmount();
    remove();
  });
  const data = join(folder, "data");
  const ballast = join(folder, "ballast");
  const entry = (number) => ({ number, previous: `h${number - 1}`, hash: `h${number}`, text: "x".repeat(300) });
  let storage = levelStorage(data);
  let last = 0;
  const append = async (count) => {
    for (const end = last + count; last < end; last++) await storage.append("a", last, [entry(last + 1)]);
  };
  await append(20);
  for (const write of [
    () => storage.writePart("a", { number: 20, id: "own-0" }, randomBytes(2_000_000).toString("base64")),
    () =>
      storage.snapshot(
        "a",
        { number: 20, hash: "h20", text: randomBytes(2_000_000).toString("base64"), digest: "d" },
        0,
      ),
  ]) {
    // A part of what is written finds space.
    fillDisk(ballast);
    truncateSync(ballast, statSync(ballast).size - 500_000);
    await assert.rejects(write(), /No space/);
    rmSync(ballast);
    await append(20);
  }
  await storage.close();
  storage = levelStorage(data);
  const numbers = [];
  for await (const { number } of storage.read("a", 0)) numbers.push(number);
  assert.deepEqual(
    numbers,
    Array.from({ length: last }, (_, at) => at + 1),
  );
  await storage.close();
});

/** Leaves no byte. */
function fillDisk(path) {
  const file = openSync(path, "w");
  try {
    for (let size = 64 * 1024; size > 0; size = Math.floor(size / 2)) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size));
      } catch (error) {
        assert.equal(error.code, "ENOSPC");
      }
    }
  } finally {
    closeSync(file);
  }
}

test("a snapshot that fails at once is reported, and the room goes on", async () => {
  const snapshot = () => {
    throw new RangeError("Invalid string length");
  };
  const server = await startRooms({ storage: { ...memoryStorage(), snapshot } });
  const room = await server.rooms.room("a");
  success(await room.write(list));
  const many = await Promise.all(Array.from({ length: 1_500 }, (_, at) => room.write(add(at))));
  for (const result of many) success(result);
  await until(() => server.errors.length > 0, "it is reported");
  assert.deepEqual(server.errors, ["a: Invalid string length"]);
  success(await room.write(add("after")));
  await server.close();
});

test("a room that cannot be loaded is reported once, whoever waits for it", async (context) => {
  let fail;
  const latest = () =>
    new Promise((_, reject) => {
      fail = () => reject(new Error("EIO: the disk is gone"));
    });
  let entering;
  const open = () => {
    entering += 1;
    return {};
  };
  const server = await startRooms({ storage: { ...memoryStorage(), latest }, open });
  context.after(() => server.close());
  for (const _ of [1, 2]) {
    entering = 0;
    const pages = await Promise.all([1, 2].map(() => openSocket(server, "/rooms/a", { token: "ann:editor" })));
    const agent = callMcp(server, "a", "bob:agent", "patch_ui_state", list);
    const failed = assert.rejects(server.rooms.room("a"), /the disk is gone/);
    await until(() => entering === 4, "all wait for the room");
    fail();
    await failed;
    assert.deepEqual(await Promise.all(pages.map(({ closed }) => closed)), [1013, 1013]);
    assert.deepEqual(await agent, { status: 500 });
  }
  assert.deepEqual(server.errors, Array(2).fill("a: EIO: the disk is gone"));
});

test("close waits for the rooms that are being loaded or unloaded", async () => {
  for (const order of [
    ["latest", "append"],
    ["append", "latest"],
  ]) {
    const inner = memoryStorage();
    const calls = [];
    const gates = {};
    const hold = (name) => {
      return async (...all) => {
        if (gates[name] !== undefined) {
          calls.push(`${name} begins`);
          await gates[name].promise;
          calls.push(`${name} ends`);
        }
        return inner[name](...all);
      };
    };
    const close = () => calls.push("close");
    const server = await startRooms({
      storage: { ...inner, latest: hold("latest"), append: hold("append"), close },
    });
    const room = await server.rooms.room("a");
    for (const name of order) {
      gates[name] = {};
      gates[name].promise = new Promise((resolve) => {
        gates[name].open = resolve;
      });
    }
    const written = room.write(list);
    await until(() => calls.includes("append begins"), "a call of the first room is being written");
    const unloaded = room.close();
    const refused = assert.rejects(server.rooms.room("b"), { code: "ROOM_CLOSED" });
    await until(() => calls.includes("latest begins"), "the second room is being loaded");
    const closed = server.close();
    for (const name of order) {
      gates[name].open();
      await (name === "latest" ? refused : Promise.all([written, unloaded]));
      // The storage is closed by now if nothing else is waited for.
      await new Promise(setImmediate);
    }
    success(await written);
    await closed;
    assert.deepEqual(calls.slice(2), [`${order[0]} ends`, `${order[1]} ends`, "close"]);
    assert.deepEqual(server.errors, ["b: The server ends."]);
  }
});
