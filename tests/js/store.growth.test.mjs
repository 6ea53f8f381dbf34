// Growth of work, counted in operations of lists, maps and sets, not in seconds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { applied as follow } from "../../dist/core/mirror.js";
import { random } from "../support/random.mjs";

/** Counts the items that `splice` moves, the listed keys, and the accesses of maps and sets. */
function counted(run) {
  let count = 0;
  const undo = [];
  const watch = (owner, name, cost) => {
    const own = owner[name];
    owner[name] = function (...args) {
      count += cost(this, args);
      return own.apply(this, args);
    };
    undo.push(() => {
      owner[name] = own;
    });
  };
  watch(Array.prototype, "splice", (list, [at]) => 1 + list.length - at);
  watch(Array.prototype, "indexOf", (list) => list.length);
  watch(Array.prototype, "filter", (list) => list.length);
  watch(Array.prototype, "find", (list) => list.length);
  watch(Array.prototype, "some", (list) => list.length);
  watch(Object, "keys", (_, [object]) => (Array.isArray(object) ? object.length : 1));
  for (const name of ["get", "set", "has", "delete"]) watch(Map.prototype, name, () => 1);
  for (const name of ["add", "has", "delete"]) watch(Set.prototype, name, () => 1);
  try {
    run();
  } finally {
    for (const again of undo) again();
  }
  return count;
}

/** Asserts that twice the size costs about twice the work; `make` returns the task for a size. */
function grows(make, n, limit = 2.3) {
  const [one, two] = [n, 2 * n].map((size) => counted(make(size)));
  assert.ok(two <= limit * Math.max(one, n), `${one}, then ${two}`);
}

const range = (n, make) => Array.from({ length: n }, (_, index) => make(index));
const list = (n) => ({ l: range(n, (index) => ({ id: `i${index}`, k: index % 2 })) });
const keyed = (n, name = (index) => `k${index}`) => ({
  o: Object.fromEntries(range(n, (index) => [name(index), index])),
});

function open(document) {
  const store = new PatchStore({ rules: "open" });
  assert.equal(store.load("d", document).status, "success");
  return store;
}

function applied(document, patches) {
  const store = open(document);
  const call = JSON.stringify({ instance_name: "d", patches });
  return () => assert.equal(store.apply(call).status, "success");
}

function rejected(document, patches) {
  const store = open(document);
  const { pendingId } = store.applyOptimistic({ instance_name: "d", patches });
  return () => assert.equal(store.reject(pendingId).status, "success");
}

test("a snapshot follows many changes of one long list in a way that grows as they do", () => {
  const filter = { op: "filter_list", path: "l", value: { key: "k", operator: "==", value: 0 } };
  grows((n) => applied(list(n), [filter]), 4000);
  grows((n) => rejected(list(n), [filter]), 4000);
  grows((n) => applied(list(n), [{ op: "prepend_to_list", path: "l", items: range(n, String) }]), 4000);
  const front = (n) => range(n, () => ({ op: "remove", path: "l.0" }));
  grows((n) => applied(list(4 * n), front(n)), 1000);
  grows((n) => rejected(list(4 * n), front(n)), 1000);
  const moves = (n) => range(n, () => ({ op: "move", from: `/l/${4 * n - 1}`, path: "/l/5" }));
  grows((n) => {
    const store = open(list(4 * n));
    const operations = JSON.stringify(moves(n));
    return () => assert.equal(store.applyJsonPatch("d", operations).status, "success");
  }, 1000);
});

test("keys that come back to their places are put there in one go", () => {
  for (const name of [undefined, String, (index) => (index % 2 === 0 ? `k${index}` : String(index))]) {
    grows((n) => rejected(keyed(n, name), [{ op: "clear", path: "o" }]), 2000);
    const some = (n) =>
      range(n / 2, (index) => ({ op: "remove", path: `o["${(name ?? ((at) => `k${at}`))(2 * index)}"]` }));
    grows((n) => rejected(keyed(n, name), some(n)), 2000);
  }
});

