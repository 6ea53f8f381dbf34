/**
 * `npm run load`: the demo's backend, calls per second on each log. With an argument it measures servers of rooms, each in a process
 * of its own, as are those that play pages; the package must be built. docs/server.md has what it found.
 *
 * - `npm run load -- calls --case 1x1 --case 100x100x2`: cases in turns; a case is a number of pages, of rooms, and of servers.
 *   `--turns 3`, `--seconds 5` and `--warm-up 2` of each turn, `--waiting 1` calls of each page under way.
 * - `npm run load -- start --entries 100000`: how long a room with a log takes to open.
 * - `npm run load -- memory --count 1000`: memory of an idle room, and of a page.
 * - `npm run load -- large --megabytes 13`: a patch of a large document, by WebSocket and by MCP.
 * - `npm run load -- snapshot --count 12 --megabytes 20`: a snapshot of a room with large documents, and opening the room by it.
 * - `npm run load -- limits`: what other pages notice of clients that ask too much.
 *
 * Each takes `--storage level|memory|jetstream|postgres|redis`; `--profile <folder>` writes the servers' CPU profiles.
 */
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { databases } from "./lib/databases.mjs";
import { nats } from "./lib/nats.mjs";
import { Failure, main, run } from "./lib/run.mjs";

const text = { type: "string" };
const options = {
  storage: text,
  case: { type: "string", multiple: true },
  turns: text,
  seconds: text,
  "warm-up": text,
  waiting: text,
  entries: text,
  count: text,
  megabytes: text,
  profile: text,
};

await main(async () => {
  if (process.argv.length === 2) return run(process.execPath, ["scripts/cluster.mjs", "--load"]);
  const { what, values } = readArguments();
  const { storage = "level", profile } = values;
  if (storage === "jetstream") await nats();
  if (storage === "postgres" || storage === "redis") await databases();
  const number = (name, otherwise) => {
    const value = Number(values[name] ?? otherwise);
    if (!(value > 0)) throw new Failure(`--${name} is a number above 0, not ${values[name]}`);
    return value;
  };
  const say = (line) => console.log(line);
  say(`${what} on ${storage}, load average ${loadavg()[0].toFixed(2)}`);
  const programs = {
    async calls() {
      const { measureCalls, readCase } = await import("./load/calls.mjs");
      const cases = (values.case ?? ["1x1", "100x100", "100x1"]).map((one) => {
        const known = readCase(one);
        if (known === undefined)
          throw new Failure(`--case is <pages>x<rooms>x<servers>, such as 100x100x2, not ${one}`);
        return known;
      });
      const turns = number("turns", 3);
      const waiting = number("waiting", 1);
      await measureCalls(
        { storage, cases, turns, seconds: number("seconds", 5), warmUp: number("warm-up", 2), waiting, profile },
        say,
      );
    },
    async start() {
      const { measureStart } = await import("./load/start-up.mjs");
      await measureStart({ storage, entries: number("entries", 100_000), turns: number("turns", 3), profile }, say);
    },
    async memory() {
      const { measureMemory } = await import("./load/memory.mjs");
      await measureMemory({ storage, count: number("count", 1_000) }, say);
    },
    async limits() {
      const { measureLimits } = await import("./load/limits.mjs");
      const sizes = { documents: 12, megabytes: 47, resumes: 400, sockets: 2_000, bodies: 200 };
      await measureLimits({ storage, sizes, milliseconds: number("seconds", 8) * 1000, profile }, say);
    },
    async snapshot() {
      const { measureSnapshot } = await import("./load/snapshot.mjs");
      const [count, megabytes] = [number("count", 12), number("megabytes", 20)];
      await measureSnapshot({ storage, count, megabytes, profile }, say);
    },
    async large() {
      const { measureLarge } = await import("./load/large.mjs");
      await measureLarge({ storage, megabytes: number("megabytes", 13), turns: number("turns", 9), profile }, say);
    },
  };
  if (programs[what] === undefined) throw new Failure(`no "${what}": use one of ${Object.keys(programs).join(", ")}`);
  await programs[what]();
  say(`load average ${loadavg()[0].toFixed(2)}`);
});

function readArguments() {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    return { what: positionals[0] ?? "calls", values };
  } catch (error) {
    throw new Failure(error.message);
  }
}
