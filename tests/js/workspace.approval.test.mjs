// Proposals of file tools: no file is written before the user approves, and then exactly the approved change.
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyHunks, textDiff, Workspace } from "genui-patch";
import { edit, remove, write } from "../support/files.mjs";
import { random } from "../support/random.mjs";
import { thrown } from "../support/store.mjs";

/** Twenty lines, some of them changed. */
const lines = (changed = {}) => Array.from({ length: 20 }, (_, n) => `${changed[n] ?? `line ${n}`}\n`).join("");

test("a proposal is shown, and nothing is written", async () => {
  const files = Workspace.memory({ a: "one\ntwo\n" });
  const events = [];
  files.subscribe((event) => events.push(event));
  const call = edit("a", "two", "2");
  const proposal = await files.propose(call);
  assert.deepEqual(proposal, {
    id: proposal.id,
    kind: "file",
    target: "a",
    revision: 0,
    diff: textDiff("one\ntwo\n", "one\n2\n"),
    changes: [],
    status: "pending",
    author: { kind: "agent" },
    proposed: call,
  });
  assert.deepEqual(files.proposals(), [proposal]);
  assert.deepEqual(events, [{ type: "proposal", proposal }]);
  assert.equal(await files.read("a"), "one\ntwo\n");
  assert.deepEqual(files.history(), []);
  assert.ok(!Object.isFrozen(call.search_replace) && Object.isFrozen(proposal.diff[0].lines));
});

test("approving all equals executing", async () => {
  const initial = { a: "one\ntwo\n", b: "", c: "x" };
  for (const call of [
    edit("a", "two", "2"),
    write("a", ""),
    write("d/e", "new"),
    write("d", ""),
    remove("a"),
    remove("b"),
  ]) {
    const [one, other] = [Workspace.memory(initial), Workspace.memory(initial)];
    const direct = await one.execute(call);
    for (const options of [undefined, {}]) {
      const proposal = await other.propose(call);
      if (options) {
        other.refuse(proposal.id);
        continue;
      }
      assert.deepEqual(await other.approve(proposal.id, options), direct);
      assert.deepEqual(await other.snapshot(), await one.snapshot());
      assert.deepEqual(other.proposals()[0].status, "approved");
      break;
    }
  }
});

test("some hunks, none, all", async () => {
  const [before, after] = [lines(), lines({ 1: "first", 18: "last" })];
  const rows = [
    [[], before],
    [[0], lines({ 1: "first" })],
    [[1], lines({ 18: "last" })],
    [[1, 0], after],
  ];
  for (const [hunks, expected] of rows) {
    const files = Workspace.memory({ a: before });
    const { id, diff } = await files.propose(write("a", after));
    assert.equal(diff.length, 2);
    const result = await files.approve(id, { hunks });
    assert.equal(result.status, "completed");
    assert.equal(result.action, hunks.length ? "updated" : undefined);
    assert.deepEqual(result.diff, textDiff(before, expected));
    assert.equal(await files.read("a"), expected);
    const [record] = files.proposals();
    assert.deepEqual([record.status, record.approved, record.effective], ["approved", expected, expected]);
  }
});

test("hunks of a file that is created or deleted", async () => {
  const files = Workspace.memory({ a: "x\n" });
  const create = async (path, content, hunks) =>
    files.approve((await files.propose(write(path, content))).id, { hunks });
  assert.equal((await create("b", "new", [])).action, undefined);
  assert.equal(await files.exists("b"), false);
  assert.equal((await create("b", "new", [0])).action, "created");
  const gone = await files.propose(remove("a"));
  assert.equal((await files.approve(gone.id, { hunks: [] })).action, undefined);
  assert.deepEqual(await files.snapshot(), { a: "x\n", b: "new" });
});

