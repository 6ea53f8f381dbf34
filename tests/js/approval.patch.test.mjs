// Patch calls that need approval: the document does not change before it, and then exactly as approved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPath, PatchStore } from "genui-patch";
import { call } from "../support/calls.mjs";
import { random } from "../support/random.mjs";
import { assertFrozen, assertMirror, document, page, thrown } from "../support/store.mjs";

const started = (options) => {
  const store = new PatchStore(options);
  store.load("page", page());
  return store;
};
const set = (path, value) => ({ op: "set", path, value });
const on = (name, ...patches) => ({ instance_name: name, patches });
const documents = (store) => JSON.stringify(JSON.parse(store.save()).instances);

test("a proposal shows the changes without applying them", () => {
  const store = started();
  const before = store.save();
  const snapshot = store.snapshot("page");
  const events = [];
  store.subscribe((event) => events.push(event));
  const sent = on("page", set("state.params.n", 2), { op: "add", path: "blocks+", value: { id: "c", type: "tabs" } });
  const proposal = store.propose(sent);
  assert.equal(proposal.status, "pending");
  assert.equal(proposal.kind, "patch");
  assert.equal(proposal.target, "page");
  assert.equal(proposal.revision, store.revision("page"));
  assert.deepEqual(proposal.proposed, sent);
  assert.deepEqual(proposal.diff, [
    { kind: "set", path: ["state", "params", "n"], value: 2, before: 1 },
    { kind: "insert", path: ["blocks", 2], value: { id: "c", type: "tabs" } },
  ]);
  assert.deepEqual(proposal.changes, [
    { kind: "set", path: ["state", "params", "n"], value: 2 },
    { kind: "insert", path: ["blocks", 2], value: { id: "c", type: "tabs" } },
  ]);
  assertFrozen(proposal);
  assert.equal(store.snapshot("page"), snapshot);
  assert.deepEqual(
    events.map(({ type, proposalId, changes }) => [type, proposalId, changes]),
    [["proposal", proposal.id, []]],
  );
  assert.deepEqual(store.proposals(), [proposal]);
  assert.equal(store.proposals()[0], store.proposals()[0]);
  store.refuse(proposal.id, "not now");
  assert.equal(store.save(), before);
  assert.equal(store.snapshot("page"), snapshot);
  assert.equal(store.proposals()[0].status, "refused");
  assert.equal(store.proposals()[0].reason, "not now");
});

test("a call that cannot be applied cannot be proposed", () => {
  const store = started({ limits: { maxProposals: 2 } });
  const codes = [
    ["{", "INVALID_JSON"],
    [on("nope"), "INVALID_INSTANCE"],
    [on("page", set("nope.x", 1)), "INVALID_PATH"],
    [on("page", set("meta.pageKey", "other")), "SCHEMA_MUTATION"],
    [{ instance_name: "__CREATE__", new_instance_name: "page" }, "INSTANCE_EXISTS"],
  ];
  for (const [sent, code] of codes) {
    const answer = store.propose(sent);
    assert.equal(answer.status, "error");
    assert.equal(answer.error.code, code);
    assert.deepEqual(answer, started().apply(sent));
  }
  assert.deepEqual(store.proposals(), []);
  const [first] = [store.propose(on("page")), store.propose(on("page"))];
  assert.equal(store.propose(on("page")).error.code, "LIMIT_EXCEEDED");
  store.refuse(first.id);
  assert.equal(store.propose(on("page")).status, "pending");
  assert.equal(store.approve(first.id).error.code, "UNKNOWN_PROPOSAL");
  assert.throws(() => store.refuse(first.id), thrown("UNKNOWN_PROPOSAL"));
});

test("proposing a call that would stop halfway leaves no trace, and reports no partial result", () => {
  const store = started({ onError: "stop" });
  const before = store.save();
  const answer = store.propose(on("page", set("state.params.n", 2), { op: "remove", path: "state.params.zz" }));
  assert.deepEqual(Object.keys(answer).sort(), ["error", "instance_name", "status"]);
  assert.equal(answer.error.code, "PATH_NOT_FOUND");
  assert.equal(store.save(), before);
});

