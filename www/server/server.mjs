/**
 * The demo's backend: one room of `genui-patch/server`, and the built page. The page's address has a code that is exchanged once for
 * a cookie. The agent has a token of its own, which opens no page.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { limits } from "genui-patch";
import { createRooms, levelStorage, natsStorage, nodeListener } from "genui-patch/server";
import sirv from "sirv";
import { WebSocketServer } from "ws";
import { readEarlierLog } from "./earlier-log.mjs";

const ROOM = "demo";
/** A call with what stands around it. */
const MAX_MESSAGE = limits.maxCallBytes + 64 * 1024;
const USER = { user: { id: "user" }, role: "editor" };
const AGENT = { user: { id: "agent" }, role: "agent" };
/** An agent's changes of a page are made at once; its files and nodes wait for a user. */
const approve = ({ tool }) => tool !== "patch_ui_state";

const { taskFlow, nodeTypes } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../src/data/taskFlow.json"), "utf8"),
);
const digest = (text) => createHash("sha256").update(text).digest();
const isSame = (one, other) => timingSafeEqual(digest(one), digest(other));
export const newSecret = () => randomBytes(24).toString("base64url");

/** A server's proof that it knows the token. The port is part of it, so that a server on another port cannot pass it on. */
export const proofOf = (token, port, nonce) =>
  createHmac("sha256", token).update(`proof ${port} ${nonce}`).digest("hex");

/** A token of the environment; else the one that the folder keeps, so that pages and agents go on after a restart; else a new one. */
function tokenOf(name, given, path, unsaved) {
  if (given === undefined && !existsSync(path)) unsaved[path] = newSecret();
  const token = given ?? unsaved[path] ?? readFileSync(path, "utf8").trim();
  if (token.length >= 16) return token;
  throw new Error(`${given === undefined ? path : name}: a token has at least 16 characters`);
}

export function settings(env) {
  const { PORT = "4173", HOST: host = "127.0.0.1", DATA_DIR: folder = "data", NATS_URL: nats } = env;
  const { DOCUMENTS, PAGE: site = join(import.meta.dirname, "../dist") } = env;
  const port = Number(PORT);
  if (!(Number.isInteger(port) && port >= 0 && port < 65_536)) throw new Error(`PORT: "${PORT}" is no port`);
  if (host === "") throw new Error("HOST: is empty");
  // New tokens by path. Only a server that starts saves them; `npm run mcp` beside a running one does not.
  const unsaved = {};
  const agent = tokenOf("TOKEN", env.TOKEN, join(folder, "token"), unsaved);
  const page = tokenOf("PAGE_TOKEN", env.PAGE_TOKEN, join(folder, "page-token"), unsaved);
  if (page === agent) throw new Error("TOKEN, PAGE_TOKEN: the agent and the page have the same token");
  const documents = DOCUMENTS === undefined ? undefined : JSON.parse(readFileSync(DOCUMENTS, "utf8"));
  const [hosts, origins] = [env.HOSTS, env.ORIGINS].map((text = "") =>
    text.toLowerCase().split(/[ ,]+/).filter(Boolean),
  );
  return { port, host, folder, nats, tokens: { page, agent }, unsaved, documents, site, hosts, origins };
}

/** `onPage` gets the page's next address when the one before has been used. */
export async function start({ port, host, folder, nats, tokens, unsaved, documents, site, hosts, origins }, onPage) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const isFirst = !nats && documents === undefined && !existsSync(join(folder, "rooms"));
  const first = isFirst ? await readEarlierLog(join(folder, "log")) : documents;
  const storage = nats
    ? natsStorage(await (await import("@nats-io/transport-node")).connect({ servers: nats, maxReconnectAttempts: -1 }))
    : levelStorage(join(folder, "rooms"));
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 });
  server.maxConnections = 2_000;
  await new Promise((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  for (const [path, token] of Object.entries(unsaved)) writeFileSync(path, token, { mode: 0o600 });
  const own = server.address().port;
  const names = [...hosts, `127.0.0.1:${own}`, `localhost:${own}`, `[::1]:${own}`];

  // Servers on one machine share the cookies of a browser, so each has a name of its own.
  const cookie = `genui-patch-${digest(tokens.page).toString("hex", 0, 4)}=${tokens.page}`;
  const rooms = createRooms({
    storage,
    hosts: names,
    origins,
    limits: { maxMessage: MAX_MESSAGE },
    authorize({ headers }) {
      const token = headers.get("authorization")?.replace(/^bearer +/i, "");
      const cookies = headers.get("cookie")?.split(/; */) ?? [];
      if (token === undefined) return cookies.some((one) => isSame(one, cookie)) ? USER : null;
      if (isSame(token, tokens.agent)) return AGENT;
      return isSame(token, tokens.page) ? USER : null;
    },
    open: (room) =>
      room === ROOM
        ? { documents: first, files: {}, flow: { nodeTypes, initial: [taskFlow] }, agent: { approve } }
        : null,
  });

  const address = `${host.includes(":") ? `[${host}]` : host}:${own}`;
  const room = `${address}/rooms/${ROOM}`;
  const addresses = { mcp: `http://${room}/mcp`, ws: `ws://${room}`, token: tokens.agent, tokens };
  let code = newSecret();
  const pageAddress = () => `http://${address}/?code=${code}`;
  const listen = nodeListener(rooms);
  const files = existsSync(site) ? sirv(site, { brotli: true, gzip: true, setHeaders }) : (_, __, next) => next();

  server.on("request", (request, response) => {
    const { method, url, headers } = request;
    const end = (status, about = {}, text = "") => response.writeHead(status, about).end(text);
    if (!names.includes(headers.host?.toLowerCase())) return end(403);
    if (rooms.serves(url)) return listen(request, response);
    if (!URL.canParse(url, "http://localhost")) return end(400);
    const { pathname, searchParams } = new URL(url, "http://localhost");
    if (!["GET", "HEAD"].includes(method)) return end(405, { allow: "GET, HEAD" });
    if (pathname === "/proof") return end(200, {}, proofOf(tokens.agent, own, searchParams.get("nonce")));
    if (searchParams.has("code")) {
      const isRight = method === "GET" && isSame(searchParams.get("code"), code);
      const kept = `${cookie}; Path=/rooms/${ROOM}; HttpOnly; SameSite=Strict`;
      // A browser that was here before has its cookie still.
      end(303, { location: "/?backend", "cache-control": "no-store", ...(isRight && { "set-cookie": kept }) });
      if (isRight) code = newSecret();
      return isRight && onPage(pageAddress());
    }
    // Files are sent whole: the file server does not check ranges, and a range of a compressed file is not a part of its text.
    delete headers.range;
    // The file server does not notice that a file was deleted.
    response.once("pipe", (file) => file.once("error", () => response.destroy()));
    return files(request, response, () => end(404));
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE });
  server.on("upgrade", (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (one) => rooms.socket(one, request)),
  );
  // A log that cannot be read ends the process.
  await rooms.room(ROOM);
  return {
    addresses: { page: pageAddress(), ...addresses },
    async close() {
      server.close();
      await rooms.close();
      server.closeAllConnections();
    },
  };
}

/** Scripts and styles have names of their own for each version. */
function setHeaders(response, pathname) {
  const cache = pathname.startsWith("/assets/") ? "max-age=31536000, immutable" : "no-cache";
  const safe = { "referrer-policy": "no-referrer", "x-content-type-options": "nosniff", "x-frame-options": "DENY" };
  response.setHeaders(new Map(Object.entries({ "cache-control": cache, ...safe })));
}
