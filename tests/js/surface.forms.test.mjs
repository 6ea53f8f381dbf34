// What a version of A2UI does not have never reaches the page as data: unknown versions, and bindings of another version.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SurfaceStream } from "genui-patch";
import { random } from "../support/random.mjs";
import { codes, diagnostics, lines, nodesOf, seen } from "../support/surface.mjs";

/** The messages of each version that show the root component with one property. */
const SHOW = {
  0.8: (text) => [
    { surfaceUpdate: { surfaceId: "s", components: [{ id: "root", component: { Text: { text } } }] } },
    { beginRendering: { surfaceId: "s", root: "root" } },
  ],
  0.9: (text) => [
    { version: "v0.9", createSurface: { surfaceId: "s", catalogId: "c" } },
    { version: "v0.9", updateComponents: { surfaceId: "s", components: [{ id: "root", component: "Text", text }] } },
  ],
  "1.0": (text) => [
    { version: "v1.0", createSurface: { surfaceId: "s", components: [{ id: "root", component: "Text", text }] } },
  ],
};
/** Forms that a version does not have, and the right ones. */
const FORMS = {
  0.8: {
    wrong: [
      { "@path": "/x" },
      { "@call": "f" },
      { "@call": "f", args: {} },
      { call: "f", args: { a: 1 } },
      { call: "f", args: {}, returnType: "string" },
    ],
    right: [{ path: "/x" }, { literalString: "a" }, { literalNumber: 1, path: "/x" }, { "@note": 1 }, { call: "0123" }],
  },
  0.9: {
    wrong: [
      { "@path": "/x" },
      { "@call": "f" },
      { literalString: "a" },
      { literalArray: [] },
      { literalString: "a", path: "/x" },
    ],
    right: [{ path: "/x" }, { call: "not", args: { value: false } }, { "@note": 1 }, { path: "/x", name: "file" }],
  },
  "1.0": {
    wrong: [
      { "@path": 5 },
      { "@path": "/x", name: "a" },
      { "@call": "not", name: "a" },
      { "@value": 1 },
      { literalString: "a" },
      { literalBoolean: true, path: "/x" },
    ],
    right: [
      { "@path": "/x" },
      { "@call": "not", args: { value: false } },
      { path: "/x" },
      { "@@note": 1 },
      { path: "/x", name: "file" },
    ],
  },
};

/** A value of plain data with `inner` somewhere in it. */
function around(inner, { below, chance, pick }, depth = 0) {
  if (depth > 4 || chance(0.3)) return inner;
  const nested = around(inner, { below, chance, pick }, depth + 1);
  const plain = () => pick([null, "a", 7, true, [], {}, { a: ["b"] }]);
  if (chance(0.5)) return [...Array.from({ length: below(3) }, plain), nested, plain()];
  return { ...(chance(0.5) && { first: plain() }), [pick(["a", "b c", "text", "items"])]: nested, last: plain() };
}

for (const [version, { wrong, right }] of Object.entries(FORMS))
  test(`A2UI ${version}: a binding or call that the version does not have is never in a node of state ready`, () => {
    for (let seed = 1; seed <= 400; seed++) {
      const rnd = random(seed);
      for (const [forms, isReady] of [
        [wrong, false],
        [right, true],
      ]) {
        const form = rnd.pick(forms);
        const text = lines(SHOW[version](around(form, rnd)));
        const surfaces = new SurfaceStream();
        const cut = rnd.below(text.length);
        const events = [...surfaces.push(text.slice(0, cut)), ...surfaces.push(text.slice(cut))];
        const { state, issues = [] } = surfaces.tree("s");
        const place = `seed ${seed}: ${text}`;
        assert.equal(state === "ready", isReady, place);
        assert.equal(
          issues.some(({ code }) => code === "INVALID_BINDING"),
          !isReady,
          place,
        );
        if (!isReady) assert.ok(codes(events).includes("INVALID_BINDING"), place);
      }
    }
  });

/** A call of a function of each version. */
const calling = {
  0.9: (name, value) => ({ call: name, args: { value } }),
  "1.0": (name, value) => ({ "@call": name, args: { value } }),
};

