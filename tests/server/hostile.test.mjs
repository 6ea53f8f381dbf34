/** Unauthorized clients and oversized input are refused or limited, and other clients are not delayed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import WebSocket from "ws";
import { Documents } from "../../www/server/documents.mjs";
import { serve } from "../../www/server/server.mjs";
import { call, counter, openClient, openPage, put, scratch, startServer, TOKEN, until } from "./harness.mjs";

const { folder, remove } = scratch();
const server = await startServer({ DATA_DIR: folder });
const page = openPage(server.ws);
await until(() => page.store.snapshot("$desk"), "the page is connected");
page.store.applyOptimistic(counter);
after(async () => {
  page.connection.close();
  await server.end();
  remove();
});

const authorization = `Bearer ${TOKEN}`;
const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });

/** The status of a request. */
async function status(headers, { path = "/mcp", method = "POST", body = list } = {}) {
  const accept = "application/json, text/event-stream";
  const sent = request(server.mcp, {
    path,
    method,
    headers: { accept, "content-type": "application/json", ...headers },
  });
  sent.on("error", () => {});
  sent.end(method === "POST" ? body : undefined);
  const [response] = await once(sent, "response");
  response.resume();
  return response.statusCode;
}

/** The end of a connection: the status with which it is refused, or the code with which it is closed. */
async function end(headers, { query = `?token=${TOKEN}`, send } = {}) {
  const socket = new WebSocket(`${server.ws}${query}`, { headers });
  socket.on("error", () => {});
  return new Promise((resolve) => {
    socket.on("unexpected-response", (_, { statusCode }) => resolve(statusCode));
    socket.on("close", resolve);
    socket.on("open", () => (send ? send(socket) : socket.close(1000)));
  });
}

/** A call of another page, which the server answers in the meantime. */
async function served() {
  page.store.applyOptimistic(put("held", Math.random()));
  await until(() => page.store.pending().length === 0, "another page's call is confirmed");
}

test("a foreign origin or host, and a token that is missing or wrong", async () => {
  assert.equal(await status({ authorization }), 200);
  assert.equal(await status({}), 401);
  assert.equal(await status({ authorization: "Bearer no" }), 401);
  assert.equal(await status({ authorization, origin: "https://evil.example" }), 403);
  assert.equal(await status({ authorization, origin: "null" }), 403);
  assert.equal(await status({ authorization, host: "evil.example" }), 403);
  assert.equal(await status({}, { path: `/mcp?token=${TOKEN}` }), 401);
  assert.equal(await status({ host: "evil.example" }, { path: "/", method: "GET" }), 403);
  assert.equal(await end({}), 1000);
  assert.equal(await end({}, { query: "" }), 401);
  assert.equal(await end({}, { query: "?token=no" }), 401);
  assert.equal(await end({ origin: "https://evil.example" }), 403);
  assert.equal(await end({ host: "evil.example" }), 403);
  assert.equal(await end({ origin: `http://127.0.0.1:${server.port}` }), 1000);
});

test("files beside the page are not served", async () => {
  for (const path of ["/../package.json", "/..%2fpackage.json", "/%2e%2e/package.json", "/server/main.mjs"])
    assert.equal(await status({}, { path, method: "GET" }), 404, path);
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) assert.equal(await status({}, { path: "/", method }), 405);
});

test("an invalid address", async () => {
  for (const path of ["//", "//[", "http://[/"]) {
    assert.equal(await status({ authorization }, { path, method: "GET" }), 400, path);
    assert.equal(await status({ connection: "upgrade", upgrade: "websocket" }, { path, method: "GET" }), 400, path);
  }
  assert.equal(await status({ authorization }), 200);
});

test("a message of 100 MB", async () => {
  const large = Buffer.alloc(100 * 2 ** 20, "a");
  assert.equal(await end({}, { send: (socket) => socket.send(large) }), 1009);
  assert.equal(await status({ authorization }, { body: large }).catch(() => 413), 413);
  await served();
});

test("messages outside the protocol", async () => {
  for (const text of ["", "{", "[]", "null", '{"type":"call"}', '{"type":"call","pendingId":7,"call":{}}'])
    assert.equal(await end({}, { send: (socket) => socket.send(text) }), 1008, text);
  assert.equal(await status({ authorization }, { body: "{" }), 400);
  for (const sent of [
    {},
    { instance_name: 7 },
    { instance_name: "counter", patches: 7 },
    { instance_name: "__CREATE__" },
  ]) {
    const reason = await new Promise((resolve) => {
      const socket = new WebSocket(`${server.ws}?token=${TOKEN}`);
      socket.on("open", () => socket.send(JSON.stringify({ type: "call", pendingId: "x", call: sent })));
      socket.on("message", (data) => {
        resolve(JSON.parse(data));
        socket.close();
      });
    });
    assert.equal(reason.type, "reject", JSON.stringify(sent));
  }
});

