// `runAgent` with scripted models of every provider: the same documents, results and endings in every format.
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentTools, GenuiPatchError, PatchStore, runAgent, Workspace } from "genui-patch";
import { scriptedModel } from "genui-patch/testing";

const FORMATS = ["openai", "openai-responses", "anthropic", "gemini", "ai-sdk", "text"];
const NATIVE = FORMATS.filter((format) => format !== "text");
const create = { name: "patch_ui_state", arguments: { instance_name: "__CREATE__", new_instance_name: "crm" } };
const set = (path, value) => ({
  name: "patch_ui_state",
  arguments: { instance_name: "crm", patches: [{ op: "set", path, value }] },
});
const user = (format, content) =>
  format === "gemini" ? { role: "user", parts: [{ text: content }] } : { role: "user", content };

function setUp(format, script, options = {}) {
  const store = new PatchStore();
  const files = Workspace.memory();
  const agent = agentTools({ store, files, ...options.agent });
  const model = scriptedModel(script, { format, ...options.model });
  const events = [];
  const run = (more = {}) =>
    runAgent({
      agent,
      format,
      messages: [user(format, "Build it.")],
      send: model,
      onRetry: () => false,
      onEvent: (event) => events.push(event),
      ...more,
    });
  return { store, files, agent, model, events, run };
}

