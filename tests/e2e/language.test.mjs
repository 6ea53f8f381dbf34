/** The page in Chinese: chosen by a switch or by the browser's language, kept over a reload, with nothing of English in its own words. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import axe from "axe-core";
import { eventually, harness } from "./harness.mjs";

const own = await harness();
const rooms = ["文件", "页面", "提议", "界面"];
const table = readFileSync(new URL("../../www/src/words/chinese.ts", import.meta.url), "utf8");
/** The page's sentences in English: the keys of its Chinese table. */
const sentences = [...table.matchAll(/^ {2}(?:"((?:[^"\\]|\\.)*)"|(\w+)):/gm)].map(([, quoted, word]) =>
  quoted === undefined ? word : JSON.parse(`"${quoted}"`),
);

const lang = (page = own.page) => page.evaluate(() => document.documentElement.lang);
const choose = (language) => own.page.getByRole("combobox", { name: /^(Language|语言)$/ }).selectOption(language);
const loaded = (page = own.page) =>
  page
    .getByText(/^(Loading|加载中)…$/)
    .first()
    .waitFor({ state: "detached" });

/**
 * English text that users read or hear: any word where only the page speaks; where agents, documents and the library speak,
 * a sentence of the page.
 */
const english = (page = own.page) =>
  page.evaluate((known) => {
    const written = "code, pre, kbd, textarea, [contenteditable], .gp-actions, .log-subject, [lang=en]";
    const others =
      ".stage, .surface, .turn-user, .turn-agent > :not(.pill), .issues, .suggestions .hint, .error-report, .works li, " +
      ".gp-call > .gp-hint, .gp-target, .pill-path, .file-tree, .file-path, .file-text, .gp-lines, .gp-side, .gp-sentence, .proposal-list, .node-card, .scroll";
    // Names, ids, and agents' labels, which the page quotes. A word with other characters in it is a path or an address.
    const names = new Set(
      `genui-patch English JSON Lines GULF A2UI MCP OpenAI SSH ID NEEDS_APPROVAL http https ms push end id emoji set optimistic
      load confirm apply receive reject demo counter wizard gallery booking walk problem main loans bikes`.split(/\s+/),
    );
    const isWord = (word) => /^[A-Za-z]?[a-z'’-]+$|^[A-Z]{2,}$/.test(word) && word.length > 1 && !names.has(word);
    const wordsOf = (trimmed) =>
      trimmed.replace(/“[^”]*”|\{".*\}/g, "").split(/[\s\p{Script=Han}，。：；、（）…·]+|[,.:;!?]+(?=\s|$)/u);
    const patterns = known.map((sentence) => {
      const parts = sentence.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
      return new RegExp(`^${parts.join(".+")}$`);
    });
    const found = [];
    const take = (text, element, kind) => {
      const trimmed = text.trim();
      if (kind === "text" && element.closest(written) !== null) return;
      const isOthers = element.closest(others) !== null;
      const isEnglish = isOthers ? patterns.some((pattern) => pattern.test(trimmed)) : wordsOf(trimmed).some(isWord);
      if (isEnglish) found.push(`${kind}: ${trimmed}`);
    };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement: around } = texts.currentNode;
      if (around.checkVisibility() || around.closest("option, .unseen")) take(data, around, "text");
    }
    for (const name of ["aria-label", "aria-valuetext", "title", "placeholder", "alt", "label"])
      for (const element of document.querySelectorAll(`[${name}]`)) take(element.getAttribute(name), element, name);
    return [...new Set(found)];
  }, sentences);

async function everyRoom() {
  for (const room of rooms) {
    await own.page.getByRole("tab", { name: room }).first().click();
    await loaded();
    assert.deepEqual(await english(), [], room);
  }
}

test("by a switch, in every room", async () => {
  assert.equal(await lang(), "en");
  assert.ok(sentences.length > 300);
  assert.ok((await english()).length > 20, "English is found where it is spoken");
  await choose("中文");
  await eventually(async () => assert.equal(await lang(), "zh-CN"));
  assert.equal(await own.page.evaluate(() => document.activeElement.localName), "select");
  await own.page.evaluate(axe.source);
  await everyRoom();
  for (const room of rooms) {
    await own.page.getByRole("tab", { name: room }).first().click();
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

test("with all that happens: answers, refusals, conflicts, proposals, surfaces, the log", async () => {
  const { page } = own;
  const button = (name, rest) => page.getByRole("button", { name, ...rest });
  const stage = page.locator(".stage");
  const left = new Map();
  const look = async (where) => {
    for (const text of await english()) left.set(text, where);
  };
  await choose("中文");
  await button("日志", { exact: true }).click();
  // Answers with diagnostics, repairs, an interruption, and a correction.
  const chat = page.getByRole("region", { name: "对话", exact: true });
  for (const answer of ["六个块，五处错误", "中断的回答", "写入、编辑、删除"]) {
    await chat.getByLabel("回答", { exact: true }).selectOption(answer);
    await chat.getByLabel("速度").press("End");
    await button("从头开始").first().click();
    await look(answer);
    await chat.getByRole("button", { name: "重播" }).waitFor();
    const correct = chat.getByRole("button", { name: "用录制的模型更正" });
    for (const one of await correct.all()) await one.click();
    if ((await correct.count()) > 0)
      await chat
        .getByText(/更正，现已有效|后仍被拒绝/)
        .first()
        .waitFor();
    await look(answer);
  }
  for (const source of ["您自己的文本…", "实时模型…"]) {
    await chat.getByLabel("回答", { exact: true }).selectOption(source);
    await look(source);
  }
  // Edits that are pending, rejected, and in conflict.
  await page.getByRole("tab", { name: "页面" }).first().click();
  await page.getByLabel("单程延迟").fill("0");
  await page.getByLabel("被拒的请求").fill("100");
  await stage.getByLabel("Guests").fill("5");
  await stage.locator(".gp-saving").waitFor();
  await look("pending");
  await page.locator(".notice").waitFor();
  assert.match(await page.locator(".notice").innerText(), /已拒绝：set .*您输入的是 5。 原因：您设定的拒绝比例。/s);
  await page.getByLabel("被拒的请求").fill("0");
  await button("Reserve").click();
  await button("Later").click();
  await page.getByText("没有任何改动").first().waitFor();
  for (const example of ["更新状态", "批量操作", "没有这个块", "不是 JSON", "多步更新"]) {
    await page.getByLabel("示例", { exact: true }).selectOption({ label: example });
    await button("执行", { exact: true }).click();
    await look(example);
  }
  for (const instance of await page.getByRole("tablist", { name: "实例" }).getByRole("tab").all()) {
    await instance.click();
    await look(await instance.innerText());
  }
  await page.getByRole("tab", { name: "demo" }).click();
  await page.getByLabel("回看").press("Home");
  await look("look back");
  // Proposals of each kind, their dialogs, and their outcomes.
  await page.getByRole("tab", { name: "提议" }).first().click();
  for (const name of ["试图自我批准", "改节点", "改页面"]) {
    await button(name, { exact: true }).click();
    await look(name);
  }
  const change = page.locator(".gp-change").first();
  await change.getByText("显示具体更改").click();
  await change.getByRole("button", { name: "编辑" }).click();
  await look("an editor");
  await change.getByRole("textbox").fill("1");
  await look("edited");
  await page.getByRole("button", { name: "按您的修改批准" }).click();
  for (const one of await page.locator(".proposal-list button").all()) {
    await one.click();
    await look(await one.innerText());
  }
  await page.getByRole("tab", { name: "文件" }).first().click();
  for (const file of await page.locator(".file-tree button").all()) {
    await file.click();
    await page.locator(".file-text, .gp-diff").first().waitFor();
    await look(await file.innerText());
  }
  // Surfaces of each protocol, and one with errors.
  await page.getByRole("tab", { name: "界面" }).first().click();
  const room = page.getByRole("tabpanel", { name: "界面" });
  await room.getByLabel("速度").press("End");
  for (const stream of [
    "一日步行：全部 18 个组件",
    "图书借阅",
    "租自行车，带检查",
    "坏行、循环、缺失的部分",
    "您自己的流…",
    "实时模型…",
  ]) {
    await room.getByLabel("流", { exact: true }).selectOption(stream);
    await look(stream);
    if (stream.endsWith("…")) continue;
    await room.getByRole("button", { name: "从头开始" }).click();
    await room.getByRole("button", { name: "重播" }).waitFor();
    await look(stream);
  }
  assert.deepEqual([...left], []);
});

test("earlier messages are shown in the newly chosen language", async () => {
  const { page } = own;
  await page.getByLabel("Delay, one way").fill("0");
  await page.getByLabel("Requests refused").fill("100");
  await page.locator(".stage").getByLabel("Guests").fill("5");
  await page.locator(".notice").waitFor();
  await page.getByRole("tab", { name: "Proposal" }).first().click();
  await page.getByRole("button", { name: "Try to approve itself" }).click();
  await choose("中文");
  await page.getByText("失败").first().waitFor();
  await page.getByRole("button", { name: "日志", exact: true }).click();
  await everyRoom();
});

test("by the browser's language, and the first minute in it", async () => {
  const context = await own.page.context().browser().newContext({ locale: "zh-CN" });
  const page = await context.newPage();
  await page.goto(own.address);
  const bar = page.getByRole("region", { name: "第一分钟" });
  for (const title of [
    "页面自己长出来",
    "智能体写的同时您也在输入",
    "错误被修复，危险被拒绝",
    "文件等您批准",
    "智能体想替您批准",
    "界面流式到达",
  ]) {
    await page.getByRole("button", { name: title }).first().click();
    await bar.getByLabel("速度").press("End");
    assert.deepEqual(await english(page), [], title);
    await page.getByText("就是这样。").waitFor();
    await loaded(page);
    assert.deepEqual(await english(page), [], title);
  }
  assert.equal(await lang(page), "zh-CN");
  await page.getByRole("tab", { name: "页面" }).first().click();
  await page.getByRole("tab", { name: "booking" }).click();
  await page.locator(".stage").getByRole("region", { name: "Who is coming" }).waitFor();
  await context.close();
});

test("before the scripts run, and with fonts that have its signs", async () => {
  const context = await own.page.context().browser().newContext({ locale: "zh-CN" });
  const page = await context.newPage();
  await page.route(/start/, (route) => route.abort());
  await page.goto(own.address);
  await eventually(async () => assert.equal(await lang(page), "zh-CN"));
  assert.deepEqual(await english(page), []);
  await page.getByText("加载中…").waitFor();
  await context.close();
  const fonts = await own.page.evaluate(() =>
    ["--sans", "--mono"].map((name) => getComputedStyle(document.documentElement).getPropertyValue(name)),
  );
  for (const stack of fonts)
    for (const font of ["PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Apple Color Emoji", "Noto Color Emoji"])
      assert.ok(stack.includes(font), `${font} in ${stack}`);
});
