// The listings of docs/integrations.md and docs/coming-from.md, run with the packages that they describe.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as a2ui from "@a2ui/web_core/v0_9";
import * as agui from "@ag-ui/client";
import * as aiSdkReact from "@ai-sdk/react";
import * as ai from "ai";
import { MockLanguageModelV4 } from "ai/test";
import * as ajv from "ajv";
import jsonPatch from "fast-json-patch";
import * as genui from "genui-patch";
import * as agUiEntry from "genui-patch/ag-ui";
import * as aiSdkEntry from "genui-patch/ai-sdk";
import * as hooks from "genui-patch/react";
import * as components from "genui-patch/react/ui";
import * as immer from "immer";
import * as jsonrepair from "jsonrepair";
import { sse } from "../support/ag-ui.mjs";
import { call, text, usage } from "../support/ai-sdk.mjs";
import { checked, listings, load as loadListing, plain, run } from "../support/docs.mjs";
import { act, mount, unmountAll } from "../support/react.mjs";

const React = await import("react");
const { createElement, StrictMode } = React;
const fetchOfNode = globalThis.fetch;
after(() => {
  globalThis.fetch = fetchOfNode;
  return unmountAll();
});

const [chat, route, approvalRoute, approvalChat, agUi, agUiServer, copilotKit] = listings("integrations");

/** Runs a listing as a module; returns its exports, and the local names that are asked for. */
function load(listing, scope = {}, names = []) {
  const modules = {
    react: React,
    ai,
    "@ai-sdk/react": aiSdkReact,
    "@ag-ui/client": agui,
    "genui-patch": genui,
    "genui-patch/ag-ui": agUiEntry,
    "genui-patch/ai-sdk": aiSdkEntry,
    "genui-patch/react": hooks,
    "genui-patch/react/ui": components,
    ...scope.modules,
  };
  return loadListing(listing, modules, { createElement, ...scope }, names);
}

const create = { instance_name: "__CREATE__", new_instance_name: "page" };
const patch = { instance_name: "page", patches: [{ op: "set", path: "state.params.n", value: 1 }] };
/** Waits for a condition. React renders state updates when an `act` ends, so that each turn has its own. */
async function settled(isDone) {
  for (let turn = 0; turn < 30_000 && !isDone(); turn++) await act(() => new Promise((go) => setTimeout(go, 2)));
  assert.ok(isDone());
}