test("an empty file has no hunks: its creation or deletion is approved as a whole, or not at all", async () => {
  const rows = [
    [write("new", ""), "created", { empty: "", new: "" }],
    [remove("empty"), "deleted", {}],
  ];
  for (const [call, action, made] of rows) {
    for (const hunks of [undefined, []]) {
      const files = Workspace.memory({ empty: "" });
      const proposal = await files.propose(call);
      assert.deepEqual([proposal.diff, proposal.action], [[], action]);
      const result = await files.approve(proposal.id, { hunks });
      assert.deepEqual([result.status, result.action], ["completed", hunks ? undefined : action]);
      assert.deepEqual(await files.snapshot(), hunks ? { empty: "" } : made);
      const [{ status, outcome }] = files.proposals();
      assert.deepEqual([status, outcome.extent], ["approved", hunks ? "none" : "all"]);
    }
    const files = Workspace.memory({ empty: "" });
    const { id } = await files.propose(call);
    assert.equal((await files.approve(id, { hunks: [0] })).error.code, "INVALID_ARGUMENT");
  }
});

test("the user's own text", async () => {
  const files = Workspace.memory({ a: "one\ntwo\nthree\n" });
  const { id } = await files.propose(edit("a", "two", "2"));
  const result = await files.approve(id, { edits: "one\n2!\nthree\n" });
  assert.equal(result.status, "completed");
  assert.equal(await files.read("a"), "one\n2!\nthree\n");
  const [{ proposed, approved, effective }] = files.proposals();
  assert.deepEqual(
    [proposed.search_replace.new_string, approved, effective],
    ["2", "one\n2!\nthree\n", "one\n2!\nthree\n"],
  );
});

test("twice, refused, unknown, misuse", async () => {
  const files = Workspace.memory({ a: "1", b: "1" });
  const one = await files.propose(edit("a", "1", "2"));
  const both = await Promise.all([files.approve(one.id), files.approve(one.id)]);
  assert.deepEqual(
    both.map(({ status, error }) => [status, error?.code]),
    [
      ["completed", undefined],
      ["failed", "PROPOSAL_SETTLED"],
    ],
  );
  const two = await files.propose(edit("b", "1", "2"));
  files.refuse(two.id, "not now");
  assert.deepEqual([files.proposals()[1].status, files.proposals()[1].reason], ["refused", "not now"]);
  assert.equal((await files.approve(two.id)).error.code, "PROPOSAL_SETTLED");
  assert.throws(() => files.refuse(two.id), thrown("PROPOSAL_SETTLED"));
  assert.throws(() => files.refuse(one.id), thrown("PROPOSAL_SETTLED"));
  assert.deepEqual(await files.snapshot(), { a: "2", b: "1" });
  const { status, error } = await files.approve("nothing");
  assert.deepEqual([status, error.code], ["error", "UNKNOWN_PROPOSAL"]);
  assert.throws(() => files.refuse("__proto__"), thrown("UNKNOWN_PROPOSAL"));
  const three = await files.propose(edit("b", "1", "2"));
  const misuse = thrown("INVALID_ARGUMENT");
  for (const options of [{ hunk: [0] }, { hunks: 0 }, { hunks: [-1] }, { hunks: ["0"] }, { edits: 1 }, null, [0]])
    await assert.rejects(files.approve(three.id, options), misuse, JSON.stringify(options));
  await assert.rejects(files.approve(three.id, { hunks: [0], edits: "" }), misuse);
  assert.equal((await files.approve(three.id, { hunks: [1] })).error.code, "INVALID_ARGUMENT");
  const own = { onClick: () => {} };
  own.self = own;
  await assert.rejects(files.propose({ ...write("a", "x"), own }), misuse);
  assert.equal(files.proposals()[2].status, "pending");
  assert.equal((await files.approve(three.id)).status, "completed");
});

test("a call that cannot be executed is not proposed", async () => {
  const files = Workspace.memory({ a: "1" });
  for (const [call, code] of [
    [edit("a", "2", "3"), "NO_MATCH"],
    [remove("b"), "NOT_FOUND"],
    [write("../a", ""), "UNSAFE_PATH"],
    [{}, "MISSING_TOOL"],
  ]) {
    const { status, error, ...rest } = await files.propose(call);
    assert.deepEqual([status, error.code, rest], ["error", code, {}]);
  }
  assert.deepEqual(files.proposals(), []);
});

