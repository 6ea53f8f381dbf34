// A proposal in a saved text is recomputed on restore: no text can show one change and apply another.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FlowStore, PatchStore, textDiff, Workspace } from "genui-patch";
import { call } from "../support/calls.mjs";
import { edit, remove, write } from "../support/files.mjs";
import { random } from "../support/random.mjs";
import { page, thrown } from "../support/store.mjs";

const set = (path, value) => ({ instance_name: "page", patches: [{ op: "set", path, value }] });

/** A saved text with one part changed. */
function changed(text, change) {
  const saved = JSON.parse(text);
  change(saved);
  return JSON.stringify(saved);
}

const started = () => {
  const store = new PatchStore({ clientId: "c" });
  store.load("page", page());
  return store;
};

/** Approves the one proposal, and asserts that exactly the shown changes are applied. */
function assertHonest(store, message) {
  const [{ id, target, status, diff }] = store.proposals();
  const before = store.confirmed(target);
  const result = store.approve(id);
  if (status === "stale") assert.equal(result.error?.code, "STALE_PROPOSAL", message);
  if (result.status === "error") {
    assert.deepEqual(store.confirmed(target), before, message);
    return diff;
  }
  const shown = diff.map(({ before: _, ...change }) => change);
  assert.deepEqual(result.changes, shown, message);
  assert.deepEqual(store.proposals()[0].effective, shown, message);
  return diff;
}

test("calls: after any change of the saved text, the diff is that of the executed call", () => {
  const store = started();
  store.propose({ id: "own", ...set("state.params.n", 2) });
  const text = store.save();
  const other = JSON.stringify(set("state.params.n", 666));
  const shown = (value) => [{ kind: "set", path: ["state", "params", "n"], value, before: 1 }];
  const rows = [
    [(one) => Object.assign(one, { call: other }), shown(666)],
    [(one) => Object.assign(one, { changes: [{ kind: "set", path: ["state", "params", "s"], value: "q" }] }), shown(2)],
    [(one) => Object.assign(one, { carried: true, changes: [], status: "stale", revision: 99 }), shown(2)],
    [(one) => Object.assign(one, { diff: [], status: "approved", kind: "node", approved: {} }), shown(2)],
    [
      (one) => Object.assign(one, { call: other, base: [{ kind: "set", path: ["state", "params", "s"], value: "z" }] }),
      shown(666),
    ],
    // The saved base says that the place has changed since.
    [(one) => Object.assign(one, { base: [{ kind: "set", path: ["state", "params", "n"], value: 7 }] }), shown(2)],
    [(one) => Object.assign(one, { base: [{ kind: "set", path: [], value: { ...page(), extra: 1 } }] }), shown(2)],
    [(one) => Object.assign(one, { base: [{ kind: "remove", path: [] }] }), shown(2)],
    [(one) => Object.assign(one, { base: [{ kind: "set", path: [], value: 3 }] }), shown(2)],
    // A call that cannot be made where it was proposed.
    [(one) => Object.assign(one, { call: JSON.stringify(set("nope.x", 1)) }), []],
  ];
  for (const [change, diff] of rows) {
    const restored = PatchStore.restore(
      changed(text, ({ proposals }) => change(proposals[0])),
      { clientId: "c" },
    );
    const [{ proposed, revision, kind }] = restored.proposals();
    assert.deepEqual([revision, kind], [1, "patch"]);
    assert.deepEqual(assertHonest(restored, change.toString()), diff, change.toString());
    assert.deepEqual([666, 2, 1].includes(proposed.patches[0].value), true);
  }
});

test("texts that cannot be proposals of their documents are refused", () => {
  const store = started();
  store.load("other", page("other"));
  store.propose(set("state.params.n", 2));
  store.propose(set("state.params.s", "y"));
  const text = store.save();
  const rows = [
    ({ proposals }) => (proposals[0] = 3),
    ({ proposals }) => (proposals[0] = null),
    ({ proposals }) => delete proposals[0].id,
    ({ proposals }) => delete proposals[0].call,
    ({ proposals }) => (proposals[0].id = proposals[1].id),
    ({ proposals }) => (proposals[0].id = 4),
    ({ proposals }) => (proposals[0].callId = 4),
    ({ proposals }) => (proposals[0].call = {}),
    // A proposal about another instance than the saved text names.
    ({ proposals }) => (proposals[0].target = "other"),
    ({ proposals }) => (proposals[0].call = proposals[0].call.replace('"page"', '"other"')),
    ({ proposals }) => (proposals[0].base = 3),
    ({ proposals }) => (proposals[0].base = [3]),
    ({ proposals }) => (proposals[0].base = [{ kind: "set", path: ["a", "b"], value: 1 }]),
    ({ proposals }) => (proposals[0].base = [{ kind: "set", path: ["__proto__", "x"], value: 1 }]),
  ];
  for (const change of rows)
    assert.throws(() => PatchStore.restore(changed(text, change)), thrown("INVALID_STRUCTURE"), change.toString());
  assert.equal(Object.prototype.x, undefined);
  assert.throws(() => PatchStore.restore(text, { limits: { maxProposals: 1 } }), thrown("LIMIT_EXCEEDED"));
});

