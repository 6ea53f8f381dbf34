// The listings of docs/agent-tools.md, docs/actions.md and docs/interop.md do what they say.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as genui from "genui-patch";
import { listings, plain, run } from "../support/docs.mjs";

const tools = listings("agent-tools");
const actions = listings("actions");
const interop = listings("interop");

/** Runs a listing and keeps what its calls give. */
async function results(code, scope) {
  const found = [];
  const calls = /^((?:store\.|toJsonPatch|fromJsonPatch)[\s\S]*?);(?=[ ]*(?:\/\/.*)?$)/gm;
  await run(code.replace(calls, "results.push($1);"), { ...genui, ...scope, results: found });
  return found;
}

test("agent-tools.md: four calls", async () => {
  const [created, , checked, missing] = await results(tools[0].code, {});
  assert.equal(created.message, 'Created the instance "survey" with 0 patches.');
  assert.equal(checked.criteria_results[0].details, "state.params.age is 41, expected 42.");
  assert.equal(checked.completion_ratio, 0);
  assert.deepEqual(missing.available_instances, ["survey"]);
});

test("agent-tools.md: a check of the page", async () => {
  const store = await run(await plain(tools[1]), genui, "store");
  store.load("s", { state: { params: { paid: 12 }, runtime: {} } });
  const completion_criteria = [{ type: "custom", name: "paid" }];
  assert.equal(store.callTool("validate_completion", { instance_name: "s", completion_criteria }).completed, true);
});

test("actions.md: what presses come to", async () => {
  const [, more, note, find, go, , text] = await results(actions[0].code, {});
  assert.deepEqual(more.patches, [{ op: "increment", path: "state.params.count", value: 1 }]);
  assert.equal(note[2].value, "5 pieces");
  assert.equal(find.instruction.url, "/search?q=%3CAnn%3E");
  assert.equal(go, null);
  assert.equal(text, "<b>&lt;Ann&gt;</b>: 12 in Red");
});

test("interop.md: patches in and out", async () => {
  const [, moved, failed, merged, written, read] = await results(interop[0].code, {});
  assert.deepEqual(moved, [{ kind: "move", from: ["l", 0], path: ["l", 2] }]);
  assert.equal(failed.message, "/l/0 is 2, not 9.");
  assert.deepEqual(merged, [
    { kind: "remove", path: ["o", "a"] },
    { kind: "insert", path: ["o", "b"], value: 2 },
  ]);
  assert.deepEqual(written, [{ op: "replace", path: "/o/a~1b", value: 1 }]);
  assert.deepEqual(read, [{ kind: "insert", path: ["l", 1], value: 1 }]);
});
