/** The page, as `npm start` serves it: its frame, its instances and the calls that change them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lowContrast } from "./contrast.mjs";
import { harness } from "./harness.mjs";

const own = await harness("instance");

const example = () => own.page.getByLabel("Example");
const call = () => own.page.getByLabel("Call, as JSON");
const result = () => own.page.getByRole("region", { name: "Result" });
const stage = () => own.page.locator(".stage");
const snapshotText = () => own.page.getByRole("region", { name: /^Snapshot of/ }).innerText();
const snapshot = async () => JSON.parse(await snapshotText());
const instance = (name) => own.page.getByRole("tab", { name, exact: true }).click();

/** Picks an example and applies it from the editor. */
async function apply(title) {
  await example().selectOption(title);
  await call().press("Control+Enter");
}

test("has one heading of the first level, and a name for everything that is operated", async () => {
  assert.equal(await own.page.locator("h1").count(), 1);
  for (const name of ["demo", "gallery"]) {
    await instance(name);
    const nameless = await own.page.evaluate(() =>
      [...document.querySelectorAll("input, select, textarea, button, [role=tab], progress")]
        .filter((element) => {
          const others = element
            .getAttribute("aria-labelledby")
            ?.split(" ")
            .map((id) => document.getElementById(id));
          const labels = [...(element.labels ?? []), ...(others ?? [])].map((label) => label?.textContent);
          return [element.getAttribute("aria-label"), element.textContent, ...labels].every((text) => !text?.trim());
        })
        .map((element) => element.outerHTML),
    );
    assert.deepEqual(nameless, []);
    const ids = await own.page.evaluate(() => [...document.querySelectorAll("[id]")].map(({ id }) => id));
    assert.equal(new Set(ids).size, ids.length);
  }
});

for (const colorScheme of ["light", "dark"]) {
  test(`can be read in ${colorScheme} colours`, async () => {
    await own.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await apply("Add New Block");
    assert.deepEqual(await lowContrast(own.page), []);
    await apply("No such block");
    await instance("gallery");
    assert.deepEqual(await lowContrast(own.page), []);
  });
}

