/** The tour: six scenes started by one button, each also on its own; the view follows the chat. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, harness } from "./harness.mjs";

const own = await harness("", { hood: false });
const bar = () => own.page.getByRole("region", { name: "The first minute" });
const stage = () => own.page.locator(".stage");
const conversation = () => own.page.getByRole("log", { name: "Conversation" });
const room = (name) => own.page.getByRole("tab", { name, selected: true }).first();
const over = () => bar().getByText("That was it.").waitFor();
const alone = (number) => own.page.getByRole("button", { name: `Step ${number}:` }).click();
/** The button of a step while that step plays. */
const step = (number) =>
  bar()
    .getByRole("button", { name: `Step ${number}:` })
    .and(own.page.locator("[aria-current=step]"));
const fast = () => bar().getByLabel("Speed").press("End");

test("all six scenes play, one after the other", async () => {
  await own.page.getByRole("button", { name: "Watch an agent build a booking page" }).click();
  await stage().getByRole("region", { name: "Who is coming" }).waitFor();
  await stage().getByRole("region", { name: "When" }).waitFor();
  await step(2).waitFor();
  await stage().locator(".gp-saving").first().waitFor();
  await step(3).waitFor();
  await conversation().getByText("UNSAFE_PATH").waitFor();
  await conversation().getByText("TRAILING_COMMA").waitFor();
  await room(/Files/).waitFor();
  await own.page.getByRole("article", { name: /src\/start\.ts/ }).waitFor();
  await conversation()
    .getByText(/NEEDS_APPROVAL/)
    .waitFor();
  await room(/Proposal/).waitFor();
  await own.page.getByRole("button", { name: "Confirm the booking" }).waitFor();
  await own.page.getByText("Four guests, in the name of Ada Lovelace").first().waitFor();
  await room(/Surface/).waitFor();
  await bar().getByText("That was it.").waitFor({ timeout: 120_000 });
  await own.page.getByRole("tab", { name: "Instance" }).click();
  assert.equal(await stage().getByLabel("Name").inputValue(), "Ada Lovelace");
  assert.equal(await stage().getByLabel("Guests").inputValue(), "4");
  await stage().getByRole("button", { name: "Book the table" }).click();
  await stage().getByText("submitted").waitFor();
});

test("the visitor's input is kept", async () => {
  await alone(2);
  await stage().getByRole("region", { name: "Who is coming" }).getByLabel("Name").fill("Grace");
  await over();
  await eventually(async () => assert.equal(await stage().getByLabel("Guests").inputValue(), "4"));
  assert.equal(await stage().getByLabel("Name").inputValue(), "Grace");
});

test("each scene alone, one after another, again, and paused", async () => {
  for (const [number, name] of [
    [1, "Instance"],
    [3, "Files"],
    [4, "Proposal"],
    [5, "Proposal"],
    [6, "Surface"],
  ]) {
    await alone(number);
    await fast();
    await over();
    await room(new RegExp(name)).waitFor();
  }
  await bar().getByRole("button", { name: "Play again" }).click();
  await over();
  await alone(1);
  await bar().getByLabel("Speed").press("Home");
  await conversation()
    .getByText(/^A book/)
    .waitFor();
  await bar().getByRole("button", { name: "Pause" }).click();
  await bar().getByRole("button", { name: "Play", exact: true }).waitFor();
  const text = await conversation().innerText();
  await own.page.waitForTimeout(300);
  assert.equal(await conversation().innerText(), text);
  await bar().getByRole("button", { name: "Play", exact: true }).click();
  await fast();
  await over();
  await bar().getByRole("button", { name: "Leave the tour" }).click();
  await own.page.getByRole("button", { name: /^Watch an agent/ }).waitFor();
});
