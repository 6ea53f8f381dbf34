// Catalogs with schemas: Standard Schemas of several libraries, and checks that only JavaScript has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore, pagePrompt } from "genui-patch";
import * as v from "valibot";
import { z } from "zod";

const page = {
  page_key: "page",
  state: { params: {}, runtime: {} },
  layout: { type: "single" },
  blocks: [{ id: "f", type: "form", props: { fields: [{ key: "x", label: "X", type: "own" }] } }],
};

/** A store with a page, which has a field of the host's type if the catalog declares one. */
function storeOf(catalog, options = {}) {
  const store = new PatchStore({ ...options, catalog });
  const loaded = store.load("page", catalog.fields ? page : { ...page, blocks: [] });
  assert.equal(loaded.status, "success", loaded.error?.message);
  return store;
}

const set = (value, path = "state.params.x") => ({ instance_name: "page", patches: [{ op: "set", path, value }] });

/** The error message for a value under this schema; `undefined` if the value is valid. */
function verdict(value, schema, jsonSchema) {
  const store = storeOf({ fields: { own: { value: schema, ...(jsonSchema && { jsonSchema }) } } });
  const before = store.save();
  const result = store.apply(set(value));
  if (result.status === "error") {
    assert.equal(result.error.code, "INVALID_STRUCTURE");
    assert.equal(store.save(), before);
  }
  return result.error?.message;
}

test("a schema of Zod: its JSON form decides first, its own validation after that", () => {
  const schema = z
    .int()
    .min(1)
    .refine((number) => number % 2 === 0, "An even number is needed.");
  assert.equal(verdict(4, schema), undefined);
  assert.match(verdict(0, schema), /state\.params\.x is 0, which the schema of field "own" does not allow\./);
  assert.match(verdict(3, schema), /does not allow: An even number is needed\./);
});

test("an address by Zod", () => {
  assert.equal(verdict("a@example.com", z.email()), undefined);
  assert.match(verdict("nobody", z.email()), /does not allow/);
});

