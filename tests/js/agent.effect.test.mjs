// What a policy sees of a call, what it may answer, who makes the changes, what an agent reads of files, and what replies cost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentTools, FlowStore, NativeCallStream, PatchStore, Workspace } from "genui-patch";
import { encode } from "gpt-tokenizer";
import { page } from "../support/store.mjs";

function parts(options = {}) {
  const store = new PatchStore();
  store.load("page", page());
  const files = Workspace.memory({ "src/a.ts": "let a = 1;\n" });
  const flow = new FlowStore();
  flow.load({ id: "t", nodes: [{ id: "n", data: { title: "Old" } }] });
  return { store, files, flow, agent: agentTools({ store, files, flow, ...options }) };
}

const set = (path, value) => ({
  name: "patch_ui_state",
  arguments: { instance_name: "page", patches: [{ op: "set", path, value }] },
});
const edit = (path, old_string, new_string) => ({
  name: "edit_file",
  arguments: { path, search_replace: { old_string, new_string } },
});
/** A host whose answers take a while. */
const slowHost = (texts) => {
  const later = (value) => new Promise((resolve) => setTimeout(() => resolve(value), 1));
  return Workspace.custom({
    read: (path) => later(texts.get(path) ?? null),
    write: (path, text) => later(texts.set(path, text)),
    remove: (path) => later(texts.delete(path)),
    list: () => later([...texts.keys()]),
  });
};

test("a policy sees the changes as the result has them, and what was there before", async () => {
  const seen = [];
  const { agent, store, files, flow } = parts({
    author: { kind: "agent", id: "writer" },
    approve({ tool, target, changes, before, author }) {
      seen.push({ tool, target, changes, before, author });
      return false;
    },
  });
  const before = { page: store.snapshot("page"), node: flow.node("t", "n") };
  const call = set("state.params.s", "new").arguments;
  const { changes } = store.preview(call);
  assert.equal(store.snapshot("page"), before.page, "a preview changes nothing");
  await agent.execute({ name: "patch_ui_state", arguments: { ...call, instance_name: undefined, instanceId: "page" } });
  await agent.execute({ name: "updateNode", arguments: { taskId: "t", nodeId: "n", newData: { title: "New" } } });
  await agent.execute(edit("./src//a.ts", "1", "2"));
  await agent.execute({ name: "write_file", arguments: { path: "b.txt", content: "b" } });
  await agent.execute({ name: "delete_file", arguments: { path: "b.txt" } });
  await agent.execute(edit("src/a.ts", "nowhere", "2"));
  const author = { kind: "agent", id: "writer" };
  assert.deepEqual(seen, [
    { tool: "patch_ui_state", target: "page", changes, before: before.page, author },
    {
      tool: "updateNode",
      target: "t/n",
      changes: [{ kind: "set", path: ["nodes", 0, "data", "title"], value: "New" }],
      before: before.node,
      author,
    },
    {
      tool: "edit_file",
      target: "src/a.ts",
      changes: [{ kind: "set", path: [], value: "let a = 2;\n" }],
      before: "let a = 1;\n",
      author,
    },
    { tool: "write_file", target: "b.txt", changes: [{ kind: "set", path: [], value: "b" }], before: null, author },
    { tool: "delete_file", target: "b.txt", changes: [{ kind: "remove", path: [] }], before: "b", author },
    { tool: "edit_file", target: "src/a.ts", changes: [], before: "let a = 2;\n", author },
  ]);
  assert.equal(store.get("page", "state.params.s"), "new");
  assert.equal(await files.read("src/a.ts"), "let a = 2;\n");
});

test("the effect is computed when it is read, and only then", async () => {
  const { agent, store } = parts({ approve: (call) => !("target" in { ...call }) });
  const { preview } = Object.getPrototypeOf(store);
  assert.equal(typeof preview, "function");
  const asked = [];
  const own = agentTools({
    store,
    approve(call) {
      asked.push(Object.keys(call), JSON.parse(JSON.stringify(call)));
      return false;
    },
  });
  await own.execute(set("state.params.s", "x2"));
  assert.ok(!asked[0].includes("changes") && !("before" in asked[1]), "copies and logs run nothing");
  assert.equal((await agent.execute(set("state.params.s", "x3"))).status, "success");
});

test("answers of a policy: execute, ask, deny, now or later", async () => {
  for (const [answer, status] of [
    [false, "success"],
    [true, "pending"],
    ["ask", "pending"],
    [{ deny: "The page is closed." }, "error"],
  ]) {
    for (const approve of [() => answer, async () => answer]) {
      const { agent, store } = parts({ approve });
      for (const call of [set("state.params.s", "new"), edit("src/a.ts", "1", "2")]) {
        const result = await agent.execute(call);
        assert.equal(result.status, status);
        if (status === "error") assert.deepEqual([result.error.code, result.error.message], ["DENIED", answer.deny]);
      }
      assert.equal(store.get("page", "state.params.s"), status === "success" ? "new" : "x");
    }
  }
  const { agent, store } = parts({
    approve: async () => {
      throw new Error("no");
    },
  });
  assert.equal((await agent.execute(set("state.params.s", "new"))).status, "error");
  assert.equal(store.get("page", "state.params.s"), "x");
});

