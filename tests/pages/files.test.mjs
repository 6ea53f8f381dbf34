/** Workspaces in the browser's private file system: persistence and atomic writes. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { engine, insecureHost, startEngine } from "../support/engine.mjs";
import { app } from "../support/package.mjs";
import { serveFolder } from "../support/site.mjs";

/** The functions that the page offers to the tests. */
const program = `
import * as genui from "./node_modules/genui-patch/dist/index.js";
const base = { id: "tool_1", args: {}, status: "detected" };
Object.assign(globalThis, {
  genui,
  write: (path, content) => ({ ...base, tool: "write_file", path, content }),
  edit: (path, old_string, new_string) => ({ ...base, tool: "edit_file", path, search_replace: { old_string, new_string } }),
  remove: (path) => ({ ...base, tool: "delete_file", path }),
  /** The names in a directory of the file system. */
  async names(directory) {
    directory ??= await navigator.storage.getDirectory();
    const names = [];
    for await (const name of directory.keys()) names.push(name);
    return names.sort();
  },
  /** Opens an empty workspace. */
  async fresh() {
    const root = await navigator.storage.getDirectory();
    for (const name of await names(root)) await root.removeEntry(name, { recursive: true });
    return genui.Workspace.opfs();
  },
});
document.title = "ready";
`;

const profile = mkdtempSync(join(tmpdir(), "genui-patch-profile-"));
const start = () => startEngine({ profile });

let site;
let browser;
before(async () => {
  const page = `<!doctype html><meta charset="utf-8"><title></title><script type="module" src="/main.js"></script>`;
  site = await serveFolder(app({ "index.html": page, "main.js": program }));
  browser = await start();
});
after(async () => {
  await browser.close();
  site.close();
  rmSync(profile, { recursive: true, force: true });
});

async function tab(address = site.address, within = browser) {
  const page = await within.newPage();
  await page.goto(address);
  await page.waitForFunction(() => document.title === "ready");
  return page;
}

/** Runs a function in a new page. */
async function run(work, argument) {
  const page = await tab();
  try {
    return await page.evaluate(work, argument);
  } finally {
    await page.close();
  }
}

test("files survive a reload and a restart of the browser", async () => {
  const page = await tab();
  const { result, names } = await page.evaluate(async () => {
    const files = await fresh();
    const result = await files.execute(write("src/deep/a.ts", "\ufefflet a = 1;\r\n"));
    await files.execute(edit("src/deep/a.ts", "1;\n", "2;\n// three\n"));
    return { result, names: await names() };
  });
  assert.deepEqual([result.status, result.action], ["completed", "created"]);
  assert.deepEqual(names, ["src"]);
  await page.reload();
  await page.waitForFunction(() => document.title === "ready");
  const read = async () => (await genui.Workspace.opfs()).snapshot();
  const expected = { "src/deep/a.ts": "\ufefflet a = 2;\r\n// three\r\n" };
  assert.deepEqual(await page.evaluate(read), expected);
  await browser.close();
  browser = await start();
  assert.deepEqual(await run(read), expected);
});

test("errors are the same as in memory", async () => {
  const { actual, expected, left } = await run(async () => {
    const files = await fresh();
    const other = genui.Workspace.memory();
    const calls = [
      write("a", "1"),
      write("a/b", "1"),
      write("d/e/f", "1"),
      write("d", "1"),
      write("d/e", "1"),
      remove("d"),
      remove("x"),
      remove("x/y"),
      remove("a/b"),
      edit("a", "1", "$&"),
      edit("a", "no", "x"),
      edit("d/e", "no", "x"),
      edit("x", "no", "x"),
      remove("d/e/f"),
      write("d", "a file now"),
      write("../a", "1"),
      write("d", "again"),
      write("😀/é", "😀\ud800"),
    ];
    const [actual, expected] = [[], []];
    for (const call of calls) {
      actual.push(await files.execute(call));
      expected.push(await other.execute(call));
    }
    for (const [which, list] of [
      [files, actual],
      [other, expected],
    ]) {
      list.push(await which.snapshot(), await which.list("😀"), await which.list("nowhere"), await which.list("a/b"));
      for (const path of ["a", "d", "d/e", "x", "a/b"]) list.push(await which.exists(path), await which.read(path));
    }
    return { actual, expected, left: await names() };
  });
  // Names that the file system rejected are not in the workspace's memory either.
  assert.deepEqual(actual, expected);
  assert.deepEqual(left, ["a", "d", "😀"]);
});

