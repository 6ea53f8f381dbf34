/** Surfaces: streams of GULF and A2UI, read and written. */
export { SurfaceStream } from "./stream.js";
export type * from "./types.js";
