/** Typing is optimistic: it shows at once, waits for the simulated server, and is reverted if the server refuses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, harness } from "./harness.mjs";

const own = await harness("instance");
const stage = () => own.page.locator(".stage");
const guests = () => stage().getByLabel("Guests");
const field = (name) => stage().locator(".gp-field", { has: own.page.getByLabel(name) });
const server = () => own.page.getByRole("region", { name: "Server", exact: true });
const pending = () => own.page.getByRole("list", { name: "Pending calls" }).getByRole("listitem");
const snapshot = async () => JSON.parse(await own.page.getByRole("region", { name: /^Snapshot of/ }).innerText());

const set = (label, value) => server().getByLabel(label).fill(String(value));

test("input shows at once, is marked, and is confirmed later", async () => {
  await set("Delay, one way", 700);
  await guests().fill("7");
  assert.equal((await snapshot()).state.params.guests, 7);
  await field("Guests").locator(".gp-saving").waitFor();
  assert.match(
    await guests().evaluate((input) => document.getElementById(input.getAttribute("aria-describedby")).innerText),
    /not sent yet|saving/,
  );
  assert.equal(await pending().count(), 1);
  await server().getByText("All that you entered is confirmed.").waitFor();
  assert.equal(await field("Guests").locator(".gp-saving").count(), 0);
  assert.equal(await guests().inputValue(), "7");
});

test("many keys are one call", async () => {
  await set("Delay, one way", 0);
  await stage().getByLabel("Name").fill("");
  await stage().getByLabel("Name").pressSequentially("Grace Hopper", { delay: 5 });
  assert.equal(await pending().count(), 1);
  await server().getByText("All that you entered is confirmed.").waitFor();
  assert.equal((await snapshot()).state.params.name, "Grace Hopper");
});

test("a refusal takes the value back, and says so", async () => {
  await set("Delay, one way", 0);
  await set("Requests refused", 100);
  await guests().fill("9");
  const notice = own.page.locator(".notice");
  await notice.waitFor();
  assert.match(await notice.innerText(), /Refused: set state\.params\.guests/);
  assert.equal(await guests().inputValue(), "2");
  assert.equal((await snapshot()).state.params.guests, 2);
  assert.match(await notice.innerText(), /“Guests” is back as it was\. You entered 9\./);
  // The field says it as well.
  assert.match(await field("Guests").getByRole("alert").innerText(), /“9” was not saved: /);
  assert.equal(await guests().getAttribute("aria-invalid"), "true");
  await notice.getByRole("button", { name: /^Dismiss/ }).click();
  assert.equal(await own.page.locator(".notice").count(), 0);
});

test("a rejected change can be sent again", async () => {
  await set("Delay, one way", 0);
  await set("Requests refused", 100);
  await guests().fill("9");
  await own.page.locator(".notice").waitFor();
  await set("Requests refused", 0);
  await own.page.getByRole("button", { name: "Try again" }).click();
  await server().getByText("All that you entered is confirmed.").waitFor();
  assert.equal(await guests().inputValue(), "9");
});

test("a request that is lost is sent again", async () => {
  await set("Delay, one way", 0);
  await set("Requests lost", 100);
  await guests().fill("5");
  await own.page.getByRole("button", { name: "Log", exact: true }).click();
  await own.page.locator(".log-line", { hasText: "lost" }).first().waitFor();
  assert.equal(await pending().count(), 1);
  await set("Requests lost", 0);
  await server().getByText("All that you entered is confirmed.").waitFor();
  assert.equal((await snapshot()).state.params.guests, 5);
});

test("another client's edits are applied under the pending ones", async () => {
  await set("Delay, one way", 0);
  await server().getByRole("switch", { name: "Offline" }).check();
  await stage().getByLabel("Wishes").fill("A quiet table");
  await server().getByRole("switch", { name: "Offline" }).uncheck();
  await server().getByLabel("Another client").selectOption("Adds a block");
  await server().getByRole("button", { name: "Now" }).click();
  await stage().getByRole("region", { name: "From another client" }).waitFor();
  await server().getByText("All that you entered is confirmed.").waitFor();
  assert.equal((await snapshot()).state.params.wishes, "A quiet table");
});

test("offline: edits wait, missed changes arrive on reconnection, and each counts once", async () => {
  await set("Delay, one way", 0);
  await own.page.getByRole("tab", { name: "counter" }).click();
  await own.page.getByRole("button", { name: "One more" }).click();
  await server().getByRole("switch", { name: "Offline" }).check();
  await own.page.getByRole("button", { name: "One more" }).click();
  assert.ok((await pending().count()) >= 1);
  await server().getByLabel("Another client").selectOption("Adds a block");
  await server().getByRole("button", { name: "Now" }).click();
  assert.equal(await stage().getByRole("region", { name: "From another client" }).count(), 0);
  await server().getByRole("switch", { name: "Offline" }).uncheck();
  await stage().getByRole("region", { name: "From another client" }).waitFor();
  await server().getByText("All that you entered is confirmed.").waitFor();
  assert.equal((await snapshot()).state.params.count, 9);
});

test("requests that arrive together are handled in the order in which they were sent", async () => {
  await set("Delay, one way", 400);
  await server().getByRole("switch", { name: "Offline" }).check();
  await stage().getByLabel("Name").fill("first");
  await stage().getByLabel("Wishes").fill("between");
  await stage().getByLabel("Name").fill("last");
  assert.equal(await pending().count(), 3);
  await own.page.evaluate(() => {
    // The later a request is sent, the shorter its way: all arrive together. And each look at the clock takes two milliseconds.
    let [random, extra] = [1, 0];
    Math.random = () => {
      random = Math.max(0.01, random - 0.1);
      return random;
    };
    const now = performance.now.bind(performance);
    performance.now = () => {
      extra += 2;
      return now() + extra;
    };
  });
  await server().getByRole("switch", { name: "Offline" }).uncheck();
  await server().getByText("All that you entered is confirmed.").waitFor();
  const { name, wishes } = (await snapshot()).state.params;
  assert.deepEqual({ name, wishes }, { name: "last", wishes: "between" });
});

test("an edit that no longer fits is a conflict, and the others stay", async () => {
  await set("Delay, one way", 0);
  await server().getByRole("switch", { name: "Offline" }).check();
  await own.page.getByLabel("Call, as JSON").fill(
    JSON.stringify({
      instance_name: "demo",
      patches: [{ op: "set", path: 'blocks["old_block"].title', value: "Gift voucher" }],
    }),
  );
  await own.page.getByRole("button", { name: "Apply as mine" }).click();
  await stage().getByRole("region", { name: "Gift voucher" }).waitFor();
  await guests().fill("3");
  await server().getByLabel("Another client").selectOption("Removes the last block");
  await server().getByRole("button", { name: "Now" }).click();
  await server().getByRole("switch", { name: "Offline" }).uncheck();
  const notice = own.page.locator(".notice");
  await notice.waitFor();
  assert.match(await notice.innerText(), /Conflict: PATH_NOT_FOUND/);
  await server().getByText("All that you entered is confirmed.").waitFor();
  const { blocks, state } = await snapshot();
  assert.deepEqual(
    blocks.map(({ id }) => id),
    ["text_block"],
  );
  assert.equal(state.params.guests, 3);
});

test("another client continues by itself until it is stopped", async () => {
  await set("Delay, one way", 0);
  const before = JSON.stringify((await snapshot()).state.params);
  await server().getByRole("checkbox", { name: "every 3 s" }).check();
  await eventually(async () => assert.notEqual(JSON.stringify((await snapshot()).state.params), before));
  await server().getByRole("checkbox", { name: "every 3 s" }).uncheck();
});

test("1,000 blocks stay usable", async () => {
  await own.page.getByRole("button", { name: "1,000 blocks" }).click();
  const name = stage().getByLabel("Name").first();
  await name.fill("A");
  const shown = await own.page.evaluate(async () => {
    const input = document.querySelector(".stage input");
    const put = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
    let touched = 0;
    const seen = new MutationObserver((changes) => {
      touched += changes.length;
    });
    seen.observe(document.querySelector(".stage"), {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    for (let at = 0; at < 20; at++) {
      put.call(input, `A${at}`);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return { value: input.value, touched };
  });
  // `large.test.mjs` measures the cost of a key; this test checks that a key changes no other block.
  assert.equal(shown.value, "A19");
  assert.ok(shown.touched < 1_000, `${shown.touched} changes of the page`);
});
