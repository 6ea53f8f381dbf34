/** Every listing of the README, of docs/ and of the TSDoc compiles unchanged, under `strict`, against the packed package. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as genui from "genui-patch";
import * as agUi from "genui-patch/ag-ui";
import * as aiSdk from "genui-patch/ai-sdk";
import * as hooks from "genui-patch/react";
import * as backend from "genui-patch/server";
import * as slim from "genui-patch/slim";
import * as testing from "genui-patch/testing";
import { examples, listings } from "../support/docs.mjs";
import { app, root } from "../support/package.mjs";
import { contexts, modules } from "./context.mjs";

const compilerOptions = {
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  jsx: "react-jsx",
  types: [],
  module: "ESNext",
  moduleResolution: "Bundler",
  target: "ES2022",
  lib: ["ES2022", "ESNext.Disposable", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
};
/** Third-party packages that listings import, with their own types. */
const peers = [
  "ai",
  "@ai-sdk",
  "@ag-ui",
  "@a2ui",
  "@copilotkit",
  "@tanstack",
  "ajv",
  "fast-json-patch",
  "immer",
  "jsonrepair",
];
const compiled = ["js", "jsx", "ts", "tsx"];
const used = new Set();

/** The context of a listing on one line, the first of its file, so that all other lines keep their numbers. */
function context(name) {
  if (name in contexts) used.add(name);
  return (contexts[name] ?? "").replaceAll(/\s*\n\s*/g, " ");
}

/** Code with its first line at its line number in the source. */
const at = (line, code) => "\n".repeat(line - 1) + code;

function markdown() {
  const files = {};
  // The first listing of the README compiles alone, as does each listing of docs/; the README's others share a scope.
  const [first, ...others] = listings("../README").filter(({ lang }) => compiled.includes(lang));
  files["src/README.md.1.tsx"] = `export {};${at(first.line, first.code)}`;
  let readme = "";
  for (const { lang, code, line } of others) {
    assert.ok(lang === "js");
    readme += at(line - readme.split("\n").length + 1, code);
  }
  files["src/README.md.tsx"] = `${context("README")} export {};${readme}`;
  for (const name of readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"))) {
    const page = name.replace(".md", "");
    for (const [place, { lang, code, line }] of listings(page).entries()) {
      if (!compiled.includes(lang)) continue;
      const key = `${page} ${place + 1}`;
      files[`src/docs/${name}.${place + 1}.tsx`] = `${context(key)} export {};${at(line, code)}`;
    }
  }
  return files;
}

/** The exports of the slim entry alone. */
const own = Object.fromEntries(Object.entries(slim).filter(([name]) => !(name in genui)));

/** An example may return, await, and use the package's exports as imported: it is compiled inside an async function. */
function tsdoc() {
  const files = {};
  for (const { file, place, code, line } of examples()) {
    const named = (module, from) => {
      const names = Object.keys(from).filter((name) => new RegExp(`(?<![.\\w])${name}\\b`).test(code));
      return names.length > 0 ? `import { ${names.join(", ")} } from "${module}";` : "";
    };
    const imports = [
      named("genui-patch", genui),
      named("genui-patch/react", hooks),
      named("genui-patch/slim", own),
      named("genui-patch/testing", testing),
      named("genui-patch/server", backend),
      named("genui-patch/ag-ui", agUi),
      named("genui-patch/ai-sdk", aiSdk),
    ].join("");
    const head = `${imports} ${context(`${file} ${place}`)}`;
    files[`src/${file.replaceAll("/", ".")}.${place}.tsx`] =
      `${head}${at(line - 1, "export async function example() {")}\n${code}}\n`;
  }
  return files;
}

test("listings compile under strict", () => {
  const files = { ...markdown(), ...tsdoc() };
  assert.ok(Object.keys(files).length > 60);
  const others = Object.keys(contexts).filter((name) => !used.has(name));
  assert.deepEqual(others, [], "contexts of listings that are not there");
  const folder = app({
    ...files,
    "src/modules.d.ts": modules,
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }),
  });
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  for (const name of ["@types/react", "react", "csstype", ...peers]) {
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  const { bin } = JSON.parse(readFileSync(join(root, "node_modules/typescript/package.json"), "utf8"));
  const tsc = join(root, "node_modules/typescript", bin.tsc);
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", "."], { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, stdout);
});
