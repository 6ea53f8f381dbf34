// Hostile models, hostile servers and careless pages: time and memory grow at most linearly with the input,
// callbacks see a consistent store, and values passed in stay the page's.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are templates of documents
import assert from "node:assert/strict";
import { test } from "node:test";
import { FlowStore, PatchStore } from "genui-patch";
import { assertLinear } from "../support/growth.mjs";
import { thrown } from "../support/store.mjs";

const many = (count, make) => Array.from({ length: count }, (_, index) => make(index));

function open(document) {
  const store = new PatchStore({ rules: "open" });
  assert.equal(store.load("page", document).status, "success");
  return store;
}

function page({ params = {}, fields = [], actions = [] }) {
  const store = new PatchStore();
  const document = {
    page_key: "page",
    state: { params, runtime: {} },
    layout: { type: "single" },
    blocks: [{ id: "form", type: "form", props: { fields } }],
    actions,
  };
  const result = store.load("page", document);
  assert.equal(result.status, "success", JSON.stringify(result.error));
  return store;
}

const call = (...patches) => ({ instance_name: "page", patches });

test("deep values that differ at the bottom", () => {
  // As the depth doubles, code that compares both sides of a level again would take the square of its time.
  assertLinear("depth", 12, (depth) => {
    const deep = (leaf) => JSON.parse('{"a":'.repeat(depth) + leaf + "}".repeat(depth));
    const store = open({ x: deep(1), list: [{ id: "i", v: deep(1) }] });
    const test = [{ op: "test", path: "/x", value: deep(2) }];
    return () => {
      assert.equal(store.applyJsonPatch("page", test).error.code, "TEST_FAILED");
      store.apply(call({ op: "set", path: "x", value: deep(2) }));
      store.apply(call({ op: "remove_from_list", path: "list", value: { key: "v", value: deep(3) } }));
      store.applyMergePatch("page", { x: deep(4) });
      store.load("page", { x: deep(5) });
      store.applyOptimistic(call({ op: "set", path: "x", value: deep(6) }));
      store.receive({ type: "STATE_SNAPSHOT", snapshot: { x: deep(7) } }, { instance: "page" });
    };
  });
});

test("conditions about large values", () => {
  for (const condition of ["list == [1]", "!object", "object == {}"]) {
    assertLinear(condition, 1_250, (size) => {
      const store = open({
        list: many(10 * size, () => 0),
        object: Object.fromEntries(many(2 * size, (index) => [`k${index}`, 0])),
      });
      const patches = many(size, () => ({ op: "set", path: "x", value: 1, condition }));
      return () => assert.equal(store.apply(call(...patches)).status, "success");
    });
  }
});

const documents = (saved) => saved.replace(/.*?"document":/, "");

test("keys that come back stand where the module has them", () => {
  const store = open({ o: { a: 1, 7: 1, b: { x: 1, y: 2, z: 3 }, 3: 1, c: 1, d: 1 } });
  const before = store.save();
  const gone = ["o.a", "o.3", "o.c", "o.b.x", "o.b.y", "o.7"].map((path) => ({ op: "remove", path }));
  const { pendingId } = store.applyOptimistic(call(...gone, { op: "set", path: "o.a", value: 2 }));
  store.reject(pendingId);
  assert.equal(documents(store.save()), documents(before));
  assert.equal(
    JSON.stringify(store.snapshot("page")),
    JSON.stringify(PatchStore.restore(store.save()).snapshot("page")),
  );
});

test("templates that name labels and ids again and again", () => {
  assertLinear("labels", 500, (size) => {
    const options = many(size, (index) => ({ label: `L${index}`, value: `v${index}` }));
    const fields = many(size, (index) => ({
      key: `k${index}`,
      label: "L",
      type: "select",
      options: index === 0 ? options : [],
    }));
    const store = page({ params: { k0: `v${size - 1}` }, fields });
    const paths = many(
      10 * size,
      (index) =>
        `\${params${" ".repeat(index % 50)}.k0.label}\${blocks["form"].props.fields["k${index % size}"].label}`,
    );
    assert.equal(store.render("page", "${params.k0.label}"), `L${size - 1}`);
    return () => assert.ok(store.render("page", paths.join("")).startsWith("L"));
  });
});