test("a set asks those who listen at its place, however many listen elsewhere", () => {
  const page = (n) => {
    const store = open({ ...keyed(n), l: range(n, (index) => ({ id: `i${index}`, n: 0 })) });
    let notified = 0;
    for (let at = 0; at < n; at++) {
      store.subscribe(() => notified++, { instance: "d", path: `o.k${at}` });
      store.subscribe(() => notified++, { instance: "d", path: `l["i${at}"].n` });
    }
    return { store, notified: () => notified };
  };
  grows((n) => {
    const { store, notified } = page(n);
    return () => {
      for (let at = 0; at < n; at++) store.setNumber("d", `o.k${at}`, -1 - at);
      for (let at = 0; at < n; at++) store.setNumber("d", `l["i${at}"].n`, -1 - at);
      assert.equal(notified(), 2 * n);
    };
  }, 600);
  grows((n) => {
    const { store, notified } = page(n);
    const patches = range(n, (at) => ({ op: "set", path: `o.k${at}`, value: -1 - at }));
    return () => {
      store.apply({ instance_name: "d", patches });
      assert.equal(notified(), n);
    };
  }, 300);
});

test("params of an action, paths and edits of an approval, criteria: each is looked at once", () => {
  const params = (n) => Object.fromEntries(range(n, (index) => [`k${index}`, "x"]));
  const fields = (n) => range(n, (index) => ({ key: `k${index}`, label: "K", type: "text" }));
  const document = (n) => ({
    meta: { pageKey: "p" },
    layout: { type: "single" },
    state: { params: Object.fromEntries(range(n, (index) => [`k${index}`, ""])), runtime: {} },
    blocks: [{ id: "b", type: "form", props: { fields: fields(n) } }],
    actions: [{ id: "go", label: "Go", style: "primary", patches: {} }],
  });
  const store = (n) => {
    const made = new PatchStore();
    assert.equal(made.load("d", document(n)).status, "success");
    return made;
  };
  grows((n) => {
    const made = store(n);
    return () => assert.equal(made.runAction("d", "go", { params: params(n) }).status, "success");
  }, 1000);
  const paths = (n) => range(n, (index) => `state.params.k${index}`);
  const proposed = (n) => {
    const made = store(n);
    const patches = paths(n).map((path, index) => ({ op: "set", path, value: String(index) }));
    return { made, id: made.propose({ instance_name: "d", patches }).id };
  };
  grows((n) => {
    const { made, id } = proposed(n);
    return () => assert.equal(made.approve(id, { paths: paths(n) }).status, "success");
  }, 500);
  grows((n) => {
    const { made, id } = proposed(n);
    const edits = Object.fromEntries(paths(n).map((path) => [path, "mine"]));
    return () => assert.equal(made.approve(id, { edits }).status, "success");
  }, 500);
  grows((n) => {
    const made = store(n);
    const completion_criteria = range(n / 10, (index) => ({ type: "block_exists", path: `no.${index}` }));
    return () => made.callTool("validate_completion", { instance_name: "d", completion_criteria });
  }, 1000);
});

test("a draft gives the same result as single changes", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const rng = random(seed);
    const start = { l: range(rng.below(2000), (index) => ({ id: index })), o: keyed(rng.below(40)).o };
    const changes = [];
    let length = start.l.length;
    const keys = new Set(Object.keys(start.o));
    const path = (name, step) => [name, step];
    for (let step = 0; step < 60; step++) {
      const at = rng.below(length + 1);
      const key = rng.chance(0.2) ? String(rng.below(50)) : `k${rng.below(60)}`;
      const kind = rng.below(7);
      if (kind === 0) {
        changes.push({ kind: "insert", path: path("l", at), value: { id: `new${step}` } });
        length += 1;
      } else if (kind === 1 && at < length) {
        changes.push({ kind: "remove", path: path("l", at) });
        length -= 1;
      } else if (kind === 2 && at < length) {
        changes.push({ kind: "move", from: path("l", at), path: path("l", rng.below(length)) });
      } else if (kind === 3 && at < length) {
        changes.push({ kind: "set", path: [...path("l", at), "id"], value: step });
      } else if (kind === 4 && keys.has(key)) {
        changes.push({ kind: "remove", path: path("o", key) });
        keys.delete(key);
      } else if (kind >= 5 && !keys.has(key)) {
        const next = rng.chance(0.6) ? rng.pick([...keys].filter((other) => !/^\d/.test(other))) : undefined;
        changes.push({ kind: "insert", path: path("o", key), value: step, ...(next !== undefined && { next }) });
        keys.add(key);
      }
    }
    let one = start;
    for (const change of changes) one = follow(one, [change], { freeze: true });
    const many = follow(start, changes, { freeze: true });
    assert.deepStrictEqual(many, one, `seed ${seed}`);
    assert.equal(JSON.stringify(many), JSON.stringify(one), `seed ${seed}`);
    assert.ok(Object.isFrozen(many.l) && Object.isFrozen(many.o));
  }
});

