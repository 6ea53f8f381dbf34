// Random JSON Patches against a literal implementation of RFC 6902 on a copy: the same documents, the same refusals.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchStore, toJsonPatch } from "genui-patch";
import { random } from "../support/random.mjs";
import { assertMirror } from "../support/store.mjs";

const tokensOf = (pointer) =>
  pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));

class Refused extends Error {}

function refuse() {
  throw new Refused();
}

function indexOf(token, most) {
  const index = /^(0|[1-9]\d*)$/.test(token) ? Number(token) : refuse();
  return index <= most ? index : refuse();
}

function get(node, tokens) {
  for (const token of tokens) {
    if (Array.isArray(node)) node = node[indexOf(token, node.length - 1)];
    else if (typeof node === "object" && node !== null && Object.hasOwn(node, token)) node = node[token];
    else refuse();
  }
  return node;
}

function add(state, tokens, value) {
  if (tokens.length === 0) {
    state.root = value;
    return;
  }
  const holder = get(state.root, tokens.slice(0, -1));
  const last = tokens.at(-1);
  if (Array.isArray(holder)) holder.splice(last === "-" ? holder.length : indexOf(last, holder.length), 0, value);
  else if (typeof holder === "object" && holder !== null) holder[last] = value;
  else refuse();
}

function remove(state, tokens) {
  const value = get(state.root, tokens);
  if (tokens.length === 0) refuse();
  const holder = get(state.root, tokens.slice(0, -1));
  if (Array.isArray(holder)) holder.splice(Number(tokens.at(-1)), 1);
  else delete holder[tokens.at(-1)];
  return value;
}

function equal(a, b) {
  try {
    assert.deepStrictEqual(a, b);
    return true;
  } catch {
    return false;
  }
}

/** One operation, as sections 4.1 to 4.6 define it. */
function perform(state, { op, path, from, value }) {
  const tokens = tokensOf(path);
  switch (op) {
    case "add":
      return add(state, tokens, structuredClone(value));
    case "remove":
      return void remove(state, tokens);
    case "replace":
      get(state.root, tokens);
      if (tokens.length > 0) {
        const holder = get(state.root, tokens.slice(0, -1));
        holder[tokens.at(-1)] = structuredClone(value);
      } else state.root = structuredClone(value);
      return;
    case "move":
      if (path.startsWith(`${from}/`)) refuse();
      if (path === from) return void get(state.root, tokens);
      return add(state, tokens, remove(state, tokensOf(from)));
    case "copy":
      return add(state, tokens, structuredClone(get(state.root, tokensOf(from))));
    case "test":
      return equal(get(state.root, tokens), value) ? undefined : refuse();
  }
}

function makers(seed) {
  const { below, chance, list, pick } = random(seed);
  const keys = ["a", "b", "", "a/b", "m~n", "0", "1", "-", "01"];
  const value = (depth) => {
    if (depth > 2 || chance(0.4)) return pick([null, true, false, 0, 1, "", "x"]);
    if (chance(0.5)) return list(4, () => value(depth + 1));
    return Object.fromEntries(list(4, () => [pick(keys), value(depth + 1)]));
  };
  /** A pointer that exists in most cases. */
  const pointer = (root) => {
    let node = root;
    let text = "";
    while (chance(text === "" ? 0.97 : 0.6)) {
      const present = typeof node === "object" && node !== null ? Object.keys(node) : [];
      if (present.length === 0 && text !== "" && chance(0.9)) break;
      const token = present.length > 0 && chance(0.9) ? pick(present) : pick([...keys, String(present.length), "-"]);
      text += `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      node = present.includes(token) ? node[token] : undefined;
    }
    return text;
  };
  const operation = (root) => ({
    op: pick(["add", "remove", "replace", "move", "copy", "test", "add", "move"]),
    path: pointer(root),
    from: pointer(root),
    value: chance(0.2) ? structuredClone(root) : value(1),
  });
  return { value, operation, length: () => 1 + below(3) };
}

test("ten thousand random patches do what the RFC says, and their changes do the same elsewhere", () => {
  const { value, operation, length } = makers(5);
  const counts = { success: 0, error: 0 };
  for (let run = 0; run < 400; run++) {
    const state = { root: { a: value(0), b: [value(1), value(1)] } };
    const store = new PatchStore();
    const other = new PatchStore();
    for (const one of [store, other]) one.load("x", JSON.stringify(state.root), { rules: "open" });
    for (let turn = 0; turn < 25; turn++) {
      const trial = { root: structuredClone(state.root) };
      const operations = [];
      let failed = -1;
      for (let index = length(); index > 0 && failed < 0; index--) {
        operations.push(operation(trial.root));
        try {
          perform(trial, structuredClone(operations.at(-1)));
        } catch (cause) {
          if (!(cause instanceof Refused)) throw cause;
          failed = operations.length - 1;
        }
      }
      const details = () => `${JSON.stringify(state.root)}\n${JSON.stringify(operations)}`;
      const result = store.applyJsonPatch("x", operations);
      assert.equal(result.status, failed < 0 ? "success" : "error", `${details()}\n${JSON.stringify(result)}`);
      counts[result.status] += 1;
      if (failed < 0) state.root = trial.root;
      else assert.equal(result.error.index, failed, details());
      assert.deepEqual(store.snapshot("x"), state.root, details());
      if (failed < 0) assert.equal(other.applyJsonPatch("x", toJsonPatch(result.changes)).status, "success", details());
      assert.deepEqual(other.snapshot("x"), state.root, details());
    }
    assertMirror(store);
    store.dispose();
    other.dispose();
  }
  assert.ok(counts.success > 2000 && counts.error > 2000, JSON.stringify(counts));
});
