/** The package as it is published, installed in temporary apps. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), "genui-patch-"));
after(() => rmSync(temporary, { recursive: true, force: true }));

const npm = (args, cwd) => execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/**
 * The tarball as `npm pack --json` describes it, with its path. Test files run side by side, and packing rewrites package.json:
 * each packs a copy of its own, with the packed files and the script that `npm pack` runs.
 */
export const tarball = (() => {
  const copy = join(temporary, "copy");
  const packed = /^(dist|docs|package\.json|[A-Z]+\.md|LICENSE-\w+)$/;
  for (const name of readdirSync(root).filter((name) => packed.test(name))) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  cpSync(join(root, "scripts/manifest.mjs"), join(copy, "scripts/manifest.mjs"));
  const [described] = Object.values(JSON.parse(npm(["pack", "--json", "--pack-destination", temporary], copy)));
  const [before, after] = [root, copy].map((folder) => readFileSync(join(folder, "package.json"), "utf8"));
  assert.equal(after, before, "npm pack restores package.json");
  return { ...described, path: join(temporary, described.filename) };
})();

/** Writes an app of these files, installs the tarball in it, and returns its folder. */
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

/** Runs a program of an app in Node and returns its standard output. */
export function runNode(folder, ...args) {
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  // A failing bundle prints the faulty line, which may contain a whole module.
  assert.equal(stderr.slice(0, 2000), "");
  return stdout.trim();
}

/** An expression that calls both modules, and its value. */
export const probe = {
  names: "checkPath, formatPath",
  expression: `checkPath("./src/a.ts").path + " " + formatPath(["list", 1])`,
  value: "src/a.ts list.1",
};

/** The packed text of each module. */
const packedTexts = Object.fromEntries(
  ["store", "blocks"].map((name) => {
    const text = readFileSync(join(root, `dist/generated/${name}.packed.js`), "utf8");
    return [name, /[\w+/]{10000,}=*/.exec(text)[0]];
  }),
);

/** The names of the modules whose packed text a script contains. */
export const modulesIn = (script) => Object.keys(packedTexts).filter((name) => script.includes(packedTexts[name]));

/** Exported names, and the modules that a bundle of them must contain. */
export const parts = [
  { names: "ToolBlockStream, validateToolBlock, repairToolBlock", holds: ["blocks"] },
  { names: "Workspace", holds: ["blocks"] },
  { names: "PatchStore", holds: ["store"] },
  { names: "FlowStore, parsePath", holds: ["store"] },
  { names: "SurfaceStream", holds: [] },
  { names: "GulfWriter, gulfFlow, gulfSystemPrompt", holds: [] },
  { names: "jsonDiff, textDiff, toJsonPatch, toolDefinitions, limits, version, GenuiPatchError, preload", holds: [] },
];
