/** Lighthouse on accessibility, which is the same on every machine. `npm run bench` has its score of performance. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { score } from "../support/lighthouse.mjs";

test("accessibility of 100", async () => {
  assert.deepEqual(await score("accessibility"), { best: 100, low: [] });
});
