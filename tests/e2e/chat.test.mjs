/** The chat of the page: recorded answers, played into the stream. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { eventually, harness, play as playOn } from "./harness.mjs";

const recording = (name) => readFileSync(new URL(`../../www/src/data/recordings/${name}.md`, import.meta.url), "utf8");
const tour = recording("tour");
/** In this recording every fence outside a string starts a line. */
const [, written] = /^```json\n([\s\S]*?)\n```$/m.exec(tour);
const readme = JSON.parse(written).content;

const own = await harness();

const chat = () => own.page.getByRole("region", { name: "Chat" });
const conversation = () => own.page.getByRole("log", { name: "Conversation" });
const pills = () => conversation().locator(".pill");
const content = (pill) => pill.getByRole("region", { name: "Content" }).textContent();

const play = (title, chunkSize) => playOn(own.page, title, chunkSize);

async function setSliders(chunkSize, speedKey) {
  await chat().getByLabel("Chunk size").fill(String(chunkSize));
  await chat().getByLabel("Speed").press(speedKey);
}

const shownPills = () =>
  pills().evaluateAll((all) =>
    all.map((pill) => {
      const [title, path, verdict] = ["title", "path", "verdict"].map(
        (part) => pill.querySelector(`.pill-${part}`).textContent,
      );
      return `${title} ${path}: ${verdict}`;
    }),
  );

const findings = () =>
  pills().evaluateAll((all) =>
    all.map((pill) =>
      [...pill.querySelectorAll(".issues li")].map((line) => {
        const place = line.querySelector(".place")?.textContent.trim() ?? "";
        return `${line.dataset.severity} ${line.querySelector("code").textContent} ${place}`.trim();
      }),
    ),
  );

test("plays to the end one character at a time", async () => {
  await play("Write, edit, delete", 1);
  assert.deepEqual(await shownPills(), [
    "Write README.md: valid",
    "Edit src/start.ts: valid",
    "Delete drafts/readme-old.md: valid",
  ]);
  assert.equal(await own.page.locator("[data-count=chunks]").innerText(), tour.length.toLocaleString("en"));
});

test("a recorded answer calls the tools of the demo's own, and the user decides on one of them", async () => {
  await play("Tools of the demo's own", 5);
  assert.deepEqual(await shownPills(), [
    "Search the address book lyon: valid",
    "Look at the clock Europe/Paris: valid",
    "Add to the address book Marta Oliveira: valid",
  ]);
  const [found, , added] = await pills().all();
  await found.getByText("For the model").click();
  assert.match(await found.getByRole("region", { name: "For the model" }).innerText(), /ines@example\.com/);
  await added.getByRole("button", { name: "Refuse the call" }).click();
  await added.getByText("refused by you: untouched").waitFor();
});

test("a README with fences of its own arrives whole", async () => {
  await play("Write, edit, delete", 1);
  assert.ok(readme.includes("```sh"));
  assert.equal(await content(pills().first()), readme);
  await pills().first().getByText("The call").click();
  const call = JSON.parse(await pills().first().getByRole("region", { name: "The call" }).textContent());
  assert.equal(call.content, readme);
});

test("both texts of an edit are shown, and a file that is only quoted is text", async () => {
  await play("Write, edit, delete", 5);
  const edit = pills().nth(1);
  assert.equal(await edit.getByRole("region", { name: "Replace" }).textContent(), 'const folder = "entries";');
  assert.equal(await edit.getByRole("region", { name: "With" }).textContent(), 'const folder = "notes";');
  assert.match(await conversation().getByRole("region", { name: "Code" }).textContent(), /"name": "field-notes"/);
});