test("a change elsewhere: carried over; at the same place: stale, with a fresh diff", async () => {
  const files = Workspace.memory({ a: lines() });
  const far = await files.propose(write("a", lines({ 2: "two" })));
  const near = await files.propose(write("a", lines({ 10: "ten" })));
  await files.execute(write("a", lines({ 10: "zehn" })));
  assert.deepEqual(
    files.proposals().map(({ status }) => status),
    ["pending", "stale"],
  );
  const carried = await files.approve(far.id);
  assert.equal(carried.status, "completed");
  assert.deepEqual(carried.diff, textDiff(lines({ 10: "zehn" }), lines({ 2: "two", 10: "zehn" })));
  const before = await files.read("a");
  assert.equal(before, lines({ 2: "two", 10: "zehn" }));
  const stale = await files.approve(near.id);
  assert.deepEqual([stale.status, stale.error.code], ["failed", "STALE_PROPOSAL"]);
  assert.deepEqual(stale.diff, textDiff(before, lines({ 10: "ten" })));
  assert.equal(await files.read("a"), before);
  const [, shown] = files.proposals();
  assert.deepEqual([shown.status, shown.diff], ["stale", stale.diff]);
  // Approving twice must not approve a change that only the second view showed.
  assert.deepEqual(await files.approve(near.id), stale);
  assert.equal(await files.read("a"), before);
  const anew = await files.propose(shown.proposed);
  assert.deepEqual(anew.diff, stale.diff);
  assert.equal((await files.approve(anew.id)).status, "completed");
  assert.equal(await files.read("a"), lines({ 10: "ten" }));
});

test("stale: an edit whose place is gone, a file that came or went", async () => {
  const files = Workspace.memory({ a: "one\n", b: "x\n" });
  const edited = await files.propose(edit("a", "one", "1"));
  const removed = await files.propose(remove("b"));
  const made = await files.propose(write("c", "mine"));
  await files.execute(write("a", "uno\n"));
  await files.execute(write("b", "y\n"));
  await files.execute(write("c", "theirs"));
  const codes = [];
  for (const { id } of [edited, removed, made]) {
    const { error, diff } = await files.approve(id);
    codes.push([error.code, diff.length]);
  }
  assert.deepEqual(codes, [
    ["STALE_PROPOSAL", 0],
    ["STALE_PROPOSAL", 1],
    ["STALE_PROPOSAL", 1],
  ]);
  assert.equal((await files.approve(edited.id)).error.code, "STALE_PROPOSAL");
  assert.match((await files.approve(edited.id)).error.message, /old_string is not in "a"/);
  assert.deepEqual(await files.snapshot(), { a: "uno\n", b: "y\n", c: "theirs" });
  // The file has its earlier content again, so the proposal can be approved.
  await files.execute(write("a", "one\n"));
  assert.equal(files.proposals()[0].status, "pending");
  assert.deepEqual(files.proposals()[0].diff, edited.diff);
  assert.equal((await files.approve(edited.id)).status, "completed");
  assert.equal((await files.approve(removed.id)).error.code, "STALE_PROPOSAL");
  assert.equal((await files.approve(made.id)).error.code, "STALE_PROPOSAL");
  assert.deepEqual(await files.snapshot(), { a: "1\n", b: "y\n", c: "theirs" });
});

