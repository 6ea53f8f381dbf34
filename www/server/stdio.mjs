/**
 * `npm run mcp`: MCP over standard input and output, for clients that start their servers themselves. It hands on to the
 * server that runs on PORT with the token of TOKEN or DATA_DIR; where none runs, it starts one.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
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

/** A value as a header: in Base64 where a header cannot carry it. */
const headerOf = (value) =>
  /^[!-~]([ -~]*[!-~])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value)
    ? value
    : `=?base64?${Buffer.from(value).toString("base64")}?=`;

/** The headers that repeat a message: all of them in 2026-07-28, in the revisions before the version alone. */
function headersFor({ method, params }, version) {
  const own = params?._meta?.["io.modelcontextprotocol/protocolVersion"];
  const name = params?.name ?? params?.uri;
  if (typeof own !== "string") return version === undefined ? {} : { "mcp-protocol-version": version };
  return {
    "mcp-protocol-version": own,
    "mcp-method": headerOf(String(method)),
    ...(typeof name === "string" && { "mcp-name": headerOf(name) }),
  };
}

/** Hands messages on, each as a request of its own. */
class Bridge {
  /** The version of a client that has begun with `initialize`. */
  #version;

  constructor(address, token) {
    this.address = address;
    this.token = token;
  }

  async handOn(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#fail(null, -32700, "The line is no JSON text.");
    }
    try {
      const response = await fetch(this.address, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${this.token}`,
          ...headersFor(message ?? {}, this.#version),
        },
        body: line,
      });
      const text = await response.text();
      if (text === "" && response.ok) return undefined;
      if (text === "") throw new Error(`the server answers ${response.status}`);
      const answer = JSON.parse(text);
      if (message?.method === "initialize") this.#version = answer.result?.protocolVersion;
      return console.log(JSON.stringify(answer));
    } catch (error) {
      console.error(`error: ${error.message}`);
      // A notification has no answer.
      if (message?.id !== undefined && message.method !== undefined) this.#fail(message.id, -32603, error.message);
    }
  }

  #fail(id, code, message) {
    console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }
}

try {
  const { mcp, token } = await find();
  const bridge = new Bridge(mcp, token);
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const running = new Set();
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const one = bridge.handOn(line).finally(() => running.delete(one));
    running.add(one);
    // Messages after `initialize` have the version of its answer.
    if (line.includes('"initialize"')) await one;
  }
  await Promise.all(running);
  process.exit(0);
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}
