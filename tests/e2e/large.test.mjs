/**
 * A page of 1,000 blocks: a keystroke costs about as much as on a small page, measured as the processor time of the page's
 * thread, including all follow-up work.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { harness } from "./harness.mjs";

const own = await harness("", { hood: false });

/** The largest allowed ratio of the two pages; rendering the whole page would take hundreds of times as much. */
const most = 5;
const keys = 30;
/** Milliseconds between two keys: longer than the timers that a key starts. */
const between = 150;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Milliseconds of the page's thread for each of some keys. */
async function cost(page, session, key) {
  const busy = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  const spent = [];
  for (let at = 0; at < keys; at++) {
    const before = await busy();
    await page.keyboard.press(key(at));
    await page.waitForTimeout(between);
    spent.push((await busy()) - before);
  }
  return median(spent);
}

test("a keystroke takes no longer for the blocks that it does not touch", async (context) => {
  const { page } = own;
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const letter = (at) => "abcdefghij"[at % 10];
  const input = page.locator(".stage").getByLabel("Name").first();
  await input.focus();
  await input.press("End");
  const small = (await cost(page, session, letter)) - (await cost(page, session, () => "Shift"));
  await page.getByRole("button", { name: "1,000 blocks" }).click();
  const field = page.locator(".stage").getByLabel("Name").nth(500);
  await field.focus();
  await field.press("End");
  const idle = await cost(page, session, () => "Shift");
  const typed = await cost(page, session, letter);
  assert.equal(await field.inputValue(), `Room 501${"abcdefghij".repeat(3)}`);
  context.diagnostic(`${(typed - idle).toFixed(1)} ms a keystroke, ${small.toFixed(1)} on a small page`);
  assert.ok(typed - idle < most * Math.max(small, 0.5), `${typed - idle} ms, ${small} on a small page`);
});
