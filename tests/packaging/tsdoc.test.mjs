// The examples in the comments of src/js run, and give the values that their comments state.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import * as genui from "genui-patch";
import * as agUi from "genui-patch/ag-ui";
import * as aiSdk from "genui-patch/ai-sdk";
import * as hooks from "genui-patch/react";
import * as backend from "genui-patch/server";
import * as slim from "genui-patch/slim";
import * as testing from "genui-patch/testing";
import { createElement, useMemo } from "react";
import { checked, examples, plain, run } from "../support/docs.mjs";
import { mount, unmountAll } from "../support/react.mjs";

after(unmountAll);

const { FlowStore, PatchStore, SurfaceStream, Workspace } = genui;
const BLOCK = '```json\n{"tool": "write_file", "path": "a.txt"}\n```';
const GOOD = '```json\n{"tool": "write_file", "path": "a.txt", "content": ""}\n```';
const seen = [];
const show = (event) => void seen.push(event);
const body = (text) => new Blob([text]).stream();
const call = { instance_name: "page", patches: [{ op: "set", path: "state.params.city", value: "Oslo" }] };

function page() {
  const store = new PatchStore();
  store.load("page", {
    state: { params: { city: "Paris", done: false }, runtime: {} },
    blocks: [{ id: "form", type: "form", title: "Trip", props: { fields: [] } }],
  });
  store.apply({ instance_name: "__CREATE__", new_instance_name: "counter" });
  store.apply({ instance_name: "counter", patches: [{ op: "increment", path: "state.params.count" }] });
  return store;
}

function nodes() {
  const flow = new FlowStore();
  flow.load({ id: "t", nodes: [{ id: "n", data: {} }] });
  const update = { taskId: "t", nodeId: "n", newData: { title: "New" }, approvalStyle: "visual" };
  flow.callTool("updateNode", update);
  return flow;
}

class Socket {
  readyState = 1;
  addEventListener() {}
  send() {}
  close() {}
}

/** Node has no private file system. */
class MemoryFiles extends Workspace {
  static opfs = async () => Workspace.memory();
}

