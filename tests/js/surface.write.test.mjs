// Writing GULF: lines that the stream reads, and a model's tool calls converted to such lines.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { GulfWriter, gulfFlow, gulfSystemPrompt, SurfaceStream, toolDefinitions } from "genui-patch";
import { random } from "../support/random.mjs";
import { thrown, throwsMisuse } from "../support/store.mjs";
import { each } from "../support/streams.mjs";
import { codes, component, diagnostics } from "../support/surface.mjs";

const HEADER = '{"streamHeader":{"version":"1.0.0"}}\n';
const hello = { components: [component("a", "Text", { text: { literalString: "Hi" } })] };

test("each method writes a line, the first one after the header", () => {
  const writer = new GulfWriter();
  assert.equal(writer.componentUpdate(hello), `${HEADER}${JSON.stringify({ componentUpdate: hello })}\n`);
  assert.equal(writer.streamHeader(), "");
  assert.equal(writer.dataModelUpdate({ contents: 1 }), '{"dataModelUpdate":{"contents":1}}\n');
  assert.equal(
    writer.beginRendering({ root: "a", styles: { font: "f" } }),
    '{"beginRendering":{"root":"a","styles":{"font":"f"}}}\n',
  );
  assert.equal(new GulfWriter().streamHeader(), HEADER);
});

test("an invalid value throws, and leaves the writer unchanged", () => {
  const writer = new GulfWriter();
  assert.throws(() => writer.beginRendering({ root: "a" }), thrown("NO_COMPONENTS"));
  const bad = [
    [{}, "INVALID_MESSAGE"],
    [{ components: [] }, "INVALID_MESSAGE"],
    [{ components: [{ id: "a" }] }, "INVALID_MESSAGE"],
    [{ components: [{ id: "", componentProperties: { Text: {} } }] }, "INVALID_MESSAGE"],
    [{ components: [{ id: "a", componentProperties: { Text: {}, Row: {} } }] }, "INVALID_MESSAGE"],
    [{ components: [{ id: "a", componentProperties: "Text" }] }, "INVALID_MESSAGE"],
    [{ ...hello, surfaceId: "x" }, "INVALID_ARGUMENT"],
    [{ components: [component("a", "Text", { n: Number.NaN })] }, "INVALID_ARGUMENT"],
    ["text", "INVALID_ARGUMENT"],
  ];
  for (const [input, code] of bad)
    assert.throws(() => writer.componentUpdate(input), thrown(code), JSON.stringify(input));
  assert.throws(() => writer.dataModelUpdate({ path: "a..b", contents: 1 }), thrown("INVALID_PATH"));
  assert.throws(() => writer.dataModelUpdate({ path: "a" }), thrown("INVALID_MESSAGE"));
  // All of these were refused, so the header is not written yet.
  assert.ok(writer.componentUpdate(hello).startsWith(HEADER));
  assert.throws(() => writer.beginRendering({}), thrown("INVALID_MESSAGE"));
  writer.beginRendering({ root: "a" });
  assert.throws(() => writer.beginRendering({ root: "a" }), thrown("RENDERING_BEGUN"));
});

test("the stream reads the writer's output", () => {
  for (let seed = 0; seed < 150; seed++) {
    const { below, chance, pick, list } = random(seed);
    const scalar = () => pick([null, true, 0, -1.5, 1e21, "", "a", 'ü😀"\\\n\u2028', "__proto__"]);
    const value = (depth = 0) => {
      if (depth > 3 || chance(0.5)) return scalar();
      if (chance(0.5)) return list(4, () => value(depth + 1));
      return Object.fromEntries(list(4, () => [pick(["a", "b", "path", "key 1", "0"]), value(depth + 1)]));
    };
    const writer = new GulfWriter();
    const components = {};
    let data = {};
    let stream = "";
    for (let turn = 0; turn < 8; turn++) {
      if (chance(0.6)) {
        const made = list(4, () => {
          const props = Object.fromEntries(list(3, () => [pick(["text", "label", "more"]), value()]));
          return component(`c${below(6)}`, pick(["Text", "Row"]), props, chance(0.3) ? { weight: below(5) } : {});
        });
        if (made.length > 0) stream += writer.componentUpdate({ components: made });
        for (const { id, weight, componentProperties } of made) {
          const [[type, props]] = Object.entries(componentProperties);
          components[id] = { id, type, ...(weight !== undefined && { weight }), props, protocol: "gulf" };
        }
      } else if (chance(0.3)) {
        data = value();
        stream += writer.dataModelUpdate({ contents: data });
      } else {
        const contents = value();
        const key = pick(["x", "y"]);
        if (typeof data !== "object" || data === null || Array.isArray(data)) continue;
        data = { ...data, [key]: contents };
        stream += writer.dataModelUpdate({ path: pick([key, `/${key}`]), contents });
      }
    }
    const surfaces = new SurfaceStream();
    const events = surfaces.push(stream);
    assert.deepEqual(diagnostics(events), [], `seed ${seed}`);
    if (stream !== "") {
      assert.deepEqual(surfaces.components("main"), components, `seed ${seed}`);
      assert.deepEqual(surfaces.dataModel("main"), data, `seed ${seed}`);
    }
    surfaces.dispose();
  }
});