test("approving all is applying; nothing proposed or refused leaves a trace", () => {
  let approved = 0;
  for (let seed = 1; seed <= 1200; seed++) {
    const rng = random(seed);
    // The histories differ: one is the agent's who proposed.
    const options = { onError: rng.pick(["rollback", "stop", "skip"]), limits: { maxHistory: 0 } };
    const [store, other] = [started(options), started(options)];
    for (const each of [store, other]) each.load("other", page("other"));
    const sent = call(rng);
    const before = store.save();
    const preview = store.propose(rng.chance(0.5) ? sent : JSON.stringify(sent));
    const message = `seed ${seed}: ${JSON.stringify(sent)}`;
    assert.equal(documents(store), documents(other), message);
    assertMirror(store, message);
    const result = other.apply(sent);
    if (preview.status === "error") {
      assert.equal(result.status, "error", message);
      assert.equal(store.save(), before, message);
      continue;
    }
    approved += 1;
    assert.deepEqual(preview.changes, result.changes, message);
    if (rng.chance(0.3)) {
      store.refuse(preview.id);
      assert.equal(store.save(), before, message);
      assert.equal(store.approve(preview.id).error.code, "PROPOSAL_SETTLED", message);
      assert.equal(store.save(), before, message);
      continue;
    }
    assert.deepEqual(store.approve(preview.id), result, message);
    assert.equal(store.save(), other.save(), message);
    assertMirror(store, message);
    const [record] = store.proposals();
    assert.equal(record.status, "approved");
    assert.deepEqual(record.effective, result.changes);
    assert.equal(store.approve(preview.id).error.code, "PROPOSAL_SETTLED", message);
    assert.throws(() => store.refuse(preview.id), thrown("PROPOSAL_SETTLED"));
    assert.equal(store.save(), other.save(), message);
    store.dispose();
    other.dispose();
  }
  assert.ok(approved > 500);
});

test("a part by paths changes that part alone", () => {
  const sent = on(
    "page",
    set("state.params.n", 2),
    set("state.params.s", "y"),
    set('blocks["a"].title', "A"),
    {
      op: "add",
      path: "blocks",
      items: [
        { id: "c", type: "tabs" },
        { id: "d", type: "tabs" },
      ],
    },
    { op: "remove", path: 'blocks-"b"' },
  );
  const parts = [
    [
      ["state.params.n"],
      (json) => {
        json.state.params.n = 2;
      },
    ],
    [["state.params"], (json) => void Object.assign(json.state.params, { n: 2, s: "y" })],
    [
      ["/state/params/s"],
      (json) => {
        json.state.params.s = "y";
      },
    ],
    [
      ['blocks["a"]'],
      (json) => {
        json.blocks[0].title = "A";
      },
    ],
    [
      ["blocks.0.title"],
      (json) => {
        json.blocks[0].title = "A";
      },
    ],
    [['blocks["d"]'], (json) => void json.blocks.push({ id: "d", type: "tabs" })],
    [['blocks["b"]'], (json) => void json.blocks.splice(1, 1)],
    [['blocks["b"]', 'blocks["d"]'], (json) => void json.blocks.splice(1, 1, { id: "d", type: "tabs" })],
    [
      [["state", "params", "n"]],
      (json) => {
        json.state.params.n = 2;
      },
    ],
  ];
  for (const [paths, change] of parts) {
    const store = started();
    const { id } = store.propose(sent);
    const expected = page();
    change(expected);
    const result = store.approve(id, { paths });
    assert.equal(result.status, "success", JSON.stringify(result));
    assert.deepEqual(store.snapshot("page"), expected);
    assertMirror(store);
    assert.deepEqual(store.proposals()[0].effective, result.changes);
    store.dispose();
  }
  const store = started();
  const before = store.save();
  const { id } = store.propose(sent);
  for (const paths of [["state.params.zz"], ["state.params.n", "layout"]]) {
    const { error } = store.approve(id, { paths });
    assert.equal(error.code, "PATH_NOT_FOUND");
    assert.match(error.solution, /state\.params\.n/);
  }
  assert.equal(store.approve(id, { paths: ["state..n"] }).error.code, "INVALID_PATH");
  assert.equal(documents(store), JSON.stringify(JSON.parse(before).instances));
  assert.throws(() => store.approve(id, { paths: [] }), thrown("INVALID_ARGUMENT"));
  assert.throws(() => store.approve(id, { paths: "state" }), thrown("INVALID_ARGUMENT"));
  assert.throws(() => store.approve(id, { fields: [] }), thrown("INVALID_ARGUMENT"));
  assert.throws(() => store.approve(id, { edits: [] }), thrown("INVALID_ARGUMENT"));
  assert.throws(() => store.approve(3), thrown("INVALID_ARGUMENT"));
});

