/** Parses and formats paths: texts such as `blocks["form"].title`, in each spelling of the grammar, and lists of segments. */
import type { ParsedPath, PatchError, PathSegment, Rules } from "../types.js";
import { misuse, RefusedError } from "./errors.js";
import { toText } from "./json.js";
import { RULES, requireOptions, requireText } from "./require.js";
import { storeModule } from "./store-module.js";

/**
 * Parses a path. Under `rules: "open"` the first segment may be any key.
 *
 * ```ts
 * parsePath('blocks["form"].title'); // { ok: true, segments: [{ key: "blocks" }, { id: "form" }, { key: "title" }] }
 * parsePath("blocks-0.title"); // { ok: false, error: { code: "INVALID_PATH", solution: "Use blocks.0.title.", … } }
 * ```
 */
export function parsePath(text: string, options: { rules?: Rules } = {}): ParsedPath {
  requireText("parsePath", "path", text);
  requireOptions("parsePath", options, { rules: RULES });
  return storeModule.ask<ParsedPath>((glue) => glue.parse_path(storeModule.send(text), options.rules === "open"));
}

/**
 * Formats segments with dots and quotes; `parsePath` returns the same segments. The path of a {@link Change} can be passed too:
 * its strings are keys, its numbers are indexes.
 *
 * ```ts
 * formatPath([{ key: "blocks" }, { id: "form" }, { key: "title" }]); // 'blocks["form"].title'
 * formatPath(["state", "params", "a.b"]); // 'state.params."a.b"'
 * ```
 * @throws GenuiPatchError `INVALID_PATH` for an empty list, and for keys that no path can have: empty ones, those with control
 * characters, `__proto__`, `prototype`, `constructor`.
 */
export function formatPath(segments: readonly (PathSegment | string | number)[]): string {
  type Answer = { ok: true; text: string } | { ok: false; error?: PatchError };
  const text = toText(Array.isArray(segments) ? segments.map(toSegment) : segments, "path");
  const answer = storeModule.ask<Answer>((glue) => glue.format_path(storeModule.send(text)));
  if (answer.ok) return answer.text;
  if (answer.error) throw new RefusedError({ status: "error", error: answer.error });
  throw misuse("formatPath takes a list of {key}, {index}, {id}, and at its end {end: true}.");
}

/**
 * The segments of a path under open rules. `method` names the caller in messages.
 * @throws RefusedError `INVALID_PATH` for a path that the grammar does not allow.
 */
export function readPath(method: string, path: string): readonly PathSegment[] {
  requireText(method, "path", path);
  const parsed = parsePath(path, { rules: "open" });
  if (parsed.ok) return parsed.segments;
  throw new RefusedError({ status: "error", error: { ...parsed.error, path } });
}

/** A segment as a key or an index: an id becomes a key, the end of a list the key `"+"`, as paths write it. */
export function toStep(segment: PathSegment): string | number {
  if ("key" in segment) return segment.key;
  if ("id" in segment) return segment.id;
  return "index" in segment ? segment.index : "+";
}

/** The segment of a step: a string is a key, a number an index. The module checks any other value as a segment. */
function toSegment(step: unknown): unknown {
  if (typeof step === "string") return { key: step };
  return typeof step === "number" ? { index: step } : step;
}
