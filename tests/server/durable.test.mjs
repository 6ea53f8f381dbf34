/**
 * Servers that are killed at random moments under load: every acknowledged call is in the document once, and open pages
 * reconnect without help. One server logs to a folder; two use JetStream, one killed at a time, the broker too.
 * `KILLS` is the number of kills.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { findNats, startBroker } from "../../scripts/lib/nats.mjs";
import { random } from "../support/random.mjs";
import { freePort } from "../support/site.mjs";
import { call, counter, openClient, openPage, scratch, startServer, until } from "./harness.mjs";

const kills = Number(process.env.KILLS ?? 2);

const once = (key) => ({
  instance_name: "counter",
  patches: [{ op: "increment", path: `state.params.${key}`, value: 1 }],
});

/** Calls by pages and agents, each with a key of its own that it counts up by one. */
class Load {
  sent = [];
  acknowledged = [];
  #over = false;
  #work = [];

  async start(servers, below) {
    this.pages = servers.flatMap(({ ws }, at) => [1, 2].map((page) => openPage(ws, { clientId: `page${at}${page}` })));
    for (const { store } of this.pages) await until(() => store.snapshot("counter"), "a page has its document");
    this.#work = [
      ...this.pages.map(({ store }, at) => this.#type(store, `page${at}`, below)),
      ...servers.flatMap(({ mcp }, at) => [1, 2].map((agent) => this.#patch(mcp, `agent${at}${agent}`))),
    ];
  }

  async #type(store, name, below) {
    for (let count = 0; !this.#over; await wait(5 + below(20))) {
      // A page that is offline must not wait forever.
      if (store.pending().length >= 20) continue;
      const key = `${name}_${count++}`;
      assert.equal(store.applyOptimistic(once(key)).status, "success");
      this.sent.push(key);
    }
  }

  async #patch(address, name) {
    for (let count = 0; !this.#over; count++) {
      try {
        const client = await openClient(address);
        for (; !this.#over; count++) {
          const key = `${name}_${count}`;
          const { status } = await call(client, "patch_ui_state", once(key));
          if (status === "success") this.acknowledged.push(key);
        }
      } catch {
        // The server is down: the client cannot know whether the call was executed.
        await wait(20);
      }
    }
  }

  stop() {
    this.#over = true;
    for (const { connection } of this.pages) connection.close();
  }

  async end() {
    this.#over = true;
    await Promise.all(this.#work);
    for (const { store } of this.pages) await until(() => store.pending().length === 0, "all calls are settled");
  }
}

/** Milliseconds. A server may be slow on a busy machine, and one that has lost its broker connects to it again. */
const SLOW = 60_000;

/** The document on a server, once it is as `isExpected` says. */
async function read({ mcp }, isExpected = () => true, what = "the server answers") {
  let schema;
  const isThere = async () => {
    try {
      ({ schema } = await call(await openClient(mcp), "get_schema", { instance_name: "counter" }));
    } catch {
      // The server is not ready yet.
    }
    return schema !== undefined && isExpected(schema);
  };
  await until(isThere, what, SLOW);
  return schema;
}

/** Waits until a server has all these calls: another one may have acknowledged them, and this one reads them from the log. */
async function waitForCalls(server, keys, when) {
  let missing = keys;
  const hasAll = ({ state: { params } }) => {
    missing = missing.filter((key) => params[key] === undefined);
    return missing.length === 0;
  };
  try {
    await read(server, hasAll);
  } catch (cause) {
    assert.deepEqual(missing, [], `calls that were acknowledged ${when}`);
    throw cause;
  }
}

/** `kill` stops one of the processes and restarts it. */
async function survive(servers, kill) {
  const { below } = random(Number(process.env.SEED ?? 1));
  const made = await call(await openClient(servers[0].mcp), "patch_ui_state", counter);
  assert.equal(made.status, "success");
  const load = new Load();
  await load.start(servers, below);
  try {
    for (let killed = 0; killed < kills; killed++) {
      await wait(200 + below(400));
      const server = await kill(killed);
      await waitForCalls(server, [...load.acknowledged], `before kill ${killed + 1} was over`);
    }
    await load.end();
    await waitForCalls(servers[0], [...load.acknowledged], "in all");
    const document = await read(servers[0]);
    const { params } = document.state;
    for (const key of [...load.sent, ...load.acknowledged]) assert.equal(params[key], 1, key);
    for (const [key, value] of Object.entries(params)) assert.equal(value, 1, key);
    assert.ok(load.sent.length > 0 && load.acknowledged.length > 0);
    for (const { store } of load.pages) {
      await until(() => JSON.stringify(store.confirmed("counter")) === JSON.stringify(document), "all pages agree");
    }
    for (const server of servers) await read(server, (own) => isDeepStrictEqual(own, document), "all servers agree");
  } finally {
    load.stop();
    for (const server of servers) await server.end("SIGKILL");
  }
}

test(`one server, killed ${kills} times`, async () => {
  const { folder, remove } = scratch();
  const servers = [await startServer({ DATA_DIR: folder })];
  const PORT = String(servers[0].port);
  await survive(servers, async () => {
    await servers[0].end("SIGKILL");
    servers[0] = await startServer({ DATA_DIR: folder, PORT });
    return servers[0];
  });
  remove();
});

const skip = findNats() === undefined && "nats-server is not here";
test(`two servers on JetStream, one or the broker killed ${kills} times`, { skip }, async () => {
  const { folder, remove } = scratch();
  const port = await freePort();
  let broker = await startBroker(folder, port);
  const env = { DATA_DIR: folder, NATS_URL: broker.url };
  const servers = [await startServer(env), await startServer(env)];
  const ended = survive(servers, async (killed) => {
    const turn = killed % 3;
    if (turn !== 1) {
      const at = turn / 2;
      await servers[at].end("SIGKILL");
      servers[at] = await startServer({ ...env, PORT: String(servers[at].port) });
    } else {
      await broker.end("SIGKILL");
      await wait(200);
      broker = await startBroker(folder, port);
      await wait(1_000);
    }
    return servers[killed % 2];
  });
  await ended.finally(() => broker.end());
  remove();
});
