// The components in Chromium, under a strict policy: user input, keys, axe, hydration.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import { createElement as h, StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { launch, open } from "../support/browser.mjs";
import { servePage } from "../support/ui.mjs";
import { stories } from "./stories.mjs";

const tree = async () =>
  h(
    StrictMode,
    null,
    Object.entries(await stories()).map(([key, story]) => h("section", { key, id: key }, story)),
  );
const complaints = [];
const { error } = console;
console.error = (...words) => complaints.push(words.join(" "));
const markup = renderToString(await tree());
console.error = error;

const site = await servePage({ scripts: ["page", "hydrated"], markup });
const browser = await launch();
after(async () => {
  await browser.close();
  site.close();
});

/** Opens a story, and closes it without any error, including violations of the policy. */
async function story(name, run, query = "") {
  const { page, problems } = await open(browser, `${site.address}/?story=${name}${query}`);
  await page.waitForSelector(`#${name}`);
  try {
    await run(page);
    assert.deepEqual(problems, []);
  } finally {
    await page.close();
  }
}

const stored = (page, path) => page.evaluate((path) => propsOf("page").store.get("walk", path) ?? null, path);
const apply = (page, ...patches) =>
  page.evaluate((patches) => {
    const result = propsOf("page").store.apply({ instance_name: "walk", patches });
    if (result.error) throw new Error(result.error.message);
  }, patches);
const field = (page, key) => page.locator(`[data-field="${key}"] .gp-input`);
const errorOf = (page, key) => page.locator(`[data-field="${key}"] .gp-error`);

test("a list in a block of the application's own has room for its marks", () =>
  story("page", async (page) => {
    const room = await page
      .locator(".gp-block")
      .first()
      .evaluate((block) => {
        const list = block.appendChild(document.createElement("ul"));
        const { paddingInlineStart } = getComputedStyle(list);
        list.remove();
        return Number.parseFloat(paddingInlineStart);
      });
    assert.ok(room >= 12, String(room));
  }));

test("a block has the columns that the document says, at most four", () =>
  story("page", async (page) => {
    const fields = page.locator(".gp-fields").first();
    for (const columns of [1, 2, 3, 4, 7, 8, 12]) {
      await apply(page, { op: "set", path: 'blocks["form"].props.columns', value: columns });
      await page.locator(`.gp-fields[data-columns="${columns}"]`).first().waitFor();
      const shown = await fields.evaluate((element) => getComputedStyle(element).getPropertyValue("--gp-columns"));
      assert.equal(Number(shown), Math.min(columns, 4), `columns: ${columns}`);
    }
  }));

test("a number typed key by key is stored as it is written, and never as another one", () =>
  story("page", async (page) => {
    const price = field(page, "price");
    await price.fill("");
    const seen = [];
    for (const key of "1.05") {
      await price.press(key);
      seen.push([await price.inputValue(), await stored(page, "state.params.price")]);
    }
    assert.deepEqual(seen, [
      ["1", 1],
      ["1.", 1],
      ["1.0", 1],
      ["1.05", 1.05],
    ]);
    await price.blur();
    assert.equal(await price.inputValue(), "1.05");
    for (const key of ["Control+A", "Backspace", "-"]) await price.press(key);
    assert.equal(await price.inputValue(), "-");
    assert.equal(await stored(page, "state.params.price"), null);
    await price.blur();
    assert.match(await errorOf(page, "price").innerText(), /not a complete number/);
    assert.equal(await price.inputValue(), "-");
    assert.equal(await price.getAttribute("aria-describedby").then((ids) => ids.split(" ").length), 2);
    await price.fill("1,5");
    await price.blur();
    assert.equal(await price.inputValue(), "1,5");
    assert.equal(await stored(page, "state.params.price"), null);
    await price.fill("１．５");
    await price.press("Enter");
    assert.equal(await stored(page, "state.params.price"), 1.5);
    assert.equal(await errorOf(page, "price").count(), 0);
  }));

