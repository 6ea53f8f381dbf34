// `runAgent` with the real clients of OpenAI, Anthropic, Google and Vercel and scripted servers makes the same documents as
// `execute`, call by call.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { createGateway, streamText } from "ai";
import { agentTools, PatchStore, runAgent, Workspace } from "genui-patch";
import { scriptedModel } from "genui-patch/testing";
import OpenAI from "openai";
import { z } from "zod";

/** The script that the server answers by. */
let script;
let server;
let url;

before(async () => {
  server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const answer = await script(JSON.parse(Buffer.concat(pieces).toString()));
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers) });
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    try {
      for await (const chunk of answer.body) {
        if (gone.signal.aborted) return;
        response.write(chunk);
        if (script.pause) await new Promise((resolve) => setTimeout(resolve, script.pause));
      }
      response.end();
    } catch {
      response.destroy();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

/** The parts of the AI SDK's own protocol, as its gateway streams them. */
function gatewayModel(turns) {
  const requests = [];
  const model = async (request) => {
    requests.push(request);
    const turn = turns[requests.length - 1] ?? "The script has no further answer.";
    const { text = "", calls = [], isCut = false, status, error } = typeof turn === "string" ? { text: turn } : turn;
    const headers = { "content-type": "text/event-stream" };
    if (status !== undefined)
      return Response.json({ error: { message: error ?? "failed", type: "internal_server_error" } }, { status });
    const cut = (text, size = 9) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    const usage = {
      inputTokens: { total: 5, noCache: 5, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 7, text: 7, reasoning: 0 },
    };
    const reason = isCut ? "length" : calls.length > 0 ? "tool-calls" : "stop";
    const parts = [
      { type: "stream-start", warnings: [] },
      { type: "response-metadata", id: "r", modelId: "m", timestamp: new Date(0).toISOString() },
      ...(text === "" ? [] : [{ type: "text-start", id: "t" }]),
      ...cut(text).map((delta) => ({ type: "text-delta", id: "t", delta })),
      ...(text === "" ? [] : [{ type: "text-end", id: "t" }]),
      ...calls.flatMap(({ name, arguments: args }, index) => {
        const id = `call_${requests.length}_${index}`;
        const input = typeof args === "string" ? args : JSON.stringify(args);
        const isLast = isCut && index === calls.length - 1;
        return [
          { type: "tool-input-start", id, toolName: name },
          ...cut(input).map((delta) => ({ type: "tool-input-delta", id, delta })),
          ...(isLast
            ? []
            : [
                { type: "tool-input-end", id },
                { type: "tool-call", toolCallId: id, toolName: name, input },
              ]),
        ];
      }),
      ...(error === undefined
        ? [{ type: "finish", finishReason: { unified: reason, raw: reason }, usage }]
        : [{ type: "error", error: { message: error } }]),
    ];
    return new Response(
      ReadableStream.from(parts.map((part) => new TextEncoder().encode(`data: ${JSON.stringify(part)}\n\n`))),
      { headers },
    );
  };
  return Object.assign(model, { requests });
}

const user = (content) => ({ role: "user", content });

/** How each client is asked, and how its requests name their messages. */
const PROVIDERS = {
  openai: {
    user,
    send(messages, tools, { signal }) {
      const client = new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0 });
      const stream_options = { include_usage: true };
      return client.chat.completions.create({ model: "m", messages, tools, stream: true, stream_options }, { signal });
    },
  },
  "openai-responses": {
    user,
    send(input, tools, { signal }) {
      const client = new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0 });
      return client.responses.create({ model: "m", input, tools, stream: true }, { signal });
    },
  },
  anthropic: {
    user,
    send(messages, tools, { signal }) {
      const client = new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
      return client.messages.create({ model: "m", max_tokens: 100, messages, tools, stream: true }, { signal });
    },
  },
  gemini: {
    user: (text) => ({ role: "user", parts: [{ text }] }),
    async send(contents, functionDeclarations, { signal: abortSignal }) {
      const client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: url } });
      const config = { tools: [{ functionDeclarations }], abortSignal };
      return client.models.generateContentStream({ model: "m", contents, config });
    },
  },
  "ai-sdk": {
    user,
    send(messages, tools, { signal: abortSignal }) {
      const model = createGateway({ apiKey: "key", baseURL: url })("m/m");
      return streamText({ model, messages, tools, abortSignal, maxRetries: 0, onError() {} }).stream;
    },
  },
};
const model = (format, turns) =>
  format === "ai-sdk" ? gatewayModel(turns) : scriptedModel(turns, { format, pieceLength: 9 });