/** Counts the listed keys of objects, as copying one lists them, and the accesses of maps and sets. */
function listed(run) {
  const { keys } = Object;
  let count = 0;
  const { findIndex } = Array.prototype;
  Array.prototype.findIndex = function (...args) {
    count += this.length;
    return findIndex.apply(this, args);
  };
  Object.keys = (object) => {
    const names = keys(object);
    count += names.length;
    return names;
  };
  try {
    const rest = counted(run);
    return count + rest;
  } finally {
    Object.keys = keys;
    Array.prototype.findIndex = findIndex;
  }
}

const SETS = {
  text: (store, path, value) =>
    store.apply(JSON.stringify({ instance_name: "d", patches: [{ op: "set", path, value }] })),
  object: (store, path, value) => store.apply({ instance_name: "d", patches: [{ op: "set", path, value }] }),
  typed: (store, path, value) => store.setNumber("d", path, value),
  "JSON Patch": (store, path, value) =>
    store.applyJsonPatch("d", [{ op: "replace", path: `/${path.replace(".", "/")}`, value }]),
  "merge patch": (store, path, value) => store.applyMergePatch("d", { o: { [path.slice(2)]: value } }),
  push: (store, path, value) => store.receive({ type: "patch", instance_name: "d", patch: { [path]: value } }),
  confirmed: (store, path, value) =>
    store.confirm(store.applyOptimistic({ instance_name: "d", patches: [{ op: "set", path, value }] }).pendingId),
  "read by path": (store, path, value) => {
    const result = store.setNumber("d", path, value);
    assert.equal(store.get("d", path), value);
    return result;
  },
  "key removed and inserted": (store, path, value) => {
    store.apply({ instance_name: "d", patches: [{ op: "remove", path }] });
    return store.apply({ instance_name: "d", patches: [{ op: "set", path, value }] });
  },
};

const LISTENING = {
  nobody: () => {},
  "one who looks at nothing": (store) => store.subscribe(() => {}),
  "one at each place": (store, n) => range(n, (at) => store.subscribe(() => {}, { instance: "d", path: `o.k${at}` })),
  "one at each item": (store, n) =>
    range(n, (at) => store.subscribe(() => {}, { instance: "d", path: `l["i${at}"].k` })),
};

for (const [how, set] of Object.entries(SETS)) {
  test(`single sets of a flat object, ${how}: nothing is copied for a snapshot that nobody looks at`, () => {
    for (const [who, listen] of Object.entries(LISTENING)) {
      // Listeners to the instance are notified of each change of its pending calls.
      if (how === "confirmed" && who.startsWith("one at each")) continue;
      const cost = (n) => {
        const store = open({ ...keyed(n), ...list(n) });
        listen(store, n);
        return listed(() => {
          for (let at = 0; at < n; at++) assert.notEqual(set(store, `o.k${at}`, -1 - at)?.status, "error");
          assert.equal(store.snapshot("d").o.k1, -2);
        });
      };
      // The history sorts its notes for the first time after a thousand changes, so both sizes have more.
      const [one, two] = [1200, 2400].map(cost);
      assert.ok(two <= 2.3 * one, `${who}: ${one}, then ${two}`);
    }
  });
}

test("single sets of items by id, each with one who listens: ids are looked for once", () => {
  const cost = (n) => {
    const store = open(list(n));
    let notified = 0;
    for (let at = 0; at < n; at++) store.subscribe(() => notified++, { instance: "d", path: `l["i${at}"].k` });
    return listed(() => {
      for (let at = 0; at < n; at++) store.setNumber("d", `l["i${at}"].k`, -1 - at);
      assert.equal(notified, n);
    });
  };
  const [one, two] = [300, 600].map(cost);
  assert.ok(two <= 2.3 * one, `${one}, then ${two}`);
});

test("typing between other changes is sorted into the history in a way that grows as it does", () => {
  // Every fifth note is a group of its own, since a boolean is not typed: 995 of at most 1,000 notes make the 200 groups of the history.
  grows((n) => {
    const store = open(keyed(2));
    return () => {
      for (let turn = 0; turn < n; turn++) {
        if (turn % 5 === 0) store.setBoolean("d", "o.k0", turn % 2 === 0);
        else store.setNumber("d", "o.k1", turn);
      }
    };
  }, 1500);
});