test("the root can be a directory, by name or by handle", async () => {
  const { names, same, misuse } = await run(async () => {
    const top = await fresh();
    const one = await genui.Workspace.opfs("projects/one");
    await one.execute(write("a", "1"));
    const root = await navigator.storage.getDirectory();
    const other = await genui.Workspace.opfs(await root.getDirectoryHandle("projects"));
    const misuse = [];
    for (const directory of ["../a", "/a", 7, {}, null])
      misuse.push(await genui.Workspace.opfs(directory).catch(({ code }) => code));
    return { names: await top.list(), same: await other.snapshot(), misuse };
  });
  assert.deepEqual(names, ["projects/one/a"]);
  assert.deepEqual(same, { "one/a": "1" });
  assert.deepEqual(misuse, Array(5).fill("INVALID_ARGUMENT"));
});

const size = 100 * 1024;

test("a tab that is closed during a write leaves the old file intact", async () => {
  await run(async (size) => (await fresh()).execute(write("big", "o".repeat(size))), size);
  for (const step of ["write", "close"]) {
    for (const path of ["big", "new/big"]) {
      const page = await tab();
      await page.evaluate(
        async ([step, path, size]) => {
          const files = await genui.Workspace.opfs();
          const reached = new Promise((resolve) => {
            const { [step]: proceed } = FileSystemWritableFileStream.prototype;
            FileSystemWritableFileStream.prototype[step] = async function (...args) {
              // Half of the file is written; the rest never arrives.
              if (step === "write") await proceed.call(this, args[0].slice(0, size / 2));
              resolve();
              return new Promise(() => {});
            };
          });
          files.execute(write(path, "n".repeat(size)));
          await reached;
        },
        [step, path, size],
      );
      await page.close({ runBeforeUnload: false });
    }
    const after = await run(async () => {
      const files = await genui.Workspace.opfs();
      return [await files.list(), await files.read("big"), await files.exists("new/big")];
    });
    assert.deepEqual(after, [["big"], "o".repeat(size), false], step);
  }
  const after = await run(async (size) => {
    const files = await genui.Workspace.opfs();
    const { status } = await files.execute(write("new/big", "n".repeat(size)));
    const root = await navigator.storage.getDirectory();
    return [status, await files.list(), await names(await root.getDirectoryHandle("new"))];
  }, size);
  assert.deepEqual(after, ["completed", ["big", "new/big"], ["big"]]);
});

test("a tab that is closed at any moment leaves an intact file", async () => {
  await run(async () => (await fresh()).execute(write("big", "")));
  const seen = new Set();
  for (let round = 0; round < 12; round++) {
    const page = await tab();
    await page.evaluate(async (size) => {
      const files = await genui.Workspace.opfs();
      const work = async () => {
        for (const letter of "abcdefghij".repeat(100)) await files.execute(write("big", letter.repeat(size)));
      };
      work();
    }, size);
    await new Promise((resolve) => setTimeout(resolve, 40 + 7 * round));
    await page.close({ runBeforeUnload: false });
    const text = await run(async () => (await genui.Workspace.opfs()).read("big"));
    assert.ok(text === "" || (text.length === size && new Set(text).size === 1), `${text.length}`);
    seen.add(text[0]);
  }
  assert.ok(seen.size > 1);
});

test("an error during a write leaves the old file intact", async () => {
  const results = await run(async (size) => {
    const files = await fresh();
    await files.execute(write("big", "o".repeat(size)));
    const results = [];
    const fail = async (path, step, error) => {
      const { [step]: proceed } = FileSystemWritableFileStream.prototype;
      FileSystemWritableFileStream.prototype[step] = () => Promise.reject(error);
      const result = await files.execute(write(path, "n".repeat(size)));
      FileSystemWritableFileStream.prototype[step] = proceed;
      const whole = (await files.read("big")) === "o".repeat(size);
      results.push([result.error.code, whole, await names(), await files.exists("new")]);
    };
    for (const path of ["big", "new"]) {
      for (const step of ["write", "close"]) {
        await fail(path, step, new DOMException("full", "QuotaExceededError"));
        await fail(path, step, new Error("broken"));
      }
    }
    return results;
  }, size);
  const row = (code) => [code, true, ["big"], false];
  assert.deepEqual(
    results,
    Array(4)
      .fill([row("QUOTA_EXCEEDED"), row("HOST_FAILED")])
      .flat(),
  );
});

