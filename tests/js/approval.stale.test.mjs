// Whether a proposal is stale depends on its document alone, not on earlier reads of the proposals.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FlowStore, PatchStore, Workspace } from "genui-patch";
import { call } from "../support/calls.mjs";
import { random } from "../support/random.mjs";
import { page } from "../support/store.mjs";

const set = (path, value) => ({ instance_name: "page", patches: [{ op: "set", path, value }] });

/** The visible fields of proposals, without ids, which differ between stores. */
const shown = (proposals) => proposals.map(({ id: _, ...rest }) => rest);

function paged() {
  const store = new PatchStore({ clientId: "c" });
  for (const name of ["page", "other"]) store.load(name, page(name));
  return store;
}

test("a document that is as it was again: the proposal is pending again, as it was shown first", () => {
  for (const looks of [false, true]) {
    const store = paged();
    const first = store.propose(set("state.params.n", 2));
    store.apply(set("state.params.n", 3));
    if (looks) assert.equal(store.proposals()[0].status, "stale");
    store.apply(set("state.params.n", 1));
    const [{ status, diff, changes }] = store.proposals();
    assert.deepEqual([status, diff, changes], ["pending", first.diff, first.changes]);
    assert.equal(store.approve(first.id).status, "success");
    assert.equal(store.get("page", "state.params.n"), 2);
  }
});

test("an instance that is removed and created again unchanged", () => {
  for (const looks of [false, true]) {
    const store = paged();
    const { id } = store.propose(set("state.params.n", 2));
    const made = store.propose({ instance_name: "__CREATE__", new_instance_name: "third" });
    store.apply({ instance_name: "__DELETE__", target_instance_name: "page" });
    store.load("third", page("third"));
    if (looks)
      assert.deepEqual(
        shown(store.proposals()).map(({ status }) => status),
        ["stale", "stale"],
      );
    store.load("page", page());
    store.apply({ instance_name: "__DELETE__", target_instance_name: "third" });
    assert.deepEqual(
      shown(store.proposals()).map(({ status }) => status),
      ["pending", "pending"],
    );
    assert.equal(store.approve(id).status, "success");
    assert.equal(store.approve(made.id).status, "success");
    assert.equal(store.get("page", "state.params.n"), 2);
    assert.ok(store.snapshot("third"));
  }
});

/** Changes that often cancel each other out, since the documents have few values. */
function few(rng) {
  const [path, values] = rng.pick([
    ["state.params.n", [1, 2, 3]],
    ["state.params.s", ["x", "y"]],
    ["state.params", [page().state.params, { n: 2 }]],
    ['blocks["a"].title', ["A", "B"]],
    ["blocks", [page().blocks, [...page().blocks].reverse(), [{ id: "z", type: "tabs" }, ...page().blocks]]],
  ]);
  return set(path, rng.pick(values));
}

