/** The entrance of rooms: wrong credentials are slowed and reported, and dead sockets are noticed. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createRooms, memoryStorage } from "genui-patch/server";
import { until } from "./harness.mjs";
import { authorize, bearer, joinPage, startRooms } from "./rooms.mjs";

const WRONG = "nobody:editor";

/** Whether a promise is still pending after all that is ready has run. */
async function isPending(promise) {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let count = 0; count < 20; count++) await turn();
  return !isSettled;
}

function startWithErrors() {
  const errors = [];
  const onError = (error, room) => errors.push(`${error.code} ${room}: ${error.message}`);
  return { rooms: createRooms({ storage: memoryStorage(), authorize, onError }), errors };
}

const from = (remoteAddress) => ({ url: "/rooms/a", headers: { host: "localhost" }, socket: { remoteAddress } });
const ask = (rooms, token, address) =>
  rooms.fetch(
    new Request("http://localhost/rooms/a/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && bearer(token)) },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    }),
    from(address),
  );

test("wrong credentials are slowed by address, and told of without the token; right ones never wait", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { rooms, errors } = startWithErrors();
  for (let count = 0; count < 10; count++) assert.equal((await ask(rooms, WRONG, "10.0.0.7")).status, 401);
  const [eleventh, twelfth] = [ask(rooms, WRONG, "10.0.0.7"), ask(rooms, WRONG, "10.0.0.7")];
  assert.ok(await isPending(eleventh), "the eleventh waits");
  assert.equal((await ask(rooms, WRONG, "10.0.0.8")).status, 401, "another address does not wait");
  assert.equal((await ask(rooms, "ann:editor", "10.0.0.7")).status, 200, "the right token does not wait");
  assert.equal((await ask(rooms, undefined, "10.0.0.7")).status, 401, "no token is no wrong token");
  context.mock.timers.tick(100);
  assert.equal((await eleventh).status, 401);
  assert.ok(await isPending(twelfth), "each waits longer");
  context.mock.timers.tick(100);
  assert.equal((await twelfth).status, 401);
  assert.deepEqual(errors, ["UNAUTHORIZED a: 10 wrong credentials from 10.0.0.7 in a minute."]);
  await rooms.close();
});

test("an error of authorize on a socket is reported with the name of the room", async () => {
  const errors = [];
  const rooms = createRooms({
    storage: memoryStorage(),
    authorize() {
      throw new Error("no database");
    },
    onError: (error, room) => errors.push(`${room}: ${error.message}`),
  });
  const code = await new Promise((resolve) => {
    rooms.socket({ send() {}, close: resolve }, new Request("http://localhost/rooms/a"));
  });
  assert.equal(code, 1013);
  assert.deepEqual(errors, ["a: no database"]);
  await rooms.close();
});

test("a socket whose first message has a wrong token is slowed too", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { rooms, errors } = startWithErrors();
  const open = () =>
    new Promise((resolve) => {
      const handlers = rooms.socket({ send() {}, close: resolve }, from("10.0.0.9"));
      handlers.message(JSON.stringify({ type: "authenticate", token: WRONG }));
    });
  for (let count = 0; count < 10; count++) assert.equal(await open(), 4401);
  const eleventh = open();
  assert.ok(await isPending(eleventh));
  context.mock.timers.tick(100);
  assert.equal(await eleventh, 4401);
  assert.equal(errors.length, 1);
  assert.ok(!errors[0].includes(WRONG));
  await rooms.close();
});

/** A socket that is opened by hand, and never answers a ping: as one whose network is gone. */
async function openSilent({ http }) {
  const { hostname, port } = new URL(http);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const key = randomBytes(16).toString("base64");
  const lines = [
    "GET /rooms/a HTTP/1.1",
    `host: ${hostname}:${port}`,
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    `sec-websocket-key: ${key}`,
    "authorization: Bearer sid:editor",
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  socket.resume();
  return socket;
}

test("a page that does not answer pings leaves the room, and one that does stays", async () => {
  const server = await startRooms({ limits: { beat: 50 } });
  let people = [];
  let wasClosed = false;
  const onMessage = (message) => {
    if (message.type === "presence") people = message.people.map(({ user }) => user.id);
  };
  const ann = joinPage(server, "a", "ann:editor", { onMessage });
  ann.connection.subscribe(() => {
    if (people.length > 0 && ann.connection.status !== "open") wasClosed = true;
  });
  const silent = await openSilent(server);
  await until(() => people.includes("sid"), "the silent page is in");
  const end = once(silent, "close");
  await until(() => people.length === 1 && people[0] === "ann", "the silent page is out");
  await end;
  assert.equal(wasClosed, false, "the other page was not disconnected");
  ann.connection.close();
  await server.close();
});