for (const format of FORMATS) {
  test(`${format}: calls of several rounds are executed, and the model reads their results`, async () => {
    const { store, files, model, events, run } = setUp(format, [
      { reasoning: "Let me see.", text: "I create the page. 😀", calls: [create, set("state.params.name", "Ann é😀")] },
      { calls: [{ name: "write_file", arguments: { path: "a.md", content: "# Hi\n```js\n```\n" } }] },
      "All done.",
    ]);
    const result = await run();
    assert.equal(result.error, undefined);
    assert.equal(result.status, "done");
    assert.equal(result.rounds, 3);
    assert.equal(store.get("crm", "state.params.name"), "Ann é😀");
    assert.equal(await files.read("a.md"), "# Hi\n```js\n```\n");
    assert.deepEqual(
      result.results.map(({ tool, status }) => [tool, status]),
      [
        ["patch_ui_state", "success"],
        ["patch_ui_state", "success"],
        ["write_file", "success"],
      ],
    );
    assert.equal(result.text, "All done.");
    const texts = events.filter(({ type }) => type === "text").map(({ text }) => text);
    assert.equal(
      texts.join("").replace(/\n+/g, "\n").trim(),
      "I create the page. 😀\nAll done.".replace("\n", format === "text" ? "\n" : ""),
    );
    if (format !== "text") {
      const reasoning = events.filter(({ type }) => type === "reasoning").map(({ text }) => text);
      assert.equal(reasoning.join(""), "Let me see.");
      assert.ok(result.usage.outputTokens > 0 && result.usage.inputTokens > 0);
    }
    // Each request contains all earlier messages, and each result is in the next one.
    assert.equal(model.requests.length, 3);
    const last = JSON.stringify(model.requests[2].messages);
    assert.ok(last.includes("success") && last.includes("a.md"), last);
    assert.deepEqual(result.messages.slice(0, model.requests[2].messages.length), model.requests[2].messages);
  });

  test(`${format}: a tool block in the text and a native call in one answer are both executed`, async () => {
    const block = `Now:\n\n\`\`\`json\n${JSON.stringify({ tool: "write_file", path: "b.md", content: "b" })}\n\`\`\`\n`;
    const { store, files, model, run } = setUp(format, [{ text: block, calls: [create] }, "Done."]);
    const result = await run();
    assert.equal(result.status, "done");
    assert.equal(await files.read("b.md"), "b");
    assert.deepEqual(store.names(), ["crm"]);
    assert.equal(result.results.length, 2);
    assert.ok(JSON.stringify(model.requests[1].messages).includes("write_file"));
  });

  test(`${format}: an answer that is cut off executes nothing of its last call, and says so`, async () => {
    const cut = { name: "write_file", arguments: '{"path": "a.md", "content": "half' };
    const { files, model, run } = setUp(format, [{ text: "Writing.", calls: [cut], isCut: true }, "Too long."]);
    const result = await run();
    assert.equal(await files.read("a.md"), null);
    if (format === "gemini") {
      assert.equal(result.status, "truncated");
      return;
    }
    assert.equal(result.status, "done");
    assert.deepEqual(
      result.results.map(({ status, error }) => [status, error.code]),
      [["error", "TRUNCATED"]],
    );
    assert.equal(model.requests.length, 2);
  });

  test(`${format}: a run that ends with a proposal is resumed by the user's decision`, async () => {
    const options = { agent: { approve: "always" } };
    const { files, agent, model, run } = setUp(
      format,
      [{ calls: [{ name: "write_file", arguments: { path: "a.md", content: "a" } }] }, "It waits.", "Thank you."],
      options,
    );
    const first = await run();
    assert.equal(first.status, "pending");
    assert.equal(first.pending.length, 1);
    assert.equal(await files.read("a.md"), null);
    await files.approve(first.pending[0].id);
    assert.equal(await files.read("a.md"), "a");
    const second = await run({ messages: first.messages });
    assert.equal(second.status, "done");
    const asked = model.requests[2].messages.at(-1);
    assert.equal(asked.role, "user");
    assert.match(JSON.stringify(asked), /What became of your proposals/);
    assert.equal(agent.decisions(), "", "each decision is told once");
  });

  test(`${format}: an error in the stream ends the run and keeps what was executed`, async () => {
    const { store, run } = setUp(format, [{ calls: [create] }, { text: "Then", error: "overloaded" }]);
    const result = await run();
    assert.equal(result.status, "error");
    assert.match(result.error.message, /overloaded/);
    assert.deepEqual(store.names(), ["crm"]);
    assert.equal(result.results.length, 1);
  });

  test(`${format}: an abort at any event leaves no half call, and ends the run`, async () => {
    const script = () => [{ text: "One. ", calls: [create, set("state.params.a", 1)] }, "Done."];
    const whole = setUp(format, script());
    await whole.run();
    for (let stop = 1; stop <= whole.events.length; stop++) {
      const abort = new AbortController();
      const { store, run } = setUp(format, script());
      let seen = 0;
      const result = await run({
        signal: abort.signal,
        onEvent: () => {
          seen += 1;
          if (seen === stop) abort.abort();
        },
      });
      const executed = result.results.filter(({ status }) => status === "success").length;
      assert.equal(store.names().length, Math.min(executed, 1));
      assert.equal(executed === 2, store.names().length === 1 && store.get("crm", "state.params.a") === 1);
      if (stop < whole.events.length - 1) assert.equal(result.status, "aborted", `at event ${stop}`);
    }
  });
}

for (const format of NATIVE) {
  test(`${format}: every native call of the conversation has its result`, async () => {
    const { run } = setUp(format, [
      { text: "Go.", calls: [create, set("nonsense", 1), { name: "no_such", arguments: {} }] },
      "Done.",
    ]);
    const { messages } = await run();
    const text = JSON.stringify(messages);
    for (const id of ["call_1", "call_2", "call_3"]) assert.equal(text.split(`"${id}"`).length, 3, `${id} in ${text}`);
  });
}

test("failed requests are sent again as onRetry says, and nothing is sent twice", async () => {
  const delays = [];
  const { events, run } = setUp("openai", [{ status: 503, error: "busy" }, { status: 429 }, "Hello."]);
  const result = await run({
    onRetry: ({ attempt, status, error }) => {
      delays.push([attempt, status, error.message]);
      return 0;
    },
  });
  assert.equal(result.status, "done");
  assert.equal(result.rounds, 1);
  assert.deepEqual(delays, [
    [1, 503, "The model's server answered 503: busy"],
    [2, 429, "The model's server answered 429: The script fails here."],
  ]);
  assert.equal(events.filter(({ type }) => type === "retry").length, 2);
});

