/** The imports of the crate's files, as a graph: no file imports itself through others. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../../src", import.meta.url));

/** Modules that may import each other: a cycle of others is an error. */
const EXCEPTIONS = [
  // A recursive type: a value contains lists and objects of values.
  /^value(::array|::object)?$/,
  // Known cycles, to be removed: delete the row of a folder without cycles.
  /^block(::|$)/,
  /^value::lexer(::fault)?$/,
];

/** A file's module: `a/b.rs` and `a/b/mod.rs` are `a::b`. */
const moduleOf = (file) => file.replace(/(^lib|(^|\/)mod)?\.rs$/, "").replaceAll("/", "::");

/** Code without comments, texts and visibilities. */
function stripped(text) {
  return text.replace(
    /\bpub\(in [\w:]+\)|\/\/.*|\/\*[\s\S]*?\*\/|r#"[\s\S]*?"#|b?"(?:\\[\s\S]|[^"\\])*"|'(?:\\.|[^'\\])'/g,
    " ",
  );
}

/** The paths of a `use` tree: `a::{b, c as d}` is `[[a, b], [a, c]]`, each with the name that it gets. */
function expand(tree, prefix = []) {
  const text = tree.trim();
  const brace = text.indexOf("{");
  if (brace < 0) {
    const [path, alias] = text.split(/\s+as\s+/);
    const segments = [...prefix, ...path.split("::").map((segment) => segment.trim())];
    if (segments.at(-1) === "self") segments.pop();
    return [{ segments, name: alias ?? segments.at(-1) }];
  }
  const head = text
    .slice(0, brace)
    .split("::")
    .map((segment) => segment.trim())
    .filter(Boolean);
  const parts = [];
  let depth = 0;
  let start = brace + 1;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "{") depth++;
    if ((text[at] === "," || text[at] === "}") && depth === 0) {
      if (text.slice(start, at).trim() !== "") parts.push(text.slice(start, at));
      start = at + 1;
    }
    if (text[at] === "}") depth--;
  }
  return parts.flatMap((part) => expand(part, [...prefix, ...head]));
}

function read(root) {
  const modules = new Map();
  for (const name of readdirSync(root, { recursive: true })) {
    const file = name.replaceAll("\\", "/");
    if (!file.endsWith(".rs")) continue;
    const code = stripped(readFileSync(join(root, file), "utf8"));
    const imports = [...code.matchAll(/\buse\s+([^;]+);/g)].flatMap(([, tree]) => expand(tree));
    modules.set(moduleOf(file), { file, imports, code: code.replace(/\b(use|mod)\s+[^;{]+(\{[^;]*)?;/g, " ") });
  }
  return modules;
}

/** The module in which a path's item is defined, followed through re-exports. */
function resolve(modules, from, segments, seen = new Set()) {
  let [at, rest] = [undefined, segments];
  if (rest[0] === "crate") [at, rest] = ["", rest.slice(1)];
  else if (rest[0] === "self") [at, rest] = [from, rest.slice(1)];
  else if (modules.has(child(from, rest[0]))) at = from;
  else if (rest[0] !== "super") return undefined;
  for (; rest[0] === "super"; rest = rest.slice(1)) {
    const base = at ?? from;
    at = base.includes("::") ? base.slice(0, base.lastIndexOf("::")) : "";
  }
  for (; rest.length > 0 && modules.has(child(at, rest[0])); rest = rest.slice(1)) at = child(at, rest[0]);
  const key = `${at} ${rest[0]}`;
  if (rest.length === 0 || seen.has(key)) return { module: at, isModule: rest.length === 0 };
  seen.add(key);
  const again = modules.get(at).imports.find(({ name }) => name === rest[0]);
  const found = again && resolve(modules, at, [...again.segments, ...rest.slice(1)], seen);
  return found ?? { module: at, isModule: false };
}

const child = (module, name) => (module === "" ? name : `${module}::${name}`);

/** The modules that each module's own code uses. Re-exports do not count as imports. */
function graph(modules) {
  const edges = new Map();
  for (const [module, { imports, code }] of modules) {
    const targets = new Set();
    const add = (segments) => targets.add(resolve(modules, module, segments)?.module);
    const children = [...modules.keys()].filter((name) => child(module, name.split("::").at(-1)) === name);
    const known = [
      ...imports,
      ...children.map((name) => ({ segments: ["self", name.split("::").at(-1)], name: name.split("::").at(-1) })),
    ];
    for (const { segments, name } of known) {
      if (name === "*") add(segments.slice(0, -1));
      else if (resolve(modules, module, segments)?.isModule) {
        for (const [, item] of code.matchAll(new RegExp(`(?<!::)\\b${name}::(\\w+)`, "g"))) add([...segments, item]);
      } else if (new RegExp(`(?<!::)\\b${name}\\b`).test(code)) add(segments);
    }
    for (const [path] of code.matchAll(/\b(?:crate|super|self)(?:::\w+)+/g)) add(path.split("::"));
    targets.delete(module);
    targets.delete(undefined);
    edges.set(module, targets);
  }
  return edges;
}

/** Groups of modules that reach each other. */
function circles(edges) {
  const reach = new Map();
  for (const start of edges.keys()) {
    const seen = new Set();
    const queue = [...edges.get(start)];
    while (queue.length > 0) {
      const next = queue.pop();
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(...(edges.get(next) ?? []));
    }
    reach.set(start, seen);
  }
  const groups = new Map();
  for (const [module, reached] of reach) {
    if (!reached.has(module)) continue;
    const group = [...reached].filter((other) => reach.get(other).has(module)).sort();
    groups.set(group.join(", "), group);
  }
  return [...groups.values()];
}

test("no file of the crate imports itself by way of others", () => {
  const modules = read(source);
  assert.ok(modules.size > 100);
  const found = circles(graph(modules));
  const isAllowed = (group) => EXCEPTIONS.some((modules) => group.every((module) => modules.test(module)));
  assert.deepEqual(
    found.filter((group) => !isAllowed(group)),
    [],
  );
});

test("a circle is found through a front page that exports names again, and by a path without `use`", () => {
  const module = (text) => ({
    imports: [...text.matchAll(/\buse\s+([^;]+);/g)].flatMap(([, tree]) => expand(tree)),
    code: text.replace(/\buse\s+[^;]+;/g, " "),
  });
  const modules = new Map([
    ["", module("mod a;")],
    ["a", module("pub use one::{One, make as build}; pub use two::Two;")],
    ["a::one", module("use super::Two; struct One(Two);")],
    ["a::two", module("struct Two; fn two() { crate::a::build() }")],
    ["a::three", module("use crate::a::{self, one::One}; fn three() -> One { a::Two }")],
  ]);
  assert.deepEqual(circles(graph(modules)), [["a::one", "a::two"]]);
});
