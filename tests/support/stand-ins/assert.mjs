/** The part of node:assert/strict that the tests use, for pages. */

class AssertionError extends Error {
  name = "AssertionError";
}

const show = (value) => {
  if (typeof value !== "object" || value === null || value instanceof Error) return String(value);
  try {
    return JSON.stringify(value, (_, at) => (at === undefined ? "undefined" : typeof at === "bigint" ? `${at}n` : at));
  } catch {
    return String(value);
  }
};

function fail(message, fallback) {
  if (message instanceof Error) throw message;
  throw new AssertionError(message ?? fallback);
}

const keysOf = (value) =>
  Reflect.ownKeys(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));

function same(a, b, seen = []) {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  if (seen.some(([one, two]) => one === a && two === b)) return true;
  const inner = [...seen, [a, b]];
  if (a instanceof Error && (a.message !== b.message || a.name !== b.name)) return false;
  if (a instanceof Date && a.getTime() !== b.getTime()) return false;
  if (a instanceof RegExp && String(a) !== String(b)) return false;
  if (a instanceof Map || a instanceof Set) {
    if (a.size !== b.size) return false;
    const left = [...b];
    for (const item of a) {
      const at = left.findIndex((other) => same(item, other, inner));
      if (at < 0) return false;
      left.splice(at, 1);
    }
    return true;
  }
  const keys = keysOf(a);
  if (keys.length !== keysOf(b).length || (Array.isArray(a) && a.length !== b.length)) return false;
  return keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key], inner));
}

function expectError(error, expected, message) {
  if (expected === undefined) return;
  if (expected instanceof RegExp) {
    if (!expected.test(String(error))) fail(message, `${error} does not match ${expected}`);
  } else if (typeof expected === "function") {
    if (expected.prototype !== undefined && error instanceof expected) return;
    if (expected.prototype instanceof Error) throw error;
    if (expected.call({}, error) !== true) fail(message, `${error} is not what was expected`);
  } else {
    for (const key of Object.keys(expected)) {
      const [is, wanted] = [error[key], expected[key]];
      const fits = wanted instanceof RegExp && typeof is === "string" ? wanted.test(is) : same(is, wanted);
      if (!fits) fail(message, `${key} of the error is ${show(is)}, not ${show(wanted)}`);
    }
  }
}

const assert = {
  ok(value, message) {
    if (!value) fail(message, `${show(value)} is not truthy`);
  },
  equal(is, wanted, message) {
    if (!Object.is(is, wanted)) fail(message, `${show(is)} is not ${show(wanted)}`);
  },
  notEqual(is, other, message) {
    if (Object.is(is, other)) fail(message, `is ${show(is)}`);
  },
  deepEqual(is, wanted, message) {
    if (!same(is, wanted)) fail(message, `${show(is)}\nis not\n${show(wanted)}`);
  },
  match(text, pattern, message) {
    if (!pattern.test(text)) fail(message, `${show(text)} does not match ${pattern}`);
  },
  doesNotMatch(text, pattern, message) {
    if (pattern.test(text)) fail(message, `${show(text)} matches ${pattern}`);
  },
  throws(run, expected, message) {
    try {
      run();
    } catch (error) {
      return expectError(error, expected, message);
    }
    return fail(message, "nothing was thrown");
  },
  doesNotThrow(run) {
    run();
  },
  async rejects(work, expected, message) {
    try {
      await (typeof work === "function" ? work() : work);
    } catch (error) {
      return expectError(error, expected, message);
    }
    return fail(message, "nothing was rejected");
  },
  fail,
};
assert.deepStrictEqual = assert.deepEqual;

export default Object.assign((value, message) => assert.ok(value, message), assert);
