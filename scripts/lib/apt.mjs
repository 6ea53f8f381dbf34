/** Packages of Debian and Ubuntu, for those who may install them. */
import { Failure, read, run, say, which } from "./run.mjs";

/** Why apt cannot be used, or undefined if it can. */
export function aptRefused() {
  if (!which("apt-get")) return "apt-get is not here";
  if (process.getuid() !== 0 && read("sudo", ["-n", "true"]) === undefined)
    return "not root, and sudo asks for a password";
  return undefined;
}

/** Installs packages and removes none. */
export async function apt(packages) {
  const refused = aptRefused();
  if (refused) throw new Failure(refused);
  say("setup", `apt-get install ${packages.join(" ")}`);
  const quiet = ["DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "Dpkg::Use-Pty=0"];
  const [command, ...args] = process.getuid() === 0 ? ["env", ...quiet] : ["sudo", "-n", "env", ...quiet];
  await run(command, [...args, "update"]);
  await run(command, [...args, "install", "-y", "--no-install-recommends", "--no-remove", ...packages]);
}
