/** Lists and objects, written to by index or key. */
import type { Json } from "../types.js";

export type Tree = Json[] | { [key: string]: Json };
export type Step = string | number;

/** `__proto__` becomes an own key, never a prototype. */
export function put(holder: Tree, step: Step, value: Json): void {
  if (step === "__proto__") {
    Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true });
  } else {
    (holder as Record<Step, Json>)[step] = value;
  }
}

/** What every object has without holding it: methods, and `__proto__`. */
export function isInherited(key: string, value: unknown): boolean {
  return typeof value === "function" || key === "__proto__";
}