test("two tabs that write one path do not mix their contents, and lose nothing", async () => {
  await run(async () => (await fresh()).execute(write("log", "END\n")));
  const pages = [await tab(), await tab()];
  const work = async ([letter, size]) => {
    const files = await genui.Workspace.opfs();
    const failed = [];
    for (let turn = 0; turn < 15; turn++) {
      for (const call of [
        edit("log", "END", `${letter}\nEND`),
        write("both", letter.repeat(size)),
        write(`new-${turn}`, letter),
      ]) {
        const { error } = await files.execute(call);
        if (error) failed.push(error);
        const text = await files.read("both");
        if (text && (text.length !== size || text !== text[0].repeat(size))) failed.push("mixed");
      }
    }
    return failed;
  };
  const failed = await Promise.all(pages.map((page, index) => page.evaluate(work, ["ab"[index], size])));
  assert.deepEqual(failed, [[], []]);
  for (const page of pages) await page.close();
  const { log, list } = await run(async () => {
    const files = await genui.Workspace.opfs();
    return { log: await files.read("log"), list: await files.list() };
  });
  const letters = log.split("\n");
  assert.deepEqual(
    [letters.filter((line) => line === "a").length, letters.filter((line) => line === "b").length],
    [15, 15],
  );
  assert.equal(list.length, 17);
});

test("empty directories that another tab removes are created again", async () => {
  const results = await run(async () => {
    const files = await fresh();
    const root = await navigator.storage.getDirectory();
    const { prototype } = FileSystemDirectoryHandle;
    let left = 3;
    for (const method of ["getDirectoryHandle", "getFileHandle"]) {
      const { [method]: proceed } = prototype;
      prototype[method] = async function (name, options) {
        // Just before a file is created in the directory.
        if (options?.create && name !== "d" && left-- > 0) await root.removeEntry("d", { recursive: true });
        return proceed.call(this, name, options);
      };
    }
    const { status } = await files.execute(write("d/e/f", "text"));
    return [status, left < 0, await files.snapshot()];
  });
  assert.deepEqual(results, ["completed", true, { "d/e/f": "text" }]);
});

test("tabs that remove each other's empty directories refuse no write", async () => {
  await run(async () => void (await fresh()));
  const pages = [await tab(), await tab()];
  const work = async (index) => {
    const files = await genui.Workspace.opfs();
    const failed = [];
    for (let turn = 0; turn < 40; turn++) {
      const path = `one/two/${index}`;
      for (const call of [write(path, "text"), edit(path, "text", `${turn}`), remove(path)]) {
        const { error } = await files.execute(call);
        if (error) failed.push(error);
        if ((await files.list()).some((path) => !/^one.two.[01]$/.test(path))) failed.push("listed");
      }
    }
    return failed;
  };
  const failed = await Promise.all(pages.map((page, index) => page.evaluate(work, index)));
  for (const page of pages) await page.close();
  assert.deepEqual(failed, [[], []]);
});

test("other tabs read a file that is being replaced as a whole", async () => {
  await run(async (size) => (await fresh()).execute(write("both", "o".repeat(size))), size);
  const pages = [await tab(), await tab()];
  const work = async ([letter, size]) => {
    const files = await genui.Workspace.opfs();
    const torn = [];
    for (let turn = 0; turn < 25; turn++) {
      await files.execute(write("both", letter.repeat(size)));
      for (const text of [
        await files.read("both"),
        (await files.snapshot()).both,
        (await files.preview(remove("both"))).before,
      ])
        if (text !== text?.[0]?.repeat(size)) torn.push(text?.length ?? null);
    }
    return torn;
  };
  const torn = await Promise.all(pages.map((page, index) => page.evaluate(work, ["ab"[index], size])));
  for (const page of pages) await page.close();
  assert.deepEqual(torn, [[], []]);
});

test("tabs with different root directories lose nothing of a shared file", async () => {
  await run(async () => (await fresh()).execute(write("one/two/log", "END\n")));
  const pages = [await tab(), await tab(), await tab()];
  const work = async (index) => {
    const root = await navigator.storage.getDirectory();
    const [directory, path] = [
      ["", "one/two/log"],
      ["one", "two/log"],
      [await (await root.getDirectoryHandle("one")).getDirectoryHandle("two"), "log"],
    ][index];
    const files = await genui.Workspace.opfs(directory);
    const failed = [];
    for (let turn = 0; turn < 20; turn++) {
      const { error } = await files.execute(edit(path, "END", `${index}\nEND`));
      if (error) failed.push(error.code);
    }
    return failed;
  };
  const failed = await Promise.all(pages.map((page, index) => page.evaluate(work, index)));
  assert.deepEqual(failed, [[], [], []]);
  for (const page of pages) await page.close();
  const log = await run(async () => (await genui.Workspace.opfs("one/two")).read("log"));
  assert.deepEqual(log.split("\n").sort(), ["", ..."0".repeat(20), ..."1".repeat(20), ..."2".repeat(20), "END"]);
});

