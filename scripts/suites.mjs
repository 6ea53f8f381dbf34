/**
 * The suites of `npm test`, in order. Each is also an npm script: `npm run test:js`.
 * To add a suite, add a row here and a script in package.json.
 *
 * - needs: prepared before the suite: `build` (dist/), `page` (the production build of www/), `wasm` (the toolchain),
 *   `browser` (Chromium), `nats` (nats-server, if available), `databases` (Postgres and Redis, if available), `engines` (Firefox
 *   and WebKit, if available), `axum` (the server of `examples/axum`).
 * - apart: runs only when named.
 * - steps: programs, one after another. `tests` names the format of their output in which tests are counted; without it a step
 *   counts as one test. `seconds`: the time limit, if it is not that of test.mjs.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { webdriverFile } from "./lib/browser.mjs";
import { Failure, root } from "./lib/run.mjs";

/** One test that hangs is reported by its name, before the step is killed. */
const TEST_MILLISECONDS = 15 * 60 * 1000;

/** The test files of a folder. Node 20 does not support patterns, so they are listed. */
function node(folder, env) {
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith(".test.mjs"));
  if (files.length === 0) throw new Failure(`no test in ${folder}`);
  const paths = files.sort().map((name) => join(folder, name));
  const options = ["--test", "--test-reporter=spec", `--test-timeout=${TEST_MILLISECONDS}`];
  return { name: folder, command: "node", args: [...options, ...paths], tests: "node", env };
}

const cargo = (args, rest) => ({ name: `cargo ${args.join(" ")}`, command: "cargo", args, ...rest });

const tool = (name, ...args) => ({ name: [name, ...args].join(" "), command: name, args });

const strict = ["--", "--deny", "warnings"];

/** `examples/axum` is a package of its own, with its dependencies compiled beside those of the crate. */
const axum = ["--manifest-path", "examples/axum/Cargo.toml"];
const locked = ["--locked", "--target-dir", "target", ...axum];

export const suites = [
  {
    name: "fmt",
    needs: [],
    steps: () => [
      cargo(["fmt", "--check", "--", "--color=never"]),
      cargo(["fmt", "--check", ...axum, "--", "--color=never"]),
      tool("biome", "ci", "--error-on-warnings", "--colors=off", "."),
    ],
  },
  {
    name: "clippy",
    needs: [],
    steps: () => [
      cargo(["clippy", "--all-targets", ...strict]),
      cargo(["clippy", "--all-targets", "--features", "serde,approval", ...strict]),
      cargo(["clippy", "--all-targets", "--features", "store,blocks", ...strict]),
      cargo(["clippy", "--all-targets", ...locked, ...strict]),
    ],
  },
  {
    name: "native",
    needs: [],
    steps: () => [
      cargo(["test", "--features", "serde,approval"], { tests: "cargo" }),
      cargo(["test", ...locked], { tests: "cargo" }),
    ],
  },
  {
    name: "docs",
    needs: [],
    steps: () => [
      cargo(["doc", "--no-deps", "--features", "serde,approval"], { env: { RUSTDOCFLAGS: "--deny warnings" } }),
    ],
  },
  {
    name: "fuzz",
    needs: [],
    // Ten seconds for each fuzz target, where `npm run fuzz` takes fifteen minutes, and 2,500 sequences of the model test.
    steps: () => [
      cargo(["test", "--profile", "fuzz", "--test", "fuzz", "--test", "store_model"], {
        tests: "cargo",
        seconds: 10 * 60,
        env: { FUZZ_SECONDS: "10", SEQUENCES: "2500" },
      }),
    ],
  },
  {
    name: "wasm",
    needs: ["wasm", "browser"],
    steps: ({ toolchain, tools, browser }) => [
      {
        ...cargo(["test", "--features", "store,blocks", "--test", "wasm_*", ...toolchain.args], { tests: "cargo" }),
        command: toolchain.cargo,
        env: {
          ...toolchain.env,
          CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: tools.runner,
          CHROMEDRIVER: browser.driver,
          WASM_BINDGEN_TEST_WEBDRIVER_JSON: webdriverFile(browser.chrome),
          WASM_BINDGEN_TEST_TIMEOUT: "120",
        },
      },
    ],
  },
  { name: "js", needs: ["build"], steps: () => [node("tests/js")] },
  {
    name: "types",
    needs: ["build"],
    steps: () => [node("tests/types"), tool("node", "node_modules/typescript/bin/tsc", "-p", "www")],
  },
  { name: "size", needs: ["build"], steps: () => [tool("node", "scripts/size.mjs")] },
  {
    name: "package-lint",
    needs: ["build"],
    steps: () => [
      tool("publint", "--strict"),
      tool(
        "attw",
        "--pack",
        ".",
        "--profile",
        "esm-only",
        "--exclude-entrypoints",
        "./store.wasm",
        "./blocks.wasm",
        "./ui.css",
      ),
      tool("knip"),
    ],
  },
  { name: "packaging", needs: ["build"], steps: () => [node("tests/packaging")] },
  { name: "pages", needs: ["build", "browser"], steps: () => [node("tests/pages")] },
  { name: "ui", needs: ["build", "browser"], steps: () => [node("tests/ui")] },
  { name: "server", needs: ["build", "nats", "databases", "axum"], steps: () => [node("tests/server")] },
  { name: "e2e", needs: ["build", "page", "browser"], steps: () => [node("tests/e2e")] },
  {
    name: "engines",
    apart: true,
    needs: ["build", "page", "engines"],
    steps: ({ engines }) =>
      engines.flatMap((name) =>
        ["tests/engines", "tests/pages"].map((folder) => ({
          ...node(folder, { ENGINE: name }),
          name: `${folder} in ${name}`,
        })),
      ),
  },
];
