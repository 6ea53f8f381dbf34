/** The page about limits has a row for each limit of the core's table, with its default. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { limits } from "../../src/js/generated/facts.js";

test("each limit has its row in docs/limits.md", () => {
  const page = readFileSync(new URL("../../docs/limits.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| ([\d,]+) \|/gm)].map(([, name, value]) => [name, value]);
  const known = Object.entries(limits).map(([name, value]) => [name, value.toLocaleString("en-US")]);
  assert.deepEqual(rows, known);
});
