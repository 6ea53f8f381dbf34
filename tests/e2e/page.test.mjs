/** The page, as `npm start` serves it. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { launch, open } from "../support/browser.mjs";
import { servePage } from "../support/site.mjs";

const site = await servePage();
after(() => site.close());
const browser = await launch();
after(() => browser.close());

test("opens without a complaint", async () => {
  const { page, problems } = await open(browser, site.address);
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.deepEqual(problems, []);
});
