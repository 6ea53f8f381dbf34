// Optimistic calls: shown at once, confirmed, rejected, settled by a push; their events, and unchanged object identities.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { assertFrozen, assertSame, page, paged, thrown, throwsMisuse } from "../support/store.mjs";

const set = (path, value) => ({ op: "set", path, value });
const call = (...patches) => ({ instance_name: "page", patches });
const increment = call({ op: "increment", path: "state.params.n" });
const create = (name) => ({ instance_name: "__CREATE__", new_instance_name: name, patches: [] });
const remove = (name) => ({ instance_name: "__DELETE__", target_instance_name: name });

const n = (store) => store.get("page", "state.params.n");

test("shown at once, confirmed later", () => {
  const { store, kinds } = paged();
  const before = store.snapshot("page");
  const result = store.applyOptimistic(call(set("state.params.n", 5)));
  assert.equal(result.status, "success");
  assert.match(result.pendingId, /^[a-z0-9]{12}-1$/);
  assert.deepEqual(result.changes, [{ kind: "set", path: ["state", "params", "n"], value: 5 }]);
  assert.equal(n(store), 5);
  assert.equal(store.confirmed("page"), before);
  assert.deepEqual(store.pending("page"), [
    {
      pendingId: result.pendingId,
      instance_name: "page",
      call: call(set("state.params.n", 5)),
      changes: result.changes,
      author: { kind: "user" },
      confirmed: false,
      sent: false,
    },
  ]);
  assert.equal(store.pending(), store.pending());
  const shown = store.snapshot("page");
  const confirmed = store.confirm(result.pendingId);
  assert.deepEqual([confirmed.status, confirmed.changes, confirmed.revision], ["success", [], 2]);
  assert.equal(store.snapshot("page"), shown);
  assert.equal(store.confirmed("page"), shown);
  assert.deepEqual(store.pending(), []);
  assert.deepEqual(kinds(), ["change page optimistic", "pending page confirm"]);
});

test("the confirmed document may be null", () => {
  const store = new PatchStore({ rules: "open" });
  store.load("value", { a: 1 });
  store.applyOptimistic(remove("value"));
  store.load("value", null);
  assert.deepEqual([store.pending().length, store.snapshot("value"), store.confirmed("value")], [1, undefined, null]);
});

test("rejected: the call is reverted, and later changes stay", () => {
  const { store, received, kinds } = paged();
  const before = store.snapshot("page");
  const first = store.applyOptimistic(increment);
  const second = store.applyOptimistic(call(set("state.params.s", "later")));
  const third = store.applyOptimistic(increment);
  assert.equal(n(store), 3);
  kinds();
  const result = store.reject(first.pendingId, "out of stock");
  assert.deepEqual(result.rebased, [second.pendingId, third.pendingId]);
  assert.deepEqual(result.changes, [{ kind: "set", path: ["state", "params", "n"], value: 2 }]);
  assert.equal(received[0].reason, "out of stock");
  assert.deepEqual(kinds(), ["change page reject"]);
  store.reject(second.pendingId);
  store.reject(third.pendingId);
  assertSame(store.snapshot("page"), before);
  assert.equal(store.confirmed("page"), store.snapshot("page"));
});

test("refused optimistic calls keep nothing, whatever onError says", () => {
  for (const onError of ["rollback", "stop", "skip"]) {
    const { store, kinds } = paged({ onError });
    const saved = store.save();
    const result = store.applyOptimistic(call(set("state.params.n", 5), set("nope", 1)));
    assert.equal(result.error.code, "INVALID_PATH");
    assert.equal(result.pendingId, undefined);
    assert.equal(store.applyOptimistic("{").error.code, "INVALID_JSON");
    assert.equal(store.applyOptimistic({ instance_name: "nobody" }).error.code, "INVALID_INSTANCE");
    assert.equal(store.save(), saved);
    assert.deepEqual(kinds(), []);
  }
});

