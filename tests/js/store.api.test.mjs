// PatchStore as the page uses it: options, documents in and out, refusals, and disposal.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { limits, PatchStore, version } from "genui-patch";
import { random } from "../support/random.mjs";
import { assertFrozen, assertMirror, assertSame, page, thrown, throwsMisuse } from "../support/store.mjs";

const misuse = thrown("INVALID_ARGUMENT");
const set = (path, value) => ({ instance_name: "page", patches: [{ op: "set", path, value }] });

function paged(options) {
  const store = new PatchStore(options);
  assert.equal(store.load("page", page()).status, "success");
  return store;
}

/** Makers of values that JSON cannot carry. */
const impossible = {
  cycle: () => {
    const cycle = { a: [{}] };
    cycle.a[0].back = cycle;
    return cycle;
  },
  BigInt: () => 1n,
  "BigInt object": () => Object(1n),
  "BigInt inside": () => ({ a: [{ b: 1n }] }),
  NaN: () => ({ a: Number.NaN }),
  infinity: () => [Number.POSITIVE_INFINITY],
  Map: () => new Map([["a", 1]]),
  Set: () => ({ a: new Set([1]) }),
  function: () => () => ({}),
  "function inside": () => ({ a: () => 1 }),
  symbol: () => Symbol("a"),
  "symbol inside": () => [Symbol("a")],
  undefined: () => undefined,
  "toJSON to a BigInt": () => ({ a: { toJSON: () => 1n } }),
  "toJSON to a cycle": () => ({ a: { toJSON: impossible.cycle } }),
};

test("options that are not understood throw", () => {
  const wrong = {
    null: null,
    number: 5,
    string: "ui",
    list: [],
    map: new Map(),
    function: () => ({}),
    "unknown option": { nope: 1 },
    rules: { rules: "loose" },
    "rules null": { rules: null },
    onError: { onError: "ignore" },
    "onError 1": { onError: 1 },
    freeze: { freeze: "yes" },
    "freeze null": { freeze: null },
    "catalog list": { catalog: [] },
    "catalog text": { catalog: { blocks: "chart" } },
    "catalog numbers": { catalog: { blocks: [1] } },
    "catalog unknown": { catalog: { nope: [] } },
    limits: { limits: 8 },
    "limits unknown": { limits: { nope: 1 } },
    "limits text": { limits: { maxDepth: "8" } },
    "limits below 0": { limits: { maxDepth: -1 } },
    "limits fraction": { limits: { maxDepth: 1.5 } },
    "limits too large": { limits: { maxDepth: 2 ** 32 } },
    ...Object.fromEntries(Object.entries(impossible).map(([name, make]) => [name, { limits: { maxDepth: make() } }])),
  };
  // Keys with the value undefined count as absent, as in any options object.
  delete wrong.undefined;
  const saved = paged().save();
  const taken = Object.entries(wrong).filter(([, options]) => {
    return !throwsMisuse(() => new PatchStore(options)) || !throwsMisuse(() => PatchStore.restore(saved, options));
  });
  assert.deepEqual(
    taken.map(([name]) => name),
    [],
  );
});

test("options that are understood", () => {
  for (const options of [undefined, {}, { rules: undefined, freeze: undefined }, { limits: {} }, { freeze: false }]) {
    assert.deepEqual(new PatchStore(options).names(), []);
  }
  const store = new PatchStore({ catalog: { blocks: ["chart"] }, limits: { maxPatches: 1 } });
  const chart = { ...page(), blocks: [{ id: "c", type: "chart" }] };
  assert.equal(store.load("page", chart).status, "success");
  assert.equal(new PatchStore().load("page", chart).error.code, "INVALID_STRUCTURE");
  const { patches } = set("state.params.n", 2);
  const result = store.apply({ instance_name: "page", patches: [...patches, ...patches] });
  assert.equal(result.error.code, "LIMIT_EXCEEDED");
});

test("version and limits", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  assert.equal(version, manifest.version);
  assert.equal(limits.maxDepth, 128);
  for (const [name, limit] of Object.entries(limits)) {
    assert.ok(Number.isSafeInteger(limit) && limit >= 1, name);
    new PatchStore({ limits: { [name]: limit } });
  }
});

