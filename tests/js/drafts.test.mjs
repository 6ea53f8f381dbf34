// A page that is rendered while its call is still arriving: the provisional states, and that no wrong part of them remains.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { agentTools, NativeCallStream, PatchStore, runAgent, ToolBlockStream, ToolCallStream } from "genui-patch";
import { scriptedModel } from "genui-patch/testing";
import { random } from "../support/random.mjs";

const table = JSON.parse(readFileSync(new URL("../fixtures/patch.json", import.meta.url), "utf8"));
const page = table.documents.page;
const form = (id) => ({ op: "add", path: "blocks+", value: { id, type: "form", props: { fields: [] } } });
const set = (path, value) => ({ op: "set", path, value });
const block = (call) => `\`\`\`json\n${JSON.stringify({ tool: "patch_ui_state", ...call })}\n\`\`\`\n`;
const options = (agent) => ({ tools: agent.blocks, patches: true });
const user = (name, path, value) => ({ instance_name: name, patches: [set(path, value)] });

function setUp(settings = {}) {
  const store = new PatchStore();
  store.load("page", page);
  const agent = agentTools({ store, ...settings });
  return { store, agent };
}

const patchesOf = (stream, text) =>
  [...text].flatMap((char) => stream.push(char)).filter(({ type }) => type === "json-tool-patch");

test("each patch is reported when its closing brace arrives, and no other event changes", () => {
  const { agent } = setUp();
  const call = { instance_name: "page", patches: [form("x"), set("state.params.a", { b: ["}", "{"] })] };
  const text = block(call);
  const stream = new ToolBlockStream(options(agent));
  const seen = [];
  for (let at = 0; at < text.length; at++) {
    for (const event of stream.push(text[at])) {
      if (event.type !== "json-tool-patch") continue;
      assert.equal(text[at], "}");
      seen.push(event);
    }
  }
  assert.deepEqual(
    seen.map(({ patch }) => patch),
    call.patches,
  );
  assert.deepEqual(
    seen.map(({ patchIndex, index, toolId, toolType }) => [patchIndex, index, toolId, toolType]),
    [
      [0, 0, "tool_1", "patch_ui_state"],
      [1, 0, "tool_1", "patch_ui_state"],
    ],
  );
  assert.deepEqual(seen[0].call, { tool: "patch_ui_state", instance_name: "page" });
  const others = (events) => events.filter(({ type }) => type !== "json-tool-patch");
  const [with_, without] = [options(agent), { tools: agent.blocks }].map((given) => {
    const stream = new ToolBlockStream(given);
    return [...stream.push(text), ...stream.end()];
  });
  assert.deepEqual(others(with_), without);
});

for (const [title, text, count] of [
  [
    "the name after the patches",
    '{"tool":"patch_ui_state","patches":[{"op":"set","path":"state.params.a","value":1}],"instance_name":"page"}',
    1,
  ],
  [
    "the tool last",
    '{"instance_name":"page","patches":[{"op":"set","path":"state.params.a","value":1}],"tool":"patch_ui_state"}',
    1,
  ],
  [
    "an envelope",
    '{"name":"patch_ui_state","arguments":{"instance_name":"page","patches":[{"op":"set","path":"state.params.a","value":1}]}}',
    1,
  ],
  [
    "a call that creates",
    '{"tool":"patch_ui_state","instance_name":"__CREATE__","new_instance_name":"new","patches":[{"op":"set","path":"state.params.a","value":1},{"op":"set","path":"state.params.b","value":1}]}',
    2,
  ],
  [
    "a call that creates, before its name is known",
    '{"tool":"patch_ui_state","instance_name":"__CREATE__","patches":[{"op":"set","path":"state.params.a","value":1}]',
    0,
  ],
  [
    "a call that deletes",
    '{"tool":"patch_ui_state","instance_name":"__DELETE__","target_instance_name":"page","patches":[{"op":"delete"}]}',
    0,
  ],
  [
    "patches inside of a patch",
    '{"tool":"patch_ui_state","instance_name":"page","patches":[{"op":"set","path":"state.params.a","value":{"patches":[{"op":"x"}]}}]}',
    1,
  ],
  [
    "after a fault nothing more",
    '{"tool":"patch_ui_state","instance_name":"page","patches":[{"op":"set","path":"state.params.a","value":1},{"op":\'set\',"path":"state.params.b","value":1}]}',
    1,
  ],
]) {
  test(`events of patches: ${title}`, () => {
    const { agent } = setUp();
    const fenced = patchesOf(new ToolBlockStream(options(agent)), `\`\`\`json\n${text}`);
    assert.equal(fenced.length, count, JSON.stringify(fenced));
    // Every split gives the same result.
    const stream = new ToolBlockStream(options(agent));
    const whole = stream.push(`\`\`\`json\n${text}`).filter(({ type }) => type === "json-tool-patch");
    assert.deepEqual(fenced, whole);
  });
}

