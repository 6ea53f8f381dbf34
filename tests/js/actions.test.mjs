// Actions: every form of patches, every handler type, requests to the page, fields and rows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { operations } from "../support/calls.mjs";
import { assertMirror } from "../support/store.mjs";

/** A template, written so that JavaScript does not take it for its own. */
const t = (path) => `$\{${path}}`;

const button = (id, rest) => ({ id, label: id, style: "primary", ...rest });
const patches = (id, handler_type, patches) => button(id, { action_type: "apply_patch", handler_type, patches });

const page = {
  page_key: "p",
  state: {
    params: {
      n: 1,
      s: "x",
      flag: false,
      list: [1, { id: "a", t: 1 }],
      o: { k: 1 },
      q: "a b&c",
      where: "javascript:alert(1)",
    },
    runtime: { ready: false },
  },
  layout: { type: "single" },
  blocks: [
    {
      id: "form",
      type: "form",
      props: {
        fields: [
          { key: "age", label: "Age", type: "number" },
          {
            key: "size",
            label: "Size",
            type: "select",
            options: [
              { label: "One", value: 1 },
              { label: "Two", value: "2" },
            ],
          },
          {
            key: "tags",
            label: "Tags",
            type: "multiselect",
            options: [
              { label: "A", value: "a" },
              { label: "B", value: "b" },
              { label: "3", value: 3 },
            ],
          },
          { key: "agree", label: "Agree", type: "checkbox" },
          { key: "raw", label: "Raw", type: "json" },
          { key: "s", label: "S", type: "text" },
          { key: "photo", label: "Photo", type: "image" },
        ],
        actions: [
          patches("save", "set", {
            "state.params.saved": true,
            "state.params.copy": t("params.n"),
            "state.params.text": `n=${t("params.n")}`,
          }),
          button("both", { style: "danger", patches: { "state.runtime.block": 1 } }),
        ],
      },
    },
    {
      id: "rows",
      type: "form",
      bind: "state.params.o",
      props: {
        fields: [
          {
            key: "table",
            label: "Table",
            type: "table",
            value: t("params.list"),
            columns: [
              { key: "t", label: "T" },
              {
                key: "do",
                label: "",
                actions: [
                  patches("drop", "remove_from_list", {
                    "state.params.list": { key: "id", value: t("runtime.temp_rowData.id") },
                  }),
                ],
              },
            ],
          },
          { key: "inner", label: "Inner", type: "text" },
        ],
      },
    },
    {
      id: "tabs",
      type: "tabs",
      props: {
        tabs: [{ label: "One", fields: [], actions: [patches("tabbed", "increment", { "state.params.n": 2 })] }],
      },
    },
  ],
  actions: [
    button("both", { patches: { "state.runtime.global": 1 } }),
    button("plain"),
    button("off", { disabled: true, patches: { "state.params.n": 9 } }),
    button("busy", { disabled: t("params.flag"), patches: { "state.params.n": 9 } }),
    patches("list", "set", [
      {
        op: "set",
        path: "state.params.who",
        value: { name: t("params.s"), all: [t("params.o"), `<${t("params.s")}>`] },
      },
      { op: "append_to_list", path: "state.params.list", items: [t("params.n"), "y"] },
      { op: "increment", path: "state.params.n", condition: "state.params.n == 1" },
      { op: "increment", path: "state.params.n", condition: "state.params.n == 7" },
    ]),
    patches("bad", "set", { "state.params.a": 1, "blocks.9.title": 2 }),
    patches("gone", "set", {
      "state.params.copy": t("params.nothing"),
      "state.params.text": `[${t("params.nothing")}]`,
    }),
  ],
};

function start(change = () => {}, options = {}) {
  const store = new PatchStore(options);
  const document = structuredClone(page);
  change(document);
  const loaded = store.load("p", document);
  assert.equal(loaded.status, "success", loaded.error?.message);
  return store;
}

const params = (store) => store.snapshot("p").state.params;

test("patches as an object of paths (seed 001, example 5), with templates", () => {
  const store = start();
  const result = store.runAction("p", "save");
  assert.deepEqual(Object.keys(result), ["status", "kind", "call", "result"]);
  assert.equal(result.kind, "patch");
  assert.deepEqual(result.call, {
    instance_name: "p",
    patches: [
      { op: "set", path: "state.params.saved", value: true },
      { op: "set", path: "state.params.copy", value: 1 },
      { op: "set", path: "state.params.text", value: "n=1" },
    ],
  });
  assert.equal(result.result.applied, 3);
  assert.deepEqual([params(store).saved, params(store).copy, params(store).text], [true, 1, "n=1"]);
  assertMirror(store);
});

