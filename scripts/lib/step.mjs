/** Programs with a time limit: one that hangs must not stop the suites after it. */
import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { root } from "./run.mjs";

/** How long a program's output may stay open after it ended: a process that it started may keep it open for ever. */
const CLOSING_SECONDS = 5;

/**
 * Runs a program, prints its output and returns `{ code, output }`. After `seconds` its process group is killed, the code is 1
 * and the last line of the output says so.
 */
export async function runStep({ command, args, env = {}, seconds }) {
  const [program, what] = [command === "node" ? process.execPath : command, [command, ...args].join(" ").slice(0, 120)];
  // A process group of its own, so that killing it reaches what the program started.
  const stdio = ["ignore", "pipe", "pipe"];
  const child = spawn(program, args, { cwd: root, env: { ...process.env, ...env }, stdio, detached: true });
  const kill = () => killGroup(child.pid);
  const interrupted = () => {
    kill();
    process.exit(130);
  };
  const signals = ["SIGINT", "SIGTERM"];
  for (const signal of signals) process.once(signal, interrupted);

  let output = "";
  const keep = (text) => {
    process.stdout.write(text);
    output += text;
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", keep);
  const closed = new Promise((resolve) => child.on("close", resolve));
  const ended = new Promise((resolve) => {
    child.on("exit", (code) => resolve({ code: code ?? 1 }));
    child.on("error", (error) => resolve({ code: 1, line: `${command}: ${error.message}` }));
  });
  const controller = new AbortController();
  const late = wait(seconds * 1000, { code: 1, line: `${what}: killed after ${minutes(seconds)}` }, controller).catch(
    () => {},
  );
  const { code, line } = await Promise.race([ended, late]);
  if (line) kill();
  await Promise.race([closed, wait(CLOSING_SECONDS * 1000, undefined, controller).catch(() => {})]);
  controller.abort();
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  for (const signal of signals) process.off(signal, interrupted);
  if (line) keep(`${line}\n`);
  return { code, output };
}

const minutes = (seconds) => (seconds < 60 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`);

function killGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process group has ended already.
  }
}
