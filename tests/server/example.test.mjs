/** examples/node-server, started as its README says: users who sign in, an agent, and a log that survives a restart. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { connect, PatchStore } from "genui-patch";
import WebSocket from "ws";
import { root, scratch, until } from "./harness.mjs";

const { folder, remove } = scratch();
after(remove);
const SECRET = "a secret for tests, 32 characters";
const AGENT_TOKEN = "an agent's token for tests, 32 long";

async function start(env = {}) {
  const child = spawn(process.execPath, ["examples/node-server/main.mjs"], {
    cwd: root,
    env: { ...process.env, PORT: "0", DATA_DIR: folder, SECRET, AGENT_TOKEN, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const line = await Promise.race([
    new Promise((resolve) => createInterface(child.stdout).once("line", resolve)),
    ended,
  ]);
  const end = (signal = "SIGTERM") => {
    child.kill(signal);
    return ended;
  };
  return { address: line, end, ended, errors: () => errors };
}

async function signIn({ address }, name, password = name) {
  const body = new URLSearchParams({ name, password });
  const response = await fetch(`${address}/login`, { method: "POST", body, redirect: "manual" });
  assert.equal(response.status, 303);
  return response.headers.get("set-cookie");
}

function join({ address }, cookie) {
  const store = new PatchStore();
  const make = () =>
    new WebSocket(`${address.replace("http", "ws")}/rooms/lobby`, { headers: { cookie: cookie.split(";")[0] } });
  return { store, connection: connect(store, make, { backoff: 20 }) };
}

async function ask({ address }, headers, method, params = {}) {
  const response = await fetch(`${address}/rooms/lobby/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return response.ok ? (await response.json()).result : response.status;
}

const item = ({ store }) => store.get("list", "state.params.item");
const agent = { authorization: `Bearer ${AGENT_TOKEN}` };
const put = (value) => ({ instance_name: "list", patches: [{ op: "set", path: "state.params.item", value }] });

test("without its secrets it does not start", async () => {
  for (const [env, word] of [
    [{ SECRET: "" }, /SECRET: set at least 32/],
    [{ AGENT_TOKEN: "short" }, /AGENT_TOKEN: set at least 32/],
    [{ STORAGE: "paper" }, /STORAGE: use one of level, memory, nats/],
  ]) {
    const { ended, errors } = await start(env);
    assert.equal(await ended, 1);
    assert.match(errors(), word);
  }
});

test("two roles and an agent, and the same after a kill", async () => {
  let server = await start();
  const cookies = { ann: await signIn(server, "ann"), vic: await signIn(server, "vic") };
  for (const part of ["HttpOnly", "SameSite=Strict"]) assert.ok(cookies.ann.includes(part), cookies.ann);
  assert.equal(await signIn(server, "ann", "wrong"), null);
  assert.equal(await signIn(server, "nobody", "nobody"), null);

  let [ann, vic] = [join(server, cookies.ann), join(server, cookies.vic)];
  await until(() => item(ann) === "" && item(vic) === "", "both have the room's first document");
  ann.store.applyOptimistic(put("bread"));
  await until(() => item(vic) === "bread", "the viewer sees what the editor enters");
  vic.store.applyOptimistic(put("wine"));
  await until(() => vic.store.pending().length === 0, "a viewer changes nothing");
  assert.equal(item(ann), "bread");

  const { structuredContent: asked } = await ask(server, agent, "tools/call", {
    name: "patch_ui_state",
    arguments: put("salt"),
  });
  assert.equal(asked.status, "pending");
  await server.end("SIGKILL");
  ann.connection.close();
  vic.connection.close();
  server = await start();
  // The cookies are still good: the server keeps no sessions.
  [ann, vic] = [join(server, cookies.ann), join(server, cookies.vic)];
  await until(() => ann.connection.proposals().length === 1, "the proposal still waits");
  const [{ id }] = ann.connection.proposals();
  assert.equal((await vic.connection.approve(id)).error.code, "FORBIDDEN");
  assert.equal((await ann.connection.approve(id)).status, "success");
  await until(() => item(vic) === "salt", "it is made");
  ann.connection.close();
  vic.connection.close();
  assert.equal(await server.end(), 0);
});

test("strangers: no cookie, a forged one, another's token, a foreign page", async () => {
  const server = await start({ STORAGE: "memory" });
  const [cookie] = (await signIn(server, "vic")).split(";");
  const forged = cookie.replace("vic", "ann");
  assert.notEqual(forged, cookie);
  const expired = cookie.replace(/\.\d+\./, `.${Date.now() - 1}.`);
  const rows = [
    [{}, 401],
    [{ cookie: forged }, 401],
    [{ cookie: expired }, 401],
    [{ cookie: "session=%E0%A4%A.1.2" }, 401],
    [{ authorization: "Bearer wrong" }, 401],
    [{ cookie, authorization: "Bearer wrong" }, 401],
    [{ cookie, origin: "https://evil.example" }, 403],
    [{ cookie }, {}],
  ];
  for (const [headers, wanted] of rows)
    assert.deepEqual(await ask(server, headers, "ping"), wanted, JSON.stringify(headers));
  const socket = new WebSocket(`${server.address.replace("http", "ws")}/rooms/lobby`, { headers: agent });
  socket.on("error", () => {});
  assert.equal(await new Promise((resolve) => socket.on("close", resolve)), 4403);
  for (const [path, status] of [
    ["/", 200],
    ["/genui-patch.js", 200],
    ["/health", 200],
    ["/server.mjs", 404],
    ["/rooms/other/mcp", 405],
    ["//", 400],
  ])
    assert.equal((await fetch(`${server.address}${path}`)).status, status, path);
  const long = await fetch(`${server.address}/login`, { method: "POST", body: "x".repeat(10_000) });
  assert.equal(long.status, 400);
  await server.end();
});
