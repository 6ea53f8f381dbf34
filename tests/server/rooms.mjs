/** Rooms behind Node's HTTP server and `ws`, and what their pages and agents send. */
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, PatchStore } from "genui-patch";
import { createRooms, memoryStorage, nodeListener } from "genui-patch/server";
import WebSocket, { WebSocketServer } from "ws";

/** A bearer token is `<user>:<role>`; the user "nobody" is refused. */
export function authorize(request) {
  const [scheme, token = ""] = (request.headers.get("authorization") ?? "").split(" ");
  const [id, role] = token.split(":");
  return scheme === "Bearer" && id !== "nobody" && ["viewer", "editor", "agent"].includes(role)
    ? { user: { id, name: id.toUpperCase() }, role }
    : null;
}

export async function startRooms(options = {}) {
  const errors = [];
  const onError = (error, room) => errors.push(`${room}: ${error.message}`);
  const rooms = createRooms({ storage: memoryStorage(), authorize, onError, ...options });
  const server = createServer(nodeListener(rooms)).listen(0, "127.0.0.1");
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 16 * 2 ** 20 });
  server.on("upgrade", (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (page) => rooms.socket(page, request)),
  );
  await once(server, "listening");
  const address = `127.0.0.1:${server.address().port}`;
  return {
    rooms,
    errors,
    http: `http://${address}`,
    ws: `ws://${address}`,
    async close() {
      await rooms.close();
      for (const client of sockets.clients) client.terminate();
      server.close();
      server.closeAllConnections();
    },
  };
}

export const bearer = (token) => ({ authorization: `Bearer ${token}` });

/** A store that is connected as a page's. */
export function joinPage({ ws }, room, token, { clientId, ...options } = {}) {
  const store = new PatchStore(clientId === undefined ? {} : { clientId });
  const results = [];
  const address = () => (typeof ws === "function" ? ws() : ws);
  const make = () => new WebSocket(`${address()}/rooms/${room}`, { headers: bearer(token) });
  const onResult = (result, message) => results.push({ result, message });
  const connection = connect(store, make, { backoff: 20, timeout: 2_000, ...options, onResult });
  return { store, connection, results };
}

/** A socket without a store: what it is sent, and how it ends. */
export async function openSocket({ ws }, path, { token, headers } = {}) {
  const socket = new WebSocket(`${ws}${path}`, { headers: { ...(token && bearer(token)), ...headers } });
  const messages = [];
  socket.on("message", (data) => messages.push(JSON.parse(data)));
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.on("close", (code) => resolve(code)));
  await Promise.race([once(socket, "open"), closed]);
  return { socket, messages, closed, send: (message) => socket.send(JSON.stringify(message)) };
}

let requests = 0;

/** The answer to an MCP request. */
export async function askMcp({ http }, room, token, method, params = {}, headers = {}) {
  requests += 1;
  const response = await fetch(`${http}/rooms/${room}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", ...bearer(token), ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: requests, method, params }),
  });
  return response.ok ? response.json() : { status: response.status };
}

export async function callMcp(server, room, token, name, args = {}, headers = {}) {
  const { result, status } = await askMcp(server, room, token, "tools/call", { name, arguments: args }, headers);
  return result?.structuredContent ?? { status };
}
