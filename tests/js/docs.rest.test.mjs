// The listings of docs/ that need a browser, React or a model's runtime do what they say; and every listing has a test.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { afterEach, test } from "node:test";
import * as genui from "genui-patch";
import * as hooks from "genui-patch/react";
import * as ui from "genui-patch/react/ui";
import * as backend from "genui-patch/server";
import * as slim from "genui-patch/slim";
import * as testing from "genui-patch/testing";
import { createElement, Fragment, memo, useMemo, useRef, useState } from "react";
import { checked, listings, plain, run } from "../support/docs.mjs";
import { act, mount, unmountAll } from "../support/react.mjs";
import { each } from "../support/streams.mjs";

const surfaces = listings("surfaces");
const workspace = listings("workspace");
const store = listings("store");

const compiledLanguages = ["ts", "tsx"];

/** The number of listings of each page: a new listing needs a test that runs it. */
const COUNTS = {
  actions: 1,
  agent: 5,
  "agent-tools": 5,
  approval: 5,
  "coming-from": 6,
  components: 11,
  conformance: 0,
  correction: 4,
  entries: 4,
  integrations: 10,
  internals: 0,
  interop: 1,
  limits: 1,
  markdown: 2,
  mcp: 6,
  operations: 1,
  page: 4,
  repair: 1,
  run: 4,
  server: 4,
  start: 8,
  store: 6,
  surfaces: 12,
  tools: 7,
  vocabulary: 0,
  workspace: 6,
};

const react = { createElement, memo, useMemo };

/** Waits until a condition holds; after a minute it gives up, and the assertion that follows reports the failure. */
async function until(condition) {
  for (let turn = 0; turn < 30_000 && !condition(); turn++) await new Promise((resolve) => setTimeout(resolve, 2));
}

afterEach(unmountAll);

test("each listing of docs/ is run", () => {
  const files = readdirSync(new URL("../../docs/", import.meta.url)).filter((name) => name.endsWith(".md"));
  const pages = files.map((name) => name.replace(".md", ""));
  assert.deepEqual(Object.fromEntries(pages.map((page) => [page, listings(page).length])), COUNTS);
});

test("entries.md: ahead, and in files of their own", async () => {
  const [ahead, own] = listings("entries");
  await run(ahead.code, genui);
  const events = await run(own.code, slim, 'stream.push(" again")');
  assert.deepEqual(events, [{ type: "text", text: " again" }]);
});

// The listing for Express is run by tests/server/express.test.mjs, with the real packages.
test("server.md: Node's server, a page", async () => {
  const [node, page] = listings("server").map(({ code }) => code);
  const called = [];
  const server = { on: (event) => called.push(event), listen: (port) => called.push(port) };
  class WebSocketServer {}
  const storage = { ...backend, levelStorage: backend.memoryStorage };
  const sessionOf = (cookie) => (cookie === "ann" ? { user: { id: "ann" }, role: "editor" } : null);
  const mayEnter = (user, room) => user === "ann" && room === "lobby";
  const createServer = (listener) => {
    called.push(typeof listener);
    return server;
  };
  const scope = { ...storage, sessionOf, mayEnter, WebSocketServer, createServer };
  const rooms = await run(node, scope, "rooms");
  assert.deepEqual(called, ["function", "upgrade", 8080]);
  for (const [cookie, room, status] of [
    ["ann", "lobby", 200],
    ["ann", "other", 404],
    ["eve", "lobby", 401],
  ]) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const request = new Request(`http://localhost/rooms/${room}/mcp`, { method: "POST", body, headers: { cookie } });
    assert.equal((await rooms.fetch(request)).status, status, `${cookie} ${room}`);
  }
  await rooms.close();
  class WebSocket {
    readyState = 0;
    addEventListener() {}
    send() {}
    close() {}
  }
  const localStorage = { getItem: () => null, setItem() {} };
  const console = { log() {} };
  (await run(page, { ...genui, WebSocket, localStorage, console }, "connection")).close();
});

