/** The ratio of a task's work for a larger input, which does not depend on the machine's speed or load. */
import assert from "node:assert/strict";

/** The processor time of this process, if available: other processes do not count. */
const clock = globalThis.process?.cpuUsage
  ? () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    }
  : () => performance.now();

const FACTOR = 8;
const TIMES = 3;
/** Below this many milliseconds the clock and the garbage collector dominate the measurement. */
const LEAST = 1;

/**
 * Asserts that a task of eight times the size takes about eight times as long; quadratic growth would give 64.
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
