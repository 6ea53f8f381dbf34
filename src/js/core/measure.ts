/** The size of a value, for the limits. As in the module, except that the length of a text is in UTF-16 units. */
import type { Json } from "../types.js";
import { DEEP } from "./json.js";

export interface Measure {
  /** About the bytes of its JSON text: escapes are not counted, a number counts 8. */
  bytes: number;
  /** The number of nested lists and objects; 0 for a scalar. */
  depth: number;
  /** Whether the value contains an infinite number, as which `1e400` is read. JSON cannot write it. */
  infinite: boolean;
  /** Whether the value contains -0, which the module reads as 0. */
  negativeZero: boolean;
}

/** Measures a value in one walk. Parts below `DEEP` levels are not measured: their depth is over every limit. */
export function measure(value: Json): Measure {
  const sum: Measure = { bytes: 0, depth: 0, infinite: false, negativeZero: false };
  add(sum, value);
  return sum;
}

/** Adds a value that is inside `depth` lists and objects. */
function add(sum: Measure, value: Json, depth = 0): void {
  if (typeof value === "string") {
    // Two quotes.
    sum.bytes += value.length + 2;
  } else if (typeof value === "number") {
    sum.bytes += 8;
    if (value === 0) sum.negativeZero ||= Object.is(value, -0);
    else sum.infinite ||= !Number.isFinite(value);
  } else if (typeof value !== "object" || value === null) {
    // Of `true` and `null`; `false` counts the same.
    sum.bytes += 4;
  } else {
    if (depth >= sum.depth) sum.depth = depth + 1;
    if (depth > DEEP) return;
    // Two brackets.
    sum.bytes += 2;
    if (Array.isArray(value)) {
      for (const item of value) {
        add(sum, item, depth + 1);
        // A comma.
        sum.bytes += 1;
      }
    } else {
      for (const key of Object.keys(value)) {
        add(sum, value[key] ?? null, depth + 1);
        // Two quotes, a colon and a comma.
        sum.bytes += key.length + 4;
      }
    }
  }
}
