/** How big a value is, for the limits: nearly as the module measures, but of texts it counts UTF-16 units. */
import type { Json } from "../types.js";
import { DEEP } from "./json.js";

export interface Measure {
  /** About the bytes of its JSON text: escapes are not counted, a number counts 8. */
  bytes: number;
  /** How many lists and objects stand inside each other; 0 for a scalar. */
  depth: number;
  /** Whether a number is in it that JSON cannot write, such as the one that `1e400` reads as. */
  infinite: boolean;
  negativeZero: boolean;
}

/** Measures a value in one walk; of one that is deeper than any limit only that it is. */
export function measure(value: Json): Measure {
  const sum: Measure = { bytes: 0, depth: 0, infinite: false, negativeZero: false };
  add(sum, value, 0);
  return sum;
}

function add(sum: Measure, value: Json, depth: number): void {
  if (typeof value === "string") {
    sum.bytes += value.length + 2;
  } else if (typeof value === "number") {
    sum.bytes += 8;
    if (value === 0) sum.negativeZero ||= Object.is(value, -0);
    else sum.infinite ||= !Number.isFinite(value);
  } else if (typeof value !== "object" || value === null) {
    sum.bytes += 4;
  } else {
    if (depth >= sum.depth) sum.depth = depth + 1;
    if (depth > DEEP) return;
    sum.bytes += 2;
    if (Array.isArray(value)) {
      for (const item of value) {
        add(sum, item, depth + 1);
        sum.bytes += 1;
      }
    } else {
      for (const key of Object.keys(value)) {
        add(sum, value[key] ?? null, depth + 1);
        sum.bytes += key.length + 4;
      }
    }
  }
}
