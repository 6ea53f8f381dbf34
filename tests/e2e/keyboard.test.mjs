/** Everything by keyboard alone, without a mouse press; the focus is always on a visible element. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, harness } from "./harness.mjs";

const own = await harness("", { hood: false });

const press = async (...keys) => {
  for (const key of keys) await own.page.keyboard.press(key);
};

/** The role, the name and the value of the focused element. */
const focused = () =>
  own.page.evaluate(() => {
    let at = document.activeElement;
    while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    const labels = [...(at.labels ?? [])].map((label) => label.innerText).join(" ");
    const name = at.getAttribute("aria-label") ?? (labels || at.innerText || "");
    return { isLost: at === document.body, name: name.replace(/\s+/g, " ").trim(), region: pathOf(at) };
    function pathOf(element) {
      const names = [];
      for (
        let up = element.closest("[aria-label],[aria-labelledby]");
        up;
        up = up.parentElement?.closest("[aria-label],[aria-labelledby]")
      )
        names.push(
          up.getAttribute("aria-label") ?? document.getElementById(up.getAttribute("aria-labelledby"))?.innerText,
        );
      return names.join(" < ");
    }
  });

/** Waits briefly for code that moves the focus. */
const kept = () => eventually(async () => assert.equal((await focused()).isLost, false, "the focus is lost"));

/** Presses Tab or Shift+Tab until the element with this name has the focus. */
async function to(name, { key = "Tab", within = /^/ } = {}) {
  const seen = [];
  for (let at = 0; at < 250; at++) {
    const now = await focused();
    if (!now.isLost && name.test(now.name) && within.test(now.region)) return now;
    seen.push(now.name.slice(0, 40));
    await press(key);
  }
  return assert.fail(`${name} is not reached by ${key}: ${seen.slice(-40).join(" | ")}`);
}

const back = { key: "Shift+Tab" };
const text = (words) => own.page.getByText(words).first().waitFor();
const room = async (name) => {
  await to(/^(Files|Instance|Proposal|Surface)/, { ...back, within: /^Workbench/ });
  await press("Home");
  for (let at = 0; at < 4 && !name.test((await focused()).name); at++) await press("ArrowRight");
  assert.match((await focused()).name, name);
  await own.page.getByText("Loading…").first().waitFor({ state: "detached" });
};

test("the first minute, its controls and the way out", async () => {
  await to(/^Watch an agent/);
  await press("Enter");
  await kept();
  await to(/^Pause$/);
  await press("Space");
  await eventually(async () => assert.match((await focused()).name, /^Play/));
  await to(/^Step 5/, back);
  await press("Enter");
  await kept();
  await to(/^Speed$/);
  await press("End");
  await text("That was it.");
  await kept();
  await to(/^Leave the tour$/, back);
  await press("Enter");
  await kept();
  await to(/^Watch an agent/, back);
});

test("an answer, its pills, and pending files: after approval the focus moves on", async () => {
  await to(/^Answer$/);
  await press("Home");
  await to(/^Speed$/);
  await press("End");
  await to(/^Play$/, back);
  await press("Enter");
  await eventually(async () => assert.match((await focused()).name, /^Play again/));
  await to(/^Write README.md/, back);
  await press("Enter", "Enter");
  // All pending items are listed; otherwise the next button would belong to another one.
  await eventually(async () =>
    assert.equal(await own.page.getByRole("button", { name: "Review", exact: true }).count(), 3),
  );
  await to(/^Review$/);
  await press("Enter");
  await kept();
  await own.page.getByRole("article", { name: /README\.md/ }).waitFor();
  await to(/^Approve/, { within: /README\.md/ });
  await press("Enter");
  await own.page.getByRole("article", { name: /README\.md/ }).waitFor({ state: "detached" });
  await kept();
  await to(/^start\.ts/, back);
  await press("Enter");
  await to(/^Refuse/, { within: /start\.ts/ });
  await press("Enter");
  await own.page.getByRole("article", { name: /start\.ts/ }).waitFor({ state: "detached" });
  await kept();
});

test("proposals: created, approved in part, approved and rejected", async () => {
  await room(/^Proposal/);
  await to(/^Change the page$/);
  await press("Enter");
  await kept();
  await to(/^Change a node$/);
  await press("Enter");
  await to(/^Try to approve itself$/);
  await press("Enter");
  await text("which no call of yours can give");
  await to(/heron-app\/problem/, { within: /^Proposals/ });
  await press("j");
  assert.match((await focused()).name, /^demo/);
  await to(/Table: /);
  await press("Space");
  await to(/^Approve 2 of 3/);
  await press("Enter");
  await own.page.locator('.gp-proposal[data-status="approved"]').waitFor();
  await kept();
  // The next pending item has the focus: keys act on the item that is shown.
  await press("Enter", "r");
  await own.page.locator('.gp-proposal[data-status="refused"]').waitFor();
  await kept();
});

test("the page: fields, actions, a refusal that is dismissed, the drawer and its call", async () => {
  await room(/^Instance/);
  await to(/^Name$/, { within: /Your visit/ });
  await own.page.keyboard.type(" Byron");
  await to(/^Reserve/);
  await press("Enter");
  await kept();
  await to(/^Under the hood$/, back);
  await press("Enter");
  await own.page.getByText("Loading…").first().waitFor({ state: "detached" });
  await to(/^Requests refused/);
  await press("End");
  await to(/^Name$/, { ...back, within: /Your visit/ });
  await own.page.keyboard.type("!");
  const dismiss = own.page.getByRole("button", { name: /^Dismiss/ });
  await dismiss.first().waitFor();
  // The action may be rejected too; once nothing is pending, no more events follow.
  await text("All that you entered is confirmed.");
  for (let left = await dismiss.count(); left > 0; left = await dismiss.count()) {
    await to(/^Dismiss/, back);
    await press("Enter");
    await eventually(async () => assert.ok((await dismiss.count()) < left));
    await kept();
  }
  await to(/^Call, as JSON$/);
  await press("Control+a");
  await own.page.keyboard.insertText(
    '{"instance_name":"demo","patches":[{"op":"set","path":"meta.status","value":"idle"}]}',
  );
  await press("Control+Enter");
  await text(/1 change in demo|nothing changed/);
  await to(/^Log$/);
  await press("Enter");
  await to(/^Clear$/);
  await press("Enter");
  await kept();
});

test("surfaces: a stream that is played, and a button of it", async () => {
  await room(/^Surface/);
  await to(/^Stream$/);
  await own.page.keyboard.type("A booking");
  await to(/^Speed$/, { within: /Workbench/ });
  await press("End");
  await to(/^Play$/, { ...back, within: /Workbench/ });
  await press("Enter");
  await eventually(async () => assert.match((await focused()).name, /^Play again/));
  await to(/^Confirm the booking$/, back);
  await press("Enter");
  await own.page.getByRole("region", { name: "Last client event" }).waitFor();
  await kept();
});
