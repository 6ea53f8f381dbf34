/** The listing of docs/server.md for Express, as it stands, with the real packages: under 40 lines, and what they promise. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, test } from "node:test";
import express from "express";
import session from "express-session";
import { connect, PatchStore } from "genui-patch";
import * as backend from "genui-patch/server";
import WebSocket, { WebSocketServer } from "ws";
import { listings, run } from "../support/docs.mjs";
import { counter, put, scratch, until } from "./harness.mjs";

const { code } = listings("server").find((listing) => listing.code.includes("express-session"));
const { folder, remove } = scratch();
const AGENT_TOKEN = "an-agent-token-for-tests";

const users = {
  ann: { id: "ann", name: "Ann", role: "editor" },
  vic: { id: "vic", name: "Vic", role: "viewer" },
};

const scope = {
  ...backend,
  express,
  session,
  WebSocketServer,
  levelStorage: (name) => backend.levelStorage(`${folder}/${name}`),
  checkPassword: async ({ name, password }) => (password === "right" ? (users[name] ?? null) : null),
  process: { env: { SESSION_SECRET: "a secret for tests", AGENT_TOKEN } },
  // Any free port, in place of the one that the listing names.
  createServer: (app) => {
    const server = createServer(app);
    const listen = server.listen.bind(server);
    return Object.assign(server, { listen: () => listen(0, "127.0.0.1") });
  },
};

const { server, rooms, app } = await run(code, scope, "{ server, rooms, app }");
app.get("/own", (_request, response) => response.send("a page of the application"));
if (!server.listening) await once(server, "listening");
const address = `127.0.0.1:${server.address().port}`;
after(async () => {
  server.close();
  await rooms.close();
  server.closeAllConnections();
  remove();
});

async function signIn(name, password = "right") {
  const response = await fetch(`http://${address}/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, password }),
  });
  return { status: response.status, cookie: response.headers.get("set-cookie")?.split(";")[0] };
}

function join(cookie) {
  const store = new PatchStore();
  const headers = cookie === undefined ? {} : { cookie };
  const connection = connect(store, () => new WebSocket(`ws://${address}/rooms/lobby`, { headers }), { backoff: 20 });
  return { store, connection };
}

async function callMcp(name, args, headers) {
  const response = await fetch(`http://${address}/rooms/lobby/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  return response.ok ? (await response.json()).result.structuredContent : response.status;
}

test("the listing has under 40 lines", () => {
  assert.ok(code.trimEnd().split("\n").length < 40);
});

test("without its secrets it does not start", async () => {
  const error = /set SESSION_SECRET and AGENT_TOKEN/;
  await assert.rejects(run(code, { ...scope, process: { env: {} } }), error);
  await assert.rejects(run(code, { ...scope, process: { env: { SESSION_SECRET: "s", AGENT_TOKEN: "" } } }), error);
});

test("who has signed in works together in a room; an agent's change waits for an editor", async () => {
  assert.equal((await signIn("ann", "wrong")).status, 401);
  const [editor, viewer] = [await signIn("ann"), await signIn("vic")];
  assert.equal(editor.status, 204);
  const [ann, vic] = [join(editor.cookie), join(viewer.cookie)];
  await until(() => ann.connection.status === "open" && vic.connection.status === "open", "both are in the room");
  ann.store.applyOptimistic(counter);
  ann.store.applyOptimistic(put("city", "Rome"));
  await until(() => vic.store.get("counter", "state.params.city") === "Rome", "the viewer sees what the editor does");

  vic.store.applyOptimistic(put("city", "Oslo"));
  await until(() => vic.store.pending().length === 0, "the viewer's call is refused");
  assert.equal(ann.store.get("counter", "state.params.city"), "Rome");

  const bearer = { authorization: `Bearer ${AGENT_TOKEN}` };
  const asked = await callMcp("patch_ui_state", put("city", "Kyiv"), bearer);
  assert.equal(asked.status, "pending");
  await until(() => vic.connection.proposals().length === 1, "it is shown to all");
  const [{ id }] = ann.connection.proposals();
  assert.equal((await vic.connection.approve(id)).error.code, "FORBIDDEN");
  assert.equal((await ann.connection.approve(id)).status, "success");
  await until(() => vic.store.get("counter", "state.params.city") === "Kyiv", "it is made");
  // The same from a user's session: MCP is open to users too, and an editor's call needs no approval.
  assert.equal((await callMcp("patch_ui_state", put("city", "Bern"), { cookie: editor.cookie })).status, "success");

  assert.equal(rooms.disconnect("vic"), 1);
  await until(() => vic.connection.problem?.reason === "unauthorized", "the viewer is signed out");
  assert.equal(ann.connection.status, "open");
  ann.connection.close();
});

test("strangers are refused, and other addresses are the application's", async () => {
  const stranger = join();
  await until(() => stranger.connection.problem?.reason === "unauthorized", "the socket is refused");
  assert.equal(await callMcp("list_instances", {}, {}), 401);
  assert.equal(await callMcp("list_instances", {}, { authorization: "Bearer undefined" }), 401);
  assert.equal(await (await fetch(`http://${address}/own`)).text(), "a page of the application");
  assert.equal((await fetch(`http://${address}/nothing`)).status, 404);
  assert.deepEqual(await (await fetch(`http://${address}/health`)).json(), { ok: true, failing: {} });
});

test("a room behind a mount point, whose bodies another handler has read", async () => {
  const own = backend.createRooms({
    storage: backend.memoryStorage(),
    path: "/api/rooms",
    authorize: () => ({ user: { id: "ann" }, role: "editor" }),
  });
  const mounted = express().use(express.json()).use("/api", backend.nodeListener(own)).listen(0, "127.0.0.1");
  await once(mounted, "listening");
  const response = await fetch(`http://127.0.0.1:${mounted.address().port}/api/rooms/lobby/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" }),
  });
  assert.deepEqual(await response.json(), { jsonrpc: "2.0", id: 7, result: {} });
  mounted.close();
  mounted.closeAllConnections();
  await own.close();
});
