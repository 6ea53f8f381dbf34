// The events of a store: recipients and order; names, revisions and the active instance.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { PatchStore } from "genui-patch";
import { assertMirror, assertSame, document, page, thrown } from "../support/store.mjs";

const apply = (store, ...patches) => {
  const result = store.apply({ instance_name: "page", patches });
  assert.equal(result.status, "success", JSON.stringify(result));
  return result;
};
const set = (path, value) => ({ op: "set", path, value });
const call = (...patches) => ({ instance_name: "page", patches });
const create = (name) => ({ instance_name: "__CREATE__", new_instance_name: name });
const remove = (name) => ({ instance_name: "__DELETE__", target_instance_name: name });

function paged() {
  const store = new PatchStore();
  store.load("page", page());
  return store;
}

test("a listener by id is notified of an item that is removed after another one in the call, or by another id", () => {
  const store = paged();
  let received = new Set();
  for (const id of ["a", "b", "c", "d"]) {
    store.subscribe(() => received.add(id), { instance: "page", path: `blocks["${id}"].title` });
  }
  const tells = (ids, ...patches) => {
    received = new Set();
    apply(store, ...patches);
    for (const id of ids) assert.ok(received.has(id), `${id} of ${ids}`);
  };
  const drop = (id) => ({ op: "remove", path: `blocks["${id}"]` });
  const block = (id) => ({ id, type: "form", title: id });
  const add = (id) => ({ op: "add", path: "blocks", value: block(id) });
  tells("abc", set("blocks", [block("a"), block("b"), block("c")]));
  tells("ab", drop("a"), drop("b"));
  tells("ab", { op: "prepend_to_list", path: "blocks", value: block("a") }, add("b"));
  tells("bd", set('blocks["b"].id', "d"));
  tells("bd", set('blocks["d"].id', "b"));
  tells("a", set("state.params.n", 9), drop("c"), drop("a"));
});

test("every change is an event, after the store has changed", () => {
  const store = new PatchStore();
  const received = [];
  store.subscribe((event) => {
    received.push(event);
    assert.equal(store.revision(event.instance_name), event.type === "delete" ? 0 : event.revision);
    if (event.type !== "delete") assertSame(store.snapshot(event.instance_name), document(store, event.instance_name));
  });
  const results = [
    store.load("page", page()),
    store.load("page", { ...page(), page_key: "other" }),
    apply(store, set("state.params.n", 5), { op: "remove", path: 'blocks["a"]' }),
    store.setNumber("page", "state.params.n", 6),
    store.setNumber("page", "state.params.new", 6),
    store.setString("page", 'blocks["b"].title', "T"),
    store.apply(create("made")),
    store.apply(remove("page")),
  ];
  assert.deepEqual(
    received.map(({ type, instance_name, revision, origin }) => `${type} ${instance_name} ${revision} ${origin}`),
    [
      "create page 1 load",
      "change page 2 load",
      "change page 3 apply",
      "change page 4 apply",
      "change page 5 apply",
      "change page 6 apply",
      "create made 1 apply",
      "delete page 7 apply",
    ],
  );
  for (const [place, { changes }] of received.entries()) assertSame(changes, results[place].changes);
});

test("a call that changes nothing, or fails, emits no event", () => {
  const store = paged();
  store.subscribe(assert.fail);
  apply(store);
  apply(store, set("state.params.n", 1));
  apply(store, { ...set("state.params.n", 2), condition: "state.params.n == 3" });
  store.apply("{");
  store.apply({ instance_name: "page", patches: [set("state.params.n", 2), set("nope", 1)] });
  store.apply(create("page"));
  store.apply(remove("nobody"));
  store.load("page", { state: 1 });
  store.setNumber("page", "state.params.n", 1);
  assertMirror(store);
});

test("names in the order in which they came, revisions that count changes", () => {
  const store = new PatchStore();
  for (const name of ["b", "a", "10", "2", "c d", "😀"]) store.apply(create(name));
  store.apply(remove("a"));
  store.load("a", page("a"));
  assert.deepEqual(store.names(), ["b", "10", "2", "c d", "😀", "a"]);
  assert.deepEqual([store.revision("a"), store.revision("b"), store.revision("nobody")], [1, 1, 0]);
  store.names().pop();
  assert.equal(store.names().length, 6);
  assert.equal(store.snapshot("nobody"), undefined);
  assertMirror(store);
});