/** Every place of a component where a binding or a call may stand, filled with a value. */
function placesOf(version) {
  const common = [
    (value) => ({ text: value }),
    (value) => ({ options: [{ label: value, value: "a" }, { label: "b" }] }),
    (value) => ({ style: { deep: [[{ color: value }]] } }),
  ];
  if (version === "0.8")
    return [
      ...common,
      (value) => ({ action: { name: "go", context: [{ key: "a", value }] } }),
      (value) => ({ tabItems: [{ title: value, child: "plain" }] }),
      (value) => ({ selections: value }),
    ];
  const call = calling[version];
  const at = version === "1.0" ? "@" : "";
  return [
    ...common,
    (value) => ({ text: call("not", value) }),
    (value) => ({ text: call("formatString", call("not", call("not", value))) }),
    (value) => ({ action: { event: { name: "go", context: { a: value } } } }),
    (value) => ({ action: { event: { name: "go", userMessage: value } } }),
    (value) => ({ action: { functionCall: { [`${at}call`]: "openUrl", args: { url: value } } } }),
    (value) => ({ [`${at}checks`]: [{ condition: value, message: "No." }] }),
    (value) => ({ [`${at}checks`]: [{ condition: call("required", value), message: "No." }] }),
    (value) => ({ [`${at}checks`]: [{ condition: true, message: value }] }),
    (value) => ({ [`${at}accessibility`]: { label: value, description: "d" } }),
    (value) => ({ tabs: [{ title: value, child: "plain" }] }),
  ];
}

/** The messages of a surface with a component `own` beside and inside of others, where it is also the item of a template. */
function surfaceOf(version, own, isItem) {
  const children = isItem
    ? { 0.8: { template: { componentId: "own", dataBinding: "/l" } }, 0.9: { componentId: "own", path: "/l" } }
    : { 0.8: { explicitList: ["own", "plain"] }, 0.9: ["own", "plain"] };
  if (version === "0.8") {
    const component = (id, props) => ({ id, component: { Text: props } });
    const all = [component("root", { children: children["0.8"] }), component("own", own), component("plain", {})];
    const contents = [
      {
        key: "l",
        valueMap: [
          { key: "a", valueString: "x" },
          { key: "b", valueString: "y" },
        ],
      },
    ];
    return [
      { surfaceUpdate: { surfaceId: "s", components: all } },
      { dataModelUpdate: { surfaceId: "s", contents } },
      { beginRendering: { surfaceId: "s", root: "root" } },
    ];
  }
  const component = (id, props) => ({ id, component: "Text", ...props });
  const held = children["0.9"];
  const template = version === "1.0" && isItem ? { componentId: "own", "@path": "/l" } : held;
  const all = [component("root", { children: template }), component("own", own), component("plain", {})];
  const head = { version: `v${version}` };
  return [
    { ...head, createSurface: { surfaceId: "s", catalogId: "c" } },
    { ...head, updateDataModel: { surfaceId: "s", path: "/l", value: [{ "@path": "/x" }, { literalString: "data" }] } },
    { ...head, updateComponents: { surfaceId: "s", components: all } },
  ];
}

for (const [version, { wrong, right }] of Object.entries(FORMS))
  test(`A2UI ${version}: wherever a binding may stand, one that the version does not have makes its node unknown, and it alone`, () => {
    const places = placesOf(version);
    const seen = new Set();
    for (let seed = 1; seed <= 600; seed++) {
      const rnd = random(seed + 5000);
      const isWrong = rnd.chance(0.5);
      const place = rnd.below(places.length);
      const isItem = rnd.chance(0.4);
      // Other places have forms that are right.
      const others = Object.assign({}, ...[0, 1].map(() => rnd.pick(places)(around(rnd.pick(right), rnd))));
      const component = (form) => ({ ...others, ...places[place](around(form, rnd)) });
      const own = component(rnd.pick(isWrong ? wrong : right));
      const text = lines(surfaceOf(version, own, isItem));
      const surfaces = new SurfaceStream();
      const cut = rnd.below(text.length);
      const events = [...surfaces.push(text.slice(0, cut)), ...surfaces.push(text.slice(cut))];
      const states = () =>
        [...nodesOf(surfaces.tree("s"))].map(({ componentId, state }) => [componentId, state === "ready"]);
      for (const [id, isReady] of states())
        assert.equal(isReady, id !== "own" || !isWrong, `seed ${seed}, ${id}: ${text}`);
      assert.equal(codes(events).includes("INVALID_BINDING"), isWrong, `seed ${seed}: ${text}`);
      // The next definition counts, whichever it is.
      const isNextWrong = rnd.chance(0.5);
      const next = component(rnd.pick(isNextWrong ? wrong : right));
      const update = surfaceOf(version, next, isItem).filter(
        (message) => message.updateComponents ?? message.surfaceUpdate,
      );
      surfaces.push(lines(update));
      for (const [id, isReady] of states())
        assert.equal(isReady, id !== "own" || !isNextWrong, `seed ${seed}, next, ${id}`);
      if (isWrong) seen.add(place);
    }
    assert.equal(seen.size, places.length);
  });

