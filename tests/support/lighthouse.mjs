/** Lighthouse on the static build, on a simulated phone and from a server that compresses. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import lighthouse from "lighthouse";
import { launch } from "./browser.mjs";
import { freePort } from "./site.mjs";

const built = fileURLToPath(new URL("../../www/dist", import.meta.url));
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css" };

async function serveCompressed() {
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const path = join(built, normalize(pathname.endsWith("/") ? `${pathname}index.html` : pathname));
    try {
      const body = gzipSync(readFileSync(path));
      const type = types[extname(path)] ?? "application/octet-stream";
      response.writeHead(200, { "content-type": type, "content-encoding": "gzip" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** The best score of a category over some rounds, of 100, and the audits below 0.9 in the last one. */
export async function score(category, rounds = 1) {
  const site = await serveCompressed();
  const port = await freePort();
  const browser = await launch({ port });
  try {
    let best = 0;
    let low = [];
    for (let round = 0; round < rounds; round++) {
      const { lhr } = await lighthouse(site.address, { port, onlyCategories: [category], logLevel: "error" });
      best = Math.max(best, Math.round(lhr.categories[category].score * 100));
      low = Object.values(lhr.audits).filter(({ score }) => score !== null && score < 0.9);
    }
    return { best, low: low.map(({ id }) => id) };
  } finally {
    await browser.close();
    site.close();
  }
}
