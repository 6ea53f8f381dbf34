/** Builds examples/axum, the server of rooms in Rust. */
import { join, resolve } from "node:path";
import { root, run } from "./run.mjs";

/** The path of the program. Its dependencies are compiled beside the crate's, the first time for a minute. */
export async function axum() {
  const target = resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
  const manifest = join(root, "examples/axum/Cargo.toml");
  const env = { CARGO_TARGET_DIR: target };
  await run("cargo", ["build", "--locked", "--quiet", "--manifest-path", manifest], { env });
  return join(target, "debug/genui-patch-axum");
}