test("the AI SDK: useChat in the page, and its route", async () => {
  const rounds = [
    [call("1", "patch_ui_state", create), call("2", "write_file", { path: "a.txt", content: "a" })],
    [call("3", "delete_file", { path: "a.txt" }), call("4", "write_file", { path: "../a.txt", content: "" })],
    text("Done."),
    text("Good."),
  ];
  const model = new MockLanguageModelV4({
    doStream: async () => {
      const chunks = rounds.shift();
      const unified = chunks[0].type === "tool-call" ? "tool-calls" : "stop";
      const finish = { type: "finish", finishReason: { unified, raw: unified }, usage };
      return {
        stream: ai.simulateReadableStream({ chunks: [{ type: "stream-start", warnings: [] }, ...chunks, finish] }),
      };
    },
  });
  const { POST } = await load(route, { model });
  globalThis.fetch = (url, init) => {
    assert.equal(url, "/api/chat");
    return POST(new Request("https://example.com/api/chat", init));
  };
  const { Chat, store, files } = await load(chat);
  const screen = await mount(createElement(StrictMode, null, createElement(Chat)));
  const send = () => act(() => screen.querySelector("button").click());
  await send();
  await settled(() => screen.textContent.includes("Done."));
  assert.deepEqual(store.names(), ["page"]);
  assert.deepEqual(await files.snapshot(), { "a.txt": "a" });
  assert.equal(model.doStreamCalls.length, 3);
  const outputs = ({ prompt }) =>
    prompt
      .filter(({ role }) => role === "tool")
      .flatMap(({ content }) => content)
      .map(({ toolCallId, output }) => [toolCallId, output.value.status]);
  assert.deepEqual(outputs(model.doStreamCalls[2]), [
    ["1", "success"],
    ["2", "success"],
    ["3", "pending"],
    ["4", "error"],
  ]);
  await files.approve(files.proposals()[0].id);
  assert.deepEqual(await files.snapshot(), {});
  await send();
  await settled(() => screen.textContent.includes("Good."));
  const [content] = model.doStreamCalls[3].prompt.at(-1).content;
  assert.match(content.text, /^What became of your proposals:\ndelete_file \(3\): \{"status":"approved"/);
});

test("the AI SDK: a model that never stops calling tools gets eight rounds", async () => {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  let asked = 0;
  const model = new MockLanguageModelV4({
    doStream: async () => ({
      stream: ai.simulateReadableStream({
        chunks: [
          { type: "stream-start", warnings: [] },
          { type: "tool-call", toolCallId: `c${asked++}`, toolName: "list_instances", input: "{}" },
          { type: "finish", finishReason: { unified: "tool-calls", raw: "tool-calls" }, usage },
        ],
      }),
    }),
  });
  const { POST } = await load(route, { model });
  globalThis.fetch = (_, init) => POST(new Request("https://example.com/api/chat", init));
  const { Chat } = await load(chat);
  const screen = await mount(createElement(Chat));
  await act(() => screen.querySelector("button").click());
  await settled(() => asked === 8);
  await act(() => new Promise((go) => setTimeout(go, 50)));
  assert.equal(asked, 8);
});

test("the AI SDK: a route whose calls wait for the user, and the page that answers", async () => {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const calls = [create, patch].map((args, place) => ({
    type: "tool-call",
    toolCallId: `${place}`,
    toolName: "patch_ui_state",
    input: JSON.stringify(args),
  }));
  const model = new MockLanguageModelV4({
    doStream: async () => {
      const chunk = calls.shift();
      const unified = chunk ? "tool-calls" : "stop";
      const text = [
        { type: "text-start", id: "0" },
        { type: "text-delta", id: "0", delta: "Made." },
        { type: "text-end", id: "0" },
      ];
      const finish = { type: "finish", finishReason: { unified, raw: unified }, usage };
      const chunks = [{ type: "stream-start", warnings: [] }, ...(chunk ? [chunk] : text), finish];
      return { stream: ai.simulateReadableStream({ chunks }) };
    },
  });
  const { POST, store } = await load(approvalRoute, { model, secret: "s".repeat(32) });
  globalThis.fetch = (url, init) => POST(new Request(new URL(url, "https://example.com"), init));
  const { ChatWithApprovals, approvals } = await load(approvalChat);
  const screen = await mount(createElement(StrictMode, null, createElement(ChatWithApprovals)));
  const press = (name) =>
    act(() => [...screen.querySelectorAll("button")].find(({ textContent }) => name.test(textContent)).click());
  const waiting = () => approvals.proposals().filter(({ status }) => status === "pending").length;
  await press(/send/i);
  await settled(() => waiting() === 1 && /approve/i.test(screen.textContent));
  assert.deepEqual(store.names(), []);
  await press(/^approve/i);
  await settled(() => store.names().length === 1 && waiting() === 1);
  const [, { id }] = approvals.proposals();
  const patches = [{ op: "set", path: "state.params.n", value: 5 }];
  await act(() => approvals.approve(id, { args: { ...patch, patches } }));
  await settled(() => screen.textContent.includes("Made."));
  assert.deepEqual(store.get("page", "state.params"), { n: 5 });
  const outputs = model.doStreamCalls[2].prompt
    .filter(({ role }) => role === "tool")
    .flatMap(({ content }) => content)
    .map(({ output }) => output.value.status);
  assert.deepEqual(outputs, ["success", "success"]);
});

test("AG-UI: the calls that a run leaves to the page, its state, and the results", async () => {
  const calls = (...all) =>
    all.flatMap(([toolCallId, toolCallName, args]) => [
      { type: "TOOL_CALL_START", toolCallId, toolCallName },
      ...JSON.stringify(args)
        .match(/.{1,9}/gsu)
        .map((delta) => ({ type: "TOOL_CALL_ARGS", toolCallId, delta })),
      { type: "TOOL_CALL_END", toolCallId },
    ]);
  const rounds = [
    [
      ...calls(["s", "search", { query: "x" }]),
      { type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "s", content: "found" },
      { type: "STATE_SNAPSHOT", snapshot: { state: { params: { name: "Ann" }, runtime: {} } } },
      ...calls(["1", "patch_ui_state", patch], ["2", "get_schema", { instance_name: "gone" }]),
    ],
    [
      { type: "STATE_DELTA", delta: [{ op: "replace", path: "/state/params/name", value: "Bea" }] },
      { type: "TEXT_MESSAGE_START", messageId: "t", role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "t", delta: "Done." },
      { type: "TEXT_MESSAGE_END", messageId: "t" },
    ],
  ];
  const runs = [];
  globalThis.fetch = async (_, { body }) => {
    const run = JSON.parse(body);
    const { threadId, runId } = run;
    const events = [
      { type: "RUN_STARTED", threadId, runId },
      ...rounds[runs.length],
      { type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } },
    ];
    runs.push(run);
    return sse(events);
  };
  const { ask, store, agent } = await load(agUi, {}, ["ask", "store", "agent"]);
  await ask("Go.");
  assert.deepEqual(store.get("page", "state.params"), { name: "Bea", n: 1 });
  assert.equal(runs.length, 2);
  assert.deepEqual(
    runs[0].tools.map(({ name, parameters }) => [name, parameters.type]),
    agent.definitions("mcp").map(({ name }) => [name, "object"]),
  );
  const results = runs[1].messages.filter(({ role }) => role === "tool");
  assert.deepEqual(
    results.map(({ toolCallId, content }) => [toolCallId, content === "found" || JSON.parse(content).status]),
    [
      ["s", true],
      ["1", "success"],
      ["2", "error"],
    ],
  );
});

