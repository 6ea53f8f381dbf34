/** The demo's backend: unauthorized clients and oversized input are refused or limited, and other clients are not delayed. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import WebSocket from "ws";
import {
  asPage,
  call,
  counter,
  openClient,
  openPage,
  PAGE_TOKEN,
  put,
  root,
  scratch,
  startServer,
  TOKEN,
  until,
} from "./harness.mjs";

const { folder, remove } = scratch();
const site = join(folder, "site");
mkdirSync(site);
for (const name of ["index.html", "gone.js"]) writeFileSync(join(site, name), "x".repeat(500));
const server = await startServer({ DATA_DIR: folder, PAGE: site });
const page = openPage(server.ws);
page.store.applyOptimistic(counter);
await until(() => page.store.pending().length === 0, "the page is connected");
after(async () => {
  page.connection.close();
  await server.end();
  remove();
});

const authorization = `Bearer ${TOKEN}`;
const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const { origin, host } = new URL(server.mcp);
const ROOM = "/rooms/demo";

/** The answer to a request, without its body. */
async function ask(headers, { path = `${ROOM}/mcp`, method = "POST", body = list } = {}) {
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
  return response;
}

const status = async (headers, rest) => (await ask(headers, rest)).statusCode;
const get = (path, headers = {}) => ask(headers, { path, method: "GET" });

/** The code with which a socket is closed: 1000 if this side has closed it. */
async function end(headers, { query = "", send } = {}) {
  const socket = new WebSocket(`${server.ws}${query}`, { headers });
  socket.on("error", () => {});
  return new Promise((resolve) => {
    socket.on("unexpected-response", (_, { statusCode }) => resolve(statusCode));
    socket.on("close", resolve);
    // Presence comes to a page that has been let in.
    socket.on("message", () => send === undefined && socket.close(1000));
    socket.on("open", () => send?.(socket));
  });
}

/** A call of another page, which the server answers in the meantime. */
async function served() {
  page.store.applyOptimistic(put("held", Math.random()));
  await until(() => page.store.pending().length === 0, "another page's call is confirmed");
}

test("a foreign origin or host, and a token that is missing or wrong", async () => {
  assert.equal(await status({ authorization }), 200);
  assert.equal(await status({ authorization: authorization.replace("Bearer", "bearer") }), 200);
  const unknown = await ask({});
  assert.equal(unknown.statusCode, 401);
  assert.equal(unknown.headers["www-authenticate"], "Bearer");
  assert.equal(await status({ authorization: "Bearer no" }), 401);
  assert.equal(await status({ authorization, origin: "https://evil.example" }), 403);
  assert.equal(await status({ authorization, origin: "null" }), 403);
  assert.equal(await status({ authorization, host: "evil.example" }), 403);
  assert.equal(await status({}, { path: `${ROOM}/mcp?token=${TOKEN}` }), 400);
  assert.equal(await status({ authorization }, { path: "/rooms/other/mcp" }), 404);
  for (const path of ["/", "/health", "/proof?nonce=1"])
    assert.equal((await get(path, { host: "evil.example" })).statusCode, 403, path);
  assert.equal((await get("/health")).statusCode, 200);
  assert.equal(await end(asPage), 1000);
  assert.equal(await end({}, { send: (socket) => socket.send('{"type":"resume"}') }), 4401);
  assert.equal(await end({}, { query: `?token=${PAGE_TOKEN}` }), 4400);
  assert.equal(await end({ ...asPage, origin: "https://evil.example" }), 4403);
  assert.equal(await end({ ...asPage, host: "evil.example" }), 4403);
  assert.equal(await end({ ...asPage, origin }), 1000);
});

test("the agent's token opens no page", async () => {
  assert.equal(await end({ authorization }), 4403);
  const authenticate = JSON.stringify({ type: "authenticate", token: TOKEN });
  assert.equal(await end({}, { send: (socket) => socket.send(authenticate) }), 4403);
});

test("the page's address is exchanged for a cookie, once", async () => {
  const address = new URL(await server.newPage());
  assert.equal(address.search.includes(PAGE_TOKEN), false);
  const path = address.pathname + address.search;
  // Programs that look at links before somebody follows them.
  assert.equal((await ask({}, { path, method: "HEAD" })).headers["set-cookie"], undefined);
  const first = await get(path);
  assert.equal(first.statusCode, 303);
  assert.equal(first.headers.location, "/?backend");
  const [cookie] = first.headers["set-cookie"];
  assert.match(cookie, /^genui-patch-[0-9a-f]{8}=\S+; Path=\/rooms\/demo; HttpOnly; SameSite=Strict$/);
  const again = await get(path);
  assert.deepEqual([again.statusCode, again.headers["set-cookie"]], [303, undefined]);
  assert.equal((await get("/?code=")).headers["set-cookie"], undefined);
  assert.notEqual(await server.newPage(), address.href);

  const [pair] = cookie.split(";");
  assert.equal(await end({ cookie: `other=1; ${pair}`, origin }), 1000);
  const say = (socket) => socket.send('{"type":"resume"}');
  assert.equal(await end({ cookie: `${pair}x`, origin }, { send: say }), 4401);
  // A page of another server on this machine, to which a browser may send the cookie.
  const other = `http://127.0.0.1:${server.port === 1 ? 2 : 1}`;
  assert.equal(await end({ cookie: pair, origin: other }), 4403);
  assert.equal(await status({ cookie: pair, origin: other }), 403);
});