test("a host that changes by itself is looked at when it counts", async () => {
  const store = { a: "one\ntwo\nthree\n" };
  const host = {
    read: (path) => store[path] ?? null,
    write: (path, content) => void Object.assign(store, { [path]: content }),
    remove: (path) => void delete store[path],
    list: () => Object.keys(store),
  };
  const files = Workspace.custom(host);
  const { id } = await files.propose(edit("a", "two", "2"));
  store.a = "ONE\ntwo\nthree\n";
  assert.equal((await files.approve(id)).status, "completed");
  assert.equal(store.a, "ONE\n2\nthree\n");
  const second = await files.propose(edit("a", "2", "zwei"));
  store.a = "ONE\ndeux\nthree\n";
  assert.equal((await files.approve(second.id)).error.code, "STALE_PROPOSAL");
  assert.equal(store.a, "ONE\ndeux\nthree\n");
  const third = await files.propose(edit("a", "deux", "2"));
  host.write = () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" }));
  assert.equal((await files.approve(third.id)).error.code, "QUOTA_EXCEEDED");
  assert.equal(files.proposals().at(-1).status, "pending");
});

test("a stale proposal no longer says that it would create a file that exists by now", async () => {
  const store = {};
  const files = Workspace.custom(hostOf(store));
  const { id, action } = await files.propose(write("a", "new"));
  assert.equal(action, "created");
  store.a = "by another program";
  assert.equal((await files.approve(id)).error.code, "STALE_PROPOSAL");
  const [proposal] = files.proposals();
  assert.deepEqual([proposal.status, proposal.action], ["stale", undefined]);
});

test("hunks chosen from an outdated diff are not applied", async () => {
  const store = { a: lines() };
  const host = {
    read: (path) => store[path] ?? null,
    write: (path, content) => void Object.assign(store, { [path]: content }),
    remove: (path) => void delete store[path],
    list: () => Object.keys(store),
  };
  const files = Workspace.custom(host);
  const { id, diff } = await files.propose(write("a", lines({ 2: "two", 15: "fifteen" })));
  store.a = lines({ 2: "zwei", 15: "fifteen" });
  const stale = await files.approve(id, { hunks: [0] });
  assert.deepEqual([stale.error.code, stale.diff.length], ["STALE_PROPOSAL", 1]);
  store.a = lines();
  const again = await files.approve(id, { hunks: [0] });
  assert.deepEqual([again.error.code, again.diff], ["STALE_PROPOSAL", diff]);
  assert.equal(store.a, lines());
  assert.equal((await files.approve(id, { hunks: [0] })).status, "completed");
  assert.equal(store.a, lines({ 2: "two" }));
});

test("so many proposals wait, and no more", async () => {
  const files = Workspace.memory({ a: "1" }, { limits: { maxProposals: 2 } });
  const [one, two, three] = [
    await files.propose(write("a", "2")),
    await files.propose(write("b", "2")),
    await files.propose(write("c", "2")),
  ];
  assert.deepEqual([one.status, two.status, three.error.code], ["pending", "pending", "LIMIT_EXCEEDED"]);
  files.refuse(one.id);
  const four = await files.propose(write("c", "2"));
  assert.deepEqual(files.proposals(), [two, four]);
});

test("proposals and rejections change no file; partial approval applies exactly that part", async () => {
  const rng = random(5);
  const text = () =>
    rng.list(30, () => `${rng.pick(["a", "b", "c", "d e f", "d 2 f", ""])}${rng.pick(["\n", "\n", "\r\n"])}`).join("");
  for (let round = 0; round < 400; round++) {
    const initial = { a: text(), b: text() };
    const files = Workspace.memory(initial);
    const after = text();
    const proposal = await files.propose(write("a", after));
    assert.deepEqual(await files.snapshot(), initial);
    if (rng.chance(0.2)) {
      files.refuse(proposal.id);
      assert.equal((await files.approve(proposal.id)).status, "failed");
      assert.deepEqual(await files.snapshot(), initial);
      continue;
    }
    const hunks = proposal.diff.map(({ index }) => index).filter(() => rng.chance(0.5));
    await files.approve(proposal.id, { hunks });
    assert.equal(await files.read("a"), applyHunks(initial.a, after, hunks));
    assert.equal(await files.read("b"), initial.b);
  }
});

