/** Two tabs that go offline, are typed into for long, and come back: both reach the same state, and no edit is lost. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { call, openClient, scratch, startServer } from "../server/harness.mjs";
import { launch, open } from "../support/browser.mjs";
import { eventually } from "./harness.mjs";

const { folder, remove } = scratch();
let server = await startServer({ DATA_DIR: folder });
const browser = await launch();
const tabs = [await open(browser, await server.newPage()), await open(browser, await server.newPage())];
after(async () => {
  await browser.close();
  await server.end();
  remove();
});

const field = ({ page }, label) => page.locator(".stage").getByLabel(label, { exact: true });
/** About a minute of typing, each key a change. `tests/server/offline.test.mjs` types for an hour. */
const story = "At the weir, between seven and nine, the herons come back. ".repeat(5);

/** Whether the page has loaded its idle-time resources: no new resource for half a second. */
function hasLoaded() {
  const loads = performance.getEntriesByType("resource");
  const last = Math.max(...loads.map(({ responseEnd }) => responseEnd));
  return loads.some(({ name }) => name.includes("/engine-")) && performance.now() - last > 500;
}

test("two tabs agree after they were offline", async () => {
  for (const tab of tabs) await field(tab, "Name").waitFor();
  for (const { page } of tabs) await page.waitForFunction(hasLoaded);
  for (const { page } of tabs) await page.context().setOffline(true);
  await server.end("SIGKILL");
  await Promise.all(
    tabs.map(async (tab, at) => {
      const wishes = field(tab, "Wishes");
      if (at === 0) await wishes.fill("");
      await (at === 0 ? wishes : field(tab, "Voucher code")).pressSequentially(story);
      await field(tab, "Name").fill(`Typed by ${at}`);
      await field(tab, "Guests").fill(String(3 + at));
      await tab.page.locator(".stage .gp-saving").first().waitFor();
    }),
  );
  server = await startServer({ DATA_DIR: folder, PORT: String(server.port) });
  for (const { page } of tabs) await page.context().setOffline(false);
  for (const { page } of tabs)
    await eventually(async () => assert.equal(await page.locator(".stage .gp-saving").count(), 0));
  const { schema } = await call(await openClient(server.mcp), "get_schema", { instance_name: "demo" });
  const { name, guests, wishes, voucher } = schema.state.params;
  assert.deepEqual([wishes, voucher], [story, story]);
  assert.ok(["Typed by 0", "Typed by 1"].includes(name));
  for (const tab of tabs) {
    const shown = { Name: name, Guests: String(guests), Wishes: wishes, "Voucher code": story };
    for (const [label, value] of Object.entries(shown))
      await eventually(async () => assert.equal(await field(tab, label).inputValue(), value));
  }
  for (const { problems } of tabs)
    assert.deepEqual(
      problems.filter((text) => !/WebSocket|INTERNET_DISCONNECTED/.test(text)),
      [],
    );
});
