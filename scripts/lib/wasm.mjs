/** How Rust is compiled to WebAssembly on this machine. */
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { targetFeatures } from "../config.mjs";
import { apt } from "./apt.mjs";
import { remember, remembered } from "./cache.mjs";
import { Failure, read, root, run, say, which } from "./run.mjs";

const target = "wasm32-unknown-unknown";

/** A download that hangs must not hold up the way that works without it. */
const RUSTUP_SECONDS = 90;

/** Rust 1.88, as in Cargo.toml. Debian's plain rustc is older. */
const OLDEST_MINOR = 88;

/** The ways, in the order in which they are tried. GENUI_WASM names one to force it. */
const ways = { rustup: viaRustup, debian: viaDebian };

/** The way that works here, found once for each toolchain. */
export async function wasmToolchain() {
  const rustc = read("rustc", ["-vV"]);
  const forced = process.env.GENUI_WASM;
  if (forced && !(forced in ways)) throw new Failure(`GENUI_WASM is ${Object.keys(ways).join(" or ")}, not ${forced}`);
  if ((rustc === undefined || !which("cargo")) && forced !== "debian") {
    throw new Failure("Rust is missing: install rustup, or your distribution's rustc and cargo (1.88 or newer)");
  }

  if (forced !== "debian" && hasTarget() && !isOld(rustc)) return toolchain("rustup");
  const known = remembered("wasm-target");
  if (!forced && known?.way === "debian" && known.rustc === rustc && debianSources() && linker()) {
    return toolchain("debian");
  }

  const reasons = [];
  for (const [way, attempt] of Object.entries(ways)) {
    if (forced && forced !== way) continue;
    try {
      await attempt();
      if (!forced) remember("wasm-target", { rustc, way });
      return toolchain(way);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      reasons.push(`${way}: ${error.message}`);
    }
  }
  const tried = reasons.join("; ");
  if (forced !== "debian" && isOld(rustc))
    throw new Failure(`Rust is too old: install 1.${OLDEST_MINOR} or newer, rustup update (${tried})`);
  throw new Failure(`the Rust target ${target} is missing: rustup target add ${target} (${tried})`);
}

function hasTarget() {
  const sysroot = read("rustc", ["--print", "sysroot"]);
  return sysroot !== undefined && existsSync(join(sysroot, "lib/rustlib", target, "lib"));
}

/** Whether a compiler that says this of itself is older than the crate asks for. */
const isOld = (said) => !(Number(/^rustc 1\.(\d+)/.exec(said ?? "")?.[1]) >= OLDEST_MINOR);

async function viaRustup() {
  const version = read("rustc", ["-V"]);
  if (isOld(version)) throw new Failure(`${version} is too old`);
  if (hasTarget()) return;
  if (!which("rustup")) throw new Failure("rustup is not here");
  say("setup", `rustup target add ${target}`);
  await run("rustup", ["target", "add", target], { timeout: RUSTUP_SECONDS, env: { RUSTUP_MAX_RETRIES: "1" } });
  // rustup reads its own list of installed targets, which is wrong if the toolchain was copied or damaged.
  if (!hasTarget()) throw new Failure("rustup has added it, but it is not in the toolchain");
}

/** Where rustup cannot download: a newer rustc of the distribution, whose sources make the standard library. */
async function viaDebian() {
  if (!debianSources()) await apt(["rustc-web", "cargo-web", "rust-web-src"]);
  if (!debianSources()) throw new Failure("rustc-web, cargo-web and rust-web-src are not what they were");
  if (!linker()) await apt([`lld-${llvm()}`]);
  if (!linker()) throw new Failure(`lld-${llvm()} has no wasm-ld`);
}

/** Whether Debian's compiler is there with the sources, and new enough. */
function debianSources() {
  return (
    !isOld(read("/usr/bin/rustc", ["-V"])) &&
    existsSync("/usr/bin/cargo") &&
    existsSync("/usr/lib/rustlib/src/rust/library")
  );
}

/** The linker that comes with rustup's toolchain, or Debian's of the same LLVM as Debian's compiler. */
function linker() {
  const sysroot = read("rustc", ["--print", "sysroot"]);
  const host = /^host: (.*)$/m.exec(read("rustc", ["-vV"]) ?? "")?.[1];
  const bundled = sysroot && host && join(sysroot, "lib/rustlib", host, "bin/rust-lld");
  return bundled && existsSync(bundled) ? bundled : which(`wasm-ld-${llvm()}`);
}

const llvm = () => /^LLVM version: (\d+)/m.exec(read("/usr/bin/rustc", ["-vV"]) ?? "")?.[1];

/** The cargo program, its arguments and its environment; `native`: the same for programs that run on this machine. */
function toolchain(way) {
  const rustc = way === "debian" ? "/usr/bin/rustc" : "rustc";
  const flags = remaps(rustc).map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  if (targetFeatures.length > 0) flags.push(`-Ctarget-feature=${targetFeatures.join(",")}`);
  const common = { way, version: read(rustc, ["-V"]) };
  const env = { CARGO_ENCODED_RUSTFLAGS: flags.join("\x1f") };
  if (way === "rustup") {
    return { ...common, cargo: "cargo", args: ["--target", target], env, native: { cargo: "cargo", args: [] } };
  }
  // Its own folder: the two toolchains would otherwise take turns in rebuilding everything.
  const folder = ["--target-dir", join(targetFolder(), "debian")];
  const programs = { RUSTC: rustc, RUSTDOC: "/usr/bin/rustdoc" };
  return {
    ...common,
    cargo: "/usr/bin/cargo",
    args: ["--target", target, "-Zbuild-std=std,panic_abort", ...folder],
    native: { cargo: "/usr/bin/cargo", args: folder, env: programs },
    env: {
      ...env,
      ...programs,
      RUSTC_BOOTSTRAP: "1",
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: linker(),
    },
  };
}

const targetFolder = () => process.env.CARGO_TARGET_DIR ?? join(root, "target");

/**
 * Folders of this machine that must not show in the module: the same sources give the same bytes anywhere.
 * The standard library gets the name that it has where its sources are not installed.
 */
function remaps(rustc) {
  const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");
  const library = join(read(rustc, ["--print", "sysroot"]), "lib/rustlib/src/rust");
  const libraries = existsSync(library) ? [library, realpathSync(library)] : [];
  const commit = /^commit-hash: (.*)$/m.exec(read(rustc, ["-vV"]))[1];
  return [[cargoHome, "/cargo"], [root, "/genui-patch"], ...libraries.map((folder) => [folder, `/rustc/${commit}`])];
}