test("wrong arguments throw, and do no harm", () => {
  const store = paged();
  const saved = store.save();
  const calls = {
    "load: name": () => store.load(5, page()),
    "load: no document": () => store.load("page"),
    "load: options": () => store.load("page", page(), null),
    "load: rules": () => store.load("page", page(), { rules: "loose" }),
    "apply: nothing": () => store.apply(),
    "setNumber: NaN": () => store.setNumber("page", "state.params.n", Number.NaN),
    "setNumber: infinity": () => store.setNumber("page", "state.params.n", Number.NEGATIVE_INFINITY),
    "setNumber: a string": () => store.setNumber("page", "state.params.n", "1"),
    "setNumber: a BigInt": () => store.setNumber("page", "state.params.n", 1n),
    "setNumber: name": () => store.setNumber(5, "state.params.n", 1),
    "setNumber: path": () => store.setNumber("page", ["state"], 1),
    "setString: nothing": () => store.setString("page", "state.params.s"),
    "setString: a String": () => store.setString("page", "state.params.s", new String("a")),
    "setString: name": () => store.setString(undefined, "state.params.s", "a"),
    "setBoolean: 1": () => store.setBoolean("page", "state.params.s", 1),
    "setBoolean: path": () => store.setBoolean("page", undefined, true),
    "snapshot: name": () => store.snapshot(5),
    "revision: name": () => store.revision(),
    "get: name": () => store.get(5, "state"),
    "get: path": () => store.get("page", 5),
    "get: no path": () => store.get("page"),
    "subscribe: no listener": () => store.subscribe(),
    "subscribe: an object": () => store.subscribe({}),
    "subscribe: filter": () => store.subscribe(() => {}, null),
    "subscribe: filter by instance": () => store.subscribe(() => {}, { instance: 5 }),
    "subscribe: filter by path": () => store.subscribe(() => {}, { path: 5 }),
    "subscribe: unknown filter": () => store.subscribe(() => {}, { name: "page" }),
    active: () => {
      store.active = 5;
    },
    "restore: nothing": () => PatchStore.restore(),
    "restore: an object": () => PatchStore.restore(JSON.parse(saved)),
  };
  const wrong = Object.entries(calls).filter(([, call]) => !throwsMisuse(call));
  assert.deepEqual(
    wrong.map(([name]) => name),
    [],
  );
  assert.equal(store.save(), saved);
  assertMirror(store);
});

for (const [name, make] of Object.entries(impossible)) {
  test(`a value that JSON cannot carry throws: ${name}`, () => {
    const value = make();
    const store = paged();
    const saved = store.save();
    assert.throws(() => store.load("page", value, { rules: "open" }), misuse);
    assert.throws(() => store.apply(value), misuse);
    if (value !== undefined) assert.throws(() => store.apply(set("state.params.n", [value])), misuse);
    assert.equal(store.save(), saved);
    assertMirror(store);
  });
}

test("a value that writes itself as nothing throws, and the store goes on", () => {
  const store = paged();
  const nothing = { toJSON: () => undefined };
  assert.throws(() => store.apply(nothing), misuse);
  assert.throws(() => store.load("page", nothing), misuse);
  assert.equal(store.apply(set("state.params.n", 2)).status, "success");
});

test("values are converted as JSON.stringify does", () => {
  const store = paged();
  const shared = { one: 1 };
  class Point {
    x = 1;
    #hidden = 2;
    get sum() {
      return this.x + this.#hidden;
    }
  }
  const value = { gone: undefined, list: [undefined, shared, shared], date: new Date(0), point: new Point(), zero: -0 };
  assert.equal(store.apply(set("state.params.n", value)).status, "success");
  assertSame(store.get("page", "state.params.n"), JSON.parse(JSON.stringify(value)));
  assertMirror(store);
});

test("an agent's input never throws", () => {
  const store = paged();
  const saved = store.save();
  const snapshot = store.snapshot("page");
  for (const call of [null, 5, true, [], {}, "", "null", "{", "\ufeff{}", { patches: [] }, { instance_name: 5 }]) {
    const result = store.apply(call);
    assert.equal(result.status, "error", JSON.stringify(call));
    assert.ok(result.error.code !== "" && result.error.message !== "" && result.error.solution !== "");
  }
  assert.equal(store.save(), saved);
  assert.equal(store.snapshot("page"), snapshot);
});

test("an instance that is loaded again keeps its rules", () => {
  const store = new PatchStore();
  assert.equal(store.load("free", { blocks: 5 }, { rules: "open" }).status, "success");
  assert.equal(store.load("free", { blocks: 6 }).status, "success");
  assert.equal(store.load("free", { blocks: 6 }, { rules: "ui" }).error.code, "INVALID_STRUCTURE");
  assert.equal(store.load("page", { blocks: 5 }).error.code, "INVALID_STRUCTURE");
});

