// The listings of docs/correction.md, docs/tools.md and docs/markdown.md do what they say.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import * as genui from "genui-patch";
import { createElement } from "react";
import { listings, plain, run } from "../support/docs.mjs";
import { act, mount, unmountAll } from "../support/react.mjs";

const GOOD = '```json\n{"tool": "write_file", "path": "test.txt", "content": ""}\n```';
const BAD = '```json\n{"tool": "write_file", "path": "test.txt"}\n```';
const correction = listings("correction");
const tools = listings("tools");

afterEach(unmountAll);

test("correction.md: a block is corrected", async () => {
  const scope = { ...genui, generate: () => GOOD };
  const found = await run(correction[0].code, scope, "found");
  assert.deepEqual([found.corrected, found.by, found.content, found.attempts], [true, "model", GOOD, 1]);
  assert.equal(found.report.call.content, "");
});

test("correction.md: the AI SDK's generateText", async () => {
  const asked = [];
  const generateText = async (request) => {
    asked.push(request);
    return { text: GOOD };
  };
  const generate = await run(await plain(correction[1]), { generateText, model: "m" }, "generate");
  const { signal } = new AbortController();
  assert.equal((await genui.correctToolBlock(BAD, { generate, signal })).by, "model");
  const { prompt, instructions, ...rest } = asked[0];
  assert.deepEqual(rest, { model: "m", temperature: 0.1, abortSignal: signal });
  assert.ok(prompt.includes(BAD) && instructions.length > 0);
});

test("correction.md: an endpoint that speaks chat completions", async () => {
  const asked = [];
  let status = 200;
  const fetch = async (url, init) => {
    asked.push([url, init]);
    return Response.json({ choices: [{ message: { role: "assistant", content: GOOD } }] }, { status });
  };
  const scope = { fetch, endpoint: "https://example.com/v1", key: "k", model: "m" };
  const generate = await run(await plain(correction[2]), scope, "generate");
  const { signal } = new AbortController();
  assert.equal((await genui.correctToolBlock(BAD, { generate, signal })).by, "model");
  const [url, init] = asked[0];
  assert.equal(url, "https://example.com/v1/chat/completions");
  assert.equal(init.signal, signal);
  const { messages, ...rest } = JSON.parse(init.body);
  assert.deepEqual(rest, { model: "m", temperature: 0.1 });
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["system", "user"],
  );
  status = 500;
  assert.equal((await genui.correctToolBlock(BAD, { generate })).corrected, false);
});

test("correction.md: in a stream", async () => {
  const body = new Blob([`Hi\n${BAD}\n`]).stream();
  const seen = [];
  const code = (await plain(correction[3])).replace("event.call;", "seen.push(event.call, event.correctedBy);");
  await run(code, { ...genui, body, generate: () => GOOD, seen });
  assert.deepEqual([seen[0].content, seen[1]], ["", "model"]);
});

