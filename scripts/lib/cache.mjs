/** Files kept between runs and between clones: tools that take minutes to build, and settings that were detected. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export const cache =
  process.env.GENUI_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "genui-patch");

export function remembered(name) {
  try {
    return JSON.parse(readFileSync(join(cache, `${name}.json`), "utf8"));
  } catch {
    return undefined;
  }
}

export function remember(name, value) {
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, `${name}.json`), `${JSON.stringify(value)}\n`);
}