test("a half-typed date stays in its control, and the stored one stays", () =>
  story("page", async (page) => {
    const day = field(page, "day");
    await day.focus();
    await page.keyboard.press("Backspace");
    assert.equal(await day.evaluate((node) => node.validity.badInput), true);
    assert.equal(await stored(page, "state.params.day"), "2026-05-04");
    // A change elsewhere meanwhile keeps the half-typed date.
    await apply(page, { op: "set", path: "state.params.name", value: "Other" });
    assert.equal(await day.evaluate((node) => node.validity.badInput), true);
    await day.blur();
    assert.match(await errorOf(page, "day").innerText(), /not complete/);
    assert.equal(await stored(page, "state.params.day"), "2026-05-04");
    await day.focus();
    await page.keyboard.type("06");
    assert.equal(await stored(page, "state.params.day"), "2026-06-04");
    assert.equal(await errorOf(page, "day").count(), 0);
    // Typing the year digit by digit passes 0002, 0020 and 0203.
    await page.keyboard.type("04203");
    assert.equal(await stored(page, "state.params.day"), "2026-06-04");
    await page.keyboard.type("0");
    assert.equal(await stored(page, "state.params.day"), "2030-06-04");
    await day.fill("");
    assert.equal(await stored(page, "state.params.day"), "");
  }));

test("a time keeps the zone that it is stored with", () =>
  story("page", async (page) => {
    await field(page, "begins").fill("2026-05-04T11:45");
    assert.equal(await stored(page, "state.params.begins"), "2026-05-04T11:45:00Z");
  }));

test("a composition is stored once it is over", () =>
  story("page", async (page) => {
    const wishes = field(page, "wishes");
    await wishes.focus();
    const client = await page.context().newCDPSession(page);
    await client.send("Input.imeSetComposition", { text: "ni", selectionStart: 2, selectionEnd: 2 });
    assert.equal(await wishes.inputValue(), "ni");
    assert.equal(await stored(page, "state.params.wishes"), null);
    await apply(page, { op: "set", path: "state.params.wishes", value: "from the agent" });
    assert.equal(await wishes.inputValue(), "ni");
    await client.send("Input.imeSetComposition", { text: "ni hao", selectionStart: 6, selectionEnd: 6 });
    await client.send("Input.insertText", { text: "你好" });
    assert.equal(await wishes.inputValue(), "你好");
    assert.equal(await stored(page, "state.params.wishes"), "你好");
  }));

test("an agent's change of the field that has the focus leaves the caret where it was", () =>
  story("page", async (page) => {
    const name = field(page, "name");
    await name.focus();
    const caret = () => name.evaluate((node) => [node.value, node.selectionStart, node.selectionEnd]);
    await name.evaluate((node) => node.setSelectionRange(3, 5));
    await apply(page, { op: "set", path: "state.params.name", value: "Mill to ridge and back" });
    assert.deepEqual(await caret(), ["Mill to ridge and back", 3, 5]);
    await apply(page, { op: "set", path: "state.params.name", value: "From Mill to ridge and back" });
    assert.deepEqual(await caret(), ["From Mill to ridge and back", 8, 10]);
    await name.evaluate((node) => node.setSelectionRange(4, 4));
    await page.keyboard.type("!");
    assert.deepEqual(await caret(), ["From! Mill to ridge and back", 5, 5]);
    assert.equal(await stored(page, "state.params.name"), "From! Mill to ridge and back");
    // A half-typed number is not overwritten.
    const price = field(page, "price");
    await price.fill("3.");
    await apply(page, { op: "set", path: "state.params.price", value: 99 });
    assert.equal(await price.inputValue(), "3.");
  }));

