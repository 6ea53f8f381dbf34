// The vocabulary of a page: warnings, field values, the model's prompt, and the outputs generated from the core's table.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { agentTools, FlowStore, PatchStore, pagePrompt, toolDefinitions } from "genui-patch";
import { countTokens } from "gpt-tokenizer";
import { pageExample } from "../../dist/document/page-prompt.js";
import { examples, shapes, words } from "../../dist/generated/vocabulary.js";
import { file, render } from "../support/vocabulary.mjs";

const table = JSON.parse(readFileSync(new URL("../fixtures/vocabulary.json", import.meta.url), "utf8"));

for (const row of table.rows) {
  test(row.name, () => {
    const store = new PatchStore(row.options);
    const loaded = store.load("page", row.on ?? table.page);
    if (row.load !== undefined) return assert.equal(loaded.error?.code, row.load);
    assert.equal(loaded.status, "success", loaded.error?.message);
    const before = store.save();
    const result = store.apply(row.call ?? { instance_name: "page", patches: row.patches });
    if (row.code !== undefined) {
      const { code, message, solution, index } = result.error ?? {};
      assert.equal(code, row.code);
      const says = `${message} ${solution}`;
      assert.ok(says.includes(row.says ?? ""), `The error says "${says}", which lacks "${row.says}".`);
      if (row.index !== undefined) assert.equal(index, row.index);
      return assert.equal(store.save(), before);
    }
    assert.equal(result.status, "success", result.error?.message);
    const wanted = row.warnings ?? [];
    const differ = `The warnings are ${JSON.stringify(result.warnings)}, not ${JSON.stringify(wanted)}.`;
    assert.equal(result.warnings?.length ?? 0, wanted.length, differ);
    assert.equal("warnings" in result, wanted.length > 0, "absent where there is none");
    for (const [place, { says = "", ...about }] of wanted.entries()) {
      const { message, solution, ...found } = result.warnings[place];
      assert.deepEqual({ ...found, ...about }, found, differ);
      assert.ok(`${message} ${solution}`.includes(says), differ);
    }
  });
}

test("a call that waits for the server warns too, its replays do not", () => {
  const store = new PatchStore();
  store.load("page", table.page);
  const patches = [{ op: "set", path: "state.params.age", value: "x" }];
  const { warnings, pendingId } = store.applyOptimistic({ instance_name: "page", patches });
  assert.equal(warnings.length, 1);
  const pushed = store.receive({ type: "patch", instance_name: "page", patch: { "state.params.name": "A" } });
  assert.deepEqual([pushed.rebased, "warnings" in pushed], [[pendingId], false]);
});

test("there are at most so many warnings as issues", () => {
  const store = new PatchStore({ limits: { maxIssues: 3 } });
  store.load("page", table.page);
  const items = Array.from({ length: 10 }, (_, n) => ({ id: `f${n}`, type: "form", fields: [] }));
  const { warnings } = store.apply({ instance_name: "page", patches: [{ op: "add", path: "blocks", items }] });
  assert.equal(warnings.length, 3);
});

test("the example of each word is valid in a page, without warnings", () => {
  const options = { rules: "ui" };
  const places = {
    blocks: (block) => ({ op: "set", path: "blocks", value: [block] }),
    fields: (field) => ({ op: "set", path: "blocks", value: [{ id: "b", type: "form", props: { fields: [field] } }] }),
    actions: (action) => ({ op: "set", path: "actions", value: [action] }),
    layouts: (layout) => ({ op: "set", path: "layout", value: layout }),
  };
  for (const [list, patch] of Object.entries(places)) {
    for (const { name } of words[list]) {
      const example = examples[list][name];
      assert.ok(Object.values(example).includes(name) || example.action_type === name, `${name} has an example`);
      const patches = [patch(example)];
      const made = new PatchStore(options).apply({ instance_name: "__CREATE__", new_instance_name: "p", patches });
      assert.equal(made.status, "success", `${name}: ${made.error?.message}`);
      assert.equal(made.warnings, undefined, `${name}: ${JSON.stringify(made.warnings)}`);
    }
  }
});

test("each word and each property has a sentence in both languages", () => {
  const all = [...Object.values(words).flat(), ...shapes, ...shapes.flatMap(({ properties }) => properties)];
  for (const { name, english, chinese } of all) {
    assert.ok(english.length > 1 && /\p{Script=Han}/u.test(chinese) && !/\p{Script=Han}/u.test(english), name);
  }
});

test("docs/vocabulary.md matches the table", () => {
  assert.equal(readFileSync(file, "utf8"), render(), "write it anew: node tests/support/vocabulary.mjs");
});

