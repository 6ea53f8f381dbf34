// The history of a store: authors, groups, undo and redo, pending calls, limits, save and restore.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, FlowStore, PatchStore } from "genui-patch";

const AGENT = { author: { kind: "agent", id: "writer" } };
const USER = { kind: "user" };
const call = (...patches) => ({ instance_name: "list", patches });
const add = (id) => call({ op: "add", path: "rows", value: { id } });
const set = (path, value) => call({ op: "set", path, value });
const remove = (id) => call({ op: "remove", path: `rows["${id}"]` });

function listed(options = {}) {
  const store = new PatchStore({ rules: "open", ...options });
  store.load("list", { title: "", rows: [{ id: "1" }, { id: "2" }] });
  return store;
}

const ids = (store) => store.get("list", "rows").map(({ id }) => id);

test("undo of the agent leaves what the user did since", () => {
  const store = listed();
  store.apply(add("x"), AGENT);
  store.apply(remove("1"));
  store.apply(add("mine"));
  assert.equal(store.undo("list", { author: "agent" }).status, "success");
  assert.deepEqual(ids(store), ["2", "mine"]);
  assert.equal(store.redo("list", { author: AGENT.author }).status, "success");
  assert.deepEqual(ids(store), ["2", "x", "mine"]);
});

test("what was moved to the front stays in front of an item that returns", () => {
  const store = new PatchStore({ rules: "open" });
  store.load("list", { rows: [{ id: "1" }, { id: "2" }, { id: "3" }] });
  store.apply(call({ op: "move", path: 'rows["1"]', to: 1 }), AGENT);
  store.apply(call({ op: "move", path: 'rows["3"]', to: 0 }));
  assert.deepEqual(ids(store), ["3", "2", "1"]);
  store.undo("list", { author: "agent" });
  assert.deepEqual(ids(store), ["3", "1", "2"]);
});

test("without options: the last group, whoever made it; then the one before", () => {
  const store = listed();
  store.apply(add("x"), AGENT);
  store.apply(set("title", "t"));
  assert.equal(store.undo("list").status, "success");
  assert.equal(store.get("list", "title"), "");
  store.undo("list");
  assert.deepEqual(ids(store), ["1", "2"]);
  assert.equal(store.undo("list").error.code, "NOTHING_TO_UNDO");
  assert.equal(store.canUndo("list"), false);
  assert.equal(store.canRedo("list"), true);
});

test("typing in one field is one group, and a turn is one group", () => {
  const store = listed();
  for (const title of ["a", "ab", "abc"]) store.setString("list", "title", title);
  store.apply(add("x"), { ...AGENT, group: "turn-1" });
  store.setString("list", "title", "abcd");
  store.apply(add("y"), { ...AGENT, group: "turn-1" });
  const shape = ({ id, author, changes, undone }) => [id, author.kind, changes.length, undone];
  assert.deepEqual(store.history("list").map(shape), [
    ["call-1", "user", 2, false],
    ["turn-1", "agent", 2, false],
  ]);
  store.undo("list", { group: "turn-1" });
  assert.deepEqual(ids(store), ["1", "2"]);
  store.undo("list", { author: USER });
  assert.equal(store.get("list", "title"), "");
});

test("a later change in the same place is a conflict; force does the rest", () => {
  const store = listed();
  store.apply(
    call({ op: "set", path: "title", value: "agent" }, { op: "add", path: "rows", value: { id: "x" } }),
    AGENT,
  );
  store.apply(set("title", "user"));
  const before = store.snapshot("list");
  const { error } = store.undo("list", { author: "agent" });
  assert.equal(error.code, "UNDO_CONFLICT");
  assert.deepEqual(error.places, ["title"]);
  assert.equal(store.snapshot("list"), before);
  assert.equal(store.undo("list", { author: "agent", force: true }).status, "success");
  assert.deepEqual(store.snapshot("list"), { title: "user", rows: [{ id: "1" }, { id: "2" }] });
});