test("under other options a call that no longer applies is restored as stale", () => {
  const store = started();
  store.propose({
    ...set("state.params.n", 2),
    patches: [set("state.params.n", 2), set("state.params.s", 2)].flatMap(({ patches }) => patches),
  });
  const restored = PatchStore.restore(store.save(), { limits: { maxPatches: 1 } });
  const [{ status, diff, id }] = restored.proposals();
  assert.deepEqual([status, diff], ["stale", []]);
  assert.equal(restored.approve(id).error.code, "STALE_PROPOSAL");
  assert.equal(restored.get("page", "state.params.n"), 1);
});

test("an instance that has been put under other rules since, and its proposals, come back", () => {
  const store = new PatchStore({ rules: "open" });
  store.load("page", { free: 1, state: { params: { n: 1 }, runtime: {} } });
  store.propose(set("state.params.n", 2));
  store.load("page", page(), { rules: "ui" });
  const text = store.save();
  const restored = PatchStore.restore(text, { rules: "open" });
  assert.equal(restored.save(), text);
  assert.deepEqual(restored.proposals(), store.proposals());
});

test("a proposal on a document that has changed since is restored, however large the document", () => {
  const options = { rules: "open", limits: { maxCallBytes: 600 } };
  const store = new PatchStore(options);
  const list = Array.from({ length: 60 }, (_, n) => ({ n }));
  store.load("page", { list, n: 1 });
  store.propose({ instance_name: "page", patches: [{ op: "set", path: "n", value: 2 }] });
  store.load("page", { other: list, n: 3 });
  const text = store.save();
  const restored = PatchStore.restore(text, options);
  assert.deepEqual(restored.proposals(), store.proposals());
  for (const one of [store, restored]) {
    one.load("page", { list, n: 1 });
    assert.equal(one.proposals()[0].status, "pending");
  }
});

test("random calls and changes: the restored proposal is the saved one, and approval applies the shown changes", () => {
  const counts = { pending: 0, stale: 0, carried: 0 };
  for (let seed = 1; seed <= 1200; seed++) {
    const rng = random(seed);
    const store = started();
    const first = store.propose(call(rng));
    if (first.status === "error") continue;
    for (let turn = rng.below(3); turn > 0; turn--) store[rng.chance(0.3) ? "applyOptimistic" : "apply"](call(rng));
    const text = store.save();
    const restored = PatchStore.restore(text, { clientId: "c" });
    assert.equal(restored.save(), text, `seed ${seed}`);
    // The revision also counts the user's pending calls, which do not matter.
    const shown = ({ revision: _, ...rest }) => rest;
    assert.deepEqual(restored.proposals().map(shown), store.proposals().map(shown), `seed ${seed}`);
    const [{ id, status, changes }] = store.proposals();
    counts[status] += 1;
    if (status === "pending" && store.revision("page") > 1) counts.carried += 1;
    const results = [store, restored].map((one) => one.approve(id));
    assert.deepEqual(results[1], results[0], `seed ${seed}`);
    assert.deepEqual(restored.snapshot("page"), store.snapshot("page"), `seed ${seed}`);
    if (results[0].status === "success") assert.deepEqual(store.proposals()[0].effective, changes, `seed ${seed}`);
    for (const one of [store, restored]) one.dispose();
  }
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 20, `${what}: ${count}`);
});

const nodeTypes = { idea: { ui: { diffFields: ["title"] }, actions: { update: { approvalStyle: "visual" } } } };
const flowed = () => {
  const flow = new FlowStore({ nodeTypes });
  const nodes = ["n", "m", "a\u0001b"].map((id) => ({ id, type: "idea", data: { title: "Old", a: 1 } }));
  flow.load({ id: "t", nodes });
  return flow;
};