test("native calls report their patches too", () => {
  const { agent } = setUp();
  const args = JSON.stringify({ instance_name: "page", patches: [form("x"), set("state.params.a", 1)] });
  const call = new ToolCallStream({ ...options(agent), tool: "patch_ui_state", toolId: "call_7" });
  assert.deepEqual(
    patchesOf(call, args).map(({ toolId, patchIndex }) => [toolId, patchIndex]),
    [
      ["call_7", 0],
      ["call_7", 1],
    ],
  );
  const native = new NativeCallStream({ ...options(agent), format: "anthropic" });
  const chunks = [
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "tool_use", id: "t1", name: "patch_ui_state", input: {} },
    },
    ...[...args].map((partial_json) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json },
    })),
  ];
  const events = chunks.flatMap((chunk) => native.push(chunk)).filter(({ type }) => type === "json-tool-patch");
  assert.deepEqual(
    events.map(({ toolId, patchIndex }) => [toolId, patchIndex]),
    [
      ["t1", 0],
      ["t1", 1],
    ],
  );
});

test("a page builds itself, marked as a draft, and becomes the call in one change", async () => {
  const { store, agent } = setUp();
  const call = {
    instance_name: "__CREATE__",
    new_instance_name: "crm",
    patches: [form("a"), form("b"), set("state.params.x", 1)],
  };
  const stream = new ToolBlockStream(options(agent));
  const steps = [];
  for (const char of block(call)) {
    for (const event of stream.push(char)) {
      assert.deepEqual(event.type === "json-tool-block" ? [] : await agent.executeBlock(event), []);
      if (event.type === "json-tool-patch") {
        steps.push(store.snapshot("crm").blocks.length);
        assert.deepEqual(store.drafts(), ["crm"]);
        assert.equal(store.confirmed("crm"), undefined);
        assert.deepEqual(store.pending(), [], "nothing of a draft is sent");
        assert.ok(!store.save().includes("crm"), "nothing of a draft is saved");
      }
      if (event.type !== "json-tool-block") continue;
      const before = store.snapshot("crm");
      const events = [];
      const end = store.subscribe((event) => events.push(event));
      const [result] = await agent.executeBlock(event);
      end();
      assert.equal(result.status, "success");
      assert.equal(result.result.message, 'Created the instance "crm" with 3 patches.');
      assert.equal(store.snapshot("crm"), before, "what was shown already keeps its identity");
      assert.deepEqual(store.drafts(), []);
      assert.equal(events.filter(({ type }) => type === "delete").length, 0);
    }
  }
  assert.deepEqual(steps, [1, 2, 2]);
  assert.equal(store.confirmed("crm"), store.snapshot("crm"));
});

for (const [title, rest, end] of [
  ["cut off", '"patches":[{"op":"set","path":"state.params.a","value":1},{"op":"set"', ""],
  ["broken beyond repair", '"patches":[{"op":"set","path":"state.params.a","value":1},{"op" "set" 7 ]]]}', "\n```\n"],
  [
    "refused",
    '"patches":[{"op":"set","path":"state.params.a","value":1},{"op":"set","path":"blocks[\\"none\\"].title","value":1}]}',
    "\n```\n",
  ],
]) {
  test(`a call that is ${title} leaves nothing of its draft`, async () => {
    const { store, agent } = setUp();
    const saved = store.save();
    const snapshot = store.snapshot("page");
    const stream = new ToolBlockStream(options(agent));
    let shown = false;
    for (const event of [
      ...stream.push(`\`\`\`json\n{"tool":"patch_ui_state","instance_name":"page",${rest}${end}`),
      ...stream.end(),
    ]) {
      const results = await agent.executeBlock(event);
      shown ||= store.get("page", "state.params.a") === 1;
      for (const result of results) assert.equal(result.status, "error");
    }
    assert.ok(shown);
    assert.deepEqual(store.snapshot("page"), snapshot);
    assert.deepEqual(store.drafts(), []);
    assert.equal(PatchStore.restore(saved).snapshot("page").toString(), store.snapshot("page").toString());
  });
}

