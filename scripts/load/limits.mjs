/**
 * Measures what other pages notice while clients ask too much of a server. A page in another room sends a call now and then, in turns with and
 * without the attack, which comes from a process of its own.
 */
import { setTimeout as wait } from "node:timers/promises";
import { median, started, table, withServers } from "./processes.mjs";
import { joinRaw } from "./raw.mjs";

const MEGABYTE = 2 ** 20;
/** Milliseconds between two calls of the page that is watched. */
const PAUSE = 20;

const ATTACKS = ["documents", "resumes", "half-open sockets", "silent connections", "slow bodies"];

/** Calls of a page that asks for nothing unusual, and how long it takes another one to join; until `isOver`. */
async function others(server, page, isOver) {
  const [calls, joins] = [[], []];
  for (let number = 0; !isOver(); number++) {
    let start = performance.now();
    const patches = [{ op: "set", path: "state.params.count", value: number }];
    const answer = await page.call({ instance_name: "page", patches });
    if (answer !== "made") throw new Error(`another page's call: ${answer}`);
    calls.push(performance.now() - start);
    if (number % 10 === 0) {
      start = performance.now();
      (await joinRaw(server, "other", "bob:editor")).end();
      joins.push(performance.now() - start);
    }
    await wait(PAUSE);
  }
  return { calls, joins };
}

export async function measureLimits({ storage, sizes, milliseconds, profile }, say) {
  await withServers(storage, 1, { profile }, async ([server]) => {
    const page = await joinRaw(server, "other", "ann:editor");
    await page.call({ instance_name: "__CREATE__", new_instance_name: "page", patches: [] });
    const watch = async (run) => {
      let isOver = false;
      const watched = others(server, page, () => isOver);
      const done = await run();
      isOver = true;
      return { ...(await watched), done };
    };
    const unloaded = () => watch(() => wait(milliseconds));
    await unloaded();
    const rows = [];
    const attacker = await started("attacker.mjs");
    for (const name of ATTACKS) {
      const before = await unloaded();
      await server.ask({ reset: true });
      const after = await watch(async () => {
        await attacker.ask({ attack: name, server: { http: server.http, ws: server.ws }, sizes });
        await wait(milliseconds);
        const { rss } = await server.ask({});
        return { text: await attacker.ask({ end: true }), rss };
      });
      const { peak, heldUp, sockets } = await server.ask({});
      const middle = median(after.calls);
      const slowest = Math.max(...after.calls);
      rows.push([
        name,
        median(before.calls).toFixed(1),
        middle.toFixed(1),
        (middle / median(before.calls)).toFixed(2),
        Math.round(slowest),
        Math.round(Math.max(...after.joins)),
        Math.round(heldUp),
        Math.round(after.done.rss / MEGABYTE),
        Math.round(peak / MEGABYTE),
        sockets,
        after.done.text,
      ]);
    }
    const { errors } = await server.ask({});
    for (const error of new Set(errors)) say(error);
    const head = ["attack", "alone ms", "median ms", "ratio", "slowest ms", "slowest join ms", "held up ms"];
    say(table([...head, "MB", "peak MB", "sockets", "answer"], rows));
    page.end();
    await attacker.end();
  });
}
