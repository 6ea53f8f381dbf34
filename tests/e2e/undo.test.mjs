/** Undo: of the agent's turns, of the user's own edits by Ctrl+Z; and the marks of the agent's changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, harness } from "./harness.mjs";

const own = await harness("instance");

const chat = () => own.page.getByRole("region", { name: "Chat" });
const stage = () => own.page.locator(".stage");
const name = () => stage().getByLabel("Name");
const button = (label) => own.page.getByRole("button", { name: label, exact: true });
const valueIs = (field, value) => eventually(async () => assert.equal(await field.inputValue(), value));

/** Calls of the agent, as one answer of the chat. */
async function say(...calls) {
  await chat().getByLabel("Answer", { exact: true }).selectOption("Your own text…");
  const blocks = calls.map((call) => `\`\`\`json\n${JSON.stringify(call)}\n\`\`\`\n`);
  await chat()
    .getByLabel("Text of the answer")
    .fill(`Here it is.\n\n${blocks.join("\n")}`);
  await chat().getByLabel("Speed").press("End");
  await chat().getByRole("button", { name: "Play", exact: true }).click();
  await chat().getByRole("button", { name: "Play again" }).waitFor();
  await eventually(async () => assert.equal(await chat().getByText("Working on").count(), 0));
}

const onDemo = (...patches) => ({ tool: "patch_ui_state", instance_name: "demo", patches });
const setName = (value) => onDemo({ op: "set", path: "state.params.name", value });
const addBlock = onDemo({
  op: "add",
  path: "blocks+",
  value: {
    id: "extra",
    type: "form",
    title: "Extra",
    props: { fields: [{ key: "more", type: "text", label: "More" }] },
  },
});
const extra = () => stage().locator("[data-block=extra]");
const saved = () => eventually(async () => assert.equal(await stage().locator(".gp-saving").count(), 0));

test("a turn is undone as a whole, what the user did since stays, and it can be made again", async () => {
  await say(addBlock, onDemo({ op: "set", path: "state.params.guests", value: 9 }));
  await extra().waitFor();
  const guests = stage().getByLabel("Guests");
  await valueIs(guests, "9");
  await name().fill("Mine");
  await button("Undo this turn").click();
  await extra().waitFor({ state: "detached" });
  assert.notEqual(await guests.inputValue(), "9");
  assert.equal(await name().inputValue(), "Mine");
  // The server has it too.
  await saved();
  assert.equal(await own.page.locator(".notice").count(), 0);
  await button("Redo this turn").click();
  await extra().waitFor();
  await valueIs(guests, "9");
  await saved();
  assert.equal(await name().inputValue(), "Mine");
  assert.equal(await own.page.locator(".notice").count(), 0);
  await button("Undo this turn").waitFor();
});

test("where the user has changed the same since, nothing is undone, the place is named, and the rest can be undone", async () => {
  await say(addBlock, setName("Agent"));
  await extra().waitFor();
  await valueIs(name(), "Agent");
  await name().fill("Mine");
  await saved();
  await button("Undo this turn").click();
  const told = chat().getByText("Not undone: in demo this was changed since: “Name” (state.params.name).");
  await told.waitFor();
  assert.equal(await extra().count(), 1);
  assert.equal(await name().inputValue(), "Mine");
  await button("Undo the rest").click();
  await extra().waitFor({ state: "detached" });
  assert.equal(await name().inputValue(), "Mine");
  await button("Redo this turn").waitFor();
  assert.equal(await told.count(), 0);
});

test("a turn that changes two instances and creates one: all of it goes and returns", async () => {
  await say(
    setName("Agent"),
    { tool: "patch_ui_state", instance_name: "__CREATE__", new_instance_name: "trip", patches: [addBlock.patches[0]] },
    { tool: "updateNode", taskId: "heron-app", nodeId: "note", newData: { text: "Three herons." } },
  );
  const tab = (label) => own.page.getByRole("tab", { name: label, exact: true });
  await tab("trip").waitFor();
  await button("Undo this turn").click();
  await tab("trip").waitFor({ state: "detached" });
  await tab("demo").click();
  assert.notEqual(await name().inputValue(), "Agent");
  await saved();
  assert.equal(await own.page.locator(".notice").count(), 0);
  await button("Redo this turn").click();
  await tab("trip").waitFor();
  await tab("demo").click();
  await valueIs(name(), "Agent");
  await saved();
  assert.equal(await own.page.locator(".notice").count(), 0);
});

