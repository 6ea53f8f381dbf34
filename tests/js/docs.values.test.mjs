// Listings of four more pages of docs/ do what they say: `expression; // value`.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as genui from "genui-patch";
import { listings, run } from "../support/docs.mjs";

/** What is no part of a value: the beginnings of its other lines, and words behind it. */
const around = /(?<=\n) *\/\/ +|; [a-z].*$/g;

/** Puts checks in place of lines that say their value. Where `…` stands, something is left out, and nothing is checked. */
function checked(code) {
  let count = 0;
  const line = /^(?!const|import|\/\/)(.+);(?: |\n)\/\/ (.+(?:\n *\/\/ +.+)*)$/gm;
  const text = code.replace(line, (whole, expression, value) => {
    if (/…|^[^[{'"]/.test(value)) return whole;
    count += 1;
    return `same(${expression}, (${value.replace(around, "")}));`;
  });
  return { count, text };
}

const BLOCK = JSON.stringify({
  tool: "edit_file",
  path: "src/a.ts",
  search_replace: { old_string: "let a = 1;", new_string: "let a = 2;" },
});

for (const [page, place, wanted, scope] of [
  ["repair", 0, 4],
  ["surfaces", 0, 2],
  ["surfaces", 4, 1],
  ["tools", 2, 6],
  ["workspace", 0, 4, { block: BLOCK }],
  ["workspace", 3, 2],
]) {
  test(`${page}.md: listing ${place + 1}`, async () => {
    const { count, text } = checked(listings(page)[place].code);
    assert.equal(count, wanted);
    await run(text, { ...genui, ...scope, same: assert.deepEqual });
  });
}