test("a new change of an author ends what this author could make again, and no one else's", () => {
  const store = listed();
  store.apply(add("x"), AGENT);
  store.apply(add("y"));
  store.undo("list");
  store.undo("list");
  store.apply(add("z"));
  assert.equal(store.canRedo("list", { author: "user" }), false);
  assert.equal(store.canRedo("list", { author: "agent" }), true);
});

test("a change that joins a group of its author ends it, too", () => {
  const store = listed();
  store.apply(add("x"), { ...AGENT, group: "turn-1" });
  store.apply(add("y"), AGENT);
  store.undo("list", { author: "agent" });
  store.apply(add("z"), { ...AGENT, group: "turn-1" });
  assert.equal(store.canRedo("list", { author: "agent" }), false);
});

test("a message that settles a pending undo and has changes does not take the undo back", () => {
  const store = listed();
  store.apply(set("title", "t"));
  const { pendingId } = store.undo("list", { optimistic: true });
  store.receive({ type: "patch", instance_name: "list", patch: { title: "", "rows.0.n": 1 }, patch_id: pendingId });
  assert.equal(store.get("list", "rows.0.n"), 1);
  assert.equal(store.get("list", "title"), "");
  assert.equal(store.canRedo("list", { author: "user" }), true);
  assert.equal(store.undo("list").status, "success");
  assert.equal(store.get("list", "rows.0.n"), undefined);
});

test("a creation and a deletion are undone", () => {
  const store = new PatchStore({ rules: "open" });
  store.apply({ instance_name: "__CREATE__", new_instance_name: "new", patches: [] }, AGENT);
  const made = store.snapshot("new");
  store.undo("new");
  assert.deepEqual(store.names(), []);
  store.redo("new");
  assert.deepEqual(store.snapshot("new"), made);
  store.apply({ instance_name: "__DELETE__", target_instance_name: "new" });
  store.undo("new");
  assert.deepEqual(store.snapshot("new"), made);
});

test("a load is no group, and the history continues over it", () => {
  const store = listed();
  assert.deepEqual(store.history("list"), []);
  store.apply(add("x"), AGENT);
  store.apply(set("title", "t"));
  store.load("list", { title: "server", rows: [{ id: "0" }, { id: "1" }, { id: "2" }, { id: "x" }] });
  assert.equal(store.undo("list", { author: "user" }).error.code, "UNDO_CONFLICT");
  assert.equal(store.undo("list", { author: "agent" }).status, "success");
  assert.deepEqual(ids(store), ["0", "1", "2"]);
});

test("pending calls: a rejected one leaves the history, an undo is a call of its own", () => {
  const store = listed();
  const { pendingId } = store.applyOptimistic(set("title", "mine"), AGENT);
  assert.deepEqual(store.pending()[0].author, AGENT.author);
  store.sent(pendingId);
  store.receive({
    type: "patch",
    instance_name: "list",
    patch: { "rows.0.n": 1 },
    author: { kind: "user", id: "ann" },
  });
  assert.deepEqual(store.history("list")[1].author, { kind: "user", id: "ann" });
  const undone = store.undo("list", { author: "agent" });
  assert.equal(store.get("list", "title"), "");
  assert.equal(store.pending().length, 2);
  store.reject(undone.pendingId);
  assert.equal(store.get("list", "title"), "mine");
  assert.equal(store.canUndo("list", { author: "agent" }), true);
  store.reject(pendingId);
  assert.equal(store.get("list", "title"), "");
  assert.equal(store.canUndo("list", { author: "agent" }), false);
});

test("a pending call that a change of the server drops leaves the history, and earlier groups can be undone", () => {
  for (const isUndone of [false, true]) {
    const store = listed();
    store.apply(set("title", "first"));
    const patches = [set("title", "second"), set('rows["1"].n', 1)].flatMap((one) => one.patches);
    const { pendingId } = store.applyOptimistic(call(...patches));
    if (isUndone) store.undo("list", { author: "user" });
    const { conflicts } = store.receive({ type: "patch", instance_name: "list", patch: [remove("1").patches[0]] });
    assert.equal(conflicts[0].pendingId, pendingId);
    assert.deepEqual(store.snapshot("list"), { title: "first", rows: [{ id: "2" }] });
    assert.deepEqual(
      store.history("list").map(({ author, undone }) => [author.kind, undone]),
      [
        ["user", false],
        ["server", false],
      ],
    );
    assert.equal(store.undo("list", { author: "user" }).status, "success");
    assert.equal(store.get("list", "title"), "");
    assert.equal(store.undo("list", { author: "user" }).error.code, "NOTHING_TO_UNDO");
    assert.equal(store.undo("list", { author: "server" }).status, "success");
    assert.deepEqual(ids(store), ["1", "2"]);
  }
});

