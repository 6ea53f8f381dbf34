// useProposal for every source of proposals: it shows their current state, and renders when they change.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { FlowStore, PatchStore, Workspace } from "genui-patch";
import { useProposal } from "genui-patch/react";
import { createElement, StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { act, mount, unmountAll } from "../support/react.mjs";
import { page } from "../support/store.mjs";

afterEach(unmountAll);

function shower(source, id) {
  const counted = { renders: 0 };
  const Shower = () => {
    counted.renders += 1;
    const proposal = useProposal(source, id);
    return proposal === undefined ? "none" : `${proposal.status} ${JSON.stringify(proposal.diff)}`;
  };
  return Object.assign(counted, { Shower });
}

test("of a store: it waits, is carried over, becomes stale, is settled", async () => {
  const store = new PatchStore();
  store.load("page", page());
  const set = (path, value) => ({ instance_name: "page", patches: [{ op: "set", path, value }] });
  const { id } = store.propose(set("state.params.n", 2));
  const shown = shower(store, id);
  const screen = await mount(createElement(shown.Shower));
  assert.match(screen.textContent, /^pending .*"before":1/);
  assert.equal(renderToString(createElement(shown.Shower)).replaceAll("&quot;", '"'), screen.textContent);
  await act(() => store.apply(set("state.params.s", "y")));
  assert.match(screen.textContent, /^pending/);
  await act(() => store.apply(set("state.params.n", 5)));
  assert.match(screen.textContent, /^stale .*"before":5/);
  await act(() => store.refuse(id));
  assert.match(screen.textContent, /^refused/);
  const { renders } = shown;
  await act(() => store.apply(set("state.params.n", 6)));
  assert.equal(shown.renders, renders);
});

test("of a flow, in strict mode, with an id that is set later", async () => {
  const flow = new FlowStore();
  flow.load({ id: "t", nodes: [{ id: "n", data: { a: 1 } }] });
  const shown = shower(flow, undefined);
  const none = await mount(createElement(StrictMode, null, createElement(shown.Shower)));
  assert.equal(none.textContent, "none");
  const args = { taskId: "t", nodeId: "n", newData: { a: 2 }, approvalStyle: "visual" };
  let id;
  await act(() => {
    id = flow.updateNode(args).pending_confirmation.proposalId;
  });
  const screen = await mount(createElement(StrictMode, null, createElement(shower(flow, id).Shower)));
  assert.equal(screen.textContent, 'pending {"a":{"before":1,"after":2}}');
  await act(() => flow.approve(id));
  assert.match(screen.textContent, /^approved/);
});

test("of a workspace", async () => {
  const files = Workspace.memory({ "a.txt": "one\n" });
  const { id } = await files.propose({ tool: "write_file", path: "a.txt", content: "two\n" });
  const screen = await mount(createElement(shower(files, id).Shower));
  assert.match(screen.textContent, /^pending .*two/);
  await act(() => files.approve(id));
  assert.match(screen.textContent, /^approved/);
  assert.equal(await files.read("a.txt"), "two\n");
});
