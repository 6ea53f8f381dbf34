// Calls that come to one set of a scalar take a shorter way. It must not show.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { random } from "../support/random.mjs";
import { assertMirror, page } from "../support/store.mjs";

const paths = [
  "state.params.n",
  "state.params.s",
  "state.params.new.deep",
  "state.params.l.0",
  "state.params.l.99",
  'blocks["a"].title',
  'blocks["nobody"].title',
  'blocks["a"].type',
  "blocks.1.note",
  'state.params.l["a"].deep',
  'state.params["l"]["a"].deep',
  'blocks["a"].props.fields["n"].label',
  'state.params["o"].k',
  "blocks.0.id",
  "/state/runtime/x",
  "meta.pageKey",
  "meta.status",
  "page_key",
  "state.other",
  "nowhere",
  "blocks+",
  "a..b",
  "",
  "__proto__.x",
  "state.params.\ud800",
];
const values = [0, -0, 1.5, 1e21, "", "b", "grid", "submitted", "\ud83d\ude00", "\udc00", true, false, 2 ** 60];
const oddValues = [null, {}, [1], undefined];
const names = ["page", "page", "page", "other", "nobody", "__CREATE__", "__proto__"];

function call(rng) {
  const patch = { op: rng.chance(0.9) ? "set" : "replace", path: rng.pick(paths) };
  patch.value = rng.chance(0.95) ? rng.pick(values) : rng.pick(oddValues);
  if (rng.chance(0.05)) patch.note = "unknown";
  const made = { [rng.chance(0.8) ? "instance_name" : "instanceId"]: rng.pick(names), patches: [patch] };
  if (rng.chance(0.05)) made.unknown = 1;
  return made;
}

test("a call answers, tells and leaves behind the same on either way", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const rng = random(seed);
    // Where limits are given, every call takes the long way.
    const [short, long] = [{}, { limits: {} }].map((options) => {
      const store = new PatchStore(options);
      const told = [];
      store.load("page", page());
      store.load("other", page("other"));
      store.subscribe((event) => told.push(event));
      return { store, told };
    });
    for (let step = 0; step < 60; step++) {
      const next = call(rng);
      const sent = rng.chance(0.5) ? next : JSON.stringify(next);
      const message = `seed ${seed}, step ${step}: ${JSON.stringify(next)}`;
      assert.deepEqual(short.store.apply(sent), long.store.apply(sent), message);
      assert.equal(short.store.save(), long.store.save(), message);
      assert.deepEqual(short.told, long.told, message);
      assertMirror(short.store, message);
    }
    for (const { store } of [short, long]) store.dispose();
  }
});

test("what only looks like a plain object is sent as JSON shows it", () => {
  const store = new PatchStore();
  store.load("page", page());
  const patch = { op: "set", path: "state.params.n", value: 5 };
  const sent = [
    { instance_name: "page", patches: [{ ...patch, toJSON: () => ({ ...patch, value: 6 }) }] },
    new (class {
      instance_name = "page";
      patches = [{ ...patch, value: 7 }];
      toJSON() {
        return { instance_name: "page", patches: [{ ...patch, value: 8 }] };
      }
    })(),
  ];
  for (const [place, one] of sent.entries()) {
    for (let turn = 0; turn < 3; turn++) store.apply(one);
    assert.equal(store.get("page", "state.params.n"), [6, 8][place]);
  }
});
