/**
 * `npm run size`: what each import costs, bundled by esbuild, minified and gzipped, and what is in it. Fails if one costs more
 * than its budget.
 */
import { budgets } from "./config.mjs";
import { main, say } from "./lib/run.mjs";
import { kilobytes, weigh } from "./lib/weigh.mjs";

await main(async () => {
  for (const { names, most } of budgets) {
    const { gzip } = await weigh(names);
    const over = gzip > most * 1024;
    say("size", `${(names ?? "everything").padEnd(52)} ${kilobytes(gzip)} KB of ${most}${over ? ": too much" : ""}`);
    if (over) process.exitCode = 1;
  }
});
