// Workspaces: the effects of calls on files in memory and in a Node folder.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { checkPath, validateToolBlock, Workspace } from "genui-patch";
import { base, edit, nodeHost, remove, write } from "../support/files.mjs";
import { random } from "../support/random.mjs";
import { thrown } from "../support/store.mjs";

const folder = mkdtempSync(join(tmpdir(), "genui-patch-files-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Each kind of workspace with the same files. */
const kinds = {
  memory: async (initial) => Workspace.memory(initial),
  "node:fs": async (initial) => {
    const root = await fs.mkdtemp(join(folder, "root-"));
    const host = nodeHost(root);
    for (const [path, content] of Object.entries(initial)) await host.write(path, content);
    return Workspace.custom(host);
  },
};
if (globalThis.navigator?.storage?.getDirectory) {
  let count = 0;
  kinds.opfs = async (initial) => {
    count += 1;
    const files = await Workspace.opfs(`${Date.now()}-${count}`);
    for (const [path, content] of Object.entries(initial)) {
      assert.equal((await files.execute(write(path, content))).status, "completed");
    }
    return files;
  };
}

for (const [kind, open] of Object.entries(kinds)) {
  describe(kind, () => {
    test("a block of a message is executed", async () => {
      const files = await open({});
      const { call } = validateToolBlock('{"tool": "write_file", "path": "./src//a.ts", "content": "let a;\\n"}');
      const result = await files.execute(call);
      assert.deepEqual(result, {
        call: { ...call, path: "src/a.ts", status: "completed" },
        status: "completed",
        action: "created",
        diff: [
          {
            index: 0,
            oldStart: 0,
            oldLines: 0,
            newStart: 1,
            newLines: 1,
            lines: [{ kind: "added", text: "let a;" }],
          },
        ],
      });
      assert.equal(call.status, "detected");
      assert.equal(await files.read("src/a.ts"), "let a;\n");
    });

    test("a tool and its fields are a call", async () => {
      const files = await open({});
      const { call } = await files.execute({ tool: "write_file", path: "./a.ts", content: "a" });
      const args = { tool: "write_file", path: "./a.ts", content: "a" };
      assert.deepEqual(call, { ...args, id: "tool_1", path: "a.ts", args, status: "completed" });
    });

    test("files are created, edited, deleted, listed", async () => {
      const files = await open({ "a.txt": "one\n", "docs/b.md": "" });
      assert.equal((await files.execute(write("docs/deep/er/c.md", "c"))).action, "created");
      assert.equal((await files.execute(write("docs/b.md", "b"))).action, "updated");
      assert.equal((await files.execute(edit("a.txt", "one", "$& two $1"))).action, "updated");
      assert.deepEqual(await files.snapshot(), { "a.txt": "$& two $1\n", "docs/b.md": "b", "docs/deep/er/c.md": "c" });
      assert.deepEqual(await files.list("docs"), ["docs/b.md", "docs/deep/er/c.md"]);
      assert.deepEqual(await files.list("docs/deep/"), ["docs/deep/er/c.md"]);
      for (const dir of ["nowhere", "a.txt", "a.txt/b"]) assert.deepEqual(await files.list(dir), [], dir);
      assert.equal((await files.execute(remove("docs/deep/er/c.md"))).action, "deleted");
      assert.equal(await files.read("docs/deep/er/c.md"), null);
      assert.equal(await files.exists("docs/deep/er/c.md"), false);
      assert.equal(await files.exists("docs"), false);
      assert.equal(await files.exists("docs/b.md"), true);
      for (const dir of ["", ".", "./", "/"]) assert.deepEqual(await files.list(dir), ["a.txt", "docs/b.md"], dir);
    });

    test("what cannot be done is said, and nothing is done", async () => {
      const files = await open({ "a.txt": "x\nb\nb\n", "d/b": "const limit = 10;\r\n" });
      const before = await files.snapshot();
      const rows = [
        [remove("c"), "NOT_FOUND", /"c"/],
        [edit("c", "a", "b"), "NOT_FOUND"],
        [edit("d/b/c", "a", "b"), "NOT_DIRECTORY"],
        [write("d/b/c", "a"), "NOT_DIRECTORY"],
        [write("d", "a"), "IS_DIRECTORY"],
        [remove("d"), "IS_DIRECTORY"],
        [edit("d", "a", "b"), "IS_DIRECTORY"],
        [edit("a.txt", "b", "c"), "SEVERAL_MATCHES", /2 times: at the lines 2, 3\.$/, { matches: 2 }],
        [
          edit("d/b", "const limit = 12;", "c"),
          "NO_MATCH",
          /line 1\.$/,
          { matches: 0, nearest: { line: 1, text: "const limit = 10;" } },
        ],
        [edit("d/b", "zzz", "c"), "NO_MATCH", /./, { matches: 0 }],
        [edit("d/b", "10;\n", "10;\r\n"), "NO_CHANGE"],
        [edit("a.txt", "b", "b"), "NO_CHANGE"],
        [edit("a.txt", "", "b"), "EMPTY_OLD_STRING"],
        [write("../a", "x"), "UNSAFE_PATH"],
        [write("/etc/passwd", "x"), "UNSAFE_PATH"],
        [write("a/.git/config", "x"), "UNSAFE_PATH"],
        [write(7, "x"), "MISSING_PATH"],
        [write("a", 7), "INVALID_CONTENT"],
        [{ ...base, tool: "write_file", path: "a" }, "MISSING_CONTENT"],
        [{ ...base, tool: "edit_file", path: "a" }, "MISSING_SEARCH_REPLACE"],
        [{ ...edit("a", "b", "c"), search_replace: { old_string: "b" } }, "INVALID_SEARCH_REPLACE"],
        [{ ...base, tool: "run", path: "a" }, "UNKNOWN_TOOL"],
        [{ ...base, path: "a" }, "MISSING_TOOL"],
        [{}, "MISSING_TOOL"],
        [{ ...base, tool: "__proto__", path: "a" }, "UNKNOWN_TOOL"],
      ];
      for (const [call, code, message = /./, more = {}] of rows) {
        const name = `${JSON.stringify(call)} ${code}`;
        const copy = structuredClone(call);
        const { error, ...rest } = await files.execute(call);
        assert.deepEqual(rest, { call: { ...call, status: "failed" }, status: "failed" }, name);
        const { code: found, message: text, solution, ...details } = error;
        assert.equal(found, code, name);
        assert.match(text, message, name);
        assert.match(solution, /.+\.$/, name);
        assert.deepEqual(details, more, name);
        assert.deepEqual(call, copy);
        const preview = await files.preview(call);
        assert.deepEqual(preview.error, error, name);
        assert.equal(preview.before, preview.after);
      }
      assert.deepEqual(await files.snapshot(), before);
    });

    test("several replacements in one call: all of them in order, or none", async () => {
      const files = await open({ "a.txt": "one\ntwo two\nthree\n", "crlf.txt": "a b a\r\nc\r\na\r\n" });
      const edits = (path, ...rows) => {
        const list = rows.map(([old_string, new_string, replace_all]) => {
          return { old_string, new_string, ...(replace_all && { replace_all }) };
        });
        return { ...base, tool: "edit_file", path, edits: list };
      };
      const done = await files.execute(edits("a.txt", ["one", "1"], ["two", "2", true], ["1\n2", "0\n2"]));
      assert.deepEqual([done.status, done.action, done.diff.length], ["completed", "updated", 1]);
      assert.equal(await files.read("a.txt"), "0\n2 2\nthree\n");
      await files.execute(edits("crlf.txt", ["a", "x\ny", true], ["c\n", "", false]));
      assert.equal(await files.read("crlf.txt"), "x\r\ny b x\r\ny\r\nx\r\ny\r\n");
      const rows = [
        [edits("a.txt", ["0", "1"], ["2", "3"]), "SEVERAL_MATCHES", 1, /^edits\[1\]: old_string is in "a.txt" 2 times/],
        [edits("a.txt", ["0", "1"], ["0", "1"]), "NO_MATCH", 1, /^edits\[1\]: /],
        [edits("a.txt", ["nowhere", "1", true]), "NO_MATCH", 0, /^edits\[0\]: /],
        [edits("a.txt", ["0", "1"], ["1", "0"]), "NO_CHANGE", undefined, /./],
        [{ ...edits("a.txt"), edits: undefined }, "MISSING_SEARCH_REPLACE", undefined, /./],
        [edits("a.txt", ["", "1"]), "EMPTY_OLD_STRING", undefined, /edits\.0\.old_string/],
      ];
      for (const [call, code, index, message] of rows) {
        const { error, status } = await files.execute(call);
        assert.deepEqual([status, error.code, error.index], ["failed", code, index], code);
        assert.match(error.message, message);
        assert.equal(await files.read("a.txt"), "0\n2 2\nthree\n");
      }
      const proposal = await files.propose(edits("a.txt", ["0\n", "zero\n"], ["three\n", "3\n"]));
      assert.equal((await files.approve(proposal.id)).status, "completed");
      assert.equal(await files.read("a.txt"), "zero\n2 2\n3\n");
    });

    test("a preview shows the change and makes none", async () => {
      const files = await open({ "a.txt": "one\ntwo\n" });
      const { path, before, after, hunks, error } = await files.preview(edit("a.txt", "two", "2"));
      assert.deepEqual([path, before, after, error], ["a.txt", "one\ntwo\n", "one\n2\n", undefined]);
      assert.equal(hunks.length, 1);
      assert.deepEqual((await files.preview(write("b", ""))).before, null);
      assert.deepEqual((await files.preview(remove("a.txt"))).after, null);
      assert.deepEqual(await files.snapshot(), { "a.txt": "one\ntwo\n" });
    });

    test("line ends and the byte order mark stay", async () => {
      const files = await open({ "a.txt": "\ufeffone\r\ntwo\r\nthree\r\n" });
      assert.equal((await files.execute(edit("a.txt", "one\ntwo", "1\n2\n2.5"))).status, "completed");
      assert.equal(await files.read("a.txt"), "\ufeff1\r\n2\r\n2.5\r\nthree\r\n");
    });

    test("calls on one path wait for each other", async () => {
      const files = await open({});
      const calls = [write("a", "0")];
      for (let n = 0; n < 20; n++) calls.push(edit("a", `${n}`, `${n + 1}`));
      const results = await Promise.all(calls.map((call) => files.execute(call)));
      assert.deepEqual(
        results.filter(({ status }) => status === "failed"),
        [],
      );
      assert.equal(await files.read("a"), "20");
    });

    test("names are names", async () => {
      const files = await open({});
      for (const name of ["__proto__", "constructor", "toString", "a b", "é.txt", "😀"]) {
        assert.equal((await files.execute(write(name, name))).status, "completed", name);
        assert.equal(await files.read(name), name);
      }
      assert.equal(Object.keys(await files.snapshot()).length, 6);
      assert.equal(await files.read("valueOf"), null);
    });
  });
}

test("statuses are emitted in order, and a listener may call the workspace", async () => {
  const files = Workspace.memory({ a: "1" });
  const seen = [];
  const stop = files.subscribe(({ type, call, result }) => {
    seen.push([type, call.status, result?.status]);
    if (seen.length === 1) files.subscribe(() => seen.push("second"))();
  });
  const result = await files.execute(edit("a", "1", "2"));
  assert.deepEqual(seen, [
    ["status", "processing", undefined],
    ["status", "executing", undefined],
    ["status", "completed", "completed"],
  ]);
  seen.length = 0;
  await files.execute(edit("a", "1", "2"));
  await files.execute(write("../a", "2"));
  assert.deepEqual(
    seen.map(([, status]) => status),
    ["processing", "executing", "failed", "processing", "failed"],
  );
  stop();
  await files.execute(write("a", "3"));
  assert.equal(seen.length, 5);
  assert.equal(result.call.status, "completed");
});

test("the history lists the executed calls", async () => {
  const files = Workspace.memory({ a: "1" });
  await files.execute(write("b", "1"));
  await files.execute(edit("a", "1", "2"));
  await files.execute(remove("a"));
  assert.deepEqual(
    files.history("a").flatMap(({ changes }) => changes),
    [
      { path: "a", action: "updated", before: "1", after: "2" },
      { path: "a", action: "deleted", before: "2", after: null },
    ],
  );
  assert.equal(files.history().length, 3);
  for (let n = 0; n < 300; n++) await files.execute(write("c", `${n}`));
  assert.equal(files.history().length, 200);
});

test("a policy holds for every call and every path", async () => {
  const files = Workspace.memory({ "src/a": "1", ".env": "x" }, { policy: { off: ["home"] } });
  assert.equal((await files.execute(write("~/a", "1"))).status, "completed");
  const policy = { roots: ["src"], denies: [".env"] };
  assert.throws(() => Workspace.memory({ a: "1" }, { policy }), thrown("UNSAFE_PATH"));
  const narrow = Workspace.memory({ "src/a": "1" }, { policy });
  assert.equal((await narrow.execute(write("a", "1"))).error.code, "UNSAFE_PATH");
  assert.equal((await narrow.execute(write("src/.env", "1"))).error.code, "UNSAFE_PATH");
  await assert.rejects(narrow.read("b"), thrown("UNSAFE_PATH"));
  await assert.rejects(narrow.exists("src/.env"), thrown("UNSAFE_PATH"));
  await assert.rejects(narrow.list("../x"), thrown("UNSAFE_PATH"));
  assert.deepEqual(await narrow.list("src"), ["src/a"]);
});

test("a path that is refused: what to send instead", async () => {
  const policy = { roots: ["src"], denies: ["src/x"] };
  for (const [path, solution, options] of [
    ["../a/b.txt", 'Send "a/b.txt", if that is the file.'],
    ["C:\\a\\b.txt", 'Send "a/b.txt", if that is the file.'],
    ["~/a.txt", 'Send "a.txt", if that is the file.'],
    ["a\u200b.txt ", 'Send "a.txt", if that is the file.'],
    ["a: b?.txt", 'Send "a- b-.txt", if that is the file.'],
    ["src/", "Send the path of a file in that directory."],
    [".git/config", "Send the path of a file outside of .git."],
    ["$HOME/a", "Send the path itself, without variables."],
    ["https://a.b/c", "Send the path of a file in the workspace, not a URL."],
    ["lib/a", 'Send a path in "src".', policy],
    ["/src/a", 'Send "src/a", if that is the file.', policy],
    ["src/x", "Send the path of another file: the host does not allow this one.", policy],
  ]) {
    const { error } = await Workspace.memory({}, { policy: options }).execute(write(path, "x"));
    assert.deepEqual([error.code, error.solution], ["UNSAFE_PATH", solution], path);
  }
});

test("paths.json: refused paths are neither written nor read", async () => {
  const table = JSON.parse(readFileSync(new URL("../fixtures/paths.json", import.meta.url), "utf8"));
  let refused = 0;
  for (const { path, policy, ok, result } of table) {
    const files = Workspace.memory({}, { policy });
    const { status, error, call } = await files.execute(write(path, "x"));
    if (ok) {
      assert.deepEqual([status, call.path], ["completed", result], path);
      assert.deepEqual(await files.snapshot(), { [result]: "x" });
      continue;
    }
    refused += 1;
    assert.deepEqual([status, error.code], ["failed", "UNSAFE_PATH"], path);
    const named = /^Send ("(?:[^"\\\\]|\\\\.)*"), if/.exec(error.solution);
    if (named) assert.ok(checkPath(JSON.parse(named[1]), policy).ok, error.solution);
    else assert.match(error.solution, /^Send [^{}]+\.$/, path);
    assert.deepEqual(await files.list(), []);
    assert.equal((await files.propose(write(path, "x"))).error.code, "UNSAFE_PATH");
    await assert.rejects(files.read(path), thrown("UNSAFE_PATH"));
  }
  assert.ok(refused >= 100);
});

test("limits hold", async () => {
  const files = Workspace.memory({}, { limits: { maxBlockBytes: 100 } });
  assert.equal((await files.execute(write("a", "x".repeat(200)))).error.code, "LIMIT_EXCEEDED");
  assert.equal((await files.execute(write("a", "x"))).status, "completed");
});

test("misuse throws", async () => {
  const misuse = thrown("INVALID_ARGUMENT");
  for (const initial of [null, [], { a: 1 }, { a: "1", "a/b": "2" }, { "a/b": "1", a: "2" }])
    assert.throws(() => Workspace.memory(initial), misuse);
  assert.throws(() => Workspace.memory({ "../a": "" }), thrown("UNSAFE_PATH"));
  assert.throws(() => Workspace.memory({}, { polici: {} }), misuse);
  assert.throws(() => Workspace.memory({}, { policy: { root: [] } }), misuse);
  assert.throws(() => Workspace.memory({}, { limits: { maxFiles: 1 } }), misuse);
  for (const host of [undefined, null, {}, { read() {}, write() {}, remove() {} }])
    assert.throws(() => Workspace.custom(host), misuse);
  const files = Workspace.memory();
  for (const call of [undefined, null, "write_file", [], 7]) {
    await assert.rejects(files.execute(call), misuse);
    await assert.rejects(files.preview(call), misuse);
    await assert.rejects(files.propose(call), misuse);
  }
  await assert.rejects(files.execute(write("a", 1n)), misuse);
  await assert.rejects(files.read(7), misuse);
  assert.throws(() => files.subscribe(7), misuse);
  if (!kinds.opfs) await assert.rejects(Workspace.opfs(), thrown("UNSUPPORTED", /Workspace\.memory/));
});

test("a call that is cancelled writes nothing", async () => {
  const files = Workspace.memory({ "a.txt": "a" });
  const stop = new AbortController();
  const first = files.execute(write("a.txt", "b"));
  const second = files.execute(write("a.txt", "c"), { signal: stop.signal });
  stop.abort();
  assert.equal((await first).status, "completed");
  const { status, error } = await second;
  assert.deepEqual([status, error.code], ["failed", "CANCELLED"]);
  assert.ok(error.solution);
  assert.equal(await files.read("a.txt"), "b");
  await assert.rejects(files.execute(write("a.txt", "c"), { abort: stop.signal }), { code: "INVALID_ARGUMENT" });
});

const never = () => new Promise(() => {});

test("a cancelled call answers at once, whatever the host does", async () => {
  for (const stuck of ["read", "write", "remove", "list", "realpath"]) {
    const texts = new Map([["a.txt", "a"]]);
    const host = {
      read: (path) => texts.get(path) ?? null,
      write: (path, text) => void texts.set(path, text),
      remove: (path) => void texts.delete(path),
      list: () => [...texts.keys()],
      realpath: (path) => path,
      [stuck]: never,
    };
    const files = Workspace.custom(host);
    const seen = [];
    files.subscribe(({ type, call }) => type === "status" && seen.push(call.status));
    const call = stuck === "remove" ? remove("a.txt") : stuck === "list" ? remove("none") : write("a.txt", "b");
    const stop = new AbortController();
    const first = files.execute(call, { signal: stop.signal });
    const second = files.execute(call, { signal: stop.signal });
    const proposed = files.propose(write("a.txt", "c"), { signal: stop.signal });
    await new Promise((resolve) => setTimeout(resolve));
    stop.abort();
    for (const { error } of await Promise.all([first, second])) assert.equal(error.code, "CANCELLED", stuck);
    if (stuck !== "list") assert.equal((await proposed).error.code, "CANCELLED", stuck);
    // Writes that had already started are reported.
    const { message, solution } = (await first).error;
    assert.equal(/while the host was writing/.test(message), ["write", "remove"].includes(stuck), stuck);
    assert.match(solution, ["write", "remove"].includes(stuck) ? /read it/ : /Nothing was written/, stuck);
    assert.deepEqual(
      seen.filter((status) => status === "completed"),
      [],
      stuck,
    );
    assert.equal((await files.execute(call, { signal: stop.signal })).error.code, "CANCELLED", stuck);
  }
});

test("the unfinished write of a cancelled call is not reported as a success, nor mixed with the next call", async () => {
  let release;
  let gate = new Promise((resolve) => (release = resolve));
  const texts = new Map([["a.txt", "1"]]);
  const order = [];
  const host = {
    read: (path) => texts.get(path) ?? null,
    async write(path, text) {
      order.push(`begin ${text}`);
      await gate;
      texts.set(path, text);
      order.push(`end ${text}`);
    },
    remove: never,
    list: () => [...texts.keys()],
  };
  const files = Workspace.custom(host);
  const statuses = [];
  files.subscribe(
    ({ type, call, result }) => type === "status" && statuses.push([call.content, call.status, result?.status]),
  );
  const stop = new AbortController();
  const first = files.execute(write("a.txt", "2"), { signal: stop.signal });
  const waiting = files.execute(write("a.txt", "3"), { signal: stop.signal });
  const next = files.execute(write("a.txt", "4"));
  await new Promise((resolve) => setTimeout(resolve));
  stop.abort();
  for (const { error } of [await first, await waiting]) assert.equal(error.code, "CANCELLED");
  assert.deepEqual(order, ["begin 2"]);
  gate = undefined;
  release();
  assert.equal((await next).status, "completed");
  assert.deepEqual(order, ["begin 2", "end 2", "begin 4", "end 4"]);
  assert.equal(texts.get("a.txt"), "4");
  assert.deepEqual(
    statuses.filter(([content]) => content !== "4").map(([content, status]) => `${content} ${status}`),
    ["2 processing", "3 processing", "2 executing", "2 failed", "3 failed"],
  );
});

test("a cancelled call does not create a proposal", async () => {
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const files = Workspace.custom({ read: () => gate.then(() => "a"), write() {}, remove() {}, list: () => [] });
  const stop = new AbortController();
  const proposed = files.propose(write("a.txt", "b"), { signal: stop.signal });
  stop.abort();
  assert.equal((await proposed).error.code, "CANCELLED");
  release();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(files.proposals(), []);
});

test("a file that is not there: those that are near it", async () => {
  const initial = ["src/app.ts", "src/deep/App.ts", "docs/Readme.md", "src/util.ts", "src/index.tsx", "caf\u00e9.txt"];
  const files = Workspace.memory(Object.fromEntries(initial.map((path) => [path, "text"])));
  for (const [path, near] of [
    ["src/App.ts", ["src/app.ts", "src/deep/App.ts"]],
    ["app.ts", ["src/app.ts", "src/deep/App.ts"]],
    ["src/app.js", ["src/app.ts"]],
    ["src/index.ts", ["src/index.tsx"]],
    ["src/utils.ts", ["src/util.ts"]],
    ["docs/README.md", ["docs/Readme.md"]],
    ["cafe\u0301.txt", ["caf\u00e9.txt"]],
    ["other/thing.css", undefined],
    ["x", undefined],
  ]) {
    for (const call of [edit(path, "a", "b"), remove(path)]) {
      const { error } = await files.execute(call);
      assert.deepEqual([error.code, error.near], ["NOT_FOUND", near], path);
      for (const own of near ?? []) assert.ok(error.solution.includes(JSON.stringify(own)), error.solution);
      assert.deepEqual((await files.preview(call)).error, error);
      assert.deepEqual((await files.propose(call)).error, error);
    }
  }
  const policy = { denies: ["src/app.ts"] };
  const narrow = Workspace.memory({ "src/deep/App.ts": "" }, { policy });
  assert.deepEqual((await narrow.execute(remove("src/apps.ts"))).error.near, undefined);
  const many = Workspace.memory(Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`d${n}/a.txt`, ""])));
  assert.equal((await many.execute(remove("a.txt"))).error.near.length, 5);
  const broken = Workspace.custom({
    read: () => null,
    write() {},
    remove() {},
    list: () => Promise.reject(new Error("no")),
  });
  assert.equal((await broken.execute(remove("a.txt"))).error.code, "NOT_FOUND");
});

