/** The calls of a session give the same bytes on the server as in the crate (`tests/session.rs`), also after a restart. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { call, openClient, openPage, scratch, startServer, until } from "./harness.mjs";

const { calls, documents } = JSON.parse(readFileSync(new URL("../fixtures/session.json", import.meta.url), "utf8"));

async function check(mcp) {
  const client = await openClient(mcp);
  const { instances } = await call(client, "list_instances");
  assert.deepEqual(instances.map(({ name }) => name).sort(), Object.keys(documents).sort());
  for (const [name, text] of Object.entries(documents))
    assert.equal(JSON.stringify((await call(client, "get_schema", { instance_name: name })).schema), text);
}

test("the documents of a session", async () => {
  const { folder, remove } = scratch();
  let server = await startServer({ DATA_DIR: folder });
  const page = openPage(server.ws);
  const client = await openClient(server.mcp);
  for (const { ok, call: sent } of calls)
    assert.equal((await call(client, "patch_ui_state", sent)).status, ok ? "success" : "error", JSON.stringify(sent));
  await check(server.mcp);
  await until(() =>
    Object.entries(documents).every(([name, text]) => JSON.stringify(page.store.snapshot(name)) === text),
  );
  page.connection.close();
  await server.end("SIGKILL");
  server = await startServer({ DATA_DIR: folder });
  await check(server.mcp);
  await server.end();
  remove();
});
