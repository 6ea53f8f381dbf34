/**
 * Servers of rooms, and the server of their storage, that are killed with SIGKILL at random moments while pages and agents of
 * all roles work. Checked in the end: nothing acknowledged is lost, nothing is made twice, all pages and a new server have the
 * same documents in the same order, and pages come back by themselves.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { random } from "../support/random.mjs";
import { freePort } from "../support/site.mjs";
import { counter, root, until } from "./harness.mjs";
import { callMcp, joinPage } from "./rooms.mjs";
import { shared, startPlace } from "./storages.mjs";

const ROOM = "room";
/** The most calls of a page that are not acknowledged. */
const MOST_PENDING = 20;

/** Whether the call was written is not known, so it is sent again. */
const UNKNOWN = ["STORAGE_FAILED", "STORAGE_TIMEOUT", "ROOM_CLOSED", "LOG_DAMAGED"];

/** A call that leaves its key in a list, so that the list shows how often it was made, and in which order. */
const add = (key, list = "made") => ({
  instance_name: "counter",
  patches: [{ op: "add", path: `state.params.${list}.-`, value: key }],
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

/** `onKilled` is called after each kill. Returns the numbers of calls of each kind. */
export async function survive(name, { times, seed = 1, onKilled = () => {} }) {
  const { below, pick } = random(seed);
  const place = await startPlace(name);
  const isShared = shared.includes(name);
  const envs = [];
  for (let count = 0; count < (isShared ? 2 : 1); count++)
    envs.push({ STORAGE: name, PLACE: place.place, PORT: String(await freePort()) });
  const servers = await Promise.all(envs.map(startProcess));
  const restarts = [
    ...servers.map((_, at) => async () => {
      await servers[at].kill();
      await wait(below(100));
      servers[at] = await startProcess(envs[at]);
    }),
    ...(isShared ? [() => place.restart("SIGKILL", () => wait(below(100)))] : []),
  ];

  /** The check has failed: nothing is asked any more, so that the process ends. */
  let hasFailed = false;

  /** An answer of any server; while they are down, they are asked again. */
  async function answered(token, tool, args, headers) {
    while (!hasFailed) {
      const answer = await callMcp(pick(servers), ROOM, token, tool, args, headers).catch(() => ({}));
      const isAnswered = ["success", "error", "pending"].includes(answer.status);
      if (isAnswered && !UNKNOWN.includes(answer.error?.code)) return answer;
      await wait(20);
    }
    return {};
  }

  const read = async () => (await answered("bob:editor", "get_schema", { instance_name: "counter" })).schema;

  // Agents have a list of their own: a proposal is stale when others have changed what it changes.
  const lists = ["made", "asked"].map((list) => ({ op: "set", path: `state.params.${list}`, value: [] }));
  const begin = { ...counter, patches: lists };
  assert.equal(
    (await answered("ann:editor", "patch_ui_state", begin, { "idempotency-key": "begin" })).status,
    "success",
  );
  // A page connects to any server, each time that it connects.
  const join = (page, role = "editor") =>
    joinPage({ ws: () => pick(servers).ws }, ROOM, `user${page}:${role}`, { clientId: `page${page}` });
  const pages = [0, 1, 2, 3].map((page) => join(page));
  const viewer = join(4, "viewer");
  const all = [...pages, viewer];
  for (const { store } of all) await until(() => store.snapshot("counter"), "a page has its document");

  const sent = [];
  const acknowledged = [];
  const approved = [];
  const refused = [];
  let isOver = false;

  /** Calls of a page, applied at once and acknowledged later. */
  async function write({ store }, at) {
    for (let count = 0; !isOver; await wait(10 + below(30))) {
      if (store.pending().length >= MOST_PENDING) continue;
      const key = `page${at}_${count++}`;
      assert.equal(store.applyOptimistic(add(key)).status, "success");
      sent.push(key);
    }
  }
  /** Calls by MCP, sent again under their key until they are answered. */
  async function ask(at) {
    for (let count = 0; !isOver; await wait(10)) {
      const key = `call${at}_${count++}`;
      const answer = await answered(`bob${at}:editor`, "patch_ui_state", add(key), { "idempotency-key": key });
      assert.equal(answer.status, "success", JSON.stringify(answer));
      acknowledged.push(key);
    }
  }
  /** An agent's calls wait for a page, which approves two of three. */
  async function propose() {
    for (let count = 0; !isOver; await wait(20)) {
      const key = `asked_${count++}`;
      const { status, proposal } = await answered("bot:agent", "patch_ui_state", add(key, "asked"));
      assert.equal(status, "pending");
      const { connection } = pick(pages);
      const isListed = () => connection.proposals().some(({ id }) => id === proposal);
      await until(() => isOver || isListed(), "a page has the proposal");
      if (isOver) return;
      const isApproved = count % 3 > 0;
      for (;;) {
        const result = await (isApproved ? connection.approve(proposal) : connection.refuse(proposal, "no")).catch(
          ({ code }) => ({ error: { code } }),
        );
        // A decision whose answer was lost is sent again, and the server says that it was made.
        if (result.status === "success" || result.error?.code === "PROPOSAL_SETTLED") break;
        for (const code of ["UNKNOWN_PROPOSAL", "STALE_PROPOSAL"]) assert.notEqual(result.error?.code, code, key);
        if (isOver) return;
        await wait(20);
      }
      (isApproved ? approved : refused).push(key);
    }
  }
  /** A viewer's calls and an agent's approvals change nothing. */
  async function trespass() {
    for (let count = 0; !isOver; await wait(50)) {
      const answer = await answered("eve:viewer", "patch_ui_state", add(`stolen_${count++}`));
      assert.equal(answer.status, "error", JSON.stringify(answer));
    }
  }

  const work = [...pages.map(write), ...[0, 1].map(ask), propose(), trespass()];
  const failed = Promise.race(work.map((one) => one.then(() => new Promise(() => {}))));
  const kill = async () => {
    for (let killed = 0; killed < times; killed++) {
      const [calls, asked] = [acknowledged.length, approved.length + refused.length];
      await until(() => acknowledged.length > calls && sent.length > 0, `calls are made after ${killed} kills`);
      if (killed % 5 === 4) await until(() => approved.length + refused.length > asked, "proposals are settled");
      await wait(below(500));
      await restarts[killed % restarts.length]();
      onKilled(killed + 1);
    }
    const calls = acknowledged.length;
    await until(() => acknowledged.length > calls && approved.length > 0 && refused.length > 0, "all kinds were made");
  };
  try {
    await Promise.race([kill(), failed]);
    isOver = true;
    await Promise.all(work);
    for (const { store, results } of pages) {
      await until(() => store.pending().length === 0, "all calls are settled");
      const rejected = results.filter(({ message }) => message.type === "reject" || message.error !== undefined);
      assert.deepEqual(rejected, []);
    }
    const document = await read();
    const { made, asked } = document.state.params;
    const counts = new Map();
    for (const key of [...made, ...asked]) counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const key of [...sent, ...acknowledged, ...approved]) assert.ok(counts.has(key), `${key} is lost`);
    for (const [key, count] of counts) assert.equal(count, 1, `${key} was made ${count} times`);
    for (const key of refused) assert.ok(!counts.has(key), `${key} was refused`);
    assert.deepEqual(
      [...counts.keys()].filter((key) => key.startsWith("stolen")),
      [],
    );
    // The calls of one client are made in its order.
    const last = new Map();
    for (const key of made) {
      const [client, number] = key.split("_");
      assert.ok(Number(number) > (last.get(client) ?? -1), `${key} comes after ${last.get(client)}`);
      last.set(client, Number(number));
    }
    const text = JSON.stringify(document);
    for (const { store } of all)
      await until(() => JSON.stringify(store.confirmed("counter")) === text, "all pages agree");
    for (const restart of [...restarts].reverse()) await restart();
    assert.equal(JSON.stringify(await read()), text, "after a last restart of all servers");
    return { pages: sent.length, mcp: acknowledged.length, approved: approved.length, refused: refused.length };
  } catch (error) {
    hasFailed = true;
    throw error;
  } finally {
    isOver = true;
    for (const { connection } of all) connection.close();
    for (const server of servers) await server.kill();
    await place.end();
  }
}
