/**
 * MCP Apps: the app of docs/mcp.md, as a room's `ui://` resource, in a test host: a page with the AppBridge of ext-apps and the
 * SDK's client, whose frame has the Content-Security-Policy of a host.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import { build } from "esbuild";
import * as server from "genui-patch/server";
import { launch, open } from "../support/browser.mjs";
import { listings, run } from "../support/docs.mjs";
import { root } from "../support/package.mjs";

const [, , page, setup] = listings("mcp");

/** A script of one file, from source text. */
async function bundled(contents, loader) {
  const { outputFiles } = await build({
    stdin: { contents, loader, resolveDir: root, sourcefile: `stdin.${loader}` },
    bundle: true,
    minify: true,
    format: "esm",
    jsx: "automatic",
    target: "es2022",
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
    logLevel: "warning",
  });
  return outputFiles[0].text;
}

const HOST = readFileSync(new URL("../support/stand-ins/mcp-host.mjs", import.meta.url), "utf8");

const [script, host] = await Promise.all([bundled(page.code, "tsx"), bundled(HOST, "js")]);
const rooms = await run(
  setup.code,
  {
    ...server,
    script,
    styles: readFileSync(join(root, "dist/ui.css"), "utf8"),
    sessionOf: (headers) => {
      const [, token = ""] = (headers.get("authorization") ?? "").split(" ");
      const [id, role] = token.split(":");
      return ["agent", "editor"].includes(role) ? { user: { id }, role } : null;
    },
    answersFor: (_request, { user }) => (user.id === "desk" ? { id: "dana" } : null),
  },
  "rooms",
);
const listener = server.nodeListener(rooms);
const http = createServer((request, response) => {
  if (request.url !== "/") return listener(request, response);
  response.setHeader("content-type", "text/html");
  response.end(
    `<!doctype html><title>host</title><body><script type="module">${host.replaceAll("</script", "<\\/script")}</script>`,
  );
}).listen(0, "127.0.0.1");
await once(http, "listening");
const browser = await launch();
after(async () => {
  await browser.close();
  http.close();
  http.closeAllConnections();
  await rooms.close();
});

/** A host that has opened the app, and the app's frame. */
async function start(token) {
  const { page, problems } = await open(browser, `http://127.0.0.1:${http.address().port}/`);
  await page.waitForFunction("window.startHost !== undefined");
  const about = await page.evaluate((token) => window.startHost(token), token);
  const frame = page.frames().find((one) => one !== page.mainFrame());
  return { page, problems, about, frame, shows: (text) => frame.getByText(text).first().waitFor({ timeout: 60_000 }) };
}

const field = (key, label) => ({ key, type: "text", label });
const form = (name, fields) => ({
  instance_name: "__CREATE__",
  new_instance_name: name,
  patches: [
    { op: "set", path: "meta", value: { title: `Page ${name}` } },
    {
      op: "set",
      path: "blocks",
      value: [{ id: "form", type: "form", bind: "state.params", props: { fields } }],
    },
  ],
});

test("a host shows the app beside a call: a draft while it arrives, then the document, and the user's edits are the user's", async () => {
  const { page, problems, about, frame, shows } = await start("desk:agent");
  assert.equal(about.mimeType, "text/html;profile=mcp-app");
  assert.equal(about.version, "2026-07-28");
  assert.deepEqual(about.ui, { prefersBorder: true });
  assert.deepEqual(about.forApp, ["edit_as_user", "open_proposals", "settle_proposal"]);
  assert.ok(about.forModel.includes("patch_ui_state") && !about.forModel.includes("edit_as_user"));
  assert.equal(await frame.evaluate("document.body.classList.contains('dark')"), true);

  // A part of the call: the patch that has not arrived whole is not shown.
  const whole = form("trip", [field("city", "City")]);
  const [title, blocks] = whole.patches;
  await page.evaluate((args) => window.bridge.sendToolInputPartial({ arguments: args }), {
    ...whole,
    patches: [title, { op: "set", path: "blocks" }],
  });
  await shows("Page trip");
  assert.equal(await frame.locator("[data-draft]").count(), 1);
  assert.equal(await frame.getByLabel("City").count(), 0);
  await page.evaluate((args) => window.bridge.sendToolInput({ arguments: args }), {
    ...whole,
    patches: [title, blocks],
  });
  await frame.getByLabel("City").waitFor();
  const room = await rooms.room("lobby");
  assert.deepEqual(room.store.names(), []);

  // The call itself needs the user's approval: the draft goes, and the proposal is there, with its buttons.
  const result = await page.evaluate((args) => window.call(args), whole);
  assert.equal(result.status, "pending");
  await frame
    .getByRole("button", { name: /^approve/i })
    .first()
    .click();
  await shows("Page trip");
  await frame.locator("[data-draft]").waitFor({ state: "detached" });
  assert.deepEqual(room.store.names(), ["trip"]);
  assert.equal(room.proposals()[0].settled.user.id, "dana");
  await frame.getByText("Page trip").first().waitFor();

  await frame.getByLabel("City").fill("Rome");
  const typed = async () => room.store.confirmed("trip").state?.params?.city === "Rome";
  for (let turn = 0; !(await typed()); turn++) {
    assert.ok(turn < 2_000, "the edit arrives");
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 10)));
  }
  assert.ok(await page.evaluate("window.sizes.length > 0"));
  assert.deepEqual(problems, []);
  await page.close();
});

test("without a user for the client, the app decides nothing, and an edit of the user is taken back", async () => {
  const room = await rooms.room("lobby");
  await room.write(form("open", [field("name", "Name")]));
  const { page, about, frame, shows } = await start("bot:agent");
  assert.deepEqual(about.forApp, []);
  const patches = [{ op: "set", path: "meta.title", value: "Changed" }];
  const result = await page.evaluate((args) => window.call(args), { instance_name: "open", patches });
  assert.equal(result.status, "pending");
  await shows("Page open");
  assert.equal(await frame.getByRole("button", { name: /^approve/i }).count(), 0);
  await frame.getByLabel("Name").fill("Eve");
  await frame.waitForFunction(() => document.querySelector("input")?.value === "");
  assert.equal(room.store.confirmed("open").state?.params?.name, undefined);
  assert.ok(
    room.proposals().every(({ status, proposed }) => status !== "approved" || proposed.new_instance_name === "trip"),
  );
  await page.close();
});
