/**
 * The suites of `npm test`, in the order in which they run. Each is also a script of its own: `npm run test:js`.
 * To add one: a row here and a script in package.json.
 *
 * - needs: what is made before: `build` (dist/), `page` (the production build of www/), `wasm` (the toolchain),
 *   `browser` (Chromium), `nats` (nats-server, where it can be had), `engines` (Firefox and WebKit, as far as they can be had).
 * - apart: only run when it is asked for.
 * - steps: programs, run one after another. `tests` tells how to count in their output; without it, a step is one check.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { webdriverFile } from "./lib/browser.mjs";
import { Failure, root } from "./lib/run.mjs";

/** The tests of a folder. They are listed here, since Node 20 knows no patterns. */
function node(folder, env) {
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith(".test.mjs"));
  if (files.length === 0) throw new Failure(`no test in ${folder}`);
  const paths = files.sort().map((name) => join(folder, name));
  return { name: folder, command: "node", args: ["--test", "--test-reporter=spec", ...paths], tests: "node", env };
}

const cargo = (args, rest) => ({ name: `cargo ${args.join(" ")}`, command: "cargo", args, ...rest });

const tool = (name, ...args) => ({ name: [name, ...args].join(" "), command: name, args });

const strict = ["--", "--deny", "warnings"];

export const suites = [
  {
    name: "fmt",
    needs: [],
    steps: () => [
      cargo(["fmt", "--check", "--", "--color=never"]),
      tool("biome", "ci", "--error-on-warnings", "--colors=off", "."),
    ],
  },
  {
    name: "clippy",
    needs: [],
    steps: () => [
      cargo(["clippy", "--all-targets", ...strict]),
      cargo(["clippy", "--all-targets", "--features", "serde", ...strict]),
      cargo(["clippy", "--all-targets", "--features", "store,blocks", ...strict]),
    ],
  },
  { name: "native", needs: [], steps: () => [cargo(["test", "--features", "serde"], { tests: "cargo" })] },
  {
    name: "docs",
    needs: [],
    steps: () => [cargo(["doc", "--no-deps", "--features", "serde"], { env: { RUSTDOCFLAGS: "--deny warnings" } })],
  },
  {
    name: "fuzz",
    needs: [],
    // Plain `cargo test` runs a thousand inputs a target, `npm run fuzz` a quarter of an hour of them; and a tenth of the
    // ten thousand sequences that are run here.
    steps: () => [
      cargo(["test", "--profile", "fuzz", "--test", "fuzz", "--test", "store_model"], {
        tests: "cargo",
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
      tool("attw", "--pack", ".", "--profile", "esm-only", "--exclude-entrypoints", "./store.wasm", "./blocks.wasm"),
      tool("knip"),
    ],
  },
  { name: "packaging", needs: ["build"], steps: () => [node("tests/packaging")] },
  { name: "pages", needs: ["build", "browser"], steps: () => [node("tests/pages")] },
  { name: "server", needs: ["build", "nats"], steps: () => [node("tests/server")] },
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
