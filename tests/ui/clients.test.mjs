// The client packages of the AI SDK, TanStack AI and CopilotKit in a page, with the listings of docs/integrations.md: a scripted agent
// makes a page that PageView shows, changes it where the user approves with a click, and reads the answer in its next request.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as tanstack from "@tanstack/ai";
import * as ai from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { build } from "esbuild";
import * as genui from "genui-patch";
import { toolsWithApproval } from "genui-patch/ai-sdk";
import { sse } from "../support/ag-ui.mjs";
import { launch, open } from "../support/browser.mjs";
import { listings, load } from "../support/docs.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [chat, route, approvalRoute, approvalChat, , , , copilotKit, tanstackChat, tanstackRoute] =
  listings("integrations");
const browser = await launch();
const servers = [];
after(async () => {
  await browser.close();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

/** Opens a page with a listing and what renders it; `answer` gets all requests under /api/. */
async function openClient({ lang, code }, shown, answer) {
  const { outputFiles } = await build({
    stdin: { contents: `${code}\n${shown}`, loader: lang === "ts" ? "tsx" : lang, resolveDir: root },
    bundle: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
    logLevel: "warning",
  });
  const files = {
    "/": [
      "text/html",
      '<!doctype html><link rel="icon" href="data:,"><main></main><script type="module" src="/app.js"></script>',
    ],
    "/app.js": ["text/javascript", outputFiles[0].text],
    "/ui.css": ["text/css", await readFile(`${root}/dist/ui.css`)],
  };
  const server = createServer(async (request, response) => {
    const [type, content] = files[request.url] ?? [];
    if (content !== undefined) return response.setHeader("content-type", type).end(content);
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = pieces.length > 0 ? Buffer.concat(pieces) : undefined;
    const { method, headers } = request;
    const answered = await answer(new Request(`http://${headers.host}${request.url}`, { method, headers, body }));
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    for await (const chunk of answered.body ?? []) response.write(chunk);
    response.end();
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  const { page, problems } = await open(browser, `http://127.0.0.1:${server.address().port}/`);
  const shows = (text) => page.getByText(text).first().waitFor({ timeout: 60_000 });
  const heading = (name) => page.getByRole("heading", { name, exact: true }).first().waitFor({ timeout: 60_000 });
  const press = (name) => page.getByRole("button", { name }).first().click({ timeout: 60_000 });
  return { page, problems, shows, heading, press };
}

const MOUNT = `
  import { createElement as h } from "react";
  import { createRoot } from "react-dom/client";
  const render = (node) => createRoot(document.querySelector("main")).render(node);
`;

const create = {
  instance_name: "__CREATE__",
  new_instance_name: "page",
  patches: [{ op: "set", path: "meta", value: { title: "A trip" } }],
};
const rename = { instance_name: "page", patches: [{ op: "set", path: "meta.title", value: "A journey" }] };

/** The turns of an agent that changes the page: calls or a text. */
const TURNS = [
  [["c1", "patch_ui_state", create]],
  [["c2", "patch_ui_state", rename]],
  "Please approve.",
  "The last word.",
];

/** A model of the AI SDK that answers with these turns. */
function scriptedModel(turns) {
  const left = [...turns];
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  return new MockLanguageModelV4({
    doStream: async () => {
      const turn = left.shift();
      const isText = typeof turn === "string";
      const unified = isText ? "stop" : "tool-calls";
      const content = isText
        ? [
            { type: "text-start", id: "0" },
            { type: "text-delta", id: "0", delta: turn },
            { type: "text-end", id: "0" },
          ]
        : turn.map(([toolCallId, toolName, input]) => {
            return { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
          });
      const finish = { type: "finish", finishReason: { unified, raw: unified }, usage };
      const chunks = [{ type: "stream-start", warnings: [] }, ...content, finish];
      return { stream: ai.simulateReadableStream({ chunks }) };
    },
  });
}

test("the AI SDK: useChat, with tools that run in the page", async () => {
  const model = scriptedModel([
    [
      ["c1", "patch_ui_state", create],
      ["c2", "write_file", { path: "a.txt", content: "a" }],
    ],
    [["c3", "delete_file", { path: "a.txt" }]],
    "Please approve.",
    "The last word.",
  ]);
  const { POST } = await load(route, { ai, "genui-patch": genui }, { model });
  const { page, shows, heading, press, problems } = await openClient(chat, `${MOUNT} render(h(Chat));`, POST);
  await press("Send");
  await heading("A trip");
  await shows("Please approve.");
  await press(/^approve/i);
  await page.locator('[data-kind="file"][data-status="pending"]').waitFor({ state: "detached" });
  await press("Send");
  await shows("The last word.");
  const [{ text }] = model.doStreamCalls.at(-1).prompt.at(-1).content;
  assert.match(text, /^What became of your proposals:\ndelete_file \(c3\): \{"status":"approved"/);
  assert.deepEqual(problems, []);
});

test("the AI SDK: its tool approval, of tools that run on the server", async () => {
  const model = scriptedModel([...TURNS.slice(0, 2), "The last word."]);
  const modules = { ai, "genui-patch": genui, "genui-patch/ai-sdk": { toolsWithApproval } };
  const { POST, store } = await load(approvalRoute, modules, { model, secret: "s".repeat(32) });
  const shown = `${MOUNT} render(h(ChatWithApprovals));`;
  const { page, shows, press, problems } = await openClient(approvalChat, shown, POST);
  await press("Send");
  await press(/^approve/i);
  await page.locator('[data-status="pending"]').getByText("A journey").waitFor();
  assert.equal(store.get("page", "meta.title"), "A trip");
  await press(/^refuse|^reject/i);
  await shows("The last word.");
  assert.equal(store.get("page", "meta.title"), "A trip");
  const read = model.doStreamCalls
    .at(-1)
    .prompt.filter(({ role }) => role === "tool")
    .flatMap(({ content }) => content)
    .filter(({ type }) => type === "tool-result")
    .map(({ toolCallId, output }) => [toolCallId, output.type]);
  assert.deepEqual(read, [
    ["c1", "json"],
    ["c2", "execution-denied"],
  ]);
  assert.deepEqual(problems, []);
});

test("TanStack AI: useChat, with client tools", async () => {
  const turns = [...TURNS];
  const requests = [];
  const adapter = {
    kind: "text",
    name: "scripted",
    model: "scripted",
    async *chatStream({ messages, threadId = "t", runId = "r" }) {
      requests.push(structuredClone(messages));
      const turn = turns.shift();
      const isText = typeof turn === "string";
      yield { type: "RUN_STARTED", threadId, runId };
      if (isText) {
        const messageId = `m${requests.length}`;
        yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
        yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta: turn };
        yield { type: "TEXT_MESSAGE_END", messageId };
      } else {
        for (const [toolCallId, toolCallName, args] of turn) {
          yield { type: "TOOL_CALL_START", toolCallId, toolCallName, toolName: toolCallName };
          yield { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) };
          yield { type: "TOOL_CALL_END", toolCallId };
        }
      }
      yield { type: "RUN_FINISHED", threadId, runId, finishReason: isText ? "stop" : "tool_calls" };
    },
  };
  const { POST } = await load(tanstackRoute, { "@tanstack/ai": tanstack }, { adapter });
  const { shows, heading, press, problems } = await openClient(tanstackChat, `${MOUNT} render(h(Chat));`, POST);
  await press("Send");
  await heading("A trip");
  await shows("Please approve.");
  await press(/^approve/i);
  await heading("A journey");
  await press("Send");
  await shows("The last word.");
  const results = requests
    .at(-1)
    .filter(({ role }) => role === "tool")
    .map(({ toolCallId, content }) => [toolCallId, JSON.parse(content).status]);
  assert.deepEqual(results, [
    ["c1", "success"],
    ["c2", "pending"],
  ]);
  assert.match(JSON.stringify(requests.at(-1).at(-1).content), /patch_ui_state \(c2\): .*approved/);
  assert.deepEqual(problems, []);
});

test("CopilotKit: its client, with frontend tools", async () => {
  const turns = [...TURNS];
  const inputs = [];
  const answer = async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/info"))
      return Response.json({ version: "1.74.0", agents: { default: { description: "" } } });
    if (!pathname.endsWith("/agent/default/run")) return new Response("", { status: 404 });
    const input = await request.json();
    inputs.push(input);
    const { threadId, runId } = input;
    const turn = turns.shift();
    const messageId = `m${inputs.length}`;
    const events =
      typeof turn === "string"
        ? [
            { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
            { type: "TEXT_MESSAGE_CONTENT", messageId, delta: turn },
            { type: "TEXT_MESSAGE_END", messageId },
          ]
        : turn.flatMap(([toolCallId, toolCallName, args]) => [
            { type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId: messageId },
            { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) },
            { type: "TOOL_CALL_END", toolCallId },
          ]);
    return sse([{ type: "RUN_STARTED", threadId, runId }, ...events, { type: "RUN_FINISHED", threadId, runId }]);
  };
  const app = `
    import { PageView, ProposalList } from "genui-patch/react/ui";
    ${MOUNT}
    const send = async () => {
      await ask("Make a page.");
      document.body.dataset.runs = "over";
    };
    render([
      h(PageView, { key: 1, store, name: "page" }),
      h(ProposalList, { key: 2, sources: [store] }),
      h("button", { key: 3, type: "button", onClick: send }, "Send"),
    ]);
    core.subscribe({ onAgentsChanged: () => { document.body.dataset.agents = Object.keys(core.agents).join(); } });
  `;
  const { page, heading, press, problems } = await openClient(copilotKit, app, answer);
  await page.locator('body[data-agents="default"]').waitFor({ state: "attached" });
  await press("Send");
  await heading("A trip");
  await press(/^approve/i);
  await heading("A journey");
  await page.locator('body[data-runs="over"]').waitFor({ state: "attached" });
  await press("Send");
  for (let turn = 0; inputs.length < 4; turn++) {
    assert.ok(turn < 30_000, `${inputs.length} runs`);
    await new Promise((go) => setTimeout(go, 2));
  }
  assert.deepEqual(inputs[0].tools.map(({ name, parameters }) => [name, parameters.type])[0], [
    "patch_ui_state",
    "object",
  ]);
  const results = inputs[3].messages
    .filter(({ role }) => role === "tool")
    .map(({ toolCallId, content }) => [toolCallId, JSON.parse(content).status]);
  assert.deepEqual(results, [
    ["c1", "success"],
    ["c2", "pending"],
  ]);
  assert.match(inputs[3].messages.at(-1).content, /patch_ui_state \(c2\): .*approved/);
  assert.deepEqual(problems, []);
});
