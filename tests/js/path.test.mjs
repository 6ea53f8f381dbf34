// Paths: the three spellings, refusals with their suggestions, and reading values by path.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { formatPath, PatchStore, parsePath } from "genui-patch";
import { random } from "../support/random.mjs";
import { page, thrown, throwsMisuse } from "../support/store.mjs";

/** Segments in short: keys and indexes unchanged, `#id`, `+` for the end. */
const segments = (list) =>
  list.map((item) => {
    if (typeof item === "number") return { index: item };
    if (item === "+") return { end: true };
    return item.startsWith("#") ? { id: item.slice(1) } : { key: item };
  });

/** [path, its segments in short, whether it removes] */
const read = [
  ["state.params.count", ["state", "params", "count"]],
  ["blocks.0.props.fields.2.value", ["blocks", 0, "props", "fields", 2, "value"]],
  ['blocks["form_block"]', ["blocks", "#form_block"]],
  ["blocks[form_block]", ["blocks", "#form_block"]],
  ['state.params["a.b"]', ["state", "params", "#a.b"]],
  ['state.params."a.b"', ["state", "params", "a.b"]],
  ['state.params["\\u00e9\\n"]'.replace("\\n", "\\\\"), ["state", "params", "#é\\"]],
  ["blocks[0]", ["blocks", 0]],
  ['blocks["0"]', ["blocks", "#0"]],
  ["blocks[0][1]", ["blocks", 0, 1]],
  ['blocks["a"]["b"].c', ["blocks", "#a", "#b", "c"]],
  ["blocks+", ["blocks", "+"]],
  ["actions+", ["actions", "+"]],
  ["blocks.0.props.fields+", ["blocks", 0, "props", "fields", "+"]],
  ["blocks-0", ["blocks", 0]],
  ["actions-12", ["actions", 12]],
  ['blocks-"old"', ["blocks", "#old"], true],
  ["blocks-old-block", ["blocks", "#old-block"], true],
  ['blocks-"0"', ["blocks", "#0"], true],
  ['blocks.0.props.fields-"email"', ["blocks", 0, "props", "fields", "#email"], true],
  ["/state/params/a.b", ["state", "params", "a.b"]],
  ["/state/params/a~1b~0c", ["state", "params", "a/b~c"]],
  ["/blocks/0/title", ["blocks", 0, "title"]],
  ["/blocks/-", ["blocks", "+"]],
  ["state.params.first-name", ["state", "params", "first-name"]],
  ["state.params.utf-8", ["state", "params", "utf-8"]],
  ["state.params.a-1", ["state", "params", "a-1"]],
  ['state.params."c+"', ["state", "params", "c+"]],
  ["state.params.日本", ["state", "params", "日本"]],
  ["state.params.😀", ["state", "params", "😀"]],
  ["state.params.a:b@c/d", ["state", "params", "a:b@c/d"]],
  ["page_key", ["page_key"]],
  ["meta.step.current", ["meta", "step", "current"]],
  ["layout", ["layout"]],
];

test("the spellings", () => {
  for (const [path, short, removes] of read) {
    const wanted = { ok: true, segments: segments(short), ...(removes && { remove: true }) };
    assert.deepStrictEqual(parsePath(path), wanted, path);
  }
});

test("parsePath(formatPath(segments)) gives the segments", () => {
  for (const [path, short] of read) {
    const list = segments(short);
    const text = formatPath(list);
    assert.deepStrictEqual(parsePath(text), { ok: true, segments: list }, `${path} as ${text}`);
    assert.deepStrictEqual(parsePath(formatPath(parsePath(text).segments)).segments, list);
  }
});

test("any segments that are written are read again", () => {
  const rng = random(11);
  const alphabet = ["a", "B", "0", "7", "-", "+", ".", '"', "[", "]", "/", "~", " ", "\\", "é", "😀", "_"];
  const name = () => Array.from({ length: 1 + rng.below(4) }, () => rng.pick(alphabet)).join("");
  const makers = [() => ({ key: name() }), () => ({ id: name() }), () => ({ index: rng.below(2 ** 32) })];
  for (let turn = 0; turn < 5000; turn++) {
    const list = Array.from({ length: 1 + rng.below(5) }, () => rng.pick(makers)());
    if (rng.chance(0.2)) list.push({ end: true });
    const text = formatPath(list);
    assert.deepStrictEqual(parsePath(text, { rules: "open" }), { ok: true, segments: list }, text);
  }
});