test("a piece with differences that are hard to see", async () => {
  const files = Workspace.memory({ a: "let a =\u00a0“b”;\nlet c;\n" });
  const one = edit("a", 'let a = "b";', "let a;");
  const { error } = await files.execute(one);
  assert.equal(error.code, "NO_MATCH");
  assert.match(
    error.message,
    /At line 1, column 8 the file has U\+00A0 \(no-break space\) where old_string has U\+0020 \(space\)\.$/,
  );
  assert.match(error.solution, /such as \\u00a0 in JSON\.$/);
  assert.deepEqual(error.difference, { line: 1, column: 8, found: "U+00A0", sent: "U+0020" });
  // The same call with a preview for the user.
  const proposal = await files.propose(one);
  assert.deepEqual(
    proposal.fixes.map(({ code }) => code),
    ["NO_BREAK_SPACES", "TYPOGRAPHIC_QUOTES"],
  );
  assert.deepEqual(proposal.fixes[0].position, { offset: 7, line: 1, column: 8 });
  assert.equal((await files.approve(proposal.id)).status, "completed");
  assert.equal(await files.read("a"), "let a;\nlet c;\n");
  const other = Workspace.memory({ a: "say “yes” –\u00a0now\n" });
  for (const [old, found] of [["say ”yes", '"“" (U+201C)']])
    assert.ok((await other.execute(edit("a", old, ""))).error.message.includes(found));
});

