// Patches as file tools: unified diffs and OpenAI's V4A, several files in one call, all or nothing.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { agentTools, ToolBlockStream, Workspace } from "genui-patch";
import { random } from "../support/random.mjs";

const rows = JSON.parse(readFileSync(new URL("../fixtures/patches.json", import.meta.url), "utf8"));
const formats = ["apply_patch", "unified"];
const calls = {
  unified: (diff) => ({ name: "apply_diff", arguments: { diff } }),
  apply_patch: (patch) => ({ name: "apply_patch", arguments: { patch } }),
};

for (const { name, format, files: initial, patch, after, error, fixes } of rows) {
  test(name, async () => {
    const files = Workspace.memory(initial);
    const agent = agentTools({ files, formats });
    const result = await agent.execute(calls[format](patch));
    if (error) {
      assert.equal(result.status, "error", JSON.stringify(result.result));
      for (const [key, value] of Object.entries(error)) assert.deepEqual(result.error[key], value, key);
      assert.match(result.error.message, /\.$/);
      assert.match(result.error.solution, /\.$/);
      assert.deepEqual(await files.snapshot(), initial);
      assert.deepEqual(files.history(), []);
      return;
    }
    assert.equal(result.status, "success", JSON.stringify(result.result));
    const want = Object.entries({ ...initial, ...after }).filter(([, text]) => text !== null);
    assert.deepEqual(await files.snapshot(), Object.fromEntries(want.sort()));
    assert.deepEqual(
      result.result.fixes?.map(({ code }) => code),
      fixes,
    );
    // The same as a proposal, and undone.
    const proposing = Workspace.memory(initial);
    const proposed = await agentTools({ files: proposing, formats, approve: "always" }).execute(calls[format](patch));
    assert.equal(proposed.status, "pending");
    assert.deepEqual(await proposing.snapshot(), initial);
    const { id, files: effects, diff } = proposed.proposal;
    assert.deepEqual(
      effects.flatMap((effect) => effect.diff),
      diff,
    );
    assert.deepEqual(
      diff.map(({ index }) => index),
      diff.map((_, index) => index),
    );
    assert.equal((await proposing.approve(id)).status, "completed");
    assert.deepEqual(await proposing.snapshot(), await files.snapshot());
    assert.equal(proposing.proposals()[0].outcome.extent, "all");
    assert.equal((await files.undo({ author: "agent" })).status, "completed");
    assert.deepEqual(await files.snapshot(), initial);
    assert.equal((await files.redo()).status, "completed");
    assert.deepEqual(await files.snapshot(), await proposing.snapshot());
  });
}

