/** Puts the backend together from its settings. */
import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Documents } from "./documents.mjs";
import { openLevelLog } from "./level-log.mjs";
import { serve } from "./server.mjs";

const built = fileURLToPath(new URL("../dist", import.meta.url));
const list = (text = "") =>
  text
    .toLowerCase()
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

export function settings(env) {
  const port = Number(env.PORT ?? 4173);
  if (!(Number.isInteger(port) && port >= 0 && port < 65_536)) throw new Error(`PORT: no port is ${env.PORT}`);
  return {
    port,
    host: env.HOST ?? "127.0.0.1",
    folder: env.DATA_DIR ?? "data",
    nats: env.NATS_URL,
    token: env.TOKEN,
    hosts: list(env.HOSTS),
    origins: list(env.ORIGINS),
    page: env.PAGE ?? (existsSync(built) ? built : undefined),
    documents: env.DOCUMENTS,
  };
}

export async function start({ folder, nats, token, documents: first, ...rest }) {
  mkdirSync(folder, { recursive: true });
  const log = nats
    ? await (await import("./jetstream-log.mjs")).openJetStreamLog(nats)
    : await openLevelLog(join(folder, "log"));
  const documents = await Documents.open(log);
  if (first !== undefined && documents.revision === 0) await begin(documents, JSON.parse(readFileSync(first, "utf8")));
  return serve(documents, { ...rest, token: token ?? keptToken(folder) });
}

/** The same token after a restart, so that open pages go on by themselves. */
function keptToken(folder) {
  const path = join(folder, "token");
  if (!existsSync(path)) writeFileSync(path, randomBytes(24).toString("base64url"), { mode: 0o600 });
  return readFileSync(path, "utf8").trim();
}

async function begin(documents, first) {
  for (const [name, document] of Object.entries(first)) {
    const patches = Object.entries(document).map(([path, value]) => ({ op: "set", path, value }));
    const call = { instance_name: "__CREATE__", new_instance_name: name, patches };
    const { status, error } = await documents.write(call, { id: `begin-${randomUUID()}`, by: "page" });
    // Another server may have begun at the same time.
    if (status === "error" && error.code !== "INSTANCE_EXISTS") throw new Error(`${name}: ${error.message}`);
  }
}
