/** The npm packages of this repository. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Failure, npm, root, say } from "./run.mjs";

/** Runs `npm ci` when node_modules is missing or has other packages than package-lock.json. */
export async function packages() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Failure(`Node ${process.versions.node} is too old: install Node 20.19 or newer`);
  }
  const reason = whyInstall();
  if (reason === undefined) return;
  say("setup", `npm ci: ${reason}`);
  await npm(["ci", "--no-fund", "--no-audit"]);
}

/** The reason for an installation. It compares packages, not times: a checkout or a copy makes the lock file look newer. */
function whyInstall() {
  const installed = packagesIn("node_modules/.package-lock.json");
  if (installed === undefined) return "node_modules is missing";
  for (const [path, { optional, version, integrity }] of Object.entries(packagesIn("package-lock.json") ?? {})) {
    // npm leaves out the package itself, and optional packages for other platforms.
    if (path === "" || (optional && !installed[path])) continue;
    const own = installed[path];
    if (own?.version !== version || own?.integrity !== integrity)
      return `node_modules has ${own?.version ?? "no version"} of ${path.replace(/.*node_modules\//, "")}, not ${version}`;
  }
  return undefined;
}

function packagesIn(path) {
  const file = join(root, path);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : undefined;
}
