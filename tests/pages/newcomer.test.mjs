/** An app built from the listings of the docs alone, with Vite, React and strict TypeScript, works in a page. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { build as vite } from "vite";
import { pieces } from "../support/agent.mjs";
import { open } from "../support/browser.mjs";
import { listings } from "../support/docs.mjs";
import { startEngine } from "../support/engine.mjs";
import { app, root } from "../support/package.mjs";
import { answer, panel } from "../support/panel.mjs";
import { serveFolder } from "../support/site.mjs";

const browser = await startEngine();
after(() => browser.close());

const main = `
  import { StrictMode } from "react";
  import { createRoot } from "react-dom/client";
  import { Page } from "./Page";
  import { flow, Panel, store } from "./Panel";

  flow.load({ id: "t", nodes: [{ id: "n", type: "idea", data: { title: "Old" } }] });
  const place = document.querySelector("div");
  if (place) createRoot(place).render(<StrictMode><Panel page="survey" /><Page store={store} name="survey" /></StrictMode>);
`;

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitReturns: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noEmit: true,
  jsx: "react-jsx",
  module: "ESNext",
  moduleResolution: "Bundler",
  target: "ES2022",
  lib: ["ES2022", "DOM", "DOM.Iterable"],
  types: [],
};

const folder = app({
  "index.html": `<!doctype html><meta charset="utf-8"><div></div><script type="module" src="/src/main.tsx"></script>`,
  "src/main.tsx": main,
  "src/Panel.tsx": panel(),
  "src/Page.tsx": listings("page").find(({ lang }) => lang === "tsx").code,
  "tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }),
});
mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
for (const name of ["@types/react", "@types/react-dom", "react", "react-dom", "scheduler", "csstype"]) {
  symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
}

for (const compiler of ["typescript", "typescript5"]) {
  test(`the app compiles without a cast: ${compiler}`, () => {
    const { bin } = JSON.parse(readFileSync(join(root, "node_modules", compiler, "package.json"), "utf8"));
    const args = [join(root, "node_modules", compiler, bin.tsc), "-p", "."];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    assert.equal(status, 0, stdout);
    assert.doesNotMatch(panel() + main, / as (?!const)|: any|@ts-/);
  });
}

test("the app creates a page, adds a field, writes a file, proposes an update, and executes it after approval", async () => {
  await vite({ root: folder, configFile: false, logLevel: "error" });
  const requests = [];
  const site = await serveFolder(join(folder, "dist"), undefined, {
    "/chat": async (request, response) => {
      const { messages } = JSON.parse(await text(request));
      requests.push(messages);
      for (const piece of pieces(answer(messages))) {
        response.write(piece);
        await new Promise((go) => setTimeout(go, 1));
      }
      response.end();
    },
  });
  try {
    const { page, problems } = await open(browser, site.address);
    const shown = (wanted) =>
      page.waitForFunction((wanted) => document.body.innerText.includes(wanted), wanted, { timeout: 60_000 });
    const press = (name) =>
      page.evaluate((name) => {
        for (const button of document.querySelectorAll("button")) if (button.textContent === name) button.click();
      }, name);
    await shown("Send");
    await press("Send");
    await shown("Done.");
    await shown("Your age");
    await shown("write_file: success notes.md");
    await shown("Ask for the age");
    await shown("write_file: error Send a relative path inside the workspace");
    await press("Approve");
    await page.waitForFunction(() => !document.body.innerText.includes("Approve"), null, { timeout: 60_000 });
    await press("Send");
    await shown("Good.");
    assert.equal(requests.length, 4);
    assert.match(requests[3].at(-1).content, /^What became of your proposals:\nupdateNode .*"status":"approved"/);
    // The user's text is in the page's document.
    await page.evaluate(() => {
      const input = document.querySelector("input[inputmode=decimal]");
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, "41");
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await shown('"age": 41');
    assert.deepEqual(problems, []);
    await page.close();
  } finally {
    site.close();
  }
});
