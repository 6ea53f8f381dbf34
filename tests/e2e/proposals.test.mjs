/** Proposals: nothing changes before approval; partial approval, own values, keyboard, and stale proposals. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, harness, play } from "./harness.mjs";

const own = await harness("proposal");

const agent = (what) => own.page.getByRole("button", { name: what, exact: true }).click();
const list = () => own.page.getByRole("navigation", { name: "Proposals" }).getByRole("button");
const proposal = () => own.page.getByRole("article");
const row = (name) => proposal().locator(".gp-change").filter({ hasText: name });
const activity = () => own.page.getByRole("region", { name: "What the assistant does" }).locator(".gp-call");
const room = (name) => own.page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
async function params() {
  await room("Instance");
  const text = await own.page.getByRole("region", { name: "Snapshot of demo" }).innerText();
  await room("Proposal");
  return JSON.parse(text).state.params;
}

test("a change of the page is shown part by part, and nothing changes before approval", async () => {
  await agent("Change the page");
  assert.equal(await proposal().getByRole("listitem").count(), 3);
  assert.match(await row("Table").innerText(), /Reservation › Table: “By the window” instead of “Anywhere”/);
  await row("Table").getByText("Show exactly what changes").click();
  assert.match(await row("Table").innerText(), /state\.params\.plan[\s\S]*standard[\s\S]*window/);
  assert.equal((await params()).plan, "standard");
  await proposal().getByRole("button", { name: "Approve" }).click();
  await proposal().getByText("approved").waitFor();
  const { plan, guests } = await params();
  assert.deepEqual([plan, guests], ["window", 4]);
});

test("some parts are approved, another gets a value of the user", async () => {
  await agent("Change the page");
  await row("Guests").getByRole("checkbox").uncheck();
  await proposal().getByRole("button", { name: "Approve 2 of 3" }).waitFor();
  await row("Table").getByText("Show exactly what changes").click();
  await row("Table").getByRole("button", { name: "Edit" }).click();
  await row("Table").getByRole("textbox").fill("outside");
  assert.match(await row("Table").locator("ins").innerText(), /outside/);
  // The choices are there after a look at another room.
  assert.equal((await params()).plan, "standard");
  assert.equal(await row("Guests").getByRole("checkbox").isChecked(), false);
  await proposal().getByRole("button", { name: "Approve with your changes" }).click();
  await proposal().getByText("approved").waitFor();
  const { plan, guests } = await params();
  assert.deepEqual([plan, guests], ["outside", 2]);
});

test("an own value that is not allowed is refused with its reason, and the proposal stays", async () => {
  await agent("Change the page");
  await row("Guests").getByText("Show exactly what changes").click();
  await row("Guests").getByRole("button", { name: "Edit" }).click();
  await row("Guests").getByRole("textbox").fill("{");
  await own.page.getByText("This is not JSON yet.").waitFor();
  await row("Guests").getByRole("button", { name: "Use the proposed value" }).click();
  assert.equal(await proposal().getAttribute("data-status"), "pending");
  assert.equal(await proposal().getByRole("button", { name: "Approve", exact: true }).count(), 1);
});

test("refused leaves all as it was", async () => {
  const before = await params();
  await agent("Change the page");
  await proposal().getByRole("button", { name: "Refuse" }).click();
  await proposal().getByText("refused").waitFor();
  assert.deepEqual(await params(), before);
});

test("a node is changed field by field; further changed fields are shown too", async () => {
  await agent("Change a node");
  assert.match(await row("priority").innerText(), /also changes/i);
  await row("title").getByText("Show exactly what changes").click();
  assert.match(await row("title").locator("ins").innerText(), /Early walkers/);
  await row("priority").getByRole("checkbox").uncheck();
  await proposal().getByRole("button", { name: "Approve 2 of 3" }).click();
  await proposal().getByText("approved").waitFor();
});

test("an agent cannot approve itself", async () => {
  await agent("Try to approve itself");
  await proposal().getByText("waits for you").waitFor();
  // Why is in the list of what agents did.
  const refused = activity().first();
  assert.equal(await refused.getAttribute("data-status"), "error");
  assert.match(await refused.innerText(), /updateNode[\s\S]*failed[\s\S]*approv/);
});

test("what agents did is listed, the newest first, with what the user decided", async () => {
  await agent("Change the page");
  await agent("Change a node");
  await eventually(async () => assert.equal(await activity().count(), 2));
  assert.match(await activity().first().innerText(), /updateNode[\s\S]*heron-app\/problem[\s\S]*waits for you/);
  await proposal().getByRole("button", { name: "Refuse" }).click();
  await eventually(async () => assert.match(await activity().first().innerText(), /refused/));
  assert.match(await activity().last().innerText(), /patch_ui_state[\s\S]*demo[\s\S]*waits for you/);
  await play(own.page, "Write, edit, delete");
  await eventually(async () => assert.match(await activity().first().innerText(), /delete_file[\s\S]*readme-old\.md/));
});

test("J, K, A and R do what their buttons do, but not while typing", async () => {
  await agent("Change the page");
  await agent("Change a node");
  assert.equal(await list().count(), 2);
  await list().first().focus();
  await own.page.keyboard.press("j");
  assert.equal(await list().nth(1).getAttribute("aria-current"), "true");
  await own.page.keyboard.press("a");
  await eventually(async () => assert.equal(await list().nth(1).getAttribute("data-status"), "approved"));
  await own.page.keyboard.press("k");
  await own.page.keyboard.press("r");
  await eventually(async () => assert.equal(await list().first().getAttribute("data-status"), "refused"));
  await agent("Change the page");
  await own.page.getByRole("region", { name: "Chat" }).getByLabel("Answer", { exact: true }).focus();
  await own.page.keyboard.press("a");
  assert.equal(await list().first().getAttribute("data-status"), "pending");
});

/** Plays an answer that writes files one after another, slowly enough to open another proposal meanwhile. */
async function write(...files) {
  const blocks = files.map(([path, content]) => {
    const call = JSON.stringify({ tool: "write_file", path, content });
    return `${"Let me think. ".repeat(15)}\n\n\`\`\`json\n${call}\n\`\`\`\n`;
  });
  const chat = own.page.getByRole("region", { name: "Chat" });
  await chat.getByLabel("Answer", { exact: true }).selectOption("Your own text…");
  await chat.getByLabel("Text of the answer").fill(blocks.join("\n"));
  await chat.getByRole("button", { name: "Play", exact: true }).click();
}

