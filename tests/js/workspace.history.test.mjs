// History of a workspace: groups, authors, undo and redo under later changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentTools, Workspace } from "genui-patch";
import { edit, remove, write } from "../support/files.mjs";
import { random } from "../support/random.mjs";

const USER = { kind: "user" };
const AGENT = { kind: "agent" };
const lines = (...own) => own.map((line) => `${line}\n`).join("");

test("groups, with authors and changes; one group for one id", async () => {
  const files = Workspace.memory({ a: "1", b: "1" });
  await files.execute(write("a", "2"));
  await files.execute(write("b", "2"), { author: AGENT, group: "turn" });
  await files.execute(remove("a"), { author: { kind: "agent", id: "writer" } });
  await files.execute(write("c", "1"), { author: AGENT, group: "turn" });
  await files.execute(write("../c", "1"));
  const entries = files.history();
  assert.deepEqual(
    entries.map(({ author, changes, undone }) => [author, changes, undone]),
    [
      [USER, [{ path: "a", action: "updated", before: "1", after: "2" }], false],
      [
        AGENT,
        [
          { path: "b", action: "updated", before: "1", after: "2" },
          { path: "c", action: "created", before: null, after: "1" },
        ],
        false,
      ],
      [{ kind: "agent", id: "writer" }, [{ path: "a", action: "deleted", before: "2", after: null }], false],
    ],
  );
  assert.equal(entries[1].id, "turn");
  assert.ok(entries.every(({ time }) => Math.abs(Date.now() - time) < 60_000));
  assert.deepEqual(files.history("c"), [entries[1]]);
  assert.ok(Object.isFrozen(entries[1]) && Object.isFrozen(entries[1].changes));
  assert.throws(() => files.history("../a"), { code: "UNSAFE_PATH" });
});

test("undo and redo by author, under what others have changed since", async () => {
  const files = Workspace.memory({ a: lines("one", "two", "three", "four") });
  await files.execute(edit("a", "one", "1"), { author: AGENT, group: "turn" });
  await files.execute(write("b", "new"), { author: AGENT, group: "turn" });
  await files.execute(edit("a", "four", "4"));
  assert.ok(files.canUndo({ author: "agent" }) && !files.canRedo());
  const undone = await files.undo({ author: "agent" });
  assert.equal(undone.status, "completed");
  assert.equal(undone.group, "turn");
  assert.deepEqual(
    undone.changes.map(({ path, action }) => [path, action]),
    [
      ["a", "updated"],
      ["b", "deleted"],
    ],
  );
  assert.deepEqual(await files.snapshot(), { a: lines("one", "two", "three", "4") });
  assert.equal((await files.undo({ author: "agent" })).error.code, "NOTHING_TO_UNDO");
  assert.ok(!files.canUndo({ author: AGENT }) && files.canRedo({ author: "agent" }) && files.canUndo());
  assert.equal((await files.redo({ author: "agent" })).status, "completed");
  assert.deepEqual(await files.snapshot(), { a: lines("1", "two", "three", "4"), b: "new" });
  // Without options: the last group, whoever made it.
  await files.undo();
  assert.equal(await files.read("a"), lines("1", "two", "three", "four"));
  await files.undo({ group: "turn" });
  assert.deepEqual(await files.snapshot(), { a: lines("one", "two", "three", "four") });
  // The group that was undone last comes first.
  await files.redo();
  assert.equal(await files.read("a"), lines("1", "two", "three", "four"));
  await files.redo();
  assert.equal(await files.read("a"), lines("1", "two", "three", "4"));
  assert.equal((await files.redo()).error.code, "NOTHING_TO_UNDO");
});

