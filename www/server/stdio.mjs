/**
 * `npm run mcp`: MCP over standard input and output, for clients that start their servers themselves. It hands on to the
 * server that runs on PORT with the token of TOKEN or DATA_DIR; where none runs, it starts one.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { settings, start } from "./start.mjs";

/** The address and the token of the server that runs, or of one that is started here. */
async function find() {
  const set = settings(process.env);
  const path = join(set.folder, "token");
  const token = set.token ?? (existsSync(path) ? readFileSync(path, "utf8").trim() : undefined);
  const origin = `http://${set.host}:${set.port}`;
  const isThere =
    set.port !== 0 &&
    (await fetch(`${origin}/health`).then(
      ({ ok }) => ok,
      () => false,
    ));
  if (isThere && token === undefined) throw new Error(`TOKEN: a server runs at ${origin}; say its token`);
  if (isThere) return { mcp: `${origin}/mcp`, token };
  const { addresses } = await start(set);
  // Standard output belongs to the protocol.
  console.error(JSON.stringify(addresses));
  return addresses;
}

try {
  const { mcp, token } = await find();
  const up = new StreamableHTTPClientTransport(new URL(mcp), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  const down = new StdioServerTransport();
  const fail = (error) => console.error(`error: ${error.message}`);
  up.onmessage = (message) => void down.send(message).catch(fail);
  down.onmessage = (message) => {
    up.send(message).catch((error) => {
      fail(error);
      if (message.id === undefined || message.method === undefined) return;
      const answer = { jsonrpc: "2.0", id: message.id, error: { code: -32000, message: error.message } };
      void down.send(answer);
    });
  };
  down.onclose = () => process.exit(0);
  process.stdin.on("end", () => process.exit(0));
  await up.start();
  await down.start();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}
