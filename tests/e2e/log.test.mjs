/** The log at the bottom of the page: each part writes to it, and it is filtered and exported. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { beforeEach, test } from "node:test";
import { eventually, harness, play } from "./harness.mjs";

const own = await harness("instance");
beforeEach(async () => {
  await own.page.getByRole("button", { name: "Log", exact: true }).click();
});

const lines = () => own.page.locator(".log-line");
const filter = () => own.page.getByLabel("Filter the log");

test("has the events of the chat, the newest first, with times", async () => {
  await play(own.page, "Write, edit, delete");
  await filter().fill("json-tool-block");
  await eventually(async () => assert.equal(await lines().count(), 3));
  assert.match(await lines().first().innerText(), /\d\d:\d\d:\d\d\.\d{3}/);
  assert.match(await lines().first().innerText(), /drafts\/readme-old\.md/);
  assert.match(await lines().last().innerText(), /README\.md/);
});

test("a part is hidden and shown again by its button", async () => {
  const chip = own.page.getByRole("group", { name: "Parts shown" }).getByRole("button", { name: "instance" });
  await eventually(async () => assert.ok((await lines().count()) > 0));
  await chip.click();
  assert.equal(await chip.getAttribute("aria-pressed"), "false");
  await eventually(async () => assert.equal(await own.page.locator(".log-line .area[data-area=instance]").count(), 0));
  await chip.press("Enter");
  await eventually(async () => assert.ok((await own.page.locator(".log-line .area[data-area=instance]").count()) > 0));
});

test("a line opens its details", async () => {
  await own.page.getByLabel("Example").selectOption("Add New Block");
  await own.page.getByLabel("Call, as JSON").press("Control+Enter");
  await filter().fill("demo apply change");
  await filter().fill("demo · apply");
  const line = own.page.locator(".log-lines details").first();
  await line.locator("summary").click();
  assert.match(await line.locator(".log-detail").innerText(), /"instance_name": "demo"/);
});

test("is exported as JSON Lines, as far as it is shown", async () => {
  await play(own.page, "Write, edit, delete");
  await filter().fill("json-tool-block");
  await eventually(async () => assert.equal(await lines().count(), 3));
  const [download] = await Promise.all([
    own.page.waitForEvent("download"),
    own.page.getByRole("button", { name: "Export" }).click(),
  ]);
  const written = (await readFile(await download.path(), "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(written.length, 3);
  assert.deepEqual(
    written.map(({ area, kind }) => `${area} ${kind}`),
    Array(3).fill("chat json-tool-block"),
  );
  for (const { time } of written) assert.ok(Math.abs(Date.parse(time) - Date.now()) < 600_000, time);
});

test("is cleared", async () => {
  await own.page.getByRole("button", { name: "Clear" }).click();
  await own.page.getByText("Nothing yet.").waitFor();
});
