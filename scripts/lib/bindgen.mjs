/** The command line tools of wasm-bindgen. They must be of the very version that the crate was built with. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cache } from "./cache.mjs";
import { Failure, read, root, run, say, which } from "./run.mjs";

/** Paths of `wasm-bindgen` and `wasm-bindgen-test-runner`. */
export async function bindgen() {
  const version = lockedVersion();
  const onPath = which("wasm-bindgen");
  if (onPath && read(onPath, ["-V"]) === `wasm-bindgen ${version}` && which("wasm-bindgen-test-runner")) {
    return { version, bindgen: onPath, runner: which("wasm-bindgen-test-runner") };
  }
  const folder = join(cache, `wasm-bindgen-${version}`);
  const tools = {
    version,
    bindgen: join(folder, "bin/wasm-bindgen"),
    runner: join(folder, "bin/wasm-bindgen-test-runner"),
  };
  if (!existsSync(tools.bindgen) || !existsSync(tools.runner)) await install(version, folder);
  return tools;
}

async function install(version, folder) {
  say("setup", `building wasm-bindgen ${version}: once, about a minute`);
  // Not --locked: its lock file may name a version that a mirror does not have yet.
  const args = ["install", "wasm-bindgen-cli", "--version", `=${version}`, "--root", folder];
  try {
    // The tool runs for a tenth of a second; optimizing it would take minutes.
    await run("cargo", args, { env: { CARGO_PROFILE_RELEASE_OPT_LEVEL: "0" } });
  } catch (error) {
    throw new Failure(
      `wasm-bindgen ${version} is missing: cargo install wasm-bindgen-cli --version =${version} (${error.message})`,
    );
  }
}

function lockedVersion() {
  const lock = readFileSync(join(root, "Cargo.lock"), "utf8");
  return /name = "wasm-bindgen"\nversion = "([^"]+)"/.exec(lock)[1];
}