test("a push is applied under pending calls: a stale one never overwrites later input", () => {
  const { store, kinds } = paged();
  const { pendingId } = store.applyOptimistic(call(set("state.params.n", 5)));
  const shown = store.snapshot("page");
  kinds();
  const result = store.receive({ type: "patch", instance_name: "page", patch: { "state.params.n": 4 } });
  assert.deepEqual([result.changes, result.rebased, result.revision], [[], [pendingId], 2]);
  assert.equal(store.snapshot("page"), shown);
  assert.equal(store.confirmed("page").state.params.n, 4);
  assert.deepEqual(kinds(), []);
  store.reject(pendingId);
  assert.equal(n(store), 4);
});

test("a push that settles a pending increment counts once", () => {
  for (const key of ["patch_id", "clientCallId"]) {
    const { store } = paged();
    const { pendingId } = store.applyOptimistic(increment);
    const shown = store.snapshot("page");
    const push = { type: "patch", instance_name: "page", [key]: pendingId, patch: increment.patches };
    const result = store.receive(push);
    assert.deepEqual([result.status, result.changes], ["success", []]);
    assert.deepEqual([n(store), store.pending().length], [2, 0]);
    assert.equal(store.snapshot("page"), shown);
    assert.equal(store.receive(push).ignored, true);
    assert.equal(store.confirm(pendingId).ignored, true);
    assert.equal(n(store), 2);
  }
});

test("a push that arrives after its call was confirmed counts once", () => {
  const { store } = paged();
  const { pendingId } = store.applyOptimistic(increment);
  store.confirm(pendingId);
  const late = { ...increment, patch_id: 17, clientCallId: pendingId };
  assert.equal(store.receive(late).ignored, true);
  assert.equal(n(store), 2);
});

test("an untouched pending block is the same object after a hundred pushes", () => {
  const { store } = paged();
  store.applyOptimistic(call(set('blocks["a"].title', "typed")));
  store.applyOptimistic(call({ op: "add", path: "blocks+", value: { id: "mine", type: "tabs" } }));
  store.applyOptimistic(call(set("state.params.fresh", { deep: [1] })));
  const { blocks, state } = store.snapshot("page");
  for (let turn = 0; turn < 100; turn++) {
    const result = store.receive(call(set("state.runtime.turn", turn), set(`state.params.k${turn % 3}`, turn)));
    assert.equal(result.rebased.length, 3);
    assert.ok(result.changes.length <= 3);
    assert.equal(store.snapshot("page").blocks, blocks);
    assert.equal(store.snapshot("page").state.params.fresh, state.params.fresh);
  }
  store.receive(call({ op: "add", path: "blocks+", value: { id: "theirs", type: "tabs" } }));
  store.receive(call({ op: "remove", path: 'blocks["b"]' }));
  const after = store.snapshot("page").blocks;
  assert.deepEqual(
    after.map(({ id }) => id),
    ["a", "theirs", "mine"],
  );
  assert.equal(after[0], blocks[0]);
  assert.equal(after[2], blocks[2]);
  assertFrozen(store.snapshot("page"));
});

test("a call that no longer applies is a conflict; the others are kept, and nothing of it remains", () => {
  const { store, kinds } = paged();
  const lost = store.applyOptimistic(call(set("state.params.n", 9), set('blocks["b"].title', "T")));
  const kept = store.applyOptimistic(call(set("state.params.s", "kept")));
  kinds();
  const result = store.receive(call({ op: "remove", path: 'blocks["b"]' }));
  assert.equal(result.status, "success");
  assert.deepEqual(result.rebased, [kept.pendingId]);
  assert.deepEqual(
    result.conflicts.map(({ pendingId, error }) => [pendingId, error.code, error.index]),
    [[lost.pendingId, "PATH_NOT_FOUND", 1]],
  );
  assert.deepEqual([n(store), store.get("page", "state.params.s")], [1, "kept"]);
  assert.deepEqual(kinds(), ["change page receive"]);
});

test("confirmed calls are committed from the front; one that is lost after an open call needs a snapshot", () => {
  const { store } = paged();
  const open = store.applyOptimistic(call({ op: "add", path: "blocks+", value: { id: "c", type: "tabs" } }));
  const marked = store.applyOptimistic(call(set('blocks["c"].title', "T")));
  store.confirm(marked.pendingId);
  assert.deepEqual(
    store.pending().map(({ confirmed }) => confirmed),
    [false, true],
  );
  assert.equal(store.confirmed("page").blocks.length, 2);
  const { conflicts } = store.reject(open.pendingId);
  assert.deepEqual(
    conflicts.map(({ pendingId, error }) => [pendingId, error.code]),
    [[marked.pendingId, "NEEDS_SNAPSHOT"]],
  );
  assert.match(conflicts[0].error.solution, /Load "page" again/);
  assert.deepEqual(store.pending(), []);
});