test("templates that ask for a long value many times", () => {
  const value = "${params.long}".repeat(20_000);
  const go = (rest) => ({ id: "go", label: "Go", ...rest });
  const long = "x".repeat(500_000);
  const actions = [
    go({ action_type: "apply_patch", patches: { "state.runtime.text": value } }),
    go({
      id: "list",
      action_type: "apply_patch",
      patches: { "state.runtime.list": many(20_000, () => "${params.long}") },
    }),
    go({ id: "url", action_type: "api", url: `/${value}` }),
    go({ id: "row", action_type: "api", body: { state: "${state}${state}".repeat(10_000) } }),
  ];
  const store = page({ params: { long }, actions });
  const before = store.save();
  assert.throws(() => store.render("page", value), thrown("LIMIT_EXCEEDED"));
  for (const id of ["go", "list", "url", "row"]) {
    const params = { long: `${long}!` };
    assert.equal(store.runAction("page", id, { params }).error.code, "LIMIT_EXCEEDED", id);
    assert.equal(store.save(), before);
  }
  assert.equal(store.render("page", "${params.long}").length, long.length);
  const small = new PatchStore({ rules: "open", limits: { maxCallBytes: 100 } });
  small.load("page", { text: "x".repeat(40) });
  assert.equal(small.render("page", "${text}${text}").length, 80);
  assert.throws(() => small.render("page", "${text}${text}${text}"), thrown("LIMIT_EXCEEDED"));
});

test("an action with half of a surrogate pair in its URL", () => {
  const store = page({
    params: { q: "" },
    actions: [{ id: "find", label: "Find", action_type: "api", url: "/search?q=${params.q}" }],
  });
  assert.equal(store.runAction("page", "find", { params: { q: "a\ud800" } }).instruction.url, "/search?q=a%EF%BF%BD");
});

test("more criteria than a page can have", () => {
  const store = open({ n: 1 });
  const ask = (count) => {
    const completion_criteria = many(count, () => ({ type: "field_exists", path: "n" }));
    return store.callTool("validate_completion", { instance_name: "page", completion_criteria });
  };
  assert.equal(ask(1_000).completed, true);
  assert.equal(ask(1_001).error.code, "LIMIT_EXCEEDED");
  const other = new PatchStore({ rules: "open", limits: { maxCriteria: 1 } });
  other.load("page", { n: 1 });
  const completion_criteria = many(2, () => ({ type: "field_exists", path: "n" }));
  const { error } = other.callTool("validate_completion", { instance_name: "page", completion_criteria });
  assert.equal(error.code, "LIMIT_EXCEEDED");
});

test("a batch of very many operations, and a listener that makes more of them", () => {
  assertLinear("operations", 1_250, (size) => {
    const store = open({ n: 0 });
    const counts = [];
    store.subscribe((event) => counts.push(event.changes.length));
    return () => {
      let first;
      store.batch(() => {
        first = store.setNumber("page", "n", 1);
        for (let n = 2; n <= 6 * size; n++) store.setNumber("page", "n", n);
        for (let n = 1; n <= size; n++) store.load(`p${n}`, {});
      });
      assert.equal(counts[0], 6 * size);
      assert.equal(counts.length, size + 1);
      assert.equal(first.changes.length, 1);
    };
  });
});

test("a message that looks something up while it is written", () => {
  const store = new PatchStore({ rules: "open" });
  store.load("one", { list: [{ id: "a" }] });
  store.load("two", { list: [{ id: "a" }] });
  const delta = [{ op: "add", path: "/n", value: { toJSON: () => store.get("two", 'list["a"]').id } }];
  assert.equal(store.receive({ type: "STATE_DELTA", delta }, { instance: "one" }).instance_name, "one");
  assert.equal(store.get("two", "n"), undefined);
});

test("values of the page's stay the page's", () => {
  const flow = new FlowStore();
  flow.load({ id: "f", nodes: [{ id: "n", data: { title: "A" } }] });
  const ask = () =>
    flow.updateNode({ taskId: "f", nodeId: "n", newData: { title: "B" }, approvalStyle: "visual" }).pending_confirmation
      .proposalId;
  const title = { deep: ["x"] };
  const id = ask();
  flow.approve(id, { edits: { title } });
  assert.equal(Object.isFrozen(title), false);
  title.deep.push("y");
  assert.deepEqual(flow.proposals().find((proposal) => proposal.id === id).approved.title, { deep: ["x"] });
  const deep = JSON.parse("[".repeat(5_000) + "]".repeat(5_000));
  assert.throws(() => flow.approve(ask(), { edits: { title: deep } }), thrown("LIMIT_EXCEEDED"));
});

test("misuse has a code", () => {
  const store = page({});
  const deep = JSON.parse("[".repeat(5_000) + "]".repeat(5_000));
  const proposal = store.propose(call({ op: "set", path: "state.params.x", value: 1 }));
  assert.throws(() => store.approve(proposal.id, { edits: { "state.params.x": deep } }), thrown("LIMIT_EXCEEDED"));
  assert.throws(thrown("INVALID_ARGUMENT"));
});
