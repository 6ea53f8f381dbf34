/** Effects: the page executes the task flow's requests in order, and users keep their place, focus and selection. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, harness } from "./harness.mjs";

const own = await harness("instance");

const tab = (name) => own.page.getByRole("tab", { name: new RegExp(`^${name}`) }).first();
const proposal = () => own.page.locator(".proposal-room article");
const card = () => own.page.getByRole("region", { name: "The node as it stands" });
const conversation = () => own.page.getByRole("log", { name: "Conversation" });
const selected = (name) => own.page.getByRole("tab", { name: new RegExp(`^${name}`), selected: true }).first();

/** The agent's calls on nodes, as the chat brings them. */
async function say(calls, { before = "" } = {}) {
  const blocks = calls.map(
    ([nodeId, newData]) =>
      `\n\n\`\`\`json\n${JSON.stringify({ tool: "updateNode", taskId: "heron-app", nodeId, newData })}\n\`\`\`\n`,
  );
  const chat = own.page.getByRole("region", { name: "Chat" });
  await chat.getByLabel("Answer", { exact: true }).selectOption("Your own text…");
  await chat.getByLabel("Text of the answer").fill(`${before}${blocks.join("\n")}`);
  await chat.getByRole("button", { name: "Play", exact: true }).click();
}

/** The effects in the log, the oldest first. */
async function carriedOut() {
  const open = own.page.getByRole("button", { name: "Log", exact: true });
  if ((await open.getAttribute("aria-expanded")) !== "true") await open.click();
  const lines = own.page.locator(".log-lines");
  await lines.waitFor();
  await own.page.waitForTimeout(150);
  return [...(await lines.innerText()).matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => name).reverse();
}

const heron = ["problem", { title: "Herons at dawn", priority: 1 }];

test("a proposal of the chat opens with its diff in every room; approval closes it and is reported in the chat", async () => {
  await say([heron]);
  await selected("Proposal").waitFor();
  await proposal().getByText("waits for you").waitFor();
  assert.match(await proposal().innerText(), /heron-app\/problem[\s\S]*Herons at dawn/);
  assert.equal(await card().getAttribute("aria-current"), "true");
  await card().getByText("The agent means this node.").waitFor();
  assert.doesNotMatch(await card().innerText(), /Herons at dawn/);
  await eventually(async () =>
    assert.deepEqual(await carriedOut(), ["FOCUS_NODE", "OPEN_MODAL", "APPLY_DIFF_IN_MODAL"]),
  );
  await proposal().getByRole("button", { name: "Approve" }).click();
  await conversation().getByText("The changes were approved.").waitFor();
  await card().getByText("Herons at dawn").waitFor();
  assert.equal(await card().getAttribute("aria-current"), null);
  // The diff stays readable, and the focus is not lost.
  assert.match(await proposal().innerText(), /approved[\s\S]*Walkers miss the herons/);
  assert.equal(await own.page.evaluate(() => document.activeElement === document.body), false);
  await eventually(async () =>
    assert.deepEqual((await carriedOut()).slice(3), ["CLOSE_MODAL", "POST_MESSAGE", "REFETCH_TASK_FLOW"]),
  );
});

test("an update that needs no approval refreshes the task flow, and opens nothing", async () => {
  await say([["note", { text: "Three herons." }]]);
  await eventually(async () => assert.deepEqual(await carriedOut(), ["REFETCH_TASK_FLOW"]));
  await selected("Instance").waitFor();
});

test("a typing user keeps the field and the room; the tab counts pending proposals, which show when the room is opened", async () => {
  await say([heron], { before: "Let me think. ".repeat(40) });
  const field = own.page.locator(".stage").getByLabel("Name");
  await field.click();
  await field.pressSequentially(" Byron", { delay: 20 });
  await own.page.getByRole("tab", { name: /Proposal.*1 waits/ }).waitFor();
  await selected("Instance").waitFor();
  assert.equal(await field.evaluate((element) => element === document.activeElement), true);
  await tab("Proposal").click();
  assert.match(await proposal().innerText(), /heron-app\/problem/);
  assert.equal(await card().getAttribute("aria-current"), "true");
});

test("a proposal that the user is looking at stays visible", async () => {
  await tab("Proposal").click();
  await own.page.getByRole("button", { name: "Change the page", exact: true }).click();
  await say([heron]);
  const list = own.page.getByRole("navigation", { name: "Proposals" }).getByRole("button");
  await eventually(async () => assert.equal(await list.count(), 2));
  assert.match(await proposal().innerText(), /^Change of the page/);
  // After the decision the next one is opened.
  await proposal().getByRole("button", { name: "Refuse" }).click();
  await say([["problem", { priority: 5 }]]);
  await proposal().getByText("heron-app/problem").waitFor();
  assert.match(await proposal().locator(".gp-changes").innerText(), /priority[\s\S]*5/i);
});

test("of several proposals for a node that one is opened whose diff was sent", async () => {
  await say([["problem", { title: "One" }]]);
  await proposal().getByText("“One”").waitFor();
  await tab("Instance").click();
  await say([["problem", { priority: 7 }]]);
  await proposal().getByText("7").first().waitFor();
  await tab("Instance").click();
  await say([["problem", { title: "One" }]]);
  await selected("Proposal").waitFor();
  await proposal().getByText("“One”").waitFor();
});

test("a rejection is reported in the chat too, in the page's language", async () => {
  await own.page.getByRole("combobox", { name: "Language" }).selectOption("中文");
  await tab("提议").click();
  await own.page.getByRole("button", { name: "改节点", exact: true }).click();
  await card()
    .or(own.page.getByRole("region", { name: "节点现状" }))
    .waitFor();
  await own.page.getByText("智能体指的是这个节点。").waitFor();
  await proposal().getByRole("button", { name: "拒绝" }).click();
  await own.page.getByRole("log").getByText("更改被拒绝。").waitFor();
});
