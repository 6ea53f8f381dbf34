/** How much more work a task is for a larger input: a ratio, which is the same on a slow machine and on a busy one. */
import assert from "node:assert/strict";

/** The processor time of this process, where there is one: what others do on the machine is not in it. */
const clock = globalThis.process?.cpuUsage
  ? () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    }
  : () => performance.now();

const FACTOR = 8;
const TIMES = 3;
/** Milliseconds below which a clock and a collector say more than the task. */
const LEAST = 1;

/**
 * Asserts that a task of eight times the size takes about eight times as long; with the square of the size it would be 64 times.
 * `make(size)` prepares a task that can run once.
 */
export function assertLinear(what, small, make) {
  const least = (size) => {
    const times = Array.from({ length: TIMES }, () => {
      const run = make(size);
      const start = clock();
      run();
      return clock() - start;
    });
    return Math.max(Math.min(...times), LEAST);
  };
  const [few, many] = [least(small), least(small * FACTOR)];
  assert.ok(many < few * FACTOR * 4, `${what}: ${few} ms, ${many} ms for ${FACTOR} times as much`);
}
