// connectMcpApp, with a stand-in for the host's window. A real host is in tests/pages/mcp-app.test.mjs.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { connectMcpApp, PatchStore, SurfaceStream } from "genui-patch";

/** The window of the frame, whose parent answers as a host does. `answer`: of requests other than `ui/initialize`. */
function frame(answer = () => ({})) {
  const messages = [];
  const window = new EventTarget();
  const parent = {
    postMessage(message) {
      messages.push(message);
      if (message.method === undefined || message.id === undefined) return;
      const said = message.method === "ui/initialize" ? { hostContext: { theme: "light" } } : answer(message);
      send({
        id: message.id,
        ...(said instanceof Error ? { error: { code: -32602, message: said.message } } : { result: said }),
      });
    },
  };
  const send = (message, source = parent) =>
    window.dispatchEvent(Object.assign(new Event("message"), { data: { jsonrpc: "2.0", ...message }, source }));
  window.parent = parent;
  globalThis.window = window;
  return { messages, send, notify: (name, params) => send({ method: `ui/notifications/${name}`, params }) };
}

afterEach(() => {
  delete globalThis.window;
});

/** Waits until a condition holds; after a minute it gives up, and the assertion that follows reports the failure. */
async function until(condition) {
  for (let turn = 0; turn < 30_000 && !condition(); turn++) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.ok(condition());
}

const patches = [
  { op: "set", path: "state.params.a", value: 1 },
  { op: "set", path: "state.params.b", value: 2 },
];
const call = { instance_name: "__CREATE__", new_instance_name: "page", patches };
const shown = (store) => store.snapshot("page")?.state?.params;

test("outside of a frame it is refused, as are options that are none", async () => {
  const store = new PatchStore();
  await assert.rejects(connectMcpApp(store), { code: "INVALID_ARGUMENT" });
  globalThis.window = new EventTarget();
  globalThis.window.parent = globalThis.window;
  await assert.rejects(connectMcpApp(store), { code: "INVALID_ARGUMENT" });
  frame();
  await assert.rejects(connectMcpApp(store, { drafts: 1 }), { code: "INVALID_ARGUMENT" });
});

test("a host that refuses: nothing is left", async () => {
  const messages = [];
  const window = new EventTarget();
  window.parent = {
    postMessage(message) {
      messages.push(message);
      const data = { jsonrpc: "2.0", id: message.id, error: { code: -32600, message: "No apps here." } };
      window.dispatchEvent(Object.assign(new Event("message"), { data, source: window.parent }));
    },
  };
  globalThis.window = window;
  await assert.rejects(connectMcpApp(new PatchStore()), { code: "REJECTED", message: "No apps here." });
  assert.equal(messages.length, 1);
});

test("a call that arrives is a draft; one that is cancelled, refused or turned off leaves nothing", async () => {
  const { notify, messages } = frame();
  const store = new PatchStore();
  const app = await connectMcpApp(store);
  assert.deepEqual(
    messages.map(({ method }) => method),
    ["ui/initialize", "ui/notifications/initialized"],
  );
  assert.equal(messages[0].params.protocolVersion, "2026-01-26");
  const names = [];
  app.subscribe(() => names.push(app.instance));
  notify("tool-input-partial", { arguments: { ...call, patches: patches.slice(0, 1) } });
  notify("tool-input-partial", { arguments: { ...call, patches: [patches[0], { op: "set" }] } });
  await until(() => shown(store)?.a === 1);
  assert.deepEqual([store.drafts(), shown(store), names], [["page"], { a: 1 }, ["page"]]);
  notify("tool-input", { arguments: call });
  await until(() => shown(store)?.b === 2);
  notify("tool-cancelled", {});
  await until(() => store.drafts().length === 0);
  assert.deepEqual(store.names(), []);

  notify("tool-input", { arguments: call });
  await until(() => shown(store)?.b === 2);
  notify("tool-result", { structuredContent: { status: "error", error: {} } });
  await until(() => store.drafts().length === 0);
  assert.deepEqual(store.names(), []);
  app.close();

  const other = frame();
  const quiet = await connectMcpApp(store, { drafts: false });
  other.notify("tool-input", { arguments: call });
  other.send({ id: 9, method: "ping" });
  await until(() => other.messages.some(({ id, result }) => id === 9 && result));
  assert.deepEqual(store.drafts(), []);
  quiet.close();
});

test("a part of a call that is none of a patch tool shows nothing", async () => {
  const { notify, send, messages } = frame();
  const store = new PatchStore();
  const errors = [];
  const app = await connectMcpApp(store, { onError: (error) => errors.push(error) });
  for (const args of [
    undefined,
    {},
    { instance_name: "page" },
    { instance_name: "", patches },
    { instance_name: 1, patches },
    { ...call, patches: [1, 2] },
    { ...call, patches: {} },
    { ...call, new_instance_name: undefined },
  ])
    notify("tool-input", { arguments: args });
  notify("nothing-such", {});
  send({ id: 9, method: "ping" });
  await until(() => messages.some(({ id, result }) => id === 9 && result));
  assert.deepEqual([store.drafts(), store.names(), errors], [[], [], []]);
  app.close();
});

