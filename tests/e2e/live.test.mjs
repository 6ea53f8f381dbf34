/** The page with a backend: an agent's MCP calls are visible within a second, and the page continues after a restart. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { call, openClient, root, scratch, startServer, TOKEN } from "../server/harness.mjs";
import { launch, open } from "../support/browser.mjs";
import { eventually } from "./harness.mjs";

const { folder, remove } = scratch();
let server = await startServer({ DATA_DIR: folder });
const PORT = String(server.port);
const browser = await launch();
const { page, problems } = await open(browser, "about:blank");
/** Requests of the page that are not answered yet. */
const unanswered = new Set();
page.on("request", (request) => unanswered.add(request));
for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => unanswered.delete(request));
await page.goto(await server.newPage());
const client = await openClient(server.mcp);
const stdio = new Client({ name: "test", version: "1" });
const env = { ...process.env, PORT, TOKEN, DATA_DIR: folder };
await stdio.connect(new StdioClientTransport({ command: "npm", args: ["run", "--silent", "mcp"], cwd: root, env }));
after(async () => {
  await stdio.close();
  await browser.close();
  await server.end();
  remove();
});

const stage = (of = page) => of.locator(".stage");
const timeout = 60_000;
const form = { id: "form", type: "form", title: "Trip", bind: "state.params", props: { fields: [] } };

/** The same steps over both transports, each with its own page and files. */
for (const [name, agent] of Object.entries({ http: client, stdio })) {
  test(`by ${name}: what an agent makes is on the page at once, and what is typed is in the document`, async () => {
    await stage().getByRole("article").waitFor();
    const tools = (await agent.listTools()).tools.map((tool) => tool.name);
    assert.deepEqual(tools.sort(), [
      "access_instance",
      "delete_file",
      "edit_file",
      "get_schema",
      "highlight_block",
      "list_files",
      "list_instances",
      "patch_ui_state",
      "read_file",
      "updateNode",
      "validate_completion",
      "write_file",
    ]);
    await call(agent, "patch_ui_state", {
      instance_name: "__CREATE__",
      new_instance_name: `trip-${name}`,
      patches: [{ op: "set", path: "blocks", value: [form] }],
    });
    await stage()
      .getByRole("article", { name: `trip-${name}` })
      .getByRole("region", { name: "Trip" })
      .waitFor({ timeout });
    const field = { key: "city", type: "text", label: "City" };
    await call(agent, "patch_ui_state", {
      instance_name: `trip-${name}`,
      patches: [{ op: "add", path: 'blocks["form"].props.fields', value: field }],
    });
    await stage().getByLabel("City").waitFor({ timeout });
    const criteria = { completion_criteria: [{ type: "field_not_empty", path: "state.params.city" }] };
    const isDone = async () =>
      (await call(agent, "validate_completion", { instance_name: `trip-${name}`, ...criteria })).completed;
    assert.equal(await isDone(), false);
    await stage().getByLabel("City").fill("Lisbon");
    await eventually(async () => assert.equal(await isDone(), true));
    const { schema } = await call(agent, "get_schema", { instance_name: `trip-${name}` });
    assert.equal(schema.state.params.city, "Lisbon");
    await call(agent, "access_instance", { instance_name: "counter" });
    await page.getByRole("tab", { name: "counter", selected: true }).waitFor({ timeout });
    await call(agent, "highlight_block", { instance_name: `trip-${name}`, block_id: "form" });
    const trip = stage()
      .getByRole("article", { name: `trip-${name}` })
      .getByRole("region", { name: "Trip" });
    await trip.waitFor({ timeout });
    const isLit = () => trip.evaluate((block) => block.getAnimations().length > 0);
    await eventually(async () => assert.equal(await isLit(), true));
  });

  test(`by ${name}: a file and a node that an agent changes wait for the user's approval`, async () => {
    const path = `notes/${name}.md`;
    const { status, proposal } = await call(agent, "write_file", { path, content: "# Lisbon\n" });
    assert.equal(status, "pending");
    await page.getByRole("tab", { name: /Proposal.*1 waits/ }).click({ timeout });
    const shown = page.getByRole("article");
    const list = page.getByRole("navigation", { name: "Proposals" });
    await list.getByText(path).click({ timeout });
    await shown.getByText("# Lisbon").first().waitFor({ timeout });
    await shown.getByRole("button", { name: "Approve" }).click();
    const settled = (id) =>
      eventually(async () => {
        const { contents } = await agent.readResource({ uri: "genui://proposals" });
        assert.equal(JSON.parse(contents[0].text)[id].status, "approved");
      }, 2_000);
    await settled(proposal);
    const newData = { title: `Herons by ${name}` };
    const node = { taskId: "heron-app", nodeId: "problem", newData, isApprovedUpdate: true };
    const asked = await call(agent, "updateNode", node);
    assert.equal(asked.status, "pending");
    await page.getByRole("tab", { name: /Proposal.*1 waits/ }).waitFor({ timeout });
    await list.getByText("heron-app/problem").first().click({ timeout });
    const card = page.getByRole("region", { name: "The node as it stands" });
    assert.doesNotMatch(await card.innerText(), new RegExp(newData.title));
    await shown.getByRole("button", { name: "Approve" }).click();
    await card.getByText(newData.title).waitFor({ timeout });
    await settled(asked.proposal);
    // The next update is compared with the approved data, also on the server.
    assert.equal((await call(agent, "updateNode", { ...node, newData: { title: "Egrets" } })).status, "pending");
    await page.getByRole("tab", { name: /Proposal.*1 waits/ }).waitFor({ timeout });
    await list.getByText("heron-app/problem").first().click({ timeout });
    await shown.getByText(newData.title).first().waitFor({ timeout });
    await shown.getByRole("button", { name: "Refuse" }).click();
    await page.getByRole("tab", { name: "Files" }).click();
    await page.getByRole("button", { name: `${name}.md` }).waitFor();
    await page.getByRole("tab", { name: /^Instance/ }).click();
  });
}

