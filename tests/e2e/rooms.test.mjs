/** Rules for every part of the page: names, ids, contrast, widths, keys, motion. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lowContrast } from "./contrast.mjs";
import { eventually, harness, play } from "./harness.mjs";

const own = await harness();

const rooms = ["Files", "Instance", "Proposal", "Surface"];
const tab = (name) => own.page.getByRole("tab", { name: new RegExp(`^${name}`) });

/** Fills each part with content. */
async function fill() {
  await own.page.getByRole("button", { name: "Log", exact: true }).click();
  await play(own.page, "Six blocks, five mistakes");
  await tab("Proposal").click();
  for (const name of ["Change the page", "Change a node"])
    await own.page.getByRole("button", { name, exact: true }).click();
  await tab("Instance").click();
  await own.page.getByLabel("Requests refused").fill("100");
  await own.page.getByLabel("Delay, one way").fill("0");
  await own.page.locator(".stage").getByLabel("Guests").fill("5");
  await own.page.locator(".notice").waitFor();
  await own.page.locator(".stage").getByLabel("Wishes").fill("waits");
  await tab("Surface").click();
  const bench = own.page.getByRole("tabpanel", { name: "Surface" });
  await bench.getByLabel("Speed").press("End");
  await bench.getByRole("button", { name: "Play", exact: true }).click();
  await bench.getByRole("button", { name: "Play again" }).waitFor();
}

test("everything that is operated has a name, and ids are unique", async () => {
  await fill();
  for (const name of rooms) {
    await tab(name).click();
    const faults = await own.page.evaluate(() => {
      const nameless = [...document.querySelectorAll("input, select, textarea, button, [role=tab], progress, audio")]
        .filter((element) => {
          const others = element
            .getAttribute("aria-labelledby")
            ?.split(" ")
            .map((id) => document.getElementById(id));
          const labels = [...(element.labels ?? []), ...(others ?? [])].map((label) => label?.textContent);
          return [element.getAttribute("aria-label"), element.textContent, ...labels].every((text) => !text?.trim());
        })
        .map((element) => element.outerHTML);
      const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
      const missing = [...document.querySelectorAll("[aria-labelledby], [aria-controls], [for]")]
        .flatMap((element) => ["aria-labelledby", "for"].map((attribute) => element.getAttribute(attribute)))
        .filter((id) => id !== null && document.getElementById(id) === null);
      return [...nameless, ...ids.filter((id, at) => ids.indexOf(id) !== at), ...missing];
    });
    assert.deepEqual(faults, [], name);
  }
});

for (const colorScheme of ["light", "dark"]) {
  test(`every part can be read in ${colorScheme} colours`, async () => {
    await own.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await fill();
    for (const name of rooms) {
      await tab(name).click();
      assert.deepEqual(await lowContrast(own.page), [], name);
    }
  });
}

test("every part fits narrow and wide windows", async () => {
  await fill();
  for (const width of [360, 768, 1000, 1280, 1920]) {
    await own.page.setViewportSize({ width, height: 900 });
    for (const name of rooms) {
      await tab(name).click();
      await eventually(async () => {
        const wide = await own.page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${name} is ${wide} wide in a window of ${width}`);
      });
      const { blank, rows } = await own.page.evaluate(() => ({
        blank:
          document.documentElement.scrollHeight - Math.max(innerHeight, document.querySelector(".app").offsetHeight),
        rows: new Set([...document.querySelectorAll(".rooms [role=tab]")].map(({ offsetTop }) => offsetTop)).size,
      }));
      assert.ok(blank <= 1, `${name} has ${blank} of nothing below it in a window of ${width}`);
      assert.equal(rows, 1, `the tabs in a window of ${width}`);
    }
  }
});

test("the parts are chosen by keys, and a reload comes back to them", async () => {
  await tab("Files").focus();
  await own.page.keyboard.press("End");
  assert.equal(await tab("Surface").getAttribute("aria-selected"), "true");
  await own.page.keyboard.press("ArrowLeft");
  assert.equal(await tab("Proposal").getAttribute("aria-selected"), "true");
  await own.page.reload();
  assert.equal(await tab("Proposal").getAttribute("aria-selected"), "true");
});

test("no animation runs under prefers-reduced-motion", async () => {
  await own.page.emulateMedia({ reducedMotion: "reduce" });
  await fill();
  for (const name of rooms) {
    await tab(name).click();
    const moving = await own.page.evaluate(() =>
      document.getAnimations().flatMap((animation) => (animation.animationName ? [animation.animationName] : [])),
    );
    assert.deepEqual(moving, [], name);
  }
});

test("an agent's long names do not overflow", async () => {
  const name = "n".repeat(160);
  const block = { tool: "write_file", path: `a/${name}.md`, content: name };
  const fields = [{ key: "a", label: name, type: "select", options: [{ label: name, value: name }] }];
  const patches = [{ op: "add", path: "blocks+", value: { id: name, type: "form", title: name, props: { fields } } }];
  await own.page.setViewportSize({ width: 360, height: 800 });
  await own.page
    .getByLabel("Call, as JSON")
    .fill(JSON.stringify({ instance_name: "__CREATE__", new_instance_name: name, patches }));
  await own.page.getByRole("button", { name: "Apply", exact: true }).click();
  await own.page.getByLabel("Answer", { exact: true }).selectOption("Your own text…");
  await own.page.getByLabel("Text of the answer").fill(`\`\`\`json\n${JSON.stringify(block)}\n\`\`\`\n`);
  const chat = own.page.getByRole("region", { name: "Chat" });
  await chat.getByLabel("Speed").press("End");
  await chat.getByRole("button", { name: "Play", exact: true }).click();
  await chat.getByRole("button", { name: "Review" }).waitFor();
  for (const room of rooms) {
    await tab(room).click();
    assert.equal(await own.page.evaluate(() => document.documentElement.scrollWidth), 360, room);
  }
});

test("the end of an answer is in view, with the results of its calls", async () => {
  await play(own.page, "Write, edit, delete");
  const log = own.page.getByRole("log", { name: "Conversation" });
  await log.getByRole("button", { name: "Review" }).nth(2).waitFor();
  await eventually(async () => {
    const below = await log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
    assert.ok(below <= 1, `${below} below`);
  });
});

test("on a narrow window, Review brings the change into view", async () => {
  await own.page.setViewportSize({ width: 390, height: 844 });
  await play(own.page, "One file, two changes");
  await own.page.getByRole("button", { name: "Review" }).first().click();
  const top = await own.page.locator("#workbench").evaluate((element) => element.getBoundingClientRect().top);
  assert.ok(Math.abs(top) < 60, `the workbench stands at ${top}`);
  await own.page.getByRole("article").getByText("src/start.ts").waitFor();
});
