// Snapshots are made on demand. Reading one at another time makes no other difference.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { call } from "../support/calls.mjs";
import { random } from "../support/random.mjs";
import { assertFrozen, assertMirror, page } from "../support/store.mjs";

const LISTENED = ["state.params", 'state.params.l["a"]', 'blocks["b"].title', "blocks.1", 'state.params.l["a"].deep'];

/** A store with a list long enough to be edited in pieces, and the events that its listeners receive. */
function watched(long, freeze) {
  const store = new PatchStore({ clientId: "t", onError: "skip", freeze });
  const start = page();
  for (let at = 0; at < long; at++) start.state.params.l.push(at % 3 === 0 ? { id: `i${at}` } : at);
  store.load("page", start);
  store.load("other", page("other"));
  const events = [];
  for (const path of [undefined, ...LISTENED]) {
    const filter = path === undefined ? {} : { instance: "page", path };
    store.subscribe(({ type, instance_name, changes }) => events.push([path, type, instance_name, changes]), filter);
  }
  return { store, events };
}

/** One random step, the same on every store. */
function step(rng) {
  const calls = Array.from({ length: 1 + rng.below(3) }, () => call(rng));
  const kind = rng.below(8);
  const pick = rng.below(10);
  const n = rng.below(3);
  return ({ store }) => {
    const settle = (how) => {
      const pending = store.pending();
      if (pending.length > 0) store[how](pending[pick % pending.length].pendingId);
    };
    if (kind < 3) store.apply(calls[0]);
    else if (kind === 3) store.batch(() => void calls.map((each) => store.apply(each)));
    else if (kind === 4) {
      store.batch(() => {
        store.setNumber("page", "state.params.n", n);
        if (pick < 5) store.setNumber("page", "state.params.n", 1);
      });
    } else if (kind === 5) store.applyOptimistic(calls[0]);
    else if (kind === 6) settle(pick < 5 ? "confirm" : "reject");
    else
      store.receive({ type: "patch", instance_name: "page", patch: { "state.params.n": n, "blocks.0.title": `${n}` } });
  };
}

test("a store that somebody looks at all the time, and one at which somebody looks now and then", () => {
  for (let seed = 1; seed <= 250; seed++) {
    const rng = random(seed);
    const freeze = rng.chance(0.7);
    const long = rng.chance(0.3) ? 700 : 0;
    const [seen, unseen] = [watched(long, freeze), watched(long, freeze)];
    const kept = [];
    for (let at = 0; at < 30; at++) {
      const run = step(rng);
      run(seen);
      run(unseen);
      const message = `seed ${seed}, step ${at}`;
      for (const name of seen.store.names()) {
        const snapshot = seen.store.snapshot(name);
        kept.push([snapshot, JSON.stringify(snapshot)]);
      }
      seen.store.confirmed("page");
      const place = rng.pick(["state.params.n", "state.params.l.2", "state.params.l", 'blocks["b"].title', "no.thing"]);
      if (rng.chance(0.2)) {
        assert.deepStrictEqual(unseen.store.get("page", place), seen.store.get("page", place), message);
      }
      if (!rng.chance(0.15)) continue;
      if (unseen.store.pending().length === 0) assertMirror(unseen.store, message);
      for (const name of seen.store.names()) {
        const snapshot = unseen.store.snapshot(name);
        if (freeze) assertFrozen(snapshot, message);
        assert.equal(JSON.stringify(snapshot), JSON.stringify(seen.store.snapshot(name)), message);
        kept.push([snapshot, JSON.stringify(snapshot)]);
        const confirmed = unseen.store.confirmed(name);
        assert.equal(JSON.stringify(confirmed), JSON.stringify(seen.store.confirmed(name)), message);
      }
    }
    assert.deepStrictEqual(unseen.events, seen.events, `seed ${seed}`);
    for (const [snapshot, text] of kept) assert.equal(JSON.stringify(snapshot), text, `seed ${seed}`);
  }
});

test("a caller or listener may modify results and events", () => {
  const store = new PatchStore({ rules: "open" });
  store.load("d", { l: [1], o: { n: 1 } });
  const spoil = ({ changes }) => {
    for (const change of changes) change.path.push("spoilt");
    changes.length = 0;
  };
  store.subscribe(spoil);
  const set = (path, value) => spoil(store.apply({ instance_name: "d", patches: [{ op: "set", path, value }] }));
  set("o.n", 2);
  store.batch(() => set("o.n", 3));
  store.batch(() => {
    set("o.n", 4);
    set("l.0", 4);
  });
  spoil(store.setNumber("d", "o.n", 5));
  assert.deepEqual(store.snapshot("d"), { l: [4], o: { n: 5 } });
});

test("a batch with snapshots taken inside emits its final changes", () => {
  const store = new PatchStore({ rules: "open" });
  store.load("d", { n: 1, l: [{ id: "a", n: 1 }] });
  const events = [];
  store.subscribe(({ type, changes }) => events.push([type, changes.length]));
  const twice = (look) => {
    store.setNumber("d", "n", 2);
    store.setNumber("d", "n", 1);
    store.batch(() => {
      store.setNumber("d", "n", 3);
      if (look) store.snapshot("d");
      store.setNumber("d", "n", 1);
    });
  };
  for (const look of [false, true]) {
    events.length = 0;
    const before = store.snapshot("d");
    twice(look);
    assert.deepEqual(events, [
      ["change", 1],
      ["change", 1],
    ]);
    assert.deepEqual(store.snapshot("d"), before);
  }
});

test("who listens at an id hears the same of a call and of a batch of one, whichever way ids are looked for", () => {
  const ids = ["a", "b", "p", "z", "i1", "new", "1"];
  for (let seed = 1; seed <= 150; seed++) {
    const rng = random(seed);
    const [alone, batched] = [0, 1].map(() => {
      const store = new PatchStore({ onError: "skip", rules: "open" });
      const start = page();
      start.state.params.l.push({ id: "a", second: 1 }, { key: "b", l: [{ id: "a" }] }, { id: 1, t: 0 });
      store.load("page", start);
      const events = [];
      for (const list of ["state.params.l", "blocks", 'state.params.l["b"].l', "blocks.0.props.fields"]) {
        for (const id of ids) {
          for (const path of [`${list}["${id}"]`, `${list}["${id}"].title`, `${list}["${id}"].t`]) {
            store.subscribe(() => events.push(path), { instance: "page", path });
          }
        }
      }
      return { store, events };
    });
    for (let at = 0; at < 25; at++) {
      const place = `state.params.l.${rng.below(7)}.${rng.pick(["t", "title", "id", "key", "l.0.t"])}`;
      const value = rng.pick([...ids, at]);
      const next = rng.chance(0.4)
        ? call(rng)
        : { instance_name: "page", patches: [{ op: "set", path: place, value }] };
      const result = alone.store.apply(next);
      batched.store.batch(() => batched.store.apply(next));
      assert.deepEqual(alone.events, batched.events, `seed ${seed}, step ${at}: ${JSON.stringify([next, result])}`);
      if (rng.chance(0.2)) alone.store.snapshot("page");
    }
  }
});