test("lines that were changed again are a conflict, with the places; force takes the rest", async () => {
  const text = lines("a", "b", "c", "d", "e", "f");
  const files = Workspace.memory({ x: text });
  await files.execute(write("x", lines("A", "b", "c", "d", "E", "f")), { author: AGENT });
  await files.execute(write("x", lines("new", "A", "b", "c", "d", "mine", "f")));
  const before = await files.snapshot();
  const { status, error } = await files.undo({ author: "agent" });
  assert.deepEqual([status, error.code, error.places], ["failed", "UNDO_CONFLICT", ["x:1", "x:6"]]);
  assert.deepEqual(await files.snapshot(), before);
  assert.equal(files.history()[0].undone, false);
  await files.execute(write("x", lines("A", "b", "c", "d", "mine", "f")));
  assert.deepEqual((await files.undo({ author: "agent" })).error.places, ["x:5"]);
  assert.equal((await files.undo({ author: "agent", force: true })).status, "completed");
  assert.equal(await files.read("x"), lines("a", "b", "c", "d", "mine", "f"));
  assert.equal((await files.redo({ author: "agent" })).status, "completed");
  assert.equal(await files.read("x"), lines("A", "b", "c", "d", "mine", "f"));
});

test("the place of a conflict is in the lines that were changed again, after several changes too", async () => {
  const files = Workspace.memory({ x: lines("1", "2", "c", "d", "e", "f", "g", "h", "9", "10") });
  await files.execute(write("x", lines("1", "2", "3", "4", "5", "6", "7", "8", "9", "10")), { author: AGENT });
  await files.execute(write("x", lines("1", "2", "3", "6", "mine", "8", "9", "10")));
  // Line 4 is the first one after the removed lines.
  assert.deepEqual((await files.undo({ author: "agent" })).error.places, ["x:4"]);
  // Lines that were added just before the agent's change move it too.
  const other = Workspace.memory({ x: lines("a", "old") });
  await other.execute(write("x", lines("a", "b", "c")), { author: AGENT });
  await other.execute(write("x", lines("1", "2", "3", "b", "mine")));
  assert.deepEqual((await other.undo({ author: "agent" })).error.places, ["x:5"]);
});

test("a file that was created, and changed by somebody else since, is not deleted", async () => {
  const files = Workspace.memory({ old: "1" });
  await files.execute(write("new", "a"), { author: AGENT });
  await files.execute(edit("new", "a", "b"));
  assert.deepEqual((await files.undo({ author: "agent" })).error.places, ["new:1"]);
  assert.equal((await files.undo({ author: "agent", force: true })).status, "completed");
  assert.equal(await files.read("new"), "b");
  await files.execute(remove("old"), { author: AGENT });
  assert.equal((await files.undo({ author: "agent" })).status, "completed");
  assert.equal(await files.read("old"), "1");
});

test("a new change of an author ends what the author could make again", async () => {
  const files = Workspace.memory({ a: "1" });
  await files.execute(write("a", "2"));
  await files.undo();
  await files.execute(write("b", "1"), { author: AGENT });
  assert.ok(files.canRedo());
  await files.execute(write("c", "1"));
  assert.ok(!files.canRedo());
  assert.equal(files.history().length, 2);
});

test("the history is bounded in groups and bytes, and may be off", async () => {
  const files = Workspace.memory({}, { limits: { maxHistory: 3, maxHistoryBytes: 1_000 } });
  for (let n = 0; n < 10; n++) await files.execute(write("c", `${n}`));
  assert.deepEqual(
    files.history().map(({ changes }) => changes[0].after),
    ["7", "8", "9"],
  );
  await files.execute(write("d", "x".repeat(990)));
  assert.equal(files.history().length, 3);
  await files.execute(write("e", "x".repeat(990)));
  assert.equal(files.history().length, 1);
  const off = Workspace.memory({}, { limits: { maxHistory: 0 } });
  await off.execute(write("a", "1"));
  assert.deepEqual([off.history(), off.canUndo()], [[], false]);
});

