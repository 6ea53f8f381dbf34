// The listings of docs/approval.md do what they say: `expression; // value`.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as genui from "genui-patch";
import { listings, run } from "../support/docs.mjs";

for (const [place, { code }] of listings("approval").entries()) {
  test(`approval.md: listing ${place + 1}`, async () => {
    let lines = 0;
    const checked = code.replace(/^(?!const|\/\/)(.+); \/\/ (.+)$/gm, (_, expression, value) => {
      lines += 1;
      return `same(${expression}, (${value}));`;
    });
    assert.ok(lines > 0);
    await run(checked, { ...genui, same: assert.deepEqual });
  });
}
