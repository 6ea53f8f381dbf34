// Properties of all streams: any split, any order of components, mutated lines.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { SurfaceStream } from "genui-patch";
import { random } from "../support/random.mjs";
import { component, components, data, lines, nodesOf, render, seen, v9 } from "../support/surface.mjs";

const IDS = ["a", "b", "c", "d", "e", "root"];
const PATHS = ["x", "/x", "o.y", "/o/y", "l", "/l/0", "l[1].n", "/l/-", "", "n"];

/** Messages of GULF and A2UI v0.9, most of them valid. */
function generate(seed) {
  const { pick, chance, list } = random(seed);
  const value = () => pick([1, "ü😀", null, [], [{ n: 1 }, { n: 2 }, "x"], { y: 1 }, { y: { z: [true] } }]);
  const props = () => ({
    ...(chance(0.6) && { text: pick([{ path: pick(PATHS) }, { literalString: "lit" }, "plain"]) }),
    ...(chance(0.5) && {
      children: pick([
        { explicitList: list(3, () => pick(IDS)) },
        { template: { componentId: pick(IDS), dataBinding: pick(PATHS) } },
      ]),
    }),
    ...(chance(0.2) && { child: pick(IDS) }),
  });
  const gulf = () =>
    pick([
      () => components(...list(3, () => component(pick(IDS), pick(["Text", "Row", "Card"]), props()))),
      () => data(pick(PATHS), value()),
      () => data(pick(PATHS), value()),
      () => render(pick(IDS)),
    ])();
  const nine = () => {
    const own = () => ({ id: pick(IDS), component: "Text", text: pick([{ path: pick(PATHS) }, "x"]) });
    return pick([
      () => v9.create(),
      () => v9.components(...list(2, own), { id: "root", component: "Row", children: list(3, () => pick(IDS)) }),
      () => v9.data(pick(PATHS), value()),
      () => ({ version: "v0.9", updateDataModel: { surfaceId: "s", path: pick(PATHS) } }),
      () => v9.delete(),
    ])();
  };
  return list(14, () => (chance(0.7) ? gulf() : nine()));
}

/** Breaks a text at a few places. */
function mutate(text, { below, chance, pick }) {
  for (let times = below(4); times > 0; times--) {
    const at = below(text.length + 1);
    const piece = pick(["{", "}", "[", "]", '"', "\n", ",", "data: ", "\\u", "é", "😀", "[DONE]", "\r\n\r\n", ""]);
    text = text.slice(0, at) + piece + text.slice(at + (chance(0.5) ? below(6) : 0));
  }
  return text;
}

function run(pieces, options = {}) {
  const surfaces = new SurfaceStream(options);
  const events = pieces.flatMap((piece) => surfaces.push(piece));
  events.push(...surfaces.end());
  const state = seen(surfaces);
  surfaces.dispose();
  return { events, state };
}

const cut = (text, size) => {
  const pieces = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
};

const frames = {
  lines,
  events: (messages) => messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(""),
  document: (messages) => JSON.stringify(messages, null, 1),
  messages: (messages) => JSON.stringify({ name: "n", messages }),
};

for (const partial of [false, true]) {
  test(`any split of any stream gives the same${partial ? ", components seen early included" : ""}`, () => {
    for (let seed = 0; seed < 120; seed++) {
      const source = random(seed + 7000);
      const frame = frames[source.pick(Object.keys(frames))];
      const text = source.chance(0.5) ? mutate(frame(generate(seed)), source) : frame(generate(seed));
      const whole = run([text], { partial });
      for (const size of [1, 2, 7, 30]) {
        assert.deepEqual(run(cut(text, size), { partial }), whole, `seed ${seed}, ${size} at a time:\n${text}`);
      }
      const bytes = new TextEncoder().encode(text);
      const middle = source.below(bytes.length + 1);
      const halves = [bytes.subarray(0, middle), bytes.subarray(middle)];
      assert.deepEqual(run(halves, { partial }), whole, `seed ${seed}, bytes`);
    }
  });
}

