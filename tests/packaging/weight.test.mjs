/** The sizes of imports in the README are true. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { budgets } from "../../scripts/config.mjs";
import { weigh } from "../../scripts/lib/weigh.mjs";
import { root } from "../support/package.mjs";

const rows = readFileSync(join(root, "README.md"), "utf8").matchAll(/^\| (?:`([\w, ]+)`|everything) \| (\d+) \|$/gm);
const stated = new Map([...rows].map(([, names, kilobytes]) => [names, Number(kilobytes)]));

for (const { names } of budgets) {
  test(`the README states the size of ${names ?? "everything"} in whole KB`, async () => {
    const kilobytes = (await weigh(names)).gzip / 1024;
    const size = stated.get(names);
    assert.ok(size >= kilobytes && size < kilobytes + 2, `${kilobytes.toFixed(1)} KB, where the README says ${size}`);
  });
}
