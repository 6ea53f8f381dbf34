// The components in a DOM without a browser: renders per change, texts, replacement, invisible characters.
import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { agentTools, PatchStore, Workspace } from "genui-patch";
import { useField } from "genui-patch/react";
import { ActivityList, chinese, DiffView, english, PageView, ProposalList } from "genui-patch/react/ui";
import { createElement as h, StrictMode, startTransition, useState } from "react";
import { renderToString } from "react-dom/server";
import { act, mount, unmountAll } from "../support/react.mjs";

afterEach(unmountAll);

const form = (fields, more = {}) => ({ id: "form", type: "form", title: "Form", props: { fields }, ...more });
const text = (key, more = {}) => ({ key, type: "text", label: key.toUpperCase(), ...more });

function storeWith(blocks, params = {}, more = {}, catalog = {}) {
  const store = new PatchStore({ catalog });
  const document = { state: { params, runtime: {} }, layout: { type: "single" }, blocks, actions: [], ...more };
  assert.equal(store.load("page", document).error, undefined);
  return store;
}

/** Types into a control as a browser does. */
function type(control, value) {
  return act(() => {
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), "value");
    set.call(control, value);
    control.dispatchEvent(new window.Event("input", { bubbles: true }));
  });
}

const show = (store, props = {}) => mount(h(StrictMode, null, h(PageView, { store, name: "page", ...props })));

test("a change of one field renders one field of a thousand blocks", async () => {
  let renders = 0;
  const Counted = ({ id, props }) => {
    renders += 1;
    return h("input", { id, ...props });
  };
  const blocks = Array.from({ length: 1000 }, (_, at) =>
    form([text(`f${at}`)], { id: `b${at}`, title: `Block ${at}` }),
  );
  const store = storeWith(blocks);
  const screen = await mount(h(PageView, { store, name: "page", components: { fields: { text: Counted } } }));
  assert.equal(renders, 1000);
  await act(() => store.setString("page", "state.params.f500", "one"));
  assert.equal(renders, 1001);
  assert.equal(screen.querySelector("[name=f500]").value, "one");
  await act(() => store.setString("page", 'blocks["b7"].title', "Seven"));
  assert.equal(renders, 1001);
  await type(screen.querySelector("[name=f3]"), "typed");
  assert.equal(renders, 1002);
  assert.equal(store.get("page", "state.params.f3"), "typed");
  // A host that renders again with new but equal objects causes no change.
  await screen.show(h(PageView, { store, name: "page", components: { fields: { text: Counted } } }));
  assert.equal(renders, 1002);
});

test("values come from the block's own bind, from declared defaults, and from templates", async () => {
  const store = storeWith(
    [
      form([text("city"), text("a.b")], { bind: "state.params.trip" }),
      form([text("name", { value: "Ada" }), text("hello", { value: `Hello \${params.trip.city}` })], { id: "more" }),
      form([text("x")], { id: "pointer", bind: "/state/runtime/a~1b" }),
    ],
    { trip: { city: "Rome", "a.b": "dotted" } },
  );
  store.apply({
    instance_name: "page",
    patches: [{ op: "set", path: "state.runtime", value: { "a/b": { x: "deep" } } }],
  });
  const screen = await show(store);
  const value = (name) => screen.querySelector(`[name="${name}"]`).value;
  assert.deepEqual(["city", "a.b", "name", "hello", "x"].map(value), ["Rome", "dotted", "Ada", "Hello Rome", "deep"]);
  await type(screen.querySelector('[name="a.b"]'), "new");
  assert.equal(store.get("page", 'state.params.trip["a.b"]'), "new");
  await act(() => store.setString("page", "state.params.trip.city", "Oslo"));
  assert.equal(value("hello"), "Hello Oslo");
});

test("a number that is cleared stays cleared, whatever its field declares", async () => {
  const store = storeWith([form([{ key: "n", type: "number", label: "N", value: 7 }])]);
  const screen = await show(store);
  const control = screen.querySelector("[name=n]");
  assert.equal(control.value, "7");
  await type(control, "");
  assert.equal(store.get("page", "state.params.n"), null);
  assert.equal(control.value, "");
});

