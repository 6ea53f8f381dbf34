// The files of the Rust core import each other in no circle. (Biome checks the same of src/js.)
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const root = new URL("../../src/", import.meta.url);

/** The modules of the crate by their path, such as `block::scanner`, with their code without comments and unit tests. */
const modules = new Map(
  readdirSync(root, { recursive: true })
    .filter((file) => file.endsWith(".rs"))
    .map((file) => {
      const code = readFileSync(new URL(file, root), "utf8").replace(/\/\/.*$/gm, "");
      return [pathOf(file), code.split("#[cfg(test)]")[0]];
    }),
);

function pathOf(file) {
  return file
    .replace(/\.rs$/, "")
    .split("/")
    .filter((part) => part !== "mod" && part !== "lib")
    .join("::");
}

/** The paths of a tree such as `a::{b, c::{d, e}}`. */
function pathsOf(tree) {
  const paths = [];
  let [prefix, start] = [[""], 0];
  for (let at = 0; at <= tree.length; at++) {
    const char = tree[at] ?? ",";
    if (!"{},".includes(char)) continue;
    const part = tree.slice(start, at).trim().split(" as ")[0];
    start = at + 1;
    if (char === "{") prefix = [...prefix, prefix.at(-1) + part];
    else if (part !== "") paths.push(prefix.at(-1) + part);
    if (char === "}") prefix = prefix.slice(0, -1);
  }
  return paths;
}

/** The absolute path, without `crate`, of a path that is written in a module; undefined for other crates. */
function absolute(path, module) {
  const parts = path.split("::");
  const base = module === "" ? [] : module.split("::");
  if (parts[0] === "crate") return parts.slice(1);
  if (parts[0] !== "super" && parts[0] !== "self") {
    return modules.has([...base, parts[0]].join("::")) ? [...base, ...parts] : undefined;
  }
  while (parts[0] === "super" || parts[0] === "self") if (parts.shift() === "super") base.pop();
  return [...base, ...parts];
}

const PUBLIC_USE = /\bpub(?:\([^)]*\))? use ([^;]+);/g;

/** The names that a module exports from others. */
const exported = new Map(
  [...modules].map(([module, code]) => {
    const paths = [...code.matchAll(PUBLIC_USE)].flatMap(([, tree]) => pathsOf(tree));
    return [module, new Map(paths.map((path) => [path.split("::").at(-1), absolute(path, module)]))];
  }),
);

/** The module in which a path ends, if that is in the crate. Names that a module exports from another one are followed. */
function moduleOf(path) {
  for (let length = path.length; length >= 0; length--) {
    const module = path.slice(0, length).join("::");
    if (!modules.has(module)) continue;
    const [name, ...rest] = path.slice(length);
    const source = exported.get(module)?.get(name);
    return source ? moduleOf([...source, ...rest]) : module;
  }
  return undefined;
}

/** The modules that each module uses. Re-exports, as the front page of a folder has them, do not count. */
const uses = new Map(
  [...modules].map(([module, code]) => {
    const own = code.replace(PUBLIC_USE, "");
    const imported = [...own.matchAll(/\buse ([^;]+);/g)].flatMap(([, tree]) => pathsOf(tree));
    const inline = [...own.matchAll(/\b(?:super|crate)(?:::\w+)+/g)].map(([path]) => path);
    const used = [...imported, ...inline].map((path) => absolute(path, module)).map((path) => path && moduleOf(path));
    return [module, new Set(used.filter((name) => name !== undefined && name !== module))];
  }),
);

test("the files of the core import each other in no circle", () => {
  const done = new Set();
  const visit = (module, path) => {
    const at = path.indexOf(module);
    assert.equal(at, -1, `these files import each other: ${[...path.slice(at), module].join(" -> ")}`);
    if (done.has(module)) return;
    for (const used of uses.get(module)) visit(used, [...path, module]);
    done.add(module);
  };
  for (const module of modules.keys()) visit(module, []);
  // The graph is not empty by mistake.
  assert.ok([...uses.values()].reduce((sum, { size }) => sum + size, 0) > 300);
  assert.ok(uses.get("block::scanner").has("block::scanner::surroundings"));
});
