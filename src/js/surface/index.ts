/** Surfaces: streams of GULF and A2UI, read. */
export { SurfaceStream } from "./stream.js";
export type * from "./types.js";
