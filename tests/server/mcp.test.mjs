/**
 * MCP through the SDK's clients of both eras, over HTTP and over standard input and output. An open page shows the agent's
 * changes.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import * as modern from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { call, openClient, openPage, PAGE_TOKEN, root, scratch, startServer, TOKEN, until } from "./harness.mjs";

const { folder, remove } = scratch();
const server = await startServer({ DATA_DIR: folder });
const page = openPage(server.ws);
after(async () => {
  page.connection.close();
  await server.end();
  remove();
});

const seen = (condition, what) => until(condition, what);
const asked = (id) => page.connection.proposals().find((proposal) => proposal.id === id);

async function session(client, name) {
  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  for (const tool of ["patch_ui_state", "get_schema", "list_instances", "validate_completion", "access_instance"])
    assert.ok(tools.includes(tool), tool);
  for (const tool of ["write_file", "updateNode", "highlight_block"]) assert.ok(tools.includes(tool), tool);

  const made = await call(client, "patch_ui_state", {
    instance_name: "__CREATE__",
    new_instance_name: name,
    patches: [
      { op: "set", path: "blocks", value: [{ id: "form", type: "form", bind: "state.params", props: { fields: [] } }] },
    ],
  });
  assert.equal(made.status, "success", JSON.stringify(made));
  await seen(() => page.store.snapshot(name), "the page has the instance");

  const field = { key: "city", type: "text", label: "City" };
  const added = await call(client, "patch_ui_state", {
    instance_name: name,
    patches: [{ op: "add", path: "blocks.0.props.fields", value: field }],
  });
  assert.equal(added.status, "success", JSON.stringify(added));
  await seen(() => page.store.get(name, "blocks.0.props.fields.0.key") === "city", "the page has the field");

  page.store.setString(name, "state.params.city", "Rome", { optimistic: true });
  await seen(() => page.store.pending().length === 0, "what was typed is confirmed");
  const { schema } = await call(client, "get_schema", { instance_name: name });
  assert.equal(schema.state.params.city, "Rome");

  const criteria = [{ type: "field_not_empty", path: "state.params.city" }];
  const done = await call(client, "validate_completion", { instance_name: name, completion_criteria: criteria });
  assert.equal(done.completed, true);

  await call(client, "access_instance", { instance_name: name });
  await seen(() => page.store.active === name, "the page shows it");

  const shown = [];
  const end = page.store.subscribe(({ type, instance_name, highlight }) => {
    if (type === "highlight") shown.push(`${instance_name} ${highlight}`);
  });
  assert.equal((await call(client, "highlight_block", { instance_name: name, block_id: "form" })).status, "success");
  await seen(() => shown.includes(`${name} form`), "the page is told of the block");
  end();
  const nowhere = { instance_name: name, block_id: "none" };
  assert.equal((await call(client, "highlight_block", nowhere)).error.code, "PATH_NOT_FOUND");

  const refused = await call(client, "patch_ui_state", {
    instance_name: name,
    patches: [{ op: "set", path: "nowhere.at.all", value: 1 }],
  });
  assert.equal(refused.status, "error");
  assert.ok(refused.error.solution);

  const { resources } = await client.listResources();
  const { uri } = resources.find((resource) => resource.name === name);
  const { contents } = await client.readResource({ uri });
  assert.deepEqual(JSON.parse(contents[0].text), schema);

  const path = `${name}/a.md`;
  const waiting = await call(client, "write_file", { path, content: "# A" });
  assert.equal(waiting.status, "pending");
  await seen(() => asked(waiting.proposal)?.status === "pending", "the page is asked");
  assert.equal(page.connection.files()[path], undefined);
  assert.equal((await page.connection.approve(waiting.proposal)).status, "success");
  assert.equal(page.connection.files()[path], "# A");
  await until(async () => {
    const { contents } = await client.readResource({ uri: "genui://proposals" });
    return JSON.parse(contents[0].text)[waiting.proposal].status === "approved";
  }, "the agent learns of the yes");
  const edit = { path, search_replace: { old_string: "# A", new_string: "# B" } };
  assert.equal((await call(client, "edit_file", edit)).status, "pending");
  const update = { taskId: "heron-app", nodeId: "problem", newData: { title: name }, isApprovedUpdate: true };
  const node = await call(client, "updateNode", update);
  assert.equal(node.status, "pending");
  await seen(() => asked(node.proposal)?.status === "pending", "the page is asked for the node");
  assert.deepEqual(asked(node.proposal).proposed, { title: name });
  const unknown = { ...update, nodeId: "none" };
  assert.equal((await call(client, "updateNode", unknown)).error.code, "PATH_NOT_FOUND");
  assert.equal((await call(client, "write_file", { path: "../.ssh/id_rsa", content: "x" })).status, "error");
  await assert.rejects(call(client, "light_up", {}), ({ code, data }) => {
    assert.equal(code, -32602);
    assert.match(data.tools.join(" "), /patch_ui_state.*write_file.*updateNode.*highlight_block/);
    return true;
  });
}

test("over HTTP", async () => {
  const client = await openClient(server.mcp);
  await session(client, "http");
  await client.close();
});

const newClient = () =>
  new modern.Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });

test("over HTTP, with a client of 2026-07-28", async () => {
  const client = newClient();
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  await client.connect(new modern.StreamableHTTPClientTransport(new URL(server.mcp), { requestInit }));
  await session(client, "modern");
  await client.close();
});

test("over standard input and output, with a client of 2026-07-28", async () => {
  const client = newClient();
  const env = { ...process.env, PORT: String(server.port), TOKEN, DATA_DIR: folder };
  await client.connect(new ModernStdio({ command: process.execPath, args: ["scripts/mcp.mjs"], cwd: root, env }));
  await session(client, "Grüße");
  await client.close();
});

test("over standard input and output, handed on to the server that runs", async () => {
  const client = new Client({ name: "test", version: "1" });
  const env = { ...process.env, PORT: String(server.port), TOKEN, DATA_DIR: folder };
  await client.connect(new StdioClientTransport({ command: "npm", args: ["run", "--silent", "mcp"], cwd: root, env }));
  await session(client, "stdio");
  await client.close();
});

test("where no server runs, standard input and output start one", async () => {
  const own = scratch();
  const client = new Client({ name: "test", version: "1" });
  const env = { ...process.env, PORT: "0", DATA_DIR: own.folder };
  const args = ["scripts/mcp.mjs"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: root, env, stderr: "ignore" }));
  assert.equal((await call(client, "list_instances")).total, 0);
  await client.close();
  own.remove();
});

test("the bridge writes no tokens where it only hands on", async () => {
  const own = scratch();
  const env = { ...process.env, PORT: String(server.port), DATA_DIR: join(own.folder, "data") };
  delete env.TOKEN;
  const bridge = spawn(process.execPath, ["scripts/mcp.mjs"], { cwd: root, env, stdio: "ignore" });
  assert.deepEqual(await once(bridge, "exit"), [1, null], "the server does not know a new token");
  assert.deepEqual(readdirSync(own.folder), []);
  own.remove();
});

test("the bridge sends no token to a server that does not know it", async () => {
  const requests = [];
  const impostor = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.end("0".repeat(64));
  }).listen(0, "127.0.0.1");
  await once(impostor, "listening");
  const env = { ...process.env, PORT: String(impostor.address().port), TOKEN, PAGE_TOKEN, DATA_DIR: folder };
  const bridge = spawn(process.execPath, ["scripts/mcp.mjs"], { cwd: root, env });
  let errors = "";
  bridge.stderr.on("data", (data) => {
    errors += data;
  });
  const [code] = await once(bridge, "exit");
  impostor.close();
  impostor.closeAllConnections();
  assert.equal(code, 1);
  assert.match(errors, /does not know this token/);
  assert.equal(requests.length, 1);
  assert.match(requests[0], /^GET \/proof\?nonce=/);
  assert.equal(requests[0].includes(TOKEN), false);
});

test("agents have no tool that affects pending approvals", async () => {
  const client = await openClient(server.mcp);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => /approve|refuse|settle|proposal/.test(name)),
    [],
  );
  const [open] = page.connection.proposals();
  for (const name of ["approve", "refuse", "settle_proposal", "edit_as_user"])
    await assert.rejects(call(client, name, { proposal: open.id, decision: "approve" }), ({ code }) => code === -32602);
  assert.equal(asked(open.id).status, "pending");
  assert.deepEqual(
    (await call(client, "list_instances")).instances.map(({ name }) => name),
    ["http", "modern", "Grüße", "stdio"],
  );
  await client.close();
});
