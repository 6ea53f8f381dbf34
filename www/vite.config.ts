import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const hashOf = (style: string) => `'sha256-${createHash("sha256").update(style).digest("base64")}'`;

/**
 * The security policy of the page: its own scripts and styles, WebAssembly, pictures and sounds from any URL of an agent, and
 * the endpoint of a model that the user enters. Only in the built page: the development server adds its own scripts.
 */
const policy: Plugin = {
  name: "content-security-policy",
  apply: "build",
  transformIndexHtml: {
    // The styles of what stands there before the scripts run are as they will be.
    order: "post",
    handler: (html) => [
      {
        tag: "meta",
        injectTo: "head-prepend",
        attrs: {
          "http-equiv": "Content-Security-Policy",
          content: [
            "default-src 'none'",
            "script-src 'self' 'wasm-unsafe-eval'",
            `style-src 'self' ${[...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style = ""]) => hashOf(style)).join(" ")}`,
            "img-src 'self' data: https:",
            "media-src 'self' https:",
            "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
            "form-action 'none'",
            "base-uri 'none'",
          ].join("; "),
        },
      },
    ],
  },
};

/** Each text of the built page, also packed: the backend serves what a browser takes, and packs nothing while it serves. */
const packed: Plugin = {
  name: "packed",
  apply: "build",
  writeBundle({ dir = "dist" }) {
    for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
      if (!/\.(html|js|css|svg)$/.test(name)) continue;
      const path = join(dir, name);
      const text = readFileSync(path);
      writeFileSync(`${path}.br`, brotliCompressSync(text));
      writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
    }
  },
};

/** The script that the page begins with. */
const entry = "assets/entry-";

const port = Number(process.env.PORT ?? 4173);

export default defineConfig({
  plugins: [react(), policy, packed],
  build: {
    // How long plugins take says nothing to whoever starts the page.
    rollupOptions: { output: { entryFileNames: `${entry}[hash].js` }, checks: { pluginTimings: false } },
    // This script already runs when others import it. Firefox reports an error if it is preloaded again.
    modulePreload: { resolveDependencies: (_, names) => names.filter((name) => !name.startsWith(entry)) },
  },
  server: { port },
  preview: { port },
});