test("an object by Zod, with the place of the error", () => {
  const chart = z.object({ series: z.array(z.number()), name: z.string().refine((name) => name !== "no", "Not no.") });
  const store = storeOf({ blocks: { chart: { description: "A chart.", props: chart } } });
  const add = (props) => ({
    instance_name: "page",
    patches: [{ op: "add", path: "blocks", value: { id: "c", type: "chart", props } }],
  });
  const { error } = store.apply(add({ series: [1, "b"], name: "x" }));
  assert.equal(error.message, 'blocks.0.props.series.1 is "b", which the schema of block "chart" does not allow.');
  assert.match(error.solution, /#\/properties\/series\/items\/type asks for: "number"/);
  assert.match(store.apply(add({ series: [1], name: "no" })).error.message, /name: Not no\./);
  assert.equal(store.apply(add({ series: [1], name: "x" })).status, "success");
  assert.match(pagePrompt(store.catalog), /- block chart: A chart\.\n {2}props as JSON Schema: \{.*"series"/);
});

test("a value is validated, never changed", () => {
  const store = storeOf({ fields: { own: { value: z.string().trim().toUpperCase() } } });
  assert.equal(store.apply(set(" a ")).status, "success");
  assert.equal(store.get("page", "state.params.x"), " a ");
});

test("a schema of Valibot needs its JSON form beside it", () => {
  const schema = v.pipe(
    v.number(),
    v.minValue(1),
    v.check((number) => number !== 7, "Not seven."),
  );
  assert.throws(
    () => storeOf({ fields: { own: { value: schema } } }),
    /valibot does not write .* Give jsonSchema beside it/,
  );
  assert.equal(verdict(2, schema, { type: "number" }), undefined);
  assert.match(verdict("x", schema, { type: "number" }), /does not allow\./);
  assert.match(verdict(7, schema, { type: "number" }), /Not seven\./);
});

test("any library's schema, with the converter of the Standard JSON Schema", () => {
  const schema = {
    "~standard": {
      version: 1,
      vendor: "own",
      validate: (value) =>
        value === "b" ? { issues: [{ message: "Not b.", path: [{ key: "deep" }, 0] }] } : { value },
      jsonSchema: { input: ({ target }) => ({ type: "string", title: target }) },
    },
  };
  assert.equal(verdict("a", schema), undefined);
  assert.match(verdict("b", schema), /deep\.0: Not b\./);
  assert.match(verdict(1, schema), /does not allow\./);
  const { catalog } = storeOf({ fields: { own: { value: schema } } });
  assert.deepEqual(catalog.fields.own, { value: { type: "string", title: "draft-2020-12" } });
  assert.ok(Object.isFrozen(catalog) && Object.isFrozen(catalog.fields.own.value));
});

const own = (validate) => ({ "~standard": { version: 1, vendor: "own", validate } });

test("a check that answers later is misuse, and so is one that throws; nothing has changed", () => {
  const failing = own(() => {
    throw new TypeError("out of order");
  });
  for (const [schema, wanted] of [
    [z.string().refine(async () => true), /catalog\.fields\.own\.value validates asynchronously/],
    [own(async (value) => ({ value })), /catalog\.fields\.own\.value validates asynchronously/],
    [own(() => Promise.reject(new Error("later"))), /catalog\.fields\.own\.value validates asynchronously/],
    [failing, /out of order/],
  ]) {
    const jsonSchema = schema instanceof z.ZodType ? undefined : { type: "string" };
    const store = storeOf({ fields: { own: { value: schema, jsonSchema } } });
    const before = store.save();
    assert.throws(() => store.apply(set("a")), wanted);
    assert.equal(store.save(), before);
    assert.throws(() => store.load("page", { ...page, state: { params: { x: "a" }, runtime: {} } }), wanted);
    assert.equal(store.save(), before);
    assert.equal(store.apply(set(1, "state.params.other")).status, "success", "the store works on");
  }
});

test("an exception of a check is thrown by the call that has asked it, and never by a later one", () => {
  let isBroken = false;
  const schema = own((value) => {
    if (isBroken) throw new TypeError("out of order");
    return { value };
  });
  const catalog = { fields: { own: { value: schema, jsonSchema: { type: "string" } } } };
  const store = storeOf(catalog);
  assert.equal(store.apply(set("a")).status, "success");
  const [saved, document] = [store.save(), store.snapshot("page")];
  const other = storeOf({});
  isBroken = true;
  for (const ask of [
    () => store.propose(set("b")),
    () => store.draft(set("b")),
    () => store.receive({ instance_name: "page", patches: set("b").patches }),
    () => PatchStore.restore(saved, { catalog }),
  ]) {
    assert.throws(ask, /out of order/);
    assert.equal(other.apply(set(1, "state.params.other")).status, "success");
  }
  assert.deepEqual([store.snapshot("page"), store.pending(), store.drafts()], [document, [], []]);
});

test("where patches that fail are left out, those that a check refuses are", () => {
  const even = z.number().refine((number) => number % 2 === 0, "Even.");
  const store = storeOf({ blocks: { dial: { props: z.object({ at: even }) } } }, { onError: "skip" });
  const dial = (id, at) => ({ op: "add", path: "blocks", value: { id, type: "dial", props: { at } } });
  const result = store.apply({ instance_name: "page", patches: [dial("a", 1), dial("b", 2)] });
  assert.deepEqual([result.applied, result.skipped[0].error.code], [1, "INVALID_STRUCTURE"]);
});

test("patterns are tested in JavaScript, in every place of a schema", () => {
  const schema = {
    properties: { code: { type: "string", pattern: "^[A-Z]{2}\\p{Nd}$" }, free: { not: { pattern: "x" } } },
    patternProperties: { "^x-": {} },
    additionalProperties: false,
  };
  assert.equal(verdict({ code: "AB1", free: "a", "x-own": 1 }, schema), undefined);
  assert.match(verdict({ code: "ab1" }, schema), /state\.params\.x\.code/);
  assert.match(verdict({ free: "axe" }, schema), /state\.params\.x\.free/);
  assert.match(verdict({ y: 1 }, schema), /state\.params\.x\.y/);
  assert.match(verdict("a".repeat(10_001), { pattern: "a" }), /does not allow/, "too long to be tested");
  assert.throws(() => verdict("a", { pattern: "(" }), /is no regular expression/);
});

test("errors of a catalog are reported when the store is created", () => {
  const cases = [
    [{ blocks: { chart: { props: 3 } } }, /catalog\.blocks\.chart\.props must be a JSON Schema or a Standard Schema/],
    [{ blocks: { chart: { props: { type: "strng" } } } }, /The schema of block "chart" must have .* at #\/type/],
    [{ blocks: { chart: { value: {} } } }, /only fields have values/],
    [{ blocks: { chart: { descripton: "x" } } }, /There is no key of block "chart" "descripton"/],
    [{ blocks: { chart: 3 } }, /key of block "chart"s must be an object/],
    [{ styles: { loud: {} } }, /"styles" must be a list of names/],
    [{ blocks: [""] }, /must be a list of names, or an object/],
    [{ colours: [] }, /There is no catalog list "colours"/],
  ];
  for (const [catalog, wanted] of cases) assert.throws(() => new PatchStore({ catalog }), wanted);
});

test("a restored store checks as the one before", () => {
  const catalog = { fields: { own: { value: z.number().max(5) } } };
  const restored = PatchStore.restore(storeOf(catalog).save(), { catalog });
  assert.equal(restored.apply(set(6)).error.code, "INVALID_STRUCTURE");
  assert.equal(restored.applyOptimistic(set(6)).error.code, "INVALID_STRUCTURE");
  assert.equal(restored.applyOptimistic(set(5)).status, "success");
});

test("names alone add words, and a store without a catalog has none", () => {
  const store = storeOf({ blocks: ["chart"], fields: ["own"], styles: ["loud"] });
  assert.deepEqual(store.catalog, { blocks: ["chart"], fields: ["own"], styles: ["loud"] });
  assert.equal(new PatchStore().catalog, undefined);
});