test("a draft that is discarded is its author's change, however many calls were confirmed since", () => {
  const store = new PatchStore({ limits: { maxPending: 2 } });
  store.load("page", page);
  store.load("other", page);
  const author = { kind: "agent", id: "helper" };
  const draft = store.draft({ instance_name: "page", patches: [set("state.params.a", 1)] }, { author });
  for (let value = 0; value < 10; value++)
    store.confirm(store.applyOptimistic({ instance_name: "other", patches: [set("state.params.x", value)] }).pendingId);
  const authors = [];
  store.subscribe((event) => authors.push(event.author));
  draft.discard();
  assert.deepEqual(authors, [author, author]);
});

test("a change that a policy makes itself does not take the place of the call's draft", async () => {
  const call = block({ instance_name: "page", patches: [set("state.params.a", 1)] });
  for (const isProposed of [false, true]) {
    const policy = () => {
      assert.equal(store.apply(user("page", "state.params.z", 2)).status, "success");
      return isProposed;
    };
    const { store, agent } = setUp({ approve: policy, drafts: () => true });
    const stream = new ToolBlockStream(options(agent));
    for (const event of [...stream.push(call), ...stream.end()]) await agent.executeBlock(event);
    const pathsBy = (kind) =>
      store
        .history("page")
        .filter(({ author }) => author.kind === kind)
        .flatMap(({ changes }) => changes.map(({ path }) => path.join(".")));
    assert.deepEqual(pathsBy("user"), ["state.params.z"]);
    assert.deepEqual(pathsBy("agent"), isProposed ? [] : ["state.params.a"]);
    assert.deepEqual([store.get("page", "state.params.a"), store.drafts()], [isProposed ? undefined : 1, []]);
    assert.equal(store.undo("page", { author: "user" }).status, "success");
    assert.equal(store.get("page", "state.params.z"), undefined);
  }
});

test("a call that needs approval is not shown before it", async () => {
  const call = block({ instance_name: "page", patches: [set("state.params.a", 1)] });
  for (const [settings, shows] of [
    [{ approve: "never" }, true],
    [{ approve: "never", drafts: false }, false],
    [{ approve: "always" }, false],
    [{ approve: "always", drafts: true }, false],
    [{ approve: () => false }, false],
    [{ approve: () => false, drafts: (tool, target) => tool === "patch_ui_state" && target === "page" }, true],
    [{ approve: () => false, drafts: () => false }, false],
  ]) {
    const { store, agent } = setUp(settings);
    const stream = new ToolBlockStream(options(agent));
    for (const event of stream.push(call.slice(0, -6))) await agent.executeBlock(event);
    assert.equal(store.drafts().length === 1, shows, JSON.stringify(settings));
    for (const event of [...stream.push(call.slice(-6)), ...stream.end()]) await agent.executeBlock(event);
    assert.deepEqual(store.drafts(), []);
  }
});

test("an aborted signal discards the draft", async () => {
  const { store, agent } = setUp();
  const abort = new AbortController();
  const stream = new ToolBlockStream(options(agent));
  const call = block({ instance_name: "page", patches: [set("state.params.a", 1), set("state.params.b", 1)] });
  for (const event of stream.push(call.slice(0, -20))) await agent.executeBlock(event, { signal: abort.signal });
  assert.deepEqual(store.drafts(), ["page"]);
  const before = store.confirmed("page");
  abort.abort();
  assert.deepEqual(store.drafts(), []);
  assert.deepEqual(store.confirmed("page"), before);
  assert.deepEqual(store.snapshot("page"), before);
});

