// The listings of the README do what they say: the first one alone, the others one after the other as they stand.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as genui from "genui-patch";
import { listings, run } from "../support/docs.mjs";

const [first, ...others] = listings("../README").filter(({ lang }) => lang === "js");
const code = others.map(({ code }) => code).join("\n");

test("README.md: an answer becomes a page", async () => {
  const logged = [];
  const store = await run(first.code, { ...genui, console: { log: (text) => logged.push(text) } }, "store");
  assert.equal(logged[0], "A counter:\n");
  assert.match(logged[1], /^Results of your tool calls:\npatch_ui_state \(tool_1\): \{"status":"success"/);
  assert.equal(store.snapshot("counter").page_key, "counter");
  assert.ok(first.code.trim().split("\n").length <= 14);
});

test("README.md: the results of the listings", async () => {
  const logged = [];
  const console = { log: (value) => logged.push(value) };
  const names = "store, before, text, fixes, report, proposal, files, surfaces";
  const found = await run(code, { ...genui, console }, `{ ${names} }`);
  assert.deepEqual(logged[0], [{ kind: "insert", path: ["state", "params", "count"], value: 1 }]);
  assert.deepEqual(logged.slice(-6), [
    "text",
    "json-tool-status",
    "json-tool-status",
    "json-tool-delta",
    "json-tool-block",
    "text",
  ]);
  const { store, surfaces } = found;
  assert.equal(store.get("counter", "state.params.count"), 1);
  assert.equal(found.before, store.snapshot("counter"));
  assert.deepEqual(store.snapshot("page").state.params, { name: "Ann", visits: 2 });
  assert.deepEqual(store.confirmed("page"), { state: { params: { name: "Ann", visits: 2 } } });
  const lines = found.proposal.diff[0].lines.map(({ kind, text }) => `${kind} ${text}`);
  assert.deepEqual(lines, ["same one", "removed two", "added 2", "same three"]);
  assert.equal(found.report.call.content, "# Hi");
  assert.equal(found.fixes[0].code, "UNQUOTED_KEY");
  assert.equal(await found.files.read("a.md"), "one\n2\nthree\n");
  assert.equal(surfaces.tree("main").props.text, "Bea");
});
