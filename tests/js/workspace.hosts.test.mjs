// Hosts that fail, that have links, and whose files change externally.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Workspace } from "genui-patch";
import { edit, nodeHost, remove, write } from "../support/files.mjs";

const root = mkdtempSync(join(tmpdir(), "genui-patch-hosts-"));
after(() => rmSync(root, { recursive: true, force: true }));

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

test("every error of a host is a result", async () => {
  const named = (name, code) => Object.assign(new Error("said"), { name, ...(code && { code }) });
  const rows = [
    [named("Error", "ENOSPC"), "QUOTA_EXCEEDED"],
    [named("Error", "EACCES"), "NOT_ALLOWED"],
    [named("Error", "EISDIR"), "IS_DIRECTORY"],
    [named("Error", "ENOTDIR"), "NOT_DIRECTORY"],
    [new DOMException("said", "QuotaExceededError"), "QUOTA_EXCEEDED"],
    [new DOMException("said", "NotAllowedError"), "NOT_ALLOWED"],
    [new DOMException("said", "NoModificationAllowedError"), "FILE_LOCKED"],
    [new DOMException("said", "NotReadableError"), "FILE_CHANGED"],
    [new Error("said"), "HOST_FAILED"],
    ["said", "HOST_FAILED"],
    [undefined, "HOST_FAILED"],
    [null, "HOST_FAILED"],
    [{ code: "toString" }, "HOST_FAILED"],
    [{ code: "", name: "" }, "HOST_FAILED"],
    // An error's code has priority over its name.
    [{ code: "EBUSY", name: "NotFoundError" }, "FILE_LOCKED"],
  ];
  for (const [cause, code] of rows) {
    const failing = [
      { write: () => Promise.reject(cause) },
      {
        write: () => {
          throw cause;
        },
      },
      { read: () => Promise.reject(cause) },
      {
        realpath: () => {
          throw cause;
        },
      },
    ];
    for (const changes of failing) {
      const store = { a: "1" };
      const result = await Workspace.custom(hostOf(store, changes)).execute(edit("a", "1", "2"));
      assert.deepEqual([result.status, result.error.code], ["failed", code], String(cause));
      assert.match(result.error.message, /"a"/);
      assert.deepEqual(store, { a: "1" });
    }
  }
});

test("a host that reads by throwing, or gives what is no text", async () => {
  const missing = () => Promise.reject(Object.assign(new Error(), { code: "ENOENT" }));
  const files = Workspace.custom(hostOf({}, { read: missing }));
  assert.equal(await files.read("a"), null);
  assert.equal((await files.execute(write("a", "1"))).action, "created");
  assert.equal((await files.execute(remove("a"))).error.code, "NOT_FOUND");
  const bytes = Workspace.custom(hostOf({}, { read: () => new Uint8Array() }));
  assert.equal((await bytes.execute(edit("a", "1", "2"))).error.code, "HOST_FAILED");
  const nothing = Workspace.custom(hostOf({}, { read: () => undefined }));
  assert.equal(await nothing.read("a"), null);
});

test("an edit holds for the text that it was found in", async () => {
  const texts = ["one 1", "one 2"];
  const store = {};
  const files = Workspace.custom(hostOf(store, { read: () => texts.shift() }));
  assert.equal((await files.execute(edit("a", "one", "two"))).error.code, "FILE_CHANGED");
  assert.deepEqual(store, {});
});

