// The listings of docs/mcp.md do what they say.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import * as genui from "genui-patch";
import * as server from "genui-patch/server";
import { listings, run } from "../support/docs.mjs";

const [web, forms, , , written, shown] = listings("mcp").map(({ code }) => code);

afterEach(() => {
  delete globalThis.document;
});

test("WebMCP: the tools are registered where the browser has it", async () => {
  assert.deepEqual(await run(web, genui, "names"), []);
  const registered = new Set();
  const registerTool = async ({ name }, { signal }) => {
    registered.add(name);
    signal.addEventListener("abort", () => registered.delete(name));
  };
  globalThis.document = { modelContext: { registerTool } };
  const listing = web.replace("unregister();", "");
  const names = await run(listing, genui, "names");
  assert.deepEqual(names, [...registered]);
  assert.ok(names.includes("patch_ui_state"));
  registered.clear();
  await run(web, genui);
  assert.equal(registered.size, 0);
});

test("forms: answers count for the client that the application trusts", async () => {
  const scope = {
    ...server,
    sessionOf: (headers) => ({ user: { id: headers.get("authorization") ?? "bot" }, role: "agent" }),
    signingKey: "k".repeat(32),
    isDesktop: (headers) => headers.get("authorization") === "desk",
    personOf: () => ({ id: "dana" }),
  };
  const rooms = await run(forms, scope, "rooms");
  const ask = async (authorization) => {
    const meta = "io.modelcontextprotocol/";
    const call = { instance_name: "__CREATE__", new_instance_name: "page", patches: [] };
    const params = {
      name: "patch_ui_state",
      arguments: call,
      _meta: {
        [`${meta}protocolVersion`]: "2026-07-28",
        [`${meta}clientCapabilities`]: { elicitation: {} },
      },
    };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": params.name };
    const request = new Request("http://localhost/rooms/lobby/mcp", {
      method: "POST",
      headers: { ...headers, authorization },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    return (await (await rooms.fetch(request)).json()).result;
  };
  assert.equal((await ask("bot")).structuredContent.status, "pending");
  assert.equal((await ask("desk")).resultType, "input_required");
  await rooms.close();
});

test("surfaces: a room writes them, and the page in a host's frame reads them", async () => {
  const scope = { ...genui, ...server, sessionOf: () => ({ user: { id: "bot" }, role: "agent" }) };
  const rooms = await run(written, scope, "rooms");
  const uri = "a2ui://lobby/order";
  const request = new Request("http://localhost/rooms/lobby/mcp", {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } }),
  });
  const { result } = await (await rooms.fetch(request)).json();
  let read;
  const connectMcpApp = async (_, { onSurface }) => {
    read = onSurface;
  };
  const surfaces = await run(shown, { ...genui, connectMcpApp }, "surfaces");
  read(`${result.contents[0].text}\n`, uri);
  assert.equal(surfaces.tree("order").props.text, "open");
  await rooms.close();
});
