/**
 * `npm run mcp`: MCP over standard input and output, for clients that start their servers themselves. It hands each message on to
 * the server that runs on PORT, once that has proved to know the token; where none runs, it starts one.
 */
import { createInterface } from "node:readline";
import { newSecret, proofOf, settings, start } from "../www/server/server.mjs";

/** Standard output belongs to the protocol. */
const tell = (text) => console.error(text);
const say = (answer) => console.log(JSON.stringify(answer));

/** The address for agents, and their token. */
async function find() {
  const set = settings(process.env);
  const { host, port, tokens } = set;
  const nonce = newSecret();
  const proof = port && (await fetch(`http://${host}:${port}/proof?nonce=${nonce}`).catch(() => undefined));
  if (proof && (await proof.text()) !== proofOf(tokens.agent, port, nonce))
    throw new Error(`TOKEN: what runs on port ${port} does not know this token`);
  if (proof) return { mcp: `http://${host}:${port}/rooms/demo/mcp`, token: tokens.agent };
  const { addresses } = await start(set, tell);
  tell(JSON.stringify(addresses));
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
  if (typeof own !== "string") return version === undefined ? {} : { "mcp-protocol-version": version };
  const name = params.name ?? params.uri;
  const named = typeof name === "string" && { "mcp-name": headerOf(name) };
  return { "mcp-protocol-version": own, "mcp-method": headerOf(String(method)), ...named };
}

/** The version of a client that has begun with `initialize`. */
let version;

async function handOn(line, { mcp, token }) {
  let message = null;
  try {
    message = JSON.parse(line);
    const about = {
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
      ...headersFor(message, version),
    };
    const response = await fetch(mcp, { method: "POST", headers: about, body: line });
    const text = await response.text();
    if (text === "" && !response.ok) throw new Error(`the server answers ${response.status}`);
    const answer = text === "" ? undefined : JSON.parse(text);
    if (message.method === "initialize") version = answer?.result?.protocolVersion;
    if (answer !== undefined) say(answer);
  } catch (error) {
    tell(`error: ${error.message}`);
    // A notification has no answer.
    const { id = message === null ? null : undefined } = message ?? {};
    if (id !== undefined)
      say({ jsonrpc: "2.0", id, error: { code: message ? -32603 : -32700, message: error.message } });
  }
}

try {
  const server = await find();
  const running = new Set();
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    const one = handOn(line, server).finally(() => running.delete(one));
    running.add(one);
    // Messages after `initialize` have the version of its answer.
    if (line.includes('"initialize"')) await one;
  }
  await Promise.all(running);
  process.exit(0);
} catch (error) {
  tell(`error: ${error.message}`);
  process.exit(1);
}