test("patches as a list, their values rendered however deep, their conditions kept", () => {
  const store = start();
  const result = store.runAction("p", "list");
  assert.equal(result.status, "success", result.error?.message);
  assert.deepEqual(params(store).who, { name: "x", all: [{ k: 1 }, "<x>"] });
  assert.deepEqual(params(store).list, [1, { id: "a", t: 1 }, 1, "y"]);
  assert.equal(params(store).n, 2);
  assert.deepEqual(
    result.result.skipped.map(({ reason }) => reason),
    ["condition"],
  );
});

test("a missing value is null if a template is the whole value, and empty within a text", () => {
  const store = start();
  store.runAction("p", "gone");
  assert.deepEqual([params(store).copy, params(store).text], [null, "[]"]);
});

/** Handler type, the value beside its path, and the resulting value at the place. */
const handlers = [
  ["set", "state.params.s", "y", "y"],
  ["replace", "state.params.s", "y", "y"],
  ["increment", "state.params.n", 2, 3],
  ["increment", "state.params.n", null, 2],
  ["increment", "state.params.n", "5", 6],
  ["increment", "state.params.n", t("params.n"), 2],
  ["increment", "state.params.n", true, 2],
  ["decrement", "state.params.n", 2, -1],
  ["decrement", "state.params.n", "", 0],
  ["toggle", "state.params.flag", null, true],
  ["toggle", "state.params.flag", true, true],
  ["merge", "state.params.o", { z: t("params.s") }, { k: 1, z: "x" }],
  ["add", "state.params.list", 5, [1, { id: "a", t: 1 }, 5]],
  ["append_to_list", "state.params.list", t("params.n"), [1, { id: "a", t: 1 }, 1]],
  ["append_to_list", "state.params.list", { items: [5, 6] }, [1, { id: "a", t: 1 }, 5, 6]],
  ["append_to_list", "state.params.list", { items: [5], more: 1 }, [1, { id: "a", t: 1 }, { items: [5], more: 1 }]],
  ["prepend_to_list", "state.params.list", 0, [0, 1, { id: "a", t: 1 }]],
  ["remove_from_list", "state.params.list", { key: "id", value: "a" }, [1]],
  ["remove_from_list", "state.params.list", 1, [{ id: "a", t: 1 }]],
  ["remove_last", "state.params.list", null, [1]],
  ["update_list_item", "state.params.list", { key: "id", value: "a", updates: { t: 2 } }, [1, { id: "a", t: 2 }]],
  ["update_list_item", "state.params.list", { index: 1, value: { t: 2 } }, [1, { id: "a", t: 2 }]],
  ["update_list_item", "state.params.list", { index: 1, updates: { t: 3 } }, [1, { id: "a", t: 3 }]],
  ["filter_list", "state.params.list", { key: "id", operator: "==", value: "a" }, [{ id: "a", t: 1 }]],
  ["move", "state.params.list.0", 1, { id: "a", t: 1 }],
  ["move", "state.params.list.0", t("params.n"), { id: "a", t: 1 }],
  ["move", "state.params.list.0", { after: "a" }, { id: "a", t: 1 }],
  ["clear", "state.params.list", null, []],
  ["clear", "state.params.o", {}, {}],
  ["remove", "state.params.s", null, undefined],
  ["remove", "state.params.s", true, undefined],
];

test("each operation that a button can cause has a row", () => {
  // Other tests cover `clear_all_params` and the operations on whole instances.
  const tested = new Set([...handlers.map(([handler]) => handler), "clear_all_params", "create", "delete"]);
  const missing = operations.filter((operation) => !tested.has(operation));
  assert.deepEqual(
    missing,
    [],
    'add rows to `handlers`; numbers as text, such as "5", are read in patchOf of action.ts',
  );
});

for (const [handler, path, value, wanted] of handlers) {
  test(`${handler} ${JSON.stringify(value)}`, () => {
    const store = start((document) => {
      document.actions.push(patches("it", handler, { [path]: value }));
    });
    const result = store.runAction("p", "it");
    assert.equal(result.status, "success", JSON.stringify(result.error));
    assert.deepEqual(store.get("p", path), wanted);
    assertMirror(store);
  });
}