test("with and without looking at the proposals, random edits and approvals come to the same", () => {
  const counts = { stale: 0, carried: 0, again: 0, part: 0 };
  for (let seed = 1; seed <= 600; seed++) {
    const rng = random(seed);
    const stores = [paged(), paged(), paged()];
    const wasStale = new Set();
    // The third one is saved and restored now and then.
    const all = (run) => stores.map((store, place) => run(store, place));
    const ids = [[], [], []];
    for (let turn = 0; turn < 10; turn++) {
      const kind = rng.below(10);
      const sent = rng.chance(0.8) ? few(rng) : call(rng);
      const at = rng.below(4);
      const isPart = rng.chance(0.3);
      const isRefused = rng.chance(0.2);
      const message = `seed ${seed}, turn ${turn}`;
      let results;
      if (kind < 3) {
        results = all((store, place) => {
          const { id, ...rest } = store.propose(sent);
          if (rest.status !== "error") ids[place].push(id);
          return rest;
        });
      } else if (kind < 8) {
        results = all((store) => (kind === 7 ? store.load("page", page()) : store.apply(sent)));
      } else {
        results = all((store, place) => {
          const id = ids[place][at];
          if (id === undefined) return undefined;
          if (kind === 9) {
            const { status } = store.proposals().find((one) => one.id === id) ?? {};
            return void (isRefused && ["pending", "stale"].includes(status) && store.refuse(id));
          }
          const { diff = [] } = (isPart && store.proposals().find((one) => one.id === id)) || {};
          const paths = isPart && diff.length > 0 ? { paths: [diff[0].path] } : {};
          return store.approve(id, paths);
        }).map((result) => result && { ...result, error: result.error && { ...result.error, solution: "" } });
        if (isPart) counts.part += 1;
      }
      assert.deepEqual(results[1], results[0], message);
      assert.deepEqual(results[2], results[0], message);
      for (const { status, id } of stores[1].proposals()) {
        if (status === "stale") wasStale.add(id);
        if (status === "pending" && wasStale.delete(id)) counts.again += 1;
      }
      if (rng.chance(0.3) && stores[2].proposals().every(({ status }) => ["pending", "stale"].includes(status))) {
        stores[2] = PatchStore.restore(stores[2].save(), { clientId: "c" });
      }
    }
    const [unseen, seen, restored] = stores.map((store) => shown(store.proposals()));
    const message = `seed ${seed}`;
    assert.deepEqual(seen, unseen, message);
    assert.deepEqual(restored, unseen, message);
    assert.deepEqual(stores[1].snapshot("page"), stores[0].snapshot("page"), message);
    for (const { status, revision } of seen) {
      if (status === "stale") counts.stale += 1;
      if (status === "pending" && revision > 1) counts.carried += 1;
    }
    for (const store of stores) store.dispose();
  }
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 20, `${what}: ${count}`);
});

const nodeTypes = { idea: { actions: { update: { approvalStyle: "visual" } } }, note: {} };
const flowOf = (nodes) => ({ id: "t", nodes });
const node = (title, type = "idea", id = "n") => ({ id, type, data: { title } });

test("a node that has another type since takes no old proposal, until it has its own again", () => {
  for (const looks of [false, true]) {
    for (const id of ["n", "a\u0001b"]) {
      const flow = new FlowStore({ nodeTypes });
      flow.load(flowOf([node("Old", "idea", id), node("Other", "idea", "m")]));
      const answer = flow.callTool("updateNode", { taskId: "t", nodeId: id, newData: { title: "New" } });
      const { proposalId } = answer.pending_confirmation;
      const restored = (flow) => FlowStore.restore(flow.save(), { nodeTypes, allowUnknownTypes: true });
      const look = (flow) => (looks ? flow.proposals()[0].status : "stale");
      for (const type of ["note", "unknown", undefined]) {
        flow.load(
          flowOf(
            [node("Other", "idea", "m"), { ...node("Old", "idea", id), type }].map((one) =>
              JSON.parse(JSON.stringify(one)),
            ),
          ),
        );
        assert.equal(look(flow), "stale");
        for (const one of [flow, restored(flow)]) {
          assert.equal(one.approve(proposalId).error.code, "STALE_PROPOSAL");
          assert.equal(one.updateNode(answer.pending_confirmation.parameters).error.code, "STALE_PROPOSAL");
          assert.equal(one.node("t", id).data.title, "Old");
        }
      }
      // Moved, and of its own type.
      flow.load(flowOf([node("Other", "idea", "m"), node("Old", "idea", id)]));
      for (const one of [restored(flow), flow]) assert.equal(one.approve(proposalId).node.data.title, "New");
    }
  }
});

test("a proposal that changes nothing is stale too once its node has gone", () => {
  const flow = new FlowStore({ nodeTypes });
  flow.load(flowOf([node("Old"), node("Other", "idea", "m")]));
  const { proposalId } = flow.callTool("updateNode", {
    taskId: "t",
    nodeId: "n",
    newData: { title: "Old" },
  }).pending_confirmation;
  flow.load(flowOf([node("Other", "idea", "m")]));
  assert.equal(flow.approve(proposalId).error.code, "STALE_PROPOSAL");
});

