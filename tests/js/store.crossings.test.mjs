// How often a call crosses the boundary between JavaScript and the module, and how often it is written as JSON text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { agentTools, PatchStore } from "genui-patch";

let crossings = 0;
const { Instance } = WebAssembly;
/** An instance whose exported functions count their calls. Set before the first use instantiates the module. */
WebAssembly.Instance = function CountingInstance(module, imports) {
  const { exports } = new Instance(module, imports);
  const counting = ([name, value]) => {
    if (typeof value !== "function") return [name, value];
    const counted = (...args) => {
      crossings += 1;
      return value(...args);
    };
    return [name, counted];
  };
  return { exports: Object.fromEntries(Object.entries(exports).map(counting)) };
};

const items = [
  { id: "a", n: 1 },
  { id: "b", n: 1 },
];
const set = (value) => ({ instance_name: "page", patches: [{ op: "set", path: 'items["a"].n', value }] });

/** A store with one subscriber to an item by id; all caches are filled. */
function setUp() {
  const store = new PatchStore({ rules: "open" });
  store.load("page", { items });
  store.subscribe(() => {}, { instance: "page", path: 'items["a"].n' });
  assert.equal(store.apply(set(2)).status, "success");
  return store;
}

/** Runs a function; returns how often it crossed the boundary, and how often it wrote a value with `patches` as JSON. */
async function counted(run) {
  const { stringify } = JSON;
  let writes = 0;
  JSON.stringify = (value, ...rest) => {
    if (typeof value === "object" && value !== null && "patches" in value) writes += 1;
    return stringify(value, ...rest);
  };
  crossings = 0;
  try {
    await run();
  } finally {
    JSON.stringify = stringify;
  }
  return { crossings, writes };
}

const agentOf = (store, approve) => agentTools({ store, approve });
const execute = async (agent, status) => {
  const result = await agent.execute({ name: "patch_ui_state", arguments: set(3) });
  assert.equal(result.status, status, JSON.stringify(result));
};

for (const [what, wanted, run] of [
  ["a call as text", { crossings: 2, writes: 0 }, (store) => store.apply(JSON.stringify([set(3)]).slice(1, -1))],
  ["a call as an object", { crossings: 2, writes: 1 }, (store) => store.apply(set(3))],
  ["a typed setter", { crossings: 2, writes: 1 }, (store) => store.setNumber("page", 'items["a"].n', 3)],
  ["an agent's call", { crossings: 2, writes: 1 }, (store) => execute(agentOf(store, "never"), "success")],
  [
    "an agent's call, after a policy has read its changes",
    { crossings: 4, writes: 1 },
    (store) =>
      execute(
        agentOf(store, ({ changes }) => changes.length !== 1),
        "success",
      ),
  ],
  [
    "an agent's call that is proposed",
    { crossings: 4, writes: 1 },
    (store) => execute(agentOf(store, "always"), "pending"),
  ],
]) {
  test(`${what} crosses ${wanted.crossings} times and is written ${wanted.writes} times`, async () => {
    const store = setUp();
    assert.deepEqual(await counted(() => run(store)), wanted);
  });
}

test("an approval crosses 4 times and writes nothing", async () => {
  const store = setUp();
  const { id } = store.propose(set(3));
  const status = await counted(() => assert.equal(store.approve(id).status, "success"));
  assert.deepEqual(status, { crossings: 4, writes: 0 });
});
