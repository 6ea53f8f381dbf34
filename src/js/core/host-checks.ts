/** Checks that the core asks JavaScript for while it validates a document: patterns, and the schemas of the host. */
import type { Json } from "../types.js";
import { misuse } from "./errors.js";

/** Returns a sentence that says what is wrong with a value, or an empty text for a valid value. */
export type HostCheck = (value: Json) => string;

/**
 * The checks, indexed by their numbers. The references are weak: a catalog keeps its checks alive, and a check that was collected
 * accepts every value.
 */
const checks: WeakRef<HostCheck>[] = [];

/** Returns the number by which the module asks for the check. The caller must keep a reference to `check`. */
export function registerCheck(check: HostCheck): number {
  return checks.push(new WeakRef(check)) - 1;
}

/** A cache of compiled patterns, by their source. A catalog has few. */
const patterns = new Map<string, RegExp>();
/** A bound for pages that make many catalogs. */
const MAX_PATTERNS = 200;

function compile(pattern: string): RegExp {
  const cached = patterns.get(pattern);
  if (cached !== undefined) return cached;
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  let compiled: RegExp;
  try {
    // As JSON Schema recommends. Without the flag, escapes such as `\-` are allowed too, which many patterns have.
    compiled = new RegExp(pattern, "u");
  } catch {
    try {
      compiled = new RegExp(pattern);
    } catch {
      throw misuse(`catalog: ${JSON.stringify(pattern)} is no regular expression.`);
    }
  }
  patterns.set(pattern, compiled);
  return compiled;
}

/** The first exception of a check during the current {@link withChecks}. It must not pass through the module. */
let exception: unknown;

/**
 * Runs a call of the module. Returns its answer, and the first exception that a check has thrown meanwhile: the module has taken
 * the value for an invalid one. The caller throws the exception, once it has done what the answer says.
 */
export function withChecks<Answer>(call: () => Answer): { answer: Answer; exception: unknown } {
  exception = undefined;
  try {
    return { answer: call(), exception };
  } catch (cause) {
    // The module refuses to restore what a check has not accepted.
    throw exception ?? cause;
  }
}

/** What the module imports: it asks about each value that a check is for. */
export const hostChecks = {
  /**
   * A question is JSON text: `[pattern, text]` or `[number of a check, value]`. The answer is empty for a valid value; else it
   * says what is wrong.
   */
  ask(question: string): string {
    try {
      const [rule, value]: [string, string] | [number, Json] = JSON.parse(question);
      // With a pattern, the value is a text: the template only tells TypeScript so.
      if (typeof rule === "string") return compile(rule).test(`${value}`) ? "" : "It does not match.";
      return checks[rule]?.deref()?.(value) ?? "";
    } catch (cause) {
      exception ??= cause;
      return "Its check failed.";
    }
  },
};