test("pending calls that end with a rejected one leave the history with it", () => {
  const store = listed();
  const first = store.applyOptimistic(add("x"));
  store.applyOptimistic(set('rows["x"].n', 1));
  store.applyOptimistic(set("title", "t"));
  store.reject(first.pendingId);
  assert.deepEqual(store.snapshot("list"), { title: "t", rows: [{ id: "1" }, { id: "2" }] });
  assert.equal(store.history("list").length, 1);
  assert.equal(store.undo("list").status, "success");
  assert.equal(store.undo("list").error.code, "NOTHING_TO_UNDO");
});

test("a call that is rejected after it was undone does not come back when its undo is rejected, too", () => {
  const store = listed();
  const { pendingId } = store.applyOptimistic(set("title", "t"));
  const undone = store.undo("list", { optimistic: true });
  store.reject(pendingId);
  if (store.pending().length > 0) store.reject(undone.pendingId);
  assert.deepEqual([store.history("list"), store.get("list", "title")], [[], ""]);
  store.apply(set("title", "next"));
  assert.equal(store.undo("list").status, "success");
  assert.equal(store.get("list", "title"), "");
});

test("many changes of groups stay in order", () => {
  const store = listed();
  const title = (number) => call({ op: "set", path: "title", value: `${number}` });
  for (let number = 0; number < 1010; number++) store.apply(title(number), { group: `turn-${number}` });
  for (let number = 1008; number > 990; number--) {
    assert.equal(store.undo("list").status, "success");
    assert.equal(store.get("list", "title"), `${number}`);
  }
});

test("typing in a field whose object does not exist yet is one group", () => {
  const store = new PatchStore();
  const fields = ["rate", "who"].map((key) => ({ key, label: key, type: "text" }));
  const value = [{ id: "deal", type: "form", bind: "state.params.deal", props: { fields } }];
  store.apply({ instance_name: "__CREATE__", new_instance_name: "p", patches: [{ op: "set", path: "blocks", value }] });
  for (const text of ["1", "1.", "1.0", "1.05"]) store.setField("p", "deal", "rate", text);
  for (const text of ["A", "An"]) store.setField("p", "deal", "who", text);
  const own = () => store.history("p").filter(({ id }) => id !== "call-1");
  assert.deepEqual(
    own().map(({ changes }) => changes.map(({ path }) => path.join("."))),
    [["state.params.deal", "state.params.deal.rate"], ["state.params.deal.who"]],
  );
  store.undo("p");
  assert.deepEqual(store.get("p", "state.params.deal"), { rate: "1.05" });
  store.undo("p");
  assert.equal(store.get("p", "state.params.deal"), undefined);
  store.redo("p");
  assert.deepEqual(store.get("p", "state.params.deal"), { rate: "1.05" });
});

test("on a store with a connection an undo is pending, and the server gets a call with the author", () => {
  const store = listed();
  const sent = [];
  const socket = { readyState: 1, addEventListener() {}, send: (text) => sent.push(JSON.parse(text)), close() {} };
  const connection = connect(store, socket);
  store.apply(remove("1"), AGENT);
  store.apply(set("title", "t"));
  store.undo("list", { author: "agent", optimistic: false });
  const { pendingId } = store.undo("list", { author: "user" });
  assert.equal(typeof pendingId, "string");
  assert.deepEqual(store.pending()[0].call.patches, [{ op: "set", path: "title", value: "" }]);
  connection.close();
  store.confirm(pendingId);
  assert.equal(store.redo("list", { author: "user" }).pendingId, undefined);
});

