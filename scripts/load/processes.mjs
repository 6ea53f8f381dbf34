/** Servers and players in processes of their own, and what the machine does meanwhile. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { join } from "node:path";
import { startPlace } from "../../tests/server/storages.mjs";
import { Failure, root } from "../lib/run.mjs";

/** A process that answers one message after the other. */
export async function started(file, env = {}, execArgv = []) {
  const child = fork(join(root, "scripts/load", file), { env: { ...process.env, ...env }, execArgv });
  const ended = once(child, "exit");
  let isOver = false;
  const gone = ended.then(([code]) => {
    if (!isOver) throw new Failure(`${file} ended with ${code}`);
  });
  gone.catch(() => {});
  const nextMessage = async () => (await Promise.race([once(child, "message"), gone]))[0];
  let queue = Promise.resolve();
  return {
    nextMessage,
    ask(message) {
      queue = queue.then(() => {
        const answer = nextMessage();
        child.send(message);
        return answer;
      });
      return queue;
    },
    async end() {
      isOver = true;
      // The process ends by itself then, and writes its profile.
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** Limits that measure the server, and not its limits. */
const OPEN = { perSecond: 1e9, maxRooms: 1e5, maxPages: 1e5 };

export async function startServer(storage, place, { limits = {}, profile } = {}) {
  const env = { STORAGE: storage, PLACE: place, LIMITS: JSON.stringify({ ...OPEN, ...limits }) };
  const server = await started("server.mjs", env, [
    "--expose-gc",
    ...(profile ? ["--cpu-prof", `--cpu-prof-dir=${profile}`] : []),
  ]);
  const { port } = await server.nextMessage();
  return { ...server, http: `http://127.0.0.1:${port}`, ws: `ws://127.0.0.1:${port}` };
}

export const startPlayer = () => started("player.mjs");

/** The storage's place, and servers on it, which all end with it. */
export async function withServers(storage, count, options, run) {
  const place = await startPlace(storage);
  const servers = [];
  try {
    for (let at = 0; at < count; at++) servers.push(await startServer(storage, place.place, options));
    return await run(servers, place);
  } finally {
    for (const server of servers) await server.end();
    await place.end();
  }
}

/** Milliseconds that all cores have been busy. */
export function busy() {
  let sum = 0;
  for (const { times } of cpus()) sum += times.user + times.nice + times.sys + times.irq;
  return sum;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function table(head, rows) {
  const lines = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, at) => Math.max(...lines.map((line) => line[at].length)));
  return lines.map((line) => line.map((cell, at) => cell.padStart(widths[at])).join("  ")).join("\n");
}
