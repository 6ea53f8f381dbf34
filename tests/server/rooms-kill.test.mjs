/**
 * Servers of rooms that are killed at random moments, with two roles and proposals in the load: nothing acknowledged is lost,
 * nothing is made twice, and pages come back by themselves. `KILLS` is the number of kills.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { findNats, startBroker } from "../../scripts/lib/nats.mjs";
import { random } from "../support/random.mjs";
import { freePort } from "../support/site.mjs";
import { counter, root, scratch, until } from "./harness.mjs";
import { callMcp, joinPage } from "./rooms.mjs";

const kills = Number(process.env.KILLS ?? 2);
const ROOM = "room";
const add = (key) => ({
  instance_name: "counter",
  patches: [{ op: "increment", path: `state.params.${key}`, value: 1 }],
});

async function startProcess(env) {
  const child = spawn(process.execPath, [join(root, "tests/server/rooms-process.mjs")], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  await Promise.race([
    once(child.stdout, "data"),
    ended.then(([code]) => assert.fail(`the server ended with ${code}`)),
  ]);
  return {
    http: `http://127.0.0.1:${env.PORT}`,
    ws: `ws://127.0.0.1:${env.PORT}`,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** An answer of a server that may be down: then it is asked again. */
async function answered(ask) {
  for (;;) {
    try {
      const answer = await ask();
      if (answer.status === "success" || answer.status === "error" || answer.status === "pending") return answer;
    } catch {
      // The server is down.
    }
    await wait(20);
  }
}

/** `envs`: those of the servers. They are killed in turn. */
async function survive(envs) {
  const { below } = random(Number(process.env.SEED ?? 1));
  const servers = [];
  for (const env of envs) servers.push(await startProcess(env));
  assert.equal((await callMcp(servers[0], ROOM, "ann:editor", "patch_ui_state", counter)).status, "success");
  const pages = servers.flatMap((_, at) =>
    [1, 2].map((page) =>
      joinPage({ ws: () => servers[at].ws }, ROOM, `user${at}${page}:editor`, { clientId: `page${at}${page}` }),
    ),
  );
  for (const { store } of pages) await until(() => store.snapshot("counter"), "a page has its document");
  const sent = [];
  const acknowledged = [];
  const approved = [];
  let isOver = false;
  const work = [
    ...pages.map(async ({ store }, at) => {
      for (let count = 0; !isOver; await wait(5 + below(20))) {
        if (store.pending().length >= 20) continue;
        const key = `page${at}_${count++}`;
        assert.equal(store.applyOptimistic(add(key)).status, "success");
        sent.push(key);
      }
    }),
    ...servers.map(async (_, at) => {
      for (let count = 0; !isOver; count++) {
        const key = `call${at}_${count}`;
        // Sent again under its key until it is answered.
        const ask = () =>
          callMcp(servers[at], ROOM, `bob${at}:editor`, "patch_ui_state", add(key), { "idempotency-key": key });
        if ((await answered(ask)).status === "success") acknowledged.push(key);
      }
    }),
    (async () => {
      for (let count = 0; !isOver; await wait(20)) {
        const key = `asked_${count++}`;
        const ask = () => callMcp(servers[0], ROOM, "bot:agent", "patch_ui_state", add(key));
        const { status, proposal } = await answered(ask);
        assert.equal(status, "pending");
        const [{ connection }] = pages;
        await until(
          () => isOver || connection.proposals().some(({ id }) => id === proposal),
          "a page has the proposal",
        );
        const { status: decided, error } = await connection.approve(proposal);
        if (decided === "success" || error.code === "PROPOSAL_SETTLED") approved.push(key);
      }
    })(),
  ];
  try {
    for (let killed = 0; killed < kills; killed++) {
      await wait(200 + below(400));
      const at = killed % servers.length;
      await servers[at].kill();
      servers[at] = await startProcess(envs[at]);
    }
    await until(() => sent.length > 0 && acknowledged.length > 0 && approved.length > 0, "each kind of call is made");
    isOver = true;
    await Promise.all(work);
    for (const { store } of pages) await until(() => store.pending().length === 0, "all calls are settled");
    const ask = () => callMcp(servers[0], ROOM, "bob:editor", "get_schema", { instance_name: "counter" });
    const { schema } = await answered(ask);
    const { params } = schema.state;
    for (const key of [...sent, ...acknowledged, ...approved]) assert.equal(params[key], 1, key);
    // A call without an acknowledgement is applied at most once.
    for (const [key, value] of Object.entries(params)) assert.equal(value, 1, key);
    for (const { store } of pages)
      await until(() => JSON.stringify(store.confirmed("counter")) === JSON.stringify(schema), "all pages agree");
  } finally {
    isOver = true;
    for (const { connection } of pages) connection.close();
    for (const server of servers) await server.kill();
  }
}

test(`rooms in LevelDB, killed ${kills} times`, async () => {
  const { folder, remove } = scratch();
  await survive([{ DATA_DIR: folder, PORT: String(await freePort()) }]);
  remove();
});

const skip = findNats() === undefined && "nats-server is not here";
test(`rooms of two servers on JetStream, killed ${kills} times`, { skip }, async () => {
  const { folder, remove } = scratch();
  const broker = await startBroker(folder, await freePort());
  const env = { NATS_URL: broker.url };
  const ports = [await freePort(), await freePort()];
  await survive(ports.map((port) => ({ ...env, PORT: String(port) }))).finally(() => broker.end("SIGKILL"));
  remove();
});