test("an answer that has changed nothing has nothing to undo", async () => {
  await say({ tool: "list_instances" });
  await button("Undo this turn").waitFor();
  assert.equal(await button("Undo this turn").isDisabled(), true);
});

test("Ctrl+Z undoes the user's edits, not the agent's, and Shift+Ctrl+Z makes them again", async () => {
  const before = await name().inputValue();
  await name().fill("Mine");
  await name().blur();
  await say(addBlock);
  await extra().waitFor();
  await stage().click({ position: { x: 1, y: 1 } });
  await own.page.keyboard.press("Control+z");
  await valueIs(name(), before);
  assert.equal(await extra().count(), 1);
  await own.page.getByText("Your last change was undone.").waitFor({ state: "attached" });
  await own.page.keyboard.press("Shift+Control+z");
  await valueIs(name(), "Mine");
  await own.page.getByText("Your change was made again.").waitFor({ state: "attached" });
});

test("in a text that was just typed Ctrl+Z is the browser's; in one that was not, it is the page's", async () => {
  const before = await name().inputValue();
  const guests = stage().getByLabel("Guests");
  await guests.fill("7");
  await name().click();
  await name().press("End");
  await name().pressSequentially("x");
  await name().press("Control+z");
  await valueIs(name(), before);
  assert.equal(await guests.inputValue(), "7");
  await stage().getByLabel("Wishes").click();
  // A text that was typed and undone by the browser is an edit of the page too.
  for (let press = 0; press < 3 && (await guests.inputValue()) === "7"; press++)
    await stage().getByLabel("Wishes").press("Control+z");
  await valueIs(guests, "2");
  // In a text elsewhere that was written in, the page is left alone.
  await guests.fill("8");
  await chat().getByLabel("Answer", { exact: true }).selectOption("Your own text…");
  const text = chat().getByLabel("Text of the answer");
  await text.pressSequentially("Hello");
  await text.press("Control+z");
  assert.notEqual(await text.inputValue(), "Hello");
  assert.equal(await guests.inputValue(), "8");
});

test("an edit of the user that the agent has changed since is not undone, and it says so", async () => {
  await name().fill("Mine");
  await name().blur();
  await saved();
  await say(setName("Agent"));
  await valueIs(name(), "Agent");
  await stage().click({ position: { x: 1, y: 1 } });
  await own.page.keyboard.press("Control+z");
  const notice = own.page.locator(".notice");
  await notice.waitFor();
  assert.match(
    await notice.innerText(),
    /Not undone: in demo this was changed since: “Name” \(state\.params\.name\)\./,
  );
  assert.equal(await name().inputValue(), "Agent");
});

for (const reducedMotion of ["no-preference", "reduce"]) {
  test(`what the agent has changed is marked by a word for a while (motion: ${reducedMotion})`, async () => {
    await own.page.emulateMedia({ reducedMotion });
    // In the page, so that no slow machine is too late to see it.
    const seen = own.page.waitForFunction(() => {
      const all = [...document.querySelectorAll(".stage [data-by-agent]")];
      return (
        all.length > 0 &&
        all.map((element) => [
          element.dataset.field ?? element.dataset.block,
          getComputedStyle(element, "::after").content.includes("attr") || element.dataset.byAgent,
          getComputedStyle(element, "::after").animationName,
        ])
      );
    });
    await say(setName("Agent"));
    assert.deepEqual(await (await seen).jsonValue(), [["name", "changed by the agent", "none"]]);
    await eventually(async () => assert.equal(await stage().locator("[data-by-agent]").count(), 0));
  });
}

test("the mark of a field goes when the user writes in it", async () => {
  const isMarked = own.page.waitForFunction(() => {
    const field = document.querySelector(".stage .gp-field[data-by-agent]");
    field?.querySelector("input").dispatchEvent(new Event("input", { bubbles: true }));
    return field && { marked: "byAgent" in field.dataset };
  });
  await say(setName("Agent"));
  assert.deepEqual(await (await isMarked).jsonValue(), { marked: false });
});
