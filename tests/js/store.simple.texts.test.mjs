// Texts of calls that come to one set of a scalar, or nearly: they take a shorter way, and it must not show.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore } from "genui-patch";
import { random } from "../support/random.mjs";
import { page } from "../support/store.mjs";

/** Beginnings up to the value, each with the ends that belong to it. */
const calls = [
  ['{"instance_name":"page","patches":[{"op":"set","path":"state.params.n","value":', "}]}"],
  ['{"instance_name": "page", "patches": [{"op": "set", "path": "state.params.s", "value": ', "}]}"],
  ['{"patches":[{"op":"set","path":"blocks[\\"a\\"].title","value":', '}],"instance_name":"page"}'],
  ['{"instanceId":"other","patches":[{"path":"state.params[\\"o\\"].k","op":"set","value":', "}\n]\n}\n"],
  ['{"instance_name":"page","patches":[{"op":"set","value":"state.params.n","path":', "}]}"],
  ['{"instance_name":"page","patches":[{"op":"set","path":"state.params.n","value":1,"value":', "}]}"],
  ['{"instance_name":"page","patches":[{"op":"set","path":"meta.status","value":', "}]}"],
  ['{"instance_name":"nobody","patches":[{"op":"set","path":"state.params.n","value":', "}]}"],
];
const deltas = [
  ['[{"op":"replace","path":"/state/params/n","value":', "}]"],
  ['[{"op": "replace", "path": "/blocks/0/props/fields/0/value", "value": ', "}]"],
  ['[{"path":"/blocks/0/id","op":"replace","value":', " } ]"],
  ['[{"op":"replace","path":"/state/params/none","value":', "}]"],
  ['[{"op":"replace","value":"/state/params/n","path":', "}]"],
];
const words = [
  "5",
  "0",
  "-7",
  "12.50",
  "123456789012345680000",
  "true",
  "false",
  '"x"',
  '""',
  '"a:b }]}"',
  '"é"',
  '"x y"',
];
const oddWords = [
  ...[
    "05",
    "-0",
    "-0.0",
    "1e5",
    "1E400",
    "9".repeat(400),
    ".5",
    "5.",
    "+5",
    "0x5",
    "Infinity",
    "NaN",
    "tru",
    "truefalse",
    "null",
  ],
  ...[
    " 5",
    "5 ",
    "\t5",
    "\n5",
    "\u00a05",
    "  5",
    "5\u00a0",
    ' "x"',
    '"x" ',
    "5,",
    "",
    "-",
    "1 2",
    "5}",
    "{5",
    "[5]",
    '["x"]',
  ],
  ...[
    '"a\\"b"',
    '"a\\\\"',
    '"\\u0041"',
    '"a\\"value\\":\\"b"',
    '"\u0001"',
    '"a\nb"',
    '"\ud83d\ude00"',
    '"\ud83d"',
    "'x'",
    '"x',
    'x"',
  ],
  ...[
    '{"value":5}',
    '{"value":"x"}',
    '"x","value":"y"',
    '5,"value":6',
    '"x","note":"y"',
    '5,"op":"remove"',
    '"/state/params/s"',
  ],
];
const ends = [
  "}]}",
  "}]",
  "}",
  "",
  "}]}}",
  "]}]",
  "}]},",
  '}],"note":1}',
  '}],"instance_name":"other"}',
  "} ] }",
  "}]}\0",
  "}]}\u00a0",
];

function text(rng, heads) {
  const [head, tail] = rng.pick(heads);
  return head + rng.pick(rng.chance(0.7) ? words : oddWords) + (rng.chance(0.85) ? tail : rng.pick(ends));
}

test("a text answers, tells and leaves behind the same whether one like it came before or not", () => {
  for (let seed = 1; seed <= 150; seed++) {
    const rng = random(seed);
    // Where limits are given, every text takes the long way.
    const [short, long] = [{}, { limits: {} }].map((options) => {
      const store = new PatchStore({ ...options, rules: seed % 2 ? "ui" : "open", clientId: "c" });
      const told = [];
      store.load("page", page());
      store.load("other", page("other"));
      store.subscribe((event) => told.push(event));
      return { store, told };
    });
    for (let step = 0; step < 80; step++) {
      const name = rng.pick(["page", "page", "page", "other"]);
      const sent = text(rng, rng.chance(0.5) ? calls : deltas);
      const run = rng.pick([
        (store) => store.apply(sent),
        (store) => store.applyJsonPatch(name, sent),
        ...(rng.chance(0.05) ? [(store) => store.applyOptimistic(sent)] : []),
      ]);
      const message = `seed ${seed}, step ${step}: ${name} ${sent}`;
      assert.deepEqual(run(short.store), run(long.store), message);
      assert.deepEqual(short.told, long.told, message);
      assert.equal(short.store.save(), long.store.save(), message);
      assert.deepEqual(...[short, long].map(({ store }) => [store.snapshot("page"), store.snapshot("other")]), message);
    }
    for (const { store } of [short, long]) store.dispose();
  }
});