/** Runs a function in a page whose site may store ten megabytes. */
async function narrow(work) {
  const quota = 10 * 1024 * 1024;
  if (engine !== "chromium") {
    const other = await startEngine({ quota });
    const page = await tab(site.address, other);
    return page.evaluate(work).finally(() => other.close());
  }
  const page = await tab();
  const session = await browser.newCDPSession(page);
  const { origin } = new URL(site.address);
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: quota });
  try {
    return await page.evaluate(work);
  } finally {
    await session.send("Storage.overrideQuotaForOrigin", { origin });
    await page.close();
  }
}

test("a full disk is reported, and the old file stays intact", async () => {
  const results = await narrow(async () => {
    const files = await fresh();
    const results = [];
    for (const [path, content] of [
      ["a", "old"],
      ["filler", "f".repeat(7_500_000)],
      ["a", "n".repeat(5_000_000)],
      ["b", "n".repeat(5_000_000)],
    ]) {
      const { status, error } = await files.execute(write(path, content));
      results.push([status, error?.code]);
    }
    return [results, await files.read("a"), await names()];
  });
  const [done, full] = [
    ["completed", undefined],
    ["failed", "QUOTA_EXCEEDED"],
  ];
  assert.deepEqual(results, [[done, done, full, full], "old", ["a", "filler"]]);
});

const unheld = engine === "webkit" && "WebKit of GTK has no handles that hold a file";

test("a file that another program has locked", { skip: unheld }, async () => {
  const results = await run(async () => {
    const files = await fresh();
    await files.execute(write("held", "old"));
    const source = `onmessage = async () => {
      const root = await navigator.storage.getDirectory();
      globalThis.held = await (await root.getFileHandle("held")).createSyncAccessHandle();
      postMessage("held");
    }`;
    const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
    await new Promise((resolve) => {
      worker.onmessage = resolve;
      worker.postMessage("");
    });
    const codes = [];
    for (const call of [write("held", "new"), remove("held")]) codes.push((await files.execute(call)).error?.code);
    worker.terminate();
    return [codes, await files.snapshot()];
  });
  assert.deepEqual(results, [["FILE_LOCKED", "FILE_LOCKED"], { held: "old" }]);
});

test("a file that is not text", async () => {
  const results = await run(async () => {
    const files = await fresh();
    await files.execute(write("text", "old"));
    const root = await navigator.storage.getDirectory();
    const stream = await (await root.getFileHandle("image", { create: true })).createWritable();
    await stream.write(new Uint8Array([0x89, 0x50, 0xff]));
    await stream.close();
    const { error } = await files.execute(edit("image", "P", "Q"));
    return [error.code, await files.exists("image"), await files.snapshot()];
  });
  assert.deepEqual(results, ["NOT_TEXT", true, { text: "old" }]);
});

test("a browser that cannot replace files atomically is not supported, and nothing is written", async () => {
  const codes = await run(async () => {
    await fresh();
    const open = () =>
      genui.Workspace.opfs().then(
        () => "opened",
        ({ code }) => code,
      );
    const codes = [await open()];
    const { getDirectory } = StorageManager.prototype;
    StorageManager.prototype.getDirectory = () => Promise.reject(new DOMException("private", "SecurityError"));
    codes.push(await open());
    StorageManager.prototype.getDirectory = undefined;
    codes.push(await open());
    StorageManager.prototype.getDirectory = getDirectory;
    delete FileSystemFileHandle.prototype.createWritable;
    codes.push(await open());
    const root = await getDirectory.call(navigator.storage);
    codes.push(await genui.Workspace.opfs(root).catch(({ code }) => code));
    return [codes, await names()];
  });
  assert.deepEqual(codes, [["opened", ...Array(4).fill("UNSUPPORTED")], []]);
});

test("a page without https has no private file system", { skip: insecureHost === undefined }, async () => {
  const page = await tab(site.address.replace("127.0.0.1", insecureHost));
  const result = await page.evaluate(async () => {
    const error = await genui.Workspace.opfs().catch((error) => error);
    return [isSecureContext, error.name, error.code];
  });
  await page.close();
  assert.deepEqual(result, [false, "GenuiPatchError", "UNSUPPORTED"]);
});

test("a browser that cannot rename files rolls back a failed write", async () => {
  const results = await run(async () => {
    const files = await fresh();
    delete FileSystemFileHandle.prototype.move;
    const codes = [(await files.execute(write("d/a", "1"))).status];
    FileSystemWritableFileStream.prototype.close = () => Promise.reject(new Error("broken"));
    codes.push((await files.execute(write("d/b", "1"))).error.code);
    return [codes, await files.snapshot()];
  });
  assert.deepEqual(results, [["completed", "HOST_FAILED"], { "d/a": "1" }]);
});
