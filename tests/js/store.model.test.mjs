// The visible state of a store with pending calls, compared with a model that recomputes it after each step: the confirmed
// document with the pending calls applied in order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { call } from "../support/calls.mjs";
import { random } from "../support/random.mjs";
import { assertFrozen, assertSame, page } from "../support/store.mjs";

const SEQUENCES = 400;
const STEPS = 14;
const NAMES = ["page", "other", "third"];

/** Applies calls to a document, each as a whole or not at all; returns the result and the calls that did not apply. */
function replay(name, document, calls) {
  const store = new PatchStore();
  if (document !== undefined) store.load(name, document);
  const lost = calls.filter(({ call }) => store.apply(call).status === "error").map(({ id }) => id);
  const shown = store.snapshot(name);
  store.dispose();
  return { shown, lost };
}

class Model {
  instances = new Map(NAMES.map((name) => [name, { confirmed: undefined, queue: [] }]));
  settled = new Set();

  holder(id) {
    return [...this.instances].find(([, { queue }]) => queue.some((pending) => pending.id === id));
  }

  shown(name) {
    const { confirmed, queue } = this.instances.get(name);
    return replay(name, confirmed, queue).shown;
  }

  /** Replaces the confirmed document and the queue, and drops calls that no longer apply. */
  rebase(name, confirmed, queue) {
    const { lost } = replay(name, confirmed, queue);
    this.instances.set(name, { confirmed, queue: queue.filter(({ id }) => !lost.includes(id)) });
    this.join(name);
    return lost;
  }

  join(name) {
    const instance = this.instances.get(name);
    while (instance.queue[0]?.marked) {
      instance.confirmed = replay(name, instance.confirmed, [instance.queue.shift()]).shown;
    }
  }

  settle(id, name, result) {
    if (result.status === "error") return undefined;
    const [holder, { confirmed, queue }] = this.holder(id);
    this.settled.add(id);
    const left = queue.filter((pending) => pending.id !== id);
    if (holder === name) return left;
    this.rebase(holder, confirmed, left);
    return undefined;
  }
}

const nameOf = (call) =>
  call.instance_name === "__CREATE__"
    ? call.new_instance_name
    : (call.target_instance_name ?? call.instance_name ?? call.instanceId);

/** Patches that cancel out on any page; the snapshot keeps its identity. */
const NOTHING = [
  { op: "set", path: "state.params.probe", value: [1] },
  { op: "append_to_list", path: "state.params.probe", value: 2 },
  { op: "remove", path: "state.params.probe" },
];

function step(rng, store, model) {
  const pending = store.pending();
  const id = pending.length > 0 ? rng.pick(pending).pendingId : "nobody-1";
  const kind = rng.below(12);
  if (kind < 4) {
    const next = call(rng);
    const result = store.applyOptimistic(rng.chance(0.5) ? next : JSON.stringify(next));
    const fits = replay(nameOf(next), model.shown(nameOf(next)), [{ call: next }]).lost.length === 0;
    assert.equal(result.status === "success", fits, JSON.stringify(result));
    if (!fits) return { next, result };
    const { queue } = model.instances.get(nameOf(next));
    const known = queue.find((own) => own.id === result.pendingId);
    const [own] = store.pending().filter((own) => own.pendingId === result.pendingId);
    if (known) known.call = own.call;
    else queue.push({ id: result.pendingId, call: own.call, marked: false });
    return { next, result };
  }
  if (kind === 4) {
    const result = store.confirm(id);
    const [name, { queue }] = model.holder(id) ?? [undefined, { queue: [] }];
    assert.equal(result.status, name === undefined ? "error" : "success");
    for (const own of queue) own.marked ||= own.id === id;
    if (name !== undefined) model.join(name);
    model.settled.add(id);
    return { next: `confirm ${id}`, result };
  }
  if (kind === 5) {
    const result = store.reject(id);
    const found = model.holder(id);
    assert.equal(result.status, found === undefined ? "error" : "success");
    if (found === undefined) return { next: `reject ${id}`, result };
    const [name, { confirmed, queue }] = found;
    const left = queue.filter((own) => own.id !== id);
    const lost = model.rebase(name, confirmed, left);
    return { next: `reject ${id}`, result, lost };
  }
  if (kind === 6) {
    const name = rng.pick(NAMES);
    const result = store.load(name, page(name));
    return { next: `load ${name}`, result, lost: model.rebase(name, page(name), model.instances.get(name).queue) };
  }
  if (kind === 7) {
    store.sent(id);
    return { next: `sent ${id}`, result: undefined };
  }
  const next = call(rng);
  const name = nameOf(next);
  const { confirmed, queue } = model.instances.get(name);
  const { shown, lost } = replay(name, confirmed, [{ call: next }]);
  const settles = kind > 9 && pending.length > 0 && next.patches.length > 0;
  const result = kind > 8 ? store.receive(settles ? { ...next, clientCallId: id } : next) : store.apply(next);
  assert.equal(result.status === "success", lost.length === 0, JSON.stringify([next, result]));
  if (lost.length > 0) return { next, result };
  const left = settles ? (model.settle(id, name, result) ?? queue) : queue;
  return { next, result, lost: model.rebase(name, shown, left) };
}