test("start.md: a page, a model, a chat, an approval", async () => {
  const [setUp, model, , chat, page, approval] = await Promise.all(
    listings("start")
      .filter(({ lang }) => compiledLanguages.includes(lang))
      .map(plain),
  );
  const withoutExports = (code) => code.replace(/^export (default )?/gm, "");
  const { store, files, agent } = await run(withoutExports(setUp), genui, "{ store, files, agent }");
  const send = await run(withoutExports(model), testing, "send");
  const react = { createElement, Fragment, useRef, useState };
  const Chat = await run(withoutExports(chat), { ...genui, ...react, FormData: window.FormData, agent, send }, "Chat");
  const App = await run(withoutExports(page), { ...ui, ...react, agent, store, files, Chat }, "App");
  const screen = await mount(createElement(App));
  document.body.append(screen);
  const done = new Promise((resolve) => {
    const stop = files.subscribe(({ type }) => type === "proposal" && resolve(stop()));
  });
  await act(async () => {
    screen.querySelector("form button").click();
    await done;
  });
  while (!screen.textContent.includes("pending")) await act(() => new Promise((resolve) => setTimeout(resolve)));
  for (const text of ["Please look at the change.", "Contact", "Budget", "edit_file", "notes.md"]) {
    assert.ok(screen.textContent.includes(text), text);
  }
  const logged = [];
  await run(approval, { files, console: { log: (text) => void logged.push(text.trim()) } });
  assert.deepEqual(logged, ["Bob: called"]);
  screen.remove();
});

test("run.md: a run, drafts, and a scripted model", async () => {
  const [loop, events, draft, scripted] = listings("run");
  const fetch = () => testing.scriptedModel(["Hello."])([]);
  assert.equal(
    await run(loop.code, { ...genui, fetch, console: { log() {} } }, "[status, text].join(' ')"),
    "done Hello.",
  );
  const [shown, left] = await run(
    events.code.replace("for (const event of stream.end", "var shown = store.get('crm', 'state.params.name');\n$&"),
    genui,
    "[shown, store.names()]",
  );
  assert.deepEqual([shown, left], ["Ann", []]);
  assert.equal(await run(draft.code, genui, "store.get('page', 'state.params.name')"), "Bea");
  assert.deepEqual(await run(scripted.code, { ...genui, ...testing }, "[store.names(), model.requests.length]"), [
    ["crm"],
    2,
  ]);
});

test("limits.md: each part takes limits of its own", async () => {
  const [{ code }] = listings("limits");
  await run(code, genui);
});

test("surfaces.md: a surface of A2UI 1.0 in one message", async () => {
  assert.equal(await run(surfaces[1].code.replace("surfaces.tree(", "var shown = $&"), genui, "shown"), "Ada");
});

test("surfaces.md: an input and an action", async () => {
  const stream = new genui.SurfaceStream();
  const action = { action: "send", context: [{ key: "name", value: { path: "form.name" } }] };
  const components = [
    { id: "root", componentProperties: { Column: { children: { explicitList: ["field", "send-button"] } } } },
    { id: "field", componentProperties: { TextField: { text: { path: "form.name" } } } },
    { id: "send-button", componentProperties: { Button: { action } } },
  ];
  for (const message of [{ componentUpdate: { components } }, { beginRendering: { root: "root" } }]) {
    stream.push(`${JSON.stringify(message)}\n`);
  }
  const { code } = surfaces[3];
  const sent = await run(
    code.replace("surfaces.action(", "const sent = surfaces.action("),
    { surfaces: stream },
    "sent",
  );
  const { timestamp, ...rest } = sent;
  assert.ok(Date.parse(timestamp) > 0);
  assert.deepEqual(rest, {
    actionName: "send",
    sourceComponentId: "send-button",
    resolvedContext: { name: "Ada" },
  });
});

test("surfaces.md: a function of the page's own", async () => {
  const scope = { ...genui, checkWithLimits: (value, pattern) => new RegExp(pattern).test(value) };
  await run(surfaces[4].code, scope);
});

test("surfaces.md: text of a model that is corrected", async () => {
  const catalog = { components: { Text: {} } };
  const text = (type) =>
    JSON.stringify({
      version: "v1.0",
      createSurface: { surfaceId: "s", components: [{ id: "root", component: type }] },
    });
  const interfaceFrom = await run(await plain(surfaces[8]), genui, "interfaceFrom");
  assert.equal(await interfaceFrom(text("Txt"), catalog, () => text("Text")), `${text("Text")}\n`);
  await assert.rejects(
    interfaceFrom(text("Txt"), catalog, () => "no"),
    /Txt/,
  );
});