/** Templates of children that a version does not have. */
const TEMPLATES = {
  0.8: [
    { template: { componentId: "own", "@path": "/l" } },
    { template: { componentId: "own", dataBinding: { "@path": "/l" } } },
    { componentId: "own", "@path": "/l" },
  ],
  0.9: [{ componentId: "own", "@path": "/l" }, { componentId: "own", path: { "@path": "/l" } }, { "@path": "/l" }],
  "1.0": [
    { componentId: "own", "@path": "/l", literalArray: [] },
    { componentId: "own", "@path": 7 },
    { componentId: "own", "@value": "/l" },
    { literalArray: ["own"] },
  ],
};

for (const [version, templates] of Object.entries(TEMPLATES))
  test(`A2UI ${version}: a template of another version makes the node that holds it unknown`, () => {
    for (const children of templates) {
      const messages = surfaceOf(version, { text: "a" }, true).map((message) => {
        const { surfaceUpdate, updateComponents } = message;
        const {
          components: [, ...others],
        } = surfaceUpdate ?? updateComponents ?? { components: [] };
        if (others.length === 0) return message;
        const root = surfaceUpdate
          ? { id: "root", component: { Text: { children } } }
          : { id: "root", component: "Text", children };
        const body = { surfaceId: "s", components: [root, ...others] };
        return surfaceUpdate ? { surfaceUpdate: body } : { ...message, updateComponents: body };
      });
      const surfaces = new SurfaceStream();
      assert.ok(codes(surfaces.push(lines(messages))).includes("INVALID_BINDING"), JSON.stringify(children));
      assert.equal(surfaces.tree("s").state, "unknown", JSON.stringify(children));
    }
  });

const NAMES = [
  "v1.1",
  "2.0",
  "1",
  "v2",
  "0.10",
  "v0.7",
  "0.95",
  "v1.0-rc",
  "v11.0",
  "1,0",
  "",
  " v1.0",
  "latest",
  "__proto__",
];
const VERSIONS = [...NAMES, 1, 1.1, 0.9, 0, true, false, [], ["v1.0"], {}, { version: "v1.0" }];

test("messages of an unknown version change nothing, whatever they are between", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const { pick, chance } = random(seed);
    const own = pick(["v0.9", "v1.0"]);
    const messages = (version) => [
      { version, createSurface: { surfaceId: pick(["s", "t"]), catalogId: "c" } },
      {
        version,
        updateComponents: { surfaceId: "s", components: [{ id: "root", component: "Text", text: pick(["a", "b"]) }] },
      },
      { version, updateDataModel: { surfaceId: "s", path: "/x", value: pick([1, 2]) } },
      { version, deleteSurface: { surfaceId: "s" } },
    ];
    const surfaces = new SurfaceStream();
    const expected = new SurfaceStream();
    for (let step = 0; step < 12; step++) {
      const isUnknown = chance(0.5);
      const message = lines([pick(messages(isUnknown ? pick(VERSIONS) : own))]);
      const events = surfaces.push(message);
      if (isUnknown) {
        assert.deepEqual(
          events.map(({ type }) => type),
          ["diagnostic"],
          message,
        );
        assert.deepEqual(
          diagnostics(events).map(({ severity, code }) => [severity, code]),
          [["error", "UNSUPPORTED_VERSION"]],
          message,
        );
      } else expected.push(message);
      assert.deepEqual(seen(surfaces), seen(expected), `seed ${seed}, ${message}`);
    }
    for (const id of surfaces.ids())
      for (const node of nodesOf(surfaces.tree(id)))
        assert.ok(node.state !== "ready" || typeof node.props.text === "string");
  }
});