test("names are no properties", () => {
  const store = new PatchStore();
  for (const name of ["__proto__", "constructor", "toString"]) {
    assert.equal(store.snapshot(name), undefined);
    assert.equal(store.apply(create(name)).status, "success");
    store.setNumber(name, "state.params.n", 1);
    assert.equal(store.get(name, "state.params.n"), 1);
  }
  assertMirror(store);
});

test("a name with half a surrogate pair is one name, whichever way it comes", () => {
  const store = new PatchStore();
  store.load("\ud800", page());
  assertMirror(store);
  assert.deepEqual(store.names(), ["\ufffd"]);
  assert.equal(store.apply({ instance_name: "\ud800", patches: [set("state.params.n", 2)] }).status, "success");
  assert.equal(store.setNumber("\ud800", "state.params.n", 3).status, "success");
  assertMirror(store);
  assert.deepEqual([store.get("\ud800", "state.params.n"), store.get("\ufffd", "state.params.n")], [3, 3]);
});

test("active: set, emitted, cleared with its instance", () => {
  const store = paged();
  store.apply(create("other"));
  const received = [];
  store.subscribe(({ type, instance_name }) => received.push(`${type} ${instance_name}`));
  assert.equal(store.active, null);
  store.active = "page";
  store.active = "page";
  store.active = "other";
  assert.throws(
    () => {
      store.active = "nobody";
    },
    thrown("INVALID_INSTANCE", /nobody/),
  );
  assert.equal(store.active, "other");
  assertMirror(store);
  store.active = null;
  store.active = null;
  store.active = "other";
  store.apply(remove("page"));
  assert.equal(store.active, "other");
  store.apply(remove("other"));
  assert.equal(store.active, null);
  assertMirror(store);
  assert.deepEqual(received, [
    "active page",
    "active other",
    "active ",
    "active other",
    "delete page",
    "delete other",
    "active ",
  ]);
});

/** [filter, patches, whether the listener receives an event]. In page(), block "a" is the first, and "b" the second. */
const filters = [
  ["state.params.n", [set("state.params.n", 2)], true],
  ["state.params.n", [set("state.params.s", "y")], false],
  ["state.params", [set("state.params.s", "y")], true],
  ["state.params.o.k", [set("state.params.o", {})], true],
  ["state.params.o.k", [set("state.params.o.2", 3)], false],
  ["state.params.new.deep", [set("state.params.new.deep", 1)], true],
  ["state.params.new.deep", [set("state.params.newer", 1)], false],
  ["state.params.n", [set("state.params.s", "y"), set("state.params.n", 2)], true],
  ["/state/params/n", [set("state.params.n", 2)], true],
  ['state.params["n"]', [set("state.params.n", 2)], true],
  ["blocks", [set("blocks.1.title", "T")], true],
  ['blocks["b"]', [set("blocks.1.title", "T")], true],
  ['blocks["b"].title', [set("blocks[1].title", "T")], true],
  ['blocks["b"].title', [set("blocks[1].note", "T")], false],
  ['blocks["a"]', [set("blocks.1.title", "T")], false],
  ['blocks["b"]', [{ op: "remove", path: 'blocks["b"]' }], true],
  ['blocks["a"]', [{ op: "remove", path: 'blocks["b"]' }], false],
  ['blocks["c"]', [{ op: "add", path: "blocks+", value: { id: "c", type: "tabs" } }], true],
  ['blocks["b"]', [{ op: "add", path: "blocks+", value: { id: "c", type: "tabs" } }], false],
  ['blocks["b"]', [{ op: "replace", path: "blocks", value: [] }], true],
  ["blocks.0", [set("blocks.0.title", "T")], true],
  ["blocks.0", [set("blocks.1.title", "T")], false],
  // An index refers to another item once an earlier one is removed.
  ["blocks.1", [{ op: "remove", path: 'blocks["a"]' }], true],
  ["blocks.0", [{ op: "remove", path: 'blocks["b"]' }], false],
  ["state.params.l.2", [{ op: "prepend_to_list", path: "state.params.l", value: 0 }], true],
  ["state.params.l.0", [{ op: "append_to_list", path: "state.params.l", value: 0 }], false],
  ['blocks["a"].props.fields["n"].value', [set("blocks.0.props.fields.0.value", 9)], true],
  ['blocks["a"].props.fields["s"].value', [set("blocks.0.props.fields.0.value", 9)], false],
  ["actions", [set("state.params.n", 2)], false],
  // After a move within the call, an index in a change counts in the state at that point.
  ['blocks["b"].title', [{ op: "remove", path: 'blocks["a"]' }, set("blocks.0.title", "T")], true],
  ["blocks", [{ op: "clear", path: "state" }], false],
];

