/** Firefox and WebKit, for the tests of engines. */
import { existsSync } from "node:fs";
import { apt, aptRefused } from "./apt.mjs";
import { read, which } from "./run.mjs";

const macFirefox = "/Applications/Firefox.app/Contents/MacOS/firefox";

/** How each is found, and what Debian calls it. */
const engines = {
  firefox: {
    packages: ["firefox-esr"],
    find: () => ({
      program: process.env.FIREFOX ?? which("firefox-esr") ?? which("firefox") ?? existing(macFirefox),
    }),
  },
  webkit: {
    packages: ["webkit2gtk-driver", "gir1.2-webkit2-4.1", "gjs", "xvfb"],
    find: () => {
      const runner = which("gjs");
      const binding = runner && read(runner, ["-c", 'imports.gi.versions.WebKit2 = "4.1"; imports.gi.WebKit2;']);
      return { driver: which("WebKitWebDriver"), runner, binding, screen: which("Xvfb") };
    },
  },
};

/** Paths of its programs, or undefined if one is missing. */
export function findEngine(name) {
  const found = engines[name].find();
  return Object.values(found).includes(undefined) ? undefined : found;
}

export const engineNames = Object.keys(engines);

/** Installs an engine if need be, and says why it cannot be had. */
export async function missingEngine(name) {
  const { packages } = engines[name];
  const missing = `${name} is not here: install ${packages.join(" and ")}`;
  if (!findEngine(name)) {
    const refused = aptRefused();
    if (refused) return `${missing} (${refused})`;
    try {
      await apt(packages);
    } catch (error) {
      return `${missing} (${error.message})`;
    }
  }
  return findEngine(name) ? undefined : missing;
}

const existing = (path) => (existsSync(path) ? path : undefined);