test("a confirmed call that was lost, or refused all the same, may come in a push", () => {
  const { store } = paged();
  const open = store.applyOptimistic(call({ op: "add", path: "blocks+", value: { id: "c", type: "tabs" } }));
  const title = call(set('blocks["c"].title', "T"));
  const lost = store.applyOptimistic(title);
  const refused = store.applyOptimistic(increment);
  for (const { pendingId } of [lost, refused]) store.confirm(pendingId);
  store.reject(refused.pendingId);
  store.reject(open.pendingId);
  store.receive(call({ op: "add", path: "blocks+", value: { id: "c", type: "tabs" } }));
  for (const [sent, { pendingId }] of [
    [title, lost],
    [increment, refused],
  ]) {
    assert.equal(store.receive({ ...sent, clientCallId: pendingId }).ignored, undefined);
  }
  assert.deepEqual([store.get("page", 'blocks["c"].title'), n(store)], ["T", 2]);
});

test("typing is one call until it is sent", () => {
  const { store } = paged();
  const ids = [..."Rome"].map((_, length) => {
    return store.setString("page", "state.params.city", "Rome".slice(0, length + 1), { optimistic: true }).pendingId;
  });
  assert.equal(new Set(ids).size, 1);
  assert.deepEqual(store.pending()[0].call, call(set("state.params.city", "Rome")));
  const { kinds } = { kinds: [] };
  store.subscribe(({ type }) => kinds.push(type));
  store.sent(ids[0]);
  store.sent(ids[0]);
  store.sent("nobody-1");
  assert.deepEqual(kinds, ["pending"]);
  assert.equal(store.pending()[0].sent, true);
  const next = store.setString("page", "state.params.city", "Rome!", { optimistic: true });
  assert.notEqual(next.pendingId, ids[0]);
  store.setNumber("page", "state.params.n", 4, { optimistic: true });
  store.setBoolean("page", "state.params.flag", true, { optimistic: true });
  const another = store.setNumber("page", "state.params.n", 5, { optimistic: true });
  assert.equal(store.pending().length, 5);
  store.reject(another.pendingId);
  assert.equal(n(store), 4);
  for (const { pendingId } of store.pending()) store.reject(pendingId);
  assertSame(store.snapshot("page"), page());
});

test("apply, load and typed sets are applied under pending calls, too", () => {
  const { store } = paged();
  const { pendingId } = store.applyOptimistic(increment);
  assert.deepEqual(store.apply(call(set("state.params.n", 10))).rebased, [pendingId]);
  assert.equal(n(store), 11);
  for (const value of [20, 30]) store.setNumber("page", "state.params.n", value);
  assert.equal(n(store), 31);
  assert.equal(store.confirmed("page").state.params.n, 30);
  const result = store.load("page", page());
  assert.deepEqual([n(store), result.rebased], [2, [pendingId]]);
  store.applyJsonPatch("page", [{ op: "replace", path: "/state/params/n", value: 7 }]);
  assert.equal(n(store), 8);
  assert.equal(store.apply(call(set("nope", 1))).status, "error");
  assert.equal(n(store), 8);
});

test("instances created and removed before the server confirms", () => {
  const { store, kinds } = paged();
  const made = store.applyOptimistic(create("draft"));
  store.applyOptimistic({ instance_name: "draft", patches: [set("state.params.x", 1)] });
  assert.equal(store.confirmed("draft"), undefined);
  assert.deepEqual(store.names(), ["page", "draft"]);
  const { conflicts } = store.reject(made.pendingId);
  assert.equal(conflicts[0].error.code, "INVALID_INSTANCE");
  assert.deepEqual(store.names(), ["page"]);
  const gone = store.applyOptimistic(remove("page"));
  assert.equal(store.snapshot("page"), undefined);
  assertSame(store.confirmed("page"), page());
  assert.equal(store.setNumber("page", "state.params.n", 3).status, "success");
  assert.equal(store.snapshot("page"), undefined);
  store.reject(gone.pendingId);
  assert.equal(n(store), 3);
  assert.equal(store.setNumber("page", "state.params.n", 4).status, "success");
  assert.deepEqual(kinds(), [
    "create draft optimistic",
    "change draft optimistic",
    "delete draft reject",
    "delete page optimistic",
    "create page reject",
    "change page apply",
  ]);
});

