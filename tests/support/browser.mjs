/** Chromium for tests, driven by Playwright. */
import { chromium } from "playwright-core";
import { chromiumFlags, findBrowser } from "../../scripts/lib/browser.mjs";

/** `port`: the port of the browser's protocol for other programs. */
export function launch({ port } = {}) {
  const args = port === undefined ? chromiumFlags : [...chromiumFlags, `--remote-debugging-port=${port}`];
  return chromium.launch({ executablePath: findBrowser().chrome, args });
}

/** Opens an address; `problems` collects the page's errors. */
export async function open(browser, address) {
  const page = await browser.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    const { url } = message.location();
    // Browsers request an icon by default.
    if (message.type() === "error" && !url.endsWith("/favicon.ico")) problems.push(`${message.text()} (${url})`);
  });
  await page.goto(address);
  return { page, problems };
}
