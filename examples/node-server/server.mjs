/** Rooms behind Node's own HTTP server: users sign in and get a cookie, an agent has a token. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRooms, nodeListener } from "genui-patch/server";
import { WebSocketServer } from "ws";
import { makeSessions } from "./sessions.mjs";

const MOST_FORM = 4_096;

const digest = (text) => createHash("sha256").update(text).digest();

/**
 * @param {object} settings
 * @param {import("genui-patch/server").RoomStorage} settings.storage
 * @param {string} settings.secret signs cookies and approvals
 * @param {string} settings.agentToken what the agent sends as `Authorization: Bearer …`
 * @param {object} settings.users as `makeSessions` takes them
 * @param {boolean} [settings.isSecure] the server is reached by HTTPS, through a proxy
 * @param {string[]} [settings.hosts] the names of the server, such as "example.com"
 */
export async function startServer({ storage, secret, agentToken, users, isSecure = false, hosts, port, host }) {
  if (!(agentToken?.length >= 32)) throw new Error("AGENT_TOKEN: set at least 32 random characters");
  const sessions = makeSessions(secret, users);
  const isAgent = (authorization) => timingSafeEqual(digest(authorization), digest(`Bearer ${agentToken}`));

  const rooms = createRooms({
    storage,
    hosts,
    // A key of its own, so that no cookie is ever the signature of an approval.
    keys: [createHmac("sha256", secret).update("approvals").digest("hex")],
    authorize(request) {
      const authorization = request.headers.get("authorization");
      if (authorization === null) return sessions.identityOf(request.headers.get("cookie"));
      return isAgent(authorization) ? { user: { id: "assistant", name: "Assistant" }, role: "agent" } : null;
    },
    // One room for all. An application with many asks its database who may enter which.
    open: (room) => (room === "lobby" ? { documents: { list: LIST } } : null),
  });

  const listen = nodeListener(rooms);
  const files = { "/": ["index.html", "text/html; charset=utf-8"] };
  // The package as one file for pages without a bundler.
  files["/genui-patch.js"] = [import.meta.resolve("genui-patch/standalone/genui-patch.js"), "text/javascript"];

  const server = createServer(async (request, response) => {
    const end = (status, headers = {}, body = "") => response.writeHead(status, headers).end(body);
    try {
      if (rooms.serves(request.url)) return await listen(request, response);
      const { pathname } = new URL(request.url, "http://localhost");
      if (request.method === "POST" && pathname === "/login") {
        const form = new URLSearchParams(await read(request));
        const cookie = sessions.signIn(form.get("name"), form.get("password"), isSecure);
        return end(303, { location: cookie ? "/" : "/?wrong", ...(cookie && { "set-cookie": cookie }) });
      }
      if (request.method === "POST" && pathname === "/logout")
        return end(303, { location: "/", "set-cookie": sessions.signOut });
      if (request.method !== "GET" || !Object.hasOwn(files, pathname)) return end(404);
      const [file, type] = files[pathname];
      return end(200, { "content-type": type, ...SAFE }, await readFile(new URL(file, import.meta.url)));
    } catch (error) {
      console.error(`${request.method} ${request.url}: ${error.message}`);
      return response.headersSent ? response.destroy() : end(400);
    }
  });

  const sockets = new WebSocketServer({ noServer: true, maxPayload: 8 * 2 ** 20 });
  server.on("upgrade", (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (page) => rooms.socket(page, request)),
  );
  await new Promise((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  return {
    rooms,
    address: `http://${host}:${server.address().port}`,
    async close() {
      server.close();
      await rooms.close();
      server.closeAllConnections();
    },
  };
}

const SAFE = {
  "cache-control": "no-cache",
  "content-security-policy": "frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};

const LIST = {
  blocks: [
    {
      id: "list",
      type: "form",
      title: "What we need",
      props: { fields: [{ key: "item", type: "text", label: "Item" }] },
    },
  ],
  state: { params: { item: "" } },
};

async function read(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MOST_FORM) throw new Error("the form is too long");
  }
  return text;
}