test("tools.md: calls, tools of one's own, native calls", async () => {
  const [call] = await run(tools[0].code.replace("parseToolCalls(", "const calls = parseToolCalls("), genui, "calls");
  assert.deepEqual(call, {
    id: "tool_1",
    tool: "delete_file",
    path: "src/old.ts",
    args: { tool: "delete_file", path: "src\\old.ts" },
    status: "detected",
  });
  const shared = await run(tools[1].code, genui, "{ calls, issues }");
  assert.deepEqual([shared.calls, shared.issues[0].code], [[], "NOT_A_CALL"]);
  assert.equal(shared.issues[0].message, /"(Not executed: .*)"/.exec(tools[1].code)[1]);
  const path = await run(
    tools[2].code.replace("parseToolCalls(text", "const path = parseToolCalls(text"),
    genui,
    "path",
  );
  assert.equal(path, "a.txt");
  const code = (await plain(tools[3]))
    .replace("validateToolBlock(", "const issues = validateToolBlock(")
    .replace("repairToolBlock(", "const args = repairToolBlock(")
    .replace("toolDefinitions(", "const names = toolDefinitions(");
  const { issues, args, names } = await run(code, genui, "{ issues, args, names }");
  assert.deepEqual(
    issues.map(({ code, path, message, position }) => [code, path, message, position.offset]),
    [
      ["UNSAFE_PATH", "to", 'The path "../b.txt" leaves the workspace.', 45],
      ["INVALID_FIELD", "overwrite", 'move_file "overwrite" must be of type boolean', 70],
    ],
  );
  assert.deepEqual(args, { tool: "move_file", path: "a.txt", to: "b.txt" });
  assert.deepEqual(names, ["write_file", "edit_file", "delete_file", "move_file", "plan"]);
  const stream = (async function* () {
    yield {
      type: "content_block_start",
      index: 0,
      content_block: { type: "tool_use", id: "t", name: "delete_file", input: {} },
    };
    yield { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"path":"a"}' } };
    yield { type: "content_block_stop", index: 0 };
  })();
  const seen = [];
  await run(tools[5].code, { ...genui, stream, show: (event) => seen.push(event) });
  assert.equal(seen.at(-1).call.id, "t");
  const events = await run(tools[6].code, genui, "events");
  assert.equal(events.at(-1).call.content, "Hi");
});

test("markdown.md: markdown-it", async () => {
  const md = {
    render: (text) => `<p>${text.trim()}</p>`,
    utils: { escapeHtml: (text) => text.replaceAll("<", "&lt;") },
  };
  const code = await plain(listings("markdown").find(({ lang }) => lang === "ts"));
  const renderMessage = await run(code, genui, "renderMessage");
  const list = '```json\n[{"tool":"delete_file","path":"a"},{"tool":"delete_file","path":"b"}]\n```';
  assert.equal(
    renderMessage(`One\n${GOOD}\nTwo\n${list}\n${BAD}`, md),
    "<p>One</p><tool-block>write_file test.txt</tool-block><p>Two</p>" +
      "<tool-block>delete_file a, delete_file b</tool-block><p></p><tool-block>not a valid call</tool-block><p></p>",
  );
});

test("markdown.md: react-markdown", async () => {
  const { code } = listings("markdown").find(({ lang }) => lang === "tsx");
  const folder = await mkdtemp(join(import.meta.dirname, "../../target/docs-"));
  try {
    const outfile = join(folder, "message.mjs");
    const stub = "export default ({ children, urlTransform }) => children.replace(/javascript:\\S*/, urlTransform);";
    await build({
      stdin: { contents: code, loader: "tsx", resolveDir: import.meta.dirname },
      bundle: true,
      format: "esm",
      jsx: "automatic",
      external: ["react", "react/*", "genui-patch", "genui-patch/*"],
      plugins: [
        {
          name: "markdown",
          setup({ onResolve, onLoad }) {
            onResolve({ filter: /^react-markdown$/ }, ({ path }) => ({ path, namespace: "stub" }));
            onLoad({ filter: /.*/, namespace: "stub" }, () => ({ contents: stub }));
          },
        },
      ],
      outfile,
    });
    const { Message } = await import(pathToFileURL(outfile));
    let controller;
    const source = new ReadableStream({
      start(own) {
        controller = own;
      },
    });
    const screen = await mount(createElement(Message, { source }));
    const show = (piece) => act(() => controller.enqueue(piece));
    const shown = () => screen.textContent;
    await show("See javascript:alert(1) ");
    await show('\n```json\n{"tool":"write_file","path":"a.md","content":"# Ti');
    assert.equal(screen.querySelector("pre").textContent, "write_file a.md\n# Ti");
    await show('tle"}\n```\nDone.\n');
    assert.equal(screen.querySelector("pre"), null);
    assert.equal(shown().replaceAll("\n", ""), "See  write_file a.mdDone.");
    await show(BAD);
    await act(() => controller.close());
    assert.match(screen.querySelector("[role=alert]").textContent, /requires "content"/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