test("AG-UI: an agent whose calls wait for the user, and the page that answers", async () => {
  const server = await load(agUiServer, {}, ["run", "store"]);
  const [made, changed] = [
    { id: "1", name: "patch_ui_state", arguments: create },
    { id: "2", name: "patch_ui_state", arguments: patch },
  ];
  const inputs = [];
  const rounds = [[made], [changed], []];
  globalThis.fetch = async (_, { body }) => {
    const input = JSON.parse(body);
    inputs.push(input);
    const { threadId, runId } = input;
    const calls = rounds[inputs.length - 1];
    const outcome = await server.run(input, calls);
    return sse([
      { type: "RUN_STARTED", threadId, runId },
      ...calls.flatMap(({ id, name, arguments: args }) => [
        { type: "TOOL_CALL_CHUNK", toolCallId: id, toolCallName: name, delta: JSON.stringify(args) },
      ]),
      { type: "RUN_FINISHED", threadId, runId, outcome },
    ]);
  };
  const { ask, go, thread } = await load(agUi, {}, ["ask", "go", "thread"]);
  await ask("Go.");
  const screen = await mount(createElement(components.ProposalList, { sources: [thread] }));
  const approve = () => [...screen.querySelectorAll("button")].find(({ textContent }) => /approve/i.test(textContent));
  assert.match(screen.textContent, /patch_ui_state/);
  await assert.rejects(go(), { code: "NEEDS_APPROVAL" });
  await act(() => approve().click());
  assert.deepEqual(server.store.names(), []);
  await act(() => go());
  assert.deepEqual(server.store.names(), ["page"]);
  await act(() => approve().click());
  await act(() => go());
  assert.deepEqual(server.store.get("page", "state.params"), { n: 1 });
  assert.deepEqual(
    inputs.map(({ resume }) => resume?.map(({ status, payload }) => [status, payload])),
    [undefined, [["resolved", { approved: true }]], [["resolved", { approved: true }]]],
  );
  assert.deepEqual([thread.outcome.type, thread.proposals()], ["success", []]);
});

test("CopilotKit: frontend tools", async () => {
  const given = { tools: [], contexts: {} };
  const kit = {
    useFrontendTools: (tools) => {
      given.tools = tools;
    },
    useAgentContext: ({ description, value }) => {
      given.contexts[description] = JSON.parse(value);
    },
  };
  const { PageTools, store } = await load(copilotKit, { modules: { "@copilotkit/react-core/v2": kit } });
  await mount(createElement(StrictMode, null, createElement(PageTools, { page: "page" })));
  const tool = given.tools.find(({ name }) => name === "patch_ui_state");
  const standard = tool.parameters["~standard"];
  assert.equal(standard.jsonSchema.input().type, "object");
  assert.deepEqual(standard.validate(patch), { value: patch });
  const send = (args) =>
    tool.handler({}, { toolCall: { id: "c", type: "function", function: { name: tool.name, arguments: args } } });
  assert.equal((await send('{"instance_name":')).status, "error");
  await act(() => send(JSON.stringify(create)));
  const [proposal] = store.proposals();
  await act(() => store.approve(proposal.id));
  assert.equal(given.contexts["The page that the user sees."].page_key, "page");
  assert.deepEqual(given.contexts["The status of your proposals."], [{ target: "page", status: "approved" }]);
});

/** For each listing of the page: the number of values in its comments, and the names that it needs from outside. */
const COMING = [
  ["immer", 4, { produce: immer.produce }],
  ["fast-json-patch", 5, { jsonPatch }],
  ["jsonrepair", 5, { jsonrepair: jsonrepair.jsonrepair }],
  ["partial JSON", 5, { parsePart: ai.parsePartialJson }],
  ["Ajv", 3, { Ajv: ajv.Ajv }],
  ["web_core", 3, { Catalog: a2ui.Catalog, MessageProcessor: a2ui.MessageProcessor }],
];

for (const [place, [name, wanted, scope]] of COMING.entries()) {
  test(`coming-from.md: ${name}`, async () => {
    const { lang, code } = listings("coming-from")[place];
    const { count, text } = checked(code);
    assert.equal(count, wanted);
    await run(await plain({ lang, code: text }), { ...genui, ...scope, same: assert.deepEqual });
  });
}
