/** Servers of rooms that are killed at random moments, on each storage that outlives them. `npm run kill` kills more often. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { killable, skipped } from "./storages.mjs";
import { survive } from "./survive.mjs";

const times = Number(process.env.KILLS ?? 5);
const seed = Number(process.env.SEED ?? 1);

for (const name of killable)
  test(`rooms on ${name}, killed ${times} times`, { skip: skipped(name) }, async () => {
    const calls = await survive(name, { times, seed });
    for (const [kind, count] of Object.entries(calls)) assert.ok(count > 0, kind);
  });
