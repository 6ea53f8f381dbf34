/**
 * `npm run kill -- --storage level --times 100`: kills servers of rooms, and the server of their storage, at random moments
 * under load, and checks that no acknowledged call is lost or made twice. Storages: level, jetstream, postgres, redis.
 * `--seed 2` is another run. The package must be built.
 */
import { parseArgs } from "node:util";
import { databases } from "./lib/databases.mjs";
import { nats } from "./lib/nats.mjs";
import { Failure, main, say } from "./lib/run.mjs";

await main(async () => {
  const { storage = "level", times = "100", seed = "1" } = readArguments();
  if (storage === "jetstream") await nats();
  if (storage === "postgres" || storage === "redis") await databases();
  const { killable } = await import("../tests/server/storages.mjs");
  if (!killable.includes(storage)) throw new Failure(`no storage "${storage}": use one of ${killable.join(", ")}`);
  for (const [name, value] of Object.entries({ times, seed }))
    if (!(Number.isSafeInteger(Number(value)) && Number(value) > 0))
      throw new Failure(`--${name} is a whole number above 0, not ${value}`);
  const { survive } = await import("../tests/server/survive.mjs");
  const start = performance.now();
  const onKilled = (killed) => killed % 10 === 0 && say("kill", `${storage}: ${killed} of ${times}`);
  const { pages, mcp, approved, refused, files, nodes } = await survive(storage, {
    times: Number(times),
    seed: Number(seed),
    onKilled,
  });
  const seconds = Math.round((performance.now() - start) / 1000);
  const calls =
    `${pages + mcp + approved + files + nodes} acknowledged calls (${approved} approved, ${refused} refused, ` +
    `${files} on files, ${nodes} on nodes)`;
  say("kill", `${storage}: killed ${times} times in ${seconds} s; ${calls}, none lost, none made twice`);
});

function readArguments() {
  const text = { type: "string" };
  try {
    return parseArgs({ options: { storage: text, times: text, seed: text } }).values;
  } catch (error) {
    throw new Failure(error.message);
  }
}
