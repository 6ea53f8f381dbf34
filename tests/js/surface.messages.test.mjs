// Messages: the table of rows, and random lines, read whole and in pieces.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { SurfaceStream } from "genui-patch";
import { random } from "../support/random.mjs";
import { codes, diagnostics, seen } from "../support/surface.mjs";

const table = JSON.parse(readFileSync(new URL("../fixtures/surface/messages.json", import.meta.url), "utf8"));

function run(text, options, size = text.length) {
  const surfaces = new SurfaceStream(options);
  const events = [];
  for (let at = 0; at < text.length; at += size) events.push(...surfaces.push(text.slice(at, at + size)));
  events.push(...surfaces.end());
  const state = seen(surfaces);
  surfaces.dispose();
  return { events, state };
}

/** Diagnostics about trees, which the table does not contain. */
const OF_TREES = ["MISSING_ROOT", "MISSING_COMPONENT", "CYCLE"];

/** The surfaces after the events of a row. Provisional components are discarded at the end. */
function replay(events) {
  const surfaces = new Map();
  for (const [kind, id, body, more] of events) {
    if (kind === "surface") {
      const known = surfaces.get(id) ?? { protocol: body, info: {}, components: {}, data: {} };
      Object.assign(known.info, more);
      surfaces.set(id, known);
    }
    if (kind === "deleted") surfaces.delete(id);
    if (kind === "components") for (const [key, one] of body) surfaces.get(id).components[key] = { id: key, ...one };
    if (kind === "data") {
      for (const { kind: what, path, value } of body) {
        const surface = surfaces.get(id);
        if (path.length === 0) surface.data = structuredClone(value);
        else {
          const last = path.at(-1);
          const holder = path.slice(0, -1).reduce((node, step) => node[step], surface.data);
          if (what === "remove") Array.isArray(holder) ? holder.splice(last, 1) : delete holder[last];
          else holder[last] = structuredClone(value);
        }
      }
    }
  }
  return [...surfaces].map(([id, surface]) => ({ id, ...surface }));
}

test("the table of messages", () => {
  for (const { name, text, options = {}, codes: wanted, models, models_text: texts, events: expected } of table) {
    const whole = run(text, options);
    const found = whole.events.filter(({ type, code }) => type !== "tree" && !OF_TREES.includes(code));
    if (wanted) assert.deepEqual(codes(found), wanted, name);
    if (expected) {
      const kinds = ["surface", "data", "deleted", "diagnostic"];
      const all = expected.filter(([kind]) => kinds.includes(kind));
      // A row may give a part of a diagnostic.
      const known = all.map(([type, surfaceId, one], at) => {
        if (type !== "diagnostic") return { type, surfaceId };
        return { ...found[at], type, ...one, ...(surfaceId !== "" && { surfaceId }) };
      });
      assert.deepEqual(found, known, name);
      const state = whole.state.map(({ id, data, components, info: { protocol, rendering, ...info } }) => {
        return { id, protocol, info, components, data };
      });
      assert.deepEqual(state, replay(expected), name);
    }
    const data = whole.state.map(({ id, data }) => [id, data]);
    if (models) assert.deepEqual(Object.fromEntries(data), models, name);
    if (texts) {
      assert.deepEqual(Object.fromEntries(data.map(([id, one]) => [id, JSON.stringify(one)])), texts, name);
    }
    for (const size of [1, 2, 3, 7, 64])
      assert.deepEqual(run(text, options, size), whole, `${name}, ${size} at a time`);
    const bytes = new TextEncoder().encode(text);
    for (const size of [1, 5]) assert.deepEqual(run(bytes, options, size), whole, `${name}, ${size} bytes at a time`);
  }
});