test("a path that differs from a file's only in case or accents gives a warning, wherever it is shown", async () => {
  const [nfc, nfd] = ["caf\u00e9.txt", "cafe\u0301.txt"];
  const rows = [
    ["README.md", "readme.md"],
    ["src/a.ts", "SRC/a.ts"],
    [nfc, nfd],
    [nfd, nfc],
    [nfc, nfd.toUpperCase()],
    ["stra\u00dfe", "STRASSE"],
  ];
  for (const [existing, path] of rows) {
    for (const make of [(texts) => Workspace.memory(texts), (texts) => Workspace.custom(hostOf(texts))]) {
      const files = make({ [existing]: "x\n", other: "x\n" });
      const paths = [existing];
      const assertWarned = ({ warnings }) => {
        assert.deepEqual([warnings?.length, warnings?.[0].code, warnings?.[0].paths], [1, "TWIN_PATH", paths], path);
        assert.ok(warnings[0].message.includes(JSON.stringify(existing)));
      };
      assertWarned(await files.preview(write(path, "y\n")));
      // A refusal because of the limit is expected.
      assertWarned(await files.preview(edit(path, "x", "y")));
      assertWarned(await files.execute(edit(path, "x", "y")));
      const proposal = await files.propose(write(path, "y\n"));
      assertWarned(proposal);
      assertWarned(await files.approve(proposal.id));
      assertWarned(await files.execute(write(path, "z\n")));
      assert.equal((await files.execute(write("other", "y\n"))).warnings, undefined);
      // Both files exist now, and a path of one could also be the other's.
      assert.deepEqual((await files.preview(write(existing, "y\n"))).warnings[0].paths, [path]);
      await files.execute(remove(existing));
      assert.equal((await files.preview(write(path, "y\n"))).warnings, undefined);
    }
  }
});

/** A host over a plain object, with some functions replaced. */
function hostOf(store, changes = {}) {
  return {
    read: (path) => store[path] ?? null,
    write: (path, content) => void Object.assign(store, { [path]: content }),
    remove: (path) => void delete store[path],
    list: () => Object.keys(store),
    ...changes,
  };
}

test("on a host that ignores case both spellings are one file, and a proposal for it is not left behind", async () => {
  const texts = new Map([["README.md", "one\n"]]);
  const find = (path) => [...texts.keys()].find((name) => name.toLowerCase() === path.toLowerCase()) ?? path;
  const files = Workspace.custom({
    read: (path) => texts.get(find(path)) ?? null,
    write: (path, content) => void texts.set(find(path), content),
    remove: (path) => void texts.delete(find(path)),
    list: () => [...texts.keys()],
  });
  const { id } = await files.propose(edit("README.md", "one", "1"));
  const result = await files.execute(write("readme.md", "two\n"));
  assert.deepEqual([result.action, result.warnings[0].paths], ["updated", ["README.md"]]);
  assert.equal(files.proposals()[0].status, "stale");
  assert.equal((await files.approve(id)).error.code, "STALE_PROPOSAL");
  // On hosts where they are two files, a write to one does not affect the other.
  const both = Workspace.memory({ "README.md": "one\n", "readme.md": "x\n" });
  const other = await both.propose(edit("README.md", "one", "1"));
  await both.execute(write("readme.md", "two\n"));
  assert.equal(both.proposals()[0].status, "pending");
  assert.equal((await both.approve(other.id)).status, "completed");
});

test("a host is asked for its files when a path is new, not for each call; where it cannot say, there is no warning", async () => {
  let lists = 0;
  const store = { a: "1\n", b: "1\n" };
  const files = Workspace.custom(
    hostOf(store, {
      list: () => {
        lists += 1;
        return Object.keys(store);
      },
    }),
  );
  for (let turn = 0; turn < 20; turn++) await files.execute(write(turn % 2 ? "a" : "b", `${turn}\n`));
  assert.equal(lists, 1);
  for (let turn = 0; turn < 5; turn++) await files.execute(write("new", `${turn}\n`));
  assert.equal(lists, 2);
  for (const list of [() => Promise.reject(new Error("no")), () => 3, () => [3, null]]) {
    const result = await Workspace.custom(hostOf({ A: "x" }, { list })).execute(write("a", "y"));
    assert.deepEqual([result.status, result.warnings], ["completed", undefined]);
  }
});

