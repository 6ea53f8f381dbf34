// Nothing is approved that was not shown: what approving does to what is confirmed is what the proposal says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FlowStore, PatchStore, Workspace } from "genui-patch";
import { call } from "../support/calls.mjs";
import { random } from "../support/random.mjs";
import { assertMirror, page } from "../support/store.mjs";

const set = (path, value) => ({ instance_name: "page", patches: [{ op: "set", path, value }] });

function started() {
  const store = new PatchStore({ clientId: "c" });
  for (const name of ["page", "other"]) store.load(name, page(name));
  return store;
}

/** A document after changes, made by other means than the store's. */
function after(document, changes) {
  const root = { document: structuredClone(document) };
  for (const { kind, path, from, value } of structuredClone(changes)) {
    const moved = kind === "move" ? take(root, from) : value;
    if (kind === "remove") take(root, path);
    else put(root, path, moved, kind === "set");
  }
  return root.document;
}

function holderOf(root, path) {
  const steps = ["document", ...path];
  const last = steps.pop();
  return [steps.reduce((value, step) => value[step], root), last];
}

function take(root, path) {
  const [holder, last] = holderOf(root, path);
  const value = holder[last];
  if (Array.isArray(holder)) holder.splice(last, 1);
  else delete holder[last];
  return value;
}

function put(root, path, value, replaces) {
  const [holder, last] = holderOf(root, path);
  if (Array.isArray(holder)) holder.splice(last, replaces ? 1 : 0, value);
  else Object.defineProperty(holder, last, { value, writable: true, enumerable: true, configurable: true });
}

test("a change that the person's own edit hides is in the diff, and in what is recorded", () => {
  for (const patch of [
    { op: "set", value: 4 },
    { op: "increment", value: 2 },
  ]) {
    for (const isEditedFirst of [true, false]) {
      const store = started();
      store.apply(set("state.params.guests", 2));
      const edit = () => store.applyOptimistic(set("state.params.guests", 11)).pendingId;
      let pendingId = isEditedFirst ? edit() : "";
      const sent = { instance_name: "page", patches: [{ ...patch, path: "state.params.guests" }] };
      const { id, diff, changes } = store.propose(sent);
      if (!isEditedFirst) pendingId = edit();
      const change = { kind: "set", path: ["state", "params", "guests"], value: 4 };
      assert.deepEqual(diff, [{ ...change, before: 2 }]);
      assert.deepEqual(changes, [change]);
      assert.deepEqual(store.approve(id).changes, []);
      assert.deepEqual(store.proposals()[0].effective, [change]);
      assert.equal(store.get("page", "state.params.guests"), 11);
      store.reject(pendingId);
      assert.equal(store.get("page", "state.params.guests"), 4);
    }
  }
});

test("a value that is sent whole changes just what was shown of it, whatever else has changed since", () => {
  for (const isHidden of [true, false]) {
    const store = started();
    const { id, diff } = store.propose(set("state.params", { ...page().state.params, n: 7 }));
    assert.deepEqual(diff, [{ kind: "set", path: ["state", "params", "n"], value: 7, before: 1 }]);
    if (isHidden) store.applyOptimistic(set("state.params.s", "mine"));
    store.apply(set("state.params.s", "theirs"));
    const [carried] = store.proposals();
    assert.deepEqual(carried.diff, diff);
    assert.deepEqual(carried.changes, [{ kind: "set", path: ["state", "params", "n"], value: 7 }]);
    assert.equal(store.approve(id).status, "success");
    assert.deepEqual(store.confirmed("page").state.params, { ...page().state.params, n: 7, s: "theirs" });
  }
});

/** A call that sends a value whole, of which little is new. */
function whole(rng) {
  const { state, blocks } = page();
  const { params } = state;
  const [path, value, fresh] = rng.pick([
    ["state.params", params, () => Object.assign(params, rng.pick([{ n: 7 }, { s: "q" }, { new: 1 }, { o: {} }]))],
    ["state.params.o", params.o, () => Object.assign(params.o, rng.pick([{ k: 7 }, { inner: 1 }, { more: 2 }]))],
    ["state.params.l", params.l, () => params.l.push(rng.below(9))],
    ["blocks", blocks, () => rng.pick([() => blocks.reverse(), () => blocks.push({ id: "z", type: "tabs" })])()],
    ['blocks["a"]', blocks[0], () => Object.assign(blocks[0], { title: "T" })],
  ]);
  fresh();
  return set(path, value);
}

/** Something that happens to a store: an edit of the person, a call of an agent, a word from the server. */
function happen(rng, store) {
  const first = store.pending(rng.pick(["page", "other"]))[0]?.pendingId;
  if (first !== undefined && rng.chance(0.5)) store[rng.pick(["confirm", "reject"])](first);
  else store[rng.chance(0.5) ? "applyOptimistic" : "apply"](rng.chance(0.2) ? whole(rng) : call(rng));
}