test("a refusal says why and keeps what was typed", () =>
  story("page", async (page) => {
    const settings = field(page, "settings");
    await settings.fill("[1, 2");
    await settings.blur();
    assert.match(await errorOf(page, "settings").innerText(), /not JSON/);
    assert.equal(await settings.inputValue(), "[1, 2");
    assert.deepEqual(await stored(page, "state.params.settings"), { zoom: 1.5, layers: ["paths", "water"] });
    // A document that accepts no further member.
    await page.evaluate(() => {
      const { store } = propsOf("page");
      store.remove = store.setField;
      store.setField = (name) => ({
        status: "error",
        instance_name: name,
        error: { code: "X", message: "Too much.", solution: "" },
      });
    });
    const email = field(page, "email");
    await email.fill("x@y");
    assert.equal(await errorOf(page, "email").innerText(), "Too much.");
    assert.equal(await email.inputValue(), "x@y");
    assert.equal(await email.getAttribute("aria-invalid"), "true");
  }));

test("required fields hold a primary button back, also those that a tab hides", () =>
  story("page", async (page) => {
    await page.getByRole("button", { name: "Save" }).click();
    assert.match(await errorOf(page, "level").innerText(), /required/);
    assert.equal(await stored(page, "state.runtime.state"), "On the way");
    await page.getByRole("radio", { name: "Summer" }).check();
    assert.equal(await errorOf(page, "level").count(), 0);
    await page.getByRole("button", { name: "Save" }).click();
    assert.equal(await stored(page, "state.runtime.state"), "Saved");
    await page.getByRole("button", { name: "Next step" }).click();
    await page.waitForFunction(() => document.activeElement?.name === "notes");
    assert.equal(await page.getByRole("tab", { name: "Notes" }).getAttribute("aria-selected"), "true");
  }));

test("a file field stores the facts of a file", () =>
  story("page", async (page) => {
    const track = field(page, "track");
    await track.setInputFiles({ name: "walk.gpx", mimeType: "application/gpx", buffer: Buffer.from("<gpx/>") });
    assert.deepEqual(await stored(page, "state.params.track"), { name: "walk.gpx", size: 6, type: "application/gpx" });
    assert.match(await page.locator('[data-field="track"]').innerText(), /walk\.gpx/);
  }));

test("tabs, dialogs and buttons go by keys alone", () =>
  story("page", async (page) => {
    await page.getByRole("tab", { name: "Stops" }).focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Notes");
    assert.equal(await page.getByRole("tabpanel", { name: "Notes" }).isVisible(), true);
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Stops");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "gp-table");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await stored(page, "state.runtime.state"), "Mill");
    await page.getByRole("button", { name: "Open" }).focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.getByRole("dialog", { name: "Invite others" }).isVisible(), true);
    await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("dialog").count(), 0);
  }));

test("arrow keys follow the direction of the text", () =>
  story(
    "page",
    async (page) => {
      await page.getByRole("tab", { name: "Stops" }).focus();
      await page.keyboard.press("ArrowLeft");
      assert.equal(await page.evaluate(() => document.activeElement.textContent), "Notes");
    },
    "&dir=rtl",
  ));

test("proposals: a part, an own value, hunks; after a decision the focus is on the next one", () =>
  story("proposals", async (page) => {
    const items = page.locator(".gp-proposal");
    assert.equal(await items.count(), 3);
    const [first] = await items.all();
    await first.getByRole("checkbox", { name: /Phone/ }).uncheck();
    const email = first.locator(".gp-change", { hasText: "Email" });
    await email.getByText("Show exactly what changes").press("Enter");
    await email.getByRole("button", { name: "Edit" }).click();
    await email.getByRole("textbox").fill("own@example.com");
    const approve = first.getByRole("button", { name: "Approve with your changes" });
    await approve.focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll(".gp-proposal").length === 2);
    const shown = await page.evaluate(() => {
      const [store] = propsOf("proposals").sources;
      const { blocks, state } = store.snapshot("walk");
      return {
        email: state.params.contact.email,
        when: state.params.when,
        ids: blocks.map(({ id }) => id),
        keys: blocks[0].props.fields.map(({ key }) => key).includes("phone"),
      };
    });
    assert.deepEqual(shown, {
      email: "own@example.com",
      when: "spring",
      ids: ["form", "contact", "facts", "details"],
      keys: false,
    });
    assert.match(await page.evaluate(() => document.activeElement.innerText), /src\/price\.ts/);
    await items.first().getByRole("checkbox", { name: "Change 2 of 2" }).uncheck();
    await items.first().getByRole("button", { name: "Approve 1 of 2" }).press("Enter");
    await page.waitForFunction(() => document.querySelectorAll(".gp-proposal").length === 1);
    const text = await page.evaluate(() => propsOf("proposals").sources[1].read("src/price.ts"));
    assert.match(text, /rate = 2/);
    assert.doesNotMatch(text, /colour/);
    await page.waitForFunction(() => document.activeElement.innerText.includes("trip/n1"));
    await items.first().getByRole("button", { name: "Reject" }).press("Enter");
    await page.waitForFunction(() => document.activeElement.className === "gp-proposals");
    assert.match(await page.locator("#proposals").innerText(), /Nothing waits/);
  }));

