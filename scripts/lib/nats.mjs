/** nats-server, for the backend on several processes: found or installed, and started on this machine alone. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { apt, aptRefused } from "./apt.mjs";
import { Failure, which } from "./run.mjs";

/** Debian puts it where only root looks. */
const debian = "/usr/sbin/nats-server";

export const findNats = () =>
  process.env.NATS_SERVER ?? which("nats-server") ?? (existsSync(debian) ? debian : undefined);

/** The program, installed if need be. */
export async function nats() {
  const missing = "nats-server is not here: install nats-server";
  if (findNats() === undefined) {
    const refused = aptRefused();
    if (refused) throw new Failure(`${missing} (${refused})`);
    await apt(["nats-server"]);
  }
  const found = findNats();
  if (found === undefined) throw new Failure(missing);
  return found;
}

/** Starts a broker that keeps its streams in a folder. A call of the largest size fits into a message. */
export async function startBroker(folder, port) {
  mkdirSync(folder, { recursive: true });
  const settings = join(folder, "nats.conf");
  const store = JSON.stringify(join(folder, "streams"));
  writeFileSync(settings, `listen: "127.0.0.1:${port}"\nmax_payload: 16MB\njetstream { store_dir: ${store} }\n`);
  const child = spawn(findNats(), ["-c", settings], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  for (const end = Date.now() + 60_000; !(await answers(port)); await wait(50)) {
    if (child.exitCode !== null || Date.now() > end) throw new Failure("nats-server does not start");
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    end: (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => resolve(true) ?? socket.destroy());
    socket.on("error", () => resolve(false));
  });
}
