/** The log of the backend that the demo had before is read once. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openLog } from "../../www/server/earlier-log.mjs";
import { call, openClient, scratch, startServer } from "./harness.mjs";

const fixture = new URL("../fixtures/earlier-log.json", import.meta.url);
const { pairs } = JSON.parse(readFileSync(fixture, "utf8"));

/** A log as the earlier backend has left it, as far as it is kept. */
async function writeLog(folder, kept = pairs) {
  const db = openLog(join(folder, "log"), true);
  await db.batch(kept.map(([key, value]) => ({ type: "put", key, value })));
  await db.close();
}

async function readPages({ mcp }) {
  const client = await openClient(mcp);
  const { instances } = await call(client, "list_instances");
  const { schema } = await call(client, "get_schema", { instance_name: "trip" });
  await client.close();
  return { names: instances.map(({ name }) => name), params: schema?.state.params };
}

const setCity = (city) => ({ instance_name: "trip", patches: [{ op: "set", path: "state.params.city", value: city }] });

test("the earlier log is read once, from its snapshot on, and not again", async () => {
  const { folder, remove } = scratch();
  await writeLog(folder);
  let server = await startServer({ DATA_DIR: folder });
  assert.deepEqual(await readPages(server), { names: ["trip", "late"], params: { city: "Oslo", days: 3 } });
  const client = await openClient(server.mcp);
  assert.equal((await call(client, "patch_ui_state", setCity("Bern"))).status, "success");
  await client.close();
  await server.end();
  server = await startServer({ DATA_DIR: folder });
  assert.deepEqual((await readPages(server)).params, { city: "Bern", days: 3 });
  await server.end();
  remove();
});

test("an earlier log with a gap is not read in part", async () => {
  const { folder, remove } = scratch();
  await writeLog(
    folder,
    pairs.filter(([key]) => key !== "entry:0000000000000006"),
  );
  await assert.rejects(startServer({ DATA_DIR: folder }), /the entries 6 to 6 are missing/);
  remove();
});