test("the server proves that it knows the agent's token, and tells it to nobody", async () => {
  const proof = async (query) => (await fetch(`${origin}/proof${query}`)).text();
  const [one, other] = [await proof("?nonce=1"), await proof("?nonce=2")];
  assert.match(one, /^[0-9a-f]{64}$/);
  assert.notEqual(one, other);
  assert.match(await proof(""), /^[0-9a-f]{64}$/);
});

test("settings that would let strangers in are refused", async () => {
  const own = scratch();
  const refused = (env) => {
    const all = { ...process.env, PORT: "0", DATA_DIR: own.folder, ...env };
    const { status, stderr } = spawnSync(process.execPath, ["www/server/main.mjs"], { cwd: root, env: all });
    assert.equal(status, 1);
    return String(stderr);
  };
  assert.match(refused({ TOKEN: "" }), /TOKEN: a token has at least 16/);
  assert.match(refused({ PAGE_TOKEN: "short" }), /PAGE_TOKEN: a token has at least 16/);
  assert.match(refused({ TOKEN, PAGE_TOKEN: TOKEN }), /the same token/);
  assert.match(refused({ HOST: "" }), /HOST/);
  assert.match(refused({ PORT: "x" }), /PORT/);
  assert.deepEqual(readdirSync(own.folder), [], "a server that does not start leaves no token");
  const started = await startServer({ DATA_DIR: own.folder, TOKEN: undefined, PAGE_TOKEN: undefined });
  await started.end();
  assert.equal(statSync(join(own.folder, "token")).mode & 0o777, 0o600);
  assert.ok(readFileSync(join(own.folder, "token"), "utf8").length >= 16);
  writeFileSync(join(own.folder, "token"), "");
  assert.match(refused({}), /token: a token has at least 16/);
  own.remove();
});

test("files beside the page are not served", async () => {
  for (const path of ["/../package.json", "/..%2fpackage.json", "/%2e%2e/package.json", "/server/main.mjs"])
    assert.equal((await get(path)).statusCode, 404, path);
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
  assert.equal(await end(asPage, { send: (socket) => socket.send(large) }), 1009);
  assert.equal(await status({ authorization }, { body: large }).catch(() => 413), 413);
  await served();
});

test("messages outside the protocol", async () => {
  for (const text of ["", "{", "[]", "null", '{"type":"call"}', '{"type":"call","pendingId":7,"call":{}}'])
    assert.equal(await end(asPage, { send: (socket) => socket.send(text) }), 4400, text);
  assert.equal(await status({ authorization }, { body: "{" }), 400);
  for (const sent of [
    {},
    { instance_name: 7 },
    { instance_name: "counter", patches: 7 },
    { instance_name: "__CREATE__" },
  ]) {
    const message = await new Promise((resolve) => {
      const socket = new WebSocket(server.ws, { headers: asPage });
      socket.on("open", () => socket.send(JSON.stringify({ type: "call", pendingId: "x", call: sent })));
      socket.on("message", (data) => {
        const got = JSON.parse(data);
        if (got.type === "presence") return;
        resolve(got);
        socket.close();
      });
    });
    assert.equal(message.type, "reject", JSON.stringify(sent));
  }
  const agent = await openClient(server.mcp);
  const odd = await call(agent, "highlight_block", { instance_name: 7, block_id: {} });
  assert.equal(odd.status, "error");
  await agent.close();
});

test("a page that sends thousands of messages a second is slowed down, others are not", async () => {
  const flood = new WebSocket(server.ws, { headers: asPage });
  let code;
  flood.on("close", (closed) => {
    code = closed;
  });
  await once(flood, "open");
  const start = performance.now();
  for (let at = 1; at <= 900; at++)
    flood.send(JSON.stringify({ type: "call", pendingId: `flood-${at}`, call: put("flood", at) }));
  for (let at = 0; at < 5; at++) await served();
  const { flood: made } = (await call(await openClient(server.mcp), "get_schema", { instance_name: "counter" })).schema
    .state.params;
  // The burst and the rate that a page is allowed; the server's clock started a little earlier.
  const most = 400 + 200 * ((performance.now() - start) / 1000 + 1);
  assert.ok(made > 0 && made < most, `${made} of ${most} calls were made`);
  // More than the server keeps of one page.
  for (let at = 901; at <= 5_000; at++)
    flood.send(JSON.stringify({ type: "call", pendingId: `flood-${at}`, call: put("flood", at) }));
  await until(() => code !== undefined, "the page is disconnected");
  assert.equal(code, 1013);
  await served();
});

test("a page that reads nothing is dropped, and others receive every message", async () => {
  const deaf = connectTcp(server.port, "127.0.0.1");
  deaf.write(
    `GET ${ROOM} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Authorization: ${asPage.authorization}\r\n` +
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
  const read = async (path, headers = {}) => {
    const response = await fetch(new URL(path, origin), { headers });
    return [response.status, (await response.text()).length];
  };
  for (const range of ["bytes=5-2", "bytes=0-9", "bytes=-1", "bytes=x", "bytes=9999-"])
    assert.deepEqual(await read("/", { range }), [200, 500], range);
  rmSync(join(site, "gone.js"));
  await assert.rejects(read("/gone.js"));
  assert.deepEqual(await read("/"), [200, 500]);
});

test("no token is in what the server has logged", () => {
  for (const token of [TOKEN, PAGE_TOKEN]) assert.equal(server.errors().includes(token), false);
});
