// The hooks, in a DOM without a browser: returned values, renders, strict mode, server rendering.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { PatchStore, ToolBlockStream, toolBlockTransform } from "genui-patch";
import { useInstance, usePending, useToolBlocks } from "genui-patch/react";
import { createElement, memo, Profiler, StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { act, mount, unmountAll } from "../support/react.mjs";
import { page } from "../support/store.mjs";

afterEach(unmountAll);

function paged() {
  const store = new PatchStore();
  store.load("page", page());
  return store;
}

/** A component that shows the value of a hook as JSON, and counts its renders. */
function shower(use) {
  const counted = { renders: 0, values: [] };
  const Shower = memo((props) => {
    const value = use(props);
    counted.renders += 1;
    counted.values.push(value);
    return JSON.stringify(value) ?? "nothing";
  });
  return Object.assign(counted, { Shower });
}

test("a component shows its part, and renders when that part changes", async () => {
  const store = paged();
  const count = shower(() => useInstance(store, "page", "state.params.n"));
  const title = shower(() => useInstance(store, "page", 'blocks["a"].title'));
  const whole = shower(() => useInstance(store, "page"));
  const ids = shower(() => useInstance(store, "page", (shown) => shown?.blocks.map((block) => block.id)));
  const parts = [count, title, whole, ids];
  const screen = await mount(parts.map(({ Shower }, key) => createElement("p", { key }, createElement(Shower))));
  const shown = () => [...screen.querySelectorAll("p")].map((node) => node.textContent);
  assert.deepEqual([shown()[0], shown()[1], shown()[3]], ["1", "nothing", '["a","b"]']);
  assert.deepEqual(
    parts.map((part) => part.renders),
    [1, 1, 1, 1],
  );

  await act(() => store.setNumber("page", "state.params.n", 2));
  assert.equal(shown()[0], "2");
  assert.deepEqual(
    parts.map((part) => part.renders),
    [2, 1, 2, 1],
  );

  await act(() => store.setString("page", 'blocks["a"].title', "T"));
  assert.equal(shown()[1], '"T"');
  assert.deepEqual(
    parts.map((part) => part.renders),
    [2, 2, 3, 1],
  );

  await act(() => store.apply({ instance_name: "page", patches: [{ op: "remove", path: 'blocks["b"]' }] }));
  assert.equal(shown()[3], '["a"]');
  assert.deepEqual(
    parts.map((part) => part.renders),
    [2, 2, 4, 2],
  );

  await act(() => {
    store.setNumber("page", "state.params.n", 2);
    store.load("other", page("other"));
    store.apply("{");
  });
  assert.deepEqual(
    parts.map((part) => part.renders),
    [2, 2, 4, 2],
  );
  assert.equal(whole.values.at(-1), store.snapshot("page"));
});

test("instances come and go, and the name may change", async () => {
  const store = new PatchStore();
  const part = shower(({ name }) => useInstance(store, name, "state.params.n"));
  const screen = await mount(createElement(part.Shower, { name: "page" }));
  assert.equal(screen.textContent, "nothing");
  await act(() => store.load("page", page()));
  assert.equal(screen.textContent, "1");
  await act(() => store.apply({ instance_name: "__DELETE__", target_instance_name: "page" }));
  assert.equal(screen.textContent, "nothing");
  await act(() => {
    store.load("page", page());
    store.load("other", page());
    store.setNumber("other", "state.params.n", 7);
  });
  await screen.show(createElement(part.Shower, { name: "other" }));
  assert.equal(screen.textContent, "7");
  await act(() => store.setNumber("other", "state.params.n", 8));
  assert.equal(screen.textContent, "8");
});

test("strict mode: subscriptions end, and nothing renders for ever", async () => {
  const store = paged();
  let open = 0;
  const watched = {
    snapshot: (name) => store.snapshot(name),
    get: (name, path) => store.get(name, path),
    subscribe: (listener, filter) => {
      open += 1;
      const end = store.subscribe(listener, filter);
      return () => {
        open -= 1;
        end();
      };
    },
  };
  const part = shower(() => useInstance(watched, "page", (shown) => ({ n: shown.state.params.n })));
  const screen = await mount(createElement(StrictMode, null, createElement(part.Shower)));
  assert.equal(open, 1);
  await act(() => store.setNumber("page", "state.params.n", 5));
  assert.equal(screen.textContent, '{"n":5}');
  const { renders } = part;
  await act(() => store.setString("page", "state.params.s", "other"));
  assert.equal(part.renders, renders);
  await unmountAll();
  assert.equal(open, 0);
});

test("a selector written in place keeps its result, also when the parent renders", async () => {
  const store = paged();
  const shown = new Set();
  function Child() {
    shown.add(useInstance(store, "page", (snapshot) => [snapshot.blocks[0]]));
    return null;
  }
  const Parent = ({ turn }) => createElement("div", { "data-turn": turn }, createElement(Child));
  const screen = await mount(createElement(Parent, { turn: 0 }));
  await screen.show(createElement(Parent, { turn: 1 }));
  await act(() => store.setNumber("page", "state.params.n", 9));
  assert.equal(shown.size, 1);
});

test("no tearing: all that is on the screen is of one revision", async () => {
  const store = paged();
  const seen = [];
  const part = () => shower(() => useInstance(store, "page", "state.params.n"));
  const parts = Array.from({ length: 20 }, part);
  const note = () => seen.push(new Set(parts.map(({ values }) => values.at(-1))).size);
  const tree = createElement(
    Profiler,
    { id: "all", onRender: note },
    ...parts.map(({ Shower }, key) => createElement(Shower, { key })),
  );
  await mount(tree);
  for (let turn = 2; turn < 10; turn++) await act(() => store.setNumber("page", "state.params.n", turn));
  assert.deepEqual(seen, Array(9).fill(1));
});

test("pending calls: of one instance and of all, rendered when they change", async () => {
  const store = paged();
  store.load("other", page("other"));
  const own = shower(() => usePending(store, "page").map(({ sent }) => sent));
  const all = shower(() => usePending(store).length);
  const screen = await mount([own, all].map(({ Shower }, key) => createElement("p", { key }, createElement(Shower))));
  const shown = () => [...screen.querySelectorAll("p")].map((node) => node.textContent);
  let id;
  await act(() => {
    id = store.setNumber("page", "state.params.n", 2, { optimistic: true }).pendingId;
  });
  assert.deepEqual(shown(), ["[false]", "1"]);
  await act(() => store.sent(id));
  assert.deepEqual(shown(), ["[true]", "1"]);
  await act(() => store.setNumber("other", "state.params.n", 2, { optimistic: true }));
  assert.deepEqual(shown(), ["[true]", "2"]);
  const { renders } = own;
  await act(() => store.receive({ type: "patch", instance_name: "other", patch: { "state.params.s": "y" } }));
  assert.equal(own.renders, renders);
  await act(() => store.confirm(id));
  assert.deepEqual(shown(), ["[]", "1"]);
});

test("on a server", () => {
  const store = paged();
  const part = shower(() => useInstance(store, "page", "state.params.n"));
  const blocks = shower(() => useToolBlocks(null));
  const html = renderToString(createElement("p", null, createElement(part.Shower), createElement(blocks.Shower)));
  assert.match(html, /^<p>1.*idle/);
});

test("a selector may give a Set, a Map or a Date: rendered when it is another one, and only then", async () => {
  class Opaque {
    #n;
    constructor(n) {
      this.#n = n;
    }
    toJSON() {
      return this.#n;
    }
  }
  const rows = [
    ["a Set", (n) => new Set([n]), true],
    ["an empty Set", (n) => new Set(n > 1 ? [n] : []), true],
    ["a Map", (n) => new Map([["n", n]]), true],
    ["a Map with another key", (n) => new Map([[n, 1]]), true],
    ["a Date", (n) => new Date(n), true],
    ["a Date that is none", (n) => new Date(n > 1 ? n : Number.NaN), true],
    ["an object without a prototype", (n) => Object.assign(Object.create(null), { n }), true],
    ["an object of a class", (n) => new Opaque(n), false],
    ["a typed array", (n) => new Uint8Array([n]), false],
    ["a URL", (n) => new URL(`https://example.org/${n}`), false],
  ];
  for (const [name, make, isKept] of rows) {
    const store = paged();
    const part = shower(() => useInstance(store, "page", (shown) => make(shown.state.params.n)));
    await mount(createElement(part.Shower));
    const [before] = part.values;
    await act(() => store.setString("page", "state.params.s", "other"));
    if (isKept) assert.equal(part.values.at(-1), before, name);
    await act(() => store.setNumber("page", "state.params.n", 2));
    assert.deepEqual(part.values.at(-1), make(2), name);
    assert.notEqual(part.values.at(-1), before, name);
    // No returned value causes endless renders.
    assert.ok(part.renders <= 4, `${name}: ${part.renders}`);
    await unmountAll();
  }
});

test("a store that changes before hydration: first what the server has rendered, then what it holds", async () => {
  const { hydrateRoot } = await import("react-dom/client");
  const doc = page();
  const server = new PatchStore();
  server.load("page", doc);
  const saved = server.save();
  const restored = () => PatchStore.restore(saved);
  const parts = [
    [(store) => useInstance(store, "page", "state.params.n"), "1", "2"],
    [(store) => useInstance(store, "page", 'blocks["a"].title'), "nothing", '"T"'],
    [(store) => useInstance(store, "page").state.params.s, '"x"', '"y"'],
    [(store) => useInstance(store, "page", (shown) => [shown.state.params.n]), "[1]", "[2]"],
    [(store) => useInstance(store, "page", "state.params.gone"), "nothing", "nothing"],
    [(store) => useInstance(store, "none"), "nothing", "nothing"],
    [(store) => usePending(store).length, "0", "1"],
    [(store) => usePending(store, "page").length, "0", "1"],
  ];
  for (const client of [paged, restored]) {
    for (const [use, before, after] of parts) {
      const html = renderToString(createElement(shower(() => use(server)).Shower));
      const store = client();
      store.setNumber("page", "state.params.n", 2);
      store.setString("page", "state.params.s", "y");
      store.setString("page", 'blocks["a"].title', "T", { optimistic: true });
      const part = shower(() => use(store));
      const place = document.createElement("main");
      place.innerHTML = html;
      const faults = [];
      let root;
      await act(() => {
        root = hydrateRoot(place, createElement(StrictMode, null, createElement(part.Shower)), {
          onRecoverableError: (fault) => faults.push(fault),
        });
      });
      assert.deepEqual(faults, [], String(use));
      assert.equal(html.replaceAll("&quot;", '"'), before, String(use));
      assert.equal(JSON.stringify(part.values[0]) ?? "nothing", before, String(use));
      assert.equal(place.textContent, after, String(use));
      await act(() => root.unmount());
    }
  }
  // A whole document that arrives later is a change too; a deleted one is released.
  const store = paged();
  store.load("page", page("other"));
  const { snapshot } = store[Symbol.for("genui-patch.first")]();
  assert.deepEqual(snapshot("page"), doc);
  store.apply({ instance_name: "__DELETE__", target_instance_name: "page" });
  assert.equal(snapshot("page"), undefined);
});

const answer = 'Hello\n```json\n{"tool":"write_file","path":"a.txt","content":"x"}\n```\nBye';

test("tool blocks: from a transform, in strict mode, read once for two components", async () => {
  const source = new Blob([answer]).stream().pipeThrough(toolBlockTransform());
  const one = shower(() => useToolBlocks(source));
  const two = shower(() => useToolBlocks(source));
  await mount(createElement(StrictMode, null, createElement(one.Shower), createElement(two.Shower)));
  for (let turn = 0; turn < 30_000 && one.values.at(-1).status !== "done"; turn++) {
    await act(() => new Promise((resolve) => setTimeout(resolve, 2)));
  }
  const { parts, status } = one.values.at(-1);
  assert.equal(status, "done");
  assert.equal(two.values.at(-1), one.values.at(-1));
  assert.deepEqual(
    parts.map(({ type }) => type),
    ["text", "block", "text"],
  );
  assert.equal(parts[1].block.call.path, "a.txt");
  assert.match(parts[2].text, /Bye/);
});

test("tool blocks: a part that is hydrated later begins with what the server has shown", async () => {
  const source = new Blob([answer]).stream().pipeThrough(toolBlockTransform());
  const early = shower(() => useToolBlocks(source));
  const late = shower(() => useToolBlocks(source));
  const html = renderToString(createElement(late.Shower));
  await mount(createElement(early.Shower));
  for (let turn = 0; turn < 30_000 && early.values.at(-1).status !== "done"; turn++) {
    await act(() => new Promise((resolve) => setTimeout(resolve, 2)));
  }
  const faults = [];
  const place = document.createElement("main");
  place.innerHTML = html;
  const { hydrateRoot } = await import("react-dom/client");
  let root;
  const onRecoverableError = (error) => faults.push(error);
  await act(() => {
    root = hydrateRoot(place, createElement(late.Shower), { onRecoverableError });
  });
  assert.deepEqual(faults, []);
  assert.equal(late.values.at(-1).status, "done");
  assert.match(place.textContent, /Bye/);
  await act(() => root.unmount());
});

test("tool blocks: from an iterable of lists, part by part, with previews, and a source that fails", async () => {
  let hand;
  async function* generate() {
    const stream = new ToolBlockStream({ contentDeltas: true });
    for (const chunk of [answer.slice(0, 60), answer.slice(60)]) {
      yield stream.push(chunk);
      await new Promise((resolve) => {
        hand = resolve;
      });
    }
    throw new Error("gone");
  }
  const source = generate();
  const part = shower(() => useToolBlocks(source));
  await mount(createElement(part.Shower));
  await act(() => Promise.resolve());
  const first = part.values.at(-1);
  assert.deepEqual([first.status, first.parts[1].status, first.parts[1].path], ["streaming", "buffering", "a.txt"]);
  await act(() => hand());
  const second = part.values.at(-1);
  assert.equal(second.parts[1].status, "complete");
  assert.equal(second.parts[1].preview, "x");
  assert.equal(second.parts[0], first.parts[0]);
  await act(() => hand());
  assert.equal(part.values.at(-1).status, "failed");
  assert.equal(part.values.at(-1).error.message, "gone");
  assert.equal(part.values.at(-1).parts, second.parts);
});