test("only the host is heard; requests that are not known are answered; the end of the frame ends the app", async () => {
  const { send, messages } = frame();
  const contexts = [];
  await connectMcpApp(new PatchStore(), { onContext: (context) => contexts.push(context) });
  assert.deepEqual(contexts, [{ theme: "light" }]);
  const changed = { method: "ui/notifications/host-context-changed", params: { theme: "dark" } };
  send(changed, {});
  send({ ...changed, jsonrpc: "1.0" });
  assert.equal(contexts.length, 1);
  send(changed);
  assert.deepEqual(contexts[1], { theme: "dark" });
  send({ id: 5, method: "sampling/createMessage", params: {} });
  assert.equal(messages.at(-1).error.code, -32601);
  send({ id: 6, method: "ui/resource-teardown", params: {} });
  assert.deepEqual(messages.at(-1), { jsonrpc: "2.0", id: 6, result: {} });
  send(changed);
  assert.equal(contexts.length, 2);
});

test("an edit of the user is sent, by the agent's tool where the server has none for users, and taken back if it is refused", async () => {
  const calls = [];
  let result = { status: "success" };
  const { messages } = frame(({ method, params }) => {
    if (method !== "tools/call") return {};
    calls.push(params.name);
    return params.name === "edit_as_user" ? new Error("Unknown tool") : { structuredContent: result };
  });
  const store = new PatchStore();
  store.load("page", { state: { params: { a: 1 } } });
  const app = await connectMcpApp(store);
  const edit = async (value) => {
    store.applyOptimistic({ instance_name: "page", patches: [{ op: "set", path: "state.params.a", value }] });
    assert.equal(shown(store).a, value);
    await until(() => store.pending().length === 0);
  };
  await edit(2);
  assert.equal(shown(store).a, 2);
  assert.deepEqual(calls, ["edit_as_user", "patch_ui_state"]);
  result = { status: "error", error: { code: "X", message: "No." } };
  await edit(3);
  assert.equal(shown(store).a, 2);
  result = { status: "pending" };
  await edit(4);
  assert.equal(shown(store).a, 2);
  assert.deepEqual(calls.slice(2, 4), ["patch_ui_state", "patch_ui_state"]);
  assert.equal(messages.filter(({ method }) => method === "tools/call").length, calls.length);
  app.close();
});

test("surfaces of A2UI: in a tool's result, linked by it, and read from the server", async () => {
  const title = (text) => [
    { version: "v1.0", createSurface: { surfaceId: text, components: [{ id: "root", component: "Text", text }] } },
  ];
  const part = (text, mimeType = "application/a2ui+json") => ({
    type: "resource",
    resource: { uri: `a2ui://${text}`, mimeType, text: JSON.stringify(title(text), null, 2) },
  });
  const link = (uri, mimeType = "application/a2ui+json") => ({ type: "resource_link", uri, mimeType, name: "x" });
  const read = [];
  const { notify } = frame(({ method, params }) => {
    if (method === "tools/call") return { content: [part("called")], structuredContent: { status: "success" } };
    read.push(params.uri);
    if (params.uri === "a2ui://none") return new Error("There is no such resource.");
    const name = params.uri.slice("a2ui://".length);
    return {
      contents: [name === "text" ? { uri: params.uri, mimeType: "text/plain", text: "x" } : part(name).resource],
    };
  });
  const surfaces = new SurfaceStream();
  const seen = [];
  const problems = [];
  const app = await connectMcpApp(new PatchStore(), {
    onSurface: (messages, uri) => {
      seen.push(uri);
      problems.push(...surfaces.push(messages).filter(({ type }) => type === "diagnostic"));
      if (uri === "a2ui://broken") throw new Error("Broken.");
    },
    onError: ({ message }) => problems.push(message),
  });
  const others = [
    { type: "text", text: "x" },
    null,
    part("html", "text/html"),
    { type: "resource" },
    link("a2ui://h", "text/html"),
  ];
  notify("tool-result", {
    content: [...others, part("one"), part("two", "application/json+a2ui"), link("a2ui://three")],
  });
  await until(() => surfaces.ids().length === 3);
  assert.deepEqual(
    surfaces.ids().map((id) => surfaces.tree(id).props.text),
    ["one", "two", "three"],
  );
  await app.callTool("open", {});
  await app.readSurface("a2ui://read");
  assert.deepEqual(
    seen,
    ["one", "two", "three", "called", "read"].map((name) => `a2ui://${name}`),
  );
  assert.deepEqual([read, problems], [["a2ui://three", "a2ui://read"], []]);
  await assert.rejects(app.readSurface("a2ui://none"), { code: "REJECTED" });
  await assert.rejects(app.readSurface("a2ui://text"), { code: "REJECTED", message: /a2ui:\/\/text/ });
  notify("tool-result", { content: [link("a2ui://none"), part("late")] });
  notify("tool-result", { content: [part("broken")] });
  await until(() => seen.includes("a2ui://broken"));
  await app.callTool("open", {});
  assert.deepEqual(problems, ["There is no such resource.", "Broken."]);
  assert.ok(surfaces.ids().includes("late"));
  app.close();

  // Without the option nothing is read.
  const plain = frame((message) => read.push(message.method) && {});
  const quiet = await connectMcpApp(new PatchStore());
  read.length = 0;
  plain.notify("tool-result", { content: [link("a2ui://three")] });
  plain.send({ id: 9, method: "ping" });
  await until(() => plain.messages.some(({ id, result }) => id === 9 && result));
  assert.deepEqual(read, []);
  await assert.rejects(connectMcpApp(new PatchStore(), { onSurface: 1 }), { code: "INVALID_ARGUMENT" });
  quiet.close();
});