test("clear_all_params, with a path or without any", () => {
  for (const value of [{}, { "state.params": null }]) {
    const store = start((document) => document.actions.push(patches("it", "clear_all_params", value)));
    assert.equal(store.runAction("p", "it").status, "success");
    assert.deepEqual([params(store).n, params(store).s, params(store).list], [0, "", []]);
  }
});

test("remove of blocks, by id", () => {
  for (const path of ['blocks-"tabs"', 'blocks["tabs"]']) {
    const store = start((document) => document.actions.push(patches("it", "remove", { [path]: null })));
    assert.equal(store.runAction("p", "it").status, "success");
    assert.equal(store.snapshot("p").blocks.length, 2);
  }
  const store = start((document) => document.actions.push(patches("it", "remove", { blocks: { id: "tabs" } })));
  assert.equal(store.runAction("p", "it").status, "success");
  assert.equal(store.snapshot("p").blocks.length, 2);
});

test("params are set first, those that exist or that a field declares; templates see them", () => {
  const store = start();
  const result = store.runAction("p", "save", {
    params: { n: 5, age: 30, inner: "i", unknown: 1, toString: 2, s: undefined },
  });
  assert.deepEqual(
    result.call.patches.map(({ path, value }) => [path, value]),
    [
      ["state.params.n", 5],
      ["state.params.age", 30],
      ["state.params.o.inner", "i"],
      ["state.params.saved", true],
      ["state.params.copy", 5],
      ["state.params.text", "n=5"],
    ],
  );
  assert.equal(params(store).o.inner, "i");
});

test("a block's action has priority over a global one of the same id; tabs have actions too", () => {
  const store = start();
  store.runAction("p", "both");
  assert.deepEqual(store.snapshot("p").state.runtime, { ready: false, block: 1 });
  store.runAction("p", "tabbed");
  assert.equal(params(store).n, 3);
});

test("an action of seed 000 without a handler is a call with the params alone", () => {
  const store = start();
  assert.deepEqual(store.runAction("p", "plain").call, { instance_name: "p", patches: [] });
  const { call } = store.runAction("p", "plain", { params: { n: 2 } });
  assert.deepEqual(call.patches, [{ op: "set", path: "state.params.n", value: 2 }]);
});

test("a row's data goes to state.runtime.temp_rowData, where templates find it", () => {
  const store = start();
  const result = store.runAction("p", "drop", { rowData: { id: "a" } });
  assert.equal(result.status, "success", result.error?.message);
  assert.deepEqual(params(store).list, [1]);
  assert.deepEqual(store.snapshot("p").state.runtime.temp_rowData, { id: "a" });
});

test("a button in a table's row", () => {
  const store = start();
  assert.equal(store.runRowAction("p", { block: "rows", field: "table", row: 1 }, "drop").status, "success");
  assert.deepEqual(params(store).list, [1]);
  const gone = store.runRowAction("p", { block: "rows", field: "table", row: 1 }, "drop");
  assert.equal(gone.error.code, "PATH_NOT_FOUND");
  assert.equal(store.runRowAction("p", { block: "no", field: "table", row: 1 }, "drop").error.code, "PATH_NOT_FOUND");
  assert.equal(store.runRowAction("q", { block: "no", field: "table", row: 1 }, "drop").error.code, "INVALID_INSTANCE");
  assert.throws(() => store.runRowAction("p", { block: "rows", field: "table", row: -1 }, "drop"), {
    code: "INVALID_ARGUMENT",
  });
});

const instructions = [
  ["navigate", { url: "/a?b=1" }, { url: "/a?b=1" }, { url: true }],
  ["navigate", { url: "java\nscript:alert(1)" }, { url: null }, { url: false }],
  ["navigate", { url: t("params.where") }, { url: null }, { url: false }],
  ["navigate", { target: "javascript:alert(1)" }, { target: null }, { target: false }],
  ["navigate", { target: "wizard" }, { target: "wizard" }, {}],
  ["navigate", { to: t("params.s"), replace: true }, { to: "x", replace: true }, {}],
  ["navigate", { to: "\u0001java\n\tscript:alert(1)" }, { to: null }, { to: false }],
  ["navigate", { location: { to: " data:text/html,x" } }, { location: { to: null } }, { "location.to": false }],
  ["modal", { title: "Note: x", content: "data: y" }, { title: "Note: x", content: "data: y" }, {}],
  ["navigate_block", { block_id: "tabs" }, { block_id: "tabs" }, {}],
  [
    "api",
    { url: `/api/${t("params.q")}?q=${t("params.q")}`, method: "POST", body: { n: t("params.n"), q: t("params.q") } },
    { url: "/api/a%20b%26c?q=a%20b%26c", method: "POST", body: { n: 1, q: "a b&c" } },
    { url: true },
  ],
  [
    "api",
    { request: { endpoint: "data:text/html,x" } },
    { request: { endpoint: null } },
    { "request.endpoint": false },
  ],
  ["navigate", { navigate_to: "java\tscript:alert(1)" }, { navigate_to: null }, { navigate_to: false }],
  ["navigate", { navigate_to: "settings" }, { navigate_to: "settings" }, {}],
  [
    "modal",
    { title: `Hello ${t("params.s")}`, links: [{ href: "vbscript:x" }, { href: "/ok" }] },
    { title: "Hello x", links: [{ href: null }, { href: "/ok" }] },
    { "links.0.href": false, "links.1.href": true },
  ],
];

