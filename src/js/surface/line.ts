/** Writes messages as lines, and checks that every client can read them. */
import { GenuiPatchError } from "../core/errors.js";
import { writeText } from "../core/json.js";
import { isObject, type Members } from "../core/kinds.js";
import type { Json } from "../types.js";
import { readJson } from "./text.js";

/** The depth that every client accepts by default: see `maxDepth` in {@link Limits}. */
const MAX_DEPTH = 128;

/**
 * A message as JSON text, and as a client reads it. `kind`: its key, for errors. @throws GenuiPatchError
 * `INVALID_ARGUMENT`, `LIMIT_EXCEEDED`
 */
export function writeMessage(kind: string, message: object): { text: string; value: Members } {
  const text = writeText(message, kind);
  const value = readJson(text, MAX_DEPTH);
  if (isObject<Json>(value)) return { text, value };
  throw new GenuiPatchError("LIMIT_EXCEEDED", `${kind}: the input has more than ${MAX_DEPTH} levels.`);
}