test("a host that is a class, and that takes its time", async () => {
  let written;
  const other = new Promise((resolve) => {
    written = resolve;
  });
  class Slow {
    #files = new Map();
    async read(path) {
      return this.#files.get(path) ?? null;
    }
    async write(path, content) {
      // The first path is not written before the other one is.
      if (path === "a") await other;
      this.#files.set(path, content);
    }
    async remove(path) {
      this.#files.delete(path);
    }
    async list() {
      return [...this.#files.keys()];
    }
  }
  const files = Workspace.custom(new Slow());
  const order = [];
  await Promise.all(
    [write("a", "1"), edit("a", "1", "2"), write("A", "3"), write("b", "1")].map(async (call) => {
      order.push((await files.execute(call)).call.path);
      if (call.path === "b") written();
    }),
  );
  // A write to another path does not wait; one to a path that some file systems treat as equal does.
  assert.deepEqual(order, ["b", "a", "a", "A"]);
  assert.deepEqual(await files.snapshot(), { A: "3", a: "2", b: "1" });
});

test("links that lead out are not followed", async () => {
  const folder = await fs.mkdtemp(join(root, "links-"));
  const inside = join(folder, "inside");
  const outside = join(folder, "outside");
  for (const path of [inside, outside, join(inside, "src"), join(inside, ".git")]) await fs.mkdir(path);
  await fs.writeFile(join(outside, "secret"), "secret");
  await fs.writeFile(join(inside, "src/a"), "1");
  await fs.symlink(outside, join(inside, "out"));
  await fs.symlink(join(outside, "secret"), join(inside, "file"));
  await fs.symlink(join(inside, ".git"), join(inside, "git"));
  await fs.symlink(join(inside, "src"), join(inside, "good"));
  await fs.symlink(join(outside, "not-there"), join(inside, "dangling"));
  const files = Workspace.custom(nodeHost(inside));
  for (const path of ["out/secret", "out/new", "out/deep/new", "file", "git/config", "dangling"]) {
    for (const call of [write(path, "x"), edit(path, "secret", "x"), remove(path)]) {
      const { error } = await files.execute(call);
      assert.equal(error?.code, "UNSAFE_PATH", `${path} ${call.tool} ${JSON.stringify(error)}`);
    }
    await assert.rejects(files.read(path), /leads to a forbidden path/);
  }
  assert.equal((await files.execute(write("good/b", "2"))).status, "completed");
  assert.equal((await files.execute(edit("good/a", "1", "2"))).status, "completed");
  assert.equal(await fs.readFile(join(inside, "src/b"), "utf8"), "2");
  assert.deepEqual((await fs.readdir(outside)).sort(), ["secret"]);
  assert.equal(await fs.readFile(join(outside, "secret"), "utf8"), "secret");
});

test("a real path may be relative to the workspace", async () => {
  const real = { a: "a", link: "../elsewhere", deep: "x/y", git: ".git", up: "..", here: "." };
  const store = { a: "1", link: "1", "deep/f": "1", "git/config": "1", "up/f": "1", "here/f": "1" };
  const files = Workspace.custom(hostOf(store, { realpath: (path) => real[path] ?? null }));
  const codes = {};
  for (const path of Object.keys(store)) codes[path] = (await files.execute(write(path, "2"))).error?.code;
  const no = "UNSAFE_PATH";
  const expected = { a: undefined, link: no, "deep/f": undefined, "git/config": no, "up/f": no, "here/f": undefined };
  assert.deepEqual(codes, expected);
});

test("a host that lists more than it was asked for", async () => {
  const store = { "src/a": "1", "src/b/c": "2", srcs: "3", d: "4" };
  const files = Workspace.custom(hostOf(store));
  assert.deepEqual(await files.list("src"), ["src/a", "src/b/c"]);
  assert.deepEqual(await files.list("./src/"), ["src/a", "src/b/c"]);
  assert.deepEqual(await files.list("d"), []);
  assert.deepEqual(await files.list(), ["d", "src/a", "src/b/c", "srcs"]);
  for (const paths of [undefined, [7], 7])
    await assert.rejects(Workspace.custom(hostOf({}, { list: () => paths })).list("src"), { code: "HOST_FAILED" });
});

test("a snapshot contains exactly the readable files", async () => {
  const store = { a: "1", ".env": "secret", ".git/config": "2", "../out": "3", link: "4", dir: "5" };
  const isDirectory = Object.assign(new Error(), { code: "EISDIR" });
  const changes = {
    read: (path) => (path === "dir" ? Promise.reject(isDirectory) : store[path]),
    realpath: (path) => (path === "link" ? "/elsewhere" : path === "." ? "/root" : `/root/${path}`),
  };
  const policy = { denies: [".env"] };
  assert.deepEqual(await Workspace.custom(hostOf(store, changes), { policy }).snapshot(), { a: "1" });
  const { realpath: _, ...plain } = changes;
  assert.deepEqual(await Workspace.custom(hostOf(store, plain), { policy }).snapshot(), { a: "1", link: "4" });
});
