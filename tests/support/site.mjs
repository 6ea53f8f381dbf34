/** Web servers for tests. */
import { spawn } from "node:child_process";
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const types = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Serves a folder, with headers added to each response; `answers` are functions for paths without a file. */
export async function serveFolder(folder, headers = {}, answers = {}) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (Object.hasOwn(answers, pathname)) {
      answers[pathname](request, response);
      return;
    }
    const path = join(folder, normalize(pathname.endsWith("/") ? `${pathname}index.html` : pathname));
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream", ...headers });
    createReadStream(path).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Starts the page as `npm start` does, on a free port. */
export async function servePage() {
  const folder = fileURLToPath(new URL("../..", import.meta.url));
  // Runs in its own process group, so that the processes that npm starts end with it.
  const child = spawn("npm", ["run", "--loglevel=error", "serve", "--workspace", "www"], {
    cwd: folder,
    detached: true,
    env: { ...process.env, PORT: String(await freePort()), NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const close = () => process.kill(-child.pid);
  const address = await new Promise((resolve, reject) => {
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      const found = /http:\/\/\S+/.exec(output)?.[0];
      if (found) resolve(found);
    });
    child.on("close", () => reject(new Error(`the page's server ended: ${output}`)));
  });
  return { address, close };
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