/** [path, the text of its solution] */
const refused = [
  ["", "state.params.count"],
  [".", "Name every segment"],
  ["state..a", "Name every segment"],
  ["state.params.", "Name every segment"],
  ["blocks[]", "Name every segment"],
  ['blocks[""]', "Name every segment"],
  ["blocks-", "Name every segment"],
  ["/", "Name every segment"],
  ["/state//a", "Name every segment"],
  ["blocks-0.props", "blocks.0.props"],
  ["blocks-old.x", 'blocks["old"].x'],
  ['blocks-"old".x', 'blocks["old"].x'],
  ["blocks[-1]", "from 0"],
  ["state.params.-1", "from 0"],
  ["/state/params/-1", "from 0"],
  ["blocks.01", '["01"]'],
  ["/state/params/01", '["01"]'],
  ['blocks["a', "Close it"],
  ["blocks[a", "Close it"],
  ['blocks["a"]b', "dots"],
  ["state.params.a]", "Quote"],
  ["state.params.a b", '["a b"]'],
  ["state.params.a\u0007", "control characters"],
  ['state.params["a\u0000"]', "control characters"],
  ['state.params["\\u0000"]', "control characters"],
  ["state.params.__proto__", "another name"],
  ['blocks["constructor"]', "another name"],
  ["/state/params/prototype", "another name"],
  ["/state/~2", "~0"],
  ["blocks/-", "op add"],
  ["nope.a", "page_key, meta, state, layout, blocks, actions"],
  ["state.nope", "state.params.nope"],
];

test("the path of a change can be written", () => {
  assert.equal(formatPath(["blocks", 0, "title"]), "blocks.0.title");
  assert.equal(formatPath(["state", "params", "a.b", "0"]), 'state.params."a.b"."0"');
});

test("refusals, and what to send instead", () => {
  for (const [path, solution] of refused) {
    const { ok, error } = parsePath(path);
    assert.deepEqual([ok, error?.code], [false, "INVALID_PATH"], path);
    assert.ok(error.solution.includes(solution), `${path}: ${error.message} ${error.solution}`);
    assert.ok(error.message !== "");
  }
});

test("rules open: any first segment, and nothing else", () => {
  for (const path of ["nope.a", "state.nope", "0", '"a.b"', "a-0"]) {
    assert.equal(parsePath(path, { rules: "open" }).ok, true, path);
    assert.equal(parsePath(path).ok, false, path);
    assert.equal(parsePath(path, { rules: "ui" }).ok, false, path);
  }
  for (const [path] of refused.slice(0, -3)) assert.equal(parsePath(path, { rules: "open" }).ok, false, path);
});

test("a path that is too long", () => {
  assert.equal(parsePath(`state.params${".a".repeat(98)}`).ok, true);
  assert.equal(parsePath(`state.params${".a".repeat(100_000)}`).error.code, "LIMIT_EXCEEDED");
});

test("misuse throws", () => {
  const cycle = [];
  cycle.push(cycle);
  const lists = [
    undefined,
    null,
    "state",
    {},
    cycle,
    [true],
    [{}],
    [{ nope: "a" }],
    [{ key: 5 }],
    [{ id: null }],
    [{ index: "0" }],
    [{ index: -1 }],
    [{ index: 1.5 }],
    [{ index: 2 ** 32 }],
    [{ index: Number.NaN }],
    [{ index: 1n }],
    [{ key: "a" }, { end: false }],
    [{ key: "a" }, { end: true }, { key: "b" }],
    [{ key: "a" }, { key: "b", id: "c" }],
    new Array(3),
  ];
  const paths = [undefined, null, 5, ["state"], {}, Symbol("a"), () => "state"];
  const calls = [
    ...lists.map((list) => [`formatPath(${inspect(list)})`, () => formatPath(list)]),
    ...paths.map((path) => [`parsePath(${inspect(path)})`, () => parsePath(path)]),
    ...[null, 5, { rules: "loose" }].map((options) => [
      `parsePath("state", ${inspect(options)})`,
      () => parsePath("state", options),
    ]),
  ];
  assert.deepEqual(
    calls.filter(([, call]) => !throwsMisuse(call)).map(([name]) => name),
    [],
  );
  for (const list of [[], [{ end: true }], [{ key: "" }], [{ id: "a\n" }], [{ key: "__proto__" }]]) {
    assert.throws(() => formatPath(list), thrown("INVALID_PATH"), JSON.stringify(list));
  }
});

function paged() {
  const store = new PatchStore();
  const document = page();
  document.state.params["a.b"] = { c: 1 };
  document.state.params.names = { a: 1, length: 2 };
  store.load("page", document);
  return store;
}

