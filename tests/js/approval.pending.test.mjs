// Proposals beside the user's own pending calls: they change the confirmed document, under the pending calls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { call } from "../support/calls.mjs";
import { random } from "../support/random.mjs";
import { page } from "../support/store.mjs";

const set = (path, value) => ({ instance_name: "page", patches: [{ op: "set", path, value }] });

function started() {
  const store = new PatchStore({ clientId: "c" });
  store.load("page", page());
  return store;
}

test("the user's edit stays on top of the approved changes", () => {
  const store = started();
  const { pendingId } = store.applyOptimistic(set("state.params.n", 5));
  const proposal = store.propose(set("state.params.n", 2));
  assert.deepEqual(proposal.diff, [{ kind: "set", path: ["state", "params", "n"], value: 2, before: 1 }]);
  const other = store.propose(set("state.params.s", "y"));
  assert.equal(store.approve(proposal.id, { paths: ["state.params.n"] }).status, "success");
  assert.equal(store.get("page", "state.params.n"), 5);
  assert.equal(store.confirmed("page").state.params.n, 2);
  assert.equal(store.approve(other.id).status, "success");
  store.reject(pendingId);
  assert.equal(store.get("page", "state.params.n"), 2);
  assert.equal(store.get("page", "state.params.s"), "y");
});

test("a pending call does not make a proposal stale; once confirmed it does", () => {
  const store = started();
  const proposal = store.propose(set("state.params.n", 2));
  const { pendingId } = store.applyOptimistic(set("state.params.n", 5));
  assert.equal(store.proposals()[0], proposal);
  store.confirm(pendingId);
  assert.equal(store.proposals()[0].status, "stale");
  assert.equal(store.approve(proposal.id).error.code, "STALE_PROPOSAL");
});

test("a proposal cannot change a value that only a pending call has created", () => {
  const store = started();
  store.applyOptimistic({
    instance_name: "page",
    patches: [{ op: "add", path: "blocks+", value: { id: "mine", type: "tabs" } }],
  });
  const call = set('blocks["mine"].title', "T");
  assert.deepEqual(store.propose(call), store.apply(call));
  store.applyOptimistic({ instance_name: "__CREATE__", new_instance_name: "new" });
  const other = { instance_name: "new", patches: [] };
  assert.deepEqual(store.propose(other), store.apply(other));
});

test("with calls pending, approving all is applying, and nothing else leaves a trace", () => {
  let made = 0;
  // An approved call is the agent's, an applied one the user's, and each has its own time.
  const withoutHistories = (text) =>
    JSON.stringify(JSON.parse(text), (key, value) => (key === "histories" ? undefined : value));
  for (let seed = 1; seed <= 800; seed++) {
    const rng = random(seed);
    const [store, other] = [started(), started()];
    for (let turn = rng.below(4); turn > 0; turn--) {
      const mine = call(rng);
      for (const each of [store, other]) each.applyOptimistic(mine);
    }
    const sent = call(rng);
    const message = `seed ${seed}: ${JSON.stringify(sent)}`;
    const before = store.save();
    const proposal = store.propose(sent);
    const instances = (text) => JSON.stringify(JSON.parse(text).instances);
    assert.equal(instances(store.save()), instances(before), message);
    const result = other.apply(sent);
    assert.equal(proposal.status === "error", result.status === "error", message);
    if (proposal.status === "error") continue;
    made += 1;
    if (rng.chance(0.2)) {
      store.refuse(proposal.id);
      assert.equal(store.save(), before, message);
      continue;
    }
    const part = rng.chance(0.3) && proposal.diff.length > 0 && proposal.diff[0].path.length > 0;
    const paths = proposal.diff.map(({ path }) => path);
    const answer = store.approve(proposal.id, part ? { paths } : {});
    assert.equal(answer.status, "success", `${message} ${JSON.stringify(answer)}`);
    assert.deepEqual(store.snapshot("page"), other.snapshot("page"), message);
    assert.deepEqual(store.confirmed("page"), other.confirmed("page"), message);
    if (!part) assert.equal(withoutHistories(store.save()), withoutHistories(other.save()), message);
    store.dispose();
    other.dispose();
  }
  assert.ok(made > 300);
});

test("pending calls and proposals come back together", () => {
  const store = started();
  store.applyOptimistic(set("state.params.n", 5));
  const { id } = store.propose(set("state.params.s", "y"));
  const restored = PatchStore.restore(store.save());
  assert.deepEqual(restored.proposals(), store.proposals());
  assert.equal(restored.approve(id).status, "success");
  assert.equal(restored.get("page", "state.params.s"), "y");
  assert.equal(restored.get("page", "state.params.n"), 5);
});

test("a push under pending calls that changes a proposal emits an event, even without another visible change", () => {
  const ways = {
    receive: (store, path, value) => store.receive({ type: "patch", instance_name: "page", patch: { [path]: value } }),
    apply: (store, path, value) => store.apply(set(path, value)),
    batch: (store, path, value) => store.batch(() => store.apply(set(path, value))),
  };
  for (const [way, change] of Object.entries(ways)) {
    const store = started();
    store.applyOptimistic(set("state.params.n", 7));
    store.applyOptimistic(set("state.params.s", "mine"));
    const { id } = store.propose(set("state.params.n", 11));
    const events = [];
    store.subscribe(({ type, proposalId }) => events.push([type, proposalId]));
    const before = store.proposals();
    // A change elsewhere rebases the proposal; repeating the change has no effect.
    for (const value of ["theirs", "theirs"]) change(store, "state.params.s", value);
    assert.deepEqual(events, [["proposal", id]], way);
    assert.notEqual(store.proposals(), before);
    assert.equal(store.proposals()[0].status, "pending");
    for (const value of [3, 3]) change(store, "state.params.n", value);
    assert.deepEqual(events.slice(1), [["proposal", id]], way);
    assert.equal(store.proposals()[0].status, "stale");
  }
});
