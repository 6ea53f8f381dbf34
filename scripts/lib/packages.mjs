/** The npm packages of this repository. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { Failure, npm, root, say } from "./run.mjs";

/** Runs `npm ci` when node_modules is missing or older than the lock file. */
export async function packages() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Failure(`Node ${process.versions.node} is too old: install Node 20.19 or newer`);
  }
  if (changed("node_modules/.package-lock.json") >= changed("package-lock.json")) return;
  say("setup", "npm ci");
  await npm(["ci", "--no-fund", "--no-audit"]);
}

function changed(path) {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
