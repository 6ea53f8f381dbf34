/** Pages that were offline for an hour of typing, each on its own server: no edit is lost, and all reach the same document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "genui-patch";
import WebSocket from "ws";
import { findNats, startBroker } from "../../scripts/lib/nats.mjs";
import { random } from "../support/random.mjs";
import { freePort } from "../support/site.mjs";
import { asPage, call, counter, openClient, openPage, scratch, startServer, until } from "./harness.mjs";

/** A key every 180 ms. */
const KEYS = 20_000;
const FIELDS = 40;
const words = "Two herons stood at the weir until noon, and then the rain came over the hill. ";

/** Types into one field after another; returns the final value of each. */
function type({ store }, own, seed) {
  const { below } = random(seed);
  const typed = {};
  let field = "";
  for (let key = 0; key < KEYS; key++) {
    // Each field gets a minute of typing; some fields are typed into by the other page too.
    if (key % 330 === 0) field = below(4) === 0 ? `shared_${below(5)}` : `${own}_${below(FIELDS)}`;
    typed[field] = (typed[field] ?? "") + words[key % words.length];
    const { status, error } = store.setString("counter", `state.params.${field}`, typed[field], { optimistic: true });
    assert.equal(status, "success", error?.message);
  }
  return typed;
}

async function agree(servers) {
  await call(await openClient(servers[0].mcp), "patch_ui_state", counter);
  const pages = servers.map(({ ws }, at) => openPage(ws, { clientId: `page${at}` }));
  for (const { store } of pages) await until(() => store.snapshot("counter"), "a page has its document");
  for (const { connection } of pages) connection.close();
  const typed = pages.map((page, at) => type(page, `page${at}`, at + 1));
  const again = pages.map(({ store }, at) =>
    connect(store, () => new WebSocket(servers[at].ws, { headers: asPage }), { backoff: 20, timeout: 5_000 }),
  );
  try {
    for (const { store } of pages) await until(() => store.pending().length === 0, "all is settled");
    const document = async ({ mcp }) =>
      (await call(await openClient(mcp), "get_schema", { instance_name: "counter" })).schema;
    const first = await document(servers[0]);
    for (const server of servers) assert.deepEqual(await document(server), first);
    for (const { store } of pages)
      await until(() => JSON.stringify(store.confirmed("counter")) === JSON.stringify(first), "the pages agree");
    for (const [at, fields] of typed.entries())
      for (const [key, text] of Object.entries(fields)) {
        const other = typed[1 - at][key];
        assert.ok([text, other].includes(first.state.params[key]), key);
      }
  } finally {
    for (const connection of again) connection.close();
  }
}

test("two pages of one server", async () => {
  const { folder, remove } = scratch();
  const server = await startServer({ DATA_DIR: folder });
  await agree([server, server]).finally(() => server.end());
  remove();
});

const skip = findNats() === undefined && "nats-server is not here";
test("two pages of two servers", { skip }, async () => {
  const { folder, remove } = scratch();
  const broker = await startBroker(folder, await freePort());
  const env = { DATA_DIR: folder, NATS_URL: broker.url };
  const servers = [await startServer(env), await startServer(env)];
  try {
    await agree(servers);
  } finally {
    for (const server of servers) await server.end();
    await broker.end();
  }
  remove();
});
