// A call is parsed where it enters: what is serialised and parsed after that is counted, not timed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentTools, FlowStore, PatchStore, ToolBlockStream, Workspace } from "genui-patch";
import { page } from "../support/store.mjs";

/** Counts the calls of JSON.stringify and JSON.parse whose value or text has a marker in it. */
async function countJson(marker, run) {
  const { stringify, parse } = JSON;
  const counts = { stringify: 0, parse: 0 };
  JSON.stringify = (...args) => {
    const text = stringify(...args);
    if (text?.includes(marker)) counts.stringify += 1;
    return text;
  };
  JSON.parse = (text, ...rest) => {
    if (String(text).includes(marker)) counts.parse += 1;
    return parse(text, ...rest);
  };
  try {
    return { counts, result: await run() };
  } finally {
    Object.assign(JSON, { stringify, parse });
  }
}

const MARKER = "a-text-that-stands-nowhere-else";

function parts(approve = "never") {
  const store = new PatchStore();
  store.load("page", page());
  const files = Workspace.memory({ "a.txt": "a" });
  const flow = new FlowStore();
  flow.load({ id: "t", nodes: [{ id: "n", data: {} }] });
  return { store, files, flow, agent: agentTools({ store, files, flow, approve }) };
}

const CALLS = {
  patch_ui_state: {
    instance_name: "page",
    patches: [{ op: "set", path: "state.params.s", value: MARKER }],
  },
  write_file: { path: "a.txt", content: MARKER },
  updateNode: { taskId: "t", nodeId: "n", newData: { title: MARKER } },
};

for (const [name, args] of Object.entries(CALLS)) {
  for (const approve of ["never", "always", () => false]) {
    const policy = typeof approve === "function" ? "by a function" : approve;
    test(`the arguments of ${name} as an object are serialised once, approval: ${policy}`, async () => {
      const { agent } = parts(approve);
      const { counts, result } = await countJson(MARKER, () => agent.execute({ name, arguments: args }));
      assert.equal(result.status, approve === "always" ? "pending" : "success", JSON.stringify(result));
      assert.equal(counts.stringify, 1);
      // Only the answer of the module is parsed, if it has the value at all.
      assert.ok(counts.parse <= 1, `parsed ${counts.parse} times`);
    });

    test(`the arguments of ${name} as text are parsed once, approval: ${policy}`, async () => {
      const { agent } = parts(approve);
      const text = JSON.stringify(args);
      const { counts, result } = await countJson(MARKER, () => agent.execute({ name, arguments: text }));
      assert.equal(result.status, approve === "always" ? "pending" : "success", JSON.stringify(result));
      assert.equal(counts.stringify, 1);
      assert.ok(counts.parse <= 2, `parsed ${counts.parse} times`);
    });
  }
}

test("callTool serialises the arguments once, and its result refers to their patches", async () => {
  const { store } = parts();
  const { counts, result } = await countJson(MARKER, () => store.callTool("patch_ui_state", CALLS.patch_ui_state));
  assert.deepEqual(result.patches_applied, CALLS.patch_ui_state.patches);
  assert.equal(counts.stringify, 1);
});

test("apply serialises an object once and a text never", async () => {
  const { store } = parts();
  const object = await countJson(MARKER, () => store.apply(CALLS.patch_ui_state));
  assert.deepEqual([object.result.status, object.counts.stringify], ["success", 1]);
  const other = JSON.stringify({
    ...CALLS.patch_ui_state,
    patches: [{ op: "set", path: "state.params.t", value: MARKER }],
  });
  const text = await countJson(MARKER, () => store.apply(other));
  assert.deepEqual([text.result.status, text.counts.stringify], ["success", 0]);
});

test("a call that changes while it is executed has no effect on what is executed", async () => {
  const { agent, store } = parts((request) => {
    request.args.patches[0].value = "by the policy";
    args.patches[0].value = "by the page";
    return false;
  });
  const args = { instance_name: "page", patches: [{ op: "set", path: "state.params.s", value: "sent" }] };
  assert.equal((await agent.execute({ name: "patch_ui_state", arguments: args })).status, "success");
  assert.equal(store.get("page", "state.params.s"), "sent");
  let reads = 0;
  const lying = {
    get instance_name() {
      reads += 1;
      return reads === 1 ? "page" : "other";
    },
    patches: args.patches,
  };
  const { result } = await agent.execute({ name: "patch_ui_state", arguments: lying });
  assert.equal(reads, 1);
  assert.equal(result.instance_name, "page");
});

test("arguments of any class are copied as JSON carries them", async () => {
  class Point {
    x = 1;
    toJSON() {
      return { x: this.x, y: undefined };
    }
  }
  const { agent, store } = parts();
  const value = { date: new Date(0), boxed: new Number(2), list: [undefined, new Point()], typed: new Uint8Array([7]) };
  const args = { instance_name: "page", patches: [{ op: "set", path: "state.params.s", value }] };
  assert.equal((await agent.execute({ name: "patch_ui_state", arguments: args })).status, "success");
  assert.deepEqual(store.get("page", "state.params.s"), JSON.parse(JSON.stringify(value)));
});

test("a file call that the page alters after the agent has validated it is validated again", async () => {
  const { agent, files } = parts("always");
  const { proposal } = await agent.execute({ name: "write_file", arguments: { path: "b.txt", content: "b" } });
  const altered = { ...proposal.proposed, path: "../b.txt" };
  assert.equal((await files.execute(altered)).error.code, "UNSAFE_PATH");
  assert.throws(() => {
    proposal.proposed.path = "../b.txt";
  }, TypeError);
});

test("tools are known by the names that streams accept", async () => {
  const names = ["create_file", "new_file", "createFile", "Write-File", "WRITE_FILE"];
  for (const name of names) {
    const { agent, files } = parts();
    const result = await agent.execute({ name, arguments: { path: "a.txt", content: name } });
    assert.deepEqual([result.status, result.tool], ["success", "write_file"], name);
    assert.equal(await files.read("a.txt"), name);
  }
  const { agent } = parts();
  const edit = { path: "a.txt", search_replace: { old_string: "a", new_string: "b" } };
  assert.equal((await agent.execute({ name: "str_replace", arguments: edit })).tool, "edit_file");
  assert.equal((await agent.execute({ name: "remove_file", arguments: { path: "a.txt" } })).tool, "delete_file");
  assert.equal((await agent.execute({ name: "file", arguments: edit })).error.code, "UNKNOWN_TOOL");
});

test("a text that leaves a part of the file out is shown to the user first, unless nothing is", async () => {
  const args = { path: "a.ts", content: "let a = 1;\n// ... rest of the code unchanged\n" };
  const statuses = [];
  for (const approve of ["never", () => false, "always"]) {
    const { agent, files } = parts(approve);
    const result = await agent.execute({ name: "write_file", arguments: args });
    statuses.push(result.status);
    assert.equal(await files.read("a.ts"), approve === "never" ? args.content : null);
  }
  assert.deepEqual(statuses, ["success", "pending", "pending"]);
  const { agent } = parts(() => false);
  const stream = new ToolBlockStream({ tools: agent.blocks });
  const block = `\`\`\`json\n${JSON.stringify({ tool: "write_file", ...args })}\n\`\`\`\n`;
  const events = [...stream.push(block), ...stream.end()];
  stream.dispose();
  const results = (await Promise.all(events.map((event) => agent.executeBlock(event)))).flat();
  assert.deepEqual(
    results.map(({ status }) => status),
    ["pending"],
  );
});