for (const language of ["en", "zh", "zh-CN"]) {
  test(`the page prompt in ${language} is short, whole and the same each time`, () => {
    const prompt = pagePrompt(undefined, { language });
    const tokens = countTokens(prompt);
    const hint = "shorten sentences of this language in src/patch/rules/vocabulary.rs, and build";
    assert.ok(tokens <= 900, `the prompt in ${language} has ${tokens} tokens, 900 are allowed: ${hint}`);
    assert.equal(prompt, pagePrompt({}, { language }));
    for (const list of ["blocks", "fields", "actions", "layouts", "styles"]) {
      for (const { name } of words[list]) assert.match(prompt, new RegExp(`\\b${name}\\b`), name);
    }
    assert.equal(/\p{Script=Han}/u.test(prompt), language !== "en");
    assert.ok(prompt.endsWith(JSON.stringify(pageExample)));
  });
}

test("who does as the prompt's example shows is not warned", () => {
  const store = new PatchStore();
  const result = store.callTool("patch_ui_state", pageExample);
  assert.equal(result.status, "success");
  assert.equal(result.warnings, undefined);
  assert.equal(store.snapshot("order").blocks.length, 2);
});

const catalog = {
  blocks: {
    chart: { description: "A line chart.", props: { type: "object", required: ["series"] }, example: { id: "c" } },
  },
  fields: { stars: { description: "A rating.", value: { type: "integer", maximum: 5 } } },
  actions: ["submit"],
  layouts: ["masonry"],
};

test("the catalog's additions are in the prompt, with their schemas and examples", () => {
  const prompt = pagePrompt(catalog);
  for (const part of [
    "- block chart: A line chart.",
    'props as JSON Schema: {"type":"object","required":["series"]}',
    '  {"id":"c"}',
    "- field stars: A rating.",
    'value as JSON Schema: {"type":"integer","maximum":5}',
    "- action submit",
    "masonry",
  ])
    assert.ok(prompt.includes(part), part);
  assert.ok(pagePrompt(catalog, { language: "zh" }).includes('value 的 JSON Schema： {"type":"integer"'));
});

test("misuse of pagePrompt throws", () => {
  assert.throws(() => pagePrompt({}, { lang: "zh" }), /INVALID_ARGUMENT|have no "lang"/);
  assert.throws(
    () => pagePrompt({ fields: { stars: { value: 3 } } }),
    /catalog.fields.stars.value must be a JSON Schema/,
  );
});

test("an agent with a store knows the vocabulary and the catalog", () => {
  const store = new PatchStore({ catalog });
  const agent = agentTools({ store });
  assert.ok(agent.prompt().includes(pagePrompt(store.catalog)));
  assert.ok(agent.prompt({ language: "zh" }).includes(pagePrompt(catalog, { language: "zh" })));
  for (const format of ["mcp", "openai", "anthropic", "gemini", "ai-sdk"]) {
    const definitions = JSON.stringify(agent.definitions(format));
    for (const part of [
      "multiselect",
      "accordion",
      "navigate_block",
      "chart (A line chart.)",
      "stars (A rating.)",
      "submit",
    ])
      assert.ok(definitions.includes(part), `${format}: ${part}`);
  }
  assert.ok(JSON.stringify(toolDefinitions("ui", "mcp")).includes("accordion"));
});

test("the prompt of an agent without a store does not mention pages", () => {
  const agent = agentTools({ flow: new FlowStore() });
  assert.ok(!agent.prompt().includes("accordion"));
});

test("the model reads warnings in its reply", async () => {
  const store = new PatchStore();
  store.load("page", table.page);
  const agent = agentTools({ store });
  const patches = [{ op: "set", path: "state.params.age", value: "42" }];
  const result = await agent.execute({ tool: "patch_ui_state", args: { instance_name: "page", patches } });
  assert.equal(result.status, "success");
  const [{ content }] = agent.reply([result], "openai");
  const [warning] = JSON.parse(content).warnings;
  assert.deepEqual(warning, {
    index: 0,
    path: "state.params.age",
    code: "VALUE_KIND",
    message: 'The field "age" takes a number, not "42".',
    solution: "Send a number.",
  });
});

test("values that a user could type cause no warning when an agent sets them", () => {
  const store = new PatchStore();
  store.load("page", table.page);
  const typed = { name: "A", age: "42", terms: "on", plan: "3", days: ["mon"], notes: "x", done: "0.5", raw: "[1]" };
  for (const [key, value] of Object.entries(typed)) {
    assert.equal(store.setField("page", "form", key, value).status, "success");
    const kept = store.get("page", `state.params.${key}`);
    const patches = [{ op: "set", path: "state.params", value: { [key]: kept } }];
    assert.equal(store.apply({ instance_name: "page", patches }).warnings, undefined, key);
  }
});