test("a batch: one event per instance, emitted at its end, also when it throws", () => {
  const { store, received, kinds } = paged();
  store.batch(() => {
    store.setNumber("page", "state.params.n", 2);
    store.batch(() => store.applyOptimistic(increment));
    store.apply(create("other"));
    store.apply(create("brief"));
    store.apply(remove("brief"));
    store.active = "other";
    store.active = "page";
    assert.equal(n(store), 3);
    assert.deepEqual(received, []);
  });
  assert.equal(received[0].changes.length, 2);
  assert.equal(received[0].revision, store.revision("page"));
  assert.deepEqual(kinds(), ["change page optimistic", "create other apply", "active page apply"]);
  assert.throws(() =>
    store.batch(() => {
      store.setNumber("page", "state.params.n", 7);
      throw new Error("mine");
    }),
  );
  assert.deepEqual(kinds(), ["change page apply"]);
});

test("the table of messages, as objects and as texts", () => {
  const table = JSON.parse(readFileSync(new URL("../fixtures/messages.json", import.meta.url), "utf8"));
  const wrong = [];
  for (const { message, events, error } of table.rows) {
    for (const sent of typeof message === "string" ? [message] : [message, JSON.stringify(message)]) {
      const { store, received } = paged();
      store.load("page", table.page);
      store.load("other", table.page);
      store.active = "page";
      received.length = 0;
      const saved = store.save();
      const result = store.receive(sent);
      const kinds = received.map(({ type, instance_name }) => `${type} ${instance_name}`);
      if (result.error?.code !== error || String(kinds) !== String(events ?? [])) wrong.push([sent, result, kinds]);
      if (result.status === "error") assert.equal(store.save(), saved);
    }
  }
  assert.deepEqual(wrong, []);
});

test("messages: their instances, repeated ids, and ignored ones", () => {
  const { store, received } = paged();
  assert.equal(store.receive({ type: "STATE_DELTA", delta: [] }).error.code, "MISSING_VALUE");
  assert.equal(store.receive({ type: "STATE_SNAPSHOT", snapshot: page() }, { instance: "made" }).status, "success");
  assert.deepEqual(store.names(), ["page", "made"]);
  assert.equal(store.receive({ type: "RUN_FINISHED" }).ignored, true);
  const push = { ...increment, patch_id: "p-1" };
  assert.equal(store.receive(push).ignored, undefined);
  const again = store.receive(push);
  assert.deepEqual([again.ignored, again.instance_name, again.revision], [true, "page", 2]);
  assert.equal(n(store), 2);
  // A refused push may be sent again.
  const refused = { ...call(set("nope", 1)), patch_id: "p-2" };
  assert.equal(store.receive(refused).status, "error");
  assert.equal(store.receive(refused).status, "error");
  for (let turn = 0; turn < 256; turn++) store.receive({ ...call(), patch_id: `x-${turn}` });
  assert.equal(store.receive(push).ignored, undefined);
  store.receive({ type: "highlight_block", instance_name: "page", block_id: "a" });
  assert.deepEqual(received.at(-1).highlight, ["a"]);
  assert.throws(() => store.receive({}, { name: "page" }), thrown("INVALID_ARGUMENT"));
});

test("a snapshot keeps equal values as the same objects", () => {
  const { store } = paged();
  store.receive({ type: "STATE_SNAPSHOT", snapshot: page() }, { instance: "page" });
  const before = store.snapshot("page");
  const next = page();
  next.blocks.splice(0, 0, { id: "new", type: "tabs" });
  next.state.params.n = 7;
  store.applyOptimistic(call(set("state.params.s", "mine")));
  store.receive({ type: "STATE_SNAPSHOT", snapshot: next }, { instance: "page" });
  const after = store.snapshot("page");
  assert.equal(after.blocks[1], before.blocks[0]);
  assert.equal(after.blocks[2], before.blocks[1]);
  assert.equal(after.actions, before.actions);
  assert.deepEqual([n(store), after.state.params.s], [7, "mine"]);
});