test("load takes a value or its text, and keeps none of the page's objects", () => {
  const document = page();
  const byValue = new PatchStore();
  const result = byValue.load("page", document);
  const byText = new PatchStore();
  assert.deepStrictEqual(byText.load("page", JSON.stringify(document, null, 2)), result);
  assert.equal(byText.save(), byValue.save());
  assertSame(result.changes, [{ kind: "set", path: [], value: document }]);
  assert.deepEqual([result.status, result.instance_name, result.revision], ["success", "page", 1]);
  document.state.params.n = "changed by the page";
  for (const store of [byValue, byText]) {
    assertSame(store.snapshot("page"), page());
    assertFrozen(store.snapshot("page"));
    assertMirror(store);
  }
});

test("a load replaces the document, and increments the revision", () => {
  const store = paged();
  const before = store.snapshot("page");
  const next = page();
  next.state.params = { other: true };
  assert.equal(store.load("page", next).revision, 2);
  assert.notEqual(store.snapshot("page"), before);
  assertSame(store.get("page", "state.params"), { other: true });
  assert.deepEqual(store.names(), ["page"]);
  // A typed set has cached the place before the load.
  store.setBoolean("page", "state.params.other", false);
  store.load("page", page());
  assert.equal(store.setBoolean("page", "state.params.other", true).changes[0].kind, "insert");
  assertMirror(store);
});

test("a load that is refused changes nothing", () => {
  const store = paged({ limits: { maxDepth: 20, maxDocumentBytes: 2000 } });
  const saved = store.save();
  const snapshot = store.snapshot("page");
  const twice = { ...page(), blocks: [page().blocks[1], page().blocks[1]] };
  const rows = [
    ["page", "{", "INVALID_JSON"],
    ["page", "", "INVALID_JSON"],
    ["page", "\ufeff{}", "INVALID_JSON"],
    ["page", { ...page(), blocks: {} }, "INVALID_STRUCTURE"],
    ["page", null, "INVALID_STRUCTURE"],
    ["page", [page()], "INVALID_STRUCTURE"],
    ["new", { ...page(), layout: { type: "spiral" } }, "INVALID_STRUCTURE"],
    ["new", JSON.stringify(page()).replace('"n":1', '"n":1e400'), "INVALID_STRUCTURE"],
    ["new", twice, "DUPLICATE_ID"],
    ["new", "[".repeat(21), "LIMIT_EXCEEDED"],
    ["new", { ...page(), note: "long".repeat(600) }, "LIMIT_EXCEEDED"],
    ["", page(), "INVALID_INSTANCE"],
    ["__CREATE__", page(), "INVALID_INSTANCE"],
    ["__DELETE__", page(), "INVALID_INSTANCE"],
  ];
  store.subscribe(assert.fail);
  for (const [name, document, code] of rows) {
    const result = store.load(name, document);
    assert.deepEqual([result.status, result.error?.code], ["error", code], JSON.stringify([name, document]));
    assert.ok(result.error.message !== "" && result.error.solution !== "");
    assert.equal(store.save(), saved);
    assert.equal(store.snapshot("page"), snapshot);
    assert.deepEqual(store.names(), ["page"]);
  }
});

test("rules open: free JSON, per instance", () => {
  const store = new PatchStore();
  for (const document of [{ any: [1] }, [1, 2], "null", "5", '"text"', null, 7, true]) {
    assert.equal(store.load("free", document, { rules: "open" }).status, "success", JSON.stringify(document));
    assertMirror(store);
  }
  store.load("free", { any: [1] }, { rules: "open" });
  store.load("page", page(), { rules: "ui" });
  const patches = [{ op: "set", path: "any.0", value: 2 }];
  assert.equal(store.apply({ instance_name: "free", patches }).status, "success");
  assert.equal(store.apply({ instance_name: "page", patches }).error.code, "INVALID_PATH");
  assertSame(store.snapshot("free"), { any: [2] });
  assert.equal(new PatchStore({ rules: "open" }).load("free", { any: 1 }).status, "success");
});

test("save and restore", () => {
  const store = paged();
  store.load("free", { b: 1, 10: "integer-like keys", a: "\u2028 😀" }, { rules: "open" });
  store.load("gone", page("gone"));
  store.load("last", page("last"));
  store.apply({ instance_name: "__DELETE__", target_instance_name: "gone" });
  store.apply(set("state.params.n", 2));
  store.active = "last";
  const saved = store.save();
  const again = PatchStore.restore(saved);
  assert.equal(again.save(), saved);
  assertMirror(again);
  assert.deepEqual(again.names(), ["page", "free", "last"]);
  assert.deepEqual([again.active, again.revision("page"), again.revision("gone")], ["last", 2, 0]);
  for (const name of again.names()) assertFrozen(again.snapshot(name));
  // Both stores execute the same further calls.
  for (const each of [store, again]) {
    each.setNumber("last", "state.params.n", 3);
    each.apply({ instance_name: "free", patches: [{ op: "set", path: "b", value: 2 }] });
    each.load("gone", page("gone"));
    assertMirror(each);
  }
  const timeless = (text) => text.replaceAll(/"time":\d+/g, '"time":0');
  assert.equal(timeless(again.save()), timeless(store.save()));
  assert.equal(PatchStore.restore(saved, { freeze: false }).snapshot("page") !== undefined, true);
  assert.equal(Object.isFrozen(PatchStore.restore(saved, { freeze: false }).snapshot("page")), false);
});

