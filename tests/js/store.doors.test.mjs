// The inputs of a store, and its methods when they are passed on as functions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FlowStore, PatchStore, SurfaceStream, ToolBlockStream, ToolCallStream, Workspace } from "genui-patch";
import { page } from "../support/store.mjs";

const memory = () => process.memoryUsage().arrayBuffers;

test("a text that is longer than it may be is refused before it is copied", () => {
  const store = new PatchStore();
  store.load("page", page());
  const before = { snapshot: store.snapshot("page"), bytes: memory() };
  const long = " ".repeat(150_000_000);
  const answers = [
    store.load("page", long),
    store.apply(long),
    store.applyOptimistic(long),
    store.receive(long),
    store.applyJsonPatch("page", long),
    store.applyMergePatch("page", long),
    store.propose(long),
    store.callTool("patch_ui_state", long),
    store.apply({ instance_name: "page", patches: [{ op: "set", path: "state.params.s", value: long }] }),
  ];
  for (const { status, error } of answers) assert.deepEqual([status, error?.code], ["error", "LIMIT_EXCEEDED"]);
  assert.throws(() => PatchStore.restore(long), { code: "LIMIT_EXCEEDED" });
  assert.equal(store.snapshot("page"), before.snapshot);
  assert.ok(memory() - before.bytes < 50_000_000);
  const flow = new FlowStore();
  assert.equal(flow.load(long).error?.code, "LIMIT_EXCEEDED");
  assert.equal(flow.callTool("updateNode", long).error?.code, "LIMIT_EXCEEDED");
});

test("the length limit of documents applies to every input", () => {
  const limits = { maxDocumentBytes: 3000 };
  const wide = {
    ...page(),
    blocks: Array.from({ length: 100 }, (_, at) => ({ id: `b${at}`, type: "grid", props: { fields: [] } })),
  };
  assert.ok(JSON.stringify(wide).length > limits.maxDocumentBytes);
  const store = new PatchStore({ limits });
  assert.equal(store.load("page", page()).status, "success");
  assert.equal(store.load("page", wide).error?.code, "LIMIT_EXCEEDED");
  assert.equal(
    store.receive({ type: "STATE_SNAPSHOT", snapshot: wide }, { instance: "page" }).error?.code,
    "LIMIT_EXCEEDED",
  );
  const free = new PatchStore();
  free.load("page", wide);
  assert.throws(() => PatchStore.restore(free.save(), { limits }), { code: "LIMIT_EXCEEDED" });
  assert.deepEqual(PatchStore.restore(store.save(), { limits }).snapshot("page"), page());
});

/** Values that throw while they are read, and values that JSON cannot carry. */
function hostile() {
  const thrown = () => {
    throw new RangeError("mine");
  };
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const cycle = {};
  cycle.self = cycle;
  const trap = (name) => new Proxy({ instance_name: "page" }, { [name]: thrown });
  let deep = {};
  for (let depth = 0; depth < 5000; depth++) deep = { deep };
  return {
    getter: Object.defineProperty({}, "taskId", { get: thrown, enumerable: true }),
    "getter inside": { newData: [Object.defineProperty({}, "x", { get: thrown, enumerable: true })] },
    "getter that throws one of ours": {
      get taskId() {
        return new PatchStore().load(1);
      },
    },
    "getter that throws nothing": {
      get taskId() {
        throw undefined;
      },
    },
    toJSON: { toJSON: thrown },
    "toJSON of a date": new Date(Number.NaN),
    ownKeys: trap("ownKeys"),
    get: trap("get"),
    getPrototypeOf: trap("getPrototypeOf"),
    getOwnPropertyDescriptor: trap("getOwnPropertyDescriptor"),
    revoked: revoked(),
    "revoked inside": { newData: revoked() },
    cycle,
    deep,
    bigint: { taskId: 1n },
    symbol: Symbol("x"),
    "symbol keys": { [Symbol("x")]: 1 },
    function: () => {},
    map: new Map(),
    null: null,
    nothing: undefined,
    "no prototype": Object.create(null),
  };
}

test("callTool never throws, for any arguments", () => {
  const store = new PatchStore();
  store.load("page", page());
  const flow = new FlowStore();
  flow.load({ id: "t", nodes: [{ id: "n", data: {} }] });
  const before = store.save();
  for (const [name, value] of Object.entries(hostile())) {
    for (const tool of ["patch_ui_state", "get_schema", "validate_completion", "access_instance"]) {
      const { status, error } = store.callTool(tool, value);
      assert.equal(status, "error", `${tool}: ${name}`);
      assert.equal(typeof error.code, "string", `${tool}: ${name}`);
    }
    assert.equal(typeof flow.callTool("updateNode", value).error.code, "string", name);
    assert.equal(store.callTool(value, {}).error.code, "UNKNOWN_TOOL", name);
    assert.equal(flow.callTool(value, {}).error.code, "UNKNOWN_TOOL", name);
  }
  assert.equal(store.save(), before);
});

