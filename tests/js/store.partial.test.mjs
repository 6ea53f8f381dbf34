// Calls that have no effect or a partial one while calls are pending.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { assertSame, page, paged } from "../support/store.mjs";

const set = (path, value) => ({ op: "set", path, value });
const call = (...patches) => ({ instance_name: "page", patches });
const increment = call({ op: "increment", path: "state.params.n" });

test("a call that stops under pending calls keeps its first patches, and emits an event", () => {
  const { store, kinds } = paged({ onError: "stop" });
  const kept = store.applyOptimistic(increment).pendingId;
  store.sent(kept);
  const lost = store.applyOptimistic(call({ op: "toggle", path: "state.params.flag" })).pendingId;
  assert.deepEqual(store.confirmed("page").state, page().state);
  kinds();
  const stopped = store.apply(call(set("state.params.flag", "text"), set("blocks.99", 1), set("state.params.s", "no")));
  assert.deepEqual(
    [stopped.status, stopped.error.code, stopped.error.index, stopped.applied],
    ["error", "PATH_NOT_FOUND", 1, 1],
  );
  assert.deepEqual(stopped.rebased, [kept]);
  assert.deepEqual(
    stopped.conflicts.map((conflict) => conflict.pendingId),
    [lost],
  );
  assert.deepEqual(kinds(), ["change page apply"]);
  assert.equal(store.confirmed("page").state.params.flag, "text");
  assert.equal(store.get("page", "state.params.flag"), "text");
  assert.deepEqual(
    store.pending().map((pending) => pending.pendingId),
    [kept],
  );
  const restored = PatchStore.restore(store.save());
  assertSame(restored.confirmed("page"), store.confirmed("page"));
  store.confirm(kept);
  assert.equal(store.confirmed("page"), store.snapshot("page"));
});

test("a call that stops at once under pending calls emits no event", () => {
  const { store, kinds } = paged({ onError: "stop" });
  store.applyOptimistic(increment);
  const [shown, pending] = [store.snapshot("page"), store.pending()];
  kinds();
  const stopped = store.apply(call(set("blocks.99", 1)));
  assert.deepEqual([stopped.status, stopped.applied, stopped.changes], ["error", 0, []]);
  assert.deepEqual(kinds(), []);
  assert.equal(store.snapshot("page"), shown);
  assert.equal(store.pending(), pending);
});

test("confirmed twice while it waits, and typed again as it is: nothing happens", () => {
  const { store, kinds } = paged();
  store.sent(store.applyOptimistic(call(set("state.params.s", "a"))).pendingId);
  const waits = store.applyOptimistic(increment).pendingId;
  assert.equal(store.confirm(waits).ignored, undefined);
  const typed = store.applyOptimistic(call(set("state.params.s", "b"))).pendingId;
  const pending = store.pending();
  kinds();
  assert.equal(store.confirm(waits).ignored, true);
  assert.equal(store.applyOptimistic(call(set("state.params.s", "b"))).pendingId, typed);
  assert.equal(store.setString("page", "state.params.s", "b", { optimistic: true }).pendingId, typed);
  assert.deepEqual(kinds(), []);
  assert.equal(store.pending(), pending);
});

test("a document that is loaded under a pending removal keeps its rules", () => {
  const store = new PatchStore();
  store.load("page", { free: 1 }, { rules: "open" });
  const { pendingId } = store.applyOptimistic({ instance_name: "__DELETE__", target_instance_name: "page" });
  assert.equal(store.load("page", { free: 2 }).status, "success");
  assert.equal(
    store.receive({ type: "STATE_SNAPSHOT", snapshot: { free: 3 } }, { instance: "page" }).status,
    "success",
  );
  store.reject(pendingId);
  assert.deepEqual(store.snapshot("page"), { free: 3 });
  assert.equal(store.apply(call(set("other", 1))).status, "success");
});
