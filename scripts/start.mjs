/**
 * `npm start`: sets up what is missing, builds, and starts the backend with the page; the environment sets it as it does for
 * `npm run server`. `npm run dev` serves the page from the sources, with reloading and without a backend.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { build } from "./lib/build.mjs";
import { packages } from "./lib/packages.mjs";
import { Failure, main, npm, root, say } from "./lib/run.mjs";

await main(async () => {
  await packages();
  await build();
  if (process.argv.includes("--dev")) {
    await npm(["run", "--loglevel=error", "dev", "--workspace", "www"]);
  } else {
    say("build", "the page");
    await npm(["run", "--silent", "build", "--workspace", "www", "--", "--logLevel", "warn"]);
    await serve();
  }
});

/** Runs the backend until it ends, and says where it is. */
function serve() {
  const child = spawn(process.execPath, ["www/server/main.mjs"], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  createInterface(child.stdout).on("line", (line) => {
    const { page, mcp, token } = JSON.parse(line);
    if (mcp === undefined) return say("start", `page   ${page}   (for another browser)`);
    say("start", `page   ${page}   (opens once)`);
    say("start", `agents ${mcp}   (MCP; Authorization: Bearer ${token})`);
    say("start", "ends with Ctrl+C");
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Failure(`the backend ended with ${code}`))));
  });
}
