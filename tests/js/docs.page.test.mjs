// The listings of docs/page.md, docs/agent-tools.md, docs/actions.md and docs/interop.md do what they say.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as genui from "genui-patch";
import * as ui from "genui-patch/react/ui";
import { scriptedModel } from "genui-patch/testing";
import { createElement } from "react";
import { listings, plain, run } from "../support/docs.mjs";
import { act, mount, unmountAll } from "../support/react.mjs";

after(unmountAll);

const tools = listings("agent-tools");
const actions = listings("actions");
const interop = listings("interop");

/** Runs a listing and returns the results of its calls. */
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

test("agent-tools.md: an own tool, a policy that sees the effect, a turn", async () => {
  const [found, wrong] = await run(tools[2].code, genui, "[found, wrong]");
  assert.deepEqual(found.result, { status: "success", result: [{ name: "Ann", mail: "ann@example.com" }] });
  assert.equal(wrong.error.message, 'search_contacts: "query" must have at least this many characters: 1.');
  const answers = await run(tools[3].code, genui, "[made, asked, denied]");
  assert.deepEqual(
    answers.map(({ status, error }) => [status, error?.code]),
    [
      ["success", undefined],
      ["pending", undefined],
      ["error", "DENIED"],
    ],
  );
  assert.equal(await run(tools[4].code, { ...genui, scriptedModel }, "status"), "done");
});

test("agent-tools.md: a check of the page", async () => {
  const store = await run(await plain(tools[1]), genui, "store");
  store.load("s", { state: { params: { paid: 12 }, runtime: {} } });
  const completion_criteria = [{ type: "custom", name: "paid" }];
  assert.equal(store.callTool("validate_completion", { instance_name: "s", completion_criteria }).completed, true);
});

test("actions.md: the results of pressing buttons", async () => {
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

const pages = listings("page");

test("page.md: types by name", async () => {
  const { count, first } = await run(await plain(pages[0]), genui, "{ count, first }");
  assert.deepEqual([count, first], [1, undefined]);
});

test("page.md: warnings for a model, and a catalog", async () => {
  const result = await run(await plain(pages[2]), { ...genui, console: { log: () => {} } }, "result");
  assert.equal(result.warnings[0].solution, "Send it as props.fields.");
  const store = await run(await plain(pages[3]), genui, "store");
  assert.match(genui.pagePrompt(store.catalog), /- block chart: A line chart of a series of numbers\./);
});

test("page.md: a page drawn", async () => {
  const code = (await plain(pages[1])).replace(/^export /gm, "");
  const Page = await run(code, { ...genui, ...ui, createElement }, "Page");
  const store = new genui.PatchStore();
  const screen = await mount(createElement(Page, { store, name: "survey" }));
  assert.equal(screen.querySelectorAll("input").length, 0);
  const fields = [
    { key: "age", label: "Age", type: "number", value: 7 },
    { key: "news", label: "News", type: "checkbox" },
    {
      key: "size",
      label: "Size",
      type: "select",
      options: [
        { value: 1, label: "One" },
        { value: 2, label: "Two" },
      ],
    },
  ];
  await act(() => {
    store.apply({ instance_name: "__CREATE__", new_instance_name: "survey" });
    store.apply({
      instance_name: "survey",
      patches: [
        { op: "add", path: "blocks+", value: { id: "form", type: "form", title: "You", props: { fields } } },
        {
          op: "add",
          path: "actions+",
          value: { id: "more", label: "Older", style: "primary", patches: { "state.params.age": 42 } },
        },
      ],
    });
  });
  for (const text of ["You", "Age", "News", "Size", "One", "Two", "Older"])
    assert.ok(screen.textContent.includes(text));
  const [age, news] = screen.querySelectorAll("input");
  assert.equal(age.value, "7");
  await act(() => news.click());
  const button = [...screen.querySelectorAll("button")].find(({ textContent }) => textContent === "Older");
  await act(() => button.click());
  assert.equal(age.value, "42");
  await act(() => store.setField("survey", "form", "size", "2"));
  assert.equal(screen.querySelector("select").value, "2");
  assert.deepEqual(store.get("survey", "state.params"), { news: true, age: 42, size: 2 });
});
