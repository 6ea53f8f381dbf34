/** The storages that the tests run on: those of the package, and the examples on servers of their own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { levelStorage, memoryStorage, natsStorage } from "genui-patch/server";
import { postgresStorage } from "../../examples/storage/postgres.mjs";
import { redisStorage } from "../../examples/storage/redis.mjs";
import { findPostgres, findRedis, startPostgres, startRedis } from "../../scripts/lib/databases.mjs";
import { findNats, startBroker } from "../../scripts/lib/nats.mjs";
import { freePort } from "../support/site.mjs";

/** A storage on a server, and how to end the connection. */
const connections = {
  async jetstream(url) {
    const { connect } = await import("@nats-io/transport-node");
    const connection = await connect({ servers: url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
    return { storage: natsStorage(connection), disconnect: () => connection.close() };
  },
  async postgres(url) {
    const { default: pg } = await import("pg");
    const pool = new pg.Pool({ connectionString: url });
    return { storage: postgresStorage(pool), disconnect: () => pool.end() };
  },
  async redis(url) {
    const { createClient } = await import("redis");
    const client = createClient({ url, socket: { reconnectStrategy: 100 } });
    const storage = redisStorage(client);
    await client.connect();
    return { storage, disconnect: () => client.destroy() };
  },
};

/** The servers, each started in a folder on a port. */
const servers = {
  jetstream: { start: startBroker, isHere: () => findNats() !== undefined },
  postgres: { start: startPostgres, isHere: () => findPostgres() !== undefined },
  redis: { start: startRedis, isHere: () => findRedis() !== undefined },
};

/** Storages that several servers share. */
export const shared = Object.keys(servers);
/** Storages that outlive their process. */
export const killable = ["level", ...shared];
export const names = ["memory", ...killable];

/** Why tests of a storage are skipped; false if they are not. */
export const skipped = (name) => name in servers && !servers[name].isHere() && `the server of ${name} is not here`;

/** A storage by its name: a folder, or the address of its server. */
export async function openStorage(name, place) {
  if (name === "memory") return { storage: memoryStorage(), disconnect() {} };
  if (name === "level") return { storage: levelStorage(place), disconnect() {} };
  return connections[name](place);
}

/** The place of a storage, started if it is a server: it can be killed and started again. */
export async function startPlace(name) {
  const folder = mkdtempSync(join(tmpdir(), "genui-patch-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  if (!(name in servers)) return { place: folder, folder, end: async () => remove() };
  const port = await freePort();
  let server = await servers[name].start(folder, port);
  return {
    place: server.url,
    folder,
    /** Ends the server, runs a function on what it has left, and starts it again. */
    async restart(signal, between = () => {}) {
      await server.end(signal);
      await between(folder);
      server = await servers[name].start(folder, port);
    },
    async end() {
      await server.end();
      remove();
    },
  };
}