test("surfaces.md: React", async () => {
  const stream = new genui.SurfaceStream();
  const scope = { ...react, ...hooks, COMPONENTS: { Text: ({ text }) => text }, Placeholder: () => "?" };
  const Surface = await run(await plain(surfaces[5]), scope, "Surface");
  const screen = await mount(createElement(Surface, { surfaces: stream }));
  assert.equal(screen.textContent, "…");
  const writer = new genui.GulfWriter();
  const text = { id: "hi", componentProperties: { Text: { text: { literalString: "Hello" } } } };
  await act(() => stream.push(writer.componentUpdate({ components: [text] }) + writer.beginRendering({ root: "hi" })));
  assert.equal(screen.textContent, "Hello");
});

/** The text that `gulfFlow` writes when a model calls two tools. */
async function written(generate) {
  let text = "";
  const flow = genui.gulfFlow({ generate, catalog: { components: {} }, conversation: [] });
  for await (const line of each(flow)) text += line;
  return text
    .trim()
    .split("\n")
    .map((line) => Object.keys(JSON.parse(line))[0]);
}
const CALLS = [
  ["componentUpdate", { components: [{ id: "a", componentProperties: { Text: {} } }] }],
  ["beginRendering", { root: "a" }],
];
const LINES = ["streamHeader", "componentUpdate", "beginRendering"];

test("surfaces.md: the AI SDK's streamText", async () => {
  const streamText = ({ tools, abortSignal }) => ({
    stream: (async function* () {
      assert.ok(abortSignal instanceof AbortSignal);
      for (const [place, [toolName, input]] of CALLS.entries()) {
        yield { type: "tool-call", toolCallId: `c${place}`, toolName, input };
        assert.deepEqual(tools[toolName].execute(input, { toolCallId: `c${place}` }), { status: "ok" });
      }
    })(),
  });
  const scope = { streamText, tool: (tool) => tool, jsonSchema: (schema) => schema, isStepCount: Number, model: "m" };
  assert.deepEqual(await written(await run(await plain(surfaces[10]), scope, "generate")), LINES);
});

test("surfaces.md: Genkit's generateStream", async () => {
  const ai = {
    dynamicTool: ({ name }, execute) => ({ name, execute }),
    generateStream: ({ tools }) => ({
      stream: (async function* () {
        for (const [name, input] of CALLS) {
          const answer = await tools.find((tool) => tool.name === name).execute(input);
          yield { text: answer.status };
        }
      })(),
    }),
  };
  assert.deepEqual(await written(await run(await plain(surfaces[11]), { ai, model: "m" }, "generate")), LINES);
});

test("store.md: a page without a framework", async () => {
  const document = {
    state: { params: { city: "" } },
    blocks: [{ id: "form", type: "form", title: "Trip", props: { fields: [] } }],
  };
  const title = {};
  const input = { addEventListener: (_, listener) => Object.assign(input, { listener }) };
  const sent = [];
  class EventSource {
    constructor() {
      EventSource.made = this;
    }
  }
  const scope = {
    ...genui,
    document: { querySelector: (selector) => (selector === "h1" ? title : input) },
    EventSource,
    fetch: async (_, init) => {
      if (init) sent.push(JSON.parse(init.body));
      return sent.length > 1 ? new Response("taken", { status: 409 }) : Response.json(document);
    },
  };
  const page = await run(await plain(store[4]), scope, "store");
  assert.equal(title.textContent, "Trip");
  for (const value of ["Rome", "Oslo"]) {
    input.listener({ target: { value } });
    await until(() => page.pending().length === 0);
  }
  assert.deepEqual(
    sent.map(({ patches }) => patches[0].value),
    ["Rome", "Oslo"],
  );
  assert.equal(page.get("page", "state.params.city"), "Rome");
  EventSource.made.onmessage({
    data: JSON.stringify({ type: "patch", instance_name: "page", patch: { 'blocks["form"].title': "Way" } }),
  });
  assert.equal(title.textContent, "Way");
});