test("what approving changes in what is confirmed is what the proposal says", () => {
  const counts = { made: 0, part: 0, carried: 0, stale: 0, hidden: 0 };
  for (let seed = 1; seed <= 1200; seed++) {
    const rng = random(seed);
    const store = started();
    for (let turn = rng.below(3); turn > 0; turn--) happen(rng, store);
    const proposed = store.propose(rng.chance(0.5) ? whole(rng) : call(rng));
    if (proposed.status === "error") continue;
    for (let turn = rng.below(4); turn > 0; turn--) happen(rng, store);
    const { id, target, status, diff, changes, proposed: sent } = store.proposals()[0];
    const message = `seed ${seed}: ${JSON.stringify(sent)}`;
    const before = store.confirmed(target);
    // A part can be told from the whole where no item of a list comes, goes or moves.
    const isFlat = diff.every(
      ({ kind, path }) => path.length > 0 && (kind === "set" || typeof path.at(-1) === "string"),
    );
    const part = isFlat && rng.chance(0.4) ? diff.filter(() => rng.chance(0.5)) : [];
    const isPart = part.length > 0;
    const result = store.approve(id, isPart ? { paths: part.map(({ path }) => path) } : {});
    if (result.status === "error") {
      assert.deepEqual(store.confirmed(target), before, message);
      assert.equal(result.error.code === "STALE_PROPOSAL", status === "stale", message);
      counts.stale += 1;
      continue;
    }
    const confirmed = store.confirmed(target);
    assert.deepEqual(confirmed, after(before, isPart ? part : changes), message);
    assert.deepEqual(confirmed, after(before, isPart ? part : diff), message);
    const [{ effective, revision }] = store.proposals();
    assert.deepEqual(confirmed, after(before, effective), message);
    // Nor does anything come to light later.
    for (const { pendingId } of store.pending().toReversed()) store.reject(pendingId);
    assert.deepEqual(store.snapshot(target), confirmed, message);
    assertMirror(store, message);
    counts.made += 1;
    if (isPart && part.length < diff.length) counts.part += 1;
    if (revision !== proposed.revision) counts.carried += 1;
    if (diff.length > 0 && result.changes.length === 0) counts.hidden += 1;
    store.dispose();
  }
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 20, `${what}: ${count}`);
});

const value = { op: "add", path: "blocks+", value: { id: "new", type: "tabs" } };
const parts = { instance_name: "page", patches: [...set("state.params.x", 5).patches, value] };
for (const [name, options] of Object.entries({
  whole: {},
  "in part": { paths: ["state.params.x"] },
  "with an own value": { edits: { "state.params.x": 6 } },
})) {
  test(`whoever follows the proposals finds one that is approved ${name} with the diff that was shown`, () => {
    const store = started();
    const { id, diff } = store.propose(parts);
    const seen = [];
    store.subscribe(({ type }) => {
      const [proposal] = store.proposals();
      seen.push([type, proposal.status, proposal.diff]);
      assert.equal(store.approve(id, options).error.code, "PROPOSAL_SETTLED");
    });
    assert.equal(store.approve(id, options).status, "success");
    assert.deepEqual(seen, [
      ["change", "approved", diff],
      ["proposal", "approved", diff],
    ]);
    store.dispose();
  });
}

test("what could not be approved waits as before, for those who follow it too", () => {
  const store = started();
  const proposal = store.propose(parts);
  store.subscribe(() => assert.fail("Nothing has happened."));
  assert.equal(store.approve(proposal.id, { edits: { blocks: 1 } }).status, "error");
  assert.equal(store.proposals()[0], proposal);
  store.dispose();
});

test("a node and a file are approved with the diff that was shown, whoever follows them", async () => {
  const flow = new FlowStore();
  flow.load({ id: "t", nodes: [{ id: "n", data: { title: "Old" } }] });
  const node = { taskId: "t", nodeId: "n", newData: { title: "New", owner: "Ann" }, diffFields: ["title"] };
  const { pending_confirmation: pending } = flow.callTool("updateNode", { ...node, approvalStyle: "visual" });
  flow.subscribe(() => flow.proposals());
  flow.approve(pending.proposalId, { fields: ["title"] });
  const [shown] = flow.proposals();
  assert.deepEqual([shown.diff, shown.otherChanges], [pending.diff, pending.otherChanges]);
  assert.deepEqual([shown.approved, shown.effective], [{ title: "New" }, { title: "New" }]);
  flow.dispose();
  const files = Workspace.memory({ "a.md": "one\n" });
  const { id, diff } = await files.propose({ tool: "write_file", path: "a.md", content: "two\n" });
  files.subscribe(() => files.proposals());
  assert.equal((await files.approve(id)).status, "completed");
  assert.deepEqual(files.proposals()[0].diff, diff);
});
