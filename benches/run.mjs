/**
 * `npm run bench`: measures, prints tables, and writes RESULTS.md.
 *
 *   npm run bench                      all, in Node
 *   npm run bench -- --browser         in headless Chromium too
 *   npm run bench -- stream load       the cases whose names have one of these words; RESULTS.md stays
 *   npm run bench -- --quick           a smoke test: a few short runs, figures that mean little; RESULTS.md stays
 *
 * Build first, and leave the machine alone meanwhile.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { Failure, main, root } from "../scripts/lib/run.mjs";
import { cases } from "./cases/index.mjs";
import { chromium, node } from "./lib/hosts.mjs";
import { section } from "./lib/report.mjs";
import { sizes, startup } from "./lib/startup.mjs";

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
  "@a2ui/web_core",
];
const flags = ["--browser", "--quick"];

await main(async () => {
  const args = process.argv.slice(2);
  const unknown = args.filter((arg) => arg.startsWith("-") && !flags.includes(arg));
  if (unknown.length > 0) throw new Failure(`unknown: ${unknown.join(", ")}; there are ${flags.join(", ")}`);
  const [browser, quick] = flags.map((flag) => args.includes(flag));
  const words = args.filter((arg) => !arg.startsWith("-"));
  const wanted = (name) => words.length === 0 || words.some((word) => name.includes(word));
  const chosen = cases.filter(({ name }) => wanted(name));
  // `batch` is what a time is taken over, in milliseconds.
  const plan = quick ? { samples: 1, batch: 1, quick } : { samples: 11, batch: 25, quick };

  const measured = fingerprint();
  const parts = [];
  const print = (part) => {
    parts.push(part);
    console.log(`${part}\n`);
  };
  print(`# Benchmarks\n\n${machine(quick)}`);
  await onHost(await node(), chosen, plan, quick, print);
  if (wanted("startup")) print(startup(plan.samples));
  if (wanted("sizes")) print(await sizes());
  const inPage = chosen.filter((known) => known.browser);
  if (browser && inPage.length > 0) await onHost(await chromium(), inPage, plan, quick, print);
  if (parts.length === 1) throw new Failure(`no case is called ${words.join(" or ")}`);

  if (fingerprint() !== measured) throw new Failure("dist/ has changed meanwhile: these are figures of two builds");
  if (quick || words.length > 0) return;
  writeFileSync(join(root, "benches/RESULTS.md"), `${parts.join("\n\n")}\n`);
});

async function onHost(host, chosen, plan, quick, print) {
  try {
    for (const known of chosen) {
      const results = {};
      const variants = quick ? known.variants.slice(0, 1) : known.variants;
      for (const [place, variant] of variants.entries()) {
        const { label } = quick ? { ...variant, ...known.quick } : variant;
        results[label] = {};
        for (const [name, { only }] of Object.entries(known.contenders)) {
          if (only && !only(variant)) continue;
          results[label][name] = await host.run(known.name, place, name, plan);
        }
      }
      print(section(known, host.name, results, !quick));
    }
  } finally {
    host.close();
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
    "Each contender in a process of its own, side by side in one run; medians.",
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