test("useField: a refusal keeps the text and says why; a value is stored; a missing one is required", async () => {
  const store = storeWith([form([{ key: "n", type: "number", label: "N", required: true }, text("t")])]);
  let field;
  const Own = () => {
    field = useField(store, "page", "form", "n", { labels: { required: "Fehlt." } });
    return h("input", field.props);
  };
  const screen = await mount(h(StrictMode, null, h(Own)));
  await act(() => field.setText("1."));
  assert.deepEqual([field.text, field.value, field.error], ["1.", undefined, ""]);
  await act(() => assert.equal(field.commit(), true));
  assert.deepEqual([field.text, field.value], ["1", 1]);
  await act(() => assert.equal(field.setValue("abc"), false));
  assert.match(field.error, /a number/);
  assert.equal(field.value, 1);
  await act(() => field.setText("x1"));
  await act(() => assert.equal(field.commit(), false));
  assert.deepEqual([field.text, field.value, screen.firstChild.value], ["x1", 1, "x1"]);
  await act(() => field.setText(""));
  await act(() => assert.equal(field.commit(), false));
  assert.deepEqual([field.error, field.value], ["Fehlt.", null]);
  // Enter and leaving the control check the same.
  for (const end of [
    new window.KeyboardEvent("keydown", { key: "Enter", bubbles: true }),
    new window.FocusEvent("focusout", { bubbles: true }),
  ]) {
    await act(() => field.setText("2"));
    await act(() => field.setText(""));
    assert.equal(field.error, "");
    await act(() => screen.firstChild.dispatchEvent(end));
    assert.equal(field.error, "Fehlt.", end.type);
  }
});

test("a field whose key no path can contain shows its declared value", async () => {
  const store = storeWith([form([text("__proto__", { value: "declared" })])]);
  const screen = await show(store);
  assert.equal(screen.querySelector("input").value, "declared");
});

test("choices keep the kinds of their values", async () => {
  const options = [
    { value: 1, label: "one" },
    { value: "1", label: "text" },
    { value: null, label: "none" },
  ];
  const store = storeWith([
    form([
      { key: "s", type: "select", label: "S", options },
      { key: "m", type: "multiselect", label: "M", options },
    ]),
  ]);
  const screen = await show(store);
  const select = screen.querySelector("select");
  await act(() => {
    select.value = '"1"';
    select.dispatchEvent(new window.Event("change", { bubbles: true }));
  });
  assert.equal(store.get("page", "state.params.s"), "1");
  const [one, , none] = screen.querySelectorAll("input[type=checkbox]");
  await act(() => none.click());
  await act(() => one.click());
  assert.deepEqual(store.get("page", "state.params.m"), [1, null]);
});

test("a field that is read-only cannot be changed, in either spelling and with any control", async () => {
  const types = ["text", "textarea", "number", "date", "json", "checkbox", "select", "radio", "multiselect", "file"];
  for (const spelling of ["readonly", "readOnly"]) {
    const options = [{ label: "A", value: "a" }];
    const fields = types.map((type) => ({ key: type, type, label: type, options, [spelling]: true }));
    const screen = await show(storeWith([form(fields)]));
    const open = types.filter((type) => {
      const control = screen.querySelector(`[data-field=${type}]`).querySelector("input, textarea, select");
      return !control.readOnly && !control.disabled;
    });
    assert.deepEqual(open, [], spelling);
  }
});

test("a button is pending while its call or the host is; the host's error is shown", async () => {
  const store = storeWith(
    [],
    { n: 1 },
    {
      actions: [
        { id: "save", label: "Save", style: "default", patches: { "state.params.n": 2 } },
        { id: "send", label: "Send", action_type: "api", url: "/send" },
        { id: "off", label: "Off", style: "default", disabled: `\${params.locked}` },
      ],
    },
  );
  const events = [];
  let finish;
  const onAction = (event) => {
    events.push([event.action.id, event.result.kind]);
    return event.action.id === "send" ? new Promise((_, reject) => (finish = reject)) : undefined;
  };
  const screen = await show(store, { optimistic: true, onAction });
  const [save, send, off] = screen.querySelectorAll("button");
  await act(() => save.click());
  await act(() => save.click());
  assert.deepEqual([save.dataset.pending, save.getAttribute("aria-busy"), store.pending().length], ["true", "true", 1]);
  await act(() => store.confirm(store.pending()[0].pendingId));
  assert.equal(save.dataset.pending, undefined);
  await act(() => send.click());
  assert.equal(send.dataset.pending, "true");
  await act(() => finish(new Error("No network.")));
  assert.equal(send.dataset.pending, undefined);
  assert.equal(screen.querySelector(".gp-error").textContent, "No network.");
  assert.equal(off.disabled, false);
  await act(() => store.setBoolean("page", "state.params.locked", true));
  assert.equal(off.disabled, true);
  // A pending call does not lock its button: a counter may be pressed again before the server has answered.
  assert.deepEqual(events, [
    ["save", "patch"],
    ["save", "patch"],
    ["send", "api"],
  ]);
});

