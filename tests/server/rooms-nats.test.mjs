/** Rooms on NATS JetStream: two servers share them, and a broker that goes back is noticed. */
import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { connect } from "@nats-io/transport-node";
import { createRooms, natsStorage } from "genui-patch/server";
import { findNats, startBroker } from "../../scripts/lib/nats.mjs";
import { freePort } from "../support/site.mjs";
import { counter, put, scratch, until } from "./harness.mjs";
import { callMcp, joinPage, startRooms } from "./rooms.mjs";

const skip = findNats() === undefined && "nats-server is not here";
const success = (result) => assert.equal(result.status, "success", JSON.stringify(result));
const same = (one, other) => JSON.stringify(one.confirmed("counter")) === JSON.stringify(other.confirmed("counter"));

async function withBroker(run) {
  const { folder, remove } = scratch();
  const port = await freePort();
  let broker = await startBroker(folder, port);
  const restart = async (between) => {
    await broker.end();
    between(join(folder, "streams"), join(folder, "copy"));
    broker = await startBroker(folder, port);
  };
  const connections = [];
  const storage = async () => {
    const connection = await connect({ servers: broker.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
    connections.push(connection);
    return natsStorage(connection);
  };
  try {
    await run(storage, connections, restart);
  } finally {
    for (const connection of connections) await connection.close();
    await broker.end();
    remove();
  }
}

test("a snapshot that forgets nothing deletes nothing, also of what a stream begins with", { skip }, async () => {
  const text = "x".repeat(1_000_000);
  for (const count of [0, 3])
    await withBroker(async (open) => {
      const storage = await open();
      const entries = [];
      for (let number = 1; number <= count; number++)
        entries.push({ number, previous: `h${number - 1}`, hash: `h${number}`, text: `entry ${number}` });
      for (const entry of entries) await storage.append("a", entry.number - 1, [entry]);
      const part = { number: count, id: "own-0" };
      await storage.writePart("a", part, text);
      const snapshot = { number: count, hash: `h${count}`, text: "a list", digest: "d" };
      await storage.snapshot("a", snapshot, 0);
      const kept = [];
      for await (const entry of storage.read("a", 0)) kept.push(entry);
      assert.deepEqual(kept, entries);
      assert.deepEqual(await storage.latest("a"), snapshot);
      assert.ok((await storage.readPart("a", part)) === text);
    });
});

test("the snapshot of an earlier version, cut into messages, is read, repaired, and replaced", { skip }, () =>
  withBroker(async (open, connections) => {
    const storage = await open();
    const [connection] = connections;
    const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
    const text = JSON.stringify({ long: "é".repeat(700_000) });
    const entries = [];
    for (let number = 1; number <= 5; number++)
      entries.push({ number, previous: `h${number - 1}`, hash: `h${number}`, text: `entry ${number}` });
    await storage.append("a", 0, entries);
    const client = jetstream(connection);
    const parts = [];
    for (let at = 0; at < text.length; at += 512 * 1024)
      parts.push((await client.publish("genui-patch.part.a", text.slice(at, at + 512 * 1024))).seq);
    const about = { number: 3, hash: "h3", digest: "d" };
    await client.publish("genui-patch.snapshot.a", JSON.stringify({ ...about, parts }));
    assert.deepEqual(await storage.latest("a"), { ...about, text });
    // A repair writes the same one again, to forget entries.
    await storage.snapshot("a", { ...about, text }, 3);
    assert.deepEqual(await storage.latest("a"), { ...about, text });
    const later = { number: 5, hash: "h5", text: "a list", digest: "e" };
    await storage.snapshot("a", later, 0);
    assert.deepEqual(await storage.latest("a"), later);
    const manager = await jetstreamManager(connection);
    const left = await manager.streams
      .getMessage("genui-patch", { last_by_subj: "genui-patch.part.a" })
      .catch(() => null);
    assert.equal(left, null);
  }),
);

test("two servers write to one room: one order, each call once, and pages of both agree", { skip }, () =>
  withBroker(async (storage) => {
    const servers = [await startRooms({ storage: await storage() }), await startRooms({ storage: await storage() })];
    const rooms = [];
    for (const { rooms: own } of servers) rooms.push(await own.room("shared.room"));
    success(await rooms[0].write(counter));
    const pages = servers.map((server, at) =>
      joinPage(server, "shared.room", `user${at}:editor`, { clientId: `page${at}` }),
    );
    for (const { store } of pages) await until(() => store.snapshot("counter"), "a page has its document");
    const add = (key) => ({
      instance_name: "counter",
      patches: [{ op: "increment", path: `state.params.${key}`, value: 1 }],
    });
    const written = [];
    for (let call = 0; call < 100; call++) {
      for (const [at, { store }] of pages.entries()) store.applyOptimistic(add(`page${at}_${call}`));
      for (const [at, server] of servers.entries())
        if (call % 10 === 0)
          written.push(callMcp(server, "shared.room", `bob${at}:editor`, "patch_ui_state", add(`agent${at}_${call}`)));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    for (const result of await Promise.all(written)) success(result);
    for (const { store } of pages) await until(() => store.pending().length === 0, "all is settled");
    await until(() => rooms[0].revision === rooms[1].revision, "both servers have all");
    await until(() => pages.every(({ store }) => same(store, rooms[0].store)), "the pages agree");
    assert.ok(same(rooms[0].store, rooms[1].store));
    const { params } = rooms[0].store.confirmed("counter").state;
    assert.equal(Object.keys(params).length, 220);
    for (const [key, value] of Object.entries(params)) assert.equal(value, 1, key);
    const { proposal } = await rooms[0].propose(put("asked", 1));
    await until(() => rooms[1].proposals().some(({ id }) => id === proposal.id), "the other server has the proposal");
    const both = await Promise.all(rooms.map((room) => room.approve(proposal.id)));
    assert.deepEqual(both.map(({ status }) => status).sort(), ["error", "success"]);
    for (const { connection } of pages) connection.close();
    for (const server of servers) await server.close();
  }),
);

test("a snapshot in parts, a restart, and a repair", { skip }, () =>
  withBroker(async (storage, connections) => {
    const open = async () => createRooms({ storage: await storage(), authorize: () => null, onError() {} });
    let rooms = await open();
    let room = await rooms.room("a");
    success(await room.write(counter));
    success(await room.write(put("long", "é".repeat(700_000))));
    for (const some of [0, 1])
      for (const result of await Promise.all(
        Array.from({ length: 1_500 }, (_, at) => room.write(put(`k${at % 50}`, some + at))),
      ))
        success(result);
    const document = JSON.stringify(room.store.confirmed("counter"));
    const { revision } = room;
    const kept = await storage();
    await until(async () => (await kept.latest("a")) !== undefined, "a snapshot is there");
    const { number, text } = await kept.latest("a");
    const { id, parts } = JSON.parse(text);
    const read = await Promise.all(parts.map((_, at) => kept.readPart("a", { number, id: `${id}-${at}` })));
    assert.ok(Math.max(...read.map(({ length }) => length)) > 700_000);
    await rooms.close();
    rooms = await open();
    room = await rooms.room("a");
    assert.equal(room.revision, revision);
    assert.equal(JSON.stringify(room.store.confirmed("counter")), document);
    for (let call = 0; call < 5; call++) success(await room.write(put(`after${call}`, 1)));
    const last = room.revision;
    await rooms.close();
    // The broker loses a message from the middle.
    const { jetstreamManager } = await import("@nats-io/jetstream");
    const manager = await jetstreamManager(connections[0]);
    const { seq } = await manager.streams.getMessage("genui-patch", { last_by_subj: "genui-patch.log.a" });
    await manager.streams.deleteMessage("genui-patch", seq - 2);
    rooms = await open();
    await assert.rejects(rooms.room("a"), (error) => {
      assert.equal(error.code, "LOG_DAMAGED");
      assert.match(error.message, new RegExp(`entry ${last - 2} missing`));
      return true;
    });
    assert.deepEqual((await rooms.repair("a")).lost, { from: last - 2, to: last });
    room = await rooms.room("a");
    assert.equal(room.store.get("counter", "state.params.after1"), 1);
    assert.equal(room.store.get("counter", "state.params.after2"), undefined);
    success(await room.write(put("again", 1)));
    await rooms.close();
  }),
);

test("a broker that has lost its last entries: the room is loaded anew, and pages come to what is left", { skip }, () =>
  withBroker(async (storage, _, restart) => {
    const server = await startRooms({ storage: await storage() });
    const room = await server.rooms.room("a");
    success(await room.write(counter));
    success(await room.write(put("kept", 1)));
    // This copy of the broker's folder is restored later, as after a crash that loses unsynced messages.
    await restart((streams, copy) => cpSync(streams, copy, { recursive: true }));
    const page = joinPage(server, "a", "ann:editor");
    const write = async (key) => {
      await until(
        () =>
          room.write(put(key, 1), { key }).then(
            ({ status }) => status === "success",
            () => false,
          ),
        `${key} is written`,
      );
    };
    for (let call = 0; call < 5; call++) await write(`lost${call}`);
    await until(() => page.store.get("counter", "state.params.lost4") === 1, "the page has all");
    await restart((streams, copy) => {
      rmSync(streams, { recursive: true });
      cpSync(copy, streams, { recursive: true });
    });
    await until(() => page.store.get("counter", "state.params.lost0") === undefined, "the page has what is left");
    assert.equal(page.store.get("counter", "state.params.kept"), 1);
    page.store.applyOptimistic(put("more", 1));
    await until(() => page.store.pending().length === 0, "a call is made");
    page.connection.close();
    await server.close();
  }),
);
