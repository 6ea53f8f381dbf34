/** The page before the backend: what an agent does by MCP is seen within a second, and the page goes on after a restart. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { call, openClient, scratch, startServer } from "../server/harness.mjs";
import { launch, open } from "../support/browser.mjs";
import { eventually } from "./harness.mjs";

const { folder, remove } = scratch();
let server = await startServer({ DATA_DIR: folder });
const PORT = String(server.port);
const browser = await launch();
const { page, problems } = await open(browser, server.page);
const client = await openClient(server.mcp);
after(async () => {
  await browser.close();
  await server.end();
  remove();
});

const stage = (of = page) => of.locator(".stage");
const timeout = 1_000;
const form = { id: "form", type: "form", title: "Trip", bind: "state.params", props: { fields: [] } };

test("what an agent makes is on the page within a second, and what is typed is in the document", async () => {
  await stage().getByLabel("Guests").waitFor();
  await call(client, "patch_ui_state", {
    instance_name: "__CREATE__",
    new_instance_name: "trip",
    patches: [{ op: "set", path: "blocks", value: [form] }],
  });
  await stage().getByRole("region", { name: "Trip" }).waitFor({ timeout });
  const field = { key: "city", type: "text", label: "City" };
  await call(client, "patch_ui_state", {
    instance_name: "trip",
    patches: [{ op: "add", path: 'blocks["form"].props.fields', value: field }],
  });
  await stage().getByLabel("City").waitFor({ timeout });
  await stage().getByLabel("City").fill("Lisbon");
  await eventually(async () => {
    const { schema } = await call(client, "get_schema", { instance_name: "trip" });
    assert.equal(schema.state.params.city, "Lisbon");
  }, 2_000);
  await call(client, "access_instance", { instance_name: "counter" });
  await page.getByRole("tab", { name: "counter", selected: true }).waitFor({ timeout });
});

test("a file that an agent writes waits for the person's yes", async () => {
  const { status, proposal } = await call(client, "write_file", { path: "notes/trip.md", content: "# Lisbon\n" });
  assert.equal(status, "pending");
  await page.getByRole("tab", { name: /Proposal.*1 waits/ }).click({ timeout });
  await page.getByRole("article").getByText("# Lisbon").first().waitFor({ timeout });
  await page.getByRole("article").getByRole("button", { name: "Approve" }).click();
  await eventually(async () => {
    const { contents } = await client.readResource({ uri: "genui://proposals" });
    assert.equal(JSON.parse(contents[0].text)[proposal].status, "approved");
  }, 2_000);
  await page.getByRole("tab", { name: "Files" }).click();
  await page.getByRole("button", { name: "trip.md" }).waitFor();
});

test("the server is killed and starts again: pages go on by themselves, and agree", async () => {
  const other = await browser.newPage();
  await other.goto(`${server.page}#instance`);
  await page
    .getByRole("tab", { name: "Page" })
    .or(page.getByRole("tab", { name: "Instance" }))
    .first()
    .click();
  for (const one of [page, other]) await one.getByRole("tab", { name: "trip" }).click();
  await stage(other).getByLabel("City").waitFor();
  await server.end("SIGKILL");
  await stage().getByLabel("City").fill("Porto");
  server = await startServer({ DATA_DIR: folder, PORT });
  await eventually(async () => assert.equal(await stage(other).getByLabel("City").inputValue(), "Porto"), 15_000);
  const unexpected = problems.filter((text) => !text.includes("WebSocket"));
  assert.deepEqual(unexpected, []);
});
