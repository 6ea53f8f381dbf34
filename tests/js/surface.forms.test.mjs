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
