// Input of users outlives updates by the agent, in every version of A2UI.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SurfaceStream } from "genui-patch";
import { random } from "../support/random.mjs";
import { component, components, data, open, render, sketch, v9 } from "../support/surface.mjs";

const line = (message) => `${JSON.stringify(message)}\n`;
const steps = (path) => path.split("/").slice(1);
const isWithin = (path, place) => path === place || path.startsWith(`${place}/`) || place === "";
/** A2UI v0.8 has no lists: a text that contains one is read and written as the list. */
const opened = (node) => (typeof node === "string" && node.startsWith("[") ? JSON.parse(node) : node);
const valueAt = (root, path) =>
  steps(path).reduce((node, key) => {
    const holder = opened(node);
    return typeof holder === "object" ? holder?.[key] : undefined;
  }, root);

const isItem = (root, place) =>
  Array.isArray(opened(valueAt(root, place.slice(0, place.lastIndexOf("/"))))) && valueAt(root, place) !== undefined;

/** The items of lists on a path that exist, as paths. */
const itemsOn = (root, path) =>
  [...path.matchAll(/\/\d+/g)]
    .map(({ index, 0: { length } }) => path.slice(0, index + length))
    .filter((place) => isItem(root, place));

/** The contents of A2UI v0.8 for a value. */
const entry = (key, value) =>
  typeof value === "object"
    ? { key, valueMap: Object.entries(value).map(([own, inner]) => entry(own, inner)) }
    : { key, valueString: value };

/** How an agent of each version begins a surface, sends data, and removes the surface; null deletes. */
const AGENTS = {
  0.8: {
    begin: () => [
      { surfaceUpdate: { surfaceId: "s", components: [{ id: "root", component: { Text: {} } }] } },
      { beginRendering: { surfaceId: "s", root: "root" } },
    ],
    send: (path, value) => ({
      dataModelUpdate: {
        surfaceId: "s",
        path: path.slice(0, path.lastIndexOf("/")),
        contents: [entry(steps(path).at(-1), value)],
      },
    }),
    values: [
      "a",
      "b",
      { name: "a" },
      { name: "b", mail: "c" },
      {},
      "[]",
      '[{"done":"a"}]',
      '[{"done":"a"},{"done":"b"}]',
      '["a",[{"done":"c"}]]',
    ],
    remove: { deleteSurface: { surfaceId: "s" } },
  },
  0.9: {
    begin: () => [v9.create()],
    send: (path, value) => v9.data(path, value === null ? undefined : value),
    remove: v9.delete(),
  },
  "1.0": {
    begin: () => [{ version: "v1.0", createSurface: { surfaceId: "s" } }],
    send: (path, value) => ({ version: "v1.0", updateDataModel: { surfaceId: "s", path, value } }),
    remove: { version: "v1.0", deleteSurface: { surfaceId: "s" } },
  },
};
const VALUES = [
  null,
  "a",
  "b",
  1,
  { name: "a" },
  { name: "b", mail: "c" },
  {},
  [],
  [{ done: "a" }],
  [{ done: "a" }, { done: "b" }],
  { name: { first: "a" } },
];
const PATHS = [
  "/title",
  "/form",
  "/form/name",
  "/form/mail",
  "/form/name/first",
  "/items",
  "/items/0/done",
  "/items/1/done",
  "/items/0",
];

/** Sets a value in a copy of a document; `undefined` where the document has no place for it. */
function put(root, path, value) {
  const copy = structuredClone(root);
  const keys = steps(path);
  let node = copy;
  for (const [depth, key] of keys.entries()) {
    if (typeof node !== "object") return undefined;
    if (Array.isArray(node) && !/^\d+$/.test(key)) return undefined;
    if (Array.isArray(node) && (Number(key) > node.length || (Number(key) === node.length && depth < keys.length - 1)))
      return undefined;
    if (depth === keys.length - 1) node[key] = value;
    else node[key] = opened(node[key]) ?? (/^\d+$/.test(keys[depth + 1]) ? [] : {});
    node = node[key];
  }
  return copy;
}

for (const [version, { begin, send, remove, values = VALUES, paths = PATHS }] of Object.entries(AGENTS)) {
  test(`A2UI ${version}: whatever the order, what is shown is the agent's data with the user's edits on top`, () => {
    let inLists = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const { pick, chance } = random(seed);
      const shown = new SurfaceStream();
      // The same agent without a user.
      const agent = new SurfaceStream();
      for (const message of begin()) for (const stream of [shown, agent]) stream.push(line(message));
      let edits = [];
      const both = (...messages) => {
        for (const stream of [shown, agent]) for (const message of messages) stream.push(line(message));
      };
      for (let step = 0; step < 25; step++) {
        const confirmed = chance(0.15) ? pick([...edits, undefined]) : undefined;
        const path = confirmed?.path ?? pick(paths);
        const value = confirmed?.value ?? pick(values);
        if (chance(0.04)) {
          // The surface goes, and its edits with it.
          both(remove);
          assert.deepEqual(shown.pending("s"), []);
          both(...begin());
          edits = [];
        }
        const hasPlace = !path.includes("/items/") || Array.isArray(opened(valueAt(shown.dataModel("s"), "/items")));
        if (!confirmed && chance(0.4) && hasPlace && put(shown.dataModel("s"), path, "x") !== undefined) {
          const before = shown.dataModel("s");
          const own = chance(0.6) ? `typed ${step}` : (value ?? "a");
          const events = shown.setData("s", path, own);
          assert.deepEqual(
            events.filter(({ type }) => type === "diagnostic"),
            [],
          );
          const isSame = JSON.stringify(valueAt(before, path)) === JSON.stringify(own);
          if (!isSame) inLists += Math.sign(itemsOn(before, path).length);
          if (!isSame)
            edits = [
              ...edits.filter((edit) => !isWithin(edit.path, path)),
              { path, value: own, items: itemsOn(before, path) },
            ];
        } else {
          both(send(path, value));
        }
        let expected = agent.dataModel("s");
        edits = edits.filter((edit) => {
          if (JSON.stringify(valueAt(expected, edit.path)) === JSON.stringify(edit.value)) return false;
          const isThere = edit.items.every((place) => isItem(expected, place));
          if (isThere) expected = put(expected, edit.path, edit.value) ?? expected;
          return true;
        });
        assert.deepEqual(shown.dataModel("s"), expected, `seed ${seed}, step ${step}`);
        const pending = shown.pending("s").map(({ path, value }) => [path, value]);
        const wanted = edits.map(({ path, value }) => [path, value]);
        assert.deepEqual(pending, wanted, `seed ${seed}, step ${step}`);
      }
    }
    assert.ok(inLists > 20, `${inLists} edits of items of lists`);
  });
}