test("a call that would change something else by the time the policy has decided asks the user", async () => {
  let decide;
  const asked = new Promise((resolve) => {
    decide = resolve;
  });
  const { agent, store } = parts({
    async approve({ changes }) {
      await asked;
      return changes.length === 0;
    },
  });
  const call = { op: "append_to_list", path: "state.params.s2", value: 1 };
  store.apply({ instance_name: "page", patches: [{ op: "set", path: "state.params.s2", value: [] }] });
  const running = agent.execute({ name: "patch_ui_state", arguments: { instance_name: "page", patches: [call] } });
  store.apply({ instance_name: "page", patches: [{ op: "set", path: "state.params.s2", value: [7] }] });
  decide();
  assert.equal((await running).status, "pending");
  assert.deepEqual(store.get("page", "state.params.s2"), [7]);
});

test("a file that has changed since the policy saw it is not written", async () => {
  for (const files of [Workspace.memory({ "a.txt": "one\n" }), slowHost(new Map([["a.txt", "one\n"]]))]) {
    const seen = [];
    const agent = agentTools({
      files,
      async approve({ before }) {
        seen.push(before);
        if (seen.length === 1) await files.execute({ tool: "write_file", path: "a.txt", content: "theirs\n" });
        return false;
      },
    });
    const write = { name: "write_file", arguments: { path: "a.txt", content: "mine\n" } };
    assert.equal((await agent.execute(write)).error.code, "FILE_CHANGED");
    assert.equal((await agent.execute(write)).status, "success");
    assert.deepEqual(seen, ["one\n", "theirs\n"]);
    assert.equal(await files.read("a.txt"), "mine\n");
  }
});

test("a call without a target is refused before a policy is asked", async () => {
  const asked = [];
  const { agent } = parts({ approve: ({ target }) => void asked.push(target) });
  for (const args of [
    {},
    { instance_name: "__CREATE__" },
    { instance_name: "page", instanceId: "other" },
    { instance_name: "__DELETE__" },
  ])
    assert.equal((await agent.execute({ name: "patch_ui_state", arguments: args })).status, "error");
  assert.equal((await agent.execute({ name: "updateNode", arguments: { newData: {} } })).status, "error");
  assert.equal((await agent.execute({ name: "write_file", arguments: { content: "" } })).status, "error");
  assert.deepEqual(asked, []);
});

test("changes carry the agent's author, and those of a turn one group", async () => {
  const { agent, store } = parts({ author: { kind: "agent", id: "writer" } });
  const events = [];
  store.subscribe(({ type, author }) => void events.push([type, author.kind, author.id]));
  await agent.execute(set("state.params.s", "a"));
  assert.deepEqual(events, [["change", "agent", "writer"]]);
  const result = await agent.turn(async (group) => {
    assert.match(group, /^turn-/);
    await agent.execute(set("state.params.s", "b"));
    return agent.turn((inner) => inner === group);
  });
  assert.equal(result, true);
  assert.throws(() =>
    agent.turn(() => {
      throw new Error("no");
    }),
  );
  const groups = [agent.turn((group) => group), agent.turn((group) => group)];
  assert.notEqual(...groups);
  assert.equal(agentTools({ store, approve: "always" }).calls().length, 0);
});

const read = (args) => ({ name: "read_file", arguments: args });
const list = (args = {}) => ({ name: "list_files", arguments: args });

