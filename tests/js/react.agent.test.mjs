// Hooks for an agent's calls, and for all pending approvals.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { agentTools, FlowStore, PatchStore, Workspace } from "genui-patch";
import { useAgent, useProposals } from "genui-patch/react";
import { createElement, StrictMode, useEffect, useState } from "react";
import { renderToString } from "react-dom/server";
import { act, mount, unmountAll } from "../support/react.mjs";
import { page } from "../support/store.mjs";

afterEach(unmountAll);

const set = (path, value, more = {}) => ({ ...more, instance_name: "page", patches: [{ op: "set", path, value }] });

function parts() {
  const store = new PatchStore();
  store.load("page", page());
  const files = Workspace.memory();
  const flow = new FlowStore();
  flow.load({ id: "t", nodes: [{ id: "n", data: { a: 1 } }] });
  return { store, files, flow, agent: agentTools({ store, files, flow, approve: "always" }) };
}

test("all proposals, one list that is the same until it changes", async () => {
  const { store, files, flow, agent } = parts();
  const lists = [];
  const Shower = ({ sources }) => {
    const proposals = useProposals(...sources);
    lists.push(proposals);
    return proposals.map(({ kind, status }) => `${kind} ${status}`).join(", ");
  };
  const all = createElement(Shower, { sources: [store, files, flow] });
  const screen = await mount(createElement(StrictMode, null, all));
  assert.equal(screen.textContent, "");
  await act(() => agent.execute({ name: "patch_ui_state", arguments: set("state.params.n", 2) }));
  await act(() => agent.execute({ name: "write_file", arguments: { path: "a.txt", content: "a" } }));
  await act(() => agent.execute({ name: "updateNode", arguments: { taskId: "t", nodeId: "n", newData: { a: 2 } } }));
  assert.equal(screen.textContent, "patch pending, file pending, node pending");
  assert.equal(renderToString(all), screen.textContent);
  const before = lists.at(-1);
  await act(() => store.apply(set("state.params.s", "elsewhere")));
  await screen.show(createElement(StrictMode, null, all));
  await act(() => files.approve(files.proposals()[0].id));
  assert.equal(screen.textContent, "patch pending, file approved, node pending");
  assert.notEqual(lists.at(-1), before);
  assert.equal(lists.at(-1)[2], before[2]);
  await screen.show(createElement(StrictMode, null, createElement(Shower, { sources: [flow] })));
  assert.equal(screen.textContent, "node pending");
  await act(() => flow.refuse(flow.proposals()[0].id));
  assert.equal(screen.textContent, "node refused");
});

test("a call with an id that is proposed in an effect is proposed once", async () => {
  const { store } = parts();
  const Proposer = () => {
    const [id, setId] = useState();
    useEffect(() => {
      const proposal = store.propose(set("state.params.n", 2, { id: "once" }));
      if (proposal.status !== "error") setId(proposal.id);
    }, []);
    return id;
  };
  const screen = await mount(createElement(StrictMode, null, createElement(Proposer)));
  const [proposal, ...others] = store.proposals();
  assert.deepEqual(others, []);
  assert.equal(screen.textContent, proposal.id);
  assert.deepEqual(proposal.proposed, set("state.params.n", 2));
  assert.equal(store.propose(JSON.stringify(set("state.params.n", 2, { id: "once" }))), proposal);
  // A settled or restored proposal is the same one.
  const restored = PatchStore.restore(store.save());
  assert.equal(restored.propose(set("state.params.n", 9, { id: "once" })).id, proposal.id);
  store.approve(proposal.id);
  assert.equal(store.propose(set("state.params.n", 2, { id: "once" })).status, "approved");
  assert.equal(store.get("page", "state.params.n"), 2);
  // Another call is another proposal; an invalid call is an error, with an id as without.
  assert.notEqual(store.propose(set("state.params.n", 3, { id: "twice" })).id, proposal.id);
  assert.notEqual(store.propose(set("state.params.n", 3)).id, store.propose(set("state.params.n", 3)).id);
  for (const id of [undefined, "wrong"]) {
    const { status, error } = store.propose(set("nowhere", 1, { id }));
    assert.deepEqual([status, error.code], ["error", "INVALID_PATH"]);
  }
});

test("a model's id leads to no other call's proposal", async () => {
  const { store, agent } = parts();
  const { id } = store.propose(set("state.params.n", 2, { id: "page" }));
  const { proposal } = await agent.execute({
    name: "patch_ui_state",
    arguments: set("state.params.n", 3, { id: "page" }),
  });
  assert.notEqual(proposal.id, id);
});

test("the calls of an agent, running and settled", async () => {
  let release;
  const gate = new Promise((resolve) => (release = resolve));
  const texts = new Map();
  const files = Workspace.custom({
    read: async (path) => {
      await gate;
      return texts.get(path) ?? null;
    },
    write: (path, text) => void texts.set(path, text),
    remove: () => {},
    list: () => [],
  });
  const agent = agentTools({ files });
  const Shower = () =>
    useAgent(agent)
      .map(({ tool, status }) => `${tool} ${status}`)
      .join(", ");
  const tree = createElement(StrictMode, null, createElement(Shower));
  assert.equal(renderToString(tree), "");
  const screen = await mount(tree);
  let running;
  await act(() => {
    running = agent.execute({ tool: "write_file", path: "a.txt", content: "a" });
  });
  assert.equal(screen.textContent, "write_file running");
  assert.equal(renderToString(tree), screen.textContent);
  await act(() => agent.execute({ name: "nothing" }));
  assert.equal(screen.textContent, "write_file running, nothing error");
  await act(() => {
    release();
    return running;
  });
  assert.equal(screen.textContent, "write_file success, nothing error");
});