test("calls of own tools: the name, every argument whole, approved and rejected", () =>
  story("calls", async (page) => {
    const items = page.locator(".gp-proposal");
    assert.equal(await items.count(), 2);
    const first = items.first();
    assert.equal(await first.getByRole("heading").innerText(), "Call of the tool send_mail");
    const args = await first
      .locator(".gp-arguments > div")
      .evaluateAll((all) =>
        all.map((pair) => [pair.querySelector("dt").textContent, pair.querySelector("dd").textContent]),
      );
    assert.deepEqual(args, [
      ["to", JSON.stringify(["ann@example.com", "bob@example.com"], null, 2)],
      // Invisible characters of an argument are shown.
      ["subject", "Your orderU+202E of today"],
    ]);
    assert.equal(await first.getByRole("checkbox").count(), 0);
    assert.match(await items.nth(1).innerText(), /close_shop[\s\S]*Called without arguments/);
    assert.deepEqual(await page.evaluate(() => propsOf("calls").done), []);
    await first.getByRole("button", { name: "Approve", exact: true }).press("Enter");
    await page.waitForFunction(() => document.querySelectorAll(".gp-proposal").length === 1);
    assert.equal((await page.evaluate(() => propsOf("calls").done)).length, 1);
    await page.waitForFunction(() => document.activeElement.innerText.includes("close_shop"));
    await items.first().getByRole("button", { name: "Reject" }).press("Enter");
    await page.waitForFunction(() => document.activeElement.className === "gp-proposals");
    const states = () =>
      propsOf("calls")
        .sources[0].proposals()
        .map(({ status }) => status);
    assert.deepEqual(await page.evaluate(states), ["approved", "refused"]);
  }));

test("the list of calls names an own tool once", () =>
  story("ownCalls", async (page) => {
    const lines = await page.locator(".gp-call").allInnerTexts();
    assert.deepEqual(
      lines.map((line) => line.split(/\s+/)[0]),
      ["send_mail", "close_shop"],
    );
    for (const line of lines) assert.equal(line.match(/send_mail|close_shop/g).length, 1);
  }));

test("a proposal that is overtaken while it is read is not approved, but proposed again", () =>
  story("proposals", async (page) => {
    await page.evaluate(() =>
      propsOf("proposals").sources[0].setString("walk", "state.params.contact.email", "else@example.com"),
    );
    const first = page.locator(".gp-proposal").first();
    assert.match(await first.innerText(), /has changed since/);
    await first.getByRole("button", { name: "Propose again" }).click();
    await page.waitForFunction(() => document.querySelector('[data-kind="patch"]').dataset.status === "pending");
    assert.match(await page.locator('[data-kind="patch"]').first().innerText(), /instead of “else@example\.com”/);
  }));