test("the page and its scripts come packed, and as they are to whom takes no packed ones", async () => {
  const { origin } = new URL(server.mcp);
  const get = (path, encoding) => fetch(`${origin}${path}`, { headers: { "accept-encoding": encoding } });
  const plain = await (await get("/", "identity")).text();
  const [, script] = /src="\.?(\/assets\/[^"]+\.js)"/.exec(plain);
  const loaded = (await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name)))
    .map((name) => new URL(name).pathname)
    .filter((name) => /\.(css|js)$/.test(name));
  for (const path of ["/", script, ...loaded]) {
    const text = await get(path, "identity");
    assert.equal(text.headers.get("content-encoding"), null, path);
    const body = await text.text();
    for (const encoding of ["br", "gzip"]) {
      const response = await get(path, encoding);
      assert.equal(response.headers.get("content-encoding"), encoding, path);
      assert.equal(response.headers.get("vary"), "Accept-Encoding");
      assert.equal(response.headers.get("content-type"), text.headers.get("content-type"));
      assert.ok(Number(response.headers.get("content-length")) < body.length * 0.7 + 200, path);
      assert.equal(await response.text(), body);
    }
  }
});

test("the address bar has no token, and a page without the cookie says what to do", async () => {
  assert.equal(new URL(page.url()).search, "?backend");
  assert.equal(await page.evaluate(() => document.cookie), "");
  const stranger = await browser.newPage();
  await stranger.goto(`${new URL(server.mcp).origin}/?backend#instance`);
  await stranger.getByText("Not signed in.").waitFor({ timeout });
  await stranger.close();
});