test("content shows while its block is still arriving", async () => {
  await own.page.getByLabel("Answer", { exact: true }).selectOption("Write, edit, delete");
  await setSliders(3, "Home");
  for (let step = 0; step < 4; step++) await chat().getByLabel("Speed").press("ArrowRight");
  await own.page.getByRole("button", { name: "Restart" }).click();
  // In the page, so that no slow machine is too late to stop it inside the block.
  await own.page.waitForFunction(() => {
    const some = document.querySelector(".live pre")?.textContent.length > 40;
    if (some) document.querySelector(".controls .primary").click();
    return some;
  });
  assert.deepEqual(await shownPills(), ["Creating... README.md: arriving"]);
  const soFar = await content(pills().first());
  assert.ok(readme.startsWith(soFar) && soFar.length < readme.length, soFar);
  await chat().getByLabel("Speed").press("End");
  await own.page.getByRole("button", { name: "Play" }).click();
  await own.page.getByRole("button", { name: "Play again" }).waitFor();
  assert.equal(await content(pills().first()), readme);
});

test("mistakes show with their code, line and column", async () => {
  await play("Six blocks, five mistakes", 2);
  assert.deepEqual(await shownPills(), [
    "Write src/greet.ts: repaired",
    "Write ../../.ssh/authorized_keys: refused",
    "Write src/util.ts: repaired",
    "Write src/empty.ts: refused",
    "Edit src/app.ts: refused",
    "Write src/util/sum.ts: valid, warning",
  ]);
  assert.deepEqual(await findings(), [
    ["error JSON_SYNTAX 4:55", "fix UNESCAPED_QUOTE 4:54"],
    ["error UNSAFE_PATH 3:11"],
    ["error UNKNOWN_TOOL 2:11", "fix TOOL_ALIAS 2:11"],
    ["error MISSING_CONTENT 1:1"],
    ["error NO_CHANGE 6:19"],
    ["warning UNSAFE_PATH 3:11"],
  ]);
});

test("a repaired block shows the repaired text, not the faulty one", async () => {
  await play("Six blocks, five mistakes", 2);
  assert.equal(await content(pills().first()), 'export const greet = (name: string) => "Hello " + name;\n');
});

test("two calls in one block, and characters of several units", async () => {
  await play("Two calls in one block, 中文 and emoji", 1);
  assert.deepEqual(await shownPills(), ["2 calls src/locales/zh.json: valid", "Edit src/app.tsx: valid"]);
  const text = await conversation().innerText();
  assert.ok(text.includes("👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇯🇵"));
  assert.ok(!text.includes("\ufffd"));
});

test("an answer that breaks off is never a call", async () => {
  await play("An answer that breaks off", 64);
  assert.deepEqual(await shownPills(), ["Write docs/tea.md: cut off"]);
  assert.equal(await pills().getByText("The call").count(), 0);
});

test("how the answer is cut does not matter", async () => {
  await play("Six blocks, five mistakes", 1);
  await conversation().getByText("waits for your approval:").nth(2).waitFor();
  const one = await conversation().innerText();
  await play("Six blocks, five mistakes", 64);
  await conversation().getByText("waits for your approval:").nth(2).waitFor();
  assert.equal(await conversation().innerText(), one);
});

test("a text of one's own", async () => {
  await own.page.getByLabel("Answer", { exact: true }).selectOption("Your own text…");
  await own.page
    .getByLabel("Text of the answer")
    .fill(
      'Hello **you**, see *this* [page](https://example.com/) and [that](javascript:void): 2 * 3 * 4.\n\n```json\n{"tool": "delete_file", "path": "a.txt"}\n```\n',
    );
  await chat().getByLabel("Speed").press("End");
  await own.page.getByRole("button", { name: "Play" }).click();
  await own.page.getByRole("button", { name: "Play again" }).waitFor();
  assert.deepEqual(await shownPills(), ["Delete a.txt: valid"]);
  assert.equal(await conversation().locator("strong").innerText(), "you");
  assert.equal(await conversation().locator("em").innerText(), "this");
  assert.deepEqual(await conversation().locator("a").allInnerTexts(), ["page"]);
  assert.match(await conversation().innerText(), /and that: 2 \* 3 \* 4\./);
});

