/** Parses paths of the data, in the forms that messages and bindings use. */
import type { SurfaceProtocol } from "./types.js";

/** The keys and indexes of a path in the data, without escapes. Empty: the data as a whole. */
export type Segments = readonly string[];

/** Segments that no path may contain: they would lead to the prototypes of objects. */
const REFUSED = ["__proto__", "prototype", "constructor"];
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** A part between dots: a name and its indexes, such as `addresses[0]`. */
const DOTTED = /^(?!$)[^.[]*(?:\[\d+\])*$/;
const INDEX = /^(?:0|[1-9]\d*)$/;

/** The index that a segment means: digits without leading zeros. `undefined` for any other segment. */
export const indexOf = (segment: string): number | undefined => (INDEX.test(segment) ? Number(segment) : undefined);

/**
 * The segments of a path; `undefined` for an invalid path. A path is a JSON Pointer, with or without its first `/`; in GULF also
 * dots and brackets: `user.addresses[0].street` is `/user/addresses/0/street`. Nothing, `/` and `.` mean the model as a whole,
 * or, in an item of a template, the item; so does `./` before a path.
 */
export function segmentsOf(path: string, protocol: SurfaceProtocol): Segments | undefined {
  const text = path.startsWith("./") ? path.slice(2) : path;
  if (text === "" || text === "/" || text === ".") return [];
  if (CONTROL.test(text)) return undefined;
  const segments = protocol === "gulf" && !text.includes("/") ? dottedSegments(text) : pointerSegments(text);
  return segments?.some((segment) => REFUSED.includes(segment)) ? undefined : segments;
}

/** The segments of a JSON Pointer; a `/` at its end is ignored. `undefined` for an invalid escape. */
function pointerSegments(text: string): string[] | undefined {
  const body = text.slice(text.startsWith("/") ? 1 : 0, text.endsWith("/") ? -1 : undefined);
  const segments = body.split("/");
  if (!body.includes("~")) return segments;
  if (/~(?![01])/.test(body)) return undefined;
  return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The segments of a path with dots and brackets; `undefined` for an invalid one. */
function dottedSegments(text: string): string[] | undefined {
  if (!text.split(".").every((part) => DOTTED.test(part))) return undefined;
  return Array.from(text.matchAll(/\[(\d+)\]|[^.[]+/g), ([name, index]) => index ?? name);
}

/** The segments of a JSON Pointer, split again at dots and brackets; `undefined` if that makes no more of them. */
export function splitDotted(segments: Segments): Segments | undefined {
  if (!segments.some((segment) => /[.[]/.test(segment))) return undefined;
  const parts = segments.flatMap((segment) => segmentsOf(segment, "gulf") ?? [segment]);
  return parts.length > segments.length ? parts : undefined;
}

/** The JSON Pointer (RFC 6901) with these segments. */
export function pointerOf(segments: Segments): string {
  let text = "";
  for (const segment of segments) {
    text += `/${/[~/]/.test(segment) ? segment.replaceAll("~", "~0").replaceAll("/", "~1") : segment}`;
  }
  return text;
}