test("a button whose call waits for the server stays pending after the promise of the host has settled", async () => {
  const action = { id: "save", label: "Save", style: "default", patches: { "state.params.n": 2 } };
  const store = storeWith([], { n: 1 }, { actions: [action] });
  const screen = await show(store, { optimistic: true, onAction: async () => {} });
  const save = screen.querySelector("button");
  await act(() => save.click());
  assert.deepEqual([save.dataset.pending, save.getAttribute("aria-disabled")], ["true", null]);
  await act(() => store.confirm(store.pending()[0].pendingId));
  assert.equal(save.dataset.pending, undefined);
});

test("blocks, fields and buttons are replaced by type; names that objects inherit are no types", async () => {
  const store = storeWith(
    [form([text("a")]), form([text("b"), text("c", { type: "constructor" })], { id: "chart", type: "chart" })],
    {},
    { actions: [{ id: "go", label: "Go", style: "primary" }] },
    { blocks: ["chart"], fields: ["constructor"] },
  );
  const components = {
    blocks: { chart: ({ block, children }) => h("figure", { "data-own": block.id }, children) },
    fields: { text: ({ field, id, text }) => h("output", { id, "data-own": field.key }, text) },
    actions: ({ label, look, run }) => h("button", { type: "button", "data-own": look, onClick: run }, label),
  };
  const screen = await show(store, { components });
  const own = [...screen.querySelectorAll("[data-own]")].map((node) => `${node.localName} ${node.dataset.own}`);
  assert.deepEqual(own, ["output a", "figure chart", "output b", "button primary"]);
  assert.equal(screen.querySelector("label").htmlFor, screen.querySelector("output").id);
  assert.match(screen.querySelector("[data-field=c]").textContent, /cannot show a field of the type constructor/);
});

test("HTML is text unless the host sanitizes it; pictures need safe addresses", async () => {
  const field = { key: "h", type: "html", label: "H", value: `<b>\${params.who}</b>` };
  const image = { key: "i", type: "image", label: "I", value: "javascript:alert(1)" };
  const store = storeWith([form([field, image])], { who: "<i>" });
  const screen = await show(store);
  assert.equal(screen.querySelector(".gp-html").textContent, "<b>&lt;i&gt;</b>");
  assert.equal(screen.querySelector("img"), null);
  await unmountAll();
  const other = await show(store, { sanitize: (html) => html.replaceAll("b>", "u>") });
  assert.equal(other.querySelector(".gp-html").innerHTML, "<u>&lt;i&gt;</u>");
});

test("a page that arrives late, changes its name, or is shown in a transition", async () => {
  const store = new PatchStore();
  let setName;
  const App = () => {
    const [name, set] = useState("page");
    setName = (next) => startTransition(() => set(next));
    return h(PageView, { store, name });
  };
  const screen = await mount(h(StrictMode, null, h(App)));
  assert.equal(screen.textContent, english.noPage);
  const document = (value) => ({ state: { params: { a: value }, runtime: {} }, blocks: [form([text("a")])] });
  await act(() => store.load("page", document("first")));
  await act(() => store.load("other", document("second")));
  assert.equal(screen.querySelector("input").value, "first");
  await act(() => setName("other"));
  assert.equal(screen.querySelector("input").value, "second");
  await act(() => startTransition(() => void store.setString("other", "state.params.a", "third")));
  assert.equal(screen.querySelector("input").value, "third");
});

test("a page that an agent is still writing is marked as a draft", async () => {
  const store = storeWith([form([text("a")])]);
  const screen = await show(store);
  const isDraft = () => screen.querySelector(".gp-page").dataset.draft;
  assert.equal(isDraft(), undefined);
  let draft;
  await act(() => {
    draft = store.draft({ instance_name: "page", patches: [] });
    draft.add({ op: "set", path: "state.params.a", value: "written" });
  });
  assert.equal(isDraft(), "true");
  assert.equal(screen.querySelector("input").value, "written");
  await act(() => draft.discard());
  assert.equal(isDraft(), undefined);
  assert.equal(screen.querySelector("input").value, "");
});

test("both languages have all texts, with the same places to fill in", () => {
  const places = (value) => (typeof value === "string" ? (value.match(/\{\w+\}/g) ?? []).sort() : "");
  const check = (one, other, path) => {
    assert.deepEqual(Object.keys(one).sort(), Object.keys(other).sort(), path);
    for (const key of Object.keys(one)) {
      assert.equal(typeof one[key], typeof other[key], key);
      assert.deepEqual(places(one[key]), places(other[key]), key);
      if (typeof one[key] === "object") check(one[key], other[key], key);
    }
  };
  check(english, chinese, "");
});

