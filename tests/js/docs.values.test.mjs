// Listings of more pages of docs/ do what they say: `expression; // value`.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as genui from "genui-patch";
import { checked, listings, run } from "../support/docs.mjs";

const BLOCK = JSON.stringify({
  tool: "edit_file",
  path: "src/a.ts",
  search_replace: { old_string: "let a = 1;", new_string: "let a = 2;" },
});

for (const [page, place, wanted, scope] of [
  ["operations", 0, 3],
  ["repair", 0, 4],
  ["surfaces", 0, 2],
  ["surfaces", 2, 4],
  ["surfaces", 6, 2],
  ["surfaces", 7, 2],
  ["surfaces", 9, 1],
  ["tools", 4, 8],
  ["workspace", 0, 4, { block: BLOCK }],
  ["workspace", 5, 2],
]) {
  test(`${page}.md: listing ${place + 1}`, async () => {
    const { count, text } = checked(listings(page)[place].code);
    assert.equal(count, wanted);
    await run(text, { ...genui, ...scope, same: assert.deepEqual });
  });
}
