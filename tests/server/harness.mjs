/** Servers for tests, started as users start them, and their clients. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { connect, PatchStore } from "genui-patch";
import WebSocket from "ws";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const TOKEN = "an-agents-token-for-tests";
export const PAGE_TOKEN = "a-pages-token-for-tests";

export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), "genui-patch-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts a server; returns the addresses in the first line of its output, and functions to watch and end it. */
export async function startServer(env) {
  const child = spawn(process.execPath, ["www/server/main.mjs"], {
    cwd: root,
    env: { ...process.env, PORT: "0", TOKEN, PAGE_TOKEN, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const lines = createInterface(child.stdout);
  const line = await Promise.race([new Promise((resolve) => lines.once("line", resolve)), ended]);
  if (typeof line !== "string") throw new Error(`the server ended with ${line}: ${errors}`);
  const addresses = JSON.parse(line);
  // Each address of the page opens in one browser.
  const pages = [addresses.page];
  lines.on("line", (next) => pages.push(JSON.parse(next).page));
  return {
    ...addresses,
    async newPage() {
      await until(() => pages.length > 0, "the server tells the page's next address");
      return pages.shift();
    },
    port: Number(new URL(addresses.page).port),
    errors: () => errors,
    isOver: () => child.exitCode !== null,
    end: (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
}

export const asPage = { authorization: `Bearer ${PAGE_TOKEN}` };

/** A page: a store that is connected like a page's. */
export function openPage(address, { clientId, ...options } = {}) {
  const store = new PatchStore(clientId === undefined ? {} : { clientId });
  const results = [];
  const make = () => new WebSocket(typeof address === "function" ? address() : address, { headers: asPage });
  // The `ws` package reports a socket error by an event of its own before it closes the socket.
  const connection = connect(store, make, {
    backoff: 20,
    timeout: 2_000,
    ...options,
    onResult: (result, message) => results.push({ result, message }),
  });
  return { store, connection, results };
}

export async function openClient(address, token = TOKEN) {
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
  return client;
}

/** The result of an MCP tool. */
export async function call(client, name, args = {}) {
  return (await client.callTool({ name, arguments: args })).structuredContent;
}

export async function until(condition, what = "it happens", timeout = 60_000) {
  for (const end = Date.now() + timeout; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 5)))
    if (await condition()) return;
  assert.fail(`waited until ${what}`);
}

export const counter = { instance_name: "__CREATE__", new_instance_name: "counter", patches: [] };
export const put = (key, value, instance_name = "counter") => ({
  instance_name,
  patches: [{ op: "set", path: `state.params.${key}`, value }],
});