test("the proposal of a call shows what of it would have no effect", async () => {
  const store = storeWith([]);
  const value = { id: "f", type: "form", fields: [] };
  store.propose({ instance_name: "page", patches: [{ op: "add", path: "blocks", value }] });
  store.propose({ instance_name: "page", patches: [{ op: "set", path: "state.params.a", value: 1 }] });
  const screen = await mount(h(ProposalList, { sources: [store] }));
  const notesOf = (proposal) => [...proposal.querySelectorAll(".gp-note")].map(({ textContent }) => textContent);
  const notes = [...screen.querySelectorAll(".gp-proposal")].map(notesOf);
  const [{ message }] = store.proposals()[0].warnings;
  assert.deepEqual(notes, [[message], []]);
});

test("changes at one path are shown one by one, and are approved or left out together", async () => {
  const store = storeWith([form([text("a")], { id: "old" }), form([text("b")], { id: "other" })]);
  const added = form([text("c")], { id: "new" });
  const patches = [
    { op: "remove", path: "blocks[0]" },
    { op: "prepend_to_list", path: "blocks", value: added },
    { op: "set", path: "state.params.b", value: "B" },
  ];
  const { diff } = store.propose({ instance_name: "page", patches });
  assert.deepEqual(
    diff.map(({ kind, path }) => [kind, path.join(".")]),
    [
      ["insert", "state.params.b"],
      ["remove", "blocks.0"],
      ["insert", "blocks.0"],
    ],
  );
  // React reports children with equal keys there, and may render one of them twice or not at all.
  const error = mock.method(console, "error", () => {});
  const screen = await mount(h(ProposalList, { sources: [store] }));
  assert.deepEqual(error.mock.calls, []);
  error.mock.restore();
  const boxes = [...screen.querySelectorAll(".gp-change input")];
  const checked = () => boxes.map((box) => box.checked);
  await act(() => boxes[1].click());
  assert.deepEqual(checked(), [true, false, false]);
  await act(() => boxes[2].click());
  assert.deepEqual(checked(), [true, true, true]);
  await act(() => boxes[2].click());
  const approve = screen.querySelector("[data-decision=approve]");
  assert.equal(approve.textContent, "Approve 1 of 3");
  await act(() => approve.click());
  const page = store.snapshot("page");
  assert.deepEqual(
    page.blocks.map(({ id }) => id),
    ["old", "other"],
  );
  assert.equal(page.state.params.b, "B");
});

test("a store's proposals in Chinese, and an agent's calls with the users' decisions", async () => {
  const store = storeWith([form([text("a")])], { a: "x" });
  const agent = agentTools({ store, approve: "always" });
  const call = (instance_name, value) =>
    agent.execute({
      tool: "patch_ui_state",
      args: { instance_name, patches: [{ op: "set", path: "state.params.a", value }] },
    });
  await call("page", "y");
  await call("nowhere", "z");
  const both = h(
    "div",
    null,
    h(ProposalList, { sources: [store], labels: chinese }),
    h(ActivityList, { agent, sources: [store] }),
  );
  const screen = await mount(both);
  assert.match(screen.querySelector(".gp-sentence").textContent, /Form › A: “x” 改为 “y”/);
  const calls = () =>
    [...screen.querySelectorAll(".gp-call")].map((node) => [
      node.dataset.status,
      node.querySelector(".gp-hint")?.textContent ?? "",
    ]);
  assert.equal(calls()[0][0], "pending");
  assert.equal(calls()[1][0], "error");
  assert.match(calls()[1][1], /nowhere/);
  await act(() => store.refuse(store.proposals()[0].id, "Not now."));
  assert.deepEqual(calls()[0], ["refused", "Not now."]);
  assert.equal(screen.querySelectorAll(".gp-proposal").length, 0);
});

test("a call that waits says so in the words of all components, too", async () => {
  const store = storeWith([form([text("a")])], { a: "x" });
  const agent = agentTools({ store, approve: "always" });
  await agent.execute({ tool: "list_instances", args: {} });
  const patches = [{ op: "set", path: "state.params.a", value: "y" }];
  await agent.execute({ tool: "patch_ui_state", args: { instance_name: "page", patches } });
  for (const [labels, word] of [
    [undefined, "waits for you"],
    [english, "waits for you"],
    [chinese, "等您决定"],
  ]) {
    const screen = await mount(h(ActivityList, { agent, sources: [store], labels }));
    assert.equal([...screen.querySelectorAll(".gp-badge")].at(-1).textContent, word);
  }
});