test("nodes: the shown diff comes from the call and from the registry", () => {
  for (const nodeId of ["n", "a\u0001b"]) {
    const flow = flowed();
    flow.callTool("updateNode", { taskId: "t", nodeId, newData: { title: "New", a: 2 } });
    const inner = (saved, change) => (saved.store = changed(saved.store, ({ proposals }) => change(proposals[0])));
    const withCall = (change) => (saved) =>
      inner(saved, (one) => {
        const sent = JSON.parse(one.call);
        change(sent);
        one.call = JSON.stringify(sent);
      });
    const shown = { title: { before: "Old", after: "New" } };
    const others = { a: { before: 1, after: 2 } };
    const rows = [
      [() => {}, shown, others],
      [({ nodes }) => Object.assign(nodes[0], { newData: { title: "Seen" }, nodeId: "m", taskId: "x" }), shown, others],
      [({ nodes }) => (nodes[0].fields = ["a"]), shown, others],
      [withCall(({ patches }) => (patches[0].value.a = 666)), shown, { a: { before: 1, after: 666 } }],
    ];
    for (const [change, diff, otherChanges] of rows) {
      const restored = FlowStore.restore(changed(flow.save(), change), { nodeTypes });
      const [proposal] = restored.proposals();
      assert.deepEqual([proposal.diff, proposal.otherChanges, proposal.target], [diff, otherChanges, `t/${nodeId}`]);
      const data = Object.fromEntries(
        Object.entries({ ...diff, ...otherChanges }).map(([key, { after }]) => [key, after]),
      );
      assert.deepEqual(proposal.proposed, data);
      assert.deepEqual(restored.approve(proposal.id).node.data, data);
      assert.deepEqual(restored.proposals()[0].effective, data);
      assert.deepEqual(restored.node("t", "m").data, { title: "Old", a: 1 });
    }
    const bad = [
      (saved) => (saved.nodes = []),
      ({ nodes }) => (nodes[0].id = "other"),
      withCall(({ patches }) => (patches[0].op = "set")),
      withCall(({ patches }) => (patches[0].path = "nodes.1")),
      withCall(({ patches }) => (patches[0].path = "nodes.9.data")),
      withCall(({ patches }) => (patches[0].path = "nodes[")),
      withCall(({ patches }) => (patches[0].condition = "nodes")),
      withCall(({ patches }) => (patches[0].value = 3)),
      withCall(({ patches }) => patches.push({ op: "set", path: "nodes.1.data.title", value: "hidden" })),
      withCall((sent) => (sent.patches = [])),
      withCall((sent) => (sent.more = 1)),
    ];
    for (const change of bad)
      assert.throws(
        () => FlowStore.restore(changed(flow.save(), change), { nodeTypes }),
        thrown("INVALID_STRUCTURE"),
        change.toString(),
      );
  }
});

/** A host over a plain object. */
const hostOf = (store) => ({
  read: (path) => store[path] ?? null,
  write: (path, content) => void Object.assign(store, { [path]: content }),
  remove: (path) => void delete store[path],
  list: () => Object.keys(store),
});

test("files: proposals and files in memory come back, and can be approved", async () => {
  const files = Workspace.memory({ a: "one\ntwo\n", e: "", __proto__x: "x" });
  const all = [edit("a", "two", "2"), write("a", "one\n"), write("new", "x"), remove("e"), write("a", "uno\ntwo\n")];
  for (const one of all) await files.propose(one);
  files.refuse(files.proposals()[1].id);
  await files.execute(write("a", "one\ntwo\nthree\n"));
  const text = files.save();
  const restored = await Workspace.restore(text);
  assert.deepEqual(await restored.snapshot(), await files.snapshot());
  const waiting = files.proposals().filter(({ status }) => status !== "refused");
  const plain = (list) => list.map(({ revision: _, ...rest }) => rest);
  assert.deepEqual(plain(restored.proposals()), plain(waiting));
  assert.deepEqual(
    waiting.map(({ status }) => status),
    ["stale", "pending", "pending", "pending"],
  );
  assert.equal(restored.save(), text);
  for (const { id, status } of waiting) {
    const [one, other] = [await files.approve(id), await restored.approve(id)];
    assert.deepEqual(other, one);
    assert.equal(one.error?.code, status === "stale" ? "STALE_PROPOSAL" : undefined);
  }
  assert.deepEqual(await restored.snapshot(), await files.snapshot());
});