test("nodes: with and without looking, random updates, loads and approvals come to the same", () => {
  const counts = { stale: 0, pending: 0, approved: 0 };
  for (let seed = 1; seed <= 400; seed++) {
    const rng = random(seed);
    const flows = [new FlowStore({ nodeTypes }), new FlowStore({ nodeTypes })];
    const ids = [[], []];
    const some = () => flowOf([node(rng.pick(["A", "B"]), rng.pick(["idea", "idea", "note"])), node("M", "idea", "m")]);
    const first = some();
    for (const flow of flows) flow.load(first);
    for (let turn = 0; turn < 8; turn++) {
      const kind = rng.below(8);
      const update = {
        taskId: "t",
        nodeId: rng.pick(["n", "n", "m"]),
        newData: rng.pick([{ title: "A" }, { title: "B" }, { x: 1 }]),
      };
      const loaded = some();
      const at = rng.below(3);
      const results = flows.map((flow, place) => {
        if (kind < 3) return flow.load(loaded);
        if (kind < 5) {
          const answer = flow.callTool("updateNode", { ...update, approvalStyle: "visual" });
          const { proposalId, diff } = answer.pending_confirmation;
          if (!ids[place].includes(proposalId)) ids[place].push(proposalId);
          return [ids[place].indexOf(proposalId), diff];
        }
        if (kind < 6) return flow.updateNode({ ...update, isApprovedUpdate: true });
        const id = ids[place][at];
        return id && flow.approve(id, {});
      });
      const message = `seed ${seed}, turn ${turn}`;
      assert.deepEqual(results[1], results[0], message);
      flows[1].proposals();
    }
    const [unseen, seen] = flows.map((flow) => shown(flow.proposals()));
    assert.deepEqual(seen, unseen, `seed ${seed}`);
    for (const { status } of seen) counts[status] += 1;
    for (const flow of flows) flow.dispose();
  }
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 20, `${what}: ${count}`);
});

test("files: with and without looking, random writes and approvals come to the same, and a pending one can be made", async () => {
  const counts = { stale: 0, pending: 0, approved: 0 };
  const line = (n) => Array.from({ length: 12 }, (_, at) => `${at === n % 12 ? "changed" : `line ${at}`}\n`).join("");
  for (let seed = 1; seed <= 300; seed++) {
    const rng = random(seed);
    const initial = { a: line(0) };
    const files = [Workspace.memory(initial), Workspace.memory(initial)];
    const ids = [[], []];
    for (let turn = 0; turn < 8; turn++) {
      const write = { tool: "write_file", path: rng.pick(["a", "a", "b"]), content: line(rng.below(4) * 3) };
      const sent = rng.chance(0.1) ? { tool: "delete_file", path: write.path } : write;
      const kind = rng.below(6);
      const at = rng.below(4);
      const results = [];
      for (const [place, one] of files.entries()) {
        if (kind < 2) results.push(await one.execute(sent));
        else if (kind < 4) {
          const { id, ...rest } = await one.propose(sent);
          if (rest.status !== "error") ids[place].push(id);
          results.push(rest);
        } else if (ids[place][at] !== undefined) {
          const known = one.proposals().find(({ id }) => id === ids[place][at]);
          const result = await one.approve(ids[place][at]);
          if (known.status === "pending") assert.equal(result.error, undefined, `seed ${seed}`);
          if (known.status === "stale") assert.equal(result.error?.code, "STALE_PROPOSAL", `seed ${seed}`);
          if (known.status === "pending") assert.deepEqual(result.diff, known.diff, `seed ${seed}`);
          results.push(result);
        }
      }
      assert.deepEqual(results[1], results[0], `seed ${seed}, turn ${turn}`);
      files[1].proposals();
    }
    const [unseen, seen] = files.map((one) => shown(one.proposals()));
    assert.deepEqual(seen, unseen, `seed ${seed}`);
    for (const { status } of seen) counts[status] += 1;
  }
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 20, `${what}: ${count}`);
});