const shownOf = (value, words) => {
  const line = { kind: "same", text: value, ...(words && { words }) };
  const html = renderToString(
    h(DiffView, { hunks: [{ index: 0, oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [line] }] }),
  );
  return /<span class="gp-code">(.*)<\/span><\/div>/s
    .exec(html)[1]
    .replaceAll(/<span class="gp-mark">(.*?)<\/span>/g, "[$1]")
    .replaceAll(/<\/?(?:span|!--).*?>/g, "");
};

for (const [what, value, shown] of [
  ["a bidirectional control", "a\u202eb", "a[U+202E]b"],
  ["an isolate", "a\u2066b\u2069", "a[U+2066]b[U+2069]"],
  ["a zero-width space", "a\u200bb", "a[U+200B]b"],
  ["a byte order mark", "\ufeffa", "[U+FEFF]a"],
  ["a control character", "a\u0000\u001bb", "a[U+0000][U+001B]b"],
  ["a no-break space", "a\u00a0b", "a[U+00A0]b"],
  ["tag characters", "a\u{e0041}", "a[U+E0041]"],
  ["a carriage return inside", "a\rb", "a[U+000D]b"],
  ["a filler", "a\u3164b", "a[U+3164]b"],
  ["a variation selector after a letter", "a\ufe0f", "a[U+FE0F]"],
  ["blanks at the end", "a b \t", "a b[·→]"],
  ["emoji that are joined or coloured stay", "👩‍💻 ❤️ 1️⃣", "👩‍💻 ❤️ 1️⃣"],
  ["a joiner between letters", "a\u200db", "a[U+200D]b"],
  ["plain text of any script", "你好　مرحبا café\tx", "你好　مرحبا café\tx"],
]) {
  test(`in a diff: ${what}`, () => assert.equal(shownOf(value), shown));
}

test("of a line longer than 400 characters the text around its changes is shown, without splitting characters", () => {
  const line = `${"a".repeat(600)}CHANGED${"😀".repeat(300)}`;
  const shown = shownOf(line, [[600, 607]]);
  assert.match(shown, /show 520 more characters/);
  assert.match(shown, /a{80}<mark class="gp-changed">CHANGED<\/mark>(😀){40}<button/u);
  assert.doesNotMatch(shown, /[\ud800-\udbff](?![\udc00-\udfff])/);
  assert.equal(shownOf("b".repeat(400)), "b".repeat(400));
});

test("a proposal of a patch shows each file with its hunks, of which the user approves some", async () => {
  const files = Workspace.memory({ "a.txt": "a\nb\n", "old.txt": "x\n", "gone.txt": "y\n" });
  const agent = agentTools({ files, formats: ["apply_patch"], approve: "always" });
  const patch = [
    "*** Begin Patch",
    "*** Update File: a.txt",
    "@@",
    " a",
    "-b",
    "+B",
    "*** Add File: new.txt",
    "+n",
    "*** Update File: old.txt",
    "*** Move to: moved.txt",
    "@@",
    "-x",
    "+X",
    "*** Delete File: gone.txt",
    "*** End Patch",
  ].join("\n");
  assert.equal((await agent.execute({ name: "apply_patch", arguments: { patch } })).status, "pending");
  const screen = await mount(h(ProposalList, { sources: [files] }));
  assert.deepEqual(
    [...screen.querySelectorAll("section > .gp-note")].map(({ textContent }) => textContent),
    [
      "Change of the file a.txt",
      "New file new.txt",
      "Change of the file old.txt → moved.txt",
      "Delete the file gone.txt",
    ],
  );
  const boxes = [...screen.querySelectorAll(".gp-hunk input[type=checkbox]")];
  assert.equal(boxes.length, 4);
  // A text is the whole of one file, so a proposal of several files has no editor.
  assert.equal(screen.querySelector("textarea"), null);
  await act(() => boxes[0].click());
  await act(() => boxes[3].click());
  const approve = [...screen.querySelectorAll("button")].find(({ textContent }) => /approve/i.test(textContent));
  await act(() => approve.click());
  await act(async () => {
    for (let turn = 0; turn < 1_000 && files.proposals()[0].status === "pending"; turn++)
      await new Promise((resolve) => setImmediate(resolve));
  });
  assert.deepEqual(await files.snapshot(), {
    "a.txt": "a\nb\n",
    "gone.txt": "y\n",
    "moved.txt": "X\n",
    "new.txt": "n\n",
  });
});
