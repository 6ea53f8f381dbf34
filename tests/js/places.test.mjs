// Every function that accepts a path resolves it to the same place: the item that an id addresses, in documents whose ids,
// keys and values are permutations of each other, duplicated, absent or of another kind.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fromJsonPatch, jsonDiff, PatchStore, toJsonPatch } from "genui-patch";
import { random } from "../support/random.mjs";

const ROUNDS = 250;
const TEXTS = ["a", "b", "c", "1", "2", "x y", "id"];
const { rows } = JSON.parse(readFileSync(new URL("../fixtures/places.json", import.meta.url), "utf8"));

for (const { document, rules, path, place } of rows) {
  test(`${rules}: ${path} is ${JSON.stringify(place)}`, () => {
    const store = start(document, rules);
    const expected = place?.reduce((value, step) => value[step], document);
    assert.deepEqual(store.get("x", path), expected);
    const set = store.apply({ instance_name: "x", patches: [{ op: "replace", path, value: "new" }] });
    assert.deepEqual(set.changes?.map((change) => change.path) ?? null, place && [place]);
    for (const part of ["paths", "edits"]) {
      const other = start(document, rules);
      const written = place === null ? [] : [{ op: "set", path: pointer(place), value: "new" }];
      const beside = { op: "set", path: pointer(["state", "params", "beside"]), value: 1 };
      const { id } = other.propose({ instance_name: "x", patches: [...written, beside] });
      const answer = other.approve(id, part === "paths" ? { paths: [path] } : { edits: { [path]: "new" }, paths: [] });
      const changed = part === "edits" || answer.status === "success";
      if (place === null) assert.equal(answer.status, "error", JSON.stringify(answer));
      else if (changed)
        assert.deepEqual(
          answer.changes.map((change) => change.path),
          [place],
        );
    }
  });
}