/** [path, the value at it] */
const places = [
  ["state.params.n", 1],
  ["state.params.l.1", 2],
  ["state.params.l[1]", 2],
  ["/state/params/l/1", 2],
  ['state.params.l["a"].deep.0', {}],
  ['state.params["a.b"].c', 1],
  ['state.params."a.b".c', 1],
  ["/state/params/a.b/c", 1],
  ['state["params"]["n"]', 1],
  ["state.params.o.2", "two"],
  ['state.params.o["2"]', "two"],
  ["state.params.o.inner.z", null],
  ["state.params.names.length", 2],
  ['blocks["b"].type', "tabs"],
  ["blocks[b].type", "tabs"],
  ["blocks.1.type", "tabs"],
  ["blocks-1", { id: "b", type: "tabs", props: { tabs: [{ id: "t", title: "T" }] } }],
  ['blocks["a"].props.fields["s"].label', "S"],
  ['blocks["b"].props.tabs["t"].title', "T"],
  ['actions["go"].style', "primary"],
  ["meta.pageKey", "page"],
  // Paths without a value.
  ["state.params.nope", undefined],
  ["state.params.n.below", undefined],
  ["state.params.s.length", undefined],
  ["state.params.s.0", undefined],
  ["state.params.l.3", undefined],
  ["state.params.l+", undefined],
  ["state.params.l.length", undefined],
  ['state.params.l."1"', undefined],
  ['state.params.l["1"]', undefined],
  ["state.params.toString", undefined],
  ["state.params.o.hasOwnProperty", undefined],
  ['blocks["zz"]', undefined],
  ["blocks.b", undefined],
  ["blocks.length", undefined],
  ["nope.at.all", undefined],
];

for (const [path, wanted] of places) {
  test(`get ${path}`, () => {
    const store = paged();
    assert.deepStrictEqual(store.get("page", path), wanted);
    // A patch call agrees: `replace` needs a target.
    const value = wanted === undefined ? 1 : wanted;
    const result = store.apply({ instance_name: "page", patches: [{ op: "replace", path, value }] });
    assert.equal(result.status, wanted === undefined ? "error" : "success", JSON.stringify(result));
  });
}

test("get gives parts of the snapshot", () => {
  const store = paged();
  const snapshot = store.snapshot("page");
  assert.equal(store.get("page", "state.params.o"), snapshot.state.params.o);
  assert.equal(store.get("page", 'blocks["b"]'), snapshot.blocks[1]);
  store.apply({ instance_name: "page", patches: [{ op: "remove", path: 'blocks["a"]' }] });
  assert.equal(store.get("page", 'blocks["b"]'), snapshot.blocks[1]);
});

test("get with an unknown instance, and with an invalid path", () => {
  const store = paged();
  assert.equal(store.get("nobody", "state.params.n"), undefined);
  assert.equal(store.get("nobody", 'blocks["a"]'), undefined);
  for (const name of ["page", "nobody"]) {
    for (const path of ["", "state..a", 'blocks["a', "state.__proto__", "blocks-0.x"]) {
      assert.throws(() => store.get(name, path), thrown("INVALID_PATH"), path);
    }
  }
});

