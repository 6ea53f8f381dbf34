// The types of the components, as an app with React's types sees them in the packed package.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { app, root } from "../support/package.mjs";

test("typed stores, all sources, components of an app's own", () => {
  const source = readFileSync(new URL("types/ui.ts", import.meta.url), "utf8");
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
    target: "ES2022",
    module: "NodeNext",
    lib: ["ES2022", "ESNext.Disposable", "DOM"],
  };
  const folder = app({ "src/ui.ts": source, "tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }) });
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  for (const name of ["@types/react", "react", "csstype"]) {
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", "."], { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, stdout);
});
