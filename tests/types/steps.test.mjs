/** `npm test` survives a step that hangs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runStep } from "../../scripts/lib/step.mjs";

const step = (script, seconds) => runStep({ command: "node", args: ["--eval", script], seconds });

test("a step returns its exit code and its output", async () => {
  const result = await step('console.log("out"); console.error("err"); process.exitCode = 3', 600);
  assert.equal(result.code, 3);
  assert.deepEqual(result.output.trim().split("\n").sort(), ["err", "out"]);
});

test("a step that hangs is killed with the processes that it started, and its output says so", async () => {
  const hangs = "setInterval(() => {}, 1000)";
  const script = `
    const child = require("node:child_process").spawn(process.execPath, ["--eval", ${JSON.stringify(hangs)}], { stdio: "inherit" });
    console.log(child.pid);
    ${hangs};
  `;
  const { code, output } = await step(script, 2);
  assert.equal(code, 1);
  assert.match(output, /: killed after 2 seconds\n$/);
  const started = Number(/^\d+/.exec(output)?.[0]);
  const isRunning = () => {
    try {
      return process.kill(started, 0);
    } catch {
      return false;
    }
  };
  while (Number.isInteger(started) && isRunning()) await new Promise((resolve) => setTimeout(resolve, 20));
});

test("a program that does not exist is a failed step", async () => {
  const { code, output } = await runStep({ command: "no-such-program", args: [], seconds: 600 });
  assert.equal(code, 1);
  assert.match(output, /^no-such-program: .*ENOENT/);
});