for (const [kind, rest, wanted, urls] of instructions) {
  test(`${kind} ${JSON.stringify(rest)}`, () => {
    const store = start((document) => document.actions.push({ id: "it", label: "It", action_type: kind, ...rest }));
    const before = store.snapshot("p");
    const result = store.runAction("p", "it");
    assert.deepEqual(Object.keys(result), ["status", "kind", "instruction"]);
    assert.equal(result.kind, kind);
    const { action, urls: checked, ...instruction } = result.instruction;
    assert.equal(action, "it");
    assert.deepEqual(instruction, wanted);
    assert.deepEqual(Object.fromEntries(Object.entries(checked).map(([place, { ok }]) => [place, ok])), urls);
    assert.equal(store.snapshot("p"), before);
  });
}

test("params are set before the page receives the action", () => {
  const store = start((document) =>
    document.actions.push({ id: "it", label: "It", action_type: "api", url: `/a/${t("params.n")}` }),
  );
  const { instruction } = store.runAction("p", "it", { params: { n: 4 } });
  assert.equal(instruction.url, "/a/4");
  assert.equal(params(store).n, 4);
});

const refusals = [
  ["an unknown action", ["p", "sav"], "UNKNOWN_ACTION", /"save"/],
  ["a disabled action", ["p", "off", { params: { n: 2 } }], "ACTION_DISABLED"],
  ["an action whose patches fail", ["p", "bad"], "PATH_NOT_FOUND"],
  ["an instance that is not there", ["q", "save"], "INVALID_INSTANCE", /"p"/],
  ["a sentinel", ["__CREATE__", "save"], "INVALID_INSTANCE"],
];
for (const [name, args, code, says] of refusals) {
  test(`refuses ${name}, and nothing has changed`, () => {
    const store = start();
    const before = store.save();
    const result = store.runAction(...args);
    assert.equal(result.status, "error");
    assert.equal(result.error.code, code);
    if (says) assert.match(result.error.solution, says);
    assert.equal(store.save(), before);
  });
}

test("disabled may be a template", () => {
  const store = start();
  assert.equal(store.runAction("p", "busy").status, "success");
  store.setBoolean("p", "state.params.flag", true);
  assert.equal(store.runAction("p", "busy").error.code, "ACTION_DISABLED");
});

test("misuse throws", () => {
  const store = start();
  for (const args of [
    [1, "save"],
    ["p", 1],
    ["p", "save", { param: {} }],
    ["p", "save", { params: [] }],
    ["p", "save", { optimistic: 1 }],
  ]) {
    assert.throws(() => store.runAction(...args), { code: "INVALID_ARGUMENT" });
  }
  assert.throws(() => store.runAction("p", "save", { params: { n: 1n } }), { code: "INVALID_ARGUMENT" });
});