const item = (name) => list().filter({ hasText: name });
const status = (name) => item(name).getAttribute("data-status");
const shown = () => own.page.locator(".proposal-list [aria-current]").innerText();

test("a new proposal does not replace the one shown, and approval applies to the one shown", async () => {
  await write(["first.md", "1"], ["second.md", "2"]);
  await item("first.md").waitFor();
  assert.match(await shown(), /first\.md/);
  await item("first.md").focus();
  await item("second.md").waitFor();
  assert.equal(await list().first().innerText(), await item("second.md").innerText());
  assert.match(await shown(), /first\.md/);
  assert.match(await proposal().innerText(), /first\.md/);
  // The focused proposal is not the one shown: the approval keys must act on neither.
  await item("second.md").focus();
  await own.page.keyboard.press("a");
  await own.page.keyboard.press("r");
  await own.page.getByRole("button", { name: "Change a node" }).focus();
  await own.page.keyboard.press("a");
  await item("first.md").focus();
  await own.page.keyboard.press("a");
  await eventually(async () => assert.equal(await status("first.md"), "approved"));
  assert.equal(await status("second.md"), "pending");
  assert.match(await shown(), /first\.md/);
});

test("if the shown proposal is withdrawn, no other takes its place", async () => {
  await agent("Change a node");
  await write(["first.md", "1"]);
  await item("first.md").click();
  assert.match(await proposal().innerText(), /first\.md/);
  await room("Files");
  await own.page.getByRole("button", { name: "Reset files" }).click();
  await own.page.getByRole("article").waitFor({ state: "detached" });
  await room("Proposal");
  await own.page.getByText("The proposal that was shown is gone.").waitFor();
  assert.equal(await proposal().count(), 0);
  await list().first().focus();
  await own.page.keyboard.press("a");
  await own.page.keyboard.press("r");
  assert.equal(await list().first().getAttribute("data-status"), "pending");
  await own.page.keyboard.press("j");
  assert.match(await proposal().innerText(), /waits for you/);
});

test("a proposal that becomes stale before the key press is not approved", async () => {
  await write(["first.md", "theirs\n"]);
  await item("first.md").waitFor();
  await room("Files");
  await own.page.getByRole("switch", { name: "Ask before writing" }).click();
  await room("Proposal");
  await write(["first.md", "another's\n"]);
  await item("first.md").focus();
  await eventually(async () => assert.equal(await status("first.md"), "stale"));
  await own.page.keyboard.press("a");
  assert.equal(await proposal().getByRole("checkbox").count(), 0);
  await own.page.keyboard.press("r");
  await eventually(async () => assert.equal(await status("first.md"), "refused"));
  await room("Files");
  await own.page.getByRole("button", { name: "first.md", exact: true }).click();
  assert.match(await own.page.getByRole("region", { name: "Text of first.md" }).innerText(), /another's/);
});

test("a double click approves once", async () => {
  await agent("Change the page");
  await room("Instance");
  await own.page.locator(".stage").getByLabel("Guests").fill("11");
  await own.page.getByText("All that you entered is confirmed.").waitFor();
  await room("Proposal");
  await proposal().getByRole("button", { name: "Propose again" }).dblclick();
  await proposal().getByText("waits for you").waitFor();
  assert.equal(await list().first().getAttribute("data-status"), "pending");
});

test("a stale proposal is marked, and can be proposed again", async () => {
  await agent("Change the page");
  await room("Instance");
  await own.page.locator(".stage").getByLabel("Guests").fill("11");
  await own.page.getByText("All that you entered is confirmed.").waitFor();
  await room("Proposal");
  await proposal().getByText("overtaken").waitFor();
  assert.equal(
    await proposal()
      .getByRole("button", { name: /^Approve/ })
      .count(),
    0,
  );
  await proposal().getByRole("button", { name: "Propose again" }).click();
  await proposal().getByText("waits for you").waitFor();
  assert.match(await row("Guests").innerText(), /13 instead of 11/);
});

test("the tab says how many wait", async () => {
  await agent("Change the page");
  assert.match(await own.page.getByRole("tab", { name: /^Proposal/ }).innerText(), /1/);
});