test("messages give the same surfaces in every framing", () => {
  for (let seed = 0; seed < 100; seed++) {
    const messages = generate(seed);
    if (messages.length === 0) continue;
    const [first, ...others] = Object.values(frames).map((frame) => run([frame(messages)]).state);
    for (const other of others) assert.deepEqual(other, first, `seed ${seed}`);
  }
});

test("any order of components gives the same tree", () => {
  for (let seed = 0; seed < 150; seed++) {
    const { pick, below, list } = random(seed);
    const shuffle = (items) => {
      const left = [...items];
      return items.map(() => left.splice(below(left.length), 1)[0]);
    };
    const made = IDS.map((id) =>
      component(id, "Row", {
        text: { path: pick(PATHS) },
        children: pick([
          { explicitList: list(3, () => pick(IDS)) },
          { template: { componentId: pick(IDS), dataBinding: "l" } },
        ]),
      }),
    );
    const model = data("", { x: 1, o: { y: 2 }, l: [{ n: 1 }, { n: 2 }] });
    const straight = run([lines([components(...made), model, render("root")])]).state;
    const messages = shuffle([...made.map((one) => components(one)), model, render("root")]);
    const { tree, data: dataModel } = run([lines(messages)]).state[0];
    assert.deepEqual({ tree, dataModel }, { tree: straight[0].tree, dataModel: straight[0].data }, `seed ${seed}`);
  }
});

test("a tree after many updates equals the tree of one message", () => {
  for (let seed = 0; seed < 200; seed++) {
    const surfaces = new SurfaceStream();
    const { pick, chance } = random(seed);
    for (const message of generate(seed)) {
      surfaces.push(lines([message]));
      if (chance(0.3) && surfaces.ids().length > 0) surfaces.setData(surfaces.ids()[0], pick(PATHS), "mine");
    }
    for (const id of surfaces.ids()) {
      const { protocol, root } = surfaces.info(id);
      const fresh = new SurfaceStream();
      const surfaceId = id;
      const value = surfaces.dataModel(id);
      // Its components and data as one stream. A surface may have components of both protocols.
      if (protocol === "gulf") {
        const list = Object.values(surfaces.components(id));
        const sent = list.map(({ id, type, props }) => component(id, type, props));
        fresh.push(lines([components(...sent), data("", value), ...(root ? [render(root)] : [])]));
      } else {
        const sent = Object.values(surfaces.components(id)).map(({ id, type, props }) => ({
          id,
          component: type,
          ...props,
        }));
        const create = { version: "v0.9", createSurface: { surfaceId, catalogId: "c" } };
        fresh.push(lines([create, v9.components(...sent), v9.data("/", value)]));
      }
      assert.deepEqual(surfaces.tree(id), fresh.tree(id), `seed ${seed}`);
      const nodes = [...nodesOf(surfaces.tree(id))];
      for (const node of nodes) assert.ok(Object.isFrozen(node) && Object.isFrozen(node.children));
      fresh.dispose();
    }
    surfaces.dispose();
  }
});

test("children that are redefined often are those of the last definition", () => {
  for (let seed = 0; seed < 200; seed++) {
    const { pick, chance, list: some } = random(seed);
    const shape = () =>
      pick([
        { children: { template: { componentId: pick(["a", "b"]), dataBinding: pick(["l", "m"]) } } },
        { children: { explicitList: some(3, () => pick(["a", "b", "a:0"])) } },
        { children: { template: { componentId: "a", dataBinding: "l" } }, ...(chance(0.5) && { child: "b" }) },
        {},
      ]);
    const surfaces = new SurfaceStream();
    const values = [[1, 2], [{ n: 1 }, 2, 3], [], { k: 1 }, "text", null];
    surfaces.push(lines([data("", { l: [1, 2, 3], m: ["x"] }), render("root")]));
    for (let step = 0; step < 12; step++) {
      if (chance(0.6)) surfaces.push(lines([components(component(pick(["root", "root", "a"]), "Row", shape()))]));
      else surfaces.push(lines([data(pick(["l", "m", "l.1", "l.2"]), pick(values))]));
      const sent = Object.values(surfaces.components("main")).map(({ id, type, props }) => component(id, type, props));
      const model = data("", surfaces.dataModel("main"));
      const fresh = run([lines([components(...sent), model, render("root")])]).state[0];
      assert.deepEqual(surfaces.tree("main"), fresh.tree, `seed ${seed}, step ${step}`);
    }
    surfaces.dispose();
  }
});

