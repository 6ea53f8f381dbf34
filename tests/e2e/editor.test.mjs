/** The editor of calls: it loads on demand, marks errors, releases the focus, and follows the page's policy and colours. */
import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { eventually, harness } from "./harness.mjs";

const own = await harness("", { hood: false });
const editor = () => own.page.getByRole("textbox", { name: "Call, as JSON" });
const marks = () => own.page.locator(".cm-lintRange-error");
const scripts = () =>
  own.page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter(({ name }) => /JsonEditor/.test(name))
      .map(({ name }) => name),
  );
async function openDrawer() {
  await own.page.getByRole("button", { name: "Under the hood" }).click();
  await editor().waitFor();
}
/** The name of the focused element. */
const focused = () =>
  own.page.evaluate(() => {
    let at = document.activeElement;
    while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at.getAttribute("aria-label") ?? at.labels?.[0]?.innerText ?? at.innerText;
  });

test("its code comes with the drawer, not before", async () => {
  assert.deepEqual(await scripts(), []);
  await openDrawer();
  assert.equal((await scripts()).length, 1);
  assert.equal(await editor().evaluate((content) => content.getRootNode() instanceof ShadowRoot), true);
  assert.match(await own.page.locator(".cm-lineNumbers").innerText(), /1\s+2\s+3/);
});

test("a JSON error is marked at its place and announced by keyboard; a refused call is not marked", async () => {
  await openDrawer();
  await editor().fill('{\n  "instanceId": "demo",\n  "patches": [}\n}');
  await marks().waitFor();
  assert.equal(await marks().innerText(), "}");
  await own.page.locator(".cm-lint-marker-error").waitFor();
  await own.page.keyboard.press("F8");
  const announcement = own.page
    .locator(".cm-tooltip-lint, .cm-panel-lint, .cm-announced")
    .filter({ hasText: "expected" });
  await announcement.first().waitFor({ state: "attached" });
  await eventually(async () =>
    assert.match(await editor().getAttribute("aria-description"), /is refused: INVALID_JSON$/),
  );
  await editor().fill('{"instanceId": "nobody", "patches": []}');
  await marks().waitFor({ state: "detached" });
  await eventually(async () =>
    assert.match(await editor().getAttribute("aria-description"), /is refused: INVALID_INSTANCE$/),
  );
  await own.page.keyboard.press("Control+z");
  await marks().waitFor();
});

test("Tab goes on and back, as everywhere, and Ctrl+Enter applies", async () => {
  await openDrawer();
  await editor().focus();
  await own.page.keyboard.press("Tab");
  assert.equal(await focused(), "Apply");
  await own.page.keyboard.press("Shift+Tab");
  assert.equal(await focused(), "Call, as JSON");
  await own.page.keyboard.press("Shift+Tab");
  assert.equal(await focused(), "Example");
  const patch = { op: "set", path: "meta.status", value: "submitted" };
  await editor().fill(JSON.stringify({ instance_name: "demo", patches: [patch] }));
  await own.page.keyboard.press("Control+Enter");
  await own.page.getByText(/1 change in demo/).waitFor();
  assert.equal(await focused(), "Call, as JSON");
});

test("a click on its label focuses it", async () => {
  await openDrawer();
  await own.page.locator(".editor .label", { hasText: "Call, as JSON" }).click();
  assert.equal(await focused(), "Call, as JSON");
  await own.page.keyboard.press("Control+a");
  await own.page.keyboard.insertText("[]");
  assert.equal(await editor().innerText(), "[]");
});

for (const colorScheme of ["light", "dark"]) {
  test(`in ${colorScheme} colours it has those of the page, and axe finds nothing`, async () => {
    const { page } = own;
    await page.emulateMedia({ colorScheme });
    await openDrawer();
    const { ground, sunken, key, keys } = await editor().evaluate((content) => {
      const probe = document.body.appendChild(document.createElement("i"));
      const colour = (name) => {
        probe.style.color = `var(${name})`;
        return getComputedStyle(probe).color;
      };
      const name = [...content.querySelectorAll("span")].find(({ textContent }) => textContent === '"instanceId"');
      const seen = {
        ground: getComputedStyle(content.closest(".cm-editor")).backgroundColor,
        sunken: colour("--sunken"),
        key: getComputedStyle(name).color,
        keys: colour("--json-key"),
      };
      probe.remove();
      return seen;
    });
    assert.deepEqual([ground, key], [sunken, keys]);
    // More text than fits, and an error.
    await editor().fill(`{ "instanceId": "demo", "patches": [1, true, null, "x" }${"\n".repeat(60)}`);
    await marks().waitFor();
    await page.evaluate(axe.source);
    const { violations, passes } = await page.evaluate(() => globalThis.axe.run());
    assert.deepEqual(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`),
      [],
    );
    const contrast = passes.find(({ id }) => id === "color-contrast");
    assert.ok(
      contrast.nodes.some(({ target }) => Array.isArray(target[0])),
      "axe has looked into the editor",
    );
  });
}