test("a page's value that throws while it is read is reported as misuse", () => {
  const store = new PatchStore();
  store.load("page", page());
  const { getter, revoked, get } = hostile();
  for (const value of [getter, revoked, get]) {
    for (const run of [
      () => store.apply(value),
      () => store.applyOptimistic(value),
      () => store.receive(value),
      () => store.applyJsonPatch("page", value),
      () => store.load("page", value),
      () => store.propose(value),
    ]) {
      assert.throws(run, { name: "GenuiPatchError", code: "INVALID_ARGUMENT" });
    }
  }
});

test("methods work when they are passed on as functions", async () => {
  const store = new PatchStore();
  const { apply, load, snapshot, get, subscribe, proposals, pending, propose, save, names } = store;
  const types = [];
  const stop = subscribe((event) => types.push(event.type));
  load("page", page());
  apply({ instance_name: "page", patches: [{ op: "set", path: "state.params.n", value: 2 }] });
  assert.equal(get("page", "state.params.n"), 2);
  assert.equal(snapshot("page"), store.snapshot("page"));
  assert.deepEqual(types, ["create", "change"]);
  stop();
  propose({ instance_name: "page", patches: [{ op: "toggle", path: "state.params.z" }] });
  assert.equal(proposals().length, 1);
  assert.deepEqual([pending().length, names(), typeof save()], [0, ["page"], "string"]);
  assert.equal(store.subscribe, store.subscribe);

  const flow = new FlowStore();
  const { load: loadFlow, node, callTool, proposals: waiting } = flow;
  loadFlow({ id: "t", nodes: [{ id: "n", data: { a: 1 } }] });
  callTool("updateNode", { taskId: "t", nodeId: "n", newData: { a: 2 } });
  assert.deepEqual([node("t", "n").data, waiting()], [{ a: 2 }, []]);

  const files = Workspace.memory({ "a.txt": "a" });
  const { read, subscribe: listen, proposals: open, list } = files;
  listen(() => {})();
  assert.deepEqual([await read("a.txt"), open(), await list()], ["a", [], ["a.txt"]]);

  const { push, end } = new ToolBlockStream();
  assert.deepEqual([...push("text"), ...end()], [{ type: "text", text: "text" }]);
  const call = new ToolCallStream({ tool: "delete_file" });
  const { push: more, end: finish } = call;
  assert.equal([...more('{"path":"a"}'), ...finish()].at(-1).call.path, "a");
  const { push: line, ids, subscribe: hear } = new SurfaceStream();
  hear(() => {})();
  line("{}\n");
  assert.deepEqual(ids(), []);
});

test("a class of the page's own may put another method in the place of one", () => {
  class Own extends PatchStore {
    names() {
      return [...super.names(), "more"];
    }
  }
  const { names } = new Own();
  assert.deepEqual(names(), ["more"]);
});

test("the list of proposals is the same, and frozen, until one of them is another", async () => {
  const store = new PatchStore();
  store.load("page", page());
  const flow = new FlowStore({ nodeTypes: { idea: { actions: { update: { approvalStyle: "visual" } } } } });
  flow.load({ id: "t", nodes: [{ id: "n", type: "idea", data: { a: 1, b: 1 } }] });
  const files = Workspace.memory({ "a.txt": "a" });
  const write = { tool: "write_file", path: "a.txt", content: "b" };
  const owners = [
    {
      owner: store,
      propose: () => store.propose({ instance_name: "page", patches: [{ op: "toggle", path: "state.params.z" }] }).id,
      elsewhere: () => store.setNumber("page", "state.params.n", 7),
    },
    {
      owner: flow,
      propose: () =>
        flow.callTool("updateNode", { taskId: "t", nodeId: "n", newData: { a: 2 } }).pending_confirmation.proposalId,
      elsewhere: () => flow.load({ id: "t", nodes: [{ id: "n", type: "idea", data: { a: 1, b: 2 } }] }),
    },
    { owner: files, propose: async () => (await files.propose(write)).id, elsewhere: () => files.read("a.txt") },
  ];
  for (const { owner, propose, elsewhere } of owners) {
    const none = owner.proposals();
    assert.ok(Object.isFrozen(none));
    assert.equal(owner.proposals(), none);
    const id = await propose();
    const one = owner.proposals();
    assert.notEqual(one, none);
    assert.equal(owner.proposals(), one);
    assert.deepEqual([one.length, one[0].id, Object.isFrozen(one)], [1, id, true]);
    await elsewhere();
    assert.equal(owner.proposals(), owner.proposals());
    const carried = owner.proposals();
    owner.refuse(id);
    assert.notEqual(owner.proposals(), carried);
    assert.equal(owner.proposals()[0].status, "refused");
  }
});
