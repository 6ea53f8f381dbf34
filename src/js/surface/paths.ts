/** Paths of data, read by the module, each once. */
import { call, receiveJson, send } from "../bridge.js";
import * as glue from "../generated/glue.js";
import type { Segments } from "./data.js";
import type { SurfaceProtocol } from "./types.js";

/** So many paths are kept. */
const KEPT = 50_000;

const known = new Map<string, Segments | undefined>();

/** The segments of a path; `undefined` for what is none. */
export function segmentsOf(path: string, protocol: SurfaceProtocol): Segments | undefined {
  const text = `${protocol} ${path}`;
  const found = known.get(text);
  if (found !== undefined || known.has(text)) return found;
  const read = call(() => {
    const length = glue.surface_path(send(text));
    return length === 0 ? undefined : receiveJson<string[]>(length);
  });
  if (known.size >= KEPT) known.clear();
  known.set(text, read);
  return read;
}

/** A JSON Pointer (RFC 6901). */
export function pointerOf(segments: Segments): string {
  return segments.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
