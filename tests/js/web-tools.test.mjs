// registerWebTools, with a stand-in for `document.modelContext` that follows the WebMCP draft (ModelContext.registerTool,
// the names that it takes, the refusal of a second tool with a name, and the signal that unregisters).
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { agentTools, PatchStore, registerWebTools } from "genui-patch";

/** A stand-in for `document.modelContext`, after the algorithms of the draft. */
class ModelContext extends EventTarget {
  tools = new Map();

  async registerTool(tool, { signal } = {}) {
    const { name, description, inputSchema, execute, annotations = {} } = tool;
    if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name) || description === "" || this.tools.has(name))
      throw new DOMException(`The tool "${name}" cannot be registered.`, "InvalidStateError");
    if (signal?.aborted) throw signal.reason;
    const schema = JSON.stringify(inputSchema);
    signal?.addEventListener("abort", () => this.tools.delete(name));
    this.tools.set(name, { schema, execute, readOnlyHint: annotations.readOnlyHint ?? false });
  }

  /** The browser's agent calls a tool: arguments and result are JSON. */
  async call(name, args, signal = new AbortController().signal) {
    return JSON.parse(JSON.stringify(await this.tools.get(name).execute(JSON.parse(JSON.stringify(args)), { signal })));
  }
}

function open() {
  const modelContext = new ModelContext();
  globalThis.document = { modelContext };
  return modelContext;
}

afterEach(() => {
  delete globalThis.document;
});

const made = { instance_name: "__CREATE__", new_instance_name: "page", patches: [] };

test("the browser's agent gets the tools of the store, and calls them", async () => {
  const browser = open();
  const store = new PatchStore();
  const agent = agentTools({ store });
  const { names } = await registerWebTools(agent);
  const wanted = agent.definitions("mcp");
  assert.deepEqual(
    names,
    wanted.map(({ name }) => name),
  );
  for (const { name, inputSchema, annotations } of wanted) {
    assert.deepEqual(JSON.parse(browser.tools.get(name).schema), inputSchema);
    assert.equal(browser.tools.get(name).readOnlyHint, annotations.readOnlyHint);
  }
  assert.equal((await browser.call("patch_ui_state", made)).status, "success");
  assert.deepEqual(store.names(), ["page"]);
  const { status, error } = await browser.call("get_schema", { instance_name: "other" });
  assert.deepEqual([status, error.code], ["error", "INVALID_INSTANCE"]);
});

test("a call of the browser's agent waits for the user where the policy says so", async () => {
  const browser = open();
  const store = new PatchStore();
  await registerWebTools(agentTools({ store, approve: "always" }));
  assert.equal((await browser.call("patch_ui_state", made)).status, "pending");
  assert.deepEqual(store.names(), []);
  store.approve(store.proposals()[0].id);
  assert.deepEqual(store.names(), ["page"]);
});

test("a cancelled call of an own tool is told to the tool", async () => {
  const browser = open();
  const seen = [];
  const tools = {
    look: {
      description: "Looks.",
      schema: { type: "object", properties: {} },
      readOnly: true,
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          seen.push("started");
          signal.addEventListener("abort", () => {
            seen.push("aborted");
            reject(signal.reason);
          });
        }),
    },
  };
  await registerWebTools(agentTools({ tools }));
  const cancel = new AbortController();
  const result = browser.call("look", {}, cancel.signal);
  while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
  cancel.abort();
  assert.equal((await result).status, "error");
  assert.deepEqual(seen, ["started", "aborted"]);
});

test("unregister takes all tools back, and others can be registered", async () => {
  const browser = open();
  const agent = agentTools({ store: new PatchStore() });
  const { unregister } = await registerWebTools(agent);
  await assert.rejects(registerWebTools(agent), { name: "InvalidStateError" });
  assert.equal(browser.tools.size, agent.definitions("mcp").length);
  unregister();
  assert.equal(browser.tools.size, 0);
  assert.equal((await registerWebTools(agent)).names.length, browser.tools.size);
});

test("if the browser refuses one tool, none is registered", async () => {
  const browser = open();
  const agent = agentTools({ store: new PatchStore() });
  const last = agent.definitions("mcp").at(-1).name;
  await browser.registerTool({ name: last, description: "the page's own", execute: async () => "" });
  await assert.rejects(registerWebTools(agent), { name: "InvalidStateError" });
  assert.deepEqual([...browser.tools.keys()], [last]);
});

test("without WebMCP, and without a document, nothing is registered", async () => {
  const agent = agentTools({ store: new PatchStore() });
  assert.deepEqual((await registerWebTools(agent)).names, []);
  for (const document of [{}, { modelContext: undefined }, { modelContext: {} }]) {
    globalThis.document = document;
    const { names, unregister } = await registerWebTools(agent);
    assert.deepEqual(names, []);
    unregister();
  }
});

test("anything but tools is refused", async () => {
  for (const wrong of [undefined, null, {}, new PatchStore()])
    await assert.rejects(registerWebTools(wrong), { code: "INVALID_ARGUMENT" });
});