test("an agent reads pages of lines, and lists files with their sizes", async () => {
  const lines = Array.from({ length: 2_500 }, (_, index) => `line ${index + 1}\n`);
  const texts = { "src/long.txt": lines.join(""), "src/é.txt": "é", "b.txt": "", "c.txt": "no end\nof line" };
  const policy = { denies: ["*.env"] };
  const host = new Map([...Object.entries(texts), ["secret.env", "key"]]);
  for (const files of [Workspace.memory(texts, { policy }), Workspace.custom(hostOf(host), { policy })]) {
    const agent = agentTools({ files, approve: "always" });
    const answer = async (call) => (await agent.execute(call)).result;
    assert.deepEqual(await answer(read({ path: "./src/../c.txt" })), {
      status: "success",
      path: "c.txt",
      content: "no end\nof line",
      offset: 1,
      lines: 2,
      total_lines: 2,
      size: 14,
    });
    const first = await answer(read({ path: "src/long.txt" }));
    assert.deepEqual([first.lines, first.total_lines, first.next_offset], [2_000, 2_500, 2_001]);
    const second = await answer(read({ path: "src/long.txt", offset: first.next_offset }));
    assert.deepEqual([second.lines, second.next_offset], [500, undefined]);
    assert.equal(first.content + second.content, texts["src/long.txt"]);
    const some = await answer(read({ path: "src/long.txt", offset: 3, limit: 2 }));
    assert.deepEqual([some.content, some.next_offset], ["line 3\nline 4\n", 5]);
    assert.deepEqual((await answer(read({ path: "b.txt" }))).total_lines, 0);
    const all = await answer(list());
    assert.deepEqual(
      all.files.map(({ path, size }) => [path, size]),
      [
        ["b.txt", 0],
        ["c.txt", 14],
        ["src/long.txt", texts["src/long.txt"].length],
        ["src/é.txt", 2],
      ],
    );
    assert.equal(all.total, 4);
    const page = await answer(list({ offset: 2, limit: 1 }));
    assert.deepEqual([page.files[0].path, page.next_offset], ["c.txt", 3]);
    assert.deepEqual(
      (await answer(list({ directory: "src/" }))).files.map(({ path }) => path),
      ["src/long.txt", "src/é.txt"],
    );
    assert.deepEqual((await answer(list({ directory: "none" }))).files, []);
    for (const [call, code] of [
      [read({}), "MISSING_PATH"],
      [read({ path: "../x" }), "UNSAFE_PATH"],
      [read({ path: "secret.env" }), "UNSAFE_PATH"],
      [read({ path: "none.txt" }), "NOT_FOUND"],
      [read({ path: "c.txt", offset: 3 }), "INVALID_FIELD"],
      [read({ path: "c.txt", offset: 0 }), "INVALID_FIELD"],
      [read({ path: "c.txt", limit: 1.5 }), "INVALID_FIELD"],
      [list({ directory: "../" }), "UNSAFE_PATH"],
      [list({ directory: 7 }), "INVALID_FIELD"],
      [{ name: "read_file", arguments: "[]" }, "INVALID_JSON"],
    ]) {
      const { error } = await agent.execute(call);
      assert.equal(error.code, code, JSON.stringify(call));
      assert.ok(error.message && error.solution);
    }
  }
});

const hostOf = (texts) => ({
  read: (path) => texts.get(path) ?? null,
  write: (path, text) => void texts.set(path, text),
  remove: (path) => void texts.delete(path),
  list: () => [...texts.keys()],
});

test("files that are too large or binary are refused with the reason", async () => {
  const texts = { "big.txt": "x".repeat(300), "line.txt": `${"y".repeat(100_001)}\nz`, "bin.dat": "a\0b" };
  const small = agentTools({ files: Workspace.memory(texts, { limits: { maxBlockBytes: 200 } }) });
  const large = await small.execute(read({ path: "big.txt" }));
  assert.equal(large.error.code, "LIMIT_EXCEEDED");
  assert.match(large.error.message, /300 bytes; at most 200/);
  const agent = agentTools({ files: Workspace.memory(texts) });
  assert.equal((await agent.execute(read({ path: "bin.dat" }))).error.code, "NOT_TEXT");
  assert.match((await agent.execute(read({ path: "line.txt" }))).error.message, /Line 1 .* alone/);
  assert.equal((await agent.execute(read({ path: "line.txt", offset: 2 }))).result.content, "z");
  const blind = agentTools({ files: Workspace.memory(texts), read: false });
  assert.equal((await blind.execute(list())).error.code, "UNKNOWN_TOOL");
});

test("a file is read after the calls for it that have begun", async () => {
  const files = slowHost(new Map());
  const agent = agentTools({ files });
  const write = agent.execute({ name: "write_file", arguments: { path: "a.txt", content: "new" } });
  const { result } = await agent.execute(read({ path: "a.txt" }));
  assert.equal(result.content, "new");
  assert.equal((await write).status, "success");
});

