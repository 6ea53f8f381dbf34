/**
 * `npm run conformance:mcp`: npm's `@modelcontextprotocol/conformance` against the MCP endpoint of a room, each scenario at each
 * revision of the protocol that it is about. Needs Node 22 and the package's build; installs the suite below `target/`.
 *
 * A scenario that needs tools, prompts or resources of the suite's own server is counted as an exception, with its reason.
 * `REVISION=2026-07-28` runs that revision alone.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createRooms, memoryStorage, nodeListener } from "genui-patch/server";
import { root } from "./lib/run.mjs";

/** The suites, and the revisions that each one tests; the older one takes the newest that it knows. */
const SUITES = [
  { version: "0.1.16", revisions: [undefined] },
  { version: "0.2.0-alpha.12", revisions: ["2025-06-18", "2025-11-25", "2026-07-28"] },
];

/** Scenarios, or single checks (`scenario/check`), that cannot pass here, by the reason. */
const EXCEPTIONS = [
  [
    /^(tools-call-|json-schema-2020-12|elicitation-|input-required-result-(?!unsupported)|http-custom-header|resources-read-|resources-templates-read)/,
    "needs tools or resources of the suite's own server",
  ],
  [/^(prompts-|completion-|logging-)/, "prompts, completion and logging are not offered"],
  [/^resources-(un)?subscribe/, "subscriptions are not offered"],
  [/^server-sse-|^server-session-lifecycle/, "streams and sessions are not offered: the endpoint is stateless"],
  [/^tasks-|^sep-2640-/, "an extension that is not offered"],
  [
    /^server-stateless\/.*(undeclared-capability|missing-capability-http-400|no-independent-requests-on-stream|no-log-without-loglevel)/,
    "needs tools of the suite's own server",
  ],
  [/^caching\/.*prompts-list/, "prompts, completion and logging are not offered"],
];

const [major] = process.versions.node.split(".");
if (Number(major) < 22) throw new Error("The suite needs Node 22 or newer: it imports globSync of node:fs.");

const reasonFor = (name) => EXCEPTIONS.find(([pattern]) => pattern.test(name))?.[1];

/** Runs a program and returns its output; its exit code is that of the checks, which are read from files. */
async function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data) => {
      text += data;
    });
  const [code] = await once(child, "close");
  return { code, text };
}

/** Installs a package in a folder of its own, and returns the folder of the package. */
async function installed(name, version) {
  const folder = join(root, "target/conformance", `${name.split("/").at(-1)}-${version}`);
  const place = join(folder, "node_modules", name);
  if (existsSync(place)) return place;
  mkdirSync(folder, { recursive: true });
  const { code, text } = await run("npm", [
    "install",
    "--no-audit",
    "--no-fund",
    "--prefix",
    folder,
    `${name}@${version}`,
  ]);
  if (code !== 0) throw new Error(`npm install ${name}@${version}: ${text}`);
  return place;
}

/** Server scenarios of a suite, with the revisions that they are about. */
async function scenariosOf(program) {
  const { text } = await run(process.execPath, [program, "list", "--server"]);
  const [, server = ""] = text.split("Server scenarios");
  const [own] = server.split("\n\n");
  return [...own.matchAll(/^ {2}- (\S+)(?: \[(.*)\])?$/gm)].map(([, name, about = ""]) => ({
    name,
    about: about.split(","),
  }));
}

/** The checks that a scenario made: `[{ id, status }]`. */
async function checksOf(program, name, revision, url) {
  const folder = mkdtempSync(join(root, "target/conformance/run-"));
  const args = [program, "server", "--url", url, "--scenario", name, "--output-dir", folder];
  if (revision !== undefined) args.push("--spec-version", revision);
  const { text } = await run(process.execPath, args, { cwd: folder, timeout: 120_000 });
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith("checks.json"));
  const checks = files.flatMap((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
  rmSync(folder, { recursive: true });
  return { checks, text };
}

const rooms = createRooms({
  storage: memoryStorage(),
  authorize: () => ({ user: { id: "suite" }, role: "editor" }),
  open: () => ({ documents: { page: { state: { params: {} } } } }),
});
const listener = nodeListener(rooms);
let host = "";
// As a server behind no proxy checks it: names that resolve to this machine are not its own.
const http = createServer((request, response) => {
  if (request.headers.host === host || request.headers.host === host.replace("127.0.0.1", "localhost"))
    return listener(request, response);
  response.writeHead(403).end();
}).listen(0, "127.0.0.1");
await once(http, "listening");
host = `127.0.0.1:${http.address().port}`;
const url = `http://${host}/rooms/suite/mcp`;

let isGood = true;
for (const { version, revisions } of SUITES) {
  const program = join(await installed("@modelcontextprotocol/conformance", version), "dist/index.js");
  const scenarios = await scenariosOf(program);
  for (const revision of revisions) {
    if (process.env.REVISION !== undefined && process.env.REVISION !== revision) continue;
    let [passed, total] = [0, 0];
    const exceptions = new Map();
    const failures = [];
    for (const { name, about } of scenarios) {
      if (revision !== undefined && !about.includes(revision)) continue;
      const known = reasonFor(name);
      if (known !== undefined) {
        exceptions.set(known, (exceptions.get(known) ?? 0) + 1);
        continue;
      }
      const { checks, text } = await checksOf(program, name, revision, url);
      const made = checks.filter(({ status }) => status === "SUCCESS" || status === "FAILURE");
      if (made.length === 0) failures.push(`${name}: made no checks: ${text.slice(-300)}`);
      for (const { id, status } of made) {
        const reason = status === "SUCCESS" ? undefined : reasonFor(`${name}/${id}`);
        if (reason !== undefined) {
          exceptions.set(reason, (exceptions.get(reason) ?? 0) + 1);
          continue;
        }
        total += 1;
        if (status === "SUCCESS") passed += 1;
        else failures.push(`${name}: ${id}`);
      }
    }
    console.log(`conformance ${version}${revision === undefined ? "" : `, ${revision}`}: ${passed} of ${total} checks`);
    for (const [reason, count] of exceptions) console.log(`  not counted, ${reason}: ${count}`);
    for (const failure of failures) console.log(`  FAILED ${failure}`);
    isGood &&= failures.length === 0;
  }
}

await rooms.close();
http.close();
http.closeAllConnections();
if (!isGood) process.exitCode = 1;
