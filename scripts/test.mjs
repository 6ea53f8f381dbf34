/**
 * `npm test`: installs what is missing, builds, and runs the suites of suites.mjs.
 *
 *   npm test                      all suites, except those that run only when named
 *   npm test -- --no-browser      the suites that need no browser
 *   npm run test:js               one suite; `node scripts/test.mjs js types` runs two
 */
import { delimiter, join } from "node:path";
import { axum } from "./lib/axum.mjs";
import { bindgen } from "./lib/bindgen.mjs";
import { browser } from "./lib/browser.mjs";
import { build } from "./lib/build.mjs";
import { databases } from "./lib/databases.mjs";
import { engineNames, missingEngine } from "./lib/engines.mjs";
import { nats } from "./lib/nats.mjs";
import { packages } from "./lib/packages.mjs";
import { Failure, main, npm, root, say } from "./lib/run.mjs";
import { runStep } from "./lib/step.mjs";
import { wasmToolchain } from "./lib/wasm.mjs";
import { suites } from "./suites.mjs";

/** A step that takes longer is killed, and its suite has failed. */
const STEP_SECONDS = 20 * 60;

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** The numbers of passed and failed tests in a runner's output. */
const counters = {
  cargo: (output) => ({
    passed: sum(output, /^test result: .* (\d+) passed;/gm),
    failed: sum(output, /^test result: .* (\d+) failed;/gm),
  }),
  node: (output) => ({
    passed: sum(output, /^\S+ pass (\d+)$/gm),
    failed: sum(output, /^\S+ (?:fail|cancelled) (\d+)$/gm),
  }),
};

/** Prepares the needs of suites, each once, for the first suite that has it. */
const makers = {
  build,
  page: () => npm(["run", "build", "--workspace", "www"]),
  wasm: async () => ({ toolchain: await wasmToolchain(), tools: await bindgen() }),
  browser: async () => {
    const found = await browser();
    process.env.CHROME = found.chrome;
    return { browser: found };
  },
  // Only the tests of these storages need them. They report that they are skipped.
  nats: () => nats().catch(skipped),
  databases: () => databases().catch(skipped),
  axum,
  engines: async () => {
    const found = [];
    for (const name of engineNames) {
      const refused = await missingEngine(name);
      if (refused) say("setup", `skipped: ${refused}`);
      else found.push(name);
    }
    return { engines: found };
  },
};

function skipped(error) {
  say("setup", `skipped: ${error.message}`);
}

await main(async () => {
  const start = performance.now();
  const chosen = choose(process.argv.slice(2));
  await packages();

  const made = new Map();
  const results = [];
  for (const suite of chosen) results.push(await runSuite(suite, made));

  const failures = results.filter((result) => result.failed > 0);
  for (const { name, output } of failures) console.log(`\n--- ${name}: the end of its output\n${tail(output)}`);
  console.log();
  for (const { name, passed, failed } of results) console.log(`${name}: ${passed} passed, ${failed} failed`);
  console.log(`in ${seconds(start)}`);
  if (failures.length > 0) process.exitCode = 1;
});

function choose(args) {
  const names = args.filter((arg) => !arg.startsWith("--"));
  const unknown = [
    ...names.filter((name) => !suites.some((suite) => suite.name === name)),
    ...args.filter((arg) => arg.startsWith("--") && arg !== "--no-browser"),
  ];
  if (unknown.length > 0) {
    throw new Failure(`unknown: ${unknown.join(", ")}. Suites: ${suites.map((suite) => suite.name).join(", ")}`);
  }
  const left = args.includes("--no-browser") ? suites.filter((suite) => !suite.needs.includes("browser")) : suites;
  return left.filter((suite) => (names.length > 0 ? names.includes(suite.name) : !suite.apart));
}

async function runSuite(suite, made) {
  const start = performance.now();
  const total = { name: suite.name, passed: 0, failed: 0, output: "" };
  try {
    const context = {};
    for (const need of suite.needs) Object.assign(context, await make(need, made));
    for (const step of suite.steps(context)) await addStep(step, total);
    if (total.passed + total.failed === 0) throw new Failure(`${suite.name} ran no test`);
  } catch (error) {
    total.failed += 1;
    total.output += `${error instanceof Failure ? error.message : error.stack}\n`;
  }
  say("test", `${suite.name}: ${total.failed === 0 ? "passed" : "FAILED"} in ${seconds(start)}\n`);
  return total;
}

function make(need, made) {
  if (!made.has(need)) made.set(need, makers[need]());
  return made.get(need);
}

async function addStep(step, total) {
  say("test", `${total.name}: ${step.name}`);
  const tools = join(root, "node_modules/.bin");
  const env = {
    NO_COLOR: "1",
    CARGO_TERM_COLOR: "never",
    ...step.env,
    PATH: `${tools}${delimiter}${process.env.PATH}`,
  };
  const { code, output } = await runStep({ seconds: STEP_SECONDS, ...step, env });
  const { passed, failed } = step.tests ? counters[step.tests](output) : { passed: code === 0 ? 1 : 0, failed: 0 };
  total.passed += passed;
  // A step that fails without a failed test, e.g. because it does not compile or was killed, counts as one failure.
  total.failed += code === 0 ? failed : Math.max(failed, 1);
  total.output += output;
}

function sum(text, pattern) {
  return [...text.matchAll(pattern)].reduce((total, [, count]) => total + Number(count), 0);
}

function tail(output) {
  const lines = output.trimEnd().split("\n").slice(-60);
  return lines.map((line) => line.slice(0, 400)).join("\n");
}
