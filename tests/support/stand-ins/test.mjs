/** The part of node:test that the tests use, for pages. After `run`, `results` has a row for each test. */
import { NotHere } from "./node.mjs";

const tests = [];
const ends = [];
const betweens = [];
let group = "";

export function test(name, ...rest) {
  const [{ skip = false }] = rest;
  const run = skip ? () => Promise.reject(new NotHere(String(skip))) : rest.at(-1);
  tests.push({ name: group + name, run });
}

export function describe(name, body) {
  const outer = group;
  group += `${name}: `;
  body();
  group = outer;
}

export const after = (work) => ends.push(work);
export const afterEach = (work) => betweens.push(work);

/** A row for each test: `[name, error or null, reason why it was skipped or null]`. */
globalThis.runTests = async () => {
  const rows = [];
  for (const { name, run } of tests) rows.push([name, ...(await outcome(run))]);
  for (const work of ends) await work();
  return rows;
};

async function outcome(run) {
  try {
    await run();
    for (const work of betweens) await work();
    return [null, null];
  } catch (error) {
    if (error instanceof NotHere) return [null, error.message];
    return [`${error?.name}: ${error?.message}\n${error?.stack}`, null];
  }
}