test("of an insertion and a move, each is approved alone, and keeps its place when the page has changed since", () => {
  const block = (id) => ({ id, type: "tabs" });
  const sent = on(
    "page",
    { op: "add", path: "blocks.0", value: block("c") },
    { op: "move", path: 'blocks["b"]', to: { before: "a" } },
  );
  const ids = (store) => store.snapshot("page").blocks.map(({ id }) => id);
  for (const [paths, before, wanted] of [
    [undefined, [], ["c", "b", "a"]],
    [['blocks["c"]'], [], ["c", "a", "b"]],
    [['blocks["b"]'], [], ["b", "a"]],
    [undefined, [{ op: "add", path: "blocks+", value: block("d") }], ["c", "b", "a", "d"]],
    [['blocks["b"]'], [{ op: "add", path: "blocks.0", value: block("d") }], ["b", "d", "a"]],
  ]) {
    const store = started();
    const { id, diff } = store.propose(sent);
    assert.deepEqual(diff.map(({ kind }) => kind).sort(), ["insert", "move"]);
    if (before.length > 0) store.apply(on("page", ...before));
    const result = store.approve(id, { paths });
    assert.equal(result.status, "success", JSON.stringify(result));
    assert.deepEqual(ids(store), wanted);
    assertMirror(store);
    store.dispose();
  }
});

test("a part is validated as a whole, and a failure changes nothing", () => {
  const store = started();
  const patches = [
    { op: "remove", path: 'blocks-"b"' },
    { op: "add", path: "blocks+", value: { id: "b", type: "grid", props: { fields: [] } } },
  ];
  const { id } = store.propose(on("page", ...patches, set("meta.status", "submitted")));
  const before = store.save();
  const bad = [
    [{ "meta.status": "nonsense" }, "INVALID_STRUCTURE"],
    [{ "meta.pageKey": "other" }, "SCHEMA_MUTATION"],
    [{ "blocks.0.id": "b" }, "DUPLICATE_ID"],
    [{ "state.params.zz.y": 1 }, "PATH_NOT_FOUND"],
    [{ "blocks.7": {} }, "PATH_NOT_FOUND"],
    [{ "a..b": 1 }, "INVALID_PATH"],
  ];
  for (const [edits, code] of bad) {
    assert.equal(store.approve(id, { edits }).error.code, code, JSON.stringify(edits));
    assert.equal(store.save(), before);
  }
  assertMirror(store);
  const result = store.approve(id, { paths: ["meta.status"], edits: { "state.params.n": 7, 'blocks["a"].note': "x" } });
  assert.equal(result.status, "success", JSON.stringify(result));
  const expected = page();
  expected.meta.status = "submitted";
  expected.state.params.n = 7;
  expected.blocks[0].note = "x";
  assert.deepEqual(store.snapshot("page"), expected);
  assertMirror(store);
});

test("own values, one of which takes the place of another away", () => {
  const value = { k: { a: 1, l: [{ n: 1 }, { n: 2 }, { n: 3 }] } };
  const taken = [
    { k: "x", "k.a": 2 },
    { k: "x", "k.b": 2 },
    { "k.l": "x", "k.l[1].n": 2 },
    { "k.l": [{ n: 1 }], "k.l[2]": 2 },
    { "k.l": [], "k.l[3]": 2 },
    { "k.l": { 0: 1 }, "k.l[3]": 2 },
    { k: [1], "k.b": 2 },
    { "k.a": 2, k: 1, "k.l[0].m": 3 },
  ];
  const kept = [
    [
      { k: { a: 1, b: 2, l: [1] }, "k.a": 5, "k.c": 6 },
      { a: 5, b: 2, l: [1], c: 6 },
    ],
    [
      { "k.l[0].n": 4, "k.l": [] },
      { a: 1, l: [] },
    ],
    [{ "k.l[3]": 4, "k.l[0]": { m: 1 }, "k.l[0].m": 2, k: 9 }, 9],
  ];
  const approved = (edits) => {
    const store = new PatchStore({ rules: "open" });
    store.load("page", value);
    const { id } = store.propose({ instance_name: "page", patches: [{ op: "set", path: "n", value: 1 }] });
    return { store, result: store.approve(id, { edits }) };
  };
  for (const edits of taken) {
    const { store, result } = approved(edits);
    assert.equal(result.error?.code, "PATH_NOT_FOUND", JSON.stringify(edits));
    assert.deepEqual(store.snapshot("page"), value);
  }
  for (const [edits, k] of kept) {
    const { store, result } = approved(edits);
    assert.equal(result.status, "success", JSON.stringify(edits));
    assert.deepEqual(store.snapshot("page"), { k, n: 1 }, JSON.stringify(edits));
    assertMirror(store);
  }
});

