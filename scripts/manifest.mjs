/**
 * The package.json that is published. `npm pack` and `npm publish` run this script before and after they read the folder:
 *
 *   node scripts/manifest.mjs publish    leaves out what works in the repository alone, and keeps the original
 *   node scripts/manifest.mjs restore    puts the original back
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifest = join(root, "package.json");
const original = join(root, "target/npm/package.json");

/** Fields for those who develop the package. */
const DEVELOPMENT = ["scripts", "workspaces", "devDependencies", "allowScripts"];

const actions = {
  publish() {
    if (!existsSync(join(root, "dist/index.js"))) throw new Error("dist/ is missing: run npm run build first");
    const text = readFileSync(manifest, "utf8");
    const fields = Object.entries(JSON.parse(text));
    const published = fields.filter(([name]) => !DEVELOPMENT.includes(name));
    // Already published: an earlier run was killed before it could restore the original.
    if (published.length === fields.length) return;
    mkdirSync(dirname(original), { recursive: true });
    writeFileSync(original, text);
    writeFileSync(manifest, `${JSON.stringify(Object.fromEntries(published), undefined, 2)}\n`);
  },
  restore() {
    if (existsSync(original)) renameSync(original, manifest);
  },
};

actions[process.argv[2]]();
