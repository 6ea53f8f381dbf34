/** Starts other programs and reports progress. */
import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");

/** Where the build keeps what is in between. Not in dist, all of which is published. */
export const work = join(root, "target", "npm");

/** Something that this machine lacks, or a step that failed: told in one line, without a stack. */
export class Failure extends Error {}

export function say(area, text) {
  console.log(`${area.padEnd(8)} ${text}`);
}

/** Runs a script's body; a failure becomes one line and the exit code. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof Failure ? `error: ${error.message}` : error);
    process.exitCode = 1;
  }
}

/** Runs a program with its output shown. `capture` collects stdout instead; `timeout` is in seconds. */
export function run(command, args, { env = {}, cwd = root, capture = false, timeout } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", capture ? "pipe" : "inherit", "inherit"],
      ...(timeout && { timeout: timeout * 1000 }),
    });
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
    const name = [command, ...args.slice(0, 2)].join(" ");
    child.on("error", (error) => reject(new Failure(`${name}: ${error.message}`)));
    child.on("close", (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Failure(`${name} ${signal ? "took too long or was ended" : `failed with exit code ${code}`}`));
    });
  });
}

/** The output of a short command, or undefined if it cannot be run or fails. */
export function read(command, args) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** The path of a program on PATH, or undefined. */
export function which(name) {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Runs npm with the Node of this process. */
export function npm(args, options) {
  const script = process.env.npm_execpath ?? join(dirname(process.execPath), "../lib/node_modules/npm/bin/npm-cli.js");
  return script.endsWith("npm-cli.js") && which("npm") === undefined
    ? run(process.execPath, [script, ...args], options)
    : run("npm", args, options);
}