test("a filter by path: at, above and below the place", () => {
  const wrong = [];
  for (const [path, patches, wanted] of filters) {
    const store = paged();
    let received = 0;
    store.subscribe(
      () => {
        received += 1;
      },
      { path },
    );
    apply(store, ...patches);
    if (received !== (wanted ? 1 : 0)) wrong.push([path, JSON.stringify(patches), wanted]);
  }
  assert.deepEqual(wrong, []);
});

test("a filter by instance", () => {
  const store = paged();
  store.load("other", page("other"));
  const received = [];
  store.subscribe(({ type, instance_name }) => received.push(`${type} ${instance_name}`), { instance: "other" });
  const both = { instance: "other", path: "state.params.n" };
  store.subscribe(({ type }) => received.push(`${type} n`), both);
  apply(store, set("state.params.n", 2));
  store.setNumber("other", "state.params.s", 1);
  store.setNumber("other", "state.params.n", 2);
  store.load("other", page("other"));
  store.apply(remove("other"));
  assert.deepEqual(received, [
    "change other",
    "change other",
    "change n",
    "change other",
    "change n",
    "delete other",
    "delete n",
  ]);
});

test("a filter that is no path throws", () => {
  const store = paged();
  assert.throws(() => store.subscribe(() => {}, { path: "state..n" }), thrown("INVALID_PATH"));
  store.subscribe(() => {}, { path: "any.thing" });
});

test("the end of a subscription", () => {
  const store = paged();
  let received = 0;
  const count = () => {
    received += 1;
  };
  const ends = [store.subscribe(count), store.subscribe(count)];
  store.setNumber("page", "state.params.n", 2);
  assert.equal(received, 2);
  ends[0]();
  ends[0]();
  store.setNumber("page", "state.params.n", 3);
  assert.equal(received, 3);
  ends[1]();
  store.setNumber("page", "state.params.n", 4);
  assert.equal(received, 3);
});

test("a listener that another one has unsubscribed is not called any more", () => {
  const store = paged();
  const received = [];
  const ends = [];
  store.subscribe(() => {
    received.push("first");
    ends[0]();
  });
  ends.push(store.subscribe(() => received.push("second")));
  store.setNumber("page", "state.params.n", 2);
  assert.deepEqual(received, ["first"]);
});

test("a listener added during an event receives the next change", () => {
  const store = paged();
  const received = [];
  const end = store.subscribe(() => {
    end();
    store.subscribe(({ revision }) => received.push(revision));
  });
  store.setNumber("page", "state.params.n", 2);
  store.setNumber("page", "state.params.n", 3);
  assert.deepEqual(received, [3]);
});

test("a listener that calls the store: all listeners receive all events in one order", () => {
  const store = paged();
  const received = { first: [], second: [] };
  store.subscribe(({ revision }) => {
    received.first.push(revision);
    if (revision === 2) {
      assert.equal(store.setNumber("page", "state.params.n", 3).revision, 3);
      apply(store, set("state.params.n", 4));
      assert.equal(store.get("page", "state.params.n"), 4);
    }
    if (revision === 4) store.apply(remove("page"));
  });
  store.subscribe(({ revision, type }) => received.second.push(`${type} ${revision}`));
  store.setNumber("page", "state.params.n", 2);
  assert.deepEqual(received.first, [2, 3, 4, 5]);
  assert.deepEqual(received.second, ["change 2", "change 3", "change 4", "delete 5"]);
  assert.deepEqual(store.names(), []);
});