test("approving the entries in any order gives the proposed document", () => {
  for (let seed = 1; seed <= 800; seed++) {
    const rng = random(seed);
    const [store, other] = [started(), started()];
    const sent = { instance_name: "page", patches: rng.list(5, () => call(rng).patches).flat() };
    const proposal = store.propose(sent);
    if (proposal.status === "error" || proposal.diff.length === 0) continue;
    const message = `seed ${seed}: ${JSON.stringify(sent)}`;
    other.apply(sent);
    const result = store.approve(proposal.id, { paths: proposal.diff.map(({ path }) => path) });
    assert.equal(result.status, "success", `${message} ${JSON.stringify(result)}`);
    assert.deepEqual(store.snapshot("page"), other.snapshot("page"), message);
    assertMirror(store, message);
    store.dispose();
    other.dispose();
  }
});

test("a change elsewhere carries the proposal over, one in the same place makes it stale", () => {
  const tall = { op: "add", path: "blocks+", value: { id: "c", type: "tabs" } };
  const front = { op: "set", path: "blocks", value: [{ id: "z", type: "tabs" }, ...page().blocks] };
  // The proposed patch, a patch in the meantime, and whether the proposal can still be approved.
  const table = [
    [set("state.params.n", 2), set("state.params.s", "y"), true],
    [set("state.params.n", 2), set("state.params.n", 3), false],
    [set("state.params.n", 2), set("state.params", {}), false],
    [set("state.params.o", 2), set("state.params.o.k", 3), false],
    [set("state.params.o.k", 2), set("state.params.o.inner", 3), true],
    [set('blocks["a"].title', "A"), set('blocks["b"].title', "B"), true],
    [set("blocks.0.title", "A"), { op: "remove", path: 'blocks-"b"' }, true],
    [set("blocks.1.title", "B"), { op: "remove", path: 'blocks-"a"' }, true],
    [set("blocks.1.title", "B"), front, true],
    [set("blocks.1.title", "B"), { op: "remove", path: 'blocks-"b"' }, false],
    [tall, { op: "add", path: "blocks+", value: { id: "d", type: "tabs" } }, true],
    [tall, { op: "add", path: "blocks+", value: { id: "c", type: "grid" } }, false],
    [{ op: "remove", path: 'blocks-"b"' }, set('blocks["b"].title', "B"), false],
    [set('blocks["a"].title', "A"), { op: "set", path: "blocks", value: [...page().blocks].reverse() }, true],
    [{ op: "set", path: "blocks", value: [...page().blocks].reverse() }, set('blocks["a"].title', "A"), true],
    [set("state.params.l.0", 5), { op: "prepend_to_list", path: "state.params.l", value: 0 }, false],
    [set("state.params.l.0", 5), set("state.params.l.1", 6), true],
    [{ op: "increment", path: "state.params.n" }, set("state.params.s", "y"), true],
  ];
  for (const [proposed, meanwhile, works] of table) {
    for (const waits of [true, false]) {
      const message = JSON.stringify([proposed, meanwhile]);
      const store = started();
      const proposal = store.propose(on("page", proposed));
      assert.equal(store.apply(on("page", meanwhile)).status, "success", message);
      const between = store.save();
      if (waits) assert.equal(store.proposals()[0].status, works ? "pending" : "stale", message);
      const result = store.approve(proposal.id);
      assertMirror(store, message);
      if (!works) {
        assert.equal(result.error.code, "STALE_PROPOSAL", message);
        assert.deepEqual(result.diff, store.proposals()[0].diff);
        assert.equal(store.proposals()[0].revision, store.revision("page"));
        assert.equal(documents(store), JSON.stringify(JSON.parse(between).instances), message);
        assert.equal(store.approve(proposal.id).error.code, "STALE_PROPOSAL", message);
        store.refuse(proposal.id);
        continue;
      }
      assert.equal(result.status, "success", `${message} ${JSON.stringify(result)}`);
      // Approval applies the shown changes, to the items for which they were shown.
      for (const { kind, path, value } of proposal.diff) {
        if (kind !== "set") continue;
        const item =
          path[0] === "blocks"
            ? store.snapshot("page").blocks.find(({ id }) => id === page().blocks[path[1]].id)
            : null;
        assert.deepEqual(item === null ? store.get("page", formatPath(path)) : item[path[2]], value, message);
      }
    }
  }
});

