/** The browser that ENGINE names: chromium, firefox or webkit. */
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { chromium } from "playwright-core";
import { chromiumFlags, findBrowser } from "../../scripts/lib/browser.mjs";
import { findEngine } from "../../scripts/lib/engines.mjs";
import { startFirefox } from "./firefox.mjs";
import { Browser } from "./webdriver.mjs";
import { startWebKit } from "./webkit.mjs";

export const engine = process.env.ENGINE ?? "chromium";

/** A host name of this machine that is not a secure context; undefined if the engine has none. */
export const insecureHost = engine === "webkit" ? undefined : "insecure.test";

const starters = {
  chromium: ({ profile }) => {
    const args = [...chromiumFlags, `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`];
    return chromium.launchPersistentContext(profile ?? "", { executablePath: findBrowser().chrome, args });
  },
  firefox: async ({ profile, quota, dark }) => {
    const prefs = {
      "network.dns.localDomains": insecureHost,
      "ui.systemUsesDarkTheme": dark ? 1 : 0,
      // Each origin may use a fifth of the quota, but at least ten megabytes.
      ...(quota && { "dom.quotaManager.temporaryStorage.fixedLimit": Math.ceil(quota / 1024) }),
    };
    return new Browser(await startFirefox(findEngine("firefox"), { profile, prefs }));
  },
  webkit: async ({ profile, quota, dark = false }) => {
    const { blocks, bsize } = statfsSync(profile ?? tmpdir());
    const share = quota && { share: quota / (blocks * bsize) };
    return new Browser(await startWebKit(findEngine("webkit"), { profile, dark, ...share }));
  },
};

/** Starts the engine with the profile in a folder; `quota` is the number of bytes per site (not in Chromium). */
export const startEngine = (options = {}) => starters[engine](options);
