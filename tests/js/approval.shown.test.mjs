// Approval applies only changes that were shown: the changes to the confirmed document are those of the proposal.
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

/** Applies changes to a document without the store's own code. */
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

test("a change hidden by the user's own edit is in the diff, and in the record", () => {
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

test("a value that is sent whole changes only the shown parts, whatever else has changed since", () => {
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

/** A call that sends a whole value of which little is new. */
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

/** A random event of a store: an edit of the user, a call of an agent, or a server message. */
function happen(rng, store) {
  const first = store.pending(rng.pick(["page", "other"]))[0]?.pendingId;
  if (first !== undefined && rng.chance(0.5)) store[rng.pick(["confirm", "reject"])](first);
  else store[rng.chance(0.5) ? "applyOptimistic" : "apply"](rng.chance(0.2) ? whole(rng) : call(rng));
}

test("approval changes the confirmed document as the proposal says", () => {
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
    // Partial approval can be distinguished if no item of a list is added, removed or moved.
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
    // No further change appears later.
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

test("a proposal that could not be approved stays pending, also for listeners", () => {
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

test("nodes: approval applies the shown diff, and the record contains it", () => {
  const counts = { all: 0, part: 0, edited: 0, none: 0, stale: 0, carried: 0 };
  const names = ["a", "b", "c", "__proto__"];
  const data = (rng) =>
    Object.fromEntries(rng.list(4, () => [rng.pick(names), rng.pick([1, 2, [1], { k: rng.below(2) }])]));
  for (let seed = 1; seed <= 900; seed++) {
    const rng = random(seed);
    const flow = new FlowStore();
    const nodes = () => ["n", "m"].map((id) => ({ id, data: data(rng) }));
    flow.load({ id: "t", nodes: nodes() });
    const update = {
      taskId: "t",
      nodeId: "n",
      newData: data(rng),
      approvalStyle: "visual",
      diffFields: rng.pick([[], ["a"]]),
    };
    const { proposalId } = flow.callTool("updateNode", update).pending_confirmation;
    for (let turn = rng.below(3); turn > 0; turn--) {
      if (rng.chance(0.2)) flow.load({ id: "t", nodes: nodes().toReversed() });
      else
        flow.updateNode({
          taskId: "t",
          nodeId: rng.pick(["n", "m"]),
          newData: { [rng.pick(names)]: 1 },
          isApprovedUpdate: true,
        });
    }
    const [{ status, diff, otherChanges, proposed, revision }] = flow.proposals();
    const shown = { ...diff, ...otherChanges };
    const fields = rng.chance(0.4) ? Object.keys(proposed).filter(() => rng.chance(0.5)) : undefined;
    const edits = rng.chance(0.3) ? { [rng.pick(["a", "b", "z"])]: rng.pick([1, 2, 3]) } : undefined;
    if (fields?.length === 0 && edits === undefined) continue;
    const before = flow.node("t", "n").data;
    // A listener that changes the node again does not change what is recorded.
    if (rng.chance(0.2)) {
      let isFirst = true;
      flow.subscribe(({ type }) => {
        if (type !== "update" || !isFirst) return;
        isFirst = false;
        flow.updateNode({ taskId: "t", nodeId: "n", newData: { later: 1 }, isApprovedUpdate: true });
      });
    }
    const answer = flow.approve(proposalId, { ...(fields && { fields }), ...(edits && { edits }) });
    const message = `seed ${seed}`;
    if (answer.error) {
      assert.equal(answer.error.code, "STALE_PROPOSAL", message);
      assert.equal(status, "stale", message);
      counts.stale += 1;
      continue;
    }
    const chosen = Object.keys(shown).filter((field) => fields === undefined || fields.includes(field));
    const wanted = Object.fromEntries([
      ...Object.entries(before),
      ...chosen.map((field) => [field, shown[field].after]),
      ...Object.entries(edits ?? {}),
    ]);
    const [{ effective, outcome, diff: after }] = flow.proposals();
    assert.deepEqual(effective, wanted, message);
    assert.deepEqual(after, diff, message);
    const { later: _, ...made } = flow.node("t", "n").data;
    assert.deepEqual(made, wanted, message);
    // Each field by its value: as proposed, as before, or another.
    const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
    for (const [field, { after }] of Object.entries(shown)) {
      const fate = same(wanted[field], after) ? "applied" : same(wanted[field], before[field]) ? "omitted" : "edited";
      assert.ok(outcome[fate].includes(field), `${message} ${field} ${JSON.stringify(outcome)}`);
    }
    const own = Object.keys(edits ?? {}).filter((field) => !(field in shown) && !same(edits[field], before[field]));
    assert.deepEqual(
      outcome.edited.filter((field) => !(field in shown)),
      own,
      message,
    );
    counts[outcome.extent] += 1;
    if (revision > 1) counts.carried += 1;
    flow.dispose();
  }
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 3, `${what}: ${count}`);
});

test("files: approval applies the shown diff, and the record contains it", async () => {
  const counts = { all: 0, part: 0, edited: 0, none: 0, stale: 0, carried: 0, created: 0, deleted: 0 };
  for (let seed = 1; seed <= 900; seed++) {
    const rng = random(seed);
    const line = (n) => `${rng.chance(0.1) ? `new ${n}` : `line ${n}`}\n`;
    const text = () => Array.from({ length: rng.pick([0, 24, 24, 24, 24]) }, (_, n) => line(n)).join("");
    const files = Workspace.memory(rng.chance(0.8) ? { a: text() } : {});
    const call = rng.pick([
      { tool: "write_file", path: "a", content: text() },
      { tool: "write_file", path: "a", content: text() },
      { tool: "delete_file", path: "a" },
      {
        tool: "edit_file",
        path: "a",
        search_replace: { old_string: "line 5\nline 6\n", new_string: rng.pick(["", "x\n"]) },
      },
    ]);
    const { id, status: first } = await files.propose(call);
    if (first === "error") continue;
    const current = await files.read("a");
    if (rng.chance(0.3) && current)
      await files.execute({
        tool: "write_file",
        path: "a",
        content: current.replace(rng.pick(["line 2\n", "line 20\n"]), "elsewhere\n"),
      });
    const [{ status, diff, action, revision }] = files.proposals();
    const before = await files.read("a");
    const hunks = rng.chance(0.4) ? diff.map(({ index }) => index).filter(() => rng.chance(0.5)) : undefined;
    const edits = hunks === undefined && rng.chance(0.3) ? `${before ?? ""}mine\n` : undefined;
    const result = await files.approve(id, { hunks, edits });
    const message = `seed ${seed} ${JSON.stringify(call)}`;
    const made = await files.read("a");
    if (result.error) {
      assert.equal(result.error.code, "STALE_PROPOSAL", message);
      assert.equal(status, "stale", message);
      assert.equal(made, before);
      counts.stale += 1;
      continue;
    }
    const [{ effective, outcome, diff: after }] = files.proposals();
    assert.equal(effective, made, message);
    assert.deepEqual(after, diff, message);
    if (edits !== undefined) assert.equal(made, edits, message);
    else if (hunks === undefined) {
      assert.deepEqual(result.diff, diff, message);
      assert.equal(result.action, before === made ? undefined : (action ?? "updated"), message);
      assert.deepEqual(
        outcome,
        { extent: "all", applied: diff.map(({ index }) => index), omitted: [], edited: [] },
        message,
      );
    } else if (hunks.length > 0 && hunks.length < diff.length) {
      const others = diff.map(({ index }) => index).filter((index) => !hunks.includes(index));
      assert.deepEqual(outcome, { extent: "part", applied: hunks, omitted: others, edited: [] }, message);
      const lines = (diff, all) =>
        JSON.stringify(diff.filter(({ index }) => all || hunks.includes(index)).map(({ lines }) => lines));
      assert.equal(lines(result.diff, true), lines(diff, false), message);
    } else if (hunks.length === 0) {
      assert.equal(made, before, message);
    }
    counts[outcome.extent] += 1;
    if (revision > 0) counts.carried += 1;
    if (action) counts[action] += 1;
  }
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 20, `${what}: ${count}`);
});

test("calls: the record lists the changes applied as proposed, those left out, and the user's own", () => {
  const patches = [
    { op: "set", path: "state.params.n", value: 2 },
    { op: "set", path: "state.params.s", value: "y" },
    { op: "add", path: "blocks+", value: { id: "c", type: "tabs" } },
  ];
  const n = ["state", "params", "n"];
  const s = ["state", "params", "s"];
  const c = ["blocks", 2];
  const rows = [
    [{}, "all", [n, s, c], [], []],
    [{ paths: [n, s, c] }, "all", [n, s, c], [], []],
    // Own values that equal the proposed ones.
    [{ edits: { "state.params.n": 2 } }, "all", [n, s, c], [], []],
    [{ paths: [s], edits: { "state.params.n": 2, "blocks+": { id: "c", type: "tabs" } } }, "all", [n, s, c], [], []],
    [{ paths: [n] }, "part", [n], [s, c], []],
    [{ paths: ['blocks["c"]'] }, "part", [c], [n, s], []],
    [{ paths: [], edits: {} }, "none", [], [n, s, c], []],
    [{ edits: { "state.params.n": 1, "state.params.s": "x" }, paths: [] }, "none", [], [n, s, c], []],
    [{ edits: { "state.params.n": 7 } }, "edited", [s, c], [], [n]],
    [{ edits: { 'blocks["c"].title': "C" } }, "edited", [n, s], [], [c]],
    [{ paths: [n], edits: { "state.params.new": 1 } }, "edited", [n], [s, c], [["state", "params", "new"]]],
  ];
  for (const [options, extent, applied, omitted, edited] of rows) {
    const store = started();
    const { id } = store.propose({ instance_name: "page", patches });
    assert.equal(store.approve(id, options).status, "success", JSON.stringify(options));
    const [{ outcome }] = store.proposals();
    assert.deepEqual(outcome, { extent, applied, omitted, edited }, JSON.stringify(options));
    store.dispose();
  }
  const store = started();
  const made = { instance_name: "__CREATE__", new_instance_name: "new" };
  store.approve(store.propose(made).id, { edits: { "state.params.x": 1 } });
  assert.equal(store.proposals()[0].outcome.extent, "edited");
  store.approve(store.propose({ instance_name: "__DELETE__", target_instance_name: "new" }).id);
  assert.deepEqual(store.proposals()[1].outcome, { extent: "all", applied: [[]], omitted: [], edited: [] });
});
