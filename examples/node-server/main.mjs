/**
 * `npm start`. The environment sets it: SECRET and AGENT_TOKEN (32 random characters or more each), PORT, HOST, HOSTS (names by
 * which a proxy is reached, separated by commas), SECURE=1 (behind HTTPS), and where the log is kept: STORAGE is "level" (the
 * folder DATA_DIR), "nats" (the broker NATS_URL) or "memory".
 */
import { randomBytes } from "node:crypto";
import { levelStorage, memoryStorage, natsStorage } from "genui-patch/server";
import { startServer } from "./server.mjs";
import { hashOf } from "./sessions.mjs";

const { env } = process;

const STORAGES = {
  level: () => levelStorage(env.DATA_DIR ?? "data"),
  memory: () => memoryStorage(),
  // npm install @nats-io/transport-node @nats-io/jetstream
  nats: async () => natsStorage(await (await import("@nats-io/transport-node")).connect({ servers: env.NATS_URL })),
};

/** Two users for a first look. An application keeps its own, with a salt of its own for each. */
function firstUsers() {
  const user = (name, role, password) => {
    const salt = randomBytes(16).toString("hex");
    return { name, role, salt, hash: hashOf(password, salt) };
  };
  return { ann: user("Ann", "editor", env.ANN ?? "ann"), vic: user("Vic", "viewer", env.VIC ?? "vic") };
}

const open = STORAGES[env.STORAGE ?? "level"];
if (open === undefined) throw new Error(`STORAGE: use one of ${Object.keys(STORAGES).join(", ")}`);
const server = await startServer({
  storage: await open(),
  secret: env.SECRET,
  agentToken: env.AGENT_TOKEN,
  users: firstUsers(),
  isSecure: env.SECURE === "1",
  hosts: env.HOSTS?.split(","),
  port: Number(env.PORT ?? 8080),
  host: env.HOST ?? "127.0.0.1",
});
console.log(server.address);

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close().then(() => process.exit(0)));
