/**
 * The MCP endpoint of rooms, in both eras: with the SDK's client for 2026-07-28, that of the revisions before, and requests
 * written by hand for what no client sends.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { A2uiWriter, SurfaceStream } from "genui-patch";
import { createRooms, memoryStorage, verifyApproval } from "genui-patch/server";
import { until } from "./harness.mjs";
import { bearer, joinPage, startRooms } from "./rooms.mjs";

const KEY = "k".repeat(32);
const VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";

/** Agents whose id begins with "desk" are desktop clients of the user "dana", which show forms. */
const answersFor = (_request, { user }) => (user.id.startsWith("desk") ? { id: "dana", name: "Dana" } : null);

const server = await startRooms({ keys: [KEY], mcp: { answersFor } });
after(() => server.close());

let rooms = 0;
const newRoom = () => {
  rooms += 1;
  return `mcp${rooms}`;
};
const address = (room) => new URL(`${server.http}/rooms/${room}/mcp`);

/** The SDK's client of 2026-07-28. `form` answers forms; without it the client shows none. */
async function modern(room, token, form, capabilities = { elicitation: { form: {} } }) {
  const client = new ModernClient(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: { pin: VERSION } }, capabilities: form === undefined ? {} : capabilities },
  );
  if (form !== undefined) client.setRequestHandler("elicitation/create", form);
  await client.connect(new ModernTransport(address(room), { requestInit: { headers: bearer(token) } }));
  return client;
}

/** The SDK's client of the revisions with `initialize`. */
async function legacy(room, token) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(address(room), { requestInit: { headers: bearer(token) } }));
  return client;
}

const make = (name, title) => ({
  instance_name: "__CREATE__",
  new_instance_name: name,
  patches: [{ op: "set", path: "state.params.title", value: title }],
});
const retitle = (name, title) => ({
  instance_name: name,
  patches: [{ op: "set", path: "state.params.title", value: title }],
});

const callOf = async (client, name, args = {}) => (await client.callTool({ name, arguments: args })).structuredContent;

for (const [era, open] of Object.entries({ modern, legacy }))
  test(`a client of the ${era} era lists, calls and reads`, async () => {
    const room = newRoom();
    const client = await open(room, "ann:editor");
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    for (const name of ["patch_ui_state", "get_schema", "highlight_block"]) assert.ok(names.includes(name), name);
    assert.equal((await callOf(client, "patch_ui_state", make("page", "One"))).status, "success");
    const { resources } = await client.listResources();
    assert.deepEqual(
      resources.filter(({ uri }) => uri.startsWith("genui:")).map(({ name }) => name),
      ["page", "proposals"],
    );
    const { contents } = await client.readResource({ uri: "genui://instances/page" });
    assert.equal(JSON.parse(contents[0].text).state.params.title, "One");
    assert.ok((await client.listResourceTemplates()).resourceTemplates.some(({ name }) => name === "instance"));
    await assert.rejects(client.readResource({ uri: "genui://instances/none" }), { code: -32602 });
    await assert.rejects(client.readResource({ uri: "genui://instances/%" }), { code: -32602 });
    await assert.rejects(client.callTool({ name: "light_up", arguments: {} }), (error) => {
      assert.equal(error.code, -32602);
      assert.deepEqual(error.data.tools, names);
      return true;
    });
    await client.close();
  });