test("runAgent shows drafts, and leaves none when the stream fails or is aborted", async () => {
  const call = {
    name: "patch_ui_state",
    arguments: { instance_name: "page", patches: [set("state.params.a", 1), set("state.params.b", 2)] },
  };
  for (const how of ["whole", "error", "abort", "cut"]) {
    const { store, agent } = setUp();
    const abort = new AbortController();
    const args = JSON.stringify(call.arguments);
    const broken = { ...call, arguments: args.slice(0, -5) };
    const turn = {
      whole: { calls: [call] },
      error: { calls: [broken], error: "lost" },
      abort: { calls: [call] },
      cut: { calls: [broken], isCut: true },
    }[how];
    let drafts = 0;
    store.subscribe(() => {
      drafts += store.drafts().length;
    });
    const onEvent = ({ type }) => {
      if (how === "abort" && type === "json-tool-patch" && store.drafts().length > 0) abort.abort();
    };
    const send = scriptedModel([turn, "Done."], { pieceLength: 5 });
    await runAgent({
      agent,
      messages: [{ role: "user", content: "Go" }],
      send,
      onEvent,
      signal: abort.signal,
      onRetry: () => false,
    });
    assert.ok(drafts > 0, how);
    assert.deepEqual(store.drafts(), [], how);
    assert.equal(store.get("page", "state.params.a"), how === "whole" ? 1 : page.state.params.a, how);
  }
});

test("a proposal on the page does not become stale by a draft", () => {
  const { store } = setUp();
  const proposal = store.propose(user("page", "state.params.a", "proposed"));
  const draft = store.draft({ instance_name: "page" });
  draft.add(set("state.params.a", "draft"));
  assert.equal(store.proposals()[0].status, "pending");
  draft.discard();
  assert.equal(store.approve(proposal.id).status, "success");
  assert.equal(store.get("page", "state.params.a"), "proposed");
});

test("a draft on an instance that does not exist answers why, and commits nothing", () => {
  const { store } = setUp();
  const draft = store.draft({ instance_name: "pge", patches: [set("state.params.a", 1)] });
  assert.equal(draft.isOpen, false);
  assert.equal(draft.add(set("state.params.a", 1)).error.code, "INVALID_INSTANCE");
  assert.equal(draft.commit().error.code, "INVALID_INSTANCE");
  assert.equal(draft.discard().status, "error");
});

// The calls of the fixtures about the page, and random ones.
const calls = table.rows
  .filter((row) => Array.isArray(row.patches) && (row.document ?? "page") === "page")
  .map(({ patches }) => patches);

function randomPatches(rng) {
  const paths = ["state.params.a", "state.params.list", "state.params.o.x", "blocks.0.title", "state.runtime.n"];
  const values = [1, "x", [1, 2], { y: 1 }, null, true];
  return Array.from({ length: 1 + rng.below(4) }, () => {
    const [path, value] = [paths[rng.below(paths.length)], values[rng.below(values.length)]];
    return [
      set(path, value),
      { op: "increment", path: "state.params.count" },
      form(`r${rng.below(9)}`),
      { op: "merge", path: "state.params", value: { a: value } },
      { op: "add", path: "state.params.list", value },
      { op: "remove", path },
    ][rng.below(6)];
  });
}

/** A user's edit between two patches, pending or confirmed. */
function userEdits(rng) {
  const value = `user ${rng.below(100)}`;
  return user(
    "page",
    ["state.params.a", "state.params.mine", "blocks.0.title", "state.runtime.n"][rng.below(4)],
    value,
  );
}

