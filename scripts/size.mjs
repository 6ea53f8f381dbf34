/**
 * `npm run size`: what each import costs, bundled by esbuild, minified and gzipped, and what is in it. Fails if one costs more
 * than its budget. `--all` adds what the modules are made of, and how long a first use takes.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { budgets, modules } from "./config.mjs";
import { firstUsesInChromium, firstUsesInNode } from "./lib/first-use.mjs";
import { inside } from "./lib/inside.mjs";
import { main, say, work } from "./lib/run.mjs";
import { kilobytes, weigh } from "./lib/weigh.mjs";

/** The largest parts of a whole, in hundredths of it. */
function shares(parts) {
  const whole = Object.values(parts).reduce((total, bytes) => total + bytes, 0);
  const rows = Object.entries(parts).map(([name, bytes]) => [name, Math.round((100 * bytes) / whole)]);
  const shown = rows.filter(([, share]) => share > 0).sort(([, one], [, other]) => other - one);
  return shown.map(([name, share]) => `${name} ${share} %`).join(", ");
}

/** The folder of `src/js` that a file of a bundle comes from. */
function folder(path) {
  const [, place] = /dist\/(.*)$/.exec(path) ?? ["", path];
  const module = Object.keys(modules).find((name) => place === `generated/${name}.packed.js`);
  return module ? `${module}.wasm` : place.includes("/") ? `${place.split("/")[0]}/` : "*.ts";
}

function byFolder(inputs) {
  const parts = {};
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    parts[folder(path)] = (parts[folder(path)] ?? 0) + bytesInOutput;
  }
  return parts;
}

await main(async () => {
  for (const { names = "everything", most } of budgets) {
    const { gzip, inputs } = await weigh(names === "everything" ? undefined : names);
    const over = gzip > most * 1024;
    say("size", `${names.padEnd(52)} ${kilobytes(gzip)} KB of ${most}${over ? ": TOO MUCH" : ""}`);
    say("", `  ${shares(byFolder(inputs))}`);
    if (over) process.exitCode = 1;
  }
  if (!process.argv.includes("--all")) return;
  for (const name of Object.keys(modules)) {
    const parts = inside(readFileSync(join(work, name, `${name}_bg.wasm`)));
    say("size", `${name}.wasm: ${shares(parts)}`);
  }
  // The least counts, in which nothing else had the processor.
  const least = (times) => Math.min(...times).toFixed(1);
  for (const { where, name, imported, used } of [...firstUsesInNode(7), ...(await firstUsesInChromium(7))])
    say("size", `${where}, ${name}: imported in ${least(imported)} ms, first used in ${least(used)} ms`);
});
