/** A patch of a large document: by WebSocket and by MCP, in turns. */
import { callMcp } from "../../tests/server/rooms.mjs";
import { median, table, withServers } from "./processes.mjs";
import { joinRaw } from "./raw.mjs";

/** Characters of a part, which one call adds. */
const PART = 1_000_000;

export async function measureLarge({ storage, megabytes, turns, profile }, say) {
  await withServers(storage, 1, { profile }, async ([server]) => {
    const page = await joinRaw(server, "large", "ann:editor");
    await page.call({ instance_name: "__CREATE__", new_instance_name: "page", patches: [] });
    for (let part = 0; part < megabytes; part++) {
      // Short texts, as documents have, and not one long one.
      const rows = Array.from({ length: PART / 50 }, (_, at) => ({
        id: at,
        text: `row ${at} of ${part}`.padEnd(25, "."),
      }));
      await page.call({
        instance_name: "page",
        patches: [{ op: "set", path: `state.params.rows${part}`, value: rows }],
      });
    }
    const patch = (number) => ({
      instance_name: "page",
      patches: [{ op: "set", path: "state.params.count", value: number }],
    });
    const times = { socket: [], mcp: [] };
    for (let turn = 0; turn < turns; turn++) {
      let start = performance.now();
      await page.call(patch(turn));
      times.socket.push(performance.now() - start);
      start = performance.now();
      const { status } = await callMcp(server, "large", "bob:editor", "patch_ui_state", patch(turn));
      if (status !== "success") throw new Error(`by MCP: ${status}`);
      times.mcp.push(performance.now() - start);
    }
    page.end();
    const [socket, mcp] = [median(times.socket), median(times.mcp)];
    const { rss } = await server.ask({ collect: true });
    const row = [megabytes, socket.toFixed(1), mcp.toFixed(1), (mcp / socket).toFixed(2), Math.round(rss / 2 ** 20)];
    say(table(["MB", "WebSocket ms", "MCP ms", "ratio", "server MB"], [row]));
  });
}