test("disposed", async () => {
  const files = Workspace.memory({ a: "1" });
  const running = files.execute(write("a", "2"));
  files.dispose();
  files.dispose();
  files[Symbol.dispose]?.();
  const gone = thrown("DISPOSED");
  assert.equal((await running).status, "completed");
  for (const name of ["execute", "preview", "propose", "approve", "read", "exists", "list", "snapshot"])
    await assert.rejects(files[name]("a"), gone, name);
  for (const name of ["refuse", "proposals", "history", "subscribe"]) assert.throws(() => files[name]("a"), gone, name);
});

test("concurrent calls have the same effect as sequential ones", async () => {
  const rng = random(11);
  for (let round = 0; round < 60; round++) {
    const paths = ["a", "b", "d/a", "d", "d/e/f"];
    const make = () => {
      const path = rng.pick(paths);
      if (rng.chance(0.2)) return remove(path);
      const words = ["x", "y", "xy", "yx\n"];
      return rng.chance(0.5) ? edit(path, rng.pick(words), rng.pick(words)) : write(path, rng.pick(words));
    };
    const calls = rng.list(30, make);
    const one = Workspace.memory({ a: "x\ny\n" });
    const other = await kinds["node:fs"]({ a: "x\ny\n" });
    for (const call of calls) {
      const before = await one.snapshot();
      const [result, same] = [await one.execute(call), await other.execute(call)];
      // A folder stays in Node after its last file is deleted.
      if (same.error?.code !== "IS_DIRECTORY") assert.deepEqual(result, same, JSON.stringify(call));
      else if (result.status === "completed") break;
      if (result.status === "failed") assert.deepEqual(await one.snapshot(), before);
    }
  }
});