test("a pill closes and opens by keyboard, and its state is announced", async () => {
  await play("Write, edit, delete", 8);
  const head = pills().first().locator(".pill-head");
  await head.press("Enter");
  assert.equal(await head.getAttribute("aria-expanded"), "false");
  assert.equal(await pills().first().getByRole("region", { name: "Content" }).isVisible(), false);
  await head.press("Space");
  assert.equal(await head.getAttribute("aria-expanded"), "true");
  const announced = own.page.getByRole("region", { name: "Chat" }).getByRole("status").first();
  assert.equal(await announced.textContent(), "Delete drafts/readme-old.md valid");
});

test("the log has the events in order", async () => {
  await play("Write, edit, delete", 64);
  await own.page.getByRole("button", { name: "Log", exact: true }).click();
  for (const part of ["files", "instance", "server", "proposal", "surface"])
    await own.page.getByRole("group", { name: "Parts shown" }).getByRole("button", { name: part }).click();
  const types = (await own.page.locator(".log-line code").allInnerTexts()).reverse();
  const delta = types.indexOf("json-tool-delta");
  const block = types.indexOf("json-tool-block");
  assert.ok(types.indexOf("json-tool-status") < delta && delta < block);
  assert.equal(types.filter((type) => type === "json-tool-block").length, 3);
});

test("a page builds itself while its call arrives, takes input, and is rolled back if the call turns out wrong", async () => {
  const { page } = own;
  const form = (id, title, field) => ({
    op: "add",
    path: "blocks+",
    value: { id, type: "form", title, props: { fields: [{ key: field, type: "text", label: title }] } },
  });
  const patches = [form("who", "Who", "who"), form("why", "Why", "why"), form("last", "Last", "last")];
  const call = { tool: "patch_ui_state", instance_name: "__CREATE__", new_instance_name: "trip", patches };
  const whole = JSON.stringify(call);
  // As many characters as up to the second form, then a pause for the test.
  const half = whole.slice(0, whole.indexOf('"id":"why"'));
  const chat = page.getByRole("region", { name: "Chat" });
  const stage = page.locator(".stage");
  const answer = async (text) => {
    await chat.getByLabel("Answer", { exact: true }).selectOption("Your own text…");
    await chat.getByLabel("Text of the answer").fill(text);
    await chat.getByLabel("Chunk size").fill("8");
    await chat.getByLabel("Speed").press("Home");
    await chat.getByRole("button", { name: "Play", exact: true }).click();
  };
  const finish = async () => {
    await chat.getByLabel("Speed").press("End");
    await chat.getByRole("button", { name: "Play again" }).waitFor();
  };
  await page.getByRole("tab", { name: "Instance" }).first().click();

  await answer(`\`\`\`json\n${whole}\n\`\`\`\n`);
  await stage.getByRole("region", { name: "Who" }).waitFor();
  assert.equal(await stage.locator(".gp-page").getAttribute("data-draft"), "true");
  assert.equal(await stage.getByRole("region", { name: "Last" }).count(), 0);
  await stage.getByRole("textbox", { name: "Who" }).fill("Ada");
  await finish();
  await stage.getByRole("region", { name: "Last" }).waitFor();
  assert.equal(await stage.locator(".gp-page").getAttribute("data-draft"), null);
  await eventually(async () => assert.equal(await stage.locator(".gp-saving").count(), 0));
  assert.equal(await stage.getByRole("textbox", { name: "Who" }).inputValue(), "Ada");
  assert.equal(await page.locator(".notice").count(), 0);

  await page.getByRole("button", { name: "Reset all" }).click();
  for (const broken of [half, `\`\`\`json\n${whole.replace('"last"', '"who"')}\n\`\`\`\n`]) {
    await answer(broken.startsWith("```") ? broken : `\`\`\`json\n${broken}`);
    await stage.getByRole("region", { name: "Who" }).waitFor();
    await finish();
    await eventually(async () => assert.equal(await page.getByRole("tab", { name: "trip" }).count(), 0));
    assert.equal(await page.getByRole("tab", { name: "demo" }).getAttribute("aria-selected"), "true");
  }
});
