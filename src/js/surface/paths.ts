/** Paths of data, read by the module, each once. */
import { blocksModule } from "../core/blocks.js";
import type { Segments } from "./data.js";
import type { SurfaceProtocol } from "./types.js";

/** So many paths are kept, and none longer than that. */
const KEPT = 50_000;
const LONG = 200;

const known: Record<SurfaceProtocol, Map<string, Segments | undefined>> = {
  gulf: new Map(),
  "a2ui-0.8": new Map(),
  "a2ui-0.9": new Map(),
};

/** The segments of a path; `undefined` for what is none. */
export function segmentsOf(path: string, protocol: SurfaceProtocol): Segments | undefined {
  const own = known[protocol];
  const found = own.get(path);
  if (found !== undefined || own.has(path)) return found;
  const read = blocksModule.call((glue) => {
    const length = glue.surface_path(blocksModule.send(`${protocol} ${path}`));
    return length === 0 ? undefined : blocksModule.receiveJson<string[]>(length);
  });
  if (path.length > LONG) return read;
  if (own.size >= KEPT) own.clear();
  own.set(path, read);
  return read;
}

/** A JSON Pointer (RFC 6901). */
export function pointerOf(segments: Segments): string {
  return segments.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
