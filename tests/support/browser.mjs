/** Chromium for tests, driven by Playwright. */
import { chromium } from "playwright-core";
import { chromiumFlags, findBrowser } from "../../scripts/lib/browser.mjs";

/** `port`: where other programs find the browser's protocol. */
export function launch({ port } = {}) {
  const args = port === undefined ? chromiumFlags : [...chromiumFlags, `--remote-debugging-port=${port}`];
  return chromium.launch({ executablePath: findBrowser().chrome, args });
}

/** Opens an address; `problems` collects what the page complained of. */
export async function open(browser, address) {
  const page = await browser.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    const { url } = message.location();
    // Browsers ask for an icon by themselves.
    if (message.type() === "error" && !url.endsWith("/favicon.ico")) problems.push(`${message.text()} (${url})`);
  });
  await page.goto(address);
  return { page, problems };
}