test("a page cannot take the desk from agents", async () => {
  const set = (path, value) => ({ instance_name: "$desk", patches: [{ op: "set", path, value }] });
  const calls = [
    { instance_name: "__DELETE__", target_instance_name: "$desk" },
    ...["files", "nodes", "asked"].map((key) => set(`state.params.${key}`, null)),
    ...["files", "nodes", "asked"].map((key) => set(`state.params.${key}.x`, 7)),
  ];
  for (const sent of calls) {
    assert.equal(page.store.applyOptimistic(sent).status, "success", JSON.stringify(sent));
    await until(() => page.store.pending().length === 0, "it is settled");
  }
  assert.deepEqual(page.store.snapshot("$desk").state.params, { files: {}, nodes: {}, asked: {} });
  const agent = await openClient(server.mcp);
  assert.equal((await call(agent, "write_file", { path: "a.md", content: "a" })).status, "pending");
  const odd = await call(agent, "highlight_block", { instance_name: 7, block_id: {} });
  assert.equal(odd.error.code, "PATH_NOT_FOUND");
  await agent.close();
});

test("a page that sends thousands of messages a second is slowed down, others are not", async () => {
  const flood = new WebSocket(`${server.ws}?token=${TOKEN}`);
  await once(flood, "open");
  const start = performance.now();
  for (let at = 0; at < 5_000; at++)
    flood.send(JSON.stringify({ type: "call", pendingId: `flood-${at}`, call: put("flood", at) }));
  for (let at = 0; at < 5; at++) await served();
  const made = (await call(await openClient(server.mcp), "get_schema", { instance_name: "counter" })).schema.state
    .params;
  // The burst and the rate that a page is allowed; the server's clock started a little earlier.
  const most = 400 + 200 * ((performance.now() - start) / 1000 + 1);
  assert.ok(made.flood < most, `${made.flood} of ${most} calls were made`);
  flood.terminate();
});

test("a page that reads nothing is dropped, and others receive every message", async () => {
  const deaf = connectTcp(server.port, "127.0.0.1");
  deaf.write(
    `GET /ws?token=${TOKEN} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  );
  await once(deaf, "data");
  deaf.pause();
  // A masked text frame: {"type":"resume"}, with a mask of zeros.
  const text = '{"type":"resume"}';
  deaf.write(Buffer.concat([Buffer.from([0x81, 0x80 + text.length, 0, 0, 0, 0]), Buffer.from(text)]));
  const closed = new Promise((resolve) => {
    deaf.on("error", resolve);
    deaf.on("close", resolve);
  });
  const client = await openClient(server.mcp);
  const large = "x".repeat(4 * 2 ** 20);
  for (let at = 0; at < 8; at++)
    assert.equal((await call(client, "patch_ui_state", put("large", `${at}${large}`))).status, "success");
  await served();
  await until(() => String(page.store.get("counter", "state.params.large")).startsWith("7x"), "a page has the last");
  deaf.resume();
  await closed;
  await call(client, "patch_ui_state", put("large", ""));
});

test("a file that is asked for in part, or is gone meanwhile, ends no server", async () => {
  const site = join(folder, "site");
  mkdirSync(site);
  for (const name of ["index.html", "gone.js"]) writeFileSync(join(site, name), "x".repeat(500));
  const log = { session: "s", async start() {}, async close() {} };
  const own = await serve(await Documents.open(log), { host: "127.0.0.1", port: 0, token: TOKEN, page: site });
  try {
    const get = async (path, headers = {}) => {
      const response = await fetch(new URL(path, own.addresses.page), { headers });
      return [response.status, (await response.text()).length];
    };
    for (const range of ["bytes=5-2", "bytes=0-9", "bytes=-1", "bytes=x", "bytes=9999-"])
      assert.deepEqual(await get("/", { range }), [200, 500], range);
    rmSync(join(site, "gone.js"));
    await assert.rejects(get("/gone.js"));
    assert.deepEqual(await get("/"), [200, 500]);
  } finally {
    await own.close();
  }
});