/** Field, the value from its control, the value in the state; an empty entry: refused. */
const changes = [
  ["age", "42", 42],
  ["age", " 4.5 ", 4.5],
  ["age", "", null],
  ["age", null, null],
  ["age", 7, 7],
  ["age", "x"],
  ["age", "1e999"],
  ["age", true],
  ["size", "1", 1],
  ["size", "2", "2"],
  ["size", 2, "2"],
  ["size", "", ""],
  ["size", "3"],
  ["tags", ["a", "3"], ["a", 3]],
  ["tags", "b", ["b"]],
  ["tags", "", []],
  ["tags", ["a", "z"]],
  ["agree", true, true],
  ["agree", "on", true],
  ["agree", "false", false],
  ["agree", "", false],
  ["agree", 0, false],
  ["raw", '{"a":[1]}', { a: [1] }],
  ["raw", { a: 1 }, { a: 1 }],
  ["raw", "", null],
  ["raw", "{"],
  ["raw", "1e999"],
  ["raw", '{"a":[-1e999]}'],
  ["s", 5, "5"],
  ["s", "5", "5"],
  ["s", null, null],
  ["photo", { src: "a.png" }, { src: "a.png" }],
];
for (const [key, given, wanted] of changes) {
  test(`the field ${key} takes ${JSON.stringify(given)} as ${JSON.stringify(wanted)}`, () => {
    const store = start();
    const before = store.save();
    const result = store.setField("p", "form", key, given);
    if (wanted === undefined) {
      assert.equal(result.error.code, "INVALID_STRUCTURE");
      assert.equal(store.save(), before);
      return;
    }
    assert.equal(result.status, "success", result.error?.message);
    assert.deepEqual(params(store)[key], wanted);
  });
}

test("a field's place is its block's bind and its key", () => {
  const store = start();
  assert.equal(store.setField("p", "rows", "inner", "v").status, "success");
  assert.equal(params(store).o.inner, "v");
  assert.match(store.setField("p", "rows", "outer", "v").error.solution, /"inner"/);
  assert.match(store.setField("p", "row", "inner", "v").error.solution, /"rows"/);
  assert.equal(store.setField("q", "rows", "inner", "v").error.code, "INVALID_INSTANCE");
  assert.throws(() => store.setField("p", "form", "age", 1n), { code: "INVALID_ARGUMENT" });
  assert.throws(() => store.setField("p", "form", 1, 1), { code: "INVALID_ARGUMENT" });
});

test("an optimistic action is pending until the server has answered", () => {
  const store = start();
  const { kind, call, pendingId, result } = store.runAction("p", "tabbed", { optimistic: true });
  assert.equal(kind, "patch");
  assert.equal(result.status, "success");
  assert.deepEqual(
    store.pending("p").map((pending) => [pending.pendingId, pending.call]),
    [[pendingId, call]],
  );
  assert.deepEqual([params(store).n, store.confirmed("p").state.params.n], [3, 1]);
  store.reject(pendingId);
  assert.equal(params(store).n, 1);
  const { pendingId: second } = store.runAction("p", "tabbed", { optimistic: true, params: { n: 5 } });
  store.receive({ type: "patch", instance_name: "p", patch_id: second, patch: { "state.params.n": 9 } });
  assert.equal(params(store).n, 9);
  assert.deepEqual(store.pending(), []);
});

test("an optimistic action that fails keeps nothing", () => {
  const store = start();
  const before = store.save();
  assert.equal(store.runAction("p", "bad", { optimistic: true }).error.code, "PATH_NOT_FOUND");
  assert.equal(store.save(), before);
  assert.deepEqual(store.pending(), []);
});

test("typing is optimistic, and coalesces", () => {
  const store = start();
  const ids = ["4", "42"].map((text) => store.setField("p", "form", "age", text, { optimistic: true }).pendingId);
  assert.equal(params(store).age, 42);
  assert.equal(ids[0], ids[1]);
  assert.equal(store.pending("p").length, 1);
  assert.equal(store.confirmed("p").state.params.age, undefined);
});

test("an agent's changes are applied under the user's pending ones", () => {
  const store = start();
  store.setField("p", "form", "s", "typed", { optimistic: true });
  const result = store.callTool("patch_ui_state", {
    instance_name: "p",
    patches: [
      { op: "set", path: "state.params.s", value: "agent" },
      { op: "set", path: "state.params.n", value: 2 },
    ],
  });
  assert.equal(result.status, "success");
  assert.deepEqual([params(store).s, params(store).n], ["typed", 2]);
  const read = store.callTool("get_schema", { instance_name: "p" });
  assert.equal(read.schema, store.snapshot("p"));
});

test("values nested too deeply are misuse, and so are cycles", () => {
  const store = start();
  let deep = [];
  for (let level = 0; level < 100_000; level++) deep = [deep];
  const cycle = {};
  cycle.self = cycle;
  for (const run of [
    (value) => store.runAction("p", "save", { params: { n: value } }),
    (value) => store.runAction("p", "save", { rowData: value }),
    (value) => store.setField("p", "form", "raw", value),
  ]) {
    assert.throws(() => run(deep), { code: "LIMIT_EXCEEDED" });
    assert.throws(() => run(cycle), { code: "INVALID_ARGUMENT" });
  }
});