function pointer(steps) {
  return steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function start(document, rules) {
  const store = new PatchStore();
  const loaded = store.load("x", document, { rules });
  assert.equal(loaded.status, "success", loaded.error?.message);
  return store;
}

/** A list of items that differ in `n`, whose ids, keys and values are drawn from the same few texts. */
function items(next, own, count) {
  return Array.from({ length: count }, () => {
    const item = { n: own.next++ };
    for (const name of ["id", "key", "value"]) {
      const kind = next(10);
      if (kind < 7) item[name] = TEXTS[next(TEXTS.length)];
      else if (kind === 7) item[name] = next(3);
      else if (kind === 8) item[name] = ["", null, true][next(3)];
    }
    return item;
  });
}

/** A document and the paths of its lists. */
function draw(next, rules) {
  const own = { next: 0 };
  const lists = [];
  const list = (path) => {
    lists.push(path);
    return items(next, own, 1 + next(4));
  };
  const names = ["fields", "columns", "options", "blocks", "actions", "list"];
  const params = Object.fromEntries(names.map((name) => [name, list(["state", "params", name])]));
  params.list[0].options = list(["state", "params", "list", 0, "options"]);
  if (rules === "open") {
    const parts = Object.fromEntries(names.map((name) => [name, list([name])]));
    parts.blocks[0].fields = list(["blocks", 0, "fields"]);
    return { document: { state: { params }, ...parts }, lists };
  }
  const unique = (name, all) => {
    const ids = [...TEXTS].sort(() => next(3) - 1);
    for (const [index, item] of all.entries()) item[name] = ids[index];
    return all;
  };
  const block = (item, index) => {
    const props = { fields: unique("key", list(["blocks", index, "props", "fields"])) };
    for (const [place, field] of props.fields.entries()) {
      Object.assign(field, { type: "select", label: "" });
      field.options = list(["blocks", index, "props", "fields", place, "options"]).map((option) => {
        return { label: "", value: 0, ...option };
      });
    }
    props.columns = list(["blocks", index, "props", "columns"]);
    return { ...item, type: "form", props, rows: list(["blocks", index, "rows"]) };
  };
  const blocks = unique("id", list(["blocks"])).map(block);
  const actions = unique("id", list(["actions"])).map((item) => ({ ...item, label: "", style: "primary" }));
  return { document: { meta: { pageKey: "x" }, state: { params, runtime: {} }, blocks, actions }, lists };
}

/** All ways to write the `n` of an item of a list: by its index, and by each text that could be its id. */
function spellings(path, item, index) {
  const dots = path.join(".");
  const written = [`${dots}.${index}.n`, `${dots}[${index}].n`, `${pointer([...path, index])}/n`];
  for (const name of ["id", "key", "value"]) {
    const id = item[name];
    if (typeof id !== "string" && typeof id !== "number") continue;
    if (id === "") continue;
    written.push(`${dots}[${JSON.stringify(String(id))}].n`);
    if (/^[a-z]+$/.test(id)) written.push(`${dots}[${id}].n`);
  }
  return written;
}

/** The `n` of all items, in document order. */
function numbers(value, found = []) {
  if (typeof value !== "object" || value === null) return found;
  if ("n" in value) found.push(value.n);
  for (const inner of Object.values(value)) numbers(inner, found);
  return found;
}

/** Where two documents of one shape differ in a number. */
function changed(before, after) {
  const [was, is] = [numbers(before), numbers(after)];
  assert.equal(was.length, is.length);
  return was.filter((number, index) => number !== is[index]);
}

const at = (document, path) => path.reduce((value, step) => value[step], document);

test("all that take paths mean the same place, or refuse", () => {
  for (let round = 0; round < ROUNDS; round++) {
    const next = random(1000 + round).below;
    const rules = ["ui", "open"][round % 2];
    const { document, lists } = draw(next, rules);
    const list = lists[next(lists.length)];
    const index = next(at(document, list).length);
    const paths = spellings(list, at(document, list)[index], index);
    const store = start(document, rules);
    for (const path of paths) {
      const context = `round ${round}, ${rules}, ${path}`;
      const own = store.get("x", path);
      const wanted = own === undefined ? [] : [own];
      const call = { instance_name: "x", patches: [{ op: "replace", path, value: -1 }] };
      // A template, a condition.
      assert.equal(store.render("x", `\${${path}}`, { escape: "none" }), own === undefined ? "" : `${own}`, context);
      const check = [{ type: "custom", condition: `${path} == ${own ?? "null"}` }];
      const { completed } = store.callTool("validate_completion", { instance_name: "x", completion_criteria: check });
      if (!path.includes("x y")) assert.equal(completed, true, context);
      // A patch, and its changes as a diff and as a JSON Patch.
      const written = start(document, rules);
      const result = written.apply(call);
      const after = written.snapshot("x");
      assert.deepEqual(changed(document, after), wanted, context);
      if (own !== undefined) {
        assert.deepEqual(jsonDiff(document, after, { depth: "deep", rules }), result.changes, context);
        const operations = toJsonPatch(result.changes);
        assert.deepEqual(fromJsonPatch(operations, document), result.changes, context);
        const patched = start(document, rules);
        patched.applyJsonPatch("x", operations);
        assert.deepEqual(patched.snapshot("x"), after, context);
      }
      // Typed sets, twice, since the second one uses the cached path.
      const typed = start(document, rules);
      typed.setNumber("x", path, -1);
      typed.setNumber("x", path, -2);
      if (own !== undefined) assert.deepEqual(changed(document, typed.snapshot("x")), wanted, context);
      // An optimistic call, confirmed by an equal push.
      const shown = start(document, rules);
      const { pendingId } = shown.applyOptimistic(call);
      assert.deepEqual(changed(document, shown.snapshot("x")), wanted, context);
      if (pendingId !== undefined)
        shown.receive({ type: "patch", instance_name: "x", patch_id: pendingId, patch: call.patches });
      assert.deepEqual(changed(document, shown.snapshot("x")), wanted, context);
      // A listener receives changes of this place, and of no other item.
      const observed = start(document, rules);
      let received = [];
      observed.subscribe(({ changes }) => received.push(...changes.map((change) => change.value)), {
        instance: "x",
        path,
      });
      for (const [number, item] of at(document, list).entries()) {
        observed.apply({
          instance_name: "x",
          patches: [{ op: "set", path: `${list.join(".")}.${number}.n`, value: -1 - item.n }],
        });
      }
      assert.deepEqual(
        received,
        wanted.map((number) => -1 - number),
        context,
      );
      received = [];
      // Proposals of all items of the list: the part at the path, and the user's own value at that place.
      const patches = at(document, list).map((_, number) => {
        return { op: "set", path: `${list.join(".")}.${number}.n`, value: -9 };
      });
      const part = start(document, rules);
      const answer = part.approve(part.propose({ instance_name: "x", patches }).id, { paths: [path] });
      assert.deepEqual(changed(document, part.snapshot("x")), wanted, `${context}: ${JSON.stringify(answer)}`);
      const edited = start(document, rules);
      const { id } = edited.propose({
        instance_name: "x",
        patches: [{ op: "set", path: "/state/params/beside", value: 1 }],
      });
      edited.approve(id, { edits: { [path]: -9 } });
      assert.deepEqual(changed(document, edited.snapshot("x")), wanted, context);
      for (const each of [written, typed, shown, observed, part, edited]) each.dispose();
    }
    store.dispose();
  }
});

/** Changes to a list while a proposal is pending. */
const MEANWHILE = [
  (list) => [{ n: -100, id: "new", key: "new", value: "new" }, ...list],
  (list) => [...list, { n: -100, id: "new", key: "new", value: "new" }],
  (list) => list.toReversed(),
  (list) => list.slice(1),
  (list) => list.map((item, index) => (index === 0 ? { ...item, id: "renamed" } : item)),
  (list) => list.map((item, index) => ({ ...item, id: list[(index + 1) % list.length].id })),
  (list) => list.map((item) => ({ ...item, key: item.id, id: item.key })),
];

test("a proposal that is carried over changes the item that was shown, or none", () => {
  let carried = 0;
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const next = random(5000 + round).below;
    const rules = ["ui", "open"][round % 2];
    const { document, lists } = draw(next, rules);
    const free = lists.filter((path) => rules === "open" || path[0] === "state");
    const list = free[next(free.length)];
    const index = next(at(document, list).length);
    const all = spellings(list, at(document, list)[index], index);
    const store = start(document, rules);
    const path = all[next(all.length)];
    const own = store.get("x", path);
    if (own === undefined) continue;
    const call = { instance_name: "x", patches: [{ op: "set", path, value: -1 }] };
    const { id } = store.propose(call);
    const before = at(store.snapshot("x"), list);
    const value = MEANWHILE[round % MEANWHILE.length](JSON.parse(JSON.stringify(before)));
    const moved = store.apply({ instance_name: "x", patches: [{ op: "set", path: pointer(list), value }] });
    assert.equal(moved.status, "success");
    const now = store.snapshot("x");
    const way = next(3);
    const answer = store.approve(id, [{}, { paths: [path] }, { edits: {} }][way]);
    if (answer.status === "error") {
      assert.equal(store.snapshot("x"), now);
      continue;
    }
    carried += 1;
    assert.deepEqual(changed(now, store.snapshot("x")), [own], `round ${round}, ${rules}, ${path}`);
    store.dispose();
  }
  assert.ok(carried > ROUNDS / 5, `${carried} were carried over`);
});

