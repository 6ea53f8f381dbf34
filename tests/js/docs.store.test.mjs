// The first listing of docs/store.md does what it says: `expression; // value`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { listings, run } from "../support/docs.mjs";

test("store.md: the shown and the confirmed document", async () => {
  let lines = 0;
  const [{ code }] = listings("store");
  const checked = code.replace(/^(?!const|\/\/)(.+); \/\/ (.+)$/gm, (_, expression, value) => {
    lines += 1;
    return `same(${expression}, (${value}));`;
  });
  await run(checked, { PatchStore, same: assert.deepEqual });
  assert.equal(lines, 4);
});

test("store.md: authors, history and undo", async () => {
  const [, authors, history] = listings("store");
  const logged = [];
  await run(authors.code, { PatchStore, console: { log: (...words) => logged.push(words.join(" ")) } });
  assert.deepEqual(logged, ["agent writer"]);
  const code = history.code.replace(/^(.+); \/\/ (\[.+)$/m, "same($1, $2);");
  assert.match(code, /same\(/);
  const store = await run(code, { PatchStore, same: assert.deepEqual }, "store");
  assert.deepEqual(
    store.get("list", "rows").map(({ id }) => id),
    ["2", "x", "mine"],
  );
});
