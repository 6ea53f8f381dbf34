/**
 * `npm run start:cluster`: nats-server and two backends on it, on PORT and the port after it, until Ctrl+C.
 * `--load`, which is `npm run load`, measures instead: calls per second and the slowest of a hundred, for one server and two, on each log.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { connect, PatchStore } from "genui-patch";
import WebSocket from "ws";
import { nats, startBroker } from "./lib/nats.mjs";
import { Failure, main, root, say } from "./lib/run.mjs";

const newToken = () => randomBytes(24).toString("base64url");
/** The same for all servers, so that a page or an agent may use any of them. */
const { TOKEN = newToken(), PAGE_TOKEN = newToken() } = process.env;

await main(async () => {
  await nats();
  if (process.argv.includes("--load")) await measure();
  else await cluster();
});

async function cluster() {
  const folder = process.env.DATA_DIR ?? "data";
  const first = Number(process.env.PORT ?? 4173);
  const broker = await startBroker(resolve(root, folder, "nats"), await freePort());
  const servers = [];
  for (const port of [first, first + 1]) {
    servers.push(await keepRunning({ DATA_DIR: folder, NATS_URL: broker.url, PORT: String(port) }));
    say("start", `page   ${servers.at(-1).page}   (opens once)`);
    say("start", `agents ${servers.at(-1).mcp}   (MCP; Authorization: Bearer ${TOKEN})`);
  }
  await new Promise((done) => process.once("SIGINT", done).once("SIGTERM", done));
  for (const server of servers) await server.end();
  await broker.end();
}

async function measure() {
  const seconds = Number(process.env.SECONDS ?? 5);
  const folder = mkdtempSync(join(tmpdir(), "genui-patch-load-"));
  const broker = await startBroker(folder, await freePort());
  console.log("log         servers  calls/s  slowest 1 % (ms)");
  for (const [log, count] of [
    ["folder", 1],
    ["JetStream", 1],
    ["JetStream", 2],
  ]) {
    const env = { DATA_DIR: join(folder, `${log}-${count}`), ...(log === "JetStream" && { NATS_URL: broker.url }) };
    const servers = await Promise.all(Array.from({ length: count }, () => startServer({ ...env, PORT: "0" })));
    const times = (
      await Promise.all(Array.from({ length: 16 }, (_, at) => press(servers[at % count], at, seconds)))
    ).flat();
    times.sort((a, b) => a - b);
    const slowest = times[Math.floor(times.length * 0.99)];
    const rate = Math.round(times.length / seconds);
    console.log(`${log.padEnd(12)}${String(count).padEnd(9)}${String(rate).padEnd(9)}${slowest?.toFixed(1)}`);
    for (const server of servers) await server.end();
  }
  await broker.end();
  rmSync(folder, { recursive: true, force: true });
}

/** A page that changes an instance of its own, one call after the other; milliseconds of each. */
async function press({ ws }, at, seconds) {
  const store = new PatchStore();
  const connection = connect(store, () => new WebSocket(ws, { headers: { authorization: `Bearer ${PAGE_TOKEN}` } }));
  const settled = () =>
    new Promise((resolve) => {
      const end = store.subscribe(() => store.pending().length === 0 && resolve(end()));
    });
  const name = `load-${at}-${Date.now()}`;
  const made = settled();
  store.applyOptimistic({ instance_name: "__CREATE__", new_instance_name: name, patches: [] });
  await made;
  const times = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const start = performance.now();
    const done = settled();
    store.setNumber(name, "state.params.count", times.length, { optimistic: true });
    await done;
    times.push(performance.now() - start);
  }
  connection.close();
  return times;
}

/** A server that is started again when it ends. */
async function keepRunning(env) {
  let isWanted = true;
  let server = await startServer(env);
  const { page, mcp } = server;
  async function watch() {
    while (isWanted) {
      await server.ended;
      if (!isWanted) return;
      say("start", `the backend on port ${env.PORT} has ended, and starts again`);
      await wait(500);
      await startServer(env).then(
        (again) => {
          server = again;
          say("start", `page   ${again.page}   (for another browser)`);
        },
        (error) => say("start", error.message),
      );
    }
  }
  void watch();
  const end = () => {
    isWanted = false;
    return server.end();
  };
  return { page, mcp, end };
}

async function startServer(env) {
  const child = spawn(process.execPath, ["www/server/main.mjs"], {
    cwd: root,
    env: { ...process.env, TOKEN, PAGE_TOKEN, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const lines = createInterface(child.stdout);
  const line = await Promise.race([new Promise((resolve) => lines.once("line", resolve)), ended]);
  if (typeof line !== "string") throw new Failure(`a backend ended with ${line}`);
  lines.on("line", (next) => say("start", `page   ${JSON.parse(next).page}   (for another browser)`));
  const end = () => child.kill() && ended;
  return { ...JSON.parse(line), end, ended };
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