test("draft then commit is the call as if it had been applied when the draft opened, with the user's edits on top", () => {
  const rng = random(7);
  for (let round = 0; round < 2000; round++) {
    const patches = round < calls.length ? calls[round] : randomPatches(rng);
    const call = { instance_name: "page", patches };
    const { store } = setUp();
    const other = new PatchStore();
    other.load("page", page);
    const now = other.apply(call);
    let isEdited = false;
    const draft = store.draft({ instance_name: "page" });
    for (const patch of patches) {
      draft.add(patch);
      if (rng.below(2) === 0) continue;
      const edit = userEdits(rng);
      isEdited = true;
      store.applyOptimistic(edit);
      other.applyOptimistic(edit);
    }
    const result = draft.commit(call);
    assert.equal(result.status, now.status, JSON.stringify(call));
    if (now.status === "error") assert.deepEqual(result.error, now.error);
    else assert.deepEqual([result.applied, result.changes], [now.applied, now.changes]);
    assert.deepEqual(store.confirmed("page"), other.confirmed("page"), JSON.stringify(call));
    assert.deepEqual(store.drafts(), []);
    // An edit that only the draft has room for is a conflict in one of the stores; otherwise both show the same.
    if (store.pending("page").length === other.pending("page").length)
      assert.deepEqual(store.snapshot("page"), other.snapshot("page"), JSON.stringify(call));
    // The undo of the call brings the page back, where the user has edited nothing of it.
    if (now.status === "error" || now.changes.length === 0 || isEdited) continue;
    const after = store.snapshot("page");
    assert.equal(store.history("page").length, 1);
    assert.equal(store.undo("page", { author: "agent" }).status, "success", JSON.stringify(call));
    assert.deepEqual(store.snapshot("page"), page, JSON.stringify(call));
    assert.equal(store.redo("page", { author: "agent" }).status, "success", JSON.stringify(call));
    assert.deepEqual(store.snapshot("page"), after, JSON.stringify(call));
  }
});

test("draft then discard leaves the document byte for byte, and the user's edits that still apply", () => {
  const rng = random(11);
  for (let round = 0; round < 2000; round++) {
    const patches = round < calls.length ? calls[round] : randomPatches(rng);
    const { store } = setUp();
    const saved = store.save();
    const draft = store.draft({ instance_name: "page" });
    const edits = [];
    const lost = new Set();
    const lose = ({ conflicts = [] }) => conflicts.forEach(({ pendingId }) => void lost.add(pendingId));
    for (const patch of patches) {
      lose(draft.add(patch));
      if (round % 2 === 0 || rng.below(2) === 0) continue;
      const { pendingId } = store.applyOptimistic(userEdits(rng));
      if (pendingId !== undefined && !edits.includes(pendingId)) edits.push(pendingId);
    }
    lose(draft.discard());
    const left = store.pending("page").map(({ pendingId }) => pendingId);
    for (const id of edits) assert.ok(left.includes(id) || lost.has(id), "an edit of the user is kept or reported");
    for (const id of left) store.reject(id);
    const document = (text) => JSON.stringify(JSON.parse(text).instances.map(({ document }) => document));
    assert.equal(document(store.save()), document(saved));
  }
});

test("what a user types into an instance that a draft creates, or into a block that it adds, outlives the draft", async () => {
  const field = (id) => ({
    op: "add",
    path: "blocks+",
    value: { id, type: "form", props: { fields: [{ key: "who", label: "Who", type: "text" }] } },
  });
  for (const call of [
    { instance_name: "__CREATE__", new_instance_name: "trip", patches: [field("a")] },
    { instance_name: "page", patches: [field("a")] },
  ]) {
    const name = call.new_instance_name ?? call.instance_name;
    const edits = (store) => {
      assert.equal(store.setField(name, "a", "who", "Ada", { optimistic: true }).status, "success");
      const title = { instance_name: name, patches: [set('blocks["a"].title', "Mine")] };
      assert.equal(store.applyOptimistic(title).status, "success");
    };
    const check = (store) => {
      assert.equal(store.get(name, "state.params.who"), "Ada");
      assert.equal(store.get(name, 'blocks["a"].title'), "Mine");
      assert.equal(store.pending().length, 2);
    };
    const { store } = setUp();
    const draft = store.draft({ ...call, patches: [] });
    for (const patch of call.patches) draft.add(patch);
    edits(store);
    draft.commit();
    check(store);

    const other = setUp();
    const stream = new ToolBlockStream(options(other.agent));
    let isTyped = false;
    for (const char of block(call)) {
      for (const event of stream.push(char)) {
        await other.agent.executeBlock(event);
        if (event.type !== "json-tool-patch") continue;
        edits(other.store);
        isTyped = true;
      }
    }
    for (const event of stream.end()) await other.agent.executeBlock(event);
    assert.ok(isTyped);
    check(other.store);
  }
});