test("two visitors press the big button at the same moment: each has a page and files of its own", async () => {
  const visitors = [await open(browser, await server.newPage()), await open(browser, await server.newPage())];
  const bar = (of) => of.getByRole("region", { name: "The first minute" });
  await Promise.all(visitors.map(({ page: one }) => one.getByRole("button", { name: /^Watch an agent/ }).waitFor()));
  await Promise.all(visitors.map(({ page: one }) => one.getByRole("button", { name: /^Watch an agent/ }).click()));
  await Promise.all(visitors.map(({ page: one }) => bar(one).getByLabel("Speed").press("End")));
  await Promise.all(visitors.map(({ page: one }) => bar(one).getByText("That was it.").waitFor({ timeout: 60_000 })));
  const names = [];
  for (const { page: one, problems: faults } of visitors) {
    // The fifth scene shows a call that the agent may not execute; no other call has failed.
    const failed = await one.locator(".works li[data-tone=bad]").allInnerTexts();
    assert.deepEqual(
      failed.filter((text) => !text.includes("NEEDS_APPROVAL")),
      [],
    );
    assert.equal(await one.locator(".notice").count(), 0);
    const changes = one.getByRole("navigation", { name: "Proposals" });
    await one.getByRole("tab", { name: "Proposal" }).first().click();
    await changes.getByText(/^booking-tour-\w+\/src\/start\.ts/).waitFor();
    await one.getByRole("tab", { name: /^Instance/ }).click();
    const own = await one.getByRole("tab", { name: /^booking-/, selected: true }).innerText();
    names.push(own);
    assert.equal(await stage(one).getByLabel("Name").inputValue(), "Ada Lovelace");
    assert.equal(await stage(one).getByLabel("Guests").inputValue(), "4");
    await eventually(async () => {
      const { schema } = await call(client, "get_schema", { instance_name: own });
      assert.equal(schema.blocks.length, 2);
      assert.equal(schema.state.params.guests, 4);
    });
    assert.deepEqual(faults, []);
  }
  assert.notEqual(names[0], names[1]);
  // Both pages continue after a reload, and play again.
  const [{ page: first }] = visitors;
  await first.reload();
  await first.getByRole("button", { name: "Step 1:" }).click();
  await bar(first).getByLabel("Speed").press("End");
  await bar(first).getByText("That was it.").waitFor();
  assert.equal(await first.getByRole("tab", { name: /^booking-/, selected: true }).innerText(), names[0]);
  for (const { page: one } of visitors) await one.close();
});

test("a call that one page has approved stays approved when another page's rejection arrives late", async () => {
  const late = await browser.newPage();
  let delayed;
  await late.routeWebSocket(/\/rooms\/demo$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => (delayed ? delayed.push(() => server.send(message)) : server.send(message)));
  });
  await late.goto(`${await server.newPage()}#proposal`);
  await page.getByRole("tab", { name: "Proposal" }).first().click();
  const path = "notes/two.md";
  const { proposal } = await call(client, "write_file", { path, content: "# Two pages\n" });
  const decide = async (one, button) => {
    await one.getByRole("navigation", { name: "Proposals" }).getByText(path).click();
    await one.getByRole("article").getByRole("button", { name: button }).click();
  };
  const asked = async () => {
    const { contents } = await client.readResource({ uri: "genui://proposals" });
    return JSON.parse(contents[0].text)[proposal];
  };
  await late.getByRole("navigation", { name: "Proposals" }).getByText(path).waitFor();
  delayed = [];
  await decide(late, "Refuse");
  await eventually(() => assert.ok(delayed.length > 0));
  await decide(page, "Approve");
  await eventually(async () => assert.equal((await asked()).status, "approved"));
  for (const send of delayed.splice(0)) send();
  delayed = undefined;
  // The page's next call: once it is executed, so are the earlier ones.
  await late.getByRole("tab", { name: /^Instance/ }).click();
  await late.getByRole("tab", { name: "trip-http" }).click();
  await stage(late).getByLabel("City").fill("Faro");
  await eventually(async () => {
    const { schema } = await call(client, "get_schema", { instance_name: "trip-http" });
    assert.equal(schema.state.params.city, "Faro");
  });
  assert.equal((await asked()).status, "approved");
  assert.equal((await asked()).reason, undefined);
  await late.close();
});

test("the server is killed and starts again: pages go on by themselves, and agree", async () => {
  const other = await browser.newPage();
  await other.goto(`${await server.newPage()}#instance`);
  await page
    .getByRole("tab", { name: "Page" })
    .or(page.getByRole("tab", { name: "Instance" }))
    .first()
    .click();
  for (const one of [page, other]) await one.getByRole("tab", { name: "trip-http" }).click();
  for (const one of [page, other]) await stage(one).getByLabel("City").waitFor();
  // A picture that is still on its way would rightly be reported: the killed server never sends it.
  await eventually(() =>
    assert.deepEqual(
      [...unanswered].map((request) => request.url()),
      [],
    ),
  );
  await server.end("SIGKILL");
  await stage().getByLabel("City").fill("Porto");
  server = await startServer({ DATA_DIR: folder, PORT });
  await eventually(async () => assert.equal(await stage(other).getByLabel("City").inputValue(), "Porto"));
  const unexpected = problems.filter((text) => !text.includes("WebSocket"));
  assert.deepEqual(unexpected, []);
});