test("one bad line costs that line", () => {
  for (let seed = 0; seed < 100; seed++) {
    const messages = generate(seed);
    if (messages.length < 2) continue;
    const { below, pick } = random(seed);
    const good = messages.map((message) => JSON.stringify(message));
    const at = 1 + below(good.length - 1);
    const bad = pick([
      "{",
      "not JSON",
      good[at].slice(0, -1),
      `${good[at]}}`,
      '"',
      "[1",
      good[at].replaceAll('"', "'"),
    ]);
    const broken = [...good.slice(0, at), bad, ...good.slice(at)];
    const { state, events } = run([broken.join("\n")]);
    const clean = run([good.join("\n")]);
    assert.deepEqual(state, clean.state, `seed ${seed}: ${bad}`);
    assert.equal(events.length, clean.events.length + 1);
    const one = events.find((event) => event.code === "INVALID_JSON");
    assert.equal(one.line, at + 1);
  }
});

test("rows of the table, mutated: any split gives the same, and a bad line costs itself", () => {
  const url = new URL("../fixtures/surface/messages.json", import.meta.url);
  const rows = JSON.parse(readFileSync(url, "utf8"));
  const limits = { maxSurfaces: 4, maxCallBytes: 2000, maxListGrowth: 50 };
  for (let seed = 0; seed < 1000; seed++) {
    const source = random(seed + 31);
    const text = mutate(mutate(source.pick(rows).text.slice(0, 4000), source), source);
    const options = { limits: { ...limits, maxDepth: source.pick([16, 128]) }, partial: source.chance(0.5) };
    const whole = run([text], options);
    const size = source.pick([1, 2, 5, 17]);
    assert.deepEqual(run(cut(text, size), options), whole, `seed ${seed}, ${size} at a time:\n${text}`);
    if (text !== "" && text.split("\n").every((line) => line.startsWith('{"') && line.endsWith("}"))) {
      const { state } = run([`${text}\nnot JSON\n`], options);
      assert.deepEqual(state, whole.state, `seed ${seed}:\n${text}`);
    }
  }
});

test("the first line is recognized whole and in pieces alike", () => {
  const nested = (levels) => message("[".repeat(levels) + "]".repeat(levels));
  const message = (contents) => `{"dataModelUpdate":{"path":"/a","contents":${contents}}}`;
  const one = message(1);
  const messages = [
    one,
    message("1e999"),
    message("-0"),
    message('"\\ud800"'),
    ...[14, 15, 16, 17, 18, 19].map(nested),
  ];
  const firsts = [
    ...messages,
    ...messages.map((text) => `{"messages":[${text},${one}]}`),
    ...[
      '{"messages":{}}',
      '{"messages":[',
      `{"messages":[${one}],"messages":3}`,
      `[${one}]`,
      `[${one}`,
      `${one}${one}`,
    ],
    ...[
      "null",
      "1",
      "{",
      "{}",
      "{}}",
      '{"a":1} x',
      "{a:1}",
      '{"dataModelUpdate":',
      '{"z":',
      "data",
      ": x",
      "[DONE]",
      "",
    ],
    ...[`data: ${one}`, `data: [${one}]`, `data: {"messages":[${one}]}`, `data: {"messages":[${one}],"messages":3}`],
    ...[`\ufeff${one}`, `  ${one} \r`, `${nested(16)} ]`],
  ];
  for (const first of firsts) {
    for (const rest of ["", message(3), "]", "}", `,${one}]}`, `data: ${one}`, "{bad"]) {
      const text = `${first}\n${rest}\n${message(9)}\n`;
      const options = { limits: { maxDepth: 16 } };
      assert.deepEqual(run(cut(text, 3), options), run([text], options), text);
    }
  }
});
