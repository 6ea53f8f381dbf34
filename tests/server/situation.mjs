/** Describes what servers, pages and storage are doing: the kill test prints it when a wait has timed out. */
import { loadavg } from "node:os";
import { openStorage, shared } from "./storages.mjs";

/** Milliseconds that each one has to answer. */
const DEADLINE = 5_000;
const ROOM = "room";

async function within(promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${DEADLINE} ms`), DEADLINE);
  });
  return Promise.race([promise.catch((error) => String(error.cause ?? error)), late]).finally(() =>
    clearTimeout(timer),
  );
}

async function textOf(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(DEADLINE) });
  return response.text();
}

/** Counters and gauges, without their descriptions. */
const reduced = (metrics) =>
  metrics
    .split("\n")
    .filter((line) => line.startsWith("genui_patch_"))
    .map((line) => line.replace("genui_patch_", ""))
    .join(", ");

async function tellServer(server, at) {
  const health = within(textOf(`${server.http}/health`));
  // Counters twice: those that grow show what the server is busy with.
  const first = await within(textOf(`${server.http}/metrics`));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const second = await within(textOf(`${server.http}/metrics`));
  const ended = server.child.exitCode ?? server.child.signalCode;
  return [
    `server ${at}: ${ended === null ? "runs" : `ended with ${ended}`}; health ${await health}`,
    `  metrics: ${reduced(first) || first}`,
    `  a second later: ${reduced(second) || second}`,
  ].join("\n");
}

async function tellStorage(name, place) {
  if (!shared.includes(name)) return "";
  const look = async () => {
    const { storage, disconnect } = await openStorage(name, place);
    let last = 0;
    let count = 0;
    const start = performance.now();
    const snapshot = await storage.latest(ROOM);
    for await (const { number } of storage.read(ROOM, 0)) {
      last = number;
      count += 1;
    }
    const took = Math.round(performance.now() - start);
    await disconnect();
    return `snapshot of entry ${snapshot?.number}, ${count} entries up to ${last}, read in ${took} ms`;
  };
  return `storage: ${await within(look())}`;
}

function tellPage({ store, connection }, at) {
  const problem = connection.problem === undefined ? "" : `, ${JSON.stringify(connection.problem)}`;
  const revision = `${store.pending().length} calls pending, ${connection.proposals().length} proposals`;
  return `page ${at}: ${connection.status}${problem}, ${revision}`;
}

export async function situation({ name, place, servers, all, asking, lastAnswers }) {
  const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);
  const told = await Promise.all([...servers.map(tellServer), tellStorage(name, place)]);
  return [
    `load ${loadavg().map((load) => load.toFixed(1))}`,
    ...told,
    ...all.map(tellPage),
    ...[...asking].map(
      ({ token, tool, server, since }) => `${token} waits for ${tool} on server ${server}, ${seconds(since)} s`,
    ),
    ...[...lastAnswers].map(
      ([who, { since, answer }]) => `${who}: last asked ${seconds(since)} s ago: ${JSON.stringify(answer)}`,
    ),
  ].join("\n");
}
