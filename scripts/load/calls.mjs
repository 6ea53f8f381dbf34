/** Calls per second, by turns: each case once, then each again, so that what else the machine does meets all of them. */
import { cpus } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { busy, median, startPlayer, table, withServers } from "./processes.mjs";

/** "100x1", "100x100x2": pages, rooms and servers. */
export function readCase(text) {
  const match = /^(\d+)x(\d+)(?:x(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [pages, rooms, servers] = match.slice(1).map((part = "1") => Number(part));
  return pages >= rooms && rooms > 0 && servers > 0 ? { text, pages, rooms, servers } : undefined;
}

const sum = (values) => values.reduce((total, value) => total + value, 0);

async function turn({ pages, rooms, servers: count }, prefix, { servers, player, seconds, warmUp, waiting }) {
  const used = servers.slice(0, count);
  await player.ask({ task: "join", servers: used.map(({ ws }) => ws), pages, rooms, prefix });
  await player.ask({ task: "press", waiting });
  await wait(warmUp * 1000);
  const usage = () => Promise.all(used.map((server) => server.ask({ reset: true })));
  const before = await usage();
  await player.ask({ task: "mark" });
  const [from, busyBefore, { cpu }] = [performance.now(), busy(), await player.ask({ task: "result" })];
  await wait(seconds * 1000);
  const result = await player.ask({ task: "result" });
  const [milliseconds, busyAfter, after] = [performance.now() - from, busy(), await usage()];
  await player.ask({ task: "leave" });
  const of = (name) => sum(after.map((one) => one[name])) - sum(before.map((one) => one[name]));
  return {
    rate: (result.calls / milliseconds) * 1000,
    median: result.median,
    slowest: result.slowest,
    cpuPerCall: (of("cpu") / result.calls) * 1000,
    perAppend: of("calls_total") / of("appends_total"),
    serverBusy: of("cpu") / milliseconds,
    playerBusy: (result.cpu - cpu) / milliseconds,
    machineBusy: (busyAfter - busyBefore) / milliseconds,
    memory: sum(after.map(({ rss }) => rss)) / 2 ** 20,
    errors: after.flatMap(({ errors }) => errors),
  };
}

export async function measureCalls({ storage, cases, turns, seconds, warmUp, waiting, profile }, say) {
  const most = Math.max(...cases.map(({ servers }) => servers));
  const found = new Map(cases.map((one) => [one, []]));
  await withServers(storage, most, { profile }, async (servers) => {
    const player = await startPlayer();
    try {
      for (let number = 0; number < turns; number++)
        for (const [at, one] of cases.entries()) {
          const about = { servers, player, seconds, warmUp, waiting };
          const result = await turn(one, `t${number}${"abcdefghijklmnop"[at]}`, about);
          if (result.errors.length > 0) say(`${one.text}: ${result.errors[0]}`);
          found.get(one).push(result);
        }
    } finally {
      await player.end();
    }
  });
  const first = found.get(cases[0]);
  const rows = cases.map((one) => {
    const results = found.get(one);
    const of = (name) => median(results.map((result) => result[name]));
    const ratios = results.map(({ rate }, turnAt) => rate / first[turnAt].rate);
    // Servers that have a core each answer as many calls as fit into its time.
    const byCpu =
      (one.servers / of("cpuPerCall")) * (median(first.map((result) => result.cpuPerCall)) / cases[0].servers);
    return [
      one.text,
      Math.round(of("rate")),
      of("median").toFixed(1),
      of("slowest").toFixed(1),
      Math.round(of("cpuPerCall")),
      of("perAppend").toFixed(1),
      of("serverBusy").toFixed(2),
      of("playerBusy").toFixed(2),
      `${of("machineBusy").toFixed(2)} of ${cpus().length}`,
      Math.round(of("memory")),
      `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)})`,
      byCpu.toFixed(2),
    ];
  });
  const head = [
    "case",
    "calls/s",
    "median ms",
    "99 % ms",
    "CPU us/call",
    "calls/append",
    "server cores",
    "player cores",
  ];
  say(table([...head, "machine cores", "MB", "ratio", "by CPU"], rows));
}