test("what a user types into what only a draft has is stored with the draft's call, and not left pending", async () => {
  const field = {
    op: "add",
    path: "blocks+",
    value: {
      id: "deal",
      type: "form",
      bind: "state.params.deal",
      props: { fields: [{ key: "rate", label: "Rate", type: "number" }] },
    },
  };
  const create = { instance_name: "__CREATE__", new_instance_name: "trip" };
  const type = (store, name) => {
    for (const text of ["1", "1.0", "1.05"]) assert.equal(store.setField(name, "deal", "rate", text).status, "success");
    assert.equal(store.get(name, "state.params.deal.rate"), 1.05);
  };
  for (const opening of [create, { instance_name: "page" }]) {
    const name = opening.new_instance_name ?? opening.instance_name;
    const { store } = setUp();
    const [draft, second] = [store.draft(opening), store.draft({ instance_name: "page" })];
    draft.add(field);
    type(store, name);
    assert.equal(draft.commit().status, "success");
    second.discard();
    assert.equal(store.confirmed(name).state.params.deal.rate, 1.05);
    assert.deepEqual(store.pending(), []);
    // Undo removes the user's typed values; the agent's block stays.
    while (store.canUndo(name, { author: "user" }))
      assert.equal(store.undo(name, { author: "user" }).status, "success");
    assert.equal(store.get(name, "state.params.deal"), undefined);
    assert.equal(store.get(name, 'blocks["deal"].type'), "form");

    const { store: other, agent } = setUp();
    const stream = new ToolBlockStream(options(agent));
    let typed = 0;
    for (const char of block({ ...opening, patches: [field] })) {
      for (const event of stream.push(char)) {
        await agent.executeBlock(event);
        if (event.type !== "json-tool-patch") continue;
        type(other, name);
        typed++;
      }
    }
    for (const event of stream.end()) await agent.executeBlock(event);
    assert.equal(typed, 1);
    assert.equal(other.confirmed(name).state.params.deal.rate, 1.05);
    assert.deepEqual(other.pending(), []);
  }
});

test("a user's later edit is shown over an edit that waits for a draft, in either spelling of the call's keys", () => {
  for (const name of [{ instance_name: "page" }, { instanceId: "page" }]) {
    const { store } = setUp();
    const draft = store.draft({ instance_name: "page" });
    draft.add(form("later"));
    store.apply(user("page", 'blocks["later"].title', "Later"));
    store.apply(user("page", "state.params.name", "Ann"));
    store.apply({ ...name, patches: [set("state.params.name", "Bob")] });
    assert.equal(store.get("page", "state.params.name"), "Bob");
    draft.commit();
    assert.equal(store.confirmed("page").state.params.name, "Bob");
  }
});

test("a draft that is discarded takes with it what the user typed into an instance that it would have created", () => {
  const { store } = setUp();
  const draft = store.draft({ instance_name: "__CREATE__", new_instance_name: "trip", patches: [form("a")] });
  assert.equal(store.setString("trip", "state.params.name", "Ann").status, "success");
  draft.discard();
  assert.deepEqual([store.names(), store.pending()], [["page"], []]);
  // The name is free again: nothing of the draft is applied to another instance of that name.
  store.apply({ instance_name: "__CREATE__", new_instance_name: "trip" });
  assert.deepEqual(store.get("trip", "state.params"), {});
});

test("an agent's call does not reach an instance that only another call's draft has", () => {
  const { store } = setUp();
  store.draft({ instance_name: "__CREATE__", new_instance_name: "trip" });
  const result = store.callTool("patch_ui_state", user("trip", "state.params.a", 1));
  assert.equal(result.error.code, "INVALID_INSTANCE");
  assert.deepEqual(store.get("trip", "state.params"), {});
});

const BY_USER = { author: "user" };
const deal = {
  op: "add",
  path: "blocks+",
  value: {
    id: "deal",
    type: "form",
    bind: "state.params.deal",
    props: {
      fields: [
        { key: "rate", label: "Rate", type: "number" },
        { key: "who", label: "Who", type: "text" },
      ],
    },
  },
};
const creation = { instance_name: "__CREATE__", new_instance_name: "trip" };