test("the prompt has the rules, the catalog, and the page's own instructions", () => {
  const catalog = { properties: { Text: { type: "object" } } };
  const prompt = gulfSystemPrompt(catalog, { instructions: "Answer in German." });
  assert.ok(prompt.includes(JSON.stringify(catalog)));
  assert.ok(prompt.endsWith("Answer in German."));
  for (const { name } of toolDefinitions("gulf", "mcp")) assert.ok(prompt.includes(name), name);
  assert.ok(throwsMisuse(() => gulfSystemPrompt("catalog")));
  assert.ok(throwsMisuse(() => gulfSystemPrompt({}, { unknown: 1 })));
});

async function readAll(stream) {
  let text = "";
  for await (const line of each(stream)) text += line;
  return text;
}

/** Surfaces of the lines of a flow. */
async function shown(stream) {
  const surfaces = new SurfaceStream();
  const events = surfaces.push(await readAll(stream));
  return { surfaces, events: [...events, ...surfaces.end()] };
}

test("a flow whose runtime runs the tools", async () => {
  const texts = [];
  const answers = [];
  let given;
  const flow = gulfFlow({
    catalog: { properties: {} },
    conversation: [{ role: "user", content: "Say hello" }],
    onText: (text) => texts.push(text),
    async *generate(request) {
      given = request;
      const tool = Object.fromEntries(request.tools.map(({ name, execute }) => [name, execute]));
      answers.push(tool.beginRendering({ root: "a" }));
      answers.push(tool.componentUpdate(hello));
      yield "Here ";
      // As a provider's strict schema requires it, and as text.
      answers.push(tool.dataModelUpdate({ path: null, contents_json: '{"n":1}' }));
      answers.push(tool.beginRendering('{"root":"a"}'));
      answers.push(tool.beginRendering("{"));
      yield "it is.";
    },
  });
  const { surfaces, events } = await shown(flow);
  assert.deepEqual(codes(events), []);
  assert.equal(surfaces.tree("main").props.text, "Hi");
  assert.deepEqual(surfaces.dataModel("main"), { n: 1 });
  assert.equal(texts.join(""), "Here it is.");
  assert.deepEqual(
    answers.map(({ status, error }) => error?.code ?? status),
    ["NO_COMPONENTS", "ok", "ok", "ok", "INVALID_MESSAGE"],
  );
  assert.deepEqual(given.messages, [{ role: "user", content: "Say hello" }]);
  assert.ok(given.system.includes("componentUpdate"));
  assert.deepEqual(
    given.tools.map(({ name }) => name),
    ["componentUpdate", "dataModelUpdate", "beginRendering"],
  );
  for (const tool of given.tools) assert.equal(tool.inputSchema.type, "object");
});

const recorded = (name) =>
  JSON.parse(readFileSync(new URL(`../fixtures/surface/${name}.json`, import.meta.url), "utf8"));

test("recorded chunks of Genkit: each request is used once and answered once", async () => {
  const answered = [];
  const texts = [];
  const { surfaces, events } = await shown(
    gulfFlow({
      catalog: {},
      conversation: [],
      onText: (text) => texts.push(text),
      async *generate() {
        for (const chunk of recorded("chunks.genkit")) {
          yield { ...chunk, respond: (answer, request) => answered.push([request.ref, answer.status]) };
        }
      },
    }),
  );
  assert.deepEqual(codes(events), []);
  assert.deepEqual(answered, [
    ["1", "ok"],
    ["2", "ok"],
    ["3", "error"],
    ["4", "ok"],
  ]);
  assert.equal(texts.join(""), "Your order is shown.");
  assert.deepEqual(
    surfaces.tree("main").children.map(({ props }) => props.text),
    ["Order", "Two coffees"],
  );
});

test("recorded parts of the AI SDK, beside tools that it runs itself", async () => {
  const texts = [];
  const { surfaces, events } = await shown(
    gulfFlow({
      catalog: {},
      conversation: [],
      onText: (text) => texts.push(text),
      async *generate({ tools }) {
        for (const part of recorded("chunks.ai-sdk")) {
          yield part;
          const tool = tools.find(({ name }) => part.type === "tool-call" && name === part.toolName);
          if (tool) assert.equal(tool.execute(part.input, { id: part.toolCallId }).status, "ok");
        }
      },
    }),
  );
  assert.deepEqual(codes(events), []);
  assert.equal(texts.join(""), "Your order is shown.");
  assert.deepEqual(
    surfaces.tree("main").children.map(({ props }) => props.text),
    ["Order", "Two coffees"],
  );
});