test("the diff of a proposal is brought up to date when its file changes elsewhere, and told", async () => {
  const files = Workspace.memory({ a: lines() });
  const { id, diff } = await files.propose(write("a", lines({ 2: "two", 15: "fifteen" })));
  const received = [];
  files.subscribe(({ type, proposal }) => type === "proposal" && received.push([proposal.status, proposal.diff]));
  await files.execute(write("a", `zero\n${lines()}`));
  const now = textDiff(`zero\n${lines()}`, `zero\n${lines({ 2: "two", 15: "fifteen" })}`);
  assert.deepEqual(received, [["pending", now]]);
  assert.notDeepEqual(now, diff);
  assert.equal(files.proposals()[0].revision, 1);
  await files.execute(write("b", "x"));
  assert.equal(received.length, 1);
  const result = await files.approve(id, { hunks: [1] });
  assert.deepEqual(result.diff, textDiff(`zero\n${lines()}`, `zero\n${lines({ 15: "fifteen" })}`));
  assert.deepEqual(files.proposals()[0].outcome, { extent: "part", applied: [1], omitted: [0], edited: [] });
});

test("the user's own text stands for the text that was shown, also after a change elsewhere", async () => {
  const files = Workspace.memory({ a: lines() });
  const { id } = await files.propose(write("a", lines({ 2: "two" })));
  await files.execute(write("a", lines({ 15: "fifteen" })));
  // The user reverts a change made elsewhere.
  assert.equal((await files.approve(id, { edits: lines({ 2: "two" }) })).status, "completed");
  assert.equal(await files.read("a"), lines({ 2: "two" }));
});

test("a call that arrives while another one is being proposed does not overtake it", async () => {
  const files = Workspace.memory({ a: "one\n" });
  const [proposal] = await Promise.all([files.propose(edit("a", "one", "1")), files.execute(write("a", "two\n"))]);
  assert.deepEqual([proposal.status, files.proposals()[0].status], ["pending", "stale"]);
});

test("the record is about the diff that was made, where the host has changed the file since", async () => {
  const store = { a: lines() };
  const files = Workspace.custom(hostOf(store));
  const { id } = await files.propose(write("a", lines({ 2: "two", 15: "fifteen" })));
  // No unchanged line is left between the two hunks, so they become one.
  store.a = [...lines().split(/(?<=\n)/)].filter((_, n) => n < 5 || n > 12).join("");
  assert.equal((await files.approve(id, { edits: lines({ 2: "two" }) })).status, "completed");
  const [{ diff, outcome }] = files.proposals();
  const named = [...outcome.applied, ...outcome.omitted, ...outcome.edited];
  assert.deepEqual(
    named.sort(),
    diff.map(({ index }) => index),
  );
});

test("the user's own text keeps what the host has changed elsewhere unseen", async () => {
  // The second change merges the hunks, so that the diff is a new one.
  for (const change of [(all) => all.with(19, "last\n"), (all) => all.filter((_, n) => n < 5 || n > 12)]) {
    const store = { a: lines() };
    const files = Workspace.custom(hostOf(store));
    const { id } = await files.propose(write("a", lines({ 2: "two", 15: "fifteen" })));
    const all = (changed) => change(lines(changed).split(/(?<=\n)/)).join("");
    store.a = all();
    assert.equal((await files.approve(id, { edits: lines({ 2: "2", 15: "fifteen" }) })).status, "completed");
    assert.equal(store.a, all({ 2: "2", 15: "fifteen" }));
    const [{ diff, outcome }] = files.proposals();
    assert.deepEqual([diff.length, outcome], [2, { extent: "edited", applied: [1], omitted: [], edited: [0] }]);
  }
});