test("the shown document is the confirmed one with the pending calls applied, in the module and in snapshots", () => {
  let conflicts = 0;
  let rebased = 0;
  for (let seed = 1; seed <= SEQUENCES; seed++) {
    const rng = random(seed);
    const store = new PatchStore({ clientId: "t" });
    const model = new Model();
    const received = [];
    for (const name of ["page", "other"]) {
      store.load(name, page(name));
      model.rebase(name, page(name), []);
    }
    store.subscribe((event) => received.push(event));
    const done = [];
    for (let turn = 0; turn < STEPS; turn++) {
      const before = new Map(NAMES.map((name) => [name, store.snapshot(name)]));
      received.length = 0;
      const { next, result, lost = [] } = step(rng, store, model);
      done.push(JSON.stringify(next));
      const message = `seed ${seed}:\n${done.join("\n")}`;
      if (result?.status === "success") {
        conflicts += result.conflicts.length;
        rebased += result.rebased.length;
        assert.deepEqual(
          result.conflicts.map(({ pendingId }) => pendingId),
          lost,
          message,
        );
      }
      for (const name of NAMES) {
        assertSame(store.snapshot(name), model.shown(name), message);
        assertSame(store.confirmed(name), model.instances.get(name).confirmed, message);
        assertFrozen(store.snapshot(name), message);
        const changed = store.snapshot(name) !== before.get(name);
        const isSame = JSON.stringify(store.snapshot(name)) === JSON.stringify(before.get(name));
        assert.equal(changed, !isSame, message);
        const events = received.filter((event) => event.instance_name === name && event.type !== "active");
        assert.ok(events.length <= 1, message);
        assert.equal(
          events.some(({ type }) => type !== "pending"),
          changed,
          message,
        );
        if (model.instances.get(name).queue.length === 0)
          assert.equal(store.confirmed(name), store.snapshot(name), message);
      }
      const [shown, revision] = [store.snapshot("page"), store.revision("page")];
      if (shown !== undefined && turn % 4 === 0) {
        received.length = 0;
        const result = store.apply({ instance_name: "page", patches: NOTHING });
        // The call is refused if the confirmed document has no such place.
        assert.deepEqual([result.changes ?? [], received.length], [[], 0], message);
        assert.deepEqual([store.snapshot("page") === shown, store.revision("page")], [true, revision], message);
      }
      const queues = [...model.instances.values()].flatMap(({ queue }) => queue.map(({ id }) => id));
      assert.deepEqual(
        store
          .pending()
          .map(({ pendingId }) => pendingId)
          .sort(),
        queues.sort(),
        message,
      );
    }
    const again = PatchStore.restore(store.save());
    for (const name of NAMES) {
      assertSame(again.snapshot(name), store.snapshot(name));
      assertSame(again.confirmed(name), store.confirmed(name));
    }
    again.dispose();
    store.dispose();
  }
  assert.ok(conflicts > SEQUENCES / 40 && rebased > SEQUENCES / 2, `${conflicts} conflicts, ${rebased} rebased`);
});
