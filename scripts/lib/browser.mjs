/** Chromium and its driver, for the tests that need a browser. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apt, aptRefused } from "./apt.mjs";
import { Failure, root, which, work } from "./run.mjs";

const browsers = ["chromium", "google-chrome-stable", "google-chrome", "chromium-browser", "chrome"];
const macBrowser = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/** Options for every browser of the tests: run as root, without network access. */
const capabilities = JSON.parse(readFileSync(join(root, "webdriver.json"), "utf8"));
export const chromiumFlags = capabilities["goog:chromeOptions"].args;

/** Writes webdriver.json with the browser that was found, and returns its path. */
export function webdriverFile(chrome) {
  const path = join(work, "webdriver.json");
  mkdirSync(work, { recursive: true });
  writeFileSync(path, JSON.stringify({ "goog:chromeOptions": { args: chromiumFlags, binary: chrome } }));
  return path;
}

/** Paths of both. CHROME and CHROMEDRIVER go before what is on PATH. */
export function findBrowser() {
  const driverFolder = process.env.CHROMEWEBDRIVER;
  return {
    chrome: process.env.CHROME ?? first(browsers.map(which)) ?? (existsSync(macBrowser) ? macBrowser : undefined),
    driver: process.env.CHROMEDRIVER ?? which("chromedriver") ?? (driverFolder && join(driverFolder, "chromedriver")),
  };
}

/** The same, installed if need be. */
export async function browser() {
  const found = findBrowser();
  if (found.chrome && found.driver) return found;
  const missing = "a browser is missing: install chromium and chromium-driver, or run npm test -- --no-browser";
  const refused = aptRefused();
  if (refused) throw new Failure(`${missing} (${refused})`);
  try {
    await apt(["chromium", "chromium-driver"]);
  } catch (error) {
    throw new Failure(`${missing} (${error.message})`);
  }
  const installed = findBrowser();
  if (!installed.chrome || !installed.driver) throw new Failure(missing);
  return installed;
}

const first = (paths) => paths.find((path) => path !== undefined);