test("a call settled by a push to another instance", () => {
  const { store, kinds } = paged();
  store.load("other", page("other"));
  const { pendingId } = store.applyOptimistic(increment);
  kinds();
  const push = { type: "patch", instance_name: "other", clientCallId: pendingId, patch: { "state.params.n": 5 } };
  assert.equal(store.receive(push).status, "success");
  assert.deepEqual([n(store), store.get("other", "state.params.n"), store.pending().length], [1, 5, 0]);
  assert.deepEqual(kinds(), ["change other receive", "change page receive"]);
});

test("as many pending calls as the limit allows", () => {
  const { store } = paged({ limits: { maxPending: 2 } });
  store.applyOptimistic(increment);
  store.applyOptimistic(increment);
  const saved = store.save();
  assert.equal(store.applyOptimistic(increment).error.code, "LIMIT_EXCEEDED");
  assert.equal(store.applyOptimistic(create("more")).error.code, "LIMIT_EXCEEDED");
  assert.equal(store.save(), saved);
  assert.deepEqual(store.names(), ["page"]);
  // An edit that is merged into a pending call does not count against the limit.
  store.reject(store.pending()[1].pendingId);
  for (const value of [4, 5]) store.setNumber("page", "state.params.n", value, { optimistic: true });
  assert.equal(n(store), 5);
});

test("saved and restored with all that is pending", () => {
  const { store } = paged({ clientId: "me" });
  store.active = "page";
  store.receive({ ...increment, patch_id: "p-1" });
  const first = store.applyOptimistic(increment);
  const second = store.applyOptimistic(call(set("state.params.2", "two")));
  store.sent(first.pendingId);
  store.confirm(second.pendingId);
  store.applyOptimistic(create("draft"));
  const saved = store.save();
  const again = PatchStore.restore(saved, { clientId: "you" });
  assert.equal(again.save(), saved);
  assertSame(again.snapshot("page"), store.snapshot("page"));
  assertSame(again.confirmed("page"), store.confirmed("page"));
  assert.deepEqual(again.pending(), store.pending());
  assert.deepEqual([again.names(), again.active], [["page", "draft"], "page"]);
  assert.equal(again.receive({ ...increment, patch_id: "p-1" }).ignored, true);
  assert.equal(again.applyOptimistic(increment).pendingId, "you-4");
  again.reject(first.pendingId);
  assert.equal(n(again), 3);
  const damaged = [
    ['"sent":true', '"sent":1'],
    ['"op":"increment"', '"op":"nothing"'],
    ['"id":"me-1"', '"id":"me-2"'],
    ['"number":1', '"number":"1"'],
    ['"pending":[', '"pending":7,"x":['],
  ];
  assert.throws(() => PatchStore.restore(saved, { limits: { maxPending: 2 } }), thrown("LIMIT_EXCEEDED"));
  for (const [from, to] of damaged) {
    assert.ok(saved.includes(from), from);
    assert.throws(() => PatchStore.restore(saved.replace(from, to)), /INVALID_STRUCTURE|pending/, to);
  }
});

test("keys that look like integers keep their place in snapshots, whatever is undone", () => {
  const store = new PatchStore({ rules: "open" });
  const check = () => {
    for (const name of ["snapshot", "confirmed"]) {
      const document = JSON.parse(store.save()).instances[0].document;
      if (name === "confirmed") assertSame(store.confirmed("o"), document);
    }
  };
  store.load("o", '{"b":1,"10":2,"a":3,"2":4,"c":5}');
  const pending = ["b", "10", "a", "2"].map((key) => {
    return store.applyOptimistic({ instance_name: "o", patches: [{ op: "remove", path: `/${key}` }] }).pendingId;
  });
  check();
  for (const place of [2, 0, 3, 1]) {
    store.reject(pending[place]);
    check();
  }
  assert.equal(JSON.stringify(store.snapshot("o")), '{"2":4,"10":2,"b":1,"a":3,"c":5}');
});

