/** CONTRIBUTING.md names places of the repository: a file that moves or goes must not stay in it. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const text = readFileSync(`${root}CONTRIBUTING.md`, "utf8");
const named = [...text.matchAll(/`([\w.*/-]+)`/g)].map(([, name]) => name);

/** The folders in which it names places. Names of entries, such as `genui-patch/server`, look like paths too. */
const FOLDERS = ["benches", "docs", "examples", "scripts", "src", "tests", "www"];
const isPath = (name) => FOLDERS.includes(name.split("/")[0]) && name.includes("/") && !name.includes("*");

test("each path in CONTRIBUTING.md exists", () => {
  const paths = named.filter(isPath);
  assert.ok(paths.length > 50, "paths are found");
  assert.deepEqual(
    // The build writes this folder.
    paths.filter((path) => path !== "src/js/generated" && !existsSync(root + path)),
    [],
  );
});

test("each file that CONTRIBUTING.md names without its folder exists somewhere", () => {
  const files = ["docs", "scripts", "src", "tests"].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true }),
  );
  const names = new Set(files.map((file) => basename(file)));
  const alone = named.filter((name) => /^[\w-]+\.(rs|tsx?|mjs|json|md)$/.test(name) && !existsSync(root + name));
  assert.ok(alone.length > 5, "names are found");
  assert.deepEqual(
    alone.filter((name) => !names.has(name)),
    [],
  );
});

test("CONTRIBUTING.md has at most 150 lines", () => {
  assert.ok(text.split("\n").length <= 151, "move what is not needed on the first day to docs/internals.md");
});
