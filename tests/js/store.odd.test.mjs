// Inputs that are always mistakes: each is refused with a message that names the input and what to send, and nothing changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GenuiPatchError, PatchStore } from "genui-patch";
import { page } from "../support/store.mjs";

/** Values that JSON cannot represent are an error of the program, so they throw. */
const THROWN = {
  undefined: undefined,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "a BigInt": 1n,
  "a function": () => {},
  "a symbol": Symbol("call"),
  "a Map": new Map([["instance_name", "page"]]),
  "a Set": new Set(),
};

/** JSON values other than calls: the result is an error; its code, and the name of the value in the message. */
const ANSWERED = [
  [null, "INVALID_STRUCTURE", "null"],
  [0, "INVALID_STRUCTURE", "a number"],
  [true, "INVALID_STRUCTURE", "a boolean"],
  [[], "INVALID_STRUCTURE", "a list"],
  ["[]", "INVALID_STRUCTURE", "a list"],
  ["null", "INVALID_STRUCTURE", "null"],
  ['"x"', "INVALID_STRUCTURE", "a string"],
  [new Date(0), "INVALID_STRUCTURE", "a string"],
  ["", "INVALID_JSON", "end of the text"],
  [" ", "INVALID_JSON", "end of the text"],
  ["hello", "INVALID_JSON", "`hello`"],
  ["undefined", "INVALID_JSON", "`undefined`"],
  [{}, "MISSING_VALUE", "no instance"],
  [new (class Call {})(), "MISSING_VALUE", "no instance"],
];

const DOORS = {
  apply: (store, sent) => store.apply(sent),
  applyOptimistic: (store, sent) => store.applyOptimistic(sent),
  propose: (store, sent) => store.propose(sent),
};

for (const [door, run] of Object.entries(DOORS)) {
  test(`${door}: mistaken inputs`, () => {
    const store = new PatchStore();
    store.load("page", page());
    const before = store.snapshot("page");
    store.subscribe(assert.fail);
    for (const [name, sent] of Object.entries(THROWN)) {
      assert.throws(
        () => run(store, sent),
        (error) => {
          assert.ok(error instanceof GenuiPatchError && error.code === "INVALID_ARGUMENT", name);
          assert.match(error.message, new RegExp(`^The call is ${name}[.,]`));
          assert.match(error.message, /Send a plain value/);
          return true;
        },
      );
    }
    for (const [sent, code, words] of ANSWERED) {
      const { status, error } = run(store, sent);
      assert.deepEqual([status, error?.code], ["error", code], String(sent));
      assert.ok(error.message.includes(words), error.message);
      assert.match(error.solution, /^Send /);
    }
    assert.equal(store.snapshot("page"), before);
  });
}