test("a pending undo of each kind of change, on a store with a connection", () => {
  const rows = [{ id: "1" }, { id: "2" }, { id: "3" }];
  const nested = {
    rows: [
      { id: "1", tags: [{ id: "t" }] },
      { id: "2", tags: [] },
    ],
  };
  const mine = { op: "add", path: "/rows/0", value: { id: "mine" } };
  // The document, the agent's change, the calls of its undo and of the redo, under a row that the user has added since.
  const cases = [
    [
      { rows },
      { op: "add", path: "/rows/1", value: { id: "x" } },
      [{ op: "remove", path: 'rows["x"]' }],
      [{ op: "add", path: "rows.2", value: { id: "x" } }],
    ],
    [
      { rows },
      { op: "move", from: "/rows/0", path: "/rows/2" },
      [{ op: "move", path: 'rows["1"]', to: 1 }],
      [{ op: "move", path: 'rows["1"]', to: 3 }],
    ],
    [
      { rows },
      { op: "remove", path: "/rows/2" },
      [{ op: "add", path: "rows", items: [{ id: "3" }] }],
      [{ op: "remove", path: 'rows["3"]' }],
    ],
    // `add` at the index of a list would append to that list.
    [
      { rows, grid: [[1], [2]] },
      { op: "remove", path: "/grid/0" },
      [
        { op: "add", path: "grid", items: [[1]] },
        { op: "move", path: "grid.1", to: 0 },
      ],
      [{ op: "remove", path: "grid.0" }],
    ],
    // Across lists, and from key to key.
    [
      nested,
      { op: "move", from: "/rows/0/tags/0", path: "/rows/1/tags/0" },
      [
        { op: "remove", path: 'rows["2"].tags["t"]' },
        { op: "add", path: 'rows["1"].tags', items: [{ id: "t" }] },
      ],
      [
        { op: "remove", path: 'rows["1"].tags["t"]' },
        { op: "add", path: 'rows["2"].tags', items: [{ id: "t" }] },
      ],
    ],
    [
      { rows, a: 1 },
      { op: "move", from: "/a", path: "/b" },
      [
        { op: "remove", path: "b" },
        { op: "set", path: "a", value: 1 },
      ],
      [
        { op: "remove", path: "a" },
        { op: "set", path: "b", value: 1 },
      ],
    ],
  ];
  for (const [document, change, undo, redo] of cases) {
    const stores = [0, 1].map(() => new PatchStore({ rules: "open" }));
    const [store, server] = stores;
    for (const one of stores) one.load("list", document);
    const socket = { readyState: 1, addEventListener() {}, send() {}, close() {} };
    const connection = connect(store, socket);
    const both = (operation, options) => stores.map((one) => one.applyJsonPatch("list", [operation], options));
    both(change, AGENT);
    both(mine);
    const changed = store.snapshot("list");
    const step = (method, patches) => {
      const before = store.snapshot("list");
      store.reject(store[method]("list", { author: "agent" }).pendingId);
      assert.deepEqual(store.snapshot("list"), before);
      const { pendingId } = store[method]("list", { author: "agent" });
      const [{ call: sent }] = store.pending();
      assert.deepEqual(sent.patches, patches);
      assert.equal(server.apply(sent).status, "success");
      store.confirm(pendingId);
      assert.deepEqual(store.snapshot("list"), server.snapshot("list"));
    };
    step("undo", undo);
    assert.deepEqual(store.snapshot("list"), { ...document, rows: [mine.value, ...document.rows] });
    step("redo", redo);
    assert.deepEqual(store.snapshot("list"), changed);
    connection.close();
    for (const one of stores) one.dispose();
  }
});

test("a turn that adds a key and removes it again is undone and made again", () => {
  const store = listed();
  const turn = { ...AGENT, group: "turn-1" };
  store.apply(set("k", 1), turn);
  store.apply(call({ op: "remove", path: "k" }), turn);
  store.apply(set("title", "t"));
  for (const method of ["undo", "redo", "undo", "redo"]) {
    const { status, changes } = store[method]("list", { group: "turn-1" });
    assert.deepEqual([status, changes], ["success", []]);
  }
  assert.equal(store.apply(set("k", 2)).status, "success");
  assert.equal(store.undo("list", { group: "turn-1" }).error.code, "UNDO_CONFLICT");
});