describe("proposals of several files", () => {
  const initial = { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n", "b.txt": "b\nc\n", "c.txt": "c\n" };
  const patch = [
    "*** Begin Patch",
    "*** Update File: a.txt",
    "@@",
    "-1",
    "+one",
    " 2",
    "@@",
    " 10",
    "-11",
    "+eleven",
    "*** Update File: b.txt",
    "*** Move to: d.txt",
    "@@",
    " b",
    "-c",
    "+C",
    "*** Delete File: c.txt",
    "*** End Patch",
  ].join("\n");
  const propose = async (files) => {
    const agent = agentTools({ files, formats, approve: "always" });
    return (await agent.execute(calls.apply_patch(patch))).proposal;
  };

  test("some hunks: the files that have none of them stay as they are", async () => {
    const files = Workspace.memory(initial);
    const { id, files: effects, author } = await propose(files);
    assert.deepEqual(author, { kind: "agent" });
    assert.deepEqual(
      effects.map(({ path, from, action, diff }) => [path, from, action, diff.map(({ index }) => index)]),
      [
        ["a.txt", undefined, "updated", [0, 1]],
        ["d.txt", "b.txt", "moved", [2]],
        ["c.txt", undefined, "deleted", [3]],
      ],
    );
    const done = await files.approve(id, { hunks: [1] });
    assert.equal(done.status, "completed");
    assert.deepEqual(
      done.files.map(({ path }) => path),
      ["a.txt"],
    );
    assert.deepEqual(await files.snapshot(), { ...initial, "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\neleven\n" });
    const { outcome } = files.proposals()[0];
    assert.deepEqual([outcome.extent, outcome.applied, outcome.omitted], ["part", [1], [0, 2, 3]]);
  });

  test("changes elsewhere are merged, also into the moved file; in the same lines the proposal is stale", async () => {
    const files = Workspace.memory({ ...initial, "b.txt": "b\nc\nx\ny\nz\n" });
    const { id } = await propose(files);
    await files.execute({ tool: "edit_file", path: "b.txt", search_replace: { old_string: "z", new_string: "Z" } });
    assert.equal((await files.approve(id)).status, "completed");
    assert.equal(await files.read("d.txt"), "b\nC\nx\ny\nZ\n");
    const other = Workspace.memory(initial);
    const stale = await propose(other);
    await other.execute({ tool: "edit_file", path: "a.txt", search_replace: { old_string: "11", new_string: "XI" } });
    assert.equal(other.proposals()[0].status, "stale");
    const before = await other.snapshot();
    assert.equal((await other.approve(stale.id)).error.code, "STALE_PROPOSAL");
    assert.deepEqual(await other.snapshot(), before);
  });

  test("a file at the new path of a moved one makes the proposal stale", async () => {
    const files = Workspace.memory(initial);
    const { id } = await propose(files);
    await files.execute({ tool: "write_file", path: "d.txt", content: "mine" });
    assert.equal(files.proposals()[0].status, "stale");
    assert.equal((await files.approve(id)).error.code, "STALE_PROPOSAL");
    assert.equal(await files.read("d.txt"), "mine");
  });

  test("a file that another program has changed: the stale proposal shows no longer what it did to each file", async () => {
    const texts = new Map(Object.entries(initial));
    const files = Workspace.custom({
      read: (path) => texts.get(path) ?? null,
      write: (path, text) => void texts.set(path, text),
      remove: (path) => void texts.delete(path),
      list: () => [...texts.keys()],
    });
    const { id } = await propose(files);
    texts.set("b.txt", "b\nx\n");
    assert.equal((await files.approve(id)).error.code, "STALE_PROPOSAL");
    assert.deepEqual([files.proposals()[0].status, files.proposals()[0].files], ["stale", undefined]);
    assert.deepEqual(Object.fromEntries(texts), { ...initial, "b.txt": "b\nx\n" });
    texts.set("b.txt", "b\nc\n");
    assert.equal((await files.approve(id)).status, "completed");
    assert.deepEqual([...texts.keys()].sort(), ["a.txt", "d.txt"]);
  });

  test("the whole turn is undone, also what was approved in part, and what the user wrote since stays", async () => {
    const files = Workspace.memory(initial);
    const agent = agentTools({ files, formats, approve: "always", author: { kind: "agent", id: "writer" } });
    const [{ proposal }, other] = await agent.turn(async () => [
      await agent.execute(calls.apply_patch(patch)),
      await agent.execute({ name: "write_file", arguments: { path: "e.txt", content: "e\n" } }),
    ]);
    await files.approve(proposal.id, { hunks: [0, 2] });
    await files.approve(other.proposal.id);
    await files.execute({ tool: "edit_file", path: "a.txt", search_replace: { old_string: "6", new_string: "six" } });
    assert.deepEqual(Object.keys(await files.snapshot()), ["a.txt", "c.txt", "d.txt", "e.txt"]);
    const { status, changes } = await files.undo({ author: { kind: "agent", id: "writer" } });
    assert.equal(status, "completed");
    assert.deepEqual(changes.map(({ path }) => path).sort(), ["a.txt", "b.txt", "d.txt", "e.txt"]);
    assert.deepEqual(await files.snapshot(), { ...initial, "a.txt": initial["a.txt"].replace("6", "six") });
  });

  test("they survive save and restore", async () => {
    const files = Workspace.memory(initial);
    const { id, diff } = await propose(files);
    const restored = await Workspace.restore(files.save());
    assert.deepEqual(restored.proposals()[0].diff, diff);
    assert.equal((await restored.approve(id)).status, "completed");
    assert.equal(await restored.read("d.txt"), "b\nC\n");
    const narrow = await Workspace.restore(files.save(), { policy: { denies: ["d.txt"] } });
    assert.equal(narrow.proposals()[0].status, "stale");
    assert.equal((await narrow.approve(id)).error.code, "UNSAFE_PATH");
  });

  test("a host that fails in the middle gets its files back", async () => {
    const texts = new Map(Object.entries(initial));
    const files = Workspace.custom({
      read: (path) => texts.get(path) ?? null,
      write: (path, text) => void texts.set(path, text),
      remove(path) {
        if (path === "c.txt") throw Object.assign(new Error("no"), { code: "EACCES" });
        texts.delete(path);
      },
      list: () => [...texts.keys()],
    });
    const agent = agentTools({ files, formats });
    const { error } = await agent.execute(calls.apply_patch(patch));
    assert.equal(error.code, "NOT_ALLOWED");
    assert.deepEqual(Object.fromEntries(texts), initial);
  });

  test("a policy function: one file is asked about, several are always proposed", async () => {
    const files = Workspace.memory(initial);
    const asked = [];
    const approve = ({ tool, target, args }) => {
      asked.push([tool, target, args.paths]);
      return false;
    };
    const agent = agentTools({ files, formats, approve });
    assert.equal((await agent.execute(calls.apply_patch(patch))).status, "pending");
    const one = "--- a/c.txt\n+++ b/c.txt\n@@ -1 +1 @@\n-c\n+C\n";
    assert.equal((await agent.execute(calls.unified(one))).status, "success");
    assert.deepEqual(asked, [
      ["apply_patch", "a.txt, b.txt, d.txt, c.txt", ["a.txt", "b.txt", "d.txt", "c.txt"]],
      ["apply_diff", "c.txt", ["c.txt"]],
    ]);
  });
});

test("the tools are there only with the option, in definitions, blocks and prompt", async () => {
  const files = Workspace.memory({ "a.txt": "a\n" });
  assert.equal((await agentTools({ files }).execute(calls.unified("x"))).error.code, "UNKNOWN_TOOL");
  const agent = agentTools({ files, formats });
  const names = agent.definitions("mcp").map(({ name }) => name);
  assert.deepEqual(names, [
    "write_file",
    "edit_file",
    "delete_file",
    "apply_patch",
    "apply_diff",
    "read_file",
    "list_files",
  ]);
  assert.match(agent.prompt(), /apply_patch/);
  const stream = new ToolBlockStream({ tools: agent.blocks });
  const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** End Patch";
  const block = `\`\`\`json\n${JSON.stringify({ tool: "apply_patch", patch })}\n\`\`\`\n`;
  const results = [];
  for (const event of [...stream.push(block), ...stream.end()]) results.push(...(await agent.executeBlock(event)));
  assert.deepEqual(
    results.map(({ status }) => status),
    ["success"],
  );
  assert.deepEqual(results[0].result.files, [{ path: "a.txt", action: "updated" }]);
  // OpenAI's custom tools send the patch itself.
  const freeform = await agent.execute({
    type: "custom_tool_call",
    name: "apply_patch",
    input: patch.replace("-a\n+b", "-b\n+c"),
  });
  assert.equal(freeform.status, "success");
  assert.equal(await files.read("a.txt"), "c\n");
  assert.throws(() => agentTools({ files, formats: ["v4a"] }), /formats must be a list of "apply_patch" and "unified"/);
});

test("a call that arrives while the parsers are loaded for a patch comes after it", async () => {
  for (const formats of [["apply_patch"], ["unified", "apply_patch", "unified"]]) {
    const files = Workspace.memory({ "a.txt": "a\n" });
    const agent = agentTools({ files, formats });
    const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n*** End Patch";
    const edit = { path: "a.txt", search_replace: { old_string: "b\n", new_string: "c\n" } };
    const again = "*** Begin Patch\n*** Update File: a.txt\n@@\n-c\n+d\n*** End Patch";
    const results = await Promise.all([
      agent.execute({ name: "apply_patch", arguments: { patch } }),
      agent.execute({ name: "edit_file", arguments: edit }),
      agent.execute({ name: "apply_patch", arguments: { patch: again } }),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ["success", "success", "success"],
    );
    assert.equal(await files.read("a.txt"), "d\n");
  }
});

test("what diff writes, both formats read", async () => {
  const { createTwoFilesPatch } = await import("diff");
  const { below, pick } = random(7);
  const line = () => pick(["a", "b", "c", "", "  d"]);
  const text = () => Array.from({ length: 1 + below(30) }, line).join("\n");
  for (let turn = 0; turn < 300; turn++) {
    const [before, after] = [text(), text()];
    if (before === after) continue;
    const diff = createTwoFilesPatch("a/x", "b/x", before, after, undefined, undefined, { context: 1 + below(3) });
    const files = Workspace.memory({ x: before });
    const { status, error } = await agentTools({ files, formats }).execute(calls.unified(diff));
    assert.equal(status, "success", `${error?.message}\n${diff}`);
    assert.equal(await files.read("x"), after, diff);
  }
});

test("hunks that could stand in many places take bounded time", async () => {
  const line = "x\n";
  const files = Workspace.memory({ a: line.repeat(40_000) });
  const body = ` x\n`.repeat(2_000);
  const diff = `--- a/a\n+++ b/a\n@@ -90000,2000 +90000,2001 @@\n${body}+y\n`;
  const { error } = await agentTools({ files, formats }).execute(calls.unified(diff));
  assert.equal(error.code, "LIMIT_EXCEEDED");
});

test("the limit of a patch counts bytes of UTF-8", async () => {
  const files = Workspace.memory({}, { limits: { maxBlockBytes: 100 } });
  const agent = agentTools({ files, formats });
  const added = (line) => calls.apply_patch(`*** Begin Patch\n*** Add File: b\n+${line}\n*** End Patch`);
  assert.equal((await agent.execute(added("é".repeat(30)))).error.code, "LIMIT_EXCEEDED");
  assert.equal((await agent.execute(added("e".repeat(30)))).status, "success");
});
