/** `npm run build`. */
import { build } from "./lib/build.mjs";
import { packages } from "./lib/packages.mjs";
import { main } from "./lib/run.mjs";

await main(async () => {
  await packages();
  await build();
});
