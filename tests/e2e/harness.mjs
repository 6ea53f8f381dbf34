/** A served page and a browser for a file of tests: each test gets a fresh page, without storage, that must not complain. */
import assert from "node:assert/strict";
import { after, afterEach, beforeEach } from "node:test";
import { launch, open } from "../support/browser.mjs";
import { servePage } from "../support/site.mjs";

/** `room` is the part of the workbench that the page opens with; `hood`: whether the technical details are shown. */
export async function harness(room = "", { hood = true } = {}) {
  const site = await servePage();
  after(() => site.close());
  const browser = await launch();
  after(() => browser.close());

  const address = `${site.address}${room && `#${room}`}`;
  const own = { page: undefined, address };
  let problems;
  beforeEach(async () => {
    ({ page: own.page, problems } = await open(browser, address));
    await own.page.getByText("Loading…").first().waitFor({ state: "detached" });
    const closed = own.page.getByRole("button", { name: "Under the hood", expanded: false });
    if (hood && room === "") await closed.click();
    await own.page.getByText("Loading…").first().waitFor({ state: "detached" });
  });
  afterEach(async () => {
    assert.deepEqual(problems, []);
    await own.page.close();
  });
  return own;
}

/** Plays an answer of the chat from start to end at full speed. */
export async function play(page, title, chunkSize = 64) {
  await page.getByLabel("Answer", { exact: true }).selectOption(title);
  const chat = page.getByRole("region", { name: "Chat" });
  await chat.getByLabel("Chunk size").fill(String(chunkSize));
  await chat.getByLabel("Speed").press("End");
  await chat.getByRole("button", { name: "Restart" }).click();
  await chat.getByRole("button", { name: "Play again" }).waitFor();
}

/** Waits until a check passes, e.g. after a timer or a file operation. */
export async function eventually(check, timeout = 60_000) {
  const end = Date.now() + timeout;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