test("store.md: Ctrl+Z", async () => {
  const scope = { createElement, ...genui, ...hooks, ...ui };
  const { Page, store: page } = await run((await plain(store[3])).replace("export ", ""), scope, "{ Page, store }");
  page.load("crm", { meta: { title: "CRM" }, state: { params: { city: "Rome" } } });
  page.setString("crm", "state.params.city", "Oslo");
  page.setString("crm", "meta.title", "Mine", { author: { kind: "agent" } });
  const screen = await mount(createElement(Page));
  assert.match(screen.textContent, /Mine/);
  const press = (keys) => {
    const event = new window.KeyboardEvent("keydown", { bubbles: true, cancelable: true, ctrlKey: true, ...keys });
    return act(() => screen.querySelector(".gp-page").dispatchEvent(event));
  };
  await press({ key: "z" });
  assert.deepEqual([page.get("crm", "state.params.city"), page.get("crm", "meta.title")], ["Rome", "Mine"]);
  await press({ key: "Z", shiftKey: true });
  assert.equal(page.get("crm", "state.params.city"), "Oslo");
});

test("store.md: React", async () => {
  const page = new genui.PatchStore();
  page.load("page", { blocks: [{ id: "form", type: "form", title: "Trip", props: { fields: [] } }] });
  const Block = ({ part }) => part.path;
  const scope = { ...react, ...genui, ...hooks, store: page, Block };
  const { Title, Saving, Answer } = await run(await plain(store[5]), scope, "{ Title, Saving, Answer }");
  const response = new Response('Hi\n```json\n{"tool":"delete_file","path":"a.md"}\n```\n');
  const parts = [
    createElement(Title, { key: 0 }),
    createElement(Saving, { key: 1 }),
    createElement(Answer, { key: 2, body: response.body }),
  ];
  const screen = await mount(parts);
  await act(() => page.setString("page", "state.params.city", "Rome", { optimistic: true }));
  const wanted = /^TripSaving…Hi\s*a\.md\s*$/;
  await act(() => until(() => wanted.test(screen.textContent)));
  assert.match(screen.textContent, wanted);
});

test("workspace.md: proposals", async () => {
  const files = genui.Workspace.memory({ "src/a.ts": "let a = 1;\n" });
  const call = { tool: "write_file", path: "src/a.ts", content: "let a = 2;\n" };
  const approve = files.approve.bind(files);
  const codes = [];
  files.approve = async (...args) => {
    const result = await approve(...args);
    codes.push(result.error?.code ?? result.status);
    return result;
  };
  const code = workspace[1].code
    .replace("files.refuse(", "files.refuse((await files.propose(call)).id, ")
    .replace('proposal.id, "not', '"not');
  await run(code, { files, call });
  assert.deepEqual(codes, ["completed", "PROPOSAL_SETTLED"]);
  assert.equal(await files.read("src/a.ts"), "let a = 2;\n");
});

test("workspace.md: patches over several files", async () => {
  const { text } = checked(workspace[2].code);
  const { proposal, files } = await run(text, { ...genui, same: assert.deepEqual }, "{ proposal, files }");
  assert.deepEqual(
    proposal.files.map(({ path, action }) => [path, action]),
    [
      ["src/a.js", "updated"],
      ["old.txt", "deleted"],
    ],
  );
  assert.equal((await files.approve(proposal.id)).status, "completed");
  assert.deepEqual(await files.snapshot(), { "src/a.js": "let a = 2;\nexport { a };\n" });
});

test("workspace.md: history and undo", async () => {
  const files = genui.Workspace.memory({ "a.md": "one\ntwo\nthree\nfour\n" });
  await run(checked(workspace[3].code).text, { files, same: assert.deepEqual });
  assert.equal(await files.read("a.md"), "one\ntwo\nthree\n4\n");
});

test("workspace.md: a host in Node", async () => {
  const root = await fs.realpath(await fs.mkdtemp(join(tmpdir(), "genui-patch-docs-")));
  try {
    const host = await run(await plain(workspace[4]), { fs, dirname, join, relative, resolve, root }, "host");
    const files = genui.Workspace.custom(host);
    assert.equal((await files.execute({ tool: "write_file", path: "src/a.ts", content: "let a;" })).action, "created");
    assert.equal(await files.read("src/a.ts"), "let a;");
    assert.deepEqual(await files.list(), ["src/a.ts"]);
    await fs.symlink("/etc", join(root, "out"));
    assert.equal((await files.execute({ tool: "write_file", path: "out/x", content: "" })).error.code, "UNSAFE_PATH");
    assert.equal((await files.execute({ tool: "delete_file", path: "src/a.ts" })).status, "completed");
    assert.equal(await files.read("src/a.ts"), null);
  } finally {
    await fs.rm(root, { recursive: true });
  }
});
