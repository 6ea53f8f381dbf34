/** The published page in another engine: by keyboard, in the dark theme, on a narrow screen. */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startEngine } from "../support/engine.mjs";
import { serveFolder } from "../support/site.mjs";

const [TAB, ENTER, RIGHT, END] = ["\ue004", "\ue007", "\ue014", "\ue010"];

/** WebDriver does not report errors, so the page collects them. */
const watch = `
globalThis.problems = [];
addEventListener("error", (event) => problems.push(String(event.message ?? event.target.src ?? event.target.href)), true);
addEventListener("unhandledrejection", ({ reason }) => problems.push(String(reason)));
addEventListener("securitypolicyviolation", (event) => problems.push(event.violatedDirective + " " + event.blockedURI));
const { error } = console;
console.error = (...said) => {
  problems.push(said.join(" "));
  error(...said);
};
`;

let folder;
let site;
let browser;
let page;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "genui-patch-page-"));
  cpSync(fileURLToPath(new URL("../../www/dist", import.meta.url)), folder, { recursive: true });
  writeFileSync(join(folder, "watch.js"), watch);
  const html = readFileSync(join(folder, "index.html"), "utf8");
  writeFileSync(join(folder, "index.html"), html.replace("<script", '<script src="/watch.js"></script><script'));
  site = await serveFolder(folder);
  browser = await startEngine({ dark: true });
  page = await browser.newPage();
  await page.resize(1440, 900);
});
afterEach(async () => assert.deepEqual(await page.script("return window.problems"), []));
after(async () => {
  await browser.close();
  site.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(room) {
  await page.goto(`${site.address}?${room}#${room}`);
  await shows('[role="tab"][aria-selected="true"]', "");
  await page.waitForFunction(() => ![...document.querySelectorAll("p")].some((at) => at.textContent === "Loading…"));
}

/** Waits for an element that holds a text. */
const shows = (selector, text) =>
  page.waitForFunction(
    ([selector, text]) => [...document.querySelectorAll(selector)].some((each) => each.textContent.includes(text)),
    [selector, text],
  );

/** Presses Tab until the focused element has this name. */
async function tabTo(name) {
  const seen = [];
  for (let turn = 0; turn < 120; turn++) {
    await page.press(TAB);
    const at = await page.script(
      "const at = document.activeElement; return at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent",
    );
    if (at.trim() === name || at.trim().startsWith(`${name}\n`)) return;
    seen.push(at.trim().slice(0, 30));
  }
  throw new Error(`Tab does not come to ${name}, but to ${seen.join(", ")}`);
}

test("every part opens in dark mode and fits a narrow screen", async () => {
  for (const room of ["files", "instance", "proposal", "surface"]) {
    await open(room);
    await page.waitForFunction((room) => document.title !== "" && location.hash === `#${room}`, room);
    assert.deepEqual(await page.script("return window.problems"), []);
  }
  assert.equal(await page.script("return matchMedia('(prefers-color-scheme: dark)').matches"), true);
  const [red] = (await page.script("return getComputedStyle(document.body).backgroundColor")).match(/\d+/);
  assert.ok(Number(red) < 64);
  await page.resize(390, 844);
  assert.ok(await page.script("return document.documentElement.scrollWidth <= window.innerWidth"));
  await page.resize(1440, 900);
});

test("arrow keys select the parts of the page", async () => {
  await open("files");
  await tabTo("Files");
  await page.press(RIGHT);
  await page.waitForFunction(() => location.hash === "#instance");
  await page.press(END);
  await page.waitForFunction(() => location.hash === "#surface");
});

test("typed text appears at once, and the server confirms it", async () => {
  await open("instance");
  await tabTo("Name");
  await page.press(END, ..." Byron");
  await tabTo("Wishes");
  assert.ok(
    await page.script("return [...document.querySelectorAll('input')].some((at) => / ?Byron$/.test(at.value))"),
  );
  await shows("*", "All that you entered is confirmed.");
});

/** Focuses the element once it exists, and presses Enter. */
async function enter(selector, text) {
  await shows(selector, text);
  const find =
    "[...document.querySelectorAll(arguments[0])].find((at) => at.textContent.includes(arguments[1])).focus()";
  await page.script(find, selector, text);
  await page.press(ENTER);
}

test("a file that is approved survives a reload", async () => {
  await open("files");
  await shows("button", "Write, edit, delete");
  await tabTo("Speed");
  await page.press(END);
  await enter("button", "Write, edit, delete");
  await shows("button", "Play again");
  await shows("*", "waits for your yes:");
  await enter("nav button", "start.ts");
  await enter("article button", "Approve");
  await shows("li", 'const folder = "notes";');
  await page.reload();
  await enter("nav button", "start.ts");
  await shows("li", 'const folder = "notes";');
});