test("a request that may not be repeated ends the run with its error", async () => {
  const { run } = setUp("anthropic", [{ status: 401, error: "invalid key" }]);
  const result = await run({ onRetry: undefined });
  assert.equal(result.status, "error");
  assert.match(result.error.message, /401: invalid key/);
  assert.deepEqual(result.messages, [{ role: "user", content: "Build it." }]);
});

test("a model that never stops calling is asked maxRounds times", async () => {
  const script = Array.from({ length: 9 }, () => ({ calls: [{ name: "list_instances", arguments: {} }] }));
  const { model, run } = setUp("openai", script);
  const result = await run({ maxRounds: 3 });
  assert.equal(result.status, "max-rounds");
  assert.equal(model.requests.length, 3);
});

test("an answer of another format is an error, not a silent end", async () => {
  const { run, agent } = setUp("anthropic", []);
  const send = scriptedModel(["Hello."], { format: "gemini" });
  const result = await runAgent({ agent, format: "anthropic", messages: [{ role: "user", content: "Hi" }], send });
  assert.equal(result.status, "error");
  assert.match(result.error.message, /no chunk of this format/);
  assert.equal(typeof run, "function");
});

test("a stream that hangs ends at once when the signal is aborted", async () => {
  const { agent } = setUp("openai", []);
  const abort = new AbortController();
  const send = () => new ReadableStream({ pull: () => new Promise(() => {}) });
  const run = runAgent({ agent, messages: [{ role: "user", content: "Hi" }], send, signal: abort.signal });
  setTimeout(() => abort.abort(), 0);
  assert.equal((await run).status, "aborted");
});

test("chunks arrive as bytes cut anywhere, as JSON lines, as one array, or as objects", async () => {
  const chunk = (content) => ({ choices: [{ index: 0, delta: { content } }] });
  const chunks = [chunk("Grüße "), chunk("😀")];
  const bytes = (text, size) => {
    const all = new TextEncoder().encode(text);
    return ReadableStream.from(
      Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size)),
    );
  };
  const events = `: ping\r\nevent: message\r\ndata: ${JSON.stringify(chunks[0])}\r\n\r\ndata: ${JSON.stringify(chunks[1])}\n\ndata: [DONE]\n\n`;
  const answers = [
    ...[1, 2, 3, 7, 1000].map((size) => bytes(events, size)),
    bytes(chunks.map((value) => `${JSON.stringify(value)}\n`).join(""), 3),
    bytes(JSON.stringify(chunks, null, 2), 5),
    bytes(JSON.stringify(chunks), 5),
    ReadableStream.from(chunks),
    (async function* () {
      yield* chunks;
    })(),
    new Response(bytes(events, 4)),
    new Response(JSON.stringify({ choices: [{ index: 0, message: { content: "Grüße 😀" } }] })),
  ];
  for (const answer of answers) {
    const { agent } = setUp("openai", []);
    const result = await runAgent({ agent, messages: [{ role: "user", content: "Hi" }], send: () => answer });
    assert.equal(result.error, undefined);
    assert.equal(result.text, "Grüße 😀");
  }
});

test("wrong options are misuse that says what to pass, and errors of onEvent are thrown on", async () => {
  const { agent } = setUp("openai", []);
  const send = scriptedModel(["Hi."]);
  const messages = [{ role: "user", content: "Hi" }];
  for (const [options, message] of [
    [{ agent, messages: [], send }, /messages are empty/],
    [{ agent, messages, send, format: "opena" }, /format must be "openai"/],
    [{ agent: {}, messages, send }, /what agentTools returns/],
    [{ agent, messages, send, maxRounds: 0 }, /whole number from 1/],
    [{ agent, messages, send, signals: 1 }, /have no "signals"/],
    [{ agent, messages }, /send must be a function/],
  ]) {
    await assert.rejects(runAgent(options), (error) => error instanceof GenuiPatchError && message.test(error.message));
  }
  const thrown = new Error("of the page");
  const onEvent = () => {
    throw thrown;
  };
  await assert.rejects(runAgent({ agent, messages, send, onEvent }), (error) => error === thrown);
});