test("what an undo refers to is kept with it, though its group is forgotten", () => {
  const store = listed({ limits: { maxHistory: 2 } });
  store.apply(call({ op: "add", path: "rows.0", value: { id: "x" } }), AGENT);
  store.apply(call({ op: "add", path: "rows.1", value: { id: "y" } }));
  store.undo("list", { author: "agent" });
  store.apply(set("title", "t"), AGENT);
  store.apply(set('rows["y"].n', 1));
  const restored = PatchStore.restore(store.save(), { limits: { maxHistory: 2 } });
  for (const one of [store, restored]) {
    assert.equal(one.undo("list", { author: "user" }).status, "success");
    assert.equal(one.undo("list", { author: "agent" }).status, "success");
    assert.deepEqual(one.snapshot("list"), { title: "", rows: [{ id: "y" }, { id: "1" }, { id: "2" }] });
  }
});

test("drafts are not in the history; the call that they become is", () => {
  const store = listed();
  store.apply(set("title", "mine"));
  const draft = store.draft({ instance_name: "list" }, AGENT);
  draft.add({ op: "set", path: "title", value: "draft" });
  draft.add({ op: "add", path: "rows", value: { id: "x" } });
  assert.equal(store.history("list").length, 1);
  draft.discard();
  assert.equal(store.undo("list").status, "success");
  const next = store.draft({ instance_name: "list" }, AGENT);
  next.add({ op: "add", path: "rows", value: { id: "x" } });
  next.commit();
  assert.deepEqual(
    store.history("list").map(({ author }) => author.kind),
    ["user", "agent"],
  );
  store.undo("list", { author: "agent" });
  assert.deepEqual(ids(store), ["1", "2"]);
});

test("proposals: an approved change is by who has proposed it", () => {
  const store = listed();
  const { id, author } = store.propose(set("title", "t"), { ...AGENT, group: "turn-2" });
  assert.deepEqual(author, AGENT.author);
  store.approve(id);
  assert.equal(store.undo("list", { group: "turn-2" }).status, "success");
  assert.equal(store.get("list", "title"), "");
});

test("authors: who has changed each place last", () => {
  const store = listed();
  store.apply(set("title", "t"), AGENT);
  store.apply(add("x"));
  store.apply(set('rows["x"].n', 1), AGENT);
  assert.deepEqual(store.authors("list"), { title: AGENT.author, 'rows["x"]': USER, 'rows["x"].n': AGENT.author });
  assert.equal(store.authors("list"), store.authors("list"));
  store.undo("list");
  assert.deepEqual(Object.keys(store.authors("list")), ["title", 'rows["x"]']);
});

test("events have the author; one batch is several groups", () => {
  const store = listed();
  const events = [];
  store.subscribe(({ origin, author }) => events.push([origin, author.kind, store.canUndo("list")]));
  store.batch(() => {
    store.apply(set("title", "t"));
    store.apply(add("x"), AGENT);
  });
  assert.equal(store.history("list").length, 2);
  store.undo("list");
  store.undo("list");
  assert.deepEqual(events, [
    ["apply", "agent", true],
    ["apply", "user", true],
    ["apply", "user", false],
  ]);
});

test("limits: groups, bytes, none", () => {
  const store = listed({ limits: { maxHistory: 3 } });
  for (let count = 0; count < 10; count++) store.apply(add(`n${count}`));
  assert.deepEqual(
    store.history("list").map(({ changes }) => changes[0].value.id),
    ["n7", "n8", "n9"],
  );
  while (store.canUndo("list")) assert.equal(store.undo("list").status, "success");
  assert.equal(ids(store).length, 9);
  const small = listed({ limits: { maxHistoryBytes: 4000 } });
  for (let count = 0; count < 200; count++) small.apply(set("title", `${count}`.padEnd(500)));
  assert.ok(small.history("list").length <= 5);
  assert.ok(small.save().length < 10_000);
  const none = listed({ limits: { maxHistory: 0 } });
  none.apply(add("x"));
  assert.deepEqual(none.history("list"), []);
  assert.equal(none.undo("list").error.code, "NOTHING_TO_UNDO");
});

