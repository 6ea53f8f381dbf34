// AG-UI's events about state in a store: "Snapshots and Deltas" and "Processing Model" of the specification 1.0.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventType } from "@ag-ui/client";
import { PatchStore } from "genui-patch";

const STATE = { plan: { status: "open", steps: [1] } };

function filled(options) {
  const store = new PatchStore({ rules: "open", ...options });
  store.receive({ type: "STATE_SNAPSHOT", snapshot: STATE }, { instance: "s" });
  const delta = (...operations) => store.receive({ type: "STATE_DELTA", delta: operations }, { instance: "s" });
  return { store, delta };
}

const increment = { op: "increment", path: "/plan/steps/0", value: 1 };
const close = { op: "replace", path: "/plan/status", value: "closed" };
const nowhere = { op: "replace", path: "/absent/deeper", value: 1 };

test("an operation that JSON Patch does not have is skipped, with its place and its error; the others are applied", () => {
  for (const onError of ["rollback", "stop", "skip"]) {
    const { store, delta } = filled({ onError });
    const { status, applied, skipped } = delta(increment, close, { ...increment, path: 7 });
    assert.deepEqual([status, applied], ["success", 1]);
    assert.deepEqual(
      skipped.map(({ index, op, path, reason, error }) => [index, op, path, reason, error.code, error.index]),
      [
        [0, "increment", "/plan/steps/0", "failed", "INVALID_OP", 0],
        [2, "increment", "", "failed", "INVALID_OP", 2],
      ],
    );
    assert.equal(store.get("s", "plan.status"), "closed");
    // A patch by the page itself is refused whole.
    assert.equal(store.applyJsonPatch("s", [increment, close]).error.code, "INVALID_OP");
  }
});

test("of a delta with an operation that does not apply nothing is kept, and the store tells it", () => {
  const { store, delta } = filled();
  const before = store.snapshot("s");
  const { status, error } = delta(close, nowhere);
  assert.deepEqual([status, error.code, error.index, error.path], ["error", "PATH_NOT_FOUND", 1, "/absent/deeper"]);
  assert.equal(store.snapshot("s"), before);
  assert.equal(delta({ op: "test", path: "/plan/status", value: "x" }, close).error.code, "TEST_FAILED");
  assert.equal(store.snapshot("s"), before);
  // The next snapshot is adopted.
  store.receive({ type: "STATE_SNAPSHOT", snapshot: ["other"] }, { instance: "s" });
  assert.deepEqual(store.snapshot("s"), ["other"]);
});

test("onError: skip leaves out the operation that does not apply, stop those after it too", () => {
  const more = { op: "add", path: "/plan/steps/-", value: 2 };
  const skip = filled({ onError: "skip" });
  const left = skip.delta(close, nowhere, more);
  assert.deepEqual(
    [left.status, left.applied, left.skipped.map(({ index, error }) => [index, error.code])],
    ["success", 2, [[1, "PATH_NOT_FOUND"]]],
  );
  assert.deepEqual(skip.store.snapshot("s"), { plan: { status: "closed", steps: [1, 2] } });
  const stop = filled({ onError: "stop" });
  const stopped = stop.delta(close, nowhere, more);
  assert.deepEqual([stopped.status, stopped.error.index, stopped.applied], ["error", 1, 1]);
  assert.deepEqual(stop.store.snapshot("s"), { plan: { status: "closed", steps: [1] } });
});

test("a malformed delta is refused: no list, no object, no op, no path", () => {
  const { store, delta } = filled();
  const before = store.snapshot("s");
  for (const [operation, code] of [
    [7, "INVALID_STRUCTURE"],
    [{ path: "/plan", value: 1 }, "INVALID_OP"],
    [{ op: 7, path: "/plan", value: 1 }, "INVALID_OP"],
    [{ op: "add", value: 1 }, "MISSING_VALUE"],
    [{ op: "add", path: 7, value: 1 }, "INVALID_PATH"],
    [{ op: "add", path: "/plan" }, "MISSING_VALUE"],
  ])
    assert.equal(delta(close, operation).error?.code, code, JSON.stringify(operation));
  assert.equal(store.receive({ type: "STATE_DELTA", delta: {} }, { instance: "s" }).error.code, "INVALID_STRUCTURE");
  assert.equal(store.snapshot("s"), before);
  // Members that RFC 6902 does not have are ignored.
  assert.equal(delta({ op: "remove", path: "/plan/steps/0", value: 1, by: "x" }).applied, 1);
});

test("rules of a page hold after a delta, whatever is left out", () => {
  const page = {
    meta: { pageKey: "p" },
    state: { params: { n: 1 }, runtime: {} },
    blocks: [{ id: "a", type: "form", props: { fields: [] } }],
  };
  for (const onError of ["rollback", "skip"]) {
    const store = new PatchStore({ onError });
    assert.equal(store.receive({ type: "STATE_SNAPSHOT", snapshot: page }, { instance: "p" }).status, "success");
    const twice = { op: "add", path: "/blocks/-", value: { id: "a", type: "form", props: { fields: [] } } };
    const result = store.receive({ type: "STATE_DELTA", delta: [increment, twice] }, { instance: "p" });
    assert.equal(result.error.code, "DUPLICATE_ID");
    assert.equal(store.get("p", "blocks").length, 1);
  }
});

test("events of other kinds, and of later versions, change nothing", () => {
  const { store } = filled();
  const before = store.snapshot("s");
  const types = Object.values(EventType).filter((type) => !/^(STATE|ACTIVITY)_/.test(type));
  assert.ok(types.length >= 27);
  for (const type of [...types, "THINKING_START", "WEATHER_CHANGED", "SUBAGENT_PAUSED_2"])
    assert.equal(store.receive({ type, subagentRunId: "x" }, { instance: "s" }).ignored, true, type);
  for (const type of ["Weather", "weather_changed", "", "STATE DELTA"])
    assert.equal(store.receive({ type }, { instance: "s" }).error.code, "UNKNOWN_MESSAGE", type);
  assert.equal(store.snapshot("s"), before);
  // State belongs to the run, whichever subagent sends it.
  store.receive({ type: "STATE_DELTA", delta: [close], subagentRunId: "x" }, { instance: "s" });
  assert.equal(store.get("s", "plan.status"), "closed");
});