test("an id that two items have come to share makes a proposal for one of them stale", () => {
  const store = new PatchStore({ rules: "open" });
  store.load("doc", { items: [{ id: "a" }, { id: "b" }, { id: "c" }] });
  const proposal = store.propose(on("doc", set('items["b"].n', 1)));
  store.apply(on("doc", { op: "add", path: "items", value: { id: "b" } }, { op: "remove", path: 'items["c"]' }));
  assert.equal(store.proposals()[0].status, "stale");
  assert.equal(store.approve(proposal.id).error.code, "STALE_PROPOSAL");
  assert.deepEqual(document(store, "doc").items, [{ id: "a" }, { id: "b" }, { id: "b" }]);
});

test("a stale proposal shows what it would do now", () => {
  const store = started();
  const { id } = store.propose(on("page", set("state.params.n", 2)));
  store.apply(on("page", set("state.params.n", 5)));
  const result = store.approve(id);
  assert.deepEqual(result.diff, [{ kind: "set", path: ["state", "params", "n"], value: 2, before: 5 }]);
  store.apply({ instance_name: "__DELETE__", target_instance_name: "page" });
  assert.deepEqual(store.approve(id).diff, []);
});

test("instances that would come or go do so whole", () => {
  const store = started();
  const create = store.propose({ instance_name: "__CREATE__", new_instance_name: "new" });
  assert.equal(store.snapshot("new"), undefined);
  assert.deepEqual(
    create.diff.map(({ kind, path }) => [kind, path]),
    [["set", []]],
  );
  assert.equal(store.approve(create.id, { paths: ["state"] }).error.code, "INVALID_OP");
  assert.equal(store.approve(create.id, { edits: { "state.params.x": 1 } }).status, "success");
  assert.equal(store.get("new", "state.params.x"), 1);
  assert.deepEqual(store.proposals()[0].effective, [{ kind: "set", path: [], value: store.snapshot("new") }]);
  const remove = store.propose({ instance_name: "__DELETE__", target_instance_name: "page" });
  assert.equal(remove.diff[0].kind, "remove");
  assert.equal(store.approve(remove.id, { edits: { "state.params.x": 1 } }).error.code, "INVALID_OP");
  assert.equal(store.approve(remove.id).status, "success");
  assert.deepEqual(store.names(), ["new"]);
  const again = store.propose({ instance_name: "__CREATE__", new_instance_name: "page" });
  store.load("page", page());
  assert.equal(store.approve(again.id).error.code, "STALE_PROPOSAL");
  assertMirror(store);
});

test("proposals that wait survive save and restore", () => {
  const store = started();
  const kept = store.propose(on("page", set("blocks.1.title", "B")));
  const settled = store.propose(on("page", set("state.params.n", 9)));
  const overtaken = store.propose(on("page", set("state.params.s", "q")));
  store.refuse(settled.id);
  store.apply(on("page", set("state.params.s", "y"), { op: "remove", path: 'blocks-"a"' }));
  const saved = store.save();
  const restored = PatchStore.restore(saved);
  assert.equal(restored.save(), saved);
  const waiting = store.proposals().filter(({ status }) => status !== "refused");
  assert.deepEqual(restored.proposals(), waiting);
  assert.equal(restored.approve(settled.id).error.code, "UNKNOWN_PROPOSAL");
  assert.equal(restored.approve(overtaken.id).error.code, "STALE_PROPOSAL");
  assert.equal(restored.approve(kept.id).status, "success");
  assert.equal(restored.get("page", 'blocks["b"].title'), "B");
  const id = restored.propose(on("page")).id;
  assert.ok(![kept.id, settled.id, overtaken.id].includes(id));
  const damaged = saved.replace('"proposals":[', '"proposals":[3,');
  assert.throws(() => PatchStore.restore(damaged), thrown("INVALID_STRUCTURE"));
});

test("the event of an approval says so, and there is one of each kind", () => {
  const store = started();
  const { id } = store.propose(on("page", set("state.params.n", 2)));
  const events = [];
  store.subscribe(({ type, origin, proposalId }) => events.push([type, origin, proposalId]));
  store.approve(id);
  assert.deepEqual(events, [
    ["change", "approve", undefined],
    ["proposal", "approve", id],
  ]);
  assert.equal(document(store, "page").state.params.n, 2);
});
