/** Memory of an idle room, and of a page that is connected. */
import { startPlayer, table, withServers } from "./processes.mjs";

export async function measureMemory({ storage, count }, say) {
  await withServers(storage, 1, { limits: { idle: 1e8 } }, async ([server]) => {
    const player = await startPlayer();
    const servers = [server.ws];
    const rows = [];
    let before;
    /** Memory since the last measurement, for each of so many. */
    async function measure(what, of) {
      for (let again = 0; again < 3; again++) await server.ask({ collect: true });
      const now = await server.ask({ collect: true });
      const each = (name) => ((now[name] - before[name]) / of / 1024).toFixed(1);
      if (before !== undefined) rows.push([what, each("rss"), each("heapUsed"), each("external")]);
      before = now;
    }
    try {
      // The first rooms and pages also take what the server needs once.
      await player.ask({ task: "join", servers, pages: 20, rooms: 20, prefix: "warm" });
      await player.ask({ task: "leave" });
      await measure();
      await player.ask({ task: "join", servers, pages: count, rooms: count, prefix: "idle" });
      await player.ask({ task: "leave" });
      await measure("an idle room", count);
      await player.ask({ task: "join", servers, pages: count, rooms: 1, prefix: "hot" });
      await measure("a page in one room", count);
      say(table([`each of ${count}`, "memory KB", "heap KB", "external KB"], rows));
    } finally {
      await player.end();
    }
  });
}