test("diffs show what is invisible, and of long lines what is around the changes", () =>
  story("diff", async (page) => {
    const text = await page.locator("#diff").innerText();
    for (const mark of ["U+202E", "U+200B", "··", "CRLF", "no line break at the end"])
      assert.ok(text.includes(mark), mark);
    assert.ok(!/[\u202e\u200b]/.test(text));
    const more = page.getByRole("button", { name: /more characters/ });
    assert.equal(await more.count(), 2);
    await more.first().click();
    assert.equal(await more.count(), 1);
  }));

test("a surface: input is written to the data, failing checks disable a button, and its event carries the data", () =>
  story("surface", async (page) => {
    const data = () => page.evaluate(() => propsOf("surface").surfaces.dataModel("bikes"));
    const deposit = page.getByLabel("Deposit");
    await deposit.fill("");
    for (const key of "1.05") await deposit.press(key);
    assert.equal((await data()).amount, 1.05);
    await page.getByLabel("Cargo").check();
    await page.getByLabel("Helmet").check();
    await page.getByLabel("Hours").press("ArrowRight");
    await page.getByLabel("I have read the rules").check();
    const { kind, extras, hours, agree } = await data();
    assert.deepEqual(
      { kind, extras, hours, agree },
      { kind: ["cargo"], extras: ["lock", "helmet"], hours: 4, agree: true },
    );
    const reserve = page.getByRole("button", { name: "Reserve" });
    assert.equal(await reserve.isDisabled(), true);
    const mail = page.getByLabel("Mail");
    await mail.focus();
    await mail.blur();
    assert.match(await page.locator(".gp-error").first().innerText(), /An address/);
    await mail.fill("ada@example.com");
    assert.equal(await reserve.isDisabled(), false);
    const [before, after] = ["ada@example.com", "grace@example.com"];
    await mail.evaluate((node) => node.setSelectionRange(5, 5));
    await page.evaluate((value) => propsOf("surface").surfaces.setData("bikes", "/mail", value), after);
    assert.deepEqual(await mail.evaluate((node) => [node.value, node.selectionStart]), [
      after,
      5 + after.length - before.length,
    ]);
    await page.getByRole("button", { name: "What to bring" }).click();
    assert.equal(await page.getByRole("dialog", { name: "Details" }).isVisible(), true);
  }));

test("a surface of GULF: data, a choice of one, and an event with the data", () =>
  story("gulf", async (page) => {
    assert.equal(await page.getByRole("heading", { name: "A table" }).count(), 1);
    await page.getByLabel("Your name").fill("Grace");
    await page.getByLabel("Dinner").check();
    await page.getByRole("button", { name: "Book" }).press("Enter");
    const { data, event } = await page.evaluate(() => ({
      data: propsOf("gulf").surfaces.dataModel("main"),
      event: propsOf("gulf").sent.at(-1),
    }));
    assert.deepEqual(data, { title: "A table", name: "Grace", meals: ["dinner"] });
    assert.deepEqual([event.actionName, event.resolvedContext], ["book", { name: "Grace" }]);
  }));

test("a surface of A2UI 0.8: items of a template act with their own data, and what never came says so", () =>
  story("loans", async (page) => {
    assert.deepEqual(await page.locator(".gp-card .gp-text").first().innerText(), "Rivers");
    await page.getByRole("button", { name: "Renew" }).nth(1).click();
    await page.getByLabel("Remind me").uncheck();
    const { remind, event } = await page.evaluate(() => ({
      remind: propsOf("loans").surfaces.dataModel("loans").remind,
      event: propsOf("loans").sent.at(-1),
    }));
    assert.equal(remind, false);
    assert.deepEqual([event.userAction.name, event.userAction.context], ["renew", { title: "Herons" }]);
    assert.match(await page.locator("#loans").innerText(), /late never arrived/);
  }));

