/**
 * Finds or installs what the build needs: npm packages, the wasm target, wasm-bindgen; with --browser Chromium too.
 * Quick when all of it is there. `npm start` and `npm test` do the same by themselves.
 */
import { bindgen } from "./lib/bindgen.mjs";
import { browser } from "./lib/browser.mjs";
import { packages } from "./lib/packages.mjs";
import { main, say } from "./lib/run.mjs";
import { wasmToolchain } from "./lib/wasm.mjs";

await main(async () => {
  await packages();
  const { way, version } = await wasmToolchain();
  say("setup", `wasm target: ${way}, ${version}`);
  say("setup", `wasm-bindgen: ${(await bindgen()).version}`);
  if (process.argv.includes("--browser")) say("setup", `browser: ${(await browser()).chrome}`);
});