/** The path of the item whose `n` a path addresses. */
const itemOf = (path) => path.replace(/[./]n$/, "");

/** The numbers that a document has lost. */
function gone(before, after) {
  const left = new Set(numbers(after));
  return numbers(before).filter((number) => !left.has(number));
}

test("updates, removals, actions and proposals of a whole instance mean the place that is read", () => {
  let removed = 0;
  const made = [];
  const open = (...args) => {
    made.push(start(...args));
    return made.at(-1);
  };
  for (let round = 0; round < ROUNDS; round++) {
    const next = random(9000 + round).below;
    const rules = ["ui", "open"][round % 2];
    const { document, lists } = draw(next, rules);
    const list = lists[next(lists.length)];
    const index = next(at(document, list).length);
    document.actions.push({ id: "go!", label: "", style: "primary" });
    const action = (path, op, value) => {
      const go = { id: "go!", label: "", style: "primary", handler_type: op, patches: { [path]: value } };
      return { ...document, actions: [...document.actions.slice(0, -1), go] };
    };
    for (const path of spellings(list, at(document, list)[index], index)) {
      const context = `round ${round}, ${rules}, ${path}`;
      const own = open(document, rules).get("x", path);
      const wanted = own === undefined ? [] : [own];
      const item = itemOf(path);
      const after = (patch, from = document) => {
        const store = open(from, rules);
        const { status } = store.apply({ instance_name: "x", patches: [patch] });
        assert.ok(status === "success" || own === undefined || patch.op.startsWith("remove"), `${context} ${patch.op}`);
        return store.snapshot("x");
      };
      assert.deepEqual(changed(document, after({ op: "merge", path: item, value: { n: -1 } })), wanted, context);
      if (list[0] === "state") {
        assert.deepEqual(changed(document, after({ op: "increment", path, value: 1000 })), wanted, context);
      }
      assert.deepEqual(gone(document, after({ op: "remove", path })), wanted, context);
      // Removing an item removes everything in it.
      const was = open(document, rules).get("x", item);
      const whole = gone(document, after({ op: "remove", path: item }));
      if (whole.length > 0) {
        removed += 1;
        assert.deepEqual(whole, numbers(was), context);
      } else assert.ok(own === undefined || (rules === "ui" && list[0] !== "state"), context);
      // By its id alone, as an argument: compared as JSON, not as a path segment.
      const [, text] = /\["(.*)"\]$/.exec(item) ?? [];
      if (text !== undefined) {
        const holder = item.slice(0, -text.length - 4);
        const removal = gone(document, after({ op: "remove", path: `${holder}-"${text}"` }));
        assert.deepEqual(removal, whole, context);
        const update = { op: "update_list_item", path: holder, value: { value: text, updates: { n: -1 } } };
        const store = open(document, rules);
        const answer = store.apply({ instance_name: "x", patches: [update] });
        const isNumber = at(document, list).some((one) => Object.values(one).includes(Number(text)));
        const isText = Object.values(was ?? {}).includes(text) && !isNumber;
        if (isText && list[0] !== "state" && rules === "ui")
          assert.deepEqual(changed(document, store.snapshot("x")), wanted, `${context}: ${JSON.stringify(answer)}`);
      }
      // An action's patch, and the value of a template in it.
      for (const [op, value, count] of [
        ["set", -1, 1],
        ["replace", -1, 1],
        ["set", `\${${path}}`, 0],
      ]) {
        const from = action(path, op, value);
        const store = open(from, rules);
        const result = store.runAction("x", "go!");
        if (own === undefined) assert.deepEqual(changed(document, store.snapshot("x")), [], context);
        else {
          assert.equal(result.status, "success", `${context}: ${JSON.stringify(result)}`);
          assert.deepEqual(changed(document, store.snapshot("x")), count === 0 ? [] : wanted, context);
        }
      }
      const beside = open(action("state.params.beside", "set", `\${${path}}`), rules);
      assert.equal(beside.runAction("x", "go!").status, "success", context);
      assert.equal(beside.get("x", "state.params.beside"), own ?? null, context);
      // A proposed instance, with the user's own value in it.
      const store = new PatchStore({ rules });
      made.push(store);
      const create = [{ op: "create", value: document }];
      const { id } = store.propose({ instance_name: "__CREATE__", new_instance_name: "x", patches: create });
      const answer = store.approve(id, { edits: { [path]: -9 } });
      if (own === undefined)
        assert.equal(answer.status === "success" && changed(document, store.snapshot("x")).length, false, context);
      else assert.deepEqual(changed(document, store.snapshot("x")), wanted, `${context}: ${JSON.stringify(answer)}`);
      for (const each of made.splice(0)) each.dispose();
    }
  }
  assert.ok(removed > ROUNDS, `${removed} items were removed`);
});