for (const width of [360, 420, 900, 1100, 1440]) {
  test(`fits a window ${width} pixels wide`, async () => {
    await own.page.setViewportSize({ width, height: 900 });
    for (const name of ["demo", "gallery"]) {
      await instance(name);
      assert.ok((await own.page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    }
  });
}

test("adds a block by an example and Ctrl+Enter", async () => {
  assert.equal(await stage().getByRole("region", { name: "new_block" }).count(), 0);
  await apply("Add New Block");
  const block = stage().getByRole("region", { name: "new_block" });
  assert.equal(await block.getByLabel("Field").count(), 1);
  assert.equal((await snapshot()).blocks.at(-1).id, "new_block");
  assert.match(await result().innerText(), /1 change in demo, revision 2/);
  const changes = result().getByRole("list", { name: "Changes" });
  assert.match(await changes.innerText(), /insert\s+blocks\.2\s+\{ "id": "new_block"/);
});

test("highlights exactly the parts that a call has changed", async () => {
  await apply("Add New Block");
  const lit = () =>
    own.page.evaluate(() =>
      [...document.querySelectorAll(".stage *")]
        .filter((element) => element.getAnimations().length > 0)
        .map(({ dataset }) => dataset.block ?? dataset.field),
    );
  assert.deepEqual(await lit(), ["new_block"]);
  await own.page.getByRole("button", { name: "Reset all" }).click();
  await apply("Update State");
  assert.deepEqual(await lit(), ["count"]);
});

test("shows code, place and solution of a refused call, and changes nothing", async () => {
  const before = await snapshotText();
  await apply("The second patch fails, so nothing happens");
  const alert = result().getByRole("alert");
  assert.match(await alert.innerText(), /INVALID_STRUCTURE\s+patch 2 · add · blocks\+/);
  assert.match(await alert.innerText(), /Solution: Use one of form, grid, tabs, accordion\./);
  assert.equal(await snapshotText(), before);
});

test("every example does what it says, after the set-up that the page offers", async () => {
  const groups = await example()
    .locator("optgroup")
    .evaluateAll((all) => all.map(({ label, children }) => [label, [...children].map(({ value }) => value)]));
  assert.deepEqual(
    groups.map(([label, titles]) => [label, titles.length]),
    [
      ["With instanceId", 8],
      ["With instance_name", 8],
      ["Refused", 8],
    ],
  );
  for (const [label, titles] of groups) {
    for (const title of titles) {
      await own.page.getByRole("button", { name: "Reset all" }).click();
      await example().selectOption(title);
      const verdict = own.page.locator(".dry-run[aria-busy=false]");
      const setUp = own.page.getByRole("button", { name: "Set up for this example" });
      if (label !== "Refused" && (await verdict.innerText()).includes("refused")) await setUp.click();
      const refused = (await verdict.innerText()).includes("is refused");
      assert.equal(refused, label === "Refused", title);
      await call().press("Control+Enter");
      const status = await result().getAttribute("data-status");
      assert.equal(status, label === "Refused" ? "error" : "success", title);
      if (label === "Refused") assert.match(await result().innerText(), /^[A-Z_]{8,}[\s\S]*Solution: .{10,}/, title);
    }
  }
});

test("earlier snapshots can be viewed, and viewing changes nothing", async () => {
  const now = await snapshotText();
  await apply("Add New Block");
  const look = own.page.getByLabel("Look back");
  await look.press("Home");
  assert.equal(await snapshotText(), now);
  assert.match(await look.getAttribute("aria-valuetext"), /as it was at .* after load/);
  assert.equal(await stage().getByRole("region", { name: "new_block" }).count(), 1);
  await look.press("End");
  assert.equal((await snapshot()).blocks.at(-1).id, "new_block");
});

test("says where a call stops being JSON", async () => {
  await call().fill('{\n  "instanceId": demo\n}');
  await own.page.getByRole("button", { name: "Apply", exact: true }).click();
  assert.match(await result().getByRole("alert").innerText(), /INVALID_JSON line 2, column 17/);
});

test("typing writes through the store", async () => {
  const fields = stage();
  await fields.getByLabel("Name").fill("Grace “Amazing” Hopper 👩‍✈️");
  await fields.getByLabel("Guests").fill("");
  await fields.getByLabel("Guests").pressSequentially("12.5");
  await fields.getByLabel("Table").selectOption("Outside");
  await fields.getByLabel("Phone").check();
  await fields.getByLabel("Remember me").check();
  await fields.getByLabel("Wishes").fill("Two\nlines");
  assert.deepEqual((await snapshot()).state.params, {
    name: "Grace “Amazing” Hopper 👩‍✈️",
    guests: 12.5,
    plan: "outside",
    contact: "phone",
    remember: true,
    wishes: "Two\nlines",
  });
  assert.match(await result().innerText(), /You typed: 1 change in demo/);
});

test("an invalid number is not written", async () => {
  await stage().getByLabel("Guests").fill("many");
  assert.equal((await snapshot()).state.params.guests, 2);
  await stage().getByLabel("Guests").press("Tab");
  assert.match(await stage().getByRole("alert").innerText(), /not a complete number/);
  assert.equal(await stage().getByLabel("Guests").inputValue(), "many");
});

test("a call shows in a field that was typed into", async () => {
  await instance("counter");
  await stage().getByRole("textbox", { name: "Count" }).fill("1.0");
  assert.equal(await stage().getByRole("textbox", { name: "Count" }).inputValue(), "1.0");
  // The call is applied under the pending calls.
  await own.page.getByText("All that you entered is confirmed.").waitFor();
  await apply("Update State");
  assert.equal(await stage().getByRole("textbox", { name: "Count" }).inputValue(), "42");
});

test("the fields of the second family", async () => {
  await instance("gallery");
  const fields = stage();
  await fields.getByLabel("Spring").check();
  await fields.getByLabel("Length in km").fill("3");
  await fields.getByLabel("Map settings").fill("[1, 2]");
  await fields.getByLabel("Day").fill("2026-06-01");
  await fields.getByRole("tab", { name: "Notes" }).click();
  await fields.getByLabel("Notes", { exact: true }).last().fill("Windy");
  const { params } = (await snapshot()).state;
  assert.deepEqual(params.seasons, ["spring", "summer"]);
  assert.equal(params["walk.length"], 3);
  assert.deepEqual(params.settings, [1, 2]);
  assert.equal(params.day, "2026-06-01");
  assert.equal(params.notes, "Windy");
});

test("markup and addresses of an agent stay harmless", async () => {
  await instance("gallery");
  const html = stage().locator(".gp-html").first();
  assert.equal(await html.innerText(), "Welcome, <img src=x onerror=alert(1)> Ada!\n\nA page\n\nNo page");
  assert.equal(await html.locator("b").innerText(), "<img src=x onerror=alert(1)> Ada");
  assert.equal(await html.locator("script, style, [onclick], [style]").count(), 0);
  assert.deepEqual(await html.locator("a").evaluateAll((all) => all.map((link) => link.getAttribute("href"))), [
    "https://example.com/",
    null,
  ]);
  assert.equal(await stage().locator("img").count(), 1);
  assert.match(await stage().innerText(), /This picture is not shown/);
});

test("actions with patches run, the others are left to the host", async () => {
  await instance("counter");
  await own.page.getByRole("button", { name: "One more" }).click();
  await own.page.getByRole("button", { name: "One more" }).click();
  assert.equal((await snapshot()).state.params.count, 9);
  await own.page.getByRole("button", { name: "Back to 0" }).click();
  assert.equal((await snapshot()).state.params.count, 0);
  await instance("demo");
  await own.page.getByRole("button", { name: "Reserve" }).click();
  assert.equal((await snapshot()).meta.status, "submitted");
  await own.page.getByRole("button", { name: "Later" }).click();
  assert.match(await result().innerText(), /left to the host/);
});

test("an example by keyboard alone", async () => {
  const tabTo = async (locator) => {
    for (let presses = 0; presses < 60; presses++) {
      await own.page.keyboard.press("Tab");
      if (await locator.evaluate((element) => element === document.activeElement)) return;
    }
    assert.fail("Tab does not reach it");
  };
  await tabTo(own.page.getByRole("tab", { name: "demo" }));
  await own.page.keyboard.press("End");
  assert.equal(await own.page.getByRole("tab", { name: "gallery" }).getAttribute("aria-selected"), "true");
  await own.page.keyboard.press("Home");
  await tabTo(example());
  await own.page.keyboard.type("Remove");
  await tabTo(own.page.getByRole("button", { name: "Apply", exact: true }));
  await own.page.keyboard.press("Enter");
  await result().getByRole("list", { name: "Changes" }).waitFor();
  assert.deepEqual(
    (await snapshot()).blocks.map(({ id }) => id),
    ["text_block"],
  );
});