/** A store with a draft that creates "trip", in whose form the user types into two fields. */
function typedOverDraft() {
  const { store } = setUp();
  const draft = store.draft({ ...creation, patches: [deal] });
  for (const text of ["1", "1.0", "1.05"]) store.setField("trip", "deal", "rate", text);
  draft.add(set("state.params.more", true));
  for (const text of ["A", "An", "Ann"]) store.setField("trip", "deal", "who", text);
  return { store, draft };
}

test("undo over a draft, and after its commit: typing in each field is one group, and its id stays", () => {
  for (const isCommitted of [false, true]) {
    const { store, draft } = typedOverDraft();
    const own = () => store.history("trip").filter(({ author }) => author.kind === "user");
    const ids = own().map(({ id }) => id);
    assert.equal(ids.length, 2);
    if (isCommitted) assert.equal(draft.commit().status, "success");
    assert.deepEqual(
      own().map(({ id }) => id),
      ids,
    );
    const seen = [];
    for (const method of ["undo", "undo", "redo", "redo"]) {
      assert.equal(store[method]("trip", BY_USER).status, "success");
      seen.push(store.get("trip", "state.params.deal") ?? null);
      const [back, again] = [store.canUndo("trip", BY_USER), store.canRedo("trip", BY_USER)];
      assert.deepEqual(
        [back, again],
        [
          [true, true],
          [false, true],
          [true, true],
          [true, false],
        ][seen.length - 1],
      );
    }
    assert.deepEqual(seen, [{ rate: 1.05 }, null, { rate: 1.05 }, { rate: 1.05, who: "Ann" }]);
    for (const method of ["undo", "undo"]) store[method]("trip", BY_USER);
    assert.equal(store.undo("trip", BY_USER).error.code, "NOTHING_TO_UNDO");
  }
});

test("a discarded draft takes with it the history of what the user typed into its instance", () => {
  for (const undone of [0, 1, 2]) {
    const { store, draft } = typedOverDraft();
    for (let count = 0; count < undone; count++) store.undo("trip", BY_USER);
    draft.discard();
    assert.deepEqual(store.history("trip"), []);
    assert.deepEqual([store.canUndo("trip"), store.canRedo("trip")], [false, false]);
    assert.equal(store.undo("trip").error.code, "NOTHING_TO_UNDO");
    assert.deepEqual(store.pending(), []);
  }
});

test("what was undone over a draft can be made again after its commit, and is not left pending", () => {
  for (const opening of [creation, { instance_name: "page" }]) {
    const name = opening.new_instance_name ?? opening.instance_name;
    const { store } = setUp();
    const draft = store.draft({ ...opening, patches: [deal] });
    store.setString(name, "state.params.a", "typed");
    store.setString(name, "state.params.b", "typed");
    const before = store.snapshot(name).state.params;
    store.undo(name, BY_USER);
    assert.equal(draft.commit().status, "success");
    assert.deepEqual(store.pending(), []);
    assert.equal(store.confirmed(name), store.snapshot(name));
    assert.notEqual(store.get(name, "state.params.b"), "typed");
    assert.equal(store.redo(name, BY_USER).status, "success");
    assert.deepEqual(store.snapshot(name).state.params, before);
    assert.equal(store.canRedo(name, BY_USER), false);
  }
});

// DRAFT_RUNS=20000 makes more runs, DRAFT_SEED=5000 others.
const RUNS = Number(process.env.DRAFT_RUNS ?? 300);
const FIRST = Number(process.env.DRAFT_SEED ?? 1);

