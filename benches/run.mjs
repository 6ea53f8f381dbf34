/**
 * `npm run bench`: measures, prints tables, and writes RESULTS.md. What is there so far is in target/bench/RESULTS.md, whatever
 * ends the run.
 *
 *   npm run bench                      all, in Node and in headless Chromium: ten minutes
 *   npm run bench -- --node            in Node alone; RESULTS.md stays
 *   npm run bench -- stream load       the cases whose names have one of these words; RESULTS.md stays
 *   npm run bench -- --quick           a smoke test: one short process each, figures that mean little; RESULTS.md stays
 *
 * Build first, the page too (npm run build:www), and leave the machine alone meanwhile: the last line says how long it took.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { Failure, main, root } from "../scripts/lib/run.mjs";
import { cases } from "./cases/index.mjs";
import { chromium, node } from "./lib/hosts.mjs";
import { lighthouse } from "./lib/lighthouse.mjs";
import { asked, figures, reached, section } from "./lib/report.mjs";
import { memory, sizes, startup } from "./lib/startup.mjs";

const peers = [
  "immer",
  "mutative",
  "fast-json-patch",
  "microdiff",
  "jsondiffpatch",
  "@streamparser/json",
  "jsonriver",
  "partial-json",
  "jsonrepair",
  "diff",
  "ajv",
  "@a2ui/web_core",
];
const flags = ["--node", "--quick"];
/**
 * Contenders take turns, each time in a new process; the report has the medians. In milliseconds: `warmUp` before samples
 * count, `batch` the length of a sample, `enough` the length of all samples; `turns`: the longest warm-up.
 */
const FULL = { processes: 7, samples: 5, warmUp: 120, turns: 20_000, batch: 10, enough: 300 };
const QUICK = { processes: 1, samples: 1, warmUp: 0.1, turns: 10, batch: 0.1, enough: 1 };
const kept = join(root, "target/bench/RESULTS.md");

await main(async () => {
  const args = process.argv.slice(2);
  const unknown = args.filter((arg) => arg.startsWith("-") && !flags.includes(arg));
  if (unknown.length > 0) throw new Failure(`unknown: ${unknown.join(", ")}; there are ${flags.join(", ")}`);
  const [nodeOnly, quick] = flags.map((flag) => args.includes(flag));
  const words = args.filter((arg) => !arg.startsWith("-"));
  const wanted = (name) => words.length === 0 || words.some((word) => name.includes(word));
  const chosen = cases.filter(({ name }) => wanted(name));
  const plan = { ...(quick ? QUICK : FULL), quick };
  const begun = performance.now();

  const measured = fingerprint();
  mkdirSync(dirname(kept), { recursive: true });
  const parts = [];
  const rows = [];
  const print = (part, ...found) => {
    parts.push(part);
    rows.push(...found);
    writeFileSync(kept, `${parts.join("\n\n")}\n`);
    console.log(`${part}\n`);
  };
  print(`# Benchmarks\n\n${machine(quick)}`);
  await onHost(await node(), chosen, plan, print);
  if (wanted("startup")) print(...(await startup(plan.processes, nodeOnly)));
  if (wanted("memory")) print(...memory());
  if (wanted("sizes")) print(...(await sizes()));
  const inPage = chosen.filter(({ page = true }) => page);
  if (!nodeOnly && inPage.length > 0) await onHost(await chromium(), inPage, plan, print);
  if (!nodeOnly && wanted("lighthouse")) print(await lighthouse(quick));
  if (parts.length === 1) throw new Failure(`no case is called ${words.join(" or ")}`);
  if (!quick && rows.length > 0) print(reached(rows));

  console.log(`It took ${((performance.now() - begun) / 60_000).toFixed(1)} minutes.`);
  if (fingerprint() !== measured) throw new Failure("dist/ has changed meanwhile: these are figures of two builds");
  if (quick || nodeOnly || words.length > 0) return;
  writeFileSync(join(root, "benches/RESULTS.md"), `${parts.join("\n\n")}\n`);
});

async function onHost(host, chosen, plan, print) {
  try {
    for (const known of chosen) {
      const results = {};
      for (const [place, variant] of known.variants.entries()) {
        const { label } = plan.quick ? { ...variant, ...known.quick } : variant;
        if (label in results || (host.isPage && known.page?.variants?.includes(variant.label) === false)) continue;
        results[label] = {};
        for (let round = 0; round < plan.processes; round++) {
          for (const name of Object.keys(known.contenders)) {
            if (variant.contenders?.includes(name) === false) continue;
            if (host.isPage && known.page?.contenders?.includes(name) === false) continue;
            results[label][name] ??= [];
            results[label][name].push(await host.run(known.name, place, name, plan));
          }
        }
      }
      const found = figures(known, results);
      const [name] = host.name.split(" ");
      print(
        section(known, host.name, found, !plan.quick),
        ...asked(known, found).map((row) => ({ ...row, host: name })),
      );
    }
  } finally {
    await host.close();
  }
}

function machine(quick) {
  const [cpu] = cpus();
  const versions = peers.map((name) => `${name} ${versionOf(`node_modules/${name}`)}`).join(", ");
  const lines = [
    `${new Date().toISOString().slice(0, 10)}, genui-patch ${versionOf(".")}, Node ${process.version}.`,
    `${cpu.model.trim()}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GB; load at the start: ` +
      `${loadavg()[0].toFixed(1)}.`,
    `Peers: ${versions}.`,
    "Each contender in a process of its own, side by side in one run; medians over the processes. Cold: the first turns of a " +
      "process, what is imported being there. No turn sends what another one sent. × is to the first line of its table.",
  ];
  if (quick) lines.push("**A smoke test: these figures mean little.**");
  return lines.join("\n");
}

function versionOf(folder) {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).version;
}

function fingerprint() {
  const digest = createHash("sha256");
  const files = readdirSync(join(root, "dist"), { recursive: true }).filter((name) => /\.(js|wasm)$/.test(name));
  for (const name of files.sort()) digest.update(readFileSync(join(root, "dist", name)));
  return digest.digest("hex");
}