test("files: a change in the saved text is recomputed or refused", async () => {
  const files = Workspace.memory({ a: "one\ntwo\n" });
  const { id } = await files.propose(edit("a", "two", "2"));
  const text = files.save();
  const rows = [
    [({ proposals }) => (proposals[0].call.search_replace.new_string = "666"), "pending", "one\n666\n"],
    [
      ({ proposals }) => Object.assign(proposals[0], { diff: [], after: "x", status: "approved" }),
      "pending",
      "one\n2\n",
    ],
    [({ proposals }) => (proposals[0].call.args = { new_string: "3" }), "pending", "one\n2\n"],
    [({ proposals }) => (proposals[0].call.path = "./x/../a"), "pending", "one\n2\n"],
    [({ proposals }) => (proposals[0].before = "two\n"), "pending", undefined],
    [({ proposals }) => (proposals[0].before = "three\n"), "stale", undefined],
    [({ proposals }) => (proposals[0].before = null), "stale", undefined],
    [({ proposals }) => (proposals[0].call.path = "../a"), "stale", undefined],
    [({ proposals }) => (proposals[0].call.tool = "run"), "stale", undefined],
    [({ proposals }) => (proposals[0].call.path = 3), "stale", undefined],
    [({ files }) => (files.a = "one\nzwei\n"), "stale", undefined],
  ];
  for (const [change, status, after] of rows) {
    const restored = await Workspace.restore(changed(text, change));
    const before = await restored.snapshot();
    const [proposal] = restored.proposals();
    const message = change.toString();
    if (after !== undefined) {
      assert.equal(proposal.status, status, message);
      assert.deepEqual(proposal.diff, textDiff("one\ntwo\n", after), message);
    }
    const result = await restored.approve(id);
    if (result.status === "completed") {
      assert.deepEqual(result.diff, proposal.diff, message);
      if (after !== undefined) assert.equal(await restored.read("a"), after);
    } else assert.deepEqual(await restored.snapshot(), before, message);
    assert.equal(result.status, proposal.status === "stale" ? "failed" : "completed", message);
  }
  const bad = [
    ({ proposals }) => (proposals[0] = 3),
    ({ proposals }) => (proposals[0].id = 3),
    ({ proposals }) => delete proposals[0].call,
    ({ proposals }) => delete proposals[0].before,
    ({ proposals }) => proposals.push(proposals[0]),
    (saved) => (saved.proposals = {}),
    (saved) => (saved.files = { a: 1 }),
    (saved) => (saved["genui-patch-files"] = 2),
  ];
  for (const change of bad)
    await assert.rejects(Workspace.restore(changed(text, change)), thrown("INVALID_STRUCTURE"), change.toString());
  for (const [damaged, code] of [
    ["", "INVALID_JSON"],
    ["{", "INVALID_JSON"],
    ["null", "INVALID_STRUCTURE"],
    ["[]", "INVALID_STRUCTURE"],
  ])
    await assert.rejects(Workspace.restore(damaged), thrown(code), damaged);
  const misuse = thrown("INVALID_ARGUMENT");
  await assert.rejects(Workspace.restore(3), misuse);
  await assert.rejects(Workspace.restore(text, { files: {} }), misuse);
  await assert.rejects(Workspace.restore(text, { file: files }), misuse);
  await files.propose(write("b", "x"));
  await assert.rejects(Workspace.restore(files.save(), { limits: { maxProposals: 1 } }), thrown("LIMIT_EXCEEDED"));
});

test("files: of a host the text has the proposals alone, and another policy holds", async () => {
  const store = { "d/a": "one\ntwo\n", "b/c": "x\n" };
  const files = Workspace.custom(hostOf(store));
  const first = await files.propose(edit("d/a", "two", "2"));
  const second = await files.propose(write("b/c", "y\n"));
  const text = files.save();
  assert.equal(JSON.parse(text).files, undefined);
  await assert.rejects(Workspace.restore(text), thrown("INVALID_ARGUMENT"));
  store["d/a"] = "zero\none\ntwo\n";
  const restored = await Workspace.restore(text, {
    files: Workspace.custom(hostOf(store), { policy: { roots: ["d"] } }),
  });
  const [one, two] = restored.proposals();
  assert.deepEqual([one.id, one.status, one.diff], [first.id, "pending", textDiff(store["d/a"], "zero\none\n2\n")]);
  assert.deepEqual([two.id, two.status, two.diff], [second.id, "stale", []]);
  assert.equal((await restored.approve(second.id)).error.code, "UNSAFE_PATH");
  assert.equal((await restored.approve(second.id, { edits: "z" })).error.code, "UNSAFE_PATH");
  assert.equal((await restored.approve(first.id)).status, "completed");
  assert.deepEqual(store, { "d/a": "zero\none\n2\n", "b/c": "x\n" });
});
