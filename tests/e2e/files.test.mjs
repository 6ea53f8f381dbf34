/** The workspace: files written by the chat, approval by the user, the browser's private file system. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, harness, play } from "./harness.mjs";

const own = await harness("files");

const tree = () => own.page.getByRole("navigation", { name: "Files" });
const file = (name) => tree().getByRole("button", { name });
const text = async (path) => {
  const shown = own.page.getByRole("region", { name: `Text of ${path}` });
  await shown.waitFor();
  return (await shown.locator("li").allTextContents()).join("\n");
};
const proposal = () => own.page.getByRole("article");
const asking = () => own.page.getByRole("switch", { name: "Ask before writing" });

test("shows the files by folder, and their text", async () => {
  await file("start.ts").click();
  assert.equal(await file("start.ts").getAttribute("aria-current"), "true");
  assert.match(
    await text("src/start.ts"),
    /^import \{ readdir, readFile \} from "node:fs\/promises";\n\nconst folder = "entries";/,
  );
  assert.match(await own.page.getByText("private file system").innerText(), /survives a reload/);
});

test("files that a page did not come to write before it was closed are there the next time", async () => {
  const names = async () => {
    await file("start.ts").waitFor();
    return tree().getByRole("button").allInnerTexts();
  };
  const all = await names();
  await own.page.addInitScript(() => {
    if (sessionStorage.getItem("stopped")) return;
    sessionStorage.setItem("stopped", "yes");
    const files = FileSystemFileHandle.prototype;
    const { createWritable } = files;
    let left = 3;
    files.createWritable = function (...args) {
      left -= 1;
      return left < 0 ? new Promise(() => {}) : createWritable.apply(this, args);
    };
  });
  const remove = async () =>
    (await navigator.storage.getDirectory()).removeEntry("genui-patch-demo", { recursive: true });
  await own.page.evaluate(remove);
  await own.page.reload();
  const written = async () => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("genui-patch-demo");
    return (await root.getDirectoryHandle("src")).getFileHandle("start.ts").then(() => true);
  };
  await eventually(() => own.page.evaluate(written));
  await own.page.reload();
  assert.deepEqual(await names(), all);
});

test("a write waits for approval, hunk by hunk, and is executed after it", async () => {
  await play(own.page, "Write, edit, delete");
  await file("start.ts").click();
  await proposal().waitFor();
  const lines = await proposal().locator(".gp-line").allInnerTexts();
  assert.ok(lines.some((line) => line.includes('const folder = "notes";')));
  assert.equal(await proposal().locator("ins mark").first().innerText(), "notes");
  assert.match(await text("src/start.ts"), /"entries"/);
  await proposal().getByRole("button", { name: "Approve" }).click();
  await eventually(async () => assert.match(await text("src/start.ts"), /const folder = "notes";/));
});

test("an answer that is played again asks once", async () => {
  await play(own.page, "Write, edit, delete");
  await play(own.page, "Write, edit, delete");
  await own.page.getByRole("log", { name: "Conversation" }).getByText("waits for your approval:").nth(2).waitFor();
  await file("start.ts").click();
  assert.equal(await proposal().count(), 1);
});

test("listings that come out of order leave the newest", async () => {
  // The first listing after a write reads the folder of the file that is deleted later, and resolves after the last listing.
  await own.page.addInitScript(() => {
    const directories = FileSystemDirectoryHandle.prototype;
    const listing = directories[Symbol.asyncIterator];
    // A call that writes a new path lists the files itself: only listings after the first write are the page's.
    const files = FileSystemWritableFileStream.prototype;
    const { close } = files;
    files.close = async function () {
      await close.call(this);
      if (sessionStorage.getItem("hold") === "after the write") sessionStorage.setItem("hold", "yes");
    };
    directories[Symbol.asyncIterator] = async function* () {
      const isHeld = this.name === "drafts" && sessionStorage.getItem("hold") === "yes";
      if (isHeld) sessionStorage.setItem("hold", "done");
      const entries = [];
      for await (const entry of listing.call(this)) entries.push(entry);
      while (isHeld && sessionStorage.getItem("hold") === "done")
        await new Promise((resolve) => setTimeout(resolve, 20));
      if (isHeld) sessionStorage.setItem("hold", "over");
      yield* entries;
    };
  });
  await own.page.reload();
  await asking().click();
  await own.page.evaluate(() => sessionStorage.setItem("hold", "after the write"));
  await play(own.page, "Write, edit, delete");
  const holdState = () => own.page.evaluate(() => sessionStorage.getItem("hold"));
  await eventually(async () => assert.equal(await holdState(), "done"));
  await file("readme-old.md").waitFor({ state: "detached" });
  await own.page.evaluate(() => sessionStorage.setItem("hold", "release"));
  await eventually(async () => assert.equal(await holdState(), "over"));
  await own.page.waitForTimeout(200);
  assert.equal(await file("readme-old.md").count(), 0);
  await file("README.md").waitFor();
});

test("refused means untouched", async () => {
  await file("readme-old.md").click();
  const before = await text("drafts/readme-old.md");
  await play(own.page, "Write, edit, delete");
  await file("readme-old.md").click();
  await proposal().getByRole("button", { name: "Refuse" }).click();
  await eventually(async () => assert.equal(await proposal().count(), 0));
  assert.equal(await text("drafts/readme-old.md"), before);
  const conversation = own.page.getByRole("log", { name: "Conversation" });
  await conversation.getByText("refused by you: untouched").waitFor();
});

test("a part of a change is approved, the rest is left", async () => {
  await play(own.page, "One file, two changes");
  await file("start.ts").click();
  await proposal().getByRole("checkbox").nth(1).uncheck();
  await proposal().getByRole("button", { name: "Approve 1 of 2" }).click();
  await eventually(async () =>
    assert.match(await text("src/start.ts"), /from "node:fs\/promises";\n\nconst folder = "notes"/),
  );
  assert.ok(!(await text("src/start.ts")).includes("catch"));
});

test("the user's edited text is written instead", async () => {
  await play(own.page, "Write, edit, delete");
  await file("README.md").click();
  await proposal().getByRole("button", { name: "Edit" }).click();
  await own.page.getByLabel("Your value for README.md").fill("# Mine\n");
  await proposal().getByRole("button", { name: "Approve with your changes" }).click();
  await eventually(async () => assert.equal(await text("README.md"), "# Mine"));
});

test("without asking, all is written at once and survives a reload", async () => {
  await asking().uncheck();
  await play(own.page, "Write, edit, delete");
  const conversation = own.page.getByRole("log", { name: "Conversation" });
  await conversation.getByText("deleted", { exact: true }).waitFor();
  assert.equal(await file("readme-old.md").count(), 0);
  await own.page.reload();
  await file("README.md").click();
  assert.match(await text("README.md"), /^# Field notes 🗺️/);
  assert.equal(await file("readme-old.md").count(), 0);
  await own.page.getByRole("button", { name: "Reset files" }).click();
  await file("readme-old.md").waitFor();
});

test("an edit that does not fit says why", async () => {
  await asking().uncheck();
  await play(own.page, "Write, edit, delete");
  await play(own.page, "Write, edit, delete");
  const conversation = own.page.getByRole("log", { name: "Conversation" });
  await conversation.getByText(/failed · NO_MATCH/).waitFor();
  await conversation.getByText(/failed · NOT_FOUND/).waitFor();
});

test("a refused block is corrected by a model, checked again, and then proposed", async () => {
  await play(own.page, "Six blocks, five mistakes");
  const pill = own.page.locator(".pill", { hasText: "src/empty.ts" });
  await pill.getByRole("button", { name: "Correct by a recorded model" }).click();
  await pill.getByText("Corrected by a recorded model in one attempt, and valid now.").waitFor();
  await pill.getByText("waits for your approval:").waitFor();
  assert.equal(await pill.locator(".pill-verdict").innerText(), "corrected");
  const stubborn = own.page.locator(".pill", { hasText: "authorized_keys" });
  await stubborn.getByRole("button", { name: "Correct by a recorded model" }).click();
  await stubborn.getByText("Still refused after one attempt by a recorded model.").waitFor();
  assert.match(await stubborn.getByRole("list", { name: "What is still wrong" }).innerText(), /UNSAFE_PATH/);
});
