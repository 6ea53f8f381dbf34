/** The published tarball in workerd, which compiles no WebAssembly at run time. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build as esbuild } from "esbuild";
import { app, modulesIn, probe, root } from "../support/package.mjs";

const program = `
  import { ${probe.names} } from "genui-patch";
  export default {
    test() {
      const value = ${probe.expression};
      if (value !== ${JSON.stringify(probe.value)}) throw new Error(String(value));
    },
  };
`;

const config = `
  using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
  const worker :Workerd.Worker = (
    modules = [
      (name = "worker.js", esModule = embed "out/worker.js"),
      (name = "store.wasm", wasm = embed "node_modules/genui-patch/dist/store.wasm"),
      (name = "blocks.wasm", wasm = embed "node_modules/genui-patch/dist/blocks.wasm"),
    ],
    compatibilityDate = "2026-01-01",
  );
`;

test("workerd imports the .wasm files", async () => {
  const folder = app({ "worker.js": program, "config.capnp": config });
  await esbuild({
    entryPoints: [join(folder, "worker.js")],
    absWorkingDir: folder,
    outdir: join(folder, "out"),
    bundle: true,
    format: "esm",
    conditions: ["workerd"],
    external: ["*.wasm"],
  });
  assert.deepEqual(modulesIn(readFileSync(join(folder, "out/worker.js"), "utf8")), []);
  const workerd = join(root, "node_modules/.bin/workerd");
  const { status, stderr } = spawnSync(workerd, ["test", "config.capnp"], { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, stderr.slice(0, 2000));
});
