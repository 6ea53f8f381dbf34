/** The types of the published tarball, under the strictest options, for each module resolution that apps use. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { app, root } from "../support/package.mjs";

const ownFolder = fileURLToPath(new URL(".", import.meta.url));
const sources = readdirSync(ownFolder).filter((name) => name.endsWith(".ts"));
const strict = {
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  noEmit: true,
  types: [],
  target: "ES2022",
  lib: ["ES2022", "DOM"],
};
const ways = {
  node16: { module: "Node16", moduleResolution: "Node16" },
  nodenext: { module: "NodeNext", moduleResolution: "NodeNext" },
  bundler: { module: "ESNext", moduleResolution: "Bundler" },
};

/** A program without a DOM: its types name neither WebAssembly nor directories. */
const headless = `
import { readFileSync } from "node:fs";
import { correctToolBlock, repairToolBlock, Workspace } from "genui-patch";
import { initBlocks } from "genui-patch/slim";

await initBlocks(readFileSync("blocks.wasm"));
const calls = [repairToolBlock("").report, (await correctToolBlock("", { generate: () => "" })).report].map(({ call }) => call);
for (const call of calls) if (call) await Workspace.memory().execute(call);
`;
const headlessOptions = { ...strict, ...ways.nodenext, types: ["node"], lib: ["ES2022"] };

for (const compiler of ["typescript", "typescript5"]) {
  const { version, bin } = JSON.parse(readFileSync(join(root, "node_modules", compiler, "package.json"), "utf8"));
  for (const [name, options] of Object.entries(ways)) {
    test(`TypeScript ${version}, ${name}`, () => {
      const files = Object.fromEntries(
        sources.map((source) => [`src/${source}`, readFileSync(join(ownFolder, source), "utf8")]),
      );
      check(files, { ...strict, ...options });
    });
  }
  test(`TypeScript ${version}, without the types of browsers`, () => {
    check({ "src/headless.ts": headless }, { ...headlessOptions, typeRoots: [join(root, "node_modules/@types")] });
  });

  function check(files, compilerOptions) {
    const folder = app({ ...files, "tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }) });
    const tsc = join(root, "node_modules", compiler, bin.tsc);
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", "."], { cwd: folder, encoding: "utf8" });
    assert.equal(status, 0, stdout);
  }
}
