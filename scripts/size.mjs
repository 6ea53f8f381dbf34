/**
 * `npm run size`: the size of each import, bundled by esbuild, minified and gzipped, and its parts. Fails if one exceeds its
 * budget. `--all` adds the parts of the modules, and the median times of an import and of a first use in new processes.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { budgets, modules } from "./config.mjs";
import { firstUsesInChromium, firstUsesInNode } from "./lib/first-use.mjs";
import { inside } from "./lib/inside.mjs";
import { main, say, work } from "./lib/run.mjs";
import { kilobytes, weigh } from "./lib/weigh.mjs";

/** The largest parts, in percent of all. */
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

const median = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];

await main(async () => {
  for (const { names = "everything", most } of budgets) {
    const { gzip, inputs } = await weigh(names === "everything" ? undefined : names);
    const over = gzip > most * 1024;
    say("size", `${names.padEnd(52)} ${kilobytes(gzip)} KB of ${most}${over ? ": TOO MUCH" : ""}`);
    say("", `  ${shares(byFolder(inputs))}`);
    if (over) process.exitCode = 1;
  }
  if (process.exitCode === 1)
    say(
      "size",
      "Make it smaller, or raise the budget in scripts/config.mjs in the same commit, with the reason in its body.",
    );
  if (!process.argv.includes("--all")) return;
  for (const name of Object.keys(modules)) {
    const parts = inside(readFileSync(join(work, name, `${name}_bg.wasm`)));
    say("size", `${name}.wasm: ${shares(parts)}`);
  }
  for (const { where, name, imported, used, compiled = [] } of [
    ...firstUsesInNode(15),
    ...(await firstUsesInChromium(7)),
  ]) {
    const ratio =
      compiled.length > 0 ? `, ${(median(used) / median(compiled)).toFixed(1)} times compiling its module` : "";
    const times = `imported in ${median(imported).toFixed(1)} ms, first used in ${median(used).toFixed(1)} ms`;
    say("size", `${where}, ${name}: ${times}${ratio}`);
  }
});
