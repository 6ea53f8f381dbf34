/**
 * `npm start`: sets up what is missing, builds, and serves the page; PORT chooses the port.
 * `npm run dev` serves it from the sources, with reloading.
 */
import { build } from "./lib/build.mjs";
import { packages } from "./lib/packages.mjs";
import { main, npm } from "./lib/run.mjs";

await main(async () => {
  await packages();
  await build();
  if (process.argv.includes("--dev")) {
    await npm(["run", "--loglevel=error", "dev", "--workspace", "www"]);
  } else {
    await npm(["run", "--loglevel=error", "build", "--workspace", "www"]);
    await npm(["run", "--loglevel=error", "serve", "--workspace", "www"]);
  }
});