/** Lines of all kinds: plain ones, and ones that look plain. */
function generate(seed) {
  const { pick, chance, list, below } = random(seed);
  const deep = (depth) => `${'[{"d":'.repeat(depth)}1${"}]".repeat(depth)}`;
  const value = () =>
    pick([
      '"text"',
      '"2026-01-05"',
      "-0",
      "-0.0",
      "-1e-400",
      "1e400",
      "1E2",
      "12345678901234567890",
      '"\\ud800"',
      '"\\ud83d\\ude00"',
      '"\\\\ud800"',
      '"\ud800"',
      '"ü😀"',
      '"\\u00e9"',
      "null",
      "true",
      "[]",
      '[1,{"n":2}]',
      '{"a":{"b":1},"a":2}',
      '{"__proto__":{"x":1},"2":1,"1":2}',
      deep(below(10)),
      deep(pick([12, 13, 14, 15, 16, 30])),
      pick(["01", ""]),
    ]);
  const path = () =>
    pick([
      "",
      "/",
      "a",
      "/a",
      "a.b",
      "/a/b",
      "l/0",
      "/l/3",
      "/l/-",
      "l[1].n",
      "/a~1b",
      "__proto__",
      "/a//b",
      "x y",
      "/1/",
    ]);
  const id = () => (chance(0.95) ? pick(['"a"', '"b"', '"root"']) : pick(['""', "1", "null"]));
  const surface = () => (chance(0.9) ? pick(['"s"', '"t"', '"main"']) : pick(['""', "null"]));
  const more = () =>
    chance(0.05) ? pick([',"extra":{"x":[1]}', ',"version":"v0.9"', ',"weight":null', ',"weight":-0']) : "";
  const weight = () => (chance(0.95) ? pick(["", ',"weight":2']) : ',"weight":"2"');
  const wrapper = () =>
    chance(0.7)
      ? '{"Text":{"text":VALUE}}'
      : pick(['{"Row":{}}', '{"A":{},"B":{}}', "{}", '{"Text":null}', '{"":{}}', '"Text"']);
  const wrapped = (field) => `{"id":${id()}${weight()},"${field}":${wrapper().replace("VALUE", value())}${more()}}`;
  const flat = () =>
    `{"id":${id()},"component":${pick(['"Text"', '"Row"', '"Card"', '""', "{}"])},"text":${value()}${weight()}${more()}}`;
  const version = () =>
    pick(['"version":"v0.9",', '"version":"v0.9",', '"version":"v0.9.1",', '"version":"0.8",', "", '"version":9,']);
  const entry = () =>
    `{${pick(['"key":"k"', '"key":"__proto__"', '"key":"2"', '"key":1'])},${pick([
      () => `"valueString":${value()}`,
      () => `"valueNumber":${value()}`,
      () => '"valueBoolean":false',
      () => `"valueMap":[${list(2, entry).join()}]`,
      () => '"valueString":"v","valueNumber":1',
      () => '"valueString":null,"valueNumber":1',
      () => '"valueArray":[]',
    ])()}${more()}}`;
  const line = () =>
    pick([
      () =>
        `{"componentUpdate":{"components":[${list(3, () => wrapped("componentProperties")).join()}]${more()}}${more()}}`,
      () => `{"dataModelUpdate":{"path":"${path()}","contents":${value()}${more()}}${more()}}`,
      () => `{"dataModelUpdate":{"contents":${value()}}}`,
      () => `{"dataModelUpdate":{"path":${pick(["null", "1", '"a"'])},"contents":${value()}}}`,
      () => `{"dataModelUpdate":{"surfaceId":${surface()},"path":"${path()}","contents":[${list(3, entry).join()}]}}`,
      () => `{"surfaceUpdate":{"surfaceId":${surface()},"components":[${list(3, () => wrapped("component")).join()}]}}`,
      () => `{${version()}"createSurface":{"surfaceId":${surface()},"catalogId":"c"}}`,
      () => `{${version()}"updateComponents":{"surfaceId":${surface()},"components":[${list(3, flat).join()}]}}`,
      () => `{${version()}"updateDataModel":{"surfaceId":${surface()},"path":"${path()}","value":${value()}}}`,
      () => `{${version()}"updateDataModel":{"surfaceId":${surface()},"path":"${path()}"}}`,
      () => `{${version()}"deleteSurface":{"surfaceId":${surface()}}}`,
      () => `{"beginRendering":{"root":"root"${pick(["", ',"surfaceId":"s"'])}}}`,
      () => '{"componentUpdate":{"components":[]},"dataModelUpdate":{"contents":1}}',
      () => pick(["", "data: {", "data: {}", "}", "[", '{"messages":[]}', '{"root":"a"}', "null"]),
    ])() + (chance(0.9) ? "" : pick(["\r", " ", "x"]));
  return list(14, line);
}

test("lines give the same events whole and in pieces", () => {
  for (let seed = 0; seed < 1500; seed++) {
    const lines = generate(seed);
    const limits = [{}, { maxDepth: 16, maxComponents: 2, maxDocumentBytes: 200 }, { maxCallBytes: 300 }][seed % 3];
    const { chance } = random(seed);
    const events = lines.map((line) => (chance(0.9) ? `data: ${line}` : line) + (chance(0.9) ? "\n" : ""));
    // The same lines with a blank, and events with a byte order mark, before the JSON.
    for (const [plain, asked] of [
      [lines, lines.map((line) => ` ${line}`)],
      [events, events.map((line) => line.replace(/^data: /, "data: \ufeff").replace(/^\{/, " {"))],
    ]) {
      const found = run(plain.join("\n"), { limits });
      assert.deepEqual(found, run(asked.join("\n"), { limits }), `seed ${seed}:\n${plain.join("\n")}`);
      // With `partial` every line is read in pieces, through either input.
      const { state, events } = run(plain.join("\n"), { limits, partial: true }, 16);
      assert.deepEqual(state, found.state, `seed ${seed}:\n${plain.join("\n")}`);
      assert.deepEqual(diagnostics(events), diagnostics(found.events), `seed ${seed}:\n${plain.join("\n")}`);
    }
  }
});
