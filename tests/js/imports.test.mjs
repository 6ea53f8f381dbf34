// The files of the Rust core import each other in no circle, and neither do the folders of src/js. (Biome checks its files.)
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
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

/**
 * The folders of src/js that each folder imports, values or types. What lies in a folder of a folder belongs to the outer one. What
 * the build generates does not count: its types are those of `core`.
 */
const imports = (() => {
  const folder = new URL("js/", root);
  const found = new Map();
  for (const file of readdirSync(folder, { recursive: true }).filter((name) => /\.tsx?$/.test(name))) {
    const code = readFileSync(new URL(file, folder), "utf8");
    const paths = [...code.matchAll(/\b(?:from|import)\b[ (]*"(\.[^"]+)"/g)].map(([, path]) => path);
    const used = paths.map((path) => folderOf(posix.join(posix.dirname(file), path)));
    const own = folderOf(file);
    const others = used.filter((name) => name !== own && name !== "generated/");
    found.set(own, new Set([...(found.get(own) ?? []), ...others]));
  }
  return found;
})();

/** The folder of a file; a file beside the folders counts as one. `types.ts`, which all others use, counts as `core`. */
function folderOf(file) {
  const name = file.replace(/(?:\.d)?\.(?:js|tsx?)$/, "");
  return name === "types" ? "core/" : name.split("/")[0] + (name.includes("/") ? "/" : "");
}

/** @param {Map<string, Set<string>>} graph what each file or folder imports */
function assertNoCircle(graph) {
  const done = new Set();
  const visit = (name, path) => {
    const at = path.indexOf(name);
    assert.equal(at, -1, `these import each other: ${[...path.slice(at), name].join(" -> ")}`);
    if (done.has(name)) return;
    for (const used of graph.get(name) ?? []) visit(used, [...path, name]);
    done.add(name);
  };
  for (const name of graph.keys()) visit(name, []);
}

test("the files of the core import each other in no circle", () => {
  assertNoCircle(uses);
  // The graph is not empty by mistake.
  assert.ok([...uses.values()].reduce((sum, { size }) => sum + size, 0) > 300);
  assert.ok(uses.get("block::scanner").has("block::scanner::surroundings"));
});

test("the folders of src/js import each other in no circle", () => {
  assertNoCircle(imports);
  assert.ok([...imports.values()].reduce((sum, { size }) => sum + size, 0) > 100);
  assert.ok(imports.get("store/").has("diff/"));
  assert.ok(imports.get("agent/").has("store"), "a file beside the folders");
});
