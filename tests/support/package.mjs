/** The package as it is published, installed in throw-away apps. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), "genui-patch-"));
after(() => rmSync(temporary, { recursive: true, force: true }));

const npm = (args, cwd) => execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** What npm says about the tarball, and its path. */
export const tarball = (() => {
  const [packed] = Object.values(JSON.parse(npm(["pack", "--json", "--pack-destination", temporary], root)));
  return { ...packed, path: join(temporary, packed.filename) };
})();

/** Makes an app of the files given, with the tarball installed, and returns its folder. */
export function app(files = {}) {
  const folder = mkdtempSync(join(temporary, "app-"));
  const manifest = { name: "app", private: true, type: "module" };
  for (const [name, text] of Object.entries({ "package.json": JSON.stringify(manifest), ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  npm(["install", "--offline", "--no-save", "--no-package-lock", tarball.path], folder);
  return folder;
}

/** Runs a program of an app in Node and returns what it prints. */
export function runNode(folder, ...args) {
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  // A bundle that fails prints the line at fault: all of the module.
  assert.equal(stderr.slice(0, 2000), "");
  return stdout.trim();
}

/** An expression that goes through both modules, and its value. */
export const probe = {
  names: "checkPath, formatPath",
  expression: `checkPath("./src/a.ts").path + " " + formatPath(["list", 1])`,
  value: "src/a.ts list.1",
};

/** What a bundle that holds a module inlined holds of its text. */
const inlined = Object.fromEntries(
  ["store", "blocks"].map((name) => {
    const text = readFileSync(join(root, `dist/generated/${name}.packed.js`), "utf8");
    return [name, /[\w+/]{10000,}=*/.exec(text)[0]];
  }),
);

/** The modules that are inlined in a text. */
export const modulesIn = (text) => Object.keys(inlined).filter((name) => text.includes(inlined[name]));

/** Names of the package, and the modules that a bundle of them is to hold. */
export const parts = [
  { names: "ToolBlockStream, validateToolBlock, repairToolBlock", holds: ["blocks"] },
  { names: "Workspace", holds: ["blocks"] },
  { names: "PatchStore", holds: ["store"] },
  { names: "FlowStore, parsePath", holds: ["store"] },
  { names: "SurfaceStream", holds: [] },
  { names: "GulfWriter, gulfFlow, gulfSystemPrompt", holds: [] },
  { names: "jsonDiff, textDiff, toJsonPatch, toolDefinitions, limits, version, GenuiPatchError, preload", holds: [] },
];
