/** axe finds nothing in any room, in light and dark, on a wide window and a phone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { harness } from "./harness.mjs";

const own = await harness("instance");

async function violations() {
  const found = await own.page.evaluate(() => globalThis.axe.run({ resultTypes: ["violations"] }));
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}

for (const colorScheme of ["light", "dark"]) {
  test(`every room in ${colorScheme} colours`, async () => {
    const { page } = own;
    await page.emulateMedia({ colorScheme });
    // Injected through the browser's protocol, since the page's policy blocks scripts.
    await page.evaluate(axe.source);
    await page.getByRole("button", { name: "Step 4:" }).click();
    await page.getByRole("region", { name: "The first minute" }).getByLabel("Speed").press("End");
    await page.getByText("That was it.").waitFor();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const room of ["Files", "Instance", "Proposal", "Surface"]) {
        await page.getByRole("tab", { name: room }).first().click();
        await page.getByText("Loading…").waitFor({ state: "detached" });
        assert.deepEqual(await violations(), [], `${room} at ${width}`);
      }
    }
  });
}