test("a value that waits for the server is marked; when the server refuses it, the field says what and why", () =>
  story("optimistic", async (page) => {
    const call = (run) => page.evaluate(run);
    const mark = page.locator('[data-field="price"] .gp-saving');
    await field(page, "price").fill("13");
    assert.equal(await mark.innerText(), "not sent yet");
    assert.ok((await field(page, "price").getAttribute("aria-describedby")).includes(await mark.getAttribute("id")));
    await call(() => {
      const { store } = propsOf("optimistic");
      store.sent(store.pending()[0].pendingId);
    });
    assert.equal(await mark.innerText(), "saving…");
    assert.equal(await page.locator("[data-pending]").count(), 1);
    await call(() => {
      const { store } = propsOf("optimistic");
      store.reject(store.pending()[0].pendingId, "The price is fixed.");
    });
    assert.equal(await mark.count(), 0);
    assert.equal(await field(page, "price").inputValue(), "12.5");
    assert.equal(await errorOf(page, "price").innerText(), "“13” was not saved: The price is fixed.");
    assert.equal(await field(page, "price").getAttribute("aria-invalid"), "true");
    assert.equal(await field(page, "name").getAttribute("aria-invalid"), null);
    // The next value is a new start.
    await field(page, "price").fill("14");
    assert.equal(await errorOf(page, "price").count(), 0);
    await call(() => {
      const { store } = propsOf("optimistic");
      store.confirm(store.pending()[0].pendingId);
    });
    assert.equal(await mark.count(), 0);
    assert.equal(await field(page, "price").inputValue(), "14");
    assert.deepEqual(await call(() => propsOf("optimistic").edits), [
      ["price", 13, "success"],
      ["price", 14, "success"],
    ]);
  }));

test("a draft is marked as one, and the page grows under the hands of the user", () =>
  story("page", async (page) => {
    const article = page.locator(".gp-page");
    await page.evaluate(() => {
      globalThis.draft = propsOf("page").store.draft({ instance_name: "walk" });
      const fields = [{ key: "guide", type: "text", label: "Guide" }];
      draft.add({ op: "add", path: "blocks+", value: { id: "drafted", type: "form", props: { fields } } });
    });
    assert.equal(await article.getAttribute("data-draft"), "true");
    assert.match(await article.locator(".gp-page-head").innerText(), /being written/);
    await field(page, "name").fill("Typed meanwhile");
    await page.evaluate(() => draft.discard());
    assert.equal(await article.getAttribute("data-draft"), null);
    assert.equal(await page.locator('[data-block="drafted"]').count(), 0);
    assert.equal(await field(page, "name").inputValue(), "Typed meanwhile");
    assert.equal(await page.getByRole("alert").count(), 0);
  }));

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
for (const theme of ["light", "dark"]) {
  for (const name of [
    "page",
    "tabs",
    "proposals",
    "chinese",
    "calls",
    "ownCalls",
    "diff",
    "surface",
    "gulf",
    "loans",
    "activity",
  ]) {
    test(`axe finds nothing: ${name}, ${theme}`, () =>
      story(
        name,
        async (page) => {
          await page.evaluate(() => {
            for (const part of document.querySelectorAll("details")) part.open = true;
          });
          await page.evaluate(axe);
          // A story is a part of a page: landmarks and the first heading are the host's.
          const rules = { region: { enabled: false }, "page-has-heading-one": { enabled: false } };
          const { violations } = await page.evaluate((rules) => globalThis.axe.run(document, { rules }), rules);
          const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
          assert.deepEqual(found, []);
        },
        `&theme=${theme}`,
      ));
  }
}

test("a server renders them without a complaint and without inline styles, and React takes over in silence", async () => {
  assert.deepEqual(complaints, []);
  assert.doesNotMatch(markup, /\sstyle=/);
  const { page, problems } = await open(browser, `${site.address}/hydrated`);
  await page.waitForFunction(() => globalThis.isHydrated && document.querySelector("#activity"));
  await page.waitForTimeout(200);
  await page.locator("#page").getByLabel("Price in euros").fill("7.25");
  assert.equal(await stored(page, "state.params.price"), 7.25);
  assert.equal(await page.locator("#tabs [data-field=price] .gp-input").inputValue(), "12.5");
  assert.equal(await page.locator("[style]").count(), 0);
  assert.deepEqual(problems, []);
  await page.close();
});