test("what a user types and undoes while drafts of other places grow and end is never a conflict", () => {
  for (let seed = FIRST; seed < FIRST + RUNS; seed++) {
    const rng = random(seed);
    const { store } = setUp();
    const name = rng.below(3) > 0 ? "trip" : "page";
    const rows = set("state.params.own", [{ id: "a1" }, { id: "a2" }]);
    if (name === "page") store.apply({ instance_name: name, patches: [rows] }, { author: { kind: "server" } });
    const open = () => {
      const opening = store.names().includes(name) ? { instance_name: name } : creation;
      const first = store.get(name, 'blocks["deal"]') ? [] : name === "page" ? [deal] : [deal, rows];
      const made = store.draft({ ...opening, patches: first });
      assert.ok(made.isOpen);
      return made;
    };
    let draft = open();
    const typed = () => store.get(name, "state.params.deal") ?? {};
    const revert = (method) => {
      const [can, before] = [method === "undo" ? "canUndo" : "canRedo", store.snapshot(name)];
      const isPossible = store[can](name, BY_USER);
      const { status, error } = store[method](name, BY_USER);
      const told = `seed ${seed}: ${method}: ${JSON.stringify(error)}`;
      assert.equal(error?.code, isPossible ? undefined : "NOTHING_TO_UNDO", told);
      if (status === "error") assert.equal(store.snapshot(name), before, told);
      return isPossible;
    };
    for (let count = 5 + rng.below(12); count > 0; count--) {
      const what = rng.below(11);
      const field = ["rate", "who"][rng.below(2)];
      if (what < 3 && store.get(name, 'blocks["deal"]')) {
        // Another value each time: the same one would change nothing.
        const text = String(100 * count + rng.below(99));
        assert.equal(store.setField(name, "deal", field, text).status, "success", `seed ${seed}`);
        assert.equal(String(typed()[field]), text);
        assert.equal(store.canRedo(name, BY_USER), false);
      } else if (what === 3) draft.add(set(`state.params.agent${rng.below(3)}`, count));
      else if (what === 4) draft.add(form(`r${count}`));
      else if (what === 5 && store.names().includes(name)) revert(rng.below(2) ? "undo" : "redo");
      else if (what === 10) {
        const title = { instance_name: name, patches: [set('blocks["deal"].title', `title ${count}`)] };
        assert.equal(store.apply(title).status, "success", `seed ${seed}`);
      } else if (what >= 8) {
        const ids = store.get(name, "state.params.own").map(({ id }) => id);
        const id = ids[rng.below(ids.length)];
        const kind = ids.length === 0 ? 0 : rng.below(4);
        const patch = [
          { op: "add", path: "state.params.own", value: { id: `u${count}` } },
          { op: "add", path: "state.params.own.0", value: { id: `u${count}` } },
          { op: "remove", path: `state.params.own["${id}"]` },
          // The front is the same place, whatever a draft appends.
          { op: "move", path: `state.params.own["${id}"]`, to: 0 },
        ][kind];
        if (what === 9) draft.add({ ...rows, op: "add", value: { id: `b${seed}-${count}` } });
        else assert.equal(store.apply({ instance_name: name, patches: [patch] }).status, "success", `seed ${seed}`);
      } else if (what === 6) {
        // Items that the user added at the end of a list come after those that the draft has added since.
        const sorted = ({ state, ...page }) => ({
          ...page,
          state: { ...state, params: { ...state.params, own: own() } },
        });
        const own = () => store.get(name, "state.params.own").toSorted((a, b) => (a.id < b.id ? -1 : 1));
        const shown = structuredClone(sorted(store.snapshot(name)));
        const [isBack, isAgain] = [store.canUndo(name, BY_USER), store.canRedo(name, BY_USER)];
        const result = draft.commit();
        assert.equal(result.status, "success", `seed ${seed}: ${JSON.stringify(result.error)}`);
        assert.deepEqual(sorted(store.snapshot(name)), shown, `seed ${seed}`);
        assert.deepEqual(store.pending(), [], `seed ${seed}`);
        assert.deepEqual(
          [store.canUndo(name, BY_USER), store.canRedo(name, BY_USER)],
          [isBack, isAgain],
          `seed ${seed}`,
        );
        draft = open();
      } else if (what === 7) {
        draft.discard();
        assert.deepEqual(store.pending(), [], `seed ${seed}`);
        if (!store.names().includes(name)) assert.deepEqual(store.history(name), [], `seed ${seed}`);
        draft = open();
      }
    }
    if (rng.below(2)) draft[rng.below(2) ? "commit" : "discard"]();
    const before = store.snapshot(name);
    let count = 0;
    while (revert("undo")) count += 1;
    assert.deepEqual(typed(), {}, `seed ${seed}`);
    const left = (store.get(name, "state.params.own") ?? []).map(({ id }) => id);
    assert.ok(!left.some((id) => id.startsWith("u")), `seed ${seed}: ${left}`);
    for (; count > 0; count--) assert.ok(revert("redo"));
    assert.deepEqual(store.snapshot(name), before, `seed ${seed}`);
  }
});
