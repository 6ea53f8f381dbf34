// Documents of any shape that an agent could send: tools, actions, fields and templates return a result and never throw.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { random } from "../support/random.mjs";
import { assertMirror } from "../support/store.mjs";

const words =
  "id key label type form tabs table select number json checkbox multiselect apply_patch navigate api set toggle a b state.params " +
  "constructor __proto__ blocks state.params.n params page_key data:x /x javascript:y 1";
const keys =
  "id key label type bind props fields actions tabs panels columns options value disabled action_type handler_type patches url to " +
  "title params runtime a b n op path items index updates blocks state layout page_key meta pageKey row_actions";

function makers(seed) {
  const { chance, list, pick } = random(seed);
  const strings = [...words.split(" "), "", "$" + "{params.a}", "$" + "{a.label}", "$" + "{", "\\$" + "{a}", "é\ud800"];
  const scalar = () => pick([null, true, false, 0, 1, -1.5, ...strings]);
  const value = (depth) => {
    if (depth > 5 || chance(0.35)) return scalar();
    if (chance(0.4)) return list(4, () => value(depth + 1));
    return object(depth);
  };
  const object = (depth) => Object.fromEntries(list(7, () => [pick(keys.split(" ")), value(depth + 1)]));
  /** A document with the parts of a page, any of which may be a random value. */
  const document = () => {
    const part = (make) => (chance(0.9) ? make() : value(1));
    const action = () => ({
      ...object(3),
      id: pick(["a", "b", 1]),
      action_type: pick(["apply_patch", "api", "modal", undefined]),
    });
    const field = () => ({
      ...object(3),
      key: pick(strings),
      type: pick(words.split(" ")),
      options: part(() => list(3, () => object(4))),
    });
    const group = () => ({
      fields: part(() => list(3, field)),
      actions: part(() => list(2, action)),
      tabs: part(() => list(2, () => object(3))),
    });
    const block = () => ({ ...object(3), id: pick(["a", "b"]), props: part(group) });
    return part(() => ({
      state: part(() => ({ params: part(() => object(2)), runtime: part(() => object(2)) })),
      blocks: part(() => list(3, block)),
      actions: part(() => list(2, action)),
    }));
  };
  return { document, value, pick, strings };
}

test("three hundred documents", () => {
  const { document, value, pick, strings } = makers(21);
  const seen = { success: 0, error: 0 };
  const count = (result) => {
    assert.ok(result.status === "success" || (result.error.code && result.error.message), JSON.stringify(result));
    seen[result.status] += 1;
  };
  for (let run = 0; run < 300; run++) {
    const store = new PatchStore();
    store.load("x", JSON.stringify(document()), { rules: "open" });
    for (const id of ["a", "b", "1"]) {
      const params = { a: value(3), n: 1, constructor: 2, __proto__: 3, "": 4 };
      count(store.runAction("x", id, run % 2 ? { params, rowData: value(3), optimistic: run % 4 === 1 } : {}));
    }
    for (const key of strings) {
      count(store.setField("x", pick(["a", "b"]), key, value(3)));
      count(store.runRowAction("x", { block: pick(["a", "b"]), field: key, row: 0 }, "a"));
      assert.equal(typeof store.render("x", `<$\{${key}}> ${key} $\{params.${key}.label}`), "string");
    }
    count(store.callTool("list_instances", {}));
    const criteria = ["field_exists", "field_not_empty", "block_exists", "action_exists"].map((type) => ({
      type,
      path: "a",
    }));
    count(store.callTool("validate_completion", { instance_name: "x", completion_criteria: criteria }));
    if (store.pending().length === 0) assertMirror(store);
    store.dispose();
  }
  assert.ok(seen.success > 600 && seen.error > 600, JSON.stringify(seen));
});
