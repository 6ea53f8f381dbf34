// patch.json through the JavaScript API, each call as text and as an object: the driver of tests/support/patch_table.rs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { assertMirror, assertSame, document } from "../support/store.mjs";

const table = JSON.parse(readFileSync(new URL("../fixtures/patch.json", import.meta.url), "utf8"));

test("the table is whole", () => {
  assert.ok(table.rows.length >= 253);
  const known =
    "name options on rules text call patches code has index position says available applied changes skipped";
  const keys = new Set([...known.split(" "), "deleted", "document", "gone"]);
  for (const row of table.rows) for (const key of Object.keys(row)) assert.ok(keys.has(key), `${row.name}: ${key}`);
});

for (const row of table.rows) {
  test(row.name, () => {
    const call = row.call ?? { instance_name: "page", patches: row.patches };
    const byText = run(row, row.text ?? JSON.stringify(call));
    // A row that only JSON text can express is run as text only.
    if (row.text !== undefined) return;
    const byObject = run(row, call);
    assert.deepStrictEqual(byObject.result, byText.result);
    assert.equal(...[byObject, byText].map(({ store }) => withoutTimes(store.save())));
  });
}

/** A saved text without the times of the history. */
const withoutTimes = (saved) => saved.replaceAll(/"time":\d+/g, '"time":0');

function run(row, call) {
  const store = start(row);
  const before = { saved: store.save(), snapshot: store.snapshot("page"), revision: store.revision("page") };
  const result = store.apply(call);
  expect(row, result, store, before);
  assertMirror(store);
  const changed = store.revision("page") !== before.revision;
  assert.equal(
    store.snapshot("page") !== before.snapshot,
    changed,
    "a new snapshot for a new revision, and only for one",
  );
  return { result, store };
}

function start(row) {
  const document = typeof row.on === "string" ? table.documents[row.on] : (row.on ?? table.documents.page);
  // The limits apply only after the document is loaded, so that it may exceed them.
  const { limits, ...options } = row.options ?? {};
  const store = new PatchStore(options);
  const loaded = store.load("page", document, row.rules === undefined ? {} : { rules: row.rules });
  assert.equal(loaded.status, "success", JSON.stringify(loaded));
  return limits === undefined ? store : PatchStore.restore(store.save(), row.options);
}

function expect(row, result, store, before) {
  const { error } = result;
  const sentences = `${error?.message} ${error?.solution}`;
  assert.equal(result.status, row.code === undefined ? "success" : "error", sentences);
  if (row.code !== undefined) expectError(row, result, sentences);
  if (row.code !== undefined && row.has === undefined) {
    assert.equal(store.save(), before.saved);
    assert.equal(store.snapshot("page"), before.snapshot);
    assert.equal(store.revision("page"), before.revision);
  }
  for (const key of ["applied", "changes"]) {
    if (row[key] !== undefined) assertSame(result[key], row[key], key);
  }
  if (row.skipped !== undefined) {
    const reasons = (result.skipped ?? []).map((entry) => entry.reason);
    assert.deepEqual(reasons, row.skipped);
  }
  const name = result.instance_name;
  if (row.deleted !== undefined) {
    assert.equal(name, row.deleted);
    assert.equal(document(store, name), undefined);
    assert.equal(store.snapshot(name), undefined);
    return;
  }
  if (name === undefined) return;
  for (const found of [document(store, name), store.snapshot(name)]) expectDocument(row, found);
}

function expectError(row, { error, available_instances }, sentences) {
  assert.equal(error.code, row.code, sentences);
  assert.ok(error.message !== "" && error.solution !== "", "an error has a message and a solution");
  if (row.index !== undefined) assert.equal(error.index, row.index);
  if (row.position !== undefined) assertSame(error.position, row.position);
  for (const part of row.says ?? []) assert.ok(sentences.includes(part), `does not say ${part}: ${sentences}`);
  if (row.available !== undefined) assert.deepEqual(available_instances, row.available);
}

function expectDocument(row, found) {
  if (row.document !== undefined) assertSame(found, row.document);
  for (const [place, wanted] of Object.entries(row.has ?? {})) assertSame(at(found, place), wanted, place);
  for (const place of row.gone ?? []) assert.equal(at(found, place), undefined, place);
}

/** The value at a JSON Pointer. */
function at(value, pointer) {
  const tokens = pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  return tokens.reduce((node, token) => (Object.hasOwn(node ?? {}, token) ? node[token] : undefined), value);
}
