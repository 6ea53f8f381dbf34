/** The HTTP side: `/mcp`, `/ws`, `/health`, and the built page. */
import { createServer } from "node:http";
import { limits } from "genui-patch";
import { answerMcp } from "genui-patch/server";
import sirv from "sirv";
import { addressOf, refusalOf } from "./guard.mjs";
import { AgentDoor } from "./mcp.mjs";
import { Pages } from "./pages.mjs";

/** A call with what stands around it. */
const MAX_MESSAGE = limits.maxCallBytes + 64 * 1024;
/** Requests of agents that are being answered, and those in one second. */
const MOST_REQUESTS = 200;
const PER_SECOND = 1_000;

/**
 * @param {import("./documents.mjs").Documents} documents
 * @param {{ host: string, port: number, token: string, hosts?: string[], origins?: string[], page?: string }} settings
 */
export async function serve(documents, { host, port, token, hosts = [], origins = [], page }) {
  const door = new AgentDoor(documents);
  const pages = new Pages(documents, { maxMessage: MAX_MESSAGE });
  const files =
    page === undefined ? (_request, _response, next) => next() : sirv(page, { brotli: true, gzip: true, setHeaders });
  const allowed = { hosts: [...hosts], origins: [...origins], token };
  let running = 0;
  let second = 0;
  let inSecond = 0;

  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    const address = addressOf(request);
    const pathname = address?.pathname;
    const refused = refusalOf(request, address, allowed, { isOpen: pathname !== "/mcp" });
    if (refused !== undefined)
      return end(response, refused, "", refused === 401 ? { "www-authenticate": "Bearer" } : {});
    if (pathname === "/mcp") return agent(request, response);
    if (!["GET", "HEAD"].includes(request.method)) return end(response, 405, "", { allow: "GET, HEAD" });
    if (pathname === "/health") return end(response, 200, JSON.stringify({ revision: documents.revision }));
    // Files are sent whole: the file server does not check ranges, and a range of a compressed file is not a part of its text.
    delete request.headers.range;
    // The file server does not notice that a file was deleted.
    response.once("pipe", (file) => file.once("error", () => response.destroy()));
    return files(request, response, () => end(response, 404));
  });
  server.maxConnections = 2_000;

  async function agent(request, response) {
    // Without sessions any server may answer: no streams, nothing to close.
    if (request.method !== "POST") return end(response, 405, "", { allow: "POST" });
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, inSecond] = [now, 0];
    inSecond += 1;
    if (running >= MOST_REQUESTS || inSecond > PER_SECOND) return end(response, 429, "", { "retry-after": "1" });
    running += 1;
    try {
      const body = await read(request);
      if (body === undefined) return end(response, 413, "", { connection: "close" });
      const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const { status, body: answer } = await answerMcp(door, parse(body), headers);
      const about = answer === undefined ? undefined : { "content-type": "application/json" };
      end(response, status, answer === undefined ? "" : JSON.stringify(answer), about);
    } catch (error) {
      console.error(`A request of an agent failed: ${error.message}`);
      if (!response.headersSent) end(response, 500);
    } finally {
      running -= 1;
    }
  }

  server.on("upgrade", (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    const address = addressOf(request);
    const refused =
      refusalOf(request, address, allowed) ?? (address.pathname !== "/ws" ? 404 : pages.full ? 503 : undefined);
    if (refused === undefined) pages.accept(request, socket, head);
    else socket.end(`HTTP/1.1 ${refused} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });

  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const own = server.address().port;
  const names = [`127.0.0.1:${own}`, `localhost:${own}`, `[::1]:${own}`];
  allowed.hosts.push(...names);
  allowed.origins.push(...allowed.hosts.map((name) => `http://${name}`));
  const address = host.includes(":") ? `[${host}]:${own}` : `${host}:${own}`;
  return {
    addresses: {
      page: `http://${address}/?token=${token}`,
      mcp: `http://${address}/mcp`,
      ws: `ws://${address}/ws`,
      token,
    },
    close: async () => {
      pages.close();
      server.close();
      server.closeAllConnections();
      await documents.close();
    },
  };
}

/** Scripts and styles have names of their own for each version. */
function setHeaders(response, pathname) {
  response.setHeader("cache-control", pathname.startsWith("/assets/") ? "max-age=31536000, immutable" : "no-cache");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("x-frame-options", "DENY");
}

function end(response, status, text = "", headers = {}) {
  response.writeHead(status, { "content-length": Buffer.byteLength(text), ...headers });
  response.end(text);
}

/** The body of a request, or undefined if it is too long: then the rest of it is not read. */
async function read(request) {
  if (Number(request.headers["content-length"] ?? 0) > MAX_MESSAGE) return undefined;
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_MESSAGE) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** `undefined` for a text that is not JSON. */
function parse(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
