/**
 * Servers of rooms, and the server of their storage, that are killed with SIGKILL at random moments while pages and agents of
 * all roles work on a document, on files and on a task flow. Checked in the end: nothing acknowledged is lost, nothing is made
 * twice, all pages and a new server have the same documents, files and flows in the same order, and pages come back by themselves.
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
import { situation } from "./situation.mjs";
import { openStorage, shared, startPlace } from "./storages.mjs";

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

/** The text of plan.md that an agent proposes: its key in both sections. */
const planWith = (text, key) =>
  text.replace("# Kept\n", `# Kept\n${key}\n`).replace("# Dropped\n", `# Dropped\n${key}\n`);

/** The keys in the sections of plan.md. */
function sectionsOf(text) {
  const [kept, dropped] = text.split("# Dropped\n");
  const keysIn = (part) => part.split("\n").filter((line) => line.startsWith("plan_"));
  return { kept: keysIn(kept), dropped: keysIn(dropped) };
}

/** The entries that settle proposals, and the last text of each file, in the part of a log that the storage has kept. */
async function readEntries(name, place) {
  const { storage, disconnect } = await openStorage(name, place);
  const settled = [];
  const texts = {};
  for await (const { text } of storage.read(ROOM, 0)) {
    const entry = JSON.parse(text);
    if (["approve", "approve-file", "approve-node", "refuse"].includes(entry.kind)) settled.push(entry.id);
    if (entry.kind === "file") texts[entry.path] = entry.text;
    if (entry.kind === "approve-file") texts[entry.path] = entry.agreed.effective;
  }
  await storage.close?.();
  await disconnect();
  return { settled, texts };
}

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
    child,
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

  /** Calls that wait for an answer: who calls what, on which server, and since when. */
  const asking = new Set();

  const lastAnswers = new Map();

  /** An answer of any server; while they are down, they are asked again. */
  async function answered(token, tool, args, headers) {
    while (!hasFailed) {
      const server = pick(servers);
      const call = { token, tool, server: servers.indexOf(server), since: performance.now() };
      asking.add(call);
      const answer = await callMcp(server, ROOM, token, tool, args, headers)
        .catch((error) => ({ error: { code: "NO_ANSWER", message: String(error.cause ?? error) } }))
        .finally(() => asking.delete(call));
      call.answer = answer.error ?? answer.status;
      lastAnswers.set(`${token} ${tool}`, call);
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
  const plans = { kept: [], dropped: [], refused: [] };
  const notes = [];
  const steps = { approved: [], refused: [] };
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
  /** The decision of any page on a proposal, sent again until it is made. Returns false if the test is over before. */
  async function decide(proposal, kind, decision) {
    const { connection } = pick(pages);
    const isListed = () => connection.proposals().some(({ id }) => id === proposal);
    await until(() => isOver || isListed(), `a page has the proposal ${proposal}`);
    // An agent that missed an answer has proposed again, so earlier proposals are refused.
    const others = connection.proposals().filter((other) => other.kind === kind && other.id !== proposal);
    for (const { id } of others) await connection.refuse(id, "made again").catch(() => {});
    while (!isOver) {
      const result = await (decision === "refuse"
        ? connection.refuse(proposal, "no")
        : connection.approve(proposal, decision)
      ).catch(({ code }) => ({ error: { code } }));
      // A decision whose answer was lost is sent again, and the server says that it was made.
      if (result.status === "success" || result.error?.code === "PROPOSAL_SETTLED") return true;
      for (const code of ["UNKNOWN_PROPOSAL", "STALE_PROPOSAL", "INVALID_ARGUMENT"])
        assert.notEqual(result.error?.code, code, `${kind ?? "document"} ${proposal}: ${JSON.stringify(result)}`);
      await wait(20);
    }
    return false;
  }
  /** An agent's calls wait for a page, which approves two of three. */
  async function propose() {
    for (let count = 0; !isOver; await wait(20)) {
      const key = `asked_${count++}`;
      const answer = await answered("bot:agent", "patch_ui_state", add(key, "asked"));
      assert.equal(answer.status, "pending", JSON.stringify(answer));
      const isApproved = count % 3 > 0;
      if (!(await decide(answer.proposal, undefined, isApproved ? {} : "refuse"))) return;
      (isApproved ? approved : refused).push(key);
    }
  }
  /** An agent adds a key to both sections of a file. A page approves all of it, or the first hunk, or nothing. */
  async function plan() {
    for (let count = 0; !isOver; await wait(50)) {
      const key = `plan_${count++}`;
      const { connection } = pages[0];
      const previous = plans.kept.at(-1);
      const isHere = () => previous === undefined || connection.files()["plan.md"]?.includes(`${previous}\n`);
      await until(() => isOver || isHere(), "a page has the file as it was approved");
      if (isOver) return;
      const args = { path: "plan.md", content: planWith(connection.files()["plan.md"], key) };
      const answer = await answered("scribe:agent", "write_file", args);
      assert.equal(answer.status, "pending", JSON.stringify(answer));
      const decision = [{}, { hunks: [0] }, "refuse"][count % 3];
      if (!(await decide(answer.proposal, "file", decision))) return;
      if (decision === "refuse") plans.refused.push(key);
      else plans.kept.push(key);
      if (count % 3 === 0) plans.dropped.push(key);
    }
  }
  /** Two users add lines to a file at once, sent again under their key until they are answered. */
  async function note(at) {
    for (let count = 0; !isOver; await wait(50)) {
      const key = `note${at}_${count++}`;
      const search_replace = { old_string: "end of notes", new_string: `${key}\nend of notes` };
      for (;;) {
        const args = { path: "notes.md", search_replace };
        const answer = await answered(`carl${at}:editor`, "edit_file", args, { "idempotency-key": key });
        if (answer.status === "success") break;
        // The other user was faster.
        assert.equal(answer.error?.code, "FILE_CHANGED", JSON.stringify(answer));
      }
      notes.push(key);
    }
  }
  /** An agent's updates of a node wait for a page, which approves two of three. */
  async function update() {
    for (let count = 0; !isOver; await wait(100)) {
      const key = `step_${count++}`;
      const args = { taskId: "task", nodeId: "node", newData: { [key]: count } };
      const answer = await answered("planner:agent", "updateNode", args);
      assert.equal(answer.status, "pending", JSON.stringify(answer));
      const isApproved = count % 3 > 0;
      if (!(await decide(answer.proposal, "node", isApproved ? {} : "refuse"))) return;
      (isApproved ? steps.approved : steps.refused).push(key);
    }
  }
  /** A viewer's calls and an agent's approvals change nothing. */
  async function trespass() {
    for (let count = 0; !isOver; await wait(50)) {
      const answer = await answered("eve:viewer", "patch_ui_state", add(`stolen_${count++}`));
      assert.equal(answer.status, "error", JSON.stringify(answer));
    }
  }

  function checkFiles(files) {
    const { kept, dropped } = sectionsOf(files["plan.md"]);
    // The newest comes first.
    const inOrder = (keys, all) => all.filter((key) => keys.includes(key)).reverse();
    assert.deepEqual(inOrder(plans.kept, kept), plans.kept, "what was approved is in the file once, in order");
    assert.deepEqual(
      inOrder(plans.dropped, dropped),
      plans.dropped,
      "what was approved as a whole is in the file once",
    );
    for (const key of plans.refused) assert.ok(!kept.includes(key) && !dropped.includes(key), `${key} was refused`);
    for (const key of plans.kept)
      if (!plans.dropped.includes(key)) assert.ok(!dropped.includes(key), `only the first hunk of ${key} was approved`);
    const noted = files["notes.md"].split("\n").slice(0, -2);
    assert.equal(new Set(noted).size, noted.length, "no line is written twice");
    for (const key of notes) assert.ok(noted.includes(key), `${key} is lost`);
  }

  const work = [...pages.map(write), ...[0, 1].map(ask), ...[0, 1].map(note), propose(), plan(), update(), trespass()];
  const failed = Promise.race(work.map((one) => one.then(() => new Promise(() => {}))));
  const kill = async () => {
    for (let killed = 0; killed < times; killed++) {
      const [calls, asked] = [acknowledged.length, approved.length + refused.length];
      const files = plans.kept.length;
      await until(() => acknowledged.length > calls && sent.length > 0, `calls are made after ${killed} kills`);
      if (killed % 5 === 4) {
        await until(() => approved.length + refused.length > asked, "proposals are settled");
        await until(() => plans.kept.length > files, "files are approved");
      }
      await wait(below(500));
      await restarts[killed % restarts.length]();
      onKilled(killed + 1);
    }
    const calls = acknowledged.length;
    const kinds = [approved, refused, ...Object.values(plans), notes, ...Object.values(steps)];
    await until(() => acknowledged.length > calls && kinds.every((keys) => keys.length > 0), "all kinds were made");
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
    const [{ connection }] = pages;
    const contents = () => ({ files: connection.files(), flows: connection.flows() });
    const sameAs = (expected) => (page) =>
      JSON.stringify([page.connection.files(), page.connection.flows()]) === JSON.stringify(Object.values(expected));
    await until(() => all.every(sameAs(contents())), "all pages have the same files and flows");
    // Notes are added by requests, perhaps to a server without pages. The pages of other servers receive them a little later.
    const noted = () => new Set(connection.files()["notes.md"]?.split("\n"));
    await until(() => notes.every((key) => noted().has(key)), "the pages have all lines that were added to a file");
    await until(() => all.every(sameAs(contents())), "all pages have these lines");
    const { files, flows } = contents();
    checkFiles(files);
    const { data } = flows[0].nodes[0];
    for (const key of steps.approved) assert.ok(key in data, `${key} is lost`);
    for (const key of steps.refused) assert.ok(!(key in data), `${key} was refused`);
    for (const restart of [...restarts].reverse()) await restart();
    assert.equal(JSON.stringify(await read()), text, "after a last restart of all servers");
    const late = join(5);
    all.push(late);
    await until(() => late.connection.status === "open" && late.connection.flows().length > 0, "a new page is in");
    assert.deepEqual({ files: late.connection.files(), flows: late.connection.flows() }, { files, flows });
    for (const server of servers) await server.kill();
    const { settled, texts } = await readEntries(name, place.place);
    assert.equal(new Set(settled).size, settled.length, "a proposal is settled once");
    for (const [path, content] of Object.entries(texts)) assert.equal(files[path], content, `${path} is as in the log`);
    return {
      pages: sent.length,
      mcp: acknowledged.length,
      approved: approved.length,
      refused: refused.length,
      files: plans.kept.length + notes.length,
      nodes: steps.approved.length,
    };
  } catch (error) {
    hasFailed = true;
    const told = await situation({ name, place: place.place, servers, all, asking, lastAnswers }).catch(String);
    throw new Error(`${error.message}\n${told}`, { cause: error });
  } finally {
    isOver = true;
    for (const { connection } of all) connection.close();
    for (const server of servers) await server.kill();
    await place.end();
  }
}