test("a damaged text is an error, and nothing is lost", () => {
  const store = paged();
  store.active = "page";
  const saved = store.save();
  const damaged = [
    ["", "INVALID_JSON"],
    ["null", "INVALID_STRUCTURE"],
    ["{}", "INVALID_STRUCTURE"],
    [saved.replace('"genui-patch":1', '"genui-patch":2'), "INVALID_STRUCTURE"],
    [saved.replace('"rules":"ui"', '"rules":"no"'), "INVALID_STRUCTURE"],
    [saved.replace('"revision":1', '"revision":0'), "INVALID_STRUCTURE"],
    [saved.replace('"active":"page"', '"active":"nobody"'), "INVALID_INSTANCE"],
    [saved.replace('"name":"page"', '"name":""'), "INVALID_INSTANCE"],
    [saved.replace('"type":"form"', '"type":"nope"'), "INVALID_STRUCTURE"],
    [saved.replace('"revision":1', '"revision":1.5'), "INVALID_STRUCTURE"],
    ["[".repeat(100_000), "LIMIT_EXCEEDED"],
  ];
  for (const [text, code] of damaged) assert.throws(() => PatchStore.restore(text), thrown(code), text.slice(0, 200));
  for (let end = 0; end < saved.length; end++) {
    assert.throws(() => PatchStore.restore(saved.slice(0, end)), thrown("INVALID_JSON"), `cut at ${end}`);
  }
  assert.equal(store.save(), saved);
  assertMirror(store);
});

test("a text with one character changed is an error or a store that is in order", () => {
  const rng = random(7);
  const saved = paged().save();
  let restored = 0;
  for (let place = 0; place < saved.length; place++) {
    const text = saved.slice(0, place) + rng.pick('"{}[],:0x\\-') + saved.slice(place + 1);
    let store;
    try {
      store = PatchStore.restore(text);
    } catch (error) {
      assert.equal(error.name, "GenuiPatchError", `${error.stack}\n${text}`);
      assert.notEqual(error.code, "INTERNAL", text);
      continue;
    }
    restored += 1;
    assertMirror(store, text);
    store.dispose();
  }
  assert.ok(restored > 0 && restored < saved.length, `${restored} of ${saved.length}`);
});

test("after dispose everything throws but dispose", () => {
  const store = paged();
  const end = store.subscribe(() => {});
  store.dispose();
  store.dispose();
  end();
  const calls = [
    () => store.save(),
    () => store.load("page", page()),
    () => store.apply(set("state.params.n", 2)),
    () => store.setNumber("page", "state.params.n", 1),
    () => store.setString("page", "state.params.s", "a"),
    () => store.setBoolean("page", "state.params.b", true),
    () => store.snapshot("page"),
    () => store.get("page", "state.params.n"),
    () => store.names(),
    () => store.proposals(),
    () => store.approve("x"),
    () => store.refuse("x"),
    () => store.revision("page"),
    () => store.active,
    () => {
      store.active = "page";
    },
    () => {
      store.active = null;
    },
    () => store.subscribe(() => {}),
  ];
  for (const call of calls) assert.throws(call, thrown("DISPOSED"), String(call));
});

test("Symbol.dispose disposes", { skip: Symbol.dispose === undefined }, () => {
  const store = paged();
  store[Symbol.dispose]();
  store[Symbol.dispose]();
  assert.throws(() => store.names(), thrown("DISPOSED"));
});

test("a snapshot outlives its store", () => {
  const store = paged();
  const snapshot = store.snapshot("page");
  store.dispose();
  assertSame(snapshot, page());
});

test("the default limits cannot be changed", () => {
  assert.throws(() => {
    limits.maxDepth = 1;
  }, TypeError);
});

test("an error has an offset and a path where there is one, and no field without a value", () => {
  const fields = (run) => {
    try {
      run();
    } catch (error) {
      return Object.keys(error);
    }
  };
  const store = paged();
  assert.deepEqual(fields(() => store.setNumber("page", "state.params.n", "1")).sort(), ["code", "name"]);
  assert.deepEqual(fields(() => store.apply({ a: 1n })).sort(), ["code", "name", "path"]);
});