test("a text with a damaged history is refused", () => {
  const store = listed();
  store.apply(add("x"), AGENT);
  const saved = store.save();
  for (const damage of [
    (text) => text.replace('"steps":[', '"steps":[1,'),
    (text) => text.replace('"kind":"insert"', '"kind":"other"'),
    (text) => text.replace('"groups":[', '"groups":[{},'),
    (text) => text.replace(/"histories":\{"list":\{.*?\}\]\}/, '"histories":{"list":1'),
  ]) {
    assert.notEqual(damage(saved), saved);
    assert.throws(() => PatchStore.restore(damage(saved)), {
      name: "GenuiPatchError",
    });
  }
});

test("FlowStore: undo of an agent's update", () => {
  const flow = new FlowStore();
  flow.load({ id: "t", nodes: [{ id: "n", data: { title: "a", note: "" } }] });
  flow.callTool("updateNode", { taskId: "t", nodeId: "n", newData: { title: "b" } });
  flow.updateNode({ taskId: "t", nodeId: "n", newData: { note: "mine" } });
  assert.deepEqual(
    flow.history("t").map(({ author }) => author.kind),
    ["agent", "user"],
  );
  assert.deepEqual(flow.authors("t")['nodes["n"].data.title'], { kind: "agent" });
  const result = flow.undo("t", { author: "agent" });
  assert.deepEqual([result.status, result.nodeIds], ["success", ["n"]]);
  assert.deepEqual(flow.node("t", "n").data, { title: "a", note: "mine" });
  const restored = FlowStore.restore(flow.save());
  assert.equal(restored.redo("t").status, "success");
  assert.deepEqual(restored.node("t", "n").data, { title: "b", note: "mine" });
  assert.equal(restored.undo("t", { group: "none" }).error.code, "NOTHING_TO_UNDO");
});

test("a history goes to another store with the document, and only while nothing is pending", () => {
  const server = new PatchStore();
  server.load("page", { n: 1, list: [{ id: "a" }] }, { rules: "open" });
  assert.equal(server.saveHistory("page"), undefined, "there is nothing to undo");
  server.apply({ instance_name: "page", patches: [{ op: "set", path: "n", value: 2 }] }, { author: { kind: "agent" } });
  server.apply({ instance_name: "page", patches: [{ op: "remove", path: "list.0" }] });
  const history = server.saveHistory("page");
  assert.equal(server.saveHistory("page", { maxBytes: 0 }), undefined);

  const page = new PatchStore();
  for (const name of ["page", "__proto__"]) page.load(name, server.confirmed("page"), { rules: "open", history });
  for (const name of ["page", "__proto__"]) {
    assert.deepEqual(page.history(name), server.history("page"));
    assert.equal(page.undo(name, { author: "agent" }).status, "success");
    assert.deepEqual(page.snapshot(name), { n: 1, list: [] });
    assert.equal(page.undo(name, { author: "user" }).status, "success");
    assert.deepEqual(page.snapshot(name), { n: 1, list: [{ id: "a" }] });
    assert.equal(page.redo(name).status, "success");
  }
  assert.equal(server.history("page").filter(({ undone }) => undone).length, 0, "each store has its own");

  page.applyOptimistic({ instance_name: "page", patches: [{ op: "set", path: "n", value: 9 }] });
  assert.equal(page.saveHistory("page"), undefined);
  page.load("page", { n: 5 }, { history });
  assert.equal(page.history("page").length, 3, "an instance that exists keeps its own");
  for (const broken of [{}, { groups: [1], steps: [] }, { groups: [], steps: [{ author: "me" }] }])
    assert.throws(() => page.load("new", {}, { history: broken }), /a history from saveHistory/);
  assert.deepEqual(page.names(), ["page", "__proto__"]);
});
