/** The examples, from the packed tarball: they compile, build, and work in a page. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";
import { build as vite } from "vite";
import { open } from "../support/browser.mjs";
import { startEngine } from "../support/engine.mjs";
import { app, root } from "../support/package.mjs";
import { serveFolder } from "../support/site.mjs";

const browser = await startEngine();
after(() => browser.close());

/** The files of an example, with the tarball and this project's packages installed. */
function example(name, packages = []) {
  const folder = join(root, "examples", name);
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
  const { dependencies, devDependencies, ...manifest } = JSON.parse(files["package.json"]);
  const made = app({ ...files, "package.json": JSON.stringify(manifest) });
  for (const other of packages) {
    const place = join(made, "node_modules", other);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, "node_modules", other), place);
  }
  return { folder: made, wanted: { ...dependencies, ...devDependencies } };
}

const react = ["react", "react-dom", "scheduler", "csstype", "@types/react", "@types/react-dom", "zod", "vite"];

test("vite-react: a CRM in at most 60 lines, strict and without a cast, that works", async () => {
  const { folder } = example("vite-react", react);
  const main = readFileSync(join(folder, "src/main.tsx"), "utf8");
  assert.ok(main.split("\n").length <= 61, `${main.split("\n").length - 1} lines`);
  assert.doesNotMatch(main, / as (?!const)|: any|@ts-/);
  for (const compiler of ["typescript", "typescript5"]) {
    const { bin } = JSON.parse(readFileSync(join(root, "node_modules", compiler, "package.json"), "utf8"));
    const args = [join(root, "node_modules", compiler, bin.tsc), "-p", "."];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    assert.equal(status, 0, stdout);
  }
  await vite({ root: folder, configFile: false, logLevel: "error" });
  const site = await serveFolder(join(folder, "dist"));
  try {
    const { page, problems } = await open(browser, site.address);
    const shown = (wanted) =>
      page.waitForFunction((wanted) => document.body.innerText.includes(wanted), wanted, { timeout: 60_000 });
    await page.getByRole("button", { name: "Send" }).click();
    await page.waitForSelector("[data-draft]", { timeout: 60_000 });
    await shown("Sales");
    await shown("The page is ready.");
    await page.getByLabel("Budget").pressSequentially("1.05");
    await page.getByRole("tab", { name: "All contacts" }).click();
    await shown("Ada");
    await page
      .getByRole("button", { name: /approve/i })
      .first()
      .click();
    await shown("Nothing waits for your approval.");
    assert.deepEqual(problems, []);
    await page.close();
  } finally {
    site.close();
  }
});

test("plain-html: a form without a bundler", async () => {
  const { folder } = example("plain-html");
  const site = await serveFolder(folder);
  try {
    const { page, problems } = await open(browser, site.address);
    await page.getByRole("button", { name: "Build a form" }).click();
    await page.waitForFunction(() => document.body.innerText.includes("Done."), null, { timeout: 60_000 });
    assert.equal(await page.getByLabel("Name").inputValue(), "Ada");
    await page.getByLabel("Age").pressSequentially("41");
    assert.equal(await page.getByLabel("Age").inputValue(), "41");
    assert.deepEqual(problems, []);
    await page.close();
  } finally {
    site.close();
  }
});

test("node-server: sign in, enter, approve what an agent proposes, sign out", async () => {
  const { folder } = example("node-server", ["ws"]);
  const SECRET = "a secret for tests, 32 characters";
  const AGENT_TOKEN = "an agent's token for tests, 32 long";
  const env = { ...process.env, PORT: "0", STORAGE: "memory", SECRET, AGENT_TOKEN };
  const child = spawn(process.execPath, ["main.mjs"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const address = await new Promise((resolve) => createInterface(child.stdout).once("line", resolve));
    const { page, problems } = await open(browser, address);
    const status = page.getByRole("status");
    await page.getByLabel("Name").fill("ann");
    await page.getByLabel("Password").fill("ann");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Item").pressSequentially("bread");
    const patches = [{ op: "set", path: "state.params.item", value: "salt" }];
    const params = { name: "patch_ui_state", arguments: { instance_name: "list", patches } };
    const headers = { "content-type": "application/json", authorization: `Bearer ${AGENT_TOKEN}` };
    headers.accept = "application/json, text/event-stream";
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const response = await fetch(`${address}/rooms/lobby/mcp`, { method: "POST", headers, body });
    assert.equal((await response.json()).result.structuredContent.status, "pending");
    const proposal = page.getByRole("list", { name: "Proposals" }).getByRole("listitem");
    assert.match(await proposal.innerText(), /wants to change "list": .*salt/);
    await proposal.getByRole("button", { name: "Approve" }).click();
    await proposal.waitFor({ state: "detached" });
    await page.getByLabel("Item").blur();
    await page.waitForFunction(() => document.querySelector("[name=item]").value === "salt");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    assert.match(await status.innerText(), /unauthorized/);
    assert.deepEqual(problems, []);
    await page.close();
  } finally {
    child.kill();
  }
});
