/** How texts read in the module, and paths on the page's side. */
import { GenuiPatchError } from "../core/errors.js";
import { DEEP, TOO_DEEP } from "../core/json.js";
import { requireText } from "../core/require.js";
import { LONE_SURROGATE } from "../core/surrogates.js";
import { parsePath } from "../path.js";
import type { Json, PathSegment } from "../types.js";

const DIFFERS = /* @__PURE__ */ new RegExp(`${LONE_SURROGATE}|\\\\u[dD][89a-fA-F]|-0|-[\\d.]+[eE]-`);

/** Whether the module may read values of the text otherwise than JSON.parse: lone surrogates and -0. */
export const readsDifferently = (text: string): boolean => DIFFERS.test(text);

/**
 * The value of a text that {@link toText} has written, as the module reads it. Of what was too deep to be written, a value
 * that every limit refuses.
 */
export function readValue(text: string): Json {
  if (text === TOO_DEEP) return JSON.parse(TOO_DEEP + "]".repeat(DEEP)) as Json;
  // Only lone surrogates are written as escapes; what stands behind another backslash is none.
  const escapes = /\\(?:u[dD][89a-fA-F]..|.)/g;
  const known = text.includes("\\ud") ? text.replace(escapes, (found) => (found.length > 2 ? "\ufffd" : found)) : text;
  return JSON.parse(known) as Json;
}

/** @throws GenuiPatchError `INVALID_PATH` for a path outside the grammar. */
export function readPath(method: string, path: string): readonly PathSegment[] {
  requireText(method, "path", path);
  const parsed = parsePath(path, { rules: "open" });
  if (parsed.ok) return parsed.segments;
  throw new GenuiPatchError(parsed.error.code, `${parsed.error.message} ${parsed.error.solution}`, { path });
}

export function toStep(segment: PathSegment): string | number {
  if ("key" in segment) return segment.key;
  if ("id" in segment) return segment.id;
  return "index" in segment ? segment.index : "+";
}
