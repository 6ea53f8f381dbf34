// The chat panel of docs/agent.md, unchanged, in React, with a scripted model.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { transform } from "esbuild";
import * as genui from "genui-patch";
import * as hooks from "genui-patch/react";
import { answer, panel } from "../support/panel.mjs";
import { act, mount, unmountAll } from "../support/react.mjs";

const React = await import("react");
const { createElement, StrictMode } = React;
after(unmountAll);

const code = panel();
test("the panel has at most 60 lines", () => assert.ok(code.trimEnd().split("\n").length <= 60));

test("an answer creates a page, adds a field, writes a file, proposes an update; results go back; the page shows all", async () => {
  const { code: script } = await transform(code, { loader: "tsx", jsxFactory: "createElement", format: "cjs" });
  const requests = [];
  const fetch = async (_, { body }) => {
    const { messages } = JSON.parse(body);
    requests.push(messages);
    const bytes = new TextEncoder().encode(answer(messages));
    let at = 0;
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (at >= bytes.length) controller.close();
          else controller.enqueue(bytes.slice(at, at + 7));
          at += 7;
        },
      }),
    );
  };
  const module = { exports: {} };
  const modules = { react: React, "genui-patch": genui, "genui-patch/react": hooks };
  const names = ["module", "require", "createElement", "fetch"];
  new Function(...names, script)(module, (name) => modules[name], createElement, fetch);
  const { Panel, store, files, flow } = module.exports;
  flow.load({ id: "t", nodes: [{ id: "n", type: "idea", data: { title: "Old" } }] });
  const screen = await mount(createElement(StrictMode, null, createElement(Panel, { page: "survey" })));
  const button = (name) => [...screen.querySelectorAll("button")].find(({ textContent }) => textContent === name);
  await act(async () => {
    button("Send").click();
    for (let turn = 0; turn < 30_000 && !screen.textContent.includes("Done."); turn++)
      await new Promise((go) => setTimeout(go, 2));
  });

  // The page shows all four results, and the refusals.
  assert.match(screen.textContent, /Your age/);
  assert.match(screen.textContent, /write_file: success notes\.md/);
  assert.match(screen.textContent, /updateNode: pending/);
  assert.match(screen.textContent, /Ask for the age/);
  assert.match(screen.textContent, /write_file: error Send a relative path inside the workspace/);
  assert.equal(store.get("survey", 'blocks["form"].props.fields.0.label'), "Your age");
  assert.deepEqual(await files.snapshot(), { "notes.md": "# Survey\n" });
  assert.equal(flow.node("t", "n").data.title, "Old");

  // The model has read a result for each block.
  assert.equal(requests.length, 3);
  const last = requests[2].at(-1).content;
  const statuses = last
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line.slice(line.indexOf(": ") + 2)));
  assert.deepEqual(
    statuses.map(({ status, error }) => [status, error?.code]),
    [
      ["success", undefined],
      ["pending", undefined],
      ["error", "UNSAFE_PATH"],
      ["error", "JSON_SYNTAX"],
    ],
  );
  assert.ok(statuses.slice(2).every(({ error }) => error.solution.length > 10));

  await act(() => button("Approve").click());
  assert.equal(flow.node("t", "n").data.title, "Ask for the age");
  assert.equal(button("Approve"), undefined);

  // The next message tells the model what the user decided.
  await act(async () => {
    button("Send").click();
    for (let turn = 0; turn < 30_000 && requests.length < 4; turn++) await new Promise((go) => setTimeout(go, 2));
  });
  assert.match(
    requests[3].at(-1).content,
    /^What became of your proposals:\nupdateNode \(tool_2\): \{"status":"approved"/,
  );
});