test("events have the author; approvals that of the proposal", async () => {
  const files = Workspace.memory({ a: "1" });
  const events = [];
  files.subscribe((event) => events.push(event));
  const agent = agentTools({ files, approve: "always" });
  const { proposal } = await agent.execute({ name: "write_file", arguments: { path: "a", content: "2" } });
  await files.approve(proposal.id);
  assert.deepEqual(files.history()[0].author, AGENT);
  assert.ok(events.length > 3 && events.every(({ author, proposal }) => (author ?? proposal.author).kind === "agent"));
  events.length = 0;
  await files.undo();
  const own = { id: "undo_1", tool: "write_file", path: "a", content: "1", status: "completed" };
  const call = { ...own, args: { tool: "write_file", path: "a", content: "1" } };
  const undone = events.find(({ origin }) => origin === "undo");
  const { result, ...rest } = undone;
  assert.deepEqual(rest, { type: "status", call, author: USER, origin: "undo" });
  assert.deepEqual([result.status, result.action, result.diff.length], ["completed", "updated", 1]);
  await assert.rejects(files.execute(write("a", "1"), { author: { kind: "dog" } }), { code: "INVALID_ARGUMENT" });
  await assert.rejects(files.undo({ who: 1 }), { code: "INVALID_ARGUMENT" });
});

test("two authors at random: undoing all of one leaves what the other has changed, or names a conflict", async () => {
  const { below, pick, chance } = random(30);
  let [whole, refused] = [0, 0];
  for (let turn = 0; turn < 300; turn++) {
    const initial = Object.fromEntries(
      ["p", "q"].map((path) => [path, lines(...Array.from({ length: 24 }, (_, n) => `${path}${n}`))]),
    );
    const both = Workspace.memory(initial);
    const alone = Workspace.memory(initial);
    const used = new Set();
    let overlaps = false;
    for (let step = 0; step < 8; step++) {
      const isAgent = chance(0.5);
      const [path, line] = [pick(["p", "q"]), 3 * below(8)];
      // Lines of one author, three apart, so that only the same line overlaps.
      const key = `${path}${line}`;
      const owner = [...used].find((own) => own.startsWith(`${key} `));
      if (owner) {
        if (owner.endsWith(isAgent ? "agent" : "user")) continue;
        if (chance(0.8)) continue;
        overlaps = true;
      }
      used.add(`${key} ${isAgent ? "agent" : "user"}`);
      const change = async (files) => {
        const now = (await files.read(path)).split("\n");
        const at = now.findIndex((own) => own === key || own.startsWith(`${key}=`));
        if (at < 0) return;
        now.splice(at, 1, ...pick([[`${key}=${step}`], [`${key}=${step}`, `${key}+${step}`]]));
        await files.execute(write(path, now.join("\n")), { author: isAgent ? AGENT : USER });
        return now;
      };
      const made = await change(both);
      if (!isAgent && made) {
        const own = (await alone.read(path)).split("\n");
        const at = own.findIndex((text) => text === key || text.startsWith(`${key}=`));
        const added = made.filter((text) => text.startsWith(`${key}=${step}`) || text === `${key}+${step}`);
        own.splice(at, 1, ...added);
        await alone.execute(write(path, own.join("\n")));
      }
    }
    let conflict = false;
    const before = await both.snapshot();
    while (both.canUndo({ author: "agent" })) {
      const { status, error } = await both.undo({ author: "agent" });
      if (status === "completed") continue;
      assert.equal(error.code, "UNDO_CONFLICT");
      conflict = true;
      break;
    }
    if (overlaps) {
      refused += conflict ? 1 : 0;
      continue;
    }
    assert.ok(!conflict);
    assert.deepEqual(await both.snapshot(), await alone.snapshot());
    while (both.canRedo({ author: "agent" })) assert.equal((await both.redo({ author: "agent" })).status, "completed");
    assert.deepEqual(await both.snapshot(), before);
    whole += 1;
  }
  assert.ok(whole > 100 && refused > 10, `${whole} ${refused}`);
});
