/** Postgres and Redis or Valkey, for tests of storages: found or installed, and started on this machine alone. */
import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { apt, aptRefused } from "./apt.mjs";
import { Failure, read, which } from "./run.mjs";

/** Debian has a folder for each version of Postgres, none of them on PATH. */
const DEBIAN = "/usr/lib/postgresql";

/** An id of the user that Debian's package of Postgres makes. */
const idOfPostgres = (flag) => Number(read("id", [flag, "postgres"]));

/** The folder of the programs `postgres` and `initdb`, or undefined. For root they are of no use without the user postgres. */
export function findPostgres() {
  if (process.getuid() === 0 && !(idOfPostgres("-u") > 0)) return undefined;
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const onPath = which("initdb");
  const folders = [
    ...(onPath === undefined ? [] : [dirname(onPath)]),
    ...versions.map((name) => join(DEBIAN, name, "bin")),
  ];
  return folders.find((folder) => existsSync(join(folder, "postgres")) && existsSync(join(folder, "initdb")));
}

export const findRedis = () => which("redis-server") ?? which("valkey-server");

/** Installs what is not here. Throws a `Failure` that names what is missing and cannot be installed. */
export async function databases() {
  const missing = () => [
    ...(findPostgres() === undefined ? ["postgresql"] : []),
    ...(findRedis() === undefined ? ["redis-server"] : []),
  ];
  const packages = missing();
  if (packages.length === 0) return;
  const refused = aptRefused();
  if (refused) throw new Failure(`${packages.join(" and ")} not here: install ${packages.join(" ")} (${refused})`);
  await apt(packages);
  if (missing().length > 0) throw new Failure(`${missing().join(" and ")} not here after the installation`);
}

/** Postgres does not run as root: then it runs as the user that its Debian package has made. */
function postgresUser() {
  if (process.getuid() !== 0) return {};
  return { uid: idOfPostgres("-u"), gid: idOfPostgres("-g") };
}

/**
 * Starts a Postgres that keeps its data in `folder`, made if it is not there. Its parent folder must be open to the user
 * postgres if this process is root's.
 */
export async function startPostgres(folder, port) {
  const programs = findPostgres();
  const user = postgresUser();
  const data = join(folder, "data");
  if (!existsSync(data)) {
    mkdirSync(folder, { recursive: true });
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
    const options = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-locale", "--no-sync"];
    const { status, stderr } = spawnSync(join(programs, "initdb"), ["-D", data, ...options], { cwd: folder, ...user });
    if (status !== 0) throw new Failure(`initdb failed: ${stderr}`);
  }
  const settings = ["-h", "127.0.0.1", "-p", String(port), "-k", folder];
  const program = { command: join(programs, "postgres"), args: ["-D", data, ...settings], cwd: folder, ...user };
  // A server that was killed leaves processes that end a moment later; until then the next one refuses to start.
  const child = await started("Postgres", program, () => accepts(port, STARTUP, (answer) => answer[0] === ACCEPTED));
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    /** `SIGINT` ends sessions and writes all data, `SIGKILL` is a crash. */
    end: (signal = "SIGINT") => ended(child, signal),
  };
}

/** Starts a Redis that writes each change to the disk before it answers. */
export async function startRedis(folder, port) {
  mkdirSync(folder, { recursive: true });
  const settings = join(folder, "redis.conf");
  writeFileSync(
    settings,
    `bind 127.0.0.1\nport ${port}\ndir ${JSON.stringify(folder)}\nappendonly yes\nappendfsync always\nsave ""\n`,
  );
  const program = { command: findRedis(), args: [settings], cwd: folder };
  const child = await started("Redis", program, () =>
    accepts(port, "PING\r\n", (answer) => answer.toString() === "+PONG\r\n"),
  );
  return {
    url: `redis://127.0.0.1:${port}`,
    end: (signal = "SIGTERM") => ended(child, signal),
  };
}

/** Starts a program, again if it ends, until it answers. */
async function started(name, { command, args, ...options }, answers) {
  let child;
  for (const end = Date.now() + 60_000; Date.now() < end; await wait(50)) {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null)
      child = spawn(command, args, { ...options, stdio: "ignore" });
    if (await answers()) return child;
  }
  child?.kill("SIGKILL");
  throw new Failure(`${name} does not start: ${[command, ...args].join(" ")}`);
}

function ended(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const end = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  return end;
}

/** A session of the user postgres: length, version 3.0 of the protocol, parameters. */
const PARAMETERS = "user\0postgres\0\0";
const STARTUP = Buffer.concat([Buffer.from([0, 0, 0, 8 + PARAMETERS.length, 0, 3, 0, 0]), Buffer.from(PARAMETERS)]);
/** The first byte of the answer to a session that is accepted; `E` if the server is still starting. */
const ACCEPTED = "R".charCodeAt(0);

/** Whether a server on this machine answers a message as it should. */
function accepts(port, message, isRight) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(message));
    socket.on("data", (answer) => {
      resolve(isRight(answer));
      socket.destroy();
    });
    socket.on("error", () => resolve(false));
    socket.on("close", () => resolve(false));
  });
}
