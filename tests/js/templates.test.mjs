// Templates: the table, and properties of all texts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { assertLinear } from "../support/growth.mjs";
import { random } from "../support/random.mjs";

const { document, rows } = JSON.parse(readFileSync(new URL("../fixtures/templates.json", import.meta.url), "utf8"));

function start(rules = "ui") {
  const store = new PatchStore();
  const loaded = store.load("page", document, { rules });
  assert.equal(loaded.status, "success", loaded.error?.message);
  return store;
}

for (const [template, wanted, { open, ...options } = {}] of rows) {
  test(`${JSON.stringify(template)} ${JSON.stringify(options)}`, () => {
    for (const rules of ["ui", "open"]) {
      const expected = rules === "open" ? (open ?? wanted) : wanted;
      assert.equal(start(rules).render("page", template, { escape: "none", ...options }), expected);
    }
  });
}

test("inserted values are escaped by default", () => {
  const store = start();
  assert.equal(store.render("page", "<i>$" + "{params.name}</i>"), "<i>Ada &lt;b&gt;&amp;&quot;&#39;</i>");
});

test("an own key of a free document has priority over a short form", () => {
  const store = new PatchStore();
  store.load("x", { params: { n: "own" }, state: { params: { n: "state" } }, page_key: "k" }, { rules: "open" });
  assert.equal(
    store.render("x", ["params.n", "state.params.n", "page_key"].map((path) => `$\{${path}}`).join(" ")),
    "own state k",
  );
});

test("templates follow the document", () => {
  const store = start();
  const template = `$\{params.n}`;
  store.setNumber("page", "state.params.n", 7);
  assert.equal(store.render("page", template), "7");
  assert.equal(store.render("gone", `[${template}]`), "[]");
});

test("a text without templates is unchanged, and an escaped one is restored", () => {
  const { list, pick } = random(3);
  const store = start();
  const pieces = ["$", "{", "}", "\\", '"', "a", ".", "[", "]", " ", "params.n", "é"];
  for (let run = 0; run < 2000; run++) {
    const text = list(12, () => pick(pieces)).join("");
    const rendered = store.render("page", text, { escape: "none" });
    if (!text.includes("$" + "{")) assert.equal(rendered, text);
    const kept = store.render("page", text, { escape: "none", missing: "keep" });
    if (!text.includes("params.n") && !text.includes("\\$" + "{")) assert.equal(kept, text);
  }
});

test("a long text full of beginnings takes no longer than its length", () => {
  const store = start();
  for (const piece of ["$" + "{", `$\{\\"`, `$\{"`, "$" + '{"a', `$\{params.n} `])
    assertLinear(piece, 12_500, (size) => () => store.render("page", piece.repeat(size)));
});

test("misuse throws", () => {
  const store = start();
  assert.throws(() => store.render("page", 1), { code: "INVALID_ARGUMENT" });
  assert.throws(() => store.render("page", "", { escape: "url" }), { code: "INVALID_ARGUMENT" });
  assert.throws(() => store.render("page", "", { missing: "null" }), { code: "INVALID_ARGUMENT" });
  assert.throws(() => store.render("page", "", { html: true }), { code: "INVALID_ARGUMENT" });
});

test("a path of a template leads where the store's own look-up leads", () => {
  const store = start();
  const { pick, list } = random(9);
  const pieces = [
    ".list",
    ".items",
    ".o",
    ".k",
    ".0",
    ".1",
    "[0]",
    "[7]",
    '["x"]',
    '["y"]',
    '["main"]',
    '["more"]',
    ".props",
    ".fields",
    '["color"]',
    ".options",
    '["r"]',
    '["2"]',
    ".label",
    ".id",
    ".title",
    ".length",
    ".1.props.tabs.0.fields",
  ];
  let found = 0;
  for (let run = 0; run < 10_000; run++) {
    const path = pick(["state.params", "blocks", "actions"]) + list(5, () => pick(pieces)).join("");
    let value;
    try {
      value = store.get("page", path);
    } catch {
      value = undefined;
    }
    // The label of an option is a template of its own.
    if (path.endsWith(".label") && value === undefined) continue;
    if (value !== undefined) found += 1;
    if (Array.isArray(value)) continue;
    const wanted =
      value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    assert.equal(store.render("page", `$\{${path}}`, { escape: "none" }), wanted, path);
  }
  assert.ok(found > 300, String(found));
});