test("misuse throws", () => {
  const { store } = paged();
  const calls = {
    confirm: () => store.confirm(5),
    reject: () => store.reject(),
    reason: () => store.reject("x", 5),
    sent: () => store.sent(null),
    pending: () => store.pending(5),
    confirmed: () => store.confirmed(),
    batch: () => store.batch(),
    receive: () => store.receive(5n),
    instance: () => store.receive({}, { instance: 5 }),
    optimistic: () => store.setNumber("page", "state.params.n", 5, { later: true }),
    "optimistic or not": () => store.setNumber("page", "state.params.n", 5, { optimistic: "yes" }),
    clientId: () => new PatchStore({ clientId: 5 }),
  };
  const accepted = Object.entries(calls).filter(([, call]) => !throwsMisuse(call));
  assert.deepEqual(accepted, []);
  assert.equal(store.confirm("x-1").error.code, "UNKNOWN_PENDING");
  assert.equal(store.reject("x-1").error.code, "UNKNOWN_PENDING");
});

test("a null snapshot has the result of loading null", () => {
  for (const rules of ["ui", "open"]) {
    const store = new PatchStore({ rules });
    const other = new PatchStore({ rules });
    const [loaded, received] = [
      store.load("x", null),
      other.receive({ type: "STATE_SNAPSHOT", snapshot: null }, { instance: "x" }),
    ];
    assert.deepEqual([received.status, received.error], [loaded.status, loaded.error]);
    assert.equal(other.snapshot("x"), store.snapshot("x"));
  }
});

test("a change of the queue alone emits an event", () => {
  const ways = {
    apply: (store) => store.apply(call(set("state.params.n", 1))),
    set: (store) => store.setNumber("page", "state.params.n", 1),
    receive: (store) => store.receive({ type: "patch", instance_name: "page", patch: { "state.params.n": 1 } }),
    batch: (store) => store.batch(() => store.apply(call(set("state.params.n", 1)))),
  };
  for (const [way, change] of Object.entries(ways)) {
    const { store, kinds } = paged();
    store.setNumber("page", "state.params.n", 2);
    const { changes } = store.applyOptimistic(call(set("state.params.n", 2)));
    assert.deepEqual(changes, [], "it is there already");
    const before = store.pending("page");
    kinds();
    change(store);
    assert.deepEqual(kinds(), [`pending page ${way === "receive" ? "receive" : "apply"}`], way);
    assert.notEqual(store.pending("page"), before);
    assert.deepEqual(store.pending("page")[0].changes, [{ kind: "set", path: ["state", "params", "n"], value: 2 }]);
    // A change that affects neither the document nor the queue emits no event.
    change(store);
    assert.deepEqual(kinds(), [], way);
  }
});

test("a batch without visible changes emits an event if the queue has changed, and only then", () => {
  const { store, kinds } = paged();
  const less = call({ op: "increment", path: "state.params.n", value: -1 });
  store.batch(() => {
    store.applyOptimistic(increment);
    store.applyOptimistic(less);
  });
  assert.deepEqual(kinds(), ["pending page optimistic"]);
  store.batch(() => store.reject(store.applyOptimistic(increment).pendingId));
  assert.deepEqual(kinds(), []);
  const [{ pendingId }] = store.pending();
  store.batch(() => {
    store.reject(pendingId);
    store.applyOptimistic(increment);
  });
  assert.deepEqual(kinds(), ["pending page optimistic"]);
  assert.doesNotThrow(() =>
    store.batch(() => {
      store.applyOptimistic(increment);
      store.applyOptimistic(less);
      store.dispose();
    }),
  );
});

test("no pending calls are the same list, whatever another instance has pending", () => {
  const { store } = paged();
  store.load("other", page());
  const [none, all] = [store.pending("other"), store.pending()];
  const { pendingId } = store.applyOptimistic(increment);
  assert.notEqual(store.pending(), all);
  store.confirm(pendingId);
  assert.equal(store.pending("other"), none);
  assert.equal(store.pending("page"), none);
  assert.equal(store.pending(), all);
});
