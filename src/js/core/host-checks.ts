/** Checks that the core asks JavaScript for while it validates a document: patterns, and the schemas of the host. */
import type { Json } from "../types.js";
import { misuse } from "./errors.js";

/** Says what is wrong with a value; nothing where it fits. */
export type HostCheck = (value: Json) => string;

/** By number. Whoever has registered a check holds it. */
const checks: WeakRef<HostCheck>[] = [];

export function registerCheck(check: HostCheck): number {
  return checks.push(new WeakRef(check)) - 1;
}

/** A pattern, compiled. A catalog has few. */
const patterns = new Map<string, RegExp>();
const MAX_PATTERNS = 200;

function compile(pattern: string): RegExp {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  let made: RegExp;
  try {
    made = new RegExp(pattern, "u");
  } catch {
    try {
      made = new RegExp(pattern);
    } catch {
      throw misuse(`catalog: ${JSON.stringify(pattern)} is no regular expression.`);
    }
  }
  patterns.set(pattern, made);
  return made;
}

/** An exception of a check. It must not pass through the module, so it is thrown after the module has returned. */
let thrown: unknown;

/** Throws the exception of a check during the last call of the module, if there is one. */
export function rethrow(): void {
  const cause = thrown;
  thrown = undefined;
  if (cause !== undefined) throw cause;
}

export const hostChecks = {
  /** A question is JSON text, `[pattern, text]` or `[number of a check, value]`. The answer is empty where it fits. */
  ask(question: string): string {
    try {
      const [asked, value]: [string, string] | [number, Json] = JSON.parse(question);
      if (typeof asked === "string") return compile(asked).test(`${value}`) ? "" : "It does not match.";
      return checks[asked]?.deref()?.(value) ?? "";
    } catch (cause) {
      thrown ??= cause;
      return "Its check failed.";
    }
  },
};