/** [an invalid path, the suggested place in short]. Paths without a likely place get no suggestion. */
const cures = [
  ["state.params.cust.007", ["state", "params", "cust", "#007"]],
  ["state.params.cust.007.name", ["state", "params", "cust", "#007", "name"]],
  ["blocks[01].title", ["blocks", "#01", "title"]],
  ["blocks.-1.title", ["blocks", "#-1", "title"]],
  ["state.params.a.007.b.008", ["state", "params", "a", "#007", "b", "#008"]],
  ["state.params.l[-1][00]", ["state", "params", "l", "#-1", "#00"]],
  ["/state/params/cust/007/x.y", ["state", "params", "cust", "#007", "x.y"]],
  ["/blocks/01/-", ["blocks", "#01", "+"]],
  ["state.params.007+", ["state", "params", "#007", "+"]],
  ["007.a", ["#007", "a"]],
  ["blocks-007", ["blocks", "#007"]],
  ["blocks-007.title", ["blocks", "#007", "title"]],
  ["blocks-0.props", ["blocks", 0, "props"]],
  ["blocks-0[1]", ["blocks", 0, 1]],
  ["blocks-old.x", ["blocks", "#old", "x"]],
  ["blocks-old.x.007", ["blocks", "#old", "x", "#007"]],
  ['blocks-"old".x', ["blocks", "#old", "x"]],
  ['blocks-"a.b"[0].c', ["blocks", "#a.b", 0, "c"]],
  ['state.params.l-"a".b', ["state", "params", "l", "#a", "b"]],
  ["blocks-my id.title", ["blocks", "#my id", "title"]],
  ["state.params.first name", ["state", "params", "#first name"]],
  ["state.params.first name.x", ["state", "params", "#first name", "x"]],
  ["state.params.a b.c d+", ["state", "params", "#a b", "#c d+"]],
  [" state.params.a", ["state", "params", "a"]],
  ["state.params. a .b ", ["state", "params", "a", "b"]],
  ["blocks +", ["blocks", "+"]],
  ["blocks[my id].title", ["blocks", "#my id", "title"]],
  ["blocks[ 0 ].title", ["blocks", 0, "title"]],
  ["state.params[a.b].c", ["state", "params", "#a.b", "c"]],
  ["state.params['a.b'].c", ["state", "params", "#a.b", "c"]],
  ["state.params['it\"s']", ["state", "params", '#it"s']],
  ["state.params['a[b'].c", ["state", "params", "#a[b", "c"]],
  ['state.params.["a"].b', ["state", "params", "#a", "b"]],
  ['blocks["a"]title.007', ["blocks", "#a", "title", "#007"]],
  ['blocks["a"] .title', ["blocks", "#a", "title"]],
  ["state.params.c++", ["state", "params", "#c++"]],
  ["state.params.c+.d", ["state", "params", "#c+", "d"]],
  [`state.params.${"a.".repeat(40)}007.b`, ["state", "params", ..."a".repeat(40), "#007", "b"]],
  [`state.params.${"long name ".repeat(60)}`],
  ["blocks[a.props[0]"],
  ["blocks[a"],
  ['blocks["a'],
  ['blocks["a"x].y'],
  ["blocks0].title"],
  ['state.params.a"b"'],
  ["state..007"],
  ["state.params.007.__proto__"],
  ["state.params.a b\u0007"],
  ["/blocks/-/007"],
  ["/state/~2/007"],
];

test("a cure names the place that was meant, or none", () => {
  for (const [path, short] of cures) {
    const { error } = parsePath(path, { rules: "open" });
    const cure = / Use (.*)\.$/.exec(error.solution)?.[1];
    if (short === undefined) assert.equal(cure, undefined, path);
    else
      assert.deepEqual(
        parsePath(cure ?? "", { rules: "open" }).segments,
        segments(short),
        `${path}: ${error.solution}`,
      );
    assert.ok(!/state\.params\.count|form_block/.test(error.solution), path);
  }
});

test("any fault put into a path is cured to that path, or not at all", () => {
  const rng = random(77);
  const names = ["a", "first", "x-y", "7", "12", "b_c"];
  const faults = [
    ["a key with zeros", () => "007", (name) => `.${name}`],
    ["a negative one", () => "-5", (name) => `[${name}]`],
    ["a blank", () => "my name", (name) => `.${name}`],
    ["a dot in brackets", () => "v.1", (name) => `[${name}]`],
    ["single quotes", () => "q.r", (name) => `['${name}']`],
    ["a plus", () => "k+", (name) => `.${name}.z`, "z"],
  ];
  for (let turn = 0; turn < 2000; turn++) {
    let path = "state.params";
    const meant = [{ key: "state" }, { key: "params" }];
    const count = 1 + rng.below(5);
    const places = new Set([rng.below(count), rng.below(count)]);
    for (let place = 0; place < count; place++) {
      if (places.has(place)) {
        const [, name, write, next] = rng.pick(faults);
        path += write(name());
        meant.push({ id: name() }, ...(next === undefined ? [] : [{ key: next }]));
      } else {
        const name = rng.pick(names);
        path += `.${name}`;
        meant.push(/^\d+$/.test(name) ? { index: Number(name) } : { key: name });
      }
    }
    const { error } = parsePath(path);
    const cure = / Use (.*)\.$/.exec(error.solution)?.[1];
    assert.deepEqual(parsePath(cure ?? "").segments, meant, `${path}: ${error.solution}`);
  }
});

test("a key on a list, and an unknown part of the state, are reported with the rest of the path", () => {
  const store = paged();
  const solution = (path) => {
    return store.apply({ instance_name: "page", patches: [{ op: "set", path, value: 1 }] }).error.solution;
  };
  assert.ok(solution("blocks.a.props.fields.s.label").includes('Use blocks["a"].props.fields.s.label for'));
  assert.ok(solution('blocks["a"].props.fields.s.label').includes('Use blocks.0.props.fields["s"].label for'));
  assert.ok(solution('state.params.l."x\\"y".z').includes('Use state.params.l["x\\"y"].z for'));
  assert.equal(solution("state.user.name.0"), "Use state.params.user.name.0 or state.runtime.user.name.0.");
  assert.equal(solution('state.user["a b"]'), 'Use state.params.user["a b"] or state.runtime.user["a b"].');
});