function setUp(format, turns, options = {}) {
  const store = new PatchStore();
  const files = Workspace.memory();
  const notes = [];
  const tools = {
    find_contact: {
      description: "Finds a contact.",
      schema: z.strictObject({ name: z.string().min(1) }),
      execute: ({ name }) => ({ name, mail: `${name.toLowerCase()}@example.com` }),
      readOnly: true,
    },
    note: {
      description: "Keeps a note.",
      schema: {
        type: "object",
        properties: { text: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
        required: ["text"],
      },
      execute(args) {
        notes.push(args);
        if (args.text === "fail") throw new Error("The notes are full");
      },
    },
  };
  const agent = agentTools({ store, files, tools, ...options.agent });
  const { user, send } = PROVIDERS[format];
  script = model(format, turns);
  const events = [];
  const run = (more = {}) =>
    runAgent({
      agent,
      format,
      messages: [user("Build it.")],
      send,
      onRetry: () => false,
      onEvent: (event) => events.push(event),
      ...more,
    });
  const documents = async () => [store.names().map((name) => store.snapshot(name)), await files.snapshot(), notes];
  return { store, files, agent, notes, events, run, documents, model: script };
}

const create = { name: "patch_ui_state", arguments: { instance_name: "__CREATE__", new_instance_name: "crm" } };
const set = (path, value) => ({
  name: "patch_ui_state",
  arguments: { instance_name: "crm", patches: [{ op: "set", path, value }] },
});
const write = (path, content) => ({ name: "write_file", arguments: { path, content } });
const block = ({ name, arguments: args }) => `\n\n\`\`\`json\n${JSON.stringify({ tool: name, ...args })}\n\`\`\`\n`;

/** Rounds with calls in the text (`textCalls`), native calls, and both. */
const ROUNDS = [
  { textCalls: [], calls: [create, set("state.params.name", 'Ann é😀 "x"\n')] },
  { textCalls: [], calls: [{ name: "find_contact", arguments: { name: "Ann" } }] },
  { textCalls: [write("a.md", "# Hi\n\n- one\n"), set("state.params.mail", "ann@example.com")], calls: [] },
  {
    textCalls: [{ name: "note", arguments: { text: "in chat" } }],
    calls: [
      { name: "note", arguments: { text: "native", tags: ["a", "b"] } },
      { name: "note", arguments: { text: "fail" } },
      set("nonsense", 1),
    ],
  },
];

for (const format of Object.keys(PROVIDERS)) {
  test(`${format}: rounds of chat text, native calls and both make the same documents as execute one by one`, async () => {
    const turns = [
      ...ROUNDS.map(({ textCalls, calls }, index) => ({
        text: `Round ${index}.${textCalls.map(block).join("")}`,
        calls,
      })),
      "All done.",
    ];
    const { run, documents, events, model } = setUp(format, turns);
    const result = await run();
    assert.equal(result.error, undefined);
    assert.deepEqual([result.status, result.rounds, result.text], ["done", ROUNDS.length + 1, "All done."]);
    const one = setUp(format, []);
    const wanted = [];
    for (const { textCalls, calls } of ROUNDS)
      for (const call of [...textCalls, ...calls]) wanted.push(await one.agent.execute(call));
    assert.deepEqual(await documents(), await one.documents());
    const outcome = ({ tool, status, result }) => [tool, status, result];
    assert.deepEqual(result.results.map(outcome), wanted.map(outcome));
    // The model reads the results, those of own tools too.
    const last = JSON.stringify(model.requests.at(-1));
    for (const text of ["ann@example.com", "The notes are full", "a.md", "success"])
      assert.ok(last.includes(text), text);
    const texts = events.filter(({ type }) => type === "text").map(({ text }) => text);
    assert.match(texts.join(""), /^Round 0\..*All done\.$/s);
    assert.ok(result.usage.outputTokens > 0);
  });

  test(`${format}: a call that is cut off is not executed, and the model is told`, async () => {
    const cut = { name: "write_file", arguments: '{"path": "a.md", "content": "half' };
    const { run, files, store } = setUp(format, [{ text: "Go.", calls: [create, cut], isCut: true }, "Too long."]);
    const result = await run();
    assert.deepEqual([await files.snapshot(), store.names()], [{}, ["crm"]]);
    const errors = result.results.flatMap(({ error }) => error?.code ?? []);
    // Gemini sends calls whole: one that is cut off never arrives.
    assert.deepEqual(errors, format === "gemini" ? [] : ["TRUNCATED"]);
    assert.equal(result.status, "done");
  });

  test(`${format}: an abort while the answer arrives leaves no half call`, async () => {
    const turns = () => [{ text: "One. ", calls: [create, set("state.params.a", 1)] }, "Done."];
    const whole = setUp(format, turns());
    await whole.run();
    for (const stop of [1, 2, 4, Math.floor(whole.events.length / 2), whole.events.length - 1]) {
      const abort = new AbortController();
      const { run, store, events } = setUp(format, turns());
      const result = await run({
        signal: abort.signal,
        onEvent(event) {
          events.push(event);
          if (events.length === stop) abort.abort();
        },
      });
      const executed = result.results.filter(({ status }) => status === "success").length;
      assert.ok(["aborted", "done"].includes(result.status), result.status);
      assert.equal(store.names().length, Math.min(executed, 1));
      if (executed === 2) assert.equal(store.get("crm", "state.params.a"), 1);
    }
  });

  test(`${format}: errors of the client and of the stream end the run, and keep what was executed`, async () => {
    const refused = setUp(format, [{ status: 500, error: "overloaded today" }]);
    const first = await refused.run();
    assert.equal(first.status, "error");
    assert.match(first.error.message, /overloaded today|500/);
    const broken = setUp(format, [{ calls: [create] }, { text: "Then", error: "overloaded" }]);
    const second = await broken.run();
    assert.equal(second.status, "error");
    assert.match(second.error.message, /overloaded/);
    assert.deepEqual(broken.store.names(), ["crm"]);
    const again = setUp(format, [{ status: 429, error: "busy" }, "Hello."]);
    const failures = [];
    const third = await again.run({ onRetry: (failed) => void failures.push(failed.attempt) ?? 0 });
    assert.deepEqual([third.status, failures.length], format === "ai-sdk" ? ["error", 0] : ["done", 1]);
  });

  test(`${format}: a run with calls that wait for the user is resumed by the decisions`, async () => {
    const calls = [write("a.md", "a"), { name: "note", arguments: { text: "kept" } }];
    const turns = [{ calls }, "It waits.", "Thank you."];
    const { run, files, agent, notes, model } = setUp(format, turns, { agent: { approve: "always" } });
    const first = await run();
    assert.deepEqual([first.status, first.pending.map(({ kind }) => kind)], ["pending", ["file", "call"]]);
    assert.deepEqual([await files.snapshot(), notes], [{}, []]);
    await files.approve(first.pending[0].id);
    await agent.approve(first.pending[1].id);
    assert.deepEqual([await files.snapshot(), notes], [{ "a.md": "a" }, [{ text: "kept" }]]);
    const second = await run({ messages: first.messages });
    assert.deepEqual([second.status, second.text], ["done", "Thank you."]);
    const asked = JSON.stringify(model.requests.at(-1));
    assert.match(asked, /What became of your proposals/);
    assert.match(asked, /It was applied|It was executed/);
  });
}