test("a client that knows both eras takes the newer one", async () => {
  const client = new ModernClient({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new ModernTransport(address(newRoom()), { requestInit: { headers: bearer("ann:editor") } }));
  assert.equal(client.getServerVersion().name, "genui-patch");
  assert.match(client.getInstructions(), /Pages that users have open/);
  assert.equal(client.getNegotiatedProtocolVersion(), VERSION);
  await client.close();
});

// Requests as they are sent.

const metaOf = (version = VERSION) => ({ [`${META}protocolVersion`]: version, [`${META}clientCapabilities`]: {} });

async function post(room, body, headers = {}, token = "ann:editor") {
  const response = await fetch(address(room), {
    method: "POST",
    headers: { "content-type": "application/json", ...bearer(token), ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

const headersOf = (method, name) => ({
  "mcp-protocol-version": VERSION,
  "mcp-method": method,
  ...(name !== undefined && { "mcp-name": name }),
});

/** A request of 2026-07-28 with the headers that it needs, and with others in their place. */
function send(room, method, params = {}, headers = {}, token = undefined) {
  const body = { jsonrpc: "2.0", id: 7, method, params: { _meta: metaOf(), ...params } };
  const all = { ...headersOf(method, params.name ?? params.uri), ...headers };
  for (const [name, value] of Object.entries(all)) if (value === undefined) delete all[name];
  return post(room, body, all, token);
}

test("results of 2026-07-28 say what they are, who made them, and how long they hold", async () => {
  const room = newRoom();
  const about = { [`${META}serverInfo`]: { name: "genui-patch", version: "0.1.0" } };
  const discovered = await send(room, "server/discover");
  assert.equal(discovered.status, 200);
  const { result } = discovered.body;
  assert.deepEqual(result.supportedVersions, [VERSION, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]);
  assert.deepEqual(
    [result.resultType, result.cacheScope, result.ttlMs > 0, result._meta],
    ["complete", "public", true, about],
  );
  for (const [method, params, scope] of [
    ["tools/list", {}, "private"],
    ["resources/list", {}, "private"],
    ["resources/templates/list", {}, "public"],
    ["resources/read", { uri: "genui://proposals" }, "private"],
  ]) {
    const { body } = await send(room, method, params);
    assert.deepEqual([body.result.resultType, body.result.cacheScope], ["complete", scope], method);
    assert.ok(Number.isInteger(body.result.ttlMs) && body.result.ttlMs >= 0, method);
    assert.deepEqual(body.result._meta, about);
  }
  const { body } = await send(room, "tools/call", { name: "list_instances", arguments: {} });
  assert.deepEqual([body.result.resultType, body.result.ttlMs], ["complete", undefined]);
});

test("requests of 2026-07-28 without the right headers or _meta are refused with 400, and change nothing", async () => {
  const room = newRoom();
  const call = { name: "patch_ui_state", arguments: make("page", "x") };
  const refused = async (code, ...sent) => {
    const { status, body } = await send(room, ...sent);
    assert.deepEqual([status, body.error?.code, body.id], [400, code, 7], JSON.stringify([sent, body]));
    return body.error;
  };
  for (const headers of [
    { "mcp-protocol-version": undefined },
    { "mcp-protocol-version": "2025-11-25" },
    { "mcp-method": undefined },
    { "mcp-method": "tools/list" },
    { "mcp-method": "Tools/call" },
    { "mcp-name": undefined },
    { "mcp-name": "get_schema" },
    { "mcp-name": "=?base64?Z2V0X3NjaGVtYQ==?=" },
    { "mcp-name": "=?base64?%?=" },
  ])
    await refused(-32020, "tools/call", call, headers);
  await refused(-32020, "resources/read", { uri: "genui://proposals" }, { "mcp-name": "genui://other" });
  await refused(-32602, "tools/call", { ...call, _meta: {} });
  await refused(-32602, "tools/list", { _meta: { [`${META}protocolVersion`]: VERSION } });
  await refused(-32602, "tools/list", { _meta: { ...metaOf(), [`${META}clientCapabilities`]: "all" } });
  const unknown = "2031-01-01";
  const { data } = await refused(-32022, "tools/list", { _meta: metaOf(unknown) }, { "mcp-protocol-version": unknown });
  assert.deepEqual([data.requested, data.supported[0]], [unknown, VERSION]);
  assert.deepEqual((await (await server.rooms.room(room)).store).names(), []);

  // A name in Base64, as clients write those that a header cannot carry.
  const coded = `=?base64?${Buffer.from("patch_ui_state").toString("base64")}?=`;
  const { body } = await send(room, "tools/call", call, { "mcp-name": coded });
  assert.equal(body.result.structuredContent.status, "success");
});

test("methods that the revision does not have are 404, with the error of JSON-RPC", async () => {
  for (const method of ["ping", "initialize", "logging/setLevel", "resources/subscribe", "nothing/such"]) {
    const { status, body } = await send(newRoom(), method);
    assert.deepEqual([status, body.error.code, body.id], [404, -32601, 7], method);
  }
  // An unknown tool is an answer to a request that is well-formed.
  const { status, body } = await send(newRoom(), "tools/call", { name: "light_up", arguments: {} });
  assert.deepEqual([status, body.error.code], [200, -32602]);
  assert.ok(body.error.data.tools.includes("get_schema"));
});

test("the revisions before go on: initialize, no headers, batches, and a version that is not known", async () => {
  const room = newRoom();
  const initialize = (protocolVersion) =>
    post(room, { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion, capabilities: {} } });
  assert.equal((await initialize("2025-06-18")).body.result.protocolVersion, "2025-06-18");
  assert.equal((await initialize("1999-01-01")).body.result.protocolVersion, "2025-11-25");
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  assert.deepEqual((await post(room, ping)).body, { jsonrpc: "2.0", id: 1, result: {} });
  const batch = await post(room, [ping, { jsonrpc: "2.0", method: "notifications/initialized" }, { ...ping, id: 2 }]);
  assert.deepEqual([batch.status, batch.body.map(({ id }) => id)], [200, [1, 2]]);
  const listed = await post(room, { ...ping, method: "tools/list" }, { "mcp-protocol-version": "2025-11-25" });
  assert.deepEqual(Object.keys(listed.body.result), ["tools"]);
  const { status, body } = await post(
    room,
    { ...ping, method: "tools/list" },
    { "mcp-protocol-version": "1999-01-01" },
  );
  assert.equal(status, 400);
  assert.equal(body.error.code, -32602);
});

test("what is no request", async () => {
  const room = newRoom();
  for (const [sent, code] of [
    ["{", -32700],
    ["", -32700],
    ["[]", -32600],
    [{ jsonrpc: "1.0", id: 1, method: "ping" }, -32600],
    [{ jsonrpc: "2.0", id: null, method: "ping" }, -32600],
    [{ jsonrpc: "2.0", id: {}, method: "ping" }, -32600],
    ["null", -32600],
  ]) {
    const { status, body } = await post(room, sent);
    assert.deepEqual([status, body.error.code, body.id], [400, code, null], JSON.stringify(sent));
  }
  for (const sent of [
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 1, result: {} },
  ])
    assert.deepEqual(await post(room, sent), { status: 202, body: undefined });
});

test("401 names the scheme, in both eras", async () => {
  for (const headers of [{}, headersOf("tools/list")]) {
    const response = await fetch(address(newRoom()), { method: "POST", headers, body: "{}" });
    assert.deepEqual([response.status, response.headers.get("www-authenticate")], [401, "Bearer"]);
  }
});

// Forms.

const accept = (content) => () => ({ action: "accept", content });

/** A room with a page that an agent wants to change. */
async function withPage() {
  const room = newRoom();
  const host = await server.rooms.room(room);
  await host.write(make("page", "One"));
  return { room, host };
}
const titleOf = ({ store }) => store.confirmed("page").state.params.title;

test("a user's answer to the form approves the call, in the user's name", async () => {
  const { room, host } = await withPage();
  const shown = [];
  const client = await modern(room, "desk1:agent", ({ params }) => {
    shown.push(params);
    assert.equal(titleOf(host), "One");
    return { action: "accept", content: { decision: "approve" } };
  });
  const result = await callOf(client, "patch_ui_state", retitle("page", "Two"));
  assert.deepEqual([result.status, result.decision], ["success", "approved"]);
  assert.deepEqual(result.settled.user, { id: "dana", name: "Dana" });
  assert.equal(titleOf(host), "Two");
  assert.equal(shown.length, 1);
  assert.match(shown[0].message, /DESK1 wants to change "page":\n- title: “Two” instead of “One”/);
  assert.deepEqual(Object.keys(shown[0].requestedSchema.properties), ["decision", "reason"]);
  const [{ revision, proposed, status }] = host.proposals();
  assert.equal(status, "approved");
  assert.ok(await verifyApproval(result.approval, { keys: [KEY], call: proposed, revision }));
  await client.close();
});

test("a user's answer refuses the call, with a reason; declining the form does too", async () => {
  const { room, host } = await withPage();
  for (const [form, reason] of [
    [accept({ decision: "refuse", reason: "Too short." }), "Too short."],
    [() => ({ action: "decline" }), undefined],
  ]) {
    const client = await modern(room, "desk1:agent", form);
    const result = await callOf(client, "patch_ui_state", retitle("page", "Two"));
    assert.deepEqual([result.status, result.decision, result.error.code], ["error", "refused", "PROPOSAL_REFUSED"]);
    if (reason !== undefined) assert.match(result.error.message, /Too short\./);
    assert.equal(host.proposals().at(-1).reason, reason);
    assert.equal(titleOf(host), "One");
    await client.close();
  }
});

test("a form that is closed leaves the call waiting, for pages", async () => {
  const { room, host } = await withPage();
  const client = await modern(room, "desk1:agent", () => ({ action: "cancel" }));
  const result = await callOf(client, "patch_ui_state", retitle("page", "Two"));
  assert.equal(result.status, "pending");
  const page = joinPage(server, room, "ann:editor");
  await until(() => page.connection.proposals().length === 1, "the page has the proposal");
  await host.approve(result.proposal, {}, { id: "ann" });
  await until(() => page.store.get("page", "state.params.title") === "Two", "the page has the change");
  page.connection.close();
  await client.close();
});

test("what a page has decided while the form was open is the result", async () => {
  const { room, host } = await withPage();
  const client = await modern(room, "desk1:agent", async () => {
    await host.refuse(host.proposals()[0].id, "No.", { id: "ann" });
    return { action: "accept", content: { decision: "approve" } };
  });
  const result = await callOf(client, "patch_ui_state", retitle("page", "Two"));
  assert.deepEqual([result.error.code, result.settled.user.id], ["PROPOSAL_REFUSED", "ann"]);
  assert.equal(titleOf(host), "One");
  await client.close();
});

test("a proposal that has become stale is not approved by a form", async () => {
  const { room, host } = await withPage();
  const client = await modern(room, "desk1:agent", async () => {
    await host.write(retitle("page", "Three"));
    return { action: "accept", content: { decision: "approve" } };
  });
  const result = await callOf(client, "patch_ui_state", retitle("page", "Two"));
  assert.equal(result.error.code, "STALE_PROPOSAL");
  assert.equal(titleOf(host), "Three");
  await client.close();
});

test("clients that are not trusted, that show no forms, or that are older, get a call that waits", async () => {
  const { room, host } = await withPage();
  const asked = () => assert.fail("no form is shown");
  const clients = [
    await modern(room, "bot:agent", asked),
    await modern(room, "desk1:agent", asked, { elicitation: { url: {} } }),
    await modern(room, "desk1:agent"),
    await legacy(room, "desk1:agent"),
  ];
  for (const client of clients) {
    const result = await callOf(client, "patch_ui_state", retitle("page", "Two"));
    assert.equal(result.status, "pending");
    await client.close();
  }
  assert.equal(titleOf(host), "One");
  assert.deepEqual(
    host.proposals().map(({ status }) => status),
    clients.map(() => "pending"),
  );
});

/** The first result of a call that becomes a form, as it is sent. */
async function openForm(room, args, token = "desk1:agent") {
  const { body } = await callAgain(room, args, {}, token);
  assert.equal(body.result.resultType, "input_required");
  return body.result;
}

function callAgain(room, args, more, token = "desk1:agent") {
  const capabilities = { elicitation: {} };
  const _meta = { ...metaOf(), [`${META}clientCapabilities`]: capabilities };
  return send(room, "tools/call", { name: "patch_ui_state", arguments: args, _meta, ...more }, {}, token);
}

const YES = { approval: { action: "accept", content: { decision: "approve" } } };

test("the state of a form is good for its call, its user and its room only, and while it is fresh", async () => {
  const { room, host } = await withPage();
  const args = retitle("page", "Two");
  const { requestState } = await openForm(room, args);
  const other = await withPage();
  const [mac, text] = [requestState.slice(0, 64), requestState.slice(64)];
  const flip = (place) =>
    `${requestState.slice(0, place)}${requestState[place] === "a" ? "b" : "a"}${requestState.slice(place + 1)}`;
  const forged = { ...JSON.parse(text), until: Date.now() + 1e9 };
  for (const [where, what, state, token] of [
    [room, retitle("page", "Evil"), requestState],
    [room, args, requestState, "desk2:agent"],
    [other.room, args, requestState],
    [room, args, flip(3)],
    [room, args, flip(requestState.length - 5)],
    [room, args, mac + JSON.stringify(forged)],
    [room, args, "0".repeat(64) + text],
    [room, args, ""],
    [room, args, { proposal: "p" }],
  ]) {
    const { body } = await callAgain(where, what, { inputResponses: YES, requestState: state }, token);
    assert.equal(body.error?.code, -32602, JSON.stringify(body));
  }
  assert.equal(titleOf(host), "One");
  const now = Date.now;
  Date.now = () => now() + 3_600_001;
  try {
    const { body } = await callAgain(room, args, { inputResponses: YES, requestState });
    assert.equal(body.error.code, -32602);
  } finally {
    Date.now = now;
  }
  // An answer may be sent twice; the call is made once.
  for (const _ of [1, 2]) {
    const { body } = await callAgain(room, args, { inputResponses: YES, requestState });
    assert.equal(body.result.structuredContent.decision, "approved");
  }
  assert.equal(titleOf(host), "Two");
  assert.equal(host.proposals().length, 1);
});

test("an answer that is none shows the form again", async () => {
  const { room, host } = await withPage();
  const args = retitle("page", "Two");
  const { requestState, inputRequests } = await openForm(room, args);
  for (const inputResponses of [
    undefined,
    [],
    {},
    { other: YES.approval },
    { approval: "yes" },
    { approval: { action: "accept" } },
    { approval: { action: "accept", content: { decision: "maybe" } } },
    { approval: { action: "approve", content: { decision: "approve" } } },
  ]) {
    const { body } = await callAgain(room, args, { inputResponses, requestState });
    assert.equal(body.result.resultType, "input_required", JSON.stringify(inputResponses));
    assert.deepEqual(body.result.inputRequests, inputRequests);
  }
  assert.equal(titleOf(host), "One");
});

test("an agent that is not trusted approves nothing, whatever it answers", async () => {
  const { room, host } = await withPage();
  const args = retitle("page", "Two");
  const trusted = await openForm(room, args);
  for (const requestState of [trusted.requestState, undefined, "x"]) {
    const { body } = await callAgain(room, args, { inputResponses: YES, requestState }, "bot:agent");
    assert.notEqual(body.result?.structuredContent?.status, "success");
  }
  assert.equal(titleOf(host), "One");
});

test("answersFor that returns no user is the server's fault, and approves nothing", async () => {
  const wrong = await startRooms({ mcp: { answersFor: () => ({ id: "" }) } });
  const response = await fetch(`${wrong.http}/rooms/a/mcp`, {
    method: "POST",
    headers: bearer("bot:agent"),
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
  });
  assert.equal(response.status, 500);
  assert.match(wrong.errors[0], /answersFor/);
  await wrong.close();
});

// MCP Apps. The page itself is in tests/pages.

const HTML = "<!doctype html><title>Page</title>";

test("a room with an app has it as a resource, and names it beside the tools that change pages", async () => {
  let asked = 0;
  const html = async () => {
    asked += 1;
    return HTML;
  };
  const own = await startRooms({ mcp: { answersFor, app: { html, ui: { prefersBorder: true } } } });
  const [room, uri] = ["apps", "ui://genui-patch/page"];
  const at = (token) => ({ requestInit: { headers: bearer(token) } });
  const path = new URL(`${own.http}/rooms/${room}/mcp`);
  const modernClient = new ModernClient({ name: "t", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await modernClient.connect(new ModernTransport(path, at("desk1:agent")));
  const legacyClient = new Client({ name: "t", version: "1" });
  await legacyClient.connect(new StreamableHTTPClientTransport(path, at("bot:agent")));
  assert.deepEqual(modernClient.getServerCapabilities().extensions, { "io.modelcontextprotocol/ui": {} });
  for (const client of [modernClient, legacyClient]) {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.filter(({ _meta }) => _meta?.ui?.resourceUri === uri).map(({ name }) => name),
      ["patch_ui_state", "access_instance"],
    );
    assert.ok((await client.listResources()).resources.some((one) => one.uri === uri));
    const { contents } = await client.readResource({ uri });
    const wanted = { uri, mimeType: "text/html;profile=mcp-app", text: HTML, _meta: { ui: { prefersBorder: true } } };
    assert.deepEqual(contents, [wanted]);
  }
  assert.equal(asked, 2);

  // The tools of the user are there for the client that is trusted, and for no other.
  const host = await own.rooms.room(room);
  await host.write(make("page", "One"));
  const { proposal } = await callOf(legacyClient, "patch_ui_state", retitle("page", "Two"));
  for (const [name, args] of [
    ["edit_as_user", retitle("page", "Evil")],
    ["open_proposals", {}],
    ["settle_proposal", { proposal, decision: "approve" }],
  ]) {
    await assert.rejects(legacyClient.callTool({ name, arguments: args }), { code: -32602 }, name);
    const names = (await legacyClient.listTools()).tools.map((tool) => tool.name);
    assert.ok(!names.includes(name));
  }
  assert.equal(titleOf(host), "One");

  assert.equal((await callOf(modernClient, "edit_as_user", retitle("page", "Mine"))).status, "success");
  assert.equal(titleOf(host), "Mine");
  assert.equal((await callOf(modernClient, "edit_as_user", { patches: [] })).error.code, "INVALID_ARGUMENT");
  const { proposals } = await callOf(modernClient, "open_proposals");
  assert.deepEqual(
    proposals.map(({ id, status, diff }) => [id, status, diff.length]),
    [[proposal, "stale", 1]],
  );
  for (const [args, code] of [
    [{ proposal, decision: "perhaps" }, "INVALID_ARGUMENT"],
    [{ proposal, decision: "approve", paths: "all" }, "INVALID_ARGUMENT"],
    [{ proposal, decision: "approve", edits: [] }, "INVALID_ARGUMENT"],
    [{ proposal: "p-none", decision: "approve" }, "UNKNOWN_PROPOSAL"],
    [{ proposal, decision: "approve" }, "STALE_PROPOSAL"],
  ])
    assert.equal((await callOf(modernClient, "settle_proposal", args)).error.code, code, JSON.stringify(args));
  const refused = await callOf(modernClient, "settle_proposal", { proposal, decision: "refuse", reason: "No." });
  assert.equal(refused.status, "success");
  assert.deepEqual(host.proposals()[0].settled.user, { id: "dana", name: "Dana" });
  await modernClient.close();
  await legacyClient.close();
  await own.close();
});

test("without an app there is no resource for one, and no tool of the user", async () => {
  const { room } = await withPage();
  const client = await modern(room, "desk1:agent");
  await assert.rejects(client.readResource({ uri: "ui://genui-patch/page" }), { code: -32602 });
  await assert.rejects(client.callTool({ name: "edit_as_user", arguments: retitle("page", "x") }), { code: -32602 });
  assert.equal(client.getServerCapabilities().extensions, undefined);
  await client.close();
});

test("surfaces of A2UI are resources of their type, as of the moment at which they are read", async () => {
  const writer = new A2uiWriter();
  const messages = [
    writer.createSurface({
      surfaceId: "order",
      components: [{ id: "root", component: "Text", text: { "@path": "/state" } }],
    }),
    { version: "v1.0", updateDataModel: { surfaceId: "order", path: "/state", value: "open" } },
  ];
  const asked = [];
  const surfaces = async (room, { user }) => {
    asked.push([room, user.id]);
    return user.id === "bot" ? [{ uri: "a2ui://order", name: "order", description: "An order.", messages }] : [];
  };
  const own = await startRooms({ mcp: { surfaces } });
  const connected = async (token) => {
    const client = new ModernClient({ name: "t", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const at = { requestInit: { headers: bearer(token) } };
    await client.connect(new ModernTransport(new URL(`${own.http}/rooms/shop/mcp`), at));
    return client;
  };
  const client = await connected("bot:agent");
  const { resources } = await client.listResources();
  const about = { uri: "a2ui://order", name: "order", description: "An order.", mimeType: "application/a2ui+json" };
  assert.deepEqual(
    resources.filter(({ uri }) => uri.startsWith("a2ui:")),
    [about],
  );
  const read = async () => {
    const { contents } = await client.readResource({ uri: "a2ui://order" });
    assert.deepEqual(
      contents.map(({ uri, mimeType }) => [uri, mimeType]),
      [[about.uri, about.mimeType]],
    );
    assert.equal(JSON.parse(contents[0].text).length, messages.length);
    const shown = new SurfaceStream();
    assert.deepEqual(
      shown.push(`${contents[0].text}\n`).filter(({ type }) => type === "diagnostic"),
      [],
    );
    return shown.tree("order").props.text;
  };
  assert.equal(await read(), "open");
  messages.push(writer.updateDataModel({ surfaceId: "order", path: "/state", value: "paid" }));
  assert.equal(await read(), "paid");
  assert.deepEqual(new Set(asked.map(String)), new Set(["shop,bot"]));
  await client.close();
  // Who may see which surface is the application's to say.
  const stranger = await connected("eve:agent");
  await assert.rejects(stranger.readResource({ uri: "a2ui://order" }), { code: -32602 });
  await stranger.close();
  await own.close();
});

test("options of mcp that are none are refused", () => {
  const storage = memoryStorage();
  for (const mcp of [
    { answersFor: true },
    { forms: true },
    { app: HTML },
    { app: {} },
    { app: { html: 1 } },
    { surfaces: [] },
  ])
    assert.throws(
      () => createRooms({ storage, authorize: () => null, mcp }),
      { code: "INVALID_ARGUMENT" },
      JSON.stringify(mcp),
    );
});