const FORM = [
  v9.create(),
  v9.components(
    { id: "root", component: "Row", children: ["name", "size"] },
    { id: "name", component: "TextField", value: { path: "/form/name" } },
    { id: "size", component: "Text", text: { path: "/form/size" } },
  ),
  v9.data("/form", { name: "", size: 1 }),
];

test("a field that the user has filled in keeps its text while the agent updates the form", () => {
  const { surfaces, push } = open(FORM);
  surfaces.setData("s", "/form/name", "Ada");
  push(v9.data("/form", { name: "", size: 2 }));
  assert.deepEqual(sketch(surfaces.tree("s")), ["root", {}, ["name", { value: "Ada" }], ["size", { text: 2 }]]);
  assert.deepEqual(surfaces.pending("s"), [{ path: "/form/name", value: "Ada", author: { kind: "user" } }]);
  const pending = surfaces.pending("s");
  assert.ok(Object.isFrozen(pending));
  assert.equal(surfaces.pending("s"), pending);
});

test("the node of the field is the same object after an update that does not concern it", () => {
  const { surfaces, push } = open(FORM);
  surfaces.setData("s", "/form/name", "Ada");
  const [field] = surfaces.tree("s").children;
  push(v9.data("/form/size", 3));
  assert.equal(surfaces.tree("s").children[0], field);
});

test("the agent confirms an edit by the same value; afterwards its updates are shown", () => {
  const { surfaces, push } = open(FORM);
  surfaces.setData("s", "/form/name", "Ada");
  push(v9.data("/form/name", "Ada"));
  assert.deepEqual(surfaces.pending("s"), []);
  push(v9.data("/form/name", "Bea"));
  assert.equal(surfaces.dataModel("s").form.name, "Bea");
});

test("an edit of a list item that the agent removes waits until there is one again", () => {
  const { surfaces, push } = open([v9.create(), v9.data("/items", [{ n: 1 }, { n: 2 }])]);
  surfaces.setData("s", "/items/1/n", 20);
  push(v9.data("/items", [{ n: 1 }]));
  assert.deepEqual(surfaces.dataModel("s"), { items: [{ n: 1 }] });
  push(v9.data("/items", [{ n: 1 }, { n: 2 }, { n: 3 }]));
  assert.deepEqual(surfaces.dataModel("s"), { items: [{ n: 1 }, { n: 20 }, { n: 3 }] });
});

test("an item that the user adds stays at its index", () => {
  const { surfaces, push } = open([v9.create(), v9.data("/l", ["a"])]);
  surfaces.setData("s", "/l/-", "mine");
  assert.equal(surfaces.pending("s")[0].path, "/l/1");
  push(v9.data("/l/0", "b"));
  assert.deepEqual(surfaces.dataModel("s"), { l: ["b", "mine"] });
  push(v9.data("/l", ["c", "mine"]));
  assert.deepEqual(surfaces.pending("s"), []);
});

test("an item that the user adds to a list in a text of A2UI v0.8 stays at its index", () => {
  const contents = [{ key: "l", valueString: '["a"]' }];
  const { surfaces, push } = open([...AGENTS[0.8].begin(), { dataModelUpdate: { surfaceId: "s", contents } }]);
  surfaces.setData("s", "/l/-", "mine");
  assert.equal(surfaces.pending("s")[0].path, "/l/1");
  push(AGENTS[0.8].send("/m/n", "b"));
  assert.deepEqual(surfaces.dataModel("s"), { l: ["a", "mine"], m: { n: "b" } });
});

test("edits go with their surface", () => {
  const { surfaces, push } = open(FORM);
  surfaces.setData("s", "/form/name", "Ada");
  push(v9.delete(), ...FORM);
  assert.deepEqual(surfaces.pending("s"), []);
  assert.deepEqual(surfaces.pending("other"), []);
  assert.equal(surfaces.dataModel("s").form.name, "");
});

test("in GULF the last one who writes counts", () => {
  const { surfaces, push } = open([components(component("a", "Text")), render("a"), data("x", 1)]);
  surfaces.setData("main", "x", 2);
  push(data("x", 3));
  assert.deepEqual(surfaces.dataModel("main"), { x: 3 });
  assert.deepEqual(surfaces.pending("main"), []);
});
