/** Pages whose documents differ from the server's find out by hashes, and get a snapshot. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { connect, PatchStore } from "genui-patch";
import WebSocket from "ws";
import { counter, put, until } from "./harness.mjs";
import { bearer, joinPage, startRooms } from "./rooms.mjs";

const server = await startRooms({ limits: { beat: 20 } });
after(() => server.close());

/** A socket whose messages another hand changes before the page reads them. */
function doctored(room, change, sent) {
  const socket = new WebSocket(`${server.ws}/rooms/${room}`, { headers: bearer("ann:editor") });
  return {
    get readyState() {
      return socket.readyState;
    },
    send: (text) => {
      sent.push(JSON.parse(text));
      socket.send(text);
    },
    close: () => socket.close(),
    addEventListener: (type, listener) =>
      socket.addEventListener(type, (event) => {
        if (type !== "message") return listener(event);
        const data = change(JSON.parse(event.data));
        return data === undefined ? undefined : listener({ data: JSON.stringify(data) });
      }),
  };
}

function joinDoctored(room, change) {
  const store = new PatchStore();
  const sent = [];
  const received = [];
  const connection = connect(
    store,
    () =>
      doctored(
        room,
        (message) => {
          received.push(message);
          return change(message);
        },
        sent,
      ),
    { backoff: 20, timeout: 60_000 },
  );
  return { store, connection, sent, received };
}

const params = ({ store }) => store.snapshot("counter")?.state.params;
const snapshots = ({ received }) => received.filter(({ type }) => type === "snapshot").length;

async function newRoom(name) {
  const room = await server.rooms.room(name);
  await room.write(counter);
  return room;
}

test("a page that a doctored message has led astray comes to the server's document, with its own calls", async () => {
  const room = await newRoom("astray");
  const page = joinDoctored("astray", (message) =>
    message.type === "patch" && JSON.stringify(message).includes("Rome")
      ? JSON.parse(JSON.stringify(message).replaceAll("Rome", "Oslo"))
      : message,
  );
  await until(() => params(page) !== undefined, "the page has the document");
  await room.write(put("city", "Rome"));
  await until(() => page.received.some(({ patch }) => JSON.stringify(patch ?? "").includes("Rome")), "it was told");
  // No further call: the page finds out by itself.
  await until(() => params(page).city === "Rome", "the page has the server's document");
  page.store.applyOptimistic(put("own", 1));
  await until(() => room.store.confirmed("counter").state.params.own === 1, "its calls still arrive");
  await until(() => page.store.pending().length === 0, "and are settled");
  assert.deepEqual(params(page), room.store.confirmed("counter").state.params);
  page.connection.close();
});

test("a message without its change, and an instance that is missing", async () => {
  const room = await newRoom("missing");
  const page = joinDoctored("missing", (message) => {
    if (message.type === "patch") return { ...message, patch: [] };
    return message.instance_name === "__CREATE__" ? { ...message, type: "nothing", instance_name: undefined } : message;
  });
  await until(() => params(page) !== undefined, "the page has the document");
  await room.write(put("city", "Rome"));
  await room.write({ instance_name: "__CREATE__", new_instance_name: "second", patches: [] });
  await until(
    () => params(page).city === "Rome" && page.store.names().includes("second"),
    "the page has both documents",
  );
  page.connection.close();
});

test("pages that are right ask for nothing", async () => {
  const room = await newRoom("right");
  const page = joinDoctored("right", (message) => message);
  await until(() => params(page) !== undefined, "the page has the document");
  // Numbers, texts and orders of keys that could be written in several ways.
  const values = [-0, 1e21, 0.1, "\ud800", "é", { b: 1, a: [null, {}, []] }, true, "", { 2: 1, 1: 2 }];
  for (const [at, value] of values.entries()) await room.write(put(`k${at}`, value));
  const hashed = () => page.received.filter(({ revision, hashes }) => revision === room.revision && hashes?.counter);
  await until(() => hashed().length >= 3, "it has had hashes of the last revision");
  assert.equal(snapshots(page), 1, "the first one");
  assert.equal(page.sent.filter(({ type }) => type === "resume").length, 1);
  page.connection.close();
});

test("a page that snapshots do not help asks three times, and then no more", async () => {
  const room = await newRoom("hopeless");
  const page = joinDoctored("hopeless", (message) =>
    message.hashes === undefined ? message : { ...message, hashes: { counter: "0000000000000000" } },
  );
  await until(() => snapshots(page) === 4, "it has asked three times");
  const beats = () => page.received.filter(({ hashes }) => hashes !== undefined).length;
  const before = beats();
  await until(() => beats() >= before + 5, "it has been told five times more");
  assert.equal(snapshots(page), 4);
  // The page goes on with its own document.
  await room.write(put("city", "Rome"));
  await until(() => params(page).city === "Rome", "it hears what happens");
  page.connection.close();
});

test("a document that is too long is not hashed, so nobody waits for it", async () => {
  const room = await newRoom("long");
  await room.write(put("text", "x".repeat(1_100_000)));
  const page = joinDoctored("long", (message) => message);
  await until(() => page.received.filter(({ hashes }) => hashes !== undefined).length >= 3, "three beats");
  assert.ok(page.received.every(({ hashes }) => hashes?.counter === undefined));
  page.connection.close();
});

test("a page that is far behind is not compared with what it does not have yet", async () => {
  const room = await newRoom("behind");
  const page = joinPage(server, "behind", "ann:editor");
  await until(() => params(page) !== undefined, "the page has the document");
  for (let call = 0; call < 300; call++) await room.write(put(`k${call}`, call));
  await until(() => params(page).k299 === 299, "the page has all");
  assert.equal(page.results.filter(({ message }) => message.type === "snapshot").length, 1);
  page.connection.close();
});
