/** The page in Chinese: chosen by a switch or by the browser's language, kept over a reload, with nothing of English in its own words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { eventually, harness } from "./harness.mjs";

const own = await harness();
const rooms = ["文件", "页面", "提议", "界面"];

const lang = () => own.page.evaluate(() => document.documentElement.lang);
const choose = (language) => own.page.getByRole("combobox", { name: /^(Language|语言)$/ }).selectOption(language);
const loaded = () =>
  own.page
    .getByText(/^(Loading|加载中)…$/)
    .first()
    .waitFor({ state: "detached" });

/** English sentences on the page that are not what agents, recordings or examples say. */
const english = () =>
  own.page.evaluate(() => {
    const others =
      ".stage, [role=log] .turn-agent, [role=log] .turn-user, .suggestions .hint, code, pre, .log-lines, option";
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement: around } = texts.currentNode;
      if (/[A-Za-z]{2,} [a-z]{2,}/.test(data) && !around.closest(others) && around.checkVisibility())
        found.push(data.trim());
    }
    return found;
  });

test("by a switch, in every room", async () => {
  assert.equal(await lang(), "en");
  await choose("中文");
  await eventually(async () => assert.equal(await lang(), "zh-CN"));
  await own.page.evaluate(axe.source);
  for (const room of rooms) {
    await own.page.getByRole("tab", { name: room }).first().click();
    await loaded();
    assert.deepEqual(await english(), [], room);
    const { violations } = await own.page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
    assert.deepEqual(
      violations.map(({ id }) => id),
      [],
      room,
    );
  }
  await own.page.reload();
  await own.page.getByRole("button", { name: "看智能体搭建一个订位页面" }).waitFor();
  assert.equal(await lang(), "zh-CN");
  await choose("English");
  await own.page.getByRole("button", { name: "Watch an agent build a booking page" }).waitFor();
  assert.equal(await lang(), "en");
});

test("by the browser's language, and the first minute in it", async () => {
  const context = await own.page.context().browser().newContext({ locale: "zh-CN" });
  const page = await context.newPage();
  await page.goto(own.address);
  await page.getByRole("button", { name: "步骤 1 页面自己长出来" }).click();
  await page.getByRole("region", { name: "第一分钟" }).getByLabel("速度").press("End");
  await page.getByText("就是这样。").waitFor();
  await page.locator(".stage").getByRole("region", { name: "Who is coming" }).waitFor();
  await context.close();
});