test("a listener that disposes of the store", () => {
  const store = paged();
  let received = 0;
  store.subscribe(() => {
    received += 1;
    store.dispose();
  });
  assert.equal(store.setNumber("page", "state.params.n", 2).status, "success");
  assert.equal(received, 1);
  assert.throws(() => store.names(), thrown("DISPOSED"));
});

test("a listener that throws is reported, and the others are called", () => {
  // In a process of its own, since an error thrown by a listener is uncaught in it.
  const program = `
    import { PatchStore } from "genui-patch";
    process.on("uncaughtException", (error) => console.log("uncaught", error.message));
    const store = new PatchStore({ rules: "open" });
    store.load("page", {});
    store.subscribe(() => { throw new Error("from a listener"); });
    store.subscribe(({ revision }) => console.log("told", revision));
    console.log(store.setNumber("page", "n", 1).status, store.get("page", "n"));
    console.log(store.setNumber("page", "n", 2).status, store.get("page", "n"));
  `;
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const args = ["--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: "utf8" });
  assert.equal(stderr, "");
  const lines = ["told 2", "success 1", "told 3", "success 2", "uncaught from a listener", "uncaught from a listener"];
  assert.deepEqual(stdout.trim().split("\n"), lines);
});

test("the list of pending calls, and each call in it, is the same object until it changes", () => {
  const store = paged();
  store.applyOptimistic(call({ op: "increment", path: "state.params.n" }));
  store.applyOptimistic(call(set("state.params.s", "typed")));
  const [all, own] = [store.pending(), store.pending("page")];
  store.receive(call(set("state.params.elsewhere", 1)));
  assert.equal(store.pending(), all);
  assert.equal(store.pending("page"), own);
  // The first call has other changes on another number, so it is a new object; the second call is unchanged.
  store.receive(call(set("state.params.n", 10)));
  assert.notEqual(store.pending("page"), own);
  assert.notEqual(store.pending("page")[0], own[0]);
  assert.equal(store.pending("page")[1], own[1]);
});

test("the active instance: the event names the origin of the change", () => {
  const store = paged();
  const received = [];
  store.subscribe((event) => received.push(event));
  const active = () => received.filter(({ type }) => type === "active").map(({ origin }) => origin);
  store.receive({ type: "switch_instance", instance_name: "page" });
  store.receive({ instance_name: "__DELETE__", target_instance_name: "page" });
  assert.deepEqual(active(), ["receive", "receive"]);
});

test("a listener acts on an updated store: its own changes are emitted after the current events", () => {
  const store = new PatchStore();
  for (const name of ["one", "two"]) store.load(name, page(name));
  const grow = (name) => ({ instance_name: name, patches: [{ op: "increment", path: "state.params.n" }] });
  const received = [];
  const stop = store.subscribe(({ instance_name, revision }) => {
    if (instance_name === "one" && revision === 2) store.apply(grow("two"));
  });
  store.subscribe(({ instance_name, revision }) => received.push(`${instance_name} ${revision}`));
  store.batch(() => {
    store.apply(grow("one"));
    store.apply(grow("two"));
  });
  assert.deepEqual(received, ["one 2", "two 2", "two 3"]);
  stop();
  // A push to one instance that settles a call to the other changes both.
  const append = (value) => ({
    instance_name: "two",
    patches: [{ op: "append_to_list", path: "state.params.made", value }],
  });
  const { pendingId } = store.applyOptimistic(append("mine"));
  const end = store.subscribe(({ instance_name }) => {
    end();
    assert.equal(instance_name, "one");
    store.apply(append("theirs"));
  });
  store.receive({ type: "patch", instance_name: "one", patch_id: pendingId, patch: { "state.params.n": 9 } });
  assert.deepEqual(store.get("two", "state.params.made"), ["theirs"]);
  assertMirror(store);
});

test("who listens to the end of the active instance finds none active", () => {
  const store = paged();
  store.active = "page";
  const found = [];
  store.subscribe(({ type }) => found.push([type, store.active]));
  store.apply(remove("page"));
  assert.deepEqual(found, [
    ["delete", null],
    ["active", null],
  ]);
});