/** The names that an example assumes, by its file and position. */
const GIVEN = {
  "agent/index.ts 1": () => ({ store: page(), files: Workspace.memory(), chunk: `${GOOD}\n`, messages: [] }),
  "agent/own/define.ts 1": () => ({ store: page(), contacts: [] }),
  "agent/run/index.ts 1": () => ({
    agent: genui.agentTools({ store: page() }),
    fetch: () => testing.scriptedModel(["Hi."])([]),
    show,
  }),
  // Outside of a frame it is refused; tests/js/mcp-app.test.mjs has the rest.
  "agent/mcp-app.ts 1": () => ({
    store: page(),
    connectMcpApp: async () => ({ instance: "page", subscribe: show }),
    show,
  }),
  "agent/web-tools.ts 1": () => ({ store: page() }),
  "server/mcp.ts 1": () => ({
    source: { tools: () => [], resources: () => [], read: async () => undefined, call: async () => ({}) },
    request: new Request("http://localhost/", {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    }),
  }),
  "server/approval.ts 1": async () => {
    const key = "a key of at least thirty-two characters";
    const rooms = backend.createRooms({ storage: backend.memoryStorage(), authorize: () => null, keys: [key] });
    const room = await rooms.room("a");
    await room.write({ instance_name: "__CREATE__", new_instance_name: "page" });
    const { proposal } = await room.propose(call);
    await room.approve(proposal.id);
    return { room, id: proposal.id, key, call, revision: proposal.revision };
  },
  "testing/index.ts 1": () => ({ agent: genui.agentTools({ store: page() }) }),
  "approval/state.ts 1": () => ({ store: page(), call }),
  "blocks/stream.ts 2": () => ({ body: body(GOOD), show }),
  "blocks/stream.ts 3": () => ({ part: { toolCallId: "c" } }),
  "document/page-prompt.ts 1": () => ({ store: page() }),
  "connection/connect.ts 1": () => ({ store: page(), WebSocket: Socket }),
  "blocks/correction/correct.ts 1": () => ({ block: BLOCK, model: "m", generateText: async () => ({ text: GOOD }) }),
  "blocks/correction/prompt.ts 1": () => ({ block: BLOCK }),
  "blocks/correction/transform.ts 1": () => ({ body: body(BLOCK), generate: () => GOOD, show }),
  "a2ui/catalog.ts 1": () => ({ catalog: {} }),
  "a2ui/correct.ts 1": () => ({ catalog: {}, answer: "" }),
  "a2ui/correct.ts 2": () => ({ catalog: {}, answer: "" }),
  "a2ui/correct.ts 3": () => ({ catalog: {}, answer: "", generate: () => "" }),
  "a2ui/prompt.ts 1": () => ({ catalog: {} }),
  "a2ui/writer.ts 1": () => ({ catalog: { catalogId: "c", components: { Text: {} } } }),
  "gulf/flow.ts 1": () => ({ catalog: {}, conversation: [], runModel: async function* () {} }),
  "gulf/prompt.ts 1": () => ({ catalog: {} }),
  "blocks/native/index.ts 1": () => ({ anthropic: { messages: { stream: async function* () {} } }, request: {}, show }),
  "react/hooks.ts 1": () => ({ agent: genui.agentTools({ store: page() }) }),
  "react/hooks.ts 6": () => ({ store: page() }),
  "react/hooks.ts 7": () => ({ store: page() }),
  "react/hooks.ts 8": () => ({ store: page() }),
  "react/hooks.ts 2": () => ({ store: page() }),
  "react/hooks.ts 3": () => {
    const flow = nodes();
    return { flow, id: flow.proposals()[0].id, Review: ({ diff }) => JSON.stringify(diff) };
  },
  "react/hooks.ts 4": () => ({ store: page(), files: Workspace.memory(), flow: nodes() }),
  "react/hooks.ts 5": () => ({ surfaces: new SurfaceStream(), Node: () => "node" }),
  "react/use-tool-blocks.ts 1": () => ({ body: body(GOOD), useMemo }),
  "slim.ts 1": () => ({
    fetch: async (path) => new Response(readFileSync(new URL(`../../dist/${path.split("/").at(-1)}`, import.meta.url))),
  }),
  "store.ts 2": () => ({ store: page() }),
  "store.ts 3": () => ({ store: page() }),
  "store.ts 4": () => ({ store: page() }),
  "store.ts 5": () => ({ store: page() }),
  "store.ts 6": () => {
    const store = page();
    store.apply(call, { author: { kind: "agent" } });
    return { store };
  },
  "store.ts 7": () => ({ store: page() }),
  "store.ts 8": () => ({ store: page() }),
  "flow/flow-store.ts 2": () => ({ flow: nodes() }),
  "ai-sdk/chat.ts 1": () => {
    const input = { path: "a.txt" };
    const state = "approval-requested";
    const part = { type: "tool-delete_file", toolCallId: "c", state, input, approval: { id: "a" } };
    return { chat: { messages: [{ role: "assistant", parts: [part] }], addToolApprovalResponse() {} } };
  },
  "ai-sdk/tools.ts 1": () => ({
    agent: genui.agentTools({ store: page() }),
    store: page(),
    messages: [],
    model: "m",
    streamText: ({ toolApproval }) => assert.equal(typeof toolApproval.patch_ui_state, "function"),
  }),
  "ag-ui/thread.ts 1": () => ({
    agent: genui.agentTools({ store: page() }),
    store: page(),
    backend: { runAgent: async () => {}, addMessages: () => {} },
  }),
  "ag-ui/interrupts.ts 1": () => ({
    agent: genui.agentTools({ store: page() }),
    results: [],
    send: show,
    threadId: "t",
    runId: "r",
  }),
  "ag-ui/interrupts.ts 2": () => ({ agent: genui.agentTools({ store: page() }), store: page(), input: {} }),
  "surface/stream.ts 1": () => ({ body: body('{"beginRendering": {"root": "root"}}\n') }),
  "files/workspace.ts 2": () => ({
    Workspace: MemoryFiles,
    files: Workspace.memory(),
    saved: Workspace.memory().save(),
  }),
  "files/workspace.ts 3": () => ({ files: Workspace.memory() }),
  "files/workspace.ts 1": () => ({ call: { tool: "write_file", path: "src/a.ts", content: "let a = 2;\n" } }),
};

/** The number of values in comments that are compared. */
const COMPARED = 18;
let compared = 0;

/** Hooks run only while React renders. */
async function rendered(code, scope) {
  const names = Object.keys(scope);
  const body = new Function(...names, code);
  const Example = () => body(...Object.values(scope)) ?? null;
  return (await mount(createElement(Example))).textContent;
}

const all = examples();
for (const { file, place, code } of all) {
  const name = `${file} ${place}`;
  test(name, async () => {
    const { count, text } = checked(code);
    compared += count;
    const script = await plain({ lang: "tsx", code: `async () => {\n${text}\n}` });
    const lines = script.slice(script.indexOf("{") + 1, script.lastIndexOf("}"));
    const scope = {
      ...(file.startsWith("slim") ? slim : genui),
      ...hooks,
      ...testing,
      ...backend,
      ...agUi,
      ...aiSdk,
      createElement,
      same: assert.deepEqual,
      ...(await GIVEN[name]?.()),
    };
    if (file.startsWith("react/")) await rendered(lines, scope);
    else {
      const left = await run(lines, scope, 'typeof connection === "undefined" ? undefined : { connection }');
      left?.connection?.close();
    }
  });
}

test("every assumption belongs to an example, and the values in comments are compared", () => {
  const names = all.map(({ file, place }) => `${file} ${place}`);
  assert.deepEqual(
    Object.keys(GIVEN).filter((name) => !names.includes(name)),
    [],
  );
  assert.ok(compared >= COMPARED, String(compared));
});