/** The lines of a flow whose model only calls `dataModelUpdate`. */
const updates = (call) =>
  readAll(
    gulfFlow({
      catalog: {},
      conversation: [],
      generate: ({ tools }) => call(tools.find(({ name }) => name === "dataModelUpdate").execute),
    }),
  );

test("requests without an id count once, run and reported, in either order", async () => {
  const update = () => ({ path: "n", contents: 1 });
  const text = await updates(async function* (execute) {
    execute(update());
    yield { toolRequest: { name: "dataModelUpdate", input: update() } };
    yield { toolRequest: { name: "dataModelUpdate", input: update(), ref: "7" } };
    execute(update());
    const request = { name: "dataModelUpdate", input: { contents: 2 } };
    yield { toolRequest: request };
    yield { toolRequest: request };
  });
  assert.equal(text.split("\n").length, 1 + 2 + 1 + 1);
});

test("an empty id counts as absent: different requests count separately", async () => {
  const text = await updates(async function* (execute) {
    for (const contents of [1, 2]) execute({ path: "n", contents }, { id: "" });
    yield { toolRequest: { name: "dataModelUpdate", input: { path: "n", contents: 3 }, ref: "" } };
  });
  assert.equal(text.split("\n").length, 1 + 3 + 1);
});

test("a tool never throws, for any arguments", async () => {
  const cycle = {};
  cycle.self = cycle;
  const getter = Object.defineProperty({}, "contents", {
    enumerable: true,
    get() {
      throw new Error("no");
    },
  });
  const toJSON = () => {
    throw new Error("no");
  };
  let deep = 1;
  for (let level = 0; level < 20_000; level++) deep = [deep];
  const answers = [];
  const text = await readAll(
    gulfFlow({
      catalog: {},
      conversation: [],
      async *generate({ tools }) {
        for (const { execute } of tools) {
          for (const input of [
            cycle,
            getter,
            { contents: 1n },
            { toJSON },
            { contents: deep },
            undefined,
            null,
            7,
            "{",
          ]) {
            answers.push(execute(input));
          }
        }
        yield { toolRequest: { name: "dataModelUpdate", input: cycle } };
        yield { toolRequest: { name: "nothing", input: {} } };
        // Chunks of an unknown form are ignored.
        yield* [null, 7, { content: [null] }, { content: "text" }, { content: null, toolRequests: {} }];
        yield* [{ toolRequest: 7 }, { toolRequests: [null, { toolRequest: "x" }] }];
        yield { toolRequest: {}, respond: (answer) => answers.push(answer) };
      },
    }),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], ["error"]);
  assert.equal(answers.length, 28);
  assert.deepEqual(answers.at(-1).error.code, "UNKNOWN_TOOL");
  assert.equal(text.split("\n").length, 2);
});

test("a flow is asked for more as it is read, and ends when its reader goes", async () => {
  let made = 0;
  let ended = false;
  let aborted;
  const flow = gulfFlow({
    catalog: {},
    conversation: [],
    async *generate({ signal }) {
      aborted = signal;
      try {
        for (;;) {
          made += 1;
          yield { toolRequest: { name: "dataModelUpdate", input: { contents: made } } };
        }
      } finally {
        ended = true;
      }
    },
  });
  const reader = flow.getReader();
  assert.equal((await reader.read()).value, HEADER);
  assert.match((await reader.read()).value, /"contents":1/);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(made <= 3, `${made}`);
  assert.equal(aborted.aborted, false);
  await reader.cancel("gone");
  assert.deepEqual([ended, aborted.aborted, aborted.reason], [true, true, "gone"]);
});

test("a model's error becomes the stream's error, after the written lines", async () => {
  const flow = gulfFlow({
    catalog: {},
    conversation: [],
    async *generate() {
      yield { toolRequest: { name: "nothing", input: {} } };
      yield { toolRequest: { name: "dataModelUpdate", input: { contents: 1 } } };
      throw new Error("out of words");
    },
  });
  const reader = flow.getReader();
  await reader.read();
  assert.match((await reader.read()).value, /"contents":1/);
  await assert.rejects(reader.read(), /out of words/);
  assert.ok(throwsMisuse(() => gulfFlow({ catalog: {}, conversation: [] })));
  assert.ok(throwsMisuse(() => gulfFlow({ catalog: {}, conversation: "x", generate() {} })));
  assert.ok(throwsMisuse(() => gulfFlow({ catalog: {}, conversation: [], generate() {}, more: 1 })));
});

test("a writer that is disposed of writes nothing more", () => {
  const writer = new GulfWriter();
  writer.dispose();
  writer.dispose();
  if (Symbol.dispose !== undefined) writer[Symbol.dispose]();
  const input = { components: [] };
  for (const write of [() => writer.streamHeader(), () => writer.componentUpdate(input)]) {
    assert.throws(write, { code: "DISPOSED" });
  }
});