test("a reply to a call of 500 tokens has a median of at most 120, and echoes nothing of it", async (context) => {
  const tokens = (value) => encode(typeof value === "string" ? value : JSON.stringify(value)).length;
  const words = (count) => Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
  const blocks = (count) =>
    Array.from({ length: count }, (_, index) => ({
      op: "set",
      path: `state.params.key${index}`,
      value: `A value of some length, number ${index}, as models write them`,
    }));
  const calls = [
    { name: "patch_ui_state", arguments: { instance_name: "page", patches: blocks(18) } },
    {
      name: "patch_ui_state",
      arguments: {
        instance_name: "page",
        patches: blocks(18).map((patch, index) => ({
          ...patch,
          condition: index % 2 ? "state.params.n > 100" : "true",
        })),
      },
    },
    {
      name: "patch_ui_state",
      arguments: { instance_name: "__CREATE__", new_instance_name: "crm", patches: blocks(18) },
    },
    {
      name: "patch_ui_state",
      arguments: { instance_name: "page", patches: [...blocks(17), { op: "remove", path: "blocks.99" }] },
    },
    { name: "write_file", arguments: { path: "src/b.ts", content: words(200) } },
    edit("src/b.ts", words(110), words(120)),
    { name: "updateNode", arguments: { taskId: "t", nodeId: "n", newData: { title: words(200) } } },
  ];
  const replies = [];
  for (const approve of ["never", "always"]) {
    const { agent } = parts({ approve });
    for (const call of calls) {
      const asked = tokens(call);
      assert.ok(asked > 400 && asked < 800, `${call.name}: ${asked} tokens`);
      const result = await agent.execute({ id: "c1", ...call });
      const { content } = agent.reply(result, "openai");
      replies.push(tokens(content));
      assert.ok(!/A value of some length|word50/.test(content), content);
      for (const format of ["gemini", "mcp", "ai-sdk", "text"])
        assert.ok(!/A value of some length|word50/.test(JSON.stringify(agent.reply(result, format))), format);
    }
  }
  const sorted = replies.sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  context.diagnostic(`median ${median} tokens of ${sorted.join(" ")}`);
  assert.ok(median <= 120, `median ${median} of ${sorted.join(" ")}`);
});

test("Gemini's calls in parts give the same call as whole ones, however they are cut", () => {
  const args = {
    path: "a b.txt",
    content: 'é "x"\n',
    more: { list: [1, { a: true }, null], "odd key": "v", end: -2.5 },
  };
  const parts = [
    ["$.path", { stringValue: "a b" }, true],
    ["$.path", { stringValue: ".txt" }],
    ["$.content", { stringValue: "é " }, true],
    ["$.content", { stringValue: '"x"' }, true],
    ["$.content", { stringValue: "\n" }],
    ["$.more.list[0]", { numberValue: 1 }],
    ["$.more.list[1].a", { boolValue: true }],
    ["$.more.list[2]", { nullValue: "NULL_VALUE" }],
    ["$.more['odd key']", { stringValue: "v" }],
    ["$.more.end", { numberValue: -2.5 }],
  ].map(([jsonPath, value, willContinue]) => ({ jsonPath, ...value, ...(willContinue && { willContinue }) }));
  const chunk = (functionCall) => ({ candidates: [{ content: { parts: [{ functionCall }] } }] });
  const run = (chunks) => {
    const stream = new NativeCallStream({ format: "gemini", tools: [{ name: "note", fields: {} }] });
    const events = [...chunks.flatMap((each) => stream.push(each)), ...stream.end()];
    stream.dispose();
    return events.filter(({ type }) => type === "json-tool-block");
  };
  for (let size = 1; size <= parts.length; size++) {
    const pieces = [];
    for (let at = 0; at < parts.length; at += size)
      pieces.push(chunk({ partialArgs: parts.slice(at, at + size), willContinue: true }));
    const [block, ...rest] = run([chunk({ name: "note", id: "c1", willContinue: true }), ...pieces, chunk({})]);
    const { args: found } = block.call;
    assert.deepEqual([found, block.toolId, rest], [args, "c1", []]);
  }
  // Without an end, or with a value for a place that is closed, the call is cut off.
  const first = chunk({ name: "note", willContinue: true });
  for (const values of [
    parts.slice(0, 3),
    [parts[5], parts[9], { jsonPath: "$.more.list[1]", numberValue: 2 }],
    [parts[1], parts[1]],
    [{ jsonPath: "$..path", stringValue: "x" }],
    [{ jsonPath: "$.list[1]", numberValue: 1 }],
  ]) {
    const [block] = run([first, chunk({ partialArgs: values, willContinue: true })]);
    assert.deepEqual([block.status, block.call], ["truncated", undefined], JSON.stringify(values));
  }
  const [empty] = run([first, chunk({})]);
  assert.deepEqual(empty.call.args, {});
});

test("native calls of MCP requests, and none in chat text", () => {
  const tools = [{ name: "note", fields: {} }];
  const mcp = new NativeCallStream({ format: "mcp", tools });
  const request = (method) => ({ jsonrpc: "2.0", id: 3, method, params: { name: "note", arguments: { a: 1 } } });
  const [event] = mcp.push(request("tools/call")).filter(({ type }) => type === "json-tool-block");
  assert.deepEqual([event.toolId, event.call.args], ["3", { a: 1 }]);
  assert.deepEqual(mcp.push(request("prompts/get")), []);
  const text = new NativeCallStream({ format: "text", tools });
  assert.deepEqual([text.push({ text: "x" }), text.end()], [[], []]);
});
